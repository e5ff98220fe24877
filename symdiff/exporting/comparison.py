"""The part of a module that checks it: for each function a test against sweeps and differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from symdiff.emit import Emitted, Parameter
from symdiff.exporting.arguments import part
from symdiff.exporting.calls import spread
from symdiff.exporting.examples import example_arguments
from symdiff.exporting.programs import Programs, Sweeps
from symdiff.exporting.refusals import cut_in
from symdiff.exporting.request import Exported
from symdiff.exporting.sparse import example_of
from symdiff.exporting.spelling import Classes, spelled_value
from symdiff.ir.signature import Path, Signature
from symdiff.ir.structure import children
from symdiff.pipeline import Arguments, CallPair, Derived
from symdiff.source import SourceSpan

_ITSELF = ("Function", "Functional")
_FORWARD = ("Derivative", "Directional", "Jvp")


@dataclass(slots=True)
class Comparison:
    """What writes the tests; ``constant`` spells variables outside, ``large`` passes them on."""

    programs: Programs
    constant: Callable[[Parameter], str]
    classes: Classes
    large: str = ""

    def test(self, exported: Exported, derived: Derived, arguments: Arguments) -> list[str]:
        """The sections that test one function; the last defines ``_check_<name>``."""
        chain = exported.chain
        if exported.sparse is not None:
            given = tuple(example_of(arguments))
        else:
            given = tuple(example_arguments(derived.signature, arguments))
        inner = chain
        if exported.kind not in _ITSELF:
            inner = type(chain)(chain.function, chain.transforms[:-1], chain.parameters[:-1])
        level = len(inner.transforms)
        called, before = chain.levels(arguments)[level], chain.levels(given)[level]
        base = exported.name if exported.kind in _ITSELF else f"{exported.name}_of"
        sweeps = self.programs.sweeps(inner, called, base, exported.kind in _FORWARD)
        base = sweeps.name
        lines = [f"def _check_{exported.name}() -> bool:"]
        shown = given if exported.sparse is None else before
        lines.append(f"    arguments: Any = {self._spelled(shown)}")
        lines += self._inner(exported, derived, before, sweeps)
        cut = cut_in(sweeps.derived.graph)
        if cut:
            lines.append(f"    print({_cut_note(exported.name, cut)!r})")
        function = "None" if cut else self.compared(f"_{base}_value_of")
        lines.append(f"    given = (inner, along, {function}, {sweeps.eps!r})")
        lines += self._call(exported, base, sweeps)
        return [*self._glue(sweeps, base), "\n".join(lines)]

    def compared(self, function: str) -> str:
        """The function of a tuple of arguments that differences are taken of."""
        return function

    def _spelled(self, value: Any) -> str:
        return spelled_value(value, self.classes)

    def _inner(
        self, exported: Exported, derived: Derived, before: Any, sweeps: Sweeps
    ) -> Iterator[str]:
        """The arguments of what is differentiated, and directions for them."""
        if exported.kind == "Directional":
            yield "    inner = arguments[:-1]"
        elif exported.kind == "Jvp":
            yield f"    inner = {self._spelled(before)}"
        else:
            yield "    inner = arguments"
        names = [name for name, _ in sweeps.derived.signature.parameters]
        if exported.kind == "Jvp":
            yield f"    along = {self._tangents(exported, derived, sweeps)}"
            return
        if exported.kind == "Derivative":
            yield f"    along = {{{place(exported.wrt[0], names)!r}: 1.0}}"
            return
        if exported.kind in _ITSELF:
            wrt: list[Path] = [(k,) for k in range(len(names))]
        else:
            wrt = [place(path, names) for path in exported.wrt]
        yield f"    wrt = {wrt!r}"
        if exported.kind == "Directional":
            vectors = "[arguments[-1]]" if exported.single else "arguments[-1]"
            yield "    along = {"
            yield "        (*w, *path): leaf"
            yield f"        for w, part in zip(wrt, {vectors}, strict=True)"
            yield "        for path, leaf in _paths(part)"
            yield "        if leaf is not None"
            yield "    }"
        else:
            yield "    along = _directions(np.random.default_rng(0), _floats(inner, wrt))"

    def _tangents(self, exported: Exported, derived: Derived, sweeps: Sweeps) -> str:
        """Where in the arguments of a forward derivative the direction of each float stands."""
        *_, transform = exported.chain.transforms
        signature = sweeps.derived.signature
        calls = CallPair(signature, derived.signature, exported.chain.parameters[-2])
        names = [name for name, _ in signature.parameters]
        outer = list(exported.chain.parameters[-1].names)
        tangents = exported.arguments[outer.index("tangents")]
        pairs = []
        for path in sweeps.wrt:
            _, *rest = transform.outer_path(path, calls)
            text, value = f"arguments[{outer.index('tangents')}]", tangents
            for key in rest:
                text, value = part(text, type(value), key), _item(value, key)
                if value is None:
                    break
            if value is not None:
                pairs.append(f"{place(path, names)!r}: {text}")
        return f"{{{', '.join(pairs)}}}"

    # What ties programs to tuples of arguments

    def _glue(self, sweeps: Sweeps, base: str) -> Iterator[str]:
        signature = sweeps.derived.signature
        key = id(sweeps), base
        if key in self.programs.known:
            return
        self.programs.known[key] = sweeps
        names = [name for name, _ in signature.parameters]
        yield self._definition(f"_{base}_value_of", sweeps.value, signature)
        if sweeps.along is not None:
            yield self._along(base, sweeps.along, sweeps, names)
        if sweeps.forward is not None and sweeps.backward is not None:
            yield self._backward(base, sweeps, names)

    def _along(self, base: str, along: Emitted, sweeps: Sweeps, names: list[str]) -> str:
        """The derivatives of all results along directions, by the forward sweep."""
        head = f"def _{base}_along_of(arguments: Any, along: Any) -> Any:"
        parts = {
            p.path[1]: f"_part(arguments, along, {place(sweeps.wrt[p.path[1]], names)!r})"
            for p in along.parameters
            if p.origin == "derived"
        }
        call = self._call_of(along, sweeps.derived.signature, lambda p: parts[p.path[1]])
        return f"{head}\n    return {call}"

    def _definition(self, name: str, emitted: Emitted, signature: Signature) -> str:
        return f"def {name}(arguments: Any) -> Any:\n    return {self._call_of(emitted, signature)}"

    def _call_of(
        self,
        emitted: Emitted,
        signature: Signature,
        derived: Callable[[Parameter], str] = lambda p: p.name,
    ) -> str:
        names = [name for name, _ in signature.parameters]
        passed = []
        for parameter in emitted.parameters:
            if parameter.origin == "argument":
                passed.append(f"arguments[{names.index(parameter.path[0])}]")
            elif parameter.origin == "free":
                passed.append(self.constant(parameter))
            else:
                passed.append(derived(parameter))
        count = sum(parameter.origin == "argument" for parameter in emitted.parameters)
        if count > 1 and passed[:count] == [f"arguments[{k}]" for k in range(len(names))]:
            passed[:count] = ["*arguments"]
        return f"{emitted.name}({', '.join(passed)})"

    def _backward(self, base: str, sweeps: Sweeps, names: list[str]) -> str:
        assert sweeps.forward is not None
        assert sweeps.backward is not None
        forward = self._call_of(sweeps.forward, sweeps.derived.signature)
        paths = [place(path, names) for path in sweeps.wrt]
        return "\n".join(
            [
                f"def _{base}_backward_of(rng: Any, arguments: Any) -> Any:",
                '    """Seeds for the results, and the cotangents of the floats by path."""',
                f"    value, saved = {forward}",
                "    seeds = _seeds(rng, value)",
                "    given = (*saved, *seeds)",
                f"    found = {sweeps.backward.name}(*(given[k] for k in {sweeps.order!r}))",
                f"    return seeds, dict(zip({paths!r}, found, strict=True))",
            ]
        )

    # The calls that compare

    def _call(self, exported: Exported, base: str, sweeps: Sweeps) -> Iterator[str]:
        name = exported.name
        if exported.kind == "Function":
            yield from self._pair(exported, base, sweeps)
            return
        given = spread(exported.parameters)
        yield f"    result = {name}({given}{self.large})"
        if exported.kind == "Gradient":
            taken = "result[1]" if exported.value else "result[0]" if exported.aux else "result"
            sweep = f"_{base}_along_of"
            options = f"wrt, {exported.single}, {sweep}, given"
            yield f"    return _of_gradient({name!r}, {taken}, {options})"
        elif exported.kind == "Jacobian":
            yield f"    return _of_jacobian({name!r}, result, _{base}_along_of, given)"
        elif exported.kind == "Sweep":
            yield f"    return _of_matrix({name!r}, result, _{base}_along_of, given)"
        elif exported.kind == "Functional":
            sweep, value = f"_{base}_along_of", f"_{base}_value_of"
            yield f"    return _of_function({name!r}, result, {sweep}, {value}, given)"
        else:
            taken = "result[1]" if exported.kind == "Jvp" else "result"
            straight = sweeps.seeded == tuple(range(len(sweeps.seeded)))
            places = None if straight else sweeps.seeded
            sweep = f"_{base}_backward_of"
            yield f"    return _of_tangents({name!r}, {taken}, {places!r}, {sweep}, given)"

    def _pair(self, exported: Exported, base: str, sweeps: Sweeps) -> Iterator[str]:
        name = exported.name
        given = spread(exported.chain.parameters[-1])
        yield f"    _, saved = {name}_forward({given}{self.large})"
        yield f"    call = (_{base}_value_of(inner), lambda *seeds: {name}_backward(saved, *seeds))"
        options = f"{sweeps.seeded!r}, _{base}_along_of, given"
        yield f"    return _of_pair({name!r}, call, {options})"


def _cut_note(name: str, cut: SourceSpan | bool) -> str:
    line = "" if isinstance(cut, bool) else f" (line {cut.line})"
    says = "the function says itself what is differentiated"
    return f"{name} is not compared with differences: {says}{line}"


def place(path: Path, names: list[str]) -> Path:
    """A path of arguments by position."""
    return (names.index(path[0]), *path[1:])


def _item(value: Any, key: Any) -> Any:
    keys, items = children(value) or ((), ())
    return items[keys.index(key)] if key in keys else None
