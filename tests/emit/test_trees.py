"""Trees that say the same."""

import ast

import pytest

from symdiff.emit.trees import same_tree


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x + 1", "x + 2"),
        ("x + 1", "x + 1.0"),
        ("f(0.0)", "f(-0.0)"),
        ("f(x, y)", "f(x)"),
        ("f(x)", "f(*x)"),
        ("x[1:]", "x[:1]"),
        ("x[1:]", "x[1::]  # the same"),
        ("True", "1"),
        ("'1'", "1"),
    ],
)
def test_trees_are_the_same_where_their_dumps_are(one: str, other: str):
    a, b = (ast.parse(text, mode="eval") for text in (one, other))
    assert same_tree(a, b) == (ast.dump(a) == ast.dump(b))
    assert same_tree(a, ast.parse(one, mode="eval"))


def test_depth_is_no_limit():
    trees = []
    for _ in range(2):
        tree: ast.expr = ast.Name("x", ast.Load())
        for _ in range(50_000):
            tree = ast.UnaryOp(ast.USub(), tree)
        trees.append(tree)
    assert same_tree(*trees)
