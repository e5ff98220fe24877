"""Texts of numbers known at run time only: their methods, items and comparisons are done there.

Each program is its argument times what its texts tell: its slope is its value over its argument.
"""

import math
import warnings
from collections.abc import Callable

import numpy as np
import pytest

import symdiff as sd
from tests import reference

PERCENT, BRACES, WHOLE = "%s|%.2f|%6s", "{} {!r:>9} {:.1f}", "%d"
KEYS, STAR, SHORT, LONG = "%(a)s %(b).2f %%|%(a)5s", "%*s", "abc", "%s %s"


def human(size):
    suffixes = " kMGTPEZY"
    scale = 0 if size == 0 else math.floor(math.log(size) / math.log(1000))
    suffix = "?" if scale > 7 else suffixes[scale]
    scale = int(math.pow(1000, scale))
    told = str(size / scale)
    if suffix == " ":
        told = told[: told.index(".")]
    elif told[2] == ".":
        told = told[:2]
    else:
        told = told[:3]
    return f"{told:>3s}{suffix}"


def of_a_size(x):
    return x * (2 if human(x * 1000) == " 1k" else len(human(x * 1e5)))


def by_methods(x):
    told = f"{x:.3f}".rstrip("0")
    if told == "1.5" or told.upper().startswith(("2", "7")):
        return 2 * x
    return 3 * x * told.count("0") + x * told.find(".")


def by_length(x):
    told = f"{x:.2f}".rstrip("0") + "m" + f"{x}"[:3] + str(x)[-1]
    return x * len(told * 2) + x * len(f"{told:>12}{told!r}") + x * len(told[1:][::-1].center(9))


def by_formats(x):
    told = f"{x:.1f}"[:3]
    return x * (len(PERCENT % (told, x, told)) + len(BRACES.format(told, told, x)))


def among_others(x):
    told = f"{x:.1f}"
    held = {"3.0": 1}
    first = told in ("1.5", f"{x * 0:.1f}") or told in {"2.5", "3.0"}
    return x * (2 if first else 5) + x * (1 if told in held or told in held else 0)


def inside_another(x):
    told = ", ".join([f"{v:.2f}" for v in (x, 2 * x)])
    return x * (7 if "1." in told and str(x)[0] in told and "z" not in told else 2)


def in_order(x):
    return x * (2 if f"{x:.1f}" < f"{2 * x:.1f}" else 3) + x * (str(x) >= "2") + x * (str(x) < "5")


def by_truth(x):
    signs = f"{x:.1f}".strip("0123456789.")
    return x if signs else 2 * x if not signs else 3 * x


def of_another_class(x):
    told = str(x)[:3]
    known = isinstance(told, str) and type(told) is str and not isinstance(told, float)
    return 2 * x if known and told is not None and told != None and told != 3 else x  # noqa: E711


def carried_by_a_loop(x):
    told = "start"
    for k in range(5):
        told = told[1:] + f"{x * k:.1f}" if x > k else "-"
    return x * len(told)


def while_it_is_short(x):
    told = f"{x:.1f}"
    while len(told) < 9:
        told = told + "0"
        x = x * 2
    return x


def of_one_path(x):
    if x > 1:
        told = f"{x:.3f}"
    elif x > 0.5:
        told = "little"
    else:
        told = str(x)[::-1]
    return 2 * x if told.startswith("li") else x * len(told)


def parts(x):
    before = f"{x:.2f}".split(".")
    return x * len(before[0]) * len(before) + x * len("-".join(before))


def in_helpers(x):
    def shown(v, n=2):
        told = f"{v:.{n}f}"
        return told if "." not in told else told.rstrip("0").rstrip(".")

    return x * sum(len(shown(v)) for v in (x, 2 * x, x * x)) + x * len(str.upper(shown(x, n=4)))


def inside_try(x):
    try:
        at = str(x).index("z")
    except ValueError:
        at = 7
    try:
        last = str(x)[200]
    except IndexError:
        last = f"{x:.4f}"
    return x * at + x * len(last)


def whole_numbers(x):
    return x * int(f"{x:.0f}") + x * (float(f"{x:.1f}") > 1)


def of_what_was_there(x):
    y, items = np.array([x, 2.0]), [1.5, x]
    told, listed = f"{y}", f"{items}"
    y[0] = 99.0
    items.append(x)
    return x * ("99" in told) + x * len(told) + x * len(listed)


