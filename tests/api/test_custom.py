"""Marks, and functions with rules of the user's; transforms inside compiled functions."""

import functools
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import symdiff as sd

X = np.array([0.4, 1.3, 0.8])


@dataclass
class Pair:
    first: Any
    second: float = 2.0


@sd.custom_vjp
def clipped(x):
    """The identity, whose cotangent is bounded."""
    return x * 1.0


clipped.defvjp(lambda x: (x * 1.0, None), lambda _, g: (np.clip(g, -1.0, 1.0),))


@sd.custom_vjp
def weighted(x, y, name):
    return x * x * y


weighted.defvjp(
    lambda x, y, name: (x * x * y, (x, y)),
    lambda saved, g: (g * 2 * saved[0] * saved[1], g * saved[0] ** 2, None),
)


@sd.custom_jvp
def cube(x):
    return x**3


@cube.defjvp
def cube_rule(primals, tangents):
    (x,) = primals
    (t,) = tangents
    return x**3, 3 * x**2 * t


@sd.custom_vjp
def without_rule(x):
    return x


def test_custom_functions_run_as_they_are():
    assert clipped(3.0) == 3.0
    assert cube(2.0) == 8.0


def test_a_reverse_rule_takes_the_place_of_the_derivative():
    gradient = sd.grad(lambda x: np.sum(10.0 * clipped(x)))
    np.testing.assert_array_equal(gradient(X), np.ones(3))


def test_a_rule_with_several_arguments_and_residuals():
    assert sd.grad(weighted, argnums=(0, 1))(2.0, 3.0, "a") == (12.0, 4.0)
    assert sd.grad(lambda x: weighted(x, x, "a"))(2.0) == 12.0


def test_a_reverse_rule_can_be_differentiated():
    def f(x):
        return weighted(x, 3.0, "a") * x  # 3 x³

    assert sd.grad(f)(2.0) == 36.0
    assert sd.grad(sd.grad(f))(2.0) == 36.0
    assert sd.hessian(f)(2.0) == 36.0


def test_a_reverse_rule_is_none_for_forward_mode():
    with pytest.raises(sd.UnsupportedCallError, match="weighted has no forward rule") as error:
        sd.jvp(lambda x: weighted(x, 3.0, "a"), (2.0,), (1.0,))
    assert "custom_jvp" in error.value.hint


def test_a_rule_that_was_not_declared_is_asked_for():
    with pytest.raises(sd.SymdiffError, match="without_rule"):
        sd.grad(without_rule)(1.0)


def test_a_forward_rule_serves_both_modes_to_any_order():
    def f(x):
        return np.sum(cube(x) * x)

    np.testing.assert_allclose(sd.grad(f)(X), 4 * X**3, rtol=1e-14)
    assert sd.jvp(f, (X,), (np.ones(3),))[1] == pytest.approx(np.sum(4 * X**3))
    np.testing.assert_allclose(sd.hessian(f)(X), np.diag(12 * X**2), rtol=1e-13)
    np.testing.assert_allclose(sd.grad(lambda x: np.sum(sd.grad(f)(x)))(X), 12 * X**2, rtol=1e-13)


def test_rules_work_in_loops_and_branches():
    def f(x, n):
        for _ in range(n):
            if x > 0.5:
                x = cube(x) + 0.1
            x = x * 1.5
        return x

    sd.check_grads(f, (0.4, 4))


def test_stop_gradient_cuts_and_no_grad_does():
    assert sd.grad(lambda x: x * sd.stop_gradient(x))(3.0) == 3.0
    assert sd.detach is sd.stop_gradient

    def f(x):
        with sd.no_grad():
            y = x * x
        return x * y

    assert f(3.0) == 27.0
    assert sd.grad(f)(3.0) == 9.0


def test_stop_gradient_of_containers():
    def f(x):
        a, b = sd.stop_gradient((x, [x * 2]))
        return x * a + b[0]

    assert sd.grad(f)(3.0) == 3.0
    assert sd.stop_gradient([1.0, "a"]) == [1.0, "a"]


def grown(x):
    found = []
    while x < 30.0:
        x = x * 2.0
        found.append(x)
    return found


@pytest.mark.parametrize(
    "make",
    [
        *(Pair, lambda v: SimpleNamespace(first=v), lambda v: [Pair(v)], ValueError),
        *(lambda v: lambda: v, lambda v: functools.partial(max, v), lambda v: iter([v]), grown),
        *(lambda v: map(abs, [v]), lambda v: (t for t in [v]), lambda v: {1: v}.values()),
        *(lambda v: slice(v, v), lambda v: np.stack([v]).sum),
    ],
)
def test_objects_are_not_taken_for_what_has_no_derivative(make):
    """They stay the objects that they are, so none of their numbers can be cut off."""

    def cut(x):
        return sd.stop_gradient(make(x * x)) and x

    with pytest.raises(sd.UnsupportedCallError, match="without its derivative"):
        sd.grad(cut)(2.0)


