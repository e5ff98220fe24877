"""Tables: arrays of objects, and what a library of tables makes."""

import math

import numpy as np
import pytest

import symdiff
from symdiff.errors import SymdiffError
from symdiff.parse import tables
from tests.definitions.calls import check
from tests.parse.following import follows

SALTS = np.array([["NaCl", 0.5, None], ["KCl", 0.25, math.nan]], object)


class Frame:
    """Columns by name, in a class whose methods could not be followed."""

    def __init__(self, **columns):
        self._columns = {name: np.array(column) for name, column in columns.items()}

    def __contains__(self, name):
        return eval("name in self._columns")

    def __getitem__(self, name):
        return eval("self._columns[name]")

    def __len__(self):
        return eval("len(self._columns)")

    def __setitem__(self, name, column):
        self._columns[name] = column

    @property
    def loc(self):
        return Rows(self)

    def clear(self):
        self._columns = {}


class Rows:
    def __init__(self, frame):
        self._frame = frame

    def __getitem__(self, key):
        return eval("self._frame[key[1]][key[0]]")


FRAME = Frame(a=[1.5, math.nan], b=[2.0, 3.0])


@pytest.fixture
def frames(monkeypatch):
    monkeypatch.setattr(tables, "LIBRARIES", {*tables.LIBRARIES, __name__.partition(".")[0]})


def of_a_salt(x):
    row = SALTS[0]
    if "NaCl" in row and len(SALTS) == 2 and SALTS.shape == (2, 3):
        x = x * float(row[1])
    for k in range(2):
        more = SALTS[k][2]
        if more is not None and math.isnan(more):
            x = 3.0 * x
    return x * SALTS[:, 1][1]


class Scaled:
    def __init__(self, factor):
        self.factor = factor

    def times(self, x):
        return self.factor * x


class Squared(Scaled):
    def times(self, x):
        return self.factor * x * x


def test_an_array_of_objects_of_classes_is_gone_over(monkeypatch):
    held = np.array([Scaled(2.0), Scaled(3.0)], object)
    monkeypatch.setitem(globals(), "HELD", held)
    total = symdiff.grad(lambda x: sum(one.times(x) * x for one in HELD))  # noqa: F821
    second = symdiff.derivative(lambda x: HELD[1].times(x) * x, 2)  # noqa: F821
    assert (total(1.5), second(1.5)) == (15.0, 6.0)
    held[1].factor = 4.0
    assert (total(1.5), second(1.5)) == (18.0, 8.0)
    held[0] = Squared(1.0)  # another class, another program
    assert total(1.5) == 3.0 * 1.5**2 + 12.0

    def written(x):
        HELD[1].factor = x * x  # noqa: F821
        return HELD[1].times(x)  # noqa: F821

    assert symdiff.grad(written)(1.5) == 3.0 * 1.5**2
    assert held[1].factor == 1.5**2
    assert symdiff.jvp(lambda x, row: row[0].times(x), (2.0, held), (1.0, None))[1] == 4.0


def test_an_array_of_objects_is_looked_up_in():
    follows(of_a_salt, 2.0)
    assert symdiff.grad(of_a_salt)(2.0) == 0.5 * 3.0 * 0.25


def test_a_table_is_asked_again_at_each_call(monkeypatch):
    changing = SALTS.copy()
    monkeypatch.setitem(globals(), "SALTS", changing)
    gradient = symdiff.grad(of_a_salt)
    for place, entry in [((0, 1), 0.75), ((0, 0), "LiCl"), ((1, 2), None), ((0, 1), 0.5)]:
        changing[place] = entry
        assert gradient(2.0) == of_a_salt(1.0)


