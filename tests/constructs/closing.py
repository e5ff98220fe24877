"""Generators that are thrown into and closed, and managers that no ``with`` statement enters."""

import contextlib

import numpy as np

from tests.constructs.settings import construct


def _told(value):
    try:
        while True:
            try:
                told = yield value
                value = value * 2.0 if told is None else value + told
            except ValueError as error:
                value = value - error.args[0]
    finally:
        pass


def _logged(value, log):
    try:
        yield value
        yield value * value
    finally:
        log.append(value * 3.0)


def _returned(value):
    yield value
    return value * value


def _delegating(value, log):
    given = yield from _recovering(value, log)
    yield given * 2.0


def _recovering(value, log):
    try:
        yield value
    except ValueError as error:
        log.append(error.args[0])
        yield value + 1.0
    return value * 5.0


@contextlib.contextmanager
def _scaled(log, value):
    log.append(value)
    try:
        yield value * 2.0
    finally:
        log.append(-value)


@contextlib.contextmanager
def _noted(log, value):
    log.append(value)
    yield value + 1.0
    log.append(value * value)


@contextlib.contextmanager
def _swallowing(log):
    try:
        yield log
    except ValueError as error:
        log.append(error.args[0])


def _inside_a_manager(value, log):
    with _scaled(log, value) as scaled, _noted(log, value):
        yield scaled
        yield scaled * scaled


class Level:
    """A level that is another one for a while."""

    def __init__(self, value):
        self.value = value

    @contextlib.contextmanager
    def at(self, value):
        """Have another level meanwhile."""
        before = self.value
        self.value = value
        try:
            yield self
        finally:
            self.value = before


@construct()
def thrown_into(x, c):
    told = _told(x[0])
    y = next(told)
    for k in range(4):
        y = y + (told.throw(ValueError(x[k] * c)) if k % 2 else told.send(x[k]))
    told.close()
    return y * next(told, np.sin(x[1]))


@construct()
def closed_early(x, c):
    log = []
    logged = _logged(x[0] * c, log)
    y = next(logged)
    logged.close()
    logged.close()
    return y * log[0] * len(log)


@construct()
def done_last_at_the_end(x, c):
    log = []
    logged = _logged(x[0], log)
    y = next(logged) * next(logged)
    try:
        y = y + next(logged)
    except StopIteration:
        y = y + c
    return y * log[0]


@construct()
def thrown_through(x, c):
    log = []
    logged = _logged(x[0], log)
    y = next(logged)
    try:
        logged.throw(KeyError(x[1]))
    except KeyError as error:
        y = y * error.args[0] + log[0] * c
    return y


@construct()
def value_of_a_generator(x, c):
    y, returned = 0.0, _returned(x[0])
    while True:
        try:
            y = y + next(returned)
        except StopIteration as stop:
            y = y * stop.value + c
            break
    return y


@construct()
def thrown_to_another(x, c):
    log = []
    delegating = _delegating(x[0], log)
    y = next(delegating)
    y = y * delegating.throw(ValueError(x[1] * c))
    y = y * next(delegating) + log[0] ** 2
    return y


@construct()
def yields_inside_managers(x, c):
    log = []
    inside = _inside_a_manager(x[0], log)
    y = next(inside) * next(inside) + next(inside, c)
    return y * log[2] + log[3]


@construct()
def generator_that_is_told_of_its_end(x, c):
    means = []

    def averaged():
        total, count = 0.0, 0
        try:
            while True:
                value = yield
                total, count = total + value, count + 1
        except GeneratorExit:
            means.append(total / count)
            raise

    averages = averaged()
    next(averages)
    averages.send(x[0])
    averages.send(x[1] * c)
    averages.close()
    return means[0] ** 2


@construct()
def left_while_it_is_held(x, c):
    log, y = [], 0.0
    logged = _logged(x[0], log)
    for value in logged:
        y = y + value
        break
    before = len(log)
    logged.close()
    return y * (1 + 2 * before) + log[0] * c


@construct()
def returned_out_of_what_is_held(x, c):
    log = []

    def first():
        logged = _logged(x[0], log)
        for value in logged:
            return value * (1 + len(log))

    y = first()
    return y + c * log[0]


@construct()
def entered_by_a_stack(x, c):
    log = []
    with contextlib.ExitStack() as stack:
        values = [stack.enter_context(_scaled(log, x[k])) for k in range(2)]
        values.append(stack.enter_context(_noted(log, x[2] * c)))
        y = values[0] * values[1] * values[2]
    for k, value in enumerate(log):
        y = y + (k + 1) * value * value
    return y


@construct()
def swallowed_by_a_stack(x, c):
    log = []
    with contextlib.ExitStack() as stack:
        stack.enter_context(_swallowing(log))
        if x[0] > c:
            raise ValueError(x[1] * x[2])
        log.append(x[3])
    y = log[0] ** 2
    return y


@construct()
def entered_by_hand(x, c):
    log, level = [], Level(x[0])
    manager = _scaled(log, x[1])
    y = manager.__enter__()
    with contextlib.ExitStack() as stack:
        stack.push(manager)
        stack.enter_context(level.at(x[2] * c))
        kept = stack.pop_all()
        y = y * level.value * len(log)
    with kept:
        y = y + level.value
    return y * log[1] + level.value


@contextlib.contextmanager
def _quietly():
    with np.errstate(all="ignore"):
        yield


@_quietly()
def _doubled_quietly(v):
    return v * 2.0


@np.errstate(divide="ignore", invalid="ignore")
def _squared_quietly(v, *, by=1.0):
    return v * v * by


@construct()
def managers_as_decorators(x, c):
    level = Level(x[0])

    @level.at(x[1])
    def of_level(v):
        return v * level.value

    @np.errstate(all="ignore")
    def quietly(v):
        return v**3

    @_quietly()
    def more_quietly(v):
        return v + c

    y = of_level(x[2]) + of_level(x[3]) * level.value + quietly(x[4]) * more_quietly(c)
    return y + _doubled_quietly(x[5]) * _squared_quietly(x[0], by=c)
