"""The pattern of a sparse matrix as a picture: the places that may be other than zero, dark.

A matrix of more than ``CELLS`` rows or columns is drawn in cells, the darker the fuller.
"""

from __future__ import annotations

import numpy as np

CELLS = 128  # along an axis, at most
_WIDTH = 320  # pixels, of the longer axis
_SHADES = 8


def picture_of(rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int]) -> str:
    """An ``<svg>`` element of the places ``(rows[k], columns[k])``, in the colour of the text
    around it.

    >>> picture = picture_of(np.array([0, 1]), np.array([0, 1]), (2, 2))
    >>> picture[picture.index("<path"):]
    '<path fill="currentColor" fill-opacity="1" d="M0 0h1v1h-1zM1 1h1v1h-1z"/></svg>'
    """
    height, width = (max(length, 1) for length in shape)
    scale = max(height, width) / min(max(height, width), CELLS)
    high, wide = (int(np.ceil(length / scale)) for length in (height, width))
    counts = np.zeros((high, wide))
    np.add.at(counts, ((rows / scale).astype(int), (columns / scale).astype(int)), 1.0)
    shades = np.ceil(_SHADES * np.sqrt(counts / max(counts.max(), 1.0))).astype(int)
    pixels = _WIDTH / max(high, wide)
    paths = "".join(_path(shades == shade, shade / _SHADES) for shade in range(1, _SHADES + 1))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{pixels * wide:.0f}"'
        f' height="{pixels * high:.0f}" viewBox="0 0 {wide} {high}">'
        f"<title>{shape[0]} × {shape[1]}, {len(rows)} places</title>"
        f'<rect width="{wide}" height="{high}" fill="none" stroke="currentColor"'
        f' stroke-width="{max(high, wide) / 200:g}"/>{paths}</svg>'
    )


def _path(cells: np.ndarray, opacity: float) -> str:
    """The squares of one shade."""
    squares = "".join(f"M{column} {row}h1v1h-1z" for row, column in np.argwhere(cells))
    if not squares:
        return ""
    return f'<path fill="currentColor" fill-opacity="{opacity:g}" d="{squares}"/>'
