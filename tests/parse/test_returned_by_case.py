"""What a function returns that has one structure on some paths and another one on others.

Results are compared with Python's, derivatives with extrapolated differences at fixed weights.
"""

import dataclasses

import numpy as np
import pytest

import symdiff
from symdiff.errors import GradientShapeError, SignatureError
from tests import reference
from tests.parse.following import follows

X = np.array([0.4, 1.1, 2.3])


def entry_on_a_path(x, p):
    found = {"square": x * x}
    if p > 0.5:
        found["scaled"] = p * x
    return found


def entries_in_another_order(x, p):
    if p > 0.5:
        return {"a": np.sin(x), "b": x * p}
    return {"b": p**3, "a": np.cos(x)}


def tuples_of_several_lengths(x, p):
    y = np.exp(-x)
    if p > 0.8:
        return x, y * p
    if p > 0.5:
        return y, p * p, x
    return (np.sum(y),)


def tuple_or_list(x, p):
    if p > 0.5:  # noqa: SIM108 - as users write it
        found = (x * x, p)
    else:
        found = [p * p, x]
    return found


def list_or_number(x, p):
    return [x * p, p] if p > 0.5 else np.sum(x) * p


def number_or_array_or_none(x, p):
    if p > 0.8:
        return np.sum(x * x)
    if p > 0.5:
        return x * p
    return None


def same_values_in_both(x, p):
    y = x * p
    if p > 0.5:
        return y, x
    return [x, y]


def parts_within(x, p):
    inner = {"p": p * p}
    rows = [x * 2.0]
    if p > 0.5:
        inner["x"] = np.sin(x)
    if p > 0.8:
        rows.append(x * p)
        inner["again"] = inner["x"] * p
    return {"inner": inner, "rows": rows, "sum": np.sum(x)}


@dataclasses.dataclass
class Fit:
    value: float
    more: object = None


def record_or_pair(x, p):
    if p > 0.5:
        return Fit(np.sum(x) * p, {"x": x * x})
    return Fit(p * p), x


def filled_in_a_loop(x, p):
    found = {}
    for k in range(3):
        if x[k] > p:
            found["last"] = x[k] * p
        else:
            found["below"] = x[k] ** 2
    return found


def of_a_helper_twice(x, p):
    return entry_on_a_path(x, p), entry_on_a_path(np.sum(x), 1.25 - p)


FUNCTIONS = [
    entry_on_a_path,
    entries_in_another_order,
    tuples_of_several_lengths,
    tuple_or_list,
    list_or_number,
    same_values_in_both,
    parts_within,
    record_or_pair,
    filled_in_a_loop,
    of_a_helper_twice,
]
POINTS = [0.3, 0.7, 0.9]


@pytest.mark.parametrize(
    "function", [*FUNCTIONS, number_or_array_or_none], ids=lambda f: f.__name__
)
def test_each_path_returns_its_own_structure(function):
    follows(function, *[(X, p) for p in POINTS])


@pytest.mark.parametrize("p", POINTS)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_derivatives_are_structured_like_the_result(function, p):
    arguments = (X, p)
    value = function(*arguments)
    weights, along = reference.direction(value, 5), reference.direction(arguments, 3)
    expected = reference.directional(
        reference.reduced(function, weights), arguments, along, step=0.01
    ).value
    made, pullback = symdiff.vjp(function, *arguments)
    assert type(made) is type(value)
    gradients = pullback(weights)
    assert reference.inner(along, gradients) == pytest.approx(expected, rel=1e-8, abs=1e-9)
    again, tangent = symdiff.jvp(function, arguments, along)
    assert type(again) is type(value)
    assert float(reference.weigh(tangent, weights)) == pytest.approx(expected, rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("p", POINTS)
@pytest.mark.parametrize("function", [entry_on_a_path, tuples_of_several_lengths, parts_within])
def test_second_derivatives_are_structured_like_the_result(function, p):
    arguments = (X, p)
    along = (np.array([0.3, -0.2, 0.7]), 0.4)
    weights = reference.direction(function(*arguments), 5)
    twice = symdiff.differentiable(function)
    second = twice.jvp.jvp((arguments, along), (along, (np.zeros(3), 0.0)))
    expected = reference.second_directional(
        reference.reduced(function, weights), arguments, along, along, step=0.01
    ).value
    found = float(reference.weigh(second[1][1], weights))
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-7)


