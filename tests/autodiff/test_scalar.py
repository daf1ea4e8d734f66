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


class Held:
    def __init__(self, v):
        self.v = v


RESULTS = {
    "an array of shape": lambda x: x * 2.0,
    "an array of shape .1, 1.": lambda x: np.reshape(x[0] * 3.0, (1, 1)),
    "a complex number": lambda x: np.array(x[0] * 1j),
    "an object of class tuple": lambda x: (x[0], x[1]),
    "an object of class Held": lambda x: Held(x[0]),
    "an object of class str": lambda x: "text",
    "an object of class set": lambda x: {1},
    "None": lambda x: None,
}


@pytest.mark.parametrize("kind", RESULTS)
@pytest.mark.parametrize("wrap", [ad.grad, ad.value_and_grad, lambda f: ad.grad(lambda x: ad.grad(f)(x)[1])])
def test_a_result_of_another_kind_on_a_path_is_refused_there(kind, wrap):
    def either(x, far):
        z = x[0] * x[1]
        if far:
            z = RESULTS[kind](x)
        return z

    def near(x):
        return either(x, x[0] > 10.0)

    slope = wrap(near)(np.array([2.0, 3.0]))
    g = slope[1] if isinstance(slope, tuple) else slope
    assert np.array_equal(g, [3.0, 2.0]) or np.array_equal(g, [1.0, 0.0])  # of the product, and of its second slope
    with pytest.raises(NotDifferentiable, match=rf"near\(\) returns {kind}.*test_scalar\.py:\d+"):
        wrap(near)(np.array([20.0, 3.0]))


def test_numbers_of_any_class_are_results_on_a_path():
    def either(x, way):
        z = x * np.ones(2)
        for _ in range(way):
            z = (x * 2.0, np.float32(3.0) * x, np.array(x * 5.0), 7)[way - 1]
        return z

    assert [float(ad.grad(either)(1.5, way)) for way in (1, 2, 3, 4)] == [2.0, 3.0, 5.0, 0.0]


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
