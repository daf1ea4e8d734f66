import numpy as np
import pytest

import adcompile as ad
from adcompile.autodiff.scalar import check_scalar
from adcompile.errors import NotDifferentiable
from adcompile.ir.abstract import type_of
from adcompile.ir.types import UNKNOWN, Scalar


@pytest.mark.parametrize("value", [1.0, np.float32(1), np.array(1.0)], ids=repr)
def test_real_scalars_pass(value):
    check_scalar(type_of(value), test_real_scalars_pass)
    check_scalar(UNKNOWN, len)
    check_scalar(Scalar(frozenset({int, float})), len)


@pytest.mark.parametrize(
    "value, kind",
    [(1, "an int"), (1j, "complex"), (np.ones(1), "an array"), (np.array(1), "int64"), ((1.0,), "container")],
)
def test_the_rest_is_refused(value, kind):
    with pytest.raises(NotDifferentiable, match=rf"test_the_rest_is_refused\(\) returns .*{kind}"):
        check_scalar(type_of(value), test_the_rest_is_refused)


def test_inner_gradients_are_checked():
    def outer(x):
        return ad.grad(lambda y: y * np.ones(2))(x)

    with pytest.raises(NotDifferentiable, match="returns an array"):
        ad.grad(outer)(1.0)
