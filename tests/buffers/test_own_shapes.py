"""Arrays of an argument's shape, where that may be None."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.reference import directional


def _left_early(x: Any) -> Any:
    u = x.copy()
    if x.min() > -0.2:
        if x.max() >= 0.3 and np.linalg.norm(0.3 + u[0, :3]) < 1.82:
            return np.linalg.norm(0.3 + x)
    else:
        u[[1, 0], [0]] = np.std(u / 1.2, axis=1)
    return np.sum(x)


@pytest.mark.parametrize("x", [[[0.57, 0.84], [0.37, 0.01]], [[0.34, 1.16], [-0.68, -0.15]]])
def test_what_an_arm_alone_saves_is_not_asked_for_its_shape(x: Any) -> None:
    """Of a backward part, whose saved values are None where another arm was taken."""
    x, along = np.array(x), np.array([[1.0, -0.5], [0.3, 0.7]])
    gradient = sd.grad(_left_early)
    found = sd.vjp(gradient, x)[1](along)[0]
    estimate = directional(lambda x: np.sum(gradient(x) * along), (x,), (along,))
    np.testing.assert_allclose(np.sum(found * along), estimate.value, rtol=1e-6)
