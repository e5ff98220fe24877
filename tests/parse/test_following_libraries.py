"""NumPy's and SciPy's functions without a rule, followed into their Python."""

from __future__ import annotations

import functools
import importlib.metadata
import inspect
import math
import os
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.signal
import scipy.special
import scipy.stats

import symdiff as sd
from tests.definitions.calls import check

P = np.polynomial
TIMES = np.linspace(0.0, 1.0, 24)
SIGNAL = np.sin(7.0 * TIMES) + TIMES**2 + 0.3
OTHER = np.cos(5.0 * TIMES) + 0.1 * TIMES
LINE = np.poly1d([1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (lambda x: np.abs(scipy.signal.freqz(x, [1.0, 0.4], worN=5)[1]), np.array([0.3, 0.2, 0.1])),
        (lambda x: scipy.signal.resample(x, 10), SIGNAL),
        (lambda x: scipy.signal.wiener(x, 5), SIGNAL),
        (lambda x: scipy.signal.cspline1d(x), SIGNAL),
        (lambda x: scipy.signal.gauss_spline(x, 3), SIGNAL),
        (lambda x: scipy.signal.firwin(7, x[0]), np.array([0.3])),
        (lambda x: scipy.signal.iirnotch(x[0], 30.0)[0], np.array([0.3])),
        (lambda x: scipy.signal.lombscargle(TIMES, x, np.array([1.0, 2.0])), SIGNAL),
        (lambda x: scipy.stats.f_oneway(x, OTHER)[0], SIGNAL),
        (lambda x: scipy.stats.levene(x, OTHER)[1], SIGNAL),
        (lambda x: scipy.stats.skewtest(x).statistic, SIGNAL),
        (lambda x: scipy.stats.jarque_bera(x)[0], SIGNAL),
        (lambda x: scipy.stats.circmean(x), SIGNAL),
        (lambda x: scipy.stats.yeojohnson(x, 0.4), SIGNAL),
        (lambda x: scipy.stats.gstd(x), SIGNAL + 3.0),
        (lambda x: scipy.stats.describe(x)[3], SIGNAL),
        (lambda x: scipy.stats.probplot(x)[1][0], SIGNAL),
        (lambda x: scipy.stats.cramervonmises(x, "expon", (0.1, 2.0)).pvalue, SIGNAL + 3.0),
        (lambda x: scipy.stats.ks_1samp(x, scipy.stats.norm.cdf, (0.4, 0.7), "less")[1], SIGNAL),
        (lambda x: scipy.stats.kstest(x, "norm", (0.4, 0.7), method="asymp")[1], SIGNAL),
        (lambda x: scipy.stats.boxcox_normplot(x, -1.0, 2.0, N=4)[1], SIGNAL + 3.0),
        (lambda x: scipy.stats.mstats.compare_medians_ms(x, x[:11]), SIGNAL),
        (lambda x: P.Polynomial(x)(0.5), np.array([0.3, 0.4])),
        (lambda x: P.Chebyshev(x).integ()(0.2), np.array([0.3, 0.4, 0.1])),
        (lambda x: P.Polynomial.fit(TIMES, x, 3)(0.3), SIGNAL),
        (lambda x: P.hermite.hermfit(TIMES, x, 3), SIGNAL),
        (lambda x: P.polynomial.polyfit(TIMES, x, [1, 3]), SIGNAL),
        (lambda x: P.chebyshev.chebmul(x, [1.0, 2.0]), np.array([0.3, 0.4])),
        (lambda x: P.polynomial.polydiv(x, [1.0, 2.0])[0], np.array([0.3, 0.4, 0.2])),
        (lambda x: P.polynomial.polypow(x, 3), np.array([0.3, 0.4])),
        (lambda x: P.chebyshev.chebinterpolate(lambda t: np.exp(t * x[0]), 3), np.array([0.4])),
        (lambda x: LINE(x), np.array([0.3, 0.4])),
        (lambda x: np.poly1d(x).deriv()(0.3), np.array([0.3, 0.4, 0.1])),
        (lambda x: (np.poly1d(x) * np.poly1d([1.0, x[0]]) - 2.0)(0.4), np.array([0.3, 0.4, 0.1])),
        (lambda x: (P.Polynomial(x) * P.Polynomial(x[:2]) - 1.0)(0.4), np.array([0.3, 0.4, 0.1])),
        (lambda x: (P.Polynomial(x) // P.Polynomial(x[:2]))(0.4), np.array([0.3, 0.4, 0.1])),
        (lambda x: np.sort(np.abs(np.roots(x))), np.array([1.0, -5.0, 3.0, 0.3])),
        (lambda x: np.abs(np.roots(x)), np.array([1.0, 1.0, 3.0])),
        (lambda x: np.abs(P.polynomial.polyroots(x)), np.array([1.0, 1.0, 3.0])),
        (lambda x: np.sort(np.abs(P.Chebyshev(x).roots())), np.array([0.3, 2.0, 0.7])),
        (lambda x: np.abs(np.emath.sqrt(x)) ** 3, np.array([0.3, -2.0])),
        (lambda x: np.emath.log(x).imag * x + np.emath.arccos(x).real, np.array([0.3, -2.0])),
        (lambda x: np.abs(np.emath.power(x, 1.5)), np.array([0.3, 2.0])),
    ],
)
def test_what_they_do_has_derivatives(function: Any, x: np.ndarray) -> None:
    check(function, x, order=1)


def test_what_decorates_them_is_followed_too() -> None:
    """A sample with a NaN gives NaN, left out it gives what the others give."""
    x = SIGNAL.copy()
    x[3] = np.nan

    def kept(x: Any) -> Any:
        return scipy.stats.skewtest(x, nan_policy="propagate")[0]

    assert np.isnan(sd.vjp(kept, x)[0])
    check(lambda x: scipy.stats.skewtest(x, axis=None, keepdims=True)[0], SIGNAL, order=1)


def test_a_default_that_stands_for_nothing_is_itself() -> None:
    """Else ``lombscargle`` would take the mean from its data."""
    value, tangent = sd.jvp(
        lambda x: scipy.signal.lombscargle(TIMES, x, np.array([1.0])), (SIGNAL,), (SIGNAL,)
    )
    np.testing.assert_allclose(tangent, 2.0 * value)


# What their Python asks for -----------------------------------------------------------------------


class Hidden:
    def __init__(self, value: Any) -> None:
        self.__dict__["value"] = value

    @property
    def value(self) -> Any:
        return self.__dict__["value"] * 2.0


HIDDEN = Hidden(3.0)


def test_an_attribute_that_a_property_hides_is_read() -> None:
    assert sd.grad(lambda x: x * HIDDEN.__dict__["value"] * HIDDEN.value)(1.5) == 18.0
    np.testing.assert_allclose(sd.grad(lambda x: Hidden(x).value ** 2)(1.5), 12.0)


def test_an_attribute_of_the_callers_that_a_property_hides_is_not_set() -> None:
    def set_(x: Any) -> Any:
        HIDDEN.__dict__["value"] = x
        return x

    with pytest.raises(sd.UnsupportedCallError, match="which the class hides"):
        sd.grad(set_)(1.5)


class Base:
    def __new__(cls, *given: Any) -> Any:
        if cls is Base:
            return Below.__new__(Below, *given)
        return super().__new__(cls)

    def __init__(self) -> None:
        self.kind = 1.0


class Below(Base):
    def __init__(self, a: Any, b: Any) -> None:
        super().__init__()
        self.a, self.b = a, b


def test_a_class_that_new_has_chosen_initialises() -> None:
    def product(x: Any) -> Any:
        made: Any = Base(x, 2.0)
        return made.a * made.b * made.kind

    assert sd.grad(product)(1.5) == 2.0


def scaled(x: Any, *others: Any, by: float = 2.0) -> Any:
    return x * by


class Scaler:
    def scaled(self, x: Any, by: float = 3.0) -> Any:
        return x * by


def test_parameters_are_known() -> None:
    def model(x: Any) -> Any:
        parameters = inspect.signature(scaled).parameters
        of_method = inspect.signature(Scaler().scaled).parameters
        spec = inspect.getfullargspec(scaled)
        found = parameters["by"].default * len(parameters) + of_method["by"].default * 10.0
        named = "by" in parameters and "self" not in of_method and spec.varargs == "others"
        return x * found * named * (spec.args == ["x"]) + len(spec.kwonlyargs)

    assert sd.grad(model)(1.5) == 36.0


@functools.wraps(np.sign)
def _signed(x: Any) -> Any:
    return np.sign(x) * x**2


@functools.wraps(np.linalg.norm)
def _square(x: Any) -> Any:
    return np.sum(x * x)


@functools.wraps(math.sin)
def _sine(x: Any) -> Any:
    return np.sin(x)


@functools.wraps(abs)
def _size(x: Any, power: Any = 2) -> Any:
    return np.abs(x) ** power


def test_what_wraps_a_function_of_a_library_is_followed() -> None:
    x = np.array([0.5, -2.0])
    np.testing.assert_allclose(sd.grad(lambda x: np.sum(_signed(x)))(x), 2.0 * np.abs(x))
    np.testing.assert_allclose(sd.grad(lambda x: _square(x))(x), 2.0 * x)
    np.testing.assert_allclose(sd.grad(_square)(x), 2.0 * x)
    np.testing.assert_allclose(sd.grad(lambda x: np.sum(_sine(x)))(x), np.cos(x))
    found = sd.grad(lambda x: np.sum(_size(x, power=3)))(x)
    np.testing.assert_allclose(found, 3.0 * x * np.abs(x))


def _with_checks(x: Any) -> Any:
    y = 2.0 * x
    np.testing.assert_array_less(0.0, y, "above")
    y[0] = 0.0
    try:
        np.testing.assert_allclose(np.sum(y), 4.0, rtol=1e-6)
    except AssertionError:
        return np.sum(x)
    return np.sum(y**2)


def test_checks_of_numpys_tests_are_made_where_they_stand() -> None:
    gradient = sd.grad(_with_checks)
    np.testing.assert_array_equal(gradient(np.array([1.0, 2.0])), [0.0, 16.0])
    np.testing.assert_array_equal(gradient(np.array([1.0, 3.0])), [1.0, 1.0])
    with pytest.raises(AssertionError, match="above"):
        gradient(np.array([-1.0, 2.0]))


def test_a_check_that_gives_what_it_has_found_is_refused() -> None:
    def scaled(x: Any) -> Any:
        found = np.testing.assert_array_max_ulp(x, x)
        return np.sum(x) * (3.0 if found is None else 2.0)

    with pytest.raises(sd.UnsupportedCallError, match="assert_array_max_ulp"):
        sd.grad(scaled)(np.array([1.0, 2.0]))


_NUMBER = id(np.sin)
_BY_NUMBER = {_NUMBER: 1.0}


def test_functions_are_grouped_by_which_they_are() -> None:
    def grouped(x: Any) -> Any:
        groups: dict[Any, list[Any]] = {}
        for function in (np.sin, _square, np.sin):
            groups.setdefault((id(function), 2), []).append(function)
        is_one = (id(np.sin) == id(np.sin)) + (id(np.sin) == id(np.cos)) + (id(np.sin) == 3)
        return sum([len(group) ** 2 * group[0](x) for group in groups.values()]) * is_one

    assert sd.grad(grouped)(0.5) == pytest.approx(4.0 * np.cos(0.5) + 1.0, rel=1e-14)
    numbers: list[Any] = [
        lambda x: x * (id(np.sin) % 16),
        lambda x: x if id(np.sin) < 9 else 2.0 * x,
        lambda x: x * float(id(np.sin)),
        lambda x: x * len(str(id(np.sin))),
        lambda x: x * len(f"{id(np.sin)}"),
        lambda x: x * min(id(np.sin), id(np.cos)),
        lambda x: (x, id(np.sin)),
        lambda x: x if type(id(np.sin)) is int else 2.0 * x,
        lambda x: x * abs(id(np.sin)),
        lambda x: x * round(id(np.sin)),
        lambda x: x * pow(id(np.sin), 2),
        lambda x: x if id(np.sin) in _BY_NUMBER else 2.0 * x,
        lambda x: x if _NUMBER in {id(np.sin)} else 2.0 * x,
        lambda x: x * len({id(np.sin): 1, _NUMBER: 2}),
    ]
    for number in numbers:
        with pytest.raises(sd.SymdiffError) as found:
            sd.jvp(number, (0.5,), (1.0,))
        assert not isinstance(found.value, sd.InternalError)


def _checked(func: Any) -> Any:
    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        signature = inspect.signature(func)
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        skipped = [
            p.name
            for p in signature.parameters.values()
            if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        ]
        for name, value in given.arguments.items():
            if name not in skipped and isinstance(value, float) and value < 0.0:
                raise ValueError(name)
        return func(*given.args, **given.kwargs)

    return wrapper


def _bound_outside(func: Any) -> Any:
    signature = inspect.signature(func)

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        return func(*given.args, **given.kwargs)

    return wrapper


def _weighed(
    x: Any, y: Any = 3.0, *rest: Any, scale: Any = 2.0, f: Any = np.sin, **more: Any
) -> Any:
    return f(x) * y * scale + sum(rest) * x + sum(more.values()) * x


@pytest.mark.parametrize("decorated", [_checked(_weighed), _bound_outside(_weighed)])
def test_signatures_are_bound_to_arguments(decorated: Any) -> None:
    x = 1.3
    for call, slope in (
        (lambda x: decorated(x), 6.0 * np.cos(x)),
        (lambda x: decorated(x, 2.0, 3.0, scale=x, q=4.0), 2.0 * (np.cos(x) * x + np.sin(x)) + 7.0),
        (lambda x: decorated(x=x, f=np.cos), -6.0 * np.sin(x)),
        (lambda x: decorated(y=x, x=2.0), 2.0 * np.sin(2.0)),
    ):
        np.testing.assert_allclose(sd.grad(call)(x), slope, rtol=1e-14)
        np.testing.assert_allclose(sd.jvp(call, (x,), (1.0,))[1], slope, rtol=1e-14)
    second = sd.grad(sd.grad(lambda x: decorated(x)))(x)
    np.testing.assert_allclose(second, -6.0 * np.sin(x), rtol=1e-14)
    for call, message in (
        (lambda x: decorated(), "missing a required argument: 'x'"),
        (lambda x: decorated(x, x=x), "multiple values for argument 'x'"),
    ):
        with pytest.raises(TypeError, match=message):
            sd.grad(call)(x)


class Held:
    kind = 1.0

    def __init__(self) -> None:
        self.scale = 2.0


_MISSING = object()


def test_attributes_are_asked_for_statically() -> None:
    def model(x: Any) -> Any:
        held = Held()
        known = inspect.getattr_static(held, "scale") + inspect.getattr_static(held, "kind")
        missing = inspect.getattr_static(x, "columns", _MISSING) is _MISSING
        shape = inspect.getattr_static(x, "shape", _MISSING) is not _MISSING
        return np.sum(x) * known * missing * shape

    np.testing.assert_array_equal(sd.grad(model)(np.ones(2)), 3.0)


@functools.cache
def _names() -> Any:
    return sorted(os.listdir(FOLDER[0])), np.array([2.0, 3.0])


FOLDER: list[str] = []


def test_what_a_cached_function_has_found_is_read(tmp_path: Any) -> None:
    def model(x: Any) -> Any:
        names, weights = _names()
        for _ in names:
            x = x * x
        return np.sum(x * weights)

    FOLDER[:] = [str(tmp_path)]
    model(1.0)
    slope = sd.grad(model)
    assert slope(1.5) == slope(2.5) == 5.0
    assert sd.jvp(model, (1.5,), (1.0,))[1] == 5.0
    (tmp_path / "a").touch()
    assert slope(1.5) == 5.0
    _names.cache_clear()
    assert slope(1.5) == 15.0
    assert sd.grad(slope)(1.5) == 10.0
    _names.cache_clear()


class Interval:
    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def __str__(self) -> str:
        return f"in [{self.low}, {self.high}]"


INTERVALS = [Interval(0.0, 1.0), Interval(2.0, 3.0), Interval(5.0, 6.0)]


def test_texts_that_are_known_at_run_time_only_are_joined() -> None:
    def model(x: Any) -> Any:
        for interval in INTERVALS:
            if interval.low < x < interval.high:
                break
        else:
            shown = f"{', '.join([str(one) for one in INTERVALS[:-1]])} or {INTERVALS[-1]}"
            raise ValueError(f"must be {shown}, got {x!r}")
        return x * x

    assert sd.grad(model)(0.5) == 1.0
    assert sd.grad(model)(5.5) == 11.0
    message = r"must be in \[0.0, 1.0\], in \[2.0, 3.0\] or in \[5.0, 6.0\], got 7.0"
    with pytest.raises(ValueError, match=message):
        sd.grad(model)(7.0)


class Bunch(dict[str, Any]):
    def __init__(self, **items: Any) -> None:
        super().__init__(items)
        self.__dict__["_deprecated"] = {}

    def __getitem__(self, key: str) -> Any:
        if key in self.__dict__.get("_deprecated", {}):
            raise KeyError(key)
        return super().__getitem__(key)

    def __setattr__(self, key: str, value: Any) -> None:
        self[key] = value

    def __getattr__(self, key: str) -> Any:
        try:
            return self[key]
        except KeyError:
            raise AttributeError(key) from None


OUTSIDE = Bunch(a=1.0)


def test_what_a_dict_has_beside_its_items_is_a_dict_of_its_own() -> None:
    def model(x: Any) -> Any:
        made = Bunch(a=x, c=2.0)
        made.d = x * 3.0
        return made.a * made["d"] + made.c + len(made) * x + 10.0 * len(made.__dict__) * x

    assert sd.grad(model)(2.0) == 25.0
    assert sd.jvp(model, (2.0,), (1.0,)) == (40.0, 25.0)
    assert sd.grad(sd.grad(model))(2.0) == 6.0
    outside = sd.grad(lambda x: x * OUTSIDE.a * len(OUTSIDE) + len(OUTSIDE.__dict__) * x)
    assert outside(1.0) == 2.0
    OUTSIDE.a = 4.0
    assert outside(1.0) == 5.0
    OUTSIDE.a = 1.0


def test_signatures_of_functions_that_are_defined_inside() -> None:
    def model(x: Any) -> Any:
        def inner(a: Any, b: Any = x, *c: Any, q: Any = 2.0) -> Any:
            return a * b * q

        signature = inspect.signature(inner)
        given = signature.bind(x)
        given.apply_defaults()
        count = len(inspect.signature(lambda u, v, w: 0).parameters) * len(signature.parameters)
        return inner(*given.args, **given.kwargs) * count

    assert sd.grad(model)(2.0) == 96.0  # 12 * 2 * x**2
    assert sd.jvp(model, (2.0,), (1.0,)) == (96.0, 96.0)
    assert sd.grad(sd.grad(model))(2.0) == 48.0


def test_arrays_are_asked_for_as_arrays() -> None:
    def model(x: Any) -> Any:
        y = np.require(x, dtype=float, requirements=["W", "C"])
        return np.sum(y.__array__() ** 2) + np.sum(x.__array__(np.float32))

    def writes(x: Any) -> Any:
        y = x.__array__()
        y[0] = 5.0
        return np.sum(x * x)

    np.testing.assert_array_equal(sd.grad(model)(np.arange(3.0)), [1.0, 3.0, 5.0])
    np.testing.assert_array_equal(sd.grad(writes)(np.arange(3.0)), [0.0, 2.0, 4.0])


def test_whether_arrays_share_memory_is_known_where_any_layout_tells() -> None:
    def model(x: Any) -> Any:
        same = np.asarray(x)
        weight = 1.0 * np.may_share_memory(same, x) + 10.0 * np.shares_memory(same, [1.0, 2.0])
        weight = weight + 100.0 * np.may_share_memory(np.asarray(x, np.float32), x)
        weight = weight + 1000.0 * (np.asarray(None).dtype.kind == "O")
        weight = weight + np.iterable(_names) + np.iterable(lambda one: one)
        weight = weight + 1e4 * ("equal_nan" in inspect.signature(np.unique).parameters)
        return np.sum(same) * weight

    np.testing.assert_array_equal(sd.grad(model)(np.ones(2)), 11001.0)
    np.testing.assert_array_equal(sd.jvp(model, (np.ones(2),), (np.ones(2),))[1], 22002.0)
    with pytest.raises(sd.UnsupportedCallError, match="known at run time only"):
        sd.grad(lambda x: np.sum(x) * np.may_share_memory(x[1:], x[:1]))(np.ones(3))


@sd.nondifferentiable(returns="float64[n]")
def handed_back(x: Any) -> Any:
    return x


def _in_columns(x: Any) -> Any:
    """As checks of arguments copy what may be the caller's: it is, or not, as it lies in memory."""
    made = np.asarray(x, order="F")
    if np.may_share_memory(made, x):
        made = made.copy(order="K")
    made[0] = 3.0
    return np.sum(made * made) + np.sum(x)


def test_memory_that_a_function_makes_is_its_own() -> None:
    def model(x: Any) -> Any:
        made, double = np.array(x), 2.0 * x
        made[0] = 5.0
        shared = np.may_share_memory(made, x) + np.shares_memory(double[1:], x)
        return np.sum(x * x) * (1.0 + shared + np.may_share_memory(made, double))

    np.testing.assert_array_equal(sd.grad(model)(np.arange(3.0)), [0.0, 2.0, 4.0])
    for order in ("C", "F"):
        x = np.ones((2, 3), order=order)
        slopes = sd.grad(_in_columns)(x)
        np.testing.assert_array_equal(slopes, [[1.0, 1.0, 1.0], [3.0, 3.0, 3.0]])
        assert np.all(x == 1.0)
    with pytest.raises(sd.UnsupportedCallError, match="known at run time only"):
        sd.grad(lambda x: np.sum(x) * np.may_share_memory(handed_back(x), x))(np.ones(3))


def test_what_they_ask_of_arrays() -> None:
    def model(x: Any) -> Any:
        y = np.asarray(x * 2.0, device="cpu")
        y.sort(kind="stable")
        y = y if getattr(y, "device", "cpu") == "cpu" else -y
        y.setflags(write=False)
        return np.sum(y * np.ones(math.gcd(9, 6))) + np.sum(np.zeros(3, device="cpu"))

    np.testing.assert_allclose(sd.grad(model)(np.array([0.3, 0.1, 0.2])), 2.0)
    with pytest.raises(sd.UnsupportedCallError, match="device="):
        sd.grad(lambda x: np.sum(np.asarray(x, device="gpu")))(np.ones(2))


def test_what_setflags_makes_read_only_is_not_written() -> None:
    def model(x: Any) -> Any:
        y = x * 2.0
        y.setflags(write=False)
        y[0] = 1.0
        return np.sum(y)

    with pytest.raises((ValueError, sd.SymdiffError), match="read-only"):
        sd.grad(model)(np.ones(2))


def test_what_constants_make_is_known_where_it_has_to_be() -> None:
    def model(x: Any) -> Any:
        counts = np.array([2, 1])
        columns = np.vander(x, int(counts[0]) + 1) if np.all(counts > 0) else "none"
        return np.sum(columns)

    np.testing.assert_allclose(sd.grad(model)(np.array([0.5, 2.0])), [2.0, 5.0])


def test_arrays_of_constants_that_differ_between_paths_are_told_apart_at_run_time() -> None:
    def model(x: float) -> float:
        counts = np.array([2, 1]) if x > 0.0 else np.array([0, 1])
        return x * 2.0 if np.all(counts > 0) else x * 3.0

    slope = sd.grad(model)
    assert (slope(1.0), slope(-1.0)) == (2.0, 3.0)
    with pytest.raises(sd.UnsupportedCallError, match="by 'alpha' has no closed form"):
        sd.grad(lambda a: scipy.special.eval_genlaguerre(3.5, a, 0.5))(0.5)


@pytest.mark.parametrize("join", [np.stack, np.concatenate, np.vstack, np.hstack])
def test_nothing_to_join_raises_as_numpy_does(join: Any) -> None:
    with pytest.raises(ValueError, match="need at least one array to") as expected:
        join([])
    with pytest.raises(ValueError, match="need at least one array to") as found:
        sd.grad(lambda x: np.sum(join([])) * x)(1.5)
    assert str(expected.value) == str(found.value).splitlines()[0]


def test_mpmath_is_called_and_not_followed() -> None:
    function = sd.nondifferentiable(lambda: float(mpmath.sqrt(2)), returns="float")
    assert sd.grad(lambda x: x * function())(1.5) == math.sqrt(2.0)
    with pytest.raises(sd.UnsupportedCallError, match="not known here"):
        sd.grad(lambda x: x * float(mpmath.sqrt(2)))(1.5)


class Drawing:
    """Something to draw on, as matplotlib has it."""

    __module__ = "matplotlib.axes"

    def __init__(self) -> None:
        self.lines: list[Any] = []

    def plot(self, x: Any, y: Any, style: str = "-") -> Any:
        self.lines.append((x, y, style))
        return self.lines[-1]


Drawing.plot.__module__ = Drawing.__module__
DRAWING = Drawing()


def drawn(x: Any) -> Any:
    y = x * x
    DRAWING.plot(x, y, style="o")
    return np.sum(y)


def test_what_is_drawn_is_drawn_once_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMDIFF_VERIFY", "0")
    DRAWING.lines.clear()
    x = np.array([1.0, 2.0])
    np.testing.assert_array_equal(sd.grad(drawn)(x), [2.0, 4.0])
    np.testing.assert_array_equal(sd.hessian(drawn)(x), [[2.0, 0.0], [0.0, 2.0]])
    assert sd.jvp(drawn, (x,), (x,)) == (5.0, 10.0)
    assert len(DRAWING.lines) == 3
    for points, values, style in DRAWING.lines:
        np.testing.assert_array_equal((points, values), (x, x * x))
        assert style == "o"


def test_plots_of_probabilities_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMDIFF_VERIFY", "0")
    DRAWING.lines.clear()
    slope = sd.grad(lambda x: scipy.stats.boxcox_normplot(x, -1, 2, N=4, plot=DRAWING)[1][0])
    x = SIGNAL + 3.0
    np.testing.assert_array_equal(
        slope(x), sd.grad(lambda x: scipy.stats.boxcox_normplot(x, -1, 2, N=4)[1][0])(x)
    )
    ((points, values, style),) = DRAWING.lines
    np.testing.assert_array_equal((points, values), scipy.stats.boxcox_normplot(x, -1, 2, N=4))
    assert style == "x"


def test_what_is_made_inside_is_not_drawn_on() -> None:
    def made(x: Any) -> Any:
        Drawing().plot(x, x)
        return np.sum(x)

    with pytest.raises(sd.errors.UnsupportedCallError, match="a drawing that is made here"):
        sd.grad(made)(SIGNAL)


def _by_what_is_installed(x):
    found = importlib.metadata.entry_points(group="symdiff.no_such_group")
    names = [entry.name for entry in found]
    return x * x * (len(names) + len(importlib.metadata.version("numpy").split(".")))


def test_what_packages_say_of_themselves_is_known():
    parts = len(np.__version__.split("."))
    assert sd.value_and_grad(_by_what_is_installed)(3.0) == (9.0 * parts, 6.0 * parts)


def test_entry_points_themselves_are_not_followed():
    assert importlib.metadata.entry_points(group="pytest11")
    with pytest.raises(sd.SymdiffError, match="entry_points"):
        sd.grad(lambda x: x * len(importlib.metadata.entry_points(group="pytest11")))(2.0)
