"""Fourier transforms and complex intermediates of real functions, and complex arguments."""

import cmath

import numpy as np

_V = np.array([0.5, -0.7, 1.2, 0.1])
_Z = np.array([0.5 + 0.3j, -0.7 - 0.2j, 1.2 + 0.9j])


def power_spectrum(x):
    return np.sum(np.abs(np.fft.fft(x)) ** 2 * np.arange(4.0))


def real_power_spectrum(x):
    f = np.fft.rfft(x)
    return np.sum((f.real**2 + f.imag**2) * np.arange(1.0, 4.0))


def fft_round_trip(x):
    return np.sum(np.fft.ifft(np.fft.fft(x) * np.array([1.0, 0.5, 0.25, 0.5])).real ** 3)


def convolution_by_fft(x, y):
    return np.sum(np.fft.irfft(np.fft.rfft(x) * np.fft.rfft(y)) ** 2)


def complex_polynomial(x, y):
    z = x + 1j * y
    w = z * z * z - 2.0 * z + 1.0
    return w.real * w.imag


def complex_absolute(x, y):
    return abs(complex(x, y) ** 2 + 1.0)


def complex_exponential(x):
    z = np.exp(1j * x) * np.sin(x + 0.5j)
    return np.sum(np.real(z) ** 2 + np.imag(z))


def complex_argument(z):
    return np.sum(np.abs(z) ** 2 + (z * z).real)


def conjugates(z):
    return np.sum((z * np.conj(z)).real) + np.real(np.vdot(z, z * 1j + 1.0))


def angles_of_complex(z):
    return np.sum(np.angle(z) * np.abs(z))


def complex_division(z, w):
    return np.sum((z / w).imag + (w - z).real ** 2)


def complex_scalar(z):
    return (z * z.conjugate()).real + z.imag**3


def holomorphic_functions(z):
    return np.sum(np.real(np.exp(z) * np.log(z + 3.0) + np.sqrt(z + 2.0) * np.cos(z) + np.tanh(z)))


def cmath_functions(x):
    return (cmath.exp(1j * x) * cmath.sqrt(-1.0 - x * x)).real


def complex_matmul(z, x):
    m = np.outer(z, np.conj(z)) * np.arange(1.0, 10.0).reshape(3, 3)
    return np.sum(np.abs(m @ x) ** 2)


def squared_sum_of_squares(z):
    return np.real(np.sum(z**2) ** 2)


def products_of_complex_means(z):
    return np.real(np.mean(z * z) * np.sum(np.exp(z)))


def mandelbrot_orbit(a, b):
    c = a + 1j * b
    z = 0.0j
    for _ in range(4):
        z = z * z + c
    return abs(z) ** 2


def complex_sums(z, w):
    return np.abs(np.sum(z * z)) + np.abs(np.sum(np.exp(z) + w**2, axis=0))


def complex_mean_by_scalar(z, c):
    return np.abs(np.mean(c * z**3) - np.sum(z) * c)


SAMPLES = {
    "power_spectrum": [(_V,)],
    "real_power_spectrum": [(_V,)],
    "fft_round_trip": [(_V,)],
    "convolution_by_fft": [(_V, _V[::-1] * 0.5)],
    "complex_polynomial": [(0.4, -1.1)],
    "complex_absolute": [(0.4, -1.1)],
    "complex_exponential": [(0.4,), (_V,)],
    "complex_argument": [(_Z,)],
    "conjugates": [(_Z,)],
    "angles_of_complex": [(_Z,)],
    "complex_division": [(_Z, _Z[::-1] + 2.0)],
    "complex_scalar": [(0.4 - 1.1j,)],
    "holomorphic_functions": [(_Z,)],
    "cmath_functions": [(0.4,)],
    "complex_matmul": [(_Z, np.array([0.3, 0.2, -0.7]))],
    "squared_sum_of_squares": [(_Z,)],
    "products_of_complex_means": [(_Z,)],
    "mandelbrot_orbit": [(-0.4, 0.3)],
    "complex_sums": [(_Z, _Z[::-1] + 2.0)],
    "complex_mean_by_scalar": [(_Z, 0.4 - 1.1j)],
}
