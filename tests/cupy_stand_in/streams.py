"""Streams, events, and what is ordered before what.

Work is done at once, so values are always those of the order in which the host asked for it. What a GPU may do in another order
is found by vector clocks: each stream counts its work, and knows of every other stream how far that had come when this one last
waited for it. The host has a clock too, which grows when it waits. Memory keeps who wrote it last and who read it since
(`memory.Block`), and `use` compares.
"""

import itertools
import threading
import time
import weakref

from .errors import CAPTURING, CUDARuntimeError, GraphError, RaceError

HOST = {}
"""What the host has waited for: the number of the last finished work by timeline."""

DEVICES = 2
"""How many devices this machine seems to have."""

_numbers = itertools.count(0x7F00_0000, 16)


class Timeline:
    """The work of one stream in order. `clock` says for each timeline up to which work it comes before this one's next."""

    def __init__(self, name, device_id, *, null=False, blocking=True):
        self.name, self.device_id, self.null, self.blocking = name, device_id, null, blocking
        self.clock, self.now, self.capture = {}, 0, None

    def join(self, clock):
        """Order everything that `clock` says before what comes next here."""
        own = self.clock
        for timeline, number in clock.items():
            if own.get(timeline, 0) < number:
                own[timeline] = number

    def begin(self):
        """Count one more piece of work, which comes after what the host and the null stream order before it."""
        if HOST:
            self.join(HOST)
        others = _by_device[self.device_id]
        if len(others) > 1 and self.blocking:
            self._join_legacy(others)
        self.now += 1
        self.clock[self] = self.now

    def _join_legacy(self, others):
        # CUDA C++ Programming Guide, "Default Stream": work of the legacy default stream waits for all work of blocking
        # streams before it, and their later work waits for it. Streams made with cudaStreamNonBlocking are left out.
        if self.null:
            for other in list(others):
                if other.blocking:
                    if other.capture is not None:
                        raise CUDARuntimeError(
                            "cudaErrorStreamCaptureImplicit: operation would make the legacy stream depend on a capturing "
                            "blocking stream"
                        )
                    self.join(other.clock)
        else:
            self.join(_nulls[self.device_id].clock)

    def __repr__(self):
        return f"{self.name} of device {self.device_id}"


_by_device = [weakref.WeakSet() for _ in range(DEVICES)]
_nulls = [Timeline("the null stream", number, null=True) for number in range(DEVICES)]
for _null in _nulls:
    _by_device[_null.device_id].add(_null)
_by_pointer = {}


class _Current(threading.local):
    """The current device of a thread, and for each device its stack of streams."""

    def __init__(self):
        self.device = 0
        self.streams = [[] for _ in range(DEVICES)]
        self.devices = []


current = _Current()


def timeline_of(stream):
    """The timeline of a stream, as seen from the current device; streams of others begin when they are first seen."""
    pointer = stream.ptr
    if pointer in (0, 1):
        return _nulls[current.device if stream.device_id < 0 else stream.device_id]
    found = _by_pointer.get(pointer)
    if found is None:
        found = Timeline(f"stream {pointer:#x}", current.device)
        _by_pointer[pointer] = found
        _by_device[current.device].add(found)
    return found


def current_timeline():
    """The timeline of the current stream of the current device."""
    stack = current.streams[current.device]
    return timeline_of(stack[-1]) if stack else _nulls[current.device]


def check_stream(timeline):
    """Raise where work is given to a stream of another device than the current one.

    The CUDA driver refuses it: CUDA_ERROR_INVALID_HANDLE.
    """
    if timeline.device_id != current.device:
        raise CUDARuntimeError(
            f"cudaErrorInvalidResourceHandle: {timeline} was given work while device {current.device} is current"
        )


def use(what, reads, writes, action=None, timeline=None):
    """Do `action` on a stream, or record it where the stream is captured; RaceError where nothing orders it after others.

    `reads` and `writes` are blocks of memory (or None, for empty arrays).
    """
    timeline = current_timeline() if timeline is None else timeline
    if timeline.device_id != current.device:
        check_stream(timeline)
    if timeline.capture is not None:
        timeline.capture.record(what, reads, writes, action)
        return
    timeline.begin()
    for block in reads:
        if block is not None:
            note_read(block, timeline, what)
    for block in writes:
        if block is not None:
            note_write(block, timeline, what)
    if action is not None:
        action()


