"""A fault of the compiler says that it is one; it is no refusal, and no error of the user's."""

import collections
import contextlib
import dataclasses
import functools
import itertools
import math
import operator
import re
import sys
from types import FunctionType, ModuleType, SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import symdiff as sd
from symdiff import pipeline
from symdiff.errors import CertainError, InternalError, UnsupportedCallError
from symdiff.ops.declare import REGISTRY
from symdiff.parse import branches, calls, loops
from symdiff.parse.calls import BUILTINS

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
        sd.grad(lambda x: np.sum(x.conj(None)))(X)


@pytest.mark.parametrize(
    ("error", "is_pythons"),
    [
        (KeyError("slot"), False),
        (AttributeError("'NoneType' object has no attribute 'shape'"), False),
        (TypeError("'NoneType' object is not subscriptable"), False),
        (TypeError("float() argument must be a string or a real number, not 'ListRef'"), True),
    ],
)
def test_a_fault_is_no_error_of_arguments_that_python_rejects_too(monkeypatch, error, is_pythons):
    """It says something else than Python does, which rejects the list."""
    monkeypatch.setitem(BUILTINS, float, raising(error))

    def f(x):
        return float([x[0]])

    said = (
        r"float\(\) argument must be .*, not 'list'" if is_pythons else "this is a bug in symdiff"
    )
    with pytest.raises(TypeError if is_pythons else InternalError, match=said):
        sd.grad(fresh(f))(X)


def of_grown(function):
    def f(x):
        rows = []
        for k in range(len(x)):
            rows.append(x[k])
        return x[0] * function(rows)

    return f


@pytest.mark.parametrize(
    "function",
    [
        float, int, complex, abs, round, range, math.sqrt,
        lambda rows: -rows,
        lambda rows: rows + 1.0,
        lambda rows: rows**2,
        lambda rows: rows * 2.0,
        lambda rows: 2.0 * rows,
        lambda rows: rows / 2,
        lambda rows: rows < 2.0,
        lambda rows: divmod(rows, 2),
        lambda rows: len(rows, rows),
    ],
)  # fmt: skip
def test_what_takes_no_list_raises_of_one_that_grew_in_a_loop(function):
    f = of_grown(function)
    with pytest.raises(TypeError) as own:
        f(X)
    with pytest.raises(TypeError) as raised:
        sd.grad(f)(X)
    assert str(raised.value) == str(own.value)


def into_itself(x):
    made = [x[1]]
    made.append(made)
    return made


def held_on_one_path(x):
    made = [x[0]]
    if x[0] > 0:
        made = into_itself(x)
    return made[0]


def held_in_turns(x):
    k, made = 0, []
    while x[k] < 1.0:
        made = into_itself(x)
        k += 1
    return made[0]


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda x: np.sum(np.array(into_itself(x))), "a list that holds itself cannot be gone"),
        (  # compared level by level, until the stack ends in one stage or another
            lambda x: x[0] if into_itself(x) == into_itself(x) else x[1],
            "a list that holds itself|nested too deeply here",
        ),
        (into_itself, "a list that holds itself cannot be gone through"),
        (held_in_turns, "a list that holds itself, or is nested too deeply"),
    ],
)
def test_a_list_that_holds_itself_is_called_so(function, said):
    with pytest.raises(sd.SymdiffError, match=said) as raised:
        sd.jacobian(function)(X)
    assert not isinstance(raised.value, InternalError)
    assert raised.value.span is not None


def test_a_list_that_holds_itself_is_followed_where_its_items_are():
    np.testing.assert_array_equal(sd.grad(held_on_one_path)(X), [0.0, 1.0])
    np.testing.assert_array_equal(
        sd.grad(lambda x: into_itself(x)[1][1][0] ** 2)(X), [0.0, 2 * X[1]]
    )


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(np.zeros((2,) * max(1, int(x[0]))) + x),
        lambda x: np.sum(x.reshape(1, 2), axis=int(x[0]) if x[0] > 0 else 1)[0],
    ],
)
def test_what_has_no_name_is_given_none_in_a_message(function):
    with pytest.raises(sd.SymdiffError, match="structure depends on a computed value"):
        sd.grad(function)(X)


class Plain:
    def __init__(self, value):
        self.value = value