@pytest.mark.parametrize(
    "make", [Pair, lambda v: SimpleNamespace(first=v), lambda v: {1: v}, grown]
)
def test_objects_and_containers_have_no_hook(make):
    def hooked(x):
        return sd.grad_hook(make(x * x), lambda g: 0.0 * g) and x

    with pytest.raises(sd.UnsupportedCallError, match="a grad_hook of an object or a container"):
        sd.grad(hooked)(2.0)


CACHE, ROW = {"a": 1.0}, np.ones(2)


@sd.nondifferentiable
def first_of(pair):
    return pair.first


@sd.nondifferentiable
def called(function):
    return function()


@sd.nondifferentiable
def next_of(items):
    return [next(items), 3.0]


@sd.nondifferentiable
def laid_out(x):
    return np.stack([x, x]).reshape(1, 2)


@sd.nondifferentiable
def cached(key=None):
    return CACHE if key is None else CACHE[key]


def test_what_a_function_without_derivative_hands_on_has_none():
    def function(x):
        y = x * x
        CACHE["b"] = y
        made = laid_out(y)
        made[0, 1] = 5.0
        handed = first_of(Pair(y)) + called(lambda: y) + next_of(iter([y]))[0] + cached("b")
        return (handed + cached()["b"] + made.sum()) * x

    try:
        value, slope = sd.value_and_grad(function)(2.0)
    finally:
        del CACHE["b"]
    assert (value, slope) == (2.0 * (5 * 4.0 + 9.0), 5 * 4.0 + 9.0)


def test_what_has_no_derivative_stays_what_it_is():
    """So that what is written to it is written to the first one, which it is to Python."""

    def function(x):
        numbers = [1, 2]
        sd.stop_gradient(numbers).append(3)
        cached()["c"] = 7.0
        sd.stop_gradient(CACHE)["d"] = 2.0
        sd.stop_gradient(ROW)[0] = 5.0
        return x * (len(numbers) + CACHE["c"] * CACHE["d"] + ROW[0])

    try:
        assert sd.value_and_grad(function)(2.0) == (44.0, 22.0)
        assert list(CACHE) == ["a", "c", "d"]
    finally:
        CACHE.pop("c", None), CACHE.pop("d", None)


def written_behind(x):
    numbers = [1.0, x]
    sd.stop_gradient(numbers).append(3.0)
    return x * len(numbers)


def written_before(x):
    numbers = {"a": x}
    other = sd.stop_gradient(numbers)
    numbers["b"] = x
    return x * len(other)


@pytest.mark.parametrize("function", [written_behind, written_before])
def test_containers_that_stand_with_their_derivative_and_without_are_not_written(function):
    with pytest.raises(sd.AliasingError, match="stands with its derivative, and without"):
        sd.grad(function)(2.0)


def cut_list(x):
    numbers = [x]
    return x if sd.stop_gradient(numbers) is numbers else 2.0 * x


def cut_dict(x):
    numbers = {"a": x}
    return x if sd.stop_gradient(numbers) is numbers else 2.0 * x


def cut_twice(x):
    numbers = [x]
    first, second = sd.stop_gradient([numbers, numbers])
    return x if first is second else 2.0 * x


def given_twice(x):
    numbers = [x]
    first, second = sd.nondifferentiable(lambda items: items)((numbers, numbers))
    return x if first is second else 2.0 * x


@pytest.mark.parametrize("function", [cut_list, cut_dict, cut_twice, given_twice])
@pytest.mark.parametrize("derivative", [sd.grad, lambda f: lambda x: sd.jvp(f, (x,), (1.0,))])
def test_containers_that_stand_with_their_derivative_and_without_are_not_told_apart(
    function, derivative
):
    assert function(2.0) == 2.0
    with pytest.raises(sd.AliasingError, match="stands with its derivative, and without"):
        derivative(function)(2.0)


@sd.nondifferentiable
def jotted(notes, x):
    """Writes to a list or a dict that it is given."""
    if isinstance(notes, dict):
        notes["a"] = x
    else:
        notes.append(x)
    return x


def written_while_empty(x):
    notes = []
    for k in range(3):
        jotted(notes, x * k)
    return notes[1] * notes[2] * x + len(notes) * x


def written_over(x):
    notes = {"a": 2.0}
    jotted(notes, x)
    return notes["a"] * x


