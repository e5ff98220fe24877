"""What holds for every test: where it may not look, and that emitted primals are verified."""

import gc
import os
from collections.abc import Iterator
from typing import Any

import pytest

# Every program that a test differentiates runs beside the user's own function, bits compared.
os.environ.setdefault("SYMDIFF_VERIFY", "1")

# Emitted source kept for comparison, and programs that measure time, are not modules of tests.
collect_ignore = ["golden", "benchmarks"]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[Any]:
    """Garbage is not looked for while tests are collected, nor among them afterwards."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
