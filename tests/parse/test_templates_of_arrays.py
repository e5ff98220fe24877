"""Functions of arrays, and such as give lists and objects, are right in each call of a kind."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import symdiff as sd
from symdiff.parse import templates
from tests import reference
from tests.parse.test_templates import fresh
from tests.programs import (
    arrays_in_callees,
    arrays_of_callees_in_try,
    functions_of_callees,
    results_in_callees,
    sizes_in_callees,
    views_in_callees,
)

ARGS = (0.62, 1.17)
PROGRAMS = [
    *arrays_in_callees.PROGRAMS,
    *arrays_of_callees_in_try.PROGRAMS,
    *functions_of_callees.PROGRAMS,
    *results_in_callees.PROGRAMS,
    *sizes_in_callees.PROGRAMS,
    *views_in_callees.PROGRAMS,
]


@pytest.mark.usefixtures("copied")
@pytest.mark.filterwarnings("ignore::symdiff.LostDerivativeWarning")  # a state, as written
@pytest.mark.parametrize("function", PROGRAMS)
def test_derivatives_are_those_of_the_function(function: Callable[..., float]) -> None:
    expected = [
        float(reference.directional(function, ARGS, along).value)
        for along in ((1.0, 0.0), (0.0, 1.0))
    ]
    made = sd.differentiable(fresh(function))
    np.testing.assert_allclose(made.forward(*ARGS)[0], function(*ARGS), rtol=1e-14)
    found = sd.grad(made, argnums=(0, 1))(*ARGS)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-8)
    _, tangent = sd.jvp(made, ARGS, (0.5, -1.0))
    np.testing.assert_allclose(tangent, 0.5 * expected[0] - expected[1], rtol=1e-7, atol=1e-8)


@pytest.mark.filterwarnings("ignore::symdiff.LostDerivativeWarning")
@pytest.mark.parametrize("function", PROGRAMS)
def test_second_derivatives_through_templates_that_are_called(
    function: Callable[..., float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(templates, "FOLLOWED_FIRST", 0)
    monkeypatch.setattr(templates, "LARGE", 1)
    u, v = (1.0, -0.4), (0.3, 0.8)
    expected = reference.second_directional(function, ARGS, u, v).value
    made = sd.differentiable(fresh(function))
    _, product = sd.jvp(sd.grad(made, argnums=(0, 1)), ARGS, u)
    np.testing.assert_allclose(np.dot(product, v), expected, rtol=1e-5, atol=1e-6)
