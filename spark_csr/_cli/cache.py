"""The command `cache`: show where compiled kernels are kept, how many there are, and their size; `--clear` removes them."""

from spark_csr import _kept


def run(options):
    """Print what the folders hold, or empty them."""
    if options.clear:
        removed, left = _kept.clear(), len(_kept.files())
        print(f"removed {removed} files of kernels" + f"; {left} files of others, or that cannot be removed, stay" * bool(left))
        return 0
    found, writable = _kept.files(), _kept.writable()
    for folder in _kept.folders():
        if why := _kept.distrust(folder):
            print(f"{folder}: not used, because {why}")
            continue
        here = [file for file in found if file.parent == folder]
        use = ", and new ones go here" * (folder == writable)
        print(f"{folder}: {len(here)} files of kernels, {sum(file.stat().st_size for file in here) / 1e6:.1f} MB{use}")
    if shipped := _kept.shipped_files():
        print(f"{_kept.SHIPPED}: {len(shipped)} files of kernels, which came with the package")
    if not _kept.folders():
        print(f"no folder keeps kernels, so every process compiles its own: set {_kept.VARIABLE} to a writable folder")
    return 0
