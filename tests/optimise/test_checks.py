"""What is computed only to raise where shapes do not fit is a check of shapes, or nothing."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.reference import richardson_gradient


def code_of(derivative: Any, *args: Any) -> str:
    return "\n".join(line.partition("#")[0] for line in str(derivative.source(*args)).splitlines())


def log_for_its_shape(y: Any, p: Any) -> Any:
    return np.sum(y) + 0.0 * np.size(y * np.log(p))


def unread_sum(y: Any, p: Any) -> Any:
    y * np.log(p)
    return np.sum(y)


def unread_chain(y: Any, p: Any) -> Any:
    a = np.exp(p) * 2.0
    b = a + y
    np.where(b > 0, b, p) ** 2
    return np.sum(y)


def unread_after(y: Any, p: Any) -> Any:
    z = y * p
    (np.exp(y) - np.cos(p)) * y
    return np.sum(z * z)


def unread_product(y: Any, p: Any) -> Any:
    np.exp(p @ y) * 2.0 + np.log(p)
    return np.sum(y)


SHAPES = [(3,), (2, 3), (1,), (2, 4)]


@pytest.mark.parametrize("f", [unread_sum, unread_chain, unread_after, log_for_its_shape])
def test_it_raises_where_the_function_does(f):
    gradient = sd.grad(f)
    for a, b in itertools.product(SHAPES, SHAPES):
        y, p = np.full(a, 0.7)[()], np.full(b, 1.3)[()]
        try:
            f(y, p)
        except ValueError:
            with pytest.raises(ValueError, match="broadcast"):
                gradient(y, p)
        else:
            expected = 2 * y * p * p if f is unread_after else np.ones(a)
            if f is unread_after and np.broadcast_shapes(a, b) != a:
                continue
            np.testing.assert_allclose(gradient(y, p), expected)


@pytest.mark.parametrize("shape", [(0,), (2, 0), ()])
def test_empty_arrays_and_numbers_fit_as_numpy_has_it(shape):
    def f(y, p):
        y * np.log(p)
        return np.sum(y)

    p = np.ones(shape)[()]
    assert sd.grad(f)(np.ones(1), p).tolist() == [1.0]
    if shape:
        with pytest.raises(ValueError, match="broadcast"):
            sd.grad(f)(np.ones(3), p)


def test_functions_are_not_computed_for_their_shapes():
    y, p = np.ones(3), np.ones((2, 3))
    for f in (unread_sum, unread_chain):
        for given, checks in ((("float64[n]", "float64[k,m]"), 1), ((y, p), 0)):
            code = code_of(sd.grad(f), *given)
            assert code.count("np.broadcast(") == checks
            assert not any(name in code for name in ("log", "exp", "where"))


def test_lengths_that_fit_are_told_by_the_signature():
    def f(y, p):
        y * np.log(p)
        return np.sum(y)

    gradient = sd.grad(f)
    gradient(np.ones(3), np.ones((2, 3)))
    (told,) = gradient.signatures()
    assert "y: float64[p.shape[1]]" in told or "p.shape[0],y.shape[0]]" in told
    for y, p in ((np.ones(4), np.ones((2, 3))), (np.ones(3), np.ones((2, 4)))):
        with pytest.raises(ValueError, match="broadcast"):
            gradient(y, p)
    assert gradient(np.ones(7), np.ones((5, 7))).tolist() == [1.0] * 7


def test_what_is_computed_before_is_not_checked_again():
    code = code_of(sd.grad(unread_after), np.ones(3), np.ones((2, 3)))
    assert "np.broadcast(" not in code
    assert "exp" not in code and "cos" not in code


def test_what_may_raise_otherwise_is_computed():
    y = np.ones(3)
    for given, products in ((("float64[n]", "float64[k,m]"), 1), ((y, np.ones((3, 3))), 0)):
        code = code_of(sd.grad(unread_product), *given)
        assert code.count("@") == products
        assert "log" not in code
    with pytest.raises(ValueError, match="broadcast"):
        sd.grad(unread_product)(y, np.ones((2, 3)))
    with pytest.raises(ValueError, match="matmul"):
        sd.grad(unread_product)(y, np.ones((4, 4)))


def told(y: Any, p: Any, q: Any) -> Any:
    y + p
    print("told")
    y + p + q
    return np.sum(y)


def test_what_is_raised_before_an_effect_is_raised_there(capsys):
    y = np.ones(3)
    with pytest.raises(ValueError, match="broadcast"):
        sd.grad(told)(y, np.ones(4), y)
    assert capsys.readouterr().out == ""
    with pytest.raises(ValueError, match="broadcast"):
        sd.grad(told)(y, y, np.ones(4))
    assert capsys.readouterr().out == "told\n"
    assert sd.grad(told)(y, y, y).tolist() == [1.0, 1.0, 1.0]


def in_loops(y: Any, p: Any) -> Any:
    total = 0.0
    for k in range(2):
        np.log(p) * y
        if y[0] > 0:
            np.cos(p) - y * k
        total = total + np.sum(y)
    return total


@pytest.mark.parametrize("shape", [(3,), (1,), (4,)])
def test_checks_in_loops_and_branches(shape):
    y, p = np.full(3, 0.5), np.ones(shape)
    if shape == (4,):
        with pytest.raises(ValueError, match="broadcast"):
            sd.grad(in_loops)(y, p)
    else:
        assert sd.grad(in_loops)(y, p).tolist() == [2.0, 2.0, 2.0]
        assert sd.hessian(in_loops)(y, p).tolist() == np.zeros((3, 3)).tolist()


def test_a_batch_is_checked_too():
    y, p = np.ones((5, 3)), np.ones((5, 2, 3))
    assert sd.vmap(sd.grad(unread_sum))(y, p).tolist() == np.ones((5, 3)).tolist()
    with pytest.raises(ValueError, match="broadcast"):
        sd.vmap(sd.grad(unread_sum))(y, np.ones((5, 2, 4)))


def many(n: int) -> str:
    lines = ["import numpy as np", "def many(x, p):"]
    lines += [f"    x + np.exp(p * {k}.0)" for k in range(n)]
    return "\n".join([*lines, "    return np.sum(x)", ""])


def test_checks_of_one_pair_of_arrays_are_one(tmp_path, monkeypatch):
    (tmp_path / "many_checks.py").write_text(many(100))
    monkeypatch.syspath_prepend(tmp_path)
    from many_checks import many as f  # type: ignore[import-not-found]

    code = code_of(sd.grad(f), "float64[n]", "float64[m]")
    assert code.count("np.broadcast(") == 1
    assert "exp" not in code
    assert "np.broadcast(" not in code_of(sd.grad(f), np.ones(3), np.ones(3))


def sum_of_product(A: Any, B: Any) -> Any:
    return np.sum(A @ B)


def sum_of_product_beside_a_sum(A: Any, B: Any) -> Any:
    return np.sum(A @ B) + np.sum(A)


def length_of_product(A: Any, B: Any) -> Any:
    return len(A @ B) * np.sum(A)


def apart(*arrays: Any) -> list[str]:
    """The arrays' types, no length of which is known to be another's."""
    names = iter("klmnop")
    return [f"float64[{','.join(next(names) for _ in array.shape)}]" for array in arrays]


@pytest.mark.parametrize(
    "shapes",
    [((3, 4), (4, 5)), ((3, 4), (4,)), ((4,), (4, 5)), ((2, 3, 4), (4, 5)), ((4,), (2, 4, 3))],
)
@pytest.mark.parametrize("f", [sum_of_product, sum_of_product_beside_a_sum])
def test_products_that_nobody_reads_multiply_nothing(f, shapes):
    A, B = (np.random.default_rng(k).normal(size=shape) for k, shape in enumerate(shapes))
    gradient = sd.grad(f)
    for given, checks in ((apart(A, B), True), ((A, B), False)):  # lengths that fit need none
        text = code_of(gradient, *given)
        assert "A @ B\n" not in text
        assert (":0" in text) is checks
    expected = richardson_gradient(f, (A, B)).value
    np.testing.assert_allclose(gradient(A, B), expected, rtol=1e-9, atol=1e-11)
    wrong = np.ones((*B.shape[:-2], 7, *B.shape[-1:])) if B.ndim > 1 else np.ones(7)
    with pytest.raises(ValueError) as told:
        f(A, wrong)
    with pytest.raises(ValueError) as raised:
        gradient(A, wrong)
    assert str(raised.value).splitlines()[0] == str(told.value)


def test_products_of_what_is_one_number_are_sums():
    A, B = np.ones((3, 4)), np.arange(20.0).reshape(4, 5)
    text = code_of(sd.grad(sum_of_product, argnums=(0, 1)), A, B)
    assert "@" not in text
    assert code_of(sd.grad(sum_of_product, argnums=(0, 1)), *apart(A, B)).count("@") == 1
    for number, expected in enumerate([np.tile(B.sum(1), (3, 1)), np.full((4, 5), 3.0)]):
        np.testing.assert_array_equal(sd.grad(sum_of_product, argnums=number)(A, B), expected)
        hessian = sd.jacobian(sd.grad(sum_of_product, argnums=number), argnums=1 - number)(A, B)
        assert hessian.sum() == 3 * 4 * 5


def test_lengths_of_products_are_known_without_them():
    A, B = np.ones((3, 4)), np.ones((4, 5))
    np.testing.assert_array_equal(sd.grad(length_of_product)(A, B), np.full((3, 4), 3.0))


def rows_of_a_table(E: Any, w: Any) -> Any:
    return np.sum(np.tanh(E) @ w)


def test_outer_products_with_ones_are_broadcast():
    E, w = np.linspace(0.0, 1.0, 12).reshape(4, 3), np.array([0.3, -0.2, 0.7])
    assert "outer" not in code_of(sd.grad(rows_of_a_table), E, w)
    np.testing.assert_allclose(sd.grad(rows_of_a_table)(E, w), w / np.cosh(E) ** 2, rtol=1e-12)
    by_w = sd.grad(rows_of_a_table, argnums=1)(E, w)
    np.testing.assert_allclose(by_w, np.sum(np.tanh(E), axis=0), rtol=1e-12)
