"""Quantities of Astropy as arguments and results of functions that are differentiated.

Such a call is one of a function of plain arrays, which makes the quantities, those in containers
too, and returns the numbers of the result and its units. That function is compiled; derivatives get
their units outside: a gradient that of the result by that of the argument, a tangent that of what
it belongs to. A unit is part of that function: for other units there is another one. Where Astropy
is installed, this gives ``<Quantity 6. kg m / s>``::

    def energy(speed):
        return 0.5 * (2.0 * units.kg) * speed**2

    symdiff.grad(energy)(3.0 * units.m / units.s)
"""

from __future__ import annotations

import contextlib
import itertools
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import AliasingError, SignatureError, SymdiffError, UnsupportedCallError
from symdiff.ir.structure import Container, children, construct
from symdiff.source.forwarding import FILE

if TYPE_CHECKING:
    from symdiff.api.objects import Differentiable

Units: TypeAlias = tuple[Any, ...]  # of the arguments; None of what has none, and of a container
# its type, its keys, and the units of its items
_KEPT = "__symdiff_in_units__"


def is_quantity(value: Any) -> bool:
    """Return whether a value is a quantity, not of a class of the user's or a logarithmic one."""
    module = sys.modules.get("astropy.units")
    return module is not None and type(value) is getattr(module, "Quantity", None)


def has_quantities(steps: Sequence[Any], arguments: Sequence[Any]) -> bool:
    """Return whether a quantity is among the arguments of a derivative, or their tangents."""
    if "astropy.units" not in sys.modules:
        return False
    if steps and steps[-1][0] == "Jvp":
        given = [each for each in arguments[-2:] if isinstance(each, tuple | list)]
        arguments = [*arguments[:-2], *itertools.chain(*given)]
    return any(map(_holds_quantity, arguments))


def _holds_quantity(value: Any) -> bool:
    """Return whether a value is a quantity, or a container with one: of a list the first counts."""
    if type(value) is list:
        return bool(value) and _holds_quantity(value[0])
    if type(value) is dict:
        return any(map(_holds_quantity, value.values()))
    if isinstance(value, tuple):
        return any(map(_holds_quantity, value))
    return is_quantity(value)


def called_in_units(made: Differentiable, arguments: tuple[Any, ...]) -> Any:
    """What a derivative gives for arguments in canonical form, some of which are quantities."""
    if made._steps[-1][0] == "Jvp":
        return _pushed_in_units(made, arguments)
    if made._steps[-1][0] == "Directional":
        return _along_in_units(made, arguments)
    numbers, units = _taken_apart(made, arguments)
    with _placed_in(made._function):
        given = _plain(made, units, numbers)(*numbers[made._skip :])
    places = [_places(made, step) for step in made._steps]
    if made._steps[-1][0] == "Jacobian":
        found, told = given
        return _jacobians(found, told, places, units)
    return _with_units(given, made._steps[-1][2:3] == (True,), places, units)


def _pushed_in_units(made: Differentiable, arguments: tuple[Any, ...]) -> Any:
    """The value and the tangent that ``jvp`` gives."""
    from symdiff.api.transforms import require_tangents

    *bound, primals, tangents = arguments
    skip, inner = made._skip, made._home.parameters
    if not (isinstance(primals, tuple | list) and isinstance(tangents, tuple | list)):
        raise SignatureError(
            "primals and tangents are tuples, one entry an argument", hint="jvp(f, (x,), (x_dot,))"
        )
    numbers, units = _taken_apart(made, inner.bind((*bound, *primals), {}))
    require_tangents(len(primals), len(tangents), len(numbers) - skip)
    along = _tangents(inner.names[skip:], tangents, units[skip:])
    with _placed_in(made._function):
        (value, told), (tangent, _) = _plain(made, units, numbers)(numbers[skip:], along)
    places = [_places(made, step) for step in made._steps[:-1]]
    return tuple(
        _told_apart(each, told, lambda part, unit: _quantity(part, _last(unit, places, units)))
        for each in (value, tangent)
    )


