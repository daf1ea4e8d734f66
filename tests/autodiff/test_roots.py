"""Memory that code reads from a module or an object is one, however often it is read."""

import numpy as np

import adcompile as ad

KEPT = np.zeros(3)
TABLE = {"kept": KEPT}


def read_again(x):
    KEPT[:] = x
    KEPT[0] *= x[1]
    return np.sum(TABLE["kept"] ** 2)


def test_every_way_to_an_array_has_one_shadow():
    x = np.array([1.1, 2.2, 3.3])
    expected = np.array([2 * x[0] * x[1] ** 2, 2 * x[0] ** 2 * x[1] + 2 * x[1], 2 * x[2]])
    assert np.allclose(ad.grad(read_again)(x), expected)
    assert np.array_equal(KEPT, np.zeros(3))
    tangents = [ad.jvp(read_again, (x,), (row,))[1] for row in np.eye(3)]
    KEPT[:] = 0.0
    assert np.allclose(tangents, expected)
