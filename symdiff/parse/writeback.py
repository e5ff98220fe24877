"""What a function leaves behind outside itself: rebound globals, closure cells, attributes of objects."""

from __future__ import annotations

from symdiff import ops
from symdiff.ops.effects import Named
from symdiff.parse.heap import constant
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.opaque import Template
from symdiff.parse.values import ABSENT, ObjectRef


def write_back(interp: Interpreter) -> None:
    """Effect nodes at the function's end, in the order of the first writes."""
    for variable in interp.rebound:
        content = interp.content(variable)
        if content is ABSENT:
            continue
        template = Template(interp)
        value = template.of(content)
        owner = variable.owner
        if variable.kind == "global":
            ops.set_item(*_operands(template, value), owner=Named(owner, "globals_"), key=variable.name)
        else:
            ops.set_attribute(
                *_operands(template, value), owner=Named(owner, variable.name), name="cell_contents"
            )
    for owner, name in interp.attributes:
        content = interp.content((owner, name))
        if content is ABSENT:
            continue
        template = Template(interp)
        value = template.of(content)
        live = owner.live if isinstance(owner, ObjectRef) else owner.owner
        ops.set_attribute(*_operands(template, value), owner=Named(live, "self"), name=name)


def _operands(template: Template, value: object) -> tuple[object, ...]:
    return tuple(template.operands) if template.operands else (constant(value),)
