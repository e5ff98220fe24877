"""A fault of the compiler says that it is one; it is no refusal, and no error of the user's."""

from types import FunctionType

import numpy as np
import pytest

import symdiff as sd
from symdiff import pipeline
from symdiff.errors import InternalError, UnsupportedCallError
from symdiff.ops.declare import REGISTRY
from symdiff.parse import branches, calls, loops

X = np.array([0.7, 1.3])


def summed(x):
    total = 0.0
    for k in range(len(x)):
        total = total + np.sin(x[k])
    return total


def chosen(x):
    y = x - 1.0
    if x[0] > 0.5:
        y = x * 2.0
    return np.sum(y)


def called(x):
    total = 0.0
    for row in [x, 2.0 * x]:
        total = total + of_sines(row)
    return total


def of_sines(x):
    return np.sum(np.sin(x))


PLACES = [  # where a fault is put in, and the statement that it is told of
    (summed, loops.LoopStager, "_finish", "for k in"),
    (summed, loops.LoopStager, "stage", "for k in"),
    (called, loops, "_one_turn", "for row in"),
    (chosen, branches, "join_arms", "if x[0]"),
    (chosen, branches, "run_arm", "if x[0]"),
    (of_sines, calls, "call_lowering", "return"),
    (called, calls, "call_lowering", "return np.sum(np.sin(x))"),
]
ERRORS = [
    KeyError("slot"),
    TypeError("zip() argument 2 is shorter than argument 1"),
    IndexError("tuple index out of range"),
    AttributeError("'NoneType' object has no attribute 'node'"),
    ValueError("too many values to unpack"),
    ZeroDivisionError("division by zero"),
    NotImplementedError(),
    AssertionError("known"),
]


def raising(error):
    def raises(*arguments, **keywords):
        raise error

    return raises


def fresh(function):
    """A function of the same code, for which nothing is compiled yet."""
    return FunctionType(function.__code__, function.__globals__, function.__name__)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize(("function", "owner", "name", "text"), PLACES)
def test_a_fault_while_staging_says_so_at_the_line(monkeypatch, function, owner, name, text, error):
    monkeypatch.setattr(owner, name, raising(error))
    with pytest.raises(InternalError, match="this is a bug in symdiff") as raised:
        sd.grad(fresh(function))(X)
    assert raised.value.span.text.strip().startswith(text)
    assert raised.value.__cause__ is error
    assert str(error) in raised.value.message


@pytest.mark.parametrize("transform", [sd.grad, sd.value_and_grad, sd.jacobian, sd.hessian])
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_a_fault_of_a_type_rule_says_so(monkeypatch, error, transform):
    monkeypatch.setattr(REGISTRY["sin"], "infer", raising(error))
    with pytest.raises(InternalError, match="this is a bug in symdiff") as raised:
        transform(fresh(of_sines))(X)
    assert raised.value.span.excerpt.endswith("^" * len("np.sin(x)"))
    assert raised.value.__cause__ is error


@pytest.mark.parametrize("stage", ["optimise", "emit_source", "load", "without_unused_variables"])
def test_a_fault_after_staging_says_so(monkeypatch, stage):
    error = KeyError("slot")
    monkeypatch.setattr(pipeline, stage, raising(error))
    with pytest.raises(InternalError, match="this is a bug in symdiff") as raised:
        sd.grad(fresh(of_sines))(X)
    assert raised.value.__cause__ is error


def test_a_fault_in_a_rule_says_so(monkeypatch):
    error = IndexError("tuple index out of range")
    monkeypatch.setattr(REGISTRY["sin"], "partials", (raising(error),))
    for transform in (sd.grad, sd.hessian, sd.jacobian):
        with pytest.raises(InternalError, match="this is a bug in symdiff") as raised:
            transform(fresh(of_sines))(X)
        assert raised.value.span.excerpt.endswith("^" * len("np.sin(x)"))
        assert raised.value.__cause__ is error


