"""Files written whole or not at all, and never over what is not symdiff's own and unchanged.

A text has its hash in it, on a line of its own; a file that has none, or another, is the user's.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from symdiff.errors import SignatureError, SymdiffError
from symdiff.exporting.constants import is_unchanged_array_file

_LINE = re.compile(rb'^(\s*(?:# )?"sha256": ")([0-9a-f]{64})(",)$', re.MULTILINE)
_UNSIGNED = b"0" * 64


def signed(text: str) -> bytes:
    """The text with its hash in the place of the zeros."""
    content = text.encode("utf-8")
    return _LINE.sub(lambda found: found[1] + _hash(content) + found[3], content, count=1)


def is_unchanged(content: bytes) -> bool:
    """Return whether a text was written by ``signed`` and not edited since (ends of lines
    apart).
    """
    content = content.replace(b"\r\n", b"\n")
    found = _LINE.search(content)
    if found is None:
        return False
    start, end = found.span(2)
    return found[2] == _hash(content[:start] + _UNSIGNED + content[end:])


def _hash(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


def target_of(path: str | os.PathLike[str]) -> Path:
    """The file that a path means: behind symbolic links, in a folder that is there.

    :raises SymdiffError: where there can be no such file.
    """
    if not isinstance(path, str | os.PathLike) or isinstance(os.fspath(path), bytes):
        raise SignatureError(
            f"a path is text or a pathlib.Path, not {path!r}", hint='export("loss_grad.py", ...)'
        )
    given = Path(path)
    with _explained(given):
        target = given.resolve(strict=True) if given.exists() else _to_be(given)
    if target.is_dir():
        raise SymdiffError(
            f"{str(given)!r} is a folder", hint=f"name a file in it: {str(given / 'module.py')!r}"
        )
    if target.exists() and not target.is_file():
        raise SymdiffError(f"{str(given)!r} is no regular file", hint="name another one")
    if not target.parent.is_dir():
        raise SymdiffError(
            f"there is no folder {str(target.parent)!r} for {target.name!r}",
            hint="make it first: Path(...).mkdir(parents=True)",
        )
    return target


def _to_be(given: Path) -> Path:
    """Where a file will stand that is not there; a link may point to it."""
    target = Path(os.path.realpath(given))
    if target.is_symlink():
        raise SymdiffError(f"{str(given)!r} is a link that leads to itself", hint="remove it")
    return target


def write(files: Mapping[Path, bytes], force: bool) -> None:
    """Write all the files, or none where one of them is the user's.

    :raises SymdiffError: for a file that symdiff did not write, or that was edited since; for a
        folder that cannot be written.
    """
    with contextlib.ExitStack() as stack:
        for target in files:
            refuse_foreign(target, force)
        pairs = [(stack.enter_context(_beside(t, content)), t) for t, content in files.items()]
        for temporary, target in pairs:
            with _explained(target):
                _put(temporary, target, force)


def refuse_foreign(target: Path, force: bool) -> None:
    """Refuse to overwrite what is not an unchanged file of symdiff's."""
    if force or not os.path.lexists(target):
        return
    if target.is_dir():
        raise SymdiffError(f"{str(target)!r} is a folder", hint="remove it, or name another file")
    with _explained(target):
        content = target.read_bytes()
    unchanged = is_unchanged_array_file if target.suffix == ".npz" else is_unchanged
    if not unchanged(content):
        raise SymdiffError(
            f"{str(target)!r} was not written by symdiff, or was edited since",
            hint="name another file, or pass force=True to lose what is in it",
        )


@contextlib.contextmanager
def _beside(target: Path, content: bytes) -> Iterator[Path]:
    """A temporary file with the content in the folder of the target; gone afterwards."""
    with _explained(target):
        handle, name = tempfile.mkstemp(".tmp", f".{target.name[:50]}.", target.parent)
        temporary = Path(name)
    try:
        with _explained(target), os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(_mode(target))
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def _mode(target: Path) -> int:
    """The permissions of the file that is replaced, or those of a new one."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _put(temporary: Path, target: Path, force: bool) -> None:
    """Move a file to its place; one that came there meanwhile is looked at first."""
    if not os.path.lexists(target):
        try:
            os.link(temporary, target)  # which fails where something is there by now
            return
        except FileExistsError:
            refuse_foreign(target, force)
        except OSError:  # this file system has no hard links
            pass
    os.replace(temporary, target)


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    """The system's errors as errors that say what to do."""
    try:
        yield
    except PermissionError as error:
        raise SymdiffError(
            f"{str(path)!r} cannot be written: {error.strerror}",
            hint="name a file in a folder that you may write to",
        ) from error
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SymdiffError(
            f"{str(path)!r} cannot be written: {reason}", hint="name another file"
        ) from error
