"""The command `cache`: show where compiled kernels are kept, how many there are, and their size; `--clear` removes them."""

from spark_csr._engine import store


def run(options):
    """Print what the folders hold, or empty them."""
    if options.clear:
        removed, left = store.clear(), len(store.files())
        print(f"removed {removed} files of kernels" + f"; {left} files of others, or that cannot be removed, stay" * bool(left))
        return 0
    found, writable = store.files(), store.writable()
    for folder in store.folders():
        if why := store.distrust(folder):
            print(f"{folder}: not used, because {why}")
            continue
        here = [file for file in found if file.parent == folder]
        use = ", and new ones go here" * (folder == writable)
        print(f"{folder}: {len(here)} files of kernels, {sum(file.stat().st_size for file in here) / 1e6:.1f} MB{use}")
    if shipped := store.shipped_files():
        print(f"{store.SHIPPED}: {len(shipped)} files of kernels, which came with the package")
    if not store.folders():
        print(f"no folder keeps kernels, so every process compiles its own: set {store.VARIABLE} to a writable folder")
    return 0