def _along_in_units(made: Differentiable, arguments: tuple[Any, ...]) -> Any:
    """What ``hvp`` gives: derivatives along the vector that is the last argument."""
    *rest, vector = arguments
    numbers, units = _taken_apart(made, rest)
    place = _places(made, made._steps[-1])
    along = _in_unit("the vector", vector, units[place])
    with _placed_in(made._function):
        found, told = _plain(made, units, numbers)(*numbers[made._skip :], along)
    places = [_places(made, step) for step in made._steps[:-1]]
    return _quantity(found, _last(_unit_of(told), places, units))


def pulled_back_in_units(made: Differentiable, arguments: tuple[Any, ...]) -> tuple[Any, Any]:
    """What ``vjp`` gives for arguments in canonical form, some of which are quantities."""
    numbers, units = _taken_apart(made, arguments)
    with _placed_in(made._function):
        (value, told), pullback = _plain(made, units, numbers, pulled=True).vjp(
            *numbers[made._skip :]
        )
    if isinstance(told, tuple):
        _refuse(made, "a pullback is of one of them, and of no container")
    unit = _last(_unit_of(told), [_places(made, step) for step in made._steps], units)
    back = UnitPullback(pullback, _unit_of(told), unit, units[made._skip :])
    return _quantity(value, unit), back


@dataclass(frozen=True, slots=True)
class UnitPullback:
    """A pullback whose cotangents, and what it gives, may be quantities.

    A cotangent without a unit is a plain number: the cotangent of an argument then has the unit of
    the gradient.
    """

    pullback: Callable[[Any], Any]
    told: Any  # the unit of what the function gives
    unit: Any
    units: Units

    def __call__(self, cotangent: Any) -> Any:
        """The cotangents of the arguments, one entry each, from that of the result."""
        number, given = cotangent, None
        if is_quantity(cotangent):
            number, given = cotangent.value, cotangent.unit
        result = _product(self.unit, given)
        told = {self.told: None}
        found = zip(self.pullback((number, told)), self.units, strict=True)
        return tuple(
            None if each is None else _by_parts(each, result, unit) for each, unit in found
        )


def _refuse(made: Differentiable, reason: str) -> NoReturn:
    hint = "pass the numbers, x.value, and make the quantities in the function"
    raise UnsupportedCallError(f"{made._name} of quantities: {reason}", hint=hint)


# Functions of plain arrays ------------------------------------------------------------------------


def _plain(
    made: Differentiable, units: Units, numbers: Sequence[Any], pulled: bool = False
) -> Differentiable:
    """The same derivative of the function of plain arrays, which returns its unit beside it;
    ``pulled``: to be differentiated by ``vjp``.

    :raises UnsupportedCallError: for one that has no units yet.
    """
    steps = tuple(_moved(step) for step in made._steps)
    kinds = [step and step[0] for step in steps]
    inner = [step for step in steps[: len(steps) - (not pulled)] if step and step[0] != "Jvp"]
    several = any(isinstance(step[1][0], tuple) or step[2:3] == (True,) for step in inner)
    if None in kinds:
        what = "grad, value_and_grad, jacobian, hessian, hvp, jvp and vjp"
        _refuse(made, f"only {what} take them, without has_aux and hooks")
    if made._home.parameters.arity < 0:
        _refuse(made, "no function with *args or keyword-only parameters takes them")
    if several or "Jvp" in kinds[:-1]:
        _refuse(made, "what is differentiated again may be a gradient by one argument alone")
    again = steps[: len(steps) - (not pulled)]
    if any(isinstance(units[_places(made, step)], tuple) for step in again):
        _refuse(made, "what is differentiated again may not be a gradient by a container")
    function = _function_in(made._function, made._home.parameters.names, units)
    plain = type(made)(function, tuple(numbers[: made._skip]), steps)
    if made._home.is_exact and not plain._home.is_exact:
        plain.require_exact()
    return plain


