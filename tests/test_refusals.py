import numpy as np
import pytest

import adcompile as ad
from adcompile.errors import NotDifferentiable, Unsupported
from adcompile.refusals import differentiated, refuse_self_reference


def f(x, y):
    return x * y


@pytest.mark.parametrize(
    "argnums, args, expected",
    [(0, (1.0, 2), (0,)), (-1, (1, 2.0), (1,)), ((1, 0), (1.0, np.ones(2)), (1, 0)), (None, (1, 2.0), (1,))],
)
def test_positions_of_one_call(argnums, args, expected):
    assert differentiated(f, argnums, args) == expected


@pytest.mark.parametrize(
    "argnums, args, message",
    [
        (0, (3, 2.0), r"argument 'x' of f\(\) has no derivative: it is an int"),
        (1, (3.0, np.int8(2)), "argument 'y'.*it is a int8"),
        (0, (np.ones(2, bool), 1.0), "an array of bool"),
        (0, ((1, "a"), 1.0), "a tuple without a float"),
        (0, (None, 1.0), "it is a NoneType"),
        (2, (1.0, 1.0), "called with 2"),
        (-3, (1.0, 1.0), "called with 2"),
        (None, (1, "a"), "no argument of f"),
    ],
)
def test_refused_arguments_name_place_and_remedy(argnums, args, message):
    with pytest.raises(NotDifferentiable, match=message) as caught:
        differentiated(f, argnums, args)
    assert "test_refusals.py" in str(caught.value)
    assert isinstance(caught.value, TypeError)


def test_functions_that_call_their_own_derivative():
    refuse_self_reference(f)

    def outer(x):
        return f(x, x)

    refuse_self_reference(outer)

    @ad.value_and_grad
    def loop(x):
        return x if x < 1 else loop(x - 1)

    with pytest.raises(Unsupported, match=r"loop\(\) is decorated with value_and_grad") as caught:
        refuse_self_reference(loop.fun)
    assert "g = value_and_grad(loop)" in caught.value.remedy
