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
_EXCEPT = f"{_INDENT}except (ArithmeticError, ValueError):"
_PASS = f"{_INDENT * 2}pass  # beyond what Python's floats do: NumPy's give inf or nan"


def with_fallback(fast: Emitted, slow: Emitted) -> Emitted:
    """``fast``, which calls ``slow`` with the same arguments where Python's floats raise.

    Where both compute the same in the same way, the second would raise as well, and is left out.
    What they call stands before them.
    """
    head, body = divided(fast.text)
    if body == divided(slow.text)[1] and len(module_of(fast.text).body) == 1:
        return fast
    names = ", ".join(parameter.name for parameter in fast.parameters)
    final = f"{_INDENT}return {slow.name}({names})"
    lines = [*head, *tried_in(body), final, "", ""]
    shift = len(lines)
    moved = {number + (number > len(head)): span for number, span in fast.lines.items()}
    below = {number + shift: span for number, span in slow.lines.items()}
    return replace(
        fast,
        text="\n".join([*lines, slow.text]),
        modules={**fast.modules, **slow.modules},
        objects={**fast.objects, **slow.objects},
        lines=moved | below,
    )


def tried_in(body: list[str]) -> list[str]:
    """The lines of a body in a ``try`` that goes on below where Python's floats raise."""
    inner = [f"{_INDENT}{line}" if line else line for line in body]
    return [f"{_INDENT}try:", *inner, _EXCEPT, _PASS]


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
