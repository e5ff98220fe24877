"""Loops and branches of JAX: bodies are functions of what they change, from turn to turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import jax
    import jax.numpy as jnp
    from jax import lax


def _typed(values: Any, dtypes: Any) -> Any:
    """Values as arrays of their dtypes, so that they have one type in all turns and arms."""
    pairs = zip(values, dtypes, strict=True)
    return tuple(v if v is None or d is None else jnp.asarray(v, d) for v, d in pairs)


def _zeros(shapes: Any) -> Any:
    return jax.tree.map(lambda one: jnp.zeros(one.shape, one.dtype), shapes)


def _branch(test: Any, then: Any, orelse: Any, dtypes: Any) -> Any:
    """What the arm taken gives; what an arm leaves undefined (None) is zeros there."""
    if isinstance(test, bool):
        return then() if test else orelse()
    shapes = [jax.eval_shape(lambda arm=arm: _typed(arm(), dtypes)) for arm in (then, orelse)]
    known = [b if a is None else a for a, b in zip(*shapes, strict=True)]

    def filled(arm: Any) -> Any:
        found = _typed(arm(), dtypes)
        return tuple(_zeros(s) if v is None else v for v, s in zip(found, known, strict=True))

    return lax.cond(jnp.reshape(test, ()), lambda: filled(then), lambda: filled(orelse))


def _while(
    body: Any, condition: Any, carry: Any, dtypes: Any, count: Any = None, reverse: bool = False
) -> Any:
    """Turns as long as the condition holds, and at most ``count``; the number of turns last."""

    def goes_on(state: Any) -> Any:
        k, values = state
        test = True if condition is None else condition(k, *values)
        test = jnp.reshape(jnp.asarray(test, bool), ())
        return test if count is None else (k < count) & test

    def turn(state: Any) -> Any:
        k, values = state
        return k + 1, _typed(body(count - 1 - k if reverse else k, *values)[0], dtypes)

    k, values = lax.while_loop(goes_on, turn, (jnp.asarray(0), _typed(carry, dtypes)))
    return (*values, k)


def _for(
    body: Any,
    carry: Any,
    xs: Any,
    dtypes: Any,
    count: Any,
    *,
    reverse: bool = False,
    condition: Any = None,
    writes: int = 0,
) -> Any:
    """``count`` turns, or fewer where a condition fails, over arrays whose rows turns read.

    What is given are the final values, what turns have written row by row (in ``writes`` arrays),
    and how many there were.
    """
    length = len(xs[0]) if xs else max(count, 0)
    if not length:  # what no turn does may have no meaning: arrays without elements
        return (*_typed(carry, dtypes), *[jnp.zeros(0)] * writes, 0)
    whole = condition is None and isinstance(count, int) and length == max(count, 0)

    def turn(state: Any, given: Any) -> Any:
        (turns, going, values), (k, *rows) = state, given
        active = going if whole else going & (k < count)
        if condition is not None:
            active = active & jnp.reshape(jnp.asarray(condition(k, *values), bool), ())

        def run() -> Any:
            after, written = body(k, *values, *rows)
            return _typed(after, dtypes), tuple(map(jnp.asarray, written))

        if whole:
            after, written = run()
            return (turns + 1, going, after), written
        nothing = _zeros(jax.eval_shape(run)[1])
        after, written = lax.cond(active, run, lambda: (values, nothing))
        still = active if condition is not None else going
        return (turns + active, still, after), written

    start = (jnp.asarray(0), jnp.asarray(True), _typed(carry, dtypes))
    rows = (jnp.arange(length), *(x[:length] for x in xs))
    (turns, _, values), written = lax.scan(turn, start, rows, reverse=reverse)
    return (*values, *written, turns)
