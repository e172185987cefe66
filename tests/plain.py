"""`SPARK_CSR_TEST_PLAIN=1 python -m pytest`: nothing is kept with matrices, nothing is moved in place, nothing counts as small.

So results do not come from a plan or a fact that an earlier call noted, and each call takes the way that large operands take.
Tests of what is kept have the mark `kept` and are left out.
"""

import dataclasses
import importlib
import os

ON = bool(int(os.environ.get("SPARK_CSR_TEST_PLAIN", "0")))

SMALL = {
    "_construct.random": ("FEW",),
    "_operations.compose.stack": ("FEW", "SMALL"),
    "_operations.form.convert": ("GLANCE",),
    "_operations.reduce.extremes": ("FEW",),
    "_operations.select.columns": ("FEW",),
    "_operations.select.index": ("SMALL",),
    "graph.algorithms.bfs": ("LEAST",),
    "primitives.sort": ("FEW", "SOME"),
}
"""Sizes up to which operations take another way, by module."""


class Nothing(dict):
    """Plans that are forgotten at once."""

    def setdefault(self, key, value):
        """Return the value."""
        return value

    def update(self, *args):
        """Note nothing."""


def prepare():
    """Turn off what operations keep and avoid."""
    record = importlib.import_module("spark_csr._operations.form.record")
    initialise = record.Csr.__init__
    record.Csr.__init__ = lambda self, indptr, indices, data, shape, plans=None: initialise(
        self, indptr, indices, data, shape, Nothing()
    )
    record.Csr.is_seen_only_by = lambda self, holder: False
    tuning = importlib.import_module("spark_csr._cpu.tuning").TUNING
    for field in dataclasses.fields(tuning):
        if field.metadata["kind"] == "serial":
            setattr(tuning, field.name, 1)
    for module, names in SMALL.items():
        for name in names:
            setattr(importlib.import_module(f"spark_csr.{module}"), name, 0)
