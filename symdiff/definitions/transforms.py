"""Transforms of ``scipy.fft``: those of Fourier by ``numpy.fft``, of cosines and sines by those.

The sums that define the four types are parts of a Fourier transform of the line filled up with
zeros, or extended by its mirror image, times factors of modulus 1 (Makhoul 1980).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, defines_inside, refuse
from symdiff.definitions.libraries import when_imported

# Fourier ------------------------------------------------------------------------------------------


def _in_time(name):
    """A transform of ``scipy.fft`` along one axis."""
    function = getattr(np.fft, name)

    def transform(x, n=None, axis=-1, norm=None):
        return function(x, n, axis, norm)

    return transform


def _in_the_plane(name):
    function = _numpys(name)

    def transform(x, s=None, axes=(-2, -1), norm=None):
        return function(x, s, axes, norm)

    return transform


def _in_space(name):
    function = _numpys(name)

    def transform(x, s=None, axes=None, norm=None):
        if s is not None and axes is None:
            lengths = tuple(s) if isinstance(s, (tuple, list)) else (s,)
            return function(x, lengths, tuple(range(-len(lengths), 0)), norm)
        return function(x, s, axes, norm)

    return transform


def _numpys(name):
    """NumPy's function, which takes a half spectrum of one entry as well where SciPy does."""
    function: Callable[..., Any] = getattr(np.fft, name)
    if not name.startswith("irfft"):
        return function

    def of_half(x, s, axes, norm):
        x = np.asarray(x)
        axes = tuple(range(x.ndim)) if axes is None else axes
        if s is None and x.shape[axes[-1]] == 1:
            s = tuple([x.shape[axis] for axis in axes])
        return function(x, s, axes, norm)

    return of_half


def fftfreq(n, d=1.0):
    return np.fft.fftfreq(n, d)


def rfftfreq(n, d=1.0):
    return np.fft.rfftfreq(n, d)


def fftshift(x, axes=None):
    return np.fft.fftshift(x, axes)


def ifftshift(x, axes=None):
    return np.fft.ifftshift(x, axes)


def hfftn(x, s=None, axes=None, norm=None):
    """A transform of what is symmetric and conjugated, of which half is given."""
    return _in_space("irfftn")(np.conj(x), s, axes, _BACK[norm])


def ihfftn(x, s=None, axes=None, norm=None):
    """The half of a transform back of real numbers."""
    return np.conj(_in_space("rfftn")(x, s, axes, _BACK[norm]))


def hfft2(x, s=None, axes=(-2, -1), norm=None):
    return hfftn(x, s, axes, norm)


def ihfft2(x, s=None, axes=(-2, -1), norm=None):
    return ihfftn(x, s, axes, norm)


_BACK = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


# Cosines and sines --------------------------------------------------------------------------------


def _turned(x, shift, divisor):
    """Lines times ``exp(-iπ (k + shift) / divisor)``."""
    angles = (np.arange(x.shape[-1]) + shift) * (np.pi / divisor)
    cosines, sines = np.cos(angles).astype(x.real.dtype), np.sin(angles).astype(x.real.dtype)
    return x * cosines - 1j * (x * sines)


def _sums(x, type, sines):
    """The unscaled sums of real lines."""
    n = x.shape[-1]
    zero = np.zeros_like(x[..., :1])
    if type == 1:
        if sines:
            line = np.concatenate((zero, x, zero, -x[..., ::-1]), axis=-1)
            return -np.fft.rfft(line).imag[..., 1 : n + 1]
        return np.fft.rfft(np.concatenate((x, x[..., -2:0:-1]), axis=-1)).real
    if type == 2:
        if sines:
            x = x * _signs(x)
        made = 2 * _turned(np.fft.fft(x, 2 * n)[..., :n], 0, 2 * n).real
        return made[..., ::-1] if sines else made
    if type == 3:
        if sines:
            x = x[..., ::-1]
        first = np.concatenate((x[..., :1] / 2, x[..., 1:]), axis=-1)
        made = 2 * np.fft.fft(_turned(first, 0, 2 * n), 2 * n)[..., :n].real
        return made * _signs(x) if sines else made
    if sines:
        x = x * _signs(x)
    spectrum = np.fft.fft(_turned(x, 0, 2 * n), 2 * n)[..., :n]
    made = 2 * _turned(spectrum, 0.5, 2 * n).real
    return made[..., ::-1] if sines else made


