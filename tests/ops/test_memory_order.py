"""Results lie in memory as NumPy's do: a sum over them adds in the same order, to the last bit."""

import numpy as np
import pytest

import symdiff


def zeros_of_a_shape(x):
    made = np.zeros(x.T.shape)
    made += x.T
    return made


def zeros_like(x):
    made = np.zeros_like(x.T)
    made += x.T
    return made


def empty_of_a_shape(x):
    made = np.empty(x.T.shape)
    made[...] = x.T
    return made


def empty_like(x):
    made = np.empty_like(x.T)
    made[:] = x.T
    return made


def columns_of_a_list(x):
    columns = []
    for row in x:
        columns.append(row * 2.0)
    return np.stack(columns, axis=1)


MADE = {
    "abs": lambda x: np.abs(x.T),
    "append": lambda x: np.append(x.T, x.T, axis=0),
    "array": lambda x: np.array(x.T),
    "astype": lambda x: x.T.astype(float),
    "clip": lambda x: np.clip(x.T, -1, 1),
    "cholesky": lambda x: np.linalg.cholesky(x[:4] @ x[:4].T + np.eye(4)),
    "compress": lambda x: np.compress([True, False, True, True], x, axis=1),
    "concatenate": lambda x: np.concatenate([x.T, x.T], axis=1),
    "copy": lambda x: x.T.copy(),
    "np.copy": lambda x: np.copy(x.T),
    "columns of a list": columns_of_a_list,
    "cumprod": lambda x: np.cumprod(x.T, axis=1),
    "cumsum": lambda x: np.cumsum(x.T, axis=0),
    "delete": lambda x: np.delete(x, 2, axis=1),
    "diff": lambda x: np.diff(x.T, axis=0),
    "einsum": lambda x: np.einsum("ij->ji", x),
    "empty": empty_of_a_shape,
    "empty_like": empty_like,
    "flip": lambda x: np.flip(x.T, 0),
    "full": lambda x: np.full(x.T.shape, 0.5) + x.T,
    "full_like": lambda x: np.full_like(x.T, 0.5) + x.T,
    "gradient": lambda x: np.gradient(x.T, axis=0),
    "index": lambda x: x.T[:, [0, 2, 1, 4]],
    "index of rows": lambda x: x.T[[0, 2, 1, 4]],
    "inv": lambda x: np.linalg.inv(x[:5, :5] + 5 * np.eye(5)),
    "ix_": lambda x: x[np.ix_([0, 2], [1, 3, 4])],
    "kron": lambda x: np.kron(x[:2, :2].T, x),
    "mask": lambda x: x.T[x.T[:, 0] > 0],
    "matmul": lambda x: (x @ x.T).T,
    "maximum": lambda x: np.maximum(x.T, x.T),
    "mean": lambda x: np.mean(np.stack([x.T, x.T]), axis=0),
    "meshgrid": lambda x: np.meshgrid(x[0], x[1])[0],
    "mixed": lambda x: x[:5, :5].T + x[:5, :5],
    "moveaxis": lambda x: np.moveaxis(np.stack([x, x]), 0, -1) * 2,
    "ones": lambda x: np.ones(x.T.shape) + x.T,
    "ones_like": lambda x: np.ones_like(x.T) + x.T,
    "outer": lambda x: np.outer(x[0], x[1]).T,
    "pad": lambda x: np.pad(x.T, 1),
    "repeat": lambda x: np.repeat(x.T, 2, axis=1),
    "roll": lambda x: np.roll(x.T, 2, axis=1),
    "select": lambda x: np.select([x.T > 0], [x.T], 0.0),
    "solve": lambda x: np.linalg.solve(x[:5, :5] + 5 * np.eye(5), x[:5, 5:8]),
    "sort": lambda x: np.sort(x.T, axis=0),
    "stack": lambda x: np.stack([x.T, x.T], axis=1),
    "sum": lambda x: np.sum(np.stack([x.T, x.T], axis=2), axis=2),
    "take": lambda x: np.take(x.T, [0, 2, 1, 4], axis=1),
    "take_along_axis": lambda x: np.take_along_axis(x.T, np.argsort(x.T, axis=0), axis=0),
    "tensordot": lambda x: np.tensordot(x.T, x, axes=([1], [0])),
    "tile": lambda x: np.tile(x.T, (2, 2)),
    "triu": lambda x: np.triu(x.T),
    "where": lambda x: np.where(x.T > 0, x.T, 0.0),
    "zeros": zeros_of_a_shape,
    "zeros_like": zeros_like,
}


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("name", MADE)
def test_a_sum_over_what_is_made_has_the_same_bits(name, order):
    make = MADE[name]

    def summed(x):
        return np.sum(make(x) * 0.1) + np.sum(make(x) ** 3)

    compiled = symdiff.differentiable(summed)
    rng = np.random.default_rng(0)
    for _ in range(6):
        x = np.asarray(rng.standard_normal((7, 9)), order=order)
        assert compiled.forward(x)[0] == summed(x)


