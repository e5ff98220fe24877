"""``vmap``: its arguments, what it composes with, and what it refuses."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.batch.batcher import Batcher
from symdiff.batch.lanes import Unbatchable
from symdiff.errors import SignatureError, SymdiffError
from symdiff.ir.control import cond

RANDOM = np.random.default_rng(2)
X, Y = RANDOM.standard_normal((2, 5, 3))
W, S = RANDOM.standard_normal(3), RANDOM.standard_normal(5)


def model(w, x, t):
    return (np.tanh(x @ w) - t) ** 2


def quartic(x):
    return np.sum(x**4)


def slope_of_model(w, x, t):
    h = np.tanh(x @ w)
    return 2 * (h - t) * (1 - h * h) * x


# Axes ---------------------------------------------------------------------------------------------


def test_axes_in_containers():
    def scaled(d, pair):
        return d["a"] * d["b"][0] + pair[1]

    found = sd.vmap(scaled, in_axes=({"a": 0, "b": None}, (None, 0)))(
        {"a": S, "b": [2.0]}, (7.0, S)
    )
    np.testing.assert_array_equal(found, S * 2.0 + S)


@dataclass
class Pair:
    left: np.ndarray
    right: np.ndarray


def test_axes_of_a_dataclass():
    found = sd.vmap(lambda p: p.left * p.right)(Pair(X, Y))
    np.testing.assert_array_equal(found, X * Y)


def test_defaults_and_keywords():
    def scaled(x, scale=2.0, *, shift=1.0):
        return x * scale + shift

    np.testing.assert_array_equal(sd.vmap(scaled)(S), S * 2.0 + 1.0)
    np.testing.assert_array_equal(sd.vmap(scaled, in_axes=(0,))(S), S * 2.0 + 1.0)
    np.testing.assert_array_equal(sd.vmap(scaled)(S, S, shift=S), S * S + S)


def test_variable_arguments():
    def total(x, *rest, **named):
        return x * rest[0] + rest[1] + named["z"]

    found = sd.vmap(total, in_axes=(0, None, 0))(S, 2.0, S, z=S)
    np.testing.assert_array_equal(found, S * 2.0 + S + S)


def test_axes_of_what_is_returned():
    def f(x):
        return {"sum": np.sum(x), "x": x, "none": None, "same": 3.0}

    found = sd.vmap(f, out_axes={"sum": 0, "x": -1, "none": None, "same": None})(X)
    np.testing.assert_array_equal(found["x"], X.T)
    assert found["x"].flags.c_contiguous
    assert found["none"] is None
    assert found["same"] == 3.0
    np.testing.assert_array_equal(sd.vmap(f)(X)["same"], np.full(5, 3.0))


def test_what_is_the_same_for_each_is_repeated():
    found = sd.vmap(lambda x, w: w, in_axes=(0, None))(X, W)
    np.testing.assert_array_equal(found, np.stack([W] * 5))
    found[0] = 0.0  # it is an array of its own
    assert found[1, 0] == W[0]


def test_methods_have_no_lanes_of_their_object():
    class Scale:
        def __init__(self, by):
            self.by = by

        def __call__(self, x):
            return x * self.by

    np.testing.assert_array_equal(sd.vmap(Scale(3.0))(S), S * 3.0)
    np.testing.assert_array_equal(sd.vmap(Scale(3.0).__call__)(S), S * 3.0)


def test_byte_orders_dtypes_and_layouts():
    for array in (X.astype(">f8"), X.astype("float32"), np.asfortranarray(X), X[::-1, ::2]):
        found = sd.vmap(lambda x: x * x)(array)
        wanted = np.stack([row * row for row in array])
        np.testing.assert_array_equal(found, wanted, strict=True)
        assert found.dtype == wanted.dtype


def test_python_numbers_stay_weak():
    row = np.arange(3, dtype="float32")
    found = sd.vmap(lambda a, w: float(a) * w, in_axes=(0, None))(S, row)
    np.testing.assert_array_equal(found, np.stack([float(a) * row for a in S]), strict=True)
    counts = np.array([3, 250], dtype="uint8")
    found = sd.vmap(lambda n: n + 10)(counts)
    np.testing.assert_array_equal(found, np.array([13, 4], dtype="uint8"), strict=True)


# Batches of 0, 1, and other sizes -----------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_batches_of_any_size(count: int):
    x = X[:count]
    np.testing.assert_array_equal(sd.vmap(quartic)(x), np.sum(x**4, axis=1), strict=True)
    np.testing.assert_allclose(sd.vmap(sd.grad(quartic))(x), 4 * x**3, strict=True)
    found = sd.grad(lambda x: np.sum(sd.vmap(quartic)(x)))(x)
    np.testing.assert_allclose(found, 4 * x**3, strict=True)


def branching(x):
    if x[0] > 0:
        return np.log(x[0]) * x
    return x


def looping(x):
    while np.sum(x) < 3.0:
        x = x * 1.5 + 0.1
    return x


@pytest.mark.parametrize("function", [branching, looping, np.linalg.norm, np.median])
def test_an_empty_batch_of(function):
    found = sd.vmap(function)(np.zeros((0, 3)))
    assert found.shape in ((0,), (0, 3))
    slopes = sd.vmap(sd.grad(lambda x: np.sum(function(x))))(np.zeros((0, 3)))
    assert slopes.shape == (0, 3)


@pytest.mark.parametrize("sizes", [(3, 2), (3, -1), (-1, 2), (-3, 3), (2, -1)])
@pytest.mark.parametrize("count", [0, 2])
def test_reshape_finds_a_length_out_for_an_empty_batch_too(sizes, count):
    x = np.arange(6.0 * count).reshape(count, 6)
    shaped = sd.vmap(lambda x, m, k: x.reshape(m, k) ** 2, in_axes=(0, None, None))
    wanted = (count, *np.zeros(6).reshape(sizes).shape)
    np.testing.assert_array_equal(shaped(x, *sizes), (x**2).reshape(wanted), strict=True)
    slopes = sd.vmap(sd.grad(lambda x, m, k: np.sum(x.reshape(m, k) ** 2)), in_axes=(0, None, None))
    np.testing.assert_array_equal(slopes(x, *sizes), 2.0 * x, strict=True)
    known = sd.vmap(lambda x: x.reshape(3, -1))
    np.testing.assert_array_equal(known(x), x.reshape(count, 3, 2), strict=True)


@pytest.mark.parametrize("sizes", [(-1, -1), (4, -1), (4, 2)])
def test_reshape_that_does_not_fit_raises_in_a_batch(sizes):
    shaped = sd.vmap(lambda x, m, k: x.reshape(m, k), in_axes=(0, None, None))
    with pytest.raises(ValueError, match=r"can only specify|cannot reshape"):
        shaped(np.ones((2, 6)), *sizes)


def test_a_program_serves_all_sizes():
    square = sd.vmap(lambda x: x * x)
    for count in (2, 3, 4, 5):
        square(X[:count])
    assert len(square.signatures()) == 1


# Branches and loops -------------------------------------------------------------------------------


def test_arms_that_are_not_taken_neither_warn_nor_raise():
    def root(x):
        if x > 0:
            return np.log(x)
        return 1.0 / (x - 1.0)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = np.array([1.0, -1.0, 0.0, 4.0])
        found = sd.vmap(root)(x)
        np.testing.assert_array_equal(found, [0.0, -0.5, -1.0, np.log(4.0)])
        found = sd.vmap(sd.grad(root))(x)
        np.testing.assert_allclose(found, [1.0, -0.25, -1.0, 0.25])
        found = sd.grad(lambda x: np.sum(sd.vmap(root)(x)))(x)
        np.testing.assert_allclose(found, [1.0, -0.25, -1.0, 0.25])


def test_an_index_that_only_one_arm_may_use():
    def at(x, k):
        if k < 3:
            return x[k]
        return 0.0

    found = sd.vmap(at, in_axes=(None, 0))(W, np.array([0, 5, 2, 9]))
    np.testing.assert_array_equal(found, [W[0], 0.0, W[2], 0.0])


def test_lanes_that_are_done_compute_nothing():
    def halved(x):
        turns = 0
        while x > 1.0:
            x = x / 2.0
            assert x > 0.4
            turns += 1
        return x, turns

    x = np.array([0.5, 9.0, 1.5])
    found, turns = sd.vmap(halved)(x)
    np.testing.assert_array_equal(found, [0.5, 9.0 / 16, 0.75])
    np.testing.assert_array_equal(turns, [0, 4, 1])


def test_prints_and_errors_are_those_of_the_loop(capsys):
    def told(x):
        print("x is", x)
        if x < 0:
            raise ValueError(f"{x} is negative")
        return np.sqrt(x)

    batch = np.array([4.0, 9.0])
    np.testing.assert_array_equal(sd.vmap(told)(batch), [2.0, 3.0])
    assert capsys.readouterr().out == "x is 4.0\nx is 9.0\n"
    with pytest.raises(ValueError, match=r"-1.0 is negative"):
        sd.vmap(told)(np.array([4.0, -1.0, -2.0]))
    assert capsys.readouterr().out == "x is 4.0\nx is -1.0\n"


def test_arguments_that_are_written_stay():
    def doubled(x):
        x *= 2.0
        return x + 1.0

    before = X.copy()
    np.testing.assert_array_equal(sd.vmap(doubled)(X), before * 2.0 + 1.0)
    np.testing.assert_array_equal(X, before)


def test_recursion():
    def halved(x):
        return x * x if x < 1.0 else 3.0 * halved(x / 2.0)

    x = np.array([0.5, 3.0, 7.0, -2.0])
    turns = np.array([0, 2, 3, 0])
    np.testing.assert_allclose(sd.vmap(halved)(x), (x / 2**turns) ** 2 * 3**turns)
    slopes = 2 * x / 4**turns * 3**turns
    np.testing.assert_allclose(sd.vmap(sd.grad(halved))(x), slopes)
    np.testing.assert_allclose(sd.grad(lambda x: np.sum(sd.vmap(halved)(x)))(x), slopes)


def test_custom_rules():
    @sd.custom_vjp
    def clipped(x):
        return x * x

    clipped.defvjp(lambda x: (x * x, x), lambda x, g: (np.clip(g * 2 * x, -1.0, 1.0),))
    np.testing.assert_allclose(sd.vmap(clipped)(S), S * S)
    np.testing.assert_allclose(sd.vmap(sd.grad(clipped))(S), np.clip(2 * S, -1, 1))
    found = sd.grad(lambda x: np.sum(sd.vmap(clipped)(x)))(S)
    np.testing.assert_allclose(found, np.clip(2 * S, -1, 1))


# With other transforms ----------------------------------------------------------------------------


def test_gradients_of_each_sample():
    found = sd.vmap(sd.grad(model), in_axes=(None, 0, 0))(W, X, S)
    wanted = np.stack([slope_of_model(W, x, t) for x, t in zip(X, S, strict=True)])
    np.testing.assert_allclose(found, wanted, rtol=1e-13)


def test_a_gradient_through_a_batch():
    def loss(w):
        return np.mean(sd.vmap(model, in_axes=(None, 0, 0))(w, X, S))

    wanted = np.mean([slope_of_model(W, x, t) for x, t in zip(X, S, strict=True)], axis=0)
    np.testing.assert_allclose(sd.grad(loss)(W), wanted, rtol=1e-13)

    def closed(w):
        return np.mean((np.tanh(X @ w) - S) ** 2)

    step = 1e-20
    jacobian = [
        np.mean(
            [
                slope_of_model(W + step * 1j * e, x, t).imag / step
                for x, t in zip(X, S, strict=True)
            ],
            axis=0,
        )
        for e in np.eye(3)
    ]
    np.testing.assert_allclose(sd.hessian(loss)(W), jacobian, rtol=1e-12)
    assert closed(W) == pytest.approx(loss(W))


def test_batches_of_batches():
    outer = sd.vmap(sd.vmap(lambda a, b: a * b, in_axes=(None, 0)), in_axes=(0, None))
    np.testing.assert_array_equal(outer(W, S), np.outer(W, S))
    cube = RANDOM.standard_normal((2, 4, 3))
    found = sd.vmap(sd.vmap(sd.grad(quartic)), in_axes=1, out_axes=1)(cube)
    np.testing.assert_allclose(found, 4 * cube**3)

    def inner(a):
        return sd.vmap(lambda b: np.sum(a * b))(Y)

    np.testing.assert_allclose(sd.vmap(inner)(X), X @ Y.T)


def test_every_order_of_transforms():
    diagonal = np.zeros((5, 3, 5, 3))
    places = np.arange(5)
    for k in range(3):
        diagonal[places, k, places, k] = 4 * X[:, k] ** 3
    np.testing.assert_allclose(sd.vmap(sd.hessian(quartic))(X)[2], np.diag(12 * X[2] ** 2))
    np.testing.assert_allclose(sd.vmap(sd.jacobian(lambda x: x**4))(X)[1], np.diag(4 * X[1] ** 3))
    np.testing.assert_allclose(sd.jacobian(sd.vmap(lambda x: x**4))(X), diagonal)
    np.testing.assert_allclose(sd.vmap(sd.hvp(quartic))(X, Y), 12 * X**2 * Y)
    np.testing.assert_allclose(sd.vmap(sd.hvp(quartic), in_axes=(0, None))(X, W), 12 * X**2 * W)
    value, tangent = sd.jvp(sd.vmap(quartic), (X,), (Y,))
    np.testing.assert_allclose(tangent, np.sum(4 * X**3 * Y, axis=1))
    value, gradient = sd.vmap(sd.value_and_grad(quartic))(X)
    np.testing.assert_allclose(value, np.sum(X**4, axis=1))
    np.testing.assert_allclose(gradient, 4 * X**3)
    np.testing.assert_allclose(sd.vmap(sd.derivative(lambda x: x**4, 2))(S), 12 * S**2)


def test_tangents_with_lanes_beside_primals_without():
    push = sd.vmap(sd.differentiable(lambda x: x**3).jvp, in_axes=((None,), (0,)))
    _, rows = push((W,), (np.eye(3),))
    np.testing.assert_allclose(rows, np.diag(3 * W**2))
    with pytest.raises(SymdiffError):
        push((W,), (np.eye(4),))
    found = sd.vmap(lambda t: sd.jvp(lambda x: x**3, (W,), (t,))[1])(np.eye(3))
    np.testing.assert_allclose(found, np.diag(3 * W**2))


def test_per_sample_gradients_of_a_network_agree_with_jax():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    params = {"a": RANDOM.standard_normal((3, 6)), "b": RANDOM.standard_normal(6), "c": S[:1]}

    def loss(p, x, t, np=np):
        h = np.tanh(x @ p["a"] + p["b"])
        return (np.sum(h * h) * p["c"][0] - t) ** 2

    found = sd.vmap(sd.grad(lambda p, x, t: loss(p, x, t)), in_axes=(None, 0, 0))(params, X, S)
    per_sample = jax.vmap(jax.grad(lambda p, x, t: loss(p, x, t, jax.numpy)), (None, 0, 0))
    wanted = per_sample(params, X, S)
    for name in params:
        np.testing.assert_allclose(found[name], wanted[name], rtol=1e-11, atol=1e-12)


def test_a_batch_is_one_product_and_a_loop_is_told():
    text = sd.vmap(sd.grad(model), in_axes=(None, 0, 0)).source(
        "float64[d]", "float64[n,d]", "float64[n]"
    )
    assert "for " not in text
    explained = sd.vmap(lambda x: np.median(x)).explain("float64[n,d]")
    assert explained.as_dict()["looped"] == [
        {"line": explained.as_dict()["looped"][0]["line"], "what": "median"}
    ]
    assert "once a lane" in str(explained)


def test_types_are_spelled():
    made = sd.vmap(lambda x: x.sum(), in_axes=1)
    assert "np.sum" in made.source("float64[d,n]")
    with pytest.raises(SignatureError, match="no axis 1"):
        made.source("float64[d]")


# Refusals -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sd.vmap(model)(W, X, S), "3 elements in w .axis 0., but 5 in x .axis 0."),
        (lambda: sd.vmap(model, in_axes=(0, 0))(W, X, S), "2 entries, but model is given 3"),
        (lambda: sd.vmap(quartic, in_axes=None)(X), "no argument of quartic has an axis"),
        (lambda: sd.vmap(quartic, in_axes=2)(X), r"x has no axis 2 .*\(5, 3\)"),
        (lambda: sd.vmap(quartic)(3.0), "x has no axis 0 for the batch: it is of type float"),
        (lambda: sd.vmap(quartic)([1.0, 2.0]), r"x\[0\] has no axis 0"),
        (lambda: sd.vmap(quartic, in_axes="x"), "in_axes is an int, None, or a container"),
        (lambda: sd.vmap(quartic, in_axes=True), "in_axes is an int, None, or a container"),
        (lambda: sd.vmap(quartic, out_axes=None)(X), "differs over the batch"),
        (lambda: sd.vmap(quartic, out_axes=2)(X), "out_axes says 2"),
        (lambda: sd.vmap(lambda x: (x, x), out_axes=(0,))(X), "1 entries for 2"),
        (lambda: sd.vmap(lambda p: p, in_axes=((0,),))((X, X)), "1 entries for p, which has 2"),
        (lambda: sd.vmap(lambda x, m: x)(X, "fast"), "m has no axis 0 for the batch: it is 'fast'"),
        (
            lambda: sd.vmap(lambda n: np.ones((2,) * int(n)))(np.array([1, 2])),
            "depends on the value of n, which may differ over the batch",
        ),
    ],
)
def test_what_is_refused(call, message: str):
    with pytest.raises(SignatureError, match=message):
        call()


def test_results_of_other_shapes_do_not_stack():
    with pytest.raises(ValueError, match="inhomogeneous"):
        sd.vmap(lambda x: x[x > 0])(np.array([[1.0, -1.0], [1.0, 1.0]]))
    with pytest.raises(ValueError, match="inhomogeneous"):
        sd.vmap(lambda n: np.zeros(int(n)))(np.array([1, 2]))


def test_lengths_are_asked_inside_too():
    def loss(w, x, t):
        return np.sum(sd.vmap(model, in_axes=(None, 0, 0))(w, x, t))

    with pytest.raises(TypeError, match="have other lengths"):
        sd.grad(loss)(W, X, S[:4])


def test_traces_are_of_one_element():
    with pytest.raises(SignatureError, match="not kept under vmap"):
        sd.vmap(quartic).trace(X)


# Integers that become floats, and parts of other lengths ------------------------------------------


def test_a_sum_that_starts_at_the_integer_0():
    def total(x, n):
        s = 0
        for k in range(n):
            s = s + x[k] * 0.5
        return s

    found = sd.vmap(total, in_axes=(0, None))(X, 3)
    np.testing.assert_allclose(found, X.sum(axis=1) * 0.5, rtol=1e-15)
    found = sd.vmap(total)(X, np.array([0, 1, 2, 3, 0]))
    assert found.dtype == np.float64
    wanted = [X[k, :n].sum() * 0.5 for k, n in enumerate((0, 1, 2, 3, 0))]
    np.testing.assert_allclose(found, wanted, rtol=1e-15)
    counts = np.arange(6).reshape(2, 3)
    found = sd.vmap(lambda x: sum(np.sin(t) * 0.1 for t in x))(counts.astype(float))
    np.testing.assert_allclose(found, np.sin(counts).sum(axis=1) * 0.1)


def test_an_integer_that_one_branch_makes_a_float():
    def picked(x, n):
        s = n
        while s < x:
            s = s + 0.75
        return s

    x, n = np.array([2.0, -1.0, 3.0]), np.array([0, 4, 1])
    wanted = np.stack([float(picked(a, b)) for a, b in zip(x, n, strict=True)])
    np.testing.assert_array_equal(sd.vmap(picked)(x, n), wanted)


def test_parts_of_other_lengths_in_between():
    def positive(x):
        return np.sum(x[x > 0] ** 2)

    wanted = np.array([np.sum(row[row > 0] ** 2) for row in X])
    np.testing.assert_allclose(sd.vmap(positive)(X), wanted)
    np.testing.assert_allclose(sd.vmap(sd.grad(positive))(X), 2 * np.maximum(X, 0))
    slopes = sd.grad(lambda x: np.sum(sd.vmap(positive)(x)))(X)
    np.testing.assert_allclose(slopes, 2 * np.maximum(X, 0))


def test_what_a_loop_of_each_leaves_the_same_has_no_lanes():
    def mixed(x, w):
        u, v = w.copy(), w * 2.0
        for k in range(2):
            u[0], v[-1] = v[-1], u[0]
            total = float(sum((s * t for s, t in zip(u, v, strict=True)))) + float(np.median(x)) * k
        v[v > 1.0] = 0.5
        return np.sum(u * v) + total

    wanted = np.array([mixed(row, W) for row in X])
    np.testing.assert_allclose(sd.vmap(mixed, in_axes=(0, None))(X, W), wanted, rtol=1e-13)


def test_returns_out_of_loops():
    def first_large(x):
        k = 0
        while k < 3:
            k += 1
            x = x * 1.5
            if np.max(x) > 1.0:
                return np.sum(x * x)
        return np.sum(x)

    wanted = np.array([first_large(row) for row in X])
    np.testing.assert_allclose(sd.vmap(first_large)(X), wanted, rtol=1e-13)
    slopes = sd.grad(lambda x: np.sum(sd.vmap(first_large)(x)))(X)
    np.testing.assert_allclose(sd.vmap(sd.grad(first_large))(X), slopes, rtol=1e-12)
    step = 1e-6
    for k, unit in enumerate(np.eye(3)):
        ahead, behind = (np.array([first_large(r + h * unit) for r in X]) for h in (step, -step))
        np.testing.assert_allclose(
            slopes[:, k], (ahead - behind) / (2 * step), rtol=1e-6, atol=1e-7
        )


@pytest.mark.parametrize("c", [0.5, 2.0])
def test_an_integer_that_an_arm_within_an_arm_leaves_undefined(c: float):
    """The inner condition is the same for each: where it holds there is no ``i``."""

    def turned(x: Any, n: int, c: float) -> Any:
        s = np.sum(np.exp(x))
        if x[0] > 0.5:
            s = np.sum(np.log(x))
        elif c < 1.0:
            s = s * 3.0
        else:
            for i in range(1, n):
                x[[0, -1]] = x[[-1, 0]] * i
        return s + x[0] * x[1]

    x = np.array([[0.1, 0.3, 0.7], [0.6, 0.2, 0.1]])
    each = sd.vmap(turned, in_axes=(0, None, None))
    found = sd.grad(lambda x: np.sum(each(x, 3, c)))(x)
    first = [0.3 + 3.0 * np.exp(0.1), 0.1 + 3.0 * np.exp(0.3), 3.0 * np.exp(0.7)]
    if c > 1.0:  # x[0] is x[0] * 2 by then: swapped twice, and doubled
        first = [np.exp(0.1) + 0.6, np.exp(0.3) + 0.2, np.exp(0.7)]
    np.testing.assert_allclose(found, [first, [1 / 0.6 + 0.2, 5.0 + 0.6, 10.0]], rtol=1e-13)


def test_what_is_the_same_in_each_lane_is_read_behind_what_has_no_rule(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As are branches that hand on what called functions have saved."""
    by_rule = Batcher._by_rule

    def without_branches(self: Batcher, node: Any) -> Any:
        if node.op is cond:
            raise Unbatchable
        return by_rule(self, node)

    monkeypatch.setattr(Batcher, "_by_rule", without_branches)

    def chosen(x: Any, c: Any) -> Any:
        a, b = (x * c, c * c) if c > 1.0 else (x - c, 1.0 / c)
        return a * np.sin(b)

    points = np.array([0.5, -1.0, 2.0])
    for c in (0.5, 2.0):
        expected = [chosen(x, c) for x in points]
        np.testing.assert_array_equal(sd.vmap(chosen, in_axes=(0, None))(points, c), expected)
