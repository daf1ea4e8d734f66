"""Functions that something else calls, unseen, when the code runs: whether they may write into what they see.

A function that is called in sight is followed. One that is handed to NumPy, or read out of a list at a
position that is met when the code runs, is not: what it may write into has to be given up, or its call refused.
"""

from __future__ import annotations

import builtins
import dataclasses
import functools
import inspect
import math
import operator
from collections.abc import Container, Iterable, Iterator
from types import BuiltinFunctionType, BuiltinMethodType, FunctionType, MethodType, MethodWrapperType, ModuleType
from typing import Any

import numpy as np

from adcompile.analysis.builder import Builder, is_structured, parts
from adcompile.analysis.detached import is_in
from adcompile.analysis.homemade import Homemade
from adcompile.analysis.library import is_of_library, is_of_user
from adcompile.analysis.stores import is_empty
from adcompile.analysis.writing import AUGMENTED, FUNCTIONS, ITEM_WRITES, KEEPERS, METHODS
from adcompile.errors import AdcompileError
from adcompile.frontend.lower import lower_function
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Function, OpaqueCode, Var
from adcompile.ir.types import (
    UNKNOWN,
    Boxed,
    Cell,
    Choice,
    Closure,
    Instance,
    IterT,
    Known,
    Method,
    ObjectT,
    Ref,
    Type,
    holds_ref,
)
from adcompile.ir.walk import statements_of
from adcompile.rules.kinds import signature_of
from adcompile.rules.registry import lookup

IN_PLACE = frozenset(
    f"__i{name}__" for name in "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()
)
WRITERS = (
    KEEPERS
    | IN_PLACE
    | frozenset("pop remove clear sort reverse discard popitem fill partition put resize".split())
    | frozenset("__delitem__ __setattr__ __delattr__ itemset setfield setflags byteswap rotate move_to_end".split())
)


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
        if not t.cells:
            return False
        asked = _attributes(t.function)
        objects = frozenset(v for v, c in zip(t.function.captured, t.cells) if _class_of(c) is not None)
        writes = function_may_write(t.function, objects=objects)
        return writes or any(may_write(c) or _objects_write(c, asked) for c in t.cells)
    if not isinstance(t, Method):
        return False
    return value_may_write(t.function)


def _objects_write(t: Type, asked: frozenset[str]) -> bool:
    """Whether an object of the user's writes where Python calls its class by itself, or one of these attributes is
    read: a method that is called, or a property."""
    if is_structured(t) and not isinstance(t, Closure) and any(_objects_write(p, asked) for p in parts(t)):
        return True
    if isinstance(t, ObjectT) and any(map(code_may_write, t.types)):
        return True
    cls = _class_of(t)
    if cls is None:
        return False
    named = (inspect.getattr_static(cls, name, None) for name in asked)
    return special_methods_write(cls) or any(value_may_write(plainly(fn)) for fn in named if fn is not None)


def _class_of(t: Type) -> type | None:
    """The class of an object of the user's."""
    cls = t.cls if isinstance(t, (ObjectT, Instance, Boxed)) else t.cell.cls if isinstance(t, Ref) else None
    return cls if is_of_user(cls) else None


def plainly(value: Any) -> Any:
    """The function behind what a class holds under a name."""
    if isinstance(value, property):
        return value.fget
    return value.__func__ if isinstance(value, (staticmethod, classmethod)) else value


def calls_back(types: Iterable[Type]) -> bool:
    """Whether a function of Python's is among what a call is given: it may read what is written by the way back."""
    return any(
        isinstance(t, (Closure, Method, Choice))
        or (isinstance(t, Known) and isinstance(t.value, (FunctionType, MethodType)))
        or (is_structured(t) and calls_back(parts(t)))
        for t in types
    )


def code_may_write(t: Type) -> bool:
    """Whether calling a value of this type may write into what it is given, has captured or names by itself."""
    if isinstance(t, Closure):
        return function_may_write(t.function) or any(map(code_may_write, t.cells))
    return may_write(t) if isinstance(t, Method) else isinstance(t, Known) and value_may_write(t.value)


def value_may_write(value: Any, seen: frozenset[Any] = frozenset()) -> bool:
    """Whether calling this may write into what it is given, or into what it reaches by itself."""
    while isinstance(value, (MethodType, functools.partial)):
        value = value.__func__ if isinstance(value, MethodType) else value.func
    if is_in(value, NAMED_WRITERS):
        return True
    if isinstance(value, FunctionType):
        if value in seen or is_of_library(value) or lookup(value) is not None:
            return False
        try:
            function = lower_function(value)
        except AdcompileError:
            return True
        held = [cell.cell_contents for cell in value.__closure__ or () if not is_empty(cell)]
        return function_may_write(function, seen | {value}) or any(value_may_write(v, seen | {value}) for v in held)
    if isinstance(value, type):
        made = vars(value).get("__init__") if is_of_user(value) else None
        return isinstance(made, FunctionType) and made not in seen and _writes_beside_own(made)
    if hasattr(value, "__objclass__") or isinstance(value, (BuiltinMethodType, MethodWrapperType)):
        return getattr(value, "__name__", "") in WRITERS
    method = getattr(type(value), "__call__", None) if is_of_user(type(value)) else None  # noqa: B004
    return isinstance(method, FunctionType) and value_may_write(method, seen)