@contextlib.contextmanager
def _placed_in(function: Callable[..., Any]) -> Iterator[None]:
    """Errors show the function of quantities, not what calls it with their numbers."""
    from symdiff.parse import place_of

    try:
        yield
    except SymdiffError as error:
        if error.span is not None and error.span.file == FILE:
            error.span = place_of(function)
        error.call_chain = tuple(span for span in error.call_chain if span.file != FILE)
        raise


def _moved(step: Any) -> Any:
    """A step as that of a function which returns a unit, too; None where there is none."""
    if step[0] == "Gradient" and not any(step[3:]):
        return (*step[:2], step[2:3] == (True,), True)
    return step if step[0] in ("Jvp", "Jacobian", "Directional") else None


def _function_in(
    function: Callable[..., Any], names: Sequence[str], units: Units
) -> Callable[..., Any]:
    """The function of plain arrays that makes the quantities; the same one for the same units."""
    held = getattr(function, "__dict__", {})
    of, kept = held.get(_KEPT, (None, {}))
    if of is not function:  # a wrapper has got what the function inside has
        of, kept = function, {}
        if isinstance(held, dict):
            held[_KEPT] = of, kept
    from symdiff.definitions.quantities import of_numbers

    key = tuple(names), (units, repr(units))
    if key not in kept:
        kept[key] = of_numbers(function, names, units)
    found: Callable[..., Any] = kept[key]
    return found


def _taken_apart(made: Differentiable, arguments: Sequence[Any]) -> tuple[tuple[Any, ...], Units]:
    """The arrays of arguments in canonical form, and their units.

    :raises AliasingError: where one quantity is given twice.
    """
    seen: dict[int, str] = {}
    pairs = [
        _apart(value, name, seen)
        for name, value in zip(made._home.parameters.names, arguments, strict=True)
    ]
    return tuple(numbers for numbers, _ in pairs), tuple(unit for _, unit in pairs)


def _apart(value: Any, name: str, seen: dict[int, str]) -> tuple[Any, Any]:
    """The numbers of a value, and its unit, or those of its items."""
    if is_quantity(value):
        before = seen.setdefault(id(value), name)
        if before != name:
            raise AliasingError(
                f"{before} and {name} are one Quantity", hint="pass a copy of one of them"
            )
        return value.view(np.ndarray), value.unit
    if not _holds_quantity(value):
        return value, None
    keys, items = children(value) or ((), ())
    pairs = [_apart(item, f"{name}[{key!r}]", seen) for key, item in zip(keys, items, strict=True)]
    kind = type(value)
    numbers = construct(Container(kind, keys, ()), [part for part, _ in pairs])
    places = tuple(range(len(keys))) if isinstance(value, tuple) else keys
    return numbers, (kind, places, tuple(unit for _, unit in pairs))


def _places(made: Differentiable, step: Any) -> Any:
    """The positions of the arguments that a gradient is asked for."""
    inner, (argnums, skip) = made._home.parameters, step[1]
    if isinstance(argnums, tuple):
        return tuple(inner.names.index(inner.locate(one, skip)[0]) for one in argnums)
    return inner.names.index(inner.locate(argnums, skip)[0])


def _tangents(names: Sequence[str], tangents: Sequence[Any], units: Units) -> tuple[Any, ...]:
    """The numbers of tangents, in the units of the arguments; None for those of defaults."""
    padded = (*tangents, *[None] * (len(units) - len(tangents)))
    return tuple(map(_in_unit, names, padded, units))


def _in_unit(name: str, tangent: Any, unit: Any) -> Any:
    """The number of a tangent, in the unit of its argument.

    :raises SignatureError: where one of the two has a unit, and the other none.
    """
    if tangent is None or (unit is None and not is_quantity(tangent)):
        return tangent
    if isinstance(unit, tuple):
        parts = children(tangent)
        if parts is None or len(parts[1]) != len(unit[1]):
            raise SignatureError(f"the tangent of {name} has not the form of {name}")
        trio = zip(unit[1], parts[1], unit[2], strict=True)
        items = [_in_unit(f"{name}[{key!r}]", part, one) for key, part, one in trio]
        return construct(Container(type(tangent), parts[0], ()), items)
    if unit is None:
        raise SignatureError(f"the tangent of {name} is a Quantity, and {name} is none")
    if not is_quantity(tangent):
        raise SignatureError(
            f"the tangent of {name} has no unit, and {name} has the unit {unit}",
            hint=f"give a quantity: tangent * {name}.unit",
        )
    return tangent.to_value(unit)


