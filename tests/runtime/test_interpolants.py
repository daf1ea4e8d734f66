"""Helpers of splines and tables, against the objects of SciPy that they stand for."""

import numpy as np
import pytest

from adcompile.errors import NotDifferentiable
from adcompile.runtime import interpolants as ip

interpolate = pytest.importorskip("scipy.interpolate")
X = np.array([0.0, 0.5, 1.1, 1.9, 3.0])
Y = np.array([0.3, -0.4, 0.9, 1.2, 0.1])
INSIDE, ACROSS = np.array([[0.2, 1.4], [2.2, 0.7]]), np.array([-0.3, 0.7, 3.6])


def test_pieces():
    k, turns, outside = ip.pieces(X, ACROSS, True)
    assert k.tolist() == [0, 1, 3] and not turns.any() and not outside.any()
    k, turns, outside = ip.pieces(X, ACROSS, "periodic")
    assert k.tolist() == [3, 1, 1] and turns.tolist() == [-1.0, 0.0, 1.0] and not outside.any()
    assert ip.pieces(X, ACROSS, False)[2].tolist() == [True, False, True]
    assert ip.pieces(X, X, True)[0].tolist() == [0, 1, 2, 3, 3]
    with pytest.raises(NotDifferentiable):
        ip.pieces(X[::-1], ACROSS, True)


def test_coefficients_and_values():
    spline = interpolate.CubicSpline(X, Y, bc_type="natural", extrapolate=False)
    c = ip.spline_coefficients(X, Y, 0, "natural")
    assert np.array_equal(c, spline.c)
    np.testing.assert_array_equal(ip.piecewise_values(c, X, ACROSS, 1, False), spline(ACROSS, 1))
    assert np.array_equal(ip.integrated_coefficients(c, X, 2), spline.antiderivative(2).c)
    assert ip.piecewise_integral(c, X, 0.3, 2.0, True) == spline.integrate(0.3, 2.0)
    assert ip.falling(5, 2) == 20 and ip.falling(3, 0) == 1


@pytest.mark.parametrize("kind", ["linear", "nearest", "previous", "next", 2, 3])
def test_tables(kind):
    table = interpolate.interp1d(X, Y, kind)
    assert np.array_equal(ip.table_values(X, Y, INSIDE, 0, kind, np.nan, None), table(INSIDE))
    if isinstance(kind, int):
        np.testing.assert_allclose(ip.table_weights(X, INSIDE, kind, 0) @ Y, table(INSIDE), 1e-12)
    elif kind != "linear":
        assert np.array_equal(Y[ip.table_steps(X, INSIDE, kind)], table(INSIDE))


def test_splines_in_a_basis():
    spline = interpolate.make_interp_spline(X, Y, 3)
    t, c = spline.t, spline.c
    assert np.array_equal(ip.spline_values(t, c, 3, INSIDE, 1, True), spline(INSIDE, 1))
    np.testing.assert_allclose(ip.basis_values(t, 3, INSIDE, 0, True) @ c, spline(INSIDE), 1e-12)
    np.testing.assert_allclose(ip.interpolation_matrix(X, 3, None, None) @ Y, c, 1e-10)
    for nu, derived in ((1, spline.derivative(1)), (-1, spline.antiderivative(1))):
        assert np.array_equal(ip.derived_knots(t, 3, nu), derived.t)
        np.testing.assert_allclose(ip.derivation_matrix(t, 3, nu) @ c, ip.derived_coefficients(t, c, 3, nu), 1e-12)
    area = ip.spline_integral(t, c, 3, 0.3, 2.0, True)
    np.testing.assert_allclose(ip.basis_integrals(t, 3, 0.3, 2.0, True) @ c, area)
    assert ip.outside_of_knots(t, 3, ACROSS).tolist() == [True, False, True]
