"""Densities and distribution functions of ``scipy.stats``, by ``scipy.special`` and NumPy.

A law says what is its own, of standardised arguments: the logarithm of the density, the
distribution function and the support. Values are SciPy's own; what is said here is differentiated.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from symdiff.definitions.declare import DEFINITIONS, OBJECTS, defines

# Laws ---------------------------------------------------------------------------------------------


class Law:
    """What most laws have: parameters above 0, the whole line as support."""

    shapes: tuple[str, ...] = ()

    @staticmethod
    def support() -> Any:
        return None, None


class Norm(Law):
    @staticmethod
    def log_density(y: Any) -> Any:
        return -(y**2) / 2.0 - np.log(np.sqrt(2.0 * np.pi))

    @staticmethod
    def below(y: Any) -> Any:
        from scipy import special

        return special.ndtr(y)

    @staticmethod
    def above(y: Any) -> Any:
        from scipy import special

        return special.ndtr(-y)

    @staticmethod
    def log_below(y: Any) -> Any:
        from scipy import special

        return special.log_ndtr(y)

    @staticmethod
    def log_above(y: Any) -> Any:
        from scipy import special

        return special.log_ndtr(-y)


class T(Law):
    shapes = ("df",)

    @staticmethod
    def log_density(y: Any, df: Any) -> Any:
        from scipy import special

        normal = df == np.inf
        few = np.where(normal, 1.0, df)
        factor = special.gammaln(0.5 * (few + 1.0)) - special.gammaln(0.5 * few)
        found = factor - 0.5 * (np.log(few) + np.log(np.pi))
        found = found - (few + 1.0) / 2.0 * np.log1p(y * y / few)
        return np.where(normal, -(y**2) / 2.0 - np.log(np.sqrt(2.0 * np.pi)), found)

    @staticmethod
    def below(y: Any, df: Any) -> Any:
        from scipy import special

        return special.stdtr(df, y)

    @staticmethod
    def above(y: Any, df: Any) -> Any:
        from scipy import special

        return special.stdtr(df, -y)


class Gamma(Law):
    shapes = ("a",)

    @staticmethod
    def support() -> Any:
        return 0.0, None

    @staticmethod
    def log_density(y: Any, a: Any) -> Any:
        from scipy import special

        return special.xlogy(a - 1.0, y) - y - special.gammaln(a)

    @staticmethod
    def below(y: Any, a: Any) -> Any:
        from scipy import special

        return special.gammainc(a, y)

    @staticmethod
    def above(y: Any, a: Any) -> Any:
        from scipy import special

        return special.gammaincc(a, y)


class Beta(Law):
    shapes = ("a", "b")

    @staticmethod
    def support() -> Any:
        return 0.0, 1.0

    @staticmethod
    def log_density(y: Any, a: Any, b: Any) -> Any:
        from scipy import special

        powers = special.xlog1py(b - 1.0, -y) + special.xlogy(a - 1.0, y)
        return powers - special.betaln(a, b)

    @staticmethod
    def below(y: Any, a: Any, b: Any) -> Any:
        from scipy import special

        return special.betainc(a, b, y)

    @staticmethod
    def above(y: Any, a: Any, b: Any) -> Any:
        from scipy import special

        return special.betainc(b, a, 1.0 - y)


class Expon(Law):
    @staticmethod
    def support() -> Any:
        return 0.0, None

    @staticmethod
    def log_density(y: Any) -> Any:
        return -y

    @staticmethod
    def below(y: Any) -> Any:
        return -np.expm1(-y)

    @staticmethod
    def above(y: Any) -> Any:
        return np.exp(-y)

    @staticmethod
    def log_above(y: Any) -> Any:
        return -y


class Lognorm(Law):
    shapes = ("s",)

    @staticmethod
    def support() -> Any:
        return 0.0, None

    @staticmethod
    def log_density(y: Any, s: Any) -> Any:
        positive = y > 0
        inner = np.where(positive, y, 1.0)
        found = -(np.log(inner) ** 2) / (2 * s**2) - np.log(s * inner * np.sqrt(2 * np.pi))
        return np.where(positive, found, -np.inf)

    @staticmethod
    def below(y: Any, s: Any) -> Any:
        from scipy import special

        return special.ndtr(np.log(y) / s)

    @staticmethod
    def above(y: Any, s: Any) -> Any:
        from scipy import special

        return special.ndtr(-np.log(y) / s)

    @staticmethod
    def log_below(y: Any, s: Any) -> Any:
        from scipy import special

        return special.log_ndtr(np.log(y) / s)

    @staticmethod
    def log_above(y: Any, s: Any) -> Any:
        from scipy import special

        return special.log_ndtr(-np.log(y) / s)


class Laplace(Law):
    @staticmethod
    def log_density(y: Any) -> Any:
        return np.log(0.5) - np.abs(y)

    @staticmethod
    def below(y: Any) -> Any:
        tail = 0.5 * np.exp(-np.abs(y))
        return np.where(y > 0, 1.0 - tail, tail)

    @staticmethod
    def above(y: Any) -> Any:
        tail = 0.5 * np.exp(-np.abs(y))
        return np.where(y > 0, tail, 1.0 - tail)


class Logistic(Law):
    @staticmethod
    def log_density(y: Any) -> Any:
        from scipy import special

        return special.log_expit(y) + special.log_expit(-y)

    @staticmethod
    def below(y: Any) -> Any:
        from scipy import special

        return special.expit(y)

    @staticmethod
    def above(y: Any) -> Any:
        from scipy import special

        return special.expit(-y)

    @staticmethod
    def log_below(y: Any) -> Any:
        from scipy import special

        return special.log_expit(y)

    @staticmethod
    def log_above(y: Any) -> Any:
        from scipy import special

        return special.log_expit(-y)


class Uniform(Law):
    @staticmethod
    def support() -> Any:
        return 0.0, 1.0

    @staticmethod
    def log_density(y: Any) -> Any:
        return 0.0 * y

    @staticmethod
    def below(y: Any) -> Any:
        return y

    @staticmethod
    def above(y: Any) -> Any:
        return 1.0 - y


# What all laws have -------------------------------------------------------------------------------


def _parsed(law: Any, args: Any, keywords: Any) -> Any:
    """The parameters by name; an error as SciPy's where one is missing or not known."""
    names = (*law.shapes, "loc", "scale")
    if len(args) > len(names):
        raise TypeError("_parse_args() takes fewer positional arguments")
    given = {}
    for name, value in zip(names, args, strict=False):
        given[name] = value
    for name, value in keywords.items():
        if name not in names or name in given:
            raise TypeError(f"_parse_args() got an unexpected keyword argument '{name}'")
        given[name] = value
    for name in law.shapes:
        if name not in given:
            raise TypeError(f"_parse_args() missing a required positional argument: '{name}'")
    return given


