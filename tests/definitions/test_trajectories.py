"""Solutions that stand outside, at times: against differences within a step."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import SymdiffError
from tests.definitions.calls import check

integrate = pytest.importorskip("scipy.integrate")


def _rate(t: float, y: Any) -> Any:
    return [y[1] * (1.0 + 0.1 * t), -2.0 * y[0] * y[0]]


def _solved(method: str, last: float = 3.0) -> Any:
    found = integrate.solve_ivp(_rate, (0.0, last), [1.0, 0.5], method, dense_output=True)
    return found.sol


def _inside(solution: Any) -> Any:
    """Places inside of the three widest steps, and how far they are from their ends."""
    widths = np.abs(np.diff(solution.ts))
    at = np.argsort(widths)[-3:]
    middle = 0.5 * (solution.ts[at] + solution.ts[at + 1])
    return middle + 0.1 * widths[at], float(0.1 * widths[at].min())


@pytest.mark.parametrize("last", [3.0, -1.5])
@pytest.mark.parametrize("method", ["RK45", "DOP853", "Radau", "BDF", "LSODA"])
def test_the_states_at_times(method: str, last: float) -> None:
    solution = _solved(method, last)
    times, step = _inside(solution)
    check(lambda t: solution(t) ** 2, times[[1, 0, 2]], step=step)
    check(lambda t: solution(t * 1.0) * t, float(times[0]), step=step)


def test_a_constant_solution_and_the_part_of_a_result() -> None:
    found = integrate.solve_ivp(lambda t, y: [], (0.0, 1.0), [], dense_output=True)
    assert found.sol(0.5).shape == (0,)  # of no states nothing is asked
    at_once = integrate.solve_ivp(_rate, (1.0, 1.0), [1.0, 2.0], dense_output=True)
    assert sd.grad(lambda t: at_once.sol(t).sum())(1.0) == 0.0


@pytest.mark.parametrize(("method", "taken"), [("Radau", 0), ("BDF", 1)])
def test_a_time_between_two_steps_is_of_the_polynomial_that_scipy_takes(
    method: str, taken: int
) -> None:
    solution = _solved(method)
    at = solution.ts[1]
    slopes = [(piece(at + 1e-6) - piece(at - 1e-6)) / 2e-6 for piece in solution.interpolants[:2]]
    assert np.max(np.abs(slopes[0] - slopes[1])) > 1e-5
    found = sd.jvp(lambda t: solution(t), (np.array([at, 2.0]),), (np.ones(2),))[1][:, 0]
    np.testing.assert_allclose(found, slopes[taken], rtol=1e-7)


def test_times_in_two_axes_are_an_error_as_in_scipy() -> None:
    solution = _solved("RK45")
    with pytest.raises((TypeError, ValueError)) as told:
        solution(np.ones((1, 1)))
    with pytest.raises(type(told.value), match=re.escape(str(told.value))):
        sd.jvp(lambda t: solution(t), (np.ones((1, 1)),), (np.ones((1, 1)),))


def test_the_polynomials_of_other_classes_are_not_guessed() -> None:
    class Own(integrate.DenseOutput):
        def _call_impl(self, t: Any) -> Any:
            return np.array([np.sin(t)])

    solution = integrate.OdeSolution([0.0, 1.0], [Own(0.0, 1.0)])
    with pytest.raises((TypeError, SymdiffError), match="polynomials of Own"):
        sd.grad(lambda t: solution(t)[0])(0.5)


def test_complex_solutions_are_not_differentiated_as_real_ones() -> None:
    from scipy.integrate import solve_ivp

    found = solve_ivp(lambda t, y: (1j - 0.3) * y, (0.0, 3.0), [1.0 + 0.0j], dense_output=True).sol
    with pytest.raises(NotImplementedError, match="complex"):
        sd.jvp(lambda t: np.abs(found(t)[0]), (0.7,), (1.0,))