NAMED_WRITERS = frozenset([*ITEM_WRITES, *AUGMENTED, *FUNCTIONS, *METHODS])


def _writes_beside_own(init: FunctionType) -> bool:
    """Whether making an object may write into something else than its attributes."""
    try:
        function = lower_function(init)
    except AdcompileError:
        return True
    calls = [c for c in _calls(function) if not (_fn(c) is setattr and c.args[0] in function.params[:1])]
    return any(map(_writes, calls))


def special_methods(cls: type, names: Container[str] | None = None) -> list[FunctionType]:
    """What Python calls by itself of an object (`__str__`, `__eq__`, `__iter__`, …), and `__call__`: those `names`."""
    if not is_of_user(cls):
        return []
    own = [(n, v) for c in cls.__mro__ for n, v in vars(c).items() if n[:2] == "__" == n[-2:] and n not in MADE_BY]
    asked = [v for n, v in own if isinstance(v, FunctionType) and (names is None or n in names)]
    return [v for v in asked if not v.__code__.co_filename.startswith(GENERATED)]


GENERATED = ("<string>", "<attrs generated", dataclasses.__file__)
"""Where the methods are that a decorator gives a dataclass: they compare and show its fields."""


def special_methods_write(cls: type, names: Container[str] | None = None) -> bool:
    """Whether these may write into something."""
    return any(map(value_may_write, special_methods(cls, names)))


MADE_BY = frozenset("__init__ __new__ __post_init__ __init_subclass__ __setattr__ __setitem__ __delitem__".split())
"""Methods that no call runs of an object that it is given."""


UNSEEN = frozenset(f"__{name}__" for name in "hash eq ne lt gt le ge bool len iter contains str repr format".split())
"""Methods that are run of objects in lists, dicts and sets."""


def function_may_write(
    function: Function, seen: frozenset[Any] = frozenset(), objects: frozenset[Var] = frozenset()
) -> bool:
    """`objects`: what it has captured that is of a class of the user's, whose methods are looked at there."""
    if _writes_itself(function, objects):
        return True
    values = [_meaning(path) for path in _names(function)]
    return any(value_may_write(v, seen) for v in values if v is not UNRESOLVED and not isinstance(v, ModuleType))


@functools.lru_cache(4096)
def _writes_itself(function: Function, objects: frozenset[Var]) -> bool:
    made = {c.result: c for c in _calls(function)}
    own = Homemade(function, lambda fn: _meaning(_path(fn, made)))
    if any(_writes(c) and not _writes_into_own(c, own) for c in made.values()):
        return True
    called = list(_methods(function))
    if any(name is None for name, _ in called):
        return True
    if any(name not in READING and owner not in objects and not own.has(owner) for name, owner in called):
        return True
    return any(_calls_unknown(function))


def _writes_into_own(call: Call, own: Homemade) -> bool:
    """Whether all that a call writes into is what the function around it has made."""
    out = [value for name, value in call.kwargs if name == "out"]
    fn = _fn(call)
    named = fn is getattr and isinstance(call.args[1], Const) and call.args[1].value in WRITERS
    if named or not out and (is_in(fn, AUGMENTED) or fn in (operator.setitem, operator.delitem)):
        return own.has(call.args[0])
    return bool(out) and fn is None and all(map(own.has, out))


def _calls_unknown(function: Function) -> Iterator[bool]:
    """Of each call of a value: whether nothing is known of that, or it is a ufunc that gets its output by position."""
    calls = list(_calls(function))
    made = {c.result: c for c in calls}
    captured = _captured(function)
    for c in calls:
        if not isinstance(c.fn, Var) or c.fn in captured:
            continue
        value = _meaning(_path(c.fn, made))
        if value is UNRESOLVED:
            read = made.get(c.fn)
            yield read is None or _fn(read) not in (getattr, ops.make_function, ops.load_global)
        else:
            yield len(c.args) > _inputs(value)


def _inputs(fn: Any) -> float:
    """How many arguments of a function of NumPy's come before the array that it writes into, given by position."""
    if isinstance(fn, np.ufunc):
        return fn.nin
    if isinstance(getattr(fn, "__self__", None), np.ufunc):
        return METHOD_OUTS.get(fn.__name__, math.inf)
    if str(getattr(fn, "__module__", None)).partition(".")[0] != "numpy":
        return math.inf
    signature = signature_of(fn)
    names = [] if signature is None else list(signature.parameters)
    return names.index("out") if "out" in names else math.inf


