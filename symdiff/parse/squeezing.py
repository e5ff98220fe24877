"""``np.squeeze`` of an array that has axes of a length known at run time only.

How many axes are left is then known at run time only as well: what it gives is one of several, as
after ``x[0, ...] if len(x) == 1 else x``.
"""

from __future__ import annotations

import numpy as np

from symdiff.ir.types import may_be_one
from symdiff.ops.arithmetic import equal
from symdiff.ops.declare import FUNCTIONS, NeedsStatic, array_type
from symdiff.ops.sizes import sizes_of
from symdiff.parse.arguments import as_array
from symdiff.parse.branches import joined_cases
from symdiff.parse.calls import builtin, call_lowering
from symdiff.parse.demand import can_be_known
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.items import get_item
from symdiff.parse.methods import ARRAYS, method
from symdiff.parse.values import Abstract, Array


@builtin(np.squeeze)
@method(ARRAYS)
def squeeze(interp: Interpreter, *arguments: Abstract, **keywords: Abstract) -> Abstract:
    options = (*arguments[1:], *keywords.values())
    if not arguments or any(axis is not None for axis in options):
        return call_lowering(interp, FUNCTIONS[np.squeeze], arguments, keywords)
    array = arguments[0]
    if not isinstance(array, Array):
        array = interp.wrap(as_array(interp, array))
    rank = array_type(interp.lift(array)).rank
    if not rank:
        return call_lowering(interp, FUNCTIONS[np.squeeze], [array], {})
    return _squeezed(interp, array, rank, ())


def _squeezed(interp: Interpreter, array: Abstract, left: int, ones: tuple[int, ...]) -> Abstract:
    """The array without those of its first ``left`` axes that are 1 long, and without ``ones``.

    An axis of which that is known at run time only is taken away, or not, by a branch.
    """
    if not (left or ones):
        return array
    if not left:
        return call_lowering(interp, FUNCTIONS[np.squeeze], [array], {"axis": ones})
    axis = left - 1
    value = interp.lift(array)
    dim, size = array_type(value).shape[axis], sizes_of(value)[axis]
    if isinstance(size, int) or not may_be_one(dim):
        return _squeezed(interp, array, axis, (axis, *ones) if dim == 1 else ones)
    if can_be_known(interp, size):
        raise NeedsStatic(size)

    def without() -> Abstract:
        place = (slice(None),) * axis + (0, Ellipsis)
        return _squeezed(interp, get_item(interp, array, place), axis, tuple(k - 1 for k in ones))

    def whole() -> Abstract:
        return _squeezed(interp, array, axis, ones)

    return joined_cases(interp, equal(size, 1), without, whole, "squeeze")
