"""Rules for functions that one does not own."""

import threading

import numpy as np
import pytest
from scipy.special import _ufuncs, pro_cv_seq

import symdiff as sd
from tests.definitions.calls import check

X = np.array([0.4, 1.3, 0.8])


sinpi = _ufuncs._sinpi  # private, and so without a rule of symdiff's


def rule_of_sinpi(primals, tangents):
    (x,), (t,) = primals, tangents
    return sinpi(x), np.pi * sinpi(x + 0.5) * t


def through_sinpi(x):
    return np.abs(sinpi(x + 0.3j)) ** 2


def opaque(function):
    """A function that symdiff cannot follow, as one of another library's."""
    scope = {"np": np, "function": function}
    exec("def foreign(*args, **kwargs):\n    return function(*args, **kwargs)", scope)
    return scope["foreign"]


square = opaque(lambda x: x * x)
scaled = opaque(lambda x, y, mode="plain": x * x * y if mode == "plain" else x * y)
pair = opaque(lambda x: (x * x, np.sum(x)))


def test_a_ufunc_with_a_forward_rule_that_calls_it():
    with sd.define_rule(sinpi, jvp=rule_of_sinpi):
        check(through_sinpi, X)
        first, third = sd.grad(through_sinpi), sd.grad(sd.grad(sd.grad(through_sinpi)))
        assert "_sinpi(" in first.source(0.5)
        second = sd.hessian(through_sinpi)
        step = 1e-3
        difference = (second(0.5 + step) - second(0.5 - step)) / (2 * step)
        assert third(0.5) == pytest.approx(difference, rel=1e-5)


def test_a_rule_calls_its_function_to_order_four():
    with sd.define_rule(sinpi, jvp=rule_of_sinpi):
        f = sinpi
        for order in range(1, 5):
            f = sd.grad(f)
            assert f(0.2) == pytest.approx(np.pi**order * np.sin(np.pi * (0.2 + order / 2)))
        with pytest.raises(sd.UnsupportedCallError, match="the rule of _sinpi calls _sinpi itself"):
            sd.grad(f)(0.2)


@pytest.mark.parametrize(
    "returns", ["float64[n]", lambda x: np.zeros_like(x), lambda x: 2.0 * np.exp(x)]
)
def test_what_a_function_returns_is_said_in_text_or_by_a_function(returns):
    def rule(primals, tangents):
        return None, 2.0 * primals[0] * tangents[0]

    with sd.define_rule(square, jvp=rule, returns=returns):
        check(lambda x: np.sin(square(x)), X)


def test_what_a_function_returns_is_checked():
    def rule(primals, tangents):
        return None, 2.0 * primals[0] * tangents[0]

    for said in ("float32[n]", "float64[2]", "float64", "float64[n,m]"):
        gives = r"foreign gives float64\[3\], and was said to give "
        with (
            sd.define_rule(square, jvp=lambda p, t: (0.0, 0.0), returns=said),
            pytest.raises((TypeError, sd.InternalError), match=gives),
        ):
            sd.functional(lambda x: square(x) * 2.0)(X)
    with sd.define_rule(square, jvp=rule, returns="float"):
        assert sd.grad(square)(3.0) == 6.0


def test_a_reverse_rule_and_both():
    def forward(x, y, mode):
        return scaled(x, y, mode), (x, y)

    def backward(kept, g):
        x, y = kept
        return 2.0 * x * y * g, np.sum(x * x * g) if np.ndim(y) == 0 else x * x * g, None

    def tangent(primals, tangents):
        x, y, mode = primals
        return scaled(x, y, mode), 2.0 * x * y * tangents[0] + x * x * tangents[1]

    def f(x, y):
        return np.exp(scaled(x, y, "plain"))

    def named(x, y, mode="plain"):
        return 0.0 * x * y

    with sd.define_rule(scaled, vjp=(forward, backward), returns=named):
        np.testing.assert_allclose(
            sd.grad(lambda x: np.sum(f(x, 0.5)))(X), X * np.exp(0.5 * X**2), rtol=1e-14
        )
        with pytest.raises(sd.UnsupportedCallError, match="foreign has no forward rule"):
            sd.jvp(lambda x: f(x, 0.5), (X,), (X,))
    with sd.define_rule(scaled, vjp=(forward, backward), jvp=tangent, returns=named):
        check(f, X, X[::-1].copy(), wrt=(0, 1))


