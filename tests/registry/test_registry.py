"""Everything that is registered is tested because it is: a callable without an example fails."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import pytest

from tests.registry import cases, extremes, residuals, table, walk
from tests.registry.examples import Example
from tests.shares import ALL  # else of each callable a fixed part

LEAST = 8  # shapes of what takes arrays
SHOWN = 6  # of what is wrong
FEW = {"x.item()", "scipy.sparse.linalg.spsolve"}  # of one element; of a matrix of given places


def share(name: str) -> pytest.MarkDecorator:
    """Of the methods of a hundred laws, which are made in one way, a smaller part is run."""
    of = {"scipy.stats.": 18, "scipy.": 6}
    return pytest.mark.one_in(next((n for start, n in of.items() if name.startswith(start)), 1))


@pytest.mark.parametrize("name", [pytest.param(n, marks=share(n)) for n in walk.registered()])
def test_what_is_registered_is_right_in_every_cell(name: str, record_property: Any) -> None:
    examples = table.examples_of(name)
    groups = walk.groups(examples)
    require_enough(name, examples, groups)
    found = walk.Found()
    for group in groups if ALL else walk.sample(groups, name):
        orders = (1, 2, 3) if ALL else walk.sampled_orders(group, name)
        walk.walk(group, found, orders, whole=ALL)
    record_property("cells", len(set(found.held)))
    record_property("values", found.valued)
    assert not found.wrong, "\n".join([f"{len(found.wrong)} cells", *found.wrong[:SHOWN]])


def test_a_part_of_the_cells_has_every_operand_in_one_case() -> None:
    assert walk.dealt([0, 2], 3, 5) == {2: [0], 0: [2]}
    assert walk.dealt([0, 1, 3], 2, 0) == {0: [0, 3], 1: [1]}
    assert walk.dealt([], 2, 3) == {1: []}


def require_enough(name: str, examples: Sequence[Example], groups: Sequence[walk.Group]) -> None:
    """That the library takes every call of the table, and those of arrays in many shapes."""
    refused = {example.body for example in examples} - {group.example.body for group in groups}
    assert not refused, "the library refuses a call in every shape"
    if name not in FEW and not any(example.family is cases.scalars for example in examples):
        assert len({str(case) for group in groups for case, _ in group.cases}) >= LEAST


@pytest.mark.parametrize("name", walk.registered() if ALL else extremes.SAMPLE)
def test_integers_and_floats_of_any_magnitude(name: str, record_property: Any) -> None:
    groups = list(extremes.groups(table.examples_of(name)))
    found = walk.Found()
    for group in groups if ALL else extremes.sample(groups, name, 2):
        walk.walk(group, found, extremes.ORDERS, extremes.Relative)
    record_property("extreme cells", len(set(found.held)))
    assert not found.wrong, "\n".join([f"{len(found.wrong)} cells", *found.wrong[:SHOWN]])


@pytest.mark.parametrize("name", walk.registered() if ALL else residuals.SAMPLE)
def test_a_residual_of_zero_has_a_second_derivative(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = residuals.residual_of(name)
        assert found is not None or name not in residuals.SAMPLE
        assert found is None or not found.wrong(), found.wrong()


def test_everything_has_an_example() -> None:
    for name in walk.registered():
        assert table.examples_of(name), name


def test_the_table_has_nothing_else() -> None:
    assert not set(table.TABLE) - set(walk.registered())
