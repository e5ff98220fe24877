"""The module for JAX: as for NumPy, with programs, checks and sweeps of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from symdiff import pipeline
from symdiff.emit import Emitted
from symdiff.emit.namespace import Namespace
from symdiff.errors import SignatureError, SymdiffError, UnsupportedCallError
from symdiff.exporting.arguments import number_check, place
from symdiff.exporting.calls import spread
from symdiff.exporting.comparison import Comparison
from symdiff.exporting.dispatching import inner_converted
from symdiff.exporting.module import Function, Module
from symdiff.exporting.numbers import Numbers, Program, floats_in
from symdiff.exporting.programs import Programs, Sweeps
from symdiff.exporting.refusals import all_nodes
from symdiff.exporting.request import Exported
from symdiff.exporting.traced.statements import emit_traced
from symdiff.ir.called import with_called
from symdiff.ir.graph import FreeVariable, Graph
from symdiff.ir.signature import Aspect, Fixed, Nested, Signature, Specification, leaves
from symdiff.ir.types import FLOAT
from symdiff.ops.defined import opened
from symdiff.ops.rules import custom_call
from symdiff.pipeline import Arguments, Chain, Derived
from symdiff.source import SourceSpan

_PRECISION = """
if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
if not jax.config.jax_enable_x64:
    raise ImportError('this needs double precision: jax.config.update("jax_enable_x64", True)')
""".strip()
_RAISES = "Where NumPy raises (an index out of range), JAX does not: it gives some number, or NaN."


@dataclass(slots=True)
class TracedPrograms(Programs):
    """Programs for JAX; ``untraced`` has, by name, the arguments that must not be traced."""

    untraced: dict[str, frozenset[str]] = field(default_factory=dict)

    def emit(self, derived: Derived, name: str, exact: bool) -> Emitted:
        graph = with_called(pipeline.emittable(derived.graph), opened)
        emitted, self.untraced[name] = emit_traced(graph, name, derived.signature, self.names)
        self.names.taken.add(name)
        return emitted

    def sweeps(self, chain: Chain, arguments: Arguments, name: str, backward: bool) -> Sweeps:
        return Programs.sweeps(self, chain, arguments, name, False)

    def along(self, derived: Derived, graph: Graph, name: str) -> Emitted | None:
        """Own tangents only where rules of the user's own say what they are."""
        if not any(node.op is custom_call for node in all_nodes(derived.graph)):
            return None
        return Programs.along(self, derived, graph, name)


class TracedModule(Module):
    """A module being put together, for JAX."""

    programs: TracedPrograms

    def programs_of(self, names: Namespace) -> Programs:
        return TracedPrograms(names)

    def standalone(self) -> tuple[str, ...]:
        front = (
            "binding",
            "traced_checking",
            "matching",
            "converting",
            "reading",
            "loops",
            "traced_support",
        )
        return (*front, "comparing", "traced_comparing")

    def needed(self, sections: Sequence[str]) -> str:
        return "JAX"

    def preamble(self) -> list[str]:
        return [_PRECISION]

    def array_of(self, text: str) -> str:
        return f"jnp.asarray({text})"

    def comparison(self) -> Comparison:
        made = TracedComparison(self.programs, self._constant, self.class_name)
        made.untraced = {f.exported.name: self.untraced_of(f) for f in self.functions}
        return made

    def spoken(self, text: str) -> str:
        return re.sub(r"NDArray\[np\.\w+\]", "jax.Array", text)

    def untraced_of(self, made: Function) -> list[str]:
        """The arguments that ``jax.jit`` has to be told of."""
        fixed = [
            name
            for name, kind in made.parameters
            if isinstance(kind, Fixed) and kind.value is not None
        ]
        facts = [path[0] for path, _ in made.derived.signature.static if _is_own(path)]
        demanded = self.programs.untraced[made.emitted.name]
        return [n for n, _ in made.parameters if n in {*fixed, *facts, *demanded}]

    def numbers_of(self, asked: Exported, derived: Derived, program: Program) -> Numbers:
        """JAX has one type of numbers for all of them: integers count as floats."""
        return Numbers(floats_in(derived.signature))

    def numbers_checked(self, made: Function) -> Iterator[str]:
        signature, paths = made.derived.signature, made.numbers.floats
        yield from (number_check(place(path, signature), FLOAT) for path in paths)
        for path in paths:
            if len(path) == 1:
                yield f"{path[0]} = _float({path[0]})"
        yield from inner_converted("_float", paths)

    def facts_of(self, made: Function) -> dict[str, Any]:
        return {**super().facts_of(made), "static_argnames": self.untraced_of(made)}

    def checked(self, signature: Signature) -> Signature:
        """Arrays of JAX have no layout."""
        kept = [(p, v) for p, v in signature.static if getattr(p[-1], "kind", "") != "layout"]
        return replace(signature, static=tuple(kept))

    def notes(self, made: Function) -> list[str]:
        names = self.untraced_of(made)
        told = [f"Under jax.jit: static_argnames={tuple(names)!r}."] if names else []
        return [*told, _RAISES]

    def _function(self, asked: Exported) -> Function:
        if asked.kind == "Function":
            raise SignatureError(
                f"for JAX derivatives are exported, and {asked.of} is the function itself",
                hint='functions=("value_and_grad", "grad")',
            )
        made = super()._function(asked)
        span = made.derived.graph.span
        for name, kind in made.parameters:
            _refuse_containers(name, kind, span)
        _refuse_facts(made.derived.signature, span)
        return made


