"""Every transform of the face, against closed forms, and how arguments are chosen."""

import copy
import dataclasses
import math
import zlib

import numpy as np
import pytest

import symdiff as sd
from symdiff import pipeline
from symdiff.parse import stage
from tests.opaque_calls import lgamma

X = np.array([0.4, 1.3, 0.8])
A = np.array([[1.0, 2.0, 0.5], [0.3, 0.1, 1.1]])


@sd.differentiable
def cubes(x):
    return np.sum(x**3)


def product(x, y, scale=2.0):
    return x * y * scale


# --- the transforms


def test_decorated_function_is_the_users_own():
    assert cubes(X) == np.sum(X**3)
    assert cubes.__name__ == "cubes"
    assert cubes.__wrapped__(X) == cubes(X)


def test_decorator_takes_options_or_none():
    @sd.differentiable(exact=True)
    def square(x):
        return x * x

    assert square.grad(3.0) == 6.0


def test_gradient_is_structured_like_the_argument():
    gradient = cubes.grad(X)
    np.testing.assert_allclose(gradient, 3 * X**2, rtol=1e-15)
    assert gradient.dtype == X.dtype


def test_value_and_gradient_come_together():
    value, gradient = cubes.value_and_grad(X)
    assert value == cubes(X)
    np.testing.assert_allclose(gradient, 3 * X**2, rtol=1e-15)


def test_jvp_gives_value_and_tangent():
    value, tangent = sd.jvp(cubes, (X,), (np.ones(3),))
    assert value == cubes(X)
    assert tangent == pytest.approx(np.sum(3 * X**2), rel=1e-14)


def test_jvp_without_a_tangent_differentiates_by_the_others_only():
    value, tangent = sd.jvp(product, (3.0, 5.0), (None, 1.0))
    assert (value, tangent) == (30.0, 6.0)


def test_pullback_can_be_called_again_and_again():
    value, pullback = sd.vjp(product, 3.0, 5.0)
    assert value == 30.0
    assert pullback(1.0)[:2] == (10.0, 6.0)
    assert pullback(10.0)[:2] == (100.0, 60.0)


def test_forward_and_backward_are_the_two_halves():
    value, saved = cubes.forward(X)
    assert value == cubes(X)
    (gradient,) = cubes.backward(saved)
    np.testing.assert_allclose(gradient, 3 * X**2, rtol=1e-15)
    (scaled,) = cubes.backward(saved, 2.0)
    np.testing.assert_allclose(scaled, 6 * X**2, rtol=1e-15)


def test_saved_values_do_not_follow_the_callers_arrays():
    x = X.copy()
    _, pullback = sd.vjp(cubes, x)
    x[:] = 0.0
    np.testing.assert_allclose(pullback(1.0)[0], 3 * X**2, rtol=1e-15)


@pytest.mark.parametrize("mode", ["auto", "fwd", "rev"])
def test_jacobian_has_the_shape_out_plus_in(mode):
    by_matrix, by_vector = sd.jacobian(lambda a, x: np.tanh(a @ x), (0, 1), mode)(A, X)
    slope = 1 - np.tanh(A @ X) ** 2
    np.testing.assert_allclose(by_vector, slope[:, None] * A, rtol=1e-13)
    np.testing.assert_allclose(by_matrix, np.einsum("i,ij,k->ijk", slope, np.eye(2), X), rtol=1e-13)


@pytest.mark.parametrize("mode", ["auto", "fwd", "rev"])
def test_jacobian_of_containers_nests_out_in(mode):
    def f(p):
        return {"y": p["w"] * p["k"], "n": p["name"]}

    jacobian = sd.jacobian(f, mode=mode)({"w": X, "k": 2.0, "name": "run"})
    assert jacobian["n"] is None
    np.testing.assert_allclose(jacobian["y"]["w"], 2.0 * np.eye(3))
    np.testing.assert_allclose(jacobian["y"]["k"], X)
    assert jacobian["y"]["name"] is None