@pytest.mark.parametrize(
    ("function", "slope"),  # what was written counts as a constant
    [(written_while_empty, lambda x: 2.0 * x * x + 3.0), (written_over, lambda x: x)],
)
def test_what_a_nondifferentiable_function_writes_to_what_it_is_given_is_there(function, slope):
    made = sd.differentiable(function)
    for x in (0.7, 2.0):
        assert made.forward(x)[0] == function(x)
        assert sd.grad(function)(x) == pytest.approx(slope(x), rel=1e-14)
        value, tangent = sd.jvp(function, (x,), (1.0,))
        assert (value, tangent) == pytest.approx((function(x), slope(x)), rel=1e-14)


@pytest.mark.parametrize("notes", [lambda x: [x], lambda x: {"a": x}])
def test_a_container_with_derivatives_that_is_written_without_is_not_read(notes):
    def read_behind(x):
        held = notes(x)
        return jotted(held, x) * x * len(held) + held["a" if isinstance(held, dict) else -1]

    with pytest.raises(sd.AliasingError, match="stands with its derivative, and without"):
        sd.grad(read_behind)(2.0)


def test_the_numbers_of_objects_are_cut_off_one_by_one():
    assert sd.grad(lambda x: x * sd.stop_gradient(Pair(x * x).first))(2.0) == 4.0


def test_a_hook_changes_the_cotangent():
    assert sd.grad(lambda x: x * sd.grad_hook(x * x, lambda g: 2 * g))(2.0) == 20.0
    assert sd.grad(sd.grad(lambda x: x * sd.grad_hook(x * x, lambda g: 2 * g)))(2.0) == 20.0


def waves(x):
    for _ in range(3):
        x = sd.grad_hook(np.sin(x), lambda g: 2.0 * g)
    return np.sum(x)


def test_a_hook_in_a_loop_is_asked_in_each_turn_of_the_backward_sweep():
    s, t = np.sin(X), np.sin(np.sin(X))
    slope = np.cos(X) * np.cos(s) * np.cos(t)
    np.testing.assert_allclose(sd.grad(waves)(X), 8 * slope, rtol=1e-14)
    np.testing.assert_allclose(sd.jvp(waves, (X,), (X,))[1], slope @ X, rtol=1e-14)

    def until_large(x):
        while x < 10.0:
            x = sd.grad_hook(x * x, lambda g: 0.5 * g)
        return x

    assert sd.grad(until_large)(2.0) == 0.25 * 4 * 2.0**3


cotangents = []


def noted(g):
    cotangents.append(float(np.sum(g)))
    return g


def test_what_a_hook_does_outside_is_done_once_a_sweep(capsys):
    cotangents.clear()

    def f(x):
        return np.sum(sd.grad_hook(x * x, noted) * x)

    np.testing.assert_allclose(sd.grad(f)(X), 3 * X**2, rtol=1e-15)
    assert cotangents == [np.sum(X)]
    sd.jvp(f, (X,), (X,))
    f(X)
    assert cotangents == [np.sum(X)]

    def shown(g):
        print("cotangent", g)
        return g

    assert sd.grad(lambda x: sd.grad_hook(x * x, shown))(2.0) == 4.0
    assert capsys.readouterr().out == "cotangent 1.0\n"


@pytest.mark.parametrize("hook", [lambda g: 2.0 * g, noted], ids=["followed", "called"])
def test_a_value_on_both_sides_of_a_hook_is_saved_once(hook):
    def straight(x):
        y = sd.grad_hook(np.exp(x), hook)
        return np.sum(y * y)

    def repeated(x):
        for _ in range(5):
            x = sd.grad_hook(np.exp(0.1 * x), hook)
        return np.sum(x)

    for f, most in ((straight, X.size), (repeated, 5 * X.size)):
        _, saved = sd.differentiable(f).forward(X)
        kept = [np.asarray(value) for value in saved.values]
        assert sum(value.size for value in kept if value.dtype.kind == "f") == most
    assert "y = np.exp(x)" in str(sd.differentiable(straight).source("float64[n]"))


def test_a_hook_gives_a_cotangent():
    with pytest.raises(sd.UnsupportedCallError, match="gives no cotangent") as error:
        sd.grad(lambda x: sd.grad_hook(x * x, lambda g: None))(2.0)
    assert "return the cotangent" in error.value.hint


def called_outside(change):
    """A hook that is called as it is: what it does outside is followed by nobody."""

    def hook(g):
        cotangents.append(0.0)
        return change(g)

    return hook


@pytest.mark.parametrize("wrapped", [lambda change: change, called_outside])
@pytest.mark.parametrize(
    "change", [np.sum, lambda g: g[:1], lambda g: np.ones(4), lambda g: np.ones((3, 3))]
)
def test_a_hook_of_another_shape_is_refused(wrapped, change):
    hook = wrapped(change)
    with pytest.raises((sd.SignatureError, ValueError), match=r"the hook .* gives .*derivative"):
        sd.grad(lambda x: np.sum(np.sin(sd.grad_hook(x * x, hook))))(X)


