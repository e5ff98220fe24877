"""Derivatives by the attributes of objects: structured like them, by closed forms."""

import types
from dataclasses import dataclass

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import AliasingError, SignatureError, SymdiffError

W, C, RATE = np.array([0.4, 1.3]), 0.7, 1.5


class Plain:
    kind = "plain"

    def __init__(self, **attributes):
        self.__dict__.update(attributes)

    def energy(self):
        return self.c * np.sum(self.w**2)


class Slots:
    __slots__ = ("c", "inner", "name", "w")

    def __init__(self, **attributes):
        for name, value in attributes.items():
            setattr(self, name, value)


class Checked:
    """A class whose ``__init__`` takes something else, and whose attribute is a property."""

    def __init__(self, w, *, c, inner, name):
        if c < 0.0:
            raise ValueError(c)
        self._w, self.c, self.inner, self.name = w, c, inner, name

    @property
    def w(self):
        return self._w

    @w.setter
    def w(self, w):
        self._w = 2.0 * w


@dataclass
class Record:
    inner: object
    many: list


CLASSES = [types.SimpleNamespace, Plain, Slots, Checked]


def made(cls, w=W, c=C, rate=RATE):
    return cls(w=w, c=c, inner=types.SimpleNamespace(rate=rate, table={"n": 3}), name="m")


def energy(o):
    return o.c * np.sum(o.w**2) + o.inner.rate ** o.inner.table["n"]


@pytest.mark.parametrize("cls", CLASSES)
def test_the_gradient_is_an_object_of_the_class(cls):
    gradient = sd.grad(energy)(made(cls))
    assert type(gradient) is cls
    assert type(gradient.inner) is types.SimpleNamespace
    np.testing.assert_allclose(gradient.w, 2.0 * C * W)
    np.testing.assert_allclose(gradient.c, np.sum(W**2))
    np.testing.assert_allclose(gradient.inner.rate, 3.0 * RATE**2)
    assert gradient.name is None
    assert gradient.inner.table == {"n": None}


@pytest.mark.parametrize("cls", CLASSES)
def test_tangents_and_vectors_are_objects_too(cls):
    along = made(cls, np.array([0.2, -0.5]), 0.3, -0.4)
    along.name, along.inner.table = None, {"n": None}
    if cls is Checked:
        along._w = np.array([0.2, -0.5])
    one, other = along.inner.rate, np.array([0.2, -0.5])
    value, slope = sd.jvp(energy, (made(cls),), (along,))
    assert value == energy(made(cls))
    expected = 2.0 * C * np.sum(W * other) + 0.3 * np.sum(W**2) + 3.0 * RATE**2 * one
    np.testing.assert_allclose(slope, expected)
    product = sd.hvp(energy)(made(cls), along)
    np.testing.assert_allclose(product.w, 2.0 * C * other + 2.0 * 0.3 * W)
    np.testing.assert_allclose(product.c, 2.0 * np.sum(W * other))
    np.testing.assert_allclose(product.inner.rate, 6.0 * RATE * one)


def test_objects_in_lists_dicts_and_dataclasses():
    def total(record):
        return sum(part.energy() * record.inner.rate for part in record.many)

    parts = [Plain(w=W, c=C), Plain(w=2.0 * W, c=0.1)]
    gradient = sd.grad(total)(Record(types.SimpleNamespace(rate=RATE), parts))
    np.testing.assert_allclose(gradient.many[1].w, 4.0 * 0.1 * W * RATE)
    np.testing.assert_allclose(gradient.inner.rate, (C + 0.4) * np.sum(W**2))
    nested = sd.grad(lambda d: d["part"].energy())({"part": parts[0], "more": 1.0})
    np.testing.assert_allclose(nested["part"].c, np.sum(W**2))
    assert nested["more"] == 0.0


def test_pullbacks_jacobians_and_hessians():
    o = Plain(w=W, c=C)
    (cotangent,) = sd.vjp(Plain.energy, o)[1](2.0)
    np.testing.assert_allclose(cotangent.w, 4.0 * C * W)
    jacobian = sd.jacobian(lambda o: o.w * o.c)(o)
    np.testing.assert_allclose(jacobian.w, C * np.eye(2))
    np.testing.assert_allclose(jacobian.c, W)
    hessian = sd.hessian(lambda o: o.energy())(o)
    np.testing.assert_allclose(hessian.w.c, 2.0 * W)
    total = sd.accumulate(cotangent, cotangent)
    np.testing.assert_allclose(total.w, 8.0 * C * W)
    sd.check_grads(lambda o: o.energy(), (o,))


def test_what_an_object_has_may_change_between_calls():
    gradient, o = sd.grad(lambda o: o.energy() if o.c > 0 else 0.0), Plain(w=W, c=C)
    np.testing.assert_allclose(gradient(o).c, np.sum(W**2))
    o.c, o.more = 2.0, 1.0
    np.testing.assert_allclose(gradient(o).w, 4.0 * W)
    assert gradient(o).more == 0.0
    o.w = np.ones(3)
    np.testing.assert_allclose(gradient(o).w, 4.0 * np.ones(3))
    o.c = "none"
    with pytest.raises(TypeError):
        gradient(o)


def test_the_derivative_is_by_what_an_attribute_was():
    def rescaled(o):
        o.c = o.c**2
        o.w[0] = o.w[1] * o.c
        return o.energy()

    o = Plain(w=W.copy(), c=C)
    same, o.many = Plain(w=W.copy(), c=C), [W.copy()]
    rescaled(same)
    gradient = sd.grad(rescaled)(o)  # C**2 * (W[1]**2 * C**4 + W[1]**2)
    np.testing.assert_allclose(gradient.w, [0.0, 2.0 * W[1] * (C**6 + C**2)])
    np.testing.assert_allclose(gradient.c, W[1] ** 2 * (6.0 * C**5 + 2.0 * C))
    assert o.c == same.c
    np.testing.assert_array_equal(o.w, same.w)


def test_arrays_in_an_object_are_written_as_python_writes_them():
    def shifted(o, x):
        o.many[0][1] = x
        return np.sum(o.many[0] ** 2)

    for call in (sd.grad(shifted), lambda o, x: sd.vjp(shifted, o, x)[1](1.0)[0]):
        o = Plain(many=[W.copy()])
        np.testing.assert_allclose(call(o, 3.0).many[0], [2.0 * W[0], 0.0])
        np.testing.assert_array_equal(o.many[0], [W[0], 3.0])


def test_an_object_that_is_reached_on_two_paths_is_refused():
    inner = types.SimpleNamespace(rate=RATE)
    o = Plain(one=inner, other=inner)
    with pytest.raises(AliasingError, match=r"o\.one and o\.other are one SimpleNamespace"):
        sd.grad(lambda o: o.one.rate * o.other.rate)(o)
    inner.above = o
    with pytest.raises(AliasingError, match="are one"):
        sd.grad(lambda o: o.one.rate)(o)


def test_an_object_without_floats_has_no_derivative():
    with pytest.raises(SignatureError, match="cannot differentiate"):
        sd.grad(lambda o: 2.0 * o.n)(Plain(n=3))
    with pytest.raises(SymdiffError, match="cannot stand alone"):
        sd.grad(energy).export("never.py", made(Plain))
