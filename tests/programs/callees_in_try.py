"""Functions that are called inside ``try`` and raise there, by operations and by statements."""

from __future__ import annotations

import collections
import math

import numpy as np

from tests.programs.registry import program


class TooLow(Exception):
    """A class of the user's."""


def risky(a: float, b: float) -> float:
    """Raises by two operations and by a statement, on some paths."""
    root = math.sqrt(a - 0.1 * b)
    if root > 3.0:
        raise TooLow(f"{root}")
    return root / b + math.log(a)


def riskier(a: float, b: float) -> float:
    return risky(a * b, b) + 0.5 * risky(a, a + b) * risky(b + 0.1, a)


@program(args=(0.62, 1.17), also=[(0.71, 1.32)], wrt=(0, 1), step=0.01)
def tries(x: float, y: float) -> float:
    """Calls of one kind in one ``try``, of which some raise."""
    total = 0.0
    for k in range(4):
        try:
            total = total + riskier(x - 0.4 * k, y) * (k + 1.0)
        except (ValueError, TooLow):
            total = total - 0.3 * x * y
    return total


@program(args=(0.62, 1.17), also=[(0.71, 1.32)], wrt=(0, 1), step=0.01)
def in_a_row(x: float, y: float) -> float:
    """Calls of one kind in several statements."""
    total = x
    try:
        total = riskier(x, y) * riskier(y, x)
        total = total + riskier(y, x - 1.0)
    except (ValueError, TooLow):
        total = total * y
    try:
        return total + riskier(y, x)
    except (ValueError, TooLow):
        return total


@program(args=(0.62, 1.17), also=[(0.71, 1.32)], wrt=(0, 1), step=0.01)
def by_classes(x: float, y: float) -> float:
    """What is raised in a callee is told by its class, in the handlers around as well."""
    total = x
    for k in range(5):
        try:
            try:
                total = total + riskier(x * (1.0 + 4.0 * k), y * (4 - k))
            except ZeroDivisionError:
                total = total * 1.5
            else:
                total = total + risky(10.0 * x * k, y)
        except TooLow:
            total = total + 2.0 * y
        except ValueError:
            total = total + 3.0 * y
    return total


@program(args=(0.62, 1.17), also=[(0.71, 1.32)], wrt=(0, 1), step=0.01)
def told(x: float, y: float) -> float:
    """A handler that asks for the exception."""
    total = x
    for k in range(5):
        try:
            total = total + riskier(x * (1.0 + 4.0 * k), y)
        except (TooLow, ValueError) as error:
            total = total + (2.0 if isinstance(error, TooLow) else 3.0) * y
    return total


@program(args=(0.62, 1.17), also=[(0.71, 1.32)], wrt=(0, 1), step=0.01)
def anything(x: float, y: float) -> float:
    """A handler of everything, in a loop that is left where nothing was raised."""
    factor, found = 1.0, y
    for k in range(6):
        factor = 1.0 - 0.35 * k
        try:
            found = riskier(x * -factor, y) + riskier(x, y * -factor)
        except:  # noqa: E722
            continue
        break
    return found * factor + x


def both(a: float, b: float) -> tuple[float, float, int]:
    return 1.0 / (a - b), math.sqrt(a), 2


@program(args=(0.62, 1.17), also=[(0.71, 1.32)], wrt=(0, 1), step=0.01)
def of_several(x: float, y: float) -> float:
    """Several results, of which one is an int that is known."""
    total = 1.0
    for shift in (0.0, 1.0, 2.0):
        try:
            u, v, n = both(x - shift, y * shift)
            w, _, m = both(v, v * shift)
            total = total + u * v**n + w * m
        except (ZeroDivisionError, ValueError):
            total = total * x
    return total


def again(a: float) -> float:
    if a > 0.3:
        raise  # noqa: PLE0704
    return a * a


@program(args=(0.62, 1.17), also=[(0.71, 1.32)], wrt=(0, 1), step=0.01)
def raised_again(x: float, y: float) -> float:
    """One function raises again what several handlers handle."""
    total = 0.0
    for k in (1, 2):
        try:
            try:
                total = total + (math.log(x - k) if k == 1 else x / (k - 2))
            except ValueError:
                total = total + again(x) + again(y)
            except ZeroDivisionError:
                total = total + again(x * 0.1) + again(y)
        except ValueError:
            total = total + 2.0 * x
        except ZeroDivisionError:
            total = total + 3.0 * y * x
    return total


def level(a: float, b: float, n: int) -> float:
    try:
        return risky(a, b) if n == 0 else level(a - 0.05, b, n - 1) + level(a, b + 0.1, n - 1)
    except ValueError:
        return a * b


