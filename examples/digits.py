"""Train a network on handwritten digits with a gradient generated from plain NumPy.

    python examples/digits.py                                  scikit-learn's bundled digits
    python examples/digits.py --fashion-mnist FOLDER           the four idx files, gzipped or not
    python examples/digits.py --csv FILE --label COLUMN        numbers in columns, a label by name

The network is two hidden layers of 512 rectified linear units and a softmax; the parameters are a
list of ``(W, b)`` tuples; ``loss`` is what anyone would write. Its gradient comes back as the same
list of tuples. Before training it is compared with a complex step through ``loss`` itself, and at
the end the generated code is printed.
"""

import argparse
import csv
import gzip
import struct
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

import symdiff as sd

Array = npt.NDArray[np.inexact]
Labels = npt.NDArray[np.int64]
Parameters = list[tuple[Array, Array]]

HIDDEN = (512, 512)
LEARNING_RATE = 0.1  # at the start; it falls linearly to nothing
BATCH = 32
EPOCHS = 20


def predict(params: Parameters, x: Array) -> Array:
    """The network: one row of class scores (logits) for each row of ``x``."""
    for W, b in params[:-1]:
        x = np.maximum(x @ W + b, 0.0)
    W, b = params[-1]
    scores: Array = x @ W + b
    return scores


@sd.differentiable
def loss(params: Parameters, x: Array, y: Labels) -> np.inexact:
    """Mean cross-entropy of the softmax of the scores with the labels ``y``."""
    scores = predict(params, x)
    scores = scores - np.max(scores, axis=1, keepdims=True)
    log_total = np.log(np.sum(np.exp(scores), axis=1))
    entropy: np.inexact = np.mean(log_total - scores[np.arange(len(y)), y])
    return entropy


@dataclass(frozen=True)
class Dataset:
    """Rows of features and their class numbers, in a part to learn from and one to test on."""

    name: str
    x_train: Array
    y_train: Labels
    x_test: Array
    y_test: Labels
    classes: int


