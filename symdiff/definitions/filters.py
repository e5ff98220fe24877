"""Filters of ``scipy.signal``, by the linear recurrence, and what else is linear in a signal."""

from typing import Any

import numpy as np

from symdiff.definitions.declare import known_integer, refuse, registered
from symdiff.definitions.libraries import when_imported

# Recurrences --------------------------------------------------------------------------------------


def recurrence(b, a, x):
    """``scipy.signal.lfilter`` of the last axis: an op."""
    raise TypeError("recurrence is staged")


def _coefficients(c):
    c = np.atleast_1d(c)
    if c.ndim != 1:
        refuse("coefficients in several dimensions")
    return c


def lfilter(b, a, x, axis=-1, zi=None):
    b, a = _coefficients(b), _coefficients(a)
    lines = np.moveaxis(np.asarray(x), axis, -1)
    made = recurrence(b, a, lines)
    if zi is None:
        return np.moveaxis(made, -1, axis)
    state = np.moveaxis(np.asarray(zi), axis, -1)
    state = np.broadcast_to(state, lines.shape[:-1] + state.shape[-1:])
    whole = np.concatenate((state, np.zeros_like(lines)), axis=-1)
    made = made + recurrence(np.ones(1, a.dtype), a / a[0], whole[..., : lines.shape[-1]])
    left = _left(b / a[0], lines, state) - _left(a / a[0], made, state)
    left = left + whole[..., lines.shape[-1] :]
    return np.moveaxis(made, -1, axis), np.moveaxis(left, -1, axis)


def _left(c, lines, state):
    """What the last elements of lines leave of a convolution with coefficients, behind the end."""
    count = state.shape[-1]
    places = np.arange(count)[:, None] + np.arange(count) + 1
    table = np.concatenate((c, np.zeros(2 * count + 1, c.dtype)))[places]
    before = np.concatenate((np.zeros_like(state), lines), axis=-1)
    return before[..., lines.shape[-1] :][..., ::-1] @ table.T


def lfilter_zi(b, a):
    """The state in which a filter stays while its input is 1."""
    b, a = _coefficients(b), _coefficients(a)
    count = max(len(a), len(b))
    b = np.concatenate((b / a[0], np.zeros(count - len(b), b.dtype)))
    a = np.concatenate((a / a[0], np.zeros(count - len(a), a.dtype)))
    return np.cumsum(a[:-1]) * (np.sum(b) / np.sum(a)) - np.cumsum(b[:-1])


def sosfilt(sos, x, axis=-1, zi=None):
    """One section after the other."""
    sos = np.atleast_2d(sos)
    lines = np.moveaxis(np.asarray(x), axis, -1)
    lines = lines.astype(np.result_type(sos, lines))
    if zi is None:
        for section in sos:
            lines = recurrence(section[:3], section[3:], lines)
        return np.moveaxis(lines, -1, axis)
    place = 1 + axis if axis >= 0 else axis
    states, left = np.moveaxis(np.asarray(zi), place, -1), []
    lines = lines.astype(np.result_type(lines, states))
    for section, given in zip(sos, states, strict=True):
        lines, state = lfilter(section[:3], section[3:], lines, zi=given)
        left.append(state)
    return np.moveaxis(lines, -1, axis), np.moveaxis(np.stack(left), -1, place)


def sosfilt_zi(sos):
    """The states in which the sections stay while the input of the first is 1."""
    sos = np.asarray(sos)
    if sos.ndim != 2 or sos.shape[1] != 6:
        raise ValueError("sos must be shape (n_sections, 6)")
    states, scale = [], 1.0
    for section in sos:
        b, a = section[:3], section[3:]
        states.append(scale * lfilter_zi(b, a))
        scale = scale * (np.sum(b) / np.sum(a))
    return np.stack(states)


def _extended(lines, kind, edge):
    """Lines with a piece of themselves before and behind them."""
    if kind == "constant":
        return np.concatenate(
            (
                np.repeat(lines[..., :1], edge, axis=-1),
                lines,
                np.repeat(lines[..., -1:], edge, axis=-1),
            ),
            axis=-1,
        )
    before, behind = lines[..., edge:0:-1], lines[..., ::-1][..., 1 : edge + 1]
    if kind == "odd":
        before, behind = 2 * lines[..., :1] - before, 2 * lines[..., -1:] - behind
    return np.concatenate((before, lines, behind), axis=-1)


