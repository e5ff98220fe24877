"""Generated files for those who ask for them: with ``SYMDIFF_DUMP=folder`` in the environment each
generated text is written to a file of its own there, as it is loaded.

A file is named by the function and what was derived of it, and by a hash of what it was compiled
for: ``loss_grad-1f0c8a2b94d7.py``. The same program gives the same name.
"""

from __future__ import annotations

import os
import re
import threading
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

VARIABLE = "SYMDIFF_DUMP"
_LONGEST = 48  # letters, of up to four bytes
_written: dict[Path, str] = {}
_lock = threading.Lock()


def dump(name: str, text: str, signature: str) -> Path | None:
    """Write a generated text, where the environment asks for it; the path, None where it does not.

    ``name`` is the generated function's, ``signature`` what it was compiled for. A folder that
    cannot be written to is warned of, and nothing else happens.
    """
    folder = os.environ.get(VARIABLE)
    if not folder:
        return None
    from pathlib import Path

    try:
        with _lock:
            path = _path(Path(folder).absolute(), name, text, signature)
            _write(path, text)
    except OSError as error:
        warnings.warn(f"{VARIABLE}: {error}", RuntimeWarning, stacklevel=2)
        return None
    return path


def _path(folder: Path, name: str, text: str, signature: str) -> Path:
    """Where a text belongs; beside another one of this process that would have the same name."""
    shown = re.sub(r"\W", "_", name)[:_LONGEST]
    stem = f"{shown}-{digest(_head(text), signature)}"
    path = folder / f"{stem}.py"
    if _written.setdefault(path, text) != text:
        path = folder / f"{stem}-{digest(text)}.py"
    return path


def _head(text: str) -> str:
    """The ``def`` and its docstring, which says where the function stands."""
    return "\n".join(text.split("\n")[:2])


def digest(*parts: str) -> str:
    """A hash of texts, the same everywhere."""
    import hashlib

    joined = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(joined).hexdigest()[:12]


def _write(path: Path, text: str) -> None:
    """Write a whole file or none: readers never see a part of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.stem}.{os.getpid()}.part")
    temporary.unlink(missing_ok=True)
    try:
        with open(
            temporary, "x", encoding="utf-8", errors="backslashreplace", newline="\n"
        ) as file:
            file.write(text)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
