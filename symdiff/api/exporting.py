"""``export`` and ``Differentiable.export``: what users ask for, as plain data for ``exporting``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import numpy as np

from symdiff.api.programs import everything
from symdiff.api.transforms import (
    Differentiated,
    Directional,
    Gradient,
    Jacobian,
    Jvp,
    Marked,
    Sweep,
)
from symdiff.differentiate.switches import ROW_BY_ROW
from symdiff.errors import SignatureError, UnsupportedCallError
from symdiff.exporting import Exported, Options, Request, write_module
from symdiff.exporting.request import Asked, Sparse
from symdiff.exporting.text import public_name
from symdiff.ir.structure import Container, children, construct
from symdiff.parse import Marks
from symdiff.pipeline import Arguments, Chain, Derived
from symdiff.runtime.signature import TypeText, read_type, spelled, with_types

if TYPE_CHECKING:
    from symdiff.api.objects import Differentiable
    from symdiff.api.sparse import SparseDerivative
    from symdiff.runtime.parameters import Parameters

Target = str | os.PathLike[str]

_NAMED = ("derivative", "grad", "hessian", "hvp", "jacobian", "jvp", "value_and_grad")


def export_several(
    path: Target,
    functions: Mapping[str, Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    given: tuple[Any, ...],
) -> None:
    """``symdiff.export``: derivatives under names, of one call of what is differentiated."""
    options = _options(*given)
    asked = []
    with _rows_for(options):
        for name, made in functions.items():
            if hasattr(type(made), "planned"):  # a sparse one
                asked.append(_sparse(made, _checked_name(name), args, kwargs, options))
                continue
            _refuse_ambiguous(made, options, args)
            asked.append(_exported(made, _checked_name(name), _completed(made, args, kwargs)))
        if not asked:
            raise SignatureError("no functions to export", hint='{"loss_grad": loss.grad}')
        write_module(Request(asked, options), path)


def export_of(
    made: Differentiable,
    path: Target,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    names: Sequence[str] | None,
    options: tuple[Any, ...],
) -> None:
    """``Differentiable.export``: the function itself, or its derivatives of these names."""
    if names is None:
        checked = _options(*options)
        _refuse_ambiguous(made, checked, args)
        with _rows_for(checked):
            own = _exported(made, public_name(made._name), made._described(args, kwargs))
            write_module(Request([own], checked), path)
        return
    several = isinstance(names, Sequence) and not isinstance(names, str)
    given: tuple[Any, ...] = tuple(names) if several else (names,)
    unknown = [name for name in given if name not in _NAMED]
    if unknown:
        raise SignatureError(
            f"there is no derivative {unknown[0]!r}", hint=f"there are {', '.join(_NAMED)}"
        )
    derivatives = {public_name(getattr(made, n)._name): getattr(made, n) for n in given}
    export_several(path, derivatives, args, kwargs, options)


def _options(namespace: Any, constants: Any, stub: Any, force: Any) -> Options:
    for name, value, known in (
        ("namespace", namespace, ("numpy", "jax.numpy")),
        ("constants", constants, ("parameters", "file")),
        ("stub", stub, (False, True)),
        ("force", force, (False, True)),
    ):
        if not any(type(value) is type(one) and value == one for one in known):
            raise SignatureError(
                f"{name} is {' or '.join(map(repr, known))}, not {value!r}",
                hint=f"where {name!r} is an argument of the function, give it by position",
            )
    return Options(namespace, constants, stub, force)


def _rows_for(options: Options) -> AbstractContextManager[None]:
    """How Jacobians are computed: JAX compiles no loop whose turns take as many rows as fit."""
    return ROW_BY_ROW.turned(options.namespace == "jax.numpy")


def _refuse_ambiguous(made: Differentiable, options: Options, args: tuple[Any, ...]) -> None:
    """Refuse an option that may as well be meant for the function."""
    names = made._chain.parameters[0].names[made._skip :]
    for name in names[len(args) :]:
        if name in Options.__slots__ and getattr(options, name) != getattr(Options(), name):
            raise SignatureError(
                f"{name} is an option of export, and a parameter of {made._name}",
                hint="give the argument by position",
            )


def _checked_name(name: Any) -> str:
    if not isinstance(name, str) or public_name(name) != name or not name.isidentifier():
        raise SignatureError(
            f"{name!r} is no name for a function", hint="use an identifier: loss_grad"
        )
    return name


# Calls --------------------------------------------------------------------------------------------


def _completed(made: Differentiable, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
    """The canonical call of a derivative, from that of what is differentiated."""
    levels = made._chain.parameters
    given = levels[0].bind(made._bound + with_types(args), with_types(kwargs))
    for transform, inner in zip(made._transforms, levels[:-1], strict=True):
        given = _outer(transform, inner, given)
    return given


def _outer(transform: Any, inner: Parameters, given: Arguments) -> Arguments:
    if isinstance(transform, Directional):
        vectors = [_tangent(inner.value_at(given, path)) for path in transform.wrt.paths(inner)]
        return (*given, tuple(vectors) if isinstance(transform.wrt.argnums, tuple) else vectors[0])
    if isinstance(transform, Jvp):
        flat = inner.flat(given)
        primals = flat[transform.skip :]
        return (*flat[: transform.skip], primals, tuple(map(_tangent, primals)))
    return given


def _tangent(value: Any) -> Any:
    """A tangent of a value's type: the value itself, None for what has none."""
    if isinstance(value, TypeText):
        type_ = read_type(value)
        return value if type_ is not None and type_.differentiable else None
    parts = None if isinstance(value, str) else children(value)
    if parts is not None:
        return construct(Container(type(value), parts[0], ()), list(map(_tangent, parts[1])))
    number = isinstance(value, float | complex | np.ndarray | np.generic)
    return value if number and np.asarray(value).dtype.kind in "fc" else None


