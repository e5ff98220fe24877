"""``np.frombuffer`` and ``np.from_dlpack``: an array's own memory, against NumPy's values and
differences.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check

X = np.array([0.6, 1.3, -0.9])
BYTES = np.arange(3.0).tobytes()


def _written_behind_it(x: Any) -> Any:
    y = np.outer(x, x)
    seen = np.frombuffer(y, np.float64, 4, 16)
    y[1, 1] = x[0] ** 3
    return seen * seen


def _written_through_it(x: Any) -> Any:
    y = x.copy()
    seen = np.frombuffer(y)
    seen[1] = seen[0] * x[2]
    seen *= 2.0
    return y * y


def _written_through_a_package(x: Any) -> Any:
    y = x.copy()
    seen, own = np.from_dlpack(y), np.from_dlpack(x, device="cpu", copy=True)
    seen[1] = seen[0] * x[2]
    own *= 2.0
    return y * y * own


def _in_a_loop(x: Any) -> Any:
    total = np.zeros(1)
    for k in range(3):
        y = x * (k + 1.0)
        total = total + np.frombuffer(y, count=1, offset=8) ** 2
    return total


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.frombuffer(x) ** 2,
        lambda x: np.frombuffer(np.array(x[0] ** 2)) * np.frombuffer(x, offset=8)[1],
        lambda x: np.frombuffer(BYTES) * x,
        _written_behind_it,
        _written_through_it,
        _written_through_a_package,
        _in_a_loop,
    ],
)
def test_the_memory_of_arrays(function: Any) -> None:
    check(function, X)


def test_single_precision_and_nothing_at_all() -> None:
    slopes = sd.grad(lambda x: np.sum(np.frombuffer(x, np.float32) ** 2))(X.astype(np.float32))
    assert slopes.dtype == np.float32
    np.testing.assert_allclose(slopes, 2 * X, rtol=1e-6)
    assert sd.grad(lambda x: np.sum(np.frombuffer(x)))(np.zeros(0)).shape == (0,)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.frombuffer(x, offset=3),
        lambda x: np.frombuffer(x, offset=32),
        lambda x: np.frombuffer(x, count=4),
        lambda x: np.from_dlpack(x, device="gpu"),
    ],
)
def test_what_numpy_raises(function: Any) -> None:
    with pytest.raises(ValueError, match=r"buffer|[Dd]evice") as theirs:
        function(X)
    with pytest.raises(ValueError, match=r"buffer|[Dd]evice") as ours:
        sd.grad(lambda x: np.sum(function(x)))(X)
    assert str(ours.value).startswith(str(theirs.value).partition(" (")[0])


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: np.frombuffer(x, np.float32), "another dtype"),
        (lambda x: np.frombuffer(np.outer(x, x).T), "not C-contiguous"),
        (lambda x: np.frombuffer(x[::2]), "fills its memory"),
    ],
)
def test_what_is_not_taken_is_refused(function: Any, message: str) -> None:
    with pytest.raises(sd.UnsupportedCallError, match=message):
        sd.grad(lambda x: np.sum(function(x)))(X)
