"""Objects of the caller's are given attributes on the paths on which Python gives them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

import symdiff as sd


class Empty:
    pass


class WithDefault:
    y = 7.0


def _not_read(o: Any, x: Any) -> Any:
    if x > 1:
        o.y = x * x
    return 3 * x


def _read(o: Any, x: Any) -> Any:
    if x > 1:
        o.y = x * x
    return o.y * x


def _with_a_default(o: Any, x: Any) -> Any:
    if x > 1:
        o.y = x * x
    return getattr(o, "y", x) * x


def _asked_for(o: Any, x: Any) -> Any:
    if x > 1:
        o.y = x * x
    return o.y if hasattr(o, "y") else 5 * x


def _caught(o: Any, x: Any) -> Any:
    if x > 1:
        o.y = x * x
    try:
        return o.y * x
    except AttributeError:
        return 9 * x


def _one_or_the_other(o: Any, x: Any) -> Any:
    if x > 1:
        o.y = x * x
    else:
        o.z = x
    return x + 1


def _in_each_turn(o: Any, x: Any) -> Any:
    for k in range(40):
        o.y = x * k
    return x * o.y


FUNCTIONS = (
    _not_read,
    _read,
    _with_a_default,
    _asked_for,
    _caught,
    _one_or_the_other,
    _in_each_turn,
)


def what_happens(call: Callable[[], Any], o: Any) -> tuple[Any, dict[str, Any]]:
    """What a call gives or raises, and the attributes that the object has afterwards."""
    try:
        return call(), dict(vars(o))
    except AttributeError:
        return AttributeError, dict(vars(o))


@pytest.mark.parametrize("x", [1.5, 0.5])
@pytest.mark.parametrize("make", [Empty, WithDefault, SimpleNamespace])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_an_attribute_is_given_on_the_paths_that_give_it(
    function: Callable[..., Any], make: type, x: float
) -> None:
    o, other = make(), make()
    expected = what_happens(lambda: function(o, x), o)
    found = what_happens(lambda: sd.value_and_grad(lambda x: function(other, x))(x)[0], other)
    assert found == expected
    if expected[0] is not AttributeError:
        slope = (function(make(), x + 1e-6) - function(make(), x - 1e-6)) / 2e-6
        assert sd.grad(lambda x: function(make(), x))(x) == pytest.approx(slope, rel=1e-8)


def test_a_loop_without_turns_gives_none() -> None:
    def function(x: Any, n: int) -> Any:
        for k in range(n):
            o.y = x * k
        return x

    o = Empty()
    with pytest.raises(sd.UnsupportedSyntaxError, match="not there before") as refused:
        sd.grad(function)(1.5, 3)
    assert "set it before the loop" in str(refused.value)
    assert not vars(o)
    o.y = 0.0
    assert sd.grad(function)(1.5, 3) == 1.0
    assert o.y == 3.0


@pytest.mark.parametrize("x", [1.5, 0.5])
def test_a_global_that_is_not_there_is_bound_on_the_paths_that_bind_it(x: float) -> None:
    def bound(x: Any) -> Any:
        global late
        if x > 1:
            late = x * x
        return 2 * x

    def caught(x: Any) -> Any:
        global late
        if x > 1:
            late = x * x
        try:
            return late * x
        except NameError:
            return 4 * x

    for function, slope in ((bound, 2.0), (caught, 3 * x * x if x > 1 else 4.0)):
        globals().pop("late", None)
        assert sd.grad(function)(x) == pytest.approx(slope)
        assert globals().get("late") == (x * x if x > 1 else None)
        assert ("late" in globals()) == (x > 1)
    globals().pop("late", None)


class Limited:
    """A descriptor by which a field is set; of the class it is its own default."""

    def __init__(self, default: Any) -> None:
        self.default = default

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner=None):
        return self if instance is None else vars(instance)[self.name]

    def __set__(self, instance, value):
        given = self.default if value is self else value
        vars(instance)[self.name] = 2.0 * given


@dataclasses.dataclass
class WithDescriptors:
    rate: Limited = Limited(2.0)
    power: Limited = Limited(1.5)


@dataclasses.dataclass(frozen=True)
class FrozenWithDescriptors:
    rate: Limited = Limited(2.0)
    power: Limited = Limited(1.5)


@pytest.mark.parametrize("kind", [WithDescriptors, FrozenWithDescriptors])
def test_fields_that_descriptors_set(kind):
    def f(x):
        made = kind(rate=x)
        return made.rate**made.power

    value, slope = sd.value_and_grad(f)(2.0)
    assert value == f(2.0) == 64.0 and slope == 96.0  # (2 x)**3
    assert sd.jvp(f, (2.0,), (1.0,)) == (64.0, 96.0)
    assert sd.grad(sd.grad(f))(2.0) == 96.0


class Box:
    def __init__(self, content):
        self.content = content


BOX = Box(3.0)


@dataclasses.dataclass
class WithBox:
    scale: float
    box: Box = BOX


def test_a_default_of_a_field_is_the_object_from_outside():
    def f(x):
        made = WithBox(x)
        made.box.content = x * made.scale
        return BOX.content * 2.0

    assert sd.value_and_grad(f)(3.0) == (18.0, 12.0) and BOX.content == 9.0


class WithoutIt:
    pass


def new_attribute_of_class(x):
    WithoutIt.found = x
    return 2.0 * x


def test_a_new_attribute_of_a_class_is_refused():
    with pytest.raises(sd.UnsupportedSyntaxError, match="a new attribute 'found' of the class"):
        sd.grad(new_attribute_of_class)(1.0)
