"""Columns of ``astropy.table`` that a function reads: arrays with a unit and a name.

What is computed of the elements one by one is a column, too; what is reduced, or compared, is what
NumPy makes of the numbers.
"""

from typing import Any

import numpy as np

from symdiff.definitions.declare import INSTANCES, refuse
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.quantities import Quantity, is_quantity, one, unit_of
from symdiff.definitions.wrapped import Wrapped

TABLE: dict[Any, Any] = {}  # what functions of NumPy mean for columns


class Column(Wrapped):
    """The numbers of a column, and what is told of them."""

    __symdiff_functions__ = TABLE
    __symdiff_class__: Any  # Astropy's
    __symdiff_returned__ = ("a Column", "return its numbers: column.value")

    def __init__(self, values, unit, name):
        self.values, self.unit, self.name = values, unit, name

    def __getattr__(self, name):
        refuse(f"the attribute {name} of a Column")

    def _refused(self, other=None):
        refuse("this operation of a Column")

    __array__ = __bool__ = __contains__ = __index__ = __setitem__ = __divmod__ = __rdivmod__ = (
        _refused
    )
    __iadd__ = __isub__ = __imul__ = __itruediv__ = __ifloordiv__ = __imod__ = __ipow__ = _refused

    @property
    def value(self):
        return self.values

    @property
    def data(self):
        return self.values

    @property
    def quantity(self):
        return Quantity(self.values, one() if self.unit is None else self.unit)

    def to(self, unit):
        return self.quantity.to(unit_of(unit))

    def __len__(self):
        return len(self.values)

    def __iter__(self):
        return iter(self.values)

    def __getitem__(self, key):
        part = self.values[key]
        if self.values.ndim > 1 or np.ndim(part) == 0:
            return part
        return Column(part, self.unit, self.name)

    def copy(self):
        return Column(self.values.copy(), self.unit, self.name)

    def astype(self, dtype):
        return Column(self.values.astype(dtype), self.unit, self.name)

    def tolist(self):
        return self.values.tolist()


def is_column(x):
    return isinstance(x, Column.__symdiff_class__)


def _values(x):
    if is_quantity(x):
        refuse("a Column with a Quantity (use column.quantity)")
    return x.values if is_column(x) else x


def _applied(function, *inputs):
    """Elementwise: a column, but where another operand has more elements."""
    made = function(*[_values(x) for x in inputs])
    first = inputs[0] if is_column(inputs[0]) else inputs[1]
    others = [x for x in inputs if x is not first and np.ndim(_values(x)) > 0]
    if others and np.shape(made) != first.shape:
        return made
    return Column(made, first.unit, first.name)


def _of_ufunc(function):
    def of_columns(*inputs, **options):
        if options:
            refuse("out=, where= or dtype=")
        return _applied(function, *inputs)

    return of_columns


def _of_values(function):
    def of_column(a, *arguments, **keywords):
        return function(_values(a), *[_values(x) for x in arguments], **keywords)

    return of_column


def _operator(function, is_swapped=False):
    def method(self, other):
        return _applied(function, other, self) if is_swapped else _applied(function, self, other)

    return method


def _comparison(function):
    def method(self, other):
        return function(self.values, _values(other))

    return method


_OPERATORS: dict[str, Any] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.true_divide,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "pow": np.power,
}
_OF_ONE: dict[str, Any] = {"neg": np.negative, "pos": np.positive, "abs": np.absolute}
_COMPARISONS: dict[str, Any] = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}
_ELEMENTWISE = (
    *("absolute", "negative", "positive", "square", "sqrt", "cbrt", "reciprocal", "sign", "rint"),
    *("exp", "expm1", "exp2", "log", "log2", "log10", "log1p", "floor", "ceil", "trunc"),
    *("sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh"),
    *("arccosh", "arctanh", "degrees", "radians", "deg2rad", "rad2deg"),
    *("add", "subtract", "multiply", "divide", "floor_divide", "remainder", "power"),
    *("arctan2", "hypot", "maximum", "minimum", "fmax", "fmin", "fmod", "copysign"),
)
_METHODS = ("sum", "prod", "mean", "std", "var", "min", "max", "argmin", "argmax", "argsort")
_OF_VALUES = (
    *("sum", "prod", "mean", "std", "var", "min", "max", "argmin", "argmax", "argsort", "ptp"),
    *("dot", "asarray", "shape", "ndim", "size", "median", "percentile", "quantile", "average"),
    *("where", "isfinite", "isnan", "isinf", "less", "less_equal", "greater", "greater_equal"),
    *("equal", "not_equal", "interp", "array", "polyval", "trapezoid", "allclose", "any", "all"),
)


@when_imported("astropy.table")
def register(table: Any) -> None:
    """Columns, and NumPy's functions of columns."""
    Column.__symdiff_class__ = table.Column
    attributes = {"values": (np.ndarray,), "unit": ("unit",), "name": ("name",)}
    INSTANCES[table.Column] = Column, attributes
    for name, function in _OPERATORS.items():
        setattr(Column, f"__{name}__", _operator(function))
        setattr(Column, f"__r{name}__", _operator(function, is_swapped=True))
    for name, function in _OF_ONE.items():
        setattr(Column, f"__{name}__", _of_ufunc(function))
    for name, function in _COMPARISONS.items():
        setattr(Column, f"__{name}__", _comparison(function))
    for name in _ELEMENTWISE:
        TABLE[getattr(np, name)] = _of_ufunc(getattr(np, name))
    for name in _OF_VALUES:
        TABLE[getattr(np, name)] = _of_values(getattr(np, name))
    for name in _METHODS:
        setattr(Column, name, TABLE[getattr(np, name)])