@program(args=(0.62, 1.17), also=[(0.71, 1.32)], wrt=(0, 1), step=0.01)
def at_levels(x: float, y: float) -> float:
    """A ``try`` in each call, with others around it."""
    return level(x, y * 5.0, 2) + level(x, y, 2)


@program(args=(2.0, 0.1), wrt=(0, 1))
def bounded_deque_in_try(u: float, d: float) -> float:
    hist = collections.deque(maxlen=3)
    e = 0.0
    for k in range(10):
        u = u * 0.9 + d
        hist.append(u)
    try:
        for k in range(5):
            u = u * 0.9 + d
            hist.append(u)
            if u > 50.0:
                raise ValueError
    except ValueError:
        e = 1.0
    return e + sum(hist)


@program(args=(2.0, 0.1), wrt=(0, 1), also=((0.9, 0.1),))
def pops_of_lists_that_may_be_empty(u: float, d: float) -> float:
    items = []
    while u > 1.0:
        u = u * 0.8
        items.append(u)
    n = 0.0
    total = 0.0
    for k in range(6):
        try:
            total += items.pop() * (k + 1)
        except IndexError as e:
            n += 1.0
            total += len(e.args[0]) * d
    return total * u + n


@program(args=(2.0, 0.1), wrt=(0, 1), also=((0.9, 0.1),))
def pops_at_a_place_that_may_be_missing(u: float, d: float) -> float:
    items = [u]
    while u > 1.0:
        u = u * 0.8
        items.append(u)
    total = 0.0
    k = 0
    while k < 8:
        try:
            total += items.pop(2) * (k + 1)
        except IndexError as e:
            total += len(e.args[0]) * d * sum(items)
            break
        k += 1
    return total * u


@program(args=(2.0, 0.1), wrt=(0, 1), also=((0.9, 0.1),))
def items_set_and_deleted_that_may_be_missing(u: float, d: float) -> float:
    items = [u]
    while u > 1.0:
        u = u * 0.8
        items.append(u)
    total = 0.0
    for k in range(-6, 6):
        try:
            items[k] = items[k] * d + u
            del items[k - 1]
        except IndexError:
            total += d * sum(items)
    return total * u + len(items) * d


class Account:
    """What a function changes before it raises."""

    def __init__(self, held: float) -> None:
        self.held = held
        self.log = [held, 1.0]

    def withdraw(self, v: float) -> float:
        self.log[0] = self.held * v
        self.held = self.held - v * v
        if self.held < 0.0:
            raise TooLow
        self.log[1] = math.sqrt(self.log[1] - 0.2 * v) + self.held
        return self.held * v


@program(args=(0.62, 1.17), also=[(0.71, 1.32)], wrt=(0, 1), step=0.01)
def written_before(x: float, y: float) -> float:
    """What was written before something is raised stays written."""
    account, total = Account(x + y), 0.0
    for k in range(4):
        try:
            total = total + account.withdraw(x) + account.withdraw(0.3 * y * k)
        except TooLow:
            total = total + account.log[0] * y
            account.held = account.held + 1.5 * x
        except ValueError:
            total = total - account.held * account.log[1]
            account.log[1] = account.log[1] + y
    return total * account.held + account.log[0] * account.log[1]


def either_way(a: float, b: float, c: float) -> float:
    """Binds a name in the body or in a handler, which may raise what nothing around catches."""
    try:
        found = math.sqrt(a - b)
    except ValueError:
        found = a / c
    if found > 40.0:
        raise TooLow("too low")
    return found * b


@program(args=(0.62, 1.17), also=[(0.71, 1.32)], wrt=(0, 1), step=0.01)
def caught_further_out(x: float, y: float) -> float:
    """What the nearest handlers do not catch is caught further out, each time."""
    total = 0.0
    for k in range(4):
        try:
            try:
                total = total + either_way(x * k, y, y * (k - 1)) * either_way(x + y, y, y)
            except ZeroDivisionError:
                total = total + either_way(x, y * 1.1, y * y) + x
        except TooLow:
            total = total + x * y
    return total


def raises_further(a: float, b: float) -> float:
    try:
        return either_way(a, b, b) + either_way(a, 2.0 * b, b) * either_way(a * b, b, b - 2.0)
    except (ZeroDivisionError, ValueError):
        return a * b


@program(args=(0.62, 1.17), also=[(-0.71, 1.32)], wrt=(0, 1), step=0.01)
def a_row_that_a_lambda_reads(x: float, y: float) -> float:
    """What is read again of a view inside ``try`` has not raised where the view was made."""
    rows = np.array([[x, y], [y * y, x * y]])
    row = rows[1]
    try:
        if x < 0.0:
            raise IndexError("below 0")
        for t in map(lambda t: t * np.var(np.minimum(row, row)), row):
            row[-1] = row[-1] / (1.1 + t * t)
    except IndexError:
        return x * y + row[0]
    return float(np.sum(rows) * row[-1])
