"""Draw the pictures of these pages: `python docs/pictures.py` writes them to docs/_static, for light and for dark pages.

Each function below draws one picture. What stands in its cells is computed, by the package or by the steps that it shows.
"""

import itertools
import pathlib
import runpy
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "_ext")]

from drawing import SEGMENTS, Picture, bounds_of, colors_of  # noqa: E402

from spark_csr import Ragged, coo_array, csr_array, gallery, linalg, partition  # noqa: E402
from spark_csr import primitives as prim  # noqa: E402
from spark_csr.graph import Frontier, Graph, expand  # noqa: E402

PICTURES = {}


def picture(title, width=640):
    """Register the function below as one that draws a picture of its name."""
    return lambda draw: PICTURES.setdefault(draw.__name__, (title, width, draw))[-1]


# ---------------------------------------------------------------- products


@picture("The seven steps of A @ x", 676)
def spmv_steps(pic):
    A, letters, x = csr_array([[1, 0, 2], [3, 4, 5], [0, 0, 6]]), "abcdef", "pqr"
    first = prim.head_flags_from_offsets(A.indptr).astype(bool)
    last = np.append(first[1:], True)
    rows = prim.right_flood(np.where(first, prim.segment_ids(A.indptr), 0), first)
    taken = [x[j] for j in A.indices]
    products = [a + b for a, b in zip(letters, taken, strict=True)]
    sums = []
    for k, product in enumerate(products):
        sums.append(product if first[k] else f"{sums[-1]}+{product}")
    steps = {
        "data": letters,
        "indices": A.indices,
        "1  mark starts": [row if flag else "" for row, flag in zip(rows, first, strict=True)],
        "2  right flood": rows,
        "3  take x": taken,
        "4  multiply": products,
        "5  segmented scan": sums,
        "6  mark ends": ["✓" if flag else "" for flag in last],
        "7  copy to y": [total if flag else None for total, flag in zip(sums, last, strict=True)],
    }
    for k, (label, values) in enumerate(steps.items()):
        middles = pic.row_of_cells(16 + 38 * k + 12 * (k == 8), label, values, colors_of(rows), x=158, w=80)
    pic.arrows(middles[last], 312, middles[last], 330)


@picture("A matrix and its three arrays", 580)
def csr(pic):
    A = csr_array([[1, 0, 2], [3, 4, 5], [0, 0, 6]])
    rows = colors_of(prim.segment_ids(A.indptr))
    pic.text(78, 30, "A")
    for i, row in enumerate(A.toarray()):
        pic.row_of_cells(50 + 34 * i, "", [value or "" for value in row], SEGMENTS[i], x=16)
    middles = pic.row_of_cells(110, "indices", A.indices, rows, x=260, cuts=A.indptr[1:-1])
    pic.row_of_cells(148, "data", A.data, rows, x=260, cuts=A.indptr[1:-1])
    tops = pic.row_of_cells(20, "indptr", A.indptr, x=300, w=54)
    pic.arrows(tops, 50, bounds_of(A.indptr, middles), 108)


@picture("Tiles of equal work along the list of entries and row ends")
def merge_path(pic):
    lengths, colors = [2, 0, 5, 1, 0, 4], ["blue", "plain", "orange", "green", "plain", "pink"]
    items = [(row, end) for row, length in enumerate(lengths) for end in [False] * length + [True]]
    entries = [row for row, end in items if not end]
    pic.note(16, 24, f"the entries, each with the number of its row: rows of {', '.join(map(str, lengths))} entries")
    pic.row_of_cells(40, "", entries, [colors[row] for row in entries], x=16, cuts=[2, 7, 8], w=36)
    pic.note(16, 100, "the list of entries and row ends, cut into three tiles of six")
    for tile in range(3):
        part = items[6 * tile : 6 * tile + 6]
        words = [f"end {row}" if end else row for row, end in part]
        fills = ["paper" if end else colors[row] for row, end in part]
        pic.row_of_cells(116 + 40 * tile, f"tile {tile}", words, fills, x=76, w=50)
        row, end = part[-1]
        if not end:
            pic.note(412, 131 + 40 * tile, f"row {row} goes on: a carry")


