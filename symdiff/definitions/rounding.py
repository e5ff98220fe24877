"""Functions whose result is an array of one kind or of another, by what is in their argument, and
whether a float is whole.
"""

import numpy as np

from symdiff.definitions.declare import defines


@defines(np.real_if_close)
def real_if_close(a, tol=100):
    """The real parts where no imaginary part is more than rounding, else the array itself."""
    array = np.asanyarray(a)
    if not np.iscomplexobj(array):
        return array
    if tol > 1:
        tol = (1.1920929e-07 if array.dtype == np.complex64 else 2.220446049250313e-16) * tol
    if np.all(np.absolute(array.imag) < tol):
        return array.real
    return array


def is_integer(number):
    """What floats say by their method; of what is not finite the remainder is NaN."""
    return float(number) % 1.0 == 0.0
