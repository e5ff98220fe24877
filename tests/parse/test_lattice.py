"""What the page about loops shows is what the front end does."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import numpy as np

import symdiff as sd
from symdiff.ir.control import loop
from symdiff.ir.graph import walk_nodes
from symdiff.parse.lattice import key_name
from symdiff.parse.values import Token, called
from symdiff.pipeline import staged_at
from symdiff.runtime.signature import signature_of

PAGE = Path(sd.__file__).with_name("README.md").read_text(encoding="utf-8")


def test_the_loop_of_the_page_becomes_the_ir_that_it_shows(tmp_path: Path) -> None:
    blocks = re.findall(r"```(python)?\n(.*?)```", PAGE, re.DOTALL)
    code, shown = (text for _, text in blocks)
    path = tmp_path / "page.py"
    path.write_text(f"import numpy as np\n\n{code}", encoding="utf-8")
    specification = importlib.util.spec_from_file_location("page", path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    given = np.arange(3.0), 3
    made, _ = staged_at(module.running, signature_of(("x", "n"), given), given)
    node = next(node for node in walk_nodes(made.graph.block) if node.op is loop)
    staged = [inner.op.name for inner in node.blocks[0].nodes]
    named = re.findall(r"= (\w+)\(", shown)
    assert named == ["loop", "index", "multiply", "index_set", "sum", "list_push"]
    assert [name for name in staged if name in named] == named[1:]
    parameters = [parameter.name for parameter in node.blocks[0].parameters]
    assert parameters[:3] == re.findall(r"%\d+:(\w+)", shown.split("block(")[1])[:3]


def test_what_a_try_keeps_is_told_in_words():
    assert called(key_name((Token(), 0))) == "the exception that is handled"
