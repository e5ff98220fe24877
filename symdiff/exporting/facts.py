"""What a module says of itself in ``__symdiff__``: where each function comes from."""

from __future__ import annotations

import hashlib
import inspect
import os
from typing import Any

from symdiff.exporting.request import Exported
from symdiff.exporting.sparse import Parameters
from symdiff.ir.signature import describe
from symdiff.pipeline import Derived


def facts(
    exported: Exported, derived: Derived, parameters: Parameters, returns: str
) -> dict[str, Any]:
    """What was differentiated by what, where it stands, and for which arguments."""
    span = derived.primal.span
    return {
        "function": exported.of,
        "transforms": list(exported.transforms),
        "file": os.path.basename(span.file) if span is not None else None,
        "line": span.line if span is not None else None,
        "source_sha256": source_hash(exported.function),
        "signature": {name: describe(kind) for name, kind in parameters},
        "returns": returns,
    }


def source_hash(function: Any) -> str | None:
    """The SHA-256 of the text of a function; None where it has none."""
    try:
        text = inspect.getsource(inspect.unwrap(function))
    except (OSError, TypeError, ValueError, SyntaxError):
        return None
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
