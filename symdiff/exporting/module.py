"""A module put together: what is exported, the programs it calls, and the part that checks it.

docstring, imports, __all__, __symdiff__
classes, functions and constants that programs name
programs, as the compiler emits them
functions, with types and documentation, which check their arguments
checks, which run when the file is run
"""

from __future__ import annotations

import builtins
import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from symdiff import pipeline
from symdiff.emit import Emitted, Parameter
from symdiff.emit.namespace import Namespace
from symdiff.errors import SignatureError
from symdiff.exporting import sparse
from symdiff.exporting.arguments import (
    annotation,
    checks,
    fact_checks,
    of_type,
    readable,
    result_in_words,
    returned,
)
from symdiff.exporting.calls import binding, completing, defaults_of, listed
from symdiff.exporting.classes import definition, exception_text, fields_of, maker
from symdiff.exporting.comparison import Comparison
from symdiff.exporting.constants import SMALL, Constants, array_file
from symdiff.exporting.dispatching import dispatched
from symdiff.exporting.examples import numbers_in
from symdiff.exporting.facts import facts
from symdiff.exporting.numbers import Numbers, Program, numbers_of, program_of
from symdiff.exporting.programs import Programs
from symdiff.exporting.refusals import not_alone, refuse_objects, refuse_outside_effects
from symdiff.exporting.request import Exported, Request
from symdiff.exporting.spelling import imported, no_classes, own_source, spelled_value
from symdiff.exporting.text import (
    IMPORTS,
    carried,
    defined_in,
    definition_line,
    docstring,
    imports_for,
    joined,
    names_in,
    one_line,
)
from symdiff.ir.signature import Nested, Signature, Specification, describe, leaves
from symdiff.ir.structure import Rebuild, Structure
from symdiff.ir.types import Multiple, type_of_constant
from symdiff.pipeline import Arguments, Derived
from symdiff.version import __version__

