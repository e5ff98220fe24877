"""What ``differentiable(simplify=True)`` makes of the gradients of all test programs.

    python -m tests.benchmarks.simplification [--write] [--points 10000] [--only NAME]

For each program whose gradient SymPy changes: operations before and after, and their cost by the
table of costs. ``--points`` compares simplified with plain gradients at so many points around the
programs' arguments; a difference ends the command with status 1. ``--write`` writes the table into
README.md beside this file.
"""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

README = Path(__file__).with_name("README.md")
BEGINS, ENDS = "<!-- simplification begins -->", "<!-- simplification ends -->"
SECTION = re.compile(f"(?s){BEGINS}.*{ENDS}\n")
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Changed:
    """A program, its gradient with and without simplification, and the counts."""

    program: Any
    plain: Any
    simplified: Any
    operations: tuple[int, int]
    costs: tuple[float, float]
    families: tuple[str, ...]


def changed_programs(only: str = "") -> Iterator[Changed]:
    """The programs whose gradients SymPy changes."""
    from tests.programs.registry import load

    for program in load():
        own = program.function.__module__.startswith("tests.programs")
        if own and only in program.name and not program.reset and not program.mutates:
            found = _changed(program)
            if found is not None:
                yield found


def _changed(program: Any) -> Changed | None:
    import symdiff as sd
    from symdiff import pipeline
    from symdiff.errors import SymdiffError

    function = sd.differentiable(program.function)
    try:
        plain = function._gradient(program.wrt, value=True)
        derived = plain._home.derive(plain._transforms, plain._described(program.arguments(0), {}))
    except (SymdiffError, TypeError, ValueError):
        return None  # no scalar: the gradient is not defined
    before = pipeline.emittable(derived.graph)
    after, record = pipeline.simplify_islands(before, pipeline.KINDS)
    taken = [one for one in record if one.taken]
    if not taken:
        return None
    simplified = sd.differentiable(program.function, simplify=True)
    counts = _counted(before), _counted(after)
    return Changed(
        program,
        plain,
        simplified._gradient(program.wrt, value=True),
        (counts[0][0], counts[1][0]),
        (counts[0][1], counts[1][1]),
        tuple(sorted({one.family for one in taken})),
    )


def _counted(graph: Any) -> tuple[int, float]:
    """Operations of a graph, numbers not counted, and the cost of those that the table knows."""
    from symdiff.ir.graph import walk_nodes
    from symdiff.optimise.islands.costs import cost_of

    nodes = [node for node in walk_nodes(graph.block) if node.op.name != "constant"]
    return len(nodes), sum(cost_of(node) or 0.0 for node in nodes if len(node.results) == 1)


def worst_difference(changed: Changed, points: int, seed: int = 7) -> float:
    """The greatest difference around the arguments, in terms of each array's greatest number."""
    rng = np.random.default_rng(seed)
    worst = 0.0
    for _ in range(points):
        arguments = tuple(_moved(one, rng) for one in changed.program.arguments(0))
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            pairs = zip(
                _numbers(_result(changed.plain, arguments)),
                _numbers(_result(changed.simplified, arguments)),
                strict=True,
            )
            worst = max([worst, *(_difference(a, b) for a, b in pairs)])
    return worst


def _result(function: Any, arguments: tuple[Any, ...]) -> Any:
    import copy

    try:
        return function(*copy.deepcopy(arguments))
    except (ArithmeticError, ValueError, IndexError) as error:
        return np.array([hash(type(error)) % 1000])


def _moved(value: Any, rng: np.random.Generator) -> Any:
    """An argument with its floats moved by about a tenth."""
    if isinstance(value, float):
        return value * (1.0 + 0.1 * rng.normal())
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return (value * (1.0 + 0.1 * rng.normal(size=value.shape))).astype(value.dtype)
    if type(value) in (list, tuple):
        return type(value)(_moved(item, rng) for item in value)
    if type(value) is dict:
        return {key: _moved(item, rng) for key, item in value.items()}
    return value


def _numbers(value: Any) -> Iterator[np.ndarray]:
    from symdiff.ir.structure import flatten

    for leaf in flatten(value)[0]:
        yield np.asarray(leaf)


def _difference(a: np.ndarray, b: np.ndarray) -> float:
    if a.shape != b.shape or a.dtype != b.dtype:
        return float("inf")
    if not a.size or a.dtype.kind not in "fc":
        return 0.0 if np.array_equal(a, b) else float("inf")
    if not np.array_equal(np.isfinite(a), np.isfinite(b)):
        return float("inf")
    finite = np.isfinite(a)
    scale = np.abs(a[finite]).max(initial=1e-300)
    eps = np.finfo(a.dtype).eps / np.finfo(np.float64).eps
    return float(np.abs(a[finite] - b[finite]).max(initial=0.0) / scale / eps)


def section(rows: list[Changed]) -> str:
    """The part of README.md, with its marks."""
    lines = [
        BEGINS,
        "## Simplification\n",
        "Written by `python -m tests.benchmarks.simplification --write`. Value and gradient of the",
        "programs of `tests/programs` with `simplify=True`: operations before and after, and what",
        "elementwise ones cost by the table of costs (nanoseconds an element, or a number).",
        "`stable` may cost more: it is asked for to be more accurate. Programs in which nothing is",
        "replaced are left out.\n",
        "| program | operations | after | cost | after | by |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for one in rows:
        (before, after), (cost, less) = one.operations, one.costs
        by = ", ".join(one.families)
        lines.append(
            f"| {one.program.name} | {before} | {after} | {cost:.4g} | {less:.4g} | {by} |"
        )
    return "\n".join([*lines, ENDS]) + "\n"


def kept_section() -> str:
    """The section as it stands in README.md, for those who write the rest anew."""
    found = SECTION.search(README.read_text(encoding="utf-8"))
    return "" if found is None else f"\n{found[0]}"


def write(text: str) -> None:
    """Write the section into README.md."""
    before = SECTION.sub("", README.read_text(encoding="utf-8")).rstrip("\n")
    README.write_text(f"{before}\n\n{text}", encoding="utf-8")


def main() -> int:
    """Run the command."""
    command = "python -m tests.benchmarks.simplification"
    parser = argparse.ArgumentParser(prog=command, description=__doc__)
    parser.add_argument("--only", default="", help="programs whose names contain this")
    parser.add_argument("--points", type=int, default=0, help="compare at so many points")
    parser.add_argument("--write", action="store_true", help="write README.md beside this file")
    options = parser.parse_args()
    rows, differing = [], 0
    for changed in changed_programs(options.only):
        rows.append(changed)
        worst = worst_difference(changed, options.points)
        differing += worst > TOLERANCE
        print(f"{changed.program.name}: {changed.operations}, worst difference {worst:.2g}")
    if options.write:
        write(section(rows))
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
