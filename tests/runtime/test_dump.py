"""``SYMDIFF_DUMP``: each generated text in a file of its own, in the folder and nowhere else."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import symdiff as sd
from symdiff.runtime.dump import dump


def cube(x):
    return np.sum(x * x * x)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "made" / "generated"
    monkeypatch.setenv("SYMDIFF_DUMP", str(path))
    monkeypatch.delenv("SYMDIFF_VERIFY", raising=False)
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))


def test_a_file_holds_what_runs_under_the_names_of_function_and_transform(folder: Path):
    def loss(x):
        return np.sum(x**3)

    sd.grad(loss)(np.ones(3))
    (path,) = folder.iterdir()
    assert path.name.startswith("loss_grad-")
    assert path.read_text() == sd.grad(loss).source(np.ones(3))


def test_signatures_transforms_and_halves_have_files_of_their_own(folder: Path):
    def loss(x):
        return np.sum(x**3)

    sd.grad(loss)(np.ones(3))
    sd.grad(loss)(np.ones(1))
    sd.grad(loss)(np.ones((2, 2)))
    sd.hessian(loss)(np.ones(3))
    sd.vjp(loss, np.ones(3))
    stems = [name.rpartition("-")[0] for name in names(folder)]
    assert stems == ["loss_backward", "loss_forward", *["loss_grad"] * 3, "loss_hessian"]


def test_names_and_texts_are_the_same_in_every_process(tmp_path: Path):
    (tmp_path / "model.py").write_text(
        "import numpy as np\nimport symdiff as sd\n"
        "def loss(p, n):\n    return np.sum(p['w'] ** n) + p['b']\n"
        "sd.grad(loss)({'w': np.ones(3), 'b': 1.0}, 3)\nsd.hessian(cube := lambda x: x**3)(2.0)\n"
    )
    found = []
    for seed in ("0", "1"):
        folder = tmp_path / seed
        environment = {**os.environ, "PYTHONHASHSEED": seed, "SYMDIFF_DUMP": str(folder)}
        command = [sys.executable, str(tmp_path / "model.py")]
        subprocess.run(command, env=environment, check=True, cwd=Path(__file__).parents[2])
        found.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert found[0]
    assert found[0] == found[1]


def test_functions_of_one_name_do_not_share_a_file(folder: Path):
    namespaces = [{"np": np}, {"np": np}]
    for number, names_ in enumerate(namespaces):
        where = folder.parent / str(number)
        where.mkdir(parents=True)
        file = where / "model.py"
        file.write_text(f"def loss(x):\n    return np.sum(x ** {number + 2})\n")
        exec(compile(file.read_text(), str(file), "exec"), names_)
        sd.grad(names_["loss"])(np.ones(2))
    texts = {path.read_text() for path in folder.iterdir()}
    assert len(texts) == 2


@pytest.mark.parametrize("name", ["../up", "/etc/name", "a\0b", "..", "x" * 500, "𝔛" * 99, "a\nb"])
def test_no_name_leads_out_of_the_folder(folder: Path, name: str):
    path = dump(name, "def f(x):\n    return x\n", "float")
    assert path is not None
    assert path.parent == folder
    assert set(names(folder.parent.parent)) == {"made", "generated", path.name}


def test_a_link_in_the_folder_is_replaced_not_followed(folder: Path, tmp_path: Path):
    text = "def f(x):\n    return x\n"
    outside = tmp_path / "outside.py"
    outside.write_text("precious")
    path = dump("linked", text, "float")
    assert path is not None
    path.unlink()
    path.symlink_to(outside)
    dump("linked", text, "float")
    assert outside.read_text() == "precious"
    assert not path.is_symlink()


def test_files_have_the_permissions_that_the_user_gives_new_files(folder: Path):
    before = os.umask(0o077)
    try:
        path = dump("private", "def f(x):\n    return x\n", "float")
    finally:
        os.umask(before)
    assert path is not None
    assert path.stat().st_mode & 0o777 == 0o600
    assert names(folder) == [path.name]


def test_threads_write_whole_files(folder: Path):
    text = "def f(x):\n" + "    x = x + 1\n" * 5000 + "    return x\n"
    seen: list[str] = []

    def work() -> None:
        for _ in range(5):
            path = dump("f", text, "float")
            assert path is not None
            seen.append(path.read_text())

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 40
    assert set(seen) == {text}
    assert len(names(folder)) == 1


def test_a_folder_that_cannot_be_written_to_is_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    file = tmp_path / "file"
    file.write_text("")
    monkeypatch.setenv("SYMDIFF_DUMP", str(file))

    def loss(x):
        return np.sum(x * x)

    with pytest.warns(RuntimeWarning, match="SYMDIFF_DUMP"):
        np.testing.assert_array_equal(sd.grad(loss)(np.ones(2)), [2.0, 2.0])


def test_nothing_is_written_where_nobody_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("SYMDIFF_DUMP", raising=False)
    monkeypatch.chdir(tmp_path)

    def loss(x):
        return np.sum(x * x)

    sd.grad(loss)(np.ones(2))
    assert names(tmp_path) == []
