"""Races in global memory that are harmless by value, each with the reason. Any other race fails.

A race is allowed in every kernel of whose name the function is a part: as the kernel, or as one that the kernel was specialised
for (see `naming.py`). All that is read and written here is a word that is loaded and stored whole.
"""

from .naming import names_in

READS_BESIDE_ATOMICS = frozenset({"global_atomic_read"})
READS_BESIDE_WRITES = frozenset({"global_read_write", "global_same_read"})

LOOKS_FIRST = "It looks whether there is anything to change. Values go one way only, and the atomic operation decides."
CLIMBS = "Whatever it reads is an ancestor, if not the latest: parents only move towards the root."
STARTS_OLD = "The loop that lowers or raises a float starts from a plain read, and the compare-and-swap tells if that was old."

ALLOWED = {
    "spark_csr._cuda.brandes._find_next_level": (READS_BESIDE_ATOMICS, LOOKS_FIRST),
    "spark_csr._cuda.claim._claim_places": (READS_BESIDE_ATOMICS, LOOKS_FIRST),
    "spark_csr._cuda.relax._find_nearest": (READS_BESIDE_ATOMICS, LOOKS_FIRST),
    "spark_csr._cuda.relax._relax": (
        READS_BESIDE_ATOMICS,
        LOOKS_FIRST + " A vertex whose distance was read before it got less is listed again.",
    ),
    "spark_csr._operations.triangular.levels._advance_row": (
        READS_BESIDE_WRITES,
        "A level that is written in this round counts as unknown, whether it is read before or after.",
    ),
    "spark_csr.graph.algorithms.bellman_ford._reach": (READS_BESIDE_ATOMICS, LOOKS_FIRST),
    "spark_csr.graph.algorithms.bellman_ford._relax": (
        READS_BESIDE_ATOMICS,
        LOOKS_FIRST + " A vertex whose distance was read before it got less is in the next frontier.",
    ),
    "spark_csr.graph.algorithms.bfs._reach": (READS_BESIDE_ATOMICS, LOOKS_FIRST),
    "spark_csr.graph.algorithms.color._release": (
        READS_BESIDE_WRITES,
        "A vertex is coloured after all who look at its colour in this round have counted themselves off, which they do after "
        "they have looked; neighbours whose colours it must know got them in earlier rounds.",
    ),
    "spark_csr.graph.algorithms.k_core._peel": (READS_BESIDE_ATOMICS, LOOKS_FIRST),
    "spark_csr.graph.algorithms.minimum_spanning_tree._join_over": (READS_BESIDE_ATOMICS, CLIMBS),
    "spark_csr.graph.algorithms.minimum_spanning_tree._name_lightest": (READS_BESIDE_ATOMICS, LOOKS_FIRST),
    "spark_csr.graph.algorithms.minimum_spanning_tree._weigh": (READS_BESIDE_ATOMICS, LOOKS_FIRST),
    "spark_csr.graph.algorithms.sssp._reach_level": (READS_BESIDE_ATOMICS, LOOKS_FIRST),
    "spark_csr.graph.algorithms.strong._has_larger_colour": (
        READS_BESIDE_ATOMICS,
        LOOKS_FIRST + " A vertex whose colour was read before it got larger is in the next frontier.",
    ),
    "spark_csr.graph.algorithms.strong._is_new": (READS_BESIDE_ATOMICS, LOOKS_FIRST),
    "spark_csr.graph.algorithms.strong._is_new_of_colour": (READS_BESIDE_ATOMICS, LOOKS_FIRST),
    "spark_csr.graph.algorithms.weak._join_edges": (READS_BESIDE_ATOMICS, CLIMBS),
    "spark_csr.graph.algorithms.weak._join_second": (READS_BESIDE_ATOMICS, CLIMBS),
    "spark_csr.graph.algorithms.weak._rise": (READS_BESIDE_WRITES, CLIMBS),
    "spark_csr.graph.union._least": (READS_BESIDE_ATOMICS, LOOKS_FIRST),
    "spark_csr.graph.union._rise": (READS_BESIDE_WRITES, CLIMBS),
    "spark_csr.graph.union.climb_to_root": (READS_BESIDE_WRITES, CLIMBS),
    # Functions of tests, written as a user's are to be.
    "tests.shared.test_atomics.change": (READS_BESIDE_ATOMICS, STARTS_OLD),
    "tests.shared.test_atomics.lift": (READS_BESIDE_ATOMICS, STARTS_OLD),
    "tests.shared.test_atomics.lower": (READS_BESIDE_ATOMICS, STARTS_OLD),
    "tests.shared.test_atomics.test_order_of_negative_values.<locals>.push": (READS_BESIDE_ATOMICS, STARTS_OLD),
    "tests.graph.operators.test_traverse.cheaper": (READS_BESIDE_ATOMICS, LOOKS_FIRST),
    "tests.graph.operators.test_traverse.reach": (READS_BESIDE_ATOMICS, LOOKS_FIRST),
}
"""By function: kinds of findings, and the reason."""


def reason_for(kernel, kind):
    """Return why a kind of race is allowed in a kernel, or None."""
    for name in names_in(kernel):
        kinds, reason = ALLOWED.get(name, ((), None))
        if kind in kinds:
            return reason
    return None
