"""Elements of batches: the index that means the same behind another axis."""

import numpy as np

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
