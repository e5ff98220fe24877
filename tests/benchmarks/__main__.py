"""``python -m tests.benchmarks``: ratios to hand-written NumPy, paired in one run, on one thread.

``python -m tests.benchmarks compiling`` measures first calls instead, and ``kernels`` gradients of
loops over matrices beside the functions themselves.
Every derivative is compared with the hand-written one before it is timed. The process starts itself
again with one thread, one processor and an allocator that keeps freed memory, since page faults of
large temporaries would be measured otherwise.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
    "JAX_ENABLE_X64": "1",
    "MALLOC_MMAP_THRESHOLD_": "33554432",
    "MALLOC_TRIM_THRESHOLD_": "1073741824",
    "SYMDIFF_VERIFY": "0",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "",  # modules are loaded as they are from their second import on
}
IMPORTS = {
    "numpy": "import time; t = time.perf_counter(); import numpy; print(time.perf_counter() - t)",
    "symdiff": "import time; t = time.perf_counter(); import symdiff; "
    "print(time.perf_counter() - t)",
}
WARM = "symdiff.grad(rosenbrock)(w)"
FIRST_CALL = """
import time
import numpy as np
import symdiff
from tests.benchmarks.programs import rosenbrock, twenty_lines
w, x = np.array([0.4, -0.3, 0.8]), np.linspace(0.0, 1.0, 12).reshape(3, 4)
{before}
start = time.perf_counter()
symdiff.grad(twenty_lines)(w, x, 3)
print(time.perf_counter() - start)
"""


def measure(only: str, rounds: int) -> list[tuple[str, bool, dict[str, float | str]]]:
    """For each case the times by engine, or why there is none."""
    from tests.benchmarks.cases import all_cases

    rows = []
    for case in all_cases():
        if only not in case.name:
            continue
        rows.append((case.name, case.small, _row(case, rounds)))
        print(_shown(*rows[-1]), flush=True)
    return rows


def _row(case: object, rounds: int) -> dict[str, float | str]:
    from tests.benchmarks.engines import ENGINES, checked
    from tests.benchmarks.timing import interleaved

    calls, missing = {}, {}
    for name, engine in ENGINES.items():
        try:
            call = engine(case)  # type: ignore[arg-type]
            checked(case, name, call)  # type: ignore[arg-type]
            calls[name] = call
        except ImportError:
            missing[name] = "not installed"
        except Exception as error:
            missing[name] = f"{type(error).__name__}: {error}".splitlines()[0][:60]
    return {**interleaved(calls, rounds), **missing}


def _shown(name: str, small: bool, times: dict[str, float | str]) -> str:
    """One row of the table."""
    hand = times["hand-written"]
    assert isinstance(hand, float)
    cells = [name, _duration(hand)]
    for engine in ("symdiff", "autograd", "JAX"):
        time = times[engine]
        cells.append(f"{time / hand:.2g}" if isinstance(time, float) else "–")
    return f"| {' | '.join(cells)} |"


def _duration(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.3g} µs"
    return f"{seconds * 1e3:.3g} ms"


def starting_times(rounds: int) -> list[str]:
    """Import and first call, each in new processes."""
    from tests.benchmarks.timing import of_processes

    imports = of_processes(IMPORTS, rounds)
    ratio = imports["symdiff"] / imports["numpy"]
    calls = {"first": FIRST_CALL.format(before=""), "again": FIRST_CALL.format(before=WARM)}
    first, again = of_processes(calls, max(3, rounds // 3)).values()
    return [
        f"- `import symdiff` takes {ratio:.2f} times as long as `import numpy`",
        f"- the first call of the gradient of a twenty-line function takes {again * 1e3:.0f} ms",
        f"- the first call in a process, which loads the compiler, takes {first * 1e3:.0f} ms",
    ]


def aims(rows: Sequence[tuple[str, bool, dict[str, float | str]]]) -> list[str]:
    """What was aimed at and what was not reached."""
    slow, near = [], []
    for name, small, times in rows:
        hand, ours, autograd = times["hand-written"], times["symdiff"], times["autograd"]
        if not isinstance(ours, float) or not isinstance(hand, float):
            slow.append(f"{name} ({ours})")
            continue
        if ours > 1.3 * hand:
            slow.append(f"{name} ({ours / hand:.2f})")
        if small and isinstance(autograd, float) and autograd < 10.0 * ours:
            near.append(f"{name} ({autograd / ours:.1f})")
    return [
        *_means(rows),
        f"- more than 1.3 times hand-written: {', '.join(slow) or 'none'}",
        f"- small, and less than 10 times faster than autograd: {', '.join(near) or 'none'}",
    ]


def _means(rows: Sequence[tuple[str, bool, dict[str, float | str]]]) -> list[str]:
    """Geometric means over the rows that an engine could do, and how many those are."""
    told = []
    for engine in ("symdiff", "autograd", "JAX"):
        ratios = [
            found / hand
            for _, _, times in rows
            if isinstance(found := times[engine], float)
            and isinstance(hand := times["hand-written"], float)
        ]
        if ratios:
            mean = statistics.geometric_mean(ratios)
            told.append(f"- geometric mean of {engine}'s {len(ratios)} rows: {mean:.2f}")
    return told


HEADER = """| gradient of | hand-written NumPy | symdiff | autograd | JAX |
| --- | --- | --- | --- | --- |"""
PREFACE = """# Benchmarks

