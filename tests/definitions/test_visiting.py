"""``np.nditer``, ``np.broadcast``, ``as_strided``, strides and flags, against closed forms."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.parse.following import follows
from tests.test_programs import same

as_strided = np.lib.stride_tricks.as_strided
A = np.array([[0.3, -1.2, 0.7], [2.0, 0.4, -0.5]])


@pytest.fixture(autouse=True)
def _verified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")


def horner(a: Any) -> Any:
    total = 0.5
    for v in np.nditer(a):
        total = total * 0.9 + v * v
    return total


def written(a: Any) -> Any:
    y = a * 1.0
    with np.nditer(y, op_flags=["readwrite"]) as it:
        for v in it:
            v[...] = v**3
    return np.sum(y)


def by_places(a: Any) -> Any:
    it, total = np.nditer(a, flags=["multi_index"]), 0.0
    while not it.finished:
        i, j = it.multi_index
        total = total + it[0] ** 2 * (i + 10 * j)
        it.iternext()
    return total


def by_columns(a: Any) -> Any:
    total = 0.0
    it = np.nditer(a, flags=["f_index"], op_flags=[["readonly"]], order="F")
    for v in it:
        total = total * 0.5 + v**2 * it.index
    return total


def weights(order: str, rate: float) -> Any:
    powers = rate ** np.arange(A.size)[::-1]
    return powers.reshape(A.shape) if order == "C" else powers.reshape(A.shape[::-1]).T


PLACES = np.add.outer(np.arange(2), 10 * np.arange(3))
COLUMNS = np.arange(6).reshape(3, 2).T
CASES: dict[str, tuple[Any, Any, Any]] = {
    "horner": (horner, 2 * A * weights("C", 0.9), 2 * weights("C", 0.9)),
    "written": (written, 3 * A**2, 6 * A),
    "by_places": (by_places, 2 * A * PLACES, 2 * PLACES),
    "by_columns": (
        by_columns,
        2 * A * COLUMNS * weights("F", 0.5),
        2 * COLUMNS * weights("F", 0.5),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_elements_are_seen_one_by_one(name: str) -> None:
    function, first, second = CASES[name]
    np.testing.assert_allclose(sd.grad(function)(A), first, rtol=1e-13)
    v = np.cos(np.arange(6.0)).reshape(A.shape)
    np.testing.assert_allclose(sd.jvp(function, (A,), (v,))[1], np.sum(first * v), rtol=1e-13)
    np.testing.assert_allclose(sd.hvp(function)(A, v), second * v, rtol=1e-13)
    assert sd.grad(function)(A.astype("f4")).dtype == np.float32


def test_the_order_is_that_of_memory() -> None:
    given = np.asfortranarray(A)
    np.testing.assert_allclose(sd.grad(horner)(given), 2 * A * weights("F", 0.9), rtol=1e-13)
    np.testing.assert_allclose(sd.grad(horner)(A.T), (2 * A * weights("C", 0.9)).T, rtol=1e-13)
    with pytest.raises(sd.UnsupportedCallError, match="does not fill its memory"):
        sd.grad(horner)(A[:, ::2])
    with pytest.raises(ValueError, match="zero-sized"):
        sd.grad(horner)(np.zeros((0, 3)))
    np.testing.assert_allclose(sd.grad(horner)(np.array(3.0)), 6.0)


def test_the_callers_array_is_written_through() -> None:
    def doubled(a: Any) -> Any:
        for v in np.nditer(a, op_flags=["readwrite"]):
            v[...] = 2 * v
        return np.sum(a**2)

    given = A.copy()
    assert sd.differentiable(doubled)(given) == pytest.approx(4 * np.sum(A**2))
    np.testing.assert_allclose(sd.grad(lambda a: doubled(a * 1.0))(A), 8 * A)


def test_what_is_not_followed_is_refused() -> None:
    def read_only(a: Any) -> Any:
        b = a * 1.0
        for v in np.nditer(b):
            v[...] = 2.0
        return np.sum(b)

    with pytest.raises(ValueError, match="read-only"):
        sd.grad(read_only)(A)
    with pytest.raises(sd.UnsupportedCallError, match="several memory orders"):
        sd.grad(lambda a: sum(x * y for x, y in np.nditer([a, np.asfortranarray(a)])))(A)
    with pytest.raises(sd.UnsupportedCallError, match="in another order"):
        sd.grad(lambda a: sum(np.sum(x) for x in np.nditer(a, flags=["external_loop"], order="F")))(
            A
        )
    with pytest.raises(sd.UnsupportedCallError, match="several shapes"):
        sd.grad(lambda a: sum(x @ y for x, y in np.nditer([a, a[0]], flags=["external_loop"])))(A)
    with pytest.raises(ValueError, match="requires a reduction"):
        sd.grad(lambda a: written_to(a, np.zeros(3)))(A)


# Several arrays, and all elements in a row --------------------------------------------------------

B = np.array([1.0, -2.0, 3.0])


def written_to(a: Any, out: Any) -> Any:
    for x, y in np.nditer([a, out], op_flags=[["readonly"], ["readwrite"]]):
        y[...] = x * x
    return np.sum(out)


def of_pairs(a: Any, b: Any) -> Any:
    total = 0.5
    for x, y in np.nditer([a, b]):
        total = total + x * y * y
    return total


def made(a: Any, b: Any) -> Any:
    it = np.nditer([a, b, None])
    for x, y, z in it:
        z[...] = x * y * y
    return np.sum(it.operands[2])


def in_rows(a: Any, b: Any) -> Any:
    it = np.nditer(
        (None, a, b),
        ["buffered", "external_loop"],
        [["writeonly", "allocate", "no_broadcast"], ["readonly", "nbo"], ["readonly", "aligned"]],
    )
    while not it.finished:
        it[0] = (lambda x, y: x * y * y)(*it[1:])
        it.iternext()
    return np.sum(it.operands[0])


def by_both_indices(a: Any, b: Any) -> Any:
    it, total = np.nditer([a, b], flags=["multi_index"]), 0.0
    while not it.finished:
        i, j = it.multi_index
        total = total + it[0] * b[j] * it[1] + 0.0 * i
        it.iternext()
    return total


@pytest.mark.parametrize("function", [of_pairs, made, in_rows, by_both_indices])
def test_several_arrays(function: Any) -> None:
    first, second = sd.grad(function, argnums=(0, 1))(A, B)
    np.testing.assert_allclose(first, np.broadcast_to(B**2, A.shape), rtol=1e-13)
    np.testing.assert_allclose(second, 2 * B * np.sum(A, axis=0), rtol=1e-13)
    v = np.cos(np.arange(3.0))
    tangent = sd.jvp(function, (A, B), (0.0 * A, v))[1]
    np.testing.assert_allclose(tangent, second @ v, rtol=1e-13)
    bend = sd.hvp(lambda b: function(A, b))(B, v)
    np.testing.assert_allclose(bend, 2 * np.sum(A, axis=0) * v, rtol=1e-12)


def test_all_elements_in_a_row() -> None:
    def weighed(a: Any) -> Any:
        total = 0.0
        for x in np.nditer(a, flags=["external_loop"]):
            total = total + np.sum(x**2 * np.arange(x.size))
        return total

    places = np.arange(6.0)
    np.testing.assert_allclose(sd.grad(weighed)(A), 2 * A * places.reshape(2, 3))
    columns = sd.grad(weighed)(np.asfortranarray(A))
    np.testing.assert_allclose(columns, 2 * A * places.reshape(3, 2).T)
    np.testing.assert_allclose(sd.grad(weighed)(np.array(0.7)), 0.0)

    def squared(a: Any) -> Any:
        y = a * 1.0
        with np.nditer(y, flags=["external_loop"], op_flags=["readwrite"]) as it:
            for row in it:
                row[...] = row * row
        return np.sum(y)

    np.testing.assert_allclose(sd.grad(squared)(A), 2 * A)
    many = np.nditer(np.zeros(9000), ["external_loop", "buffered"])
    assert len(many.value) < 9000
    with pytest.raises(NotImplementedError, match="buffered at once"):
        sd.grad(
            lambda a: sum(np.sum(x) for x in np.nditer(a, flags=["external_loop", "buffered"]))
        )(np.zeros(9000))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    "view", [lambda y: y.T, lambda y: y[::-1], lambda y: y[:, ::2], lambda y: np.asfortranarray(y)]
)
def test_rows_that_are_written_are_views_or_refused(view: Any, order: Any) -> None:
    """A row in another order than that of the memory would be a copy, and what is written lost."""

    def squared(a: Any) -> Any:
        y = view(a * 1.0)
        flags = ["external_loop", "buffered"]
        with np.nditer(y, flags=flags, op_flags=["readwrite"], order=order) as it:
            for row in it:
                row[...] = row * row
        return np.sum(y)

    x = np.arange(1.0, 13.0).reshape(3, 4)
    assert squared(x) == np.sum(view(x) ** 2)
    laid = view(x * 1.0).flags
    if laid.c_contiguous if order == "C" else laid.f_contiguous:
        value, slope = sd.value_and_grad(squared)(x)
        assert value == squared(x)
        np.testing.assert_array_equal(view(slope), 2 * view(x))
        return
    with pytest.raises(sd.UnsupportedCallError, match="external_loop that writes in another"):
        sd.grad(squared)(x)


# Strides ------------------------------------------------------------------------------------------


def moving(x: Any) -> Any:
    step = x.strides[0]
    y = as_strided(x, shape=(len(x) - 2, 3), strides=(step, step), writeable=False)
    return np.sum(y**2 * np.array([1.0, 2.0, 4.0]))


def test_windows_by_strides() -> None:
    x = np.array([0.5, -1.0, 2.0, 0.3, 0.9, -0.4])
    counts = np.array([1.0, 3.0, 7.0, 7.0, 6.0, 4.0])
    np.testing.assert_allclose(sd.grad(moving)(x), 2 * x * counts, rtol=1e-13)
    v = np.arange(6.0)
    np.testing.assert_allclose(sd.hvp(moving)(x, v), 2 * v * counts, rtol=1e-13)
    np.testing.assert_allclose(sd.jvp(moving, (x,), (v,))[1], np.sum(2 * x * counts * v))
    np.testing.assert_allclose(sd.grad(moving)(x.astype("f4")), 2 * x * counts, rtol=1e-6)
    with pytest.raises(NotImplementedError, match="beyond the memory"):
        sd.grad(lambda x: np.sum(as_strided(x, (7,), x.strides)))(x)


def test_strides_of_arrays() -> None:
    def told(a: Any) -> Any:
        return a.strides[0] * np.sum(a) + a.strides[-1] + np.ones((2, 3)).strides[0]

    np.testing.assert_allclose(sd.grad(told)(A), 24.0 * np.ones((2, 3)))
    np.testing.assert_allclose(sd.grad(told)(np.asfortranarray(A)), 8.0 * np.ones((2, 3)))


def test_a_write_to_what_lies_in_one_memory_is_refused() -> None:
    def before(x: Any) -> Any:
        x = x * 1.0
        y = as_strided(x, (3, 3), (8, 8))
        x[0] = 2.0
        return np.sum(y**2)

    def after(x: Any) -> Any:
        x = x * 1.0
        y = as_strided(x, (3, 3), (8, 8))
        y[0] = 2.0
        return np.sum(x**2)

    for function in (before, after):
        with pytest.raises(sd.AliasingError, match="in the memory of"):
            sd.grad(function)(np.arange(5.0))


# Rows of an array ---------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(3,), (3, 2), (3, 2, 4)])
@pytest.mark.parametrize("join", [np.vstack, np.hstack])
def test_the_rows_of_an_array_are_joined(join: Any, shape: tuple[int, ...]) -> None:
    x = np.sin(np.arange(float(np.prod(shape)))).reshape(shape)

    def joined(x: Any) -> Any:
        return join(x) ** 2

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value, tangent = sd.jvp(joined, (x,), (np.ones(shape),))
    np.testing.assert_array_equal(value, join(x) ** 2)
    np.testing.assert_allclose(tangent, 2 * join(x))
    weight = np.arange(float(value.size)).reshape(value.shape)
    found = sd.grad(lambda x: np.sum(joined(x) * weight))(x)
    places = join(np.arange(x.size).reshape(shape)).ravel()
    expected = np.zeros(x.size)
    expected[places] = 2 * x.ravel()[places] * weight.ravel()
    np.testing.assert_allclose(found.ravel(), expected)
    with pytest.raises((ValueError, IndexError)):
        sd.grad(lambda x: np.sum(join(x)))(np.zeros((0, *shape[1:])))


# Flags, and arrays that broadcast together --------------------------------------------------------


def by_flags(x: Any) -> Any:
    if not x.flags.c_contiguous:
        x = 2.0 * np.ascontiguousarray(x)
    weight = 1 + 2 * x.T.flags["F_CONTIGUOUS"] + 4 * x.flags.forc + 8 * x.T.flags.fnc
    return weight * np.sum(x)


LAYOUTS = [
    *(A, np.asfortranarray(A), np.repeat(A, 2, axis=1)[:, ::2], A.T, A[:1], A[:, :1]),
    *(np.zeros((0, 3)), np.zeros((0, 3), order="F"), np.zeros((4, 0)).T, A[1:1, ::2]),
]


@pytest.mark.parametrize("k", range(len(LAYOUTS)))
def test_flags_tell_how_an_array_lies_in_memory(k: int) -> None:
    x = LAYOUTS[k]
    slope = by_flags(x) / np.sum(x) if x.size else 0.0  # it is a multiple of the sum
    value, tangent = sd.jvp(by_flags, (x,), (np.ones_like(x),))
    assert value == by_flags(x)
    assert tangent == pytest.approx(slope * x.size)
    np.testing.assert_allclose(sd.grad(by_flags)(x), np.full(x.shape, slope), rtol=1e-12)


def test_what_is_computed_lies_as_numpy_has_it() -> None:
    def told(x: Any) -> Any:
        flags = [(x + 1.0).flags, x.T.flags, (x.T @ x).flags, x[:, ::2].flags, x[0].flags]
        return [(one.c_contiguous, one.f_contiguous, one.contiguous) for one in flags]

    follows(told, A, np.asfortranarray(A))


def test_what_is_made_here_is_known_to_be_writeable_or_not() -> None:
    def told(x: Any) -> Any:
        y = np.array(x)
        y[0] = 1.0
        views = np.broadcast_to(x + 1.0, (2, *x.shape)), (x + 1j).imag, np.diag(x @ x.T), y[::2].T
        return [one.flags.writeable for one in (x + 1.0, y, *views)]

    follows(told, A)

    @sd.nondifferentiable(returns="float64[2]")
    def outside(x: Any) -> Any:
        return np.broadcast_to(x[0, 0], 2)

    def read_only(x: Any) -> Any:
        y = x * x
        y.flags.writeable = False
        return y

    def in_constant_bytes(x: Any) -> Any:
        return np.frombuffer(b"12345678")

    for made in (
        read_only,
        outside,
        in_constant_bytes,
        lambda x: np.broadcast_arrays(x[0] + 1.0, x)[0],
        lambda x: np.meshgrid(x[0] + 1.0, x[1], copy=False)[0],
        lambda x: x + 1.0 if x[0, 0] > 0 else outside(x),
    ):
        with pytest.raises(sd.UnsupportedCallError, match="whether an array is writeable"):
            sd.grad(lambda x, made=made: np.sum(x) * made(x).flags.writeable)(A)


def test_what_branches_and_copies_give_is_known_to_be_writeable() -> None:
    def told(x: Any) -> Any:
        scaled = x * 2.0 if x[0, 0] > 0 else np.exp(x)
        given = x if x[0, 0] > 0 else x + 1.0
        packed = np.ascontiguousarray(scaled[:, ::-1].T)
        return [one.flags.writeable for one in (scaled, scaled[1:], given, packed)]

    follows(told, A, -A)
    fixed = A.copy()
    fixed.flags.writeable = False
    with pytest.raises(sd.UnsupportedCallError, match=r"read-only(.|\n)*pass a copy"):
        sd.grad(lambda x: np.sum(x) * told(x)[2])(fixed)


def test_what_is_read_only_on_a_path_is_not_taken_for_writeable() -> None:
    def told(x: Any) -> Any:
        y = x + 1.0
        z = x * 2.0
        z.flags.writeable = False
        return np.sum(x) * (y if x[0, 0] > 0 else z).flags.writeable

    with pytest.raises(sd.UnsupportedCallError, match="whether an array is writeable"):
        sd.grad(told)(A)


def test_arguments_that_a_function_asks_about_are_no_read_only_ones() -> None:
    def doubled(x: Any) -> Any:
        if not x[1:].flags.writeable:
            x = x.copy()
        x[0] = 2.0 * x[0]
        return np.sum(x * x)

    def asked_after_a_write(x: Any) -> Any:
        x[0] = 2.0 * x[0]
        return np.sum(x) * x.flags.writeable

    a = np.array([1.0, 2.0, 3.0])
    for found in (sd.grad(doubled)(a.copy()), sd.grad(doubled)(a[::-1].copy()[::-1])):
        np.testing.assert_array_equal(found, [8.0, 4.0, 6.0])
    fixed = a.copy()
    fixed.flags.writeable = False
    with pytest.raises(sd.UnsupportedCallError, match=r"read-only(.|\n)*pass a copy"):
        sd.grad(doubled)(fixed)
    with pytest.raises(sd.UnsupportedCallError, match="whether an array is writeable"):
        sd.grad(asked_after_a_write)(a)


def test_a_flag_makes_an_array_read_only() -> None:
    def kept(x: Any) -> Any:
        y = x * x
        y.flags.writeable = False
        return np.sum(y)

    np.testing.assert_array_equal(sd.grad(kept)(A), 2 * A)
    with pytest.raises(sd.UnsupportedCallError, match="the flag owndata"):
        sd.grad(lambda x: np.sum(x) * x.flags.owndata)(A)

    def kept_by_name(x: Any) -> Any:
        y = x * x
        y.flags["WRITEABLE"] = False
        return np.sum(y)

    np.testing.assert_array_equal(sd.grad(kept_by_name)(A), 2 * A)
    with pytest.raises(sd.UnsupportedCallError, match="whether flags are those"):
        sd.grad(lambda x: np.sum(x) * (x.flags == x.T.flags))(A)


def test_arrays_that_broadcast_together() -> None:
    def model(x: Any, y: Any) -> Any:
        both = np.broadcast(x, y)
        out = np.empty(both.shape)
        out[...] = x * y
        for a, b in both:
            out += a * b * b / both.size
        return np.sum(out) * both.ndim * both.numiter

    row = np.array([0.5, -1.0, 2.0])
    first, second = sd.grad(model, (0, 1))(A, row)
    np.testing.assert_allclose(first, 4 * (row + row**2) * np.ones_like(A), rtol=1e-13)
    np.testing.assert_allclose(second, 4 * np.sum(A + 2 * A * row, axis=0), rtol=1e-13)
    with pytest.raises(ValueError, match="shape mismatch"):
        sd.grad(model)(A, np.ones(2))
    with pytest.raises(sd.UnsupportedCallError, match="the attribute iters of a broadcast"):
        sd.grad(lambda x: len(np.broadcast(x, x).iters) * np.sum(x))(A)


def gone_over_once(x: Any, y: Any) -> Any:
    both = np.broadcast(x, y)
    first = [a * b for a, b in both]
    return first, both.index, [a for a, b in both], isinstance(both, np.broadcast)


def gone_over_again(x: Any, y: Any) -> Any:
    both, total = np.broadcast(x, y), 0.0
    for a, b in both:
        total = total + a * b**2
        if total > 1.0:
            break
    left = both.index
    rest = sum([b for a, b in both], 0.0)
    both.reset()
    return total, left, rest, sum([a * b for a, b in both], 0.0)


def one_by_one(x: Any, y: Any) -> Any:
    both, total = np.broadcast(x, y), 0.0
    try:
        while True:
            a, b = next(both)
            total = total + np.sin(a) * b
    except StopIteration:
        return total, both.index


def inside_itself(x: Any, y: Any) -> Any:
    both = np.broadcast(x, y)
    return [a * d for a, b in both for c, d in both]


def written_on_the_way(x: Any, y: Any) -> Any:
    x, total = x.copy(), 0.0
    for a, b in np.broadcast(x, y):
        total = total + a * b
        x[-1] = total
    return total


COLUMN, ROW = np.array([[0.3], [-1.2]]), np.array([0.5, -1.0, 2.0])


@pytest.mark.parametrize(
    "function", [gone_over_once, gone_over_again, one_by_one, inside_itself, written_on_the_way]
)
@pytest.mark.parametrize("pair", [(ROW, ROW**2), (COLUMN, ROW), (A, ROW), (ROW[:0], ROW[:0])])
def test_a_broadcast_is_its_own_iterator(function: Any, pair: Any) -> None:
    if len(pair[0]) == 0 and function is written_on_the_way:
        pair = ROW[:1], ROW[:1]
    assert same(sd.vjp(function, *pair)[0], function(*pair))


def test_derivatives_of_what_a_broadcast_gives() -> None:
    first, second = sd.grad(lambda x, y: one_by_one(x, y)[0], (0, 1))(COLUMN, ROW)
    np.testing.assert_allclose(first, np.cos(COLUMN) * np.sum(ROW), rtol=1e-13)
    np.testing.assert_allclose(second, np.full(3, np.sum(np.sin(COLUMN))), rtol=1e-13)
    bend = sd.hvp(lambda x: one_by_one(x, ROW)[0])(COLUMN, COLUMN)
    np.testing.assert_allclose(bend, -np.sin(COLUMN) * COLUMN * np.sum(ROW), rtol=1e-13)