Named = collections.namedtuple("Named", "a b")
MADE = {
    "list": lambda x: [x[0], 1.0],
    "dict": lambda x: {"a": x[0]},
    "object": lambda x: Plain(x[0]),
    "function": lambda x: lambda y: y * x[0],
    "partial": lambda x: functools.partial(np.sum, x),
    "generator": lambda x: (value for value in x),
    "iterator": lambda x: iter([x[0]]),
    "map": lambda x: map(np.sin, x),
    "set": lambda x: {1, 2},
    "view of a dict": lambda x: {"a": x[0]}.items(),
    "method": lambda x: x.sum,
    "range": lambda x: range(3),
    "slice": lambda x: slice(0, 1),
    "named tuple": lambda x: Named(x[0], 2),
    "defaultdict": lambda x: collections.defaultdict(list),
}
DONE = {
    "float": float,
    "int": int,
    "abs": abs,
    "round": round,
    "ord": ord,
    "range": range,
    "less": lambda made: made < 1.0,
    "divided": lambda made: made / 2,
    "twice": lambda made: made * 2.0,
    "dict": dict,
    "updated": lambda made: {}.update(made),
    "np.sin": np.sin,
    "np.sum": np.sum,
    "np.zeros": np.zeros,
    "np.concatenate": np.concatenate,
    "axis": lambda made: np.sum(np.ones((2, 2)), axis=made),
    "class": lambda made: issubclass(made, float),
    "index": lambda made: np.ones(3)[made],
    "own index": lambda made: made[made],
    "attribute": lambda made: made.missing,
    "key": lambda made: {made: 1.0},
}
INTERNAL = re.compile(r"\w+Ref\b|Closure|ArrayMethod|StaticSet|DictView|Lazy|storage|%\d")


def raised_by(function):
    try:
        function(X)
    except Exception as error:
        return error
    return None


@pytest.mark.parametrize(
    ("made", "done"),
    [
        (made, done)
        for made in MADE
        for done in DONE
        if made not in ("generator", "map") or done not in ("np.sin", "np.sum")
    ],
)
def test_what_python_rejects_is_told_in_its_words(made, done):
    """What is raised is what the function raises; a refusal speaks of nothing of the compiler's."""
    make, do = MADE[made], DONE[done]

    def f(x):
        do(make(x))
        return np.sum(x)

    own, found = raised_by(f), raised_by(sd.grad(f))
    if isinstance(found, sd.SymdiffError):
        assert not isinstance(found, InternalError)
        assert found.span is not None
        assert not INTERNAL.search(f"{found.message} {found.hint}")
    else:
        assert type(found) is type(own)
        assert not INTERNAL.search(str(found))


# Calls that Python rejects ------------------------------------------------------------------------

MISFITS = [
    lambda x: range(),
    lambda x: range(1, 2, 3, 4),
    lambda x: range(stop=2),
    lambda x: bool(1, 2, 3),
    lambda x: functools.partial(),
    lambda x: functools.reduce(of_sines),
    lambda x: map(),
    lambda x: filter(None),
    lambda x: zip(strictly=True),
    lambda x: next(),
    lambda x: iter(),
    lambda x: iter(1.5),
    lambda x: type(),
    lambda x: getattr(x),
    lambda x: hasattr(x, 3),
    lambda x: setattr(x),
    lambda x: isinstance(x, 3),
    lambda x: itertools.repeat(),
    lambda x: itertools.islice([1]),
    lambda x: math.atan2(1.0),
    lambda x: round(1.5, 2, 3),
    lambda x: sorted([1], 2),
    lambda x: locals(1),
    lambda x: dataclasses.asdict(x),
    lambda x: object.__new__(),
    lambda x: operator.itemgetter(1)(x, x),
    lambda x: float("half"),
    lambda x: complex("half"),
]


@pytest.mark.parametrize("call", MISFITS)
def test_a_call_that_python_rejects_raises_what_python_raises(call):
    with pytest.raises((TypeError, ValueError)) as own:
        call(X)

    def f(x):
        call(x)
        return np.sum(x)

    with pytest.raises(type(own.value)) as raised:
        sd.grad(f)(X)
    assert str(raised.value) == str(own.value)
    with pytest.raises(CertainError, match=own.type.__name__) as certain:
        sd.differentiable(f).graph("float64[n]")
    assert certain.value.span is not None

    def g(x):
        try:
            call(x)
        except (TypeError, ValueError):
            return np.sum(2.0 * x)
        return np.sum(x)

    assert_array_equal(sd.grad(g)(X), [2.0, 2.0])


