"""What tests of the front end are run under."""

from __future__ import annotations

import weakref
from typing import Any

import pytest

from symdiff.api import anew, programs
from symdiff.parse import entry, templates


@pytest.fixture(params=[(0, 1000), (1, 1000), (0, 1)], ids=["at once", "later", "called"])
def copied(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Templates are made at the first call of a kind, or the second, or are graphs; nothing that
    was compiled otherwise is known.
    """
    followed_first, large = request.param
    monkeypatch.setattr(templates, "FOLLOWED_FIRST", followed_first)
    monkeypatch.setattr(templates, "LARGE", large)
    for module, kept in ((programs, "_homes"), (anew, "_kept")):
        nothing: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
        monkeypatch.setattr(module, kept, nothing)


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One item for each attempt to stage a whole function, from then on."""
    made: list[int] = []
    staged = entry._staged  # type: ignore[attr-defined]

    def counted(*given: Any) -> Any:
        made.append(1)
        return staged(*given)

    monkeypatch.setattr(entry, "_staged", counted)
    return made
