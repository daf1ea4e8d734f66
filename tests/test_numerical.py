import math

import numpy as np
import pytest

from adcompile.numerical import directional, eps_of, inexact_leaves
from adcompile.tangents import NoTangent


@pytest.mark.parametrize(
    "f, x, slope",
    [
        (math.sin, 0.5, math.cos(0.5)),
        (np.sin, 0.5, math.cos(0.5)),
        (lambda x: abs(x) ** 3, -2.0, -12.0),
        (lambda x: math.exp(-x * x), 0.7, -1.4 * math.exp(-0.49)),
        (lambda x: math.gamma(x), 3.0, 2 * (1.5 - 0.5772156649015329)),
        (lambda x: 3.0, 1.0, 0.0),
    ],
)
def test_slopes(f, x, slope):
    value, error = directional(f, (x,), (1.0,))
    assert value == pytest.approx(slope, rel=1e-9, abs=1e-12)
    assert abs(value - slope) <= 10 * error + 1e-12 * abs(slope)


def test_analytic_functions_are_exact():
    value, _ = directional(lambda x, y: np.exp(x) * y, (np.ones(3), 2.0), (np.ones(3), NoTangent))
    assert np.allclose(value, 2 * math.e, rtol=1e-15)


def test_complex_arguments_and_structures():
    value, _ = directional(lambda z: z * z, (1 + 2j,), (1j,))
    assert value == pytest.approx(2j * (1 + 2j))
    value, _ = directional(lambda d: (d["a"] * 2.0, "s"), ({"a": np.ones(2)},), ({"a": np.ones(2)},))
    assert np.allclose(value[0], 2.0) and value[1] is NoTangent


def test_results_without_tangent():
    assert directional(lambda x: int(x), (1.5,), (1.0,)) == (NoTangent, 0.0)


def test_rounding_units():
    assert eps_of(1.0) == pytest.approx(2.3e-16)
    assert eps_of((1.0, np.float32(1))) == pytest.approx(1.2e-7, rel=0.1)
    assert inexact_leaves(({"a": 1.0}, 3, [np.ones(2)]))[0] == 1.0