def split(name: str, x: Array, labels: Iterable[object]) -> Dataset:
    """Hold out a random fifth of the rows, the same in every run."""
    classes, y = np.unique(np.asarray(labels), return_inverse=True)
    order = np.random.default_rng(0).permutation(len(x))
    test, train = np.split(order, [len(x) // 5])
    return Dataset(name, x[train], y[train], x[test], y[test], len(classes))


def load_digits() -> Dataset:
    """The 1797 images of 8 × 8 pixels that come with scikit-learn."""
    from sklearn.datasets import load_digits as bundled

    images, labels = bundled(return_X_y=True)
    return split("handwritten digits", (images / 16.0).astype(np.float32), labels)


def load_csv(path: Path, label: str) -> Dataset:
    """A table with a header: the column ``label`` holds the classes, all others hold numbers."""
    with path.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    if not rows or label not in rows[0]:
        raise SystemExit(f"{path}: no column {label!r} below a header")
    labels = [row.pop(label) for row in rows]
    try:
        x = np.array([[float(cell) for cell in row.values()] for row in rows])
    except (TypeError, ValueError) as error:
        raise SystemExit(f"{path}: every column but {label!r} must hold numbers: {error}") from None
    spread = x.std(axis=0)
    x = (x - x.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return split(path.name, x.astype(np.float32), labels)


def read_idx(folder: Path, stem: str) -> npt.NDArray[np.uint8]:
    """One array from a file in MNIST's idx format: a magic number, the sizes, the bytes."""
    for path in (folder / stem, folder / f"{stem}.gz"):
        if path.exists():
            data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            dimensions = data[3]
            shape = struct.unpack_from(f">{dimensions}I", data, 4)
            return np.frombuffer(data, np.uint8, offset=4 + 4 * dimensions).reshape(shape)
    raise SystemExit(f"{folder}: neither {stem} nor {stem}.gz is there")


def load_fashion_mnist(folder: Path) -> Dataset:
    """Fashion-MNIST, or MNIST, as it is distributed, with the split that comes with it."""
    x_train, x_test = (
        (read_idx(folder, f"{part}-images-idx3-ubyte") / np.float32(255.0)).reshape(-1, 28 * 28)
        for part in ("train", "t10k")
    )
    y_train, y_test = (
        read_idx(folder, f"{part}-labels-idx1-ubyte").astype(np.int64) for part in ("train", "t10k")
    )
    return Dataset(folder.name, x_train, y_train, x_test, y_test, int(y_train.max()) + 1)


def initial_parameters(features: int, classes: int, seed: int) -> Parameters:
    """Random weights with variance 2 / inputs (He et al., 2015, equation 10), and no bias."""
    rng = np.random.default_rng(seed)
    sizes = (features, *HIDDEN, classes)
    return [
        (
            (rng.normal(size=(n, m)) * np.sqrt(2.0 / n)).astype(np.float32),
            np.zeros(m, dtype=np.float32),
        )
        for n, m in pairwise(sizes)
    ]


def accuracy(params: Parameters, x: Array, y: Labels) -> float:
    """The share of rows whose highest score is the label's."""
    return float(np.mean(np.argmax(predict(params, x), axis=1) == y))


def save_parameters(path: Path, params: Parameters) -> None:
    """Write the arrays of the list of tuples, in order, to one npz file."""
    np.savez(path, *(array for layer in params for array in layer))


def load_parameters(path: Path) -> Parameters:
    """Read back what :func:`save_parameters` wrote."""
    with np.load(path) as kept:
        arrays = [kept[name] for name in kept.files]
    return list(zip(arrays[::2], arrays[1::2], strict=True))


def check_gradient(params: Parameters, x: Array, y: Labels, seed: int) -> float:
    """Compare the gradient along a random direction with a complex step; return the error.

    Im loss(params + ih·direction) / h has no cancellation (Squire and Trapp, 1998), so h may be so
    small that it crosses none of the kinks of the loss, and good to the last digits.
    """
    rng = np.random.default_rng(seed)
    params = [(W.astype(np.float64), b.astype(np.float64)) for W, b in params]
    x = x.astype(np.float64)
    direction = [(rng.normal(size=W.shape), rng.normal(size=b.shape)) for W, b in params]
    pairs = list(zip(params, direction, strict=True))

    h = 1e-30
    moved: Parameters = [(W + 1j * h * U, b + 1j * h * u) for (W, b), (U, u) in pairs]
    by_step = complex(loss(moved, x, y)).imag / h
    by_gradient = sum(
        float(np.sum(dW * U) + np.sum(db * u))
        for (dW, db), (U, u) in zip(loss.grad(params, x, y), direction, strict=True)
    )
    return abs(by_gradient - by_step) / abs(by_step)


def train(
    data: Dataset, params: Parameters, epochs: int, seed: int, console: Console
) -> Parameters:
    """Stochastic gradient descent in mini-batches; print loss and test accuracy by epoch."""
    rng = np.random.default_rng(seed)
    starts = range(0, len(data.x_train), BATCH)
    steps = epochs * len(starts)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("training", total=steps)
        for epoch in range(1, epochs + 1):
            order = rng.permutation(len(data.x_train))
            total = 0.0
            for start in starts:
                batch = order[start : start + BATCH]
                x, y = data.x_train[batch], data.y_train[batch]
                value, gradient = loss.value_and_grad(params, x, y)
                rate = LEARNING_RATE * (1.0 - progress.tasks[task].completed / steps)
                params = [
                    (W - rate * dW, b - rate * db)
                    for (W, b), (dW, db) in zip(params, gradient, strict=True)
                ]
                total += float(value) * len(batch)
                progress.advance(task)
            share = accuracy(params, data.x_test, data.y_test)
            progress.console.print(
                f"epoch {epoch:3}   loss {total / len(order):7.4f}   test accuracy {share:6.1%}",
                highlight=False,
            )
    return params


def parse_arguments() -> argparse.Namespace:
    """What may be said on the command line."""
    parser = argparse.ArgumentParser(description="Train a network with a generated gradient.")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--csv", type=Path, metavar="FILE", help="a table of your own")
    source.add_argument("--fashion-mnist", type=Path, metavar="FOLDER", help="the four idx files")
    parser.add_argument("--label", metavar="COLUMN", help="which column of --csv is the class")
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", type=Path, metavar="FILE", help="keep the parameters (npz)")
    parser.add_argument("--load", type=Path, metavar="FILE", help="start from kept parameters")
    parser.add_argument("--quick", action="store_true", help="three epochs, and a lower aim")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.epochs = 3
    if (arguments.csv is None) != (arguments.label is None):
        parser.error("--csv FILE and --label COLUMN go together")
    for path in (arguments.csv, arguments.fashion_mnist, arguments.load):
        if path is not None and not path.exists():
            parser.error(f"there is no {path}")
    return arguments


def load_dataset(arguments: argparse.Namespace) -> Dataset:
    """The user's own data where given, scikit-learn's digits otherwise."""
    if arguments.csv is not None:
        return load_csv(arguments.csv, arguments.label)
    if arguments.fashion_mnist is not None:
        return load_fashion_mnist(arguments.fashion_mnist)
    return load_digits()


def starting_parameters(arguments: argparse.Namespace, data: Dataset) -> Parameters:
    """Those kept from an earlier run where given, random ones otherwise."""
    features = data.x_train.shape[1]
    if arguments.load is None:
        return initial_parameters(features, data.classes, arguments.seed)
    params = load_parameters(arguments.load)
    shape = (params[0][0].shape[0], params[-1][0].shape[1])
    if shape != (features, data.classes):
        raise SystemExit(f"{arguments.load}: made for {shape[0]} features and {shape[1]} classes")
    return params


def save_and_reload(path: Path | None, params: Parameters, x: Array) -> None:
    """Keep the parameters, and hold that what is read back predicts the same."""
    with tempfile.TemporaryDirectory() as folder:
        kept = path if path is not None else Path(folder) / "parameters.npz"
        save_parameters(kept, params)
        np.testing.assert_array_equal(predict(load_parameters(kept), x), predict(params, x))


def main() -> None:
    """Check the gradient, train, hold the accuracy, keep the parameters, show the code."""
    arguments = parse_arguments()
    console = Console()
    data = load_dataset(arguments)
    params = starting_parameters(arguments, data)
    layers = "-".join(str(n) for n in (data.x_train.shape[1], *HIDDEN, data.classes))
    console.print(f"{data.name}: {len(data.x_train)} rows to learn from, a network {layers}")

    error = check_gradient(params, data.x_train[:BATCH], data.y_train[:BATCH], arguments.seed)
    console.print(f"gradient and complex step differ by {error:.0e} of their size")
    assert error < 1e-10

    began = time.perf_counter()
    params = train(data, params, arguments.epochs, arguments.seed, console)
    share = accuracy(params, data.x_test, data.y_test)
    console.print(f"{share:.1%} of the test part right after {time.perf_counter() - began:.1f} s")
    if arguments.csv is None and arguments.fashion_mnist is None and arguments.epochs >= 3:
        aim = 0.97 if arguments.epochs >= EPOCHS else 0.85
        assert share >= aim, f"expected at least {aim:.0%}"

    save_and_reload(arguments.save, params, data.x_test)
    console.print("\nThe generated forward and backward functions:\n")
    loss.source(params, data.x_train[:BATCH], data.y_train[:BATCH]).show()


if __name__ == "__main__":
    main()