def _standardised(law: Any, x: Any, args: Any, keywords: Any) -> Any:
    """The standardised argument, shapes and scale, and where they are any good."""
    given = _parsed(law, args, keywords)
    shapes = [np.asarray(given[name]) for name in law.shapes]
    y = np.asarray(x)
    if "loc" in given:
        y = y - np.asarray(given["loc"])
    scale = None
    if "scale" in given:
        scale = np.asarray(given["scale"])
        y = y / scale
    y = np.asarray(y, dtype=np.float64)
    good = np.logical_not(np.isnan(y))
    for shape in shapes:
        good = np.logical_and(good, shape > 0)
    if scale is not None:
        good = np.logical_and(good, scale > 0)
    return y, shapes, scale, good


def _inside(law: Any, y: Any, ends: Any) -> Any:
    """Where ``y`` is in the support, with its ends or without; None where that is everywhere."""
    low, high = law.support()
    if low is None:
        return None
    inside = y >= low if ends else y > low
    if high is None:
        return inside
    return np.logical_and(inside, y <= high if ends else y < high)


def _finished(good: Any, values: Any) -> Any:
    result = np.where(good, values, np.nan)
    return result[()] if result.ndim == 0 else result


def _log_density(law: Any, x: Any, args: Any, keywords: Any) -> Any:
    y, shapes, scale, good = _standardised(law, x, args, keywords)
    inside = _inside(law, y, True)
    found = law.log_density(y if inside is None else np.where(inside, y, 0.5), *shapes)
    if scale is not None:
        found = found - np.log(scale)
    return _finished(good, found if inside is None else np.where(inside, found, -np.inf))


def _density(law: Any, x: Any, args: Any, keywords: Any) -> Any:
    y, shapes, scale, good = _standardised(law, x, args, keywords)
    inside = _inside(law, y, True)
    found = np.exp(law.log_density(y if inside is None else np.where(inside, y, 0.5), *shapes))
    if scale is not None:
        found = found / scale
    return _finished(good, found if inside is None else np.where(inside, found, 0.0))


