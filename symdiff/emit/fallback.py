"""Two texts of one function in one: the fast one, and the one that takes over where it raises.

    def f_grad(x):
        try:
            return 3 * math.log(x)
        except (ArithmeticError, ValueError):
            pass  # beyond what Python's floats do: NumPy's give inf or nan
        return f_grad_by_numpy(x)

Both must be free of effects: what the fast one did before it raised is done again.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from symdiff.emit.emitted import Emitted
from symdiff.source.trees import module_of

_INDENT = "    "
FLOATS_RAISE = "ArithmeticError, ValueError"
LISTS_RAISE = "ArithmeticError, LookupError, ValueError"
_PASS = f"{_INDENT * 2}pass  # beyond what Python's floats do: NumPy's give inf or nan"


def with_fallback(fast: Emitted, slow: Emitted, raised: str = FLOATS_RAISE) -> Emitted:
    """``fast``, which calls ``slow`` with the same arguments where Python's floats raise: with what
    parameters were before it has given them other values.

    Where both compute the same in the same way, the second would raise as well, and is left out.
    What they call stands before them.
    """
    head, body = divided(fast.text)
    if body == divided(slow.text)[1] and len(module_of(fast.text).body) == 1:
        return fast
    given = _given(fast)
    kept = [f"{_INDENT}{new} = {name}" for name, new in given.items() if new != name]
    final = f"{_INDENT}return {slow.name}({', '.join(given.values())})"
    lines = [*head, *kept, *tried_in(body, raised), final, "", ""]
    shift, down = len(lines), len(kept) + 1
    moved = {number + down * (number > len(head)): span for number, span in fast.lines.items()}
    below = {number + shift: span for number, span in slow.lines.items()}
    return replace(
        fast,
        text="\n".join([*lines, slow.text]),
        modules={**fast.modules, **slow.modules},
        objects={**fast.objects, **slow.objects},
        lines=moved | below,
    )


def _given(emitted: Emitted) -> dict[str, str]:
    """The names of a function's parameters, and those that keep what they were, where the function
    gives them other values.
    """
    *_, function = module_of(emitted.text).body
    names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
    set_anew = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    given = {parameter.name: parameter.name for parameter in emitted.parameters}
    taken = {node.id for node in names} | set(given)
    for name in [name for name in given if name in set_anew]:
        new = f"{name}_given"
        while new in taken:
            new += "_"
        given[name] = new
        taken.add(new)
    return given


def tried_in(body: list[str], raised: str = FLOATS_RAISE) -> list[str]:
    """The lines of a body in a ``try`` that goes on below where Python's floats raise."""
    inner = [f"{_INDENT}{line}" if line else line for line in body]
    return [f"{_INDENT}try:", *inner, f"{_INDENT}except ({raised}):", _PASS]


def divided(text: str) -> tuple[list[str], list[str]]:
    """The lines up to the head of the last function (with its docstring), and those of its body."""
    lines = text.rstrip("\n").split("\n")
    *_, function = module_of(text).body
    assert isinstance(function, ast.FunctionDef)
    first = function.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    if documented and first.end_lineno is not None:
        return lines[: first.end_lineno], lines[first.end_lineno :]
    signature_end = _signature_end(lines, first.lineno)
    return lines[:signature_end], lines[signature_end:]


def _signature_end(lines: list[str], first: int) -> int:
    """How many lines the signature takes: comments above the first statement are the body's."""
    end = first - 1
    while end > 1 and lines[end - 1].strip().startswith("#"):
        end -= 1
    return end
