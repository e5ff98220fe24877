"""Two networks, one graph, two losses: a generator learns two moons from a critic that learns too.

The critic is to tell points of the data from points that the generator makes; the generator is to
make points that the critic takes for data. Both losses come out of one function, so what the two
networks share is computed once: ``vjp`` runs it forward, and its pullback is asked twice, for the
derivative of the first loss by the critic's parameters and of the second by the generator's.

The critic's loss holds a gradient itself, the slope of the critic at the data. Each answer is
compared with the gradient of a function that returns that loss alone, and with the complex step
through losses worked out by hand; the points made in the end, with data that nobody was shown.
"""

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import make_moons

import symdiff as sd

Array = npt.NDArray[Any]
Parameters = list[tuple[Array, Array]]

NOISE, HIDDEN, BATCH, STEPS = 4, 48, 128, 3000
PENALTY = 0.05
RATE = 2e-3  # of Adam, for both; it falls linearly to nothing


def network(params: Parameters, x: Array) -> Array:
    """Layers with tanh between them."""
    for W, b in params[:-1]:
        x = np.tanh(x @ W + b)
    W, b = params[-1]
    made: Array = x @ W + b
    return made


def softplus(x: Array) -> Array:
    """log(1 + exp(x))."""
    value: Array = np.logaddexp(0.0, x)
    return value


@sd.differentiable
def losses(critic: Parameters, generator: Parameters, data: Array, noise: Array) -> tuple[Any, Any]:
    """The critic's cross-entropy, and the generator's: how surely its points are found out.

    The critic pays for steep slopes at the data, itself a gradient (Mescheder, Geiger and Nowozin,
    arXiv:1801.04406): without that the two chase each other for ever.
    """
    made = network(critic, network(generator, noise))
    known = network(critic, data)
    slopes = sd.grad(lambda x: np.sum(network(critic, x)))(data)
    steepness = np.mean(np.sum(slopes * slopes, axis=1))
    told = np.mean(softplus(-known)) + np.mean(softplus(made))
    return told + PENALTY * steepness, np.mean(softplus(-made))


class Adam:
    """Kingma and Ba's method (arXiv:1412.6980) for a list of ``(W, b)``, in place."""

    def __init__(self, params: Parameters) -> None:
        self.params = [array for layer in params for array in layer]
        self.mean = [np.zeros_like(array) for array in self.params]
        self.square = [np.zeros_like(array) for array in self.params]
        self.steps = 0

    def step(self, gradient: Parameters, rate: float) -> None:
        """One step against the gradient."""
        self.steps += 1
        parts = [array for layer in gradient for array in layer]
        for array, g, m, s in zip(self.params, parts, self.mean, self.square, strict=True):
            m += 0.5 * (g - m)
            s += 0.01 * (g * g - s)
            unbiased = np.sqrt(s / (1 - 0.99**self.steps)) + 1e-8
            array -= rate * (m / (1 - 0.5**self.steps)) / unbiased


def initial(rng: np.random.Generator, *sizes: int) -> Parameters:
    """Weights drawn so that every layer keeps its input's variance; zero biases."""
    return [(rng.normal(size=(m, n)) / np.sqrt(m), np.zeros(n)) for m, n in pairwise(sizes)]


def check_gradients(critic: Parameters, generator: Parameters, data: Array, noise: Array) -> None:
    """Each loss's share of one pullback is that loss's own gradient, and the complex step's."""
    _, pullback = losses.vjp(critic, generator, data, noise)
    by_critic, by_generator = pullback((1.0, 0.0))[0], pullback((0.0, 1.0))[1]
    alone = sd.grad(lambda critic: losses(critic, generator, data, noise)[0])(critic)
    other = sd.grad(lambda generator: losses(critic, generator, data, noise)[1])(generator)
    rng = np.random.default_rng(1)
    moves = [
        [(rng.normal(size=W.shape), rng.normal(size=b.shape)) for W, b in params]
        for params in (critic, generator)
    ]
    for k, (shared, own) in enumerate(((by_critic, alone), (by_generator, other))):
        np.testing.assert_allclose(flat(shared), flat(own), rtol=1e-10, atol=1e-14)
        pair = [critic, generator]
        pair[k] = [
            (W + 1e-30j * V, b + 1e-30j * v)
            for (W, b), (V, v) in zip(pair[k], moves[k], strict=True)
        ]
        along = by_hand(pair[0], pair[1], data, noise)[k].imag / 1e-30
        np.testing.assert_allclose(flat(shared) @ flat(moves[k]), along, rtol=1e-9)
    print("the shares of one pullback agree with each loss's own gradient and the complex step")