def there_and_back(lines, padtype, edge, passed):
    """What ``passed`` makes of lines forwards and then backwards, extended at both ends for it."""
    if padtype not in ("even", "odd", "constant", None):
        raise ValueError(
            f"Unknown value '{padtype}' given to padtype. "
            "padtype must be 'even', 'odd', 'constant', or None."
        )
    count = lines.shape[-1]
    if count <= edge:
        raise ValueError(
            f"The length of the input vector x must be greater than padlen, which is {edge}."
        )
    if padtype is not None:
        lines = _extended(lines, padtype, edge)
    for _ in range(2):
        lines = passed(lines)[..., ::-1]
    return lines[..., edge : edge + count]


def filtfilt(b, a, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None):
    """Forwards and backwards, each time in the state that the first element has brought about, or
    from states between which both orders differ least (Gustafsson 1996).
    """
    if method not in ("pad", "gust"):
        raise ValueError("method must be 'pad' or 'gust'.")
    if method == "gust":
        from scipy.signal import _signaltools

        made = _signaltools._filtfilt_gust(b, a, np.array(x), axis=axis, irlen=irlen)
        return made[0]
    b, a = _coefficients(b), _coefficients(a)
    lines = np.moveaxis(np.asarray(x), axis, -1)
    edge = 0
    if padtype is not None:
        edge = 3 * max(len(a), len(b)) if padlen is None else padlen
    state = lfilter_zi(b, a)
    made = there_and_back(
        lines, padtype, edge, lambda lines: lfilter(b, a, lines, zi=lines[..., :1] * state)[0]
    )
    return np.moveaxis(made, -1, axis)


# Systems in discrete time -------------------------------------------------------------------------


def dimpulse(system, x0=None, t=None, n=None):
    """What a system answers to each of its inputs, which is 1 at first and 0 later."""
    return _answers(system, x0, t, n, lambda k: k == 0)


def dstep(system, x0=None, t=None, n=None):
    """What a system answers to each of its inputs, which is 1 all the time."""
    return _answers(system, x0, t, n, lambda k: k >= 0)


def _answers(system, x0, t, n, shape):
    from scipy import signal

    if isinstance(system, signal.lti):
        raise AttributeError("a system in continuous time")
    count = 1
    if isinstance(system, signal.StateSpace):
        count = known_integer(system.inputs)
    elif not isinstance(system, signal.dlti):
        if len(system) == 5:
            count = known_integer(np.atleast_2d(system[1]).shape[-1])
        system = signal.dlti(*system[:-1], dt=system[-1])
    n = 100 if n is None else n
    times = np.linspace(0, n * system.dt, n, endpoint=False) if t is None else np.asarray(t)
    one = np.where(shape(np.arange(len(times))), 1.0, 0.0)
    given = [one[:, None] * (np.arange(count) == k) for k in range(count)]
    answers = [signal.dlsim(system, u, times, x0) for u in given]
    return answers[-1][0], tuple([answer[1] for answer in answers])


# Trends, and the analytic signal ------------------------------------------------------------------


