"""SciPy's random variables: ``stats.Normal``, what ``stats.make_distribution`` makes, and others.

Their methods choose how a function of the distribution is computed, and keep the choice; here they
are followed into what is chosen, and nothing is kept. Where a place is outside of the support the
function is computed at another one, and the result is what it is there.
"""

from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from symdiff.definitions.counts import COUNTS
from symdiff.definitions.declare import DEFINITIONS, INSTEAD, defines, defines_inside, refuse
from symdiff.definitions.distributions import _between, _logarithm
from symdiff.definitions.law import CONTINUOUS
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import followed, solution, solver, valued, without_derivative

# Variables themselves -----------------------------------------------------------------------------


def update_parameters(self, *, validation_policy=None, **params):
    """Parameters that are broadcast together and NaN where there is no such distribution."""
    if validation_policy is not None or self.validation_policy is not None:
        refuse("validation_policy=")
    original = {**self._original_parameters, **params}
    parameters = original
    self._invalid, self._any_invalid = np.asarray(False), False
    self._shape, self._size, self._ndim, self._dtype = (), 1, 0, np.float64
    parameterization = None
    if not self._parameterizations:
        if parameters:
            raise ValueError(f"The {type(self).__name__} family does not accept parameters.")
    else:
        parameterization = self._identify_parameterization(parameters)
        arrays = np.broadcast_arrays(*[np.asarray(value) for value in parameters.values()])
        given = dict(zip(parameters.keys(), arrays, strict=True))
        valid, dtype = parameterization.validation(given)
        settled = {name: np.where(valid, given[name], np.nan)[()] for name in given}
        self._invalid, self._dtype = np.logical_not(valid), dtype
        self._shape, self._size, self._ndim = arrays[0].shape, arrays[0].size, arrays[0].ndim
        parameters = self._process_parameters(**settled)
    self._parameters, self._parameterization = parameters, parameterization
    self._original_parameters = original
    _without_memory(self)
    for name in parameters:  # where no such variable was made before, the class has no property
        if not hasattr(type(self), name):
            setattr(self, name, np.array(parameters[name])[()])


def _without_memory(self):
    """Nothing is remembered of a variable that is made here, nor forgotten of others."""
    self._moment_raw_cache, self._moment_central_cache = {}, {}
    self._moment_standardized_cache, self._method_cache = {}, {}
    self._support_cache = self._constant_cache = None


def constants(self):
    """Nought and one."""
    return self._preserve_type([0, 1])


def _like_all(self, x):
    """An array in the shape that it has together with the parameters."""
    values = list(self._parameters.values())
    if len(values) == 0:
        return x
    return np.broadcast_arrays(x, *values)[0]


def support(self):
    """The ends, where a distribution is one."""
    low, high = self._support(**self._parameters)
    low, high = np.broadcast_to(low, self._shape), np.broadcast_to(high, self._shape)
    ends = [np.where(self._invalid, np.nan, end)[()] for end in (low, high)]
    return ends[0], ends[1]


# Functions of a place or of a share ---------------------------------------------------------------

# What they are on both sides of where they are asked.
_OUTSIDE = {
    "logpdf": (-np.inf, -np.inf),
    "pdf": (0.0, 0.0),
    "logpmf": (-np.inf, -np.inf),
    "pmf": (0.0, 0.0),
    "_logcdf1": (-np.inf, 0.0),
    "_logccdf1": (0.0, -np.inf),
    "_cdf1": (0.0, 1.0),
    "_ccdf1": (1.0, 0.0),
}
_DENSITIES = ("logpdf", "pdf", "logpmf", "pmf")
_SHARES = {
    "icdf": (0.0, 1.0),
    "iccdf": (0.0, 1.0),
    "ilogcdf": (-np.inf, 0.0),
    "ilogccdf": (-np.inf, 0.0),
}


def _of_counts(self):
    from scipy.stats._distribution_infrastructure import DiscreteDistribution

    return isinstance(self, DiscreteDistribution)


def _beside(self, x, name, low, high):
    """Where a place is left and right of those where the function is computed."""
    at_left, at_right = self._variable.domain.inclusive
    is_density = name in _DENSITIES
    counted = _of_counts(self) and not is_density and name in _OUTSIDE
    left = x < low if (is_density and at_left) or counted else x <= low
    right = x > high if is_density and at_right else x >= high
    return left, right


