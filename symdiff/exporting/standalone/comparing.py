"""Comparing a derivative with forward and backward sweeps (the dot-product test) and differences.

Directions are dicts from a path into the tuple of arguments, ``(position, key, ...)``, to an array.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def _leaves(tree: Any) -> list[Any]:
    """The numbers and arrays in nested containers, in order."""
    return [leaf for _, leaf in _paths(tree)]


def _paths(tree: Any, path: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Any]]:
    """Each number, array, or other object that is no container, after its path."""
    if isinstance(tree, dict):
        items = list(tree.items())
    elif hasattr(tree, "__dataclass_fields__"):
        items = [(name, getattr(tree, name)) for name in tree.__dataclass_fields__]
    elif hasattr(tree, "_fields"):
        items = list(zip(tree._fields, tuple.__iter__(tree), strict=True))
    elif isinstance(tree, list | tuple):
        items = list(enumerate(tree))
    else:
        return [(path, tree)]
    return [found for key, item in items for found in _paths(item, (*path, key))]


def _is_float(leaf: Any) -> bool:
    return np.asarray(leaf).dtype.kind in "fc"


def _floats(arguments: Any, wrt: Any) -> dict[Any, Any]:
    """The floats among the arguments at the paths, each by its own path."""
    found = [(path, leaf) for path, leaf in _paths(arguments) if _is_float(leaf)]
    return {path: leaf for path, leaf in found if any(path[: len(w)] == w for w in wrt)}


def _directions(rng: Any, floats: dict[Any, Any]) -> dict[Any, Any]:
    """A random direction for each float, of its type."""
    return {path: _like(rng.standard_normal(np.shape(x)), x) for path, x in floats.items()}


def _like(direction: Any, leaf: Any) -> Any:
    if isinstance(leaf, np.ndarray):
        return np.asarray(direction, leaf.dtype)
    return type(leaf)(direction)


def _part(arguments: Any, along: dict[Any, Any], path: tuple[Any, ...]) -> Any:
    """The direction of the float at a path: 0 where there is none."""
    if path in along:
        return along[path]
    leaf = dict(_paths(arguments))[path]
    return _like(np.zeros(np.shape(leaf)), leaf)


def _seeds(rng: Any, value: Any) -> Any:
    """Random cotangents in the structure of a tuple of results."""
    if isinstance(value, list | tuple):
        return type(value)([_seeds(rng, item) for item in value])
    return _like(rng.standard_normal(np.shape(value)), value)


def _moved(tree: Any, along: dict[Any, Any], h: float, path: tuple[Any, ...] = ()) -> Any:
    """A copy of the tree, moved by ``h`` along the directions, in double precision."""
    if isinstance(tree, dict):
        return {key: _moved(item, along, h, (*path, key)) for key, item in tree.items()}
    if hasattr(tree, "__dataclass_fields__"):
        made = object.__new__(type(tree))
        for name in tree.__dataclass_fields__:
            item = _moved(getattr(tree, name), along, h, (*path, name))
            object.__setattr__(made, name, item)
        return made
    if isinstance(tree, list | tuple):
        keys = getattr(tree, "_fields", range(len(tree)))
        pairs = zip(keys, tree[:], strict=True)
        items = [_moved(item, along, h, (*path, key)) for key, item in pairs]
        return type(tree)(*items) if hasattr(tree, "_fields") else type(tree)(items)
    if path in along:
        return _shifted(tree, along[path], h)
    return tree.copy() if isinstance(tree, np.ndarray) else tree


def _shifted(leaf: Any, direction: Any, h: float) -> Any:
    moved = leaf + h * np.asarray(direction, complex if np.iscomplexobj(leaf) else float)
    return moved if isinstance(leaf, np.ndarray | np.generic) else moved.item()


def _difference(function: Any, arguments: Any, along: dict[Any, Any]) -> list[Any]:
    """The derivative of results along directions, and the results.

    By central differences of three steps, extrapolated twice; by those of smaller steps where these
    do not agree with each other: there is a kink or a jump nearby.
    """

    def at(h: float) -> list[Any]:
        return [np.asarray(x) for x in _leaves(function(_moved(arguments, along, h)))]

    def central(h: float) -> list[Any]:
        return [(a - b) / (2 * h) for a, b in zip(at(h), at(-h), strict=True)]

    best, least = [], np.inf
    for step in (1e-3, 1e-4, 1e-5):
        coarse, middle, fine = central(4 * step), central(2 * step), central(step)
        once = [(4 * b - a) / 3 for a, b in zip(coarse, middle, strict=True)]
        again = [(4 * b - a) / 3 for a, b in zip(middle, fine, strict=True)]
        error = _largest([a - b for a, b in zip(once, again, strict=True)])
        if not error >= least:
            best = [(16 * b - a) / 15 for a, b in zip(once, again, strict=True)]
            least = error
        if least <= 1e-6 * _largest(best):
            break
    return [best, at(0.0)]


def _largest(arrays: Any) -> float:
    return max((float(np.max(np.abs(a), initial=0.0)) for a in arrays), default=0.0)


def _dot(some: Any, others: Any) -> Any:
    """The sum of all products (the real part of those of complex numbers), and of their sizes."""
    pairs = list(zip(some, others, strict=True))
    total = sum(float(np.sum(np.real(np.conj(a) * b))) for a, b in pairs)
    return total, sum(float(np.sum(np.abs(np.asarray(a) * b))) for a, b in pairs)


def _agree(name: str, reference: str, actual: Any, expected: Any, allowed: float) -> bool:
    """Print by how much two lists of arrays differ; return whether that is allowed."""
    right = len(actual) == len(expected)
    pairs = zip(actual, expected, strict=False)
    error = _largest([np.asarray(a) - np.asarray(b) for a, b in pairs])
    right = right and error <= allowed
    verdict = "agrees with" if right else "does NOT agree with"
    scale = _largest(expected)
    print(f"{name} {verdict} {reference}: they differ by {error:.1e}, at a scale of {scale:.1e}")
    return right


def _by_differences(
    name: str, actual: Any, function: Any, arguments: Any, along: Any, eps: float
) -> bool:
    """Compare the first results' derivatives along directions with differences."""
    expected, values = _difference(function, arguments, along)
    expected, values = expected[: len(actual)], values[: len(actual)]
    allowed = 1e-5 * _largest(expected) + max(1e-9, 1e5 * eps) * _largest(values)
    return _agree(name, "differences", actual, expected, allowed)


