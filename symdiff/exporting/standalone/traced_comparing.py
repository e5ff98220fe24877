"""Sweeps by JAX's own differentiation, of what a function is the derivative of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import jax
    import numpy as np

    from symdiff.exporting.standalone.comparing import (
        _agree,
        _by_differences,
        _largest,
        _leaves,
        _paths,
    )


def _replaced(tree: Any, found: dict[Any, Any], path: tuple[Any, ...] = ()) -> Any:
    """The tree with other numbers at some paths."""
    if isinstance(tree, dict):
        return {key: _replaced(item, found, (*path, key)) for key, item in tree.items()}
    if isinstance(tree, list | tuple):
        keys = getattr(tree, "_fields", range(len(tree)))
        pairs = zip(keys, tree[:], strict=True)
        items = [_replaced(item, found, (*path, key)) for key, item in pairs]
        return type(tree)(*items) if hasattr(tree, "_fields") else type(tree)(items)
    return found.get(path, tree)


def _of_numbers(function: Any, arguments: Any, paths: list[Any]) -> Any:
    """A function of arguments as one of the numbers at some paths of them."""

    def moved(*values: Any) -> Any:
        return function(_replaced(arguments, dict(zip(paths, values, strict=True))))

    return moved


def _compiled(function: Any, arguments: Any, along: dict[Any, Any]) -> Any:
    """The function under ``jax.jit``, of arguments that differ where there are directions."""
    run = jax.jit(_of_numbers(function, arguments, list(along)))

    def call(moved: Any) -> Any:
        leaves = dict(_paths(moved))
        return run(*(leaves[path] for path in along))

    return call


def _swept(function: Any, arguments: Any, along: dict[Any, Any]) -> Any:
    """The derivative of all results along directions, by ``jax.jvp``."""
    moved, leaves = _of_numbers(function, arguments, list(along)), dict(_paths(arguments))
    primals = [np.asarray(leaves[path]) for path in along]
    tangents = [np.asarray(v, x.dtype) for v, x in zip(along.values(), primals, strict=True)]
    return jax.jit(lambda p, t: jax.jvp(moved, p, t)[1])(primals, tangents)


def _of_forward(name: str, result: Any, sweep: Any, given: Any) -> bool:
    """Compare derivatives along a direction with JAX's own, and with differences."""
    arguments, along, function, eps = given
    actual = [np.asarray(leaf) for leaf in jax.tree.leaves(result)]
    expected = [np.asarray(leaf) for leaf in jax.tree.leaves(sweep(arguments, along))]
    allowed = eps**0.5 * _largest(expected)
    right = _agree(name, "JAX's own", actual, expected, allowed)
    if function is None:
        return right
    return _by_differences(name, _leaves(actual), function, arguments, along, eps) and right


def _jitted(name: str, result: Any, expected: Any) -> bool:
    """Compare what a function gives under ``jax.jit`` with what it gives by itself."""
    pairs = zip(jax.tree.leaves(result), jax.tree.leaves(expected), strict=True)
    scales = [np.max(np.abs(b), initial=1.0) for b in jax.tree.leaves(expected)]
    errors = [np.max(np.abs(np.asarray(a) - b), initial=0.0) for a, b in pairs]
    right = all(e <= 1e-5 * s for e, s in zip(errors, scales, strict=True))
    print(f"{name} {'does' if right else 'does NOT do'} the same under jax.jit")
    return right