def note_read(block, timeline, what):
    """Check that the last write comes before this read, and note the read."""
    writer = block.writer
    if writer is not None and writer[0] is not timeline and timeline.clock.get(writer[0], 0) < writer[1]:
        raise RaceError(_race(block, writer, "written", timeline, "read", what))
    block.readers[timeline] = (timeline, timeline.now, what)


def note_write(block, timeline, what):
    """Check that the last write, and all reads since, come before this write, and note the write."""
    writer = block.writer
    if writer is not None and writer[0] is not timeline and timeline.clock.get(writer[0], 0) < writer[1]:
        raise RaceError(_race(block, writer, "written", timeline, "written", what))
    for reader in block.readers.values():
        if reader[0] is not timeline and timeline.clock.get(reader[0], 0) < reader[1]:
            raise RaceError(_race(block, reader, "read", timeline, "written", what))
    block.writer = (timeline, timeline.now, what)
    block.readers = {}


def _race(block, before, did, timeline, does, what):
    return (
        f"{block} was {did} on {before[0]} (by {before[2]}) and is {does} on {timeline} (by {what}) with neither an event nor "
        "a synchronisation in between"
    )


def wait_on_host(clock):
    """Order what `clock` says before everything that the host asks for from now on."""
    for timeline, number in clock.items():
        if HOST.get(timeline, 0) < number:
            HOST[timeline] = number


def synchronize_device():
    """Let the host wait for all streams of the current device."""
    for timeline in list(_by_device[current.device]):
        if timeline.capture is not None:
            raise CUDARuntimeError(CAPTURING)
        wait_on_host(timeline.clock)


def order_across(first, second):
    """Order all streams of two devices around a copy between them on the null stream.

    CUDA C++ Programming Guide, "Peer-to-Peer Memory Copy": a copy in the null stream between two devices does not start until
    all commands issued to either device have completed, and completes before any that are issued later.
    """
    both = [timeline for number in (first, second) for timeline in list(_by_device[number])]
    for timeline in both:
        _nulls[current.device].join(timeline.clock)
    return both


class Event:
    """As `cupy.cuda.Event`."""

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self._clock, self._time, self._capture = {}, None, None
        self.ptr = next(_numbers)

    def record(self, stream=None):
        """Note what has been given to the stream so far."""
        timeline = current_timeline() if stream is None else timeline_of(stream)
        self._capture = timeline.capture
        if timeline.capture is None:
            timeline.begin()
        self._clock, self._time = dict(timeline.clock), time.perf_counter()

    def synchronize(self):
        """Let the host wait for the event."""
        if self._capture is not None:
            raise CUDARuntimeError(CAPTURING)
        wait_on_host(self._clock)

    @property
    def done(self):
        """True: work is done at once."""
        return True


def get_elapsed_time(start_event, end_event):
    """Milliseconds between two events that were recorded."""
    if start_event._time is None or end_event._time is None:
        raise CUDARuntimeError("cudaErrorInvalidResourceHandle: an event was not recorded")
    return (end_event._time - start_event._time) * 1e3


