"""Errors that are certain where they stand: Python's, and only where the program gets there."""

import dataclasses

import numpy as np
import pytest

import symdiff
from symdiff.errors import CertainError, SignatureError, UnsupportedSyntaxError
from tests.parse.following import follows

ROW, BLOCK = np.array([0.2, 0.3]), np.ones((3, 2))


def adds_in_place(x, y):
    if x[0] > 0.5:
        x = x.copy()
        x += y
    return np.sum(x)


def adds_to_an_item(x, y):
    z = np.zeros((2, 2))
    if x[0] > 0.5:
        z[0] += y
    return np.sum(x) + np.sum(z)


def adds_with_out(x, y):
    if x[0] > 0.5:
        x = x.copy()
        np.add(x, y, out=x)
    return np.sum(x)


def assigns(x, y):
    if x[0] > 0.5:
        x = x.copy()
        x[:] = y
    return np.sum(x)


def joins(x, y):
    if x[0] > 0.5:
        x = np.concatenate([x, y])
    return np.sum(x)


def unpacks(x, y):
    if x[0] > 0.5:
        x, _ = np.ones(1) * x[0]
    return np.sum(x)


def solves(x, y):
    if x[0] > 0.5:
        x = np.linalg.solve(x, x)
    return np.sum(x)


@pytest.mark.parametrize(
    "function",
    [adds_in_place, adds_to_an_item, adds_with_out, assigns, joins, unpacks, solves],
    ids=lambda f: f.__name__,
)
def test_an_error_in_an_arm_is_raised_where_the_arm_is_taken(function):
    follows(function, (ROW, BLOCK))
    gradient = symdiff.grad(function)
    np.testing.assert_array_equal(gradient(ROW, BLOCK), [1.0, 1.0])
    with pytest.raises(ValueError):
        gradient(ROW + 0.5, BLOCK)


def multiplies_numbers(x):
    return x @ x if x > 1.0 else x * x


def test_a_product_of_matrices_of_numbers_is_pythons_error_where_it_is_taken():
    follows(multiplies_numbers, (0.5,))
    assert symdiff.value_and_grad(multiplies_numbers)(0.5) == (0.25, 1.0)
    assert symdiff.grad(symdiff.grad(multiplies_numbers))(0.5) == 2.0
    with pytest.raises(TypeError, match="unsupported operand"):
        symdiff.grad(multiplies_numbers)(1.5)


def calls_what_is_no_function(x, slope):
    try:
        y = slope([x]) if x > 1.0 else x * x
    except TypeError:
        y = x * 5.0
    return y


@pytest.mark.parametrize("slope", [True, None, 2.5, "slope", (1, 2), [3.0], {"a": 1.0}])
def test_a_call_of_what_is_no_function_is_pythons_error_where_it_is_taken(slope):
    def called(x):
        return slope([x]) if x > 1.0 else x * x

    def caught(x):
        return calls_what_is_no_function(x, slope)

    assert symdiff.value_and_grad(called)(0.5) == (0.25, 1.0)
    kind = type(slope).__name__
    with pytest.raises(TypeError, match=f"'{kind}' object is not callable"):
        symdiff.grad(called)(1.5)
    assert symdiff.value_and_grad(caught)(0.5) == (0.25, 1.0)
    assert symdiff.value_and_grad(caught)(1.5) == (7.5, 5.0)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x(2.0),
        lambda x: x[0](2.0),
        lambda x: float(x[0])(2.0),
        lambda x: x.missing,
        lambda x: x[0].missing,
        lambda x: np.finfo(x.dtype).missing,
        lambda x: x * np.outer(x, x).searchsorted(x),
        lambda x: x * np.searchsorted(2.0, x),
    ],
)
def test_errors_are_in_pythons_words(function):
    follows(function, np.array([1.0, 2.0]))


def small(a):
    if a < 0.28:
        return np.sum(a * 2.0)
    return np.sum(a * 3.0)


def between(a):
    if 5.0 > np.min(a, axis=0) > 0.06:
        return np.sum(a * 2.0)
    return np.sum(a * 3.0)


def doubled_while(x):
    t = np.outer(x, 1.0)
    while t < 3.0:
        t = t * 2.0
    return np.sum(t) if t >= 1.05 and not t < 0.0 else 0.0


ONE = np.array([[0.2]])
TRUTHS = [
    (small, (ONE, ONE + 1.0, np.ones((1, 1, 1)), np.ones((2, 1)))),
    (between, (ONE, ONE[0], ONE * 0.1, np.ones((2, 1)), np.ones((1, 2)))),
    (doubled_while, (ONE[0], 1.3, ONE, np.ones(2))),
]


