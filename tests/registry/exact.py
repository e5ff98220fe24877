"""Functions of SciPy of long doubles, by mpmath or in closed form: what differences are taken of
where SciPy's own values have too few digits for that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
from scipy import stats

mp = mpmath.mp.clone()
mp.dps = 30


def _by_elements(function: Callable[..., Any]) -> Callable[..., Any]:
    def at(*operands: Any) -> Any:
        return _long(function(*map(_wide, operands)))

    return np.vectorize(at, otypes=[np.longdouble])


def _wide(number: Any) -> Any:
    high = float(number)
    return mp.mpf(high) + mp.mpf(float(number - np.longdouble(high)))


def _long(number: Any) -> Any:
    return np.longdouble(mp.nstr(number, 25))


def _log_beta(a: Any, b: Any) -> Any:
    return mp.log(abs(mp.beta(a, b)))


agm = _by_elements(mp.agm)
beta = _by_elements(mp.beta)
betaln = _by_elements(_log_beta)
hyperu = _by_elements(mp.hyperu)


def lfilter_zi(b: Any, a: Any) -> Any:
    """With the last coefficient of either 0 where the other one is longer, and ``a[0]`` 1."""
    b, a = (np.append(one, np.zeros(max(len(a), len(b)) - len(one))) for one in (b, a))
    return np.cumsum(a[:-1]) * (np.sum(b) / np.sum(a)) - np.cumsum(b[:-1])


class Ramp(stats.rv_continuous):
    """A density that falls from one end of the interval to the other, by a share."""

    def _argcheck(self, a: Any) -> Any:
        return (a > 0) & (a < 1)

    def _pdf(self, x: Any, a: Any) -> Any:
        return 1.0 + a - 2.0 * a * x

    def _cdf(self, x: Any, a: Any) -> Any:
        return (1.0 + a) * x - a * x**2

    def _ppf(self, q: Any, a: Any) -> Any:
        return 2.0 * q / (1.0 + a + np.sqrt((1.0 + a) ** 2 - 4.0 * a * q))


RAMP = Ramp(a=0.0, b=1.0, name="ramp")
