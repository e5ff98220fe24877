"""``class`` inside a function: methods see the function's names, objects live and die with it."""

import functools

import numpy as np

from tests.constructs.settings import construct


class Outer:
    def __init__(self, v):
        self.v = v

    def scaled(self, u):
        return self.v * u


class OutOfReach(ValueError):
    pass


@construct()
def class_with_methods_of_all_kinds(x, c):
    class Pair(Outer):
        """Two numbers."""

        kind: str
        rate = 2.0
        both = rate * 1.5

        def __init__(self, v, w=x[1]):
            super().__init__(v)
            self.w = w

        @property
        def area(self):
            return self.v * self.w * self.rate

        @area.setter
        def area(self, value):
            self.v = value / self.w

        @staticmethod
        def squared(v):
            return v * v

        @classmethod
        def made(cls, v):
            return cls(v, 2.0 * v)

        @functools.cached_property
        def cubed(self):
            return self.v**3

        def __add__(self, other):
            return Pair(self.v + other.v, self.w)

        def __call__(self, u):
            return self.v * u + self.both

        def __getattr__(self, name):
            if name == "fifth":
                return self.w * 5.0
            raise AttributeError(name)

    a, b = Pair(x[0]), Pair.made(x[1])
    both = a + b
    both.area = both.area * 2.0
    y = a.area + b.scaled(c) + both(x[2]) * Pair.squared(x[3]) + both.cubed * both.cubed
    return y + a.fifth + getattr(a, "none", 2.0) * x[4] + (Pair.rate + isinstance(a, Outer)) * c


@construct()
def exceptions_of_local_classes(x, c):
    class TooLarge(OutOfReach):
        def __init__(self, v):
            super().__init__("too large")
            self.v = v

    class MuchTooLarge(TooLarge):
        pass

    y = c
    for k in range(3):
        try:
            if x[k] > 1.25:
                raise MuchTooLarge(x[0])
            if x[k] > 0.77:
                raise TooLarge(x[1])
            y = y + x[k]
        except MuchTooLarge as error:
            y = y * error.v + 1.0
        except OutOfReach as error:
            y = y + error.v**2
    return y


@construct()
def class_made_by_a_function(x, c):
    def made(a):
        class Scaled:
            factor = a

            def of(self, v):
                return v * self.factor + a

        return Scaled

    one, other = made(x[0]), made(c)
    return one().of(x[1]) * other().of(x[2]) + (one is other)


@construct()
def context_manager_and_sequence_of_a_local_class(x, c):
    class Rows:
        def __init__(self):
            self.entered = 0.0

        def __enter__(self):
            self.entered += 1.0
            return self

        def __exit__(self, *given):
            self.entered += x[0]

        def __len__(self):
            return 3

        def __iter__(self):
            yield x[1]
            yield c

        def __getitem__(self, k):
            return x[k]

    rows = Rows()
    with rows as inside:
        y = sum(inside) * len(inside) * inside[2]
    return y * rows.entered + np.sum(x)
