"""Shadows in kernels: those of arrays that share no memory are zeros like each of them.

Whether arrays share memory is seen when the kernel runs; where they do it is left, and NumPy's code makes shadows
that share memory too.
"""

from __future__ import annotations

import operator
from collections.abc import MutableMapping
from dataclasses import replace

import numpy as np

from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, For, Function, If, Raise, Statement, Var, While, Yield
from adcompile.ir.types import BOOL, Array, TupleT, Type
from adcompile.runtime.loops import Leave, disjoint, distinct
from adcompile.runtime.shadows import shadows


def without_shadows(function: Function, types: MutableMapping[Var, Type]) -> Function:
    """The function with tests and zeros in place of `shadows`; the types of what is new are added."""
    body = _block(function.body, types, {})
    return function if body is function.body else replace(function, body=body)


Made = dict[Var, tuple[Atom, ...]]


def _block(block: Block, types: MutableMapping[Var, Type], made: Made) -> Block:
    """`made`: the zeros that stand for the shadows of a call."""
    out: list[Statement] = []
    for s in block.statements:
        match s:
            case If():
                then, orelse = _block(s.then, types, made), _block(s.orelse, types, made)
                out.append(s if then is s.then and orelse is s.orelse else replace(s, then=then, orelse=orelse))
            case For() | While():
                body = _block(s.body, types, made)
                out.append(s if body is s.body else replace(s, body=body))
            case Call(fn=Const(value=fn)) if fn is shadows and all(_is_array(a, types) for a in s.args):
                out += _zeros(s, types, made)
            case Call(fn=Const(value=operator.getitem), args=(Var() as of, Const(value=k))) if of in made:
                out.append(replace(s, fn=Const(ops.identity), args=(made[of][k],)))
            case _:
                out.append(s)
    same = len(out) == len(block.statements) and all(a is b for a, b in zip(out, block.statements))
    return block if same else Block(block.params, tuple(out), block.end)


def _is_array(atom: Atom, types: MutableMapping[Var, Type]) -> bool:
    t = types.get(atom) if isinstance(atom, Var) else None
    return isinstance(t, Array) and bool(t.dims)


def _zeros(call: Call, types: MutableMapping[Var, Type], known: Made) -> list[Statement]:
    out: list[Statement] = []

    def guard(fn: object, *args: Atom) -> None:
        test = Var("apart")
        types[test] = BOOL
        out.append(Call(test, Const(fn), args, (), call.place, call.role))
        leave = Block((), (), Raise(Const(Leave)))
        out.append(If((), test, Block((), (), Yield()), leave, call.place, call.role))

    made: list[Atom] = []
    for k, x in enumerate(call.args):
        assert isinstance(x, Var)
        guard(distinct, x)
        for other in call.args[:k]:
            guard(disjoint, other, x)
        zeros = Var(f"{x.name}_bar", call.place)
        types[zeros] = types[x]
        out.append(Call(zeros, Const(np.zeros_like), (x,), (), call.place, call.role))
        made.append(zeros)
    known[call.result] = tuple(made)
    types[call.result] = TupleT(tuple(types[a] for a in made if isinstance(a, Var)))
    out.append(Call(call.result, Const(ops.build_tuple), tuple(made), (), call.place, call.role))
    return out