def test_a_hook_that_is_called_gives_a_cotangent_of_its_dtype():
    def hooked(change):
        hook = called_outside(change)
        return sd.grad(lambda x: np.sum(sd.grad_hook(x * x, hook)))

    for wrong in (lambda g: None, lambda g: "g"):
        with pytest.raises(TypeError, match="let it return the cotangent"):
            hooked(wrong)(X)
    assert hooked(np.float64)(X.astype("float32")).dtype == np.float32
    np.testing.assert_allclose(hooked(lambda g: g * (2 + 1j))(X), 4 * X, rtol=1e-15)


def test_what_a_hook_writes_into_its_cotangent_is_seen_by_nobody_else():
    def zeroing(g):
        cotangents.append(0.0)
        g *= 0.0
        return g

    c = np.array([1.0, 2.0, 3.0])
    _, pullback = sd.vjp(lambda x: sd.grad_hook(x, zeroing) + 2.0 * x, X)
    np.testing.assert_array_equal(pullback(c)[0], 2 * c)
    np.testing.assert_array_equal(c, [1.0, 2.0, 3.0])


@pytest.mark.parametrize("rule", [lambda g: g[:1], lambda g: np.ones(4)])
def test_a_rule_of_another_shape_is_refused(rule):
    f = sd.custom_vjp(lambda x: x * x)
    f.defvjp(lambda x: (x * x, None), lambda _, g: (rule(g),))
    with pytest.raises(ValueError, match=r"derivative of shape \(\d,\) where \(3,\) is needed"):
        sd.grad(lambda x: np.sum(np.sin(f(x))))(X)
    pushed = sd.custom_jvp(lambda x: x * x)
    pushed.defjvp(lambda primals, tangents: (primals[0] ** 2, rule(tangents[0])))
    with pytest.raises(ValueError, match=r"derivative of shape \(\d,\) where \(3,\) is needed"):
        sd.jvp(lambda x: np.sum(np.sin(pushed(x))), (X,), (X,))


def test_a_rule_whose_sizes_are_checked_is_differentiated_again():
    def padded(g, n):
        return np.concatenate([g, np.zeros(n)])[: g.shape[0]]

    f = sd.custom_vjp(lambda x: x**3)
    f.defvjp(lambda x: (x**3, x), lambda x, g: (padded(3 * x * x * g, 2)[: len(x)],))
    np.testing.assert_allclose(sd.grad(lambda x: np.sum(f(x)))(X), 3 * X**2, rtol=1e-15)
    np.testing.assert_allclose(sd.hessian(lambda x: np.sum(f(x)))(X), np.diag(6 * X), rtol=1e-15)


def until_small(x, least):
    h = 0.5 * x
    if h < least:
        return sd.grad_hook(tripled(h), lambda g: 2.0 * g)
    return until_small(h, least) + h


@sd.custom_vjp
def tripled(x):
    return x * x


tripled.defvjp(lambda x: (x * x, x), lambda x, g: (3.0 * x * g,))


def test_rules_and_hooks_inside_recursion_on_data():
    # 8 -> 4 -> 2: tripled(2) + 4
    assert sd.grad(until_small)(8.0, 3.0) == 2 * 3.0 * 2.0 * 0.25 + 0.5
    value, (by_x, _) = sd.vjp(until_small, 8.0, 3.0)[0], sd.vjp(until_small, 8.0, 3.0)[1](1.0)
    assert (value, by_x) == (8.0, 3.5)


def test_a_checkpointed_function_may_call_one_that_has_a_reverse_rule_only():
    checkpointed = sd.checkpoint(lambda x: np.sum(np.sin(clipped(x))))
    np.testing.assert_allclose(sd.grad(checkpointed)(X), np.cos(X), rtol=1e-15)
    with pytest.raises(sd.UnsupportedCallError, match="no forward rule"):
        sd.jvp(checkpointed, (X,), (X,))


def test_a_nondifferentiable_function_is_a_constant():
    @sd.nondifferentiable
    def bucket(x):
        return 2.0 if x > 1 else 3.0

    assert sd.grad(lambda x: x * bucket(x))(1.5) == 2.0
    assert sd.grad(lambda x: x * bucket(x))(0.5) == 3.0


def test_a_nondifferentiable_function_of_a_declared_type():
    positions = sd.nondifferentiable(np.searchsorted, returns="int64")
    edges = np.array([0.0, 1.0, 2.0])
    assert sd.grad(lambda x: x * x * positions(edges, x))(1.5) == 6.0


