"""Real functions that compute with complex numbers on the way."""

import cmath

import numpy as np

from tests.programs.registry import program

rng = np.random.default_rng(71)
X = rng.uniform(0.2, 1.2, 6)


@program(args=(0.8, 1.9, 0.4), wrt=(0, 1, 2))
def impedance_of_a_filter(r, l, c):
    total = 0.0
    for w in (0.5, 1.0, 2.0):
        z = r + 1j * w * l + 1 / (1j * w * c)
        total += np.abs(1 / z) ** 2
    return total


@program(args=(X, 0.7), wrt=(0, 1))
def array_factor(phases, k):
    n = np.arange(len(phases))
    field = np.exp(1j * (phases + k * n)).sum()
    return np.real(field * np.conj(field)) + field.imag * field.real


@program(args=(0.3, 0.2), wrt=(0, 1))
def mandelbrot_orbit(a, b):
    c = a + 1j * b
    z = 0j
    for _ in range(5):
        z = z * z + c
    return abs(z) ** 2 + z.real


@program(args=(X,))
def writes_real_and_imaginary_parts(x):
    z = np.zeros(6, dtype=complex)
    z.real = x
    z.imag[1:] = x[:-1] ** 2
    z[0] *= 1j
    z[2:4] += 1.0 - 2j * x[0]
    w = z * z.conj() + np.sqrt(z + 3.0)
    return np.sum(w.real) + np.sum(np.angle(z[1:]))


@program(args=(0.5, 1.2), wrt=(0, 1))
def complex_arithmetic_on_scalars(x, y):
    z = complex(x, y)
    w = cmath.exp(z) / (1 + z**2)
    u = w.conjugate() * z - 2j * w
    return abs(u) + (u * u).real


@program(args=(X[:3], X[3:]), wrt=(0, 1))
def complex_linear_solve(re, im):
    A = np.diag(re + 1j * im) + 0.2 + 0.1j * np.ones((3, 3))
    x = np.linalg.solve(A, re * (1 + 0j))
    return np.sum(np.abs(x) ** 2) + (x @ A.conj() @ x).real


@program(args=(X, 0.9), wrt=(0, 1))
def discrete_fourier_by_matrix(x, damping):
    n = len(x)
    k = np.arange(n)
    F = np.exp(-2j * np.pi * np.outer(k, k) / n)
    s = F @ x
    s = s * damping**k
    back = (F.conj() @ s / n).real
    return back @ x + np.abs(s[1]) ** 2
