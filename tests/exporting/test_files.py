"""Files: written whole or not at all, never over what is the user's."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.exporting import writing

LARGE = np.linspace(0.0, 1.0, 100)


@sd.differentiable
def cube(x: float) -> float:
    return x**3


@sd.differentiable
def weighted(x: Any) -> Any:
    return np.sum(LARGE * x)


def test_the_same_input_gives_the_same_bytes(tmp_path: Path, monkeypatch: Any) -> None:
    program = (
        "import sys, numpy as np, symdiff as sd\n"
        "from tests.exporting.test_files import weighted\n"
        "options = {'constants': 'file', 'stub': True}\n"
        "weighted.export(sys.argv[1], 'float64[100]', functions=('grad', 'hvp'), **options)\n"
    )
    contents = []
    for seed, folder in (("1", "a"), ("2", "b")):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / "module.py"
        env = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", program, str(path)], check=True, env=env)
        files = sorted((tmp_path / folder).iterdir())
        contents.append([(file.name, file.read_bytes()) for file in files])
    assert [name for name, _ in contents[0]] == ["module.npz", "module.py", "module.pyi"]
    assert contents[0] == contents[1]


@pytest.mark.parametrize("name", ["module.py", "module.pyi", "module.npz"])
def test_a_file_of_the_users_stays(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text("mine\n")
    with pytest.raises(sd.SymdiffError, match="was not written by symdiff") as caught:
        weighted.grad.export(tmp_path / "module.py", LARGE, stub=True, constants="file")
    assert "force=True" in str(caught.value.hint)
    assert file.read_text() == "mine\n"
    assert list(tmp_path.iterdir()) == [file]
    weighted.grad.export(tmp_path / "module.py", LARGE, stub=True, constants="file", force=True)
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("name", ["module.py", "module.pyi", "module.npz"])
def test_a_file_that_was_edited_stays(tmp_path: Path, name: str) -> None:
    path = tmp_path / "module.py"

    def export() -> None:
        weighted.grad.export(path, LARGE, stub=True, constants="file")

    export()
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    export()  # over its own, unchanged files
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before
    file = tmp_path / name
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    before[file] = bytes(content)
    with pytest.raises(sd.SymdiffError, match="edited since"):
        export()
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_ends_of_lines_that_a_tool_changed_are_no_edit(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    cube.grad.export(path, 2.0)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    cube.grad.export(path, 3.0)
    assert b"\r" not in path.read_bytes()


def test_a_hash_says_what_it_is_of(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    cube.grad.export(path, 2.0)
    content = path.read_bytes()
    assert writing.is_unchanged(content)
    for k in range(0, len(content), 97):
        changed = content[:k] + bytes([content[k] ^ 1]) + content[k + 1 :]
        assert not writing.is_unchanged(changed)
    assert not writing.is_unchanged(content + b"\n")
    assert not writing.is_unchanged(b"")


def test_nothing_is_left_where_writing_fails(tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "module.py"
    cube.grad.export(path, 2.0)
    before = path.read_bytes()

    def fails(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(sd.SymdiffError, match="No space left on device"):
        cube.grad.export(path, 3.0)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_is_written_where_one_of_several_files_fails(
    tmp_path: Path, monkeypatch: Any
) -> None:
    made = tempfile.mkstemp
    monkeypatch.setattr(tempfile, "mkstemp", lambda *args: _no_stub(made, *args))
    with pytest.raises(sd.SymdiffError, match=r"module\.pyi.*cannot be written"):
        weighted.grad.export(tmp_path / "module.py", LARGE, stub=True, constants="file")
    assert list(tmp_path.iterdir()) == []


def _no_stub(made: Any, suffix: str, prefix: str, folder: Path) -> Any:
    if ".pyi" in prefix:
        raise PermissionError(13, "Permission denied")
    return made(suffix, prefix, folder)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "module.py", tmp_path / "link.py"
    link.symlink_to(target)
    cube.grad.export(link, 2.0)  # where it leads nowhere yet
    assert link.is_symlink()
    assert target.read_text().startswith('"""cube_grad')
    cube.grad.export(link, 2.0)
    target.write_text("mine\n")
    with pytest.raises(sd.SymdiffError, match="not written by symdiff"):
        cube.grad.export(link, 2.0)
    assert target.read_text() == "mine\n"


