import numpy as np

import adcompile as ad
from adcompile.runtime.marks import stop_gradient


def test_it_is_the_identity():
    x = np.ones(3)
    assert stop_gradient(x) is x


def test_it_is_a_constant_to_derivatives():
    assert ad.grad(lambda x: x * stop_gradient(x * x))(3.0) == 9.0
    assert ad.grad(lambda x: np.sum(stop_gradient(np.exp(x))))(np.ones(2)).tolist() == [0.0, 0.0]
