"""What a first call costs, which compiles: ``python -m tests.benchmarks compiling``.

    python -m tests.benchmarks compiling [--rounds 5] [--only KIND] [--long] [--save FILE]
                                         [--before FILE] [--write]

Each program is compiled in a process of its own, one that has compiled nothing before or one that
has compiled another program; what is told is the least processor time of some rounds, which other
work on the machine changes little. ``--save`` keeps the figures, ``--before`` sets kept ones beside
the new ones, ``--long`` adds 100,000 operations in a row, ``--write`` writes the table into
README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

README = Path(__file__).with_name("README.md")
BEGINS, ENDS = "<!-- compiling begins -->", "<!-- compiling ends -->"
SECTION = re.compile(f"(?s){BEGINS}.*{ENDS}\n")
SIZES = (100, 1000, 3000)
LONG = 100_000
MANY = 1000  # statements from which on a program is compiled fewer times


@dataclass(frozen=True)
class Case:
    """A program to compile: its source, the call, and whether the process has compiled before."""

    name: str
    source: str
    call: str
    statements: int = 0
    warm: bool = True


@dataclass(frozen=True)
class Cost:
    """Processor time in seconds, and by how many bytes the process grew."""

    seconds: float
    grown: float


# Programs ----------------------------------------------------------------------------------------


def arrays(count: int) -> Iterator[str]:
    """Elementwise statements on arrays."""
    yield "a, b = x, x * 0.5"
    for k in range(count):
        yield (
            f"a = a * {1 + k % 7 / 100} + b",
            f"b = np.sin(a) - {k % 5 / 10} * b",
            "a = a / (1.0 + b * b)",
            f"b = np.where(a > {k % 3 / 10}, b, a * x)",
        )[k % 4]
    yield "return np.sum(a * b)"


def scalars(count: int) -> Iterator[str]:
    """Statements on numbers."""
    yield "a, b = x[0], x[1]"
    for k in range(count):
        yield (
            f"a = a * {1 + k % 7 / 100} + b",
            f"b = np.sin(a) - {k % 5 / 10} * b",
            "a = a / (1.0 + b * b)",
            "b = b * x[2] + a",
        )[k % 4]
    yield "return a * b"


def in_place(count: int) -> Iterator[str]:
    """Writes into an array, of elements and of slices."""
    yield "u = x.copy()"
    for k in range(count):
        yield (
            f"u[{k % 5}] = u[{(k + 1) % 5}] * {1 + k % 7 / 100} + x[{k % 3}]",
            f"u[1:] += {1 + k % 5} / 100 * u[:-1]",
            f"u[{k % 4}] = np.sin(u[{(k + 2) % 4}])",
            "u *= 0.99",
        )[k % 4]
    yield "return np.sum(u * u)"


def loops(count: int) -> Iterator[str]:
    """Loops of three statements each, counted with their heads."""
    yield "s = x[0]"
    for k in range(count // 4):
        yield f"for i in range({2 + k % 3}):"
        yield f"    t = x[i] * {1 + k % 7 / 100}"
        yield "    s = s * 0.9 + np.sin(t)"
        yield "    s = s + t * x[1]"
    yield "return s * s"


def branches(count: int) -> Iterator[str]:
    """Branches by data, counted with their arms."""
    yield "s, t = x[0], x[1]"
    for k in range(count // 4):
        yield f"if s > {k % 7 / 10}:"
        yield f"    s = s * {1 - k % 5 / 100} - t"
        yield "else:"
        yield "    s = s + np.sin(t) * x[2]"
        yield f"t = t * 0.9 + s * {1 + k % 3}"
        yield "t = t / (1.0 + s * s)"
    yield "return s * t"


KINDS: dict[str, Callable[[int], Iterator[str]]] = {
    "arrays": arrays,
    "scalars": scalars,
    "in place": in_place,
    "loops": loops,
    "branches": branches,
}


def function(lines: Iterator[str], name: str = "f") -> str:
    """The source of a module that defines a function of these lines."""
    body = "".join(f"    {line}\n" for line in lines)
    return f"import numpy as np\n\n\ndef {name}(x):\n{body}"


def cases() -> Iterator[Case]:
    """All programs but the long one."""
    imported = "from tests.benchmarks.programs import twenty_lines\n"
    twenty = "symdiff.grad(m.twenty_lines)(w, x2, 3)"
    for warm in (False, True):
        where = "warm" if warm else "fresh"
        for size in (5, 200):
            source = function(arrays(size - 2))
            yield Case(f"{size} lines, {where} process", source, _GRADIENT, 0, warm)
            if size == 5:
                yield Case(f"20 lines, {where} process", imported, twenty, 0, warm)
    for name, kind in KINDS.items():
        for size in SIZES:
            yield Case(f"{size:,} statements, {name}", function(kind(size)), _GRADIENT, size)
    source = (
        "import numpy as np\n\n\ndef f(x):\n    return np.sin(x * x) * np.exp(-x) / (1.0 + x)\n"
    )
    yield Case("order 6 of a scalar function", source, "symdiff.derivative(m.f, 6)(0.4)")
    yield Case("a closure made anew", _FIT, "m.fit(x, 0.1); again()")


def long_case() -> Case:
    """100,000 operations on numbers in a row."""
    lines = function(scalars(LONG // 2))  # two operations a statement, about
    return Case(f"{LONG:,} operations in a row", lines, _GRADIENT, LONG)


_GRADIENT = "symdiff.grad(m.f)(x)"
_FIT = """import numpy as np
import symdiff


