"""Classes of the user's as Python has them: special methods are looked up on the type.

Where a class that inherits from ``dict`` or ``list`` has no method of its own, it does what these
do. Functions are run by Python beside the program (``SYMDIFF_VERIFY``), objects outside compared.
"""

import collections
import copy
import dataclasses
import enum
import functools
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import (
    InternalError,
    SignatureError,
    UnsupportedCallError,
    UnsupportedSyntaxError,
)
from tests import reference


@pytest.fixture(autouse=True)
def _verified(monkeypatch):
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")


def assert_followed(function, gradient, *arguments):
    """Value, gradient, and what ``arguments`` hold are those of Python."""
    value, found = sd.value_and_grad(function)(*arguments)
    assert value == function(*arguments)
    assert found == gradient


# __setattr__ --------------------------------------------------------------------------------------


class Counting:
    """Counts the writes of its attributes."""

    def __init__(self):
        object.__setattr__(self, "writes", 0)
        object.__setattr__(self, "k", 2.0)

    def __setattr__(self, name, value):
        object.__setattr__(self, "writes", self.writes + 1)
        super().__setattr__(name, value)


class Doubling:
    def __setattr__(self, name, value):
        super().__setattr__(name, 2.0 * value)


def test_a_write_by_super_is_seen_by_the_read_after_it():
    kept = Doubling()

    def f(x):
        kept.k = x * 3.0
        return kept.k * x

    value, gradient = sd.value_and_grad(f)(2.0)
    assert (value, gradient, kept.k) == (24.0, 24.0, 12.0)


def test_each_call_writes_once():
    kept = Counting()

    def f(x):
        kept.k = x * 3.0
        return kept.k * x

    gradient = sd.grad(f)
    assert [gradient(2.0), gradient(3.0)] == [12.0, 18.0]
    assert (kept.k, kept.writes) == (9.0, 2)


def test_an_object_that_is_an_argument_is_written_once():
    kept = Counting()

    def f(x, kept):
        kept.k = x * 3.0
        return kept.k * x

    assert sd.grad(f)(2.0, kept) == 12.0
    assert (kept.k, kept.writes) == (6.0, 1)


def test_an_object_that_is_made_writes_by_its_own_method():
    def f(x):
        made = Doubling()
        made.k = x
        return made.k * made.k

    assert_followed(f, 16.0, 2.0)


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: float

    def __post_init__(self):
        object.__setattr__(self, "twice", 2.0 * self.a)


def test_a_frozen_dataclass_sets_what_it_derives():
    assert_followed(lambda x: Frozen(x).twice * x, 8.0, 2.0)


def test_attributes_beside_the_fields_of_an_argument_are_read():
    assert_followed(lambda x, d: x * d.twice, 6.0, 2.0, Frozen(3.0))


# Dicts --------------------------------------------------------------------------------------------


class Scaled(dict):
    """What it gives is twice what it holds."""

    def __getitem__(self, key):
        return 2.0 * dict.__getitem__(self, key)


class ScaledBySuper(dict):
    def __getitem__(self, key):
        return 2.0 * super().__getitem__(key)


class Holder:
    held = Scaled(a=3.0)


OUTSIDE = Scaled(a=3.0)


@pytest.mark.parametrize("kind", [Scaled, ScaledBySuper])
def test_items_come_by_the_method_of_the_class(kind):
    table = kind(a=3.0)
    assert_followed(lambda x: table["a"] * x, 6.0, 2.0)
    assert_followed(lambda x, given: given["a"] * x, 6.0, 2.0, table)
    assert_followed(lambda x: OUTSIDE["a"] * x, 6.0, 2.0)
    assert_followed(lambda x: Holder.held["a"] * x, 6.0, 2.0)
    assert_followed(lambda x: Holder().held["a"] * x, 6.0, 2.0)


def test_methods_of_dict_itself_do_not_ask_the_class():
    table = Scaled(a=3.0)
    assert_followed(lambda x: table.get("a") * x + sum(table.values()), 3.0, 2.0)


class Writing(dict):
    def __setitem__(self, key, value):
        super().__setitem__(key, 2.0 * value)


def test_items_are_written_by_the_method_of_the_class_and_once():
    table = Writing()

    def f(x):
        table["a"] = x * x
        return table["a"] * x

    assert sd.grad(f)(2.0) == 24.0
    assert table == {"a": 8.0}


class Attributes(dict):
    def __getattr__(self, name):
        return self[name]


class Itself(dict):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.__dict__ = self


