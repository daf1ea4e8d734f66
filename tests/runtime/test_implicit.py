"""What solvers give, as generated code has it."""

import numpy as np
import pytest

from adcompile.errors import NotDifferentiable
from adcompile.runtime.implicit import Optimum, completed, inside, slope, solve, unbound


def test_the_gradient_of_a_function():
    np.testing.assert_allclose(slope(lambda x: np.sum(x**3), np.array([1.0, 2.0])), [3.0, 12.0])


def test_functions_of_what_a_method_or_a_partial_application_holds():
    assert solve(unbound(lambda owner, x: owner["a"] * x, {"a": 2.0}), 3.0) == 6.0
    assert completed(lambda a, x, b: a * x + b, (2.0,), {"b": 1.0})(3.0) == 7.0


def test_minima_inside_and_at_bounds():
    inside(0.5, 0.0, 1.0)
    inside(3.0, -np.inf, np.inf)
    for x in (1e-6, 1.0):
        with pytest.raises(NotDifferentiable):
            inside(x, 0.0, 1.0)


def test_names_of_an_outcome():
    class Told:
        x, nit = "not this", 7

    found = Optimum(2.0, 0.5, Told())
    assert (found.x, found["fun"], found.nit, found["x"]) == (2.0, 0.5, 7, 2.0)
    with pytest.raises(AttributeError):
        found.other