def detrend(data, axis=-1, type="linear", bp=0):
    """Without the mean, or the line of least squares."""
    if type not in ("linear", "l", "constant", "c"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    data = np.asarray(data)
    if type in ("constant", "c"):
        return data - np.mean(data, axis, keepdims=True)
    if np.ndim(bp) != 0 or bp != 0:
        refuse("bp= (cut the signal)")
    lines = np.moveaxis(data, axis, -1)
    lines = lines - np.mean(lines, axis=-1, keepdims=True)
    count = lines.shape[-1]
    times = (np.arange(count) - (count - 1) / 2).astype(lines.real.dtype)
    slope = lines @ times / np.maximum(times @ times, 0.5).astype(times.dtype)
    left = np.moveaxis(lines - slope[..., None] * times, -1, axis)
    return left.astype(data.dtype) if data.dtype.char in "dfDF" else left


def hilbert(x, N=None, axis=-1):
    """The positive frequencies, twice."""
    x = np.asarray(x)
    if np.iscomplexobj(x):
        raise ValueError("x must be real.")
    count = x.shape[axis] if N is None else N
    spectrum = np.moveaxis(np.fft.fft(x, count, axis), axis, -1)
    places = 2 * np.arange(count)
    inner = np.where(places < count, 2, 0)
    weights = np.where((places == 0) | (places == count), 1, inner).astype(spectrum.real.dtype)
    return np.moveaxis(np.fft.ifft(spectrum * weights), -1, axis)


# Convolutions -------------------------------------------------------------------------------------


def convolve(in1, in2, mode="full", method="auto"):
    if method not in ("auto", "direct", "fft"):
        raise ValueError("Acceptable method flags are 'auto', 'direct', or 'fft'.")
    first, second = np.asarray(in1), np.asarray(in2)
    if first.ndim != second.ndim:
        raise ValueError("volume and kernel should have the same dimensionality")
    if first.ndim == 0:
        return first * second
    if first.ndim == 1:
        return _cut(np.convolve(first, second), first, second, mode, (0,))
    return fftconvolve(first, second, mode).astype(np.result_type(first, second))


def correlate(in1, in2, mode="full", method="auto"):
    return convolve(in1, np.flip(np.asarray(in2)).conj(), mode, method)


def fftconvolve(in1, in2, mode="full", axes=None):
    first, second = np.asarray(in1), np.asarray(in2)
    if first.ndim != second.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")
    if first.ndim == 0:
        return first * second
    axes = _axes(axes, first.ndim)
    lengths = [first.shape[k] + second.shape[k] - 1 for k in axes]
    if np.iscomplexobj(first) or np.iscomplexobj(second):
        spectrum: Any = np.fft.fftn(first, lengths, axes) * np.fft.fftn(second, lengths, axes)
        whole: Any = np.fft.ifftn(spectrum, lengths, axes)
    else:
        spectrum = np.fft.rfftn(first, lengths, axes) * np.fft.rfftn(second, lengths, axes)
        whole = np.fft.irfftn(spectrum, lengths, axes)
    return _cut(whole, first, second, mode, axes)


def oaconvolve(in1, in2, mode="full", axes=None):
    return fftconvolve(in1, in2, mode, axes)


def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    return _in_the_plane(in1, np.asarray(in2), mode, boundary, fillvalue, 1)


def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    second = np.flip(np.asarray(in2)).conj()
    return _in_the_plane(in1, second, mode, boundary, fillvalue, 0)


def _in_the_plane(in1, second, mode, boundary, fillvalue, early):
    """A convolution; of an even length the part in the middle may begin one ``early``."""
    first = np.asarray(in1)
    if first.ndim != 2 or second.ndim != 2:
        raise ValueError("convolve2d inputs must both be 2-D arrays")
    if mode == "valid" or (boundary == "fill" and fillvalue == 0):
        whole = fftconvolve(first, second)
    elif boundary in ("wrap", "symm"):
        rows, columns = second.shape[0] - 1, second.shape[1] - 1
        kind: Any = "wrap" if boundary == "wrap" else "symmetric"
        around = np.pad(first, ((rows, rows), (columns, columns)), mode=kind)
        whole = fftconvolve(around, second)[rows:, columns:]
        whole = whole[: first.shape[0] + rows, : first.shape[1] + columns]
    else:
        refuse(f"boundary={boundary!r} with fillvalue={fillvalue!r}")
    whole = whole.astype(np.result_type(first, second))
    return _cut(whole, first, second, mode, (0, 1), early)


def _axes(axes, rank):
    if axes is None:
        return tuple(range(rank))
    named = tuple(axes) if isinstance(axes, (tuple, list)) else (axes,)
    return tuple([k % rank for k in named])


def _cut(whole, first, second, mode, axes, early=1):
    """The part of a whole convolution that is asked for."""
    if mode not in ("full", "same", "valid"):
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    if mode == "full":
        return whole
    for k in axes:
        lines = np.moveaxis(whole, k, 0)
        if mode == "same":
            start, count = (second.shape[k] - early) // 2, first.shape[k]
        else:
            start = min(first.shape[k], second.shape[k]) - 1
            count = max(first.shape[k], second.shape[k]) - start
        whole = np.moveaxis(lines[start : start + count], 0, k)
    return whole


@when_imported("scipy.signal")
def register(signal):
    """Say what the functions mean."""
    registered(
        signal,
        *(lfilter, lfilter_zi, sosfilt, sosfilt_zi, filtfilt, detrend, hilbert),
        *(convolve, correlate, fftconvolve, oaconvolve, convolve2d, correlate2d, dimpulse, dstep),
        rounded=True,
    )