def test_hessian_of_a_vector_function_of_a_scalar():
    np.testing.assert_allclose(cubes.hessian(X), np.diag(6 * X), rtol=1e-14)
    assert sd.hessian(lambda x: x**4)(2.0) == 48.0


def test_hessian_by_two_arguments_is_two_by_two():
    hessian = sd.hessian(lambda x, y: x * x * y, argnums=(0, 1))(2.0, 3.0)
    assert hessian == ((6.0, 4.0), (4.0, 0.0))


def test_hvp_takes_the_vector_last():
    v = np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(cubes.hvp(X, v), 6 * X * v, rtol=1e-14)
    by_both = sd.hvp(lambda x, y: x * x * y, argnums=(0, 1))
    assert by_both(2.0, 3.0, (1.0, 10.0)) == (46.0, 4.0)


def test_hvp_leaves_defaults_alone():
    assert sd.hvp(lambda x, power=3: x**power)(2.0, 10.0) == 120.0


def scaled_cube(x, scale=4.0):
    return x**3 * scale


def test_the_vector_of_an_hvp_has_its_own_tangent_where_defaults_are_left_out():
    # along v the second derivative is 24 x v
    product = sd.hvp(scaled_cube)
    assert product.jvp((0.5, 3.0), (0.0, 1.0)) == (36.0, 12.0)
    assert product.jvp((0.5, 3.0), (1.0, 0.0)) == (36.0, 72.0)
    assert product.jvp((0.5, 3.0), (0.0, None, 1.0)) == (36.0, 12.0)
    assert product.jvp((0.5, 4.0, 3.0), (0.0, None, 1.0)) == (36.0, 12.0)
    twice = product.jvp.jvp(((0.5, 1.0), (1.0, 0.0)), ((1.0, 0.0), (0.0, 1.0)))
    assert twice == ((12.0, 24.0), (24.0, 12.0))


def test_so_it_has_inside_a_differentiated_function():
    def along_v(x):
        return sd.jvp(sd.hvp(scaled_cube), (x, 3.0), (0.0, 1.0))[1]

    assert sd.value_and_grad(along_v)(0.5) == (12.0, 24.0)


@pytest.mark.parametrize(("order", "expected"), [(0, 16.0), (1, 32.0), (2, 48.0), (4, 24.0)])
def test_derivative_of_any_order(order, expected):
    assert sd.derivative(lambda x: x**4, order)(2.0) == expected


def test_derivative_is_for_functions_of_one_number():
    with pytest.raises(sd.GradientShapeError, match="not a function of one number"):
        sd.derivative(lambda x: np.sum(x))(X)


def test_functional_gives_final_values_on_copies():
    def step(x, y, n):
        x += y
        y[0] = n
        return np.sum(x)

    x, y = X.copy(), np.ones(3)
    result, final = sd.functional(step)(x, y, 5.0)
    assert result == np.sum(X + 1)
    assert list(final) == ["x", "y"]
    np.testing.assert_array_equal(final["x"], X + 1)
    np.testing.assert_array_equal(final["y"], [5.0, 1.0, 1.0])
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(y, np.ones(3))


def appends(xs):
    xs.append(xs[0] * 2)
    return np.sum(xs[1])


def replaces(xs):
    xs[0] = xs[0] * 3
    xs[1] = {"k": xs[0]}
    return 1.0


def turns_round(xs):
    xs.reverse()
    return xs[0] * 2


def inserts(xs):
    xs.insert(0, xs[0] * 5)
    return 0.0


def grows_while(xs):
    while np.sum(xs[-1]) > 0.2:
        xs.append(xs[-1] / 2)
    return 1.0


def changes_keys(p):
    p["new"] = (p["a"] * 2, [1, p["a"]])
    p["a"] = 3.0
    del p["b"]
    return 1.0


def changes_within(p):
    p["xs"].append(p["y"])
    p["xs"][0] += 1
    p["again"] = p["xs"]
    return 0.0