def _distribution(law: Any, function: Any, ends: Any, x: Any, args: Any, keywords: Any) -> Any:
    """A function of the distribution, which has the values ``ends`` outside of the support."""
    y, shapes, _, good = _standardised(law, x, args, keywords)
    inside = _inside(law, y, False)
    if inside is None:
        return _finished(good, function(y, *shapes))
    found = function(np.where(inside, y, 0.5), *shapes)
    _, high = law.support()
    outside = ends[0] if high is None else np.where(y >= high, ends[1], ends[0])
    return _finished(good, np.where(inside, found, outside))


def _methods(law: Any) -> dict[str, Any]:
    """The methods of a distribution."""

    def log_below(y: Any, *shapes: Any) -> Any:
        return np.log(law.below(y, *shapes))

    def log_above(y: Any, *shapes: Any) -> Any:
        return np.log(law.above(y, *shapes))

    log_cdf = getattr(law, "log_below", log_below)
    log_sf = getattr(law, "log_above", log_above)

    def pdf(x: Any, *args: Any, **kwds: Any) -> Any:
        return _density(law, x, args, kwds)

    def logpdf(x: Any, *args: Any, **kwds: Any) -> Any:
        return _log_density(law, x, args, kwds)

    def cdf(x: Any, *args: Any, **kwds: Any) -> Any:
        return _distribution(law, law.below, (0.0, 1.0), x, args, kwds)

    def sf(x: Any, *args: Any, **kwds: Any) -> Any:
        return _distribution(law, law.above, (1.0, 0.0), x, args, kwds)

    def logcdf(x: Any, *args: Any, **kwds: Any) -> Any:
        return _distribution(law, log_cdf, (-np.inf, 0.0), x, args, kwds)

    def logsf(x: Any, *args: Any, **kwds: Any) -> Any:
        return _distribution(law, log_sf, (0.0, -np.inf), x, args, kwds)

    return {function.__name__: function for function in (pdf, logpdf, cdf, sf, logcdf, logsf)}


# Laws of whole numbers ----------------------------------------------------------------------------


def _counted(k: Any, loc: Any, good: Any) -> Any:
    """The count from ``loc`` on, and where there is one."""
    count = np.asarray(k) if loc is None else np.asarray(k) - np.asarray(loc)
    return count, np.logical_and(good, np.logical_not(np.isnan(count)))


def _whole(count: Any) -> Any:
    return np.logical_and(count >= 0, np.floor(count) == count)


def poisson_logpmf(k: Any, mu: Any, loc: Any = None) -> Any:
    from scipy import special

    mu = np.asarray(mu)
    count, good = _counted(k, loc, mu >= 0)
    inside = _whole(count)
    kept = np.where(inside, count, 0.0)
    found = special.xlogy(kept, mu) - special.gammaln(kept + 1) - mu
    return _finished(good, np.where(inside, found, -np.inf))


def poisson_pmf(k: Any, mu: Any, loc: Any = None) -> Any:
    return np.exp(poisson_logpmf(k, mu, loc))


def _poisson_sum(k: Any, mu: Any, loc: Any, function: Any, outside: Any) -> Any:
    mu = np.asarray(mu)
    count, good = _counted(k, loc, mu >= 0)
    inside = count >= 0
    kept = np.where(inside, np.floor(count), 0.0)
    return _finished(good, np.where(inside, function(kept + 1.0, mu), outside))


def poisson_cdf(k: Any, mu: Any, loc: Any = None) -> Any:
    from scipy import special

    return _poisson_sum(k, mu, loc, special.gammaincc, 0.0)


def poisson_sf(k: Any, mu: Any, loc: Any = None) -> Any:
    from scipy import special

    return _poisson_sum(k, mu, loc, special.gammainc, 1.0)


def poisson_logcdf(k: Any, mu: Any, loc: Any = None) -> Any:
    return np.log(poisson_cdf(k, mu, loc))


def binom_logpmf(k: Any, n: Any, p: Any, loc: Any = None) -> Any:
    from scipy import special

    n, p = np.asarray(n), np.asarray(p)
    count, good = _counted(k, loc, np.logical_and(_whole(n), np.logical_and(p >= 0, p <= 1)))
    inside = np.logical_and(_whole(count), count <= n)
    kept = np.where(inside, count, 0.0)
    ways = special.gammaln(kept + 1) + special.gammaln(n - kept + 1)
    found = special.gammaln(n + 1) - ways
    found = found + special.xlogy(kept, p) + special.xlog1py(n - kept, -p)
    return _finished(good, np.where(inside, found, -np.inf))


def binom_pmf(k: Any, n: Any, p: Any, loc: Any = None) -> Any:
    return np.exp(binom_logpmf(k, n, p, loc))


