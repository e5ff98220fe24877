"""Exceptions and texts that keep what Python's own classes keep."""

import io

import numpy as np

from tests.constructs.settings import construct


class Apart(Exception):
    """It does not tell Python's own class anything."""

    def __init__(self, a, b=2.0):
        self.a = a
        self.b = b


class NotFound(ImportError):
    def __init__(self, a):
        super().__init__("not found", name="numba")
        self.a = a


class Untold(OSError):
    def __init__(self, a):
        self.a = a


class Told(OSError):
    def __init__(self, a):
        super().__init__(2, "not there", "a.txt")
        self.a = a


class Past(ImportError):
    def __init__(self, a):
        Exception.__init__(self, a)


@construct()
def what_classes_of_python_were_told(x, c):
    y = 0.0
    for error in (Apart(x[0], b=c), NotFound(x[1]), Untold(x[2]), Told(x[3]), Past(x[4])):
        try:
            raise error
        except Apart as found:
            y = y + sum(vars(found).values()) * len(found.args)
        except NotFound as found:
            y = y + found.a * len(found.msg) * len(found.name) * len(vars(found))
        except Told as found:
            y = y + found.a * c * len(found.filename) * found.errno * len(found.args)
        except Untold as found:
            y = y + found.a * (2.0 if found.errno is None else 5.0) * (1 + len(found.args))
        except Past as found:
            y = y + found.args[0] * c * (3.0 if found.msg is None else 7.0)
    return y


@construct()
def args_that_are_set(x, c):
    error = ValueError(x[0])
    error.args = [x[0], x[1] * c]
    other = OSError(2, "not there")
    other.errno = 7
    try:
        raise Apart(x[2], b=c)
    except Apart as found:
        found.args = (x[2], x[3], x[4])
        y = sum(error.args) * found.b + sum(found.args) * other.errno + len(vars(other))
    return y


@construct()
def a_text_that_is_closed(x, c):
    with io.StringIO("1.5\n2.5\n") as lines:
        y = sum([np.sin(float(line) * x[0]) for line in lines])
    try:
        y = y + len(lines.read())
    except ValueError as error:
        y = y * c + len(str(error)) * x[1]
    return y * (3.0 if lines.closed else 1.0)


@construct()
def calls_until_a_number(x, c):
    left = [1.0, c, 4.0, 3.0]
    y = sum([part * x[0] for part in iter(lambda: left.pop(0), 4.0)])
    try:
        iter(x[1], c)
    except TypeError as error:
        y = y * len(str(error))
    return y
