"""The numbers that workers are tuned with, which they read when they start; see `_cpu/tuning.py`."""

import dataclasses

from spark_csr._engine.tuning import Numbers, number


@dataclasses.dataclass(slots=True)
class Tuning(Numbers):
    """Numbers that somebody may tune."""

    team_hand_over: int = number("time", 20_000)
    """Nanoseconds of work that is left from which a job is opened to workers that are awake."""

    team_spin: int = number("time", 150_000)
    """Nanoseconds for which a worker looks for the next job before it sleeps: about as long as waking it takes, so that it
    wastes at most what it saves."""

    team_wake: int = number("time", 50_000)
    """Nanoseconds that waking a worker is taken to need before it is measured, and the least that is assumed afterwards."""

    team_longest_wake: int = number("time", 4_000_000)
    """Nanoseconds that waking a worker is taken to need at most, however long it took on a busy machine."""

    team_patience: int = number("time", 100_000)
    """Nanoseconds for which a thread that has no tiles left looks whether the others are done, before it sleeps."""

    team_rarely: int = number("limit", 32)
    """How many times as long as waking a worker took is waited before a job that is shorter than that wakes workers again: so
    machines that become quiet are noticed, and busy ones lose a thirtieth."""


TUNING = Tuning()
"""What `threads` reads."""
