"""What ``make test`` runs of tests with many cases."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests import shares


@pytest.fixture(autouse=True)
def a_part_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "ALL", False)
    monkeypatch.setattr(shares, "PART", 0)


def items(test: str, cases: int, one_in: int | None = None) -> list[Any]:
    mark = None if one_in is None else SimpleNamespace(args=(one_in,))
    return [
        SimpleNamespace(nodeid=f"{test}[{case}]", get_closest_marker=lambda _: mark)
        for case in range(cases)
    ]


def test_of_many_cases_a_part_is_run_and_the_same_ones_again() -> None:
    many = items("test_many", 900)
    run, left = shares.divided(many)
    assert len(run) == 900 / shares.PARTS
    assert [one for one in many if one in run or one in left] == many
    assert shares.divided(many) == (run, left)


def test_the_parts_are_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [*items("test_many", 901), *items("test_marked", 5, one_in=4)]
    runs = []
    for part in range(shares.PARTS):
        monkeypatch.setattr(shares, "PART", part)
        runs += shares.divided(many)[0]
    assert sorted(map(id, runs)) == sorted(map(id, many))


def test_more_cases_take_no_more_time() -> None:
    run, _ = shares.divided(items("test_very_many", 20 * shares.MOST))
    assert len(run) == shares.MOST


def test_few_cases_and_those_of_a_marked_test_are_all_run() -> None:
    few, marked = items("test_few", shares.MANY), items("test_marked", 100, one_in=1)
    assert shares.divided(few + marked) == (few + marked, [])


def test_a_mark_may_be_of_some_cases() -> None:
    some, others = items("test_some", 30, one_in=3), items("test_some", 30, one_in=1)
    assert len(shares.divided(some + others)[0]) == 40


def test_of_cases_that_take_long_a_part_is_run_however_few_they_are() -> None:
    run, left = shares.divided(items("test_long", 5, one_in=4))
    assert (len(run), len(left)) == (2, 3)


def test_all_are_run_where_all_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "ALL", True)
    many = items("test_many", 900, one_in=4)
    assert shares.divided(many) == (many, [])
