"""Orders by keys that are none, known or not."""

import numpy as np
import pytest

import adcompile as ad
from adcompile.testing import check_grads

X = np.array([0.7, -0.4, 1.3])


def first(x, key=None, reverse=False):
    return sorted(x, key=key, reverse=reverse)[0] * 2.0


def chosen(x, n):
    key = abs if n * x[0] > 1.0 else None
    items = sorted(x, key=key)
    return items[0] * items[1]


@pytest.mark.parametrize("args", [(), (None,), (abs,), (None, True), (abs, True)])
def test_a_key_by_name(args):
    check_grads(lambda x: first(x, *args), (X,))
    assert ad.value_and_grad(first)(X, *args)[0] == first(X, *args)


@pytest.mark.parametrize("n", [1, 2])
def test_a_key_that_is_there_on_one_path(n):
    check_grads(lambda x: chosen(x, n), (X,))
    assert ad.value_and_grad(chosen)(X, n)[0] == chosen(X, n)