def _finished(name, found, dtype):
    """In the dtype and between the bounds of the function."""
    if name in ("_logcdf1", "_logccdf1"):
        return np.minimum(found.real.astype(dtype), 0.0)[()]
    if name in ("_cdf1", "_ccdf1"):
        return np.clip(found.astype(dtype), 0.0, 1.0)[()]
    return found.astype(dtype)[()]


def _of_place(name, compute):
    """The definition of a function of a place; ``compute`` has no questions about it."""

    def function(self, x, /, *, method=None):
        x = np.asarray(x)
        dtype = np.result_type(x.dtype, self._dtype)
        x = _like_all(self, x.astype(dtype))
        low, high = self.support()
        left, right = _beside(self, x, name, low, high)
        outside = np.logical_or(left, right)
        place = np.where(outside, without_derivative(_between(low, high)), x)[()]
        if _of_counts(self) and name in _DENSITIES:
            is_count = np.logical_or(np.floor(place) == place, np.isnan(place))
            found = compute(self, np.floor(place), method=method)
            found = np.where(is_count, found, -np.inf if name.startswith("log") else 0.0)
        else:
            found = np.asarray(compute(self, place, method=method))
        before, behind = _OUTSIDE[name]
        found = np.where(left, before, np.where(right, behind, found))
        return _finished(name, found, dtype)

    return function


def _of_share(name, compute):
    """The definition of an inverse, which is an end of the support at either end."""
    least, most = _SHARES[name]
    is_above = name.endswith("ccdf")

    def inverse(self, p, /, *, method=None):
        p = np.asarray(p)
        dtype = np.result_type(p.dtype, self._dtype)
        p = _like_all(self, p.astype(dtype))
        left, right = p <= least, p >= most
        inside = np.where(np.logical_or(left, right), 0.5 if least == 0.0 else -1.0, p)[()]
        found = compute(self, inside, method=method)
        ends = self.support()
        low, high = (ends[1], ends[0]) if is_above else ends
        found = np.where(p == least, low, np.where(p == most, high, found))
        return np.where((p < least) | (p > most), np.nan, found).astype(dtype)[()]

    return inverse


def _of_itself(compute):
    """The definition of a number that a distribution has; NaN where it is none."""

    def number(self, *args, **kwargs):
        found = np.asarray(compute(self, *args, **kwargs))
        dtype = np.result_type(found.dtype, self._dtype)
        found = np.broadcast_to(found.astype(dtype), self._shape)
        return np.where(self._invalid, np.nan, found).astype(dtype)[()]

    return number


def _dispatched(name, choose):
    """The definition of what computes a function in the way that is chosen or asked for."""

    def computed(self, *args, method=None, **kwargs):
        if method is None:
            found = choose(self, *args, method=None, **kwargs)
            return found(*args, **kwargs)
        way = "logexp" if method == "log/exp" else method
        return getattr(self, name.replace("dispatch", way))(*args, **kwargs)

    return computed


# Moments ------------------------------------------------------------------------------------------


def validate_order_kind(self, order, kind, kinds):
    """A whole order, which has to be known."""
    if not isinstance(order, int):
        refuse("an order that is no int, known where it is compiled")
    if order >= len(_ORDERS):
        refuse(f"order={order}")
    if kind.lower() not in kinds or order < 0:
        raise ValueError("an order that is negative, or no kind of a moment")
    return order


def _first(*ways):
    """What the first way gives that gives something."""
    for way in ways:
        found = way()
        if found is not None:
            return found
    return None


_EVERY_WAY = ("formula", "transform", "normalize", "general", "quadrature")


def _of_kind(kind):
    """A moment of a kind, by all ways or the one that is asked for."""

    def moment(self, order=1, *, method=None):
        methods = _EVERY_WAY if method is None else (method,)
        dispatch = getattr(self, f"_moment_{kind}_dispatch")  # that of what a variable is made of
        return dispatch(order, methods=methods, **self._parameters)

    return moment


def raw_moment(self, order, *, methods, **params):
    ways = [lambda: self._moment_raw_formula(order, **params)]
    if "transform" in methods and order > 1:
        ways.append(lambda: self._moment_raw_transform(order, **params))
    ways.append(lambda: np.float64(1.0) if order == 0 and "general" in methods else None)
    return _found_moment(self, order, methods, _first(*ways))


def central_moment(self, order, *, methods, **params):
    ways = [lambda: self._moment_central_formula(order, **params)]
    if "transform" in methods:
        ways.append(lambda: self._moment_central_transform(order, **params))
    if "normalize" in methods and order > 2:
        ways.append(lambda: self._moment_central_normalize(order, **params))
    if "general" in methods:
        ways.append(lambda: np.float64(order == 0) if order < 2 else None)
    return _found_moment(self, order, methods, _first(*ways))