class Slots(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


class Strict(dict):
    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError(name)


CONFIGURATIONS = [Attributes, Itself, Slots, Strict]


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_items_are_attributes(kind):
    outside = kind(rate=3.0, name="a", inner=kind(w=np.array([1.0, 2.0])))
    assert_followed(lambda x: outside.rate * x, 3.0, 2.0)
    assert_followed(lambda x: outside.inner.w[1] * x * len(outside), 6.0, 2.0)
    assert_followed(lambda x, given: given.rate * x + given["rate"], 3.0, 2.0, outside)
    assert_followed(lambda x: kind(a=x, b=3.0).a * 3.0, 3.0, 2.0)


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_a_changed_item_is_read_anew(kind):
    outside = kind(rate=3.0)
    gradient = sd.grad(lambda x: outside.rate * x)
    assert gradient(2.0) == 3.0
    outside["rate"] = 5.0
    assert gradient(2.0) == 5.0
    outside["rate"] = np.float32(2.0)
    assert gradient(2.0) == 2.0


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_gradients_by_a_configuration_are_one(kind):
    found = sd.grad(lambda given, x: given.rate**2 * x)(kind(rate=3.0), 2.0)
    assert type(found) is kind
    assert found == {"rate": 12.0}
    assert found.rate == 12.0


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_attributes_are_written_as_the_class_says(kind):
    expected, kept = kind(rate=3.0), kind(rate=3.0)

    def f(x, config):
        config.rate = x * x
        return config.rate * x

    f(2.0, expected)
    assert sd.grad(f)(2.0, kept) == 12.0
    assert kept == expected
    assert vars(kept) == vars(expected)


def test_hasattr_asks_the_method():
    outside = Strict(rate=3.0)

    def f(x):
        rate = outside.rate if hasattr(outside, "rate") else 1.0
        return x * rate * getattr(outside, "other", 2.0)

    assert_followed(f, 6.0, 2.0)


class Missing(dict):
    def __missing__(self, key):
        return 7.0


def test_what_is_missing_is_what_the_class_says():
    table = Missing(a=3.0)
    assert_followed(lambda x: table["a"] * table["b"] * x, 21.0, 2.0)


class Initialised(dict):
    def __init__(self, count):
        super().__init__()
        for k in range(count):
            self[k] = float(k)
        self.count = count


def test_attributes_of_a_dict_beside_its_items():
    assert_followed(lambda x: Initialised(3)[2] * x * Initialised(3).count, 6.0, 2.0)
    table = Initialised(3)
    gradient = sd.grad(lambda x, given: given[2] * given.scale * x)
    table.scale = 2.0
    assert gradient(2.0, table) == 4.0
    table.scale = 3.0
    assert gradient(2.0, table) == 6.0


def test_gradients_by_a_class_that_is_not_made_of_items():
    found = sd.grad(lambda given: given[2] ** 2)(Initialised(3))
    assert type(found) is Initialised
    assert dict(found) == {0: 0.0, 1: 0.0, 2: 4.0}


def test_gradients_by_defaultdicts():
    found = sd.grad(lambda given: given["a"] ** 2)(collections.defaultdict(float, a=3.0))
    assert found == {"a": 6.0}


def test_the_class_of_a_dict_is_its_own():
    ordered = collections.OrderedDict(a=1.0)

    def f(x, given):
        return x * 2.0 if type(given) is collections.OrderedDict else x

    assert_followed(f, 2.0, 2.0, ordered)


class SevenLong(dict):
    def __len__(self):
        return 7


class SevenLongList(list):
    def __len__(self):
        return 7


@pytest.mark.parametrize("value", [SevenLong(a=1.0), SevenLongList([1.0])])
def test_len_asks_the_class(value):
    assert_followed(lambda x: len(value) * x, 7.0, 2.0)
    assert_followed(lambda x, given: len(given) * x if given else x, 7.0, 2.0, value)


class Twice(list):
    """A list that gives each item twice, and sums itself."""

    def __iter__(self):
        return iter([item for item in list(self[:]) for _ in range(2)])

    def total(self):
        return sum(self)


class Summed(list):
    def total(self):
        return sum(self) + self[0]

    def __add__(self, other):
        return Summed(super().__add__(other))


def test_lists_of_a_class_have_its_methods():
    items = Summed([1.0, 2.0])
    assert_followed(lambda x: items.total() * x, 4.0, 2.0)
    assert_followed(lambda x: items.__add__([x]).total() * x, 8.0, 2.0)
    assert_followed(lambda x, given: given.total() * x, 4.0, 2.0, items)
    assert_followed(lambda x: Twice([x, 3.0]).total(), 2.0, 2.0)


def test_a_dict_of_a_class_that_is_joined_keeps_its_class():
    def f(x):
        table = Scaled(a=x) if x > 1.0 else Scaled(a=2.0 * x)
        return table["a"]

    assert_followed(f, 2.0, 2.0)
    assert_followed(f, 4.0, 0.5)


class Tripled(dict):
    def __getitem__(self, key):
        return 3.0 * dict.__getitem__(self, key)


def test_dicts_of_two_classes_are_told_apart():
    def f(x):
        table = Scaled(a=x) if x > 1.0 else Tripled(a=x)
        return table["a"]

    assert_followed(f, 2.0, 2.0)
    assert_followed(f, 3.0, 0.5)


def attributes_in_a_loop(x, n):
    table = Itself(a=x)
    for _ in range(n):
        table.a = table.a * x
    return table.a


def a_new_dict_a_turn(x, n):
    table = Scaled(a=x)
    for _ in range(n):
        table = Scaled(a=table["a"] * x)
    return table["a"]


def new_attributes_a_turn(x, n):
    table = Filled(a=x)
    for _ in range(n):
        table = Filled(a=table["a"] * x * table.scale)
    return table["a"]


class Filled(dict):
    def __init__(self, **items):
        super().__init__(**items)
        self.scale = 2.0


def test_dicts_of_a_class_in_loops():
    assert_followed(attributes_in_a_loop, 32.0, 2.0, 3)
    assert_followed(new_attributes_a_turn, 256.0, 2.0, 3)
    assert_followed(a_new_dict_a_turn, 512.0, 2.0, 3)


# Iteration, descriptors, metaclasses --------------------------------------------------------------


class Items:
    def __init__(self, items):
        self.items = items

    def __getitem__(self, k):
        return self.items[k]


class Numbers:
    def __init__(self, count):
        self.count = count

    def __getitem__(self, k):
        if k >= self.count:
            raise IndexError(k)
        return float(k)


@pytest.mark.parametrize(
    "sequence", [Items([1.0, 2.0, 3.0]), Items(np.array([1.0, 2.0, 3.0])), Numbers(4)]
)
def test_an_object_with_items_alone_is_gone_over(sequence):
    def f(x):
        total = 0.0
        for item in sequence:
            total = total + item * x
        return total

    assert_followed(f, 6.0, 2.0)


class Halved:
    """A descriptor: half of what the object has under another name."""

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return getattr(instance, self.name) / 2.0

    def __set__(self, instance, value):
        setattr(instance, self.name, value)


class WithHalf:
    half = Halved()

    def __init__(self, value):
        self._half = value


def test_descriptors_written_in_python_are_followed():
    outside = WithHalf(6.0)
    assert_followed(lambda x: outside.half * x, 3.0, 2.0)

    def f(x):
        made = WithHalf(1.0)
        made.half = x * 4.0
        return made.half * x

    assert_followed(f, 8.0, 2.0)

    def writes(x):
        outside.half = x * 4.0
        return outside.half * x

    assert sd.grad(writes)(2.0) == 8.0
    assert outside._half == 8.0


class Meta(type):
    def __getattr__(cls, name):
        if name == "rate":
            return 3.0
        raise AttributeError(name)

    def __call__(cls, *args):
        made = super().__call__(*args)
        made.extra = 3.0
        return made

    @property
    def twice(cls):
        return 2.0 * cls.rate


class OfMeta(metaclass=Meta):
    def __init__(self, v=1.0):
        self.v = v


def test_metaclasses_are_followed():
    assert_followed(lambda x: OfMeta.rate * x, 3.0, 2.0)
    assert_followed(lambda x: OfMeta.twice * x, 6.0, 2.0)
    assert_followed(lambda x: OfMeta(x).v * OfMeta(x).extra, 3.0, 2.0)


class AnsweringMeta(type):
    """A metaclass that has an answer to everything, and makes instances its own way."""

    def __getattr__(cls, name):
        return 5.0

    def __call__(cls, *args):
        made = super().__call__(*args)
        made.extra = 7.0
        return made


class Answering(metaclass=AnsweringMeta):
    def __init__(self, v=1.0):
        self.v = v


def test_a_metaclass_that_answers_everything_is_not_asked_by_the_compiler():
    assert_followed(lambda x: Answering(x).v * Answering(x).extra * Answering.rate, 35.0, 2.0)
    outside = Answering(3.0)
    assert_followed(lambda x: outside.v * x, 3.0, 2.0)


def test_names_of_classes():
    outside = Items([])

    def f(x):
        named = type(outside).__name__ == "Items" and type(x).__name__ == "float"
        return x * 2.0 if named and type(outside).__qualname__ == "Items" else x

    assert_followed(f, 2.0, 2.0)


class Ranked:
    def __init__(self, rank, value):
        self.rank, self.value = rank, value

    def __lt__(self, other):
        return self.rank < other.rank


def test_objects_are_sorted_by_their_method():
    outside = [Ranked("c", 3.0), Ranked("a", 1.0), Ranked("b", 2.0)]

    def f(x):
        first, second, third = sorted(outside)
        return first.value * x + 10.0 * second.value * x + 100.0 * third.value * x

    assert_followed(f, 321.0, 2.0)


def test_objects_are_sorted_by_numbers_of_a_run():
    def f(x):
        return sorted([Ranked(x, 7.0 * x), Ranked(2.0, x * x)])[0].value

    gradient = sd.grad(f)
    assert [gradient(3.0), gradient(1.5), gradient(2.0)] == [6.0, 7.0, 7.0]
    assert sd.jvp(f, (3.0,), (1.0,)) == (9.0, 6.0)


def test_many_objects_whose_order_depends_on_numbers_are_refused():
    def f(x):
        return sorted([Ranked(x * k, 1.0) for k in range(17)])[0].value

    with pytest.raises(UnsupportedSyntaxError, match="known at run time only"):
        sd.grad(f)(3.0)


class Sealed:
    def __getattribute__(self, name):
        return 3.0


def test_a_getattribute_is_refused_by_line():
    outside = Sealed()
    with pytest.raises(UnsupportedSyntaxError, match="a Sealed, which has a __getattribute__"):
        sd.grad(lambda x: outside.k * x)(2.0)


class Kind(enum.Enum):
    HALF = 0.5

    @property
    def twice(self):
        return 2.0 * self.value

    def times(self, x):
        return self.value * x


def test_members_of_enumerations():
    assert_followed(lambda x: Kind.HALF.times(x) * Kind.HALF.twice + Kind.HALF.value * x, 1.0, 2.0)


class Changing(dict):
    pass


def test_a_class_that_changes_is_noticed():
    table = Changing(a=3.0)
    gradient = sd.grad(lambda x, given: table["a"] * given["a"] * x)
    assert gradient(1.0, table) == 9.0
    Changing.__getitem__ = lambda self, key: 5.0
    assert gradient(1.0, table) == 25.0
    del Changing.__getitem__
    assert gradient(1.0, table) == 9.0


def test_an_attribute_that_appears_hides_the_item():
    table = Attributes(rate=3.0)
    outside, given = sd.grad(lambda x: table.rate * x), sd.grad(lambda x, t: t.rate * x)
    assert outside(1.0) == given(1.0, table) == 3.0
    object.__setattr__(table, "rate", 10.0)
    assert outside(1.0) == given(1.0, table) == 10.0
    assert given(1.0, Attributes(rate=4.0)) == 4.0


def test_another_descriptor_is_noticed():
    outside = WithHalf(6.0)
    gradient = sd.grad(lambda x: outside.half * x)
    assert gradient(1.0) == 3.0
    before = WithHalf.__dict__["half"]
    WithHalf.half = 8.0
    assert gradient(1.0) == 8.0
    WithHalf.half = before
    assert gradient(1.0) == 3.0


def test_an_attribute_of_a_metaclass_is_hidden_by_one_of_the_class():
    gradient = sd.grad(lambda x: OfMeta.rate * x)
    assert gradient(1.0) == 3.0
    OfMeta.rate = 4.0
    assert gradient(1.0) == 4.0
    del OfMeta.rate
    assert gradient(1.0) == 3.0


# What is no class ---------------------------------------------------------------------------------


def test_keywords_of_a_differentiated_partial_may_change():
    bound = functools.partial(lambda x, k=1.0: x * k, k=3.0)
    gradient = sd.grad(bound)
    assert gradient(2.0) == 3.0
    bound.keywords["k"] = 5.0
    assert gradient(2.0) == 5.0


def test_a_memmap_is_the_array_that_it_is(tmp_path):
    mapped = np.memmap(tmp_path / "a", float, "w+", shape=(2,))
    mapped[:] = [2.0, 3.0]
    held = SimpleNamespace(mapped=mapped)
    x = np.array([0.7, 1.3])
    gradient = sd.grad(lambda x: np.sum(mapped * x) + np.sum(held.mapped[::-1] * x))
    np.testing.assert_array_equal(gradient(x), [5.0, 5.0])
    assert type(gradient(x)) is np.ndarray
    mapped[0] = 4.0
    np.testing.assert_array_equal(gradient(x), [7.0, 7.0])

    def writes(x):
        mapped[0] = x
        return mapped[0] * x

    assert sd.grad(writes)(5.0) == 10.0
    assert mapped[0] == 5.0


def test_other_subclasses_of_arrays_are_refused_by_line():
    matrix = np.ones((2, 2)).view(type("Sub", (np.ndarray,), {}))
    masked = np.ma.array([1.0, 2.0], mask=[0, 1])
    with pytest.raises(SignatureError, match=r"matrix is a Sub, whose operations") as raised:
        sd.grad(lambda x: np.sum(matrix * x))(2.0)
    assert raised.value.span.line
    with pytest.raises(SignatureError, match=r"(?s)masked is a MaskedArray.*masked\.mask"):
        sd.grad(lambda x: np.sum(masked * x))(2.0)


def test_what_is_outside_is_put_back_and_compared(monkeypatch):
    """A program that leaves an object in another state is found."""
    from symdiff import pipeline

    kept = SimpleNamespace(n=1.0)

    def f(x):
        kept.n = kept.n + 1.0
        return kept.n * x

    assert sd.grad(f)(2.0) == 2.0
    assert kept.n == 2.0
    load = pipeline.load

    def wrong(emitted, signature):
        function = load(emitted, signature)

        def run(*args):
            value = function(*args)
            kept.n = 100.0
            return value

        return function if emitted.name.endswith("grad") else run

    monkeypatch.setattr(pipeline, "load", wrong)

    def g(x):
        kept.n = kept.n + 1.0
        return kept.n * x

    with pytest.raises(InternalError, match="kept after the call"):
        sd.grad(g)(2.0)
    assert kept.n == 2.0


def test_a_dict_of_a_class_is_given_to_what_is_not_followed_as_it_is(capsys):
    seen = []
    note = sd.nondifferentiable(lambda given: seen.append(type(given)))
    outside = Scaled(a=3.0)

    def f(x):
        note(outside)
        return outside["a"] * x

    assert sd.grad(f)(2.0) == 6.0
    assert seen == [Scaled]

    def made(x, given):
        print(Scaled(a=x), Itself(b=[x]))
        note(given)
        return x

    assert sd.grad(made)(2.0, outside) == 1.0
    assert capsys.readouterr().out == "{'a': 2.0} {'b': [2.0]}\n"
    assert seen == [Scaled, Scaled]

    def more(x):
        print(Filled(a=x))
        return x

    with pytest.raises(UnsupportedCallError, match="a Filled that is made or changed here"):
        sd.grad(more)(2.0)


def test_classes_defined_in_a_function_do_not_leave_it():
    def returns_it(x):
        class Local:
            def twice(self):
                return 2.0 * x

        return Local

    def raises_it(x):
        class LocalError(ValueError):
            pass

        if x > 1.0:
            raise LocalError("too large")
        return x

    def gives_it_away(x):
        class Local:
            pass

        return x * hash(Local)

    for function in (returns_it, raises_it, gives_it_away):
        with pytest.raises(sd.SymdiffError) as refused:
            sd.grad(function)(2.0)
        assert not isinstance(refused.value, sd.InternalError), function
        assert refused.value.span is not None


def test_a_class_that_has_an_attribute_on_some_paths_before_its_base_is_refused():
    """On the other paths the base tells, or ``__getattr__``: no error is raised there."""

    def of_the_base(x):
        class Base:
            rate = 2.0

        class Below(Base):
            pass

        if x > 1.0:
            Below.rate = x
        return Below.rate * x

    def of_getattr(x):
        class Asked:
            def __getattr__(self, name):
                return x

        if x > 1.0:
            Asked.rate = x
        return Asked().rate

    for function in (of_the_base, of_getattr):
        with pytest.raises(sd.UnsupportedSyntaxError, match="set on some paths only"):
            sd.grad(function)(2.0)


class Told(type):
    """Its classes answer by what stands here."""

    answer = 2

    def __getitem__(cls, key: str) -> float:
        return float(Told.answer)

    def __len__(cls) -> int:
        return Told.answer

    def __contains__(cls, key: int) -> bool:
        return key < Told.answer

    def __bool__(cls) -> bool:
        return Told.answer > 2

    def __instancecheck__(cls, instance: object) -> bool:
        return Told.answer > 2

    def __subclasscheck__(cls, other: type) -> bool:
        return Told.answer > 2


class OfTold(metaclass=Told):
    pass


def by_item(x):
    return OfTold["a"] * x * x


def by_length(x):
    return len(OfTold) * x * x


def by_content(x):
    return x * x if 2 in OfTold else x


def by_truth(x):
    return x * x if OfTold else x


def by_instance(x):
    return x * x if isinstance(3, OfTold) else x


def by_subclass(x):
    return x * x if issubclass(int, OfTold) else x


@pytest.mark.parametrize("f", [by_item, by_length, by_content, by_truth, by_instance, by_subclass])
def test_what_a_metaclass_reads_may_change_between_calls(f, monkeypatch):
    derivative = sd.value_and_grad(f)
    for answer in (2, 3, 2):
        monkeypatch.setattr(Told, "answer", answer)
        wanted = (f(3.0 + 1e-5) - f(3.0 - 1e-5)) / 2e-5
        value, slope = derivative(3.0)
        assert value == f(3.0)
        assert slope == pytest.approx(wanted, rel=1e-8)


def test_one_of_several_classes_with_a_check_of_its_metaclass_is_refused():
    def f(x):
        return x if isinstance(3, (OfTold, str)) else x * x

    with pytest.raises(UnsupportedCallError, match="several classes, of which one") as told:
        sd.grad(f)(2.0)
    assert told.value.hint == "ask for each class by itself"


class Level(enum.Enum):
    LOW = 1


def test_an_attribute_of_a_member_may_be_set_anew():
    def f(x):
        return x * x * Level.LOW.weight

    for weight in (2.0, 3.0, 2.0):
        Level.LOW.weight = weight
        assert sd.grad(f)(5.0) == 10.0 * weight


def test_the_value_of_a_member_may_be_set_anew():
    def f(x):
        return x * x * Level.LOW.value

    try:
        for value in (2.0, 3.0, 2.0):
            Level.LOW._value_ = value
            assert sd.value_and_grad(f)(5.0) == (25.0 * value, 10.0 * value)
            assert sd.grad(lambda x: x * Level(1).value)(5.0) == value
    finally:
        Level.LOW._value_ = 1


@dataclasses.dataclass
class Doubled:
    x: float
    y: float = 2.0

    def __setattr__(self, name, value):
        object.__setattr__(self, name, 2.0 * value)


def test_a_dataclass_sets_its_fields_as_its_class_says():
    def f(x):
        made = Doubled(x)
        return made.x * made.y * x

    assert sd.grad(f)(1.5) == 24.0  # 8 * x**2
    assert sd.jvp(f, (1.5,), (1.0,)) == (18.0, 24.0)
    assert sd.grad(sd.grad(f))(1.5) == 16.0


@dataclasses.dataclass
class Inputs:
    a: float = dataclasses.field(default=None, metadata={"low": 0.5})
    b: float = 3.0

    def __post_init__(self):
        for field in dataclasses.fields(self):
            if getattr(self, field.name) < field.metadata.get("low", -np.inf):
                raise ValueError(field.name)
        self.c = self.a * self.b


@dataclasses.dataclass
class OneInput(Inputs):
    def __init__(self, a):
        super().__init__(a=a)


class TwoInputs(Inputs):
    def __init__(self, a):
        Inputs.__init__(self, a, b=a)
        self.d = self.c * 2.0


def test_what_a_dataclass_initialises_is_called_by_subclasses():
    def f(x):
        one, two = OneInput(x), TwoInputs(x)
        return one.c * one.b + two.c * two.d  # 9 * x + 2 * x**4

    assert sd.grad(f)(1.5) == 36.0
    assert sd.jvp(f, (1.5,), (1.0,)) == (23.625, 36.0)
    assert sd.grad(sd.grad(f))(1.5) == 54.0
    with pytest.raises(ValueError, match="a"):
        sd.grad(f)(0.25)


def test_numbers_and_arrays_are_given_no_attributes():
    def f(x):
        total = np.sum(x) * 2.0
        for value in (total, x, x[0] * 3.0, 1.0):
            try:
                value.label = "p"
            except AttributeError as error:
                total = total + len(str(error)) * x[0]
        return total

    x = np.array([1.0, 2.0])
    slope = sd.grad(f)(x)
    assert slope[1] == 2.0
    assert slope[0] == f(np.array([2.0, 2.0])) - f(x)


class Plain:
    pass


def test_attributes_are_taken_out_of_the_dict_of_an_object():
    def f(x):
        made = Plain()
        made.a, made.b = x, 2.0 * x
        taken = vars(made).pop("a") * made.__dict__.pop("b", 0.0)
        del_missing = made.__dict__.pop("a", x)
        return taken * len(vars(made)) + del_missing * x

    assert sd.grad(f)(3.0) == 6.0
    with pytest.raises(KeyError):
        sd.grad(lambda x: vars(Plain()).pop("a"))(1.0)


class Resetting:
    def __set__(self, instance, value):
        instance.__dict__["_node"] = value
        instance.__dict__["count"] = instance.__dict__.get("count", 0) + 1


class Graph:
    _node = Resetting()

    def __init__(self, node):
        self._node = node


GRAPH = Graph(2.0)


def test_a_descriptor_that_only_sets_leaves_reading_to_the_instance():
    def f(x):
        made = Graph(x)
        made._node = x * x
        return made._node * made.count

    assert sd.grad(f)(1.5) == 6.0
    assert sd.jvp(f, (1.5,), (1.0,)) == (4.5, 6.0)
    assert sd.grad(sd.grad(f))(1.5) == 4.0
    assert sd.grad(lambda x: x * GRAPH._node)(1.0) == 2.0


class Weighted(NamedTuple):
    value: float
    weight: float = 2.0


@dataclasses.dataclass(frozen=True)
class Marked:
    value: float
    weight: float = 3.0


class Renewed:
    def __init__(self, value, weight):
        self.value, self.weight = value, weight

    def __replace__(self, **changes):
        return Renewed(**{**vars(self), **changes})


@pytest.mark.skipif(not hasattr(copy, "replace"), reason="copy.replace came with Python 3.13")
def test_copies_in_which_something_is_replaced():
    def f(x, y):
        first = copy.replace(Weighted(x), weight=y)
        second = copy.replace(Marked(x), value=y)
        third = copy.replace(Renewed(x, y), weight=x)
        return (
            first.value * first.weight + second.value * second.weight + third.value * third.weight
        )

    value, slopes = sd.value_and_grad(f, argnums=(0, 1))(2.0, 5.0)
    assert (value, slopes) == (10.0 + 15.0 + 4.0, (5.0 + 4.0, 2.0 + 3.0))
    assert sd.jvp(f, (2.0, 5.0), (1.0, 0.0))[1] == 9.0
    assert sd.derivative(lambda x: f(x, 5.0), order=2)(2.0) == 2.0


class Gear(enum.IntEnum):
    LOW = 2
    HIGH = 3

    def of(self, y):
        return self * y


def test_members_that_are_numbers_are_written_as_members():
    kept = SimpleNamespace(gear=None, gears=[0], by_gear={})

    def f(x):
        kept.gear = Gear.LOW
        kept.gears[0] = Gear.HIGH
        kept.gears.append((Gear.LOW, x))
        kept.by_gear[Gear.HIGH] = x
        return Gear.HIGH.of(x) * x

    assert sd.value_and_grad(f)(2.0) == (12.0, 12.0)
    assert kept.gear is Gear.LOW
    assert kept.gears[0] is Gear.HIGH
    assert kept.gears[1][0] is Gear.LOW
    (key,) = kept.by_gear
    assert key is Gear.HIGH


def test_members_of_an_enumeration_made_inside_are_not_left_outside():
    kept = SimpleNamespace(member=None, held={})

    def attribute(x):
        class Inner(enum.IntEnum):
            ONE = 1

        kept.member = Inner.ONE
        return x

    def key(x):
        class Inner(enum.Enum):
            ONE = 1

        kept.held[Inner.ONE] = x
        return x

    for f in (attribute, key):
        with pytest.raises(UnsupportedCallError, match="is passed to a function"):
            sd.grad(f)(2.0)
    assert (kept.member, kept.held) == (None, {})


class Keyed:
    def __init__(self, key, weight):
        self.key, self.weight = key, weight

    def __lt__(self, other):
        return self.key < other.key


def test_objects_that_are_equal_or_nan_are_sorted_as_python_sorts_them():
    def f(x, gap):
        made = [Keyed(x, 1.0), Keyed(gap * x, 2.0), Keyed(-x, 3.0), Keyed(x, 4.0)]
        up, down = sorted(made), sorted(made, reverse=True)
        return sum(
            k * a.weight * x - k * k * b.weight
            for k, (a, b) in enumerate(zip(up, down, strict=True))
        )

    for gap in (np.nan, 1.0, -1.0, 2.0):
        weights = [one.weight for one in sorted(Keyed(k, w) for k, w in _keys(1.5, gap))]
        slope = sum(k * weight for k, weight in enumerate(weights))
        assert sd.value_and_grad(f)(1.5, gap) == (f(1.5, gap), slope)
        assert sd.jvp(f, (1.5, gap), (1.0, 0.0))[1] == slope


def _keys(x, gap):
    return [(x, 1.0), (gap * x, 2.0), (-x, 3.0), (x, 4.0)]


# Tuples -------------------------------------------------------------------------------------------


class Spread(tuple):
    """Is given its items one by one."""

    __slots__ = ()

    def __new__(cls, *items):
        return super().__new__(cls, items)


class Point(NamedTuple):
    x: float
    y: float


class Twofold(Point):
    def __new__(cls, x, y):
        return super().__new__(cls, 2.0 * x, y)


def test_tuples_whose_classes_make_them_are_returned_as_they_are():
    def f(x, y):
        return Spread(x * y, y), Twofold(x, y)

    value, pullback = sd.vjp(f, 2.0, 3.0)
    assert value == ((6.0, 3.0), (4.0, 3.0))
    assert [type(one) for one in value] == [Spread, Twofold]
    assert pullback((Spread(1.0, 0.0), Twofold(0.5, 5.0))) == (5.0, 7.0)
    moved = sd.jvp(f, (2.0, 3.0), (1.0, 0.0))[1]
    assert (moved, type(moved[1])) == (((3.0, 0.0), (2.0, 0.0)), Twofold)


def test_gradients_by_tuples_whose_classes_make_them_are_of_the_class(monkeypatch):
    monkeypatch.delenv("SYMDIFF_VERIFY")  # which copies, as such a class does not let copy do

    def f(p):
        return p[0] ** 2 * p[1]

    for made in (Spread(2.0, 3.0), Twofold(1.0, 3.0)):
        found = sd.grad(f)(made)
        assert (found, type(found)) == ((12.0, 4.0), type(made))


# Methods that are kept ----------------------------------------------------------------------------


class Kept:
    def __init__(self, x):
        self.x = x

    @functools.lru_cache  # noqa: B019
    def square(self):
        return self.x**2


def test_an_object_is_not_changed_behind_a_method_that_keeps_its_results():
    def f(x):
        one = Kept(x)
        y = one.square()
        one.x = 3.0
        return y * one.square()

    with pytest.raises(UnsupportedSyntaxError, match="function with lru_cache was given"):
        sd.grad(f)(2.0)


class Unlike(tuple):
    """A tuple that is compared and hashed by the program's own methods."""

    def __new__(cls, *items):
        return tuple.__new__(cls, items)

    def __eq__(self, other):
        raise RuntimeError("compared")

    def __hash__(self):
        raise RuntimeError("hashed")


class Unhashable(tuple):
    def __new__(cls, *items):
        return tuple.__new__(cls, items)

    def __eq__(self, other):
        return len(self) == len(other)

    __hash__ = None


class Keyless:
    scale = 2.0

    def __hash__(self):
        raise RuntimeError("hashed")


UNLIKE = Unlike(1.0, 2.0)
KEYLESS = Keyless()


def first_of(pair, x):
    return pair[0] * x


def compared_by_own_methods(x):
    pair = Unhashable(x, 2 * x)
    known = Unlike(1, 2) if x > 0 else Unlike(1, 3)
    for _ in range(3):
        pair = Unhashable(pair[1], pair[0] + x)
    total = first_of(known, x) + first_of(Unlike(1, 2), x) + first_of(UNLIKE, x)
    return total + KEYLESS.scale * UNLIKE[1] + (x if pair == (1, 2) else 2 * x)


def test_methods_that_compare_or_hash_are_not_run_while_compiling():
    gradient = sd.grad(compared_by_own_methods)
    assert (gradient(1.5), gradient(-0.5)) == (4.0, 4.0)
    assert sd.differentiable(compared_by_own_methods).forward(1.5)[0] == 10.0


class Settings:
    scale = 3.0

    def __init__(self, **settings):
        self.__dict__ = settings

    def area(self):
        return self.width * self.height * self.scale


class SettingsSeen(Settings):
    def __init__(self, **settings):
        self.__dict__ = settings
        settings["width"] = 1.0


def of_settings(x, n):
    total = Settings(width=x, height=2.0).area()
    for k in range(n):
        one = Settings(width=x, height=k * x, scale=2.0)
        one.width = one.width * 2.0
        total = total + one.area() + sum(vars(one).values())
    return total


def test_a_dict_that_becomes_the_attributes_of_an_object():
    slope = reference.directional(lambda x: of_settings(x, 4), (0.7,), (1.0,)).value
    np.testing.assert_allclose(sd.grad(of_settings)(0.7, 4), slope, rtol=1e-9)
    assert sd.differentiable(of_settings).forward(0.7, 4)[0] == of_settings(0.7, 4)


def test_a_dict_that_is_the_attributes_of_an_object_is_not_read_again():
    with pytest.raises(UnsupportedSyntaxError, match="is the attributes of an object") as caught:
        sd.grad(lambda x: SettingsSeen(width=x, height=x).area())(0.7)
    assert caught.value.hint == "read the attributes, or give the object a copy: dict(items)"


class Order(enum.IntEnum):
    FIRST = 1
    SECOND = 2


def _by_branch(x):
    order = Order.FIRST if x > 0 else Order.SECOND
    return x**order, order, order.name, order is Order.FIRST, order + 1


def _by_loop(x):
    order = Order.FIRST
    while x < 3.0:
        order, x = Order(3 - order), x + 1.0
    return x * order, order


def _by_index(x):
    order = [Order.FIRST, Order.SECOND][int(x > 0)]
    return x * order, order


@pytest.mark.parametrize("function", [_by_branch, _by_loop, _by_index])
@pytest.mark.parametrize("x", [1.5, -1.5])
def test_members_of_an_int_enum_stay_members(function, x):
    expected = function(x)
    found, pullback = sd.vjp(function, x)
    assert repr(found) == repr(expected)
    cotangent = (1.0, *(None for _ in expected[1:]))
    slope = (function(x + 1e-6)[0] - function(x - 1e-6)[0]) / 2e-6
    assert pullback(cotangent)[0] == pytest.approx(slope, rel=1e-8)
