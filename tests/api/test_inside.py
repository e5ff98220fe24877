"""Transforms that are called inside a differentiated function, against closed forms."""

from dataclasses import dataclass

import numpy as np
import pytest

import symdiff as sd

X = np.array([0.3, 0.7])


def scaled_square(x, scale=4.0, *, shift=0.0):
    return np.sum((x + shift) ** 2) * scale


def test_primals_leave_out_defaults():
    def along_ones(x):
        return sd.jvp(scaled_square, (x,), (np.ones(2),))[1]

    np.testing.assert_allclose(sd.grad(along_ones)(X), [8.0, 8.0])


def test_primals_of_a_jvp_of_a_jvp_leave_out_defaults():
    def tangent(primals, tangents):
        return sd.jvp(scaled_square, primals, tangents)[1]

    def twice(x):
        ones = np.ones(2)
        return sd.jvp(lambda z: tangent((z * z,), (2 * z * ones,)), (x,), (ones,))[1]

    # (4 x⁴)'' = 48 x², and its derivative 96 x
    np.testing.assert_allclose(sd.grad(twice)(X), 96 * X, rtol=1e-13)


@dataclass
class Spring:
    stiffness: float
    ends: np.ndarray


def spring_energy(spring):
    return spring.stiffness * np.sum(spring.ends**3)


DIRECTION = (Spring(1.0, np.ones(2)),)


def test_tangents_may_be_dataclasses_from_outside():
    def along(spring):
        return sd.jvp(spring_energy, (spring,), DIRECTION)[1]

    made = sd.grad(along)(Spring(2.0, X))
    assert made.stiffness == pytest.approx(np.sum(3 * X**2))
    np.testing.assert_allclose(made.ends, 3 * X**2 + 12 * X)


def move(state, by):
    state["x"] += by
    state["v"] = state["v"] * 2.0
    return np.sum(state["x"])


def test_functional_gives_final_values():
    def last(x):
        result, final = sd.functional(move)({"x": x, "v": x.copy()}, x * x)
        return result * np.sum(final["state"]["x"] * final["state"]["v"])

    a, b = X + X * X, 2 * X
    expected = (1 + 2 * X) * np.sum(a * b) + np.sum(a) * ((1 + 2 * X) * b + 2 * a)
    np.testing.assert_allclose(sd.grad(last)(X), expected, rtol=1e-13)


def test_functional_leaves_the_given_array_alone():
    def scale(x):
        x *= 3.0

    def both(x):
        final = sd.functional(scale)(x)[1]["x"]
        return np.sum(final * x)

    np.testing.assert_allclose(sd.grad(both)(X), 6 * X)


def power_tower(x, turns):
    powers = [x]
    for k in range(turns):
        powers.append(powers[k] * x)
    return powers[-1]


def test_structure_may_depend_on_an_int_of_the_call_outside():
    def slope(x, turns):
        return sd.jvp(power_tower, (x, turns), (1.0, None))[1]

    assert sd.grad(slope)(1.5, 3) == pytest.approx(12 * 1.5**2)
