"""What errors say, and that they say it after any journey."""

from __future__ import annotations

import multiprocessing
import pickle
from pathlib import Path

import pytest

from symdiff import errors
from symdiff.errors import (
    GradientShapeError,
    InternalError,
    SignatureError,
    SymdiffError,
    UnsupportedCallError,
)
from symdiff.source import SourceSpan

SEARCH = SourceSpan("model.py", 12, 9, 12, 30, "    k = np.searchsorted(x, t)")
CALLER = SourceSpan("model.py", 30, 5, 30, 17, "y = locate(x, t)")
EVERY_CLASS = [getattr(errors, name) for name in errors.__all__]


def test_message_then_source_line_then_caret_then_hint() -> None:
    error = UnsupportedCallError(
        "cannot differentiate numpy.searchsorted with respect to 'x'",
        SEARCH,
        "wrap x in symdiff.stop_gradient(...), or give a rule with symdiff.custom_vjp",
    )
    assert str(error).splitlines() == [
        "model.py:12:9: cannot differentiate numpy.searchsorted with respect to 'x'",
        "    k = np.searchsorted(x, t)",
        "        ^^^^^^^^^^^^^^^^^^^^^",
        "  wrap x in symdiff.stop_gradient(...), or give a rule with symdiff.custom_vjp",
    ]


def test_without_span_and_hint_only_the_message_is_shown() -> None:
    assert str(SymdiffError("no")) == "no"


def test_a_span_whose_text_is_unknown_shows_no_empty_excerpt() -> None:
    assert str(SymdiffError("no", SourceSpan("m.py", 2, 1, 2, 2, ""))) == "m.py:2:1: no"


def test_every_line_of_a_hint_is_indented() -> None:
    assert str(SymdiffError("no", hint="one\ntwo")) == "no\n  one\n  two"


def test_callers_stand_between_excerpt_and_hint_innermost_first() -> None:
    outer = SourceSpan("main.py", 3, 1, 3, 4, "f(x)")
    error = SymdiffError("no", SEARCH, "hint").with_caller(CALLER).with_caller(outer)
    assert str(error).splitlines()[3:] == [
        "  called from model.py:30:5",
        "  called from main.py:3:1",
        "  hint",
    ]
    assert error.call_chain == (CALLER, outer)


def test_a_long_call_chain_is_cut() -> None:
    error = SymdiffError("no", SEARCH)
    for _ in range(1000):
        error.with_caller(CALLER)
    assert str(error).splitlines()[-1] == "  and 992 more calls"


def test_with_caller_returns_the_error_itself_of_its_own_class() -> None:
    error = SignatureError("no")
    assert error.with_caller(CALLER) is error


def test_with_span_places_an_error_once() -> None:
    error = SymdiffError("no").with_span(SEARCH).with_span(CALLER)
    assert error.span == SEARCH


def test_file_below_the_working_directory_is_shown_relative(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    inside = SourceSpan(str(tmp_path / "pkg" / "m.py"), 1, 1, 1, 2, "x")
    outside = SourceSpan(f"{tmp_path}x/m.py", 1, 1, 1, 2, "x")
    assert inside.location == str(Path("pkg", "m.py")) + ":1:1"
    assert outside.location == f"{tmp_path}x/m.py:1:1"


@pytest.mark.parametrize("kind", EVERY_CLASS)
def test_every_error_is_a_symdiff_error(kind: type[SymdiffError]) -> None:
    assert issubclass(kind, SymdiffError)
    assert kind.__doc__


@pytest.mark.parametrize("kind", [SignatureError, GradientShapeError])
def test_errors_of_type_are_type_errors(kind: type[SymdiffError]) -> None:
    assert issubclass(kind, TypeError)


@pytest.mark.parametrize("kind", EVERY_CLASS)
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickling_keeps_everything(kind: type[SymdiffError], protocol: int) -> None:
    error = kind("no", hint="hint").with_span(SEARCH).with_caller(CALLER)
    error.add_note("while testing")
    copy = pickle.loads(pickle.dumps(error, protocol))
    assert type(copy) is kind
    assert str(copy) == str(error)
    assert (copy.message, copy.span, copy.hint) == ("no", SEARCH, "hint")
    assert copy.call_chain == (CALLER,)
    assert copy.__notes__ == ["while testing"]


def test_errors_cross_process_boundaries() -> None:
    spawn = multiprocessing.get_context("spawn")
    with spawn.Pool(1) as pool, pytest.raises(SignatureError) as caught:
        pool.apply(_fail)
    assert caught.value.span == SEARCH
    assert caught.value.hint == "hint"


def _fail() -> None:
    raise SignatureError("no", SEARCH, "hint")


def test_internal_error_shows_the_program_and_asks_for_a_report() -> None:
    error = pickle.loads(pickle.dumps(InternalError("no such value", SEARCH, ir="%1 = sin %0")))
    assert str(error).splitlines()[-2:] == [
        "  this is a bug in symdiff, not in your code: please report it with these lines",
        "%1 = sin %0",
    ]
    assert error.ir == "%1 = sin %0"


def test_internal_error_without_program_asks_for_the_traceback() -> None:
    assert str(InternalError("no such value")).endswith("please report it with this traceback")
