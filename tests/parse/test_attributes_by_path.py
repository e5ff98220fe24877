"""Attributes of objects that are made in an expression: set on some paths, None on others."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError


class Fluid:
    """``h`` is what the class says where no pair of arguments tells more."""

    h: Any = None
    given: ClassVar[dict[str, Any]] = {"T": 0.0, "P": 0.0, "x": None}

    def __init__(self, **given: Any) -> None:
        self.known = Fluid.given.copy()
        self.known.update(given)
        if self.pair:
            self.solve()

    @property
    def pair(self) -> str:
        self._pair = ""
        if self.known["T"] and self.known["P"]:
            self._pair = "TP"
        elif self.known["P"] and self.known["x"] is not None:
            self._pair = "Px"
        return self._pair

    def solve(self) -> None:
        first, second = self.known[self._pair[0]], self.known[self._pair[1]]
        if self._pair == "TP":
            self.h = first * first * second
        else:
            self.h = first * second


class Root:
    def __init__(self, v: float) -> None:
        self.value: Any = None
        if v > 0.0:
            self.value = v**3

    def moved(self, by: float) -> Root:
        if by < 0.0:
            self.value = None
        return self


def of_two(T: float, P: float) -> Any:
    return Fluid(T=T, P=P).h


def of_one(P: float, x: float) -> Any:
    return 2.0 * Fluid(P=P, x=x).h + Fluid(T=x, P=P).h


def of_itself(v: float, by: float) -> Any:
    return Root(v).value * by


def of_a_method(v: float, by: float) -> Any:
    return Root(v).moved(by).value * Root(by).value


CASES = [
    (of_two, lambda T, P: (2 * T * P, T * T)),
    (of_one, lambda P, x: (2 * x + x * x, 2 * P + 2 * x * P)),
    (of_itself, lambda v, by: (3 * v * v * by, v**3)),
    (of_a_method, lambda v, by: (3 * v * v * by**3, 3 * v**3 * by * by)),
]


@pytest.mark.parametrize(("function", "by_hand"), CASES, ids=lambda one: one.__name__)
def test_what_is_set_is_differentiated(
    function: Any, by_hand: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    wanted = by_hand(0.7, 1.3)
    assert sd.grad(function, argnums=(0, 1))(0.7, 1.3) == pytest.approx(wanted, rel=1e-14)
    value, slope = sd.jvp(function, (0.7, 1.3), (1.0, -2.0))
    assert value == function(0.7, 1.3)
    assert slope == pytest.approx(wanted[0] - 2 * wanted[1], rel=1e-14)


def test_what_is_not_set_is_none() -> None:
    with pytest.raises(UnsupportedCallError, match="returns None here"):
        sd.grad(of_two)(0.0, 1.3)
    with pytest.raises(TypeError, match="NoneType"):
        sd.grad(of_itself)(-0.7, 1.3)
    with pytest.raises(TypeError, match="NoneType"):
        sd.grad(of_a_method)(0.7, -1.3)