def test_what_a_table_has_not_raises_as_python_does(monkeypatch):
    monkeypatch.setitem(globals(), "SALTS", SALTS.copy())

    def third(x):
        try:
            return x * SALTS[2, 1]
        except IndexError:
            return 5.0 * x

    gradient = symdiff.grad(third)
    assert gradient(2.0) == 5.0
    monkeypatch.setitem(globals(), "SALTS", np.array([[None, 1.0]] * 3, object))
    assert gradient(2.0) == 1.0
    with pytest.raises(IndexError, match="index 7 is out of bounds"):
        symdiff.grad(lambda x: x * SALTS[7][1])(2.0)


@pytest.mark.usefixtures("frames")
def test_a_frame_is_looked_up_in():
    def of_columns(x):
        if "a" in FRAME and "c" not in FRAME:
            x = x * FRAME.loc[0, "a"]
        return x * np.sum(FRAME["b"]) * len(FRAME)

    follows(of_columns, 2.0)
    assert symdiff.grad(of_columns)(2.0) == 1.5 * 5.0 * 2.0


@pytest.mark.usefixtures("frames")
def test_numbers_of_a_frame_that_is_given_are_read_at_each_call():
    def of_given(x, frame):
        return x * frame.loc[0, "a"] * frame["b"][1]

    gradient = symdiff.grad(of_given)
    for a, b in [(1.5, 3.0), (2.0, 7.0)]:
        assert gradient(2.0, Frame(a=[a, 0.0], b=[0.0, b])) == a * b
    assert len(gradient.signatures()) == 1


@pytest.mark.usefixtures("frames")
@pytest.mark.parametrize("key", [1, True])
def test_keys_of_several_types_are_told_apart(key):
    kinds = Frame(**{"a": [1.0]})
    kinds._columns = {}
    kinds.__class__ = Kinds
    assert symdiff.grad(lambda x: x * kinds[1] + kinds[key] * x)(2.0) == kinds[1] + kinds[key]


class Kinds(Frame):
    def __getitem__(self, key):
        return eval("{bool: 2.0, int: 3.0, float: 5.0}[type(key)]")


def writes_an_item(x):
    FRAME["c"] = np.array([x])
    return x


def writes_an_array(x):
    column = FRAME["b"]
    column[0] = x
    return np.sum(FRAME["b"])


def sets_an_attribute(x):
    FRAME.name = "changed"
    return x


def clears(x):
    FRAME.clear()
    return x * len(FRAME)


@pytest.mark.usefixtures("frames")
@pytest.mark.parametrize("function", [writes_an_item, writes_an_array, sets_an_attribute, clears])
def test_a_table_is_written_nowhere(function):
    with pytest.raises(SymdiffError, match=r"not written in Python|that a table gives is written"):
        symdiff.grad(function)(2.0)
    assert FRAME["b"].tolist() == [2.0, 3.0]


@pytest.mark.parametrize(
    "function",
    [lambda x: np.sum(SALTS) * x, lambda x: (SALTS * x)[0, 1], lambda x: x * SALTS.sum()],
)
def test_no_table_is_computed_with(function):
    with pytest.raises(SymdiffError):
        symdiff.grad(function)(2.0)


def test_what_is_known_at_run_time_only_is_no_key():
    with pytest.raises(SymdiffError, match="known at run time only"):
        symdiff.grad(lambda x: x * SALTS[int(x), 1])(1.5)


# Arrays of texts ----------------------------------------------------------------------------------

KINDS = np.array(["a", "b", "a", "c"])
PAIRS = np.array([["a", "b"], ["c", "d"]])
X = np.array([0.7, 1.3, 0.2, 0.5])


def _of_one_kind(x):
    return np.sum(x[KINDS == "a"] ** 2) + np.mean(x[KINDS != "a"]) * x[0]


def _by_turns(x):
    totals = dict.fromkeys(KINDS, 0.0)
    for kind, value in zip(KINDS, x, strict=True):
        totals[kind] = totals[kind] + value**2
    return totals["a"] * totals["b"] + sum(x[k] for k, kind in enumerate(KINDS) if kind > "a")


