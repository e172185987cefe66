"""What the stand-in adds to CuPy's rules: it finds races between streams, mixed-up devices, memory used after it was freed."""

import numpy as np
import pytest

import cupy_stand_in
from cupy_stand_in import driver, launch, memory, streams
from cupy_stand_in.errors import CUDADriverError, CUDARuntimeError

cp = cupy_stand_in.modules["cupy"]


@pytest.fixture(autouse=True)
def quiet_devices():
    """Begin and end with device 0, its null stream, and nothing under way."""
    for number in (1, 0):
        with cp.cuda.Device(number):
            cp.cuda.runtime.deviceSynchronize()
    yield
    assert cp.cuda.runtime.getDevice() == 0
    assert cp.cuda.get_current_stream() == cp.cuda.Stream.null


@pytest.fixture
def recorded(monkeypatch):
    """What kernels were launched with: a driver that keeps it, and calls what `recorded.action` is."""

    class Recorder(list):
        counts_only = False
        action = None

        def load(self, code):
            return code

        def launch(self, *given):
            self.append(given)
            if self.action is not None:
                self.action(*given)

    recorder = Recorder()
    before = driver.choose(recorder)
    yield recorder
    driver.choose(before)


def function_of(code=b"code"):
    module = cp.cuda.function.Module()
    module.load(code)
    return module.get_function("kernel")


class TestStreams:
    def test_reading_what_another_stream_wrote(self):
        x = cp.zeros(4)
        with cp.cuda.Stream(non_blocking=True), pytest.raises(cupy_stand_in.RaceError, match=r"null stream.*read on stream"):
            x + 1

    def test_overwriting_what_another_stream_reads(self):
        x = cp.zeros(4)
        cp.cuda.Device().synchronize()
        with cp.cuda.Stream(non_blocking=True):
            x + 1
        with pytest.raises(cupy_stand_in.RaceError, match=r"was read on stream.*written on the null stream"):
            x += 1

    def test_two_streams_may_read(self):
        x = cp.zeros(4)
        cp.cuda.Device().synchronize()
        for _ in range(2):
            with cp.cuda.Stream(non_blocking=True):
                x + 1

    @pytest.mark.parametrize("way", ["event", "stream", "device", "get"])
    def test_what_orders_two_streams(self, way):
        x, null, other = cp.zeros(4), cp.cuda.Stream.null, cp.cuda.Stream(non_blocking=True)
        if way == "event":
            other.wait_event(null.record())
        elif way == "stream":
            null.synchronize()
        elif way == "device":
            cp.cuda.Device().synchronize()
        else:
            x.get()
        with other:
            x += 1

    def test_an_event_before_the_work_orders_nothing(self):
        event, other = cp.cuda.Stream.null.record(), cp.cuda.Stream(non_blocking=True)
        x = cp.zeros(4)
        other.wait_event(event)
        with other, pytest.raises(cupy_stand_in.RaceError):
            x += 1

    def test_order_goes_on_through_a_third_stream(self):
        x, first, second = cp.zeros(4), cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
        first.wait_event(cp.cuda.Stream.null.record())
        second.wait_event(first.record())
        with second:
            x += 1

    def test_the_null_stream_waits_for_blocking_streams_and_they_for_it(self):
        x, one, other = cp.zeros(4), cp.cuda.Stream(), cp.cuda.Stream()
        with one:
            x += 1
        with other, pytest.raises(cupy_stand_in.RaceError):
            x += 1
        cp.zeros(1)  # in the null stream
        with other:
            x += 1
        x += 1

    def test_an_external_stream_is_the_one_of_its_handle(self):
        stream = cp.cuda.Stream(non_blocking=True)
        with stream:
            x = cp.zeros(4)
        with cp.cuda.ExternalStream(stream.ptr):
            x += 1
        with pytest.raises(cupy_stand_in.RaceError):
            x += 1

    def test_a_copy_to_the_host_is_in_the_current_stream(self):
        with cp.cuda.Stream(non_blocking=True):
            x = cp.zeros(4)
        with pytest.raises(cupy_stand_in.RaceError):
            x.get()

    def test_a_stream_of_another_device(self):
        with cp.cuda.Device(1):
            stream = cp.cuda.Stream()
        with pytest.raises(RuntimeError, match="does not match with the current device"):
            stream.use()


