"""Quantities of ``astropy.units`` that a function makes or reads: numbers with a unit.

Units are constants: what they make of each other is computed while a function is compiled, by
Astropy's own rules. A scaled unit scales the numbers where Astropy does, in the same order.
"""

import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from symdiff.definitions.declare import CONSTANTS, INSTANCES, MADE, declare_pure, refuse
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.wrapped import Wrapped

TABLE: dict[Any, Any] = {}  # what functions of NumPy mean for quantities
_NONE: list[Any] = []  # no equivalencies


class Quantity(Wrapped):
    """An array and its unit."""

    __symdiff_functions__ = TABLE
    __symdiff_class__: Any  # Astropy's

    def __init__(self, values, unit):
        self.values, self.unit, self.is_fixed = np.asarray(values), unit, False

    def __getattr__(self, name):
        if is_attribute(name):
            refuse(f"the attribute {name} of a Quantity")
        raise AttributeError(f"'Quantity' object has no '{name}' member")

    def _refused(self, other=None):
        refuse("this operation of a Quantity")

    __array__ = __contains__ = __index__ = __divmod__ = __rdivmod__ = _refused
    __ifloordiv__ = __imod__ = __ipow__ = __ilshift__ = _refused

    # What it holds

    @property
    def real(self):
        return Quantity(self.values.real, self.unit)

    @property
    def value(self):
        return self.values if self.values.ndim > 0 else self.values[()]

    @property
    def isscalar(self):
        return self.values.ndim == 0

    @property
    def T(self):
        return self.transpose()

    def __len__(self):
        if self.isscalar:
            raise TypeError("'Quantity' object with a scalar value has no len()")
        return len(self.values)

    def __iter__(self):
        if self.isscalar:
            raise TypeError("'Quantity' object with a scalar value is not iterable")
        return iter([Quantity(row, self.unit) for row in self.values])

    def __getitem__(self, key):
        return Quantity(self.values[key], self.unit)

    def setflags(self, write=None, align=None, uic=None):
        if align is not None or uic is not None or write:
            refuse("setflags of a Quantity but with write=False")
        self.is_fixed = self.is_fixed or write is not None

    def _require_own(self):
        if self.is_fixed:
            refuse("a Quantity from outside, or one that is not writeable, that is changed")

    def __setitem__(self, key, value):
        self._require_own()
        self.values[key] = _in_unit(value, self.unit)

    def __bool__(self):
        raise ValueError("Quantity truthiness is ambiguous")

    def __float__(self):
        return float(self._as_number())

    def __int__(self):
        return int(self._as_number())

    def _as_number(self):
        if scale_between(self.unit, one()) is None or self.size != 1:
            raise TypeError("only dimensionless scalar quantities can be converted to numbers")
        return self.to_value(one())

    def copy(self, order="C"):
        return Quantity(self.values.copy(), self.unit)

    def item(self, *place):
        return Quantity(self.values.item(*place), self.unit)

    def __str__(self):
        return f"{self.value}{text_after(self.unit)}"

    def __format__(self, format_spec):
        if format_spec:
            refuse("a format of a Quantity")
        return f"{self.value}{text_after(self.unit)}"

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def astype(self, dtype):
        return Quantity(self.values.astype(dtype), self.unit)

    def reshape(self, *shape):
        return Quantity(self.values.reshape(*shape), self.unit)

    def ravel(self, order="C"):
        return Quantity(self.values.ravel(order), self.unit)

    def flatten(self, order="C"):
        return Quantity(self.values.flatten(order), self.unit)

    def transpose(self, *axes):
        return Quantity(self.values.transpose(*axes), self.unit)

    def argmin(self, axis=None):
        return self.values.argmin(axis)

    def argmax(self, axis=None):
        return self.values.argmax(axis)

    # Other units

    def to(self, unit, equivalencies=_NONE, copy=True):
        wanted = unit_of(unit)
        if not copy:
            return Quantity(self.to_value(wanted, equivalencies), wanted)
        return Quantity(_converted(self, wanted, equivalencies), wanted)

    def to_value(self, unit=None, equivalencies=_NONE):
        if unit is None or unit is self.unit:
            return self.value
        wanted = unit_of(unit)
        scale = scale_between(self.unit, wanted)
        if scale is None:
            return _converted(self, wanted, equivalencies)
        return self.value if is_one(scale) else self.value * scale

    def decompose(self, bases=()):
        made = decomposed(self.unit, bases)
        return Quantity(self.value * scale_of(made), made / scale_of(made))

    @property
    def si(self):
        made = self.unit.si
        return Quantity(self.value * made.scale, made / made.scale)

    @property
    def cgs(self):
        made = self.unit.cgs
        return Quantity(self.value * made.scale, made / made.scale)

    def __lshift__(self, other):
        return Quantity(_in_unit(self, unit_of(other)), unit_of(other))

    # Arithmetic

    def __neg__(self):
        return _applied(np.negative, self)

    def __pos__(self):
        return _applied(np.positive, self)

    def __abs__(self):
        return _applied(np.absolute, self)

    def __add__(self, other):
        return _applied(np.add, self, other)

    def __radd__(self, other):
        return _applied(np.add, other, self)

    def __sub__(self, other):
        return _applied(np.subtract, self, other)

    def __rsub__(self, other):
        return _applied(np.subtract, other, self)

    def __mul__(self, other):
        if is_unit(other):
            return Quantity(self.values.copy(), unit_of(other) * self.unit)
        return _applied(np.multiply, self, other)

    def __rmul__(self, other):
        if is_unit(other):
            return Quantity(self.values.copy(), unit_of(other) * self.unit)
        return _applied(np.multiply, other, self)

    def __truediv__(self, other):
        if is_unit(other):
            return Quantity(self.values.copy(), self.unit / unit_of(other))
        return _applied(np.true_divide, self, other)

    def __rtruediv__(self, other):
        if is_unit(other):
            return Quantity(1.0 / self.value, unit_of(other) / self.unit)
        return _applied(np.true_divide, other, self)

    def __floordiv__(self, other):
        return _applied(np.floor_divide, self, other)

    def __rfloordiv__(self, other):
        return _applied(np.floor_divide, other, self)

    def __mod__(self, other):
        return _applied(np.remainder, self, other)

    def __rmod__(self, other):
        return _applied(np.remainder, other, self)

    def __matmul__(self, other):
        return _applied(np.matmul, self, other)

    def __rmatmul__(self, other):
        return _applied(np.matmul, other, self)

    def __pow__(self, other):
        return _power(self, other)

    def __rpow__(self, other):
        return _power(other, self)

    def __iadd__(self, other):
        return self._changed(np.add, other)

    def __isub__(self, other):
        return self._changed(np.subtract, other)

    def __imul__(self, other):
        return self._changed(np.multiply, other)

    def __itruediv__(self, other):
        return self._changed(np.true_divide, other)

    def _changed(self, function, other):
        """In place: the numbers that other views see, and the unit of this one alone."""
        self._require_own()
        made = self * other if is_unit(other) else _applied(function, self, other)
        if is_unit(other) and function is np.true_divide:
            made = self / other
        if not np.can_cast(made.dtype, self.dtype, "same_kind"):
            raise TypeError("Arguments cannot be cast safely to inplace output")
        self.values[...] = made.values
        self.unit = made.unit
        return self

    def __lt__(self, other):
        return _applied(np.less, self, other)

    def __le__(self, other):
        return _applied(np.less_equal, self, other)

    def __gt__(self, other):
        return _applied(np.greater, self, other)

    def __ge__(self, other):
        return _applied(np.greater_equal, self, other)

    def __eq__(self, other):
        if is_quantity(other) and scale_between(other.unit, self.unit) is None:
            return False
        return self.value == _in_unit(other, self.unit)

    def __ne__(self, other):
        if is_quantity(other) and scale_between(other.unit, self.unit) is None:
            return True
        return self.value != _in_unit(other, self.unit)


