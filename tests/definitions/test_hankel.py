"""The fast Hankel transform, by differences."""

import numpy as np
import pytest
from scipy import fft

import symdiff as sd
from tests.definitions.calls import check

X = np.array([0.31, 0.74, 1.12, 1.63, 2.05, 2.9])


@pytest.mark.parametrize("transform", [fft.fht, fft.ifht])
@pytest.mark.parametrize(
    ("made", "given"),
    [
        (lambda x: np.exp(-x), (0.3, 0.5)),
        (lambda x: np.exp(-x[:5]), (0.3, 0.5, 0.1, 0.2)),
        (lambda x: np.exp(-x.reshape(2, 3)), (0.3, 1.5, 0.1)),
        (lambda x: x, (0.2, 0, 0.0, -0.3)),
    ],
)
def test_a_transform_by_the_signal(transform, made, given):
    check(lambda x: transform(made(x), *given), X)


@pytest.mark.parametrize("transform", [fft.fht, fft.ifht])
@pytest.mark.parametrize("count", [5, 6])
def test_a_transform_by_its_numbers(transform, count):
    def of_numbers(p):
        return transform(np.exp(-X[:count]), p[0], p[1], offset=p[2], bias=p[3])

    check(of_numbers, np.array([0.4, 0.7, 0.1, 0.2]), order=1)


def test_the_inverse_undoes_the_transform():
    def twice(x):
        return fft.ifht(fft.fht(x[:5], 0.3, 0.5, 0.1, 0.2), 0.3, 0.5, 0.1, 0.2)

    np.testing.assert_allclose(sd.jacobian(twice)(X), np.eye(6)[:5], atol=1e-12)
