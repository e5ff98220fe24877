"""Source to IR: an abstract interpreter of Python over values that are static or staged.

A function and a signature enter; a ``Staged`` graph leaves. Nothing of the user's is run.
"""

from symdiff.definitions.libraries import loaded_with
from symdiff.parse import (
    asked_complex,
    builtin_functions,
    containers,
    contexts,
    eigenvalues,
    expressions,
    folds,
    iterators,
    keyed,
    labels,
    matching,
    methods,
    questions,
    recalled,
    resuming,
    slots,
    squeezing,
    statements,
    subclassed_texts,
    transformed,
)
from symdiff.parse.entry import place_of, stage
from symdiff.parse.marking import Marks
from symdiff.parse.policy import RetryPolicy
from symdiff.parse.staged import Guard, Staged, StaticDemand
from symdiff.parse.values import CalledOften

__all__ = [
    "CalledOften",
    "Guard",
    "Marks",
    "RetryPolicy",
    "Staged",
    "StaticDemand",
    "place_of",
    "stage",
]

for _library in ("random", "numpy.random"):
    loaded_with(_library, "symdiff.parse.draws")
