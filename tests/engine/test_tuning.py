"""Numbers to tune: how they are declared and replaced, and that each is documented and used."""

import ast
import dataclasses
import pathlib
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

import spark_csr
from spark_csr._engine.tuning import KINDS, Numbers, number

PACKAGE = pathlib.Path(spark_csr.__file__).parent

every_backend = pytest.mark.parametrize("backend", ["_cpu", "_cuda", "_engine/team"])


@dataclasses.dataclass(slots=True)
class Tuning(Numbers):
    one_serial: int = number("serial", 100)
    one_tile: int = number("tile", 50)
    one_block: int = number("block", 20)
    two_serial: int = number("serial", 100, small=None)
    two_tile: int = number("tile", 50, small=3)
    two_limit: int = number("limit", 50, small=lambda tile: 8 * tile)
    three_limit: int = number("limit", 50, small="tile")
    three_count: int = number("count", 9)


def test_values_in_tests_of_small_tiles():
    expected = {"one_serial": 16, "one_tile": 4, "one_block": 2, "two_tile": 3, "two_limit": 32, "three_limit": 4}
    assert Tuning().small_values(16, 4, 2) == expected


def test_numbers_are_replaced_for_a_while():
    tuning = Tuning()
    with tuning.replace(one_serial=1, one_tile=2) as inside:
        assert inside is tuning
        assert (tuning.one_serial, tuning.one_tile, tuning.one_block) == (1, 2, 20)
    assert tuning == Tuning()
    with pytest.raises(KeyError), tuning.replace(one_serial=1):
        raise KeyError
    assert tuning == Tuning()


def test_replacements_of_one_thread_are_nested():
    tuning = Tuning()
    with tuning.replace(one_serial=1, one_tile=2), tuning.replace(one_serial=3):
        assert (tuning.one_serial, tuning.one_tile) == (3, 2)
    assert tuning == Tuning()


def test_replacements_of_two_threads_do_not_overlap():
    """Else the first to end restores the numbers of before, and the second leaves those of the first behind."""
    tuning, other = Tuning(), Tuning()

    def replace(numbers):
        with numbers.replace(one_serial=2):
            return numbers.one_serial

    with ThreadPoolExecutor(1) as pool:
        with tuning.replace(one_serial=1):
            for numbers, kept in ((tuning, 1), (other, 100)):
                with pytest.raises(RuntimeError, match="another thread is replacing numbers"):
                    pool.submit(replace, numbers).result()
                assert numbers.one_serial == kept
        assert tuning == Tuning()
        assert pool.submit(replace, tuning).result() == 2
    assert tuning == other == Tuning()


def test_unknown_names():
    with pytest.raises(TypeError, match="there is no number `one_tiles`: .* one_tile"), Tuning().replace(one_tiles=1):
        pass
    with pytest.raises(AttributeError):
        Tuning().one_tiles = 1
    with pytest.raises(ValueError, match="`tiles` is not a kind of number"):
        number("tiles", 3)


def fields(backend):
    """The fields of a backend as its source has them, by name: the kind, and what stands below."""
    body = ast.parse((PACKAGE / backend / "tuning.py").read_text(encoding="utf-8")).body
    members = next(node for node in body if isinstance(node, ast.ClassDef)).body
    pairs = zip(members, [*members[1:], None], strict=True)
    return {node.target.id: (node.value.args[0].value, below) for node, below in pairs if isinstance(node, ast.AnnAssign)}


@every_backend
def test_every_number_says_what_it_is(backend):
    for name, (kind, below) in fields(backend).items():
        assert kind in KINDS
        assert isinstance(getattr(getattr(below, "value", None), "value", None), str), f"{name} has no description"


@every_backend
def test_every_number_is_read_by_its_backend(backend):
    text = "\n".join(path.read_text(encoding="utf-8") for path in (PACKAGE / backend).rglob("*.py"))
    assert set(re.findall(r"\bTUNING\.(\w+)", text)) == set(fields(backend))


def test_equal_names_are_of_one_kind():
    kinds = [{name: kind for name, (kind, _) in fields(backend).items()} for backend in ("_cpu", "_cuda")]
    assert [name for name in kinds[0].keys() & kinds[1].keys() if kinds[0][name] != kinds[1][name]] == []
