"""The default role: `name` links to what is public under this name, and is literal text otherwise.

Docstrings and pages put names, parameters and code alike between single backticks. Only a name of the package, alone or with
its module (`bfs`, `spark_csr.graph.bfs`), a method with its class (`Graph.degrees`), or a module becomes a link. Where several
modules have a name, the module that is described wins, then the first in `PLACES`. In the description of a class, `sum()` is a
method of this class, if it has one.
"""

import ast
import importlib
import importlib.util
import pathlib

from docutils import nodes
from sphinx import addnodes

PLACES = (
    "spark_csr",
    "spark_csr.primitives",
    "spark_csr.graph",
    "spark_csr.linalg",
    "spark_csr.csgraph",
    "spark_csr.gallery",
    "spark_csr.io",
    "spark_csr.partition",
    "spark_csr.interop.torch",
    "spark_csr.interop.pyg",
    "spark_csr.interop.arrow",
    "spark_csr.interop.awkward",
    "spark_csr.interop.jax",
    "spark_csr.interop.mpi",
    "spark_csr.interop.networkx",
    "spark_csr.interop.dask",
    "spark_csr.interop.dask.linalg",
    "spark_csr.primitives.textbook",
)
MODULES = {place.rpartition(".")[2] for place in PLACES[1:]} | {"interop"}
"""Names in `__all__` of the package that are modules: alone they are no link, as `graph` and `io` are words of examples too."""


def _names_of(place):
    """Read the names in the source, as the library that a bridge leads to may be missing."""
    tree = ast.parse(pathlib.Path(importlib.util.find_spec(place).origin).read_text())
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return ast.literal_eval(node.value)
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]


def _where_each_is():
    found = {}
    for place in PLACES:
        for name in _names_of(place):
            if place != PLACES[0] or name not in MODULES:
                found.setdefault(name, []).append(place)
    return found


def _full_name(text, where, module):
    """The full name of what `text` names, or None."""
    place, _, name = text.removesuffix("()").rpartition(".")
    places = where.get(name, ())
    if text in PLACES[1:]:
        return text
    if place:
        return f"{place}.{name}" if place in places else _full_name_of_member(place, name, where)
    if module in places:
        return f"{module}.{name}"
    return f"{places[0]}.{name}" if places else None


def _full_name_of_member(kind, name, where):
    """The full name of a method or property of a public class, or None; not of a bridge, whose library may be missing."""
    for place in where.get(kind, ()):
        found = None if ".interop" in place else getattr(importlib.import_module(place), kind)
        if isinstance(found, type) and hasattr(found, name):
            return f"{place}.{kind}.{name}"
    return None


def setup(app):
    """Register the role, and make it the default."""
    where = _where_each_is()

    def role(kind, rawtext, text, line, inliner, options=None, content=()):
        text = text.replace("\x00", "")
        env = inliner.document.settings.env
        literal = nodes.literal(rawtext, text, classes=["code"])
        kind = (env.ref_context.get("py:class") or "").rpartition(".")[2]
        target = _full_name_of_member(kind, text.removesuffix("()"), where) if kind and text.endswith("()") else None
        target = target or _full_name(text, where, env.ref_context.get("py:module"))
        if target is None:
            return [literal], []
        reference = addnodes.pending_xref(
            rawtext, literal, refdomain="py", reftype="obj", reftarget=target, refexplicit=True, refdoc=env.docname
        )
        return [reference], []

    app.add_role("public", role)
    app.config.default_role = "public"
    return {"parallel_read_safe": True}