@pytest.mark.parametrize(
    ("f", "argument"),
    [
        (appends, [np.ones(2)]),
        (replaces, [np.ones(2), 2.0]),
        (replaces, [1.0, 2.0]),
        (turns_round, [np.ones(2), np.zeros(2)]),
        (turns_round, [1.0, np.ones(2)]),
        (inserts, [1.0, "text"]),
        (grows_while, [np.ones(2)]),
        (changes_keys, {"a": np.ones(2), "b": 1.0}),
        (changes_within, {"xs": [np.ones(2)], "y": 3.0}),
    ],
)
def test_functional_changes_copies_of_lists_and_dicts(f, argument):
    given, changed = copy.deepcopy(argument), copy.deepcopy(argument)
    result, final = sd.functional(f)(given)
    assert repr(result) == repr(f(changed))
    assert [repr(value) for value in final.values()] == [repr(changed)]
    assert repr(given) == repr(argument)


def test_functional_of_a_list_that_grows_is_differentiated_and_called_inside():
    def energy(x):
        xs = [x]
        final = sd.functional(appends)(xs)[1]["xs"]
        return np.sum(final[1] ** 2) * len(xs)

    np.testing.assert_allclose(sd.grad(energy)(X), 8 * X)
    np.testing.assert_allclose(sd.hessian(energy)(X), 8 * np.eye(3))
    along = sd.jvp(sd.functional(appends), ([X],), ([np.ones(3)],))[1]
    np.testing.assert_allclose(along[0], 6.0)
    np.testing.assert_allclose(along[1]["xs"], [np.ones(3), 2 * np.ones(3)])


class Counter:
    def __init__(self):
        self.n, self.seen, self.w = 0, [], np.zeros(2)

    def step(self, x, v):
        self.n += 1
        self.seen.append(x)
        self.w[0] = x
        v[0] = x * self.n


def test_functional_lets_objects_keep_their_changes():
    counter, v = Counter(), np.zeros(2)
    for call in (sd.functional(Counter.step), lambda c, *rest: sd.functional(c.step)(*rest)):
        result, final = call(counter, 2.0, v)
        assert result is None
        assert list(final) == ["v"]
        np.testing.assert_array_equal(final["v"], [2.0 * counter.n, 0.0])
    np.testing.assert_array_equal(v, [0.0, 0.0])
    assert (counter.n, counter.seen, counter.w[0]) == (2, [2.0, 2.0], 2.0)


def test_functional_copies_dataclasses():
    @dataclasses.dataclass
    class State:
        n: int
        v: np.ndarray

    def step(x, state):
        state.n += 1
        state.v[0] = x

    state = State(0, np.zeros(2))
    _, final = sd.functional(step)(2.0, state)
    assert (final["state"].n, final["state"].v[0]) == (1, 2.0)
    assert (state.n, state.v[0]) == (0, 0.0)


def test_functional_refuses_a_list_that_is_changed_before_an_exception():
    def f(xs):
        xs.append(1.0)
        if xs[0] > 5:
            raise ValueError("large")
        return xs[0]

    with pytest.raises(sd.UnsupportedCallError, match="then raises"):
        sd.functional(f)([2.0])


def test_every_primal_has_a_tangent():
    def f(x, y=3.0):
        return x * y

    assert sd.jvp(f, (2.0,), (1.0,)) == (6.0, 3.0)
    with pytest.raises(TypeError, match=r"^2 primals, but 1 tangent\n"):
        sd.jvp(f, (1.0, 2.0), (1.0,))
    with pytest.raises(TypeError, match=r"^1 primal, but 3 tangents\n"):
        sd.jvp(f, (1.0,), (1.0, 1.0, 1.0))
    with pytest.raises(sd.SymdiffError, match="2 primals, but 1 tangent"):
        sd.grad(lambda x: sd.jvp(f, (x, x), (1.0,))[1])(2.0)


