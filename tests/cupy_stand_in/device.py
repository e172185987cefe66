"""Devices, and the functions of `cupy.cuda.runtime` that are used."""

from . import memory, streams
from .errors import CUDARuntimeError

CAPABILITY = "90"
"""What `Device.compute_capability` says."""

PEERS = False
"""Whether the devices reach each other's memory: by default they do not, so that mixing them up is an error."""


def getDeviceCount():
    """How many devices there are."""
    return streams.DEVICES


def getDevice():
    """The number of the current device."""
    return streams.current.device


def setDevice(number):
    """Make a device current."""
    if not 0 <= number < streams.DEVICES:
        raise CUDARuntimeError("cudaErrorInvalidDevice: invalid device ordinal")
    streams.current.device = number


def deviceSynchronize():
    """Let the host wait for the current device."""
    streams.synchronize_device()


def deviceCanAccessPeer(device, peer):
    """Whether one device reaches the memory of the other."""
    return int(PEERS or device == peer)


def streamIsCapturing(ptr):
    """Whether the stream of that handle is being captured."""
    return streams.timeline_of(streams.ExternalStream(ptr)).capture is not None


def memGetInfo():
    """Free and all bytes of the current device."""
    arenas = memory.arenas[streams.current.device]
    return memory.DEVICE_BYTES - arenas.used - arenas.free, memory.DEVICE_BYTES


def getDeviceProperties(number):
    """What the bench reads of a device."""
    if not 0 <= number < streams.DEVICES:
        raise CUDARuntimeError("cudaErrorInvalidDevice: invalid device ordinal")
    return {"name": b"stand-in", "major": 9, "minor": 0, "multiProcessorCount": 132, "warpSize": 32, "l2CacheSize": 50 << 20}


def driverGetVersion():
    """The version of CUDA that the driver knows."""
    return 13000


def runtimeGetVersion():
    """The version of CUDA that CuPy was built for."""
    return 13000


class Device:
    """As `cupy.cuda.Device`: cupy/cuda/device.pyx (v14.2)."""

    __slots__ = ("id",)

    def __init__(self, device=None):
        self.id = streams.current.device if device is None else int(device)

    def __int__(self):
        return self.id

    def __enter__(self):
        streams.current.devices.append(("device", streams.current.device))
        setDevice(self.id)
        return self

    def __exit__(self, *args):
        _, streams.current.device = streams.current.devices.pop()

    def __repr__(self):
        return f"<CUDA Device {self.id}>"

    def __eq__(self, other):
        return isinstance(other, Device) and self.id == other.id

    # An extension type that compares and has no hash of its own has none: cupy/cuda/device.pyx, __richcmp__ (v14.2).
    __hash__ = None

    def use(self):
        """Make this device current."""
        setDevice(self.id)
        return self

    def synchronize(self):
        """Let the host wait for this device."""
        with self:
            deviceSynchronize()

    @property
    def compute_capability(self):
        """Two digits."""
        return CAPABILITY

    @property
    def mem_info(self):
        """Free and all bytes."""
        with self:
            return memGetInfo()

    @property
    def attributes(self):
        """What kernels are limited by."""
        return {"MultiProcessorCount": 132, "MaxThreadsPerBlock": 1024, "MaxSharedMemoryPerBlockOptin": 232448}