def _in_a_loop_over_places(x):
    total = 0.0
    for k in range(len(x)):
        if KINDS[k] == "a":
            total = total + x[k] ** 2
    return total


def _of_two_axes(x):
    table = x.reshape(2, 2)
    return np.sum(table[PAIRS == "c"] ** 2) + x[0] * (PAIRS[1][0] == "c") * PAIRS.shape[1]


def _groups(x):
    found, places, counts = np.unique(KINDS, return_inverse=True, return_counts=True)
    spread = sum(np.var(x[kind == KINDS]) for kind in np.unique(KINDS))
    return np.sum(np.bincount(places, x) / counts * np.arange(1.0, 4.0)) * spread * len(found)


def _in_sets(x):
    chosen = np.isin(KINDS, ["a", "c"]) & (KINDS < "c")
    return np.sum(np.where(chosen, x**2, x)) * (2.0 if "b" in KINDS else 1.0)


def _made_inside(x):
    names, modes = np.array([f"k{k}" for k in range(4)]), np.asarray(["S"] * 4, dtype=object)
    return np.sum(x[names == "k2"] ** 2) * modes.size * len(names[0]) * (modes[1] == "S")


def _as_a_list(x):
    return x[KINDS.tolist().index("c")] ** 2 * len(PAIRS.tolist()[0]) + x[list(KINDS).index("b")]


@pytest.mark.parametrize(
    "function",
    [
        _of_one_kind,
        _by_turns,
        _in_a_loop_over_places,
        _of_two_axes,
        _groups,
        _in_sets,
        _made_inside,
        _as_a_list,
    ],
)
@pytest.mark.parametrize("dtype", [str, object])
def test_arrays_of_texts(function, dtype, monkeypatch):
    monkeypatch.setitem(globals(), "KINDS", KINDS.astype(dtype))
    monkeypatch.setitem(globals(), "PAIRS", PAIRS.astype(dtype))
    check(function, X)


def test_texts_are_read_at_each_call(monkeypatch):
    kinds = KINDS.copy()
    monkeypatch.setitem(globals(), "KINDS", kinds)
    for function in (_of_one_kind, _in_a_loop_over_places, _in_sets):
        gradient = symdiff.grad(function)
        before = gradient(X)
        kinds[1] = "a"
        changed = gradient(X)
        np.testing.assert_array_equal(changed, symdiff.grad(lambda x, f=function: f(x))(X))
        assert not np.array_equal(before, changed)
        kinds[1] = "b"
        np.testing.assert_array_equal(gradient(X), before)


def test_texts_as_an_argument():
    def f(x, kinds, rates):
        weights = sum(x[k] * rates[kind] for k, kind in enumerate(kinds))
        return np.sum(x[kinds == "a"] ** 2) * len(kinds) + weights

    gradient, rates = symdiff.grad(f), {"a": 1.0, "b": 2.0, "c": 3.0}
    for kinds in (KINDS, KINDS[::-1], KINDS[:1].repeat(4), KINDS.astype(object), KINDS[:2]):
        x = X[: len(kinds)]
        expected = 2.0 * x * (kinds == "a") * len(kinds) + [rates[kind] for kind in kinds]
        np.testing.assert_allclose(gradient(x, kinds, rates), expected, rtol=1e-14)
    with pytest.raises(IndexError, match="out of bounds"):
        gradient(X[:3], KINDS, rates)
    with pytest.raises(symdiff.SignatureError, match="it is an array of <U1"):
        symdiff.grad(f, argnums=1)(X, KINDS, rates)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(x[np.argsort(KINDS)]),
        lambda x: x[0] * len(KINDS[x > 0.5]),
        lambda x: np.sum(x[PAIRS[0, int(x[0])] == KINDS]),
        lambda x: np.sum(x[np.unique(KINDS, equal_nan=False, return_index=True)[1]]),
    ],
)
def test_what_is_not_told_of_texts_is_refused(function):
    with pytest.raises(SymdiffError):
        symdiff.grad(function)(X)


