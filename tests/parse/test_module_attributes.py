"""Attributes of modules that a function binds, ``sys.stdout`` among them, on some paths only."""

import contextlib
import sys
import types

import pytest

import symdiff
from symdiff.errors import UnsupportedCallError

SETTINGS = types.ModuleType("settings")
SETTINGS.scale = 3.0


class Counter:
    """A file that counts what is written to it."""

    def __init__(self):
        self.count = 0.0

    def write(self, text):
        self.count += len(text)


def bound_in_one_arm(x):
    if x > 1.0:
        SETTINGS.scale = x
    y = x * SETTINGS.scale
    SETTINGS.scale = 3.0
    return y


@pytest.mark.parametrize(("x", "slope"), [(0.5, 3.0), (2.0, 4.0)])
def test_bound_in_one_arm(x, slope):
    assert symdiff.value_and_grad(bound_in_one_arm)(x) == (bound_in_one_arm(x), slope)


def printed_to_a_counter(x):
    file = Counter()
    before = sys.stdout
    sys.stdout = file
    print("abc", 1)
    sys.stdout = before
    print("d", file=file)
    return x * file.count


def printed_meanwhile(x):
    file = Counter()
    for _ in range(3):
        with contextlib.redirect_stdout(file):
            print("abc")
    return x * file.count


def printed_on_one_path(x):
    file = Counter()
    if x > 1.0:
        sys.stdout = file
    print("abc")
    sys.stdout = sys.__stdout__
    return x * file.count


@pytest.mark.parametrize("function", [printed_to_a_counter, printed_meanwhile])
def test_print_goes_to_what_stdout_is(function):
    assert symdiff.grad(function)(2.0) == function(2.0) / 2.0


def test_print_to_what_stdout_is_on_some_paths_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdout", sys.__stdout__)
    with pytest.raises(UnsupportedCallError):
        symdiff.grad(printed_on_one_path)(2.0)
