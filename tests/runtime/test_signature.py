"""What is known of arguments, and types as text."""

import enum
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import symdiff as sd
from symdiff.ir.signature import Aspect, Fixed, Live, Nested
from symdiff.ir.types import FLOAT, INT, ArrayType, Size
from symdiff.runtime.signature import read_type, signature_of, specify, spelled


class Color(enum.Enum):
    RED = 1


class Point(NamedTuple):
    x: float
    y: float


@dataclass
class Layer:
    w: np.ndarray
    name: str


class Thing:
    pass


def said(value):
    return str(signature_of(["x"], [value]))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.0, "x: float"),
        (1, "x: int"),
        (True, "x: bool"),
        (1j, "x: complex"),
        (np.float32(1), "x: float32"),
        (np.ones((2, 1)), "x: float64[x.shape[0],1]"),
        (np.array(1.0), "x: float64[]"),
        ("fast", "x: 'fast'"),
        (None, "x: None"),
        ([1.0, (2, "a")], "x: [float, (int, 'a')]"),
        ({"w": np.ones(2)}, "x: {'w': float64[x.w.shape[0]]}"),
        (Point(1.0, 2.0), "x: Point(x=float, y=float)"),
        (Layer(np.ones(2), "a"), "x: Layer(w=float64[x.w.shape[0]], name='a')"),
    ],
)
def test_signature_as_it_is_said(value, expected):
    assert said(value) == expected


def test_kinds_of_specifications():
    assert specify(Thing(), ("x",)) == Live(Thing)
    assert specify(np.sin, ("x",)) == Fixed(np.sin, np.ufunc)
    assert specify(len, ("x",)).type is type(len)
    assert specify(Color.RED, ("x",)) == Fixed(Color.RED, Color)
    assert specify(np.dtype("float32"), ("x",)).value == np.dtype("float32")
    assert isinstance(specify([], ("x",)), Nested)
    assert specify(slice(1, 2), ("x",)).value == slice(1, 2)


def test_new_sizes_are_no_new_signature():
    assert signature_of(["x"], [np.ones(2)]) == signature_of(["x"], [np.ones(7)])
    assert signature_of(["x"], [np.ones(2)]) != signature_of(["x"], [np.ones(1)])
    assert signature_of(["x"], [1]) != signature_of(["x"], [True])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("float", FLOAT),
        ("int", INT),
        ("float32", ArrayType(np.dtype("float32"), (), "scalar")),
        ("float64[]", ArrayType(np.dtype("float64"))),
        (
            " int64[ n, 3, 1, n-1 ]",
            ArrayType(np.dtype("int64"), (Size("n"), 3, 1, Size("n", -1))),
        ),
        ("fast", None),
        ("a", None),
        ("float64n", None),
        ("list", None),
    ],
)
def test_types_as_text(text, expected):
    assert read_type(text) == expected


def test_a_size_that_is_none_is_refused():
    with pytest.raises(sd.SignatureError, match="'2n' is no size"):
        read_type("float64[2n]")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.ma.masked_array([1.0]), "is a MaskedArray"),
        (np.ones(2).view(np.recarray), "is a recarray"),
    ],
)
def test_arrays_that_are_no_arrays_of_numbers(value, message):
    with pytest.raises(sd.SignatureError, match=message):
        specify(value, ("x",))


def test_arrays_of_bytes_without_meaning_are_tables():
    assert sd.grad(lambda x, v: x * x * len(v))(3.0, np.zeros(2, "V4")) == 12.0


def test_paths_as_python_spells_them():
    assert spelled(("p", "w", 0, Aspect("size", 1))) == "p.w[0].shape[1]"
    assert spelled(("p", "two words")) == "p['two words']"
