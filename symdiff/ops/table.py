"""The table of what can be called in differentiated code, written from the registry.

``python -m symdiff.ops.table`` prints it; with the path of a file, it is written there between two
marks; ``--counts`` tells how many there are. A row holds the callables whose meaning one module
declares. Beside it stand the arguments that are refused: documented, and not taken.
"""

from __future__ import annotations

import functools
import sys
from collections import Counter
from collections.abc import Hashable, Iterator
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any

import numpy as np

from symdiff import ops
from symdiff.definitions import DEFINITIONS, OBJECTS, object_name
from symdiff.definitions.libraries import import_all
from symdiff.ops.arguments import documented, untaken
from symdiff.ops.declare import ATTRIBUTES, FUNCTIONS, METHODS, REGISTRY, WRITES, DeclaredOp

START, END = "<!-- table of calls -->", "<!-- end of the table of calls -->"

# What the rows are called, and the modules that declare the calls in each.
_ROWS = {
    "elementwise, casts": ("ufuncs", "rounding", "predicates"),
    "dtypes": ("dtypes",),
    "writes": ("repeated",),
    "reductions": ("reduction_calls",),
    "products": ("products", "einsum", "contractions"),
    "linear algebra": ("linalg", "decompositions", "pseudoinverse", "norms"),
    "Fourier transforms": ("fourier",),
    "creation": ("arrays", "memory"),
    "shape": ("arrange", "joining_calls", "padding", "sliding"),
    "order, selection": ("order", "selection", "sets"),
    "positions": ("positions",),
    "numerical": ("numerical", "quantiles", "windows"),
    "statistics": ("missing", "statistics", "histograms"),
    "polynomials": ("polynomials", "series", "vandermonde"),
    "masked arrays": ("masked",),
    "calls of functions, elements": ("callbacks", "visiting"),
    "`math`": ("mathlib",),
    "`cmath`": ("cmathlib",),
    "`scipy.special`": (
        *(
            "special",
            "softmax",
            "bessel",
            "integrals",
            "integrated",
            "cylinders",
            "carlson",
            "harmonics",
            "ellipsoidal",
            "sequences",
        ),
        *("inverses", "orthogonal", "precise", "probabilities"),
    ),
    "`scipy.stats`": (
        *("binned", "bunches", "descriptive", "distributions", "drawn", "estimates"),
        *("kernels", "laws_of_objects", "multivariate", "orthants", "ranks", "searched"),
        *("discrepancies", "expectations", "fits", "samplers", "summaries", "variables"),
    ),
    "`scipy.linalg`": (
        *("matrices", "structured", "equations", "riccati"),
        *("matrix_functions", "factors", "scipy_decompositions", "subspaces", "updates"),
    ),
    "solvers, with the function that they call": (
        *("boundaries", "differences", "minima", "solvers"),
    ),
    "`scipy.optimize`": ("active_sets", "searches"),
    "`scipy.signal`": ("designs", "filters", "resampling", "smoothing", "spectra"),
    "`scipy.fft`": ("transforms", "hankel"),
    "`scipy.interpolate`": ("bsplines", "fitpack", "grids", "meshless", "scattered", "splines"),
    "`scipy.integrate`": ("samples",),
    "`scipy.spatial`": ("distances", "trees"),
    "`scipy.cluster`": ("clusters",),
    "`scipy.sparse`": ("blocks", "entries", "krylov", "operators", "sparse", "sparse_linalg"),
    "`scipy.ndimage`": ("images", "neighbours", "warped"),
    "`statistics`": ("spreads",),
}
FAMILIES = {module: row for row, modules in _ROWS.items() for module in modules}


def _is_known(value: Any) -> bool:
    return isinstance(value, Hashable) and value in OBJECTS


def _public(module: str, name: str, function: Any) -> str:
    """The shortest part, of two words or more, of a module's name under which its function is
    found, or another one of its name, or two words.
    """
    _, *places = accumulate(module.split("."), "{}.{}".format)
    found = [p for p in places if hasattr(sys.modules.get(p), name)]
    own = (p for p in found if getattr(sys.modules[p], name) is function)
    return next(own, found[0] if found else ".".join(module.split(".")[:2]))


