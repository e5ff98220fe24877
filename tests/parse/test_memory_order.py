"""Views or copies by the order in memory: of arguments in C order, Fortran's, and with gaps."""

import re

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import AliasingError, UnsupportedCallError

M = np.random.default_rng(3).uniform(0.5, 1.5, (3, 4))
LAYOUTS = {
    "C": lambda: M.copy(),
    "F": lambda: np.asfortranarray(M),
    "strided": lambda: np.repeat(M, 2, axis=1)[:, ::2],
    "turned": lambda: np.array(M[::-1].T).T[::-1],
}


def transposed(x):
    y = x * 2.0
    z = y.T.reshape(-1)
    z[0] = 7.0
    return y, z


def ravelled(x):
    y = x * 2.0
    z = np.ravel(y.T)
    z[0] = 7.0
    y.ravel()[1] = 8.0
    w = y.ravel(order="F")
    w[1] = 9.0
    return y, z, w


def part_of_rows(x):
    y = x[:2] * 2.0
    z = y[:, :2].reshape(4)
    z[0] = 7.0
    return y, z


def part_of_rows_of_a_part(x):
    y = x[:2, :2] * 2.0
    z = y[:, :2].reshape(4)
    z[0] = 7.0
    return y, z


def backwards(x):
    y = x.ravel()[:6] * 2.0
    z = y[::-1].reshape(3, 2)
    z[0] = 7.0
    return y, z


def contiguous(x):
    y = x * 2.0
    a, b = np.ascontiguousarray(y.T), np.ascontiguousarray(y)
    c, d = np.asfortranarray(y.T), np.asfortranarray(y)
    a[0], b[1], c[2], d[0, 0] = 1.0, 2.0, 3.0, 4.0
    return y, a, b, c, d


def argument_reshaped(x):
    z = x.reshape(-1)
    z[0] = 7.0
    return x.sum(), z


def argument_ravelled(x):
    x.ravel()[0] = 7.0
    x[:, 1].ravel()[0] = 8.0
    x[:, 1].reshape(-1)[1] = 9.0
    return x.sum()


def argument_as_array(x):
    z = np.asarray(x, order="F")
    z[0] = 7.0
    w = np.asarray(x)
    w[1] = 8.0
    return x.sum(), z


def flat_is_never_a_copy(x):
    y = x * 2.0
    y.T.flat[1] = 5.0
    y[:, ::2].flat[2:4] = [8.0, 9.0]
    x.flat[3] = 1.0
    return y


def strided_vector(x):
    y = x.ravel() * 2.0
    z, w = y[::2].ravel(), y[::2].reshape(-1)
    z[0], w[1] = 7.0, 8.0
    return y, z, w


def order_is_kept(x):
    y = x.T * 2.0
    z, w = y.reshape(-1), y.T.reshape(-1)
    z[0], w[1] = 7.0, 8.0
    a = np.cumsum(x.T, axis=0) + np.arange(3.0)
    b = a.reshape(-1)
    b[2] = 9.0
    return y, z, w, a, b


def order_of_copies(x):
    a, b, c = np.copy(x.T), x.T.copy(), np.array(x.T)
    d, e = x.T.flatten("F"), x.T.astype(np.float32)
    for array in (a, b, c, e):
        array.reshape(-1)[1] = 5.0
    return a, b, c, d, e


def made_like(x):
    a, b, c = np.zeros_like(x.T), np.ones_like(x), np.full_like(x.T, 2.0, order="C")
    for array in (a, b, c):
        array.reshape(-1)[1] = 5.0
    return a, b, c, np.zeros((3, 2), order="F").reshape(-1)


def fortran_order(x):
    y = x.T * 2.0
    z = y.reshape((6, 2), order="F")
    z[1] = 7.0
    w = np.zeros((3, 4), order="F")
    w.reshape(-1, order="F")[:] = np.arange(12.0)
    w.reshape(-1)[0] = 99.0
    return y, z, w


def without_copy(x):
    y = x * 2.0
    np.array(y, copy=None)[0] = 3.0
    np.array(y, copy=False)[1] = 4.0
    y.astype(float, copy=False)[2, 1] = 5.0
    return y


def three_axes(x):
    a = np.zeros((3, 4, 2))
    a[..., 0] = x
    a.reshape(12, 2)[3] = 9.0
    w = a.transpose(1, 0, 2).reshape(12, 2)
    w[4] = 8.0
    u = a.swapaxes(1, 2).reshape(6, 4)
    u[1] = 7.0
    k = a[:, :2].reshape(6, 2)
    k[0] = 5.0
    a[1].reshape(-1)[0] = 4.0
    return a, w, u, k


