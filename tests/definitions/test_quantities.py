"""Quantities of Astropy, made inside and read from outside, against NumPy's closed forms."""

import functools
from dataclasses import dataclass

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError

units = pytest.importorskip("astropy.units")
constants = pytest.importorskip("astropy.constants")

POINTS = np.array([1.0, 2.0])
LENGTHS = [1.0, 2.0, 4.0] * units.km
PERIOD = 2.0 * units.s


def kepler(a):
    period = 2 * np.pi * np.sqrt((a * units.AU) ** 3 / (constants.G * constants.M_sun))
    return period.to(units.yr).value


def planck(temperature):
    nu = np.array([1e14, 2e14]) * units.Hz
    energy = constants.h * nu / (constants.k_B * (temperature * units.K))
    spectrum = 2 * constants.h * nu**3 / constants.c**2 / np.expm1(energy)
    return np.sum(spectrum.to_value(units.W / units.m**2 / units.Hz)) * 1e10


def added_in_a_loop(x):
    total = 0 * units.m
    for k in range(4):
        total += x * k * units.cm
    return total.to_value(units.m) ** 2


def written(x):
    speeds = np.zeros(3) * units.m / units.s
    for k in range(3):
        speeds[k] = x * k * units.km / units.hour
    return np.sum(speeds**2).value


def in_place(x):
    q = x * units.km
    seen, same = q.value, q
    q += 5 * units.m
    q *= 2
    q /= units.s
    assert same.unit == units.km / units.s
    return np.sum(q.value**2) + np.sum(seen)


def through_a_view(x):
    q = x * units.m
    part = q.ravel()
    part[0] = 3 * x * units.m
    return np.sum(q.value**2)


def in_branches(x):
    q = x * units.m
    if q > 10 * units.cm and q > 0:
        return (q**2).to_value(units.cm**2)
    return x


def asked(x):
    q = x * units.km
    told = isinstance(q, units.Quantity) and isinstance(q, np.ndarray) and hasattr(q, "unit")
    other = isinstance(constants.c, constants.Constant) and not hasattr(x, "unit")
    return x * q.unit.to(units.m) if told and other and q.unit == units.km else x


@units.quantity_input
def kinetic(m: units.kg, v: units.m / units.s):
    return 0.5 * m * v**2


# The function, the argument, the derivative along it.
CASES = {
    "scaled": (lambda x: (x * units.m).to(units.cm).value ** 2, 3.0, 6e4),
    "constructed": (lambda x: units.Quantity(x, "m").to_value("km"), 3.0, 1e-3),
    "without copy": (lambda x: (x << units.m).to_value(units.cm), 3.0, 100.0),
    "sum": (lambda x: ((x * units.m + 30 * units.cm) ** 2).to_value("cm2"), 2.0, 4.6e4),
    "zero": (lambda x: (0 + x * units.m).value, 2.0, 1.0),
    "quotient": (lambda x: (1 / (x * units.s)).to_value(units.kHz), 2.0, -2.5e-4),
    "power": (lambda x: ((x * units.s) ** 0.5).value, 4.0, 0.25),
    "exp": (lambda x: np.exp((x * units.m) / (20 * units.cm)).value, 0.2, 5 * np.e),
    "number": (lambda x: float(np.exp((x * units.m) / (20 * units.cm))), 0.2, 5 * np.e),
    "sin": (lambda x: np.sin(x * units.deg).value, 60.0, np.pi / 360),
    "arctan2": (
        lambda x: np.arctan2(x * units.km, 1000 * units.m).to_value(units.rad),
        1.0,
        0.5,
    ),
    "maximum": (lambda x: np.maximum(3 * units.m, x * units.km).value, 1.0, 1000.0),
    "function": (lambda x: np.multiply(2.0, x * units.km).to_value("m"), 1.0, 2000.0),
    "constant": (lambda x: (constants.c * x).to_value("km/s"), 1.0, 299792.458),
    "system": (lambda x: constants.G.cgs.value * x * 1e8, 1.0, 6.6743),
    "outside": (lambda x: np.sum((LENGTHS * x).to("m").value ** 2), 1.0, 42e6),
    "scalar outside": (lambda x: (x * units.m / PERIOD).value, 1.0, 0.5),
    "reductions": (
        lambda x: (np.mean(x * units.km) * np.std(x * units.km)).to_value("km2"),
        POINTS,
        np.array([-0.5, 1.0]),
    ),
    "item": (lambda x: (x * units.km)[1].to_value("m") ** 2, POINTS, np.array([0.0, 4e6])),
    "items": (lambda x: sum(q.value**2 for q in x * units.m), POINTS, 2 * POINTS),
    "joined": (
        lambda x: np.sum(np.concatenate([x * units.m, x * units.km]).value ** 2),
        POINTS,
        2 * POINTS * (1 + 1e6),
    ),
    "chosen": (
        lambda x: np.sum(np.where(x > 1.5, x * units.m, x * units.km).value),
        POINTS,
        np.array([1000.0, 1.0]),
    ),
    "products": (lambda x: ((x * units.m) @ (x * units.s)).value, POINTS, 2 * POINTS),
    "temperature": (
        lambda x: (x * units.deg_C).to(units.K, equivalencies=units.temperature()).value ** 2,
        26.85,
        600.0,
    ),
    "wavelength": (
        lambda x: (x * units.nm).to(units.Hz, equivalencies=units.spectral()).value,
        500.0,
        -299792458.0 * 1e9 / 500.0**2,
    ),
    "integers": (lambda x: np.sum((np.array([1, 2]) * units.m * x).value), 2.0, 3.0),
    "rank 0": (lambda x: (x * units.m).to(units.cm).value, np.array(2.0), 100.0),
    "float32": (lambda x: (x * units.m * 2.0).value, np.float32(2.0), 2.0),
    "empty": (lambda x: np.sum(x * units.m).value, np.zeros(0), np.zeros(0)),
    "single": (lambda x: (np.array([x]) * units.m).item().value, 2.0, 1.0),
    "decorated": (lambda x: kinetic(2 * units.kg, x * units.km / units.s).to_value("J"), 2.0, 4e6),
    "kepler": (kepler, 1.0, 1.5 * kepler(1.0)),
    "loop": (added_in_a_loop, 2.0, 2 * 2.0 * 0.06**2),
    "writes": (written, 2.0, 20 / 3.6**2),
    "in place": (in_place, POINTS, 8 * (POINTS + 0.005) + 2),
    "view": (through_a_view, np.array(2.0), 36.0),
    "branches": (in_branches, 2.0, 4e4),
    "questions": (asked, 2.0, 1000.0),
}