_OWNED = (
    "This code was made from yours and belongs to you: symdiff claims nothing in it. It needs"
    " {needed},\nand not symdiff. Run the file to check it; it exits with 0 where all agrees, else"
    " with 1."
)
_BANNER = "# Checks: what follows compares the functions above with sweeps and differences."
_LOCAL = (  # variables of the tests
    *("given", "inner", "along", "arguments", "result", "saved", "cotangents", "wrt", "call"),
    *("same", "again", "_DATA"),
)
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_NEEDED = ("np", "float", "complex", "range", "slice", "bool", "object")


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the module: its derived graph, and the program that computes it."""

    exported: Exported
    derived: Derived
    arguments: Arguments
    program: Program
    numbers: Numbers

    @property
    def emitted(self) -> Emitted:
        return self.program.emitted

    @property
    def pair(self) -> pipeline.Pair | None:
        return self.program.pair

    @property
    def programs(self) -> list[Program]:
        """The programs that it calls, its own first."""
        found = [self.program]
        for variant in self.numbers.variants:
            if not any(variant.program is known for known in found):
                found.append(variant.program)
        return found

    @property
    def parameters(self) -> list[tuple[str, Specification]]:
        matrix = self.exported.sparse
        known = readable(self.derived.signature)
        return known if matrix is None else [pair for pair in known if pair[0] != matrix.vector]

    @property
    def output(self) -> Structure:
        return self.derived.graph.output


@dataclass(frozen=True, slots=True)
class Written:
    """The texts of a module and its stub, whose hashes are not in them yet, and the arrays."""

    text: str
    stub: str | None
    arrays: bytes | None


def public_names(exported: Exported) -> tuple[str, ...]:
    """The names that a function has in the module."""
    name = exported.name
    return (name,) if exported.kind != "Function" else (f"{name}_forward", f"{name}_backward")


@dataclass
class Module:
    """A module being put together, for NumPy."""

    request: Request
    stem: str
    programs: Programs = field(init=False)

    def __post_init__(self) -> None:
        public = [name for asked in self.request.functions for name in public_names(asked)]
        _require_distinct(public)
        helpers = [name for file in self.standalone() for name in defined_in(file)]
        tests = [f"_check_{asked.name}" for asked in self.request.functions]
        _refuse_taken(public, {*helpers, *IMPORTS, *_LOCAL, *tests, *dir(builtins)})
        self.public = public
        self.names = Namespace([*helpers, *IMPORTS, *_LOCAL, *public, *tests])
        self.programs = self.programs_of(self.names)
        self.functions = [self._function(asked) for asked in self.request.functions]
        parameters = frozenset(name for made in self.functions for name, _ in made.parameters)
        called = {made.emitted.name for made in self.functions}
        _refuse_needed(parameters & {*helpers, *_NEEDED, *public, *called})
        in_file = self.request.options.constants == "file"
        self.constants = Constants(self.names, parameters, in_file)

    def programs_of(self, names: Namespace) -> Programs:
        """What emits the programs of the module."""
        return Programs(names)

    def standalone(self) -> tuple[str, ...]:
        """The files of ``standalone`` whose functions it carries, those for the checks last."""
        front = "binding", "checking", "matching", "rebuilding", "converting", "reading", "matrices"
        return *front, "comparing"

    def _helpers(self, sections: Sequence[str]) -> tuple[list[str], list[str]]:
        """What sections call of the functions that it carries: in front, and for the checks."""
        front = [file for file in self.standalone() if not file.endswith("comparing")]
        checks = [file for file in self.standalone() if file not in front]
        used = names_in(sections)
        return carried(front, used), carried(checks, used | {"_exit_code"})

    def _function(self, asked: Exported) -> Function:
        given = asked.chain.normalise(asked.arguments)
        derived = pipeline.derive(asked.chain, given)
        refuse_outside_effects(derived.graph, derived.written)
        refuse_objects(derived.signature, derived.graph.span)
        program = program_of(asked, derived, self.programs)
        numbers = self.numbers_of(asked, derived, program)
        return Function(asked, derived, given, program, numbers)

    def numbers_of(self, asked: Exported, derived: Derived, program: Program) -> Numbers:
        """The numbers that a function takes in place of floats."""
        return numbers_of(asked, derived, program, self.programs)

    def written(self) -> Written:
        own = list(self.programs.emitted)
        tests = self._tests()
        emitted = self.programs.emitted
        public = [text for made in self.functions for text in self._defined(made)]
        programs = [program.text for program in own]
        sweeps = [program.text for program in emitted if program not in own]
        objects = self._objects()
        constants = list(self.constants.definitions(self.class_name))
        arrays = array_file(self.constants.filed) if self.constants.filed else None
        if arrays is not None:
            constants = [*self._reading(arrays[1]), *constants]
        helpers, comparing = self._helpers(
            [*objects, *constants, *programs, *sweeps, *public, *tests]
        )
        body = [*self.preamble(), *helpers, *objects, "\n".join(constants), *programs, *public]
        checking = [_BANNER, *comparing, *sweeps, *tests, self._main()]
        head = self._head([*body, *checking], own)
        stub = self._stub(objects) if self.request.options.stub else None
        return Written(joined([*head, *body, *checking]), stub, arrays and arrays[0])

    # What programs name

    def class_name(self, kind: type) -> str:
        """The name in the module of a class of named tuples or dataclasses."""
        if fields_of(kind) is None:
            return no_classes(kind)
        return self.names.bind(kind, kind.__name__)

    def _objects(self) -> list[str]:
        """Definitions of what generated text names, classes first."""
        classes, others, imports = [], [], []
        errors: dict[type, str] = {}
        done: set[str] = set()
        while pending := [name for name in self.names.objects if name not in done]:
            for name in pending:
                done.add(name)
                value = self.names.objects[name]
                fields = fields_of(value) if isinstance(value, type) else None
                if fields is not None:
                    classes.append(definition(name, value, fields))
                elif (statement := imported(name, value)) is not None:
                    imports.append(statement)
                elif isinstance(value, type) and (text := self._exception(name, value)):
                    errors[value] = text
                else:
                    others.append(self._object(name, value))
        classes += [errors[kind] for kind in sorted(errors, key=lambda kind: len(kind.__mro__))]
        return ["\n".join(imports), *classes, *filter(None, others)]

    def _exception(self, name: str, kind: type) -> str | None:
        """The definition of a user's class of exceptions, whose bases are then named as well."""
        text = exception_text(kind)
        if text is None:
            return None
        named = {kind: name} | {base: self.names.bind(base, base.__name__) for base in _own(kind)}
        return text if all(one.__name__ == known for one, known in named.items()) else None

    def _object(self, name: str, value: Any) -> str:
        if isinstance(value, np.ndarray | np.generic):
            if self.constants.in_file and numbers_in(value) > SMALL:
                self.constants.large[name] = value
                return ""
            return f"{name} = {spelled_value(value)}"
        if isinstance(value, Rebuild):
            kind = self.class_name(value.container.type)
            return maker(name, kind, value.container.keys)
        module = getattr(value, "__module__", None)
        if isinstance(module, str) and module.startswith("symdiff.ops"):
            return own_source(name, value)
        raise not_alone(name, value, self.programs.emitted)

    def _reading(self, written: str) -> Iterator[str]:
        yield f"_DATA = _arrays({f'{self.stem}.npz'!r}, {written!r})"
        for name in self.constants.filed:
            yield f"{name} = _DATA[{name!r}]"

    # Functions

    def _passed(self, parameter: Parameter) -> str:
        if parameter.origin == "argument":
            return str(parameter.path[0])
        return self.constants.name(parameter)

    def _call(self, emitted: Emitted) -> str:
        return f"{emitted.name}({', '.join(map(self._passed, emitted.parameters))})"

    def _defined(self, made: Function) -> Iterator[str]:
        """The functions that users of the module call."""
        yield self._definition(made)
        if made.pair is not None:
            yield self._backward(made)

    def _head_of(self, made: Function) -> str:
        """The ``def`` line of a function."""
        own = made.exported.parameters
        specifications = dict(made.parameters)
        parameters = listed(
            own,
            {name: self.spoken(text) for name, text in self._annotations(made).items()},
            defaults_of(own, specifications, self.class_name),
            {n: self.spoken(of_type(type_of_constant(v))) for n, v in self._asked(made)},
        )
        result = self.spoken(self._returned(made))
        name = made.exported.name
        if made.pair is not None:
            name, result = f"{name}_forward", f"tuple[{result}, tuple[Any, ...]]"
        return definition_line(name, parameters, result)

    def _bound(self, made: Function) -> Iterator[str]:
        """Statements that bind arguments in ways that Python has no words for."""
        own, specifications = made.exported.parameters, dict(made.parameters)
        annotations = {name: self.spoken(text) for name, text in self._annotations(made).items()}
        yield from binding(own, annotations, defaults_of(own, specifications, self.class_name))
        yield from completing(own, specifications, self.class_name)

    def _annotations(self, made: Function) -> dict[str, str]:
        """The annotations of parameters by name; that of ``*args`` and ``**kwargs`` is of one."""
        own = made.exported.parameters.signature.parameters
        found = {}
        for name, kind in made.parameters:
            if isinstance(kind, Nested) and own[name].kind in _VARIADIC:
                items = [annotation(item, self.class_name) for item in kind.items]
                found[name] = " | ".join(dict.fromkeys(items)) or "Any"
            else:
                found[name] = annotation(kind, self.class_name)
        return found

    def _asked(self, made: Function) -> list[tuple[str, Any]]:
        """The large arrays outside that are parameters of a function."""
        return list(self.constants.asked.items())

    def _definition(self, made: Function) -> str:
        sizes = _fresh("sizes", [name for name, _ in made.parameters])
        lines = [
            line
            for name, kind in made.parameters
            for line in checks(name, kind, sizes, self.class_name)
        ]
        lines += self._seeded(made)
        lines += self.numbers_checked(made)
        lines += fact_checks(self.checked(made.derived.signature), self.class_name)
        for name, value in self._asked(made):
            dims = list(value.shape)
            lines.append(f"_array({name!r}, {name}, {value.dtype.name!r}, {dims!r})")
        if any(f", {sizes})" in line for line in lines):
            known = self._lengths(made)
            lines.insert(0, f"{sizes}: dict[str, int] = {known!r}")
        lines = [*self._bound(made), *lines]
        lines += self._returning(made, made.program)
        documentation = docstring(self._documentation(made), "    ")
        return "\n    ".join([self._head_of(made), documentation, *lines])

    def _returned(self, made: Function) -> str:
        """The annotation of what a function returns."""
        if made.exported.sparse is not None:
            return "scipy.sparse.csr_array"
        return returned(made.derived.graph, self.class_name)

    def _lengths(self, made: Function) -> dict[str, int]:
        """The lengths of arguments that are known before: those of a pattern."""
        if made.exported.sparse is None:
            return {}
        return sparse.lengths_of(made.parameters, made.arguments)

    def _seeded(self, made: Function) -> Iterator[str]:
        """The seeds of sweeps, and tests of the integers on which the pattern depends."""
        matrix = made.exported.sparse
        if matrix is not None:
            sparse.refuse_integers(self.constants.asked)
            for name, value in sparse.integers_in(made.parameters, made.arguments):
                yield f"_as_before({name!r}, {name}, {spelled_value(value)})"
            yield sparse.seeded(made.exported, matrix, self.constants)

    def numbers_checked(self, made: Function) -> Iterator[str]:
        """Statements that check the floats among the arguments."""
        signature = made.derived.signature
        return dispatched(made.numbers, signature, lambda p: self._returning(made, p))

    def _returning(self, made: Function, program: Program) -> Iterator[str]:
        """Statements that return what a program computes; with several, which one it was."""
        known = made.programs
        number = next(k for k, one in enumerate(known) if one is program)
        matrix = made.exported.sparse
        if matrix is not None:
            call = self._call(program.emitted)
            yield sparse.returned(made.exported, matrix, call, self.constants)
            return
        if made.pair is None or len(known) == 1:
            yield f"return {self._call(program.emitted)}"
            return
        yield f"value, saved = {self._call(program.emitted)}"
        yield f"return value, (*saved, {number})"

    def _documentation(self, made: Function) -> str:
        what = made.exported.what
        returns = _in_words(made)
        if made.pair is not None:
            what, returns = (
                f"{what}: its value, and what the backward part needs",
                f"{returns}, saved",
            )
        rows = [f"{name}: {one_line(describe(kind))}" for name, kind in made.parameters]
        for name, value in self._asked(made):
            rows.append(
                f"{name}: {value.dtype.name}{list(value.shape)}, a constant of the original"
            )
        returned = f"Returns {one_line(returns)}."
        return "\n".join([f"{one_line(what)}.", "", *rows, returned, *self.notes(made), ""])

    def _backward(self, made: Function) -> str:
        pairs = [program.pair for program in made.programs if program.pair is not None]
        counts = sorted({len(pair.seeded) for pair in pairs})
        what = f"The cotangents of the arguments of {one_line(made.exported.of)}"
        return "\n    ".join(
            [
                f"{_head_of_backward(made.exported.name)}",
                docstring(
                    f"{what}: one entry each.\n\n"
                    f"saved: from {made.exported.name}_forward.\n"
                    f"cotangents: {' or '.join(map(str, counts))}, of the floats in the value, in"
                    " their order.\n",
                    "    ",
                ),
                *(_pulled(pairs[0]) if len(pairs) == 1 else _pulled_by_one_of(pairs)),
            ]
        )

    # The head

    def _head(self, sections: Sequence[str], own: Sequence[Emitted]) -> list[str]:
        used = names_in(sections)
        needed = self.needed(sections)
        title = one_line(", ".join(self.public))
        rows = [f"{title}: generated by symdiff {__version__}.", ""]
        rows += [
            f"    {name}{_shown(made)}"
            for made in self.functions
            for name in public_names(made.exported)[:1]
        ]
        rows += ["", _OWNED.format(needed=needed), ""]
        return [
            f"{docstring(chr(10).join(rows))}\n\n{imports_for(used)}",
            f"__all__ = {self.public!r}\n\n__symdiff__ = {self._facts()}",
        ]

    def preamble(self) -> list[str]:
        """What stands before everything else."""
        return []

    def array_of(self, text: str) -> str:
        """A constant array, as its functions take it."""
        return text

    def spoken(self, text: str) -> str:
        """An annotation, in the terms of the library."""
        return text

    def checked(self, signature: Signature) -> Signature:
        """The signature with the facts that functions check."""
        return signature

    def notes(self, made: Function) -> list[str]:
        """What is to be known of a function beside its arguments."""
        return []

    def needed(self, sections: Sequence[str]) -> str:
        """What the module has to import."""
        return "NumPy and SciPy" if any("scipy." in text for text in sections) else "NumPy"

    def facts_of(self, made: Function) -> dict[str, Any]:
        """What the module says of a function."""
        return facts(made.exported, made.derived, made.parameters, _in_words(made))

    def _facts(self) -> str:
        functions = {made.exported.name: self.facts_of(made) for made in self.functions}
        filed = f"{self.stem}.npz" if self.constants.filed else None
        return _laid_out(
            {
                "version": __version__,
                "sha256": "0" * 64,
                "functions": functions,
                "options": {
                    "namespace": self.request.options.namespace,
                    "constants": self.request.options.constants,
                    "exact": any(asked.exact for asked in self.request.functions),
                },
                "arrays": filed,
            }
        )

    # Checks

    def _tests(self) -> list[str]:
        for parameter in self.programs.parameters():
            self.constants.add(parameter)
        comparison = self.comparison()
        found = []
        for made in self.functions:
            comparison.large = "".join(f", {name}=_EXAMPLE_{name}" for name, _ in self._asked(made))
            found += comparison.test(made.exported, made.derived, made.arguments)
        return [*self._examples(), *found]

    def comparison(self) -> Comparison:
        """What writes the tests of the functions."""
        return Comparison(self.programs, self._constant, self.class_name)

    def _constant(self, parameter: Parameter) -> str:
        """A variable outside, as the checks spell it: large ones are drawn."""
        self.constants.add(parameter)
        name = self.constants.name(parameter)
        return f"_EXAMPLE_{name}" if name in self.constants.asked else name

    def _examples(self) -> Iterator[str]:
        for name, value in self.constants.asked.items():
            drawn = f"np.random.default_rng(0).uniform(0.5, 1.5, {value.shape!r})"
            yield f"_EXAMPLE_{name} = {drawn}.astype({value.dtype.name!r})"

    def _main(self) -> str:
        calls = ", ".join(f"_check_{asked.name}()" for asked in self.request.functions)
        return f'if __name__ == "__main__":\n    raise SystemExit(_exit_code([{calls}]))'

    # The stub

    def _stub(self, objects: Sequence[str]) -> str:
        classes = [text for text in objects if re.match(r"@dataclass|class ", text)]
        heads = []
        for made in self.functions:
            heads.append(f"{self._head_of(made)} ...")
            if made.pair is not None:
                heads.append(f"{_head_of_backward(made.exported.name)} ...")
        listed = "__all__: list[str]\n__symdiff__: dict[str, Any]"
        used = names_in([*classes, *heads]) | {"Any"}
        mark = f"# Types of {one_line(self.stem)}.py, generated by symdiff {__version__}."
        top = f'{mark}\n# "sha256": "{"0" * 64}",\n{imports_for(used)}'
        return joined([top, listed, *classes, "\n".join(heads)])