class _BaseStream:
    """As `cupy.cuda.stream._BaseStream`: cupy/cuda/stream.pyx:168 (v14.2)."""

    def __init__(self, ptr, device_id):
        self.ptr, self.device_id = ptr, device_id

    def __eq__(self, other):
        return isinstance(other, _BaseStream) and self.ptr == other.ptr

    def __hash__(self):
        return self.ptr

    def __repr__(self):
        return f"<{type(self).__name__} {self.ptr} (device {self.device_id})>"

    def _check_device(self):
        # cupy/cuda/stream.pyx, check_stream_device_match (v14.2; the same in v13.4)
        if self.device_id not in (-1, current.device):
            raise RuntimeError(
                f"The device that the stream is created on ({self.device_id}) does not match with the current device "
                f"({current.device})"
            )

    def __enter__(self):
        self._check_device()
        current.streams[current.device].append(self)
        current.devices.append(("stream", current.device))
        return self

    def __exit__(self, *args):
        _, device = current.devices.pop()
        current.streams[device].pop()

    def use(self):
        """Make this stream current."""
        self._check_device()
        current.streams[current.device][-1:] = [self]
        return self

    @property
    def done(self):
        """True: work is done at once."""
        return True

    def synchronize(self):
        """Let the host wait for the stream."""
        timeline = timeline_of(self)
        if timeline.capture is not None:
            raise CUDARuntimeError(CAPTURING)
        timeline.begin()
        wait_on_host(timeline.clock)

    def record(self, event=None):
        """Record an event, a new one where none is given."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event):
        """Order what comes next on this stream after the event."""
        timeline = timeline_of(self)
        if event._capture is not None:  # the stream takes part in the capture: CUDA guide, "Cross-stream Dependencies"
            timeline.capture = event._capture
            event._capture.streams.append(timeline)
        timeline.join(event._clock)

    def begin_capture(self, mode=None):
        """Record work from now on instead of doing it."""
        if self.ptr in (0, 1):
            raise RuntimeError("cannot capture on the default (legacy) stream")
        timeline = timeline_of(self)
        timeline.capture = Graph(timeline)

    def end_capture(self):
        """The graph of the work that was recorded."""
        timeline = timeline_of(self)
        if timeline.capture is None:
            raise CUDARuntimeError("cudaErrorIllegalState: the stream is not being captured")
        graph = timeline.capture
        for part in graph.streams:
            part.capture = None
        return graph

    def is_capturing(self):
        """Whether work is recorded at present."""
        return timeline_of(self).capture is not None


class Stream(_BaseStream):
    """As `cupy.cuda.Stream`."""

    null = None

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        if null:
            super().__init__(0, -1)
            return
        if ptds:
            raise NotImplementedError("the stand-in for CuPy does not know per-thread default streams")
        super().__init__(next(_numbers), current.device)
        timeline = Timeline(f"stream {self.ptr:#x}", current.device, blocking=not non_blocking)
        self._timeline = timeline
        _by_pointer[self.ptr] = timeline
        _by_device[current.device].add(timeline)

    @classmethod
    def from_external(cls, obj):
        """The stream of another library, by its `__cuda_stream__`: since CuPy 14."""
        version, pointer = obj.__cuda_stream__()
        if version != 0:
            raise TypeError(f"__cuda_stream__() returned unsupported version {version}, only version 0 is supported")
        stream = cls.__new__(cls)
        _BaseStream.__init__(stream, pointer, -1)
        return stream


class ExternalStream(_BaseStream):
    """As `cupy.cuda.ExternalStream`. CuPy 14 warns of it; 13.4 does not, and has nothing else: here it does not warn."""

    def __init__(self, ptr, device_id=-1):
        super().__init__(ptr, device_id)


Stream.null = Stream(null=True)


def get_current_stream(device_id=None):
    """The current stream of a device, of the current one where none is given."""
    stack = current.streams[current.device if device_id is None else device_id]
    return stack[-1] if stack else Stream.null


class Graph:
    """As `cupy.cuda.Graph`: work that was recorded; each piece knows which memory it uses, and in whose hands that was."""

    def __init__(self, timeline):
        self.streams, self._work = [timeline], []

    def record(self, what, reads, writes, action):
        """Keep one piece of work; the memory is not kept alive by it, as CUDA keeps none alive."""
        reads, writes = ([(b, b.generation) for b in blocks if b is not None] for blocks in (reads, writes))
        self._work.append((what, reads, writes, action))

    def launch(self, stream=None):
        """Do the work in the order in which it was recorded."""
        timeline = current_timeline() if stream is None else timeline_of(stream)
        for what, reads, writes, action in self._work:
            for blocks, does in ((writes, "writes into"), (reads, "reads")):
                for block, generation in blocks:
                    if block.generation != generation:
                        raise GraphError(f"the graph {does} memory that was freed since it was captured: {block}, by {what}")
            use(what, [b for b, _ in reads], [b for b, _ in writes], action, timeline)

    def upload(self, stream=None):
        """Do nothing."""