@pytest.mark.parametrize("name", CASES)
def test_derivatives_by_numbers_with_units(name):
    function, x, expected = CASES[name]
    value, slope = sd.value_and_grad(function)(x)
    assert np.array_equal(value, function(x)) and type(value) is type(function(x))
    np.testing.assert_allclose(slope, expected, rtol=1e-6 if name == "kepler" else 1e-10)
    along = np.ones_like(x) if isinstance(x, np.ndarray) else type(x)(1.0)
    _, forward = sd.jvp(function, (x,), (along,))
    np.testing.assert_allclose(forward, np.sum(expected), rtol=1e-6)


def test_second_derivatives_are_those_of_the_closed_form():
    second = sd.grad(sd.grad(kepler))(1.0)
    np.testing.assert_allclose(second, 0.75 * kepler(1.0))
    steps = np.array([1e-2, 5e-3])
    coarse, fine = ((planck(5e3 + h) - planck(5e3 - h)) / (2 * h) for h in 5e3 * steps)
    np.testing.assert_allclose(sd.grad(planck)(5e3), (4 * fine - coarse) / 3, rtol=1e-6)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: (3 * units.m + x * units.s).value,
        lambda x: (3 * units.m + x).value,
        lambda x: (x * units.m).to_value(units.s),
        lambda x: np.exp(x * units.m).value,
        lambda x: float(x * units.m),
        lambda x: len(x * units.m) * x,
        lambda x: x if x * units.m else 2 * x,
        lambda x: (x * units.m).nothing,
    ],
)
def test_what_astropy_raises_is_raised(function):
    with pytest.raises(Exception) as raised:
        function(2.0)
    with pytest.raises(raised.type):
        sd.grad(function)(2.0)


def _told(x):
    q = x * units.km
    if q.value > 1.0:
        raise ValueError(f"too long: {q}, {q / units.km!s}")
    return q.value


def test_texts_of_quantities_are_astropys():
    assert sd.grad(_told)(0.5) == 1.0
    with pytest.raises(ValueError) as raised:
        _told(2.0)
    with pytest.raises(ValueError) as found:
        sd.grad(_told)(2.0)
    assert str(found.value) == str(raised.value)


def _changed_outside(x):
    period = PERIOD
    period += x * units.s
    return period.value


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (_changed_outside, "from outside"),
        (lambda x: ((x * units.s) ** x).value, "a power of a unit"),
        (lambda x: np.array([x * units.one, x * units.one]).sum(), "numpy.array"),
        (lambda x: np.sum(x * units.m, initial=3 * units.m).value, "in these places"),
        (lambda x: np.sin(x * units.rad, dtype="float32").value, "dtype="),
    ],
)
def test_what_is_not_followed_is_refused(function, told):
    with pytest.raises(UnsupportedCallError, match=told):
        sd.grad(function)(2.0)


def test_a_unit_outside_that_is_changed(monkeypatch):
    monkeypatch.setitem(globals(), "STEP", units.m)
    slope = sd.grad(lambda x: (x * STEP).to_value(units.cm))  # noqa: F821
    assert slope(1.0) == 100.0
    monkeypatch.setitem(globals(), "STEP", units.km)
    assert slope(1.0) == 1e5
    for metres in (3.0, 4.0):  # of one name
        monkeypatch.setitem(globals(), "STEP", units.def_unit("stride", metres * units.m))
        np.testing.assert_allclose(slope(1.0), 100.0 * metres)


@dataclass(frozen=True)
class Square:
    side: float

    @functools.cached_property
    def area(self):
        return self.side**2


def test_cached_properties_are_kept_by_objects_that_are_frozen():
    assert sd.grad(lambda x: Square(x).area)(3.0) == 6.0
    outside = Square(3.0)
    assert sd.grad(lambda x: outside.area * x + outside.area)(2.0) == 9.0
    assert vars(outside) == {"side": 3.0, "area": 9.0}
    assert sd.grad(sd.grad(lambda x: Square(x).area))(3.0) == 2.0
