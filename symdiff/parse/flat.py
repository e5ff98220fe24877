"""Writing through ``a.flat``: values in C order, again from the first where there is more room.

>>> import numpy as np
>>> a = np.zeros(5)
>>> a.flat[1:] = [[1.0], [2.0], [3.0]]
>>> a
array([0., 1., 2., 3., 1.])
"""

from __future__ import annotations

import numpy as np

from symdiff.ops.declare import array_type
from symdiff.parse.arguments import as_array
from symdiff.parse.blame import users
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.items import get_item, set_item
from symdiff.parse.values import Abstract, Array


def set_flat(interp: Interpreter, flat: Array, key: Abstract, content: Abstract) -> None:
    """``a.flat[key] = content``, where ``flat`` is the view that ``a.flat`` stands for."""
    given = array_type(as_array(interp, content)).shape
    if given:
        place = get_item(interp, flat, key)
        room = array_type(interp.lift(place)).shape
        if not room:
            raise users(ValueError("Error setting single item of array."))
        if 0 in given:  # nothing is written
            return
        if given not in (room, (1,)):
            shape = interp.attribute(place, "shape")
            content = interp.call(np.resize, [content, shape], {})
    set_item(interp, flat, key, content)