# --- transforms inside


def test_gradients_inside_functions():
    def f(x, a):
        slope = sd.grad(lambda t: np.sin(a * t))(x)  # a cos(a x)
        return slope * slope

    by_x, by_a = sd.grad(f, argnums=(0, 1))(0.7, 1.2)
    angle = 0.7 * 1.2
    assert by_x == pytest.approx(-2 * 1.2**3 * np.cos(angle) * np.sin(angle))
    assert by_a == pytest.approx(
        2 * 1.2 * np.cos(angle) ** 2 - 2 * 1.2**2 * 0.7 * np.cos(angle) * np.sin(angle)
    )


@sd.differentiable
def outside(x):
    return np.sum(x**3)


def test_derivatives_of_functions_outside():
    np.testing.assert_allclose(sd.grad(lambda x: np.sum(outside.grad(x) * x))(X), 9 * X**2)
    np.testing.assert_allclose(sd.grad(lambda x: np.sum(outside.hessian(x)))(X), np.full(3, 6.0))


def test_every_functional_form_inside():
    def f(x):
        value, pullback = sd.vjp(lambda v: np.sum(v**3), x)
        (gradient,) = pullback(1.0)
        _, along = sd.jvp(lambda v: v**2, (x,), (gradient,))
        product = sd.hvp(lambda v: np.sum(v**3))(x, x)
        return value + np.sum(along) + np.sum(product) + np.sum(sd.jacobian(lambda v: v**2)(x))

    expected = 3 * X**2 + 18 * X**2 + 12 * X + 2
    np.testing.assert_allclose(sd.grad(f)(X), expected, rtol=1e-13)


def test_decorated_functions_inside():
    def f(x):
        @sd.differentiable
        def inner(v):
            return np.sum(v**3)

        return np.sum(inner.grad(x) * inner(x))

    np.testing.assert_allclose(
        sd.grad(f)(X), 6 * X * np.sum(X**3) + 3 * X**2 * np.sum(3 * X**2), rtol=1e-13
    )


def test_a_differentiated_function_inside_may_not_write_outside():
    def f(x):
        seen = np.zeros(3)

        def inner(v):
            seen[0] = v[0]
            return np.sum(v)

        return np.sum(sd.grad(inner)(x)) + np.sum(seen)

    with pytest.raises(sd.UnsupportedCallError, match="changes what it does not own"):
        sd.grad(f)(X)


@pytest.mark.parametrize("condition", [lambda v: v[0] > 0.0, lambda v: np.sum(v) > 100.0])
def test_a_differentiated_function_inside_may_not_write_outside_on_some_paths(condition):
    def f(x):
        seen = [0.0]

        def inner(v):
            if condition(v):
                seen[0] = v[0]
            return np.sum(v)

        return np.sum(sd.grad(inner)(x)) + seen[0]

    with pytest.raises(sd.UnsupportedCallError, match="changes what it does not own"):
        sd.grad(f)(X)


class Counter:
    calls = 0


COUNTER = Counter()
calls = 0
TABLE = np.zeros(3)


def appends(v):
    cotangents.append(1.0)
    return np.sum(v**3)


def counts(v):
    COUNTER.calls += 1
    return np.sum(v**3)


def counts_in_a_global(v):
    global calls
    calls += 1
    return np.sum(v**3)


def fills(v):
    TABLE[0] = 1.0
    return np.sum(v**3)


@pytest.mark.parametrize("inner", [appends, counts, counts_in_a_global, fills])
def test_a_differentiated_function_inside_may_not_write_to_globals(inner):
    def f(x, n):
        total = 0.0
        for _ in range(n):
            total += np.sum(sd.grad(inner)(x))
        return total

    with pytest.raises(sd.UnsupportedCallError, match="changes what it does not own") as error:
        sd.grad(f)(X, 2)
    assert "return what it computes" in error.value.hint


def test_a_checkpointed_function_that_counts_its_calls_counts_once_a_call():
    COUNTER.calls = 0

    def f(x):
        return sd.checkpoint(counts)(x) * x[0]

    np.testing.assert_allclose(sd.grad(f)(X)[1:], 3 * X[1:] ** 2 * X[0], rtol=1e-15)
    assert COUNTER.calls == 1


# --- recomputation


@sd.checkpoint
def layer(x, w):
    hidden = np.tanh(x @ w)
    return np.exp(hidden) * hidden


def network(weights, x):
    for w in weights:
        x = layer(x, w)
    return np.sum(x * x)