def with_quotes(x):
    told = f"{x}'\"\n\\".replace('"', "'") + 'it\'s "q"'
    print(
        f"{told.strip()} {told!r} {told[:3]}|{str(x).replace('.', chr(10))}{len(told.upper()) + 1}"
    )
    return x * len(told)


def by_itself(x, n=4, told=""):
    return x * len(told) if n == 0 else by_itself(x, n - 1, told + f"{x * n:.1f}"[:2])


class Shown:
    def __init__(self, value):
        self.label = f"{value:.2f}".rstrip("0")

    def __str__(self):
        return "<" + self.label.upper()[:3] + ">"


def of_objects(x):
    shown, held = Shown(x), {"a": f"{x}", "b": "z"}
    held["a"] = held["a"][:2] if x > 1 else "q"
    held["b"] += held["a"]
    return x * len(f"{shown}{[shown.label]}") + x * len(held["b"]) + x * (held["a"] == shown.label)


def from_generators(x):
    def labels():
        for k in range(3):
            yield f"{x * k:.1f}".rstrip("0")

    kept = []
    for k in range(4):
        if x * k > 0.3:
            kept.append(f"{x * k:.1f}".rstrip("0"))
    return x * len("; ".join(labels())) + x * sum(len(one) for one in labels()) + x * len(kept)


def parted(x):
    number, _, power = f"{x:e}".partition("e")
    before, _, after = str(x).rpartition("q")
    return x * len(number) * (int(power) + 5) + x * len(before + after)


def by_percent(x):
    whole = KEYS % {"a": x, "b": 2 * x} + PERCENT % ("50%", x, f"{x}%")
    return x * len(whole) + x * len("%-9.3f|%+.2e|%08.3f|% g" % (x, x, x, x))  # noqa: UP031


def made_by_branches(x):
    told = "a"
    for limit in (0.5, 1.0, 2.0, 3.0, 100.0, 5000.0):
        if x > limit:
            told = told + "high "
        else:
            told += "low "
    return x * len(told) + x * told.count("low") * (2 if told.endswith("high low ") else 3)


def longer_in_each_turn(x):
    told, y = "", x
    while y > 0.3:
        told, y = told + "ab", y * 0.5
    return x * len(told) + x * told.find("ba")


def one_of_many(x):
    kind, rank = "zero", (0, "none")
    if x > 0.4:
        kind, rank = "small", (1, "some")
    if x > 1.0:
        kind, rank = "medium", (2, "many")
    if x > 2.0:
        kind = "large"
    if x > 100.0:
        kind, rank = "huge", (4, "all")
    factors = {"zero": 1.0, "small": 2.0, "medium": 3.0}
    return (
        x * factors.get(kind, 4.0) * (1 + (kind == "huge") + (rank == (2, "many"))) * len(rank[1])
    )


PROGRAMS = (
    made_by_branches, longer_in_each_turn, one_of_many,
    of_a_size, by_methods, by_length, by_formats, among_others, inside_another, in_order, by_truth,
    of_another_class, carried_by_a_loop, while_it_is_short, of_one_path, parts, in_helpers,
    inside_try, whole_numbers, of_what_was_there, with_quotes, by_itself, of_objects,
    from_generators, parted, by_percent,
)  # fmt: skip


@pytest.mark.parametrize("x", [1.5, 0.25, 0.75, 2500.0, np.float64(3.0), np.float32(1.5)])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_texts_are_told_at_run_time(program, x) -> None:
    one = type(x)(1.0)
    for _ in range(2):
        value, slope = sd.value_and_grad(program)(x)
        assert value == program(x)
        assert slope == pytest.approx(program(x) / x, rel=1e-6)
    value, tangent = sd.jvp(program, (x,), (one,))
    assert (value, tangent) == (program(x), slope)
    assert sd.grad(sd.grad(program))(x) == 0.0


def test_one_program_serves_all_numbers() -> None:
    slope = sd.grad(lambda x: by_methods(x))
    assert [slope(x) for x in (1.5, 2.25, 1.25, 7.0)] == [2.0, 2.0, 1.0, 2.0]
    assert len(slope.signatures()) == 1


