"""``try`` with all its clauses, ``raise``, ``with`` on managers of any class, generators."""

import contextlib
import itertools
import math

import numpy as np

from tests.constructs.settings import construct

TABLE = {"a": 2.0, "b": 0.5}


class OutOfRange(ValueError):
    """An error that holds numbers."""

    def __init__(self, message, value, scale=2.0):
        super().__init__(message)
        self.value = value
        self.scale = scale


def _root_of(v):
    if v < 0.0:
        raise ValueError("negative")
    return v**0.5


def _bounded(v):
    if v > 1.0:
        raise OutOfRange("too large", v, scale=3.0)
    return v * v


# Decided while the function is compiled


@construct()
def key_that_is_missing(x, c):
    try:
        scale = TABLE["z"]
    except KeyError:
        scale = TABLE["a"]
    return scale * x[0] * c


@construct()
def attribute_that_is_missing(x, c):
    try:
        y = x.no_such_name
    except AttributeError as error:
        y = 2.0 * x if "no_such_name" in str(error) else x
    return np.sum(y) * c


@construct()
def length_of_a_number(x, c):
    try:
        n = len(c)
    except TypeError:
        n = 3
    else:
        n = 100
    return n * x[1] * c


@construct()
def import_that_fails(x, c):
    try:
        import no_such_module

        y = no_such_module.sin(x[0])
    except ImportError:
        y = np.sin(x[0])
    return y * c


@construct()
def nothing_raised(x, c):
    y = x[0]
    try:
        y = y * c
    except ValueError:
        y = 0.0
    else:
        y = y + x[1]
    finally:
        y = y * x[2]
    return y


# Decided by numbers


@construct()
def quotient_by_what_may_be_zero(x, c):
    d = float(x[0] > 0.7) * c
    try:
        y = x[1] * c
        z = 2.0
        z = c / d
    except ZeroDivisionError:
        y = y * y
    return y * z + x[2]


@construct()
def quotient_by_zero(x, c):
    n = 0
    try:
        y = c / n
    except ArithmeticError:
        y = x[0] ** 2
    return y * c


@construct()
def root_of_a_negative_number(x, c):
    try:
        y = math.sqrt(float(x[0]) - 10.0) + x[1]
    except ValueError:
        y = math.sqrt(10.0 - float(x[0])) * x[1]
    return y * c


@construct()
def exponential_that_overflows(x, c):
    try:
        y = math.exp(2000.0 * c) * x[0]
    except OverflowError:
        y = x[0] * x[1]
    return y * c


@construct()
def matrix_that_is_not_definite(x, c):
    a = np.outer(x[:3], x[:3]) - np.eye(3)
    for _ in range(4):
        try:
            factor = np.linalg.cholesky(a)
            break
        except np.linalg.LinAlgError:
            a = a + (1.0 + c) * np.eye(3)
    else:
        factor = np.eye(3)
    return np.sum(np.log(np.diag(factor)))


@construct()
def element_beyond_the_end(x, c):
    total = 0.0
    for k in range(8):
        try:
            total = total + x[k] * (k + c)
        except IndexError:
            total = total + c
    return total


@construct()
def write_beyond_the_end(x, c):
    y = x.copy()
    k = 4
    try:
        for _ in range(4):
            y[k] = y[k - 1] * c
            k = k + 1
    except IndexError:
        y[0] = y[1] * y[5]
    return np.sum(y) * k


@construct()
def several_classes(x, c):
    total = 0.0
    for d in (2.0, 0.0, -1.0):
        try:
            total = total + math.log(d) / d + c / d
        except ZeroDivisionError:
            total = total + x[0]
        except (ValueError, OverflowError):
            total = total + x[1] * x[2]
    return total * c


@construct()
def in_a_condition(x, c):
    total = 0.0
    for d in (2.0, 0.0, -3.0):
        try:
            if d > -1.0 and c / d > 0.1 and not (d < 0.5 or x[0] / d > 100.0):
                total = total + x[0] * d
            else:
                total = total + x[1] * c
        except ZeroDivisionError:
            total = total + x[2]
    return total


# Raised by the program


@construct()
def raised_in_a_callee(x, c):
    total = 0.0
    for v in x - 1.0:
        try:
            total = total + _root_of(v) * c
        except ValueError:
            total = total + v * v
    return total


@construct()
def what_an_error_holds(x, c):
    total = 0.0
    for v in (x[0] - 3.0, x[1] + 3.0):
        try:
            y = _bounded(v)
        except OutOfRange as error:
            y = error.value * error.scale * c
        total = total + y * v
    return total


