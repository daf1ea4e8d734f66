"""Real values of no known type beside complex ones: their cotangents are real, in whatever they meet these."""

import numpy as np
import pytest

import adcompile as ad
from adcompile.analysis.builder import Builder
from adcompile.analysis.calls import new_context
from adcompile.analysis.complexes import may_arise
from tests.programs import some

Z = np.array([0.3 + 0.4j, -0.7 + 0.2j])
MEETINGS = {
    "sum": lambda u: u + 2j,
    "product": lambda u: u * (0.5 + 1j),
    "product with an array": lambda u: u * Z,
    "quotient": lambda u: Z / u,
    "power": lambda u: (u + 0j) ** (1.5 + 0.5j),
    "function": lambda u: np.exp(1j * u),
    "root": lambda u: np.emath.sqrt(-1 - u),
    "cast": lambda u: u.astype(complex) * 1j,
    "cast by name": lambda u: u.astype("complex128") * Z,
    "transform": lambda u: np.fft.fft(u) * Z,
    "transform of real numbers": lambda u: np.fft.rfft(u) * Z,
    "inner product": lambda u: np.dot(u, Z) * Z,
    "outer product": lambda u: np.outer(Z, u),
    "choice": lambda u: np.where(u > 0.5, u, 1j * u),
    "stack": lambda u: np.stack([u, 1j * u]) * Z,
    "concatenation": lambda u: np.concatenate([u, Z * u]) * 1j,
    "display": lambda u: np.array([u[0], 1j * u[1]]) * Z,
    "broadcasting": lambda u: np.broadcast_to(u, (3, 2)) * Z,
    "selection": lambda u: u[[1, 0, 1]] * 1j,
    "number": lambda u: complex(u[0], 1.0) * Z,
    "accumulation": lambda u: np.cumsum(u) * Z,
    "reduction": lambda u: np.sum(u) * Z + np.max(u) * 1j,
}
"""By name: what makes complex numbers of real ones."""


def written(u):
    z = np.zeros(3, complex)
    z[1:] = u
    z[0] += u[0] * 1j
    return z * (1.0 + 2j)


MEETINGS["write"] = written
FROM = {
    "imaginary part": np.imag,
    "real part": np.real,
    "absolute value": np.abs,
    "square": lambda z: (z * np.conj(z)).real,
}
"""By name: what makes real numbers of complex ones."""


def within(meet, leave):
    def f(x):
        table = {}
        for i in range(x.shape[0]):
            table[i % 2] = x * (i + 1.0)
        u = sum(table.values())  # of no known type
        v = leave(meet(u))
        return np.sum(np.real(1j * v)) + np.sum(leave(meet(v.reshape(-1)[:2])))

    return f


@pytest.mark.filterwarnings("ignore::adcompile.backend.cache.SpecialisationWarning")
@pytest.mark.parametrize("meet, leave", some([(meet, leave) for meet in MEETINGS for leave in FROM], 5))
def test_the_cotangent_of_a_real_value_is_real(meet, leave):
    ad.check_grads(within(MEETINGS[meet], FROM[leave]), (np.array([0.6, 0.9]),), order=1, atol=1e-9)


@pytest.mark.parametrize("meet", ["sum", "function", "write", "transform"])
def test_to_second_order(meet):
    ad.check_grads(within(MEETINGS[meet], np.abs), (np.array([0.6, 0.9]),), order=2, atol=1e-7)


def test_what_may_be_complex_stays_complex():
    def f(x, z):
        table = {}
        for i in range(x.shape[0]):
            table[i % 2] = z * x
        u = sum(table.values())
        return np.sum(np.imag(u * 1j) + np.abs(u))

    ad.check_grads(f, (np.array([0.6, 0.9]), Z), order=1, atol=1e-9)


def test_programs_without_complex_numbers_ask_nothing():
    def f(x):
        table = {}
        for i in range(x.shape[0]):
            table[i % 2] = x * (i + 1.0)
        u = sum(table.values())
        return np.sum(np.sin(u) ** 2 * np.linalg.norm(u))

    assert "as_found" not in ad.source(ad.grad(f), np.ones(2))
    assert "as_found" in ad.source(ad.grad(within(MEETINGS["sum"], np.imag)), np.ones(2))


def test_nothing_is_complex_where_there_is_nothing():
    assert not may_arise(Builder(new_context()))