def flat(params: Parameters) -> Array:
    """All parameters as one vector."""
    return np.concatenate([array.ravel() for layer in params for array in layer])


def by_hand(
    critic: Parameters, generator: Parameters, data: Array, noise: Array
) -> tuple[Any, Any]:
    """Both losses with the slopes of the critic worked out on paper, for complex parameters too."""
    made, known = network(critic, network(generator, noise)), network(critic, data)
    hidden, states = data, []
    for W, b in critic[:-1]:
        hidden = np.tanh(hidden @ W + b)
        states.append(hidden)
    slopes = np.broadcast_to(critic[-1][0][:, 0], hidden.shape)
    for (W, _), state in zip(critic[-2::-1], states[::-1], strict=True):
        slopes = (slopes * (1 - state * state)) @ W.T
    entropy = [np.mean(np.log1p(np.exp(x))) for x in (-known, made, -made)]
    steepness = np.mean(np.sum(slopes * slopes, axis=1))
    return entropy[0] + entropy[1] + PENALTY * steepness, entropy[2]


def discrepancy(a: Array, b: Array) -> float:
    """The energy distance of two clouds of points (Székely and Rizzo, 2013)."""

    def mean_distance(p: Array, q: Array) -> float:
        return float(np.mean(np.linalg.norm(p[:, None] - q[None], axis=-1)))

    return 2 * mean_distance(a, b) - mean_distance(a, a) - mean_distance(b, b)


def moons(count: int, seed: int) -> Array:
    """Points on two interleaving half circles, centred."""
    points: Array = make_moons(count, noise=0.05, random_state=seed)[0]
    return points - [0.5, 0.25]


def draw(points: Array, width: int = 58, height: int = 14) -> str:
    """The points as characters."""
    counts, _, _ = np.histogram2d(
        points[:, 1], points[:, 0], bins=(height, width), range=((-1.1, 1.1), (-1.9, 1.9))
    )
    return "\n".join(
        "".join(" .:oO@"[min(int(n), 5)] for n in row).rstrip() for row in counts[::-1]
    )


def main() -> None:
    """Check the gradients, train both networks, compare what is made with unseen data."""
    rng = np.random.default_rng(0)
    data, unseen = moons(4000, 0), moons(1000, 1)
    critic = initial(rng, 2, HIDDEN, HIDDEN, 1)
    generator = initial(rng, NOISE, HIDDEN, HIDDEN, 2)
    check_gradients(critic, generator, data[:16], rng.normal(size=(16, NOISE)))

    test_noise = rng.normal(size=(1000, NOISE))
    before = discrepancy(network(generator, test_noise), unseen)
    ways = Adam(critic), Adam(generator)
    for step in range(STEPS):
        batch = data[rng.integers(len(data), size=BATCH)]
        values, pullback = losses.vjp(critic, generator, batch, rng.normal(size=(BATCH, NOISE)))
        by_critic, by_generator = pullback((1.0, 0.0))[0], pullback((0.0, 1.0))[1]
        for way, gradient in zip(ways, (by_critic, by_generator), strict=True):
            way.step(gradient, RATE * (1 - step / STEPS))
        if step % (STEPS // 6) == 0 or step == STEPS - 1:
            made = network(generator, test_noise)
            print(
                f"step {step:5d}  critic {values[0]:.3f}  generator {values[1]:.3f}"
                f"  distance to unseen data {discrepancy(made, unseen):.4f}"
            )
    after = discrepancy(made, unseen)
    print(draw(made))
    assert after < before / 10, f"distance {before:.4f} before, {after:.4f} after training"


if __name__ == "__main__":
    main()
