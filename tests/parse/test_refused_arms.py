"""An arm that cannot be followed raises its refusal where it is taken, and refuses nothing else."""

import ast
import contextlib
import math

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import InternalError, SymdiffError, UnsupportedSyntaxError
from symdiff.parse.interpreter import EXPRESSIONS

TAKEN = "  symdiff has compiled the other paths: this one is taken at these numbers"


def refused(x):
    """What nobody can follow."""

    async def later():
        pass

    return x


LINE = refused.__code__.co_firstlineno + 3


class Depth:
    """Something of the user's, which is to be as it was."""

    def __init__(self):
        self.depth = 0


DEPTH = Depth()


class Deeper:
    def __enter__(self):
        DEPTH.depth = DEPTH.depth + 1

    def __exit__(self, kind, error, traceback):
        DEPTH.depth = DEPTH.depth - 1


class Swallowing:
    def __init__(self, x):
        self.x = x

    def __enter__(self):
        pass

    def __exit__(self, kind, error, traceback):
        return self.x > 0


@contextlib.contextmanager
def deeper():
    DEPTH.depth = DEPTH.depth + 1
    try:
        yield
    finally:
        DEPTH.depth = DEPTH.depth - 1


@contextlib.contextmanager
def catching_all():
    try:
        yield
    except Exception as error:
        DEPTH.caught = type(error)


# Programs: x * x up to one, and above it what is refused


def in_an_if(x):
    y = x * x
    if x > 1.0:
        y = refused(y)
    return y


def behind_an_early_return(x):
    if x <= 1.0:
        return x * x
    y = refused(x)
    return y + 1.0


def in_a_conditional_expression(x):
    return refused(x) if x > 1.0 else x * x


def in_a_condition(x):
    return x * x if x < 1.0 or refused(x) > 3.0 else x


def in_an_arm_of_an_arm(x):
    if x > 1.0:
        return refused(x) if x > 2.0 else refused(-x)
    return x * x


def in_a_turn(x):
    s = 0.0 * x
    for k in range(4):
        if x * k > 3.0:
            s = refused(s)
        s = s + x * x / 4
    return s


def behind_a_while(x):
    s, k = x * x, 0.0
    while k < x:
        k = k + 1.0
        if k > 1.5:
            s = refused(s)
    return s


def in_a_handler(x):
    try:
        if x > 1.0:
            raise KeyError
        y = x * x
    except KeyError:
        y = refused(x)
    return y


def where_another_class_is_caught(x):
    try:
        return refused(x) if x > 1.0 else x * x
    except ValueError:
        return -x


def before_finally(x):
    DEPTH.depth = DEPTH.depth + 1
    try:
        if x > 1.0:
            return refused(x)
        return x * x
    finally:
        DEPTH.depth = DEPTH.depth - 1


def in_a_manager(x):
    with Deeper():
        y = refused(x) if x > 1.0 else x * x
    return y


def in_a_generator_s_manager(x):
    with deeper():
        y = refused(x) if x > 1.0 else x * x
    return y


def behind_an_effect_of_the_arm(x):
    y = x * x
    if x > 1.0:
        DEPTH.depth = DEPTH.depth + 7
        y = refused(y)
    return y


def where_the_other_raises_and_is_caught(x):
    try:
        if x > 1.0:
            y = refused(x)
        else:
            raise ValueError
    except ValueError:
        y = x * x
    return y


PROGRAMS = [
    in_an_if, behind_an_early_return, in_a_conditional_expression, in_a_condition,
    in_an_arm_of_an_arm, in_a_turn, behind_a_while, in_a_handler, where_another_class_is_caught,
    before_finally, in_a_manager, in_a_generator_s_manager, behind_an_effect_of_the_arm,
    where_the_other_raises_and_is_caught,
]  # fmt: skip