# Units, which are constants -----------------------------------------------------------------------


def unit_of(given: Any) -> Any:
    from astropy.units import Unit

    return Unit(given)


def one() -> Any:
    from astropy.units import dimensionless_unscaled

    return dimensionless_unscaled


def is_unit(given: Any) -> bool:
    """Return whether an operand is a unit, or the text of one."""
    from astropy.units import UnitBase

    return isinstance(given, (UnitBase, str))


def is_attribute(name: str) -> bool:
    """Return whether Astropy's quantities have an attribute, which this one has not."""
    import astropy.units

    return hasattr(astropy.units.Quantity, name)


def scale_between(unit: Any, other: Any) -> float | None:
    """What a number of one unit is multiplied by; None where that is not all."""
    from astropy.units import UnitConversionError

    try:
        found: float = unit._to(other)
    except UnitConversionError:
        return None
    return found


def is_convertible(unit: Any, other: Any) -> bool:
    """Return whether Astropy knows a way, those among it that are enabled for all units."""
    from astropy.units import UnitsError

    try:
        unit.get_converter(other)
    except UnitsError:
        return False
    return True


def is_one(scale: float) -> bool:
    from astropy.units.core import is_effectively_unity

    return bool(is_effectively_unity(scale))


def text_after(unit: Any) -> str:
    """What is told of a unit behind a number."""
    told = str(unit)
    return f" {told}" if told else ""


