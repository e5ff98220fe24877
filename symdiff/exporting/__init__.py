"""Derivatives as files that stand on their own: plain data in (``Request``), a module out.

``module`` puts it together of the programs of ``programs``, the checks of ``arguments`` and the
comparison of ``comparison``; ``writing`` brings it to the disk. ``standalone`` has the functions
that modules carry. ``arrays`` writes the same program for another array library.
"""

from __future__ import annotations

import ast
import os
from pathlib import Path

from symdiff.errors import InternalError, SignatureError
from symdiff.exporting.request import Exported, Options, Request
from symdiff.source.trees import module_of

__all__ = ["Exported", "Options", "Request", "write_module"]


def write_module(request: Request, path: str | os.PathLike[str]) -> None:
    """Write the module of a request, and what belongs beside it.

    :raises SymdiffError: for what cannot stand alone, at the user's line; for a path that cannot be
        written, or where a file is that symdiff did not write or that was edited since.
    """
    from symdiff.exporting.composing import compose
    from symdiff.exporting.writing import refuse_foreign, signed, target_of, write

    target = target_of(path)
    if target.suffix != ".py":
        raise SignatureError(
            f"a module is a .py file, not {target.name!r}", hint=f"{target.stem or 'module'}.py"
        )
    refuse_foreign(target, request.options.force)
    written = compose(request, target.stem)
    _refuse_to_hide(target.stem, written.text)
    files = {target: signed(written.text)}
    if written.stub is not None:
        files = {target.with_suffix(".pyi"): signed(written.stub), **files}
    if written.arrays is not None:
        files = {target.with_suffix(".npz"): written.arrays, **files}
    for file, content in files.items():
        if file.suffix != ".npz":
            _require_python(content, file)
    write(files, request.options.force)


def _refuse_to_hide(stem: str, text: str) -> None:
    """Refuse the name of a module that this one imports: run, it would find itself instead."""
    for node in ast.walk(module_of(text)):
        names = [node.module] if isinstance(node, ast.ImportFrom) else []
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else names
        if any(str(name).split(".")[0] == stem for name in names):
            raise SignatureError(
                f"a module called {stem} would hide the {stem} that it imports",
                hint=f"{stem}_derivatives.py",
            )


def _require_python(content: bytes, path: Path) -> None:
    try:
        compile(content, str(path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise InternalError(f"the exported text is no Python: {error}") from error