def test_transforms_compose_in_any_order():
    assert sd.grad(sd.grad(lambda x: x**4))(2.0) == 48.0
    assert cubes.grad.jvp((X,), (np.ones(3),))[1] == pytest.approx(6 * X)
    third = sd.jacobian(sd.hessian(lambda x: np.sum(x**3)))(X)
    expected = np.zeros((3, 3, 3))
    expected[range(3), range(3), range(3)] = 6.0
    np.testing.assert_allclose(third, expected)
    _, (_, tangent) = sd.jvp(
        sd.differentiable(cubes).jvp, ((X,), (np.ones(3),)), ((np.ones(3),), (np.zeros(3),))
    )
    assert tangent == pytest.approx(np.sum(6 * X))


def test_numpy_and_math_functions_are_differentiated_too():
    assert sd.grad(np.sqrt)(4.0) == 0.25
    assert sd.grad(math.sin)(1.0) == math.cos(1.0)
    np.testing.assert_array_equal(sd.grad(np.sum)(X), np.ones(3))


def test_the_same_function_compiles_once():
    sd.grad(product)(3.0, 4.0)
    before = len(sd.differentiable(product).signatures())
    sd.grad(product)(5.0, 6.0)
    assert len(sd.differentiable(product).signatures()) == before


# --- arguments


def test_argnums_by_position_name_and_tuple():
    assert sd.grad(product, 1)(3.0, 5.0) == 6.0
    assert sd.grad(product, -1)(3.0, 5.0, 4.0) == 15.0
    assert sd.grad(product, "scale")(3.0, 5.0) == 15.0
    assert sd.grad(product, (1,))(3.0, 5.0) == (6.0,)
    assert sd.grad(product, [1, 0])(3.0, 5.0) == (6.0, 10.0)  # as JAX takes them too
    assert sd.grad(product, ("y", 0))(3.0, 5.0) == (6.0, 10.0)


def test_keyword_arguments():
    assert sd.grad(product)(3.0, y=5.0) == 10.0
    assert sd.grad(product, "y")(x=3.0, scale=10.0, y=5.0) == 30.0


def test_variadic_arguments_are_counted_and_named():
    def f(*xs, **options):
        return xs[0] * xs[1] * options["scale"]

    assert sd.grad(f, 1)(3.0, 5.0, scale=2.0) == 6.0
    assert sd.grad(f, "scale")(3.0, 5.0, scale=2.0) == 15.0
    assert sd.jvp(lambda *xs: xs[0] * xs[1], (3.0, 5.0), (1.0, None)) == (15.0, 5.0)


def test_a_wrong_argument_is_named():
    with pytest.raises(TypeError, match="no argument 'z'"):
        sd.grad(product, "z")(3.0, 5.0)
    with pytest.raises(TypeError, match="no argument number 7"):
        sd.grad(product, 7)(3.0, 5.0)
    with pytest.raises(TypeError, match=r"product\(\) missing a required argument: 'y'"):
        sd.grad(product)(3.0)


def test_has_aux_hands_on_the_second_result():
    def f(x):
        return x * x, {"double": 2 * x, "name": "f"}

    assert sd.grad(f, has_aux=True)(3.0) == (6.0, {"double": 6.0, "name": "f"})
    value = sd.value_and_grad(f, has_aux=True)(3.0)
    assert value == ((9.0, {"double": 6.0, "name": "f"}), 6.0)


def test_a_python_int_counts_as_float_where_it_is_differentiated():
    gradient = sd.grad(lambda x, n: x**n)
    assert gradient(3, 2) == 6.0
    assert isinstance(gradient(3, 2), float)