def test_a_function_with_several_results():
    def rule(primals, tangents):
        return None, (2.0 * primals[0] * tangents[0], np.sum(tangents[0]))

    def f(x):
        a, b = pair(x)
        return a * b

    for returns in (("float64[n]", "float64"), lambda x: (np.zeros_like(x), np.sum(x))):
        with sd.define_rule(pair, jvp=rule, returns=returns):
            check(f, X)


def test_a_definition_in_plain_numpy():
    def gaussian(x, scale=1.0):
        return np.exp(-((x / scale) ** 2))

    foreign = opaque(gaussian)
    with sd.define_rule(foreign, gaussian):
        check(lambda x: foreign(x, scale=2.0), X)
        assert "exp" not in sd.functional(lambda x: foreign(x, 2.0)).source(X)
        with pytest.raises(sd.UnsupportedCallError, match="with the argument width="):
            sd.grad(lambda x: np.sum(foreign(x, width=2.0)))(X)
    with (
        sd.define_rule(foreign, lambda x: foreign(x)),
        pytest.raises(sd.UnsupportedCallError, match="calls foreign itself"),
    ):
        sd.grad(lambda x: np.sum(foreign(x)))(X)


def test_programs_are_compiled_anew_where_rules_change():
    def double(x):
        return 2.0 * x

    gradient = sd.grad(lambda x: double(x) * x)
    assert gradient(3.0) == 12.0
    rule = sd.define_rule(double, jvp=lambda p, t: (double(p[0]), 5.0 * t[0]), returns="float")
    assert gradient(3.0) == 21.0
    with pytest.raises(sd.SymdiffError, match="double has a rule already"):
        sd.define_rule(double, lambda x: x)
    other = sd.define_rule(double, lambda x: 7.0 * x, replace=True)
    assert gradient(3.0) == 42.0
    rule.remove()
    assert gradient(3.0) == 42.0
    other.remove()
    assert gradient(3.0) == 12.0
    with pytest.raises(sd.UnsupportedCallError, match=r"no rule for .*_sinpi") as caught:
        sd.grad(through_sinpi)(0.5)
    assert "symdiff.define_rule" in caught.value.hint


