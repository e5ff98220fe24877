"""Exceptions, and objects, that hold something else on each path, and are not there on others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd

Array = np.ndarray[Any, Any]
Function = Callable[[Array], Any]


class CodedError(ValueError):
    def __init__(self, code: Any, *more: Any) -> None:
        super().__init__(code, *more)
        self.code = code


class Box:
    x: Any


def check(values: Any) -> None:
    for v in values:
        if v > 3.0:
            raise CodedError(v, 7.0)
        if v > 2.0:
            raise ValueError("big", v)
        if v < 0.0:
            raise ValueError("negative")


def of_a_helper(p: Any) -> Any:
    try:
        check(p)
        s = 0.0
    except ValueError as e:
        s = len(e.args) * 1.0
        if len(e.args) == 2:
            s = s + e.args[1]
    return np.sum(p * p) * (1 + s)


def check_known(values: Any) -> None:
    for k, v in enumerate(values):
        if v > 2.0:
            raise ValueError("big", 3)
        if k > 0 and v < 0.0:
            raise ValueError("negative")
        if v < 0.0:
            raise KeyError("first")


def as_texts(p: Any) -> Any:
    try:
        check_known(p)
        s = 0.0
    except (ValueError, KeyError) as e:
        s = len(str(e)) + 0.5 * len(e.args)
    return np.sum(p * p) * (1 + s)


def from_another(p: Any) -> Any:
    s = 0.0
    for v in p:
        try:
            try:
                check([v])
            except ValueError as e:
                raise RuntimeError("x", *e.args) from e
        except RuntimeError as e:
            cause: Any = e.__cause__
            s = s + len(e.args) * v + len(cause.args) * v * v
    return s * np.sum(p)


def of_a_while(p: Any) -> Any:
    k = 0
    try:
        while p[k] < 2.0:
            if p[k] < 0.0:
                raise ValueError("negative", k, "place")
            k += 1
            if k == len(p):
                raise ValueError("all")
        s = 2.0
    except ValueError as e:
        s = float(len(e.args))
    return s * p[k - 1] * np.sum(p)


def of_a_definition(p: Any) -> Any:
    q = p[p > 1.7]
    try:
        np.broadcast_shapes(q.shape, p.shape)
        s = 0
    except ValueError as e:
        s = len(e.args) + len(e.args[0][:1])
    return np.sum(p * p) * (1 + s)


def of_an_object(p: Any) -> Any:
    if p[0] > 0.0:
        box = Box()
        if p[0] > 1.0:
            box.x = (p[1],)
        else:
            box.x = (p[1], 2.0 * p[1])
    if p[0] > 0.0:
        return sum(box.x) * p[0]
    return p[1] * p[1]


def of_an_attribute_deleted(p: Any) -> Any:
    if p[0] > 0.0:
        box = Box()
        box.x = p[1] * p[0]
        if p[0] > 1.0:
            del box.x
    try:
        return box.x * p[1]
    except AttributeError:
        return p[0] * p[1]
    except UnboundLocalError:
        return p[1] * p[1]


def of_objects_in_turn(p: Any) -> Any:
    s = 0.0
    for k in range(len(p)):
        if p[k] > 0.0:
            box = Box()
            if p[k] > 1.0:
                box.x = (p[k],)
            else:
                box.x = (p[k], 2.0 * p[k])
        if k > 0:
            s = s + sum(box.x) * p[0]
    return s


def one(a: Any) -> Any:
    yield a


def one_and_its_square(a: Any) -> Any:
    yield from one(a)
    rest = yield a * a  # noqa: F841 - it is bound


def of_a_dict_emptied(p: Any) -> Any:
    s = 0.0
    try:
        for t in one_and_its_square(2.0):
            scale = np.arange(3.0)
            held = {"p": p[p > 0.4], "q": p.min()}
            for key in list(held):
                s = s + t * np.sum(held.pop(key) ** 2) * scale[1]
    except IndexError:
        rest = [0.25]  # noqa: F841 - it is bound
    return s


PLACES = [[0.5, 0.3], [0.5, 2.5], [-1.0, 4.0], [4.0, 1.2], [1.2, -1.0], [2.2, 3.3]]
FUNCTIONS = [
    of_a_helper,
    as_texts,
    from_another,
    of_a_while,
    of_a_definition,
    of_an_object,
    of_an_attribute_deleted,
    of_a_dict_emptied,
]


def slopes(f: Function, p: Array, step: float = 1e-3) -> Array:
    """The derivatives of what is a number or a vector, by differences of fourth order."""

    def along(e: Array) -> Any:
        near, far = (np.asarray(f(p + k * e)) - f(p - k * e) for k in (1, 2))
        return (8 * near - far) / (12 * step)

    return np.array([along(e) for e in step * np.eye(len(p))])


def follows(f: Function, p: Array) -> None:
    value, gradient = sd.value_and_grad(f)(p)
    assert value == f(p)
    np.testing.assert_allclose(gradient, slopes(f, p), 1e-8, 1e-9)
    for k, direction in enumerate(np.eye(len(p))):
        assert sd.jvp(f, (p,), (direction,))[1] == pytest.approx(gradient[k], 1e-12)
    second = slopes(lambda q: slopes(f, q), p)
    np.testing.assert_allclose(sd.hessian(f)(p), second, 1e-5, 1e-6)
    np.testing.assert_allclose(sd.grad(f)(p), gradient, 0, 0)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_what_an_exception_or_object_holds_is_that_of_its_path(f: Function) -> None:
    for place in PLACES:
        follows(f, np.array(place))


def test_an_object_of_an_earlier_turn_holds_what_it_was_given_there() -> None:
    for place in ([0.5, 0.3, 2.0], [2.0, 0.3, -1.0], [0.7, -0.1, 1.6, -3.0]):
        follows(of_objects_in_turn, np.array(place))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_it_is_so_in_single_precision_and_of_none(dtype: Any) -> None:
    for f in (of_a_helper, as_texts, from_another):
        p = np.array([0.5, -1.0, 2.5], dtype)
        gradient = sd.grad(f)(p)
        assert gradient.dtype == dtype
        np.testing.assert_allclose(gradient, slopes(f, p.astype(float)), 1e-5)
        assert sd.grad(f)(np.empty(0, dtype)).shape == (0,)


def test_what_leaves_the_function_is_what_was_raised() -> None:
    def again(p: Any) -> Any:
        try:
            check(p)
        except ValueError as e:
            raise RuntimeError("seen", *e.args) from None
        return np.sum(p * p)

    for place in ([0.5, 2.5], [0.5, -1.0]):
        p = np.array(place)
        with pytest.raises(RuntimeError) as wanted:
            again(p)
        with pytest.raises(RuntimeError) as found:
            sd.grad(again)(p)
        assert found.value.args == wanted.value.args
    np.testing.assert_allclose(sd.grad(again)(np.array([0.5, 1.5])), [1.0, 3.0])


class Source:
    def __init__(self, size: float) -> None:
        self.size, self.off = size, False

    def at(self, x: Any, order: float = 0.0) -> Any:
        if order == 0:
            return self.size * x * x
        elif order == 1:
            return 2 * self.size * x
        return None


def test_sums_from_zero_of_what_may_be_none() -> None:
    sources = [Source(2.0), Source(3.0)]

    def total(x: float, order: float) -> Any:
        try:
            return sum(one.at(x, order) for one in sources if not one.off)
        except AttributeError:
            return x

    def read(x: float, order: float) -> Any:
        try:
            return sum(one.at(x, order) for one in sources if not one.off)
        except TypeError as error:
            return x if "float" in str(error) else -x

    gradient = sd.grad(total)
    assert gradient(0.5, 0.0) == 5.0
    assert gradient(0.5, 1.0) == 10.0
    with pytest.raises(TypeError, match="'int' and 'NoneType'"):
        gradient(0.5, 2.0)
    assert sd.grad(read)(0.5, 0.0) == 5.0
    assert sd.grad(read)(0.5, 2.0) == -1.0


def checked(x: Any) -> Any:
    if np.max(x) > 5.0:
        raise ValueError(f"above five: {np.max(x)}")
    if np.sum(x) > 7.5:
        raise ValueError(f"together above seven: {np.sum(x)}")
    return np.sin(x)


def checked_twice(x: Any) -> Any:
    y = checked(x)
    if np.min(x) < -5.0:
        raise ValueError(f"below minus five: {np.min(x)}")
    return y * checked(y)


def test_texts_that_are_told_apart_where_they_are_made_are_one_in_a_later_call() -> None:
    def total(x: Any) -> Any:
        try:
            return np.sum(checked_twice(x) + checked_twice(2.0 * x))
        except KeyError:
            return 0.0

    def one(x: float) -> float:
        s = np.sin(x)
        return float(np.cos(x) * (np.sin(s) + s * np.cos(s)))

    gradient = sd.grad(total)
    x = np.array([0.3, -0.4])
    np.testing.assert_allclose(gradient(x), [one(t) + 2.0 * one(2.0 * t) for t in x], rtol=1e-13)
    for bad, text in (
        ([6.0, 0.0], "above five: 6.0"),
        ([4.0, 4.0], "together above seven: 8.0"),
        ([0.0, -6.0], "below minus five: -6.0"),
        ([3.0, 0.0], "above five: 6.0"),
        ([2.0, 2.0], "together above seven: 8.0"),
        ([0.0, -3.0], "below minus five: -6.0"),
    ):
        with pytest.raises(ValueError, match=text):
            gradient(np.array(bad))
