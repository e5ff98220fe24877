"""Tuples with attributes besides their items: what the tests of ``scipy.stats`` give.

Such an attribute stands in the tuple's ``__dict__`` under a key of ours: what SciPy itself has put
into a tuple that was made outside of a program is not read.

>>> from scipy.stats import linregress
>>> kind = type(linregress([1.0, 2.0, 3.0], [2.0, 4.0, 5.0]))
>>> attributes_of(bunch(kind, (2.0, 0.0, 1.0, 0.0, 0.1), intercept_stderr=0.3))
{'intercept_stderr': 0.3}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

from symdiff.definitions.declare import defines, defines_inside
from symdiff.definitions.libraries import when_imported

_KEY = "attributes in a program"


def bunch(kind: Any, items: Any, /, **attributes: Any) -> Any:
    """Make a tuple with attributes, without what its class does with them."""
    made = tuple.__new__(kind, items)
    if attributes:
        vars(made)[_KEY] = attributes
    return made


def _bunch_staged(stager: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    return bunch(*arguments, **keywords)


bunch.__symdiff_staged__ = _bunch_staged  # type: ignore[attr-defined]


def attributes_of(content: tuple[Any, ...]) -> dict[str, Any]:
    """The attributes of a tuple that was made with some."""
    if type(content) is tuple:
        return {}
    found: dict[str, Any] = getattr(content, "__dict__", {}).get(_KEY, {})
    return found


def rebuilt(content: tuple[Any, ...], part: Callable[[Any], Any]) -> Any:
    """Make a tuple of the same class, of what ``part`` makes of items and attributes."""
    items = list(map(part, tuple.__iter__(content)))
    more = {name: part(value) for name, value in attributes_of(content).items()}
    return bunch(type(content), items, **more)


@when_imported("scipy.stats._stats_py")
def _register(results: ModuleType) -> None:
    """Say what classes below such ones make, whose ``__init__`` sets more attributes."""
    student, pearson = results.TtestResult, results.PearsonRResult

    @defines(student)
    def of_student(
        statistic, pvalue, df, alternative, standard_error, estimate, statistic_np=None, xp=None
    ):
        attributes = {
            "_statistic_np": statistic if statistic_np is None else statistic_np,
            "_standard_error": standard_error,
            "_alternative": alternative,
            "_estimate": estimate,
            "_dtype": statistic.dtype,
            "_xp": xp,
        }
        return bunch(student, (statistic, pvalue), df=df, **attributes)

    @defines(pearson)
    def of_pearson(statistic, pvalue, alternative, n, x, y, axis):
        private = {"_alternative": alternative, "_n": n, "_x": x, "_y": y, "_axis": axis}
        return bunch(pearson, (statistic, pvalue), correlation=statistic, **private)

    significance, packed = results.SignificanceResult, results._pack_CorrelationResult

    def of_correlation(statistic, pvalue, correlation):
        return bunch(significance, (statistic, pvalue), correlation=correlation)

    defines_inside(packed, of_correlation)
