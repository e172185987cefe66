"""Numba's code generators and libraries: the methods that are overridden, and the switch of SLP vectorisation."""

import threading

import numba
import pytest
from llvmlite import binding
from numba.core import codegen as numbas
from numba.core import funcdesc
from numba.core.registry import cpu_target

from hooks import missing, parameters
from spark_csr._array import SIMULATED
from spark_csr._engine.numba import codegen, njit

if SIMULATED:
    pytest.skip("nothing is compiled", allow_module_level=True)

OVERRIDDEN = {
    "JITCodeLibrary": {
        "_optimize_functions": ["ll_module"],
        "_optimize_final_module": [],
        "_finalize_specific": [],
        "_get_module_for_linking": [],
        "serialize_using_object_code": [],
        "get_llvm_str": [],
        "get_pointer_to_function": ["name"],
    },
    "JITCPUCodegen": {
        "_get_host_cpu_name": [],
        "_get_host_cpu_features": [],
        "_add_module": ["module"],
        "set_env": ["env_name", "env"],
    },
}
"""Methods of Numba's that this package has its own of, and their parameters."""


@pytest.mark.parametrize("name", OVERRIDDEN)
def test_methods_that_are_overridden_are_there(name):
    found = {method: parameters(getattr(getattr(numbas, name), method)) for method in OVERRIDDEN[name]}
    assert found == OVERRIDDEN[name]


def test_what_is_used_of_code_generators_and_libraries_is_there():
    own = cpu_target.target_context._internal_codegen
    assert type(own) is numbas.JITCPUCodegen
    assert own._library_class is numbas.JITCodeLibrary
    assert missing(own, "_engine _tm _data_layout _llvm_module magic_tuple") == []
    assert missing(numbas.JITCodeLibrary, "_ensure_finalized get_defined_functions") == []
    assert missing(own.create_library("any"), "_final_module") == []
    assert missing(own._engine, "is_symbol_defined add_module") == []
    assert missing(own._tm, "emit_object") == []
    assert parameters(numbas.JITCPUCodegen.__init__) == ["module_name"]


def test_numba_asks_its_context_for_the_code_generator():
    assert "_internal_codegen" in vars(cpu_target.target_context)
    with codegen.lock_compiler():
        assert cpu_target.target_context.codegen() is cpu_target.target_context._internal_codegen


def test_the_processors_features_are_the_third_part_of_a_code_generators_name():
    """`intrinsics.select` looks there."""
    features = cpu_target.target_context.codegen().magic_tuple()[2]
    assert all(feature[0] in "+-" for feature in features.split(",") if feature)


def test_names_of_environments_begin_as_they_did():
    described = funcdesc.FunctionDescriptor(True, "module", "f", "f", "", {}, numba.none, {}, (), (), argtypes=())
    assert described.env_name.startswith(codegen.ENVIRONMENT)


def test_the_name_of_a_pointer_to_what_is_not_compiled_yet():
    assert codegen.UNRESOLVED == ".numba.unresolved$"


@pytest.fixture
def optimise(monkeypatch):
    """Return a function that calls `optimize_module` of a library, and returns the switches that Numba saw."""
    seen = []
    monkeypatch.setattr(
        numbas.JITCodeLibrary,
        "_optimize_final_module",
        lambda self: seen.append((self._final_module, numba.config.SLP_VECTORIZE)),
    )
    library = object.__new__(codegen._Library)
    library._final_module = "kept"

    def run(packed):
        assert library.optimize_module("other", packed) == "other"
        assert library._final_module == "kept"
        return seen

    return run


def test_the_switch_of_slp_vectorisation_is_changed_and_put_back(monkeypatch, optimise):
    for before in (0, 1):
        monkeypatch.setattr(numba.config, "SLP_VECTORIZE", before)
        assert optimise(True)[-1] == ("other", 1)
        assert optimise(False)[-1] == ("other", 0)
        assert before == numba.config.SLP_VECTORIZE


def test_the_switch_is_put_back_after_an_exception(monkeypatch, optimise):
    monkeypatch.setattr(numbas.JITCodeLibrary, "_optimize_final_module", lambda self: 1 // 0)
    before = numba.config.SLP_VECTORIZE
    with pytest.raises(ZeroDivisionError):
        optimise(True)
    assert before == numba.config.SLP_VECTORIZE


def test_threads_do_not_see_each_others_switch(monkeypatch):
    """Each waits inside for a moment, so that the others would come between if they could."""
    wrong, pause = [], threading.Event()

    def look(self):
        first = numba.config.SLP_VECTORIZE
        pause.wait(0.002)
        if (first, numba.config.SLP_VECTORIZE) != (self.expected, self.expected):
            wrong.append(self.expected)

    monkeypatch.setattr(numbas.JITCodeLibrary, "_optimize_final_module", look)
    before = numba.config.SLP_VECTORIZE

    def run(packed):
        library = object.__new__(codegen._Library)
        library._final_module, library.expected = None, packed
        for _ in range(10):
            library.optimize_module(None, packed)

    threads = [threading.Thread(target=run, args=(packed,)) for packed in (0, 1, 0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert before == numba.config.SLP_VECTORIZE


def _add_four(x, y, out):
    a, b, c, d = x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3]
    out[0], out[1], out[2], out[3] = a, b, c, d


def test_a_library_that_was_linked_is_kept_as_bitcode():
    """Modules took half of the memory of a process that compiles hundreds of kernels."""
    kinds = (numba.float64[::1],) * 3
    function = njit(_add_four)
    function.compile(kinds)
    library = function.overloads[kinds].library
    made, names = library._module, {part.name for part in library._module.functions}
    first, second = library._get_module_for_linking(), library._get_module_for_linking()
    assert first is made
    assert library._module is None
    for module in (first, second, library._final_module):
        assert {part.name for part in module.functions} == names
    defined = [part for part in second.functions if not part.is_declaration]
    assert {part.linkage for part in defined} == {binding.Linkage.linkonce_odr}


def test_the_switch_makes_vectors_of_neighbours():
    kinds = (numba.float64[::1],) * 3
    function = njit(_add_four)
    function.compile(kinds)
    library = function.overloads[kinds].library
    plain, packed = (str(library.optimize_module(library._take_module(), packed)) for packed in (False, True))
    assert "fadd <" not in plain
    assert "fadd <" in packed