Written by `make bench ARGS=--write`. Derivatives generated by symdiff, by HIPS autograd and by JAX
(under `jit`, compiled before), as multiples of the time of a careful hand-written NumPy derivative:
float64, one thread, processor time, medians of interleaved rounds in one run. Differences below 1.3
are noise.
Each derivative is checked against the hand-written one before it is timed. – means that the package
is not installed or cannot do it. autograd and JAX get other programs where they cannot run the one
that symdiff and NumPy run (`cases.py`).
"""


def report(lines: Sequence[str]) -> str:
    """The text of README.md."""
    import numpy

    versions = f"Python {platform.python_version()}, NumPy {numpy.__version__}"
    return f"{PREFACE}\n{versions}, {platform.machine()}.\n\n{HEADER}\n" + "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status is 1 where symdiff could not do a case."""
    from tests.benchmarks import compiling, kernels, lines, simplification

    given = sys.argv[1:] if arguments is None else list(arguments)
    if given[:1] == ["compiling"]:
        return compiling.main(given[1:])
    if given[:1] == ["kernels"]:
        return kernels.main(given[1:])
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--only", default="", help="cases whose names contain this")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--write", action="store_true", help="write README.md beside this file")
    options = parser.parse_args(given)
    print(HEADER)
    rows = measure(options.only, options.rounds)
    for name, _, times in rows:
        reasons = [f"{e}: {t}" for e, t in times.items() if isinstance(t, str)]
        if reasons and reasons != ["autograd: not installed", "JAX: not installed"]:
            print(f"  {name}: {'; '.join(reasons)}")
    told = aims(rows)
    if not options.only:
        told += [lines.told(), *starting_times(options.rounds)]
    print("\n".join(["", *told]))
    if options.write:
        text = report([*(_shown(*row) for row in rows), "", *told])
        text += simplification.kept_section() + compiling.kept_section() + kernels.kept_section()
        Path(__file__).with_name("README.md").write_text(text, encoding="utf-8")
    return int(any(isinstance(times["symdiff"], str) for _, _, times in rows))


def _again_alone() -> None:
    """Replace this process by one with the environment above, on one processor."""
    if all(os.environ.get(name) == value for name, value in _ENVIRONMENT.items()):
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        return
    command = [sys.executable, "-m", "tests.benchmarks", *sys.argv[1:]]
    os.execve(sys.executable, command, {**os.environ, **_ENVIRONMENT})


if __name__ == "__main__":
    _again_alone()
    sys.exit(main())