@pytest.mark.parametrize(
    "call",
    [
        lambda x: dataclasses.replace(Pair(x[0], 1.0), b=x[1]).b,
        lambda x: functools.partial(np.sum, x)(axis=0),
    ],
)
def test_what_a_signature_leaves_open_is_taken(call):
    estimates = [(call(X + step) - call(X - step)) / 2e-6 for step in 1e-6 * np.eye(2)]
    np.testing.assert_allclose(sd.grad(call)(X), estimates, rtol=1e-8, atol=1e-9)


def test_more_than_a_signature_of_numpys_tells_is_no_error_of_the_programs():
    with pytest.raises(UnsupportedCallError, match="it takes no such arguments here"):
        sd.grad(lambda x: np.add.reduce(x, 0, None, None, False))(X)


@dataclasses.dataclass
class Pair:
    a: float
    b: float


def test_a_dtype_made_of_a_dict_is_refused_by_name():
    def f(x):
        return np.sum(x) * np.dtype({"names": ["a", "b"], "formats": ["f8", "i4"]}).itemsize

    with pytest.raises(UnsupportedCallError, match=r"does not know this use of numpy\.dtype"):
        sd.grad(f)(X)


def imports_what_a_module_lacks(x):
    try:
        from math import no_such_function as double
    except ImportError:
        double = math.sin
    return double(x)


def imports_below_a_module(x):
    try:
        from math import below, beside  # noqa: F401
    except ImportError:
        return 3.0 * x
    return x


def test_what_a_module_lacks_is_an_import_error_of_the_programs():
    assert sd.grad(imports_what_a_module_lacks)(0.5) == math.cos(0.5)
    assert sd.grad(imports_below_a_module)(0.5) == 3.0


def imports_a_script(x):
    import no_specification

    return x * no_specification.FACTOR


def test_a_module_without_a_specification_is_imported(monkeypatch):
    script = ModuleType("no_specification")
    script.FACTOR = 2.5
    monkeypatch.setitem(sys.modules, "no_specification", script)
    assert sd.grad(imports_a_script)(0.5) == 2.5


class InPlaceOfAModule:
    def __init__(self, module):
        self._module = module

    def __getattr__(self, name):
        return getattr(self._module, name)


def imports_what_stands_in_place_of_a_module(x):
    import no_module
    from no_module import FACTOR, twice

    try:
        from no_module import nothing  # noqa: F401
    except ImportError:
        return twice(x) * FACTOR * no_module.FACTOR
    return x


def test_an_object_in_place_of_a_module_is_imported_from(monkeypatch):
    module = ModuleType("no_module")
    module.FACTOR, module.twice = 2.5, lambda x: 2.0 * x
    monkeypatch.setitem(sys.modules, "no_module", InPlaceOfAModule(module))
    slope = sd.grad(imports_what_stands_in_place_of_a_module)
    assert slope(0.5) == 12.5
    module.FACTOR = 1.0
    assert slope(0.5) == 2.0


MODE = "outside"


class Mode:
    def __enter__(self):
        global MODE
        MODE = "inside"

    def __exit__(self, *raised):
        global MODE
        MODE = "outside"


def powers_of(x, base):
    if base > 1.0:
        x = x * 1.0
    raised = base**2.5 - 2.0 * x**2.5
    return raised ** (2.0 * x)


def test_a_text_outside_is_set_where_powers_may_fail_inside_with():
    def f(x):
        with Mode():
            return powers_of(x / 10.0, 3.0) / 5.0

    x, step = 2.0, 1e-4
    ahead, back = (f(x + k * step) for k in (1, -1))
    assert sd.grad(f)(x) == pytest.approx((ahead - back) / (2.0 * step), rel=1e-6)
    assert MODE == "outside"


MODELS = {"model 2.0": SimpleNamespace(last=0.0)}


def test_an_object_under_a_key_with_a_dot_is_written():
    def f(x):
        MODELS["model 2.0"].last = 3.0 * x
        return x * MODELS["model 2.0"].last

    assert sd.grad(f)(2.0) == 12.0
    assert MODELS["model 2.0"].last == 6.0


