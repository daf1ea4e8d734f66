"""Typed IR for the tests of the optimiser: from Python functions, of any role."""

from __future__ import annotations

import contextlib
import io
from dataclasses import replace

import numpy as np

from adcompile.frontend.lower import lower_function
from adcompile.ir.abstract import type_of
from adcompile.ir.nodes import Block, Call, Const, For, Function, If, While
from adcompile.ir.program import FunctionRef, Program
from adcompile.ir.types import NEVER, UNKNOWN, join, widen
from adcompile.ir.verify import verify
from adcompile.ir.walk import defined, large_stack
from tests import interpret


def typed(fn, *args, role="primal", samples=()):
    """`fn` as a program whose statements have this role, with the types that a run at `args` (and
    at further `samples`) shows. Nothing is simplified on the way: what is written is what there is.
    """
    function = lower_function(fn)
    types = large_stack(observe, function, (args, *samples))
    types.update((v, UNKNOWN) for v in defined(function.body) if v not in types)
    body = with_role(function.body, role)
    verify(replace(function, body=body))
    ref = FunctionRef(function.name)
    return Program(ref, {ref: replace(function, body=body)}, types)


def observe(function, runs):
    """The types of all Vars that are met."""
    types = {}
    for args in runs:
        env = Recorder(types)
        env.update(zip(function.params, args, strict=True))
        with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"), contextlib.suppress(Exception):
            interpret.block(function.body, env)
    return types


class Recorder(dict):
    """An environment that notes the type of whatever is put into it."""

    def __init__(self, types):
        super().__init__()
        self.types = types

    def __setitem__(self, var, value):
        t = widen(type_of(value))
        self.types[var] = join(self.types.get(var, NEVER), t)
        super().__setitem__(var, value)

    def update(self, pairs):
        for var, value in pairs:
            self[var] = value


def with_role(block, role):
    statements = []
    for s in block.statements:
        match s:
            case Call():
                s = Call(s.result, s.fn, s.args, s.kwargs, s.place, role)
            case If():
                s = If(s.results, s.test, with_role(s.then, role), with_role(s.orelse, role), s.place, role)
            case For():
                s = For(s.results, s.iterable, s.init, with_role(s.body, role), s.place, role)
            case While():
                s = While(s.results, s.init, with_role(s.body, role), s.place, role)
        statements.append(s)
    return Block(block.params, tuple(statements), block.end)


def entry(program):
    return program.functions[program.entry]


def run(program, *args):
    """The value of the entry at `args`, by the reference interpreter."""
    return large_stack(interpret.run, entry(linked(program)), args, ())


def linked(program):
    """The program with callable functions where it refers to its own."""
    functions = {}

    def caller(ref):
        return lambda *values: interpret.run(functions[ref], values, ())

    callers = {ref: caller(ref) for ref in program.functions}
    for ref, function in program.functions.items():
        functions[ref] = Function(
            function.name, function.params, (), _link(function.body, callers), function.signature, function.place
        )
    return Program(program.entry, functions, program.types, program.guards)


def _link(block, callers):
    statements = []
    for s in block.statements:
        match s:
            case Call(fn=Const(value=FunctionRef() as ref)):
                s = Call(s.result, Const(callers[ref]), s.args, s.kwargs, s.place, s.role)
            case If():
                s = If(s.results, s.test, _link(s.then, callers), _link(s.orelse, callers), s.place, s.role)
            case For():
                s = For(s.results, s.iterable, s.init, _link(s.body, callers), s.place, s.role)
            case While():
                s = While(s.results, s.init, _link(s.body, callers), s.place, s.role)
        statements.append(s)
    return Block(block.params, tuple(statements), block.end)


def outcome(program, args):
    """What a caller can observe: the value with type and bits, or the exception, and the output."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), np.errstate(all="ignore"):
        try:
            result = ("value", bits(run(program, *args)))
        except Exception as error:
            result = ("raised", type(error), str(error))
    return result, printed.getvalue()


def bits(value):
    """Equal for values of one type with the same bits."""
    if isinstance(value, np.ndarray):
        return (np.ndarray, value.dtype, value.shape, value.tobytes())
    if isinstance(value, np.generic):
        return (type(value), value.tobytes())
    if isinstance(value, (tuple, list)):
        return (type(value), [bits(v) for v in value])
    if isinstance(value, dict):
        return (dict, [(k, bits(v)) for k, v in value.items()])
    return (type(value), repr(value))