def _own(kind: type) -> list[type]:
    """The bases of a class that are not Python's own."""
    return [base for base in kind.__bases__ if base.__module__ != "builtins"]


def _pulled(pair: pipeline.Pair) -> Iterator[str]:
    """Statements that return what a backward program computes."""
    count = len(pair.seeded)
    yield f"if len(cotangents) != {count}:"
    yield f'    raise TypeError(f"{count} cotangents are needed, not {{len(cotangents)}}")'
    yield "given = (*saved, *cotangents)"
    yield f"return {pair.backward.name}(*(given[k] for k in {pair.order!r}))"


def _pulled_by_one_of(pairs: Sequence[pipeline.Pair]) -> Iterator[str]:
    """Statements that return what the backward program computes whose number was saved last."""
    yield "programs = ("
    for pair in pairs:
        yield f"    ({pair.backward.name}, {len(pair.seeded)}, {pair.order!r}),"
    yield ")"
    yield "*saved_values, number = saved"
    yield "backward, count, order = programs[number]"
    yield "if len(cotangents) != count:"
    yield '    raise TypeError(f"{count} cotangents are needed, not {len(cotangents)}")'
    yield "given = (*saved_values, *cotangents)"
    yield "return backward(*(given[k] for k in order))"


def _head_of_backward(name: str) -> str:
    return f"def {name}_backward(saved: tuple[Any, ...], *cotangents: Any) -> tuple[Any, ...]:"