@pytest.mark.parametrize(
    ("function", "arguments"), TRUTHS, ids=lambda f: getattr(f, "__name__", "")
)
def test_an_array_of_one_element_of_any_rank_is_true_or_false(function, arguments):
    follows(function, *arguments)


def test_programs_that_ask_an_array_are_differentiated():
    np.testing.assert_array_equal(symdiff.grad(small)(ONE), [[2.0]])
    np.testing.assert_array_equal(symdiff.grad(between)(ONE * 0.1), [[3.0]])
    np.testing.assert_array_equal(symdiff.grad(doubled_while)(ONE[0]), [16.0])


def counted(x):
    n = 0
    for v in x:
        if v > 0:
            n += 1
    return np.sum(
        np.transpose(x[None], (n, 0)),
    )


def test_what_asks_for_a_number_that_is_not_known_is_named():
    with pytest.raises(UnsupportedSyntaxError, match="structure depends on 'n'") as caught:
        symdiff.grad(counted)(ROW)
    span = caught.value.span
    assert span is not None
    assert span.text.strip().startswith("np.transpose")


def rows(x, n):
    return np.sum(np.transpose(x, (n, 0)))


def test_what_asks_for_an_argument_that_has_no_value_is_named():
    with pytest.raises(SignatureError, match="depends on the value of n") as caught:
        symdiff.differentiable(rows).graph("float64[n,m]", "int")
    span = caught.value.span
    assert span is not None
    assert "np.transpose" in span.text


def halves(x):
    left, right = x
    return left - right


def calls_halves(x):
    return 2 * halves(x)


def test_an_error_that_is_certain_is_told_with_its_place_where_nothing_is_run():
    with pytest.raises(CertainError, match="this raises TypeError") as caught:
        symdiff.differentiable(calls_halves).graph("float")
    error = caught.value
    assert isinstance(error.__cause__, TypeError)
    assert error.span is not None and error.span.text.strip() == "left, right = x"
    assert "2 * halves(x)" in error.call_chain[0].text
    assert "give arguments of types" in str(error)


def test_an_error_that_is_certain_is_raised_as_it_is_by_a_call():
    with pytest.raises(TypeError, match="cannot unpack") as caught:
        symdiff.grad(calls_halves)(2.0)
    assert caught.traceback[-1].name == "halves"


def names(x):
    return f"{x}"


def test_a_value_that_the_result_needs_is_named_with_a_place():
    with pytest.raises(SignatureError, match="depends on the value of x") as caught:
        symdiff.differentiable(names).graph("int")
    assert caught.value.span is not None


def joined(x):
    return ";" + x


def test_the_error_of_a_loop_that_numpy_does_not_have_is_numpys():
    with pytest.raises(CertainError, match="did not contain a loop"):
        symdiff.differentiable(joined).graph("float64[n]")


def no_turn(x, *pairs):
    while pairs:
        x = pairs[1] * x
        pairs = pairs[2:]
    return x


def test_an_error_of_a_loop_that_is_not_entered_is_none():
    follows(no_turn, 2.0)


# Python's own messages, on the path that raises ---------------------------------------------------


def adds_a_text(x):
    return x.sum() + "a" if x[0] < 0 else x.sum()


def goes_over_a_number(x):
    if x[0] < 0:
        for k in 5:
            x = x + k
    return x.sum()


def calls_a_number(x):
    k = 3
    return k(x) if x[0] < 0 else x.sum()


def has_no_attribute(x):
    return x.nothing if x[0] < 0 else x.sum()


def is_not_in_a_list(x):
    return x.sum() * [1, 2].index(5) if x[0] < 0 else x.sum()


def leaves_a_list_behind(x, seen):
    seen.append(1.0)
    if x[0] < 0:
        return x.sum() * seen["k"]
    return x.sum()


@pytest.mark.parametrize(
    "function",
    [adds_a_text, goes_over_a_number, calls_a_number, has_no_attribute, is_not_in_a_list],
)
def test_an_error_is_raised_where_its_path_is_taken(function):
    gradient = symdiff.grad(function)
    np.testing.assert_array_equal(gradient(ROW), np.ones(2))
    with pytest.raises((TypeError, AttributeError, ValueError)) as expected:
        function(-ROW)
    with pytest.raises((TypeError, AttributeError, ValueError)) as raised:
        gradient(-ROW)
    assert str(raised.value) == str(expected.value)
    assert isinstance(expected.value, raised.type)


def test_what_was_written_before_an_error_stays():
    gradient, seen = symdiff.grad(leaves_a_list_behind), []
    with pytest.raises(TypeError):
        gradient(-ROW, seen)
    assert seen == [1.0]


# Errors that end every path -----------------------------------------------------------------------


class Named:
    def __init__(self):
        self.n = 0