_PRIVATE = ("scipy.stats._ksstats", "scipy.stats._stats_py")


def _is_hidden(function: Any) -> bool:
    """Return whether only definitions call a function, or users know a method by another name:
    a call, a property of a class's base.
    """
    module = getattr(function, "__module__", None) or ""
    full = getattr(function, "__qualname__", "")
    hidden = full.startswith("_") or "._" in full
    inside = module.startswith(("symdiff.definitions.", "scipy._lib.", *_PRIVATE))
    inside = inside and not hasattr(sys.modules.get("scipy.stats"), full)
    return inside or (hidden and module.startswith("scipy."))


def spelled(function: Any) -> tuple[str, str]:
    """How a user's program calls a function: ``("np.", "sin")``, ``("np.", "add.reduce")``."""
    owner: Any = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        return "np.", f"{owner.__name__}.{function.__name__}"
    if function is np.r_ or function is np.c_:
        return "np.", "r_[]" if function is np.r_ else "c_[]"
    if _is_known(owner):
        return "scipy.stats.", f"{object_name(owner)}.{function.__name__}"
    if _is_known(function):
        return "scipy.stats.", object_name(function)
    if isinstance(function, np.ufunc):  # it does not tell where it is from
        is_numpys = getattr(np, function.__name__, None) is function
        module = "numpy" if is_numpys else "scipy.special"
    else:
        module = function.__module__
    full = getattr(function, "__qualname__", "")
    if module.startswith("scipy."):
        module = _public(module, full, function)
    name = full if "." in full and module.startswith("scipy.") else function.__name__
    prefix = "" if module == "builtins" else f"{module}.".replace("numpy.", "np.", 1)
    return prefix, name


def rows() -> Iterator[tuple[str, set[tuple[str, str]]]]:
    """The name of each row, and what stands in it: pairs of a prefix and a name."""
    import_all()
    found: dict[str, set[tuple[str, str]]] = {name: set() for name in FAMILIES.values()}
    for function, lowering in (*FUNCTIONS.items(), *DEFINITIONS.items()):
        if _is_hidden(function):
            continue
        meaning = lowering.func if isinstance(lowering, functools.partial) else lowering
        module = meaning.__module__.rpartition(".")[2]
        found.setdefault(FAMILIES.get(module, module), set()).add(spelled(function))
    writes = found.pop("writes") | {spelled(function) for function in WRITES}
    named = list(dict.fromkeys(FAMILIES.values()))
    others = sorted(found.keys() - set(named))  # whatever has been imported first
    yield from ((name, found[name]) for name in (*named, *others) if name in found)
    yield "writes", writes
    yield "methods of arrays", {("x.", f"{name}()") for name in METHODS}
    yield "attributes of arrays", {("x.", name) for name in ATTRIBUTES}


# Arguments ----------------------------------------------------------------------------------------


def refused() -> dict[str, list[tuple[str, str]]]:
    """The callables of each documented argument that they do not take; all ufuncs of a library
    are as one.
    """
    found: dict[str, set[Any]] = {}
    for function, meaning, has_out in _meanings():
        for name in untaken(function, meaning, out=has_out):
            found.setdefault(name, set()).add(function)
    found.pop("sig", None)  # another name of ``signature``
    return {name: _by_kind(found[name]) for name in sorted(found)}


def _by_kind(functions: set[Any]) -> list[tuple[str, str]]:
    kinds: dict[str, set[Any]] = {}
    for function, _, _ in _meanings():
        if isinstance(function, np.ufunc):
            kinds.setdefault(spelled(function)[0], set()).add(function)
    whole = {prefix: ufuncs for prefix, ufuncs in kinds.items() if ufuncs <= functions}
    rest = functions.difference(*whole.values())
    return sorted([*((prefix, "(every ufunc)") for prefix in whole), *map(spelled, rest)])