def _of_gradient(name: str, gradient: Any, wrt: Any, single: bool, sweep: Any, given: Any) -> bool:
    """Compare the gradient of a scalar, along a direction, with the forward sweep; differences."""
    arguments, along, function, eps = given
    parts = {
        (*w, *path): leaf
        for w, part in zip(wrt, [gradient] if single else gradient, strict=True)
        for path, leaf in _paths(part)
    }
    actual, size = _dot([parts[path] for path in along], along.values())
    tangents = _leaves(sweep(arguments, along)[0])
    right = _agree(name, "the forward sweep", [actual], tangents, eps**0.5 * size)
    if function is None:
        return right
    return _by_differences(name, [actual], function, arguments, along, eps) and right


def _of_jacobian(name: str, jacobian: Any, sweep: Any, given: Any) -> bool:
    """Compare a Jacobian, times a direction, with the forward sweep, and with differences."""
    arguments, along, function, eps = given
    parts = [np.asarray(leaf) for leaf in _leaves(jacobian) if leaf is not None]
    rows = [parts[k : k + len(along)] for k in range(0, len(parts), len(along))]
    vectors = [np.asarray(v) for v in along.values()]
    pairs = [list(zip(row, vectors, strict=True)) for row in rows]
    actual = [sum(np.tensordot(j, v, v.ndim) for j, v in row) for row in pairs]
    size = _largest(sum(np.tensordot(abs(j), abs(v), v.ndim) for j, v in row) for row in pairs)
    tangents = _leaves(sweep(arguments, along))
    right = _agree(name, "the forward sweep", actual, tangents, eps**0.5 * size)
    if function is None:
        return right
    return _by_differences(name, actual, function, arguments, along, eps) and right


