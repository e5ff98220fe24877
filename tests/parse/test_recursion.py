"""Functions that call themselves often: graphs of their own, whatever is known of their depth."""

import math
import sys
import time
from collections.abc import Iterator

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import AliasingError, UnsupportedCallError
from symdiff.parse import functions
from tests.reference import directional

X = np.array([1.3, 0.7, 2.1])


@pytest.fixture
def deep() -> Iterator[None]:
    """Room for a recursion of 5,000."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(6_000)
    yield
    sys.setrecursionlimit(limit)


def power(n, x):
    return 1.0 if n == 0 else x * power(n - 1, x)


def even(n, x):
    return x if n == 0 else 0.5 * odd(n - 1, x)


def odd(n, x):
    return x * x if n == 0 else 2.0 * even(n - 1, x)


def moves(n, x):
    return 0.0 if n == 0 else moves(n - 1, x) + n * x * x + moves(n - 1, x)


def folded(x):
    return 0.0 * x[0] if len(x) == 1 else x[0] * x[1] + folded(x[1:])


@pytest.mark.parametrize("n", [0, 3, 200, 5_000])
def test_a_recursion_of_any_known_depth(n, deep):
    x = 0.999
    expected = n * x ** (n - 1) if n else 0.0
    second = n * (n - 1) * x ** (n - 2) if n else 0.0
    np.testing.assert_allclose(sd.grad(power, 1)(n, x), expected, rtol=1e-9)
    np.testing.assert_allclose(sd.jvp(power, (n, x), (None, 1.0))[1], expected, rtol=1e-9)
    np.testing.assert_allclose(sd.grad(sd.grad(power, 1), 1)(n, x), second, rtol=1e-9)


def test_one_program_serves_all_depths():
    def power(n, x):
        return 1.0 if n == 0 else x * power(n - 1, x)

    slope = sd.grad(power, 1)
    expected = [n * 0.9 ** (n - 1) for n in (200, 1, 5, 400)]
    np.testing.assert_allclose([slope(n, 0.9) for n in (200, 1, 5, 400)], expected)
    assert slope.signatures() == ["power_grad(n: int, x: float)"]


@pytest.mark.parametrize(("n", "result"), [(300, lambda x: x), (301, lambda x: 0.5 * x * x)])
def test_functions_that_call_each_other(n, result):
    slope = sd.grad(even, 1)(n, 1.7)
    np.testing.assert_allclose(slope, (result(1.7 + 1e-6) - result(1.7 - 1e-6)) / 2e-6, rtol=1e-8)
    np.testing.assert_allclose(sd.jvp(even, (n, 1.7), (None, 1.0))[1], slope, rtol=1e-12)


def test_a_tree_of_calls_is_compiled_once():
    started = time.process_time()
    source = sd.grad(moves, 1).source(40, 0.3)  # 10^12 calls, if it was run
    assert time.process_time() - started < 5.0
    assert len(source.splitlines()) < 60
    np.testing.assert_allclose(sd.grad(moves, 1)(10, 0.3), 0.6 * (2**11 - 12), rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_recursion_over_the_elements_of_an_array(dtype):
    x = np.linspace(0.1, 0.9, 100).astype(dtype)
    expected = np.convolve(x, [1, 0, 1], "same")
    found = sd.grad(folded)(x)
    assert found.dtype == x.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    np.testing.assert_allclose(sd.hvp(folded)(x, np.ones_like(x)), [1] + [2] * 98 + [1])


def test_where_the_function_calls_itself_too_deeply_its_derivative_does():
    slope = sd.grad(power, 1)
    slope(100, 0.9)
    with pytest.raises(RecursionError):
        slope(10_000, 0.9)


# What a graph does not leave behind ---------------------------------------------------------------


def changes_a_list(items, n):
    if n < 0.5:
        return 0.0
    items[0] = items[0] * 1.1
    return items[0] + changes_a_list(items, n - 1)


def with_a_list(x, n):
    items = [x, 2.0]
    total = changes_a_list(items, n)
    return total + items[0]


class Held:
    def __init__(self, value):
        self.value = value


def changes_an_object(held, n):
    if n < 0.5:
        return held.value
    held.value = held.value * 1.1
    return changes_an_object(held, n - 1)


def with_an_object(x, n):
    held = Held(x)
    return changes_an_object(held, n) + 2 * held.value


def with_a_nonlocal(x, n):
    total = 0.0

    def inner(k, v):
        nonlocal total
        total = total + v
        return v if k < 0.5 else inner(k - 1, v * 1.1)

    return inner(n, x) + total


def with_a_log(x, n):
    log = []

    def inner(k, v):
        log.append(v)
        return v if k < 0.5 else inner(k - 1, v * 1.1)

    return inner(n, x) + sum(log)


@pytest.mark.parametrize("f", [with_a_list, with_an_object, with_a_nonlocal, with_a_log])
def test_what_calls_change_is_changed_or_refused(f):
    for n in (3, 100):
        np.testing.assert_allclose(sd.grad(f)(1.5, n), f(1.0, n), rtol=1e-12)
    with pytest.raises((AliasingError, UnsupportedCallError), match=r"writes to|changes what"):
        sd.grad(f)(1.5, 3.0)


def same(x, n):
    return x if n < 0.5 else same(x, n - 1)


def pair(x, n):
    return (x, 2.0 * x) if n < 0.5 else pair(x, n - 1)


def last(x, n):
    return x if len(x) < 3 else last(x[1:], n)


def writes_result(x, n):
    z = 1.0 * x
    y = same(z, n)
    y[0] = 5.0 * x[1]
    return np.sum(z**2)


def writes_argument(x, n):
    z = 1.0 * x
    y = same(z, n)
    z[0] = 5.0 * x[1]
    return np.sum(y**2)


def writes_one_of_two(x, n):
    z = 1.0 * x
    y, _ = pair(z, n)
    y[0] = 5.0 * x[1]
    return np.sum(z**2)


def writes_outside(x, n):
    z = 2.0 * x

    def inner(k):
        return z if k < 0.5 else inner(k - 1)

    y = inner(n)
    y[0] = 7.0 * x[1]
    return np.sum(z**2)


def writes_item(x, n):
    items = [x[0], x[1]]
    same(items, n)[0] = 5.0 * x[2]
    return items[0] ** 2


@pytest.mark.parametrize(
    "f", [writes_result, writes_argument, writes_one_of_two, writes_outside, writes_item]
)
def test_a_result_that_is_an_argument_is_one_thing_with_it(f):
    along = np.array([0.3, -1.1, 0.6])
    for n in (3, 100):
        expected = directional(f, (X, n), (along, None)).value
        np.testing.assert_allclose(sd.grad(f)(X, n) @ along, expected, rtol=1e-8)
    with pytest.raises(AliasingError, match="as it was given") as caught:
        sd.grad(f)(X, 3.0)
    assert caught.value.span is not None
    assert "copy" in caught.value.hint


def reads_result(x, n):
    z = 2.0 * x
    return np.sum(same(z, n) * z) + np.sum(last(z, n))


def writes_copy(x, n):
    y = same(x, n).copy()
    y[0] = y[1] ** 2
    return np.sum(y)


@pytest.mark.parametrize("n", [3.0, 100])
def test_a_result_that_is_an_argument_is_read(n):
    np.testing.assert_allclose(sd.grad(reads_result)(X, n), 8 * X + [0, 2, 2])
    np.testing.assert_allclose(sd.grad(writes_copy)(X, n), [0, 1 + 2 * X[1], 1])


# In try -------------------------------------------------------------------------------------------


def grows(x, n):
    if x > 100.0:
        raise OverflowError
    return x if n < 0.5 else grows(1.01 * x, n - 1)


def in_try(x, n):
    try:
        return grows(x, n)
    except OverflowError:
        return -x


def test_a_recursion_that_raises_in_try_is_followed_or_refused():
    with pytest.raises(UnsupportedCallError, match="may raise, inside try"):
        sd.grad(in_try)(50.0, 3.0)
    np.testing.assert_allclose(sd.grad(grows)(50.0, 3.0), 1.01**3)
    with pytest.raises(OverflowError):
        sd.grad(grows)(99.5, 3.0)


def roots(x, n):
    return math.sqrt(x) if n < 0.5 else roots(x - 1.0, n - 1)


def tries_roots(x, n):
    try:
        return roots(x, n)
    except ValueError:
        return -x


def test_an_operation_that_raises_in_a_recursion_in_try_is_refused():
    with pytest.raises(UnsupportedCallError, match="may raise, inside try"):
        sd.grad(tries_roots)(2.0, 3.0)


def checked_power(x, n, check=True):
    """``x**n``, of which a call that checks makes one that does not."""
    if check:
        if x < 0.0:
            return -checked_power(-x, n, True)
        if x > 5.0:
            return 2.0**n * checked_power(x / 2.0, n, False)
    if n <= 0.5:
        return 1.0
    return x * checked_power(x, n - 1.0, False)


def to_and_fro(x, n, check=True):
    if n <= 0.5:
        return 1.0
    return x * to_and_fro(x, n - 1.0, not check) if check else to_and_fro(x, n - 1.0, True) * x


def test_calls_with_other_constants_are_graphs_of_their_own(monkeypatch):
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    for x in (1.5, -1.5, 6.0):
        assert sd.grad(checked_power)(x, 3.0) == pytest.approx(3 * x**2, rel=1e-14)
        assert sd.jvp(checked_power, (x, 3.0), (2.0, 0.0))[1] == pytest.approx(6 * x**2, rel=1e-14)
        assert sd.derivative(checked_power, 2)(x, 3.0) == pytest.approx(6 * x, rel=1e-14)
    with pytest.raises(UnsupportedCallError, match="differ in structure"):
        sd.grad(to_and_fro)(1.5, 3.0)


def through_one_another(x, n):
    w = 3.0 * x

    def a(n, x):
        if n <= 0.0:
            print("end", n)
            return x * w
        return a(n - 1.0, x) * a(n - 2.0, 0.5 * x) if n > 3.0 else b(n - 1.0, 1.1 * x)

    def b(n, x):
        if n <= 0.0:
            return -x
        if n > 2.0:
            return b(n - 1.5, np.sin(x))
        a(n - 1.0, x)
        return a(n - 1.0, np.sin(x)) + a(n - 1.0, x)

    return a(n, x) + b(n, x)


def test_functions_that_call_themselves_and_each_other_read_what_is_around_them(
    monkeypatch, capsys
):
    """The graph of one is closed where the other, which it calls, is not known yet."""
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    expected = through_one_another(0.8 + 1e-30j, 5.5).imag / 1e-30
    printed = capsys.readouterr().out
    assert sd.grad(through_one_another)(0.8, 5.5) == pytest.approx(expected, rel=1e-12)
    assert capsys.readouterr().out == printed
    tangent = sd.jvp(through_one_another, (0.8, 5.5), (1.0, None))[1]
    assert tangent == pytest.approx(expected, rel=1e-12)
    assert capsys.readouterr().out == printed
    slope = sd.grad(through_one_another)
    second = (slope(0.8 + 1e-5, 5.5) - slope(0.8 - 1e-5, 5.5)) / 2e-5
    assert sd.hessian(through_one_another)(0.8, 5.5) == pytest.approx(second, rel=1e-8)


def rooted(v):
    r = 1.0 + v
    for _ in range(6):
        r = 0.5 * (r + v / r)
    return r


def one_less(x, n):
    return 0.5 * rooted_powers(rooted(x), n - 1.0)


def rooted_powers(x, n):
    if n <= 0.5:
        return rooted(x) * x
    if n > 6.0:
        return rooted_powers(x * rooted(x), n - 3.0) + rooted(n * x)
    return one_less(x, n) * rooted(x + n) + one_less(rooted(x), n)


def test_what_a_recursion_calls_is_staged_once_for_all_rounds(monkeypatch):
    """Unless it leads to the recursion itself, of which each round knows more."""
    staged, run = [], functions._run_in_frame

    def counted(interp, node, *arguments):
        staged.append(node.name)
        return run(interp, node, *arguments)

    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    monkeypatch.setattr(functions, "_run_in_frame", counted)
    for n in (0.2, 3.0, 8.0):
        expected = rooted_powers(0.8 + 1e-30j, n).imag / 1e-30
        assert sd.grad(rooted_powers)(0.8, n) == pytest.approx(expected, rel=1e-12)
        assert sd.jvp(rooted_powers, (0.8, n), (1.0, 0.0))[1] == pytest.approx(expected, rel=1e-12)
    assert staged.count("rooted") <= 4
