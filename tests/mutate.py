"""Which mistakes in the code of the cores would the tests miss? Run by hand; it takes half a minute for each mutant:

    python tests/mutate.py [--count 100] [--seed 0] [--only _cpu/scan]

Each mutant is the package with one comparison, operator or small number changed, in a copy of the source tree. The tests run
that belong to the file: those of its name and, if these notice nothing, of the files that import it. At the end: how many
mutants the tests noticed, and those that they did not, as `file:line: before -> after`. Such a mutant means the same, is only
slower, or is not tested: other tests may notice it.
"""

import argparse
import ast
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]

WHERE = "_cpu", "_shared", "_operations", "primitives"

OTHERS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
"""What an operator is changed to."""

MINUTES = 5
"""Until a mutant counts as noticed, since it does not end."""


def spots(tree):
    """Yield functions that change one place of a tree, and the place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and type(node.ops[0]) in OTHERS:
            yield node, lambda node=node: node.ops.__setitem__(0, OTHERS[type(node.ops[0])]())
        elif isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp) and type(node.op) in OTHERS:
            yield node, lambda node=node: setattr(node, "op", OTHERS[type(node.op)]())
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            yield node, lambda node=node: setattr(node, "value", node.value + 1)
        elif isinstance(node, ast.Constant) and type(node.value) is bool:
            yield node, lambda node=node: setattr(node, "value", not node.value)


def mutants(only, seed):
    """Yield files, lines, what stood there and what stands there now, and the text of the file, in random order."""
    files = [file for folder in WHERE for file in sorted((ROOT / "spark_csr" / folder).rglob("*.py")) if only in str(file)]
    counts = [len(list(spots(ast.parse(file.read_text())))) for file in files]
    places = [(file, k) for file, count in zip(files, counts, strict=True) for k in range(count)]
    for file, k in random.Random(seed).sample(places, len(places)):
        lines = file.read_text().splitlines()
        tree = ast.parse("\n".join(lines))
        node, change = list(spots(tree))[k]
        if node.lineno != node.end_lineno:
            continue
        before, line = ast.unparse(node), lines[node.lineno - 1].encode()
        change()
        mutated = line[: node.col_offset] + f"({ast.unparse(node)})".encode() + line[node.end_col_offset :]
        if isinstance(node, ast.AugAssign):
            mutated = line[: node.col_offset] + ast.unparse(node).encode() + line[node.end_col_offset :]
        text = "\n".join([*lines[: node.lineno - 1], mutated.decode(), *lines[node.lineno :]]) + "\n"
        yield file.relative_to(ROOT), node.lineno, before, ast.unparse(node), text


def tests_of(file):
    """Return the test files of the name of a file of the package, and those of the files that import it; either may be none."""
    module = ".".join(file.with_suffix("").parts)
    users = [user for user in (ROOT / "spark_csr").rglob("*.py") if re.search(rf"{re.escape(module)} import", user.read_text())]
    named = set((ROOT / "tests").rglob(f"test_{file.stem}.py"))
    return sorted(named), sorted({test for user in users for test in (ROOT / "tests").rglob(f"test_{user.stem}.py")} - named)


def is_noticed(copy, tests):
    """Whether the tests fail in a copy of the tree."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *map(str, tests)]
    try:
        return subprocess.run(command, cwd=copy, capture_output=True, timeout=60 * MINUTES).returncode != 0
    except subprocess.TimeoutExpired:
        return True


def main():
    """Make mutants and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=100, help="how many mutants")
    parser.add_argument("--seed", type=int, default=0, help="which ones")
    parser.add_argument("--only", default="", help="a part of the paths of files")
    chosen = parser.parse_args()
    tried, missed = 0, []
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "tree"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", "__pycache__", ".*_cache", "docs", "asv_benchmarks"))
        for file, line, before, after, text in mutants(chosen.only, chosen.seed):
            groups = [[copy / test.relative_to(ROOT) for test in group] for group in tests_of(file) if group]
            if tried == chosen.count:
                break
            if not groups:
                continue
            tried += 1
            original = (copy / file).read_text()
            (copy / file).write_text(text)
            noticed = any(is_noticed(copy, tests) for tests in groups)
            (copy / file).write_text(original)
            print("noticed" if noticed else "MISSED", f"{file}:{line}: {before} -> {after}", flush=True)
            if not noticed:
                missed.append(f"{file}:{line}: {before} -> {after}")
    print(f"{tried - len(missed)} of {tried} noticed", *missed, sep="\n")


if __name__ == "__main__":
    main()