def test_nothing_is_differentiated_in_ints_bools_and_strings():
    def f(p, flag):
        return np.sum(p["w"]) * p["layers"][0][0] * p["count"] if flag else 0.0

    p = {"w": X, "layers": [(2.0, "tanh")], "count": 3, "on": True}
    gradient = sd.grad(f)(p, True)
    np.testing.assert_array_equal(gradient["w"], np.full(3, 6.0))
    assert gradient["layers"] == [(pytest.approx(3 * np.sum(X)), None)]
    assert gradient["count"] is None
    assert gradient["on"] is None
    _, pullback = sd.vjp(f, p, True)
    assert pullback(1.0)[1] is None


def test_an_argument_without_influence_has_a_zero_gradient():
    first, second = sd.grad(lambda x, y: np.sum(y), argnums=(0, 1))(A, X)
    np.testing.assert_array_equal(first, np.zeros_like(A))
    np.testing.assert_array_equal(second, np.ones(3))


def test_gradients_are_fresh_and_writable():
    one, other = sd.grad(lambda x, y: np.sum(x + y), argnums=(0, 1))(X, X)
    assert one.flags.writeable and other.flags.writeable
    assert not np.shares_memory(one, other)
    assert not np.shares_memory(sd.grad(lambda x: np.sum(x * x) / 2)(X), X)


def test_one_element_counts_as_a_scalar():
    np.testing.assert_array_equal(sd.grad(lambda x: x * x)(np.array([3.0])), [6.0])
    with pytest.raises(sd.GradientShapeError, match="not a scalar") as error:
        sd.grad(lambda x: x * x)(X)
    assert "jacobian" in error.value.hint


def test_a_result_that_is_no_number_is_named():
    with pytest.raises(sd.GradientShapeError, match="a tuple"):
        sd.grad(lambda x: (x, x))(1.0)
    with pytest.raises(sd.SignatureError, match="returns int"):
        sd.grad(lambda x: 3)(1.0)
    with pytest.raises(sd.GradientShapeError, match="has_aux=True"):
        sd.grad(lambda x: (x, {"x": x}))(1.0)
    with pytest.raises(sd.GradientShapeError, match="functional"):
        sd.grad(lambda x: x.fill(2.0))(X)


@pytest.mark.parametrize(
    ("argument", "said"),
    [(np.arange(3), "int64"), (True, "bool"), ("text", "'text'"), (object(), "object")],
)
def test_what_has_no_derivative_is_refused(argument, said):
    with pytest.raises(sd.SignatureError, match=said) as error:
        sd.grad(lambda x: 1.0)(argument)
    assert "'x'" in str(error.value)


def test_cotangents_are_checked():
    _, pullback = sd.vjp(lambda x: x * x, X)
    with pytest.raises(sd.SignatureError, match="shape"):
        pullback(np.ones(4))
    with pytest.raises(sd.SignatureError, match="complex"):
        pullback(np.ones(3) * 1j)
    np.testing.assert_array_equal(pullback([1, 1, 1])[0], 2 * X)
    _, saved = sd.differentiable(lambda x: x * x).forward(X)
    with pytest.raises(sd.GradientShapeError, match="not return a scalar"):
        sd.differentiable(lambda x: x * x).backward(saved)


def test_tangents_are_checked():
    with pytest.raises(sd.SignatureError, match="shape"):
        sd.jvp(cubes, (X,), (np.ones(4),))
    with pytest.raises(TypeError, match="2 tangents"):
        sd.jvp(cubes, (X,), (X, X))
    with pytest.raises(TypeError, match="primals is a tuple"):
        sd.jvp(cubes, X, (X,))
    with pytest.raises(TypeError, match="tangents is a tuple"):
        sd.jvp(np.sin, (1.0,), 1.0)
    with pytest.raises(sd.SignatureError, match="no derivative"):
        sd.jvp(lambda x, name: x, (1.0, "a"), (1.0, "b"))


def test_a_differentiated_function_is_needed():
    with pytest.raises(TypeError, match="a function is needed"):
        sd.grad(3.0)
    with pytest.raises(ValueError, match="mode"):
        sd.jacobian(cubes, mode="both")
    with pytest.raises(ValueError, match="order"):
        sd.derivative(cubes, -1)