def raises_always(x, items):
    items.append(x)
    if x > 0:
        raise ValueError(f"positive: {x}")
    raise KeyError(len(items))


def writes_then_fails(x, items):
    items.append(np.sum(x))
    x[0] = 7.0
    return x + "a"


def counts_then_fails(x, thing):
    thing.n += 1
    return x.nothing


def test_what_was_written_before_a_certain_error_stays():
    gradient, items = symdiff.grad(writes_then_fails), []
    row = ROW.copy()
    for _ in range(2):
        with pytest.raises((TypeError, np._core._exceptions._UFuncNoLoopError)):
            gradient(row, items)
    assert len(items) == 2
    np.testing.assert_array_equal(row, ROW)
    thing = Named()
    with pytest.raises(AttributeError, match="nothing"):
        symdiff.grad(counts_then_fails)(ROW, thing)
    assert thing.n == 1


def test_functional_writes_to_copies_before_a_certain_error():
    items = []
    with pytest.raises((TypeError, np._core._exceptions._UFuncNoLoopError)):
        symdiff.functional(writes_then_fails)(ROW.copy(), items)
    assert items == []


def test_a_function_that_always_raises_is_run():
    gradient, items = symdiff.grad(raises_always), []
    with pytest.raises(ValueError, match=r"positive: 2\.0"):
        gradient(2.0, items)
    with pytest.raises(KeyError, match="2"):
        gradient(-2.0, items)
    assert items == [2.0, -2.0]
    with pytest.raises(CertainError, match="raises an exception, whatever") as caught:
        symdiff.differentiable(raises_always).graph("float", [])
    assert caught.value.span.text.strip().startswith("raise")


def fails_unless_it_is(x, thing):
    thing.n += 1
    if thing is not KNOWN:
        return x + "a"
    return x


KNOWN = Named()


def test_an_error_may_rest_on_which_object_is_given():
    gradient = symdiff.grad(fails_unless_it_is)
    assert gradient(1.0, KNOWN) == 1.0
    with pytest.raises(TypeError):
        gradient(1.0, Named())


def strictly_side_by_side(x, y):
    total = np.sum(x)
    if x[0] > 0.5:
        for a, b in zip(x, y, strict=True):
            total = total + np.sum(a * b)
    return total


def strictly_with_a_list(x, y):
    return sum(a * b for a, b in zip([x[0], x[1], 2.0], (1.0, 2.0), strict=True))


def a_dict_that_grows(x, y):
    found = {"a": x[0]}
    for key in found:
        found[key + "b"] = x[1]
    return found["a"]


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (strictly_side_by_side, [(ROW, BLOCK), (ROW, np.ones(2)), (ROW + 0.5, np.ones(2))]),
        (strictly_with_a_list, [(ROW, BLOCK)]),
        (a_dict_that_grows, [(ROW, BLOCK)]),
    ],
)
def test_loops_raise_what_python_raises(function, arguments):
    follows(function, *arguments)


def test_arrays_of_different_lengths_are_not_gone_over_strictly():
    gradient = symdiff.grad(strictly_side_by_side)
    np.testing.assert_array_equal(gradient(ROW + 0.5, np.ones(2)), [2.0, 2.0])
    with pytest.raises(ValueError, match="zip"):
        gradient(ROW + 0.5, BLOCK)


# What always raises -------------------------------------------------------------------------------


def scaled(kind, x):
    if kind == "double":
        return 2 * x
    raise ValueError(f"unknown {kind!r} of {x.shape[0]}")


def in_its_body(x):
    raise NotImplementedError("later")


def by_an_assertion(x):
    assert x.ndim == 2, "a matrix is needed"
    return np.sum(x)


def in_a_call(x):
    return np.sum(scaled("half", x))


def in_all_branches(x):
    if x[0] > 0:
        raise KeyError("positive")
    else:
        raise ValueError("other")


def in_all_turns(x):
    s = 0.0
    for _ in range(3):
        s = s + np.sum(scaled("half", x))
    return s


def in_a_gradient(x):
    return np.sum(symdiff.grad(lambda y: np.sum(scaled("half", y)))(x))


@pytest.mark.parametrize(
    "function",
    [in_its_body, by_an_assertion, in_a_call, in_all_branches, in_all_turns, in_a_gradient],
)
def test_what_always_raises_is_raised_by_every_derivative(function):
    with pytest.raises(Exception) as expected:
        function(ROW)
    calls = [
        lambda: symdiff.grad(function)(ROW),
        lambda: symdiff.value_and_grad(function)(ROW),
        lambda: symdiff.hessian(function)(ROW),
        lambda: symdiff.hvp(function)(ROW, ROW),
        lambda: symdiff.jacobian(function)(ROW),
        lambda: symdiff.vjp(function, ROW),
        lambda: symdiff.jvp(function, (ROW,), (ROW,)),
        lambda: symdiff.functional(function)(ROW),
    ]
    for call in calls:
        with pytest.raises(expected.type) as raised:
            call()
        assert type(raised.value) is expected.type
        assert str(expected.value).startswith(str(raised.value))  # to which pytest adds
        assert str(raised.value)


