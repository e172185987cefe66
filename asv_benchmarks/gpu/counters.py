"""Hardware counters, read by Nsight Compute, of the calls of `gpu_counts.py`: the same inputs, so counts can be compared.

All kernels of this package have one name in their cubins, so the order of launches tells which of them a line is of.
"""

import collections
import csv
import functools

import gpu_counts

METRICS = {
    "gpu__time_duration.sum": "ns",
    "smsp__inst_executed.sum": "warp_instructions",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "sectors",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": "sectors",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum": "sectors",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum": "sectors",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": "wavefronts",
    "dram__bytes_read.sum": "dram",
    "dram__bytes_write.sum": "dram",
    "launch__registers_per_thread": "registers",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "occupancy",
}
"""What is read, and what it is called here; metrics of one name are added up."""

LOG = "ncu.csv"
COMMAND = ("ncu", "--profile-from-start", "off", "--clock-control", "none", "--target-processes", "all", "--csv")


def command(log):
    """What comes before the command that is profiled."""
    return [*COMMAND, "--log-file", log, "--metrics", ",".join(METRICS)]


def items(options):
    """Each call, once its plans are made and its kernels loaded."""
    launched = watch_launches()
    for name, make in gpu_counts.cases().items():
        yield name, functools.partial(profile, make, launched, options.dry_run)


def watch_launches():
    """Return a list that grows with the name of each kernel that is launched."""
    from spark_csr._engine.gpu import launch

    names, launched = {}, []
    load, run = launch.Kernel._load, launch._launch

    def named_load(self, device, args):
        function = load(self, device, args)
        names[id(function)] = function, f"{self.function.__module__.rpartition('.')[2]}.{self.function.__name__}"
        return function

    def noted_launch(function, *rest):
        launched.append(names[id(function)][1])
        return run(function, *rest)

    launch.Kernel._load, launch._launch = named_load, noted_launch
    return launched


def profile(make, launched, dry):
    """Call it once while the profiler looks; return the names of the kernels."""
    import cupy

    call, _ = make()
    for _ in range(2):
        call()
    cupy.cuda.Device().synchronize()
    launched.clear()
    if not dry:
        cupy.cuda.runtime.profilerStart()
    call()
    cupy.cuda.Device().synchronize()
    if not dry:
        cupy.cuda.runtime.profilerStop()
    return {"launched": list(launched)}


def text(log, lines):
    """The table: counts of the GPU, and what they are times those of `results/gpu-counts.json`."""
    from spark_csr._cli.table import align

    launched = [(line["item"], kernel) for line in lines if "launched" in line for kernel in line["launched"]]
    measured = kernels(log)
    head = ["", "kernel", "launches", "us", "registers", "occupancy", "DRAM MB", "instructions", "sectors", "banks"]
    if len(measured) != len(launched):
        return f"{len(measured)} kernels were profiled, but {len(launched)} were launched: they cannot be told apart"
    sums = {}
    for names, counts in zip(launched, measured, strict=True):
        kept = sums.setdefault(names, collections.Counter())
        kept.update(counts, launches=1)
        kept.update({key: -min(kept[key] - counts[key], counts[key]) for key in ("registers", "occupancy")})  # the larger
    body, before = [], gpu_counts.kept()
    for (row, kernel), found in sums.items():
        counted = before.get(row, {}).get("kernels", {}).get(kernel, {})
        ratios = [
            f"{found[name] / counted[name]:.2f}x" if counted.get(name) else "-"
            for name in ("warp_instructions", "sectors", "wavefronts")
        ]
        cells = [str(found["launches"]), f"{found['ns'] / 1e3:.1f}", f"{found['registers']:.0f}", f"{found['occupancy']:.0f} %"]
        body.append([row, kernel, *cells, f"{found['dram'] / 1e6:.2f}", *ratios])
    return align([head, *body])


def kernels(log):
    """The counts of each kernel of this package in a log of Nsight Compute, in the order of launches."""
    with open(log) as file:
        lines = [line for line in file if line.startswith('"')]
    found = {}
    for line in csv.DictReader(lines):
        if "spark_csr_kernel" in (line.get("Kernel Name") or "") and line["Metric Name"] in METRICS:
            value = float(line["Metric Value"].replace(",", ""))
            found.setdefault(line["ID"], collections.Counter())[METRICS[line["Metric Name"]]] += value
    return list(found.values())
