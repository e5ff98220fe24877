"""What libraries are written with: flags that say what is returned, signatures, proxies, locals."""

import functools
import inspect
import math
import operator
import types

import numpy as np

from tests.constructs.settings import construct

FIXED = types.MappingProxyType({"rate": 1.5, "weights": np.array([0.3, 0.7])})


def _solved(v, full_output=False, check=False):
    y = v * v
    if not full_output and not check:
        return y
    if full_output and not check:
        return y, v
    if full_output and check:
        return y, v, 2.0 * v


@construct()
def flags_that_tell_what_is_returned(x, c):
    a = _solved(x[0])
    b, d = _solved(x[1], full_output=True)
    return a * b * _solved(c, True, True)[2] + d


def _described(function):
    signature = inspect.signature(function)

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        for name in bound.arguments:
            if name == "power" and bound.arguments[name] is None:
                bound.arguments[name] = 2.0
        return function(*bound.args, **bound.kwargs)

    return wrapper


@_described
def _raised(v, power=None, *, scale=1.0):
    return scale * v**power


@construct()
def signature_that_is_bound(x, c):
    return _raised(x[0]) + _raised(x[1], 3.0, scale=c) * _raised(v=x[2], power=c)


@construct()
def proxy_of_a_dict(x, c):
    total = sum(np.sum(value * x[:2]) for key, value in FIXED.items())
    return total * FIXED["rate"] * c + len(FIXED) + FIXED.get("none", c)


@construct()
def iterator_over_the_values_of_a_dict(x, c):
    table = {"a": x[0], "b": c, "c": x[1] * c}
    values = iter(table.values())
    first = next(values)
    rest = [value * first for value in values]
    return sum(rest) + first


@construct()
def iterator_that_is_asked_until_it_ends(x, c):
    pairs, total = iter({"a": x[0], "b": x[1]}.items()), 0.0
    while True:
        try:
            key, value = next(pairs)
        except StopIteration:
            break
        total = total + value * (2.0 if key == "a" else c)
    return total


class Scaled:
    """A class of which a method is taken apart."""

    def __init__(self, scale):
        self.scale = scale

    def times(self, v):
        return self.scale * v


@construct()
def parts_of_a_method(x, c):
    method = Scaled(c * x[0]).times
    y = method.__func__(Scaled(c), x[1]) + method.__self__.scale
    return y * method(x[2]) * len(method.__name__)


@construct()
def index_of_a_number(x, c):
    k = operator.index(np.int64(2))
    return x[operator.index(True)] * x[k] * operator.index(3) * c


@construct()
def what_is_told_of_a_float_never_raises(x, c):
    try:
        bad = math.isnan(c) or math.isinf(x[0].item()) or not math.isfinite(c)
        y = x[0] * c if not bad else 0.0
    except ZeroDivisionError:
        y = c
    return y


# Functions of NumPy and SciPy that have no rule are followed


@construct()
def masks_that_are_not_there(x, c):
    y = x[0] if np.ma.isMaskedArray(x) else x[1] * x[2]
    return y * c
