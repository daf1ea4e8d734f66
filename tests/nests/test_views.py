"""Views as offset and step in loops, against what NumPy's own views show."""

from types import SimpleNamespace

import numpy as np
import pytest

from adcompile.ir import ops
from adcompile.ir.nodes import Call, Const, Var
from adcompile.ir.types import INT, Array
from adcompile.nests.keys import vars_in
from adcompile.nests.views import basic_index, compose, plus, whole
from adcompile.nests.views import view_of as nests_view

A = Var("a")
NAMES = SimpleNamespace(defs={}, counted=frozenset())
SHAPE = (7, 6)
PARTS = [
    slice(None), slice(1, -1), slice(2, None), slice(None, -2), slice(-3, None), slice(None, None, 2), slice(1, 5, 3),
    slice(None, None, -1), slice(-4, -1), slice(0, 20), slice(5, 2), 0, 3, -1, None, Ellipsis,
]  # fmt: skip


def number(key, shape):
    """What a key is for an array of this shape."""
    match key:
        case int():
            return key
        case ("dim", _, k):
            return shape[k]
        case ("less", of, n):
            return max(number(of, shape) - n, 0)
        case ("least", of, n):
            return min(number(of, shape), n)
        case ("span", start, stop, step):
            return len(range(number(start, shape), number(stop, shape), step))
    raise AssertionError(key)


def shown(view, array):
    """The elements that a view shows, by the loops that it stands for."""
    shape = array.shape
    extents = tuple(number(n, shape) for n in view.extents)
    out = np.empty(extents)
    for turn in np.ndindex(*extents):
        at = []
        for axis in view.index:
            start = axis.start[0] + sum(n * number(key, shape) for key, n in axis.start[1])
            at.append(start + (axis.step * turn[axis.loop] if axis.loop is not None else 0))
        out[turn] = array[tuple(at)]
    return out


def view_of(index, keys=None):
    types = {A: Array(np.dtype(float), ("many", "many"))}
    keys = keys or tuple(("dim", A, k) for k in range(2))
    return basic_index(A, keys, Const(index), types, NAMES)


@pytest.mark.parametrize("keys", [None, SHAPE], ids=["lengths of the run", "known lengths"])
def test_every_basic_index_of_two_parts(keys):
    a = np.arange(42.0).reshape(SHAPE)
    for p in PARTS:
        for q in PARTS:
            if p is q is Ellipsis:
                continue
            view = view_of((p, q), keys)
            if view is not None:
                np.testing.assert_array_equal(shown(view, a), a[p, q], err_msg=f"a[{p}, {q}]")
    assert view_of((slice(5, 1, -1),), keys) is None, "not followed"


def test_short_axes():
    for shape in ((1, 1), (2, 3), (0, 4)):
        a = np.arange(float(np.prod(shape))).reshape(shape)
        for p in PARTS[:11]:
            np.testing.assert_array_equal(shown(view_of((p,)), a), a[p], err_msg=f"{shape} {p}")


def test_views_of_views():
    a = np.arange(42.0).reshape(SHAPE)
    for p in PARTS[:8]:
        first = view_of((p, slice(1, None)))
        for q in PARTS[:8]:
            types = {A: Array(np.dtype(float), ("any", "any"))}
            second = basic_index(A, first.extents, Const((slice(None), q)), types, NAMES)
            np.testing.assert_array_equal(shown(compose(first, second), a), a[p, 1:][:, q], err_msg=f"{p} {q}")


def test_numbers_that_only_the_run_knows():
    i, s, t = Var("i"), Var("s"), Var("t")
    types = {A: Array(np.dtype(float), ("many", "many")), i: INT}
    defs = {s: Call(s, Const(slice), (Const(1), i, Const(None))), t: Call(t, Const(ops.build_tuple), (s, i))}
    view = basic_index(A, (("dim", A, 0), 6), t, types, SimpleNamespace(defs=defs, counted=frozenset()))
    assert view is not None and len(view.extents) == 1 and i in vars_in(view.extents)
    assert view.inside == ((6, (0, ((("place", 6, i), 1),))),)
    view = basic_index(A, (("dim", A, 0), 6), t, types, SimpleNamespace(defs=defs, counted=frozenset({i})))
    assert view is not None and view.inside == ((6, (0, ((i, 1),))),), "counts from 0 on: as it is"
    assert view.extents == (("span", 1, ("least", ("dim", A, 0), i), 1),)


def test_linear_forms():
    assert plus((1, (("n", 2),)), (3, (("n", 1),)), -2) == (-5, ())
    assert whole(A, (3, 4)).index == compose(whole(A, (3, 4)), whole(A, (3, 4))).index


def test_flipped():
    for axis in (None, 0, -1, (0, 1)):
        call = Call(Var("v"), Const(np.flip), (A, Const(axis)))
        types = {A: Array(np.dtype(float), ("any", "any"))}
        view = nests_view(call, types, NAMES, lambda _: (("dim", A, 0), ("dim", A, 1)))
        array = np.arange(42.0).reshape(SHAPE)
        np.testing.assert_array_equal(shown(view, array), np.flip(array, axis))
