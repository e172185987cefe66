"""Settings: for good, for a block, per Python thread; what they refuse."""

import threading
import types

import pytest

from spark_csr import config


@pytest.fixture(autouse=True)
def restored():
    threads, validate = config.threads, config.validate
    yield
    config.threads, config.validate = threads, validate


def test_defaults():
    assert config.threads is None
    assert config.validate is True
    assert config.verbose is True
    assert repr(config) == "config(spgemm_memory=None, threads=None, validate=True, verbose=True)"


def test_for_good():
    config.threads = 2
    assert config.threads == 2


def test_for_a_block():
    with config(threads=1) as inner:
        assert inner is config
        assert config.threads == 1
        with config(validate=False, threads=3):
            assert (config.threads, config.validate) == (3, False)
        assert (config.threads, config.validate) == (1, True)
    assert config.threads is None


def test_block_ends_with_an_exception():
    with pytest.raises(KeyError), config(threads=1):
        raise KeyError
    assert config.threads is None


def test_other_threads_do_not_see_a_block():
    seen = []
    with config(threads=1):
        thread = threading.Thread(target=lambda: seen.append(config.threads))
        thread.start()
        thread.join()
    assert seen == [None]


@pytest.mark.parametrize("value", [0, -1, 1.0, "2", True])
def test_refuses_thread_counts(value):
    with pytest.raises(ValueError, match="config.threads must be None .* or an int >= 1"):
        config.threads = value
    with pytest.raises(ValueError, match="config.threads"), config(threads=value):
        pass
    assert config.threads is None


@pytest.mark.parametrize("value", [0, -1, 1e9, "1 GB", True])
def test_refuses_budgets(value):
    with pytest.raises(ValueError, match="config.spgemm_memory must be None .* or an int >= 1"):
        config.spgemm_memory = value


@pytest.mark.parametrize("value", [0, 1, None, "no"])
def test_refuses_validate(value):
    with pytest.raises(ValueError, match="config.validate must be True or False"):
        config.validate = value


def test_refuses_unknown_names():
    with pytest.raises(AttributeError, match="no setting 'thread': use one of spgemm_memory, threads, validate"):
        config.thread = 1
    with pytest.raises(AttributeError, match="no setting 'thread'"), config(thread=1):
        pass
    with pytest.raises(AttributeError, match="no setting 'thread'"):
        _ = config.thread


def test_assignment_within_a_block_belongs_to_the_block():
    with config(threads=1):
        config.threads = 2
        assert config.threads == 2
    assert config.threads is None


def test_refused_before_the_block_is_entered():
    with pytest.raises(ValueError, match="got 0"):
        config(threads=0)


def test_a_function_is_decorated():
    @config(threads=1)
    def threads(deeper):
        return [config.threads, *(threads(deeper - 1) if deeper else [])]

    assert threads(2) == [1, 1, 1]
    assert config.threads is None


def test_a_handler_that_raises_where_a_block_is_entered_changes_nothing():
    class Variable:
        value = ()

        def get(self):
            return self.value

        def set(self, value):
            self.value = value
            if value:
                raise KeyboardInterrupt

    block, variable = config(threads=1), Variable()
    block.config = types.SimpleNamespace(_block=variable)
    with pytest.raises(KeyboardInterrupt), block:
        pass
    assert variable.value == ()


def test_blocks_are_left_in_any_order():
    outer, inner = config(threads=1, validate=False), config(threads=2)
    outer.__enter__()
    inner.__enter__()
    assert (config.threads, config.validate) == (2, False)
    outer.__exit__(None, None, None)
    assert (config.threads, config.validate) == (2, True)
    inner.__exit__(None, None, None)
    assert (config.threads, config.validate) == (None, True)


def test_a_generator_ends_within_a_block():
    def values():
        with config(validate=False):
            yield config.validate

    generator = values()
    assert next(generator) is False
    with config(threads=1):
        generator.close()
        assert (config.threads, config.validate) == (1, True)
    assert (config.threads, config.validate) == (None, True)


def test_a_block_that_is_entered_twice_or_never():
    block = config(threads=1)
    with block, block:
        pass
    assert config.threads is None
    with block:
        with block:
            config.threads = 3
        assert config.threads == 1
    config(threads=1).__exit__(None, None, None)
    assert config.threads is None