def test_a_checkpointed_function_is_computed_again():
    rng = np.random.default_rng(0)
    weights, x = [0.5 * rng.normal(size=(3, 3)) for _ in range(2)], rng.normal(size=3)
    sd.check_grads(network, (weights, x))
    source = sd.differentiable(network).source(weights, x)
    code = "\n".join(line for line in source.split("\n") if "#" not in line)
    forward, backward = code.split("def network_backward")
    assert forward.count("np.tanh(") == backward.count("np.tanh(") == 2
    assert forward.count("np.exp(") == backward.count("np.exp(") == 2


def test_a_checkpointed_turn_saves_what_goes_into_it():
    def f(x, n):
        @sd.checkpoint
        def turn(v):
            a = np.sin(v)
            return a * np.exp(a) * np.cos(v) * x

        y = x
        for _ in range(n):
            y = turn(y)
        return np.sum(y)

    sd.check_grads(f, (X, 4))
    assert sd.grad(f).source("float64[n]", "int").count("_tape.append(") == 1


@sd.checkpoint
def swings(u, v, c, n):
    for _ in range(n):
        v = v - c * np.sin(u)
        u = u + 0.1 * v
    return u, v


def test_a_checkpointed_loop_is_computed_again_once_for_all_cotangents():
    def f(u, v, c):
        for _ in range(3):
            u, v = swings(u, v, c, 4)
        return np.sum(u * v)

    arguments = X, 0.5 * X, np.array([0.3, 0.2, 0.4])[: len(X)]
    sd.check_grads(f, arguments, order=2)
    source = sd.grad(f, (0, 1, 2)).source(*arguments)
    # forward, before the backward sweep, and in it
    assert source.count("np.sin(") == 3
    assert source.count("np.cos(") == 1


def test_a_reverse_rule_runs_once_for_all_cotangents(capsys):
    @sd.custom_vjp
    def product(x, y):
        return x * y

    def backward(saved, g):
        print("backward")
        return g * saved[1], g * saved[0]

    product.defvjp(lambda x, y: (x * y, (x, y)), backward)
    assert sd.grad(lambda x, y: product(x, y) ** 2, (0, 1))(2.0, 3.0) == (36.0, 24.0)
    assert capsys.readouterr().out == "backward\n"


def test_a_checkpointed_function_with_effects_happens_once(capsys):
    @sd.checkpoint
    def loud(x):
        print("once")
        return x * x

    assert sd.grad(lambda x: loud(x) * x)(2.0) == 12.0
    assert capsys.readouterr().out == "once\n"


# Rules of functions that are not followed ---------------------------------------------------------


hyperbolic = sd.nondifferentiable(returns="float64")(np.tanh)


@sd.custom_vjp
def tanh_by_vjp(x):
    return hyperbolic(x)


tanh_by_vjp.defvjp(lambda x: (tanh_by_vjp(x), x), lambda x, g: (g * (1 - np.tanh(x) * np.tanh(x)),))


@sd.custom_jvp
def tanh_by_jvp(x):
    return hyperbolic(x)


@tanh_by_jvp.defjvp
def tangent_of_tanh(primals, tangents):
    (x,), (t,) = primals, tangents
    return tanh_by_jvp(x), (1 - np.tanh(x) * np.tanh(x)) * t


def slope(x):
    return 2 * np.tanh(x) / np.cosh(x) ** 2


def curvature(x):
    return 2 / np.cosh(x) ** 4 - 4 * np.tanh(x) ** 2 / np.cosh(x) ** 2


@pytest.mark.parametrize("tanh", [tanh_by_vjp, tanh_by_jvp])
def test_a_rule_may_call_its_function_and_holds_at_the_second_order(tanh):
    def squared(x):
        return tanh(x) ** 2

    assert sd.grad(squared)(0.7) == pytest.approx(slope(0.7), rel=1e-14)
    assert sd.grad(sd.grad(squared))(0.7) == pytest.approx(curvature(0.7), rel=1e-13)
    first = sd.grad(lambda x: sd.value_and_grad(tanh)(x)[0])(0.7)
    assert first == pytest.approx(1 / np.cosh(0.7) ** 2, rel=1e-14)


def test_forward_over_reverse_needs_a_forward_rule_where_the_function_is_not_followed():
    assert sd.hessian(lambda x: tanh_by_jvp(x) ** 2)(0.7) == pytest.approx(curvature(0.7))
    with pytest.raises(sd.UnsupportedCallError, match="tanh_by_vjp has no forward rule") as caught:
        sd.hessian(lambda x: tanh_by_vjp(x) ** 2)(0.7)
    span = caught.value.span
    assert span.text[span.column - 1 : span.end_column - 1] == "tanh_by_vjp(x)"


@sd.custom_vjp
def exponential(x):
    return sd.nondifferentiable(returns="float64")(np.exp)(x)


def exponential_forward(x):
    y = exponential(x)
    return y, y