def _exported(
    made: Differentiable, name: str, arguments: Arguments, sparse: Sparse | None = None
) -> Exported:
    chain = made._chain
    last = chain.transforms[-1] if chain.transforms else None
    last = None if isinstance(last, Marked) else last
    marks = chain.marks or Marks()
    if marks.kept:
        raise UnsupportedCallError(
            f"{name} keeps gradients by {', '.join(marks.kept)} in a record, which a module alone"
            " does not have",
            hint="export the gradient without retain=...",
        )
    frozen = marks.frozen
    wrt = last.wrt if isinstance(last, Differentiated) else None
    *_, inner = chain.parameters[:-1] or chain.parameters
    transforms = tuple(_in_words(chain))
    of = made._home.name
    stages = [f"the {text}" for text in reversed(transforms)]
    told = " of ".join([*stages, of])

    def cotangents(derived: Derived) -> Asked:
        asked, shaped = everything(
            derived.graph, derived.signature, chain.parameters[-1], 0, frozen
        )
        return asked.graph, asked.wrt, shaped

    return Exported(
        name,
        chain,
        arguments,
        type(last).__name__ if last is not None else "Function",
        of,
        told[0].upper() + told[1:] if transforms else told,
        transforms,
        wrt.paths(inner) if wrt is not None else (),
        wrt is not None and not isinstance(wrt.argnums, tuple),
        isinstance(last, Gradient) and last.value,
        isinstance(last, Gradient) and last.aux,
        made._home.is_exact,
        cotangents,
        sparse,
    )


def _sparse(
    made: SparseDerivative,
    name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    options: Options,
) -> Exported:
    """A sparse derivative: its sweeps, and the pattern of the call's sizes and integers."""
    if options.namespace != "numpy":
        raise SignatureError(
            "a sparse derivative is written for NumPy and SciPy", hint='namespace="numpy"'
        )
    if any(isinstance(value, str) for value in (*args, *kwargs.values())):
        raise SignatureError(
            f"{name} is sparse: its pattern is that of sizes",
            hint="give arguments themselves, not their types",
        )
    sweeps, arguments, matrix = made.planned(args, kwargs)
    return _exported(sweeps, name, arguments, matrix)


def _in_words(chain: Chain) -> Iterator[str]:
    """What each transform does: ``gradient by w``."""
    for transform, inner in zip(chain.transforms, chain.parameters[:-1], strict=True):
        what = type(transform).__name__.lower()
        if isinstance(transform, Marked):
            what = _marks_in_words(transform)
        if isinstance(transform, Gradient) and transform.value:
            what = "value and gradient"
        if isinstance(transform, Directional):
            what = "derivative along a vector"
        elif isinstance(transform, Jvp):
            what = "value and derivative along tangents"
        elif isinstance(transform, Jacobian | Sweep):
            what = "jacobian"
        by = ""
        if isinstance(transform, Differentiated):
            by = f" by {', '.join(map(spelled, transform.wrt.paths(inner)))}"
        yield f"{what}{by}"


def _marks_in_words(marked: Marked) -> str:
    """What is marked: ``marked function (b frozen, a hook on h)``."""
    parts = [f"{name} frozen" for name in marked.frozen]
    parts += [f"a hook on {name}" for name, _ in marked.hooks]
    return f"marked function ({', '.join(parts)})"
