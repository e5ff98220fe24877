"""``class`` inside a function: methods see the function's names, objects live and die with it."""

import abc
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


class Abstract(abc.ABC):
    @abc.abstractmethod
    def of(self, v): ...


class Square(Abstract):
    def of(self, v):
        return v * v


class Placed:
    __slots__ = ("v",)
    kind = 3.0


class Doubling:
    """A descriptor that keeps its value under another name, made inside of the functions below."""

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner=None):
        return self if instance is None else getattr(instance, self.name) * 2.0

    def __set__(self, instance, value):
        setattr(instance, self.name, value + 1.0)


@construct()
def what_a_class_lets_its_objects_not_do(x, c):
    placed, y = Placed(), c
    placed.v = x[0]
    try:
        placed.other = x[1]
    except AttributeError:
        y = y + x[2]
    try:
        placed.kind = x[1]
    except AttributeError:
        y = y * x[3]
    try:
        y = y + Abstract().of(x[4])
    except TypeError:
        y = y * placed.v + Square().of(x[5])
    return y * placed.kind


@construct()
def attributes_of_local_classes_change(x, c):
    class Base:
        rate, made = 2.0, 0

        def __init__(self, v):
            Base.made += 1
            self.v = v

        @classmethod
        def faster(cls):
            cls.rate = cls.rate * x[1]
            return cls.rate

        def of(self):
            return self.v * self.rate

    class Derived(Base):
        pass

    a, b = Base(x[0]), Derived(c)
    y = a.of() + b.of()
    Derived.faster()
    y = y * b.of() + a.of()
    for k in range(3):
        if x[k] > x[3]:
            Base.rate *= x[k]
    Base.of = lambda self: self.v + self.rate
    return y + a.of() * b.of() * Base.made + super(Derived, b).rate + Derived.rate


@construct()
def descriptors_and_subclasses_are_told(x, c):
    kinds = []

    class Kind:
        low = Doubling()

        def __init_subclass__(cls, scale=1.0, **rest):
            super().__init_subclass__(**rest)
            cls.scale = scale
            kinds.append(cls)

        def __new__(cls, v):
            made = super().__new__(cls)
            made.before = v * x[1]
            return made

        def __init__(self, v):
            self.low = v

    class Plain(Kind):
        pass

    class Scaled(Kind, scale=c):
        high = Doubling()

    y = 0.0
    for k, kind in enumerate(kinds):
        made = kind(x[k])
        y = 0.5 * y + made.low * made.before * made.scale
    made.high = x[2]
    return y + made.high * Plain(x[3]).low


@construct()
def metaclasses_and_classes_by_type(x, c):
    class Noting(type):
        def __call__(cls, *given):
            made = super().__call__(*given)
            cls.made.append(made)
            return made

        def total(cls):
            return sum(one.v for one in cls.made)

    class Noted(metaclass=Noting):
        made = []

        def __init__(self, v):
            self.v = v

    class Shape(abc.ABC):
        @property
        @abc.abstractmethod
        def side(self): ...

        def area(self):
            return self.side**2

    by_type = type("ByType", (Shape,), {"side": x[2], "of": lambda self, v: v * self.side})
    Noted(x[0])
    Noted(x[1] * c)
    try:
        y = Shape().area()
    except TypeError:
        y = by_type().area() + by_type().of(x[3])
    return y * Noted.total()


@construct()
def properties_and_methods_of_calls(x, c):
    def scaled(name, by):
        return property(lambda self: getattr(self, name) * by)

    class Partly:
        first, second = scaled("a", x[1]), scaled("b", 2.0)

        def power(self, n, v, scale=1.0):
            return v**n * scale * self.a

        square = functools.partialmethod(power, 2)
        cube = functools.partialmethod(power, 3, scale=x[2])

    made = Partly()
    made.a, made.b = x[0], c
    return made.first * made.second + made.square(x[3]) + made.cube(x[4])


rate = 5.0


@construct()
def names_in_the_body_of_a_class(x, c):
    factor = x[1]

    class Names:
        rate = rate * 2.0
        factor = 2.0
        first, (second, *others) = x[0], [c, rate, factor]
        seen = [v * x[2] for v in [rate, factor]]

        class Inner:
            half = factor * 0.5

            def of(self):
                return factor * x[3]

        outside = lambda self: factor * x[4]  # noqa: E731
        again = Inner.half

    y = Names.first * Names.second + sum(Names.others) + sum(Names.seen)
    return y * Names().outside() + Names.Inner().of() + Names.again


@construct()
def attributes_of_local_classes_on_some_paths(x, c):
    class Plain:
        pass

    class Below(Plain):
        def of_base(self):
            return super().extra

    made, own = Below(), Below()
    own.extra = x[1]
    if x[0] > x[3]:
        Plain.extra = x[2]
    y = own.extra * c
    for read in (lambda: made.extra, lambda: Plain.extra, made.of_base):
        try:
            y = y + read()
        except AttributeError as error:
            y = y * x[4] + len(str(error))
    return y * getattr(Plain, "extra", x[5]) + hasattr(made, "extra")