def _binom_sum(k: Any, n: Any, p: Any, loc: Any, above: Any) -> Any:
    from scipy import special

    n, p = np.asarray(n), np.asarray(p)
    count, good = _counted(k, loc, np.logical_and(_whole(n), np.logical_and(p >= 0, p <= 1)))
    inside = np.logical_and(count >= 0, count < n)
    kept = np.where(inside, np.floor(count), 0.0)
    rest = np.where(inside, n - kept, 1.0)
    if above:
        found = special.betainc(kept + 1.0, rest, p)
        return _finished(good, np.where(inside, found, np.where(count < 0, 1.0, 0.0)))
    found = special.betainc(rest, kept + 1.0, 1.0 - p)
    return _finished(good, np.where(inside, found, np.where(count < 0, 0.0, 1.0)))


def binom_cdf(k: Any, n: Any, p: Any, loc: Any = None) -> Any:
    return _binom_sum(k, n, p, loc, False)


def binom_sf(k: Any, n: Any, p: Any, loc: Any = None) -> Any:
    return _binom_sum(k, n, p, loc, True)


def binom_logcdf(k: Any, n: Any, p: Any, loc: Any = None) -> Any:
    return np.log(binom_cdf(k, n, p, loc))


# Distributions with parameters --------------------------------------------------------------------


class Frozen:
    """A distribution with its parameters."""

    def __init__(self, distribution: Any, args: Any, kwds: Any) -> None:
        self.distribution, self.args, self.kwds = distribution, args, kwds

    def pdf(self, x: Any) -> Any:
        return self.distribution.pdf(x, *self.args, **self.kwds)

    def logpdf(self, x: Any) -> Any:
        return self.distribution.logpdf(x, *self.args, **self.kwds)

    def pmf(self, k: Any) -> Any:
        return self.distribution.pmf(k, *self.args, **self.kwds)

    def logpmf(self, k: Any) -> Any:
        return self.distribution.logpmf(k, *self.args, **self.kwds)

    def cdf(self, x: Any) -> Any:
        return self.distribution.cdf(x, *self.args, **self.kwds)

    def logcdf(self, x: Any) -> Any:
        return self.distribution.logcdf(x, *self.args, **self.kwds)

    def sf(self, x: Any) -> Any:
        return self.distribution.sf(x, *self.args, **self.kwds)

    def logsf(self, x: Any) -> Any:
        return self.distribution.logsf(x, *self.args, **self.kwds)


def _freezing(distribution: Any) -> Any:
    def frozen(*args: Any, **kwds: Any) -> Any:
        return Frozen(distribution, args, kwds)

    return frozen


def _method_of_frozen(method: Any) -> Any:
    """A method of a distribution with its parameters that was made outside of the program."""

    def found(self: Any, x: Any) -> Any:
        from scipy import stats

        distribution = getattr(stats, self.dist.name)
        if type(distribution) is not type(self.dist):
            raise TypeError(f"{self.dist.name} is not that of scipy.stats")
        return getattr(distribution, method)(x, *self.args, **self.kwds)

    return found


# Registering --------------------------------------------------------------------------------------

CONTINUOUS = {
    "norm": Norm,
    "t": T,
    "gamma": Gamma,
    "beta": Beta,
    "expon": Expon,
    "lognorm": Lognorm,
    "laplace": Laplace,
    "logistic": Logistic,
    "uniform": Uniform,
}


_OF_FROZEN = ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf")
_OF_COUNTS = (
    *(poisson_logpmf, poisson_pmf, poisson_cdf, poisson_sf, poisson_logcdf),
    *(binom_logpmf, binom_pmf, binom_cdf, binom_sf, binom_logcdf),
)


def register(stats: ModuleType) -> None:
    """Say what the distributions' methods mean."""
    for name in (*CONTINUOUS, "poisson", "binom"):
        distribution = getattr(stats, name)
        OBJECTS.add(distribution)
        DEFINITIONS[distribution] = _freezing(distribution)
    for frozen, methods in ((stats.norm(), _OF_FROZEN), (stats.poisson(1.0), ("pmf", "logpmf"))):
        for method in methods:
            DEFINITIONS[getattr(type(frozen), method)] = _method_of_frozen(method)
    counts: tuple[Any, ...] = _OF_COUNTS
    for definition in counts:
        name, _, method = definition.__name__.partition("_")
        defines(getattr(getattr(stats, name), method), rounded=True)(definition)
    for name, law in CONTINUOUS.items():
        distribution = getattr(stats, name)
        for method, definition in _methods(law).items():
            defines(getattr(distribution, method), rounded=True)(definition)
