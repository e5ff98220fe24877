"""Functions that hand their arguments on, of whose text nothing is known but what they do.

Libraries give a function another signature by ``exec``, under the name of a file that holds another
text, or none. The text is written anew; whether the function runs it, its code object tells.

>>> namespace = {"target": print}
>>> exec("def given(x, *rest, end=None): return target(x, *rest, end=end)", namespace)
>>> for text in forwarding_texts(namespace["given"]):
...     print(text)
def given(x, *rest, end=None):
    return target(x, *rest, end=end)
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator

FILE = "<made by exec>"


def forwarding_texts(function: types.FunctionType) -> Iterator[str]:
    """What a function may say that calls one other with all its arguments, and does no more."""
    code = function.__code__
    if len(code.co_names) != 1 or code.co_freevars or code.co_posonlyargcount:
        return
    parameters, rest, named, others = _parameters(code)
    with_default = parameters[len(parameters) - len(function.__defaults__ or ()) :]
    plain = parameters[: len(parameters) - len(with_default)]
    keywords = [f"{name}={name}" for name in named]
    taken = [*plain, *(f"{name}=None" for name in with_default), *(rest or ["*"] * bool(named))]
    optional = function.__kwdefaults__ or {}
    taken += [f"{name}=None" if name in optional else name for name in named]
    by_name = [f"{name}={name}" for name in with_default]
    for defaults in dict.fromkeys((tuple(by_name), with_default)):
        given = ", ".join([*plain, *defaults, *rest, *keywords, *others])
        signature = ", ".join([*taken, *others])
        yield f"def {code.co_name}({signature}):\n    return {code.co_names[0]}({given})"


def _parameters(
    code: types.CodeType,
) -> tuple[tuple[str, ...], list[str], tuple[str, ...], list[str]]:
    """Names by position, ``*rest`` if any, names by keyword, ``**others`` if any."""
    names, count = code.co_varnames, code.co_argcount
    end = count + code.co_kwonlyargcount
    left = list(names[end:])
    rest = [f"*{left.pop(0)}"] if code.co_flags & inspect.CO_VARARGS else []
    others = [f"**{left.pop(0)}"] if code.co_flags & inspect.CO_VARKEYWORDS else []
    return names[:count], rest, names[count:end], others
