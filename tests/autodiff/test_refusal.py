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
        (lambda x: np.linalg.svd(np.outer(x, x), hermitian=True)[0], "hermitian=True"),
        (lambda x: np.var(x * 1j, dtype=complex), "complex variance"),
    ],
)
def test_a_rule_that_does_not_cover_a_call_refuses_it(f, message, mode):
    x = np.array([0.1, 0.7])
    with pytest.raises(ad.NotDifferentiable, match=message) as refused:
        ad.jvp(f, (x,), (x,)) if mode == "jvp" else ad.vjp(f, x)[1](f(x))
    assert refused.value.place is not None and refused.value.remedy


class Matrix(np.ndarray):
    """Its products are those of matrices, as np.matrix has them."""

    def __mul__(self, other):
        return self @ other if isinstance(other, np.ndarray) else np.multiply(self, other)


MATRIX = np.arange(1.0, 5.0).reshape(2, 2).view(Matrix)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum((MATRIX * x) * MATRIX),
        lambda x: np.sum((x * MATRIX.T) ** 2),
        lambda x: np.sum(np.full_like(MATRIX, x) ** 2),
        lambda x: np.sum((np.zeros_like(MATRIX) + x) ** 2),
        lambda x: np.sum(np.array(MATRIX, subok=True) * x),
        lambda x: np.sum((np.ones((2, 2)) * x).view(Matrix) ** 2),
        lambda x: np.sum((np.ones((2, 2)) * x).view(type=Matrix) ** 2),
        lambda x: np.array([x, x * x]).view(np.recarray).sum(),
    ],
)
def test_arrays_of_other_classes(f):
    for derivative in (lambda: ad.grad(f)(1.5), lambda: ad.jvp(f, (1.5,), (1.0,))):
        with pytest.raises(ad.Unsupported, match=r"test_refusal\.py(.|\n)*an array of class (.|\n)*np\.asarray"):
            derivative()


def test_arrays_of_other_classes_made_plain():
    def f(x):
        unused = MATRIX * MATRIX
        return np.sum((np.asarray(MATRIX) * x) ** 2) + x * MATRIX.shape[0] + 0.0 * len(unused)

    assert ad.grad(f)(1.5) == 2.0 * 30.0 * 1.5 + 2.0


def test_settings_that_a_rule_does_not_take():
    def remainders(x):
        return np.sum(np.divmod(x, 2.0, dtype=float)[1])

    def total(x):
        return np.einsum("i->", x, order="C")

    for f in (remainders, total):
        with pytest.raises(ad.Unsupported, match=r"test_refusal\.py:(.|\n)*= in this call, which its derivative rule"):
            ad.grad(f)(np.ones(2))