exponential.defvjp(exponential_forward, lambda y, g: (g * y,))


def test_what_a_rule_takes_from_its_own_function_has_no_derivative_and_says_so():
    assert sd.grad(exponential)(0.3) == pytest.approx(np.exp(0.3), rel=1e-15)
    for second in (sd.hessian, lambda f: sd.grad(sd.grad(f))):
        with pytest.raises(sd.UnsupportedCallError, match="calls exponential itself"):
            second(exponential)(0.3)


def test_a_rule_around_a_declared_function():
    rule = sd.custom_vjp(hyperbolic)
    rule.defvjp(lambda x: (hyperbolic(x), x), lambda x, g: (g * (1 - np.tanh(x) ** 2),))
    assert sd.grad(lambda x: rule(x))(0.7) == pytest.approx(1 / np.cosh(0.7) ** 2, rel=1e-14)
    assert sd.custom_vjp(tanh_by_vjp).fwd is None


def test_a_nondifferentiable_function_that_cannot_be_followed_is_called():
    seen = []

    @sd.nondifferentiable
    def note(x):
        async def later():
            return x

        seen.append(float(x[0]))

    def f(x):
        note(x)
        return np.sum(x * x)

    x = np.array([1.0, 2.0])
    np.testing.assert_array_equal(sd.grad(f)(x), 2 * x)
    assert seen == [1.0]
    with pytest.raises(sd.UnsupportedCallError, match=r"returns=\"float64\[n\]\""):
        sd.grad(lambda x: np.sum(x) * note(x))(x)
    with pytest.raises(sd.UnsupportedSyntaxError, match=r"'async def'"):
        sd.grad(lambda x: note([x[0]]) or np.sum(x))(x)


# Memory that is shared ----------------------------------------------------------------------------


def fills(buffer, v):
    buffer[0] = v[0] * v[1]
    return v * v


def fills_in_a_dict(buffer, v):
    cell = {"k": v, "n": 1}

    def change(cell):
        cell["k"] = cell["k"] * v
        return v * v

    return sd.checkpoint(change)(cell) + cell["k"]


def grows(buffer, v):
    grown = []

    def append(grown):
        grown.append(3.0 * v)
        return v * v

    return sd.checkpoint(append)(grown) + grown[0]


def writes_a_view(buffer, v):
    def double(part):
        part[1:] = 2.0 * part[1:]
        return part * part

    held = 1.0 * v
    return sd.checkpoint(double)(held[0:]) + held


@pytest.mark.parametrize(
    "change",
    [sd.checkpoint(fills), fills_in_a_dict, grows, writes_a_view],
    ids=lambda f: f.__name__,
)
def test_what_a_checkpoint_changes_in_its_arguments_is_changed(change):
    def f(x):
        buffer = np.zeros(3)
        y = change(buffer, x)
        return np.sum(y) + np.sum(buffer)

    value, gradient = sd.value_and_grad(f)(X)
    assert value == f(X)
    step = 1e-6 * np.eye(3)
    differences = [(f(X + h) - f(X - h)) / 2e-6 for h in step]
    np.testing.assert_allclose(gradient, differences, rtol=1e-7)


@sd.custom_vjp
def passed_on(x):
    return x


passed_on.defvjp(lambda x: (x, None), lambda saved, g: (2.0 * g,))


@pytest.mark.parametrize(
    "same",
    [
        lambda x: sd.grad_hook(x, noted),
        lambda x: sd.grad_hook(x, lambda g: g),
        passed_on,
        lambda x: sd.checkpoint(lambda y: y[:2])(x),
        lambda x: sd.checkpoint(lambda y: (y[0], y))(x)[1],
    ],
)
def test_what_shares_memory_with_an_argument_of_a_rule_is_written_in_neither(same):
    def writes_the_result(x):
        b = 1.0 * x
        y = same(b)
        y[0] = 7.0
        return np.sum(y) + np.sum(b)

    def writes_the_argument(x):
        b = 1.0 * x
        y = same(b)
        b[0] = 7.0
        return np.sum(y) + np.sum(b)

    def writes_nothing_else(x):
        b = 1.0 * x
        b = same(b)
        b[0] = 7.0 * b[1]
        return np.sum(b)

    for f in (writes_the_result, writes_the_argument):
        with pytest.raises(sd.AliasingError, match="in the memory of 'b'") as error:
            sd.grad(f)(X)
        assert "b.copy()" in error.value.hint
    assert sd.value_and_grad(writes_nothing_else)(X)[0] == writes_nothing_else(X)


