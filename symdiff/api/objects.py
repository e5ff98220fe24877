"""The objects users hold: a function with its derivatives, and a derivative with its own.

``Differentiable`` calls the user's function untouched; ``.grad``, ``.jvp`` and so on are
``Derivative`` objects, which have the same attributes again. What was compiled belongs to the
function, not to these objects: ``grad(f)`` twice compiles once. All of them pickle where the
function does, by reference.
"""

from __future__ import annotations

import functools
import importlib
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from symdiff.api.arguments import Direction, checked_argnums
from symdiff.api.units import called_in_units, has_quantities, pulled_back_in_units
from symdiff.definitions import DEFINITIONS
from symdiff.definitions.libraries import meet
from symdiff.errors import CertainError, SignatureError, UnsupportedCallError
from symdiff.ir.compiled import python_behind
from symdiff.ir.structure import declared
from symdiff.runtime.collecting import loading
from symdiff.runtime.signature import with_types

if TYPE_CHECKING:
    from symdiff.api.programs import Home
    from symdiff.graphs import ComputationGraph
    from symdiff.inspection import Built, Source
    from symdiff.inspection.explanation import Explanation
    from symdiff.pipeline import Chain, Transform
    from symdiff.runtime.dispatch import Dispatcher
    from symdiff.runtime.saved import Linear, Pullback, Saved
    from symdiff.tracing import Trace

Argnums: TypeAlias = "int | str | tuple[int | str, ...] | list[int | str]"
DEFAULT: int = type("_Default", (int,), {})(0)  # the first argument, or all that are not frozen
Bound: TypeAlias = tuple[Any, ...]  # the first arguments, of a method
Step: TypeAlias = tuple[Any, ...]  # the name of a transform, and its fields
Steps: TypeAlias = tuple[Step, ...]
_COPIED = (*functools.WRAPPER_ASSIGNMENTS, "__type_params__")


def _load_compiler() -> None:
    """Import all that a first call needs, if no call did so before."""
    parts = ("symdiff.api.programs", "symdiff.api.transforms")
    if not sys.modules.keys() >= set(parts):
        with loading():
            for part in parts:
                importlib.import_module(part)


