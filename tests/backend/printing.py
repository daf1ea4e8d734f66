"""Functions lowered, printed and loaded again, for comparison with themselves."""

import contextlib
import copy
import inspect
import io
import operator
import types

import numpy as np

from adcompile.backend.emit import emit
from adcompile.backend.load import load
from adcompile.frontend.lower import lower_function
from adcompile.ir.nodes import Attempt, Block, Call, Const, Function, Return, Signature, Var
from adcompile.ir.program import FunctionRef, Program
from adcompile.ir.stack import large_stack
from adcompile.ir.walk import Rewriter


class Foreign(Rewriter):
    """Takes every try statement as the code that runs as written."""

    def statement(self, statement):
        if not isinstance(statement, Attempt):
            return super().statement(statement)
        whole = statement.opaque.result
        parts = [Call(v, Const(operator.getitem), (whole, Const(i))) for i, v in enumerate(statement.results)]
        return (statement.opaque, *parts)


def lowered(fn):
    """The IR of a function, without Attempts."""
    f = lower_function(fn)
    return Function(f.name, f.params, f.captured, large_stack(Foreign().block, f.body), f.signature, f.place)


def program(*functions, types=None):
    """A program of these functions; the first is the entry."""
    refs = [FunctionRef(f.name) for f in functions]
    return Program(refs[0], dict(zip(refs, functions)), types or {})


def printed(fn):
    return emit(program(lowered(fn))).source


def reprint(fn):
    """`fn` as it is after lowering, printing and loading; called like `fn`."""
    run = load(emit(program(lowered(fn))))
    cells = [cell.cell_contents for cell in fn.__closure__ or ()]

    def call(*args, **kwargs):
        bound = inspect.signature(fn).bind(*args, **kwargs)
        bound.apply_defaults()
        return run(*bound.arguments.values(), *cells)

    call.source = inspect.getsource(run)
    return call


def function(name, params, statements, value):
    """A function of IR whose body is `statements` and which returns `value`."""
    params = tuple(params)
    signature = Signature(tuple(p.name for p in params))
    return Function(name, params, (), Block((), tuple(statements), Return(value)), signature)


def call(fn, *args, name="t", **kwargs):
    """A call statement; its result has the given name."""
    role, place = kwargs.pop("role", "primal"), kwargs.pop("place", None)
    atoms = tuple(a if isinstance(a, (Var, Const)) else Const(a) for a in args)
    return Call(Var(name), fn if isinstance(fn, Var) else Const(fn), atoms, tuple(kwargs.items()), place, role)


def describe(value):
    """A value as text that tells all values and types apart."""
    if isinstance(value, types.FunctionType):
        return describe(value())
    if isinstance(value, np.ndarray):
        return f"array({value.dtype}, {value.shape}, {value.tolist()})"
    if type(value) in (tuple, list):
        return f"{type(value).__name__}({', '.join(map(describe, value))})"
    return f"{type(value).__name__}:{value!r}"


def outcome(run, *args, **kwargs):
    """What a call does: its value or exception, and what it prints."""
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        try:
            value = describe(run(*copy.deepcopy(args), **copy.deepcopy(kwargs)))
        except Exception as error:
            value = f"{type(error).__name__}: {'' if isinstance(error, (NameError, TypeError)) else error}"
    return value, written.getvalue()


def body_of(*statements, params=("x",), value=None, types=None):
    params = [p if isinstance(p, Var) else Var(p) for p in params]
    value = statements[-1].result if value is None else value
    return emit(program(function("f", params, statements, value), types=types)).source
