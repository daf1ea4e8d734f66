"""Purity and totality of calls and of a program's functions."""

import math
import operator
import random
from fractions import Fraction

import numpy as np
import pytest

import adcompile as ad
from adcompile.ir import ops
from adcompile.ir.nodes import Block, Call, Const, Function, If, Return, Signature, Var, Yield
from adcompile.ir.program import FunctionRef, Program
from adcompile.ir.types import FLOAT, UNKNOWN, Array, Instance, Known, Seq, scalar
from adcompile.optimise.effects import Effects, Summary, is_pure, summarise
from adcompile.optimise.passes import optimise

VECTOR = Array(np.dtype(float), ("many",))

PURE = [
    *(operator.add, operator.getitem, abs, len, math.sin, np.sin, np.sum, np.linalg.solve, np.fft.fft, np.float64),
    *(np.add.reduce, np.ndarray.sum, ops.build_tuple, ops.load_global, ops.push, np.where, np.einsum),
]
IMPURE = [
    *(print, open, input, random.random, np.random.rand, np.copyto, np.save, np.add.at, list.append, setattr, exec),
    *(np.ndarray.fill, np.ndarray.sort, operator.setitem, [].append, np.random.default_rng(0).normal),
]


@pytest.mark.parametrize("fn", PURE, ids=lambda fn: getattr(fn, "__qualname__", "?"))
def test_pure(fn):
    assert is_pure(fn, {})


@pytest.mark.parametrize("fn", IMPURE, ids=lambda fn: getattr(fn, "__qualname__", "?"))
def test_impure(fn):
    assert not is_pure(fn, {})


def call(fn, *types, role="primal", **kwargs):
    args = tuple(Var("x") for _ in types)
    made = Call(Var("y"), Const(fn), args, tuple((k, Const(v)) for k, v in kwargs.items()), role=role)
    return Effects(dict(zip(args, types)) | {made.result: VECTOR}), made


def test_writing_into_an_argument_is_no_pure_call():
    effects, made = call(np.add, VECTOR, VECTOR, VECTOR)
    assert not effects.pure(made)
    effects, made = call(np.sum, VECTOR, out=None)
    assert not effects.pure(made)


def test_in_place_operators_are_pure_where_they_rebind():
    effects, made = call(operator.iadd, FLOAT, FLOAT)
    assert effects.pure(made)
    effects, made = call(operator.iadd, VECTOR, FLOAT)
    assert not effects.pure(made)


def test_operators_of_unknown_objects():
    for t in (UNKNOWN, Instance(object)):
        effects, made = call(operator.add, t, FLOAT)
        assert not effects.pure(made)
        effects, made = call(operator.add, t, FLOAT, role="adjoint")
        assert effects.pure(made)


def function(name, build):
    """A function of x whose body is what `build(x)` gives: (statements, value)."""
    x = Var("x")
    statements, value = build(x)
    return Function(name, (x,), (), Block((), tuple(statements), Return(value)), Signature((name,)))


def test_summaries_follow_calls():
    leaf, caller, loud, recursive = (FunctionRef(n) for n in ("leaf", "caller", "loud", "recursive"))

    def calls(fn):
        def build(x):
            y = Var("y")
            return [Call(y, Const(fn), (x,))], y

        return build

    functions = {
        caller: function("caller", calls(leaf)),
        leaf: function("leaf", calls(operator.neg)),
        loud: function("loud", calls(print)),
        recursive: function("recursive", calls(recursive)),
    }
    types = {p: FLOAT for f in functions.values() for p in f.params}
    types |= {s.result: FLOAT for f in functions.values() for s in f.body.statements}
    summaries = summarise(functions, types)
    assert summaries[leaf] == summaries[caller] == Summary(True, True)
    assert summaries[loud] == Summary(False, False)
    assert summaries[recursive] == Summary(True, False)
    # an unused call of a total function goes, and then the function
    z, x = Var("z"), Var("x")
    entry = FunctionRef("entry")
    body = Block((), (Call(z, Const(caller), (x,)),), Return(x))
    program = Program(
        entry, {entry: Function("entry", (x,), (), body, Signature(("x",))), **functions}, types | {x: FLOAT, z: FLOAT}
    )
    after = optimise(program)
    assert list(after.functions) == [entry] and after.functions[entry].body.statements == ()


def test_an_if_without_results_and_effects_goes():
    x, p, y = Var("x"), Var("p"), Var("y")
    then = Block((), (Call(y, Const(operator.neg), (x,)),), Yield())
    body = Block((), (If((), p, then, Block((), (), Yield())),), Return(x))
    entry = FunctionRef("f")
    types = {x: FLOAT, y: FLOAT, p: scalar(bool)}
    program = Program(entry, {entry: Function("f", (x, p), (), body, Signature(("x", "p")))}, types)
    assert optimise(program).functions[entry].body.statements == ()


def _pops(x, k):
    left = [1]
    for _ in range(k):
        left.pop()
    return x * 2


def _puts(x, k):
    cells = [x]
    cells[k] = 3.0
    return x * 2


def _deletes(x, k):
    cells = [x]
    for _ in range(k):
        del cells[-1]
    return x * 2


@pytest.mark.parametrize("fn, right, wrong", [(_pops, 1, 2), (_puts, 0, 1), (_deletes, 1, 2)])
def test_a_write_that_nobody_reads_finds_its_place_or_raises(fn, right, wrong):
    assert ad.grad(fn)(0.7, right) == 2.0
    for derivative in (ad.grad(fn), lambda x, k: ad.jvp(fn, (x, k), (1.0, None))):
        with pytest.raises(IndexError):
            derivative(0.7, wrong)


@pytest.mark.parametrize(
    "fn, types, expected",
    [
        (operator.mul, (FLOAT, VECTOR), False),
        (operator.iadd, (VECTOR, FLOAT), False),
        (any, (Seq(FLOAT),), False),
        (any, (Seq(Instance(Fraction)),), True),
        (np.add, (VECTOR, Array(np.dtype(object), ("any",))), True),
        (np.frompyfunc(abs, 1, 1), (VECTOR,), True),
        (hasattr, (Instance(Fraction), Known("a")), True),
        (print, (FLOAT,), True),
    ],
)
def test_what_is_given_numbers_and_arrays_runs_no_code_of_others(fn, types, expected):
    effects, made = call(fn, *types)
    assert effects.strays(made) is expected
