"""What ``differentiable(simplify=True)`` makes of the derivatives of all test programs.

    python -m tests.benchmarks.simplification [--write] [--points 10000] [--only NAME]

For each program whose derivative SymPy changes: operations before and after, their cost by the
table of costs, and how far simplified and plain derivatives are apart at 10,000 (``--points``)
points around the program's arguments. A difference beyond rounding ends the command with status 1.
``--write`` writes the table into README.md beside this file.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from symdiff.ir.structure import flatten, unflatten

README = Path(__file__).with_name("README.md")
BEGINS, ENDS = "<!-- simplification begins -->", "<!-- simplification ends -->"
SECTION = re.compile(f"(?s){BEGINS}.*{ENDS}\n")
TOLERANCE = 1e-9
BATCH = 500  # points that are compared at once


@dataclass(frozen=True)
class Changed:
    """A program, its derivative with and without simplification, and the counts."""

    program: Any
    plain: Any
    simplified: Any
    operations: tuple[int, int]
    costs: tuple[float, float]
    families: tuple[str, ...]


def changed_programs(only: str = "") -> Iterator[Changed]:
    """The programs whose derivatives SymPy changes."""
    from tests.programs.registry import load

    for program in load():
        own = program.function.__module__.startswith("tests.programs")
        found = _changed(program) if own and only in program.name else None
        if found is not None:
            yield found


def _changed(program: Any) -> Changed | None:
    import symdiff as sd
    from symdiff import pipeline

    plain, derived = _derivative(sd.differentiable(program.function), program)
    before = pipeline.emittable(derived.graph)
    after, record = pipeline.simplify_islands(before, pipeline.KINDS)
    taken = [one for one in record if one.taken]
    if not taken:
        return None
    simplified, _ = _derivative(sd.differentiable(program.function, simplify=True), program)
    counts = _counted(before), _counted(after)
    return Changed(
        program,
        plain,
        simplified,
        (counts[0][0], counts[1][0]),
        (counts[0][1], counts[1][1]),
        tuple(sorted({one.family for one in taken})),
    )


def _derivative(function: Any, program: Any) -> tuple[Any, Any]:
    """Value and gradient, or the Jacobian of all that is returned or written, and its graph."""
    import symdiff as sd
    from symdiff.errors import GradientShapeError

    found = sd.value_and_grad(function, program.wrt)
    if not program.mutates:
        try:
            return found, found._home.derive(*_asked(found, program))
        except GradientShapeError:
            pass
    found = sd.jacobian(sd.functional(function), program.wrt)
    return found, found._home.derive(*_asked(found, program))


def _asked(derivative: Any, program: Any) -> tuple[Any, Any]:
    return derivative._transforms, derivative._described(program.arguments(0), {})


def _counted(graph: Any) -> tuple[int, float]:
    """Operations of a graph, numbers not counted, and the cost of those that the table knows."""
    from symdiff.ir.graph import walk_nodes
    from symdiff.optimise.islands.costs import cost_of

    nodes = [node for node in walk_nodes(graph.block) if node.op.name != "constant"]
    return len(nodes), sum(cost_of(node) or 0.0 for node in nodes if len(node.results) == 1)


def worst_difference(changed: Changed, points: int, seed: int = 7) -> float:
    """The greatest difference around the arguments, in terms of each array's greatest number.

    Points are drawn and compared in batches: of a point alone most of the time would go into that.
    """
    rng = np.random.default_rng(seed)
    worst = 0.0
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for start in range(0, points, BATCH):
            calls = list(_calls(changed.program, min(BATCH, points - start), rng))
            plain = _results(changed.plain, changed.program, calls)
            simplified = _results(changed.simplified, changed.program, calls)
            worst = max(worst, _worst(plain, simplified))
    return worst


def _calls(program: Any, count: int, rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    """Arguments whose floats are moved by about a tenth, wherever they stand in containers."""
    leaves, structure = flatten(program.arguments(0))
    moved = [_moved(leaf, count, rng) for leaf in leaves]
    for k in range(count):
        yield unflatten(structure, [leaf(k) for leaf in moved])


def _moved(leaf: Any, count: int, rng: np.random.Generator) -> Callable[[int], Any]:
    """What stands for a number or an array at each point; what is no float stays."""
    array = np.asarray(leaf)
    if array.dtype.kind != "f":
        return lambda k: leaf
    moved = (array * (1.0 + 0.1 * rng.normal(size=(count, *array.shape)))).astype(array.dtype)
    if isinstance(leaf, np.ndarray):
        return lambda k: moved[k, ...]
    return lambda k: type(leaf)(moved[k])


def _results(function: Any, program: Any, calls: list[tuple[Any, ...]]) -> list[list[Any]]:
    """The numbers and arrays of each result, or the type of what is raised."""
    found: list[list[Any]] = []
    with contextlib.redirect_stdout(io.StringIO()):
        for arguments in calls:
            if program.reset is not None:
                program.reset()
            try:
                found.append(flatten(function(*arguments))[0])
            except (ArithmeticError, ValueError, IndexError) as error:
                found.append([type(error)])
    return found


def _worst(plain: list[list[Any]], simplified: list[list[Any]]) -> float:
    """The greatest difference of results at several points, those of one kind at once."""
    alike: dict[Any, list[int]] = {}
    for k, (ours, theirs) in enumerate(zip(plain, simplified, strict=True)):
        kinds = [_kind(one) for one in ours]
        if kinds != [_kind(one) for one in theirs]:
            return float("inf")
        alike.setdefault(tuple(kinds), []).append(k)
    worst = 0.0
    for kinds, points in alike.items():
        for place, (_, dtype, _) in enumerate(kinds):
            if dtype is not None:
                both = [np.array([x[k][place] for k in points]) for x in (plain, simplified)]
                shaped = [one.reshape(len(points), -1) for one in both]
                worst = max(worst, _difference(*shaped))
    return worst


def _kind(leaf: Any) -> tuple[Any, Any, Any]:
    """The type of a result; what was raised is its own."""
    if isinstance(leaf, type):
        return leaf, None, None
    return type(leaf), getattr(leaf, "dtype", float), np.shape(leaf)


def _difference(a: np.ndarray, b: np.ndarray) -> float:
    """The greatest difference of two arrays, in terms of the greatest number in each row."""
    if a.dtype.kind not in "fc":
        return 0.0 if np.array_equal(a, b) else float("inf")
    finite = np.isfinite(a)
    others = np.where(finite, 0.0, a), np.where(np.isfinite(b), 0.0, b)
    if not np.array_equal(*others, equal_nan=True):
        return float("inf")
    tiny = np.finfo(a.dtype).tiny
    scale = np.where(finite, np.abs(a), tiny).max(axis=1, initial=tiny, keepdims=True)
    eps = np.finfo(a.dtype).eps / np.finfo(np.float64).eps
    apart = np.abs(np.where(finite, a, 0.0) - np.where(finite, b, 0.0))
    return float((apart / scale).max(initial=0.0) / eps)


def section(rows: Sequence[tuple[Changed, float]], points: int) -> str:
    """The part of README.md, with its marks; ``rows`` have the worst differences."""
    lines = [
        BEGINS,
        "## Simplification\n",
        "Written by `python -m tests.benchmarks.simplification --write`. Value and gradient of the",
        "programs of `tests/programs` with `simplify=True` (the Jacobian where there is no scalar,",
        "or arguments are written): operations before and after, and what elementwise ones cost by",
        "the table of costs (nanoseconds an element, or a number). `stable` may cost more: it is",
        "asked for to be more accurate. Programs in which nothing is replaced are left out.",
        f"By the last column simplified and plain derivatives differ at {points:,} points around",
        "the arguments at most, in terms of the greatest number of an array (float32: and of its",
        "own rounding).\n",
        "| program | operations | after | cost | after | by | difference |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for one, worst in rows:
        (before, after), (cost, less) = one.operations, one.costs
        counts = f"{before} | {after} | {cost:.4g} | {less:.4g}"
        by = ", ".join(one.families)
        lines.append(f"| {one.program.name} | {counts} | {by} | {worst:.1g} |")
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
    parser.add_argument("--points", type=int, default=10_000, help="how many to compare at")
    parser.add_argument("--write", action="store_true", help="write README.md beside this file")
    options = parser.parse_args()
    rows: list[tuple[Changed, float]] = []
    for changed in changed_programs(options.only):
        worst = worst_difference(changed, options.points)
        rows.append((changed, worst))
        print(f"{changed.program.name}: {changed.operations}, worst difference {worst:.2g}")
    if options.write:
        write(section(rows, options.points))
    return int(any(worst > TOLERANCE for _, worst in rows))


if __name__ == "__main__":
    sys.exit(main())