def fit(t, rate):
    def loss(w):
        return np.sum((np.tanh(w * t) - rate) ** 2) + 0.1 * np.sum(w * w)

    w = np.zeros(t.shape)
    for _ in range(2):
        w = w - rate * symdiff.grad(loss)(w)
    return w
"""
_PROGRAM = """
import importlib.util, resource, sys, time
import numpy as np
import symdiff
spec = importlib.util.spec_from_file_location("measured", sys.argv[1])
m = importlib.util.module_from_spec(spec)
spec.loader.exec_module(m)
x = np.linspace(0.3, 0.9, 6)
w, x2 = np.array([0.4, -0.3, 0.8]), np.linspace(0.0, 1.0, 12).reshape(3, 4)
sys.setrecursionlimit(20_000)
def again():
    global started
    started = time.process_time()
    m.fit(x, 0.1)
if sys.argv[2] == "warm":
    from tests.benchmarks.programs import softmax_loss, rosenbrock_loop
    symdiff.grad(rosenbrock_loop)(w)
    symdiff.grad(softmax_loss)(x2, x2)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
started = time.process_time()
{call}
seconds = time.process_time() - started
print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


# Measuring ---------------------------------------------------------------------------------------


def measured(case: Case, rounds: int) -> Cost:
    """The least processor time of some processes, and the least that they grew."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "measured.py")
        path.write_text(case.source, encoding="utf-8")
        text = _PROGRAM.format(call=case.call)
        arguments = [sys.executable, "-c", text, str(path), "warm" if case.warm else "fresh"]
        for _ in range(rounds):
            ran = subprocess.run(arguments, capture_output=True, text=True, check=True)
            seconds, grown = ran.stdout.split()[-2:]
            found.append(Cost(float(seconds), float(grown) * 1024))
    return Cost(min(cost.seconds for cost in found), min(cost.grown for cost in found))


def measure(chosen: Sequence[Case], rounds: int) -> dict[str, Cost]:
    """The cost of each program, told as it is found."""
    costs = {}
    for case in chosen:
        count = rounds if case.statements < MANY else max(1, rounds // 3)
        costs[case.name] = cost = measured(case, count)
        print(f"{case.name}: {_duration(cost.seconds)}, {_bytes(cost.grown)}", flush=True)
    return costs


# The table ---------------------------------------------------------------------------------------


def table(chosen: Sequence[Case], before: dict[str, Cost], after: dict[str, Cost]) -> str:
    """One row for each program."""
    rows = [
        "| first call of the gradient | before | now | ratio | a statement | memory before | now |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for case in chosen:
        cost, old = after[case.name], before.get(case.name)
        each = _duration(cost.seconds / case.statements) if case.statements else ""
        cells = [
            case.name,
            _duration(old.seconds) if old else "–",
            _duration(cost.seconds),
            f"{cost.seconds / old.seconds:.2f}" if old else "–",
            each,
            _bytes(old.grown) if old else "–",
            _bytes(cost.grown),
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def section(text: str) -> str:
    """The part of README.md, with its marks."""
    versions = f"Python {platform.python_version()}, {platform.machine()}"
    return (
        f"{BEGINS}\n## Compiling\n\nWritten by `python -m tests.benchmarks compiling --write`"
        f" ({versions}). Processor time of first calls,\neach in a process of its own (fresh, or"
        " one that has compiled before), the least of some rounds, and by how\nmuch the process"
        f" grew at most.\n\n{text}\n{ENDS}\n"
    )


def kept_section() -> str:
    """The section as it stands in README.md, for those who write the rest anew."""
    found = SECTION.search(README.read_text(encoding="utf-8"))
    return "" if found is None else f"\n{found[0]}"


def _write(text: str) -> None:
    rest = SECTION.sub("", README.read_text(encoding="utf-8")).rstrip("\n")
    README.write_text(f"{rest}\n\n{text}", encoding="utf-8")


def _duration(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds < 1.0 else f"{seconds:.3g} s"


def _bytes(count: float) -> str:
    return f"{count / 2**20:.0f} MiB"


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks compiling")
    parser.add_argument("--only", default="", help="programs whose names contain this")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--long", action="store_true", help="100,000 operations as well")
    parser.add_argument("--save", type=Path, help="keep the figures in this file")
    parser.add_argument("--before", type=Path, help="figures to set beside the new ones")
    parser.add_argument("--write", action="store_true", help="write README.md beside this file")
    options = parser.parse_args(arguments)
    chosen = [case for case in cases() if options.only in case.name]
    if options.long:
        chosen.append(long_case())
    found = measure(chosen, options.rounds)
    if options.save is not None:
        kept = {name: (cost.seconds, cost.grown) for name, cost in found.items()}
        options.save.write_text(json.dumps(kept, indent=1), encoding="utf-8")
    given = {} if options.before is None else json.loads(options.before.read_text("utf-8"))
    text = table(chosen, {name: Cost(*cost) for name, cost in given.items()}, found)
    print(f"\n{text}")
    if options.write:
        _write(section(text))
    return 0