def test_a_fault_is_no_error_of_a_branch(monkeypatch):
    """Not even where Python, too, may raise an exception of that kind."""

    def f(x, table):
        if x > 0.5:
            return x * table[1]
        return x

    monkeypatch.setattr("symdiff.parse.items.static_key", raising(KeyError("slot")))
    with pytest.raises(InternalError, match="KeyError: 'slot'"):
        sd.grad(f)(0.7, {1: 1.0})


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(np.vander(x, N="abc")),
        lambda x: np.sum(np.linalg.tensordot(x, x, axes=[[1], [1, 2]])),
        lambda x: np.sum(np.block([])) * x,
        lambda x: np.sum(np.fft.fft2(x.reshape(1, 2), norm="abc").real),
    ],
)
def test_arguments_that_python_does_not_take_are_no_faults(function):
    with pytest.raises((TypeError, ValueError)):
        function(X)
    with pytest.raises((TypeError, ValueError, UnsupportedCallError)):
        sd.grad(function)(X)


@pytest.mark.parametrize("error", [ImportError("no fft"), MemoryError()])
def test_what_the_machine_lacks_is_raised_as_it_is(monkeypatch, error):
    monkeypatch.setattr(loops.LoopStager, "stage", raising(error))
    with pytest.raises(type(error)) as raised:
        sd.grad(fresh(summed))(X)
    assert raised.value is error


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * len(object()),
        lambda x: np.sum(np.asarray(x, dtype={})),
        lambda x: np.sum(np.fft.fft2(x.reshape(1, 2), s=object()).real),
        lambda x: np.sum(np.linspace(x, x, dtype={})),
        lambda x: np.sum(np.vsplit(x.reshape(2, 1), {})[0]),
    ],
)
def test_what_nothing_is_known_of_is_refused_where_it_makes_no_sense(function):
    with pytest.raises((TypeError, UnsupportedCallError)):
        sd.grad(function)(X)


def test_what_an_op_rejects_is_a_refusal():
    with pytest.raises(UnsupportedCallError, match="it takes no such arguments here"):
        sd.grad(lambda x: np.sum(x) * ["a", "b", "a"].index("a", 1))(X)


def test_what_python_raises_of_constants_is_the_functions_own():
    items, table = [1.0, 2.0], {"a": 1.0}

    def missing(x):
        made = [x, x]
        return made[2]

    def removed(x):
        made = {"a": x}
        del made["b"]
        return x

    def popped(x):
        return x * dict(table).pop("b")

    for function, error in [
        (lambda x: x * items[7], IndexError),
        (lambda x: x * table["b"], KeyError),
        (lambda x: x * (1, 2)[5], IndexError),
        (lambda x: x * len("ab" + b"c"), TypeError),
        (missing, IndexError),
        (removed, KeyError),
        (popped, KeyError),
    ]:
        with pytest.raises(error) as raised:
            sd.grad(function)(2.0)
        assert type(raised.value) is error


SUBSCRIPTS = ["ij->i", "i,i->ik", "i,i->->i", "i,i->ii", "i1,i", "i,i,i", "iX,i", "", "i,j"]


@pytest.mark.parametrize("subscripts", [*SUBSCRIPTS, [60], [-1], ["a"], 3], ids=str)
def test_subscripts_are_read_or_rejected_as_numpy_does(subscripts):
    def f(x):
        operands = (subscripts, x, x) if isinstance(subscripts, str) else (x, subscripts)
        return np.sum(np.einsum(*operands))

    assert outcome(sd.value_and_grad(f)) == outcome(lambda x: (f(x), None))


def outcome(function):
    try:
        return function(X)[0]
    except (TypeError, ValueError) as error:
        return type(error), str(error)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(np.tril(np.outer(x, x), -0.5)),
        lambda x: np.sum(np.triu(np.outer(x, x), 0.5)),
        lambda x: np.sum(np.tri(2, k=0.5) * x),
    ],
)
def test_a_diagonal_between_two_others_is_refused(function):
    with pytest.raises(UnsupportedCallError, match="cannot be interpreted as an integer"):
        sd.grad(function)(X)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(x, axis=0.0),
        lambda x: np.sum(np.diag(x, 1.0)),
        lambda x: np.sum(np.round(x, 1.0)),
        lambda x: np.sum(np.cumsum(x, axis=(0, 1))),
    ],
)
def test_arguments_that_numpy_does_not_take_are_numpys_errors(function):
    for called in (function, sd.grad(function)):
        with pytest.raises(TypeError) as raised:
            called(X)
        assert type(raised.value) is TypeError
