"""What ``astropy.timeseries`` computes in Cython: the periodogram of Lomb and Scargle."""

import numpy as np

from symdiff.definitions.declare import defines_inside
from symdiff.definitions.libraries import when_imported


def lombscargle(t, y, dy, frequency, normalization="standard", fit_mean=True, center_data=True):
    """Astropy's own Python for the same sums, in double precision."""
    from astropy.timeseries.periodograms.lombscargle.implementations import slow_impl

    t, y, dy = np.broadcast_arrays(t, y, 1.0 if dy is None else dy)
    return slow_impl.lombscargle_slow(
        np.asarray(t, np.float64),
        np.asarray(y, np.float64),
        np.asarray(dy, np.float64),
        np.asarray(frequency, np.float64),
        normalization,
        fit_mean,
        center_data,
    )


@when_imported("astropy.timeseries.periodograms.lombscargle.implementations.cython_impl")
def register(compiled):
    """Say what the compiled function is."""
    defines_inside(compiled.lombscargle_cython, lombscargle, rounded=True)
