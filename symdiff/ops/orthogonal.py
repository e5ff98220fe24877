"""Orthogonal polynomials of ``scipy.special``: derivatives by the argument, of the same families.

Declared like the functions of ``special``. Derivatives by degrees and parameters are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symdiff.ir.graph import Value
from symdiff.ops.arithmetic import choose, constant_of, equal
from symdiff.ops.declare import Meaning, Operation
from symdiff.ops.special import special_function

Lower = Callable[..., Any]


def _polynomial(
    name: str, parameters: tuple[str, ...], lower: Lower, sympy: Meaning, whose: str
) -> Operation:
    """``eval_<name>(n, *parameters, x)``; ``lower`` is its derivative, by polynomials of a degree
    that is less by one, so that it is 0 where ``n`` is.
    """

    def partial(y: Value, n: Value, *others: Value) -> Any:
        degree = constant_of(n)
        if degree is not None:
            return lower(n, *others) if degree != 0 else 0.0 * others[-1]
        return choose(equal(n, 0), 0.0 * others[-1], lower(n, *others))

    return special_function(
        f"eval_{name}",
        f"{whose} polynomials; only the derivative by the argument is known.",
        "n",
        *parameters,
        partial,
        sympy=sympy,
    )


eval_gegenbauer: Operation = _polynomial(
    "gegenbauer",
    ("alpha",),
    lambda n, a, x: 2.0 * a * eval_gegenbauer(n - 1, a + 1.0, x),
    "gegenbauer",
    "Gegenbauer's",
)
eval_legendre: Operation = _polynomial(
    "legendre", (), lambda n, x: eval_gegenbauer(n - 1, 1.5, x), "legendre", "Legendre's"
)
eval_chebyu: Operation = _polynomial(
    "chebyu",
    (),
    lambda n, x: 2.0 * eval_gegenbauer(n - 1, 2.0, x),
    "chebyshevu",
    "Chebyshev's second",
)
eval_chebyt: Operation = _polynomial(
    "chebyt", (), lambda n, x: n * eval_chebyu(n - 1, x), "chebyshevt", "Chebyshev's first"
)
eval_jacobi: Operation = _polynomial(
    "jacobi",
    ("alpha", "beta"),
    lambda n, a, b, x: 0.5 * (n + a + b + 1.0) * eval_jacobi(n - 1, a + 1.0, b + 1.0, x),
    "jacobi",
    "Jacobi's",
)
eval_genlaguerre: Operation = _polynomial(
    "genlaguerre",
    ("alpha",),
    lambda n, a, x: -eval_genlaguerre(n - 1, a + 1.0, x),
    "assoc_laguerre",
    "Laguerre's general",
)
eval_laguerre: Operation = _polynomial(
    "laguerre", (), lambda n, x: -eval_genlaguerre(n - 1, 1.0, x), "laguerre", "Laguerre's"
)
eval_hermite: Operation = _polynomial(
    "hermite", (), lambda n, x: 2.0 * n * eval_hermite(n - 1, x), "hermite", "Hermite's"
)
eval_hermitenorm: Operation = _polynomial(
    "hermitenorm",
    (),
    lambda n, x: n * eval_hermitenorm(n - 1, x),
    lambda sp, n, x: 2 ** (-n / 2) * sp.hermite(n, x / sp.sqrt(2)),
    "Hermite's, of the normal density,",
)
eval_sh_legendre: Operation = _polynomial(
    "sh_legendre",
    (),
    lambda n, x: 2.0 * eval_gegenbauer(n - 1, 1.5, 2.0 * x - 1.0),
    lambda sp, n, x: sp.legendre(n, 2 * x - 1),
    "Legendre's shifted",
)
eval_sh_chebyt: Operation = _polynomial(
    "sh_chebyt",
    (),
    lambda n, x: 2.0 * n * eval_chebyu(n - 1, 2.0 * x - 1.0),
    lambda sp, n, x: sp.chebyshevt(n, 2 * x - 1),
    "Chebyshev's first shifted",
)
eval_sh_chebyu: Operation = _polynomial(
    "sh_chebyu",
    (),
    lambda n, x: 4.0 * eval_gegenbauer(n - 1, 2.0, 2.0 * x - 1.0),
    lambda sp, n, x: sp.chebyshevu(n, 2 * x - 1),
    "Chebyshev's second shifted",
)
eval_chebyc: Operation = _polynomial(
    "chebyc",
    (),
    lambda n, x: n * eval_chebyu(n - 1, 0.5 * x),
    lambda sp, n, x: 2 * sp.chebyshevt(n, x / 2),
    "Chebyshev's, of half of the argument,",
)
eval_chebys: Operation = _polynomial(
    "chebys",
    (),
    lambda n, x: eval_gegenbauer(n - 1, 2.0, 0.5 * x),
    lambda sp, n, x: sp.chebyshevu(n, x / 2),
    "Chebyshev's second, of half of the argument,",
)