def decomposed(unit: Any, bases: Any) -> Any:
    return unit.decompose(bases=bases)


def scale_of(unit: Any) -> Any:
    return unit.scale


def raised(unit: Any, exponent: Any) -> Any:
    return one() if unit == one() else unit**exponent


def _raised_staged(stager: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    unit, exponent = arguments
    if isinstance(exponent, (int, float, np.number)) or unit == one():
        return raised(unit, exponent)
    stager.refuse("a power of a unit that is known at run time only")


raised.__symdiff_staged__ = _raised_staged  # type: ignore[attr-defined]


def conversion(function: np.ufunc, *units: Any) -> tuple[tuple[Any, ...], Any]:
    """What the operands of a ufunc are multiplied by, and the unit of what it gives.

    None: the operand is taken as it is. False: it has no unit, and is to be zero or not finite.
    """
    from astropy.units.quantity_helper import UFUNC_HELPERS

    converters, unit = UFUNC_HELPERS[function](function, *units)
    return tuple(c and _scale(c) for c in converters), unit


def _scale(converter: Any) -> float:
    scale: float = converter(1.0)
    if converter(0.0) != 0.0 or converter(3.0) != 3.0 * scale:
        raise NotImplementedError("a conversion that is no product, and is enabled for all units")
    return scale


# Numbers ------------------------------------------------------------------------------------------


def is_quantity(x):
    return isinstance(x, Quantity.__symdiff_class__)


def _number(x):
    """What has no unit, as the operand of a ufunc."""
    if isinstance(x, (list, tuple)):
        return np.array(x)
    if not isinstance(x, (bool, int, float, complex, np.ndarray, np.generic)):
        refuse("a Quantity with what is no number")
    return x


def _unit(x):
    return x.unit if is_quantity(x) else None


def _applied(function, *inputs):
    """A ufunc of operands of which some are quantities."""
    scales, unit = conversion(function, *[_unit(x) for x in inputs])
    taken = []
    for x, scale in zip(inputs, scales):  # noqa: B905
        number = x.value if is_quantity(x) else _number(x)
        if scale is False:
            _require_arbitrary(number)
        elif scale is not None:
            number = scale * number
        taken.append(number)
    made = function(*taken)
    return made if unit is None else Quantity(made, unit)


def _require_arbitrary(number):
    """Zero, and what is not finite, has any unit."""
    if not np.all(np.logical_or(np.equal(number, 0.0), np.logical_not(np.isfinite(number)))):
        raise_conversion_error("a number that has no unit, beside a quantity that has one")


def raise_conversion_error(message):
    from astropy.units import UnitConversionError

    raise UnitConversionError(message)


def _in_unit(x, unit):
    """What is to be written, or compared: numbers of a unit."""
    if is_quantity(x):
        return x.to_value(unit)
    number = _number(x)
    scale = scale_between(one(), unit)
    if scale is None:
        _require_arbitrary(number)
        return number
    return number if is_one(scale) else number * scale


def _converted(quantity, unit, equivalencies):
    """The numbers in another unit, always new ones."""
    scale = scale_between(quantity.unit, unit)
    if scale is not None:
        return scale * quantity.values
    if not equivalencies and not is_convertible(quantity.unit, unit):
        raise_conversion_error("units that are not convertible")
    return quantity.unit.to(unit, quantity.values, equivalencies=equivalencies)


def _power(base, exponent):
    plain = exponent.to_value(one()) if is_quantity(exponent) else _number(exponent)
    if not is_quantity(base):
        return Quantity(_number(base) ** plain, one())
    if np.ndim(plain) > 0:
        refuse("an array as the exponent of a Quantity")
    return Quantity(base.value**plain, raised(base.unit, exponent))


def quantity(value, unit=None, dtype=np.inexact, copy=True, order=None, subok=False, ndmin=0):
    """``Quantity(value, unit)``."""
    if order is not None or ndmin != 0 or isinstance(value, str):
        refuse("order=, ndmin=, or a text as the value")
    if isinstance(value, (list, tuple)) and len(value) > 0 and is_quantity(value[0]):
        value = Quantity(np.stack([_in_unit(each, value[0].unit) for each in value]), value[0].unit)
    if is_quantity(value):
        wanted = value.unit if unit is None else unit_of(unit)
        if copy is not True and wanted is value.unit and dtype is np.inexact:
            return value
        values = value.to_value(wanted)
    else:
        wanted = one() if unit is None else unit_of(unit)
        values = value
    kept = None if dtype is np.inexact else dtype
    made = np.array(values, dtype=kept, copy=copy if isinstance(values, np.ndarray) else None)
    if dtype is np.inexact and made.dtype.kind in "iu":
        made = made.astype(float)
    return Quantity(made, wanted)


def called_with(function, units, values):
    """What a function gives of values in these units: its numbers, and what is told of them."""
    arguments = [_in_units(*pair) for pair in zip(values, units, strict=True)]
    held = []
    for k in range(len(units)):
        held += _containers(arguments[k], units[k])
    result = function(*arguments)
    for container, items in held:
        if not is_as_it_was(container, items):
            refuse("a container of quantities that the function changes")
    return taken_apart(result)


def _containers(value, unit):
    """The containers that are made of an argument, each with its items."""
    if not isinstance(unit, tuple):
        return []
    _, keys, parts = unit
    items = tuple([value[key] for key in keys])
    found = [(value, items)]
    for k in range(len(keys)):
        found += _containers(items[k], parts[k])
    return found


def is_as_it_was(container: Any, items: Any) -> bool:
    """Return whether a container holds these items, and no others."""
    held = [*container.values()] if isinstance(container, dict) else [*container]
    return len(held) == len(items) and all(map(operator.is_, held, items))


def _is_as_it_was_staged(
    stager: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]
) -> bool:
    container, items = arguments
    parts = stager.parts(container)
    held = () if parts is None else parts[2]
    return len(held) == len(items) and all(a is b for a, b in zip(held, items, strict=True))


