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


def one_value(x):
    return np.sum(x)


def three_values(x):
    return np.sum(x), 1.0, 2.0


@pytest.mark.parametrize("function", [one_value, three_values])
@pytest.mark.parametrize(
    "call",
    [
        lambda f, x: ad.grad(f, has_aux=True)(x),
        lambda f, x: ad.value_and_grad(f, has_aux=True)(x),
        lambda f, x: ad.vjp(f, x, has_aux=True),
        lambda f, x: ad.jvp(f, (x,), (x,), has_aux=True),
        lambda f, x: ad.jacrev(f, has_aux=True)(x),
        lambda f, x: ad.jacfwd(f, has_aux=True)(x),
        lambda f, x: ad.hessian(f, has_aux=True)(x),
        lambda f, x: ad.grad(lambda y: ad.grad(f, has_aux=True)(y)[0][0])(x),
    ],
)
def test_has_aux_wants_a_pair(function, call):
    with pytest.raises(ad.NotDifferentiable, match=f"{function.__name__}.. returns (something else|3 values)"):
        call(function, np.ones(2))


def test_mutated_wants_a_dict():
    with pytest.raises(TypeError, match=r"write .name: cotangent."):
        ad.vjp(one_value, np.ones(2))[1](1.0, mutated=[np.ones(2)])