def test_an_array_that_may_not_be_bound_is_copied_as_it_lies():
    def summed(x, turns):
        size = 2.0
        while size > 0.3:
            size = size * 0.6
            factor = np.transpose(np.linalg.cholesky(x @ x.T + np.eye(len(x))))
        for _ in range(len(factor)):
            k = 0
            while k < turns and size < 2.5:
                k += 1
                factor[3, -k] -= np.sum(np.sin(x))
        return np.sum(np.sin(factor))

    compiled = symdiff.differentiable(summed)
    rng = np.random.default_rng(0)
    for _ in range(30):
        x = rng.standard_normal((5, 3))
        assert compiled.forward(x, 2)[0] == summed(x, 2)


def test_a_view_that_is_copied_before_a_write_is_copied_as_it_lies():
    def summed(y):
        u = 1.0 / (1.0 + y**2)
        whole, turned = u[:], np.transpose(u)
        turned[[1, 1], :3] /= 1.1 + np.mean(turned)
        u[0:2][-1:0:-1, [0, 2, 0]] = np.sum(y)
        turned[-1:0:-1, -1] = np.var(np.swapaxes(whole, 0, 1))
        return np.mean(turned) + np.sum(u**2)

    compiled = symdiff.differentiable(summed)
    rng = np.random.default_rng(0)
    for _ in range(60):
        y = rng.standard_normal((3, 3))
        assert compiled.forward(y)[0] == summed(y)


# Updates in place: the array stays where it is, however what is stored there would lie.


def by_turns(x, y):
    a = x * 1.0
    for _ in range(3):
        a = a.T * 1.5
    return a


def by_sign(x, y):
    a = x * 1.0
    if x[0, 0] > 0:
        a = np.asfortranarray(x) * 1.0
    return a


UPDATED = {
    "argument": lambda x, y: x,
    "transposed argument": lambda x, y: x.T,
    "part": lambda x, y: np.tile(x, 2)[:, ::2] * 1.0,
    "part of an array": lambda x, y: np.tile(x, 2)[:, 2:9],
    "Fortran's order": lambda x, y: np.asfortranarray(x),
    "transposed copy": lambda x, y: x.T.copy(),
    "copy in Fortran's order": lambda x, y: np.array(x, order="F"),
    "zeros in Fortran's order": lambda x, y: np.zeros(x.shape, order="F"),
    "like zeros": lambda x, y: np.zeros_like(x),
    "like other numbers": lambda x, y: np.zeros_like(x, dtype=complex),
    "gathered": lambda x, y: x[:, [0, 2, 1, 4, 3, 6, 5]],
    "by turns": by_turns,
    "by sign": by_sign,
}


def added(a, y):
    a += y
    a *= 0.9
    return a


def divided(a, y):
    a /= 1.1 + np.triu(a) ** 2
    return a


def multiplied(a, y):
    a *= a @ y
    return a


def added_transposed(a, y):
    a -= y.T
    return a


def stored(a, y):
    a[...] = a * y
    return a


def added_in_turns(a, y):
    for _ in range(3):
        a += y
        a *= np.tril(y) + 1.0
    return a


def added_in_branches(a, y):
    if y[1, 1] > 0:
        a += y
    else:
        a *= y
    return a


def added_through_a_view(a, y):
    b = a.T
    b += y
    return a


def added_through_views_in_turns(a, y):
    for _ in range(3):
        b = a.T
        b *= np.tril(y) + 1.0
    return a


def added_by_another_name(a, y):
    arrays = [a, y]
    arrays[0] += y
    return a


def rebound(a, y):
    a = a + y
    return a


def rebound_in_turns(a, y):
    for _ in range(3):
        a = a + y
    return a


def output(a, y):
    return np.multiply(a, y, out=a)


UPDATES = [
    added,
    divided,
    multiplied,
    added_transposed,
    stored,
    added_in_turns,
    added_in_branches,
    added_through_a_view,
    added_through_views_in_turns,
    added_by_another_name,
    rebound,
    rebound_in_turns,
    output,
]


@pytest.mark.parametrize("update", UPDATES, ids=lambda update: update.__name__)
@pytest.mark.parametrize("made", UPDATED)
def test_what_is_updated_in_place_lies_as_before(made, update):
    make = UPDATED[made]

    def read(x, y):
        a = update(make(x, y), y)
        return np.sum(a), np.prod(a * 0.3 + 2.0), np.sum(a.ravel() * 0.1), np.sum(a @ y), a * 1.0

    compiled = symdiff.differentiable(read)
    rng = np.random.default_rng(0)
    for orders in ("CC", "FC", "CF", "FF"):
        x, y = (np.array(rng.standard_normal((7, 7)), order=order) for order in orders)
        result, _ = compiled.forward(x.copy(order="K"), y)
        for one, other in zip(result, read(x, y), strict=True):
            np.testing.assert_array_equal(one, other, strict=True)
