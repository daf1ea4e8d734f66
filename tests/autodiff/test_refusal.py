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


@pytest.mark.parametrize("mode", ["jvp", "vjp"])
@pytest.mark.parametrize(
    "f, message",
    [
        (lambda x: np.pad(x, 1, "mean"), "mode of np.pad"),
        (lambda x: np.interp(x, [0.0, 1.0], [2.0, 3.0], period=1.5), "period="),
        (lambda x: np.linalg.svd(np.outer(x, x), hermitian=True)[0], "hermitian=True"),
        (lambda x: np.var(x * 1j, dtype=complex), "complex variance"),
    ],
)
def test_a_rule_that_does_not_cover_a_call_refuses_it(f, message, mode):
    x = np.array([0.1, 0.7])
    with pytest.raises(ad.NotDifferentiable, match=message) as refused:
        ad.jvp(f, (x,), (x,)) if mode == "jvp" else ad.vjp(f, x)[1](f(x))
    assert refused.value.place is not None and refused.value.remedy
