"""Solutions of differential equations by either interface of SciPy."""

import numpy as np
import pytest

from adcompile.errors import NotDifferentiable
from adcompile.runtime.trajectories import path

pytest.importorskip("scipy.integrate")
TIMES = np.array([0.0, 0.5, 1.0])


@pytest.mark.parametrize("settings", [("odeint", 1e-10, 1e-12, 0), ("DOP853", 1e-10, 1e-12, np.inf)])
def test_a_row_for_each_time(settings):
    found = path(lambda y, t, a: -a * y, np.array([1.0, 2.0]), (0.0, 1.0), TIMES, settings, 0.7)
    np.testing.assert_allclose(found, np.exp(-0.7 * TIMES)[:, None] * [1.0, 2.0], rtol=1e-8)


def test_backwards_and_at_no_time():
    settings = ("RK45", 1e-10, 1e-12, np.inf)
    found = path(lambda y, t: -y, np.ones(1), (1.0, 0.0), np.array([0.0]), settings)
    np.testing.assert_allclose(found, [[np.e]], rtol=1e-8)
    assert path(lambda y, t: -y, np.ones(3), (0.0, 1.0), np.zeros(0), settings).shape == (0, 3)


def test_refused_and_without_solution():
    with pytest.raises(NotDifferentiable):
        path(lambda y, t: -y, np.ones(2), TIMES, TIMES, ("odeint", None, np.full(2, 1e-8), 0))
    with pytest.raises(ArithmeticError):
        path(lambda y, t: y**2, np.ones(1), (0.0, 2.0), np.array([2.0]), ("RK45", 1e-6, 1e-9, np.inf))