def _signs(x):
    return (1 - 2 * (np.arange(x.shape[-1]) % 2)).astype(x.dtype)


def _scaled_ends(x, type, sines, inverse):
    """The ends of a line in or of an orthogonal transform, times the root of 2 or 1/2."""
    factor = 0.5**0.5 if inverse else 2.0**0.5
    if type == 1:
        return np.concatenate((x[..., :1] * factor, x[..., 1:-1], x[..., -1:] * factor), axis=-1)
    if sines:
        return np.concatenate((x[..., :-1], x[..., -1:] * factor), axis=-1)
    return np.concatenate((x[..., :1] * factor, x[..., 1:]), axis=-1)


def _one_way(x, type, n, axis, norm, sines, back, orthogonalize):
    if type not in (1, 2, 3, 4):
        raise ValueError(f"Invalid type for transform: {type}")
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f'Invalid norm value {norm!r}, should be "backward", "ortho" or "forward"')
    lines = np.moveaxis(np.asarray(x), axis, -1)
    if lines.dtype.kind in "biu":
        lines = lines.astype(float)
    if n is not None:
        whole = np.concatenate((lines, np.zeros((*lines.shape[:-1], n), lines.dtype)), axis=-1)
        lines = whole[..., :n]
    if np.iscomplexobj(lines):
        made = _real_one(lines.real, type, norm, sines, back, orthogonalize)
        made = made + 1j * _real_one(lines.imag, type, norm, sines, back, orthogonalize)
    else:
        made = _real_one(lines, type, norm, sines, back, orthogonalize)
    return np.moveaxis(made, -1, axis)


def _real_one(x, type, norm, sines, back, orthogonalize):
    """A transform of real lines, back by the type that undoes it."""
    even = norm == "ortho" if orthogonalize is None else orthogonalize
    kind = {2: 3, 3: 2}.get(type, type) if back else type
    if even and ((kind == 1 and not sines) or kind == 3):
        x = _scaled_ends(x, kind, sines, False)
    made = _sums(x, kind, sines)
    if even and ((kind == 1 and not sines) or kind == 2):
        made = _scaled_ends(made, kind, sines, True)
    count = 2 * x.shape[-1]
    if kind == 1:
        count = count + 2 if sines else count - 2
    if norm == "ortho":
        return made / np.sqrt(count).astype(made.dtype)
    if (norm == "forward") != back:
        return made / count
    return made


def _trigonometric(name):
    """A transform by its name, which is known: so is what it is of."""

    def transform(x, type=2, n=None, axis=-1, norm=None, orthogonalize=None):
        sines, back = "s" in name, name.startswith("i")
        return _one_way(x, type, n, axis, norm, sines, back, orthogonalize)

    return transform


def _trigonometric_in_space(name):
    def transform(x, type=2, s=None, axes=None, norm=None, orthogonalize=None):
        sines, back = "s" in name, name.startswith("i")
        made = np.asarray(x)
        if axes is None:
            axes = tuple(range(made.ndim))
            if s is not None:
                axes = axes[-len(s) :]
        elif isinstance(axes, int):
            axes = (axes,)
        for k in range(len(axes)):
            length = None if s is None else s[k]
            made = _one_way(made, type, length, axes[k], norm, sines, back, orthogonalize)
        return made

    return transform


_TRIGONOMETRIC = ("dct", "idct", "dst", "idst")


def next_fast_len(target, real=False):
    """The least product of small primes that is not below: up to 5, of complex data up to 11."""
    if target < 0:
        raise ValueError("Target length must be positive")
    best = 2 * target
    elevens = 1
    while elevens < best:
        sevens = elevens
        while sevens < best:
            fives = sevens
            while fives < best:
                threes = fives
                while threes < best:
                    made = threes
                    while made < target:
                        made *= 2
                    best = min(best, made)
                    threes *= 3
                fives *= 5
            if real:
                break
            sevens *= 7
        if real:
            break
        elevens *= 11
    return best


# Of ``scipy.fftpack`` -----------------------------------------------------------------------------


