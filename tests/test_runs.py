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


def test_gradients_by_several_numbers_have_their_classes():
    f = lambda a, b, c: a * b + c * a

    def gradients(*args):
        return ad.grad(f, argnums=(0, 1, 2))(*args)

    assert gradients(2.0, 3.0, 5.0) == (8.0, 2.0, 2.0)
    mixed = gradients(np.float32(2.0), 3.0, np.float64(5.0))
    assert mixed == (8.0, 2.0, 2.0)
    assert [type(g) for g in mixed] == [np.float32, float, np.float64]

    k = [4.0]  # a captured value, and a gradient that is the same number twice
    assert ad.grad(lambda a, b: (a + b) * k[0], argnums=(0, 1))(1.0, 2.0) == (4.0, 4.0)