@pytest.mark.parametrize("n", [0, 1, 3, 12])
def test_texts_of_the_elements_of_an_array(n) -> None:
    def listed(x):
        told = ", ".join(f"{v:.2f}" for v in x)
        return np.sum(x * x) if "1.50" in told else 3.0 * np.sum(x)

    x = np.arange(n) + 0.5
    expected = 2 * x if n > 1 else np.full(n, 3.0)
    np.testing.assert_array_equal(sd.grad(listed)(x), expected)
    np.testing.assert_array_equal(sd.jvp(listed, (x,), (np.ones(n),))[1], expected.sum())


def test_messages_say_what_python_says(capsys) -> None:
    def told(x):
        shown = f"{x:.3f}".rstrip("0").rstrip(".")
        print(shown, f"<{shown:>8}>", f"{str(x).rstrip('0')} {'a'}", shown * 2, repr(shown))
        if x > 2:
            warnings.warn("large: " + shown.upper(), RuntimeWarning, stacklevel=2)
        if x > 9:
            raise ValueError("too large: " + shown)
        return x * x

    def run(function, x):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                result = function(x)
            except ValueError as error:
                result = str(error)
        return result, [str(w.message) for w in caught], capsys.readouterr().out

    for x in (1.5, 2.5, 12.25):
        _, *expected = run(told, x)
        slope, *found = run(sd.grad(told), x)
        assert found == expected
        assert slope == (2 * x if x < 9 else "too large: 12.25")


def test_what_is_written_after_a_text_was_made_is_not_in_it(capsys) -> None:
    def told(x):
        y = x * 2.0
        rows = [y, 1]
        shown, listed = f"{y}", str(rows)
        y[0] = 99.0
        rows.append(3)
        print(shown, listed)
        return np.sum(y * x)

    x = np.array([1.0, 2.0])
    np.testing.assert_array_equal(sd.grad(told)(x), [99.0, 8.0])
    assert capsys.readouterr().out == "[2. 4.] [array([2., 4.]), 1]\n"


def test_texts_are_returned_beside_numbers() -> None:
    def told(x):
        shown = f"{x:.2f}"
        return {"y": x * x, "as": shown, "short": shown.rstrip("0"), "all": (f"{x}", [str(x * 2)])}

    for x in (1.5, 2.25):
        value, tangent = sd.jvp(told, (x,), (1.0,))
        assert value == told(x)
        assert tangent == {"y": 2 * x, "as": None, "short": None, "all": (None, [None])}
        assert sd.grad(lambda x: told(x)["y"] * len(told(x)["short"]))(x) == 2 * x * len(str(x))


@pytest.mark.parametrize("kind", [sd.grad, sd.derivative])
def test_a_number_read_from_a_text_has_no_derivative(kind) -> None:
    def read(x):
        return x * float(f"{x:.2f}")

    with pytest.raises(sd.UnsupportedCallError, match="cannot differentiate float") as caught:
        kind(read)(1.234)
    assert caught.value.span.line == read.__code__.co_firstlineno + 1
    assert "a text stands between" in str(caught.value)
    assert "stop_gradient" in str(caught.value)


def test_a_number_read_from_a_text_may_be_taken_for_a_constant() -> None:
    def read(x):
        return x * float(f"{sd.stop_gradient(x):.2f}") + x * float(str(sd.stop_gradient(x)))

    assert sd.grad(read)(1.234) == 1.23 + 1.234


