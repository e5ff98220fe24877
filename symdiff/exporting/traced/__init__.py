"""Programs for a library whose arrays never change and whose functions are traced: JAX.

A graph is pure as it is: a store is ``x.at[i].set(v)``, loops and branches are functions that
``lax`` calls. ``statements`` writes them, ``spelling`` turns NumPy's spelling of an op into that of
the library, ``known`` says which values are numbers while a function is traced: sizes, and those
integer arguments that sizes and numbers of turns depend on, which ``jax.jit`` has to be told of
(``static_argnames``). What cannot be said there is refused by the user's line.
"""

from symdiff.exporting.traced.statements import emit_traced

__all__ = ["emit_traced"]