def test_rules_are_defined_in_many_threads():
    functions = [opaque(np.sin) for _ in range(20)]
    made, failed = [], []

    def define(function):
        rule = sd.define_rule(
            function, jvp=lambda p, t: (p[0], np.cos(p[0]) * t[0]), returns="float64"
        )
        made.append(rule)
        if sd.grad(lambda x: function(x))(0.5) != np.cos(0.5):
            failed.append(function)

    threads = [threading.Thread(target=define, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == len(functions)
    assert not failed
    for rule in made:
        rule.remove()


@pytest.mark.parametrize(
    ("function", "given", "message"),
    [
        (np.sin, {"jvp": rule_of_sinpi}, "symdiff has a rule for sin"),
        (np.cov, {"definition": lambda x: x}, "symdiff has a rule for cov"),
        (len, {"definition": lambda x: x}, "symdiff has a rule for len"),
        (sd.custom_vjp(square), {"definition": lambda x: x}, "declared by symdiff already"),
        (sd.differentiable(square), {"definition": lambda x: x}, "declared by symdiff already"),
        (3.0, {"definition": lambda x: x}, "takes a function, not a float"),
        (np.add.reduce, {"definition": lambda x: x}, "reduce is a method"),
        (sinpi.outer, {"definition": lambda x: x}, "outer is a method"),
        (np.ndarray.sum, {"definition": lambda x: x}, "sum is a method"),
        (np.random.default_rng(0).normal, {"definition": lambda x: x}, "normal is a method"),
        (np.poly1d, {"definition": lambda x: x}, "poly1d is a class"),
        (square, {}, "not neither"),
        (square, {"definition": square, "jvp": rule_of_sinpi}, "not both"),
        (square, {"jvp": rule_of_sinpi}, "what foreign returns has to be said"),
        (sinpi, {"jvp": 3}, "jvp is a function"),
        (sinpi, {"vjp": rule_of_sinpi}, "vjp is a pair of functions"),
        (sinpi, {"jvp": rule_of_sinpi, "returns": "wide"}, "'wide' is no type"),
        (sinpi, {"definition": np.sin}, "is no Python function"),
        (sinpi, {"definition": lambda x: x, "returns": "float"}, "returns= belongs to"),
    ],
)
def test_rules_that_cannot_be(function, given, message):
    with pytest.raises(sd.SignatureError, match=message):
        sd.define_rule(function, **given)


def test_rules_of_another_form_are_refused_at_the_call():
    def gradient(forward, backward):
        with sd.define_rule(scaled, vjp=(forward, backward), returns=lambda x, y: 0.0 * x * y):
            return sd.grad(lambda x: np.sum(scaled(x, 2.0)))(X)

    def forward(x, y):
        return scaled(x, y), None

    for cotangents in (lambda _, g: g, lambda _, g: (g,), lambda _, g: (g, g, g)):
        with pytest.raises(
            sd.SignatureError, match=r"cotangent\(s\) for 2 argument\(s\)"
        ) as caught:
            gradient(forward, cotangents)
        assert caught.value.span.text.strip().startswith("return sd.grad")
    with pytest.raises(sd.SignatureError, match="gives no pair"):
        gradient(lambda x, y: x, lambda _, g: (g, g))
    with (
        sd.define_rule(sinpi, jvp=rule_of_sinpi),
        pytest.raises(sd.UnsupportedCallError, match="_sinpi with the argument dtype="),
    ):
        sd.grad(lambda x: np.abs(sinpi(x, dtype=complex)))(0.5)
    with (
        sd.define_rule(sinpi, jvp=lambda p, t: t[0]),
        pytest.raises(sd.SignatureError, match="gives no pair"),
    ):
        sd.grad(lambda x: np.abs(sinpi(x)))(0.5)


def test_a_cotangent_for_each_argument_of_ones_own_function_too():
    @sd.custom_vjp
    def product(x, y):
        return x * y

    product.defvjp(lambda x, y: (x * y, None), lambda _, g: g)
    with pytest.raises(sd.SignatureError, match=r"1 cotangent\(s\) for 2 argument\(s\)"):
        sd.grad(lambda x, y: product(x, y))(2.0, 3.0)


def test_an_exported_module_imports_the_function_of_a_library(tmp_path):
    def f(mu):
        return np.sum(pro_cv_seq(0, 1, mu) ** 2)

    def rule(primals, tangents):
        return None, np.cos(primals[2]) * tangents[2] * np.ones(2)

    slope = sd.grad(f)
    with sd.define_rule(pro_cv_seq, jvp=rule, returns="float64[2]"):
        expected = slope(0.7)
        sd.export(tmp_path / "slope.py", {"slope": slope}, 0.5)
    text = (tmp_path / "slope.py").read_text()
    assert "import pro_cv_seq" in text
    scope = {}
    exec(text, scope)
    assert scope["slope"](0.7) == expected
    with (
        sd.define_rule(square, jvp=lambda p, t: (0.0, 2.0 * p[0] * t[0]), returns="float"),
        pytest.raises(sd.UnsupportedCallError, match="foreign cannot be imported"),
    ):
        sd.export(tmp_path / "square.py", {"slope": sd.grad(lambda x: square(x) ** 2)}, 0.5)


def test_an_error_of_a_rule_is_told_as_that():
    with (
        sd.define_rule(sinpi, jvp=lambda p, t: (0.0, p[1] * t[0])),
        pytest.raises(sd.SignatureError, match="the rule of _sinpi raises IndexError"),
    ):
        sd.grad(through_sinpi)(0.5)
