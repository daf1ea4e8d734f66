"""What may move, what may not."""

import math
import operator

import numpy as np

from adcompile.backend.purity import classify, reads_memory
from adcompile.ir import ops
from adcompile.ir.nodes import Var
from adcompile.ir.types import FLOAT, Array, TupleT
from tests.backend.printing import call

X = Var("x")


def test_primal_calls_keep_their_order():
    assert classify(call(math.sin, X), {X: FLOAT}).ordered
    assert not classify(call(math.sin, X, role="adjoint"), {X: FLOAT}).ordered
    assert not classify(call(ops.build_tuple, X), {}).ordered


def test_unknown_calls_write():
    assert classify(call(Var("f"), X, role="adjoint"), {}).writes
    assert classify(call(print, X, role="adjoint"), {}).ordered
    assert not classify(call(np.sin, X, role="adjoint"), {X: FLOAT}).writes


def test_updates_are_statements_on_names():
    for fn in (ops.index_add, ops.pop, operator.iadd):
        kind = classify(call(fn, X, X, X, role="adjoint"), {X: FLOAT})
        assert kind.statement and kind.named


def test_numbers_do_not_change():
    assert not reads_memory(FLOAT) and not reads_memory(TupleT((FLOAT,)))
    assert reads_memory(Array(np.dtype(float), None)) and reads_memory(None)
