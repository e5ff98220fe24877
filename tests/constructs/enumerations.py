"""Enumerations that are made inside functions."""

import enum

import numpy as np

from tests.constructs.settings import construct


@construct()
def an_enumeration_made_inside(x, c):
    class Law(enum.Enum):
        LINEAR = 1
        SQUARE = 2.5

        @property
        def twice(self):
            return self.value * 2

        def of(self, y):
            match self:
                case Law.LINEAR:
                    return y
                case Law.SQUARE:
                    return y * y

        @classmethod
        def best(cls):
            return cls.SQUARE

    y = 0.0
    for law in Law:
        y = y + law.value * law.of(x[0]) * x[1]
    known = Law.LINEAR is Law(1) and Law["SQUARE"] is Law.best() and Law.LINEAR != Law.SQUARE
    y = y * (2.0 if known and isinstance(Law.LINEAR, Law) else 5.0)
    return y * Law.best().twice + len(Law) * c * len(Law.SQUARE.name) * (Law.LINEAR in Law)


@construct()
def enumerations_of_numbers_and_texts_made_inside(x, c):
    class Order(enum.IntEnum):
        FIRST = enum.auto()
        SECOND = enum.auto()

        def scaled(self, y):
            return self * y

    class Factor(float, enum.Enum):
        HALF = 0.5
        HIGH = 9.81

        def of(self, y):
            return self * y

    class Part(enum.StrEnum):
        LOW = enum.auto()
        TOP = "top"

    parts = {Part.LOW: x[0], "top": x[1]}
    y = x[2] ** Order.SECOND * Order.FIRST + Factor.HIGH * x[Order.FIRST] + Order.SECOND.scaled(c)
    y = y + parts["low"] * parts[Part.TOP] * max(Order) + Factor.HALF.of(x[3])
    return y * (Order.FIRST < Order.SECOND) * np.full(Order.SECOND, c).sum()


@construct()
def flags_made_inside(x, c):
    class Term(enum.Flag):
        DRAG = enum.auto()
        LIFT = enum.auto()
        BOTH = DRAG | LIFT

    y = x[0]
    for wanted in (Term.DRAG, Term.LIFT, Term.BOTH, Term.DRAG & Term.LIFT):
        if wanted & Term.LIFT:
            y = y * x[1]
        if Term.DRAG in wanted:
            y = y + c * wanted.value
    return y * (3.0 if Term.DRAG | Term.LIFT is Term.BOTH else x[2]) * (~Term.DRAG).value


@construct(settings=("outside", "renamed"))
def members_told_by_numbers(x, c):
    class Mode(enum.Enum):
        UP = 1.5
        DOWN = 2.5

    mode, y = (Mode.UP if x[0] > 0.7 else Mode.DOWN), x[1]
    for _ in range(3):
        y = y * c + mode.value if mode is Mode.UP else y * x[2] + mode.value
        mode = Mode.DOWN if mode is Mode.UP else Mode.UP
    try:
        y = y * Mode(7.0).value
    except ValueError:
        y = y * x[3]
    return y


def _mode_of(name, x):
    class Mode(enum.Enum):
        SINE = "sine"
        POWER = "power"

    return np.sin(x) if Mode(name) is Mode.SINE else x**3


def _own():
    class Own(enum.Enum):
        ONE = 1

    return Own.ONE


@construct()
def enumerations_of_helpers(x, c):
    y = _mode_of("sine", x[0]) * _mode_of("power", x[1]) + _mode_of("sine", x[2]) * c
    first, again = _own(), _own()
    return y * (x[3] if first is again or first == again else x[4])
