"""Which iterations are linear in what they carry, and what they are made of."""

import operator

import numpy as np
import pytest

from adcompile.backend.native.lanes import Unfit
from adcompile.backend.native.linear import LATENCY, LinearIteration
from adcompile.ir import ops
from adcompile.ir.nodes import Block, Call, Const, Continue, For, Function, Return, Signature, Var
from adcompile.ir.types import FLOAT64, INT, Array, RangeT
from adcompile.nests import Lowered
from adcompile.optimise.effects import Effects

FLOATS = "x_bar y_bar s_bar a b".split()


class Loop:
    """A loop that carries `x_bar`, `y_bar`, `s_bar` and the array `rows`; `line` writes what an iteration does."""

    def __init__(self):
        self.names = {name: Var(name) for name in [*FLOATS, "k", "rows", "steps"]}
        self.types = {self.names[name]: FLOAT64 for name in FLOATS}
        self.types |= {self.names["k"]: INT, self.names["steps"]: RangeT(True)}
        self.types[self.names["rows"]] = Array(np.dtype(np.float64), ("many",))
        self.calls = []

    def line(self, name, fn, *args, t=FLOAT64):
        self.names[name] = result = Var(name)
        self.types[result] = t
        given = tuple(self.names[a] if isinstance(a, str) else Const(a) for a in args)
        self.calls.append(Call(result, Const(fn), given, role="adjoint"))

    def linear(self, *ends):
        n = self.names
        params = [n[name] for name in ("x_bar", "y_bar", "s_bar", "rows")]
        results = tuple(Var(p.name) for p in params)
        first = Var("rows")
        self.types[first] = self.types[n["rows"]]
        self.types |= {r: self.types[p] for r, p in zip(results, params)}
        made = Call(first, Const(operator.pos), (n["a"],))
        body = Block((n["k"], *params), tuple(self.calls), Continue(tuple(n[e] for e in ends)))
        loop = For(results, n["steps"], (Const(1.0), Const(0.0), Const(0.0), first), body, role="adjoint")
        whole = Block((), (made, loop), Return(results[0]))
        function = Function("f", (n["a"], n["b"], n["steps"]), (), whole, Signature())
        return LinearIteration(Lowered(function, self.types, frozenset(), frozenset()), loop, Effects(self.types, {}))


def test_what_an_iteration_is_made_of():
    loop = Loop()
    loop.line("c", operator.mul, "a", "b")
    loop.line("t", operator.mul, "c", "x_bar")
    loop.line("u", operator.sub, "t", "y_bar")
    loop.line("v", operator.truediv, "u", "b")
    loop.line("s", operator.sub, "s_bar", "u")
    loop.line("s_1", operator.add, "a", "s")
    loop.line("r", ops.index_add, "rows", "k", "v", t=loop.types[loop.names["rows"]])
    found = loop.linear("v", "u", "s_1", "r")
    names = loop.names
    assert [c.result for c in found.given] == [names["c"]]
    assert [c.result for c in found.moved] == [names["t"], names["u"], names["v"]]
    assert found.states == [0, 1]
    assert [(s.index, [term for _, term in s.terms]) for s in found.sums] == [(2, [names["u"], names["a"]])]
    assert [(s.index, [c.result for c in s.calls]) for s in found.scattered] == [(3, [names["r"]])]
    assert found.depth() == LATENCY[operator.mul] + LATENCY[operator.sub] + LATENCY[operator.truediv]
    assert [c.result for c in found.needed(found.moved, [names["u"]])] == [names["t"], names["u"]]


@pytest.mark.parametrize(
    "line",
    [
        ("v", operator.mul, "x_bar", "x_bar"),
        ("v", operator.truediv, "a", "x_bar"),
        ("v", operator.pow, "x_bar", 2.0),
        ("v", abs, "x_bar"),
        ("v", operator.getitem, "rows", "k"),
    ],
)
def test_what_is_not_linear(line):
    loop = Loop()
    loop.line(*line)
    with pytest.raises(Unfit):
        loop.linear("v", "y_bar", "s_bar", "rows")


def test_a_sum_that_is_read_is_a_state():
    loop = Loop()
    loop.line("s", operator.add, "s_bar", "x_bar")
    loop.line("v", operator.mul, "a", "s")
    assert loop.linear("v", "y_bar", "s", "rows").states == [0, 2]


def test_an_array_that_is_read_is_not_added_to_alone():
    loop = Loop()
    loop.line("v", operator.mul, "a", "x_bar")
    loop.line("t", operator.getitem, "rows", "k")
    loop.line("r", ops.index_add, "rows", "k", "v", t=loop.types[loop.names["rows"]])
    with pytest.raises(Unfit):
        loop.linear("v", "y_bar", "s_bar", "r")
