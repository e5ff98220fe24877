"""What can be differentiated besides functions of the user's; what a function may not return."""

import functools
import math
import operator

import numpy as np
import pytest
from scipy import special, stats

import symdiff

X = np.array([1.0, 2.0, 3.0])


class Model:
    def __init__(self, k):
        self.k = k

    def loss(self, x):
        return (self.k * x * x).sum()

    def __call__(self, x):
        return (self.k * x).sum()

    @staticmethod
    def squares(x):
        return (x * x).sum()

    @classmethod
    def cubes(cls, x):
        return (x * x * x).sum()


def doubled(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return 2 * f(*args, **kwargs)

    return wrapper


def scaled(a, x):
    return a * x * x


def weighted(w, x):
    return (w * x * x).sum()


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        (max, (2.0, 3.0), 0.0),
        (min, (2.0, 3.0), 1.0),
        (pow, (2.0, 3.0), 12.0),
        (abs, (-2.0,), -1.0),
        (float, (2.0,), 1.0),
        (sum, ([1.0, 2.0],), [1.0, 1.0]),
        (math.sin, (1.0,), math.cos(1.0)),
        (math.hypot, (3.0, 4.0), 0.6),
        (operator.mul, (2.0, 3.0), 3.0),
        (np.sqrt, (4.0,), 0.25),
        (np.sum, (X,), np.ones(3)),
        (np.ndarray.sum, (X,), np.ones(3)),
        (np.dot, (X, 2 * X), 2 * X),
        (functools.partial(scaled, 3.0), (2.0,), 12.0),
        (functools.partial(scaled, x=2.0), (5.0,), 4.0),
        (functools.partial(functools.partial(operator.mul), 3.0), (2.0,), 3.0),
        (functools.partial(Model(2.0).loss), (X,), 4 * X),
        (functools.partial(functools.reduce, operator.mul), ([2.0, 5.0],), [5.0, 2.0]),
        (Model(2.0).loss, (X,), 4 * X),
        (Model(2.0), (X,), np.full(3, 2.0)),
        (Model.squares, (X,), 2 * X),
        (Model.cubes, (X,), 3 * X * X),
        (doubled(Model.squares), (X,), 4 * X),
    ],
)
def test_callables_of_every_kind(function, arguments, expected):
    found = symdiff.grad(function)(*arguments)
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    assert type(found) is list or np.shape(found) == np.shape(expected)


def test_two_lambdas_on_a_line():
    square, cube = (lambda x: x * x), (lambda x: x * x * x)
    assert (symdiff.grad(square)(2.0), symdiff.grad(cube)(2.0)) == (4.0, 12.0)


def test_an_array_that_a_partial_holds_is_read_at_each_call():
    w = np.ones(3)
    gradient = symdiff.grad(functools.partial(weighted, w))
    np.testing.assert_array_equal(gradient(X), 2 * X)
    w[0] = 5.0
    np.testing.assert_array_equal(gradient(X), 2 * w * X)


def gives_a_closure(x):
    def inner(y):
        return x * y

    return inner


def gives_a_lambda_in_a_tuple(x):
    return x, (lambda y: x * y)


def gives_a_method(x):
    return x.sum


def gives_an_iterator(x):
    return zip(x, x, strict=True)


def gives_an_object(x):
    return Model(x)


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (gives_a_closure, "a function"),
        (gives_a_lambda_in_a_tuple, "a function"),
        (gives_a_method, "a function"),
        (gives_an_iterator, "an iterator"),
        (gives_an_object, "an object of Model"),
    ],
)
def test_what_a_function_may_not_return(function, what):
    for call in (symdiff.differentiable(function).forward, symdiff.grad(function)):
        with pytest.raises(symdiff.UnsupportedSyntaxError) as raised:
            call(X)
        error = raised.value
        assert error.message == f"the function returns {what}"
        assert error.span.text.strip().startswith("return ")
        assert error.hint.startswith("return ")


def test_a_cached_function_is_refused():
    with pytest.raises(TypeError, match="__wrapped__"):
        symdiff.grad(functools.lru_cache(scaled))


NORMAL = stats.norm.pdf(0.3, 0.1, 2.0)


@pytest.mark.parametrize(
    ("derived", "expected"),
    [
        (lambda: symdiff.grad(stats.norm.cdf)(0.3, 0.1, 2.0), NORMAL),
        (lambda: symdiff.grad(stats.norm.cdf, "x")(0.3, loc=0.1, scale=2.0), NORMAL),
        (lambda: symdiff.grad(stats.norm.cdf, 1)(0.3, 0.1, 2.0), -NORMAL),
        (lambda: symdiff.jvp(stats.norm.logpdf, (0.3,), (2.0,))[1], -0.6),
        (lambda: symdiff.vjp(stats.norm.logpdf, 0.3)[1](2.0)[0], -0.6),
        (lambda: symdiff.hessian(stats.norm.logpdf)(0.3), -1.0),
        (lambda: symdiff.grad(symdiff.grad(stats.norm.logpdf))(0.3), -1.0),
        (lambda: symdiff.grad(stats.gamma.logpdf)(0.3, a=2.0), 1.0 / 0.3 - 1.0),
        (lambda: symdiff.grad(stats.poisson.logpmf, 1)(3, 2.0), 3.0 / 2.0 - 1.0),
        (lambda: symdiff.grad(stats.multivariate_normal.logpdf)(X, np.zeros(3)), -X),
        (lambda: symdiff.grad(stats.norm(0.1, 2.0).cdf)(0.3), NORMAL),
        (lambda: symdiff.grad(functools.partial(stats.norm.logpdf, scale=2.0))(0.3), -0.075),
        (lambda: symdiff.grad(np.sum)(X), np.ones(3)),
        (lambda: symdiff.grad(np.linalg.det)(np.diag(X)), np.diag(6.0 / X)),
        (lambda: symdiff.jacobian(np.cumsum)(X), np.tri(3)),
        (lambda: symdiff.hessian(np.prod)(X), [[0, 3, 2], [3, 0, 1], [2, 1, 0]]),
        (lambda: symdiff.grad(math.sin)(0.3), math.cos(0.3)),
        (lambda: symdiff.grad(special.gammaln)(2.5), special.digamma(2.5)),
    ],
)
def test_functions_of_libraries_and_their_methods_need_no_function_around_them(derived, expected):
    np.testing.assert_allclose(derived(), expected, rtol=1e-13, atol=1e-14)


def test_a_method_of_a_library_that_is_not_known_is_refused():
    with pytest.raises(symdiff.UnsupportedCallError, match="no rule for"):
        symdiff.grad(stats.multivariate_t.cdf)(np.array([0.3, 0.7]))