@construct()
def raised_again(x, c):
    y = x[0]
    try:
        try:
            y = y * _bounded(x[1] * c)
            y = y + 1.0
        except ValueError:
            y = y * 3.0
            raise
    except OutOfRange as error:
        y = y * error.value
    return y * x[2]


@construct()
def raised_from_another(x, c):
    try:
        try:
            y = _bounded(x[1] + 1.0)
        except ValueError as error:
            raise RuntimeError("outer") from error
    except RuntimeError:
        y = x[1] * c
    return y


@construct()
def not_for_this_handler(x, c):
    y = c
    try:
        try:
            y = _root_of(x[0] - 2.0)
        except KeyError:
            y = 100.0
        finally:
            y = y * x[1]
    except ValueError:
        y = y + x[2]
    return y


@construct()
def assertion(x, c):
    y = x[0]
    try:
        assert y > 0.7, "small"
        y = y * c
    except AssertionError:
        y = y * y
    return y + x[3]


# Clauses that run in any case


@construct()
def finally_after_break(x, c):
    total = 0.0
    for k, v in enumerate(x):
        try:
            if v * k > 100.0 or k == 4:
                break
            if k == 1:
                continue
            total = total + v * c
        finally:
            total = total * 1.5 + v
    return total


@construct()
def written_before_it_was_raised(x, c):
    y = x.copy()
    try:
        y[0] = y[1] * c
        y[1] = _root_of(y[2] - 2.0)
        y[2] = 7.0
    except ValueError:
        y[3] = y[0] * y[1]
    return np.sum(y * y)


@construct()
def in_a_comprehension(x, c):
    try:
        roots = [_root_of(v - 3.0 * c) for v in x]
    except ValueError:
        roots = [c * v for v in x]
    return sum(roots)


# Context managers


class Scaled:
    """A manager that holds a number and is left with a side effect on itself."""

    def __init__(self, scale):
        self.scale = scale
        self.left = 0

    def __enter__(self):
        return self.scale

    def __exit__(self, kind, error, trace):
        self.left = self.left + (2 if kind is None else 5)


class Swallowing(Scaled):
    """One that swallows errors of values."""

    def __exit__(self, kind, error, trace):
        self.left = 3
        return kind is not None and issubclass(kind, ValueError)


@contextlib.contextmanager
def _doubled(v):
    w = v * 2.0
    try:
        yield w
    except ValueError:
        w = 0.0
    finally:
        w = w + 1.0


@construct()
def manager_of_a_class(x, c):
    manager = Scaled(x[0] * c)
    with manager as scale:
        y = scale * x[1]
    return y * manager.left


@construct()
def manager_that_swallows(x, c):
    y = x[0]
    with Swallowing(c) as scale:
        y = y * scale
        y = y + _root_of(x[1] - 1.0)
        y = y * x[2]
    return y


@construct()
def two_managers(x, c):
    with Scaled(x[0]) as a, Scaled(a * c) as b:
        y = a * b
    return y


@construct()
def manager_by_a_generator(x, c):
    y = x[0]
    with _doubled(x[1]) as w:
        y = y * w
        y = y + _root_of(x[2] - 1.0)
    return y * c


@construct()
def suppressed(x, c):
    y = x[0] * c
    with contextlib.suppress(ValueError, ZeroDivisionError):
        y = y + math.log(float(x[1]) - 1.0)
    return y


@construct()
def null_context(x, c):
    with contextlib.nullcontext(x[0] * c) as y:
        z = y * x[1]
    return z


# Generators


def _powers(v, n):
    power = 1.0
    for _ in range(n):
        power = power * v
        yield power


def _nested(v):
    yield v
    yield from _powers(v, 3)
    yield v * v


def _iterates(v):
    y = 1.0
    while True:
        y = 0.5 * (y + v / y)
        yield y


class Layers:
    """What ``__iter__`` yields."""

    def __init__(self, weights):
        self.weights = weights

    def __iter__(self):
        for weight in self.weights:
            if weight > -3.0:
                yield weight


@construct()
def loop_over_a_generator(x, c):
    total = 0.0
    for power in _powers(x[0], 4):
        total = total + power * c
    return total


@construct()
def left_generator(x, c):
    y = 0.0
    for y in _iterates(x[0] + c):
        if abs(y * y - x[0] - c) < 1e-3:
            break
    return y * x[1]


@construct()
def collected_generator(x, c):
    a, *rest = _nested(x[0])
    return a * sum(rest) + max(list(_powers(x[1], 2))) * c


@construct()
def generator_of_an_object(x, c):
    total = 1.0
    for weight in Layers(x):
        total = total * weight
    return total * c


