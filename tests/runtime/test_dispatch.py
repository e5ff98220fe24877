"""The right program for each call, compiled once."""

import threading

import pytest

import symdiff as sd
from symdiff.ir.signature import Signature
from symdiff.runtime.dispatch import Dispatcher
from symdiff.runtime.entry import MISS
from symdiff.runtime.facts import what_changes
from symdiff.runtime.signature import signature_of


def dispatcher_of_types(compiled):
    """A dispatcher with a program for each type."""

    def compile(arguments):
        (value,) = arguments
        compiled.append(type(value))
        kind = type(value)

        def enter(x):
            return kind.__name__ if type(x) is kind else MISS

        return enter, signature_of(["x"], arguments), {}

    return Dispatcher("f", compile, lambda arguments: arguments, threading.RLock())


def test_each_signature_is_compiled_once():
    compiled = []
    dispatch = dispatcher_of_types(compiled)
    for _ in range(2):
        assert [dispatch((v,)) for v in (1.0, 1, "a", 1.0)] == ["float", "int", "str", "float"]
    assert compiled == [float, int, str]


def test_the_last_program_that_fitted_is_tried_first():
    dispatch = dispatcher_of_types([])
    dispatch((1.0,))
    dispatch((1,))
    assert dispatch.first(1) == "int"
    dispatch((1.0,))
    assert dispatch.first(1.0) == "float"


def test_a_program_that_never_fits_is_a_bug():
    dispatch = Dispatcher(
        "f", lambda a: (lambda x: MISS, Signature(()), {}), lambda a: a, threading.RLock()
    )
    with pytest.raises(sd.InternalError, match="no program fits"):
        dispatch((1.0,))


def test_what_keeps_changing_is_named():
    signatures = [
        Signature(signature_of(["x", "n"], [1.0, 2]).parameters, static=((("n",), n),))
        for n in range(4)
    ]
    assert what_changes(signatures) == "the value of n"
    kinds = [signature_of(["x"], [value]) for value in (1.0, 1, "a")]
    assert what_changes(kinds) == "the type of x"
    assert what_changes([kinds[0], kinds[0]]) == "a variable that it reads"
