"""Processes that may hang, crash or lose the device: a parent watches them, and starts another behind what ended one.

A process takes items in turn. It adds a line of JSON to a file when it begins an item, `{"begin": name}`, and when it ends it,
`{"item": name, "outcome": ..., "seconds": ...}`. A kernel that never ends holds the host in the driver, where no signal reaches
Python. So the parent looks for news: after `patience` seconds without any, it lets the process write its stacks (SIGUSR1), and
kills it. A kernel that reads outside of its memory leaves the process without a device: it ends with the status `LOST`. In each
case, a new process goes on with the items that have no result yet.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

LOST, LOST_DEVICE = 77, "lost the device"
"""The exit status of a process that lost its device, and the outcome of its item."""

RESTARTS = 12
"""The largest number of processes for the items of one work."""

REPORT, DONE = "SPARK_CSR_GPU_REPORT", "SPARK_CSR_GPU_DONE"
"""The environment variables that name the file of lines, and the file that lists the items which have a result."""


class Work:
    """Items of a stage, and the process that takes them."""

    def __init__(self, stage, command, *, patience=45.0, environment=None, ends=(0,), folder=None):
        self.stage, self.command, self.patience, self.ends = stage, command, patience, ends
        """`ends`: the exit statuses of a process that has taken all items."""
        self.environment = environment or {}
        self.files = {kind: tempfile.mktemp(f".{kind}", f"{stage}-", folder) for kind in ("report", "done", "log")}
        self.process, self.read_to, self.news, self.starts = None, 0, 0.0, 0
        self.now, self.outcome, self.finished, self.begun = None, None, [], False

    def start(self):
        """Start a process, the first one or another."""
        with open(self.files["done"], "w") as file:
            file.write("\n".join(self.finished))
        open(self.files["report"], "a").close()
        names = {REPORT: self.files["report"], DONE: self.files["done"], "PYTHONFAULTHANDLER": "1", "PYTHONUNBUFFERED": "1"}
        with open(self.files["log"], "ab") as log:
            self.process = subprocess.Popen(
                self.command, env=os.environ | self.environment | names, stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )
        self.news, self.now, self.begun = time.monotonic(), None, False
        self.starts += 1

    def lines(self):
        """Return the lines that are new, but for those that begin an item."""
        with open(self.files["report"]) as file:
            file.seek(self.read_to)
            whole = file.read().rpartition("\n")[0]
        self.read_to += len(whole.encode()) + bool(whole)
        found = []
        for line in map(json.loads, whole.splitlines()):
            self.news = time.monotonic()
            if "begin" in line:
                self.now, self.begun = line["begin"], True
                continue
            if "item" in line:
                self.finished.append(line["item"])
                self.now, self.outcome = None, line["outcome"]
            found.append({"stage": self.stage, **line})
        return found

    def end(self):
        """Let the process write its stacks, and kill it."""
        self.process.send_signal(signal.SIGUSR1)
        time.sleep(0.3)
        self.process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):  # a driver may hold what it was killed in
            self.process.wait(5)

    def failure(self, outcome, why):
        """Return the line of the item that ended the process, with the end of the log."""
        with open(self.files["log"], "rb") as log:
            log.seek(max(0, os.path.getsize(self.files["log"]) - 2500))
            tail = log.read().decode(errors="replace")
        name = self.now or f"{' '.join(self.command[-2:])} (between items)"
        self.finished.append(name)
        return {"stage": self.stage, "item": name, "outcome": outcome, "why": f"{why}\n{tail}"}


def watch(works, deadline, keep, processes=1):
    """Run works, so many at a time, until all items are done or the clock `time.monotonic` reaches `deadline`.

    `keep` is called with each line of the processes, and with a line for each item that ended a process.
    """
    waiting, running = list(works), []
    try:
        while (waiting or running) and time.monotonic() < deadline:
            while waiting and len(running) < processes:
                running.append(waiting.pop(0))
                running[-1].start()
            time.sleep(0.05)
            for work in list(running):
                status = work.process.poll()
                for line in work.lines():
                    keep(line)
                if status is None and time.monotonic() - work.news < work.patience:
                    continue
                running.remove(work)
                if status in work.ends:
                    continue
                if status is None:
                    work.end()
                    keep(work.failure("hung", f"nothing happened for {work.patience:.0f} s"))
                elif status == LOST and work.now is None and work.finished:
                    if work.outcome != LOST_DEVICE:
                        keep({"stage": work.stage, "lost_behind": work.finished[-1]})
                else:
                    keep(work.failure(LOST_DEVICE if status == LOST else "crashed", f"exit status {status}"))
                if work.begun and work.starts < RESTARTS:
                    waiting.insert(0, work)
                else:
                    keep({"stage": work.stage, "left_out": "after too many ends of its processes", "of": work.command[-2:]})
    finally:
        for work in running:
            for line in work.lines():
                keep(line)
            work.end()
    for work in (*running, *waiting):
        keep({"stage": work.stage, "left_out": "for time", "of": work.now or work.command[-2:]})


def report(**line):
    """Add a line, in a process that is watched."""
    if REPORT in os.environ:
        with open(os.environ[REPORT], "a") as file:
            file.write(json.dumps(line, default=str) + "\n")


def done():
    """Return the items that have a result, in a process that is watched."""
    if not os.path.exists(os.environ.get(DONE, "")):
        return set()
    with open(os.environ[DONE]) as file:
        return set(file.read().splitlines())


def device_is_lost():
    """Return what CuPy says if this process cannot use its device any more, else None."""
    cupy = sys.modules.get("cupy")
    try:
        if cupy is not None:
            cupy.cuda.Device().synchronize()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None
