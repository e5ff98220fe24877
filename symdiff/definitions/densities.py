"""Densities whose derivatives are right at the ends of the interval too: ops, which definitions
call by these names.
"""

from typing import Any, NoReturn


def gamma_density(y: Any, a: Any) -> NoReturn:
    """``y**(a - 1) * exp(-y) / gamma(a)``."""
    raise NotImplementedError("gamma_density is staged")


def beta_density(y: Any, a: Any, b: Any) -> NoReturn:
    """``y**(a - 1) * (1 - y)**(b - 1) / beta(a, b)``."""
    raise NotImplementedError("beta_density is staged")
