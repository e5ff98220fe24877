"""``casting=``: what NumPy does not let become another dtype raises as it does there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd

X = np.array([1.5, 2.0])


def attempted(x: Any) -> Any:
    try:
        return 3.0 * x.astype(np.float32, casting="safe")
    except TypeError:
        return 2.0 * x


def of_what_may_be_empty(x: Any) -> Any:
    if x.size == 0:
        x = np.array([], dtype=np.intp)
    try:
        x = x.astype(np.intp, order="C", casting="safe", subok=False, copy=False)
    except TypeError as error:
        raise TypeError("not safe") from error
    return x


def written(write: Callable[[Any, Any], None], dtype: Any) -> Callable[[Any], Any]:
    def total(x: Any) -> Any:
        y = np.zeros(2, dtype)
        write(y, x)
        return x + y

    return total


def test_a_cast_that_is_not_let_is_handled() -> None:
    np.testing.assert_array_equal(sd.grad(lambda x: np.sum(attempted(x)))(X), [2.0, 2.0])
    np.testing.assert_array_equal(sd.grad(lambda x: np.sum(attempted(x) ** 2))(X), 8.0 * X)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.astype(np.intp, casting="safe"),
        lambda x: x * x[0].astype(np.int64, casting="same_kind"),
        lambda x: x.astype(np.float32, "K", "equiv"),
        lambda x: x.astype(np.float64, casting="anyhow"),
        of_what_may_be_empty,
        written(lambda y, x: np.copyto(y, x), np.int64),
        written(lambda y, x: np.copyto(y, 1.5), np.int64),
        written(lambda y, x: np.copyto(y, [x[0], 1.5]), np.int64),
        written(lambda y, x: np.copyto(y, x, casting="safe"), np.float32),
        written(lambda y, x: np.place(y, x > 1.0, x), np.int64),
        written(lambda y, x: np.place(y, x > 1.0, [1j]), np.float64),
        written(lambda y, x: np.place(y, x > 1.0, 1j), np.float64),
        written(lambda y, x: np.putmask(y, x > 1.0, [1j]), np.float64),
        written(lambda y, x: np.putmask(y, x > 1.0, (1.0, 2j)), np.float32),
        written(lambda y, x: np.putmask(y, x > 1.0, 1j), np.float64),
    ],
)
def test_a_cast_that_is_not_let_raises(function: Callable[[Any], Any]) -> None:
    with pytest.raises((TypeError, ValueError)) as expected:
        function(X)
    with pytest.raises(expected.type) as found:
        sd.jvp(function, (X,), (X,))
    assert str(found.value).startswith(str(expected.value))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.astype(np.float64, casting="no") ** 2,
        lambda x: x * x.astype(np.float64, "K", "safe", True, False),
        written(lambda y, x: np.copyto(y, x**2 - x, casting="no"), np.float64),
        written(lambda y, x: np.place(y, x > 0.0, x**2 - x), np.float64),
        written(lambda y, x: np.copyto(y, [x[0] ** 2 - x[0], x[1] ** 2 - x[1]]), np.float64),
        written(lambda y, x: np.putmask(y, x > 0.0, x**2 - x), np.float64),
        written(lambda y, x: np.place(y, x > 0.0, [x[0] ** 2 - x[0], x[1] ** 2 - x[1]]), float),
        written(lambda y, x: np.putmask(y, x > 0.0, [x[0] ** 2 - x[0], x[1] ** 2 - x[1]]), float),
    ],
)
def test_casts_that_are_let(function: Callable[[Any], Any]) -> None:
    y, y_dot = sd.jvp(function, (X,), (np.ones(2),))
    np.testing.assert_array_equal(y, X**2)
    np.testing.assert_array_equal(y_dot, 2.0 * X)


def test_a_cast_that_looks_at_values_is_refused() -> None:
    with pytest.raises(sd.UnsupportedCallError, match="same_value"):
        sd.jvp(lambda x: x * x.astype(np.int64, casting="same_value"), (X,), (X,))


@pytest.mark.parametrize("values", [1j, [0.0, 2j, 0.5], [], [300], (1.5, 0.0)])
@pytest.mark.parametrize("write", [np.place, np.putmask])
def test_what_is_no_array_becomes_one_of_the_dtype_that_is_written(write: Any, values: Any) -> None:
    """As NumPy's own, of truths: the imaginary part counts, and nothing is written of nothing."""

    def total(x: Any) -> Any:
        y = np.zeros(3, bool)
        write(y, x > (9.0 if values == [] else 0.0), values)
        return x * y

    x = np.array([1.0, -2.0, 3.0])
    np.testing.assert_array_equal(sd.jvp(total, (x,), (x,))[0], total(x))
    np.testing.assert_array_equal(sd.grad(lambda x: np.sum(total(x)))(x), total(x) / x)
