"""What the stand-in raises where a GPU would fail, crash, or return wrong values in silence."""


class StandInError(Exception):
    """A fault that real CuPy does not report: on a GPU it is a wrong answer, a crash or a sticky error."""


class RaceError(StandInError):
    """Two streams used one block of memory, one of them to write, and nothing orders the two."""


class GraphError(StandInError):
    """A captured graph uses memory that was given back since it was captured."""


class GuardError(StandInError):
    """Something wrote outside the bytes that were asked for."""


class CUDARuntimeError(RuntimeError):
    """As `cupy.cuda.runtime.CUDARuntimeError`."""


class CUDADriverError(RuntimeError):
    """As `cupy.cuda.driver.CUDADriverError`."""


class OutOfMemoryError(MemoryError):
    """As `cupy.cuda.memory.OutOfMemoryError`."""


CAPTURING = "cudaErrorStreamCaptureUnsupported: operation not permitted when stream is capturing"


class Unknown(NotImplementedError, AttributeError):
    """A part of CuPy that nobody needed so far: who asks whether a name is there is told that it is not."""


def unknown(name):
    """The exception for a part of CuPy that nobody needed so far."""
    return Unknown(f"the stand-in for CuPy does not know {name}: add it, with CuPy's rules, if CuPy has it")