class TestMemory:
    def test_freed_memory_is_given_out_at_once_and_is_rubbish(self):
        x = cp.ones(100)
        place = x.data.ptr
        del x
        again = cp.empty(100)
        assert again.data.ptr == place
        assert (again.get().view(np.uint8) == memory.RUBBISH).all()

    def test_a_view_keeps_its_memory(self):
        view = cp.arange(100)[10:20]
        cp.empty(100, int).fill(-1)
        assert view.tolist() == list(range(10, 20))

    def test_each_stream_has_its_own_freed_memory(self):
        with cp.cuda.Stream():
            place = cp.zeros(77).data.ptr
        assert cp.empty(77).data.ptr != place

    def test_memory_that_another_stream_still_reads(self):
        """Freed on the host, while a stream that nobody waits for reads it."""
        x = cp.zeros(333)
        cp.cuda.Device().synchronize()
        with cp.cuda.Stream(non_blocking=True):
            x + 1
        del x
        with pytest.raises(cupy_stand_in.RaceError):
            cp.zeros(333)

    def test_bytes_of_the_pool(self):
        pool = cp.get_default_memory_pool()
        used = pool.used_bytes()
        x = cp.empty(1, np.int8)
        assert pool.used_bytes() == used + 512
        free = pool.free_bytes()
        del x
        assert pool.free_bytes() == free + 512
        pool.free_all_blocks()
        assert pool.free_bytes() == pool.n_free_blocks() == 0

    def test_more_than_there_is(self):
        with pytest.raises(MemoryError, match="Out of memory"):
            cp.empty(memory.DEVICE_BYTES, np.int16)

    def test_writing_outside_is_found_when_memory_is_freed(self):
        x = cp.zeros(3)
        block = x._mem.block
        block._raw[block._at + 24] = 0
        with pytest.raises(cupy_stand_in.GuardError, match="outside of block"):
            block.check_guards()

    def test_the_host_sees_no_memory(self):
        x = cp.zeros(3)
        for call in (np.asarray, np.array, memoryview, np.ascontiguousarray, np.frombuffer):
            with pytest.raises((TypeError, BufferError)):
                call(x)

    def test_reads_are_counted(self):
        x = cp.arange(3)
        before = dict(cupy_stand_in.host_reads)
        x.get(), x.tolist(), x[0].item(), bool(x[0]), x[x > 1], cp.unique(x)
        found = {name: n - before.get(name, 0) for name, n in cupy_stand_in.host_reads.items()}
        assert {name: n for name, n in found.items() if n} == {"get": 4, "a mask": 1, "unique": 1}


class TestDevices:
    def test_arrays_are_made_on_the_current_device(self):
        with cp.cuda.Device(1):
            assert cp.zeros(2).device.id == cp.arange(2).device.id == cp.asarray(np.ones(2)).device.id == 1
        assert cp.zeros(2).device.id == 0

    @pytest.mark.parametrize(
        "call",
        [
            "x + 1", "x.sum()", "x.fill(1)", "x[cp.arange(1)]", "cp.concatenate([x])", "x.astype(int)", "cp.where(x, 1, 0)",
            "cp.add(here, 1, x)", "here @ x", "cp.searchsorted(here, x)", "x.__setitem__(slice(1), 3)",
        ],
    )  # fmt: skip
    def test_an_array_of_another_device(self, call):
        with cp.cuda.Device(1):
            x = cp.zeros(3)
        with pytest.raises(ValueError, match=r"resides \(1\) is different from the current device \(0\)"):
            eval(call, {"cp": cp, "x": x, "here": cp.zeros(3)})

    def test_what_goes_between_devices(self):
        with cp.cuda.Device(1):
            there = cp.arange(4)
        assert there.get().tolist() == [0, 1, 2, 3]
        assert there[1:3].tolist() == [1, 2]
        for here in (there.copy(), cp.asarray(there), cp.array(there, dtype=np.int32)):
            assert here.device.id == 0
            assert here.tolist() == [0, 1, 2, 3]
        here = cp.empty(4, int)
        here[...] = there
        assert here.tolist() == [0, 1, 2, 3]

    def test_devices_do_not_wait_for_each_other(self):
        stream = cp.cuda.Stream(non_blocking=True)
        with cp.cuda.Device(1):
            there = cp.arange(4)
        with stream, pytest.raises(cupy_stand_in.RaceError):
            there.copy()

    def test_devices_that_are_not_there(self):
        with pytest.raises(CUDARuntimeError, match="invalid device ordinal"):
            cp.cuda.Device(2).use()