METHOD_OUTS = {"reduce": 3, "accumulate": 3, "reduceat": 4}
"""Of methods of ufuncs, and below of those of arrays: how many arguments come before the array that they write into."""
ARRAY_OUTS = {
    **dict.fromkeys("sum prod mean std var cumsum cumprod clip take compress".split(), 2), "trace": 4,
    **dict.fromkeys("max min any all argmax argmin choose dot round ptp".split(), 1),
}  # fmt: skip


def _captured(function: Function) -> set[Var]:
    """What a function has captured, and those defined in it: that is looked at where it is made."""
    inner = [c.args[0].value for c in _calls(function) if _fn(c) is ops.make_function and isinstance(c.args[0], Const)]
    return {v for f in (function, *inner) for v in f.captured}


UNRESOLVED = object()
Path = tuple[Any, ...]
"""A reference to a name of a module, then names of attributes."""


def _path(atom: Atom, made: dict[Var, Call]) -> Path | None:
    """The name of a module, and the attributes read of it, that a value is."""
    call = made.get(atom) if isinstance(atom, Var) else None
    if call is None:
        return None
    if _fn(call) is ops.load_global and isinstance(call.args[0], Const):
        return (call.args[0].value,)
    if _fn(call) is getattr and isinstance(call.args[1], Const):
        owner = _path(call.args[0], made)
        return None if owner is None else (*owner, call.args[1].value)
    return None


def _meaning(path: Path | None) -> Any:
    """What that is now, as far as it is reached through modules."""
    if path is None:
        return UNRESOLVED
    ref, *names = path
    value = ref.namespace.get(ref.name, getattr(builtins, ref.name, UNRESOLVED))
    for name in names:
        if isinstance(value, ModuleType):
            value = getattr(value, name, UNRESOLVED)
        elif isinstance(value, type):
            value = plainly(inspect.getattr_static(value, name, UNRESOLVED))
        else:
            value = UNRESOLVED
    return value


@functools.lru_cache(4096)
def _names(function: Function) -> tuple[Path, ...]:
    """What a function names of modules: what it may call, or hand to something that does."""
    made = {c.result: c for c in _calls(function)}
    return tuple(path for v in made if (path := _path(v, made)) is not None)


NO_MEMORY = (ModuleType, type, FunctionType, BuiltinFunctionType, np.ufunc, int, float, str, bool, type(None))


def memory_named(t: Type) -> list[Const]:
    """What code of this type reads by itself, where that can be written into: names of modules, captured variables."""
    made: list[Any] = [t.function if isinstance(t, (Closure, Method)) else getattr(t, "value", None)]
    cls = t.cls if isinstance(t, (Instance, ObjectT)) else t.cell.cls if isinstance(t, Ref) else type(made[0])
    todo = [*made, *special_methods(cls)]
    out, seen = list[Const](), set[int]()
    while todo:
        value = todo.pop()
        value = getattr(value, "__func__", getattr(value, "func", value))
        if id(value) in seen:
            continue
        seen.add(id(value))
        for cell in getattr(value, "__closure__", None) or ():
            if not is_empty(cell):
                held = cell.cell_contents
                todo.append(held)
                out += [] if isinstance(held, NO_MEMORY) else [Const(cell)]
        try:
            function = lower_function(value) if isinstance(value, FunctionType) else value
        except AdcompileError:
            continue
        for ref, *names in _names(function) if isinstance(function, Function) else ():
            means = _meaning((ref, *names))
            if isinstance(means, FunctionType):
                todo.append(means)
            elif not names and not isinstance(means, NO_MEMORY):
                out.append(Const(ref))
    return out


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
    if any(name == "out" for name, _ in call.kwargs):
        return True
    if fn is None:
        return False
    try:
        if fn in ITEM_WRITES or fn in AUGMENTED or fn in FUNCTIONS or fn in (ops.write_variable, ops.assign_global):
            return True
    except TypeError:
        return True
    if isinstance(fn, OpaqueCode):
        return True
    if fn is getattr:
        name = call.args[1]
        return not isinstance(name, Const) or name.value in WRITERS
    return False


def _methods(function: Function) -> Iterator[tuple[Any, Atom]]:
    """The names of the methods that a function calls on what is no module or class, and on what; None for one that
    is given an array by position that it writes into."""
    calls = list(_calls(function))
    made = {c.result: c for c in calls}
    for c in calls:
        read = made.get(c.fn) if isinstance(c.fn, Var) else None
        if read is None or _fn(read) is not getattr:
            continue
        if not isinstance(_meaning(_path(read.args[0], made)), NAMESPACES):
            name = str(read.args[1].value) if isinstance(read.args[1], Const) else ""
            yield (name if name and len(c.args) <= ARRAY_OUTS.get(name, math.inf) else None), read.args[0]


NAMESPACES = (ModuleType, type, np.ufunc)


@functools.lru_cache(4096)
def _attributes(function: Function) -> frozenset[str]:
    """The names of attributes that a function reads."""
    reads = (c.args[1] for c in _calls(function) if _fn(c) is getattr)
    return frozenset(name.value for name in reads if isinstance(name, Const))
