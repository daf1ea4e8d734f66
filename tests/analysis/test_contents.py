"""What containers hold that are filled as the code runs: found over the whole program, and given up."""

import numpy as np
import pytest

import adcompile as ad
from adcompile.analysis.contents import is_inert, joined
from adcompile.ir.types import FLOAT, INT, NEVER, Filled, Instance, Known, Seq, TupleT, join
from tests.programs import lists_filled

X = np.array([0.6, 0.75, 1.2])
A, B = (Filled(list, (), frozenset({(list, place)})) for place in "ab")


def test_lists_of_two_sites_are_of_either():
    assert join(A, B) == Filled(list, (), A.sites | B.sites)
    assert join(A, Instance(list)) == join(Instance(list), A) == Instance(list)


@pytest.mark.parametrize("t", [INT, NEVER, A, Instance(str), TupleT((INT, Known("a"))), Seq(INT, tuple), Known(None)])
def test_what_is_inert(t):
    assert is_inert(t)


@pytest.mark.parametrize("t", [FLOAT, TupleT((INT, FLOAT)), Seq(INT), Instance(dict), Known(0.5)])
def test_what_may_carry_a_derivative_or_be_written_into(t):
    assert not is_inert(t)


def test_items_are_joined():
    assert joined((Known(1), Known(2))) == INT


def test_other_lengths_later():
    g = ad.grad(lists_filled.neighbours_in_lists)
    for x in (X, X[:1], np.linspace(0.1, 2.0, 9)):
        ad.check_grads(lists_filled.neighbours_in_lists, (x,), order=1)
        assert g(x).shape == x.shape


def active(x):
    rows = [[] for _ in range(len(x))]
    for i in range(len(x)):
        rows[i].append(i)
        rows[0].append(x[i])
    total = 0.0
    for v in rows[0]:
        total += v
    return total


def test_what_gets_an_active_value_stands_in_a_pool():
    assert ad.grad(active)(X).tolist() == [1.0, 1.0, 1.0]


def active_or_not(x):
    rows = [[] for _ in range(len(x))]
    for i in range(len(x)):
        rows[0].append(x[i] if i else None)
    return rows[0][1]


def test_what_gets_values_of_any_kind_is_refused():
    with pytest.raises(ad.Unsupported, match="a write into a list"):
        ad.grad(active_or_not)(X)


def as_aux(x):
    near = lists_filled._close(x, 0.9)
    return lists_filled._total(x, near), near


def test_the_lists_are_handed_out():
    value, pull, aux = ad.vjp(as_aux, X, has_aux=True)
    assert aux == lists_filled._close(X, 0.9)
    (want,) = pull(1.0)
    for row in aux:
        row.clear()
    np.testing.assert_array_equal(pull(1.0)[0], want)
    assert value == as_aux(X)[0]
