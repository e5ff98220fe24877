"""Layouts: what is said of views and of new arrays, against NumPy's own."""

import itertools

import numpy as np
import pytest

from symdiff.ir.types import Size
from symdiff.ops.strides import Layout, is_packed, kept_order, reshaped

SIZES = {"n": 3, "m": 4, "k": 2, "open": 1}


def _dims(shape, symbolic):
    names = {3: Size("n"), 4: Size("m"), 2: Size("k"), 1: Size("open", open=True)}
    return tuple(names.get(n, n) if symbolic else n for n in shape)


def _numbers(layout):
    """Strides as numbers; None where they are not known."""

    def number(product):
        value = product.number
        for size in product.sizes:
            value *= SIZES[size.symbol] + size.offset
        return value

    return [None if stride is None else number(stride) for stride in layout.strides]


def _shapes(count):
    """All ways to write a number of elements as a shape of up to three axes."""
    divisors = [k for k in range(1, count + 1) if count % k == 0]
    for rank in (1, 2, 3):
        for shape in itertools.product(divisors, repeat=rank):
            if np.prod(shape) == count:
                yield shape


def _bases():
    """Arrays that lie in many ways."""
    fresh = np.zeros((3, 4, 2))
    for axes in itertools.permutations(range(3)):
        yield fresh.transpose(axes)
    yield from (fresh[:, ::2], fresh[1:, :, 0], fresh[..., 1], fresh[::-1], fresh[:, :2])
    yield from (fresh[:, 0], fresh[0].T, fresh.reshape(12, 2)[::3], fresh[:1], fresh[:, 1:2])


@pytest.mark.parametrize("symbolic", [False, True])
def test_a_reshape_is_a_view_where_it_is_one_in_numpy(symbolic):
    undecided = 0
    for base in _bases():
        strides = [stride // base.itemsize for stride in base.strides]
        layout = _as_products(strides, symbolic)
        for shape in _shapes(base.size):
            made = base.reshape(shape)
            verdict, result = reshaped(
                layout, _dims(base.shape, symbolic), _dims(shape, symbolic), {}
            )
            undecided += verdict is None
            assert verdict in (None, np.shares_memory(made, base)), (base.strides, shape)
            for stride, actual, length in zip(_numbers(result), made.strides, shape, strict=True):
                assert stride is None or length == 1 or stride * made.itemsize == actual
    assert symbolic or not undecided


def _as_products(strides, symbolic):
    """Strides in terms of the sizes that they are products of in the arrays of this test."""
    from symdiff.ops.strides import Product

    named = {8: Product(1, (Size("m"), Size("k"))), 2: Product(1, (Size("k"),))}
    return Layout(tuple(named.get(s, Product(s)) if symbolic else Product(s) for s in strides))


def test_sizes_decide_where_they_are_symbols():
    n, m = Size("n"), Size("m")
    fresh = Layout.packed((n, m))
    turned = fresh.along((1, 0))
    assert reshaped(fresh, (n, m), (Size("(n*m)"),), {})[0] is True
    assert reshaped(turned, (m, n), (Size("(n*m)"),), {})[0] is False
    assert reshaped(fresh, (2, 2), (4,), {})[0] is None  # a view where m is 2
    assert reshaped(turned, (m, n), (2, Size("half", open=True)), {})[0] is None
    assert is_packed(fresh, (n, m)) is True
    assert is_packed(turned, (m, n)) is False
    assert is_packed(turned, (m, n), "F") is True


def test_new_arrays_keep_the_order_of_operands():
    fresh = np.zeros((3, 4, 2))
    operands = [fresh.transpose(axes) for axes in itertools.permutations(range(3))]
    operands += [fresh[::2], fresh[:, ::-1], fresh[:1], fresh[0], fresh[0, 0]]
    operands += [np.broadcast_to(np.zeros(2), (3, 4, 2)), np.zeros((3, 1, 1)).T]
    for a, b in itertools.product(operands, repeat=2):
        try:
            made = a + b
        except ValueError:
            continue
        pairs = [(x.shape, _layout_of(x)) for x in (a, b)]
        found = _numbers(kept_order(pairs, made.shape))
        for stride, actual, length in zip(found, made.strides, made.shape, strict=True):
            assert length == 1 or stride * made.itemsize == actual


def _layout_of(array):
    return _as_products([stride // array.itemsize for stride in array.strides], False)
