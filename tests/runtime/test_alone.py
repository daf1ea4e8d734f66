"""What augmented assignments make of numbers and arrays that nobody else holds."""

import operator

import numpy as np
import pytest

from adcompile import runtime as rt
from adcompile.errors import Unsupported

PAIRS = [
    (rt.added, operator.iadd),
    (rt.subtracted, operator.isub),
    (rt.multiplied, operator.imul),
    (rt.divided, operator.itruediv),
]
X = np.array([0.3, 0.7])
GIVEN = [
    (2, 3),
    (2.0, X),
    (np.float32(2.0), X),
    (X, 3),
    (X.astype(np.float32), X),
    (np.array(2.0), 3.0),
    (np.outer(X, X).T, X),
    (np.array([True, False]), np.array([True, True])),
    (X, np.outer(X, X)),
    (np.array([1, 2]), X),
]


@pytest.mark.parametrize("renewed, in_place", PAIRS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("target, value", GIVEN, ids=range(len(GIVEN)))
def test_as_in_place_and_the_target_stays(renewed, in_place, target, value):
    before = target.copy() if isinstance(target, np.ndarray) else target
    try:
        expected = in_place(target.copy("K") if isinstance(target, np.ndarray) else target, value)
    except (TypeError, ValueError) as error:
        with pytest.raises(type(error)) as caught:
            renewed(target, value)
        assert str(caught.value) == str(error)
        return
    found = renewed(target, value)
    assert type(found) is type(expected)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(target, before)
    if isinstance(expected, np.ndarray):
        assert (found.dtype, found.strides) == (expected.dtype, expected.strides)
        assert not np.shares_memory(found, target)


@pytest.mark.parametrize("value", [2, 2.0, 1j, np.float32(2.0), X, np.array(1.0)], ids=repr)
def test_numbers_and_arrays_have_derivatives(value):
    rt.check_alone(value)


@pytest.mark.parametrize("value", [[1.0], (1.0,), "text", np.ma.array([1.0])], ids=lambda t: type(t).__name__)
def test_others_have_none(value):
    with pytest.raises(Unsupported, match=type(value).__name__):
        rt.check_alone(value)


def test_a_list_is_changed_itself():
    held = [1.0]
    assert rt.added(held, (2.0,)) is held == [1.0, 2.0]
    assert rt.added("a", "b") == "ab"
