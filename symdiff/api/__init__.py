"""The face of symdiff: functions in the style of JAX and autograd, and the objects they give."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, overload

from symdiff.api.arguments import Mode, checked_mode, checked_names, checked_order
from symdiff.api.marks import staged_by, stop_gradient
from symdiff.api.objects import (
    DEFAULT,
    Argnums,
    Derivative,
    Differentiable,
    differentiable_of,
    require_derivatives,
)
from symdiff.api.ruling import Returns, Rule, registered
from symdiff.ir.structure import declared

if TYPE_CHECKING:
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import LinearOperator

    from symdiff.api.sparse import SparseDerivative
    from symdiff.inspection.ruletable import RuleTable
    from symdiff.runtime.saved import Linear

T = TypeVar("T")

detach = stop_gradient


Simplify: TypeAlias = "bool | Sequence[str]"


@overload
def differentiable(
    f: Callable[..., Any], /, *, exact: bool = False, simplify: Simplify = False
) -> Differentiable: ...
@overload
def differentiable(
    f: None = None, /, *, exact: bool = False, simplify: Simplify = False
) -> Callable[[Callable[..., Any]], Differentiable]: ...
@staged_by("inside.call_differentiable")
def differentiable(f: Any = None, /, *, exact: bool = False, simplify: Simplify = False) -> Any:
    """A function that is called as before and has ``.grad``, ``.jvp``, ``.hessian`` and so on.

    A decorator, with or without options, or called on a function.

    :param exact: compute derivatives of functions of numbers as NumPy does, to the bit. Without it
        they run on Python's floats, whose elementary functions (those of ``math``) differ from
        NumPy's by up to 2 units in the last place. The function's own value is NumPy's either way.
    :param simplify: let SymPy simplify the elementwise parts of what is emitted; True, or some of
        ``"stable"`` (forms that are more accurate: ``log1p``, ``expm1``, ``logaddexp``, ``hypot``,
        half angles, logistic functions), ``"powers"``, ``"trig"`` and ``"factor"`` (forms that cost
        less). Results may differ in their last digits. ``f.explain`` tells what was replaced.
    :raises ValueError: for a kind of simplification that there is not.

    >>> @differentiable
    ... def cube(x):
    ...     return x ** 3
    >>> cube(2.0), cube.grad(2.0)
    (8.0, 12.0)
    """
    kinds = _kinds(simplify)
    if f is None:
        return functools.partial(differentiable, exact=exact, simplify=kinds)
    made = differentiable_of(f)
    if exact:
        made.require_exact()
    return made._simplified(kinds) if kinds else made


def _kinds(simplify: Simplify) -> tuple[str, ...]:
    """The kinds of simplification that are asked for, in the order in which they are tried."""
    if not simplify:
        return ()
    from symdiff.pipeline import KINDS

    if simplify is True:
        return KINDS
    asked = (simplify,) if isinstance(simplify, str) else tuple(simplify)
    for kind in asked:
        if kind not in KINDS:
            raise ValueError(f"simplify is True or some of {', '.join(KINDS)}, not {kind!r}")
    return tuple(kind for kind in KINDS if kind in asked)


@staged_by("inside.call_grad")
def grad(f: Callable[..., Any], argnums: Argnums = DEFAULT, has_aux: bool = False) -> Derivative:
    """The gradient of a function with one scalar result, structured like the argument.

    What is returned shares no memory, neither with arguments nor among itself. One array given as
    several arguments counts as several, unless ``f`` writes it: then the gradient is that by the
    one array, whichever of the arguments is asked for.

    :param argnums: a position, a name, or a tuple of them, which gives a tuple; by default the
        first argument, or those that are not frozen.
    :param has_aux: ``f`` returns a pair, of which the second is handed on: ``(gradient, aux)``.
    :raises AliasingError: at the call, where arguments overlap and ``f`` writes one of them, or one
        array that it writes is asked for twice.
    :raises GradientShapeError: at the call, where the result has not exactly one element.
    :raises SignatureError: at the call, where the argument has no derivative (an integer array).

    >>> grad(lambda x, y: x * y * y, argnums=(0, 1))(2.0, 3.0)
    (9.0, 12.0)
    """
    made = differentiable_of(f)
    return made._gradient(_asked(made, argnums), aux=has_aux)


@staged_by("inside.call_value_and_grad")
def value_and_grad(
    f: Callable[..., Any],
    argnums: Argnums = DEFAULT,
    has_aux: bool = False,
    retain: Sequence[str] = (),
) -> Derivative:
    """The pair of value and gradient; with ``has_aux``, ``((value, aux), gradient)``.

    :param retain: names in the function by whose last values the gradient is wanted too. They come
        third, as a dict: ``(value, gradient, {name: gradient})``, each structured like the value;
        None where the result does not depend on that value, or it on no argument.

    >>> value_and_grad(lambda x: x * x)(3.0)
    (9.0, 6.0)
    >>> def loss(x):
    ...     h = 2.0 * x
    ...     return h * h
    >>> value_and_grad(loss, retain=("h",))(3.0)
    (36.0, 24.0, {'h': 12.0})
    """
    made = differentiable_of(f)
    names = checked_names(retain)
    return made._gradient(_asked(made, argnums), value=True, aux=has_aux, retain=names)


def _asked(made: Differentiable, argnums: Argnums) -> Argnums:
    return made._default if argnums is DEFAULT else argnums


@staged_by("inside.call_jvp")
def jvp(f: Callable[..., Any], primals: Any, tangents: Any) -> tuple[Any, Any]:
    """The pair of ``f(*primals)`` and its derivative along ``tangents``; None stands for no
    tangent.

    >>> jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, None))
    (6.0, 3.0)
    """
    result: tuple[Any, Any] = differentiable_of(f).jvp(primals, tangents)
    return result


@staged_by("inside.call_vjp")
def vjp(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[[Any], Any]]:
    """The pair of ``f(*primals)`` and the pullback: from a cotangent to one entry an argument.

    >>> y, pullback = vjp(lambda x, y: x * y, 2.0, 3.0)
    >>> y, pullback(1.0)
    (6.0, (3.0, 2.0))
    """
    transpose: Callable[[Any], Any] | None = declared(f, "__symdiff_transpose__")
    if transpose is not None:
        return f(*primals), transpose
    return differentiable_of(f).vjp(*primals)


@staged_by("inside.call_linearize")
def linearize(f: Callable[..., Any], *primals: Any) -> tuple[Any, Linear]:
    """The pair of ``f(*primals)`` and the linear function that takes tangents to its tangent.

    As JAX's: ``f`` runs once, and what its derivative needs of it is kept, so that each further
    product with the Jacobian costs no more than the linear part alone. ``jvp`` is cheaper for one.

    :returns: the value, and a function of one tangent for each of ``primals``, each of the shape of
        its primal, None for one that is zero or where nothing is differentiated; it gives the
        tangent, structured like the value.
        Its ``transpose`` goes the other way, from a cotangent to one entry an argument, as does the
        pullback that ``vjp`` makes of it.
    :raises SignatureError: by the linear function, where the tangents are not structured like the
        primals.

    >>> y, linear = linearize(lambda x, y: x * y * y, 2.0, 3.0)
    >>> y, linear(1.0, 0.0), linear(None, 1.0)
    (18.0, 9.0, 12.0)
    """
    return differentiable_of(f).linearize(*primals)


@overload
def jacobian(
    f: Callable[..., Any],
    argnums: Argnums = DEFAULT,
    mode: Mode = "auto",
    sparse: Literal[False] = False,
) -> Derivative: ...
@overload
def jacobian(
    f: Callable[..., Any],
    argnums: Argnums = DEFAULT,
    mode: Mode = "auto",
    *,
    sparse: Literal[True],
) -> SparseDerivative: ...
@staged_by("inside.call_jacobian")
def jacobian(
    f: Callable[..., Any], argnums: Argnums = DEFAULT, mode: Mode = "auto", sparse: bool = False
) -> Derivative | SparseDerivative:
    """Arrays of shape out + in, for each array returned and each argument asked for.

    :param mode: ``"forward"``, a sweep for each number differentiated by; ``"reverse"``, one for
        each number returned; ``"auto"``, the cheaper as far as ranks tell. Several sweeps run at
        once, where the operations allow it. ``"fwd"`` and ``"rev"`` mean the same.
    :param sparse: give a matrix of ``scipy.sparse``, ``csr_array`` of shape (numbers returned,
        numbers differentiated by), of a function that takes arrays and returns one. Columns that
        have no row in common share a sweep, so that a banded matrix costs as many sweeps as its
        band is wide. ``.sparsity(*args)`` is its pattern, which holds for all values.

    >>> import numpy as np
    >>> jacobian(lambda x: x[1:] * x[:-1], sparse=True)(np.array([2.0, 3.0, 5.0])).toarray()
    array([[3., 2., 0.],
           [0., 5., 3.]])
    """
    made = differentiable_of(f)
    if sparse:
        from symdiff.api.sparse import SparseDerivative

        return SparseDerivative(made, _asked(made, argnums), checked_mode(mode))
    return made._jacobian(_asked(made, argnums), checked_mode(mode))


@staged_by("inside.call_operator")
def jacobian_operator(f: Callable[..., Any], *args: Any, argnums: int | str = 0) -> LinearOperator:
    """The Jacobian at a point as a ``scipy.sparse.linalg.LinearOperator``: its products alone.

    For solvers that ask for no more: ``gmres``, ``lsmr``, ``svds``, ``least_squares``. ``f`` runs
    once; a product costs a part of a ``jvp`` or, of the transpose ``.T``, of a ``vjp``.

    :param f: a function of real arrays or numbers that returns one, of any shapes.
    :param argnums: the argument to differentiate by, a position or a name.
    :returns: an operator of shape (numbers returned, numbers of the argument), in the order of
        ``ravel()``; its ``value`` is ``f(*args)``.
    :raises GradientShapeError: where the argument, or the result, is no real array.

    >>> import numpy as np
    >>> J = jacobian_operator(lambda x: x[1:] * x[:-1], np.array([2.0, 3.0, 5.0]))
    >>> J @ np.array([1.0, 0.0, 1.0]), J.T @ np.array([1.0, 1.0]), J.value
    (array([3., 3.]), array([3., 7., 3.]), array([ 6., 15.]))
    """
    from symdiff.api.operators import jacobian_at

    return jacobian_at(f, args, argnums)


@staged_by("inside.call_operator")
def hessian_operator(f: Callable[..., Any], *args: Any, argnums: int | str = 0) -> LinearOperator:
    """The Hessian of a scalar function at a point as a ``scipy.sparse.linalg.LinearOperator``.

    For ``cg``, ``eigsh``, and ``minimize(hess=lambda x: sd.hessian_operator(f, x))`` with
    ``method="trust-constr"``. The gradient is computed once, and is its ``value``; a product costs
    the linear part of ``hvp``. Parameters and errors are as for ``jacobian_operator``.

    >>> import numpy as np
    >>> H = hessian_operator(lambda x: np.sum(x**3), np.array([1.0, 2.0]))
    >>> H @ np.ones(2), H.value
    (array([ 6., 12.]), array([ 3., 12.]))
    """
    from symdiff.api.operators import hessian_at

    return hessian_at(f, args, argnums)


@staged_by("inside.call_operator")
def gauss_newton_operator(
    f: Callable[..., Any], *args: Any, argnums: int | str = 0
) -> LinearOperator:
    """The product ``J.T @ J`` with the Jacobian of residuals, as a ``LinearOperator``.

    What the Gauss-Newton method takes for the Hessian of half the sum of squared residuals
    (Nocedal & Wright 2006, ch. 10.3). Its ``value`` is that of the residuals. Parameters and errors
    are as for ``jacobian_operator``.

    >>> import numpy as np
    >>> G = gauss_newton_operator(lambda x: x[1:] * x[:-1], np.array([2.0, 3.0, 5.0]))
    >>> G @ np.array([1.0, 0.0, 0.0])
    array([9., 6., 0.])
    """
    from symdiff.api.operators import gauss_newton_at

    return gauss_newton_at(f, args, argnums)


@overload
def hessian(
    f: Callable[..., Any], argnums: Argnums = DEFAULT, sparse: Literal[False] = False
) -> Derivative: ...
@overload
def hessian(
    f: Callable[..., Any], argnums: Argnums = DEFAULT, *, sparse: Literal[True]
) -> SparseDerivative: ...
@staged_by("inside.call_hessian")
def hessian(
    f: Callable[..., Any], argnums: Argnums = DEFAULT, sparse: bool = False
) -> Derivative | SparseDerivative:
    """The second derivatives of a scalar function, forward over reverse.

    :param sparse: give a matrix of ``scipy.sparse``, as for ``jacobian``; each entry that stands in
        two places is found once.

    >>> hessian(lambda x: x ** 3)(2.0)
    12.0
    """
    made = differentiable_of(f)
    if sparse:
        from symdiff.api.sparse import sparse_hessian

        return sparse_hessian(made, _asked(made, argnums))
    return made._hessian(_asked(made, argnums))


@staged_by("inside.call_sparsity")
def sparsity(f: Callable[..., Any], *args: Any, **kwargs: Any) -> csr_array:
    """The places at which the Jacobian of ``f`` by its first argument may be other than zero.

    A ``csr_array`` of truths. It is found from the program for the sizes and integers of the call,
    not from values: floats may change, and branches that depend on them are united. An operation
    without a rule counts as dense. The pattern of a Hessian is ``sparsity(grad(f), *args)``.

    >>> import numpy as np
    >>> sparsity(lambda x: np.cumsum(x), np.ones(3)).toarray().astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 1]])
    """
    from symdiff.api.sparse import SparseDerivative

    made = differentiable_of(f)
    found: csr_array = SparseDerivative(made, made._default, "fwd").sparsity(*args, **kwargs)
    return found


@staged_by("inside.call_hvp")
def hvp(f: Callable[..., Any], argnums: Argnums = DEFAULT) -> Derivative:
    """``h(*args, v)``: the Hessian times ``v``, which is structured like the argument.

    It is what SciPy's ``hessp`` passes. A few times the cost of a gradient.

    >>> hvp(lambda x: x ** 3)(2.0, 10.0)
    120.0
    """
    made = differentiable_of(f)
    return made._hvp(_asked(made, argnums))


@staged_by("inside.call_derivative")
def derivative(f: Callable[..., Any], order: int = 1) -> Differentiable:
    """The ``order``-th derivative of a scalar function of a scalar.

    >>> derivative(lambda x: x ** 4, 3)(2.0)
    48.0
    """
    made = differentiable_of(f)
    for _ in range(checked_order(order)):
        made = made.derivative
    return made


@staged_by("inside.call_taylor")
def taylor(f: Callable[..., Any], x0: Any, order: int) -> Any:
    """The Taylor coefficients ``c`` of a function of a number: ``f(x0 + t)`` is the sum of
    ``c[k] * t**k`` up to an order, and of what is smaller than ``t**order``.

    They are carried through the program, one for each order, in about ``order²`` times the work of
    ``f``. The n-th derivative is ``factorial(n) * c[n]``; it is a far shorter program than that of
    ``derivative(f, n)``.

    :param x0: a real or complex number, or an array of rank 0.
    :returns: an array of shape ``(order + 1,)``; of a function that returns arrays, of ``(order +
        1,)`` and their shapes, structured like what it returns.
    :raises ValueError: for an order that is none.
    :raises GradientShapeError: where ``f`` is not of one number.
    :raises UnsupportedCallError: for an operation that has no rule for series: eigenvalues,
        singular values, a list whose length is known at run time only.

    Source: Griewank & Walther 2008, Evaluating Derivatives, ch. 13.

    >>> import math
    >>> taylor(lambda x: math.exp(x) * x, 0.0, 4)
    array([0.        , 1.        , 1.        , 0.5       , 0.16666667])
    """
    return differentiable_of(f)._taylor(checked_order(order))(x0)


@staged_by("inside.call_vmap")
def vmap(f: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0) -> Derivative:
    """The function of one element as one of a batch: what it returns for each, stacked.

    ``vmap(f)(xs)`` is ``np.stack([f(x) for x in xs])``, computed at once where the operations allow
    it; where one does not, it runs in a loop over the batch, and ``explain`` says so.

    :param in_axes: the axis of the batch in each argument: an int for all, or a tuple with one
        entry an argument, each an int, None (the argument is the same for each element) or a
        container of them. Defaults that are not given have none.
    :param out_axes: the axis of the batch in what is returned, likewise; None for what is the same
        for each element.
    :raises SignatureError: at the call, where an axis is missing or lengths differ.

    >>> import numpy as np
    >>> vmap(lambda x, y: x @ y, in_axes=(0, None))(np.eye(2), np.array([1.0, 2.0]))
    array([1., 2.])
    >>> vmap(grad(lambda x: x**3))(np.array([1.0, 2.0]))
    array([ 3., 12.])
    """
    return differentiable_of(f)._vmapped(in_axes, out_axes)


@staged_by("inside.call_functional")
def functional(f: Callable[..., Any]) -> Derivative:
    """A function that changes its arguments as one that returns ``(result, {name: final value})``.

    It works on copies of arrays, lists, dicts and dataclasses; those that ``f`` writes to are in
    the dict, in their order. An object of another class is no data: it is written itself, once a
    call, as by any derivative.

    >>> import numpy as np
    >>> def fill(x, a):
    ...     a[0] = x
    >>> functional(fill)(2.0, np.zeros(2))
    (None, {'a': array([2., 0.])})
    """
    return differentiable_of(f)._derived(("Functional",))


def export(
    path: str | os.PathLike[str],
    functions: Mapping[str, Differentiable],
    /,
    *args: Any,
    namespace: Literal["numpy", "jax.numpy"] = "numpy",
    constants: Literal["parameters", "file"] = "parameters",
    stub: bool = False,
    force: bool = False,
    **kwargs: Any,
) -> None:
    """Write several functions into one module, which needs NumPy and not symdiff.

    :param functions: derivatives by the names that they get, or functions, each of which becomes a
        pair ``<name>_forward`` and ``<name>_backward``. Sparse ones need SciPy, and are for the
        sizes and integers of ``args``.
    :param args: arguments of the functions that are differentiated, all the same, or their types as
        text: ``"float64[n,d]"``. Vectors and tangents have the types of what they belong to.
    :param namespace: ``"jax.numpy"`` writes the program for JAX, which does not raise where NumPy
        does: an index out of range gives some number.
    :param constants: large arrays outside the functions become ``"parameters"``, or are written
        into a ``"file"`` ``<module>.npz`` beside it.
    :param stub: write the types into a ``.pyi``, too.
    :param force: overwrite what is there, even where symdiff did not write it.
    :raises SymdiffError: at the user's line, for what cannot stand alone; where a
        file would be lost.

    >>> import symdiff, tempfile, pathlib
    >>> f = symdiff.differentiable(lambda x: x ** 3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "cube.py"
    ...     symdiff.export(path, {"slope": f.grad, "bend": f.hvp}, "float")
    ...     module = {}
    ...     exec(path.read_text(), module)
    >>> module["__all__"], module["slope"](2.0), module["bend"](2.0, 1.0)
    (['slope', 'bend'], 12.0, 12.0)
    """
    from symdiff.api.exporting import export_several

    require_derivatives(functions)
    export_several(path, functions, args, kwargs, (namespace, constants, stub, force))


def from_sympy(expression: Any, args: Sequence[Any], name: str = "expression") -> Differentiable:
    """The function of ``args`` that computes an expression of SymPy's, with its derivatives.

    Arguments are numbers or arrays, which are broadcast; what is returned has their shape and
    dtype, where the expression does not have all of them too. A matrix of shape ``(m, n)`` of
    arrays of shape ``s`` gives an array of shape ``(m, n) + s``. Python's floats are computed with
    by ``math``, as in derivatives: they may differ from NumPy's by 2 ulp, and give a float.

    :param expression: an expression, a matrix or an ``Array``. Texts are not read.
    :param args: symbols, one for each argument; an ``IndexedBase`` stands for an array whose
        entries the expression names (``x[0]``), as closed forms do.
    :param name: what the function is called in its source.
    :raises SignatureError: for what is no expression or no symbol, and symbols that are missing.
    :raises UnsupportedCallError: for a function of SymPy that NumPy does not have.

    >>> import sympy as sp
    >>> x, y = sp.symbols("x y")
    >>> from_sympy(x * sp.sin(y), [x, y]).grad(2.0, 0.0)
    0.0
    """
    from symdiff.api.expressions import FromExpression

    return FromExpression.of(expression, args, name)


def accumulate(total: T | None, gradient: T) -> T:
    """``total + gradient`` for numbers, arrays, and containers of such; changes neither.

    ``total`` is None at first; None inside stands for no derivative, and adds nothing.

    :raises SignatureError: where the two differ in structure or shape, with the place.

    >>> total = None
    >>> for x in (1.0, 2.0):
    ...     total = accumulate(total, {"x": grad(lambda x: x * x)(x), "n": None})
    >>> total
    {'x': 6.0, 'n': None}
    """
    from symdiff.tracing import accumulate

    return accumulate(total, gradient)


def check_grads(
    f: Callable[..., Any],
    args: Sequence[Any],
    order: int = 2,
    modes: Sequence[str] = ("fwd", "rev"),
    rtol: float = 1e-6,
    atol: float = 1e-6,
    seed: int = 0,
    step: float | None = None,
) -> None:
    """Compare the derivatives of ``f`` at ``args`` with differences, up to ``order``, in both
    modes.

    All floats among the arguments take part. Differences in float64 are right to about 1e-9 at
    order one. They are taken with several steps, from 1e-3 to 1e-8: a step that crosses a kink
    (``np.maximum(x, 0)``) or leaves the function's domain is made up for by smaller ones.

    :param step: the one step to take instead.
    :raises AssertionError: that says which derivative differs, where, and by how much, and whether
        a kink lies there.

    >>> check_grads(lambda x, y: x * x * y, (2.0, 3.0))
    """
    from symdiff.api.checks import check

    check(f, args, order, modes, rtol, atol, seed, step)


def define_rule(
    function: Callable[..., Any],
    definition: Callable[..., Any] | None = None,
    *,
    jvp: Callable[..., Any] | None = None,
    vjp: tuple[Callable[..., Any], Callable[..., Any]] | None = None,
    returns: Returns = None,
    replace: bool = False,
) -> Rule:
    """Give a function of others a derivative rule, which holds wherever it is called.

    Programs still call the function for its value, which should depend on its arguments only; what
    was compiled before is compiled anew at its next call. A module that is exported imports the
    function from its library. What symdiff knows already keeps its rule.

    :param function: a function of a library or of a module that one does not own, or a ufunc; not a
        method, and not a class.
    :param definition: what it computes, in plain NumPy: its derivatives are those of this. It takes
        the arguments that it names; others are refused where they are given.
    :param jvp: the forward rule, as for ``custom_jvp``: ``rule(primals, tangents)`` gives the pair
        of value and tangent. Reverse mode transposes it, unless ``vjp`` is given too.
    :param vjp: the reverse rule, as for ``custom_vjp``: the pair ``(forward, backward)``, of which
        ``forward(*args)`` gives ``(result, residuals)`` and ``backward(residuals, cotangent)`` a
        tuple with a cotangent for each argument, None for none. Without ``jvp`` there is no forward
        mode.
    :param returns: what the function returns, where it is no ufunc: a type as text
        (``"float64[n]"``), a tuple of such, or a function of the same arguments in plain NumPy that
        gives something of the type, and is not run.
    :param replace: put the rule in the place of the one that another call has given.
    :returns: an object with ``remove()``, which is also a context manager. Where another rule has
        taken the place of this one, removing it does nothing.
    :raises SignatureError: for what can have no rule or has one, and for rules that say too little.

    Rules are differentiated themselves, and so hold at every order; one that calls its own function
    holds up to order four.

    >>> import numpy as np
    >>> def area(r):  # stands for a function that cannot be followed
    ...     return 3.0 * r * r
    >>> with define_rule(area, jvp=lambda p, t: (area(p[0]), 6.0 * p[0] * t[0]), returns="float"):
    ...     grad(area)(2.0), hessian(area)(2.0)
    (12.0, 6.0)
    """
    return registered(Rule(function, definition, jvp, vjp, returns), replace)


def rules(*functions: str | Callable[..., Any]) -> RuleTable:
    """The derivative rules of functions, given as such or by name; of all ops, if none is given.

    A sequence of records, which prints as the code that derivatives are made of; ``as_dicts()`` is
    plain data.

    :raises SignatureError: for a function that is made of others, or has no rule.

    >>> import numpy as np
    >>> print(rules(np.hypot))
    hypot: ``sqrt(a * a + b * b)``; its derivative at (0, 0) is 0.
        y = np.hypot(a, b)
        dy_da = a / np.where(y == 0, 1.0, y)
        dy_db = b / np.where(y == 0, 1.0, y)
    """
    from symdiff.inspection.ruletable import table_of

    return table_of(*functions)
