"""Jobs from beginning to end, as the examples have them."""

from benchmarks.common import LARGE, SMOKE, Compared
from peers import jobs

SIDE, SCALE, EVENTS, VERTICES = (
    (400, 17, 1_000_000, 200_000) if LARGE else (8, 8, 400, 2000) if SMOKE else (100, 12, 50_000, 8000)
)


class FiniteElements(Compared, operations=("finite elements",)):
    """Assembly, boundary conditions, two solvers and the slowest modes."""

    def operands(self):
        return (SIDE,)


class NamedEdges(Compared, operations=("named edges",)):
    """A CSV file to ranks and communities by name."""

    def operands(self):
        return (jobs.edge_list(SCALE),)


class BestPairs(Compared, operations=("best pairs from Arrow",)):
    """Lists of records to the mass of the best pair of every event."""

    def operands(self):
        return jobs.particles(EVENTS)


class SampledNeighbours(Compared, operations=("sampled neighbours",)):
    """A graph network of two layers, trained on batches of vertices with sampled neighbours."""

    def operands(self):
        try:
            return jobs.classes(VERTICES)
        except ImportError as error:  # without PyTorch asv skips it
            raise NotImplementedError(str(error)) from error
