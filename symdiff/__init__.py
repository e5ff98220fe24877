"""symdiff differentiates plain NumPy code: source in, source of the derivative out.

    source ─parse─▶ AST ─stage─▶ Graph ─differentiate─▶ Graph ─optimise─▶ Graph ─emit─▶ source
    ─load─▶ callable

``source`` finds the text of a function; ``parse`` stages it, at a signature, to the graphs of
``ir`` over the ops of ``ops``, library functions in ``definitions`` by the NumPy code that says
what they are; ``differentiate`` and ``optimise`` go from graph to graph; ``emit``
writes NumPy source, and ``runtime`` loads it, finds the program for a call and runs it.
``pipeline`` has the stages in order, ``api`` is the face:

>>> import numpy as np
>>> import symdiff as sd
>>> @sd.differentiable
... def loss(w, x, y):
...     r = np.tanh(x @ w) - y
...     return np.mean(r * r)
>>> loss.grad(np.array([0.5]), np.array([[1.0], [2.0]]), np.array([0.0, 1.0])).shape
(1,)
"""

from symdiff.api import (
    accumulate,
    check_grads,
    define_rule,
    derivative,
    detach,
    differentiable,
    export,
    from_sympy,
    functional,
    gauss_newton_operator,
    grad,
    hessian,
    hessian_operator,
    hvp,
    jacobian,
    jacobian_operator,
    jvp,
    linearize,
    rules,
    sparsity,
    taylor,
    value_and_grad,
    vjp,
    vmap,
)
from symdiff.api.marks import (
    checkpoint,
    custom_jvp,
    custom_vjp,
    grad_hook,
    no_grad,
    nondifferentiable,
    stop_gradient,
)
from symdiff.api.modes import detect_anomaly, detect_changes
from symdiff.api.objects import Derivative, Differentiable
from symdiff.errors import (
    AliasingError,
    AnomalyError,
    ArrayChangedError,
    CertainError,
    ConvergenceWarning,
    GradientShapeError,
    InternalError,
    LostDerivativeWarning,
    ReleasedError,
    SignatureError,
    SourceUnavailableError,
    SymdiffError,
    UnknownNameError,
    UnsupportedCallError,
    UnsupportedSyntaxError,
)
from symdiff.version import __version__

__all__ = [
    "AliasingError",
    "AnomalyError",
    "ArrayChangedError",
    "CertainError",
    "ConvergenceWarning",
    "Derivative",
    "Differentiable",
    "GradientShapeError",
    "InternalError",
    "LostDerivativeWarning",
    "ReleasedError",
    "SignatureError",
    "SourceUnavailableError",
    "SymdiffError",
    "UnknownNameError",
    "UnsupportedCallError",
    "UnsupportedSyntaxError",
    "__version__",
    "accumulate",
    "check_grads",
    "checkpoint",
    "custom_jvp",
    "custom_vjp",
    "define_rule",
    "derivative",
    "detach",
    "detect_anomaly",
    "detect_changes",
    "differentiable",
    "export",
    "from_sympy",
    "functional",
    "gauss_newton_operator",
    "grad",
    "grad_hook",
    "hessian",
    "hessian_operator",
    "hvp",
    "jacobian",
    "jacobian_operator",
    "jvp",
    "linearize",
    "no_grad",
    "nondifferentiable",
    "rules",
    "sparsity",
    "stop_gradient",
    "taylor",
    "value_and_grad",
    "vjp",
    "vmap",
]
