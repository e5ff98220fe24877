"""``python -m tests.fuzz N [--seed S]``: N random programs against independent derivatives.

``--kind dtypes``: short ones of integers, bools and floats of any magnitude, some 30 a second.

Prints a line of progress and a summary; failing programs are written, minimised, to a folder. The
exit status is 1 where a program was wrong or crashed (with ``--strict`` where one was refused too).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

# Before NumPy is imported: the workers use one thread each, every primal is verified.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("SYMDIFF_VERIFY", "1")

from tests.fuzz import dtypes  # noqa: E402
from tests.fuzz.check import KINDS, Outcome  # noqa: E402
from tests.fuzz.check import check as check_program  # noqa: E402
from tests.fuzz.generate import KINDS as GENERATED  # noqa: E402
from tests.fuzz.generate import generate as generate_program  # noqa: E402
from tests.fuzz.minimise import minimise  # noqa: E402

FAILED = ("crashed", "wrong")
PROGRAMS = (*GENERATED, "dtypes")
_BATCH = 10


def generate(seed: int, kind: str) -> str:
    """The module for a seed, of one of the ``PROGRAMS``."""
    return dtypes.generate(seed) if kind == "dtypes" else generate_program(seed, kind)


def check(text: str, kind: str, limit: float = 60.0) -> Outcome:
    """The outcome for a module's text, by the reference for its kind."""
    checked = dtypes.check if kind == "dtypes" else check_program
    return checked(text, limit=limit)


def run_seed(seed: int, kind: str = "any") -> Outcome:
    """Generate and check one program; the harness's own failures count as crashes."""
    try:
        return check(generate(seed, kind), kind)
    except Exception:
        return Outcome("crashed", "harness", f"seed {seed}", traceback.format_exc())


def run_seeds(seeds: list[int], kind: str) -> list[tuple[int, Outcome]]:
    """A batch for one worker."""
    return [(seed, run_seed(seed, kind)) for seed in seeds]


def all_outcomes(first: int, count: int, jobs: int, kind: str) -> Iterator[tuple[int, Outcome]]:
    """The outcomes in the order in which they are done."""
    batches = [
        list(range(k, min(k + _BATCH, first + count))) for k in range(first, first + count, _BATCH)
    ]
    with ProcessPoolExecutor(jobs) as pool:
        for future in as_completed([pool.submit(run_seeds, batch, kind) for batch in batches]):
            yield from future.result()


def minimised(program: str, kind: str, outcome: Outcome, trials: int) -> str:
    """The smallest program found that fails with the same cause."""

    def fails(text: str) -> bool:
        try:
            compile(text, "<candidate>", "exec")
            return check(text, kind, limit=20.0).cause == outcome.cause
        except Exception:
            return False

    return minimise(program, fails, trials)


def write_failure(folder: Path, seed: int, kind: str, outcome: Outcome, trials: int) -> Path:
    """The minimised program with what happened in comments."""
    text = minimised(generate(seed, kind), kind, outcome, trials)
    shown = check(text, kind, limit=20.0)
    report = f"{outcome.cause}\n{shown.message}\n{shown.details}"
    comments = "".join(f"# {line}\n" for line in report.splitlines())
    path = folder / f"{outcome.kind}_{kind}_{seed}.py"
    path.write_text(f"{text}\n\n# seed {seed}, {kind}\n{comments}", encoding="utf-8")
    return path


def summary(outcomes: dict[int, Outcome]) -> str:
    """Counts by kind, and causes with their seeds, most frequent first."""
    lines = [_counts(outcomes)]
    seeds: dict[str, list[int]] = {}
    for seed, outcome in sorted(outcomes.items()):
        if outcome.kind != "right":
            seeds.setdefault(outcome.cause, []).append(seed)
    for cause, found in sorted(seeds.items(), key=lambda item: -len(item[1])):
        lines.append(f"{len(found):5d}  {cause}  [seeds {', '.join(map(str, found[:5]))}]")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; gives the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=300, metavar="N")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--kind", choices=PROGRAMS, default="any", help="of the programs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--out", type=Path, default=Path("fuzz-failures"), help="for failing programs"
    )
    parser.add_argument("--trials", type=int, default=300, help="of the minimiser, for one program")
    parser.add_argument(
        "--show", action="store_true", help="print the program of the seed and what happens"
    )
    parser.add_argument("--strict", action="store_true", help="refusals fail too")
    options = parser.parse_args(arguments)
    return show(options.seed, options.kind) if options.show else run(options)


def show(seed: int, kind: str) -> int:
    """One program and its outcome."""
    text = generate(seed, kind)
    outcome = check(text, kind)
    print(text)
    print(f"{outcome.cause}\n{outcome.message}\n{outcome.details}")
    return int(outcome.kind in FAILED)


def run(options: argparse.Namespace) -> int:
    """Check all seeds, report, write what failed; an interrupt ends the run with what is known."""
    outcomes: dict[int, Outcome] = {}
    started = time.monotonic()
    try:
        for seed, outcome in all_outcomes(options.seed, options.count, options.jobs, options.kind):
            outcomes[seed] = outcome
            if outcome.kind != "right":
                print(f"\r{seed}: {outcome.cause}")
            told = f"{len(outcomes)}/{options.count} in {time.monotonic() - started:.0f} s"
            print(f"\r{told}: {_counts(outcomes)}", end="", flush=True)
    except KeyboardInterrupt:
        print("\ninterrupted", end="")
    print(f"\n{summary(outcomes)}")
    _write_failures(options, outcomes)
    bad = (*FAILED, "refused") if options.strict else FAILED
    return int(any(outcome.kind in bad for outcome in outcomes.values()))


def _counts(outcomes: dict[int, Outcome]) -> str:
    counts = Counter(outcome.kind for outcome in outcomes.values())
    return ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])


def _write_failures(options: argparse.Namespace, outcomes: dict[int, Outcome]) -> None:
    """One program for each cause."""
    first: dict[str, int] = {}
    for seed, outcome in sorted(outcomes.items()):
        if outcome.kind in (*FAILED, "refused"):
            first.setdefault(outcome.cause, seed)
    if first:
        options.out.mkdir(parents=True, exist_ok=True)
    for seed in first.values():
        print(write_failure(options.out, seed, options.kind, outcomes[seed], options.trials))


if __name__ == "__main__":
    sys.exit(main())