@picture("A row of a product of sparse matrices")
def spgemm(pic):
    A = csr_array([[2, 0, 0, 0, 3, 0]])
    B = csr_array(coo_array(([4, 5, 6, 7], ([0, 0, 4, 4], [1, 5, 1, 2])), shape=(6, 6)))
    row_of_A, row_of_C = ([value or "" for value in M.toarray()[0]] for M in (A, A @ B))
    fills = dict(zip(A.indices, SEGMENTS, strict=False))
    pic.row_of_cells(16, "column", range(6), "paper", x=230, w=56)
    middles = pic.row_of_cells(56, "row i of A", row_of_A, [fills.get(k, "plain") for k in range(6)], x=230, w=56)
    for line, (k, a) in enumerate(zip(A.indices, A.data, strict=True)):
        y, b = 112 + 38 * line, B.toarray()[k]
        pic.row_of_cells(y, f"{a} times row {k} of B", [f"{a}·{v}" if v else "" for v in b], fills[k], x=230, w=56)
    pic.row_of_cells(206, "row i of C", row_of_C, "green", x=230, w=56)
    ends = middles[(A @ B).indices]
    pic.arrows(ends, 182, ends, 204)


@picture("One product with two semirings", 660)
def semiring(pic):
    A, x = csr_array([[1, 0, 2], [3, 4, 5], [0, 0, 6]]), np.array([1, 10, 100])
    sums, least = A @ x, A.matmul(x, semiring="min_plus")
    for x_of_word, word in ((62, "A"), (158, "x"), (300, "plus_times"), (530, "min_plus")):
        pic.text(x_of_word, 24, word, weight="bold")
    for i, row in enumerate(A.toarray()):
        y, terms = 44 + 40 * i, [(row[j], x[j]) for j in range(3) if row[j]]
        pic.row_of_cells(y, "", [value or "" for value in row], SEGMENTS[i], x=16, w=28)
        pic.row_of_cells(y, "", [x[i]], x=138)
        pic.text(300, y + 15, " + ".join(f"{a}·{b}" for a, b in terms) + f" = {sums[i]}")
        pic.text(530, y + 15, f"min({', '.join(f'{a}+{b}' for a, b in terms)}) = {least[i]}")


# ---------------------------------------------------------------- primitives


