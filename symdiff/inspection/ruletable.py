"""The table of derivative rules as text, HTML and Markdown.

``python -m symdiff.inspection.ruletable`` prints it as Markdown; with the path of a file, it is
written there: so is ``symdiff/inspection/rules.md`` made.

>>> print(table_of("arctan", "matmul"))
arctan: Inverse tangent.
    y = np.arctan(x)
    dy_dx = 1.0 / (1.0 + x * x)
<BLANKLINE>
matmul: Matrix product, over leading axes by broadcasting.
    y = X @ Y
    X_bar = g @ Y.T
    Y_bar = X.T @ g
    y_dot = X_dot @ Y
    y_dot += X @ Y_dot
"""

from __future__ import annotations

import ast
import difflib
import functools
import html
import importlib.util
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np

from symdiff.definitions.libraries import load_all
from symdiff.emit.printer import print_statement
from symdiff.errors import SignatureError
from symdiff.inspection.colours import in_html, styles
from symdiff.inspection.rules import RuleRecord, assigned, rule_of
from symdiff.ops.declare import FUNCTIONS, REGISTRY, declared_in
from symdiff.ops.rules import custom_call

_INDENT = "    "


class RuleTable(Sequence[RuleRecord]):
    """Records of rules, a sequence in the order of the registry.

    ``str`` and notebooks show them; ``as_dicts`` gives plain data, ``as_markdown`` documentation.
    """

    def __init__(self, records: Sequence[RuleRecord]) -> None:
        self.records = tuple(records)

    @overload
    def __getitem__(self, index: int) -> RuleRecord: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[RuleRecord]: ...
    def __getitem__(self, index: int | slice) -> RuleRecord | Sequence[RuleRecord]:
        return self.records[index]

    def __len__(self) -> int:
        return len(self.records)

    def as_dicts(self) -> list[dict[str, Any]]:
        """Each record as plain data."""
        return [record.as_dict() for record in self.records]

    def __str__(self) -> str:
        return "\n\n".join("\n".join(_described(record)) for record in self.records)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = "".join(_row(record) for record in self.records)
        return (
            f'<div class="symdiff"><style>{styles(".symdiff")}</style><table>{rows}</table></div>'
        )

    def as_markdown(self) -> str:
        """The table as documentation."""
        return "\n".join(_document(self.records))


def table_of(*asked: str | Callable[..., Any]) -> RuleTable:
    """The rules of ops given by name (``"tanh"``, ``"np.tanh"``) or function; of all, if none is.

    :raises SignatureError: where an op of that name does not exist.
    """
    assert custom_call.name in REGISTRY  # it is declared by a module that few import
    ops = _in_order()
    names = list(map(_op_name, asked)) if asked else list(filter(_is_there, ops))
    return RuleTable([_record(name) for name in names])


def _in_order() -> list[str]:
    """The names of all ops; families that wait for a library come last, whatever is imported."""
    places = {module: k for k, module in enumerate(load_all())}
    return sorted(REGISTRY, key=lambda name: places.get(declared_in(name), -1))


_record = functools.cache(rule_of)


def _is_there(op: str) -> bool:
    """Return whether the library that has the op's function is installed."""
    return not op.startswith(_OF_SCIPY) or importlib.util.find_spec("scipy") is not None


_OF_SCIPY = ("special_", "linalg_", "signal_")


def _op_name(asked: str | Callable[..., Any]) -> str:
    """The op that a text or a function means."""
    if isinstance(asked, str):
        module, _, name = asked.rpartition(".")
    else:
        module, name = getattr(asked, "__module__", "") or "", getattr(asked, "__name__", "")
    package, *parts = module.split(".")
    public = parts[0] if package == "scipy" and parts else module.rpartition(".")[2]
    family = public or "special"  # its ufuncs do not tell where they are from
    candidates = (f"{family}_{name}", name, name.removesuffix("()"))
    found = next((candidate for candidate in candidates if candidate in REGISTRY), None)
    if found is None:
        near = difflib.get_close_matches(name, REGISTRY, 3)
        meant = f"did you mean {' or '.join(near)}? " if near else ""
        raise SignatureError(
            f"there is no op called {name!r}",
            hint=f"{meant}functions that are made of other ops have no rule of their own",
        )
    return found


# Text ---------------------------------------------------------------------------------------------


def _described(record: RuleRecord) -> Iterator[str]:
    yield f"{record.op}: {record.meaning}"
    for code in (*([program(record)] if record.call else []), *partials(record)):
        yield from textwrap.indent(code, _INDENT).split("\n")
    for remark in remarks(record):
        yield f"{_INDENT}{remark}"


def partials(record: RuleRecord) -> Iterator[str]:
    """The partial derivatives as assignments."""
    for name, code in record.partials.items():
        yield assigned(f"dy_d{name}", code)