def standardized_moment(self, order, *, methods, **params):
    ways = [lambda: self._moment_standardized_formula(order, **params)]
    if "normalize" in methods:
        ways.append(lambda: self._moment_standardized_normalize(order, False, **params))
    if "general" in methods:
        ways.append(lambda: np.float64(order != 1) if order < 3 else None)
    return _found_moment(self, order, methods, _first(*ways))


def raw_transform(self, order, **params):
    """By the central moments of no higher orders, and the mean."""
    ways = ("formula", "normalize", "general")
    moments = [
        self._moment_central_dispatch(lower, methods=ways, **params)
        for lower in _ORDERS[: order + 1]
    ]
    mean = self._moment_raw_dispatch(1, methods=("formula", "quadrature"), **params)
    if mean is None or None in [moment if moment is None else 0 for moment in moments]:
        return None
    return self._moment_transform_center(order, moments, mean, np.float64(0.0))


def central_transform(self, order, **params):
    """By the raw moments of no higher orders."""
    ways = ("formula", "general")
    moments = [
        self._moment_raw_dispatch(lower, methods=ways, **params) for lower in _ORDERS[: order + 1]
    ]
    if None in [moment if moment is None else 0 for moment in moments]:
        return None
    mean = self._moment_raw_dispatch(1, methods=_EVERY_WAY, **params)
    return self._moment_transform_center(order, moments, np.float64(0.0), mean)


_ORDERS = tuple(range(20))  # of moments that are known, which SciPy's own formulas bound


def _found_moment(self, order, methods, found):
    if found is None and "quadrature" in methods:
        refuse(f"a moment of order {order} that is found by quadrature")
    return found


_MOMENTS = {"raw": raw_moment, "central": central_moment, "standardized": standardized_moment}

# Where a form has few digits ----------------------------------------------------------------------


def _require_digits(is_rough):
    if np.any(is_rough):
        raise NotImplementedError("SciPy integrates the density there, which is not differentiated")


def _logarithm_of(name):
    """The logarithm of a probability that is not too small to be one."""

    def safe(self, x, **params):
        found = getattr(self, f"_{name}_dispatch")(x, **params)
        _require_digits(found == 0.0)
        return np.log(found)

    return safe


def _complement_of(other):
    """What another probability leaves of 1, of which digits are left."""

    def safe(self, x, **params):
        rest = getattr(self, f"_{other}_dispatch")(x, **params)
        found = 1 - rest
        _require_digits(np.sqrt(np.finfo(self._dtype).eps) * found < np.spacing(rest))
        return found

    return safe


def _inverse_complement(other):
    """An inverse by that of the other probability, of which digits are left."""

    def safe(self, x, **params):
        rest = 1 - x
        _require_digits(np.sqrt(np.finfo(self._dtype).eps) * x < np.spacing(rest))
        return getattr(self, f"_{other}_dispatch")(rest, **params)

    return safe


_SAFE = {
    "_logcdf_logexp_safe": _logarithm_of("cdf"),
    "_logccdf_logexp_safe": _logarithm_of("ccdf"),
    "_cdf_complement_safe": _complement_of("ccdf"),
    "_ccdf_complement_safe": _complement_of("cdf"),
    "_icdf_complement_safe": _inverse_complement("iccdf"),
    "_iccdf_complement_safe": _inverse_complement("icdf"),
}


def transformed_support(self, **params):
    """The ends behind a monotonic function, of which that at 0 is behind it from below."""
    low, high = self._dist._support(**params)
    high = np.where(high == 0, np.asarray(-0.0, dtype=high.dtype), high)
    with np.errstate(divide="ignore"):
        if self._increasing:
            return self._g(low), self._g(high)
        return self._g(high), self._g(low)


# What SciPy searches for --------------------------------------------------------------------------


def _has_tolerance(self):
    from scipy.stats._distribution_infrastructure import _isnull

    return not _isnull(self.tol)


def found_root(self, func, p, params, xatol=None):
    """Where a function of a place is what is asked for."""
    if _has_tolerance(self):
        refuse("tol=")
    low, high = self._support(**params)
    p, low, high = np.broadcast_arrays(p, low, high)
    like = p.astype(np.result_type(p.dtype, low.dtype, high.dtype))[()]

    def residual(x, *args):
        return func(x, **params) - p

    callback = followed(residual, (like,), ())
    at = solver("symdiff.ops.support.monotonic_root", callback, (low, high), {}, like)
    return solution("zero", at, callback)


