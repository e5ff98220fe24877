"""Inverses of distribution functions by their parameters, against differences and mpmath."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

import symdiff as sd
from symdiff.definitions.inverses import INVERSES
from tests import reference
from tests.definitions.calls import check

special = pytest.importorskip("scipy.special")

AT: dict[str, tuple[float, ...]] = {
    "gdtrib": (0.8, 0.4, 1.7),
    "btdtria": (0.3, 1.4, 0.4),
    "btdtrib": (1.4, 0.3, 0.4),
    "fdtridfd": (3.2, 0.4, 0.9),
    "stdtridf": (0.8, 1.1),
    "chdtriv": (0.4, 2.3),
    "chndtridf": (3.0, 0.4, 1.5),
    "chndtrix": (0.3, 3.0, 1.2),
    "chndtrinc": (2.5, 1.5, 0.6),
    "nctdtrit": (3.0, 0.7, 0.6),
    "nctdtrinc": (3.0, 0.4, 0.8),
    "ncfdtri": (4.0, 6.0, 0.8, 0.4),
    "ncfdtrinc": (4.0, 6.0, 0.4, 1.3),
    "ncfdtridfn": (0.066, 4.5, 1.2, 0.2),
    "ncfdtridfd": (3.0, 0.5, 1.2, 1.4),
    "nctdtridf": (0.6, 0.7, 1.1),
    "pdtrik": (0.6, 3.3),
    "bdtrik": (0.6, 7.2, 0.35),
    "bdtrin": (2.3, 0.4, 0.35),
    "nbdtrik": (0.6, 3.4, 0.45),
    "nbdtrin": (2.3, 0.4, 0.45),
}
ROUGH = {  # SciPy finds them to some digits less
    **{"bdtrin": 1e-6, "nctdtrinc": 1e-6, "nctdtridf": 1e-5},
    **{"ncfdtrinc": 1e-4, "ncfdtridfn": 1e-3, "ncfdtridfd": 1e-3},
}


@pytest.mark.parametrize("name", INVERSES)
@pytest.mark.one_in(4)
def test_inverses(name: str) -> None:
    function, given = getattr(special, name), np.array(AT[name])

    def inverse(given: Any) -> Any:
        return function(*[given[k] for k in range(len(AT[name]))])

    if name not in ROUGH:
        check(inverse, given, step=0.03)
        return
    for along in np.eye(len(given)):
        expected = reference.directional(inverse, (given,), (along,), step=0.03).value
        assert sd.jvp(inverse, (given,), (along,))[1] == pytest.approx(expected, rel=ROUGH[name])
        assert sd.grad(inverse)(given) @ along == pytest.approx(expected, rel=ROUGH[name])


def test_arrays_are_broadcast_and_keep_their_precision() -> None:
    a, p = np.array([[0.8], [1.7]]), np.array([0.2, 0.5, 0.7])
    check(lambda a, p: special.gdtrib(a, p, 1.3), a, p, wrt=(0, 1), step=0.01)
    single = p.astype(np.float32)
    value, pullback = sd.vjp(lambda p: special.pdtrik(p, np.float32(3.0)), single)
    assert value.dtype == np.float32
    (slopes,) = pullback(np.ones(3, np.float32))
    assert slopes.dtype == np.float32
    exact = sd.vjp(lambda p: special.pdtrik(p, 3.0), p)[1](np.ones(3))[0]
    np.testing.assert_allclose(slopes, exact, rtol=1e-6)
    assert sd.jacobian(lambda p: special.stdtridf(p, 1.0))(np.zeros(0)).shape == (0, 0)


@pytest.mark.parametrize("k", range(3))
def test_a_shape_of_the_beta_distribution_in_its_tail(k: int) -> None:
    """By the implicit function theorem in many digits."""
    at = (1e-9, 2.6, 0.2)
    y = special.btdtria(*at)

    def exact(y: Any, p: Any, b: Any, x: Any) -> Any:
        return mpmath.betainc(y, b, 0, x, regularized=True) - p

    with mpmath.workdps(40):
        near = mpmath.findroot(lambda y: exact(y, *at), y)
        rates = [
            mpmath.diff(exact, (near, *at), tuple(int(i == j) for i in range(4)))
            for j in (0, k + 1)
        ]
        expected = float(-rates[1] / rates[0])
    assert sd.grad(special.btdtria, k)(*at) == pytest.approx(expected, rel=1e-9)


def test_the_least_count_does_not_move_and_what_solves_nothing_has_no_derivative() -> None:
    assert special.pdtrik(0.01, 2.0) == 0
    assert sd.grad(special.pdtrik, (0, 1))(0.01, 2.0) == (0.0, 0.0)
    assert special.fdtridfd(1.8, 0.78, 0.9) > 1e90  # it is less for every number of degrees
    assert np.isnan(sd.grad(special.fdtridfd, 1)(1.8, 0.78, 0.9))