def _is_own(path: tuple[Any, ...]) -> bool:
    return not isinstance(path[0], FreeVariable) and not isinstance(path[-1], Aspect)


def _refuse_containers(name: str, kind: Specification, span: SourceSpan | None) -> None:
    """Refuse what ``jax.jit`` takes for no argument."""
    if not isinstance(kind, Nested):
        return
    if not issubclass(kind.type, tuple) and kind.type not in (list, dict):
        raise UnsupportedCallError(
            f"jax.numpy has no words for this: {name} is a {kind.type.__name__}",
            span,
            "pass a NamedTuple or a dict",
        )
    for path, item in leaves(kind, (name,)):
        if isinstance(item, Fixed) and item.value is not None:
            raise UnsupportedCallError(
                f"jax.numpy has no words for this: {item.value!r} in {path[0]}",
                span,
                "pass it as an argument of its own",
            )


def _refuse_facts(signature: Signature, span: SourceSpan | None) -> None:
    """Refuse programs that rest on how arrays lie in memory, or on numbers in containers."""
    for path, value in signature.static:
        if isinstance(path[0], FreeVariable):
            continue
        end = path[-1]
        if isinstance(end, Aspect):
            if end.kind == "layout" and value != "C":
                raise SymdiffError(
                    "the program is that for arrays which lie in memory as these do",
                    span,
                    "pass arrays in C order",
                )
        elif len(path) > 1:
            raise SymdiffError(
                f"the structure of the program depends on a value in {path[0]}",
                span,
                "pass it as an argument of its own",
            )


class TracedComparison(Comparison):
    """Tests against JAX's own derivatives, and under ``jax.jit``."""

    __slots__ = ("untraced",)
    untraced: dict[str, list[str]]

    def compared(self, function: str) -> str:
        return f"_compiled({function}, inner, along)"

    def _glue(self, sweeps: Sweeps, base: str) -> Iterator[str]:
        before = (id(sweeps), base) in self.programs.known
        yield from super()._glue(sweeps, base)
        if not before and sweeps.along is None:
            swept = f"_swept(_{base}_value_of, arguments, along)"
            yield f"def _{base}_along_of(arguments: Any, along: Any) -> Any:\n    return {swept}"

    def _call(self, exported: Exported, base: str, sweeps: Sweeps) -> Iterator[str]:
        name = exported.name
        *lines, last = super()._call(exported, base, sweeps)
        yield from lines
        if exported.kind in ("Derivative", "Directional", "Jvp"):
            taken = "result[1]" if exported.kind == "Jvp" else "result"
            last = f"    return _of_forward({name!r}, {taken}, _{base}_along_of, given)"
        jitted = f"jax.jit({name}, static_argnames={self.untraced[name]!r})"
        given = spread(exported.chain.parameters[-1])
        yield f"    again = {jitted}({given}{self.large})"
        yield f"    same = _jitted({name!r}, again, result)"
        yield f"{last} and same"
