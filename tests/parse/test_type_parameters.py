"""Type parameters of classes and functions, of Python 3.12 and later."""

import sys

import pytest

import symdiff as sd

pytestmark = pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax is newer")

PROGRAMS = """
import itertools
import math

import numpy as np


class Box[T]:
    def __init__(self, value: T):
        self.value = value

    def square(self) -> T:
        return self.value**2


def doubled[T](v: T) -> T:
    return 2 * v


def outside(x, y):
    return Box[float](x).square() * doubled(Box(y).value)


def inside(x, y):
    class Local[T]:
        def __init__(self, value: T):
            self.value = value

    return Local(x).value ** 2 * y


def subscripted(x, y):
    class Local[T]:
        def __init__(self, value: T):
            self.value = value

        def times[U](self, other: U) -> U:
            return self.value * other

    class Narrow(Local[float]):
        def square(self):
            return self.value**2

    return Local[float](2.0).times(y) * Narrow(x).square() / 2.0


type Vector = list[float]


def named(x, y):
    type Local[T] = tuple[T, Vector]
    pair: Local[float] = (x, [y])
    return pair[0] ** 2 * pair[1][0]


def spread[*Ts, **P](x, *rest: *Ts, f=max, **named: P.kwargs):
    return x**2 * sum(rest) * f(*named.values())


def texts(x, y):
    d = {"a": 1}
    told = f"{d["a"]:>{2 + 1}}{f"{f"{1 + 1}"}"}"
    return x**2 * y * len(told) / 4.0


def batches(x, y):
    total = 0.0
    for batch in itertools.batched([x, x, y], 2):
        total = total + batch[0] * (batch[-1] if len(batch) == 2 else 0.0)
    return total * sum(len(b) * b[0] for b in itertools.batched((y, 1.0), 2)) / 2.0


def batches_of_rows(x, y):
    a = np.array([x, x, 1.0, y])
    return sum(math.prod(batch) for batch in itertools.batched(a, 2)) * y - y * y


def derived(x):
    class Local[T](Box[T]):
        pass

    return Local(x).value
"""


@pytest.fixture
def programs(tmp_path, monkeypatch):
    (tmp_path / "with_type_parameters.py").write_text(PROGRAMS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "with_type_parameters", raising=False)
    return __import__("with_type_parameters")


def test_type_parameters_change_nothing(programs):
    of_one = ("inside", "subscripted", "named", "texts", "batches", "batches_of_rows")
    found = [(getattr(programs, name), 1.0) for name in of_one]
    found.append((lambda x, y: programs.spread(x, 0.25 * y, 0.75 * y, a=1.0, b=0.5), 1.0))
    for function, factor in ((programs.outside, 2.0), *found):
        value, slopes = sd.value_and_grad(function, argnums=(0, 1))(3.0, 5.0)
        assert value == factor * 45.0
        assert slopes == (factor * 30.0, factor * 9.0)
        assert sd.jvp(function, (3.0, 5.0), (1.0, 2.0))[1] == factor * 48.0
        assert sd.derivative(lambda x, f=function: f(x, 5.0), order=2)(3.0) == factor * 10.0


def test_a_base_with_type_parameters_of_a_class_inside_is_refused(programs):
    with pytest.raises(sd.UnsupportedSyntaxError, match="with_type_parameters"):
        sd.grad(programs.derived)(2.0)
