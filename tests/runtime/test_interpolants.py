"""Derivatives of tables, against differences of the table."""

import numpy as np
import pytest

from adcompile.runtime.interpolants import table_derivative

interpolate = pytest.importorskip("scipy.interpolate")
KNOTS = np.array([0.0, 0.5, 1.1, 1.9, 3.0])
VALUES = np.array([[0.3, -0.4, 0.9, 1.2, 0.1], [1.0, 0.2, -0.5, 0.4, 2.0]])
INSIDE, ACROSS = np.array([[0.2, 1.4], [2.2, 0.7]]), np.array([-0.3, 0.7, 3.6])


@pytest.mark.parametrize("kind", ["linear", "quadratic", "cubic", "slinear", "previous", "nearest"])
@pytest.mark.parametrize("axis", [0, 1])
def test_slopes(kind, axis):
    table = interpolate.interp1d(KNOTS, VALUES if axis else VALUES.T, kind=kind, axis=axis)
    slope = (table(INSIDE + 1e-6) - table(INSIDE - 1e-6)) / 2e-6
    np.testing.assert_allclose(table_derivative(table, INSIDE, 1), slope, atol=1e-7)
    curvature = (table_derivative(table, INSIDE + 1e-6, 1) - table_derivative(table, INSIDE - 1e-6, 1)) / 2e-6
    np.testing.assert_allclose(table_derivative(table, INSIDE, 2), curvature, atol=1e-6)


@pytest.mark.parametrize("settings", [{"fill_value": "extrapolate"}, {"bounds_error": False, "fill_value": (1.0, 2.0)}])
@pytest.mark.parametrize("kind", ["linear", "cubic"])
def test_beyond_the_table(kind, settings):
    table = interpolate.interp1d(KNOTS, VALUES[0], kind=kind, **settings)
    slope = (table(ACROSS + 1e-6) - table(ACROSS - 1e-6)) / 2e-6
    np.testing.assert_allclose(table_derivative(table, ACROSS, 1), slope, atol=1e-6)


def test_a_single_place():
    table = interpolate.interp1d(KNOTS, VALUES[0])
    assert table_derivative(table, 0.2, 1).shape == ()