@contextlib.contextmanager
def doubled():
    yield 2.0


def test_a_context_manager_is_followed_whatever_its_function_says_that_it_wraps():
    bare = FunctionType(doubled.__code__, doubled.__globals__, "bare", None, doubled.__closure__)

    def f(x):
        with bare() as factor:
            return x * factor

    assert sd.grad(f)(0.5) == 2.0


def test_the_letters_of_a_text_are_gone_over():
    def f(x, n):
        first = next(iter(f"{n}1"))
        return x * float(first) * sum(float(letter) for letter in f"{n}4")

    assert sd.grad(f)(0.5, 3) == 3.0 * (3.0 + 4.0)


# What is one object to NumPy ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "function",
    [
        lambda items: np.sin(items),
        lambda items: np.add(items, 1.0),
        lambda items: np.ones(2) * items,
        lambda items: np.sum(items),
        lambda items: np.stack(items),
    ],
)
def test_what_numpy_does_not_go_over_raises_what_numpy_raises(function):
    with pytest.raises(TypeError) as own:
        function(value for value in X)
    with pytest.raises(TypeError) as raised:
        sd.grad(lambda x: np.sum(function(value for value in x)))(X)
    assert str(raised.value) == str(own.value)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(np.array(value for value in x)),
        lambda x: np.max(map(np.sin, x)),
        lambda x: np.cumsum({1: x[0], 2: x[1]}.values())[0],
        lambda x: np.sum(np.array([zip(x, x, strict=True)])),
    ],
)
def test_an_array_of_one_iterator_is_refused(function):
    with pytest.raises(UnsupportedCallError, match=r"is one object to NumPy; give list\(...\)"):
        sd.grad(function)(X)


def test_what_goes_over_anything_goes_over_generators():
    gradient = sd.grad(lambda x: math.fsum(np.sin(x[k]) for k in range(2)) + sum(map(np.sin, x)))
    np.testing.assert_allclose(gradient(X), 2.0 * np.cos(X), rtol=1e-15)
    gradient = sd.grad(lambda x: np.sum(np.fromiter((value**2 for value in x), float)))
    np.testing.assert_allclose(gradient(X), 2.0 * X, rtol=1e-15)


MASKED = np.ma.masked_array([1.0, 2.0], [0, 1])


def with_a_masked_default(x, weights=MASKED):
    return np.sum(weights * x)


def test_a_default_that_is_no_plain_array_is_refused_with_a_line():
    with pytest.raises(sd.SignatureError, match="weights is a MaskedArray") as raised:
        sd.grad(with_a_masked_default)(X)
    assert raised.value.span.text.startswith("def with_a_masked_default")


def divides_where_overflow_raises(x, n):
    try:
        with np.errstate(invalid="raise", over="raise"):
            y = np.exp(x * (x // n))
    except (FloatingPointError, OverflowError):
        y = 3.0 * x
    return y


def test_a_division_by_zero_is_none_of_the_errors_that_are_caught():
    gradient = sd.grad(divides_where_overflow_raises)
    assert gradient(1.5, 1.0) == np.exp(1.5)
    assert gradient(1e3, 1.0) == 3.0
    with pytest.raises(ZeroDivisionError):
        gradient(1.5, 0.0)


# Handlers -----------------------------------------------------------------------------------------


NO_CLASS = 5


def reaches_a_number(x):
    try:
        if x > 1.0:
            raise ValueError("too large")
        y = 2.0 * x
    except NO_CLASS:
        y = 3.0 * x
    return y


def reaches_a_class_first(x):
    try:
        if x > 1.0:
            raise ValueError("too large")
        y = 2.0 * x
    except ValueError:
        y = 3.0 * x
    except NO_CLASS:
        y = 4.0 * x
    return y


def test_a_handler_that_names_no_class_is_an_error_where_an_exception_reaches_it():
    assert sd.grad(reaches_a_number)(0.5) == 2.0
    with pytest.raises(TypeError, match="catching classes that do not inherit from BaseException"):
        sd.grad(reaches_a_number)(1.5)
    assert sd.grad(reaches_a_class_first)(0.5) == 2.0
    assert sd.grad(reaches_a_class_first)(1.5) == 3.0
