"""What comes back from a rule that is called, and the mode that it was not written for."""

import numpy as np
import pytest

from adcompile import runtime as rt
from adcompile.errors import RuleError

A = np.array([[1.0, 2.0, 0.5], [0.0, -1.0, 3.0]])
Z = np.array([1.0 + 2.0j, -0.5j])


def test_a_bare_result_is_a_tuple_of_one():
    assert rt.called(lambda x: 2.0 * x, 1, 3.0) == (6.0,)
    assert rt.called(lambda x: (2.0 * x,), 1, 3.0) == (6.0,)
    assert rt.called(lambda x, k: [x, k], 2, 3.0, k=1) == (3.0, 1)


@pytest.mark.parametrize("result", [(1.0,), (1.0, 2.0, 3.0), 1.0, None])
def test_another_number_of_results_is_an_error(result):
    with pytest.raises(RuleError, match="where 2 are needed"):
        rt.called(lambda: result, 2)


def test_results_have_the_class_of_what_they_belong_to():
    assert rt.fitted(None, 2.0) == 0.0
    assert rt.fitted(1 + 0j, 2.0) == 1.0 and type(rt.fitted(1, 2.0)) is float
    assert rt.fitted(np.ones(2), np.ones(2, "f4")).dtype == np.float32
    assert rt.fitted([1.0, None], (2.0, np.ones(1)))[1].shape == (1,)
    with pytest.raises(RuleError, match=r"shape \(2,\) for a value of shape \(3,\)"):
        rt.fitted(np.ones(2), np.ones(3))


def matrix(g, y, x):
    return A.T @ g


def test_a_linear_map_by_its_transpose():
    x, x_dot = np.array([0.3, 0.7, 1.1]), np.array([1.0, -1.0, 2.0])
    assert np.allclose(rt.pushed(matrix, A @ x, (x_dot,), x), A @ x_dot)
    assert np.allclose(rt.pushed_along(lambda g: A.T @ g, A @ x, (x_dot,)), A @ x_dot)
    y_bar = np.array([2.0, -0.3])
    (found,) = rt.pulled(lambda x, d: (A @ x, A @ d), y_bar, (0,), x)
    assert np.allclose(found, A.T @ y_bar)


def test_complex_maps():
    dots = Z[::-1].copy()
    assert np.allclose(rt.pushed(lambda g, y, z: 2.0 * np.conj(z) * g, Z * Z, (dots,), Z), 2.0 * Z * dots)
    (found,) = rt.pulled(lambda z, d: (z * z, 2.0 * z * d), dots, (0,), Z)
    assert np.allclose(found, 2.0 * np.conj(Z) * dots)


def test_numbers_stay_numbers():
    assert rt.pushed(lambda g, y, x: 3.0 * g, 6.0, (2.0,), 2.0) == 6.0
    assert rt.pulled(lambda x, k, d, _: (k * x, k * d), 5.0, (0,), 2.0, 3.0) == (15.0,)


def test_containers_have_no_other_mode():
    with pytest.raises(RuleError, match="register a rule for this mode too"):
        rt.pushed(lambda g, y, x: g, (1.0, 2.0), (2.0,), 2.0)
