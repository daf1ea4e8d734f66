"""Typed IR for the tests of the optimiser: from Python functions, of any role."""

from __future__ import annotations

import contextlib
import copy
import io
from dataclasses import replace
from types import MethodType

import numpy as np

from adcompile.frontend.lower import lower_function
from adcompile.ir.abstract import type_of
from adcompile.ir.nodes import Block, Call, Const, For, Function, If, While
from adcompile.ir.program import FunctionRef, Program
from adcompile.ir.stack import large_stack
from adcompile.ir.types import NEVER, UNKNOWN, join, widen
from adcompile.ir.verify import verify
from adcompile.ir.walk import defined, statements_of
from tests import interpret


def typed(fn, *args, role="primal"):
    """`fn` as a program whose statements have this role, with the types that a run at `args` shows.

    Nothing is simplified on the way: what is written is what there is.
    """
    return program_of(lower_function(fn), args, role)


def program_of(function, values, role="primal"):
    """A lowered function whose parameters and captured values take these values."""
    return large_stack(_program_of, function, values, role)


def _program_of(function, values, role):
    function = replace(function, params=(*function.params, *function.captured), captured=())
    types = observe(function, values)
    types.update((v, UNKNOWN) for v in defined(function.body) if v not in types)
    function = replace(function, body=with_role(function.body, role))
    verify(function)
    ref = FunctionRef(function.name)
    return Program(ref, {ref: function}, types)


def observe(function, values):
    """The types of all Vars that are met."""
    types = {}
    env = Recorder(types)
    env.update(zip(function.params, copy.deepcopy(values), strict=True))
    with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"), contextlib.suppress(Exception):
        interpret.block(function.body, env)
    return types


class Recorder(dict):
    """An environment that notes the type of whatever is put into it."""

    def __init__(self, types):
        super().__init__()
        self.types = types

    def __setitem__(self, var, value):
        # functions made in this run are others in the next
        made_here = isinstance(value, MethodType) or getattr(value, "__qualname__", "").startswith("python_function.")
        t = UNKNOWN if made_here else type_of(value) if type(value) is slice else widen(type_of(value))
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
    return large_stack(lambda: interpret.run(entry(linked(program)), copy.deepcopy(args), ()))


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


def calls(program):
    """The callables that the entry calls, in order."""
    return [getattr(s.fn, "value", None) for s in statements_of(entry(program).body) if isinstance(s, Call)]


def compound(program):
    """The If, For and While of the entry."""
    return [s for s in statements_of(entry(program).body) if not isinstance(s, Call)]


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
