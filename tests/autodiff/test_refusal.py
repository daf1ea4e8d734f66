"""Active calls without a derivative are refused, and say where and what to do."""

import decimal
import operator

import numpy as np
import pytest

import adcompile as ad
from adcompile.autodiff.refusal import is_in_place, refuse
from adcompile.ir.nodes import Call, Const, Var


def through_decimal(x):
    return float(decimal.Decimal(x).sqrt())


@pytest.mark.parametrize("fn", [operator.iadd, list.append, np.ndarray.fill, np.copyto, operator.setitem])
def test_what_writes(fn):
    assert is_in_place(fn)
    assert isinstance(refuse(Call(Var("y"), Const(fn))), ad.Unsupported)


@pytest.mark.parametrize("fn", [operator.add, np.sin, list.index, {}.get, [].__class__])
def test_what_does_not_write(fn):
    assert not is_in_place(fn)


def test_the_function_is_named():
    error = refuse(Call(Var("y"), Const(np.unwrap)))
    assert isinstance(error, ad.NotDifferentiable)
    assert "unwrap" in error.message
    assert "register" in error.remedy


def test_inactive_calls_pass():
    def f(x, label):
        return x * len(str(label).upper())

    assert ad.grad(f)(0.5, "abc") == f(1.0, "abc")


@pytest.mark.parametrize("f", [through_decimal])
def test_active_calls_are_refused_at_their_place(f):
    with pytest.raises(ad.AdcompileError) as caught:
        ad.grad(f)(0.5)
    assert caught.value.place.file == __file__
