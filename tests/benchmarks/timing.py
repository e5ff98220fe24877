"""Times of several functions side by side: rounds in which each has its turn, and medians.

Processor time of this process, all its threads: while other work has the processor it stands still.
On a machine with such work, ratios of medians hold where times do not.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping

Call = Callable[[], object]
ROUNDS = 15
SECONDS_PER_ROUND = 0.02


def interleaved(calls: Mapping[str, Call], rounds: int = ROUNDS) -> dict[str, float]:
    """The median time of one call of each, in seconds."""
    counts = {name: _count(call) for name, call in calls.items()}
    times: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(rounds):
        names = list(calls) if number % 2 == 0 else list(calls)[::-1]
        for name in names:
            times[name].append(_time(calls[name], counts[name]))
    return {name: statistics.median(found) for name, found in times.items()}


def _count(call: Call) -> int:
    """How many calls fill a round."""
    call()
    once = min(_time(call, 1) for _ in range(3))
    return max(1, min(10_000, int(SECONDS_PER_ROUND / max(once, 1e-7))))


def _time(call: Call, count: int) -> float:
    started = time.process_time()
    for _ in range(count):
        call()
    return (time.process_time() - started) / count


def of_processes(programs: Mapping[str, str], rounds: int) -> dict[str, float]:
    """The median of what each program prints, each run in a new process, interleaved."""
    found: dict[str, list[float]] = {name: [] for name in programs}
    for number in range(rounds + 1):
        for name, text in programs.items():
            ran = subprocess.run(
                [sys.executable, "-c", text], capture_output=True, text=True, check=True
            )
            if number:  # the first run fills the page cache
                found[name].append(float(ran.stdout.split()[-1]))
    return {name: statistics.median(times) for name, times in found.items()}