# Units of results ---------------------------------------------------------------------------------


def _with_units(given: Any, gives_value: bool, places: Sequence[Any], units: Units) -> Any:
    """The result of gradients, each by the arguments at places, in its units."""
    (value, told), gradient = given if gives_value else ((None, given[1]), given[0])
    unit = _last(_unit_of(told), places[:-1], units)
    found = _by_argument(gradient, unit, places[-1], units)
    return (_quantity(value, unit), found) if gives_value else found


def _jacobians(given: Any, told: Any, places: Sequence[Any], units: Units) -> Any:
    """The result of a Jacobian, perhaps of gradients, of each part of what a function gives."""
    inner, asked = places[:-1], places[-1]
    return _told_apart(
        given, told, lambda part, unit: _by_argument(part, _last(unit, inner, units), asked, units)
    )


def _by_argument(found: Any, unit: Any, asked: Any, units: Units) -> Any:
    """Derivatives of what is in a unit by the arguments at places."""
    if not isinstance(asked, tuple):
        return _by_parts(found, unit, units[asked])
    pairs = zip(found, asked, strict=True)
    return tuple(_by_parts(one, unit, units[place]) for one, place in pairs)


def _by_parts(found: Any, unit: Any, other: Any) -> Any:
    """Derivatives of what is in a unit by an argument with this one, or with these of its items."""
    if not isinstance(other, tuple):
        return _quantity(found, _quotient(unit, other))
    parts = children(found)
    if parts is None:
        return found
    items = [_by_parts(part, unit, one) for part, one in zip(parts[1], other[2], strict=True)]
    return construct(Container(type(found), parts[0], ()), items)


def _told_apart(found: Any, told: Any, quantity: Callable[[Any, Any], Any]) -> Any:
    """What a function makes of each part of a result, and of its unit."""
    if not isinstance(told, tuple):
        return quantity(found, _unit_of(told))
    keys, parts = children(found) or ((), ())
    items = [_told_apart(*pair, quantity) for pair in zip(parts, told, strict=True)]
    return construct(Container(type(found), keys, ()), items)


def _unit_of(told: Any) -> Any:
    (unit,) = told
    return unit


def _last(unit: Any, places: Sequence[Any], units: Units) -> Any:
    """The unit of a gradient by one argument after another, of what has a unit."""
    for place in places:
        unit = _quotient(unit, units[place])
    return unit


def _quotient(unit: Any, other: Any) -> Any:
    return unit if other is None else _one(unit) / other


def _product(unit: Any, other: Any) -> Any:
    return unit if other is None else _one(unit) * other


def _one(unit: Any) -> Any:
    from astropy.units import dimensionless_unscaled

    return dimensionless_unscaled if unit is None else unit


def _quantity(numbers: Any, unit: Any) -> Any:
    """Numbers, and those in containers, in a unit; as they are, where that is None."""
    from astropy.units import Quantity

    if unit is None or numbers is None:
        return numbers
    parts = children(numbers)
    if parts is not None:
        items = [_quantity(item, unit) for item in parts[1]]
        return construct(Container(type(numbers), parts[0], ()), items)
    if not isinstance(numbers, (bool, int, float, complex, np.ndarray, np.generic)):
        kind = type(numbers).__name__
        raise UnsupportedCallError(
            f"a derivative by an object of {kind}, which is to have the unit {unit}",
            hint="pass its attributes as arguments",
        )
    return Quantity(np.asarray(numbers), unit, dtype=None, copy=False)