def integrated(self, integrand, limits=None, args=None, params=None, log=False):
    """The integral over a part of the support, of each number by itself."""
    if log or args is not None or _has_tolerance(self) or _of_counts(self):
        refuse("a sum, or an integral of logarithms or with tol=")
    a, b = self._support(**params) if limits is None else limits
    names = list(params)
    arrays = np.broadcast_arrays(a, b, *[params[name] for name in names])
    if arrays[0].ndim == 0:
        return _integral(integrand, names, [array[()] for array in arrays])
    rows = [np.ravel(array) for array in arrays]
    found = [_integral(integrand, names, [row[i] for row in rows]) for i in range(rows[0].size)]
    return np.reshape(np.asarray(found), arrays[0].shape)


def _integral(integrand, names, given):
    shapes = dict(zip(names, given[2:], strict=True))

    def height(x, *args):
        return integrand(x, **shapes)

    def height_at(x, *args):
        return float(integrand(x, **shapes))

    ends = (float(given[0]), float(given[1]))
    rows = followed(height, ("nodes",), ())
    value = solver("symdiff.ops.support.integral_of_one", rows, ends, {}, np.float64(0.0))
    return solution("integral", value, followed(height_at, (0.0,), ()), ends, *_QUAD)


_QUAD = ("scipy.integrate.quad", {"epsabs": 1e-12, "epsrel": 1e-10})


# Mixtures -----------------------------------------------------------------------------------------


def full(self, val, *args):
    """Like the places, the value everywhere."""
    arrays = [np.asarray(arg) for arg in args]
    dtype = np.result_type(self._dtype, *[array.dtype for array in arrays])
    if len(arrays) == 0:
        return np.full((), val, dtype=dtype)
    return np.full(np.broadcast_arrays(*arrays)[0].shape, val, dtype=dtype)


def log_sum(self, fun, *args):
    """The logarithm of the weighted sum, of what each has at the places."""
    out = full(self, -np.inf, *args)
    for var, log_weight in zip(self._components, np.log(self._weights), strict=True):
        out = np.logaddexp(out, getattr(var, fun)(*args) + log_weight)
    return out[()]


def mixed_moment(self, order):
    """The weighted sum of the moments of all about the common mean."""
    out = full(self, 0.0)
    for var, weight in zip(self._components, self._weights, strict=True):
        moments = [var.moment(lower, kind="central") for lower in _ORDERS[: order + 1]]
        moved = var._moment_transform_center(order, moments, var.mean(), self.mean())
        out = out + moved * weight
    return out[()]


# Of the distributions of old ----------------------------------------------------------------------

_FORMS = {
    "_logpdf": "log_density",
    "_cdf": "below",
    "_sf": "above",
    "_ppf": "quantile",
    "_isf": "quantile_above",
}


def _standard(law, compute):
    """A function of a law in its standard form."""

    def function(x, *args, **kwargs):
        given = dict(zip(law.shapes, args, strict=False))
        given.update(kwargs)
        return compute(x, *[given[name] for name in law.shapes])

    return function


def _exponential(compute):
    def exponential(x, *shapes):
        return np.exp(compute(x, *shapes))

    return exponential


def _standard_forms(law):
    """What a law says, under the names of SciPy's methods."""
    found = {name: getattr(law, form) for name, form in _FORMS.items() if hasattr(law, form)}
    for name, form in (("_logcdf", "below"), ("_logsf", "above")):
        if hasattr(law, form) and getattr(law, f"log_{form}", True) is not None:
            found[name] = _logarithm(law, form)
    if hasattr(law, "log_density"):
        found["_pdf"] = _exponential(law.log_density)
    else:
        found["_logpmf"], found["_pmf"] = law.log_mass, _exponential(law.log_mass)
    return {name: _standard(law, compute) for name, compute in found.items()}


def cdf(self, x, y=None, /, *, method=None):
    """The share up to a place, or between two: by logarithms, which do not tell the slopes where
    the places are one.
    """
    if y is None:
        return self._cdf1(x, method=method)
    found = self._cdf2(x, y, method=method)
    made = self._cdf1(y, method=None) - self._cdf1(x, method=None)
    return valued(made.astype(found.dtype), without_derivative(found))


