"""Texts of subclasses of ``str``: called, made inside functions, and formatted by name."""

from __future__ import annotations

import numpy as np
import pytest

import symdiff as sd


class Joined(str):
    """A text that joins what it is called with."""

    def __call__(self, *parts: object) -> Joined:
        return Joined(self.join(map(str, parts)))


class Digits(str):
    """A format that is called."""

    def __call__(self, value: float) -> str:
        return str.__mod__(self, value)

    def __mod__(self, value: float) -> str:
        return self(value)


NOTHING = Joined("")
KEY = Joined("_")
THREE = Digits("%.3f")


def test_a_text_that_is_called_is_followed() -> None:
    def f(x, rates):
        key = KEY("k", 1)
        assert isinstance(key, Joined) and type(key) is Joined
        return x * rates[key]

    assert sd.grad(f)(2.0, {"k_1": 3.0}) == 3.0


def test_a_format_that_is_put_together() -> None:
    def f(x):
        form = NOTHING("%", ".", abs(6), "f")
        return x * len(form % (float(x),))

    assert sd.grad(f)(1.5) == len("1.500000")


def test_formats_that_say_what_percent_does() -> None:
    def f(x):
        text = THREE % x
        if text.endswith("0"):
            text = text.rstrip("0")
        return x * len(text)

    assert sd.grad(f)(1.5) == len("1.5")
    assert sd.grad(f)(1.125) == len("1.125")


def test_a_text_is_made_of_what_another_says() -> None:
    class Loud(str):
        def __str__(self) -> str:
            return Joined("loud")

    assert sd.grad(lambda x: x * len(Digits(Joined("ab"))))(1.5) == 2.0
    assert sd.grad(lambda x: x * len(Digits(Loud("a"))))(1.5) == 4.0


@pytest.mark.parametrize("order", [2.0, -0.0, 2.5, 1e300, np.inf, np.nan])
@pytest.mark.parametrize("kind", [float, np.float64, np.float32])
@pytest.mark.filterwarnings("ignore:overflow")
def test_floats_tell_whether_they_are_whole(order: float, kind: type) -> None:
    def f(x, order):
        return x * x if order.is_integer() else x**3

    expected = 6.0 if float(kind(order)).is_integer() else 27.0
    assert sd.grad(f)(3.0, kind(order)) == expected
