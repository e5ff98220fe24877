"""Type parameters of classes and functions, of Python 3.12 and later."""

import sys

import pytest

import symdiff as sd

pytestmark = pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax is newer")

PROGRAMS = """
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


def subscripted(x):
    class Local[T]:
        def __init__(self, value: T):
            self.value = value

    return Local[float](x).value


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
    for function, factor in ((programs.outside, 2.0), (programs.inside, 1.0)):
        value, slopes = sd.value_and_grad(function, argnums=(0, 1))(3.0, 5.0)
        assert value == factor * 45.0
        assert slopes == (factor * 30.0, factor * 9.0)
        assert sd.jvp(function, (3.0, 5.0), (1.0, 2.0))[1] == factor * 48.0
        assert sd.derivative(lambda x, f=function: f(x, 5.0), order=2)(3.0) == factor * 10.0


@pytest.mark.parametrize("name", ["subscripted", "derived"])
def test_generic_classes_inside_are_refused(programs, name):
    with pytest.raises(sd.UnsupportedSyntaxError, match="with_type_parameters"):
        sd.grad(getattr(programs, name))(2.0)
