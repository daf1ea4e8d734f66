"""Functions that something else calls, unseen, when the code runs: whether they may write into what they see.

A function that is called in sight is followed. One that is handed to NumPy, or read out of a list at a
position that is met when the code runs, is not: what it may write into has to be given up, or its call refused.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import numpy as np

from adcompile.analysis.builder import Builder
from adcompile.analysis.writing import AUGMENTED, FUNCTIONS, ITEM_WRITES, KEEPERS, METHODS
from adcompile.errors import AdcompileError
from adcompile.frontend.lower import lower_function
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Function, OpaqueCode, Var
from adcompile.ir.types import UNKNOWN, Cell, Closure, IterT, Method, Ref, Type, holds_ref
from adcompile.ir.walk import statements_of

WRITERS = KEEPERS | frozenset("pop remove clear sort reverse discard popitem fill partition put resize".split())


def writers(b: Builder, atom: Atom) -> list[Atom]:
    """The functions among, or in, a value that may write into what they hold."""
    out: list[Atom] = []
    todo, seen = [atom], set[Cell]()
    while todo:
        a = todo.pop()
        t = b.type(a)
        if isinstance(t, (Closure, Method)):
            out += [a] if may_write(t) else []
        elif isinstance(t, Ref):
            if t.cell not in seen:
                seen.add(t.cell)
                todo.append(b.context.store.states[t.cell].content)
        elif isinstance(t, IterT) or holds_ref(t):
            made = b.context.definition.get(a) if isinstance(a, Var) else None
            todo += [] if made is None else made.args
    return out


def may_write(t: Type) -> bool:
    """Whether a function of this type may write into what it has captured, or is bound to."""
    if isinstance(t, Closure):
        return bool(t.cells) and (function_may_write(t.function) or any(map(may_write, t.cells)))
    if not isinstance(t, Method):
        return False
    if not isinstance(t.function, FunctionType):
        return t.function in METHODS
    try:
        return function_may_write(lower_function(t.function))
    except AdcompileError:
        return True


@functools.lru_cache(4096)
def function_may_write(function: Function) -> bool:
    return any(map(_writes, _calls(function))) or any(name not in READING for name in _methods(function))


def methods_write(cls: type) -> bool:
    """Whether an object of a class has methods that may write into it."""
    if cls in (list, dict):
        return True
    own = [v for c in cls.__mro__ for n, v in vars(c).items() if isinstance(v, FunctionType) and n != "__init__"]
    return any(may_write(Method(fn, UNKNOWN)) for fn in own)


def assigns(t: Type) -> bool:
    """Whether a closure assigns to a variable of the function around it."""
    return isinstance(t, Closure) and any(_fn(c) in (ops.write_variable, ops.assign_global) for c in _calls(t.function))


def _calls(function: Function) -> Iterator[Call]:
    """The calls in a function, and in those defined in it."""
    for s in statements_of(function.body):
        if isinstance(s, Call):
            yield s
            if _fn(s) is ops.make_function and isinstance(s.args[0], Const):
                yield from _calls(s.args[0].value)


def _fn(call: Call) -> Any:
    return call.fn.value if isinstance(call.fn, Const) else None


READING = frozenset(n for cls in (np.ndarray, list, dict, str, float, np.random.Generator) for n in dir(cls)) - WRITERS


def _writes(call: Call) -> bool:
    """Whether a call may write into what the function around it sees; one of a method is judged by its name,
    where that is read."""
    fn = _fn(call)
    if fn is None:
        return False
    try:
        if fn in ITEM_WRITES or fn in AUGMENTED or fn in FUNCTIONS or fn in (ops.write_variable, ops.assign_global):
            return True
    except TypeError:
        return True
    if isinstance(fn, OpaqueCode) or any(name == "out" for name, _ in call.kwargs):
        return True
    if fn is getattr:
        name = call.args[1]
        return not isinstance(name, Const) or name.value in WRITERS
    if fn is ops.load_global and isinstance(call.args[0], Const):
        ref = call.args[0].value
        return isinstance(ref.namespace.get(ref.name), FunctionType)  # which may write into what it is given
    return False


def _methods(function: Function) -> Iterator[Any]:
    """The names of the methods that a function calls on what is no module or class."""
    calls = list(_calls(function))
    made = {c.result: c for c in calls}
    for c in calls:
        read = made.get(c.fn) if isinstance(c.fn, Var) else None
        if read is not None and _fn(read) is getattr:
            owner = made.get(read.args[0]) if isinstance(read.args[0], Var) else None
            if owner is None or _fn(owner) not in (ops.load_global, getattr):
                yield read.args[1].value if isinstance(read.args[1], Const) else None