@pytest.mark.parametrize("argnums", [1.0, None, True, (0, None), X, {0}])
def test_argnums_that_are_none_are_refused_where_they_are_given(argnums):
    for transform in (sd.grad, sd.value_and_grad, sd.jacobian, sd.hessian, sd.hvp):
        with pytest.raises(sd.SignatureError, match=r"argnums is a position.*\n.*grad\(f\)\(x\)"):
            transform(product, argnums)


@pytest.mark.parametrize(("argnums", "said"), [(3, "number 3"), (-4, "number -4"), ("z", "'z'")])
def test_an_argument_that_is_not_there_is_told_with_those_that_are(argnums, said):
    with pytest.raises(sd.SignatureError) as caught:
        sd.grad(product, argnums)(1.0, 2.0)
    assert caught.value.message == f"product() has no argument {said}"
    assert caught.value.hint == "its arguments are: x, y, scale"


def test_a_decorator_belongs_below_those_that_make_no_function():
    for made in (staticmethod(product), classmethod(product), property(product)):
        with pytest.raises(sd.SignatureError, match=f"below @{type(made).__name__}$"):
            sd.differentiable(made)


def test_the_gradient_of_a_complex_number_is_refused():
    for function in (lambda x: np.sum(x) * 1j, lambda x: np.sum(np.exp(1j * x))):
        for transform in (sd.grad, sd.value_and_grad, sd.hessian):
            with pytest.raises(sd.SignatureError, match="it returns complex128") as caught:
                transform(function)(X)
            assert ".real" in caught.value.hint and caught.value.span is not None
    np.testing.assert_allclose(sd.grad(lambda x: np.exp(1j * x).real)(0.3), -math.sin(0.3))


def test_derivatives_that_are_no_numbers_are_refused():
    _, pullback = sd.vjp(cubes, X)
    for wrong in ("a", [[1.0], [1.0, 2.0]], {"a": 1.0}):
        with pytest.raises(sd.SignatureError, match="gradient is of type"):
            pullback(wrong)
        with pytest.raises(sd.SignatureError, match=r"tangents\[0\] is of type"):
            sd.jvp(cubes, (X,), (wrong,))
    with pytest.raises(sd.SignatureError, match="saved is of type float"):
        cubes.backward(3.0)


def test_types_in_messages_are_spelled_as_the_user_does():
    with pytest.raises(sd.GradientShapeError, match=r"returns float64\[x\.shape\[0\]\]"):
        sd.grad(lambda x: x * 2.0)(X)
    with pytest.raises(sd.SignatureError, match=r"it is int64\[p\.w\.shape\[0\],n\]|int64"):
        sd.grad(lambda p: 1.0)({"w": np.ones((2, 3), int)})


def by_its_words(x, dtype="float64", mode="int"):
    return np.sum(x.astype(dtype) ** 2) * (2.0 if mode == "int" else 1.0)


def test_a_text_in_a_call_is_no_type():
    np.testing.assert_array_equal(sd.grad(by_its_words)(X), 4 * X)
    np.testing.assert_array_equal(sd.grad(by_its_words)(X, mode="float"), 2 * X)
    value, gradient = sd.value_and_grad(by_its_words)(X, "float32")
    assert value.dtype == np.float32 and gradient.dtype == np.float64
    assert sd.jvp(by_its_words, (X, "float64"), (X, None))[0] == by_its_words(X)
    assert "float64" in sd.grad(by_its_words).source("float64[n]")
    with pytest.raises(sd.SignatureError, match=r"^\S*'float64\[n\]' is text here: this runs"):
        sd.grad(by_its_words)("float64[n]")


@pytest.mark.parametrize("text", ["float[n]", "double[3]", "float64[n"])
def test_a_text_that_spells_no_type_is_refused(text):
    with pytest.raises(sd.SignatureError, match="spells no type"):
        cubes.grad.source(text)


# --- variables outside


RATE = 2.0