@pytest.mark.parametrize(
    "program",
    [
        lambda x: {str(x): x}[str(1.0 * x)],
        lambda x: x * len({f"{x:.1f}", f"{x + 1e-9:.1f}"}),
        lambda x: x * len({f"{v:.1f}" for v in (x, x + 1e-9)}),
        lambda x: x * len(set(map(str, (x, 2 * x)))),
        lambda x: x * (2 if "1.5" in {f"{x:.1f}"} else 3),
        lambda x: x * {("1.5", 1): 2.0}.get((f"{x:.1f}", 1), 7.0),
        lambda x: x * (2 if (f"{x:.1f}", 1) in {("1.5", 1)} else 3),
    ],
)
def test_such_texts_are_keys_and_members(program) -> None:
    for x in (1.5, 2.5):
        assert sd.grad(program)(x) == program(x) / x
        assert sd.jvp(program, (x,), (1.0,)) == (program(x), program(x) / x)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: x * len(str(x).encode()),
        lambda x: x * sum(c == "1" for c in str(x)),
        lambda x: x * len(f"{np.array([x]):.2f}".upper()),
        lambda x: x * len(STAR % (8, x)),
        lambda x: x * len(frozenset([str(x)[:2]]) | {"1."}),
        lambda x: x * len(WHOLE % complex(x, 1)),
    ],
)
def test_what_is_not_done_with_such_texts_is_refused(program) -> None:
    with pytest.raises((sd.UnsupportedSyntaxError, TypeError)):
        sd.grad(program)(1.5)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: x * len(str(x) * 1.5),
        lambda x: x * len(str(x) + 1),
        lambda x: x * len(str(x).rstrip(3)),
        lambda x: x * len(str(x)["a"]),
        lambda x: x * (str(x) < 3),
        lambda x: x * (3 in str(x)),
        lambda x: x * len(WHOLE % str(x)),
        lambda x: x * len(f"{str(x)[:2]:.2f}"),
        lambda x: x * int(str(x)),
        lambda x: x * len(SHORT % x),
        lambda x: x * len(LONG % x),
        lambda x: x * len(LONG % (x, x, x)),
        lambda x: x * len(KEYS % x),
        lambda x: str(x).index("z") and x,
        lambda x: x * str(x).nothing,
    ],
)
def test_what_python_raises_is_raised(program) -> None:
    with pytest.raises(Exception) as expected:
        program(1.5)
    with pytest.raises(type(expected.value)) as found:
        sd.grad(program)(1.5)
    assert str(found.value).partition("\n")[0] == str(expected.value)


STATE = {"last": 1}
PAIR, ONLY = "%d of %d", "only %d"


def required(n: int, low: int, high: int) -> None:
    if low > 0:
        wanting = low - n
        if wanting > 0:
            raise ValueError(PAIR % (n, low))
    if high > 0:
        wanting = high - n
        if wanting > 0:
            raise ValueError(ONLY % (high,))


def cleans_up(x: float, n: int, low: int, high: int) -> float:
    STATE["last"] = n
    try:
        required(n, low, high)
        y = x * x
    finally:
        STATE["last"] = 1
    return y


def tells(x: float, n: int, low: int, high: int) -> float:
    try:
        required(n, low, high)
        y = x * x
    except ValueError as error:
        y = 3.0 * x * len(error.args[0])
    return y


def shows_numbers_of_a_path(x: float, n: int, low: int, high: int) -> float:
    try:
        if low > 0:
            m = n * x
            if m < low:
                raise ValueError(f"{m:.3f} of {low:3d} {str(m) + 'a':>10}")
        if high > 0 and n < high:
            raise ValueError(f"only {high:d}")
        y = x * x
    except ValueError as error:
        y = 3.0 * x * len(str(error))
    return y


def tells_in_turns(x: float, n: int, low: int, high: int) -> float:
    y = x
    for k in range(3):
        try:
            required(n, low + k if low > 0 else 0, high)
            y = y * x
        except ValueError as error:
            y = 3.0 * y * len(error.args[0])
    return y


@pytest.mark.parametrize("args", [(5, 1, 1), (0, 1, 1), (5, 0, 9), (5, 0, 0), (5, 4, 0)])
@pytest.mark.parametrize("function", [cleans_up, tells, shows_numbers_of_a_path, tells_in_turns])
def test_a_text_of_one_path_is_not_made_on_others(
    function: Callable[..., float], args: tuple[int, int, int]
) -> None:
    """What two checks say, each where it fails: of neither has a path that passes the numbers."""
    try:
        expected = reference.directional(lambda x: function(x, *args), (1.5,), (1.0,)).value
    except ValueError as error:
        with pytest.raises(ValueError, match=rf"^{error}(\n|$)"):
            sd.grad(function)(1.5, *args)
        return
    value, slope = sd.value_and_grad(function)(1.5, *args)
    assert value == function(1.5, *args)
    np.testing.assert_allclose(slope, expected, rtol=1e-8)
    np.testing.assert_allclose(
        sd.jvp(lambda x: function(x, *args), (1.5,), (1.0,))[1], expected, rtol=1e-8
    )
    second = reference.second_directional(
        lambda x: function(x, *args), (1.5,), (1.0,), (1.0,)
    ).value
    np.testing.assert_allclose(sd.grad(sd.grad(function))(1.5, *args), second, rtol=1e-6, atol=1e-6)