def _of_matrix(name: str, matrix: Any, sweep: Any, given: Any) -> bool:
    """Compare a sparse Jacobian, times a direction, with the forward sweep, and with
    differences.
    """
    arguments, along, function, eps = given
    (vector,) = (np.ravel(v) for v in along.values())
    (tangent,) = _leaves(sweep(arguments, along))
    shape = np.shape(tangent)
    actual = [np.reshape(matrix @ vector, shape)]
    size = _largest([abs(matrix) @ abs(vector)])
    right = _agree(name, "the forward sweep", actual, [tangent], eps**0.5 * size)
    if function is None:
        return right
    return _by_differences(name, actual, function, arguments, along, eps) and right


def _of_tangents(name: str, result: Any, places: Any, sweep: Any, given: Any) -> bool:
    """Compare derivatives along a direction with the backward sweep (the dot-product test: the
    products of both with random vectors are one number), and with differences.

    ``places`` are those of the results in the order of the backward sweep, or None.
    """
    arguments, along, function, eps = given
    actual = [leaf for leaf in _leaves(result) if leaf is not None and _is_float(leaf)]
    seeds, cotangents = sweep(np.random.default_rng(1), arguments)
    forward, size = _dot(_leaves(seeds), actual if places is None else [actual[k] for k in places])
    paths = [path for path in along if path in cotangents]
    backward, other = _dot([cotangents[p] for p in paths], [along[p] for p in paths])
    allowed = eps**0.5 * max(size, other)
    right = _agree(name, "the backward sweep", [forward], [backward], allowed)
    if function is None:
        return right
    return _by_differences(name, actual, function, arguments, along, eps) and right


def _of_pair(name: str, call: Any, places: Any, sweep: Any, given: Any) -> bool:
    """Compare a backward function with the forward sweep (the dot-product test), and with
    differences."""
    arguments, along, function, eps = given
    value, backward = call
    seeds = _seeds(np.random.default_rng(1), value)
    cotangents = dict(_paths(backward(*(seeds[k] for k in places))))
    paths = [path for path in along if cotangents.get(path) is not None]
    actual, size = _dot([cotangents[p] for p in paths], [along[p] for p in paths])
    chosen = _leaves([seeds[k] for k in places])
    tangents = sweep(arguments, along)
    expected, other = _dot(chosen, _leaves([tangents[k] for k in places]))
    allowed = eps**0.5 * max(size, other)
    right = _agree(name, "the forward sweep", [actual], [expected], allowed)
    if function is None:
        return right

    def weighted(moved: Any) -> Any:
        values = function(moved)
        return [_dot(chosen, _leaves([values[k] for k in places]))[0]]

    return _by_differences(name, [actual], weighted, arguments, along, eps) and right


def _of_function(name: str, result: Any, sweep: Any, value: Any, given: Any) -> bool:
    """Compare a function with its own program, and its forward sweep with differences."""
    arguments, along, function, eps = given
    actual = [leaf for leaf in _leaves(result) if leaf is not None and _is_float(leaf)]
    expected = _leaves(value(arguments))
    right = _agree(name, "what it computes", actual, expected, eps**0.5 * _largest(expected))
    if function is None:
        return right
    tangents = _leaves(sweep(arguments, along))
    return _by_differences(name, tangents, function, arguments, along, eps) and right


def _exit_code(right: list[bool]) -> int:
    """0 where all is right, and 1."""
    return 0 if all(right) else 1
