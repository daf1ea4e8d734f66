"""The bodies of functions that store say what these store: against the functions themselves."""

import inspect

import numpy as np
import pytest

import adcompile as ad
from adcompile.autodiff import inplace
from tests.checks import bits

X = np.array([0.3, -0.7, 1.1, 0.45, -0.2, 0.6])
A = X.reshape(2, 3)
S = np.vstack([A, A * 2.0 + 1.0])[:3]
MASK = np.array([True, False, True, True, False, False])

CALLS = {
    np.ndarray.fill: [(X, 2.5), (A, 1)],
    np.copyto: [(X, 2.0), (A, X[:3]), (X, X * 2.0, "same_kind", MASK)],
    np.ndarray.sort: [(X,), (A,), (A, 0)],
    np.ndarray.partition: [(X, 2), (A, 1), (A, 1, 0)],
    np.putmask: [(X, MASK, X * 3.0), (X, MASK, 2.0), (X, MASK, X[:2])],
    np.fill_diagonal: [
        *((S, 2.0), (A, 7.0), (A, X[:3]), (A, X[:1]), (A.T, X), (np.ones((7, 2)), X, True), (np.ones((7, 2)), X)),
        *((np.ones((2, 2, 2)), X[:1]), (np.ones((2, 2, 2, 2)), X), (S, S)),
    ],
    np.put: [(X, [0, 3], [1.5, 2.5]), (A, [5, 0, 5], [1.0, 2.0, 3.0]), (X, [7, -1], 2.0, "wrap"), (X, 1, X[:1])],
    np.ndarray.put: [(X, [0, 3], [1.5, 2.5])],
    np.place: [(X, MASK, [1.5, 2.5]), (A, A > 0, [4.0])],
    np.put_along_axis: [
        *((A, np.array([[0], [2]]), 9.0, 1), (A, np.array([[1, 0, 1]]), A[:1] * 2.0, 0)),
        *((A, np.array([5, 0]), X[:2], None), (A, np.array([5, 0]), 2.0, None)),
    ],
}


def cases():
    for fn, calls in CALLS.items():
        for k, args in enumerate(calls):
            yield pytest.param(fn, args, id=f"{fn.__qualname__}-{k}")


def test_every_body_is_tested():
    assert set(CALLS) == set(inplace.BODIES)


@pytest.mark.parametrize(("fn", "args"), list(cases()))
def test_bodies_give_what_is_stored(fn, args):
    target = args[0].copy()
    fn(target, *args[1:])
    before = bits(args)
    stored = inplace.BODIES[fn](*args)
    assert bits(args) == before, "a body has no effects"
    # a partition is any order that has the k smallest before
    if fn is np.ndarray.partition:
        stored, target = np.sort(stored), np.sort(target)
    np.testing.assert_array_equal(np.broadcast_to(stored, target.shape), target)


@pytest.mark.parametrize("fn", list(CALLS), ids=lambda fn: fn.__qualname__)
def test_bodies_take_the_arguments_of_the_function(fn):
    try:
        theirs = inspect.signature(fn).parameters
    except ValueError:
        return  # written in C
    ours = inspect.signature(inplace.BODIES[fn]).parameters
    names = [n for n in theirs if n != "self"]
    assert [n for n in ours if n in names] == [n for n in names if n in ours]


@pytest.mark.parametrize(("fn", "args"), list(cases()))
def test_derivatives(fn, args):
    args = tuple(np.array(a) if isinstance(a, list) else a for a in args)
    inexact = [k for k, a in enumerate(args) if isinstance(a, (float, np.ndarray)) and np.asarray(a).dtype.kind == "f"]
    rest = args[1:]

    def over_target(a):
        b = a * 1.0
        fn(b, *rest)
        return np.sum(b**3)

    ad.check_grads(over_target, (args[0],), order=1)
    for k in inexact[1:]:
        before, after = args[1:k], args[k + 1 :]

        def over_value(v, before=before, after=after):
            b = args[0] * 2.0
            fn(b, *before, v, *after)
            return np.sum(b**3)

        ad.check_grads(over_value, (args[k],), order=1)


def test_where_selects_what_is_stored():
    out = np.array([1.0, 2.0, 3.0])
    where = np.array([True, False, True])
    stored = inplace.masked(out, where, np.multiply, out, out)
    np.multiply(out, out, out=out, where=where)
    assert np.array_equal(stored, out)
