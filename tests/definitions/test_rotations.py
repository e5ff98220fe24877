"""Rotations of ``scipy.spatial.transform``, made outside of a program or inside, by differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check

transform = pytest.importorskip("scipy.spatial.transform")
distance = pytest.importorskip("scipy.spatial.distance")
Rotation = transform.Rotation

X = np.array([[0.3, -0.4, 0.5], [0.9, 0.2, -0.7], [-0.2, 1.1, 0.4]])
ONE = Rotation.from_euler("xyz", [0.1, 0.2, 0.3])
MANY = Rotation.from_rotvec(X[::-1] + 0.1)
BETWEEN = transform.Slerp([0.0, 1.0, 2.0], MANY)


@pytest.mark.parametrize(
    "turned",
    [
        lambda x: ONE.apply(x**2),
        lambda x: ONE.apply(x[0], inverse=True),
        lambda x: MANY.apply(x**2) + MANY[1].apply(x),
        lambda x: (ONE * Rotation.from_rotvec(x)).as_matrix(),
        lambda x: (Rotation.from_rotvec(x) * ONE.inv()).magnitude(),
        lambda x: (ONE ** x[0, 0]).as_quat(),
        lambda x: BETWEEN(x[:, 0] ** 2).as_rotvec(),
        lambda x: (Rotation.from_rotvec(x[0]) * Rotation.from_euler("x", 0.3)).as_quat(),
        lambda x: ONE.as_matrix() @ x**2,
        lambda x: Rotation.from_euler("xyz", x, degrees=True).as_mrp(),
        lambda x: Rotation.from_quat([1.0 + x[0, 0], *x[1]]).apply(x),
    ],
)
@pytest.mark.one_in(4)
def test_rotations(turned: Any) -> None:
    check(turned, X, step=0.002)


def test_the_identity_leaves_points_where_they_are() -> None:
    check(lambda x: Rotation.identity().apply(x**2), X, step=0.002)
    check(lambda x: (Rotation.identity(3) * Rotation.from_rotvec(x)).as_quat(), X, step=0.002)
    check(lambda x: Rotation.identity(shape=3).apply(x**2), X, step=0.002)


@pytest.mark.parametrize(
    "turned",
    [
        lambda x: Rotation.from_rotvec(x).as_quat(),
        lambda x: Rotation.from_rotvec(x).as_matrix(),
        lambda x: (Rotation.from_rotvec(30.0 * x, degrees=True) * ONE).apply(np.arange(3.0)),
        lambda x: Rotation.from_rotvec(np.stack((x, x[::-1] + 1.0))).as_matrix(),
        lambda x: Rotation.from_quat(np.append(x, 1.0)).as_rotvec(degrees=True),
    ],
)
@pytest.mark.parametrize("size", [0.0, 1e-4])
def test_rotations_are_smooth_where_the_angle_is_zero(turned: Any, size: float) -> None:
    check(turned, size * np.array([1.0, -2.0, 0.5]), step=0.01)


def test_the_quaternion_of_a_small_angle_has_the_derivatives_of_the_cosine() -> None:
    """``cos(c t)``: even derivatives at 0 are powers of ``-c * c``."""

    def real_part(t: Any) -> Any:
        return Rotation.from_rotvec(np.array([t, 2.0 * t, 0.0])).as_quat()[3]

    derived = [sd.derivative(real_part, order)(0.0) for order in (1, 2, 3, 4)]
    np.testing.assert_allclose(derived, [0.0, -1.25, 0.0, 1.5625], atol=1e-12)
    slope = sd.jvp(sd.grad(real_part), (0.0,), (1.0,))[1]
    assert slope == pytest.approx(-1.25, rel=1e-12)


def test_the_farthest_point() -> None:
    other = X[:2] * 3.0
    check(lambda x: distance.directed_hausdorff(x, other)[0], X, step=0.001)
    check(lambda x: distance.directed_hausdorff(other, x, seed=3)[0], X, step=0.001)

    def pair(x: Any) -> Any:
        _, i, j = distance.directed_hausdorff(x, other)
        return np.sum((x[i] - other[j]) ** 2)

    assert sd.value_and_grad(pair)(X)[0] == pytest.approx(
        distance.directed_hausdorff(X, other)[0] ** 2
    )
