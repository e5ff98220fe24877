"""Fourier transforms: values as NumPy's, derivatives as the matrices that define them."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError
from symdiff.ops.declare import FUNCTIONS
from symdiff.ops.sizes import lower_bound, size
from tests.ops.straightline import check, pullback, same, stage

RNG = np.random.default_rng(4)
NORMS = [None, "backward", "ortho", "forward"]
OF_REALS = ("rfft", "ihfft")
TO_REALS = ("irfft", "hfft")


def draw(*shape: int, dtype: str = "float64") -> np.ndarray:
    drawn = RNG.normal(size=shape) + (1j * RNG.normal(size=shape) if dtype[0] == "c" else 0)
    return drawn.astype(dtype)


def checked(name: str, *arguments: Any, order: int = 1, **keywords: Any) -> None:
    function = getattr(np.fft, name)
    lowering = FUNCTIONS[function]
    check(
        lambda x: lowering(x, **keywords),
        lambda x: function(x, **keywords),
        *arguments,
        order=order,
    )


# Along one axis -----------------------------------------------------------------------------------

LINES = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize(
    ("norm", "length"), [(None, 4), ("backward", 3), ("ortho", 3), ("ortho", 4), ("forward", 4)]
)
@pytest.mark.parametrize("n", [None, 1, 2, 7])
def test_of_every_length(name: str, norm: Any, length: int, n: Any) -> None:
    for dtype in ("float64",) if name in OF_REALS else ("float64", "complex128"):
        checked(name, draw(length, dtype=dtype), n=n, norm=norm)


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128", "float16"])
@pytest.mark.parametrize(
    ("shape", "axis"), [((3, 4), 0), ((2, 3, 2), 1), ((2, 5), -1), ((0, 3), 1)]
)
def test_along_an_axis_of_every_dtype(name: str, dtype: str, shape: Any, axis: int) -> None:
    if name in OF_REALS and dtype[0] == "c":
        return
    order = 0 if dtype == "float16" else 2 if dtype.endswith(("4", "8")) else 1
    checked(name, draw(*shape, dtype=dtype), axis=axis, order=order)
    checked(name, draw(*shape, dtype=dtype), n=3, axis=axis, order=0)


@pytest.mark.parametrize("name", LINES)
def test_of_integers_truth_and_lists(name: str) -> None:
    for x in (np.array([1, 2, 3]), np.array([True, False]), np.array([[3, 1]], "int8")):
        checked(name, x)
    given = [0.5, 2.0, 1.0]
    same(stage(lambda: FUNCTIONS[getattr(np.fft, name)](given))(), [getattr(np.fft, name)(given)])


@pytest.mark.parametrize("name", LINES)
def test_of_arrays_that_lie_elsewhere(name: str) -> None:
    base = draw(6, 8)
    for x in (base[::2, ::-1], base.T, base[:, 3], base[4, ::-2]):
        checked(name, x, n=4)


# Along several ------------------------------------------------------------------------------------

GRIDS = ["fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"]
SELECTIONS: list[tuple[tuple[int, ...], dict[str, Any]]] = [
    ((3, 4), {}),
    ((4, 5), {"axes": (1, 0)}),
    ((2, 3, 4), {"axes": (0, 2)}),
    ((2, 3, 4), {"axes": (-1,)}),
    ((3, 4), {"s": (2, 7), "axes": (0, 1)}),
    ((3, 4), {"s": (5, 3), "axes": (-1, 0)}),
    ((3, 4), {"s": (-1, 4), "axes": (0, 1)}),
    ((3, 4), {"axes": (0, 0)}),
    ((2, 3, 4), {"s": (3, 4, 2), "axes": (0, 2, 0)}),
    ((2, 1), {"axes": [1, 0], "s": [3, 3]}),
]


@pytest.mark.parametrize("name", GRIDS)
@pytest.mark.parametrize("case", range(len(SELECTIONS)))
def test_along_several_axes(name: str, case: int) -> None:
    shape, keywords = SELECTIONS[case]
    norm = NORMS[case % len(NORMS)]
    for dtype in ("float64",) if name.startswith("r") else ("float64", "complex128"):
        checked(name, draw(*shape, dtype=dtype), order=2 if case < 3 else 1, norm=norm, **keywords)


def test_along_no_axes() -> None:
    checked("fftn", draw(2, 3), axes=())
    with pytest.raises(IndexError):
        stage(lambda x: FUNCTIONS[np.fft.rfftn](x, axes=()), draw(2, 3))


# The definition -----------------------------------------------------------------------------------


def matrix_of(n: int, m: int, norm: str, back: bool) -> np.ndarray:
    """What takes ``m`` points, cropped or filled up to ``n``, to ``n`` frequencies."""
    j, k = np.arange(m), np.arange(n)
    root = np.exp((2j if back else -2j) * np.pi * np.outer(k, j) / n) * (j < n)
    scale = {"ortho": n**-0.5, "backward": 1 / n if back else 1, "forward": 1 if back else 1 / n}
    return root * scale[norm]


@pytest.mark.parametrize(
    ("n", "m"), [(5, 5), (4, 4), (8, 5), (7, 4), (3, 6), (4, 7), (1, 3), (2, 2)]
)
@pytest.mark.parametrize("norm", NORMS[1:])
def test_gradients_are_those_of_the_matrix(n: int, m: int, norm: str) -> None:
    """Re ⟨w, F x⟩ has the gradient F* w, and its real part where x is real."""
    z, w = draw(m, dtype="complex128"), draw(n, dtype="complex128")
    for back, function in ((False, np.fft.fft), (True, np.fft.ifft)):
        adjoint = matrix_of(n, m, norm, back).conj().T

        def weighed(x: Any, function: Any = function) -> Any:
            return np.sum(np.real(np.conj(w) * function(x, n, norm=norm)))

        np.testing.assert_allclose(sd.grad(weighed)(z), adjoint @ w, rtol=0, atol=1e-13)
        np.testing.assert_allclose(sd.grad(weighed)(z.real), (adjoint @ w).real, atol=1e-13)


@pytest.mark.parametrize(
    ("n", "m"), [(5, 5), (4, 4), (8, 5), (7, 4), (3, 6), (4, 7), (1, 3), (2, 2)]
)
@pytest.mark.parametrize("norm", NORMS[1:])
@pytest.mark.one_in(4)
def test_half_spectra_have_the_gradients_of_whole_ones(n: int, m: int, norm: str) -> None:
    half = n // 2 + 1
    x, w = draw(m), draw(half, dtype="complex128")
    rows = matrix_of(n, m, norm, False)[:half]

    def of_reals(x: Any) -> Any:
        return np.sum(np.real(np.conj(w) * np.fft.rfft(x, n, norm=norm)))

    np.testing.assert_allclose(sd.grad(of_reals)(x), (rows.conj().T @ w).real, atol=1e-13)
    weights = draw(n)
    columns = matrix_of(n, n, norm, True)

    def to_reals(c: Any) -> Any:
        return np.sum(weights * np.fft.irfft(c, n, norm=norm))

    c = draw(m, dtype="complex128")
    bar = np.zeros(m, complex)  # each frequency k > 0 stands for n - k too, conjugated
    for k in range(min(m, half)):
        both = columns[:, k].conj() + (columns[:, n - k] if k and 2 * k != n else 0)
        bar[k] = both @ weights
    real = [k for k in range(min(m, half)) if k == 0 or 2 * k == n]
    bar[real] = bar[real].real
    np.testing.assert_allclose(sd.grad(to_reals)(c), bar, rtol=0, atol=1e-13)


@pytest.mark.parametrize("m", [1, 2, 5, 6])
@pytest.mark.parametrize(
    "of",
    [
        lambda c: np.fft.irfft(c, len(c)),
        lambda c: np.fft.irfft(c, len(c) + 1),
        lambda c: np.fft.irfft(c, 2 * len(c) + 1),
        lambda c: np.fft.hfft(c, len(c)),
        lambda c: np.fft.irfft2(np.stack([c, c[::-1]]), (2, len(c))).ravel(),
    ],
)
def test_frequencies_beyond_half_of_the_length_have_no_slope(of: Any, m: int) -> None:
    c = draw(m, dtype="complex128")
    value, pullback = sd.vjp(of, c)
    w = draw(len(value))
    units = np.eye(m)  # the transform is linear over the reals
    bar = [of(unit + 0j) @ w + 1j * (of(1j * unit) @ w) for unit in units]
    np.testing.assert_allclose(pullback(w)[0], bar, rtol=0, atol=1e-13)


# Shifts and frequencies ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fftshift", "ifftshift"])
@pytest.mark.parametrize("axes", [None, 0, -1, (0,), (0, 1), (1, 1), ()])
def test_shifts(name: str, axes: Any) -> None:
    for shape in ((3, 4), (5, 5), (1, 2), (0, 3)):
        checked(name, draw(*shape), axes=axes, order=2)
    checked(name, draw(3, 2, dtype="complex64"), axes=axes)


@pytest.mark.parametrize("name", ["fftshift", "ifftshift"])
def test_shifts_of_what_has_no_axes(name: str) -> None:
    """NumPy gives no result, and its error tells little."""
    for x in (np.array(2.5), 2.5, np.float32(1.5)):
        with pytest.raises(ValueError, match="not enough values to unpack"):
            getattr(np.fft, name)(x)
        with pytest.raises(ValueError, match="not enough values to unpack"):
            stage(FUNCTIONS[getattr(np.fft, name)], x)


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_frequencies(name: str, n: int) -> None:
    function, lowering = getattr(np.fft, name), FUNCTIONS[getattr(np.fft, name)]
    for d in (0.25, np.float64(0.3), np.float32(0.3), np.array(0.3), 2):
        check(lambda d: lowering(n, d), lambda d: function(n, d), d)
    same(stage(lambda: lowering(n))(), [function(n)])


def test_frequencies_of_a_length_that_is_an_argument() -> None:
    def weighed(x: Any, spacing: Any) -> Any:
        k = 2 * np.pi * np.fft.fftfreq(x.size, spacing)
        return np.sum(np.fft.ifft(1j * k * np.fft.fft(x)).real ** 2)

    for n in (6, 7):
        x = draw(n)
        value, slope = sd.value_and_grad(weighed, "spacing")(x, 0.5)
        np.testing.assert_allclose(slope, -2 * value / 0.5, rtol=1e-13)  # it goes as spacing**-2


# Programs -----------------------------------------------------------------------------------------


def autocorrelation(x: Any) -> Any:
    n = len(x)
    c = np.fft.rfft(x, 2 * n)
    return np.sum(np.fft.irfft(c * np.conj(c), 2 * n)[:n] ** 3)


def autocorrelation_by_sums(x: Any) -> Any:
    return np.sum(np.correlate(x, x, "full")[len(x) - 1 :] ** 3)


def filtered(x: Any, width: Any) -> Any:
    k = np.fft.rfftfreq(len(x))
    return np.sum(np.fft.irfft(np.fft.rfft(x) * np.exp(-((k / width) ** 2)), len(x)) ** 4)


def burgers(u: Any, steps: int) -> Any:
    """Spectral derivatives in a loop over time."""
    k = 1j * 2 * np.pi * np.fft.fftfreq(u.size, 1 / u.size)
    for _ in range(steps):
        u_x = np.fft.ifft(k * np.fft.fft(u)).real
        u_xx = np.fft.ifft(k * k * np.fft.fft(u)).real
        u = u + 1e-4 * (0.05 * u_xx - u * u_x)
    return np.sum(u**2 * np.cos(np.arange(u.size)))


def phases(x: Any, modulus: Any) -> Any:
    return np.sum((np.abs(np.fft.fft2(x)) - modulus) ** 2)


def phase_sum(x: Any) -> Any:
    return np.sum(np.angle(np.fft.rfft(x))[1:-1] ** 2)


def convolved(x: Any, kernel: Any) -> Any:
    n = len(x) + len(kernel) - 1
    return np.sum(np.fft.irfft(np.fft.rfft(x, n) * np.fft.rfft(kernel, n), n) ** 3)


def in_place(x: Any) -> Any:
    out = np.empty(len(x), complex)
    np.fft.fft(x, out=out)
    np.fft.ifft(out[::-1] ** 2, out=out)
    return np.sum(np.abs(out) ** 2)


def shifted_rows(x: Any) -> Any:
    s = np.fft.fftshift(np.fft.fftn(x), axes=0)
    s[:1] = 0
    return np.sum(np.abs(np.fft.ifftn(np.fft.ifftshift(s, axes=0))) ** 2)


PROGRAMS: list[tuple[Any, tuple[Any, ...]]] = [
    (autocorrelation, (draw(5),)),
    (filtered, (draw(7), 0.2)),
    (filtered, (draw(8), 0.2)),
    (burgers, (draw(8), 4)),
    (phases, (draw(3, 4), np.abs(draw(3, 4)))),
    (phase_sum, (draw(7),)),
    (convolved, (draw(5), draw(3))),
    (in_place, (draw(5),)),
    (shifted_rows, (draw(3, 3),)),
]


@pytest.mark.parametrize("case", range(len(PROGRAMS)))
def test_programs_in_both_modes_to_order_two(case: int) -> None:
    from tests.reference import direction, directional, inner, second_directional

    function, arguments = PROGRAMS[case]
    wrt = 0
    along = [direction(arguments[0], 3), *[None] * (len(arguments) - 1)]
    across = [direction(arguments[0], 5), *[None] * (len(arguments) - 1)]
    expected = directional(function, arguments, along)
    found = inner(sd.grad(function, wrt)(*arguments), along[0])
    scale = max(1.0, abs(expected.value))
    assert abs(found - expected.value) < 1e-9 * scale
    tangent = sd.jvp(lambda x: function(x, *arguments[1:]), (arguments[0],), (along[0],))[1]
    np.testing.assert_allclose(tangent, found, rtol=1e-11)
    second = second_directional(function, arguments, along, across)
    product = inner(sd.hvp(function, wrt)(*arguments, along[0]), across[0])
    assert abs(product - second.value) < 1e-6 * max(1.0, abs(second.value))


def test_correlation_by_transforms_is_that_by_sums() -> None:
    x = draw(6)
    np.testing.assert_allclose(
        sd.hessian(autocorrelation)(x), sd.hessian(autocorrelation_by_sums)(x), atol=1e-11
    )


def test_a_longer_transform_is_cropped_and_a_shorter_one_filled_up() -> None:
    """Where the lengths are known to compare, the derivative makes no array to fill."""
    x = draw(4)
    assert "zeros" not in sd.grad(convolved).source(x, x)
    text = sd.grad(lambda x, n: np.sum(np.fft.rfft(x, n).real ** 2)).source(x, 6)
    assert "zeros" in text


PADDED = [
    lambda x: 2 ** int(np.ceil(np.log2(2 * len(x) - 1))),
    lambda x: 2 ** math.ceil(math.log2(2 * x.shape[0] - 1)),
    lambda x: int(2 ** np.ceil(np.log2(2 * x.size))),
    lambda x: 1 << (2 * len(x) - 2).bit_length(),
    lambda x: 2 ** (2 * x.size - 1).bit_length(),
]


@pytest.mark.parametrize("padded", PADDED)
def test_the_next_power_of_two(padded: Any) -> None:
    """One program for all lengths: the sign of the exponent is known by where it comes from."""

    def correlated(x: Any) -> Any:
        n = padded(x)
        return np.sum(np.fft.irfft(np.abs(np.fft.rfft(x, n)) ** 2, n)[: len(x)] ** 3)

    slope = sd.grad(correlated)
    for length in (2, 3, 5, 8, 9):
        x = draw(length)
        np.testing.assert_allclose(slope(x), sd.grad(autocorrelation_by_sums)(x), atol=1e-12)
    assert len(slope.signatures()) == 1


def test_the_sign_of_an_exponent_is_asked_where_it_is_known_at_run_time_only() -> None:
    """A negative one would make a float of the power, and is refused then."""

    def powers(x: Any, ratio: Any) -> Any:
        return x[0] * 2 ** int(np.floor(np.log2(ratio)))

    for function in (powers, lambda x, ratio: powers(x**2, ratio) * ratio):
        slope = sd.grad(function)
        for ratio in (1.0, 1.7, 9.0):
            np.testing.assert_allclose(
                slope(np.arange(1.0, 4.0), ratio), _differences(function, ratio), rtol=1e-6
            )
        with pytest.raises(NotImplementedError, match="negative exponent"):
            slope(draw(3), 0.3)
    assert sd.jvp(powers, (draw(3), 5.0), (np.ones(3), 0.0))[1] == 4.0
    turns = sd.grad(lambda x: sum(x[0] * 3 ** int(x[k]) for k in range(3)))
    np.testing.assert_allclose(turns(np.array([0.5, 1.5, 2.5])), [13.0, 0.0, 0.0])


def _differences(function: Any, ratio: float) -> Any:
    x, step = np.arange(1.0, 4.0), 1e-6
    units = step * np.eye(3)
    return [(function(x + u, ratio) - function(x - u, ratio)) / (2 * step) for u in units]


@pytest.mark.parametrize(
    ("build", "bound"),
    [
        (lambda n: n, 2),
        (lambda n: 2 * n - 1, 3),
        (lambda n: n + n - 5, -1),
        (lambda n: FUNCTIONS[np.log2](n), 0),
        (lambda n: FUNCTIONS[np.log2](n - 2), None),
        (lambda n: FUNCTIONS[int](FUNCTIONS[np.ceil](FUNCTIONS[np.log2](3 * n))), 0),
        (lambda n: (n - 5) * n, None),
        (lambda n: 5 - n, None),
    ],
)
def test_what_is_known_of_sums_of_lengths(build: Any, bound: Any) -> None:
    """For every length of 2 and more; None says nothing."""
    found = []
    stage(lambda x: found.append(lower_bound(build(size(x, axis=0)))) or x, draw(3))
    assert found == [bound]


@pytest.mark.parametrize("n", [3, 4])
def test_a_power_spectrum_with_empty_bins(n: int) -> None:
    """Of a constant signal all bins but one are 0; its energy is a quadratic form all the same."""

    def energy(x: Any) -> Any:
        return np.sum(np.abs(np.fft.fft(x)) ** 2)

    hessian = sd.hessian(energy)(np.ones(n))
    np.testing.assert_allclose(hessian, 2 * n * np.eye(n), atol=1e-14)


def test_lengths_that_are_arguments() -> None:
    def energy(x: Any, n: int) -> Any:
        return np.sum(np.abs(np.fft.fft(x, n)) ** 2) / n  # of the points that are left (Parseval)

    x = draw(5)
    slope = sd.grad(energy)
    for n in (3, 5, 8):
        np.testing.assert_allclose(slope(x, n), 2 * x * (np.arange(5) < n), atol=1e-14)
    assert len(slope.signatures()) == 1


# Refused, and raised ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: FUNCTIONS[np.fft.fftn](x, s=(2, 2)), "s= and no axes="),
        (lambda x: FUNCTIONS[np.fft.fftn](x, s=(2, None), axes=(0, 1)), "None in the argument s="),
    ],
)
def test_deprecated_forms_are_refused_by_name(call: Any, words: str) -> None:
    with pytest.raises(UnsupportedCallError, match=words):
        stage(call, draw(2, 3))


@pytest.mark.parametrize("name", ["hfft", "ifft2", "irfft2"])
def test_out_that_numpy_does_not_write_is_refused(name: str) -> None:
    function = getattr(np.fft, name)

    def written(x: Any, out: Any) -> Any:
        function(x, out=out)
        return np.sum(np.abs(out))

    with pytest.raises(UnsupportedCallError, match="does not write to"):
        sd.grad(written)(draw(2, 2), np.zeros((2, 2), complex))


def test_of_no_frequencies() -> None:
    """NumPy reads one that is not there."""
    with pytest.raises(UnsupportedCallError, match="irfft of no frequencies"):
        sd.grad(lambda x: np.sum(np.fft.irfft(x, 3)))(np.zeros(0))
    np.testing.assert_array_equal(sd.grad(lambda x: np.sum(np.fft.fft(x, 3).real))(np.zeros(0)), [])


def test_out_of_another_dtype() -> None:
    """Along one axis it is a cast; along several NumPy computes in it."""

    def line(x: Any) -> Any:
        out = np.zeros(4, "complex64")
        return np.sum(np.abs(np.fft.fft(x, out=out)))

    def grid(x: Any) -> Any:
        out = np.zeros((2, 4), "complex64")
        return np.sum(np.abs(np.fft.fft2(x, out=out)))

    x = draw(4)
    value, _ = sd.value_and_grad(line)(x)
    same(value, line(x))
    with pytest.raises(UnsupportedCallError, match="another dtype"):
        sd.grad(grid)(draw(2, 4))


def raised(function: Any, *arguments: Any) -> Exception:
    try:
        function(*arguments)
    except Exception as error:
        return error
    raise AssertionError("it does not raise")


@pytest.mark.parametrize(
    ("call", "shape"),
    [
        (lambda x: np.sum(np.fft.fft(x).real), (0,)),
        (lambda x: np.sum(np.fft.fft(x, 0).real), (3,)),
        (lambda x: np.sum(np.fft.fft(x, -2).real), (3,)),
        (lambda x: np.sum(np.fft.irfft(x)), (1,)),
        (lambda x: np.sum(np.fft.fft(x, axis=2).real), (3, 2)),
        (lambda x: np.sum(np.fft.fft(x, 2.5).real), (3,)),
        (lambda x: np.sum(np.fft.fft(x, norm="no").real), (3,)),
        (lambda x: np.sum(np.fft.rfft(x * 1j).real), (3,)),
        (lambda x: np.sum(np.fft.fft2(x).real), (3,)),
        (lambda x: np.sum(np.fft.fftn(x, (2, 2), axes=(0,)).real), (3, 3)),
        (lambda x: np.sum(np.fft.fftfreq(2.5)) * x[0], (3,)),
    ],
)
def test_what_numpy_raises_is_raised(call: Any, shape: Any) -> None:
    x = draw(*shape)
    expected, found = raised(call, x), raised(sd.grad(call), x)
    assert type(found) is type(expected)
    assert str(found) == str(expected)


def test_a_length_of_nothing_raises_where_it_is_met() -> None:
    def energy(x: Any, n: int) -> Any:
        return np.sum(np.fft.fft(x, n).real)

    slope = sd.grad(energy)
    slope(draw(3), 4)
    with pytest.raises(ValueError, match="Invalid number of FFT data points"):
        slope(draw(3), 0)


# Memory, closed forms, pullbacks ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fft", "rfft", "irfft"])
def test_batches_in_both_orders_of_memory(name: str) -> None:
    function = getattr(np.fft, name)

    def weighed(x: Any) -> Any:
        return np.sum(np.abs(function(x, axis=0)) ** 3)

    base = np.abs(draw(4, 3)) + 0.5
    expected = sd.grad(weighed)(base)
    for x in (np.asfortranarray(base), np.repeat(base, 2, axis=1)[:, ::2]):
        np.testing.assert_allclose(sd.grad(weighed)(x), expected, rtol=1e-12)
        same(sd.value_and_grad(weighed)(x)[0], weighed(x))


def test_closed_forms_are_the_sums() -> None:
    import sympy

    for name, norm in itertools.product(("fft", "ifft", "irfft"), NORMS[1:]):
        function = getattr(np.fft, name)

        def third(x: Any, function: Any = function, norm: str = norm) -> Any:
            return np.real(function(x, 5, norm=norm))[3]

        x = draw(3)
        closed = sd.differentiable(third).sympy(x)
        names = sorted(closed.free_symbols | closed.atoms(sympy.Indexed), key=str)
        assert names
        bound = {name: x[int(name.indices[0])] for name in names if isinstance(name, sympy.Indexed)}
        assert complex(closed.subs(bound).evalf()) == pytest.approx(complex(third(x)))


def test_pullbacks_are_transforms() -> None:
    """Nothing but the transform back: what a person would write."""
    x = draw(4, dtype="complex128")
    back = pullback(stage(lambda v: FUNCTIONS[np.fft.fft](v), x), [0])
    made = [node.op.name for node in back.nodes if node.op.name not in ("constant", "size")]
    assert made == ["fft", "ifft"]