def rfft_fftpack(x, n=None, axis=-1, norm=None):
    """A transform of real lines, whose real and imaginary parts stand one behind the other."""
    lines = _real_lines(x, axis)
    count = lines.shape[-1] if n is None else n
    spectrum = np.fft.rfft(lines, count, -1, norm)
    parts = np.stack((spectrum.real, spectrum.imag), axis=-1)
    parts = np.reshape(parts, (*lines.shape[:-1], 2 * spectrum.shape[-1]))
    made = np.concatenate((parts[..., :1], parts[..., 2 : count + 1]), axis=-1)
    return np.moveaxis(made, -1, axis)


def irfft_fftpack(x, n=None, axis=-1, norm=None):
    """The real lines of which parts are given that stand one behind the other."""
    lines = _real_lines(x, axis)
    if n is not None:
        filled = np.concatenate((lines, np.zeros((*lines.shape[:-1], n), lines.dtype)), axis=-1)
        lines = filled[..., :n]
    count = lines.shape[-1]
    zeros = np.zeros_like(lines[..., :1])
    real = np.concatenate((lines[..., :1], lines[..., 1::2]), axis=-1)
    imaginary = np.concatenate((zeros, lines[..., 2::2], zeros), axis=-1)[..., : count // 2 + 1]
    return np.moveaxis(np.fft.irfft(real + 1j * imaginary, count, -1, norm), -1, axis)


def _real_lines(x, axis):
    lines = np.moveaxis(np.asarray(x), axis, -1)
    if np.iscomplexobj(lines):
        raise TypeError("x must be a real sequence")
    return lines if lines.dtype.kind == "f" else lines.astype(float)


# What is called is told whether it may write what it is given: it is left as it is.


def _leave(overwrite_x):
    if overwrite_x:
        refuse("overwrite_x=True")


def _lines_left(transform):
    def called(x, n=None, axis=-1, norm=None, overwrite_x=False):
        _leave(overwrite_x)
        return transform(x, n, axis, norm)

    return called


def _grids_left(transform):
    def called(x, s=None, axes=None, norm=None, overwrite_x=False):
        _leave(overwrite_x)
        return transform(x, s, axes, norm)

    return called


def _typed_lines_left(transform):
    def called(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False):
        _leave(overwrite_x)
        return transform(x, type, n, axis, norm)

    return called


def _typed_grids_left(transform):
    def called(x, type=2, s=None, axes=None, norm=None, overwrite_x=False):
        _leave(overwrite_x)
        return transform(x, type, s, axes, norm)

    return called


@when_imported("scipy.fftpack")
def register_inside(fftpack):
    """Say what ``scipy.fftpack`` calls."""
    from scipy.fft import _pocketfft as called

    for name in ("fft", "ifft"):
        defines_inside(getattr(called, name), _lines_left(_in_time(name)), rounded=True)
        named = f"{name}n"
        defines_inside(getattr(called, named), _grids_left(_in_space(named)), rounded=True)
    for name in _TRIGONOMETRIC:
        lines, grids = _trigonometric(name), _trigonometric_in_space(name)
        defines_inside(getattr(called, name), _typed_lines_left(lines), rounded=True)
        defines_inside(getattr(called, f"{name}n"), _typed_grids_left(grids), rounded=True)
    for definition in (rfft_fftpack, irfft_fftpack):
        function = getattr(called, definition.__name__)
        defines_inside(function, _lines_left(definition), rounded=True)


@when_imported("scipy.fft")
def register(fft):
    """Say what the functions mean."""
    for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
        defines(getattr(fft, name), rounded=True)(_in_time(name))
    for name in ("fft2", "ifft2", "rfft2", "irfft2"):
        defines(getattr(fft, name), rounded=True)(_in_the_plane(name))
    for name in ("fftn", "ifftn", "rfftn", "irfftn"):
        defines(getattr(fft, name), rounded=True)(_in_space(name))
    for definition in (fftfreq, rfftfreq, fftshift, ifftshift, next_fast_len):
        defines(getattr(fft, definition.__name__))(definition)
    for definition in (hfft2, ihfft2, hfftn, ihfftn):
        defines(getattr(fft, definition.__name__), rounded=True)(definition)
    for name in _TRIGONOMETRIC:
        defines(getattr(fft, name), rounded=True)(_trigonometric(name))
        defines(getattr(fft, f"{name}n"), rounded=True)(_trigonometric_in_space(name))