def _in_words(made: Function) -> str:
    derived = made.derived
    if made.exported.sparse is not None:
        rows, columns = made.exported.sparse.shape
        return f"csr_array[{rows}, {columns}]"
    sizes = ((Multiple.of(own), Multiple.of(shown)) for own, shown in _sizes(derived))
    names = {own.symbol: shown.symbol for own, shown in sizes}
    return result_in_words(derived.graph, names)


def _sizes(derived: Derived) -> Iterator[tuple[Any, Any]]:
    """The sizes of arguments, as the signature has them and under their readable names."""
    for (name, own), (_, shown) in zip(
        derived.signature.parameters, readable(derived.signature), strict=True
    ):
        for (_, a), (_, b) in zip(leaves(own, (name,)), leaves(shown, (name,)), strict=True):
            pairs = zip(getattr(a, "shape", ()), getattr(b, "shape", ()), strict=True)
            yield from ((m, n) for m, n in pairs if not isinstance(m, int))


def _shown(made: Function) -> str:
    parameters = ", ".join(f"{name}: {describe(kind)}" for name, kind in made.parameters)
    return one_line(f"({parameters}) -> {_in_words(made)}")


def _fresh(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _require_distinct(public: Sequence[str]) -> None:
    repeated = sorted({name for name in public if public.count(name) > 1})
    if repeated:
        raise SignatureError(
            f"two functions of the module would be called {repeated[0]}",
            hint='give them names: symdiff.export(path, {"name": f.grad, "other": g.grad}, ...)',
        )


def _refuse_taken(public: Sequence[str], needed: set[str]) -> None:
    """Refuse functions with names by which the module finds something else."""
    for name in public:
        if name in needed or (name.startswith("__") and name.endswith("__")):
            raise SignatureError(
                f"a function is to be called {name}, which is a name that the module needs itself",
                hint=f'symdiff.export(path, {{"{name}_of": ...}}, ...)',
            )


def _refuse_needed(parameters: frozenset[str]) -> None:
    if parameters:
        name = min(parameters)
        raise SignatureError(
            f"a parameter is called {name}, which is a name that the module needs itself",
            hint="rename the parameter",
        )


def _laid_out(value: Any, indent: str = "") -> str:
    """A dict an item a line."""
    if not isinstance(value, dict) or not value:
        return _quoted(value) if isinstance(value, str) else spelled_value(value)
    inner = f"{indent}    "
    rows = [f"{inner}{_quoted(key)}: {_laid_out(item, inner)}," for key, item in value.items()]
    return "\n".join(["{", *rows, f"{indent}}}"])


def _quoted(text: str) -> str:
    """A text between double quotes, where it can stand there as it is."""
    return f'"{text}"' if repr(text) == f"'{text}'" and '"' not in text else repr(text)