def test_a_link_to_itself_is_an_error(tmp_path: Path) -> None:
    link = tmp_path / "link.py"
    link.symlink_to(link)
    with pytest.raises(sd.SymdiffError) as caught:
        cube.grad.export(link, 2.0)
    assert caught.value.hint
    assert link.is_symlink()


@pytest.mark.parametrize(
    ("name", "said", "hint"),
    [
        ("", "is a folder", "name a file in it"),
        ("folder.py", "is a folder", "name a file in it"),
        ("missing/module.py", "there is no folder", "mkdir"),
        ("file.py/module.py", "cannot be written|no folder", ""),
        ("module", "a module is a .py file", "module.py"),
        ("module.txt", "a module is a .py file", "module.py"),
        ("a\0b.py", "cannot be written", "name another file"),
        ("x" * 300 + ".py", "cannot be written", "name another file"),
    ],
)
def test_paths_that_cannot_be_written_say_what_to_do(
    tmp_path: Path, name: str, said: str, hint: str
) -> None:
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "file.py").write_text("")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(sd.SymdiffError, match=said) as caught:
        cube.grad.export(tmp_path / name, 2.0)
    assert caught.value.hint
    assert hint in caught.value.hint
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_that_may_not_be_written(tmp_path: Path, monkeypatch: Any) -> None:
    def refuses(*_: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "mkstemp", refuses)
    with pytest.raises(sd.SymdiffError, match="Permission denied") as caught:
        cube.grad.export(tmp_path / "module.py", 2.0)
    assert "a folder that you may write to" in str(caught.value.hint)
    assert list(tmp_path.iterdir()) == []


def test_a_device_is_no_place_for_a_module(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.py"
    os.mkfifo(pipe)
    with pytest.raises(sd.SymdiffError, match="no regular file"):
        cube.grad.export(pipe, 2.0)


def test_a_file_that_comes_meanwhile_stays(tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "module.py"
    link = os.link

    def late(source: Any, target: Any) -> None:
        path.write_text("mine\n")
        link(source, target)

    monkeypatch.setattr(os, "link", late)
    with pytest.raises(sd.SymdiffError, match="not written by symdiff"):
        cube.grad.export(path, 2.0)
    assert path.read_text() == "mine\n"
    assert list(tmp_path.iterdir()) == [path]


def test_exports_at_once_leave_a_whole_module(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    errors: list[BaseException] = []

    def export() -> None:
        try:
            for _ in range(5):
                cube.grad.export(path, 2.0)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=export) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert list(tmp_path.iterdir()) == [path]
    assert writing.is_unchanged(path.read_bytes())


def test_permissions_are_those_of_a_new_file_or_of_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    plain = tmp_path / "plain"
    plain.write_text("")
    cube.grad.export(path, 2.0)
    assert path.stat().st_mode == plain.stat().st_mode
    path.chmod(0o600)
    cube.grad.export(path, 3.0)
    assert path.stat().st_mode & 0o777 == 0o600


def test_arrays_of_another_module_are_refused_when_it_is_imported(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    weighted.grad.export(path, LARGE, constants="file")
    arrays = dict(np.load(tmp_path / "module.npz"))
    scope = {"__file__": str(path), "__name__": "module"}
    exec(path.read_text(), scope)
    np.testing.assert_array_equal(scope["weighted_grad"](np.ones(100)), LARGE)  # type: ignore
    np.savez(tmp_path / "module.npz", **{**arrays, "__symdiff__": np.array("another")})
    with pytest.raises(ImportError, match="is not the file that was written with"):
        exec(path.read_text(), {"__file__": str(path), "__name__": "module"})


def test_a_module_without_its_arrays_says_which_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    weighted.grad.export(path, LARGE, constants="file")
    (tmp_path / "module.npz").unlink()
    with pytest.raises(ImportError, match=r"there is no .*module\.npz, which was written together"):
        exec(path.read_text(), {"__file__": str(path), "__name__": "module"})
