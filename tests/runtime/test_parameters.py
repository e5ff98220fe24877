"""Calls in canonical form."""

import numpy as np
import pytest

import symdiff as sd
from symdiff.runtime.calling import call_with
from symdiff.runtime.parameters import WithVector, parameters_of


def everything(a, /, b, c=3, *rest, d, e=5, **options):
    return a, b, c, rest, d, e, options


CALLS = [
    ((1, 2), {"d": 4}, (1, 2, 3, (), 4, 5, {})),
    ((1, 2, 30, 7, 8), {"d": 4, "f": 6}, (1, 2, 30, (7, 8), 4, 5, {"f": 6})),
]


@pytest.mark.parametrize(("args", "kwargs", "expected"), CALLS)
def test_binding_and_calling_are_inverse(args, kwargs, expected):
    parameters = parameters_of(everything)
    canonical = parameters.bind(args, kwargs)
    assert canonical == expected
    assert call_with(everything, parameters, canonical) == everything(*args, **kwargs)


def plain(a, /, b, c=3, *, d=(4,), e):
    return a, b, c, d, e


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((1, 2), {"e": 5}),
        ((1, 2, 30), {"e": 5, "d": None}),
        ((1,), {"b": 2, "e": 5, "c": np.zeros(2)}),
        ((1, 2), {}),
        ((), {"a": 1, "b": 2, "e": 5}),
        ((1, 2), {"b": 3, "e": 5}),
        ((1, 2, 3, 4), {"e": 5}),
        ((1, 2), {"e": 5, "other": 6}),
    ],
)
def test_binding_is_pythons(args, kwargs):
    parameters = parameters_of(plain)
    try:
        expected = plain(*args, **kwargs)
    except TypeError:
        with pytest.raises(TypeError, match="plain"):
            parameters.bind(args, kwargs)
    else:
        found = parameters.bind(args, kwargs)
        assert all(one is other for one, other in zip(found, expected, strict=True))


def test_defaults_that_are_replaced_are_taken():
    def scaled(x, factor=2.0):
        return factor * x * x

    slope = sd.grad(scaled)
    assert slope(3.0) == 12.0
    scaled.__defaults__ = (5.0,)
    assert slope(3.0) == 30.0
    assert slope(factor=1.0, x=3.0) == 6.0


def test_flat_and_canonical_are_inverse():
    parameters = parameters_of(everything)
    canonical = (1, 2, 3, (7, 8), 4, 5, {})
    flat = parameters.flat(canonical)
    assert flat == (1, 2, 3, 7, 8, 4, 5)
    assert parameters.canonical(flat) == canonical
    assert parameters.slot(("rest", 1, "w"), 2) == (4, "w")
    assert parameters.slot(("d",), 2) == (5,)


def test_arity_is_that_of_calls_that_are_canonical():
    assert parameters_of(lambda a, b=1: a).arity == 2
    assert parameters_of(everything).arity == -1


def test_paths_of_positions_and_names():
    parameters = parameters_of(everything)
    assert parameters.locate(1) == ("b",)
    assert parameters.locate(4) == ("rest", 1)
    assert parameters.locate(-1) == ("c",)
    assert parameters.locate("d") == ("d",)
    assert parameters.locate("other") == ("options", "other")
    assert parameters.locate(0, skip=1) == ("b",)


def test_a_vector_stands_last():
    parameters = WithVector.of(parameters_of(lambda x, power=3: x))
    assert parameters.names == ("x", "power", "v")
    assert parameters.bind((1.0, 2.0), {}) == (1.0, 3, 2.0)
    assert parameters.bind((1.0, 4, 2.0), {}) == (1.0, 4, 2.0)
    assert parameters.bind((1.0,), {"v": 2.0}) == (1.0, 3, 2.0)
    with pytest.raises(TypeError, match="the vector"):
        parameters.bind((), {})


def test_a_vector_gives_way_to_the_functions_own_v():
    assert WithVector.of(parameters_of(lambda x, v: x)).names == ("x", "v", "v_")


def test_wrappers_are_what_is_called():
    import functools

    @functools.wraps(everything)
    def wrapper(x):
        return x

    assert parameters_of(wrapper).names == ("x",)