def test_a_function_with_a_rule_that_changes_an_argument_is_refused():
    @sd.custom_vjp
    def changes(buffer, v):
        buffer[0] = v[0]
        return 2.0 * buffer

    changes.defvjp(lambda b, v: (2.0 * b, None), lambda saved, g: (2.0 * g, None))

    def f(x):
        return np.sum(changes(1.0 * x, x))

    with pytest.raises(sd.UnsupportedCallError, match="changes changes an argument") as error:
        sd.grad(f)(X)
    assert "write that where it is called" in error.value.hint


def test_a_checkpoint_in_a_loop_may_add_to_a_dict():
    @sd.checkpoint
    def note(d, v):
        d["k"] = d["k"] * v
        d["n"] = v
        return d["k"] + 1.0

    def f(x):
        d = {"k": 2.0 * x}
        y = x
        for _ in range(2):
            y = note(d, x)
        return np.sum(y * d["n"]) + np.sum(d["k"])

    value, gradient = sd.value_and_grad(f)(X)
    assert value == f(X)
    np.testing.assert_allclose(gradient, 8.0 * X**3 + 1.0 + 6.0 * X**2, rtol=1e-13)


@pytest.mark.parametrize(
    "mark", [sd.checkpoint, sd.custom_jvp, sd.custom_vjp, sd.nondifferentiable]
)
def test_what_is_no_function_is_not_marked(mark):
    with pytest.raises(sd.SignatureError, match=f"{mark.__name__} is of a function") as caught:
        mark(3.0)
    assert f"@{mark.__name__} above the function" in caught.value.hint


class Scaled:
    """Its methods are declared."""

    def __init__(self, k):
        self.k, self.calls = k, 0

    @sd.checkpoint
    def bent(self, x):
        return np.sin(x) * x * self.k

    @sd.checkpoint(every=2)
    def marched(self, x, n):
        for _ in range(n):
            x = np.sin(x) * self.k
        return x

    @sd.checkpoint
    def twice(self, x):
        return self.bent(x) * self.bent(x * x)

    @sd.checkpoint
    def counted(self, x):
        self.calls += 1
        return x * x

    @sd.custom_vjp
    def ruled(self, x):
        return x * x * self.k

    ruled.defvjp(
        lambda self, x: (x * x * self.k, (x, self.k)), lambda s, g: (None, g * 20 * s[0] * s[1])
    )

    @sd.nondifferentiable
    def constant(self, x):
        return x * self.k

    @classmethod
    @sd.checkpoint
    def cubed(cls, x):
        return x * x * x

    @staticmethod
    @sd.checkpoint
    def squared(x):
        return x * x


class Below(Scaled):
    pass


SCALED = Below(2.0)


def declared_methods(x):
    total = SCALED.bent(x) + SCALED.bent(x=2 * x) + Scaled.bent(SCALED, x) + SCALED.twice(x)
    total = total + Scaled(x).bent(x * x) + sum(map(SCALED.bent, [x, 2 * x]))
    return total + SCALED.cubed(x) * Scaled.cubed(x) + SCALED.squared(x) + Scaled.squared(x)


def marched_methods(x):
    for _ in range(2):
        x = SCALED.marched(x, 5) + 0.5
    return x + Scaled(x).marched(x=x, n=4)


@pytest.mark.parametrize("function", [declared_methods, marched_methods])
def test_methods_under_checkpoint(function, monkeypatch):
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    sd.check_grads(function, (0.7,))

    def central(h):
        return (function(0.7 + h) - function(0.7 - h)) / (2 * h)

    expected = (4 * central(5e-4) - central(1e-3)) / 3
    assert sd.grad(function)(0.7) == pytest.approx(expected, rel=1e-8)


def test_methods_with_other_declarations():
    assert sd.grad(lambda x: SCALED.ruled(x))(3.0) == 120.0
    assert sd.grad(lambda x: SCALED.constant(x) * x)(3.0) == 6.0
    own = Scaled(1.0)
    assert sd.grad(lambda x: own.counted(x))(3.0) == 6.0
    assert own.calls == 1


def test_a_declared_method_is_by_the_attributes_of_its_object():
    by_k = sd.grad(lambda o: o.bent(1.3))(Scaled(3.0)).k
    assert by_k == pytest.approx(np.sin(1.3) * 1.3, rel=1e-14)


def test_a_class_method_that_is_put_in_its_place_is_another_program(monkeypatch):
    gradient = sd.grad(lambda x: SCALED.cubed(x))
    assert gradient(2.0) == 12.0
    monkeypatch.setattr(Scaled, "cubed", classmethod(sd.checkpoint(lambda cls, x: x * x)))
    assert gradient(2.0) == 4.0
    monkeypatch.setattr(Below, "cubed", classmethod(sd.checkpoint(lambda cls, x: 5 * x)), False)
    assert gradient(2.0) == 5.0
