"""Interpolation of ``scipy.interpolate`` on grids of any number of axes."""

import itertools
from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, refuse
from symdiff.definitions.libraries import when_imported


class Grid:
    """Values on a grid, of which what is between is asked."""

    def __init__(self, points, values, method, bounds_error, fill_value):
        self.points, self.values, self.method = points, values, method
        self.bounds_error, self.fill_value = bounds_error, fill_value

    def __call__(self, xi, method=None, *, nu=None):
        from scipy.interpolate import interpn as interpolated

        if nu is not None:
            refuse("nu=")
        method = self.method if method is None else method
        places = _stacked(xi, len(self.points))
        made = interpolated(
            self.points, self.values, places, method, self.bounds_error, self.fill_value
        )
        return made.reshape(made.shape[1:]) if places.ndim == 1 else made

    def __getattr__(self, name):
        refuse(f"the attribute {name} of what it gives")


def regular_grid_interpolator(
    points,
    values,
    method="linear",
    bounds_error=True,
    fill_value=np.nan,
    *,
    solver=None,
    solver_args=None,
):
    return Grid(points, values, method, bounds_error, fill_value)


def interpn(points, values, xi, method="linear", bounds_error=True, fill_value=np.nan):
    """Sums of the values at the corners of the cells in which what is sought lies."""
    if method not in ("linear", "nearest", *_DEGREES):
        refuse(f"method={method!r}")
    table = np.asarray(values)
    if table.dtype.kind not in "fc":
        table = table.astype(float)
    grids = [np.asarray(p, dtype=float) for p in points]
    for grid in grids:
        if np.any(np.diff(grid) <= 0):
            raise ValueError("symdiff takes grids whose points strictly ascend")
    places, count = _stacked(xi, len(grids)), len(grids)
    if places.ndim == 1:
        places = places[None]
    columns = places.reshape(-1, count)
    made = (_splined if method in _DEGREES else _between)(grids, table, columns, method)
    wide = (-1,) + (1,) * (table.ndim - count)
    if not bounds_error and fill_value is not None:
        outside = np.zeros(len(columns), bool)
        for k, grid in enumerate(grids):
            outside = outside | (columns[:, k] < grid[0]) | (columns[:, k] > grid[-1])
        made = np.where(outside.reshape(wide), fill_value, made)
    return made.reshape(places.shape[:-1] + table.shape[count:])


def _stacked(xi, count):
    """Points with their coordinates last; a tuple of arrays is broadcast, a row is of points."""
    if isinstance(xi, tuple) and len(xi) == 1:
        xi = xi[0]
    if isinstance(xi, tuple):
        parts = np.broadcast_arrays(*xi)
        return np.stack([np.asarray(part, dtype=float) for part in parts], axis=-1)
    places = np.asarray(xi, dtype=float)
    return places.reshape(-1, count) if places.ndim == 1 else places


def _between(grids, table, columns, method):
    """The values between the points of a grid; outside those on the lines that go on."""
    lower, shares = [], []
    for k, grid in enumerate(grids):
        at = np.clip(np.searchsorted(grid, columns[:, k]) - 1, 0, len(grid) - 2)
        lower.append(at)
        shares.append((columns[:, k] - grid[at]) / (grid[at + 1] - grid[at]))
    if method == "nearest":
        nearest = [np.where(s <= 0.5, at, at + 1) for at, s in zip(lower, shares, strict=True)]
        return table[tuple(nearest)]
    wide = (-1,) + (1,) * (table.ndim - len(grids))
    made: Any = 0.0
    for corner in itertools.product((0, 1), repeat=len(grids)):
        weight: Any = 1.0
        for share, upper in zip(shares, corner, strict=True):
            weight = weight * (share if upper else 1 - share)
        at = tuple(low + upper for low, upper in zip(lower, corner, strict=True))
        made = made + table[at] * weight.reshape(wide)
    return made


_DEGREES = {"slinear": 1, "cubic": 3, "quintic": 5}


def _splined(grids, table, columns, method):
    """The products of splines along the axes, each by its values at the points of the grid."""
    from scipy.interpolate import make_interp_spline

    if table.dtype.kind == "c":
        refuse("complex values")
    made: Any = table
    for k, grid in enumerate(grids):
        shares = make_interp_spline(grid, np.eye(len(grid)), _DEGREES[method])(columns[:, k])
        made = np.einsum("mj,j...->m..." if k == 0 else "mj,mj...->m...", shares, made)
    return made


def _called(self, xi, method=None):
    """A grid that was made outside of the program."""
    made = Grid(self._grid, self._values, self.method, self.bounds_error, self.fill_value)
    return made(xi, method)


@when_imported("scipy.interpolate")
def register(interpolate):
    """Say what the class, its objects and the function mean."""
    defines(interpolate.RegularGridInterpolator)(regular_grid_interpolator)
    defines(interpolate.RegularGridInterpolator.__call__)(_called)
    defines(interpolate.interpn, rounded=True, checks=True)(interpn)