def log_of_rest(x):
    """The logarithm of ``1 - exp(x)``, of numbers up to 0 (Maechler 2012, eq. 7)."""
    is_near = x > -np.log(2.0)
    near = np.log(-np.expm1(np.where(is_near, x, -0.5)))
    return np.where(is_near, near, np.log1p(-np.exp(np.where(is_near, -1.0, x))))[()]


def _binomial_count(method):
    """An inverse of the binomial distribution, which is a count."""

    def count(q, n, p):
        return computed(0.0 * np.asarray(q) * n * p, _counted, method, q, n, p)[()]

    return count


def _counted(method, q, n, p):
    from scipy import special

    return np.asarray(getattr(special._ufuncs, f"_binom_{method}")(q, n, p), dtype=np.float64)


# Registering --------------------------------------------------------------------------------------


def _register_laws(stats: Any, special: Any) -> None:
    """Say what the methods are that ``make_distribution`` makes others of."""
    for name, law in (*CONTINUOUS.items(), *COUNTS.items()):
        distribution = getattr(stats, name, None)  # this SciPy may not have it
        for method, definition in _standard_forms(law).items() if distribution else ():
            defines_inside(getattr(distribution, method), definition, rounded=True)
    defines_inside(special._ufuncs._log1mexp, log_of_rest, rounded=True)
    for name, laws in (("binom", COUNTS), ("beta", CONTINUOUS)):
        for method, definition in _standard_forms(laws[name]).items():
            function = getattr(special._ufuncs, f"_{name}{method}", None)
            if function is not None:  # of this SciPy
                defines_inside(function, definition, rounded=True)
    for method in ("ppf", "isf"):
        function = getattr(special._ufuncs, f"_binom_{method}")
        defines_inside(function, _binomial_count(method))


_INSIDE = {
    "_update_parameters": update_parameters,
    "_validate_order_kind": validate_order_kind,
    "_constants": constants,
    "cdf": cdf,
    "_moment_raw_transform": raw_transform,
    "_moment_central_transform": central_transform,
    "_quadrature": integrated,
    **_SAFE,
}


@when_imported("scipy.stats._new_distributions")
def register(new: ModuleType) -> None:
    """Say what the methods of all families mean."""
    from scipy import special, stats
    from scipy.stats import _distribution_infrastructure as made

    _register_laws(stats, special)
    INSTEAD[stats.truncate] = "divide the density by variable.cdf(lb, ub), which is known"
    variable, mixture = made.UnivariateDistribution, made.Mixture
    for name, definition in _INSIDE.items():
        defines_inside(getattr(variable, name), definition)
    for kind, dispatch in _MOMENTS.items():
        defines_inside(getattr(variable, f"_moment_{kind}_dispatch"), dispatch)
        defines_inside(getattr(variable, f"_moment_{kind}"), _of_kind(kind))
    defines_inside(made.MonotonicTransformedDistribution._support, transformed_support)
    if hasattr(made.ContinuousDistribution, "_solve_bounded_continuous"):  # of this SciPy
        defines_inside(made.ContinuousDistribution._solve_bounded_continuous, found_root)
    defines_inside(mixture._full, full)
    defines_inside(mixture._logsum, log_sum)
    defines_inside(mixture._moment_central, mixed_moment)
    defines(variable.support)(support)
    for family in (*vars(made).values(), *vars(new).values()):
        if isinstance(family, type) and issubclass(family, variable):
            _register_decorated(made, family)


def _register_decorated(made: ModuleType, family: type) -> None:
    """Say what the methods are that a decorator of SciPy's has made."""
    for name, function in vars(family).items():
        definition = _decorated(made, name, function)
        if definition is not None and name.startswith("_"):
            defines_inside(function, definition)
        elif definition is not None and function not in DEFINITIONS:
            defines(function)(definition)


def _code(made: Any) -> Any:
    """The code of what a decorator of SciPy's makes."""
    return made(_code).__code__


def _decorated(made: ModuleType, name: str, function: Any) -> Any:
    """The definition of a method that a decorator of SciPy's has made; None of others."""
    if not isinstance(function, FunctionType) or not hasattr(function, "__wrapped__"):
        return None
    inner: Any = function.__wrapped__
    if function.__code__ is _code(made._dispatch):
        return _dispatched(name, inner)
    if function.__code__ is _code(made._set_invalid_nan_property):
        return _of_itself(inner)
    if function.__code__ is _code(made._set_invalid_nan):
        return (_of_share if name in _SHARES else _of_place)(name, inner)
    return None
