"""What an installed package is told by its defaults and options: known, and looked at before calls.

The packages are written to a folder as those that packages are installed in.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import pytest

import symdiff as sd
from symdiff.parse import entry

TEXT = """
from functools import wraps
CONFIG = {"checked": False, "scale": 2.0}


def validated(options):
    def decorated(function):
        @wraps(function)
        def called(x, *given):
            if CONFIG["checked"] or options[0]:
                return function(x, *given)
            x = {"plain": x}["plain"]
            return function(x, *given)
        return called
    return decorated


@validated([False])
def power(x, order=3, factor=0.5):
    kinds = {1: "line", 2: "parabola", 3: "cubic"}
    if kinds[order] == "cubic" and factor == 0.5:
        return shift(x * x * x)
    return shift(factor * x)


@validated([True])
def shift(x, axis=1, *, places=2):
    return (0.0, x, 2.0)[axis] * [1.0, 2.0, 3.0][places] * CONFIG["scale"]
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "installed_powers.py").write_text(TEXT)
    monkeypatch.syspath_prepend(folder)
    importlib.invalidate_caches()
    monkeypatch.delitem(sys.modules, "installed_powers", raising=False)
    return importlib.import_module("installed_powers")


def test_defaults_and_options_are_not_asked_for_one_by_one(package: ModuleType) -> None:
    with mock.patch.object(entry, "_staged", wraps=entry._staged) as staged:
        assert sd.grad(lambda x: package.power(x))(2.0) == 12.0 * 3.0 * 2.0
    assert staged.call_count == 1


def test_defaults_and_options_that_change_are_seen(package: ModuleType) -> None:
    gradient = sd.grad(lambda x: package.power(x))
    assert gradient(2.0) == 72.0
    package.CONFIG["scale"] = 1.0
    assert gradient(2.0) == 36.0
    inner: Any = package.power.__wrapped__
    inner.__defaults__ = (2, 0.25)
    assert gradient(2.0) == 0.75
    inner.__defaults__ = (3, 0.5)
    package.shift.__wrapped__.__kwdefaults__ = {"places": 0}
    package.CONFIG["checked"] = True
    assert gradient(2.0) == 12.0
