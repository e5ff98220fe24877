"""What takes over where Python's floats raise is given what the caller gave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff


def set_anew(x: Any) -> Any:
    x = x + 1.0
    return np.log(x - 1.0)


def set_in_a_loop(x: Any) -> Any:
    for _ in range(3):
        x = x * 0.5 + 1.0
    return np.log(x - 1.75)


def set_by_both_names(x: Any, y: Any = 2.0) -> Any:
    x, y = y * x, x + y
    return np.log(x) + y


def named_alike(x: Any, x_given: Any = 3.0) -> Any:
    x = x * x_given
    return np.log(x) + x_given


def a_number_of_numpys(x: Any) -> Any:
    return 1.0 / np.float64(x)


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize("kind", [float, np.float64])
@pytest.mark.parametrize(
    ("function", "value", "slope"),
    [
        (set_anew, -np.inf, np.inf),
        (set_in_a_loop, -np.inf, np.inf),
        (set_by_both_names, -np.inf, np.inf),
        (named_alike, -np.inf, np.inf),
        (a_number_of_numpys, np.inf, -np.inf),
    ],
)
def test_parameters_that_are_set_anew_are_given_on_as_they_were(
    function: Callable[..., Any], kind: Callable[..., Any], value: float, slope: float
) -> None:
    assert function(kind(0.0)) == value
    found = symdiff.value_and_grad(function)(kind(0.0))
    assert found == (value, slope)
    assert symdiff.jvp(function, (kind(0.0),), (kind(1.0),)) == (value, slope)


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_a_number_of_numpys_is_divided_by_as_numpy_does() -> None:
    gradient = symdiff.grad(lambda x: 1.0 / x)
    assert gradient(np.float64(0.0)) == -np.inf
    assert gradient(np.float64(2.0)) == -0.25
    with pytest.raises(ZeroDivisionError):
        gradient(0.0)
