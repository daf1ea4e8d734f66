"""What a specialisation is asked for, and what its calls run."""

import numpy as np

import adcompile as ad
from adcompile.runs import Plan, conjugated


def test_positions_from_the_end():
    assert Plan("grad", -1).from_start(3).argnums == 2
    assert Plan("grad", (0, "a")).names == ("a",)
    assert Plan("grad", 0).backend is None


def test_gradients_of_complex_values_are_conjugates():
    assert conjugated((1.0 + 2.0j, 3.0)) == (1.0 - 2.0j, 3.0)


def test_the_quick_path_gives_what_the_other_gives():
    x = np.array([1.0, 2.0])
    f = lambda a: np.sum(a * a)
    np.testing.assert_array_equal(ad.grad(f)(x), ad.grad(f, argnums=(0,))(x)[0])
