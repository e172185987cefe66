"""The numbers that the kernels for the cores are tuned with, by operation.

Each number stands with what it means and its evidence: what was measured, on which processor and when, or the words "not
tuned". `number` takes the kind of a number, see `_engine.tuning.KINDS`, its value, and what it is in tests of small tiles.
"""

import dataclasses

from spark_csr._engine import Numbers, number


@dataclasses.dataclass(slots=True)
class Tuning(Numbers):
    """Numbers that somebody may tune. Their names begin with the operation."""

    # Every kernel

    memory_ahead: int = number("ahead", 4096)
    """Bytes between the item in hand and the one asked for. 4 and 8 KiB measured alike, 2 KiB a third slower on a stencil
    (EPYC, family 25 model 17, 2026-11)."""

    # `for_each`

    for_each_serial: int = number("serial", 4096, small=16)
    """Indices up to which one core does it all. Not tuned."""

    for_each_block: int = number("tile", 1024)
    """Indices of `for_each` that a core takes at a time. Not tuned."""

    for_each_tile: int = number("tile", 4096)
    """Indices of a tile of `for_each_tile`: so many that what a body looks up once for each hardly counts. Half as many took
    1.3 times as long, twice as many 0.85 times (EPYC, family 25 model 17, 2026-11); but more cores need more tiles."""

    # Scans

    scan_serial: int = number("serial", 8192, small=8)
    """Items up to which one core scans alone, in order. Not tuned further."""

    scan_block: int = number("block", 1040)
    """Items of a block: blocks a power of two apart would share the same few places of the cache, which takes twice as long
    (1024 against 1032 to 2064 items of float64; EPYC of the Zen 4 generation, 2026-11)."""

    # Segments: reductions, and tiles of whatever goes by segments

    reduce_serial: int = number("serial", 65536)
    """Items and row ends up to which one core does it all: a second gains little below, and loses much where it is not free to
    run (EPYC 9005, two cores, 2026-11). `A @ x` took 6.7 and 18 us on one core, 8.0 and 21 us on two, for Laplacians of 13^3
    and 19^3 points (EPYC, family 25 model 17, two cores, 2026-11)."""

    reduce_tile: int = number("tile", 4096)
    """Items and row ends of the smallest tile. Not tuned."""

    reduce_tiles: int = number("count", 256, small=10**9)
    """Tiles of a large problem: enough for the cores of one machine, few enough that carries cost nothing. Not tuned."""

    softmax_long: int = number("limit", 65536)
    """Items of a row up to which one core does it all. Not tuned."""

    # Selection

    compact_serial: int = number("serial", 32768)
    """Elements up to which one core does it all. Not tuned."""

    compact_tile: int = number("tile", 16384)
    """Elements a tile takes. Not tuned."""

    keep_serial: int = number("serial", 32768)
    """Entries up to which one core does it all. Not tuned."""

    keep_tile: int = number("tile", 16384, small=lambda tile: max(tile, 8))
    """Entries a tile takes, a multiple of eight. 65536 and 262144 measured alike, 4096 a quarter slower (EPYC, 2026-11)."""

    keep_round: int = number("count", 16, small=1)
    """Tiles of a round for each core: their buffers fit its cache. 8 and 32 measured alike, 2 a third slower (EPYC,
    2026-11)."""

    claim_serial: int = number("serial", 32768)
    """Candidates up to which one core takes all. Not tuned."""

    claim_tables: int = number("count", 2)
    """Tables at most for each core, which changes no result. Two let a core that is taken away cost half of its share; eight
    tables for two cores took 1.7 times as long as four, and two 0.9 times (EPYC, family 25 model 17, 2026-11)."""

    claim_block: int = number("tile", 4096)
    """Places that are looked up together in all tables. Not tuned."""

    # Sorting and merging

    merge_tile: int = number("tile", 16384, small=4)
    """Elements of the result a tile holds. 4,096 were 20 % slower, 65,536 as fast (EPYC 9005, int32, one core, 2026-11)."""

    merge_sort_tile: int = number("tile", 16384, small=16)
    """Elements that one core sorts by itself, and of a tile of the later merges: a power of two times `merge_sort.RUN`, in
    cache with its scratch and payload. Not tuned."""

    radix_serial: int = number("serial", 65536, small=None)
    """Keys that one core sorts alone: with their scratch they fit a cache of 1 MiB. Not tuned beyond."""

    radix_tiles: int = number("count", 64)
    """Pieces that work on large ranges is cut into, and of which a bucket may hold four before it is split. Not tuned."""

    radix_short: int = number("limit", 24)
    """Keys up to which insertion takes the place of counting digits. Not tuned."""

    radix_block: int = number("tile", 4096, small=None)
    """Keys that are fetched together. Not tuned."""

    counting_cores: int = number("limit", 4)
    """Cores that count at most: each has counters for all values of two bytes, which one core adds up. Not tuned."""

    segmented_sort_serial: int = number("serial", 4096)
    """Items and segment ends up to which one core does it all. Not tuned."""

    segmented_sort_run: int = number("limit", 24)
    """Elements of the longest run that is sorted by insertion. 16 to 32 measured alike, 8 slower (EPYC 9005, 2026-11)."""

    segmented_sort_long: int = number("limit", 65536, small=lambda tile: 8 * tile)
    """Elements of the longest segment that one core sorts alone, unless a tile is larger. Not tuned."""

    segmented_sort_tile: int = number("tile", 16384)
    """Elements of the largest piece of a long segment: 8 to 64 Ki measured alike (EPYC 9005, 2026-11)."""

    segmented_sort_levels: int = number("limit", 5)
    """A long segment has 2**5 pieces at least, since one core works alone until it has sorted the first: 100,000 elements took
    2.27 ms with 8 pieces, 1.98 ms with 32 (EPYC, two cores, 2026-11)."""

    bitonic_tile: int = number("tile", 16384, small=8)
    """Elements within which short steps are done together: a power of two, in cache with the payload. Not tuned."""

    odd_even_tile: int = number("tile", 1024, small=8)
    """Elements of an odd-even tile: in a core's first cache. Not tuned."""

    # From coordinates to rows, and transposes

    assemble_serial: int = number("serial", 65536)
    """Entries that one core takes in one bucket. Not tuned."""

    assemble_tiles: int = number("count", 64, small=3)
    """Pieces that counting and splitting are cut into, or fewer, of a 16th of `assemble_serial` entries each: `assemble` of
    100,000 entries took 435 us with 64 pieces, 358 us with 24 (EPYC, two cores, 2026-11)."""

    assemble_bins: int = number("count", 4096, small=8)
    """Ranges of the major index that are counted. Not tuned."""

    assemble_buckets: int = number("count", 256, small=4)
    """Buckets of about equal size, and so streams that a core writes at a time. 512 take longer, as do 128 (EPYC, 2026-11)."""

    assemble_summed_serial: int = number("serial", 65536)
    """Entries that one core takes without a look at their rows: they fit its cache. Not tuned."""

    assemble_summed_windows: int = number("count", 16)
    """Pieces that are looked at to tell how far apart the rows of neighbouring entries are. Not tuned."""

    assemble_summed_window: int = number("limit", 1024)
    """Entries of such a piece. Not tuned."""

    assemble_summed_reach: int = number("limit", 1 << 21, small="tile")
    """Entries in the rows that a piece reaches up to which these are written at once, on one core: as many as fit the last
    cache. One million random entries take 16 ms at once and 16 ms by buckets; four million 95 and 78 ms (EPYC, family 25 model
    17, 2026-11)."""

    assemble_summed_reach_of_two: int = number("limit", 1 << 16, small="tile")
    """The same where there are two cores, of which one writes at once: as many as fit the cache of one core. One million random
    entries take 16 ms at once on one core, by buckets 9 ms on two (EPYC, family 25 model 17, 2026-11). With more cores buckets
    are taken."""

    assemble_summed_short_row: int = number("limit", 48)
    """Entries of the longest row that is sorted by insertion alone. Rows of about 40, 60 and 86 random entries take 1.65, 1.66
    and 1.18 ms with 32 (60,000 entries in all), 1.40, 1.29 and 1.16 with 48, 1.36, 1.47 and 1.70 with 96 (EPYC, family 25 model
    17, 2026-11)."""

    transpose_serial: int = number("serial", 65536)
    """Entries up to which one core writes every one to where it belongs, in the cache. Not tuned."""

    transpose_cached: int = number("limit", 1 << 20, small="serial")
    """Entries times cores, of which two are counted at least, up to which one core still does so: all cores pass over the
    entries more often. Two cores took 1.2 to 4.3 times as long for 100,000 to 400,000 random entries, 0.6 to 0.9 times for
    600,000, a third to a half for 1.6 million; one core by itself 0.6 to 0.8 times for a million (3, 10 and 40 entries a row;
    EPYC, family 25 model 17, 2026-11)."""

    transpose_reach: int = number("limit", 1 << 16, small="serial")
    """Entries in the columns that some neighbouring entries reach up to which one or two cores still do so: in a grid of
    5 million entries that is 10,000, and one core took 0.76 of the time of two (EPYC, family 25 model 17, 2026-11)."""

    # `A @ x`

    spmv_runs_from: int = number("limit", 4096)
    """Entries and row ends up to which one core sums rows of floats without looking for runs. Not tuned."""

    spmv_short_row: int = number("limit", 8)
    """Entries of the longest row up to which one core sums rows in order: the sums of short rows overlap without help."""

    spmv_irregular: float = number("limit", 0.33)
    """Share of rows of another length than the row before, from which on four products are computed at once. A loop took 0.75
    to 1.03 times as long as the branch-free kernel at shares up to 0.28, and 1.0 to 2.6 times as long from 0.38 on: 20 matrices
    of 90,000 entries and more, rows of 0.5 to 60 entries on average (EPYC, family 25 model 17, two cores, 2026-11)."""

    spmv_far_bytes: int = number("limit", 1 << 24)
    """Bytes of a matrix from which on memory is asked ahead. Rows of 3 to 60 entries took 5 to 20 % longer with asking at 3 to
    11 MB, as long or 10 to 35 % shorter from 18 MB on (EPYC, family 25 model 17, 2026-11)."""

    spmv_run_rows: int = number("limit", 8)
    """Rows of a run, on average, from which on runs are used. Not tuned: longer runs gain more, down to none."""

    spmv_runs_ahead: int = number("ahead", 6)
    """Runs from the one in hand to the one whose columns are asked for. Without asking, each run waited 100 ns for memory
    (Poisson 100^3 with 33 rows a run; EPYC, family 25 model 17, 2026-11)."""

    # `A @ X`

    spmm_serial: int = number("serial", 65536)
    """Entries times columns up to which one core does it all. Not tuned further."""

    spmm_reading: int = number("limit", 8)
    """What reading an entry of A costs, in columns. Not tuned further."""

    spmm_ahead: int = number("ahead", 16)
    """Entries between the one in hand and the one whose row of X is asked for, where a row takes two cache lines or more. Took
    0.77 to 1.02 times as long with 16 to 64 float64 or 32 float32; 8 and 32 measured alike. Not used for one line, with which
    it took 0.74 to 1.12 times as long, or 16 bytes: 1.2 to 1.5 times (five matrices; EPYC, family 25 model 17, two cores,
    2026-11)."""

    spmm_large_bytes: int = number("limit", 1 << 24)
    """Bytes of an X in Fortran order from which on a few columns are turned into rows at a time, if its rows are read in any
    order: with 51 MB that took 0.6 times as long. Where they are read near each other it took 1.2 to 1.4 times as long with 15
    to 72 MB (EPYC, family 25 model 17, two cores, 2026-11). Its own value was not tuned."""

    spmm_few_entries: int = number("limit", 3)
    """Entries per row of X up to which columns are read where they lie, if rows are read near each other. With 1.8 that took
    0.4 to 0.9 times as long, with 7 1.1 to 1.7 times (8 and 32 columns; EPYC, family 25 model 17, two cores, 2026-11)."""

    spmm_near_columns: int = number("limit", 1 << 15)
    """Columns between the first and the last of a tile, on average, up to which it reads rows of X near each other. Not
    tuned."""

    relayout_serial: int = number("serial", 65536, small=None)
    """Items up to which one core does it all. Not tuned further."""

    relayout_tile: int = number("tile", 1024, small=None)
    """Rows that a core takes at a time. Not tuned."""

    relayout_block: int = number("tile", 32, small=None)
    """Rows whose columns are read one after another. More than `transposition.SIDE`, since a line at the end of a block is read
    twice where many columns begin at the same place of the cache, as they do if their size is a power of two. Not tuned
    further."""

    # `A.T @ x` and `A.T @ X`

    transposed_serial: int = number("serial", 65536)
    """Entries times columns up to which one core does it all, as for `A @ X`. Not tuned further."""

    transposed_block: int = number("tile", 1024, small=4)
    """Rows of the smallest block of Y. Not tuned."""

    transposed_blocks: int = number("count", 1024)
    """Blocks of a large Y, about: a part knows each by a number of four bytes. Not tuned."""

    transposed_step: int = number("limit", 1 << 24, small=8)
    """Products of a part that are scattered in one step, about a tenth of a second. Not tuned."""

    windows_vectors: int = number("limit", 2)
    """Vectors up to which parts have windows. With blocks, see `_cpu/spmv_transposed.py`, one vector took 1.3 to 2.2 times as
    long (five matrices; EPYC, family 25 model 17, 2026-11)."""

    windows_block: int = number("tile", 4096, small=4)
    """Columns that a core combines at a time. Not tuned."""

    # `A @ B`

    spgemm_serial: int = number("serial", 16384)
    """Products up to which one core does it all. Not tuned."""

    spgemm_tiles: int = number("count", 64)
    """Chunks of a large product: enough for the cores of one machine. Not tuned."""

    spgemm_parts: int = number("count", 16)
    """Parts that a product is counted in where its result may not fit. Not tuned."""

    spgemm_ahead: int = number("ahead", 8)
    """Entries of A between the one in hand and the one whose row of B is asked for; its offset is asked for as far again ahead.
    4 and 16 measured alike (EPYC, two cores, 2026-11)."""

    spgemm_near_entries: int = number("limit", 1 << 16)
    """Entries of B up to which all of it is near. Not tuned."""

    spgemm_far: float = number("limit", 0.25)
    """The share of A's entries that lead far away from which on asking ahead pays: it does on random matrices, where all do,
    not on grids, where one in ten does."""

    spgemm_near_groups: int = number("limit", 1024)
    """Groups of eight rows of B that count as near when they were visited last: the size of a first cache. Not tuned."""

    spgemm_sample: int = number("limit", 1024)
    """Consecutive entries of A looked at in each of sixteen places. Not tuned."""

    # Two matrices entry by entry

    elementwise_serial: int = number("serial", 32768)
    """Entries and row ends up to which one core does it all. Not tuned."""

    elementwise_tile: int = number("tile", 16384)
    """Entries of both matrices and row ends a tile takes. Not tuned."""

    elementwise_wide: int = number("limit", 8)
    """Columns for every entry up to which one core intersects rows by a table over the columns. Not tuned."""

    # Searches in graphs

    drain_small: int = number("serial", 1 << 18)
    """Edges of a frontier up to which one core is as fast as two, which wait for each other's writes. Not tuned further."""

    breadth_serial: int = number("serial", 1 << 15, small=None)
    """Edges of a graph up to which one core does it all. Not tuned."""

    breadth_alone: int = number("limit", 1 << 14)
    """Edges of a level up to which one core goes along them. Not tuned."""

    breadth_pull_least: int = number("limit", 1 << 14)
    """Edges of a level, or vertices of the graph if these are fewer, up to which "auto" never pulls: to go along so few edges
    takes no longer than to look at all vertices. Searches of R-MAT graphs of 2^9 to 2^12 vertices took 1.2 to 1.7 times as
    long without the second rule, and one of 30,000 vertices with 4 edges each takes 1.3 times as long with half the number
    (EPYC, family 26 model 2, 2026-11)."""

    near_vertices: int = number("limit", 1024, small=8)
    """Vertices near others up to which `k_hop` does not search the whole graph. Not tuned."""

    near_edges: int = number("limit", 1 << 14, small=16)
    """The same for the edges that leave them. Not tuned."""

    breadth_parts: int = number("count", 16)
    """Parts of a core's list that are handed out. Not tuned."""

    breadth_block: int = number("tile", 1 << 14, small=None)
    """Vertices that are filled in together. Not tuned."""

    breadth_ahead: int = number("ahead", 8)
    """Vertices between the one in hand and the one whose edges are asked for. Not tuned."""

    breadth_vertex_time: int = number("time", 8)
    """Nanoseconds that a search takes for each vertex, about (EPYC 9004, 2026-11)."""

    breadth_pull_words: int = number("tile", 16, small=None)
    """Words of 64 vertices that a tile pulls to. Not tuned."""

    relax_serial: int = number("serial", 1 << 17, small=None)
    """Edges up to which one core does it all. Not tuned."""

    relax_alone: int = number("limit", 1 << 13)
    """Edges of a round up to which one core does it: about 20 microseconds. Not by vertices, since rounds of few vertices are
    those that hold hubs: on a Kronecker graph one core went alone through a fifth of all edges."""

    relax_step: float = number("limit", 1.5)
    """How many mean lengths, over the mean degree, a bin is wide. With 3 a Kronecker graph of 8 million edges took up to a
    quarter longer, as hubs were gone through more than once; a uniform random one took 3 % less (EPYC, family 25 model 17,
    2026-11)."""

    relax_low_degree: int = number("limit", 10)
    """The mean degree below which bins get much wider: where few edges leave a vertex, few of them lower a distance twice, and
    a round takes longer than its edges. Without it a grid of 10,000 vertices takes 1.4 times as long, a path twice, one million
    edges of mean degree 4 the same (EPYC, family 25 model 17, 2026-11)."""

    relax_room: int = number("limit", 4)
    """Vertices, in proportion to all, for which all bins together have room, besides once all for each core. Three times all
    were seen at most, on a uniform random graph of 8 million edges."""

    relax_parts: int = number("count", 16)
    """Parts of a core's list that are handed out. Not tuned."""

    relax_edge_time: int = number("time", 2)
    """Nanoseconds that one core takes at least for each edge. Not tuned."""

    relax_near_ahead: int = number("ahead", 8)
    """Vertices between the one in hand and the one whose edges are asked for, in rounds that one core does. Not tuned."""

    relax_far_ahead: int = number("ahead", 4)
    """The same in larger rounds. 14 took a tenth longer, 8 up to as much (EPYC, family 25 model 17, 2026-11)."""

    # PageRank, betweenness and triangles

    ranks_serial: int = number("serial", 1 << 15, small=None)
    """Vertices and edges up to which one core does it all, in one stage of one tile. Not tuned."""

    ranks_stages: int = number("count", 32)
    """Stages at most. On a uniform random and a Kronecker graph of 8 million edges, sweeps until the change was below 1e-4: 6
    and 9 with one stage, 5 and 8 with 8 or 16, 4 and 7 with 32 or 64 (with `ranks.STEP`). It is a property of the graphs, not
    of the processor."""

    ranks_stage: int = number("tile", 1 << 17, small=None)
    """Vertices and edges of a stage at least: two cores take about 60 microseconds for them, of which they wait for each other
    for about 3 (EPYC 9004, 2026-11)."""

    ranks_tile: int = number("tile", 1 << 14, small=None)
    """Vertices and edges of a tile at least. With a fourth of that a sweep in 32 stages takes a fifth longer: a tile waits for
    its first edges (EPYC 9004, 2026-11)."""

    ranks_tiles: int = number("count", 64)
    """Tiles of a stage at most: enough for the cores of one machine. Not tuned."""

    ranks_edge_time: int = number("time", 2)
    """Nanoseconds for each edge for which more stages are expected at the beginning of a sweep, which takes about one (EPYC
    9004, 2026-11): workers sleep through no stage."""

    brandes_serial: int = number("serial", 1 << 15, small=None)
    """Visits to edges up to which one core takes all sources. Not tuned."""

    brandes_rows: int = number("count", 64)
    """Rows of the table at most: they bound the cores at work. Not tuned."""

    brandes_least_rows: int = number("count", 8)
    """Rows of the table at least, if there are as many sources. Not tuned."""

    brandes_room: int = number("limit", 2**28)
    """Bytes of a table of more than the least number of rows, at most. Not tuned."""

    triangles_serial: int = number("serial", 8192)
    """Edges up to which one core does it all. Not tuned."""

    triangles_tiles: int = number("count", 64, small=3)
    """Chunks of a large graph: enough for the cores of one machine. Not tuned."""

    triangles_block: int = number("tile", 1024, small=None)
    """Vertices whose look-ups are counted in one go. Not tuned."""

    triangles_ahead: int = number("ahead", 4)
    """Edges between the one in hand and the one whose target's list is asked for: a fifth to a third faster on graphs that do
    not lie in a near cache; 2 and 8 measured alike (EPYC 9005, 2026-11)."""

    triangles_near: int = number("limit", 1 << 18, small=30)
    """Edges up to which all lists are near: there asking takes a quarter longer. Not tuned further."""

    # Cholesky factors, and orders of elimination

    dissect_leaf: int = number("tile", 200, small=5)
    """Vertices of a part up to which it is not dissected. With 50 the order took a tenth to a quarter longer; with 100 and
    400 factors had up to a fiftieth more entries (EPYC 7003, 2026-11)."""

    cholesky_panel: int = number("tile", 128, small=3)
    """Columns of a panel at most. 64 took up to a quarter longer for grids of 15^3 and 30^3 points, 256 measured alike (EPYC
    7003, 2026-11)."""

    cholesky_rows: int = number("tile", 256, small=4)
    """Rows of a panel that one core takes at a time. For grids of 30^3 and 40^3 points 1024 took a fifth to a half longer; 128
    and 512 measured alike, within a seventh (EPYC 7003, 2026-11)."""

    cholesky_tiles: int = number("count", 32)
    """Tiles of subtrees, at least about: enough for the cores of one machine. Half and twice measured alike (EPYC 7003,
    2026-11)."""

    cholesky_least: int = number("limit", 10**6, small=30)
    """Multiplications of a tile of subtrees at least. Half and twice measured alike (EPYC 7003, 2026-11)."""

    cholesky_most: int = number("limit", 10**9, small=10**4)
    """Multiplications of a tile of subtrees at most: some take a tenth of a second, and Ctrl-C waits so long. Not tuned."""

    qr_panel: int = number("tile", 64, small=3)
    """Columns of a front that are factorised at a time. Half and twice measured alike (EPYC 7003, 2026-11)."""


TUNING = Tuning()
"""What kernels and their callers read."""