def before_a_loop(x):
    a = np.zeros((3, 4))
    v = a.reshape(-1)
    for i in range(12):
        v[i] = x[i // 4, i % 4] * 2
    return a, v


def bound_anew_in_a_loop(x):
    a = x * 1.0
    for i in range(12):
        a = a * 1.01
        v = a.reshape(-1)
        v[i] = 1.0
    return a


def turned_in_a_loop(x):
    a = x[:, :3] * 1.0
    for i in range(9):
        a = a.T
        v = a.reshape(-1)
        v[i] = 1.0
    return a


def after_a_branch(x):
    a = x * 1.0
    if x[0, 0] > 0.2:
        a = a * 2.0
    v = a.reshape(-1)
    v[3] = 9.0
    return a


def gathered(x):
    a, b = x[:, [0, 1]], x[[0, 2]]
    v, w = a.reshape(-1), b.reshape(-1)
    v[1], w[1] = 5.0, 6.0
    return a, b


FUNCTIONS = [
    value for value in list(globals().values()) if getattr(value, "__module__", "") == __name__
]


def outcome(function, argument):
    """What a function gives, and the argument afterwards."""
    return function(argument), argument


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_views_and_copies_are_those_of_numpy(function, layout):
    result, changed = outcome(function, LAYOUTS[layout]())
    given = LAYOUTS[layout]()
    made, finals = sd.functional(function)(given)
    np.testing.assert_equal(made, result)
    np.testing.assert_equal(finals.get("x", given), changed)
    np.testing.assert_equal(given, M)


def test_an_order_is_asked_for_only_where_it_matters():
    def read(x):
        return np.sum(x.reshape(-1) ** 2)

    def written(x):
        x.reshape(-1)[0] = 2.0
        return np.sum(x**2)

    for function, count in ((read, 1), (written, 2)):
        derivative = sd.differentiable(function)
        for argument in (M.copy(), np.asfortranarray(M)):
            expected = 2 * M
            if function is written and argument.flags.c_contiguous:
                expected = np.where(np.arange(12).reshape(3, 4) == 0, 0.0, expected)
            np.testing.assert_allclose(derivative.grad(argument), expected)
        assert len(derivative.signatures()) == count


def test_an_order_that_differs_between_paths_is_refused_where_one_is_written():
    def function(x, s):
        a = x * 1.0
        if s > 0:
            a = a.T * 2.0
        v = a.reshape(-1)
        v[1] = 9.0
        return a.sum()

    gradient = sd.grad(function)
    # Behind the transposition it is a copy that is written.
    np.testing.assert_array_equal(gradient(np.ones((3, 3)), 1.0), np.full((3, 3), 2.0))
    with pytest.raises(AliasingError) as caught:
        gradient(np.ones((3, 3)), -1.0)
    assert "decides whether this is a view or a copy" in str(caught.value)
    assert caught.value.span.text.strip() == "v = a.reshape(-1)"


IN_ORDER_OF_MEMORY = {
    "np.ravel, K": lambda x: np.ravel(x, order="K"),
    "ravel, K": lambda x: (x * 2.0).ravel("K"),
    "ravel, A": lambda x: x.T.ravel(order="A"),
    "flatten, K": lambda x: x.flatten("K"),
    "flatten, A": lambda x: np.exp(x).T.flatten("A"),
    "reshape, A": lambda x: x.reshape(4, -1, order="A").ravel(),
    "np.reshape, A": lambda x: np.reshape(x, (2, 6), order="A").ravel(),
    "copy, K": lambda x: x.copy(order="K").T.ravel("K"),
    "copy, A": lambda x: np.copy(x, order="A").ravel("K"),
    "array, A": lambda x: np.array(x, order="A").ravel("A"),
    "list, K": lambda x: np.ravel([x[0], x[1], x[2]], order="K"),
}


@pytest.mark.parametrize("name", IN_ORDER_OF_MEMORY)
def test_elements_are_read_in_the_order_in_which_they_lie(name):
    """What a function of elements in turn gives, beside one that NumPy says the order of."""
    flat = IN_ORDER_OF_MEMORY[name]
    function = sd.differentiable(lambda x: np.sum(WEIGHTS * flat(x) ** 2))
    for layout in ("C", "F"):
        x = LAYOUTS[layout]()
        assert sd.value_and_grad(function)(x)[0] == pytest.approx(function(x), rel=1e-14)
        expected = np.array([central(function, x, place) for place in np.ndindex(x.shape)])
        np.testing.assert_allclose(function.grad(x).ravel(), expected, rtol=1e-8)
        direction = np.arange(12.0).reshape(3, 4)
        _, slope = sd.jvp(function, (x,), (direction,))
        np.testing.assert_allclose(slope, expected @ direction.ravel(), rtol=1e-8)


def central(function, x, place):
    """The derivative of a function by an element, extrapolated, where the array lies as it does."""

    def at(step):
        moved = x.copy(order="K")
        moved[place] += step
        return function(moved)

    coarse, fine = ((at(h) - at(-h)) / (2 * h) for h in (2e-3, 1e-3))
    return (4 * fine - coarse) / 3


WEIGHTS = np.arange(1.0, 13.0)


def test_reshaping_in_the_order_of_memory_takes_a_row_by_rows():
    """A single row or column fills memory in both orders; NumPy then takes that of rows."""
    function = sd.differentiable(lambda x: np.sum(x.reshape((2, -1), order="A")[0]))
    for shape in ((6, 4), (1, 4), (4, 1), (2, 4)):
        x = np.zeros(shape, order="F")
        numbers = np.asfortranarray(np.arange(x.size).reshape(shape))
        row = numbers.reshape((2, -1), order="A")[0]
        np.testing.assert_array_equal(function.grad(x), np.isin(numbers, row).astype(float))


def filled(made, x):
    made[...] = 2.0 * x
    return made


MADE_IN_AN_ORDER = {
    "zeros": lambda x, o: filled(np.zeros((3, 4), order=o), x),
    "full": lambda x, o: filled(np.full((3, 4), 1.0, order=o), x),
    "eye": lambda x, o: filled(np.eye(3, 4, order=o), x),
    "empty_like": lambda x, o: filled(np.empty_like(x, order=o), x),
    "array": lambda x, o: np.array(x, order=o),
    "asarray": lambda x, o: np.asarray(x, order=o),
    "copy": lambda x, o: x.copy(o),
    "np.copy": lambda x, o: np.copy(x, o),
    "astype": lambda x, o: x.astype(np.float64, order=o),
    "astype without a copy": lambda x, o: x.astype(np.float64, o, copy=False),
    "astype another": lambda x, o: x.astype(np.float32, order=o),
    "reshape": lambda x, o: x.reshape(4, 3, order=o),
    "ravel": lambda x, o: np.ravel(x, o),
    "flatten": lambda x, o: x.flatten(o),
}


@pytest.mark.parametrize("order", [*"CFAKcfakZ"])
@pytest.mark.parametrize("name", MADE_IN_AN_ORDER)
def test_orders_mean_what_they_do_in_numpy_in_either_case(name, order):
    """Seen by reading elements as they lie; the function itself is the reference."""

    def read(x):
        return MADE_IN_AN_ORDER[name](x, order).ravel("K") * 1.0

    def total(x):
        return np.sum(np.arange(1.0, 13.0) * read(x))

    for layout in ("C", "F"):
        x = LAYOUTS[layout]()
        message = error_of(read, x)
        if message is not None:
            with pytest.raises(ValueError, match=re.escape(message)):
                sd.jvp(read, (x,), (x,))
            continue
        value, tangent = sd.jvp(read, (x,), (x,))
        np.testing.assert_array_equal(value, read(x))
        if name != "astype another":  # in single precision the tangent is rounded
            np.testing.assert_array_equal(tangent, read(x))  # linear, all of them
            assert np.sum(sd.grad(total)(x) * x) == pytest.approx(total(x), rel=1e-14)


def error_of(function, x):
    """What a function says that NumPy takes no such order; None where it takes it."""
    try:
        function(x)
    except ValueError as error:
        return str(error)
    return None


@pytest.mark.parametrize("layout", ["strided", "turned"])
def test_an_order_of_elements_that_do_not_fill_their_memory_is_refused(layout):
    with pytest.raises(UnsupportedCallError, match="does not fill its memory"):
        sd.grad(lambda x: x.T.ravel("K")[1])(LAYOUTS[layout]())


def test_sizes_are_asked_for_where_nothing_else_tells():
    def function(m):
        a = m * 1.0
        while a[0, 0] < 20.0:
            f = a.reshape(3, 3).ravel()
            f *= 1.5
            a = a + np.eye(3) * f[1]
        return (a**2).sum()

    square = M[:, :3].copy()
    derivative = sd.differentiable(function)
    assert sd.value_and_grad(function)(square)[0] == function(square.copy())
    sd.check_grads(function, (square,), order=2)
    derivative.grad(square)
    assert "m.shape[0] == 3" in derivative.signatures()[0]


def three_arrays_in_turn(m, n):
    a, b, e = m * 1.0, m * 2.0, m * 3.0
    s = 0.0
    for i in range(n):
        c = a.reshape(-1)
        c[1] = 7.0
        s = s + a[0, 1] * (i + 1)
        a, b, e = b * 1.0, e * 1.0, a.T * 1.0
    return s, a


def doubled_in_turn(m, n):
    a = m * 1.0
    s = 0.0
    for i in range(n):
        c = a.reshape(-1)
        c[1] = 7.0
        s = s + a[0, 1] * (i + 1)
        a = a * 2.0
    return s, a


@pytest.mark.parametrize("function", [three_arrays_in_turn, doubled_in_turn])
def test_arrays_lie_in_a_loop_as_they_do_in_each_turn(function):
    square = M[:, :3]
    for argument in (square.copy(), np.asfortranarray(square), square):
        made, _ = sd.functional(function)(argument, 7)
        expected = function(argument, 7)
        np.testing.assert_equal(made, expected)


def test_a_loop_in_which_arrays_lie_alike_is_for_any_count():
    derivative = sd.differentiable(lambda m, n: doubled_in_turn(m, n)[0])
    derivative.grad(M, 3)
    derivative.grad(M, 5)
    assert len(derivative.signatures()) == 1