def program(record: RuleRecord) -> str:
    """The call and its rules, one statement after another; partial derivatives are not among them.

    The shares of operands in ``y_dot`` add up.
    """
    assert record.call is not None
    lines = [assigned("y", record.call)]
    lines += [assigned(f"{name}_bar", code) for name, code in record.reverse.items()]
    for number, code in enumerate(record.forward.values()):
        lines.append(assigned("y_dot", code, "+=" if number else "="))
    return "\n".join(lines)


def remarks(record: RuleRecord) -> Iterator[str]:
    """What is to be said of an op beside its rules."""
    if record.linear:
        yield f"Linear in {_listed(record.linear)}: y_dot is the op applied to the tangents."
    if not record.flows:
        yield "No derivative flows through it."
    elif record.constant:
        yield f"No derivative flows through {_listed(record.constant)}."
    if record.refused:
        yield f"A derivative by {_listed(record.refused)} is refused."
    if record.masked and record.flows:
        yield "Strong zeros."


def _listed(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


# HTML ---------------------------------------------------------------------------------------------


def _row(record: RuleRecord) -> str:
    cell = 'style="text-align: left; vertical-align: top; padding: .2em 1em .2em 0"'
    codes = [program(record)] if record.call else []
    shown = "".join(_code(code) for code in (*codes, *partials(record)))
    told = html.escape(" ".join([record.meaning, *remarks(record)]))
    told = re.sub(r"``(.*?)``", r"<code>\1</code>", told)
    texts = (html.escape(record.op), shown, told)
    return f"<tr>{''.join(f'<td {cell}>{text}</td>' for text in texts)}</tr>"


def _code(code: str) -> str:
    lines = "\n".join(in_html(code.split("\n")))
    return f'<pre style="margin: 0; background: none">{lines}</pre>'


# Markdown -----------------------------------------------------------------------------------------

_HEAD = """\
# Derivative rules

Printed from the registry of ops by
`python -m symdiff.inspection.ruletable symdiff/inspection/rules.md`; in Python,
`symdiff.rules()` gives the same, `symdiff.rules("tanh")` those of one op. In the code `y` is the
result (`y0` and `y1` where there are two) and `g` its cotangent; `x_dot` is the tangent of `x` and
`x_bar` its cotangent. Each is what the rule builds for operands that are not broadcast, as it is
emitted; functions without a module are those of `symdiff.ops.support`. Ops that the compiler makes
of lists, casts and effects are left out here; `symdiff.rules()` names them.

*Strong zeros*: where a cotangent or tangent is zero, so is its product with the partial derivative,
even if that is infinite or NaN there.
"""
_PARTIALS = """
## Elementwise: partial derivatives

Both modes multiply with these. Lower-case operands are arrays of floats.

| call | partial derivatives | |
| --- | --- | --- |"""
_OTHERS = """
## Other ops: a rule for each operand

Where an op is linear in an operand, its cotangent is the transpose, and the op itself is the rule
of forward mode.
"""
_CONSTANT = """
## No derivative flows

Through these none is taken: their results are whole numbers, truth values, or constant between
jumps.
"""


def _document(records: Sequence[RuleRecord]) -> Iterator[str]:
    """The lines of the documentation."""
    yield _HEAD + _PARTIALS
    yield from (_table_row(record) for record in records if record.partials)
    yield _OTHERS
    for record in records:
        if record.reverse:
            yield from _section(record)
    yield _CONSTANT
    yield from _listing(record for record in records if not record.flows and is_named(record.op))


def is_named(op: str) -> bool:
    """Return whether users call the op by its name; others the compiler makes for its own ends."""
    if op.startswith(("math_", "cmath_", "special_")):
        return True
    return any(getattr(module, op, None) in FUNCTIONS for module in (np, np.linalg))


def _table_row(record: RuleRecord) -> str:
    code = "<br>".join(f"{name}: {_inline(code)}" for name, code in record.partials.items())
    told = _told(record)
    return f"| {_inline(record.call or record.op)} | {code} | {told} |"


def _inline(code: str) -> str:
    """Code in a cell: statements one after another, each in one line."""
    statements = map(print_statement, ast.parse(code).body)
    text = "; ".join("\n".join(statements).splitlines()).replace("|", "\\|")
    return f"`{text}`"


def _markdown(text: str) -> str:
    """A remark, with code between single backquotes, and nothing that ends a cell."""
    return re.sub(r"``", "`", text).replace("|", "\\|")


def _told(record: RuleRecord) -> str:
    return " ".join(map(_markdown, (record.meaning, *remarks(record))))


def _section(record: RuleRecord) -> Iterator[str]:
    yield f"### {record.op}\n\n{_told(record)}\n"
    yield f"```python\n{program(record)}\n```\n"


def _listing(records: Iterator[RuleRecord]) -> Iterator[str]:
    for record in records:
        call = _inline(record.call) if record.call else f"`{record.op}`"
        told = record.meaning.partition("; no derivative")[0].rstrip(".")
        yield f"- {call}: {_markdown(told)}."


def main(paths: list[str]) -> None:
    """Print the documentation, or write it into the files."""
    text = table_of().as_markdown() + "\n"
    if not paths:
        print(text, end="")
    for path in map(Path, paths):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
