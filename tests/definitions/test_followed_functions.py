"""Functions of SciPy's that are followed into their source, by differences."""

import numpy as np
import pytest
from scipy import constants, integrate, interpolate

from tests.definitions.calls import check

X = np.array([0.31, 0.74, 1.12, 1.63, 2.05, 2.9])
K = np.linspace(0.0, 5.0, 6)


@pytest.mark.parametrize(
    "found",
    [
        lambda x: integrate.cumulative_simpson(x, x=K + 0.1 * x),
        lambda x: integrate.cumulative_simpson(x, dx=0.5, initial=1.0),
        lambda x: integrate.cumulative_simpson(x.reshape(2, 3), dx=x[0], axis=0),
        lambda x: np.dot(integrate.newton_cotes(5, 1)[0], x),
        lambda x: interpolate.pade(x, 2)[0](0.3) + interpolate.pade(x, 2)[1](0.3),
        lambda x: interpolate.pchip_interpolate(K, x, np.array([0.3, 1.7])),
        lambda x: constants.nu2lambda(x) / 1e8,
        lambda x: constants.lambda2nu(x) / 1e8,
        lambda x: constants.convert_temperature(x, "Celsius", "F"),
    ],
)
def test_functions_that_are_followed(found):
    check(found, X, step=0.005)