is_as_it_was.__symdiff_staged__ = _is_as_it_was_staged  # type: ignore[attr-defined]


def _in_units(value, unit):
    """A value in a unit, or in None; the items of a container each in its own."""
    from astropy.units import Quantity as Made

    if not isinstance(unit, tuple):
        return value if unit is None else Made(value, unit, dtype=None, copy=False)
    kind, keys, parts = unit
    items = [_in_units(value[keys[k]], parts[k]) for k in range(len(keys))]
    if kind is dict:
        return {keys[k]: items[k] for k in range(len(keys))}
    if kind is list:
        return items
    return tuple(items) if kind is tuple else kind(*items)


def taken_apart(result):
    """Numbers, and as the key of a dict their unit, or None: of a container a tuple of these.

    A dict of None keeps its keys in every derivative.
    """
    if is_quantity(result):
        return result.value, {result.unit: None}
    if isinstance(result, dict):
        found = {key: taken_apart(part) for key, part in result.items()}
        by_key = {key: part[0] for key, part in found.items()}
        return by_key, tuple([part[1] for part in found.values()])
    if not isinstance(result, (list, tuple)):
        return result, {None: None}
    pairs = [taken_apart(part) for part in result]
    numbers, told = [part[0] for part in pairs], tuple([part[1] for part in pairs])
    if isinstance(result, list):
        return numbers, told
    return tuple(numbers) if type(result) is tuple else type(result)(*numbers), told


