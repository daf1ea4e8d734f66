"""Lists that kernels are given."""

import numpy as np
import pytest

import adcompile as ad
from adcompile.backend.native.given import given_as
from adcompile.backend.native.values import ArrayOf, ListOf, Number, TupleOf
from tests.kernels import agree

A, B = np.array([0.5, 1.5, -0.7]), np.array([1.0, 0.25, 2.0])


def cells(weights, state, steps):
    """Lists made anew in each step, of arrays; ranges of a length that a list tells."""
    for _ in range(steps):
        new = []
        for k in range(0, len(state), 2):
            joined = np.concatenate((state[k], state[k + 1])) * weights[k]
            new += [np.tanh(joined[:3]), joined[3:] * 0.5]
        state = new
    return np.sum(state[0] * state[-1])


def weighted(weights, arrays):
    """Of whatever lengths."""
    s = 0.0
    for k in range(len(arrays)):
        s += np.sum(arrays[k]) * weights[k]
    return s


def polynomial(coefficients, x):
    s = 0.0
    for k in range(len(coefficients)):
        s = s * x + coefficients[k]
    return s


def filled(items, x):
    for k in range(3):
        items.append(x * k)
    return items[-1] * x


def overwritten(arrays, x):
    for k in range(2):
        arrays[k][0] = x * k
    return np.sum(arrays[0] * x + arrays[1])


W = np.linspace(0.1, 0.9, 24).reshape(4, 6)
LONG = [0.5 * k for k in range(20)]


def test_lists_of_arrays():
    agree(cells, W, [A, B, B, A], 3)
    for function, args in ((cells, (W, [A, B, B, A], 3)), (weighted, (W[0], [A, B])), (weighted, (W[0], [A, B[:2]]))):
        native = ad.grad(function, backend="numba")
        np.testing.assert_allclose(native(*args), ad.grad(function)(*args), rtol=1e-12, atol=1e-15)
        assert not native.specialise(args, {})[0].made.derived.native.notes
    agree(cells, W, [A, B[:2], B, A], 2)


def test_lists_of_numbers():
    agree(polynomial, LONG, 0.5)
    agree(polynomial, [0.5, 1, 2.0], 0.5)
    agree(polynomial, LONG[:1], 0.5)


def test_what_is_written_stays_in_python():
    agree(filled, list(LONG), 0.5)
    agree(overwritten, [A, B], 0.5)


@pytest.mark.parametrize(
    ("item", "wanted"),
    [
        (Number("f8"), ArrayOf("f8", 1)),
        (Number("i8"), ArrayOf("f8", 1)),
        (ArrayOf("f4", 2), ArrayOf("f4", 3)),
        (TupleOf((Number("f8"), Number("i8"))), ArrayOf("f8", 2)),
        (TupleOf((Number("f8"), Number("f4"))), None),
        (TupleOf((ArrayOf("f8", 1),)), None),
        (ListOf(Number("f8")), None),
    ],
)
def test_what_they_come_as(item, wanted):
    assert given_as(ListOf(item)) == wanted