@picture("A right flood in three steps")
def right_flood(pic):
    x = np.array([1, 0, 0, 0, 0, 0, 2, 0])
    source = np.where(x != 0, np.arange(8), -1)
    for step, distance in enumerate((0, 1, 2, 4)):
        y, moved = 20 + 68 * step, np.full(8, False)
        if distance:
            moved[distance:] = (source[distance:] < 0) & (source[:-distance] >= 0)
            source[moved] = source[np.flatnonzero(moved) - distance]
        label = f"from {distance} to the left" if distance else "x"
        values = ["" if k < 0 else x[k] for k in source]
        middles = pic.row_of_cells(y, label, values, colors_of(source // 6), x=170, w=52)
        for k in np.flatnonzero(moved):
            pic.arrow(middles[k - distance], y - 36, middles[k] - 8, y - 2)
    assert source.tolist() == prim.right_flood(x, return_index=True)[1].tolist()


@picture("Compaction by a scan and a scatter", 580)
def compaction(pic):
    x = np.array([5, 2, 8, 1, 9, 3, 7, 4])
    mask = x > 4
    places, kept = prim.exclusive_scan(mask.astype(int)), prim.compact(x, mask)
    fills = np.where(mask, "blue", "plain").tolist()
    pic.row_of_cells(16, "x", x, fills, w=46)
    pic.row_of_cells(54, "mask: x > 4", mask.astype(int), fills, w=46)
    tops = pic.row_of_cells(92, "exclusive scan", places, fills, w=46)
    ends = pic.row_of_cells(180, "compact", kept, "blue", w=46)
    pic.arrows(tops[mask], 122, ends, 178)


@picture("Places for results of differing number: clipped triangles")
def allocation(pic):
    clip = runpy.run_path(str(ROOT / "examples" / "26_triangle_clipping.py"))["clip"]
    sides_and_tips = ((70, 20), (140, 100), (50, 130), (110, 40))
    corners = np.array([[[150, y], [230, y], [190, tip]] for y, tip in sides_and_tips], dtype=float)
    corners[..., 0] += np.arange(4)[:, None] * 120
    kept, counts = clip(corners, np.array([0.0, -1.0]), -80.0)
    addresses, total = prim.allocate(counts)
    owner = prim.repeat(np.arange(4), counts)
    for triangle in corners:
        pic.polygon(triangle, "none", ' stroke-dasharray="4 3"')
    for triangle, k in zip(kept.round(1), owner, strict=True):
        pic.polygon(triangle, f"{{{SEGMENTS[k]}}}")
    pic.line(130, 80, 610, 80, "red", 2)
    pic.text(118, 62, "kept", "end", "quiet")
    pic.text(118, 98, "cut off", "end", "quiet")
    pic.row_of_cells(160, "count", counts, SEGMENTS[:4], x=132, w=116)
    tops = pic.row_of_cells(198, "exclusive scan", addresses, SEGMENTS[:4], x=132, w=116)
    ends = pic.row_of_cells(280, "results", [f"of {k}" for k in owner], colors_of(owner), x=132, w=80)
    pic.note(ends[-1] + 50, 295, f"{total} in all")
    pic.arrows(tops[owner], 228, ends, 278)


@picture("A merge by splitters")
def merge_splitters(pic):
    a, b = np.array([1, 3, 5, 6, 12, 28]), np.array([2, 4, 7, 10, 15, 21])
    merged, of_a, of_b = prim.merge(a, b, return_index=True)
    cuts_of_a, cuts_of_b = np.searchsorted(of_a, [4, 8]), np.searchsorted(of_b, [4, 8])
    middles = pic.row_of_cells(16, "a", a, colors_of(of_a // 4), x=80, cuts=cuts_of_a)
    others = pic.row_of_cells(62, "b", b, colors_of(of_b // 4), x=80, cuts=cuts_of_b)
    pic.row_of_cells(136, "merge", merged, colors_of(np.arange(12) // 4), x=80, w=40, cuts=[4, 8])
    for tile in range(2):
        left, right = middles[cuts_of_a[tile]] - 29, others[cuts_of_b[tile]] - 29
        end = 80 + 44 * 4 * (tile + 1) + 14 * tile + 5
        way = [(left, 10), (left, 48), (right, 60), (right, 96), (end, 132), (end, 170)]
        for one, other in itertools.pairwise(way):
            pic.line(*one, *other, "red", 2)


def draw_network(pic, network, step_width):
    """Draw the comparators of a network of the example, and the values before and after each step."""
    x, left = [6, 3, 8, 1, 7, 2, 5, 4], 24
    for pairs in [*network(x), []]:
        for wire, value in enumerate(x):
            pic.text(left, 24 + 28 * wire, value)
            if pairs:
                pic.line(left + 12, 24 + 28 * wire, left + step_width - 12, 24 + 28 * wire, width=1)
        lanes = []  # of a step: where the last comparator of each ends
        for i, j in pairs:
            lane = next((k for k, end in enumerate(lanes) if end < i), len(lanes))
            lanes[lane : lane + 1] = [j]
            at = left + 24 + 14 * lane
            pic.line(at, 24 + 28 * i, at, 24 + 28 * j, "red", 2)
            for wire in (i, j):
                pic.circle(at, 24 + 28 * wire, 4, "red", "red")
            x[i], x[j] = sorted((x[i], x[j]))
        left += step_width
    assert x == sorted(x)


NETWORKS = runpy.run_path(str(ROOT / "examples" / "08_merge_and_networks.py"))


@picture("A bitonic sort of eight values in six steps")
def bitonic_network(pic):
    draw_network(pic, NETWORKS["bitonic"], 96)


@picture("An odd-even sort of eight values in eight steps")
def odd_even_network(pic):
    draw_network(pic, NETWORKS["odd_even"], 72)


@picture("A scan by tiles")
def scan_tiles(pic):
    x = np.array([3, 1, 2, 4, 1, 5, 2, 2, 7, 1, 1, 3])
    totals = prim.segmented_reduce(x, np.arange(0, 13, 4))

    def draw_row(y, label, values):
        tiles = np.arange(3).repeat(len(values) // 3)
        return pic.row_of_cells(y, label, values, colors_of(tiles), 100, 36, (4, 8), [12 // len(values)] * len(values))

    elements = draw_row(16, "elements", x)
    sums = draw_row(74, "1  reduce", totals)
    draw_row(132, "2  scan", prim.exclusive_scan(totals))
    draw_row(190, "3  scan", prim.inclusive_scan(x))
    pic.arrows(elements, 46, sums.repeat(4), 72)
    pic.arrows(sums[:-1], 104, sums[1:], 130)  # the total of a tile counts for the tiles after it
    pic.arrows(sums.repeat(4), 162, elements, 188)


@picture("One pass of a radix sort")
def radix_pass(pic):
    keys = np.array([31, 12, 33, 11, 22, 13, 21, 32])
    digits = keys % 10 - 1
    order = np.argsort(digits, kind="stable")
    counts = np.bincount(digits)
    pic.row_of_cells(16, "keys", keys, colors_of(digits), w=46)
    tops = pic.row_of_cells(54, "last digit", digits + 1, colors_of(digits), w=46)
    ends = pic.row_of_cells(142, "moved", prim.sort_by_key(digits, keys)[1], colors_of(digits[order]), w=46)
    pic.arrows(tops[order], 84, ends, 140)
    pic.row_of_cells(190, "counts", counts, SEGMENTS[:3], w=46, counts=counts)
    pic.row_of_cells(228, "exclusive scan", prim.exclusive_scan(counts), SEGMENTS[:3], w=46, counts=counts)


@picture("Cartesian products of two pairs of segments")
def cartesian(pic):
    a, b, starts_of_a, starts_of_b = "abcd", "12345", np.array([0, 3, 4]), np.array([0, 2, 5])
    offsets, first, second = prim.cartesian_product(starts_of_a, starts_of_b)
    for segment, left in enumerate((104, 384)):
        rows, columns = (range(*starts[segment : segment + 2]) for starts in (starts_of_a, starts_of_b))
        pic.row_of_cells(16, "", [b[j] for j in columns], "paper", x=left, w=46)
        for line, i in enumerate(rows):
            pairs = [f"{a[first[k]]}{b[second[k]]}" for k in range(offsets[segment], offsets[segment + 1]) if first[k] == i]
            pic.row_of_cells(54 + 34 * line, a[i], pairs, SEGMENTS[segment], x=left, w=46)
    tops = [a[i] + b[j] for i, j in zip(first, second, strict=True)]
    middles = pic.row_of_cells(184, "pairs", tops, colors_of(prim.segment_ids(offsets)), x=104, w=46, cuts=[6])
    pic.text(80, 240, "offsets", "end")
    for offset, bound in zip(offsets, bounds_of(offsets, middles, 46), strict=True):
        pic.text(bound, 240, offset)
        pic.arrow(bound, 230, bound, 216)


# ---------------------------------------------------------------- ragged arrays, graphs, blocks


@picture("Lists of lists as values and offsets", 580)
def ragged(pic):
    R = Ragged.from_lists([[6, 5, 5], [2], [], [9, 9]])
    (offsets,) = R.offsets
    pic.row_of_cells(16, "lists", [str(values) for values in R.to_lists()], SEGMENTS[:4], x=110, w=100)
    tops = pic.row_of_cells(80, "offsets", offsets, x=110, w=56)
    middles = pic.row_of_cells(156, "values", R.values, colors_of(prim.segment_ids(offsets)), x=110, w=46)
    pic.arrows(tops, 110, bounds_of(offsets, middles, 46), 154)


@picture("From a frontier to the next one")
def frontier(pic):
    ends = np.array([[0, 1], [0, 2], [1, 3], [1, 4], [2, 0], [2, 4], [2, 5], [3, 6], [4, 6]])
    G = Graph(csr_array(coo_array((np.ones(9), (ends[:, 0], ends[:, 1])), shape=(7, 7))))
    now, seen = [1, 2], {0, 1, 2}
    edges, segment, _ = expand(G, Frontier.of(G, now))
    degrees = G.degrees("out")[now].astype(int)
    targets = G.matrix.indices[edges].tolist()
    new = [target not in seen and target not in targets[:k] for k, target in enumerate(targets)]
    following = list(itertools.compress(targets, new))
    places = np.array([[105, 32], [60, 92], [150, 92], [24, 160], [105, 160], [186, 160], [64, 222]])
    for source, target in ends:
        way = places[target] - places[source]
        step = way / np.hypot(*way)
        aside = 5 * step[::-1] * (-1, 1) * ({source, target} == {0, 2})  # two edges that lie side by side
        pic.arrow(*(places[source] + 17 * step + aside).round(1), *(places[target] - 18 * step + aside).round(1))
    for vertex, (x, y) in enumerate(places):
        fill = "orange" if vertex in now else "green" if vertex in following else "plain"
        pic.circle(x, y, 16, fill, "line")
        pic.text(x, y, vertex)
    words = [f"{now[k]}→{target}" for k, target in zip(segment, targets, strict=True)]
    pic.row_of_cells(16, "frontier", now, "orange", x=345, w=50, counts=degrees)
    pic.row_of_cells(54, "degrees", degrees, "orange", x=345, w=50, counts=degrees)
    pic.row_of_cells(92, "exclusive scan", prim.exclusive_scan(degrees), "orange", x=345, w=50, counts=degrees)
    pic.row_of_cells(130, "edges", words, "orange", x=345, w=50)
    tops = pic.row_of_cells(168, "accepted", ["✓" if one else "" for one in new], "green", x=345, w=50)
    bottoms = pic.row_of_cells(232, "next frontier", following, "green", x=345, w=50)
    pic.arrows(tops[new], 198, bottoms, 230)


@picture("Three blocks of rows and their halos")
def halo(pic):
    A = gallery.poisson((12,))
    blocks = partition.split(A, [0, 4, 8, 12])
    pic.text(124, 20, "A")
    for i, j in zip(*A.nonzero(), strict=True):
        frame = "line" if i // 4 == j // 4 else "red"
        pic.rectangle(16 + 18 * j, 36 + 18 * i + 8 * (i // 4), 16, 16, SEGMENTS[j // 4], frame)
    for index, block in enumerate(blocks):
        y, chunks = 36 + 80 * index, block.columns // 4
        pic.note(260, y + 10, f"block {index} multiplies these elements of x:")
        frames = np.where(chunks == index, "line", "red")
        pic.row_of_cells(y + 24, "", block.columns, colors_of(chunks), x=260, w=36, frames=frames)
    pic.note(16, 286, f"red frames: the halo. One product sends {sum(partition.halo_plan(blocks).received())} elements.")


# ---------------------------------------------------------------- how work is done


def draw_schedule(pic, y, lengths, cores, stop=np.inf):
    """Draw which core computes which tile: a core that is free takes the next one, unless the time is beyond `stop`."""
    free = np.zeros(cores)
    for core in range(cores):
        pic.text(88, y + 38 * core + 15, f"core {core}", "end")
    for tile, length in enumerate(lengths):
        core = int(free.argmin())
        begins = free[core] <= stop
        at, fill = 100 + free[core], SEGMENTS[tile % 5] if begins else "paper"
        pic.box(at, y + 38 * core, length - 3, 30, [f"tile {tile}" if begins else ""], fill)
        free[core] += length


@picture("Tiles on one core and on two cores")
def tiles(pic):
    lengths = [60, 76, 58, 90, 64, 70, 56, 60]
    draw_schedule(pic, 16, lengths, 1)
    draw_schedule(pic, 76, lengths, 2)
    pic.note(100, 170, "Then, in both cases, the carries are added in the order of the tiles:")
    pic.row_of_cells(190, "carries", range(8), [SEGMENTS[tile % 5] for tile in range(8)], x=100)


@picture("Ctrl-C ends a call between two tiles")
def interrupt(pic):
    draw_schedule(pic, 46, [70, 90, 80, 74, 60, 84, 110, 64, 80, 74], 2, stop=235)
    pic.line(335, 34, 335, 124, "red", 2)
    pic.text(335, 22, "Ctrl-C", color="red", weight="bold")
    pic.note(100, 140, "Tiles that have begun are finished; the others do not begin.")


@picture("Bytes for each entry of a matrix")
def memory(pic):
    A = gallery.poisson((100, 100))
    for k, name in enumerate(("values", "columns", "rows or offsets")):
        pic.rectangle(170 + 110 * k, 16, 18, 18, SEGMENTS[k])
        pic.text(196 + 110 * k, 25, name, "start")
    matrices = {"CSR, float64": A, "CSR, float32": A.astype(np.float32), "CSR, complex128": A.astype(complex)}
    matrices["COO, float64"] = A.tocoo()
    for k, (label, M) in enumerate(matrices.items()):
        arrays = (M.data, M.col, M.row) if M.format == "coo" else (M.data, M.indices, M.indptr)
        y, left = 48 + 38 * k, 170
        pic.text(left - 12, y + 15, label, "end")
        for array, fill in zip(arrays, SEGMENTS, strict=False):
            length = 17 * array.nbytes / M.nnz
            pic.rectangle(left, y, length, 30, fill)
            left += length
        pic.text(left + 10, y + 15, f"{sum(array.nbytes for array in arrays) / M.nnz:.1f} bytes", "start")


@picture("Residuals of conjugate gradients, with and without a preconditioner")
def convergence(pic):
    P = gallery.poisson((30, 30))
    for M, name, color in ((None, "cg(P, b)", "ink"), (linalg.ic0(P), "cg(P, b, M=ic0(P))", "red")):
        norms = []
        linalg.cg(P, np.ones(900), M=M, rtol=1e-5, progress=lambda iteration, norm, norms=norms: norms.append(norm))
        points = [(80 + 12 * k, round(70 - 30 * np.log10(norm))) for k, norm in enumerate(norms)]
        for one, other in itertools.pairwise(points):
            pic.line(*one, *other, color, 2)
        x, y = points[len(points) * 6 // 10]
        pic.text(x + 14, y - 12, name, "start", color)
        pic.text(points[-1][0], 220, len(norms))
    for exponent in (1, -1, -3):
        pic.text(66, 70 - 30 * exponent, f"1e{exponent:+d}", "end", "quiet", 14)
    pic.line(74, 16, 74, 206)
    pic.line(74, 206, 620, 206)
    pic.text(340, 244, "norm of the residual after each iteration", color="quiet", size=14)


@picture("From Python to a kernel", 676)
def kernel(pic):
    pic.note(16, 22, "the first call with a dtype: about a second")
    first = [["kernel", "add(s, multiply(", "a, x))"], ["copy", "holes filled:", "s + a * x"]]
    first += [["compiled", "by Numba, for", "these dtypes"], ["file", "named by", "a digest"]]
    pic.row_of_boxes(38, first, "blue", 149)
    pic.note(16, 150, "the next process: less than a tenth of a second")
    later = [["digest", "of all that the", "code depends on"], ["file", "machine code", "is loaded"]]
    later += [["call", "by a C function,", "on all cores"]]
    pic.row_of_boxes(166, later, "green", 149)


@picture("What the commands are for", 676)
def commands(pic):
    boxes = {"info": "what is here", "demo": "first products", "compile": "kernels first"}
    boxes |= {"bench": "your matrices", "run": "your program"}
    pic.row_of_boxes(16, boxes.items(), "blue", 116)


@picture("Blocks and chunks on the workers of a cluster")
def dask_blocks(pic):
    A = gallery.poisson((20, 20))
    blocks = partition.split(A, [0, 100, 200, 300, 400])
    for worker in range(2):
        left = 16 + 324 * worker
        pic.rectangle(left, 16, 284, 176, "paper")
        pic.text(left + 142, 36, f"worker {worker}", weight="bold")
        for line in range(2):
            y, index = 58 + 66 * line, 2 * worker + line
            start, stop = blocks[index].rows
            pic.box(left + 12, y, 124, 56, [f"A, block {index}", f"rows {start}:{stop}"], SEGMENTS[index])
            pic.box(left + 148, y, 124, 56, [f"x, chunk {index}", f"{stop - start} elements"], SEGMENTS[index])
    sent = {(m.source, m.target): m.count for m in partition.halo_plan(blocks).messages}
    pic.arrow(302, 150, 338, 90)
    pic.arrow(338, 100, 302, 160)
    pic.note(16, 214, f"Between the workers, one product sends {sent[1, 2]} elements of chunk 1, and {sent[2, 1]} of chunk 2.")


@picture("Tiles, blocks, warps and lanes of a GPU")
def gpu(pic):
    pic.row_of_cells(16, "tiles", [f"tile {k}" for k in range(4)], SEGMENTS[:4], x=100, w=124)
    pic.row_of_cells(84, "blocks", [f"block {k}" for k in range(4)], SEGMENTS[:4], x=100, w=124)
    for k in range(4):
        pic.arrow(162 + 128 * k, 46, 162 + 128 * k, 82)
    pic.line(228, 114, 100, 150)
    pic.line(352, 114, 608, 150)
    pic.rectangle(100, 150, 508, 128, "orange")
    pic.text(88, 214, "one block", "end")
    for warp in range(3):
        pic.text(190, 168 + 28 * warp, f"warp {warp}", "end")
        for lane in range(32):
            pic.rectangle(200 + 12 * lane, 160 + 28 * warp, 10, 16, "paper")
    pic.text(354, 260, "shared memory of the block")
    pic.note(100, 298, "32 lanes of a warp execute the same instruction together.")


@picture("The parts of the package")
def layers(pic):
    pic.row_of_cells(16, "", ["matrices", "ragged arrays", "graphs"], SEGMENTS[:3], x=16, w=198)
    pic.row_of_cells(64, "", ["primitives: scans, segments, floods, sorts"], "yellow", x=16, w=602)
    pic.row_of_cells(112, "", ["kernels: compiled loops"], "pink", x=16, w=602)
    pic.row_of_cells(160, "", ["cores", "NVIDIA GPU"], x=16, w=299)
    for y in (46, 94, 142):
        for x in (115, 317, 519):
            pic.arrow(x, y, x, y + 16)


# ---------------------------------------------------------------- files

# The pictures in the list of examples are windows of the others: (x, y, width). The height is 0.68 of the width.
THUMBNAILS = {
    "attention": ("spmv_steps", 152, 196, 256),
    "clipping": ("allocation", 371, 26, 240),
    "cluster": ("dask_blocks", 11, 4, 294),
    "compaction": ("compaction", 144, 48, 254),
    "convergence": ("convergence", 64, -3, 310),
    "flood": ("right_flood", 164, 10, 282),
    "graph": ("frontier", -35, 7, 250),
    "halo": ("halo", 8, 28, 165),
    "lists": ("ragged", 104, 0, 316),
    "matrix": ("csr", -30, 12, 218),
    "mesh": ("allocation", 385, 8, 210),
    "network": ("bitonic_network", 4, 8, 326),
    "pairs": ("cartesian", 50, 8, 224),
    "path": ("semiring", 410, 8, 240),
    "product": ("spgemm", 224, 48, 302),
    "radix": ("radix_pass", 144, 8, 254),
    "search": ("frontier", 339, 122, 220),
    "steps": ("spmv_steps", 152, -8, 256),
    "workers": ("dask_blocks", 335, 4, 294),
}


def write(folder):
    """Write all pictures, for light and for dark pages, and the thumbnails."""
    (folder / "thumbnails").mkdir(exist_ok=True)
    drawn = {}
    for name, (title, width, draw) in PICTURES.items():
        drawn[name] = Picture(title, width)
        draw(drawn[name])
        save(folder / f"{name}.svg", drawn[name].svg())
        save(folder / f"{name}.dark.svg", drawn[name].svg(dark=True))
    for name, (of, x, y, width) in THUMBNAILS.items():
        save(folder / "thumbnails" / f"{name}.svg", drawn[of].svg(window=(x, y, width, 0.68 * width)))


def save(path, text):
    path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write(ROOT / "docs" / "_static")
