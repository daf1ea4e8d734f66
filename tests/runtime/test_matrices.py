"""Cofactors against determinants of minors; inverses where there are none."""

import numpy as np
import pytest

from adcompile.runtime import matrices

RNG = np.random.default_rng(5)
FULL = RNG.normal(size=(3, 3))
LESS = FULL.copy()
LESS[2] = LESS[0] + LESS[1]
TURNED = LESS * np.exp(1j * RNG.normal(size=3))


def minors(a):
    n = len(a)
    keep = [[k for k in range(n) if k != i] for i in range(n)]
    parts = [[(-1) ** (i + j) * np.linalg.det(a[np.ix_(keep[i], keep[j])]) for j in range(n)] for i in range(n)]
    return np.array(parts)


@pytest.mark.parametrize("a", [FULL, LESS, TURNED, np.zeros((3, 3)), np.outer(FULL[0], FULL[1])])
def test_cofactors_are_minors(a):
    assert np.allclose(matrices.cofactors(a), minors(a), rtol=1e-10, atol=1e-12)
    both = np.stack((a, a + np.eye(3)))
    assert np.allclose(matrices.cofactors(both)[1], minors(both[1]), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("a", [FULL, LESS, TURNED])
def test_cotangents_of_cofactors(a):
    g, v = RNG.normal(size=(3, 3)), RNG.normal(size=(3, 3))
    step = 1e-4
    moved = (matrices.cofactors(a + step * v) - matrices.cofactors(a - step * v)) / (2 * step)
    bar = matrices.cofactors_bar(g.astype(a.dtype), a)
    assert np.isclose(np.sum(g * np.real(moved)), np.sum(np.real(bar) * v), rtol=1e-6)


def test_inverses():
    nothing = np.zeros((2, 2))
    assert np.allclose(matrices.inverse(FULL) @ FULL, np.eye(3))
    assert np.isnan(matrices.inverse(nothing)).all()
    both = matrices.inverse(np.stack((nothing, np.eye(2))))
    assert np.isnan(both[0]).all() and np.array_equal(both[1], np.eye(2))
    assert matrices.is_invertible(FULL) and not matrices.is_invertible(nothing)
    assert matrices.is_regular(FULL) and not matrices.is_regular(np.stack((LESS, FULL)))