@construct()
def generator_beside_others(x, c):
    total = 0.0
    for k, (a, b) in enumerate(zip(x, _powers(c, 10))):
        total = total + k * a * b
    for y in itertools.islice(_iterates(x[2]), 3):
        total = total + y
    return total


@construct()
def generator_with_a_branch(x, c):
    def chosen(values):
        for v in values:
            if v > -3.0:
                yield v * c
            else:
                yield v * v

    return sum(chosen(x))


# Exceptions that hold numbers, beside operations; recursion of known depth


@construct()
def number_in_an_exception_beside_an_index(x, c):
    y = c
    for k in range(4):
        try:
            if x[k] > 1.0:
                raise ValueError(x[0] * k)
            y = y + np.sin(x[k])
        except ValueError as error:
            y = y * error.args[0]
        finally:
            y = y + 0.1 * x[1]
    return y


def _grown(n, v, by):
    if n == 0:
        if v > 1.0:
            raise OverflowError
        return v
    return _grown(n - 1, v * by, by) + v


@construct()
def recursion_of_known_depth_that_raises(x, c):
    try:
        y = _grown(3, x[0], x[1])
    except OverflowError:
        y = x[0] * x[1]
    try:
        y = y * _grown(2, x[2], x[0])
    except OverflowError:
        y = y + c
    return y


@construct()
def class_and_text_of_what_an_operation_raises(x, c):
    y = c
    for k in range(2):
        try:
            y = y + math.sqrt(float(x[k]) - 1.0) + 1.0 / (float(x[k]) * 0.0)
        except (ValueError, ZeroDivisionError) as error:
            y = y * x[2] if isinstance(error, (ZeroDivisionError, KeyError)) else x[3] ** 2
            if "domain" in str(error):
                y = y * x[4]
    return y


@construct()
def text_of_numbers_is_compared(x, c):
    shown = f"{x[0] > 0.0}"
    y = x[1] ** 2 if shown == "True" else x[2]
    return y * c if "al" in shown else y * x[3]


@construct()
def context_managers_made_of_local_generators(x, c):
    log = []

    @contextlib.contextmanager
    def doubled(v, by=2.0):
        log.append(v)
        try:
            yield v * by
        except ZeroDivisionError:
            log.append(x[0])
        finally:
            log.append(c)

    def plain():
        yield x[1]

    y = c
    with doubled(x[2]) as a, doubled(x[3], by=c) as b:
        y = a * b
        y = y + 1.0 / (float(x[4]) * 0.0)
    with contextlib.contextmanager(plain)() as v:
        y = y * v
    return y * sum(log) + len(log)


class NotConverged(Exception):
    """An error of the user's own."""

    def __init__(self, message):
        self.message = message


def _by_secants(g, x0, most):
    x1 = x0 * 1.01 + 1e-3
    g0 = g(x0)
    if g0 > 1e3:
        raise NotConverged("too far away")
    elif g0 == 0.0:
        return x0
    for _ in range(most):
        g1 = g(x1)
        if abs(g1) < 1e-13:
            return x1
        x0, x1, g0 = x1, x1 - g1 * (x1 - x0) / (g1 - g0), g1
    raise NotConverged(f"no root after {most} turns")


def _by_newton(g, v):
    for _ in range(40):
        v = v - g(v) / (3.0 * v * v + 1.0)
    return v


@construct()
def solver_that_another_one_stands_in_for(x, c):
    def root(v, most):
        def g(u):
            return u**3 + u - v

        try:
            return _by_secants(g, 0.5, most)
        except NotConverged:
            return _by_newton(g, c)
        except ZeroDivisionError:
            return v

    y = root(float(x[0]), 30) + root(float(x[1]), 2) * x[2]
    return y


@construct()
def solver_in_which_anything_is_caught(x, c):
    v = float(x[3]) + 1.0
    try:
        y = _by_secants(lambda u: u * u - v, 1.0, 3)
    except:  # noqa: E722
        y = v * c
    return y + x[1]


def _refused(v):
    if v > 1e3:
        raise ValueError("too large")
    if v < -1e3:
        raise ValueError("too small")
    return 1.0 / v


@construct()
def messages_of_a_class_that_is_not_caught(x, c):
    y = c
    for k in range(3):
        try:
            y = y + _refused(float(x[k]) + k) * x[k]
        except ZeroDivisionError:
            y = y * x[4]
    return y


STEPS = [1.0, 2.0, 5.0, 0.5, 3.0]


