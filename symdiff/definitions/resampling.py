"""Other rates: ``scipy.signal.upfirdn``, ``resample_poly`` and ``decimate``, by the recurrence."""

import math
import operator

import numpy as np

from symdiff.definitions.declare import refuse, registered
from symdiff.definitions.filters import recurrence, sosfilt
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.smoothing import sosfiltfilt
from symdiff.definitions.staged import valued


def upfirdn(h, x, up=1, down=1, axis=-1, mode="constant", cval=0):
    """A convolution of elements with ``up - 1`` zeros between them; of that each ``down``-th."""
    h, x = np.asarray(h), np.asarray(x)
    if h.ndim != 1 or h.size == 0:
        raise ValueError("h must be 1-D with non-zero length")
    up, down = int(up), int(down)
    if up < 1 or down < 1:
        raise ValueError("Both up and down must be >= 1")
    if mode != "constant" or cval != 0:
        refuse(f"mode={mode!r} with cval={cval!r} (extend x by np.pad)")
    kind = np.result_type(h.dtype, x.dtype, np.float32)
    lines = np.moveaxis(x, axis, -1).astype(kind)
    count, outer = lines.shape[-1], lines.shape[:-1]
    gaps = np.zeros((*outer, count, up - 1), kind)
    apart = np.concatenate((lines[..., None], gaps), axis=-1).reshape((*outer, count * up))
    whole = np.concatenate((apart, np.zeros((*outer, len(h)), kind)), axis=-1)
    whole = whole[..., : (count - 1) * up + len(h)]
    made = recurrence(h.astype(kind), np.ones(1, kind), whole)
    return np.moveaxis(made[..., ::down], -1, axis)


def resample_poly(x, up, down, axis=0, window=("kaiser", 5.0), padtype="constant", cval=None):
    """Filtered by a window in the middle of ``up`` times as many elements; each ``down``-th."""
    x = np.asarray(x)
    if up != int(up):
        raise ValueError("up must be an integer")
    if down != int(down):
        raise ValueError("down must be an integer")
    up, down = int(up), int(down)
    if up < 1 or down < 1:
        raise ValueError("up and down must be >= 1")
    if cval is not None and padtype != "constant":
        raise ValueError("cval has no effect when padtype is ", padtype)
    if cval is not None and cval != 0:
        refuse("cval= (subtract it before, add it behind)")
    divisor = math.gcd(up, down)
    up, down = up // divisor, down // divisor
    if up == down == 1:
        return x.copy()
    level = _level(x, padtype, axis)
    lines = np.moveaxis(x if level is None else x - level, axis, -1)
    kept = lines.shape[-1]
    weights = up * _low_pass(window, max(up, down), x.dtype)
    half = (len(weights) - 1) // 2
    before = down - half % down
    weights = np.concatenate((np.zeros(before, weights.dtype), weights))
    beyond = down * (1 + len(weights) // (up * down)) if padtype in _EXTENDED else 0
    made = upfirdn(weights, _extended(lines, padtype, beyond), up, down)
    count = -(-kept * up // down)
    first = (half + before) // down + beyond * up // down
    whole = np.concatenate((made, np.zeros((*made.shape[:-1], first + count), made.dtype)), axis=-1)
    made = np.moveaxis(whole[..., first : first + count], -1, axis)
    if beyond:
        return valued(made, computed(made, _resampled, x, up, down, axis, window, padtype))
    return made if level is None else made + level.astype(made.dtype)


def _resampled(x, up, down, axis, window, padtype):
    from scipy.signal import resample_poly as found

    return found(x, up, down, axis, window, padtype)


def _level(x, padtype, axis):
    """What a signal is taken to be beyond its ends; None where that is 0."""
    if padtype == "constant" or padtype in _EXTENDED:
        return None
    if padtype == "mean":
        return np.mean(x, axis=axis, keepdims=True)
    if padtype == "median":
        return np.median(x, axis=axis, keepdims=True)
    if padtype == "minimum":
        return np.min(x, axis=axis, keepdims=True)
    if padtype == "maximum":
        return np.max(x, axis=axis, keepdims=True)
    refuse(f"padtype={padtype!r} (extend x by np.pad)")


_EXTENDED = ("edge", "line", "reflect", "smooth", "symmetric", "wrap")


def _extended(lines, padtype, beyond):
    """Lines that go on beyond both ends."""
    if padtype not in _EXTENDED:
        return lines
    if padtype not in ("line", "smooth"):
        wide = [(0, 0) for _ in range(lines.ndim - 1)]
        return np.pad(lines, (*wide, (beyond, beyond)), mode=padtype)
    first, last = lines[..., :1], lines[..., -1:]
    if padtype == "line":
        with np.errstate(invalid="ignore"):  # of one element
            rise = fall = (last - first) / (lines.shape[-1] - 1)
    else:
        fall, rise = lines[..., 1:2] - first, last - lines[..., -2:-1]
    steps = np.arange(1, beyond + 1).astype(rise.dtype)
    return np.concatenate((first - fall * steps[::-1], lines, last + rise * steps), axis=-1)


def _low_pass(window, rate, kind):
    """The filter that is given, or one of a window that is told by its name."""
    from scipy.signal import firwin

    if isinstance(window, (list, np.ndarray)):
        given = np.asarray(window)
        if given.ndim > 1:
            raise ValueError("window must be 1-D")
        return given
    made = firwin(20 * rate + 1, 1.0 / rate, window=window)
    return made.astype(kind) if np.issubdtype(kind, np.inexact) else made


def decimate(x, q, n=None, ftype="iir", axis=-1, zero_phase=True):
    """Filtered against what each ``q``-th element cannot tell from lower frequencies."""
    from scipy.signal import cheby1, firwin

    x = np.asarray(x)
    q = operator.index(q)
    kind = np.dtype(np.float64)
    if x.dtype.char in "fdFD":
        kind = x.dtype
    if ftype == "fir":
        weights = firwin((20 * q if n is None else n) + 1, 1.0 / q, window="hamming").astype(kind)
        if zero_phase:
            return resample_poly(x, 1, q, axis, weights)
        made = np.moveaxis(upfirdn(weights, x, 1, q, axis), axis, -1)
        return np.moveaxis(made[..., : -(-x.shape[axis] // q)], -1, axis)
    if ftype != "iir":
        refuse(f"ftype={ftype!r} (give 'iir' or 'fir')")
    order = 8 if n is None else n
    sections = cheby1(order, 0.05, 0.8 / q, output="sos").astype(kind)
    if zero_phase:
        made = sosfiltfilt(sections, x, axis, "odd", 3 * (order + 1))
    else:
        made = sosfilt(sections, x, axis)
    return np.moveaxis(np.moveaxis(made, axis, -1)[..., ::q], -1, axis)


@when_imported("scipy.signal")
def register(signal):
    """Say what the functions mean."""
    registered(signal, upfirdn, resample_poly, decimate, rounded=True)