class Differentiable:
    """A function together with its derivatives.

    >>> square = Differentiable(lambda x: x * x)
    >>> square(3.0)
    9.0
    """

    __symdiff_static__ = True

    def __init__(self, function: Callable[..., Any], bound: Bound = (), steps: Steps = ()) -> None:
        self._function = function
        self._bound = bound
        self._steps = steps
        for name in _COPIED:
            if hasattr(function, name):
                setattr(self, name, getattr(function, name))
        self.__wrapped__ = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*self._bound, *args, **kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        return type(self)(self._function, (instance, *self._bound), self._steps)

    @property
    def __symdiff_function__(self) -> Callable[..., Any]:
        """What a compiled program that calls this follows."""
        self._require_unmarked()
        return types.MethodType(self._function, *self._bound) if self._bound else self._function

    def __repr__(self) -> str:
        return f"<differentiable {self._name}>"

    def __reduce__(self) -> Any:
        if not self._bound and _lives_at(self):
            return str(getattr(self, "__qualname__", ""))
        function: Any = self._function
        if not _lives_at(function):
            decorated = _decorated(function)
            if decorated is not None and decorated._bound:  # a class method
                place = function.__module__, function.__qualname__
                return _rebuilt_at, (type(self), *place, self._bound, self._steps)
            function = decorated or function
        return _rebuilt, (type(self), function, self._bound, self._steps)

    # Derivatives

    @functools.cached_property
    def grad(self) -> Derivative:
        """The gradient by the first argument."""
        return self._gradient(self._default)

    @functools.cached_property
    def value_and_grad(self) -> Derivative:
        """The pair of value and gradient by the first argument."""
        return self._gradient(self._default, value=True)

    @functools.cached_property
    def jvp(self) -> Derivative:
        """``(primals, tangents)`` → the pair of value and tangent."""
        return self._derived(("Jvp", self._skip))

    @functools.cached_property
    def jacobian(self) -> Derivative:
        """The derivatives of all that is returned by the first argument, shape out + in."""
        return self._jacobian(self._default, "auto")

    @functools.cached_property
    def hessian(self) -> Derivative:
        """The second derivatives by the first argument, forward over reverse."""
        return self._hessian(self._default)

    @functools.cached_property
    def hvp(self) -> Derivative:
        """``(*args, v)`` → the Hessian times ``v``, without the Hessian."""
        return self._hvp(self._default)

    @functools.cached_property
    def derivative(self) -> Derivative:
        """The derivative of a scalar function of a scalar, in forward mode."""
        return self._derived(("Derivative", self._wrt(self._default)))

    def vjp(self, *args: Any, **kwargs: Any) -> tuple[Any, Pullback]:
        """The value, and the pullback: a function of a cotangent that can be called again and
        again.
        """
        self._refresh()
        arguments = self._canonical(args, kwargs)
        if has_quantities(self._steps, arguments):
            return pulled_back_in_units(self, arguments)
        value, saved = self._pairs(arguments)
        return value, saved.pullback()

    def linearize(self, *args: Any, **kwargs: Any) -> tuple[Any, Linear]:
        """The value, and the linear function that takes tangents of the arguments to the result's,
        which can be called again and again.
        """
        self._refresh()
        arguments = self._canonical(args, kwargs)
        if has_quantities(self._steps, arguments):
            raise UnsupportedCallError(
                f"{self._name} of quantities: linearize does not take them",
                hint="use symdiff.jvp, or pass the numbers, x.value",
            )
        value, linear = self._linear(arguments)
        return value, replace(linear, least=len(args))

    def forward(self, *args: Any, **kwargs: Any) -> tuple[Any, Saved]:
        """The value, and what the backward sweep needs of it."""
        self._refresh()
        result: tuple[Any, Saved] = self._pairs(self._canonical(args, kwargs))
        return result

    def backward(self, saved: Saved, gradient: Any = None) -> tuple[Any, ...]:
        """The cotangents of all arguments, one entry each, None where nothing is differentiated.

        ``gradient`` is the cotangent of the value; it may be left out where that is a scalar.
        """
        program = getattr(saved, "program", None)
        if program is None:
            kind = type(saved).__name__
            raise SignatureError(
                f"saved is of type {kind}, which is not what forward() saves",
                hint="y, saved = f.forward(x); f.backward(saved)",
            )
        result: tuple[Any, ...] = program.run(saved, gradient)
        return result

    def trace(self, *args: Any, **kwargs: Any) -> Trace:
        """Run the function once and keep every value that a name of it gets.

        ``t.value`` is the result, ``t["h"].value`` the last value of ``h``, ``t["h"][k]`` the k-th;
        ``t.backward()`` gives them their ``grad``. Names inside functions with rules of their own
        (``custom_vjp``, ``custom_jvp``) are not kept: see ``symdiff.tracing.Trace``.

        :raises SignatureError: where a text stands for a value.
        """
        self._refresh()
        result: Trace = self._traces(self._canonical(args, kwargs))
        return result.drawn_by(lambda: self.graph(*args, **kwargs))

    def with_hook(self, name: str, fn: Callable[[Any], Any]) -> Self:
        """Return this function with a hook: the cotangent of what ``name`` is bound to becomes
        ``fn(cotangent)``.

        Each value that the name gets has its own call, the last one's first; several hooks of a
        name are called in the order in which they were put. ``fn`` may replace, clip, log or raise.
        Names of functions that are called are ``"layer.h"``, also of one that calls itself as often
        as its data say. The function itself stays as it is.

        :raises UnknownNameError: when a derivative is compiled that has no such name.
        :raises SignatureError: likewise, where it is no float nor an array of floats.

        >>> import numpy as np
        >>> import symdiff as sd
        >>> @sd.differentiable
        ... def loss(x):
        ...     y = x * x
        ...     return 3.0 * y
        >>> loss.with_hook("y", lambda g: np.clip(g, -1.0, 1.0)).grad(5.0), loss.grad(5.0)
        (10.0, 30.0)
        """
        if not isinstance(name, str) or not callable(fn):
            raise SignatureError("with_hook takes a name and a function of the cotangent")
        return self._marked(hooks=(*self._marks["hooks"], (name, fn)))

    def without_hook(self, name: str | None = None) -> Self:
        """Return this function without the hooks on ``name``, or without any.

        :raises SignatureError: where there is none on this name.
        """
        hooks = self._marks["hooks"]
        kept = tuple(hook for hook in hooks if name is not None and hook[0] != name)
        if name is not None and len(kept) == len(hooks):
            known = ", ".join(repr(hooked) for hooked, _ in hooks) or "none"
            raise SignatureError(f"{self._name} has no hook on {name!r}", hint=f"it has {known}")
        return self._marked(hooks=kept)

    def freeze(self, *names: str) -> Self:
        """Return this function with arguments held constant: nothing is differentiated by them.

        ``grad`` and the others then go by the rest: by the one argument that is left, or by all
        that are, as a tuple. In ``backward``, ``vjp`` and traces a frozen argument has None.

        :raises SignatureError: for a name that is no parameter, or where none is left.

        >>> import symdiff as sd
        >>> @sd.differentiable
        ... def loss(w, b, x):
        ...     return w * x + b
        >>> loss.freeze("x").grad(2.0, 1.0, 3.0)
        (3.0, 1.0)
        """
        known = self._home.parameters.names[self._skip :]
        for name in names:
            if name not in known:
                raise SignatureError(
                    f"{self._name} has no parameter {name!r}",
                    hint=f"its parameters are {', '.join(known)}",
                )
        frozen = self._marks["frozen"]
        made = self._marked(frozen=(*frozen, *(n for n in names if n not in frozen)))
        if not made._free_names:
            raise SignatureError(f"no argument of {self._name} is left to differentiate by")
        return made

    @property
    def _free_names(self) -> tuple[str, ...]:
        """The parameters that are not frozen."""
        names = self._home.parameters.names[self._skip :]
        return tuple(name for name in names if name not in self._marks["frozen"])

    @property
    def _default(self) -> Argnums:
        """What is differentiated by where nothing else is said."""
        if not self._marks["frozen"]:
            return 0
        free = self._free_names
        return free if len(free) > 1 else free[0]

    # What was or would be compiled

    def source(self, *args: Any, **kwargs: Any) -> Source:
        """The code that runs for these arguments, which may be types as text: ``"float64[n,d]"``.

        Of a function itself: its forward and backward parts. What is returned is a ``str`` whose
        ``show()`` prints it in colour, and which notebooks show beside the function.
        """
        return self._built(args, kwargs).source

    def explain(self, *args: Any, **kwargs: Any) -> Explanation:
        """What the compiler did for these arguments or types, and why.

        Which values are active; what is saved or computed again; how often each rewrite was made;
        operations and bytes by source line. Nothing runs. ``str``, ``as_dict()`` and notebooks
        show it.
        """
        from symdiff.inspection.explanation import Explanation

        return Explanation.of(self._built(args, kwargs))

    def graph(self, *args: Any, **kwargs: Any) -> ComputationGraph:
        """The graph of the function for these arguments, which may be types as text.

        Its nodes have the attributes of PyTorch's tensors: ``f.graph(x)["y"].grad_fn``. What
        requires a gradient follows from what is differentiated by; of a function itself, that is
        every float. ``.ir`` is the graph that is compiled.
        """
        return self._home.graph(self._transforms, self._described(args, kwargs))

    def signatures(self) -> list[str]:
        """What was compiled so far, a line each, and on which values it rests."""
        return self._home.signatures()

    def export(
        self,
        path: Any,
        /,
        *args: Any,
        functions: Sequence[str] | None = None,
        namespace: Literal["numpy", "jax.numpy"] = "numpy",
        constants: Literal["parameters", "file"] = "parameters",
        stub: bool = False,
        force: bool = False,
        **kwargs: Any,
    ) -> None:
        """Write a module that needs NumPy alone, for these arguments or types, to ``path``.

        Of a function itself, its forward and backward parts; with ``functions``, those derivatives
        of it: ``("value_and_grad", "grad", "hvp")``. The other options are those of
        ``symdiff.export``.
        """
        from symdiff.api.exporting import export_of

        export_of(self, path, args, kwargs, functions, (namespace, constants, stub, force))

    def _repr_html_(self) -> str | None:
        """What a notebook shows: the program compiled last, beside the function."""
        from symdiff.inspection.formula import in_mathml

        shown = self._home.latest(self._transforms, pair=type(self) is Differentiable)
        if shown is None:
            return None
        return f"{self._formula(in_mathml) or ''}{shown._repr_html_()}"

    def _repr_latex_(self) -> str | None:
        """The formula of a small function of numbers; None of others."""
        from symdiff.inspection.formula import in_latex

        return self._formula(in_latex)

    def _formula(self, write: Callable[..., str | None]) -> str | None:
        if self._bound:
            return None
        return self._home.formula(self._transforms, self._name, self.sympy, write)

    def sympy(self, *args: Any, **kwargs: Any) -> Any:
        """What is returned for these arguments as SymPy expressions, in symbols for their numbers.

        Numbers have the symbol of their name, arrays of known size indexed ones: ``x[0, 1]``. Loops
        are unrolled, branches become ``Piecewise``; an integer on which a loop or a size depends
        counts with its value. It holds for real numbers, where the function returns.

        :raises UnsupportedCallError: for what has no closed form, with its line.
        :raises SignatureError: where the size of an array is not given.

        >>> import numpy as np
        >>> Differentiable(lambda x: x * np.sin(x)).grad.sympy("float")
        x*cos(x) + sin(x)
        """
        from symdiff.symbolic import closed_form

        return closed_form(*self._home.described(self._transforms, self._described(args, kwargs)))

    def latex(self, *args: Any, **kwargs: Any) -> str:
        """The closed form that ``sympy`` gives, as LaTeX."""
        from symdiff.symbolic import latex_of

        return latex_of(self.sympy(*args, **kwargs))

    # How derivatives are made

    def _built(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Built:
        described = self._described(args, kwargs)
        return self._home.built_pair(self._transforms, self._name, described, self._skip)

    @property
    def _name(self) -> str:
        """``loss_grad_jvp``: what is emitted."""
        name = getattr(self._function, "__name__", type(self._function).__name__)
        parts = ["function" if name == "<lambda>" else name]
        for step in self._steps:
            if step[0] in ("Marked", "Simplify"):
                continue
            if _shown(step) in _AFTER_A_GRADIENT and parts[-1] == "grad":
                parts.pop()
            parts.append(_shown(step))
        return "_".join(parts)

    @property
    def _skip(self) -> int:
        return len(self._bound)

    def _wrt(self, argnums: Argnums) -> Step:
        chosen = checked_argnums(argnums)
        frozen = self._marks["frozen"]
        for one in (chosen if isinstance(chosen, tuple) else (chosen,)) if frozen else ():
            if self._home.parameters.locate(one, self._skip)[0] in frozen:
                raise SignatureError(
                    f"{one!r} is frozen: nothing is differentiated by it",
                    hint="freeze other arguments, or ask for others with argnums",
                )
        return chosen, self._skip

    def _derived(self, *steps: Step) -> Derivative:
        return Derivative(self._function, self._bound, (*self._steps, *steps))

    def _gradient(
        self,
        argnums: Argnums,
        value: bool = False,
        aux: bool = False,
        retain: tuple[str, ...] = (),
    ) -> Derivative:
        step = ("Gradient", self._wrt(argnums), value, aux, retain)
        if not retain:
            return self._derived(step[:-1])
        return self._marked(kept=(*self._marks["kept"], *retain))._derived(step)

    def _jacobian(self, argnums: Argnums, mode: Direction) -> Derivative:
        return self._derived(("Jacobian", self._wrt(argnums), mode))

    def _hessian(self, argnums: Argnums) -> Derivative:
        wrt = self._wrt(argnums)
        return self._derived(("Gradient", wrt), ("Jacobian", wrt, "fwd", "hessian"))

    def _hvp(self, argnums: Argnums) -> Derivative:
        wrt = self._wrt(argnums)
        return self._derived(("Gradient", wrt), ("Directional", wrt))

    def _taylor(self, order: int) -> Derivative:
        return self._derived(("Taylor", self._wrt(self._default), order))

    def _vmapped(self, in_axes: Any, out_axes: Any) -> Derivative:
        _load_compiler()
        from symdiff.api.axes import frozen_axes

        axes = (frozen_axes(a, n) for a, n in ((in_axes, "in_axes"), (out_axes, "out_axes")))
        return self._derived(("Vmap", *axes, self._skip))

    def require_exact(self) -> None:
        """Compute numbers as NumPy does, to the bit: see ``differentiable(exact=True)``."""
        self._home.require_exact()

    def _simplified(self, kinds: tuple[str, ...]) -> Differentiable:
        """Return this function with its emitted source simplified by SymPy."""
        return type(self)(self._function, self._bound, (*self._steps, ("Simplify", kinds)))

    # Calls

    @functools.cached_property
    def _home(self) -> Home:
        _load_compiler()
        from symdiff.api.programs import home_of

        return home_of(self._function)

    @functools.cached_property
    def _transforms(self) -> tuple[Transform, ...]:
        from symdiff.api.transforms import transform_of

        return tuple(map(transform_of, self._steps))

    @functools.cached_property
    def _chain(self) -> Chain:
        return self._home.chain(self._transforms)

    @functools.cached_property
    def _arity(self) -> int:
        return self._home.quick(self._steps, self._name)[1] - self._skip

    @functools.cached_property
    def _pairs(self) -> Callable[[tuple[Any, ...]], Any]:
        return self._home.pairs(self._transforms, self._name, self._skip)

    @functools.cached_property
    def _linear(self) -> Callable[[tuple[Any, ...]], Any]:
        return self._home.linear(self._transforms, self._name, self._skip)

    @functools.cached_property
    def _traces(self) -> Callable[[tuple[Any, ...]], Any]:
        marked = self._marked(kept="all")
        return marked._home.traced(marked._transforms, self._name, self._skip)

    def _marked(self, **changed: Any) -> Self:
        """Return this function with other marks on its names, which the first step has."""
        marks = self._marks | changed
        rest = self._steps[1:] if self._is_marked else self._steps
        steps = (("Marked", *marks.values()), *rest) if any(marks.values()) else rest
        return type(self)(self._function, self._bound, steps)

    @property
    def _is_marked(self) -> bool:
        return self._steps[:1] != () and self._steps[0][0] == "Marked"

    def _require_unmarked(self) -> None:
        """Refuse to lose hooks and frozen arguments inside another program."""
        if self._is_marked:
            raise UnsupportedCallError(
                f"{self._name} has hooks, frozen arguments or retained names, which a program that"
                " calls it would not have",
                hint="call sd.grad_hook or sd.detach in the function instead",
            )

    @property
    def _marks(self) -> dict[str, Any]:
        """What is kept, hooked and frozen."""
        values = self._steps[0][1:] if self._is_marked else ((), (), ())
        return dict(zip(("kept", "hooks", "frozen"), values, strict=True))

    def _refresh(self) -> None:
        """Forget what was found out of the function's parameters, if they are others now."""
        if self._chain.parameters[0] is not self._home.parameters:
            for name in ("_chain", "_arity", "_pairs", "_quick", "_linear", "_traces"):
                self.__dict__.pop(name, None)

    def _canonical(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        if kwargs or len(args) != self._arity:
            self._refresh()
            return self._chain.parameters[-1].bind(self._bound + args, kwargs)
        return self._bound + args if self._bound else args

    def _described(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The canonical call, in which texts may stand for types."""
        return self._canonical(with_types(args), with_types(kwargs))


class Derivative(Differentiable):
    """A derivative of a function: compiled at its first call for a signature, and differentiable
    again.
    """

    def __init__(self, function: Callable[..., Any], bound: Bound = (), steps: Steps = ()) -> None:
        super().__init__(function, bound, steps)
        del self.__wrapped__  # its parameters need not be those of the function
        self.__name__ = self._name
        self.__qualname__ = self._name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        dispatch, arity = self._quick
        given = args
        if kwargs or self._bound or len(args) != arity:
            args = self._canonical(args, kwargs)
        result = dispatch.first(*args)
        return self._search(given, kwargs) if result is dispatch.miss else result

    def _search(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call where the program to try first does not fit, or the function is another now."""
        self._refresh()
        arguments = self._canonical(args, kwargs)
        if has_quantities(self._steps, arguments):
            return called_in_units(self, arguments)
        return self._quick[0].search(arguments)

    @property
    def __symdiff_function__(self) -> Callable[..., Any]:
        raise AttributeError("__symdiff_function__")  # its graph is made by transforms

    def __symdiff_staged__(self, stager: Any, args: Any, kwargs: Any) -> Any:
        """What a compiled program that calls this makes of it."""
        from symdiff.api.inside import call_transformed

        self._require_unmarked()
        if self._bound:
            raise UnsupportedCallError(
                f"symdiff does not compile a call of {self._name} of a bound method",
                hint="differentiate a function of the object instead",
            )
        return call_transformed(stager, self._function, self._transforms, args, kwargs)

    def __repr__(self) -> str:
        return f"<derivative {self._name}>"

    @functools.cached_property
    def _quick(self) -> tuple[Dispatcher, int]:
        return self._home.quick(self._steps, self._name)

    def _built(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Built:
        described = self._described(args, kwargs)
        try:
            return self._home.built(self._transforms, self._name, described)
        except CertainError as error:
            classes = [one for one in described if any(one is kind for kind in _NUMBERS)]
            if classes and isinstance(error.__cause__, TypeError):
                name = classes[0].__name__
                error.hint = f"{name} is the class itself here: {name!r} stands for a number of it"
            raise


_NUMBERS = (bool, int, float, complex)
_AFTER_A_GRADIENT = ("hessian", "hvp")
_SHOWN = {
    "Jvp": "jvp",
    "Derivative": "derivative",
    "Directional": "hvp",
    "Functional": "functional",
    "Sweep": "sweeps",
    "Taylor": "taylor",
    "Vmap": "vmap",
}


def _shown(step: Step) -> str:
    """A step in the name of what it gives."""
    if step[0] == "Gradient":
        return "value_and_grad" if step[2:3] == (True,) else "grad"
    if step[0] == "Jacobian":
        return step[3] if len(step) > 3 else "jacobian"
    return _SHOWN[step[0]]


def differentiable_of(function: Any) -> Differentiable:
    """The object around a function; methods and callable objects with what they are bound to."""
    if isinstance(function, Differentiable):
        return function
    if isinstance(function, types.MethodType) and not _is_defined(function):
        inner = differentiable_of(function.__func__)
        return type(inner)(inner._function, (function.__self__, *inner._bound), inner._steps)
    if declared(function, "__symdiff_transpose__") is not None:
        raise SignatureError(
            "a linear function is its own derivative",
            hint="symdiff.vjp takes it; else call symdiff.linearize in the function that is"
            " differentiated",
        )
    if isinstance(function, staticmethod | classmethod | property):
        raise SignatureError(f"put @differentiable below @{type(function).__name__}")
    if not callable(function):
        raise SignatureError(
            f"a function is needed, not a value of type {type(function).__name__}",
            hint="pass the function itself and call what you get: grad(f)(x), not grad(f(x))",
        )
    if _is_function(function) or isinstance(function, types.MethodType):
        return Differentiable(function)
    if hasattr(function, "cache_info") and hasattr(function, "__wrapped__"):
        raise SignatureError(
            "a cached function does not compute what it has computed before",
            hint="differentiate the function inside the cache, its __wrapped__",
        )
    return Differentiable(type(function).__call__, (function,))


def _is_defined(method: types.MethodType) -> bool:
    """Return whether a library's method is known by the object that it is bound to, as those of
    SciPy's distributions are.
    """
    if type(method.__self__).__module__.partition(".")[0] not in ("numpy", "scipy"):
        return False
    meet()
    return method in DEFINITIONS


def require_derivatives(functions: Any) -> None:
    """Refuse what is no dict of derivatives by name."""
    hint = 'export(path, {"loss_grad": symdiff.grad(loss)}, *args)'
    if not isinstance(functions, Mapping):
        raise SignatureError(
            f"functions are a dict of derivatives by name, not a {type(functions).__name__}",
            hint=hint,
        )
    for name, made in functions.items():
        if not isinstance(made, Differentiable) and not hasattr(type(made), "planned"):
            raise SignatureError(
                f"{name!r} is a {type(made).__name__}, not a derivative", hint=hint
            )


def _is_function(function: Any) -> bool:
    """Return whether a callable is no object of the user's class: what Numba compiled is not."""
    if isinstance(function, types.FunctionType | type | functools.partial):
        return True
    if python_behind(function) is not None:
        return True
    return type(function).__module__ in ("builtins", "numpy") or declared(
        function, "__symdiff_static__"
    )


# Pickling -----------------------------------------------------------------------------------------


def _lives_at(value: Any) -> bool:
    """Return whether an object is what stands at its own qualified name."""
    return _found(getattr(value, "__module__", None), getattr(value, "__qualname__", "")) is value


def made_around(function: Any) -> Differentiable | None:
    """The object around a function that has no other place: symdiff has made both."""
    found: Differentiable | None = declared(function, "__symdiff_made__")
    return found


def _decorated(function: Any) -> Differentiable | None:
    """The decorated function that took the place of ``function`` in its module, or was made."""
    made = made_around(function)
    if made is not None:
        return made
    found = _found(function.__module__, function.__qualname__)
    return found if isinstance(found, Differentiable) and found._function is function else None


def _found(module: str | None, qualname: str) -> Any:
    found: Any = sys.modules.get(module or "")
    for name in qualname.split("."):
        found = getattr(found, name, None)
    return found


def _rebuilt_at(
    kind: type[Differentiable], module: str, qualname: str, bound: Bound, steps: Steps
) -> Differentiable:
    importlib.import_module(module)
    return kind(_found(module, qualname)._function, bound, steps)


def _rebuilt(
    kind: type[Differentiable], function: Any, bound: Bound, steps: Steps
) -> Differentiable:
    if isinstance(function, Differentiable):
        function = function._function
    return kind(function, bound, steps)
