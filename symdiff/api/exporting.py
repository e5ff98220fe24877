"""``export``: a derivative as a module of its own, which needs NumPy and not symdiff.

The module has the emitted function behind a check of its arguments (a ``TypeError`` that names the
parameter), and compares itself with differences of what it is the derivative of when it is run as a
program. Small free variables become constants, large ones parameters. It is written whole or not at
all.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import numpy as np

from symdiff import pipeline
from symdiff.api.examples import example_arguments
from symdiff.api.spelling import embedded, spelled_value
from symdiff.api.transforms import Gradient
from symdiff.emit import Emitted
from symdiff.errors import SymdiffError, UnsupportedCallError
from symdiff.ir.graph import Graph, walk_nodes
from symdiff.ir.signature import (
    LAYOUT,
    Aspect,
    Fixed,
    Live,
    Nested,
    Path,
    Signature,
    Specification,
    describe,
)
from symdiff.ir.types import ArrayType, Size
from symdiff.pipeline import Program
from symdiff.runtime.calling import follow
from symdiff.runtime.signature import spelled
from symdiff.version import __version__

if TYPE_CHECKING:
    from symdiff.api.differentiable import Differentiable

_OUTSIDE = frozenset({"opaque_call", "set_attribute", "set_item", "call_hook"})
_EXAMPLE = "_example_"
_SMALL = 64  # numbers; larger free variables are parameters


def export(
    function: Differentiable, path: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Write the module of a derivative (or of a function: forward and backward) to ``path``."""
    text = module_text(function, args, kwargs)
    compile(text, str(path), "exec", dont_inherit=True)
    target = FilePath(path)
    handle, temporary = tempfile.mkstemp(".py", target.name, target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def module_text(function: Differentiable, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The text of the module."""
    if not function._steps:
        return _Pair(function, args, kwargs).text()
    return _Single(function, args, kwargs).text()


@dataclass
class _Module:
    """A module being put together for a function and a call of it."""

    function: Differentiable
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def __post_init__(self) -> None:
        home, transforms = self.function._home, self.function._transforms
        self.name = self.function._name
        canonical = self.function._described(self.args, self.kwargs)
        self.chain = home.chain(transforms)
        self.arguments = self.chain.normalise(canonical)
        self.derived = pipeline.derive(self.chain, self.arguments)
        refuse_outside_effects(self.derived.graph)
        refuse_objects(self.derived.signature)
        self.names = [name for name, _ in self.derived.signature.parameters]
        self.constants: dict[str, Any] = {}
        self.large: dict[str, Any] = {}
        self.needed: dict[str, Any] = {}

    def parent(self) -> Program:
        """The program that this one is the derivative of, under a private name."""
        *before, _ = self.chain.transforms
        chain = pipeline.Chain.of(self.chain.function, self.chain.parameters[0], before)
        derived = pipeline.derive(chain, self.chain.levels(self.arguments)[-2])
        return pipeline.build(derived, f"_{self.function._name}_of")

    def emitted_text(self, program: Program) -> str:
        """The text of a program, with the objects it names noted as needed."""
        self.needed |= program.emitted.objects
        return program.emitted.text

    def call(self, emitted: Emitted, large: str = "") -> str:
        """A call of an emitted function; ``large`` stands before names of large free variables."""
        return f"{emitted.name}({', '.join(self._passed(p, large) for p in emitted.parameters)})"

    def _passed(self, parameter: Any, large: str) -> str:
        if parameter.origin == "argument":
            return str(parameter.path[0])
        value = follow(parameter.path, (), ())
        small = np.size(value) <= _SMALL
        known = self.constants if small else self.large
        name = str(parameter.name).upper() if small else str(parameter.name)
        while known.setdefault(name, value) is not value or name in self.names:
            name += "_"
        return name if small else f"{large}{name}"

    def head(self, public: str) -> Iterator[str]:
        signature = ", ".join(f"{n}: {describe(s)}" for n, s in _readable(self.derived.signature))
        origin = self.chain.parameters[0].function
        yield (
            f'"""{public}, generated by symdiff {__version__} from {origin}.\n\n'
            f"    {public}({signature})\n\n"
            'Run this file to compare it with differences.\n"""\n\n'
            "import math\n\nimport numpy as np"
        )
        yield from embedded(self.needed)
        values = [f"{name} = {spelled_value(value)}" for name, value in self.constants.items()]
        if values:
            yield "\n".join(values)
        yield _CHECK

    def public(self, name: str, call: str, documentation: str) -> str:
        """The function that checks its arguments and calls the emitted one."""
        parameters = ", ".join((*self.names, *self.large))
        lines = [f"def {name}({parameters}):", f'    """{documentation}"""', "    sizes = {}"]
        for parameter, specification in _readable(self.derived.signature):
            lines += [f"    {line}" for line in checks(parameter, specification)]
        for path, value in self.derived.signature.static:
            text, wanted = _told(path, value)
            lines.append(f"    _same({text!r}, {text}, {wanted!r})")
        lines.append(f"    return {call}")
        return "\n".join(lines) + "\n"

    def example(self) -> str:
        """The tuple of example arguments, as text."""
        found = example_arguments(self.derived.signature, self.arguments)
        return f"({', '.join(map(spelled_value, found))},)"

    def examples_of_large(self) -> str:
        """Definitions of drawn values of the large free variables."""
        return "\n".join(
            f"{_EXAMPLE}{name} = np.random.default_rng(0).uniform(0.5, 1.5, {value.shape!r})"
            f".astype({value.dtype.name!r})"
            for name, value in self.large.items()
        )

    @property
    def large_arguments(self) -> str:
        """``, table=_EXAMPLE_table``."""
        return "".join(f", {name}={_EXAMPLE}{name}" for name in self.large)


def _told(path: Path, value: Any) -> tuple[str, Any]:
    """What of an argument is compared with what, where a value of it is fixed."""
    if path[-1] != LAYOUT:
        return spelled(path), value
    array = spelled(path[:-1])
    order = {"C": "flags.c_contiguous", "F": "flags.fnc"}.get(value)
    return (f"{array}.strides", value) if order is None else (f"{array}.{order}", True)


def joined(sections: Sequence[str]) -> str:
    """Sections two lines apart."""
    return "\n\n\n".join(section.strip("\n") for section in sections if section) + "\n"


class _Single(_Module):
    def text(self) -> str:
        program = pipeline.build(self.derived, f"_{self.name}")
        parent = self.parent()
        body = [self.emitted_text(program), self.emitted_text(parent)]
        public = self.public(self.name, self.call(program.emitted), self._documentation())
        before = ", ".join(name for name in parent_names(self.chain))
        inner = f"def _before({before}):\n    return {self.call(parent.emitted, _EXAMPLE)}\n"
        main = _MAIN.format(
            example=self.example(),
            name=self.name,
            body=self._comparison(),
            large=self.large_arguments,
        )
        sections = [*self.head(self.name), *body, public, _DIFFERENCES]
        return joined([*sections, self.examples_of_large(), inner, main])

    def _comparison(self) -> str:
        """Statements that make ``actual`` and ``expected`` of the transform's kind."""
        last = self.chain.transforms[-1]
        gradient = "result"
        if isinstance(last, Gradient):
            gradient = "result[1]" if last.value else "result[0]" if last.aux else "result"
        body = _BODIES[type(last).__name__].format(wrt=self._wrt(), gradient=gradient)
        return body.strip("\n")

    def _documentation(self) -> str:
        return f"The {self.name.rpartition('_')[2]} of {self.name.rpartition('_')[0]}."

    def _wrt(self) -> tuple[Any, ...]:
        """Positions of the arguments differentiated by; whether there is one only."""
        wrt = getattr(self.chain.transforms[-1], "wrt", None)
        if wrt is None:
            return ()
        names = self.chain.parameters[-2].names
        return tuple(names.index(path[0]) for path in wrt.paths(self.chain.parameters[-2]))


def parent_names(chain: pipeline.Chain) -> tuple[str, ...]:
    """The parameters of what a chain's last transform is applied to."""
    return chain.parameters[-2].names


class _Pair(_Module):
    def text(self) -> str:
        from symdiff.api.programs import everything

        derived, parameters = self.derived, self.chain.parameters[-1]
        asked, shaped = everything(derived.graph, derived.signature, parameters, 0)
        complete = replace(derived, graph=asked.graph)
        pair = pipeline.build_pair(complete, f"_{self.name}", asked.wrt, shaped)
        primal = pipeline.build(derived, f"_{self.name}")
        self.needed |= pair.backward.objects
        forward = self.public(
            f"{self.name}_forward",
            self.call(pair.forward.emitted),
            "The value, and what the backward function needs.",
        )
        seeds = len(pair.seeded)
        backward = (
            f"def {self.name}_backward(saved, *cotangents):\n"
            f'    """The cotangents of the arguments, from {seeds} of the result."""\n'
            f"    given = (*saved, *cotangents)\n"
            f"    return {pair.backward.name}(*(given[k] for k in {pair.order!r}))\n"
        )
        before = self.call(primal.emitted, _EXAMPLE)
        inner = f"def _before({', '.join(self.names)}):\n    return {before}\n"
        body = [
            self.emitted_text(pair.forward),
            pair.backward.text,
            self.emitted_text(primal),
            forward,
            backward,
            _DIFFERENCES,
            self.examples_of_large(),
            inner,
        ]
        large = self.large_arguments
        main = _MAIN_PAIR.format(example=self.example(), name=self.name, large=large)
        return joined([*self.head(f"{self.name}_forward"), *body, main])


# What cannot stand alone --------------------------------------------------------------------------


def refuse_outside_effects(graph: Graph) -> None:
    """Refuse what reaches outside the module.

    :raises UnsupportedCallError: at the line of the first such statement.
    """
    for node in walk_nodes(graph.block):
        if node.op.name in _OUTSIDE:
            raise UnsupportedCallError(
                f"a module cannot stand alone with this in it ({node.op.name.replace('_', ' ')})",
                node.span,
                "compute it before, and pass the result as an argument",
            )


def refuse_objects(signature: Signature) -> None:
    """Refuse objects as arguments, whose class is not in the module, and one object as two."""
    for path, answer in signature.static:
        if isinstance(path[-1], Aspect) and path[-1].kind == "is" and answer:
            raise SymdiffError(
                f"the program is that where {spelled(path)[1:-1]}: a module cannot stand alone"
                " with it",
                hint="export a function that takes it once: lambda x: f(x, x)",
            )
    for name, specification in signature.parameters:
        if isinstance(specification, Live):
            raise SymdiffError(
                f"{name} is a {specification.type.__name__}: a module cannot stand alone with it",
                hint="export a function of the numbers in it",
            )


# Checks -------------------------------------------------------------------------------------------


def _readable(signature: Signature) -> list[tuple[str, Specification]]:
    """The parameters with sizes named n, m, …, where they have no names of the user's."""
    names: dict[str, str] = {}

    def named(specification: Specification) -> Specification:
        if isinstance(specification, Nested):
            items = tuple(map(named, specification.items))
            return Nested(specification.type, specification.keys, items)
        if not isinstance(specification, ArrayType):
            return specification
        shape = tuple(
            dim
            if isinstance(dim, int)
            else Size(names.setdefault(dim.symbol, _size_name(dim.symbol, len(names))), dim.offset)
            for dim in specification.shape
        )
        return ArrayType(specification.dtype, shape, specification.kind)

    return [(name, named(specification)) for name, specification in signature.parameters]


def _size_name(symbol: str, number: int) -> str:
    if symbol.isidentifier():
        return symbol
    return "nmpqrstuvw"[number] if number < 10 else f"n{number}"


def checks(text: str, specification: Specification) -> Iterator[str]:
    """Statements that check an argument, or a part of one, that ``text`` spells."""
    if isinstance(specification, Nested):
        kind = specification.type
        yield f"_is({text!r}, {text}, {kind.__name__!r}, {len(specification.keys)})"
        for key, item in zip(specification.keys, specification.items, strict=True):
            yield from checks(_part(text, kind, key), item)
    elif isinstance(specification, ArrayType) and specification.kind == "array":
        dims = [
            dim if isinstance(dim, int) else (dim.symbol, dim.offset) for dim in specification.shape
        ]
        yield f"_array({text!r}, {text}, {specification.dtype.name!r}, {dims!r}, sizes)"
    elif isinstance(specification, ArrayType):
        yield f"_number({text!r}, {text}, {str(specification)!r})"
    elif isinstance(specification, Fixed):
        yield f"_same({text!r}, {text}, {spelled_value(specification.value)})"


def _part(text: str, kind: type, key: Any) -> str:
    by_name = isinstance(key, str) and not issubclass(kind, dict)
    return f"{text}.{key}" if by_name else f"{text}[{key!r}]"


_CHECK = """
def _is(name, value, kind, length):
    if type(value).__name__ != kind or hasattr(value, "__len__") and len(value) != length:
        raise TypeError(f"{name} must be a {kind} of length {length}, not {value!r}")


def _same(name, value, expected):
    if type(value) is not type(expected) or value != expected:
        raise TypeError(f"{name} must be {expected!r}, not {value!r}")


def _number(name, value, kind):
    kinds = {"float": float, "int": int, "bool": bool, "complex": complex}
    wanted = kinds.get(kind) or np.dtype(kind).type
    if type(value) is not wanted:
        raise TypeError(f"{name} must be of type {kind}, not {type(value).__name__}")


def _array(name, value, dtype, dims, sizes):
    if type(value) is not np.ndarray or value.dtype != dtype or value.ndim != len(dims):
        raise TypeError(f"{name} must be an array of {dtype} with {len(dims)} dimensions")
    for axis, (length, dim) in enumerate(zip(value.shape, dims)):
        if isinstance(dim, int):
            if length != dim:
                raise TypeError(f"axis {axis} of {name} must have length {dim}, not {length}")
            continue
        symbol, offset = dim
        if sizes.setdefault(symbol, length - offset) != length - offset:
            raise TypeError(f"axis {axis} of {name}: the length is not {symbol}, as elsewhere")
        if length < 2 and not offset:
            raise TypeError(
                f"axis {axis} of {name} has length {length}, for which this was not generated"
            )
""".strip()

_DIFFERENCES = '''
def _leaves(tree):
    """The numbers and arrays in nested containers, in order."""
    if isinstance(tree, dict):
        tree = tuple(tree.values())
    elif hasattr(tree, "__dataclass_fields__"):
        tree = tuple(getattr(tree, name) for name in tree.__dataclass_fields__)
    if isinstance(tree, (list, tuple)):
        return [leaf for item in tree for leaf in _leaves(item)]
    return [tree]


def _is_float(leaf):
    dtype = getattr(leaf, "dtype", np.dtype(int))
    return isinstance(leaf, float) or dtype.kind == "f"


def _moved(tree, direction, h):
    """The tree with its floats moved along a list of directions, which is used up."""
    if isinstance(tree, dict):
        return {key: _moved(item, direction, h) for key, item in tree.items()}
    if isinstance(tree, (list, tuple)):
        items = [_moved(item, direction, h) for item in tree]
        return type(tree)(*items) if hasattr(tree, "_fields") else type(tree)(items)
    if not _is_float(tree):
        return tree.copy() if isinstance(tree, np.ndarray) else tree
    moved = tree + h * direction.pop(0)
    return moved if isinstance(tree, np.ndarray) else type(tree)(moved)


def _difference(arguments, positions, directions):
    """The derivative of all floats of the result along directions, by extrapolated differences."""

    def at(h):
        left = list(directions)
        moved = [_moved(a, left, h) if k in positions else a for k, a in enumerate(arguments)]
        return [np.asarray(leaf, float) for leaf in _leaves(_before(*moved)) if _is_float(leaf)]

    def central(h):
        return [(a - b) / (2 * h) for a, b in zip(at(h), at(-h))]

    coarse, middle, fine = central(4e-3), central(2e-3), central(1e-3)
    once = [(4 * b - a) / 3 for a, b in zip(coarse, middle)]
    again = [(4 * b - a) / 3 for a, b in zip(middle, fine)]
    return [(16 * b - a) / 15 for a, b in zip(once, again)]


def _report(name, actual, expected):
    error = max(
        (float(np.max(np.abs(a - b), initial=0.0)) for a, b in zip(actual, expected)), default=0.0
    )
    scale = max((float(np.max(np.abs(b), initial=0.0)) for b in expected), default=0.0)
    print(f"{name} and differences differ by {error:.1e}, at a scale of {scale:.1e}")
    assert error <= 1e-5 * max(scale, 1.0), "they do not agree"
'''.strip()

_MAIN = """
def _main():
    arguments = {example}
    result = {name}(*arguments{large})
{body}
    _report({name!r}, actual, expected)


if __name__ == "__main__":
    _main()
""".strip()

_RANDOM = """
    floats = [leaf for k in {wrt} for leaf in _leaves(arguments[k]) if _is_float(leaf)]
    rng = np.random.default_rng(0)
    along = [rng.standard_normal(np.shape(leaf)) for leaf in floats]
    expected = _difference(arguments, {wrt}, along)"""

_SAME = """
    actual = [np.asarray(leaf, float) for leaf in _leaves(result) if _is_float(leaf)]"""

_BODIES = {
    "Gradient": _RANDOM
    + """[:1]
    parts = [leaf for leaf in _leaves({gradient}) if leaf is not None]
    actual = [sum(np.sum(a * b) for a, b in zip(parts, along))]""",
    "Jacobian": _RANDOM
    + """
    parts = [leaf for leaf in _leaves(result) if leaf is not None]
    rows = [zip(parts[k : k + len(along)], along) for k in range(0, len(parts), len(along))]
    actual = [sum(np.tensordot(j, v, np.ndim(v)) for j, v in row) for row in rows]""",
    "Derivative": """
    expected = _difference(arguments, {wrt}, [1.0])"""
    + _SAME,
    "Directional": """
    along = [leaf for leaf in _leaves(arguments[-1]) if leaf is not None]
    expected = _difference(arguments[:-1], {wrt}, along)"""
    + _SAME,
    "Jvp": """
    *bound, primals, tangents = arguments
    along = [leaf for leaf in _leaves(tangents) if leaf is not None]
    moving = [k for k, t in enumerate(tangents) if any(x is not None for x in _leaves(t))]
    expected = _difference((*bound, *primals), moving, along)
    result = result[1]"""
    + _SAME,
    "Functional": """
    before = _before(*arguments)
    expected = [np.asarray(leaf, float) for leaf in _leaves(before) if _is_float(leaf)]"""
    + _SAME,
}

_MAIN_PAIR = """
def _main():
    arguments = {example}
    rng = np.random.default_rng(0)
    value, saved = {name}_forward(*arguments{large})
    seeds = [rng.standard_normal(np.shape(leaf)) for leaf in _leaves(value) if _is_float(leaf)]
    seeds = [seed if seed.ndim else float(seed) for seed in seeds]
    cotangents = [leaf for leaf in _leaves({name}_backward(saved, *seeds)) if leaf is not None]
    floats = [leaf for leaf in _leaves(arguments) if _is_float(leaf)]
    along = [rng.standard_normal(np.shape(leaf)) for leaf in floats]
    expected = _difference(arguments, range(len(arguments)), along)
    actual = sum(np.sum(a * b) for a, b in zip(cotangents, along))
    _report({name!r}, [actual], [sum(np.sum(a * b) for a, b in zip(seeds, expected))])


if __name__ == "__main__":
    _main()
""".strip()
