"""What an array is read at that is a tuple of unknown length."""

import numpy as np
import pytest

import adcompile as ad
from adcompile.analysis.positions import is_position
from adcompile.ir.types import BOOL, FLOAT, INT, Seq

X = np.array([1.3, 0.7, 2.1])


def at(x, p):
    return np.outer(x, x)[tuple(p)]


def test_a_number_where_one_is_needed():
    assert ad.grad(at)(X, np.array([0, 2])).tolist() == [2.1, 0.0, 1.3]


@pytest.mark.parametrize("p, error", [([0], ad.NotDifferentiable), ([0, 1, 2], IndexError), ([0, 3], IndexError)])
def test_lengths_are_tested_when_the_code_runs(p, error):
    derivative = ad.grad(at)
    derivative(X, np.array([0, 2, 1])[:2])
    with pytest.raises(error, match=r"an array of shape|indices|out of bounds"):
        derivative(X, np.array(p))


def test_positions_are_tuples_of_ints():
    assert is_position(Seq(INT, tuple))
    assert not any(map(is_position, (Seq(INT), Seq(FLOAT, tuple), Seq(BOOL, tuple), INT)))
