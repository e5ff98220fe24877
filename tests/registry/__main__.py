"""``python -m tests.registry``: how many cells there are; with names, all cells of these.

python -m tests.registry                       the counts
python -m tests.registry np.sin x.sum()        the cells of what is so called, all of them
python -m tests.registry --extremes [np.sin]   with integers and floats of any magnitude
"""

from __future__ import annotations

import os
import sys
from collections import Counter

os.environ.setdefault("SYMDIFF_VERIFY", "1")

from tests.registry import extremes, table, walk


def count() -> None:
    """Print how many cells there are: of all, and in ``make test``."""
    names, every, drawn, values = walk.registered(), Counter[str](), 0, 0
    for name in names:
        groups = walk.groups(table.examples_of(name))
        cells = {cell for group in groups for cell in group.cells()}
        every.update(f"order {cell.order}, {cell.mode}, {cell.dtype}" for cell in cells)
        values += sum(len(group.cases) for group in groups)
        sampled = walk.sample(groups, name)
        drawn += len({cell for group in sampled for cell in _drawn(group, name)})
    for kind, number in sorted(every.items()):
        print(f"{number:8} {kind}")
    print(f"{every.total():8} cells of {len(names)} callables, and {values} values;")
    print(f"{drawn:8} of them in `make test`, all in `make test-all`")


def _drawn(group: walk.Group, name: str) -> list[walk.Cell]:
    orders = walk.sampled_orders(group, name)
    return [cell for cell in group.cells() if cell.order in orders]


def check(names: list[str]) -> int:
    """Walk all cells of some callables, and print what is wrong."""
    found = walk.Found()
    for name in names:
        for group in walk.groups(table.examples_of(name)):
            walk.walk(group, found)
    print("\n".join([*found.wrong, f"{len(set(found.held))} cells and {found.valued} values hold"]))
    return bool(found.wrong)


def check_extremes(names: list[str]) -> int:
    """The same with integer operands and floats of any magnitude; of all callables by default."""
    found = walk.Found()
    for name in names or walk.registered():
        before = len(found.wrong)
        for group in extremes.groups(table.examples_of(name)):
            walk.walk(group, found, extremes.ORDERS, extremes.Relative)
        print("\n".join(found.wrong[before:]) or f"{name}: {len(found.held)} so far", flush=True)
    print(f"{len(set(found.held))} cells hold, {len(found.wrong)} do not")
    print(f"{found.unknown} are not told by differences")
    return bool(found.wrong)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--extremes"]:
        sys.exit(check_extremes(sys.argv[2:]))
    sys.exit(check(sys.argv[1:]) if len(sys.argv) > 1 else count())
