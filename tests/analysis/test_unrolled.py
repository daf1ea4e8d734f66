"""Loops whose iterations are run one in the other, and searches that end where something is found."""

import itertools

import numpy as np
import pytest

import adcompile as ad
from adcompile.analysis.unrolled import as_branch, one_in_the_other, telling
from adcompile.ir.nodes import Block, Break, Const, Continue, For, If, Raise, Unreachable, Var, Yield

X = np.array([0.4, 0.7, 1.1])
ITEM, TOTAL, TEST = Var("item"), Var("total"), Var("test")
LEAVES = If((), TEST, Block((), (), Break((Const(1.0),))), Block((), (), Continue((TOTAL,))))
BODY = Block((ITEM, TOTAL), (LEAVES,), Unreachable())


def test_a_body_that_may_leave_is_no_branch():
    assert as_branch(BODY) is None
    goes_on = as_branch(Block((ITEM, TOTAL), (), Continue((ITEM,))))
    assert goes_on is not None and isinstance(goes_on.end, Yield) and goes_on.end.values == (ITEM,)


def test_a_body_tells_whether_it_leaves():
    told = telling(BODY, (TOTAL,))
    (choice,) = told.statements
    assert isinstance(choice, If) and isinstance(told.end, Yield)
    assert isinstance(choice.then.end, Yield) and isinstance(choice.orelse.end, Yield)
    assert [v.value for v in choice.then.end.values if isinstance(v, Const)] == [1.0, True]
    goes_on, leaves = choice.orelse.end.values
    assert goes_on is TOTAL and isinstance(leaves, Const) and leaves.value is False
    assert told.end.values == choice.results


def test_iterations_stand_one_in_the_other():
    result = Var("result")
    loop = For((result,), Const(None), (Const(0.0),), BODY)
    made = one_in_the_other(loop, [lambda b: Const(k) for k in range(3)])
    depth, block = 0, made
    while block.statements and isinstance(block.statements[-1], If):
        depth, block = depth + 1, block.statements[-1].orelse
    assert isinstance(made.end, Yield) and made.end.values == (result,) and depth == 3


def test_iterations_that_raise():
    error = Raise(Const(ValueError()), None)
    made = one_in_the_other(For((), Const(None), (), Block((ITEM,), (), error)), [lambda b: Const(0)])
    assert made.end is error


def first(x):
    return next(v for v in [u * u for u in x] if v > 5.0)


def first_of_none(x):
    return next(v for v in []) * x[0]


@pytest.mark.parametrize("f", [first, first_of_none])
def test_what_is_not_found_raises_as_python_does(f):
    with pytest.raises(StopIteration):
        f(X)
    with pytest.raises(StopIteration):
        ad.grad(f)(X)
    with pytest.raises(StopIteration):
        ad.jvp(f, (X,), (X,))


def test_what_comes_behind_is_not_run():
    calls = []

    def seen(v):
        calls.append(v)
        return v > 0.5

    def f(x):
        return next(v * v for v in x if seen(v))

    ad.grad(f)(X)
    assert calls == [0.4, 0.7]
    ad.jvp(f, (X,), (X,))
    assert calls == [0.4, 0.7] * 2


def raises_on_the_way(x):
    for name, v in {"a": x[0], "b": x}.items():
        if np.sum(v) > 2.0:
            raise KeyError(name)
        if np.sum(v) > 1.0:
            break
    return x[0]


def test_an_iteration_that_raises():
    with pytest.raises(KeyError, match="b"):
        ad.grad(raises_on_the_way)(X)


def loses_a_key(x):
    table = {"a": x[0], "b": x}
    for _name in table.items():
        table.pop("b")
        if x[0] > 5.0:
            break
    return table["a"]


def test_a_dict_that_changes_its_keys_in_the_loop_is_refused():
    with pytest.raises(ad.Unsupported, match="changes its length"):
        ad.grad(loses_a_key)(X)


def strict(x, n):
    return sum(u * v for u, v in zip([v * v for v in x], [v for v in x[:n]], strict=True))


def strict_and_endless(x):
    return sum(u * v for u, v in zip([x[0], x[1]], itertools.count(1), strict=True))


def strict_and_grown(x):
    left, right = [x[0]], [1.0]
    both = zip(left, right, strict=True)
    left.append(x[1])
    return sum(u * v for u, v in both)


@pytest.mark.parametrize(("f", "args"), [(strict, (X, 2)), (strict_and_endless, (X,)), (strict_and_grown, (X,))])
def test_what_a_strict_zip_goes_through_is_to_have_one_length(f, args):
    with pytest.raises(ValueError, match="argument 2"):
        f(*args)
    with pytest.raises(ad.Unsupported, match="different lengths"):
        ad.grad(f)(*args)


def test_a_strict_zip_of_one_length():
    got = ad.grad(strict)(X, 3)
    assert np.allclose(got, 3.0 * X**2, rtol=1e-12)