def of_numbers(function: Any, names: Sequence[str], units: Sequence[Any]) -> Any:
    """The function of plain arrays, named so, that calls one of quantities in these units."""

    def target(*values):
        return called_with(function, units, values)

    own = getattr(function, "__name__", "")
    name, given = own if own.isidentifier() else "function", ", ".join(names)
    called = "target"
    while called in (name, *names):
        called += "_"
    namespace = {called: target, "__name__": getattr(function, "__module__", None)}
    exec(f"def {name}({given}): return {called}({given})", namespace)  # no class has the caller
    return namespace[name]


# Functions ----------------------------------------------------------------------------------------

_UFUNCS = (
    *("absolute", "fabs", "negative", "positive", "conjugate", "rint", "floor", "ceil", "trunc"),
    *("sqrt", "cbrt", "square", "reciprocal", "exp", "expm1", "exp2", "log", "log2", "log10"),
    *("log1p", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "sin", "cos", "tan"),
    *("arcsin", "arccos", "arctan", "degrees", "radians", "rad2deg", "deg2rad"),
    *("isfinite", "isinf", "isnan", "sign", "signbit"),
    *("add", "subtract", "multiply", "divide", "floor_divide", "remainder", "matmul"),
    *("arctan2", "hypot", "maximum", "minimum", "fmax", "fmin", "fmod", "copysign", "logaddexp"),
    *("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"),
)
_OF_THE_SAME_UNIT = (  # of new numbers
    *("sum", "mean", "std", "min", "max", "median", "cumsum", "diff", "ptp", "round", "around"),
    *("nansum", "nanmean", "nanstd", "nanmin", "nanmax", "nanmedian", "sort", "roll", "trace"),
    *("copy", "zeros_like", "percentile", "quantile", "repeat", "tile"),
)
_VIEWS = ("ravel", "reshape", "transpose", "flip", "squeeze", "moveaxis", "swapaxes", "diagonal")
_PLAIN = ("shape", "ndim", "size", "argmin", "argmax", "argsort", "isreal", "iscomplex")
_METHODS = ("sum", "mean", "std", "min", "max", "cumsum", "round", "squeeze", "trace")


def _of_ufunc(function):
    def of_quantity(*inputs, **options):
        if options:
            refuse("out=, where= or dtype=")
        return _applied(function, *inputs)

    return of_quantity


def _of_same_unit(function):
    def of_quantity(a, *arguments, **keywords):
        _require_first(a, *arguments, *keywords.values())
        return Quantity(function(a.values, *arguments, **keywords), a.unit)

    return of_quantity


def _of_views(function):
    def of_quantity(a, *arguments, **keywords):
        _require_first(a, *arguments, *keywords.values())
        return Quantity(function(a.values, *arguments, **keywords), a.unit)

    return of_quantity


def _of_numbers(function):
    def of_quantity(a, *arguments, **keywords):
        _require_first(a, *arguments, *keywords.values())
        return function(a.values, *arguments, **keywords)

    return of_quantity


def _of_squares(function):
    def of_quantity(a, *arguments, **keywords):
        _require_first(a, *arguments, *keywords.values())
        return Quantity(function(a.values, *arguments, **keywords), a.unit**2)

    return of_quantity


def _require_first(first, *others):
    if not is_quantity(first) or any(map(is_quantity, others)):
        refuse("quantities in these places")


def _of_products(function):
    def of_quantities(a, b):
        made = function(*[x.value if is_quantity(x) else _number(x) for x in (a, b)])
        return Quantity(made, (_unit(a) or one()) * (_unit(b) or one()))

    return of_quantities


def _asarray(a, dtype=None):
    return np.asarray(a.values, dtype=dtype)


def _asanyarray(a, dtype=None):
    return a if dtype is None else a.astype(dtype)


