"""``symdiff.dataclass`` beside the standard library's, on the same classes."""

import copy
import dataclasses
import pickle
import subprocess
import sys
from dataclasses import field

from symdiff.dataclass import dataclass

NAN = float("nan")  # one object, which a tuple takes as equal to itself


def declared(dataclass):
    """The same classes, made by one decorator or the other."""

    @dataclass(frozen=True, slots=True)
    class Empty:
        pass

    @dataclass(frozen=True, slots=True)
    class One:
        value: object

    @dataclass(frozen=True, slots=True)
    class Several:
        a: int
        b: object = None
        seen: int = field(default=0, compare=False)
        hidden: list = field(default_factory=list, compare=False, repr=False)
        made: int = field(init=False, default=7)
        last: str = field(default="", kw_only=True)

        @property
        def double(self):
            return 2 * self.a

    @dataclass(frozen=True, slots=True)
    class Derived(Several):
        more: int = 1

    @dataclass(frozen=True)
    class Open:
        a: int

    @dataclass(slots=True)
    class Changing:
        a: int
        items: list = field(default_factory=list)

    @dataclass(eq=False, slots=True)
    class Handle:
        a: int

    @dataclass(frozen=True, slots=True)
    class Own:
        a: int

        def __eq__(self, other):
            return isinstance(other, Own)

        def __repr__(self):
            return "own"

    @dataclass(frozen=True, slots=True)
    class Hashed:
        a: int

        def __eq__(self, other):
            return isinstance(other, Hashed)

        def __hash__(self):
            return 5

    @dataclass(slots=True)
    class Checked:
        a: int

        def __post_init__(self):
            self.a += 1

    unlike = [NAN, 1, 1.0, True, "1", (1,), None]
    return [
        *(Empty(), Empty()),
        *(One(value) for value in unlike),
        *(Several(1), Several(1, seen=2), Several(1, last="x"), Several(a=2, b=(1,), hidden=[1])),
        *(Derived(1), Derived(1, more=2), Derived(1, None, 0, [], 1)),
        *(Open(1), Open(1), Open(2)),
        *(Changing(1), Changing(1, []), Changing(1, [2])),
        *(Handle(1), Handle(1)),
        *(Own(1), Own(2), Hashed(1), Hashed(2), Checked(1)),
    ]


OURS, STANDARD = declared(dataclass), declared(dataclasses.dataclass)


def test_instances_are_equal_where_those_of_the_standard_one_are():
    def equalities(instances):
        return [[a == b for b in instances] for a in instances]

    assert equalities(OURS) == equalities(STANDARD)


def test_instances_hash_as_those_of_the_standard_one():
    def hashed(instance):
        if type(instance).__hash__ is object.__hash__:
            return "by identity"
        try:
            return hash(instance)
        except TypeError:
            return "not hashable"

    assert [hashed(a) for a in OURS] == [hashed(a) for a in STANDARD]


def test_representations_fields_and_slots_are_those_of_the_standard_one():
    for ours, standard in zip(OURS, STANDARD, strict=True):
        assert repr(ours) == repr(standard)
        assert hasattr(ours, "__dict__") == hasattr(standard, "__dict__")
        assert type(ours).__match_args__ == type(standard).__match_args__
        fields = dataclasses.fields(ours), dataclasses.fields(standard)
        assert [f.name for f in fields[0]] == [f.name for f in fields[1]]
        assert dataclasses.asdict(ours) == dataclasses.asdict(standard)


def test_a_changed_copy_is_made_as_of_the_standard_one():
    first = next(a for a in OURS if type(a).__name__ == "Derived")
    changed = dataclasses.replace(first, a=5)
    assert (type(changed), changed.a, changed.double, changed.more) == (type(first), 5, 10, 1)
    assert copy.copy(first) == copy.deepcopy(first) == first


def test_a_representation_that_contains_itself_ends():
    item = next(a for a in OURS if type(a).__name__ == "Changing")
    item = dataclasses.replace(item, items=[])
    item.items.append(item)
    assert repr(item).endswith("(a=1, items=[...])")


def test_instances_pickle():
    from symdiff.ir.types import ArrayType, Size
    from symdiff.source import SourceSpan

    for value in (Size("n", 1), SourceSpan("f.py", 3, 4, 3, 9, "x = y")):
        assert pickle.loads(pickle.dumps(value)) == value
    assert dataclasses.is_dataclass(ArrayType)


def test_type_checkers_refuse_an_assignment_to_a_frozen_instance(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "from symdiff.dataclass import dataclass\n"
        "@dataclass(frozen=True, slots=True)\n"
        "class Point:\n    x: float\n"
        "@dataclass(slots=True)\n"
        "class Pen:\n    x: float\n"
        "Pen(1.0).x = 2.0\n"
        "Point(1.0).x = 2.0\n"
    )
    run = subprocess.run([sys.executable, "-m", "mypy", program], capture_output=True, text=True)
    (found,) = [line for line in run.stdout.splitlines() if "error:" in line]
    assert ":9: " in found
    assert "read-only" in found