def in_an_arm(x):
    y = scaled("half", x) if x[0] > 0.5 else x
    return np.sum(y)


def in_a_condition(x):
    return np.sum(x) if x[0] < 0.5 or scaled("half", x) else 0.0


def in_a_turn(x):
    s = x[0]
    while s > 0.5:
        s = s * np.sum(scaled("half", x))
    return s + x[1]


def in_a_comprehension(x):
    return sum([np.sum(scaled("half", x)) for _ in range(int(2 * x[0]))]) + np.sum(x)


def in_a_map(x):
    def one(k):
        return k * np.sum(scaled("half", x))

    return sum(map(one, range(int(2 * x[0])))) + np.sum(x)


def in_a_gradient_in_an_arm(x):
    return in_a_gradient(x) if x[0] > 0.5 else np.sum(x)


@pytest.mark.parametrize(
    "function",
    [
        in_an_arm,
        in_a_condition,
        in_a_turn,
        in_a_comprehension,
        in_a_map,
        in_a_gradient_in_an_arm,
    ],
)
def test_a_call_that_always_raises_does_so_where_the_program_gets_to_it(function):
    gradient = symdiff.grad(function)
    np.testing.assert_array_equal(gradient(ROW), [1.0, 1.0])
    with pytest.raises(ValueError, match="unknown 'half' of 2"):
        gradient(ROW + 0.5)


class Tries:
    def __init__(self):
        self.made = 0

    def fails(self, x):
        self.made += 1
        raise ValueError(f"try {self.made}")


def test_what_was_counted_before_it_raises_counts():
    tries = Tries()
    for k in (1, 2):
        with pytest.raises(ValueError, match=f"try {k}"):
            symdiff.grad(lambda x: np.sum(tries.fails(x)))(ROW)
    assert tries.made == 2


# What cannot be a key -----------------------------------------------------------------------------


@dataclasses.dataclass
class Equal:
    n: int


def displays(x, key):
    return np.sum(x) * {key: 2.0}[key]


def sets_an_item(x, key):
    d = {}
    d[key] = 2.0
    return np.sum(x) * d[key]


def gets(x, key):
    return np.sum(x) * {1: 3.0}.get(key, 2.0)


def keeps_a_default(x, key):
    return np.sum(x) * {}.setdefault(key, 2.0)


def looks_into_a_dict(x, key):
    return np.sum(x) * (3.0 if key in {1: 2.0} else 2.0)


def looks_into_a_set(x, key):
    return np.sum(x) * (3.0 if key in {1, 2} else 2.0)


def makes_a_set(x, key):
    return np.sum(x) * 2.0 * len({key})


def comprehends(x, key):
    return np.sum(x) * sum(dict.fromkeys((key, key), 2.0).values())


def collects_a_set(x, key):
    return np.sum(x) * 2.0 * len(frozenset((key, key)))


KEYED = [
    displays,
    sets_an_item,
    gets,
    keeps_a_default,
    looks_into_a_dict,
    looks_into_a_set,
    makes_a_set,
    comprehends,
    collects_a_set,
]


@pytest.mark.parametrize("function", KEYED)
def test_what_has_no_hash_is_no_key(function):
    gradient = symdiff.grad(function)
    for key in ("a", 7, (7, "a"), None, np.sum):
        np.testing.assert_array_equal(gradient(ROW, key), [2.0, 2.0])
    for key in (ROW.copy(), [1], {}, ("a", [1]), Equal(1)):
        with pytest.raises(TypeError) as expected:
            function(ROW, key)
        with pytest.raises(TypeError) as raised:
            gradient(ROW, key)
        assert str(raised.value) == str(expected.value)


def adds_what_is_unknown(x):
    total = 0
    for value in x:
        total += value * unknown_factor  # noqa: F821
    return total


def calls_with_too_much(x):
    total = 0
    for k in range(len(x)):
        total += len(x[k], x)
    return total


def test_the_error_of_every_turn_is_that_of_the_function():
    for function, error in ((adds_what_is_unknown, NameError), (calls_with_too_much, TypeError)):
        for x in (ROW, BLOCK):
            with pytest.raises(error):
                symdiff.grad(function)(x)
    with pytest.raises(SignatureError, match="returns int"):
        symdiff.grad(adds_what_is_unknown)(ROW[:0])
