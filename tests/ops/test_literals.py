"""Static numbers as expressions: they are of the same type and bits where they are read again."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.ops.declare import literal

LONG = np.longdouble
ROUNDED = float(8 * np.finfo(LONG).eps)


@pytest.mark.parametrize(
    "number",
    [
        *(LONG(0), LONG("-0.0"), LONG("0.1"), LONG("nan"), LONG("-inf"), LONG("1e-300")),
        *(np.clongdouble(0), np.clongdouble(1 - 2j), np.float32(0.1), np.complex64(1j)),
        *(1j, 2 + 1j, complex(-0.0, 1.0), complex(0.0, -0.0), complex(np.inf, np.nan)),
    ],
)
def test_long_numbers_are_spelled(number: Any) -> None:
    again = eval(ast.unparse(literal(number)), {"np": np})
    assert type(again) is type(number)
    assert repr(again) == repr(number)


def test_a_complex_number_in_a_call_is_spelled_as_its_tree() -> None:
    z = np.array([[1.0, 2j, -1.0], [0.5j, 1.0, 3.0]])
    found = sd.vmap(lambda c: np.polyval(c, 2 + 1j))(z)
    np.testing.assert_array_equal(found, [np.polyval(c, 2 + 1j) for c in z])


def products(x: Any) -> Any:
    chosen = []
    for v in x:
        if v > 0.5:
            chosen.append(v)
        else:
            chosen.append(1)
    a = np.array(chosen)
    return np.sum(a * a * x)


def test_lists_of_long_numbers_have_tangents_and_second_derivatives() -> None:
    x, t = np.array(["0.3", "0.6", "0.8"], LONG), np.array([1, 2, 3], LONG)
    large = x > 0.5
    slope, bend = np.where(large, 3 * x * x, 1), np.where(large, 6 * x, 0)
    tangent = sd.jvp(products, (x,), (t,))[1]
    assert np.asarray(tangent).dtype == LONG
    np.testing.assert_allclose(tangent, slope @ t, ROUNDED)
    np.testing.assert_allclose(sd.grad(products)(x), slope, ROUNDED)
    second = sd.hvp(products)(x, t)
    assert second.dtype == LONG
    np.testing.assert_allclose(second, bend * t, ROUNDED)
