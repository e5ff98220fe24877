"""Functions of another module, called by the programs of ``functions``."""

import numpy as np

CONSTANT = 6.674e-1


def kinetic_energy(mass, velocity):
    return 0.5 * mass * _square_norm(velocity)


def _square_norm(v):
    return np.sum(v * v)


def potential(x, stiffness=1.0):
    return stiffness * _square_norm(x - OFFSET) / 2


def gravity(m, r):
    return -CONSTANT * m / r**2


OFFSET = 0.3


class nested:
    @staticmethod
    def twice(x):
        return 2.0 * x**2
