"""The printer: what it writes parses back to the tree, also without the classes of ``ast`` that
Python 3.14 has removed, which astor was written for.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

import pytest

import symdiff as sd
from symdiff.emit import printer
from symdiff.emit.trees import same_tree

REMOVED = ("Str", "Num", "Bytes", "NameConstant", "Ellipsis")


def forget_astor(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "astor"]:
        monkeypatch.delitem(sys.modules, name)
    printer._printer.cache_clear()


@pytest.fixture(params=[False, True], ids=["this Python", "as Python 3.14 has it"])
def without_removed(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """``ast`` as it is, and without what 3.14 removed, before astor is imported."""
    with monkeypatch.context() as patched:
        if request.param:
            patched.setattr(ast, "__getattr__", missing, raising=False)  # by which 3.12 has them
            for name in REMOVED:
                patched.delattr(ast, name, raising=False)
            forget_astor(patched)
            assert not any(hasattr(ast, name) for name in REMOVED)
        yield
    printer._printer.cache_clear()


def missing(name: str) -> None:
    raise AttributeError(name)


STATEMENTS = [
    "x[i, 1:n, ::-2, ..., None] = (a + b) * c ** -d ** 2 @ e",
    "x = -(-1), (- 1) ** 2, 2 ** -1, (1 + 2j) * 3j, 1.5e-300, 1e+22, True, None, b'a\\n', ...",
    "x = 'a\\n\\'\\\"', \"it's\", '', 'long ' 'word ' * 40, '{}', '\\x00\\u202e'",
    "x = f'{a!r:>{width}} of {b:.3f} {{}}', f'{d[\"k\"]}', f\"{'a'}\", f'', f'{a + 1 = }'",
    "x: float = y if a < b <= c and not d or e is not f else (yield)",
    "x = [a for b, in c if d if e], {a: b for a in c}, {*a}, (a for a in b), {**a, 'b': 1}",
    "x = f(a, *b, c=1, **d), (lambda a, /, b=1, *c, d, **e: a)(1), (a,), (), [], {}",
    "x, *y = ~a | b & c ^ d << 1 >> 2, a // b % c",
    "x += np.sum(y, axis=(0, -1))",
    "del x[0], y.a",
    "assert a, f'{a}'",
    "raise ValueError('a') from None",
    "return (yield_ := 1)",
    "if a:\n    pass\nelif b:\n    x = 1\nelse:\n    x = 2",
    "for i, (a, b) in enumerate(c):\n    break\nelse:\n    x = 1",
    "while True:\n    continue",
    "with np.errstate(all='ignore') as e, f():\n    x = 1",
    "def f(a, b=1, /, c=2, *d, e, **g) -> float:\n    'text'\n    return a",
    "try:\n    x = 1\nexcept (A, B) as e:\n    raise\nfinally:\n    y = 1",
]


@pytest.mark.usefixtures("without_removed")
@pytest.mark.parametrize("text", STATEMENTS)
def test_what_is_printed_says_what_was_meant(text: str) -> None:
    (tree,) = ast.parse(text).body
    printed = printer.print_statement(tree)
    (again,) = ast.parse(printed).body
    assert same_tree(again, ast.parse(text).body[0]), printed


@pytest.mark.usefixtures("without_removed")
def test_statements_are_never_wrapped() -> None:
    names = " + ".join(f"name_{k}" for k in range(60))
    assert printer.print_statement(ast.parse(f"x = {names}")) == f"x = {names}"
    (text,) = ("word " * 60,)
    assert printer.print_statement(ast.parse(f"x = {text!r}")) == f"x = {text!r}"


@pytest.mark.usefixtures("without_removed")
def test_programs_are_emitted() -> None:
    def f(x, name):  # type: ignore[no-untyped-def]
        if x < 0:
            raise ValueError(f"{name} is {x:.3f}, below {0!r}")
        print("x", x, sep=": ")
        return x**2 if x > 1.0 else x * 1e300

    source = sd.grad(f).source("float", "word")
    assert "raise ValueError(f" in source
    assert "1e+300" in source or "1e300" in source