def test_arrays_of_texts_are_written_nowhere():
    def f(x):
        modes = np.array(["S"] * 3)
        modes[1] = "T"
        return np.sum(x[:3][modes == "S"])

    with pytest.raises(SymdiffError, match="not written in Python"):
        symdiff.grad(f)(X)


# Dates and durations ------------------------------------------------------------------------------

DATES = np.array(["2020-01-01", "2020-01-05", "2020-01-11", "2020-03-01"], "datetime64[D]")
DAY = np.timedelta64(1, "D")


def since_the_first(x):
    return np.sum(x * ((DATES - DATES[0]) / DAY))


def in_months_and_hours(x):
    months = DATES.astype("datetime64[M]").astype(int) % 12 + 1
    hours = (DATES - np.datetime64("2019-12-31T12:00")).astype("timedelta64[h]").astype(float)
    return np.sum(x * months) + np.sum(x**2 * hours)


def of_steps_and_extremes(x):
    steps = np.diff(DATES) / DAY
    return np.sum(x[1:] * steps) * ((DATES.max() - DATES.min()) // DAY) + x[0] * len(DATES)


def after_a_date(x):
    return np.sum(x[np.datetime64("2020-01-04") < DATES] ** 2)


def one_by_one(x):
    s = 0.0
    for turn in range(2):
        for k, date in enumerate(DATES):
            s = s + x[k] * ((date - DATES[0]) / DAY) * (turn + 1)
    return s


def made_inside(x):
    dates = np.array(["2020-01-01", "2020-02-01"], dtype="datetime64[D]")
    every = np.arange("2020-01-01", "2020-01-05", dtype="datetime64[D]")
    days = (np.datetime64("2020-02-01") - every) / DAY
    return np.sum(x[:2] * ((dates - dates[0]) / DAY)) + np.sum(x**2 * days)


@pytest.mark.parametrize(
    "function",
    [
        since_the_first, in_months_and_hours, of_steps_and_extremes, after_a_date, one_by_one,
        made_inside,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_dates_are_computed_with_as_they_stand(function):
    follows(function, X[:4])
    check(function, X[:4])


def test_dates_that_change_are_asked_again_and_may_be_arguments():
    dates = DATES.copy()
    gradient = symdiff.grad(lambda x: np.sum(x * ((dates - dates[0]) / DAY)))
    np.testing.assert_array_equal(gradient(X[:4]), [0.0, 4.0, 10.0, 60.0])
    dates[1] += 5
    np.testing.assert_array_equal(gradient(X[:4]), [0.0, 9.0, 10.0, 60.0])
    dates[0] -= 1
    np.testing.assert_array_equal(gradient(X[:4]), [0.0, 10.0, 11.0, 61.0])

    def f(a, when):
        return a**2 * np.sum((when - when[0]) / np.timedelta64(1, "h"))

    for when in (DATES, DATES.astype("datetime64[ns]"), DATES[1:], DATES[::-1]):
        hours = float(np.sum((when - when[0]).astype("timedelta64[s]").astype(float))) / 3600.0
        assert symdiff.grad(f)(1.5, when) == pytest.approx(3.0 * hours, rel=1e-15)
        assert symdiff.grad(symdiff.grad(f))(1.5, when) == pytest.approx(2.0 * hours, rel=1e-15)
        assert symdiff.jvp(lambda a, w=when: f(a, w), (1.5,), (2.0,))[1] == pytest.approx(
            6.0 * hours, rel=1e-15
        )
    with pytest.raises(symdiff.SignatureError, match="it is an array of datetime64"):
        symdiff.grad(f, argnums=1)(1.5, DATES)


def test_times_are_not_computed_with_numbers_of_run_time():
    with pytest.raises(SymdiffError):
        symdiff.grad(lambda x: np.sum(x[0] * (DATES - DATES[0]) / DAY))(X)
