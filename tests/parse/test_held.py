"""What objects of Python's own classes hold, and what an object is asked for by name."""

import io

import numpy as np
import pytest

import symdiff as sd
from symdiff import UnsupportedCallError, UnsupportedSyntaxError


class Named:
    a = 1.0


class Below(Named):
    b = 2.0


def test_names_that_a_class_gets_later_are_seen(monkeypatch):
    bag = Below()

    @sd.differentiable
    def f(x):
        return x * len([name for name in dir(bag) if not name.startswith("_")])

    assert f.grad(2.0) == 2.0
    monkeypatch.setattr(Named, "c", 3.0, raising=False)
    assert f.grad(2.0) == 3.0
    monkeypatch.setattr(Below, "d", 4.0, raising=False)
    assert f.grad(2.0) == 4.0


def test_what_an_exception_holds_is_not_told_once_its_args_are_set():
    @sd.differentiable
    def f(x):
        error = StopIteration(x)
        error.args = (x, x)
        return error.value

    with pytest.raises(UnsupportedSyntaxError, match="a StopIteration whose 'args' the program"):
        f.grad(2.0)


class Degenerate(RuntimeWarning):
    def __init__(self, message=None):
        if message is None:
            message = "degenerate"
        self.args = (message,)


def test_an_exception_whose_init_sets_its_args_is_made_again():
    @sd.differentiable
    def f(x):
        error = Degenerate()
        if x < 0:
            raise error
        return x * x * len(error.args[0])

    assert f.grad(2.0) == 40.0
    with pytest.raises(Degenerate) as caught:
        f.grad(-2.0)
    assert caught.value.args == ("degenerate",)


def test_a_method_that_is_not_followed_is_no_attribute_error():
    @sd.differentiable
    def f(x):
        text = io.StringIO("abc")
        try:
            text.truncate(2)
        except AttributeError:
            return x
        return x * len(text.getvalue())

    with pytest.raises(UnsupportedCallError, match="'truncate' of a StringIO"):
        f.grad(2.0)


def test_a_number_is_not_looked_for_by_its_being_nan():
    @sd.differentiable
    def f(x):
        return x if x in (0.0, np.nan) else 2.0 * x

    with pytest.raises(UnsupportedSyntaxError, match="whether a number is one certain nan"):
        f.grad(2.0)