def test_a_cotangent_of_another_path_is_refused():
    _, pullback = symdiff.vjp(entry_on_a_path, 2.0, 0.2)
    with pytest.raises(SignatureError, match="not structured like"):
        pullback({"square": 1.0, "scaled": 1.0})
    _, pullback = symdiff.vjp(entry_on_a_path, 2.0, 0.7)
    with pytest.raises(SignatureError, match="it has no 'scaled'"):
        pullback({"square": 1.0})
    assert pullback({"square": None, "scaled": 1.0}) == (0.7, 2.0)


def test_what_may_raise_raises_where_its_result_is_not_returned():
    def picked(x, k, p):
        chosen = x[int(k)]
        if p > 0.5:
            return {"chosen": chosen}
        return {"sum": np.sum(x)}

    for p in (0.2, 0.7):
        with pytest.raises(IndexError):
            symdiff.vjp(picked, X, 7.0, p)
        made, _ = symdiff.vjp(picked, X, 1.0, p)
        assert list(made) == (["chosen"] if p > 0.5 else ["sum"])


def test_values_beside_a_gradient_may_have_several_structures():
    def loss(x, p):
        more = {"x": x}
        if p > 0.5:
            more["p"] = p
        return x * x * p, more

    assert symdiff.value_and_grad(loss, has_aux=True)(3.0, 0.7) == (
        (pytest.approx(6.3), {"x": 3.0, "p": 0.7}),
        pytest.approx(4.2),
    )
    assert symdiff.grad(loss, has_aux=True)(3.0, 0.2) == (pytest.approx(1.2), {"x": 3.0})


def test_what_has_no_place_for_two_structures_says_so(tmp_path):
    for transform in (symdiff.jacobian, lambda f: lambda *a: symdiff.linearize(f, *a)):
        with pytest.raises(GradientShapeError, match="another structure at other values"):
            transform(entry_on_a_path)(2.0, 0.7)
    function = symdiff.differentiable(entry_on_a_path)
    with pytest.raises(GradientShapeError, match="no exported check"):
        function.export(tmp_path / "made.py", 2.0, 0.7)
    with pytest.raises(GradientShapeError, match="no exported check"):
        function.jvp.export(tmp_path / "made.py", (2.0, 0.7), (1.0, 0.0))
    with pytest.raises(SignatureError, match="another structure at other values"):
        symdiff.vmap(entry_on_a_path)(X, X)
    with pytest.raises(GradientShapeError, match="it returns a dict or a list"):
        symdiff.grad(lambda x: {"x": x} if x > 0.0 else [x])(2.0)


def scalar_of_several_kinds(x, p):
    if p > 0.8:
        return np.array(np.inf)
    if p > 0.5:
        return np.sum(x * x * p)[None]
    if p > 0.1:
        return np.asarray(np.sum(x) * p**2)
    return 0


def test_gradients_of_scalars_of_several_kinds():
    value_and_gradient = symdiff.value_and_grad(scalar_of_several_kinds, argnums=(0, 1))
    slopes = {
        0.9: (np.zeros(3), 0.0),
        0.7: (2 * X * 0.7, np.sum(X * X)),
        0.3: (np.full(3, 0.09), 0.6 * np.sum(X)),
        0.0: (np.zeros(3), 0.0),
    }
    for p, (by_x, by_p) in slopes.items():
        value, (x_bar, p_bar) = value_and_gradient(X, p)
        expected = scalar_of_several_kinds(X, p)
        assert (type(value), np.shape(value)) == (type(expected), np.shape(expected))
        assert value == expected
        np.testing.assert_allclose(x_bar, by_x, rtol=1e-13)
        assert p_bar == pytest.approx(by_p)
        twice = np.diag(np.full(3, 1.4)) if p == 0.7 else np.zeros((3, 3))
        np.testing.assert_allclose(symdiff.hessian(scalar_of_several_kinds)(X, p), twice)
    with pytest.raises(GradientShapeError, match="it returns a list or a number"):
        symdiff.grad(list_or_number, argnums=1)(X, 0.3)


@pytest.mark.parametrize(
    ("refused", "told", "hint"),
    [
        (lambda f: symdiff.grad(f)(1.0, 0.5), "cannot take the gradient", "symdiff.vjp, or"),
        (lambda f: symdiff.vmap(f)(np.ones(2), np.ones(2)), "vmap cannot stack", "one structure"),
    ],
)
def test_what_needs_one_structure_says_what_to_do_instead(refused, told, hint):
    def reported(x, p):
        return {"a": x} if p > 1.0 else {"a": x, "b": x * p}

    with pytest.raises(symdiff.SymdiffError, match=told) as caught:
        refused(reported)
    assert hint in caught.value.hint