def _of_joined(function):
    def of_quantities(arrays, *arguments, **keywords):
        _require_first(arrays[0], *arguments, *keywords.values())
        unit = arrays[0].unit
        return Quantity(function([_in_unit(a, unit) for a in arrays], *arguments, **keywords), unit)

    return of_quantities


def _full_like(a, fill_value, *, shape=None):
    unit = a.unit
    return Quantity(np.full_like(a.values, _in_unit(fill_value, unit), shape=shape), unit)


def _where(condition, x, y):
    unit = x.unit if is_quantity(x) else y.unit
    return Quantity(np.where(condition, _in_unit(x, unit), _in_unit(y, unit)), unit)


class Constant(Quantity):
    """One of ``astropy.constants``, which may have other numbers in other systems of units."""

    @property
    def si(self):
        return Quantity(self.si_values, self.si_unit)

    @property
    def cgs(self):
        return Quantity(self.cgs_values, self.cgs_unit)


@when_imported("astropy.units")
def register(units: Any) -> None:
    """Quantities, units, and NumPy's functions of quantities."""
    Quantity.__symdiff_class__ = units.Quantity
    CONSTANTS.append(units.UnitBase)
    INSTANCES[units.Quantity] = Quantity, {"values": (np.ndarray,), "unit": ("unit",)}
    declare_pure(unit_of, one, is_unit, is_attribute, scale_between, is_one, decomposed, scale_of)
    declare_pure(conversion, is_convertible, text_after, units.Unit)
    for kind in _with_subclasses(units.UnitBase):
        declare_pure(*[vars(kind)[name] for name in _PURE_METHODS if name in vars(kind)])
    MADE[units.Quantity] = quantity  # type: ignore[assignment]
    for name in _UFUNCS:
        TABLE[getattr(np, name)] = _of_ufunc(getattr(np, name))
    for name in _OF_THE_SAME_UNIT:
        TABLE[getattr(np, name)] = _of_same_unit(getattr(np, name))
    for name in _VIEWS:
        TABLE[getattr(np, name)] = _of_views(getattr(np, name))
    for name in _PLAIN:
        TABLE[getattr(np, name)] = _of_numbers(getattr(np, name))
    for name in _METHODS:
        setattr(Quantity, name, TABLE[getattr(np, name)])
    TABLE[np.var] = Quantity.var = _of_squares(np.var)  # type: ignore[attr-defined]
    TABLE[np.dot] = Quantity.dot = _of_products(np.dot)  # type: ignore[attr-defined]
    TABLE[np.linalg.norm] = _of_same_unit(np.linalg.norm)
    TABLE[np.asarray] = _asarray
    TABLE[np.asanyarray] = _asanyarray
    TABLE[np.power] = _power
    TABLE[np.where] = _where
    TABLE[np.full_like] = _full_like
    for name in ("concatenate", "stack", "vstack", "hstack"):
        TABLE[getattr(np, name)] = _of_joined(getattr(np, name))


@when_imported("astropy.constants")
def register_constants(constants: Any) -> None:
    """The constants of Astropy, of each class that it has for them."""
    for kind in _with_subclasses(constants.Constant):
        standing: type = type(kind.__name__, (Constant,), {"__symdiff_class__": kind})
        INSTANCES[kind] = standing, _OF_CONSTANTS


def _with_subclasses(cls: Any) -> Iterator[Any]:
    yield cls
    for kind in cls.__subclasses__():
        yield from _with_subclasses(kind)


_PURE_METHODS = (
    *("__mul__", "__rmul__", "__truediv__", "__rtruediv__", "__pow__", "__eq__", "__ne__"),
    *("__lt__", "__le__", "__gt__", "__ge__", "__str__", "__repr__", "__format__", "_to"),
    *("decompose", "is_equivalent", "is_unity", "to_string", "find_equivalent_units", "compose"),
)
_OF_CONSTANTS = {
    f"{system}{name}": (*steps, attribute)
    for system, steps in (("", ()), ("si_", ("si",)), ("cgs_", ("cgs",)))
    for name, attribute in (("values", np.ndarray), ("unit", "unit"))
}
