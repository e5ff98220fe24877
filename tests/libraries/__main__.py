"""``python -m tests.libraries [PACKAGE ...]``: the calls of packages' documentation.

Every package named, or every one of the ``PACKAGES`` that is installed, is told how many of its
documented calls with floats are differentiated right, wrong, refused, internal errors or late, and
the causes of what is not right; of several packages the last lines tell of all together.
``unsettled`` are calls that are differentiated where differences of several steps do not agree;
they count neither way. The exit status is 1 where one is wrong or an internal error.

With ``--measure`` the summary has three more lines: the CPU time of the first calls, the time of a
gradient in calls of the function, and emitted lines by lines followed, each as its median, its
95th percentile and its maximum; the lines of all calls are added up as well, as of a function of
one line there are a few at least.
"""

from __future__ import annotations

import argparse
import doctest
import importlib.util
import multiprocessing
import os
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import repeat

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("SYMDIFF_VERIFY", "1")

from tests.libraries import harvest  # noqa: E402
from tests.libraries.judge import KINDS, Result, judged  # noqa: E402

PACKAGES = (
    "fluids", "chemicals", "ht", "thermo", "astropy", "filterpy", "lmfit", "sklearn", "statistics",
    "numpy", "scipy",
)  # fmt: skip
BAD = ("wrong", "internal")


_TESTS: dict[str, doctest.DocTest] = {}  # by name, for the workers, which are forked


def judged_package(
    package: str, most: int, seed: int, jobs: int, only: str = "", measures: bool = False
) -> list[Result]:
    """The results of a package's calls, of the first ``most`` in a random order."""
    found = harvest.shuffled(list(harvest.documented(package)), seed)
    _TESTS.update((test.name, test) for test in found)
    names = [test.name for test in found if only in test.name]
    results: list[Result] = []
    for some in _in_order(package, names, jobs, measures):
        results += some
        if sys.stderr.isatty():
            print(f"\r{package}: {_counts(results)} ", end="", file=sys.stderr, flush=True)
        if len(results) >= most:
            break
    return results[:most]


def _in_order(
    package: str, names: Sequence[str], jobs: int, measures: bool
) -> Iterator[list[Result]]:
    """The results by docstring; where a worker dies another goes on behind what it was at."""
    left = list(names)
    while left:
        with (
            tempfile.TemporaryDirectory() as folder,  # for the files that examples write
            ProcessPoolExecutor(
                jobs,
                mp_context=multiprocessing.get_context("fork"),
                initializer=os.chdir,
                initargs=(folder,),
            ) as pool,
        ):
            try:
                given = repeat(package), repeat(measures)
                for some in pool.map(_judged_docstring, list(left), *given):
                    yield some
                    left.pop(0)
            except BrokenProcessPool:
                left.pop(0)
            finally:
                pool.shutdown(cancel_futures=True)


def _judged_docstring(name: str, package: str, measures: bool) -> list[Result]:
    return list(judged_test(_TESTS[name], package, measures))


def judged_test(test: doctest.DocTest, package: str, measures: bool = False) -> Iterator[Result]:
    """The results of a docstring's calls, each text once."""
    seen = set()
    for call in harvest.calls(test, package):
        if call.original not in seen:
            seen.add(call.original)
            result = judged(call, measures)
            if result is not None:
                yield result


# --- what is told


def _counts(results: Sequence[Result]) -> str:
    counts = Counter(result.kind for result in results)
    return ", ".join(f"{counts[kind]} {kind}" for kind in KINDS)


def _decided(results: Sequence[Result]) -> list[Result]:
    return [result for result in results if result.kind != "unsettled"]


def head(package: str, results: Sequence[Result]) -> str:
    """Counts by kind, and the share of right ones."""
    decided = _decided(results)
    right = sum(result.kind == "right" for result in decided)
    share = 100.0 * right / max(1, len(decided))
    return f"{package}: {len(results)} calls, {_counts(results)}: {share:.1f} % right"


def summary(package: str, results: Sequence[Result]) -> str:
    """Counts by kind, the share of right ones, then the causes of what is not right."""
    decided = _decided(results)
    lines = [head(package, results)]
    others = [result for result in decided if result.kind != "right"]
    causes = Counter((result.kind, result.cause) for result in others)
    for (kind, cause), count in causes.most_common():
        same = [r for r in others if (r.kind, r.cause) == (kind, cause)]
        lines += [f"       {r.place}: {r.call}: {r.details}" for r in same[1:] if kind == "wrong"]
        first = same[0]
        told = "\n".join(f"             {line}" for line in first.details.splitlines())
        lines.append(f"{count:5d}  {kind}: {cause}\n           {first.place}: {first.call}\n{told}")
    return "\n".join(lines)


def costs(results: Sequence[Result]) -> str:
    """What first calls take, and what gradients cost beside their functions."""
    known = [result.measure for result in results if result.measure is not None]
    rows = {
        "seconds of a first call": [result.seconds for result in results],
        "gradient / function": [measure.time for measure in known],
        "lines emitted / followed": [measure.emitted / measure.followed for measure in known],
    }
    told = [f"{name}: {_spread(row)}" for name, row in rows.items() if row]
    if known:
        emitted = sum(measure.emitted for measure in known)
        followed = sum(measure.followed for measure in known)
        told[-1] += f", all together {emitted / followed:.3g}"
    return "\n".join(f"       {line}" for line in told)


def _spread(values: Sequence[float]) -> str:
    ordered = sorted(values)
    late = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    return f"median {statistics.median(ordered):.3g}, 95 % {late:.3g}, most {ordered[-1]:.3g}"


def _is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.libraries", description=__doc__)
    parser.add_argument("packages", nargs="*")
    parser.add_argument("--most", type=int, default=400, help="calls of each package")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--measure", action="store_true", help="tell what gradients cost, too")
    parser.add_argument("--only", default="", help="only docstrings whose name contains this")
    options = parser.parse_args(arguments)
    absent = [each for each in PACKAGES if not _is_installed(each)]
    wanted = options.packages or [each for each in PACKAGES if each not in absent]
    if not options.packages and absent:
        print(f"not installed: {', '.join(absent)}")
    everything: list[Result] = []
    for package in wanted:
        results = judged_package(
            package, options.most, options.seed, options.jobs, options.only, options.measure
        )
        print(summary(package, results), flush=True)
        if options.measure:
            print(costs(results), flush=True)
        everything += results
    if len(wanted) > 1:
        print(head("all together", everything))
        if options.measure:
            print(costs(everything))
    return int(any(result.kind in BAD for result in everything))


if __name__ == "__main__":
    sys.exit(main())
