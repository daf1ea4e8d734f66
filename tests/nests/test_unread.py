"""Memory that nobody reads is not there: neither the arrays nor the writes into them."""

import operator

import numpy as np

from adcompile.ir import ops
from adcompile.ir.nodes import Call, Const, Var
from adcompile.nests.unread import unread, without
from tests.nests.lowered import both
from tests.nests.test_lower import random

A, B, N, V = Var("a"), Var("b"), Var("n"), Var("v")


def empty(array):
    return Call(array, Const(np.empty), (N,))


def put(array, value):
    return Call(Var("t"), Const(operator.setitem), (array, Const(0), value))


def read(array):
    return Call(Var("t"), Const(operator.getitem), (array, Const(0)))


def test_what_is_written_alone():
    statements = [empty(A), empty(B), put(A, V), put(B, V), read(B)]
    assert unread(statements, [A, B]) == {A}
    assert without(statements, frozenset({A})) == [s for s in statements if s.args[:1] != (A,) and s.result is not A]


def test_what_is_written_into_another_array_is_read():
    assert unread([empty(A), empty(B), put(A, B)], [A, B]) == {A}


def test_what_something_else_is_given_is_read():
    assert not unread([empty(A), put(A, V), Call(Var("t"), Const(ops.build_tuple), (A,))], [A])


def test_others_keep_what_they_have():
    assert not unread([put(A, V)], [])


def sums_of_rows(a):
    p, q, r = a
    total = np.sum(a * a, axis=0)
    return np.sum(a / total) + np.sum(p * q * r)


def test_what_rows_hand_to_each_other_is_in_no_memory():
    made = both(sums_of_rows, random(3, 5), kind="primal")
    assert made.agree(random(3, 5)) and "np.empty" not in made.text and "] = " not in made.text