class TestGraphs:
    def capture(self, work):
        stream = cp.cuda.Stream(non_blocking=True)
        cp.cuda.Device().synchronize()
        with stream:
            stream.begin_capture()
            try:
                work()
            finally:
                graph = stream.end_capture()
        return stream, graph

    def test_work_is_done_at_each_launch(self):
        x, out = cp.arange(3), cp.empty(3, int)

        def work():
            cp.multiply(x, 2, out)
            cp.add(out, 1, x)

        stream, graph = self.capture(work)
        graph.launch(stream)
        graph.launch(stream)
        stream.synchronize()
        assert x.tolist() == [3, 7, 11]

    def test_memory_that_was_freed_since(self):
        x = cp.arange(3)
        stream, graph = self.capture(lambda: x + 1)
        with pytest.raises(cupy_stand_in.GraphError, match="writes into memory that was freed"):
            graph.launch(stream)

    def test_kernels_are_recorded(self, recorded):
        x, function = cp.arange(3), function_of()
        stream, graph = self.capture(lambda: function((1,), (32,), (x,)))
        assert not recorded
        graph.launch(stream)
        assert len(recorded) == 1

    @pytest.mark.parametrize("call", ["x.get()", "x.item()", "x[x > 0]", "cp.cuda.Device().synchronize()", "x.nonzero()"])
    def test_the_host_cannot_wait(self, call):
        x = cp.ones(1)
        with pytest.raises(CUDARuntimeError, match="not permitted when stream is capturing"):
            self.capture(lambda: eval(call, {"cp": cp, "x": x}))

    def test_the_null_stream_meanwhile(self):
        stream = cp.cuda.Stream()
        stream.begin_capture()
        with pytest.raises(CUDARuntimeError, match="legacy stream"):
            cp.zeros(1)
        stream.end_capture()

    def test_the_null_stream_cannot_be_captured(self):
        with pytest.raises(RuntimeError, match="legacy"):
            cp.cuda.Stream.null.begin_capture()


class TestLaunch:
    @pytest.mark.parametrize(
        "number, dtype",
        [
            (True, "?"), (3, "i8"), (-1, "i8"), (2**63, "u8"), (1.5, "f8"), (2 + 1j, "c16"), (np.int8(3), "i1"),
            (np.uint64(3), "u8"), (np.float16(3), "f2"), (np.complex64(3), "c8"), (np.bool_(True), "?"),
        ],
    )  # fmt: skip
    def test_bytes_of_numbers(self, number, dtype):
        assert launch.pack(number) == np.array(number, dtype).tobytes()

    @pytest.mark.parametrize("what", [None, "a", [1], np.ones(2), 2**64, object()])
    def test_what_is_no_argument(self, what):
        with pytest.raises((TypeError, Exception), match=r"."):
            launch.pack(what)

    def test_arrays_are_pointers(self, recorded):
        x = cp.arange(10)[2:]
        function_of()((3,), (64,), (x, np.int32(5), x[:0]))
        code, blocks, threads, arguments, buffers = recorded[0]
        assert (code, blocks, threads) == (b"code", 3, 64)
        assert arguments[:2] == [x.data.ptr.to_bytes(8, "little"), (5).to_bytes(4, "little")]
        assert [(b.address, b.nbytes, b.itemsize, b.allocation) for b in buffers] == [(x.data.ptr, 64, 8, x.data.mem.ptr)]

    def test_modules_belong_to_a_device(self, recorded):
        function = function_of()
        with cp.cuda.Device(1), pytest.raises(CUDADriverError, match="INVALID_HANDLE"):
            function((1,), (1,), ())
        with cp.cuda.Device(1):
            x = cp.zeros(1)
        with pytest.raises(CUDADriverError, match="ILLEGAL_ADDRESS: argument 1"):
            function((1,), (1,), (1, x))

    def test_only_what_a_kernel_changes_counts_as_written(self, recorded):
        x, y, other = cp.zeros(3), cp.zeros(3), cp.cuda.Stream(non_blocking=True)
        cp.cuda.Device().synchronize()
        recorded.action = lambda *_: y._x.fill(1)
        function_of()((1,), (1,), (x, y))
        with other:
            x + 1
            with pytest.raises(cupy_stand_in.RaceError, match="kernel kernel"):
                y + 1

    @pytest.mark.parametrize("extents", [([1], (1,)), ((1,), 1), ((1,), (2000,)), ((2**31,), (1,))])
    def test_extents(self, recorded, extents):
        with pytest.raises((TypeError, CUDADriverError)):
            function_of()(*extents, ())

    def test_nobody_runs_kernels_and_they_are_counted(self):
        before, count = driver.choose(driver.Nothing()), driver.launches
        try:
            function_of()((1,), (1,), (cp.zeros(3), 1))
        finally:
            driver.choose(before)
        assert driver.launches == count + 1


def test_what_is_not_known_says_so():
    for call in (lambda: cp.fft, lambda: cp.cuda.nccl, lambda: cp.zeros(1).partition(0), lambda: np.fft.fft(cp.zeros(1))):
        with pytest.raises(NotImplementedError, match="the stand-in for CuPy does not know"):
            call()
    assert not hasattr(cp, "fft")


def test_duplicates_are_written_in_an_order_that_changes():
    last = set()
    for _ in range(20):
        x = cp.zeros(1, int)
        x[cp.zeros(50, int)] = cp.arange(50)
        last.add(x.item())
    assert len(last) > 5


def test_arrays_have_no_attributes_of_others():
    with pytest.raises(AttributeError):
        cp.zeros(1).mark = 1
    assert streams.DEVICES == 2
