"""What definitions refuse, and raise, is told at the user's call."""

from __future__ import annotations

import linecache
from types import FunctionType

import numpy as np
import pytest

import symdiff as sd
from symdiff.definitions.declare import DEFINITIONS

X = np.array([0.5, -1.0, 2.0])

ALWAYS = """
def resize(a, new_shape):
    raise ValueError("not today")
"""
OF_SOME = """
def resize(a, new_shape):
    if a.ndim == 1:
        raise ValueError("not today")
    return a
"""


def defined_by(text: str) -> FunctionType:
    """A definition, as the modules of ``symdiff.definitions`` have them."""
    name = f"<{hash(text)}>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    namespace = {"__name__": "symdiff.definitions.written_here"}
    exec(compile(text, name, "exec"), namespace)
    return namespace["resize"]  # type: ignore[return-value]


BY_NAME_ONLY = """
def resize(a, *, out=None):
    return a * a
"""


@pytest.mark.parametrize("text", [ALWAYS, OF_SOME], ids=["always", "of_some"])
def test_what_a_definition_raises_and_numpy_does_not_is_refused(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(DEFINITIONS, np.resize, defined_by(text))

    def energy(x):
        return np.sum(np.resize(x, (2, 4)) ** 2)

    with pytest.raises(sd.UnsupportedCallError, match="resize in this form: not today") as error:
        sd.grad(energy)(X)
    assert "np.resize(x, (2, 4))" in str(error.value)
    with pytest.raises(TypeError, match="multiply sequence by non-int"):  # NumPy's
        sd.grad(lambda x: np.sum(np.resize(x, (2, 0.5))))(X)


def test_parts_of_parts_are_operands_of_a_call_that_keeps_its_name() -> None:
    def others(z):
        return np.setdiff1d(z.real[0], z.real[0, :2]) * z.imag[1, :2]

    z = np.arange(8.0).reshape(2, 4) * (1 + 2j)
    value, pullback = sd.vjp(others, z)
    np.testing.assert_array_equal(value, others(z))
    (z_bar,) = pullback(np.ones(2))
    np.testing.assert_array_equal(z_bar, [[0, 0, 8, 10], [2j, 3j, 0, 0]])


def squares(a, *, out=None):
    return np.multiply(a, a, out=out)


def test_an_array_for_the_result_may_be_a_parameter_that_is_given_by_name_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(DEFINITIONS, squares, defined_by(BY_NAME_ONLY))

    def stored(x):
        place = np.ones_like(x)
        squares(x, out=place)
        return np.sum(place * squares(x))

    np.testing.assert_array_equal(sd.grad(stored)(X), 4.0 * X**3)
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        sd.grad(lambda x: np.sum(squares(x, x)))(X)


def test_a_default_that_is_given_is_no_refused_argument():
    """Also one that equals the default without being of its type, and a flag of the function's."""
    from scipy import linalg, special

    omega = 0.5671432904097838  # omega * exp(omega) is 1
    slope = sd.grad(lambda x: np.real(special.lambertw(x, 0, 1e-8)))(1.0)
    assert slope == pytest.approx(omega / (1.0 + omega), rel=1e-14)

    def trace(x: float, flag: bool) -> float:
        return np.trace(linalg.pinv(np.eye(2) * x, return_rank=flag))

    assert sd.grad(trace)(2.0, False) == pytest.approx(-0.5, rel=1e-14)
    assert sd.grad(trace)(2.0, 0) == pytest.approx(-0.5, rel=1e-14)
    with pytest.raises(sd.UnsupportedCallError, match="return_rank="):
        sd.grad(trace)(2.0, True)
