"""What ``make test`` runs of tests with many cases."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests import shares


def items(test: str, cases: int, *, marked: bool = False) -> list[SimpleNamespace]:
    return [
        SimpleNamespace(nodeid=f"{test}[{case}]", get_closest_marker=lambda _: marked or None)
        for case in range(cases)
    ]


def test_of_many_cases_a_part_is_run_and_the_same_ones_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shares, "ALL", False)
    many = items("test_many", 900)
    run, left = shares.divided(many)
    assert 180 < len(run) < 270
    assert [one for one in many if one in run or one in left] == many
    assert shares.divided(many) == (run, left)


def test_more_cases_take_no_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "ALL", False)
    run, _ = shares.divided(items("test_very_many", 20 * shares.MOST))
    assert 0.8 * shares.MOST < len(run) < 1.2 * shares.MOST


def test_few_cases_and_those_of_a_marked_test_are_all_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "ALL", False)
    few, marked = items("test_few", shares.MANY), items("test_marked", 100, marked=True)
    assert shares.divided(few + marked) == (few + marked, [])


def test_all_are_run_where_all_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "ALL", True)
    many = items("test_many", 900)
    assert shares.divided(many) == (many, [])
