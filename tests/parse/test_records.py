"""Arrays of records (structured arrays) that stand outside, or are arguments, are tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd

FIELDS = [("rate", float), ("power", int), ("name", "U3"), ("parts", float, (2,))]
ROWS = np.array([(1.5, 2, "a", (1.0, 2.0)), (3.0, 3, "b", (4.0, 5.0))], dtype=FIELDS)
ROW = ROWS[1]


@pytest.fixture(autouse=True)
def _verified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")


def over_rows(x: Any) -> Any:
    total = 0.0
    for rate, power, _, parts in ROWS:
        total = total + rate * x**power + np.sum(parts * x)
    return total


def by_names(x: Any) -> Any:
    found = {row["name"]: row["rate"] for row in ROWS}
    return found["b"] * x**2 + found["a"] * x


CASES: dict[str, tuple[Any, Any, float]] = {
    "a field": (lambda x: np.sum(ROWS["rate"] * x**2), lambda x: 9.0 * x, 9.0),
    "a field of a row": (lambda x: ROWS[1]["rate"] * x**2, lambda x: 6.0 * x, 6.0),
    "a row": (lambda x: ROW["rate"] * x**3 + ROW[0], lambda x: 9.0 * x**2, 36.0),
    "by places": (lambda x: ROWS[-1][0] * x + len(ROWS) * x, lambda x: 5.0, 0.0),
    "parts": (lambda x: ROWS["parts"][1] @ np.array([x, x * x]), lambda x: 4.0 + 10.0 * x, 10.0),
    "over rows": (over_rows, lambda x: 12.0 + 3.0 * x + 9.0 * x**2, 39.0),
    "by names": (by_names, lambda x: 6.0 * x + 1.5, 6.0),
}


@pytest.mark.parametrize("name", CASES)
def test_records_are_read(name: str) -> None:
    function, slope, curve = CASES[name]
    assert sd.grad(function)(2.0) == pytest.approx(slope(2.0), rel=1e-13)
    assert sd.jvp(function, (2.0,), (0.5,))[1] == pytest.approx(0.5 * slope(2.0), rel=1e-13)
    assert sd.grad(sd.grad(function))(2.0) == pytest.approx(curve, abs=1e-12)


def test_what_is_changed_outside_is_seen() -> None:
    rows = ROWS.copy()
    gradient = sd.grad(lambda x: rows["rate"][0] * x + rows[1]["power"] * x)
    assert gradient(2.0) == 4.5
    rows["rate"][0], rows["power"][1] = 7.0, 5
    assert gradient(2.0) == 12.0


def test_records_as_arguments_have_no_derivative() -> None:
    def f(x: Any, rows: Any) -> Any:
        return x * rows["rate"][1] + x * rows[0]["power"]

    assert sd.grad(f)(2.0, ROWS) == 5.0
    assert sd.vjp(f, 2.0, ROWS)[1](1.0) == (5.0, None)
    with pytest.raises(sd.SignatureError, match="cannot differentiate f with respect to 'rows'"):
        sd.grad(f, argnums=1)(2.0, ROWS)


def test_a_write_is_refused() -> None:
    def a_field(x: Any, rows: Any) -> Any:
        rows["rate"] = x
        return rows["rate"][0]

    def an_element(x: Any, rows: Any) -> Any:
        rows["rate"][0] = x
        return rows["rate"][0]

    for function in (a_field, an_element):
        with pytest.raises(sd.SymdiffError):
            sd.grad(function)(2.0, ROWS.copy())
