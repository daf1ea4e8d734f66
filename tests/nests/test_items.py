"""Items: what they read and write, and values computed anew where a view is read."""

import operator

import numpy as np

from adcompile.ir.nodes import Call, Const, Var
from adcompile.nests.items import Compute, Load, Number, Op, Reduce, Store, Value, accesses, cost, seen_through, touched
from adcompile.nests.views import Axis, View

F = np.dtype(float)
A, B, S, T = Var("a"), Var("b"), Var("s"), Var("t")
N = ("dim", A, 0)
CALL = Call(T, Const(np.add))
HERE = (Axis(0),)


def product():
    """t = 2 a b"""
    both = Op(operator.mul, (Load(A, HERE, F), Load(B, HERE, F)), F)
    return Compute(T, Op(operator.mul, (Number(Const(2.0), F), both), F), (N,), F, "primal", CALL)


def test_what_is_read_and_written():
    t = product()
    assert {(a, mode) for a, _, mode in accesses(t)} == {(A, "read"), (B, "read"), (T, "write")}
    store = Store(View(A, HERE, (N,)), operator.add, Value(t), (N,), F, "adjoint", CALL)
    assert store.adds and [mode for _, _, mode in accesses(store)] == ["add"]
    assert [(a, mode) for a, _, mode in touched(store)] == [(T, "read"), (A, "add")]
    primal = Store(View(A, HERE, (N,)), operator.add, Value(t), (N,), F, "primal", CALL)
    assert not primal.adds and [mode for _, _, mode in accesses(primal)] == ["write", "read"]
    rows = Reduce(S, operator.add, Load(A, (Axis(0), Axis(1)), F), (N, 3), True, True, F, "primal", CALL)
    assert rows.extents == (N, 1) and accesses(rows)[-1] == (S, (Axis(0), Axis(None, step=0)), "write")


def test_values_are_computed_anew_through_a_view():
    t = product()
    window = View(T, (Axis(0, (1, ()), 2),), (3,))
    seen = seen_through(Op(operator.neg, (Value(t),), F), window, {})
    loads = []
    work = [seen]
    while work:
        e = work.pop()
        work += e.args if isinstance(e, Op) else []
        loads += [e] if isinstance(e, Load) else []
    assert {e.base for e in loads} == {A, B}
    assert all(e.index == (Axis(0, (1, ()), 2),) for e in loads)
    assert cost(seen) == 3 and cost(Op(np.exp, (Number(Const(1.0), F),), F)) == 20
