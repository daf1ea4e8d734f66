"""Elements of batches: the index that means the same behind another axis."""

import numpy as np
import pytest

import adcompile as ad
from adcompile.api import find
from adcompile.autodiff.batched_arrays import index_kind
from adcompile.ir.types import BOOL, INT, Array, Known, Scalar, SliceT
from adcompile.runs import Plan

T = np.arange(24.0).reshape(2, 3, 4)


def source(f, *args):
    return find(f, args, Plan("jvp_batched", (0,)))[2].made.derived.source


def test_kinds_of_indices():
    part = Known(None)
    assert index_kind(SliceT((part, part, part))) == index_kind(Known(slice(1))) == index_kind(Known(...)) == "slice"
    assert index_kind(INT) == index_kind(Known(3)) == index_kind(Scalar(frozenset({np.int64}))) == "number"
    assert index_kind(Known(None)) == "new" and index_kind(Array(np.dtype(bool), ("many",))) == "array"
    for kind in (BOOL, Known(True), Array(np.dtype(int), None)):
        assert index_kind(kind) is None


def test_elements_are_read_behind_the_axis():
    assert "t_dot[:, 0, 1:]" in source(lambda t: t[0, 1:], T)
    assert "rt.item_each(t_dot" in source(lambda t: t[[0, 1], :, [2, 3]], T)


def test_products_are_one_call():
    assert "x_dot @ " in source(lambda x: x @ T[0], T[0, :, 0])
    assert "np.einsum('aij->aji'" in source(lambda m: np.einsum("ij->ji", m), T[0])
    assert ad.jvp_batched(lambda v: np.outer(v, v), (T[0, 0],), (np.eye(4),))[1].shape == (4, 4, 4)


def filled(x):
    """A list of numbers whose length is met when the code runs: the batch's axis lies within its items."""
    values = []
    for i in range(len(x)):
        values.append(x[i] * x[0])
    return values


JOINED = {
    "stacked": lambda x: np.stack([filled(x), x]),
    "stacked behind": lambda x: np.stack([x, filled(x)], axis=-1),
    "concatenated": lambda x: np.concatenate([filled(x), x * x, filled(x)[1:]]),
    "displays": lambda x: np.concatenate([[x[0] * x[1], 2.0], [x[1] ** 2, x[0]]]),
    "stacked displays": lambda x: np.stack([[x[0] * x[1], 2.0], x[:2] ** 2], axis=1),
    "lists of a list": lambda x: np.concatenate([[x[i] * x[0], x[1] * i] for i in range(len(x))]),
    "appended": lambda x: np.append(filled(x), x**2),
    "beside": lambda x: np.hstack((filled(x), x)),
    "columns": lambda x: np.column_stack((x, filled(x))),
}


@pytest.mark.parametrize("name", JOINED)
def test_lists_of_numbers_among_what_is_joined(name):
    """Second derivatives: the lists hold tangents that differ."""

    def f(x):
        joined = JOINED[name](x)
        return np.sum(joined**2 * np.arange(1.0, joined.size + 1).reshape(joined.shape))

    x = np.array([0.7, -0.4, 1.2])
    slopes = np.stack([(ad.grad(f)(x + d) - ad.grad(f)(x - d)) / 2e-5 for d in np.eye(3) * 1e-5])
    for second in (ad.jacfwd(ad.jacfwd(f)), ad.jacfwd(ad.jacrev(f)), ad.jacrev(ad.jacfwd(f)), ad.hessian(f)):
        np.testing.assert_allclose(second(x), slopes, rtol=1e-6, atol=1e-6)
    columns = np.stack([ad.jvp(JOINED[name], (x,), (d,))[1] for d in np.eye(3)])
    np.testing.assert_allclose(ad.jvp_batched(JOINED[name], (x,), (np.eye(3),))[1], columns)