@construct()
def list_gone_over_in_try(x, c):
    y = float(x[0])
    try:
        for step in STEPS:
            y = y * step / (c + 0.1 * y)
            if y > 4.0:
                break
    except ZeroDivisionError:
        y = y + 1.0
    try:
        for v in x:
            y = y + 1.0 / (float(v) + 2.0)
    except (ZeroDivisionError, IndexError):
        y = y * x[2]
    return y


class Bounded:
    """A number with an operator that raises."""

    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        if self.v > 3.0:
            raise NotConverged("too large")
        return Bounded(self.v + other.v)


@construct()
def operator_that_raises_again_and_again(x, c):
    y = c
    for k in range(2):
        s = Bounded(x[k])
        try:
            s = s + Bounded(x[1])
            s = s + Bounded(x[2] * (k + 1))
            s = s + Bounded(x[3])
            y = y + s.v
        except NotConverged:
            y = y * s.v
    return y


def _smooth(u, v):
    t = math.exp(-u * u)
    for _ in range(2):
        t = t * math.tanh(u) + v
    return t - u


def _steep(u, v):
    return _smooth(u, v) / (u - 0.62)


@construct()
def calls_of_one_function_in_try(x, c):
    a, b, d = float(x[0]), float(x[1]), float(x[2])
    y = c
    try:
        y = y + _smooth(a, b) * _smooth(b, d)
        y = y + _smooth(d, a) * _smooth(y, b)
        if y > 100.0:
            raise NotConverged("too large")
        y = y + _smooth(y, a)
    except NotConverged:
        y = y * 0.01
    try:
        y = y + _smooth(y, b) + _steep(b, a)
        y = y + _steep(d, b) + _steep(y + 3.0, c)
        y = y + _steep(a + 0.1, d) / _steep(0.62, d)
    except ZeroDivisionError:
        y = y + _smooth(y, d)
    return y


@construct()
def causes_of_errors(x, c):
    y = c
    for k in range(4):
        try:
            try:
                if x[k] > x[5]:
                    raise KeyError(x[k])
                raise OverflowError(x[0])
            except KeyError as error:
                raise ValueError(error.args[0] * 3.0) from error
            except OverflowError as error:
                raise TypeError(error.args[0]) from (None if k == 2 else error)
        except ValueError as error:
            y = y + error.args[0] * error.__cause__.args[0] * error.__suppress_context__
        except TypeError as error:
            y = y * error.args[0] + (x[1] if error.__cause__ is None else x[2])
    try:
        raise LookupError(y)
    except LookupError as error:
        y = error.args[0] * (2.0 if error.__cause__ is None else 3.0)
        told = error.__suppress_context__
    return y + told * x[3]


class OutOfReach(OSError):
    """It has what Python's own class makes of its arguments."""


class Misread(SyntaxError):
    def __init__(self, text, place):
        super().__init__(text)
        self.place = place


@construct()
def what_classes_of_python_keep(x, c):
    y = c
    for error in (
        OSError(2, "not there", "a.txt"),
        ImportError("none", name="numba"),
        StopIteration(x[0]),
        OutOfReach(x[1], "far"),
        Misread("odd", x[2] * c),
        AttributeError("a", name="abc"),
    ):
        try:
            raise error
        except OutOfReach as found:
            y = y * found.errno + len(found.args)
        except OSError as found:
            y = y + found.errno * x[3] + len(found.strerror) + len(found.args) * len(found.filename)
        except ImportError as found:
            y = y + len(found.name) * c + len(found.msg) + (found.path is None)
        except StopIteration as found:
            y = y * found.value
        except Misread as found:
            y = y + found.place * len(found.msg)
        except AttributeError as found:
            y = y + len(found.name) * x[4]
    return y


def _misread(v):
    raise TypeError(v)


@construct()
def what_was_handled_before(x, c):
    y = c
    for k in range(3):
        try:
            try:
                if x[k] > 0.8:
                    raise ValueError(x[k] * c)
            except ValueError as first:
                raise RuntimeError(first.args[0])  # noqa: B904
            if x[k] < 0.7:
                raise RuntimeError(x[3])
        except RuntimeError as second:
            y = y * second.args[0] if second.__context__ is None else y + x[k]
    try:
        try:
            y = y + {"a": 1.0}["b"]
        except KeyError as missing:
            _misread(x[4])
            y = y * len(missing.args)
    except TypeError as error:
        y = y * error.args[0] + isinstance(error.__context__, KeyError)
        kept = error
    try:
        raise ValueError(x[5])
    except ValueError as error:
        y = y * error.args[0] + (error.__context__ is None) + (kept.__context__ is None)
    return y
