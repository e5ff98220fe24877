"""The costs of elementwise ops on NumPy, from which simplification tells what is cheaper.

    python -m tests.benchmarks.costs [--write]

For each op of the table in ``symdiff/optimise/islands/costs.py``: nanoseconds an element of an
array of 10,000 that fits the cache, and nanoseconds of a call with numbers. The least of
interleaved rounds: what else the machine does adds to a time, never takes from it.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

SIZE = 10_000
TABLE = Path(__file__).parents[2] / "symdiff" / "optimise" / "islands" / "costs.py"
_WRITTEN = re.compile(r"(?s)(# What the command writes begins here\.\n).*(# What it writes ends)")
_ABOVE_ONE = frozenset({"arccosh"})


def measured(names: list[str], rounds: int) -> dict[str, tuple[float, float]]:
    """The costs by name."""
    from symdiff.ops.declare import REGISTRY

    rng = np.random.default_rng(5)
    arrays, numbers = {}, {}
    for name in names:
        ufunc = REGISTRY[name].evaluate
        count = len(REGISTRY[name].partials or ())
        low, high = (1.1, 1.9) if name in _ABOVE_ONE else (0.1, 0.9)
        values = [rng.uniform(low, high, SIZE) for _ in range(count)]
        arrays[name] = lambda f=ufunc, v=values: f(*v)
        numbers[name] = lambda f=ufunc, v=[x[0] for x in values]: f(*v)
    whole, single = _least(arrays, rounds, 20), _least(numbers, rounds, 2_000)
    return {name: (whole[name] / SIZE, single[name]) for name in names}


def _least(calls: dict[str, Any], rounds: int, count: int) -> dict[str, float]:
    """The least time of a call of each, in nanoseconds."""
    least = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            started = time.perf_counter_ns()
            for _ in range(count):
                call()
            least[name] = min(least[name], (time.perf_counter_ns() - started) / count)
    return least


def table(costs: dict[str, tuple[float, float]]) -> str:
    """The table as it stands in the file, in two digits: more would be noise."""
    pairs = sorted(costs.items())
    rows = [f'    "{name}": ({each:.1f}, {one:.0f}.0),' for name, (each, one) in pairs]
    return "\n".join(["COSTS: dict[str, tuple[float, float]] = {", *rows, "}\n"])


def main() -> int:
    """Run the command."""
    from symdiff.optimise.islands.costs import COSTS

    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.costs", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--write", action="store_true", help="write the table into its module")
    options = parser.parse_args()
    text = table(measured(list(COSTS), options.rounds))
    print(text, end="")
    if options.write:
        before = TABLE.read_text(encoding="utf-8")
        after = _WRITTEN.sub(lambda found: found[1] + text + found[2], before)
        TABLE.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