def outer_cube(x):
    return x**3


def test_globals_are_read_at_each_call(monkeypatch):
    gradient = sd.grad(lambda x: RATE * x * x)
    assert gradient(3.0) == 12.0
    monkeypatch.setitem(globals(), "RATE", 5.0)
    assert gradient(3.0) == 30.0
    monkeypatch.setitem(globals(), "RATE", np.float32(5.0))
    assert gradient(3.0) == 30.0


def test_closure_cells_are_read_at_each_call():
    weights = np.ones(3)

    def f(x):
        return np.sum(weights * x)

    gradient = sd.grad(f)
    np.testing.assert_array_equal(gradient(X), np.ones(3))
    weights[0] = 7.0
    np.testing.assert_array_equal(gradient(X), [7.0, 1.0, 1.0])
    weights = np.full(3, 2.0)
    np.testing.assert_array_equal(gradient(X), np.full(3, 2.0))


def test_a_function_that_is_replaced_is_followed_anew():
    chosen = np.square

    def f(x):
        return chosen(x)

    gradient = sd.grad(f)
    assert gradient(3.0) == 6.0
    chosen = outer_cube
    assert gradient(3.0) == 27.0


def test_arguments_that_are_the_same_array_where_one_is_written():
    def f(x, y):
        x += y
        return np.sum(x * y)

    np.testing.assert_allclose(sd.grad(f)(X, X.copy()), X, rtol=1e-14)
    np.testing.assert_allclose(sd.grad(f)(X, X), 8 * X, rtol=1e-14)
    with pytest.raises(sd.AliasingError, match="x and y overlap"):
        sd.grad(f)(A[0, :2], A.reshape(-1)[1:3])


def test_a_written_argument_may_be_its_own_direction():
    def f(x):
        x *= 2.0
        return np.sum(x * x)

    value, tangent = sd.jvp(f, (X,), (X,))
    np.testing.assert_allclose([value, tangent], [4 * X @ X, 8 * X @ X], rtol=1e-14)
    gradient, product = sd.jvp(sd.grad(f), (X,), (X,))
    np.testing.assert_allclose([gradient, product], [8 * X, 8 * X], rtol=1e-14)


def test_arguments_do_not_overlap_with_what_is_read_outside_where_one_is_written():
    outside = A[0].copy()

    def f(x):
        x *= 2.0
        return np.sum(x * outside)

    def g(x):
        outside[0] = x[1]
        return np.sum(x * outside)

    for function in (f, g):
        gradient = sd.grad(function)
        assert gradient(outside.copy()).shape == outside.shape
        with pytest.raises(sd.AliasingError, match="x and outside overlap"):
            gradient(outside)
        with pytest.raises(sd.AliasingError, match="x and outside overlap"):
            gradient(outside[::-1])


def test_a_function_is_followed_once_for_several_transforms(monkeypatch):
    followed = []

    def counting(*args):
        followed.append(args)
        return stage(*args)

    monkeypatch.setattr(pipeline, "stage", counting)
    power = 2

    def f(x):
        return np.sum(x**power)

    derived = sd.differentiable(f)
    np.testing.assert_array_equal(derived.grad(X), 2 * X)
    assert derived.jvp((X,), (X,))[1] == 2 * X @ X
    np.testing.assert_array_equal(sd.hvp(f)(X, X), 2 * X)
    assert len(followed) == 1
    power = 3.0
    np.testing.assert_allclose(sd.hessian(f)(X), np.diag(6 * X), rtol=1e-14)
    np.testing.assert_allclose(sd.grad(f)(X), 3 * X**2, rtol=1e-14)
    assert len(followed) == 2


