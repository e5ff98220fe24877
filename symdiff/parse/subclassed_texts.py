"""Texts of subclasses of ``str``: made of a known text they are the Python objects themselves.

    class Joined(str):                              key = Joined("_")
        def __call__(self, *parts):                 rates[key("k", 1)]  ─▶  rates["k_1"]
            return Joined(self.join(parts))

A text that is known at run time only is made one by the call that stands there.
"""

from __future__ import annotations

from symdiff.parse.calls import builtin
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.opaque import call_opaque
from symdiff.parse.texts import percent
from symdiff.parse.values import Abstract


@builtin(str.__new__)
def _new_text(
    interp: Interpreter, cls: type, /, *arguments: Abstract, **keywords: Abstract
) -> Abstract:
    text = interp.call(str, arguments, keywords)
    if cls is str:
        return text
    if not isinstance(text, str):
        return call_opaque(interp, cls, [text], {})
    return str.__new__(cls, str.__str__(text))


@builtin(str.__mod__)
def _percent(interp: Interpreter, text: Abstract, operand: Abstract) -> Abstract:
    return percent(interp, text, operand) if isinstance(text, str) else NotImplemented
