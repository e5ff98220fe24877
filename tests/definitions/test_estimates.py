"""Parameters by maximum likelihood: SciPy's values, and derivatives by differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.test_distributions import check

stats = pytest.importorskip("scipy.stats")

X = np.array([1.3, 2.2, 0.7, 3.1, 1.9, 2.6])
FITS = {
    "norm": lambda x: stats.norm.fit(x),
    "norm of a mean": lambda x: stats.norm.fit(x, floc=1.0)[1],
    "norm of a scale": lambda x: stats.norm.fit(x, fscale=2.0, loc=3.0)[0],
    "norm of rows": lambda x: stats.norm.fit(np.reshape(x, (2, 3))),
    "expon": lambda x: stats.expon.fit(x),
    "expon of a place": lambda x: stats.expon.fit(x, floc=0.1)[1],
    "uniform": lambda x: stats.uniform.fit(x),
    "uniform of a place": lambda x: stats.uniform.fit(x, floc=0.5)[1],
    "laplace": lambda x: stats.laplace.fit(x),
    "laplace of a place": lambda x: stats.laplace.fit(x, floc=1.7, method="mle")[1],
    "rayleigh": lambda x: stats.rayleigh.fit(x, floc=0.2)[1],
    "lognorm": lambda x: stats.lognorm.fit(x, floc=0)[::2],
    "lognorm of a scale": lambda x: stats.lognorm.fit(x, floc=0.1, fscale=2.0)[0],
    "lognorm of a shape": lambda x: stats.lognorm.fit(x, f0=0.5, floc=0)[2],
    "gamma": lambda x: stats.gamma.fit(x, floc=0)[::2],
    "gamma of a place": lambda x: stats.gamma.fit(x, 2.0, floc=0.3)[2],
    "gamma of a shape": lambda x: stats.gamma.fit(x, fa=2.0, floc=0.1)[2],
}


@pytest.mark.parametrize("name", FITS)
def test_fits(name: str) -> None:
    function = FITS[name]

    def fitted(x: Any) -> Any:
        return np.array(function(x))

    assert repr(sd.vjp(function, X)[0]) == repr(function(X))
    check(fitted, X, wrt=(0,))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: stats.norm.fit(x, floc=1.0, fscale=2.0),
        lambda x: stats.norm.fit(x / 0.0),
        lambda x: stats.expon.fit(x, floc=1.0),
        lambda x: stats.expon.fit(x, 1.0),
        lambda x: stats.uniform.fit(x, floc=1.0),
        lambda x: stats.laplace.fit(x, floc=1.0, fscale=2.0),
        lambda x: stats.rayleigh.fit(x, floc=1.0),
        lambda x: stats.lognorm.fit(x, floc=2.0),
        lambda x: stats.gamma.fit(x, floc=0.7),
        lambda x: stats.lognorm.fit(x, floc=0.0, foo=2.0),
    ],
)
def test_errors_are_scipys(function: Any) -> None:
    with np.errstate(all="ignore"), pytest.raises((ValueError, TypeError, RuntimeError)) as own:
        function(X)
    with np.errstate(all="ignore"), pytest.raises(own.type) as made:
        sd.vjp(function, X)
    if own.type is not TypeError:
        assert made.value.args == own.value.args


@pytest.mark.parametrize(
    ("function", "named"),
    [
        (lambda x: stats.norm.fit(x, method="MM"), "norm.fit in this form: method='MM'"),
        (lambda x: stats.gamma.fit(x), "gamma.fit in this form: floc=None, which is a search"),
        (lambda x: stats.uniform.fit(x, fscale=9.0), "uniform.fit in this form: fscale="),
        (lambda x: stats.weibull_min.fit(x, floc=0), "has no rule for scipy.stats.weibull_min.fit"),
    ],
)
def test_searches_are_refused(function: Any, named: str) -> None:
    with pytest.raises(sd.UnsupportedCallError, match=named):
        sd.vjp(function, X)