def test_a_function_is_followed_once_for_each_signature(monkeypatch):
    followed = []

    def counting(*args):
        followed.append(args)
        return stage(*args)

    monkeypatch.setattr(pipeline, "stage", counting)

    def f(x):
        return np.sum(x**3)

    matrix, number = np.array([X, X]), 2.0
    for transform in (sd.grad, sd.jacobian, sd.hessian):
        for x in (X, matrix, number):
            transform(f)(x)
    np.testing.assert_allclose(sd.grad(f)(matrix), 3.0 * matrix**2, rtol=1e-14)
    np.testing.assert_allclose(sd.hessian(f)(number), 12.0, rtol=1e-14)
    assert len(followed) == 3


def test_a_result_that_turns_out_to_have_one_element_counts_as_a_number():
    def f(x):
        return x[x > 1.0] ** 3

    x = np.array([0.5, 2.0, -3.0])
    np.testing.assert_array_equal(sd.grad(f)(x), [0.0, 12.0, 0.0])
    np.testing.assert_array_equal(sd.hvp(f)(x, np.ones(3)), [0.0, 12.0, 0.0])
    np.testing.assert_array_equal(sd.grad(lambda x: x[1:-1] * x[2:])(x), [0.0, -3.0, 2.0])
    for wrong in (np.array([2.0, 3.0]), np.array([0.0, 0.5])):
        with pytest.raises(TypeError, match="not a scalar: its shape is"):
            sd.grad(f)(wrong)


def test_a_tangent_of_what_has_no_rule_is_refused():
    def checksum(x):
        return zlib.crc32(x)

    def both(x):
        return x * x, zlib.crc32(x)

    told = "what crc32 returns, which has no rule"
    with pytest.raises(sd.UnsupportedCallError, match=told) as refused:
        sd.jvp(checksum, (X,), (X,))
    assert refused.value.span.text.strip() == "return zlib.crc32(x)"
    for mode in ("auto", "fwd", "rev"):
        with pytest.raises(sd.UnsupportedCallError, match=told):
            sd.jacobian(checksum, mode=mode)(X)
    (value, _), (tangent, none) = sd.jvp(both, (X,), (X,))
    np.testing.assert_array_equal(value, X * X)
    np.testing.assert_array_equal(tangent, 2 * X * X)
    assert none is None


def test_a_cotangent_of_what_has_no_rule_is_refused():
    def quantile(x):
        return x * x, {"at": [lgamma(x)]}

    def checksum(x):
        return zlib.crc32(x)

    (square, _), pullback = sd.vjp(quantile, 0.25)
    assert square == 0.0625
    with pytest.raises(
        sd.UnsupportedCallError, match="lgamma returns, which has no rule"
    ) as refused:
        pullback((1.0, {"at": [1.0]}))
    assert refused.value.span.text.strip().startswith("return x * x, {")
    assert pullback((1.0, None)) == (0.5,)
    with pytest.raises(sd.UnsupportedCallError, match="what crc32 returns, which has no rule"):
        sd.vjp(checksum, X)[1](1.0)
    function = sd.differentiable(checksum)
    _, saved = function.forward(X)
    with pytest.raises(sd.UnsupportedCallError, match="what crc32 returns, which has no rule"):
        function.backward(saved)


def test_a_cotangent_of_what_is_cut_off_is_taken():
    def labelled(x):
        return x * x, lgamma(sd.stop_gradient(x))

    assert sd.vjp(labelled, 0.25)[1]((1.0, 1.0)) == (0.5,)


def squares_in_a_list(x):
    return [v * v for v in x]


@pytest.mark.parametrize("mode", ["auto", "fwd", "rev"])
def test_a_list_of_any_length_has_no_jacobian(mode):
    with pytest.raises(sd.GradientShapeError, match="returns a list of a length known") as caught:
        sd.jacobian(squares_in_a_list, mode=mode)(np.ones(2))
    assert "np.array" in caught.value.hint


def test_a_class_in_place_of_a_types_text_is_told():
    slope = sd.grad(lambda x, k: np.sum(x**k))
    with pytest.raises(sd.CertainError, match="'int' stands for a number of it"):
        slope.source("float64[n]", int)
    assert "def " in slope.source("float64[n]", "int")