INSIDE_TRY = [
    where_another_class_is_caught, before_finally, in_a_manager, in_a_generator_s_manager,
    where_the_other_raises_and_is_caught,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_only_the_path_that_is_taken_counts(program):
    f = sd.differentiable(program)
    for _ in range(2):
        assert f.grad(0.5) == pytest.approx(1.0, abs=1e-14)
        assert f.hessian(0.5) == pytest.approx(2.0, abs=1e-14)
        assert f.jvp((0.5,), (2.0,))[1] == pytest.approx(2.0, abs=1e-14)
        with pytest.raises(UnsupportedSyntaxError) as caught:
            f.grad(3.0)
        lines = str(caught.value).splitlines()
        assert ": symdiff does not compile 'async def'" in lines[0]
        assert f"test_refused_arms.py:{LINE}:5: " in lines[0]
        assert lines[1].strip() == "async def later():"
        assert lines[2].strip() == "^" * len("async def later():")
        assert lines[-2:] == ["  write a plain def", TAKEN]
        error = caught.value
        if program not in INSIDE_TRY:
            assert (error.span.line, error.span.column) == (LINE, 5)
            assert error.hint.splitlines()[-2:] == [line.strip() for line in lines[-2:]]
        assert DEPTH.depth == 0


# Refused as before


def both(x):
    return refused(x) if x > 1.0 else refused(-x)


def on_every_path(x):
    if x > 1.0:
        x = x * x
    return refused(x)


def in_turns_over_an_array(x):
    s = 0.0
    for v in np.array([x, x]):
        s = s + refused(v)
    return s


def where_what_follows_raises(x):
    found = []
    if x > 1.0:
        found = [refused(x)]
    return found[0]


def where_the_other_raises(x):
    if x > 1.0:
        y = refused(x)
    else:
        raise ValueError
    return y


def where_the_other_raises_in_try(x):
    try:
        if x > 1.0:
            y = refused(x)
        else:
            raise ValueError
    finally:
        DEPTH.depth = 0
    return y


def where_it_would_be_caught(x):
    try:
        return refused(x) if x > 1.0 else x * x
    except Exception:
        return -x


def where_all_is_caught(x):
    try:
        return refused(x) if x > 1.0 else x * x
    except:  # noqa: E722
        return -x


def in_a_call_where_it_would_be_caught(x):
    try:
        return in_an_if(x)
    except SymdiffError:
        return -x


def where_a_manager_may_swallow_it(x):
    y = 0.0 * x
    with Swallowing(x):
        y = refused(x) if x > 1.0 else x * x
    return y


def where_a_generator_catches_it(x):
    y = 0.0 * x
    with catching_all():
        y = refused(x) if x > 1.0 else x * x
    return y


def in_a_gradient_where_it_would_be_caught(x):
    try:
        return sd.grad(in_an_if)(x)
    except Exception:
        return -x


def large(x):
    s = x
    for _ in range(1):
        s = math.sqrt(s * s + 1.0) / (x + 2.0) + math.log(s + 3.0)
        s = math.sqrt(s * s + 1.0) / (x + 3.0) + math.log(s + 4.0)
        s = math.sqrt(s * s + 1.0) / (x + 4.0) + math.log(s + 5.0)
        s = math.sqrt(s * s + 1.0) / (x + 5.0) + math.log(s + 6.0)
    return refused(s) if x > 1.0 else s


def in_a_large_function_where_it_would_be_caught(x):
    try:
        return large(x)
    except Exception:
        return -x


def in_a_large_function_that_is_called_outside_too(x):
    s = large(x / 4.0) + large(x / 5.0)
    for k in range(3):
        try:
            s = s + large(x / (k + 1.0))
        except Exception:
            s = s - x
    return s


def in_a_key_where_it_would_be_caught(x):
    try:
        return sorted([x, 2.0 * x], key=large)[0]
    except Exception:
        return -x


def where_it_returns_at_last(x):
    y = x
    try:
        y = refused(x) if x > 1.0 else x * x
    finally:
        return y  # noqa: B012


def where_it_breaks_off_at_last(x):
    s = 0.0
    for _ in range(3):
        try:
            s = s + (refused(x) if x > 1.0 else x * x)
        finally:
            s = s + x
            break  # noqa: B012
    return s


def where_another_exception_takes_its_place(x):
    done = False
    try:
        try:
            y = refused(x) if x > 1.0 else x * x
            done = True
        finally:
            if not done:
                raise ValueError
    except ValueError:
        y = -x
    return y


class Translating:
    def __enter__(self):
        pass

    def __exit__(self, kind, error, traceback):
        if kind is not None:
            raise ValueError


def where_a_manager_raises_another_exception(x):
    try:
        with Translating():
            y = refused(x) if x > 1.0 else x * x
    except ValueError:
        y = -x
    return y


@contextlib.contextmanager
def returning():
    try:
        yield
    finally:
        return  # noqa: B012


def where_a_generator_s_manager_returns(x):
    y = 0.0 * x
    with returning():
        y = refused(x) if x > 1.0 else x * x
    return y


def returning_items(x):
    try:
        yield refused(x) if x > 1.0 else x * x
    finally:
        return  # noqa: B012


def where_a_generator_returns(x):
    s = 0.0
    for v in returning_items(x):
        s = s + v
    return s


def where_a_generator_that_is_asked_for_an_item_returns(x):
    return next(returning_items(x), 7.0)


REFUSED = [
    both, on_every_path, in_turns_over_an_array, where_what_follows_raises, where_the_other_raises,
    where_the_other_raises_in_try, where_it_would_be_caught, where_all_is_caught,
    in_a_call_where_it_would_be_caught,
    where_a_manager_may_swallow_it, where_a_generator_catches_it,
    in_a_gradient_where_it_would_be_caught,
    in_a_large_function_where_it_would_be_caught, in_a_large_function_that_is_called_outside_too,
    in_a_key_where_it_would_be_caught, where_it_returns_at_last, where_it_breaks_off_at_last,
    where_another_exception_takes_its_place, where_a_manager_raises_another_exception,
    where_a_generator_s_manager_returns, where_a_generator_returns,
    where_a_generator_that_is_asked_for_an_item_returns,
]  # fmt: skip


@pytest.mark.parametrize("program", REFUSED)
def test_what_no_arm_may_raise_is_refused(program):
    with pytest.raises(UnsupportedSyntaxError, match="async def") as caught:
        sd.grad(program)(0.5)
    assert TAKEN not in str(caught.value)
    assert caught.value.span.text.strip() == "async def later():"


# What the arm is not any more


def test_what_only_the_refused_arm_would_bind_has_the_type_of_the_other():
    def f(x):
        if x > 1.0:
            y = "text"
            x = refused(x)
        else:
            y = x * x
        return y + 1.0

    assert sd.grad(f)(0.5) == 1.0


def test_each_lane_of_a_batch_counts():
    f = sd.vmap(in_an_if)
    np.testing.assert_array_equal(f(np.array([0.5, 0.25])), [0.25, 0.0625])
    with pytest.raises(UnsupportedSyntaxError, match="this one is taken"):
        f(np.array([0.5, 3.0]))


def test_a_callee_that_is_called_often_raises_too():
    def f(x):
        return in_an_if(x) + in_an_if(x / 2) + in_an_if(x / 4) + in_an_if(x / 8)

    expected = 2 * 0.5 * (1 + 1 / 4 + 1 / 16 + 1 / 64)
    assert sd.grad(f)(0.5) == pytest.approx(expected, rel=1e-15)
    with pytest.raises(UnsupportedSyntaxError, match="this one is taken"):
        sd.grad(f)(1.5)


def test_what_is_recomputed_raises_nothing_where_the_path_is_not_taken():
    def f(x):
        for _ in range(9):
            x = np.sin(in_an_if(x))
        return x

    g = sd.grad(f)(0.75)
    assert sd.grad(sd.checkpoint(f, budget=3))(0.75) == pytest.approx(g, rel=1e-14)
    h = 1e-6
    assert g == pytest.approx((f(0.75 + h) - f(0.75 - h)) / (2 * h), rel=1e-7)


def test_several_places_are_raised_each_at_its_own():
    def f(x):
        y = x * x
        if x > 1.0:
            y = refused(y)
        if x < -1.0:
            y = [open][0](y)
            y = y.read + 1
        return y

    assert sd.grad(f)(0.5) == 1.0
    with pytest.raises(UnsupportedSyntaxError, match="async def"):
        sd.grad(f)(2.0)


def test_another_arm_is_followed_as_closely_as_by_itself():
    def f(x):
        if x > 1.0:
            return refused(x)
        if x < 0.25:
            return x
        log, y = [], x
        while y > 0.1:
            y = y * 0.5
            log.append(("newton", y) if y > 0.2 else ("bisect", 2.0 * y))
        return sum(v * len(name) for name, v in log)

    assert sd.value_and_grad(f)(0.5) == (3.75, 7.5)
    with pytest.raises(UnsupportedSyntaxError, match="async def"):
        sd.grad(f)(2.0)


def test_how_deeply_calls_nest_is_no_refusal_of_an_arm():
    def handed_on(x, n, then):
        if n <= 0.0:
            return then(x)
        return handed_on(x, n - 1.0, lambda v: then(2.0 * v))

    with pytest.raises(SymdiffError, match="more than 300 functions") as caught:
        sd.grad(lambda x: handed_on(x, 4.0 * x, lambda v: v))(0.5)
    assert TAKEN not in str(caught.value)


def test_the_account_tells_what_is_not_compiled():
    explained = sd.differentiable(in_an_if).grad.explain("float")
    (told,) = explained.as_dict()["refused"]
    assert told["at"].endswith(f"test_refused_arms.py:{LINE}:5")
    assert told["what"] == "symdiff does not compile 'async def'"
    assert f"test_refused_arms.py:{LINE}:5  symdiff does not compile 'async def'" in str(explained)
    plain = sd.differentiable(lambda x: x * x).grad.explain("float")
    assert plain.as_dict()["refused"] == []


def test_a_module_raises_it_by_itself(tmp_path):
    path = tmp_path / "alone.py"
    sd.differentiable(in_an_if).grad.export(path, 0.5)
    text = path.read_text()
    assert "import symdiff" not in text
    names = {"__name__": "alone"}
    exec(compile(text, str(path), "exec"), names)
    assert names["in_an_if_grad"](0.5) == 1.0
    with pytest.raises(names["UnsupportedSyntaxError"]) as caught:
        names["in_an_if_grad"](3.0)
    assert str(caught.value).splitlines()[-1] == TAKEN


def test_a_fault_of_the_compiler_is_none_of_an_arm(monkeypatch):
    def fails(*given):
        raise InternalError("broken")

    monkeypatch.setitem(EXPRESSIONS, ast.Set, fails)

    def f(x):
        if x > 1.0:
            x = x * len({x})
        while x > 2.0:
            x = x / len({x})
        return x * x

    with pytest.raises(InternalError, match="broken"):
        sd.grad(f)(0.5)