def _meanings() -> Iterator[tuple[Any, Any, bool]]:
    """Each callable, what it means here, and whether that takes an array to write to anyhow."""
    import_all()
    for table, has_out in ((FUNCTIONS, True), (WRITES, True), (DEFINITIONS, False)):
        for function, meaning in table.items():
            yield function, meaning, has_out


def refusals() -> str:
    """The arguments that are refused, by name, in Markdown."""
    lines = ["| refused | of |", "| --- | --- |"]
    lines += [f"| `{name}=` | {_listed(set(entries))} |" for name, entries in refused().items()]
    return "\n".join(lines)


def counts() -> str:
    """How many callables, ops, definitions and arguments there are, a line each."""
    callables = {function for function, _, _ in _meanings()}
    libraries = Counter(spelled(function)[0].partition(".")[0] for function in callables)
    kinds = Counter(map(_kind, REGISTRY.values()))
    taken = missing = 0
    for function, meaning, has_out in _meanings():
        known = set(documented(function) or ()) - {"sig", "self", "args", "kwargs"}
        left_out = known & set(untaken(function, meaning, out=has_out))
        taken, missing = taken + len(known) - len(left_out), missing + len(left_out)
    return "\n".join(
        (
            f"callables: {libraries['np']} of NumPy, {libraries['scipy']} of SciPy, "
            f"{libraries['math'] + libraries['cmath'] + libraries['']} of Python",
            f"methods and attributes of arrays: {len(METHODS)} and {len(ATTRIBUTES)}",
            f"ops: {kinds['elementwise']} with partial derivatives, {kinds['rules']} with rules, "
            f"{kinds['discrete']} without a derivative",
            f"definitions: {len(DEFINITIONS)} callables",
            f"documented arguments: {taken} taken, {missing} refused by name",
        )
    )


def _kind(operation: DeclaredOp) -> str:
    if operation.nondifferentiable is True:
        return "discrete"
    if operation.elementwise:
        carried = any(operation.carries(k) for k in range(len(operation.partials or ())))
        return "elementwise" if carried else "discrete"
    has_rules = operation.linear or operation.vjp or operation.jvp or operation.tangent
    return "rules" if has_rules else "discrete"


# Markdown -----------------------------------------------------------------------------------------


def table() -> str:
    """The table in Markdown."""
    lines = ["| | |", "| --- | --- |"]
    lines += [f"| {name} | {_listed(entries)} |" for name, entries in rows()]
    return "\n".join(lines)


def _listed(entries: set[tuple[str, str]]) -> str:
    """The names, sorted, each prefix said once before its own."""
    groups = groupby(sorted(entries), key=lambda entry: entry[0])
    return "<br>".join(_group(prefix, [name for _, name in group]) for prefix, group in groups)


def _group(prefix: str, names: list[str]) -> str:
    told = ", ".join(_methods_together(names) if prefix == "scipy.stats." else names)
    return " ".join([f"**{prefix}**" if prefix else "**builtins**", told])


def _methods_together(names: list[str]) -> Iterator[str]:
    """Distributions that have the same methods, and these said once behind them."""
    methods: dict[str, list[str]] = {}
    for name in names:
        owner, _, method = name.rpartition(".")
        methods.setdefault(owner or method, []).extend([method] if owner else [])
    alike: dict[tuple[str, ...], list[str]] = {}
    for owner, its in methods.items():
        alike.setdefault(tuple(its), []).append(owner)
    for known, owners in alike.items():
        yield ", ".join(owners) + (f" (.{', .'.join(known)})" if known else "")


def with_table(text: str) -> str:
    """A text with the table between its two marks."""
    before, start, rest = text.partition(START)
    _, end, after = rest.partition(END)
    if not (start and end):
        raise ValueError(f"the text has no lines {START} and {END}")
    return f"{before}{START}\n\n{table()}\n\n{refusals()}\n\n{END}{after}"


def main(paths: list[str]) -> None:
    """Print the table, or write it into the files."""
    if paths == ["--counts"]:
        print(counts())
        return
    if not paths:
        print(f"{table()}\n\n{refusals()}")
    for path in map(Path, paths):
        path.write_text(with_table(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    assert ops  # importing it fills the registry
    main(sys.argv[1:])
