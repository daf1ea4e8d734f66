"""What code may reach by itself that is not followed: names of modules, captured values, classes.

A scan of names without regard to order: a function may use whatever a word in its code means, and so
may what that means. Functions of Python and of installed packages reach nothing of the user's.
"""

from __future__ import annotations

import dis
import functools
import operator
import sys
import types as python_types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import gast
import numpy as np

from adcompile.analysis.builder import parts
from adcompile.analysis.library import is_of_user
from adcompile.analysis.stores import MUTATING, is_empty
from adcompile.ir.abstract import is_installed
from adcompile.ir.nodes import Call, Const, Function, GlobalRef, OpaqueCode
from adcompile.ir.types import Cell, Closure, DictT, Instance, Known, ListT, Method, ObjectT, Ref, TupleT, Type
from adcompile.ir.walk import atoms_of, statements_of
from adcompile.runtime.objects import attributes, is_of_attributes

MOST = 10_000
"""Of more objects than this nobody says what is among them."""


def met(t: Type) -> Any:
    """What a value of this type may run: its function or class."""
    match t:
        case Known(value):
            return value
        case Closure(function=function):
            return function
        case Method(function=function):
            return function
        case Ref(cell):
            return cell.cls
        case Instance(cls) | ObjectT(cls):
            return cls
        case _:
            return None


def functions_in(types: Iterable[Type], held: Callable[[Cell], Type] | None = None) -> list[Any]:
    """The functions among what is handed to a call, which it may run; `held`: what a cell holds."""
    out: list[Any] = []
    todo = list(types)
    seen: set[Cell] = set()
    while todo:
        t = todo.pop()
        if isinstance(t, Ref) and held is not None and t.cell not in seen:
            seen.add(t.cell)
            t = held(t.cell)
        if isinstance(t, (TupleT, ListT, DictT)):
            todo += parts(t)
        elif isinstance(t, (Closure, Method)) or isinstance(t, Known) and runs(t.value):
            out.append(met(t))
    return out


def runs(value: Any) -> bool:
    """Whether calling a known value may run code of the user's."""
    made = (python_types.FunctionType, python_types.MethodType, functools.partial)
    return isinstance(value, made) or is_of_user(type(value)) and callable(value)


def mentioned(values: Iterable[Any], names: set[str]) -> set[str]:
    """Which of the names stand in the code of functions and classes of the user's, and in that of what
    they name."""
    found: set[str] = set()
    for value in reached(values) or ():
        found |= names.intersection(words_of(value))
    return found


def names_stored(values: Iterable[Any]) -> set[str]:
    """The names of attributes that code sets or deletes, or the code of the functions that it names."""
    return set[str]().union(*(names_set(value, stored_by) for value in reached(values) or ()))


def names_set(value: Any, of_function: Callable[[python_types.CodeType], set[str]]) -> set[str]:
    """The names of attributes that one piece of code sets or deletes."""
    if isinstance(value, OpaqueCode):
        nodes = [n for root in value.code for n in gast.walk(root)]
        return {n.attr for n in nodes if isinstance(n, gast.Attribute) and not isinstance(n.ctx, gast.Load)}
    if is_code(value):
        return of_function(value.__code__)
    if isinstance(value, Function):
        calls = [s for s in statements_of(value.body) if isinstance(s, Call) and sets_attribute(s)]
        return {a.value for s in calls for a in s.args[1:2] if isinstance(a, Const)}
    return set()


def sets_attribute(call: Call) -> bool:
    return isinstance(call.fn, Const) and any(call.fn.value is fn for fn in (setattr, delattr))


BY_ANY_NAME = {"setattr", "delattr", "__setattr__", "__delattr__", "__dict__", "vars", "globals"}


def may_store(values: Iterable[Any], names: set[str]) -> set[str]:
    """Which of the names of attributes, and of modules, code may bind anew, or the code of what it names."""
    found = reached(values)
    if found is None or any(words_of(value) & BY_ANY_NAME for value in found):
        return names
    of_function = stored_of_others if makes_only_new(found) else stored_by
    bound = [names_set(value, of_function) for value in found]
    return names & set[str]().union(*bound, *(globals_of(value.__code__) for value in found if is_code(value)))


def may_fill(values: Iterable[Any], wanted: list[Any]) -> bool:
    """Whether calls of these values may reach one of the objects that are `wanted`, and write items into something."""
    found = reached(values)
    return found is None or any(map(fills, found)) and reaches(values, wanted)


def fills(value: Any) -> bool:
    """Whether code writes items, or calls methods of lists, dicts and arrays that do."""
    if isinstance(value, python_types.CodeType):
        stored = any(map(writes_item, dis.get_instructions(value)))
        return stored or any(fills(c) for c in value.co_consts if isinstance(c, python_types.CodeType))
    if not words_of(value).isdisjoint({*MUTATING, "out", "setitem", "copyto"}):
        return True
    if isinstance(value, OpaqueCode):
        nodes = [n for root in value.code for n in gast.walk(root)]
        return any(isinstance(getattr(n, "ctx", None), gast.Store) and not isinstance(n, gast.Name) for n in nodes)
    if isinstance(value, Function):
        return operator.setitem in [c for c in constants_of(value) if callable(c)]
    return is_code(value) and fills(value.__code__)


def writes_item(i: dis.Instruction) -> bool:
    augmented = i.opname.startswith("INPLACE_") or i.opname == "BINARY_OP" and i.argrepr.endswith("=")
    return augmented or i.opname in ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE")


def is_code(value: Any) -> bool:
    return isinstance(value, python_types.FunctionType) and not is_of_library(value.__globals__)


def globals_of(code: python_types.CodeType) -> set[str]:
    own = {i.argval for i in dis.get_instructions(code) if i.opname in ("STORE_GLOBAL", "DELETE_GLOBAL")}
    return own.union(*(globals_of(c) for c in code.co_consts if isinstance(c, python_types.CodeType)))


def stored_by(code: python_types.CodeType) -> set[str]:
    own = {i.argval for i in dis.get_instructions(code) if i.opname in ("STORE_ATTR", "DELETE_ATTR")}
    return own.union(*(stored_by(c) for c in code.co_consts if isinstance(c, python_types.CodeType)))


def makes_only_new(found: Iterable[Any]) -> bool:
    """Whether `__init__` is given new objects alone: no class gives one that is there, and nothing calls it by name."""
    named = set[str]().union(*map(words_of, found))
    return "__init__" not in named and not any(is_code(v) and v.__name__ == "__new__" for v in found)


def stored_of_others(code: python_types.CodeType) -> set[str]:
    """What code sets; of `__init__` without what it sets of the object that it is given."""
    instructions = list(dis.get_instructions(code))
    own = code.co_varnames[:1] if code.co_name == "__init__" else ()
    if not own or any(i.opname.startswith("STORE_FAST") and own[0] in variables(i) for i in instructions):
        return stored_by(code)
    pairs = zip([None, *instructions], instructions, strict=False)
    stores = [(before, i) for before, i in pairs if i.opname in ("STORE_ATTR", "DELETE_ATTR")]
    others = {i.argval for before, i in stores if not gives(before, own[0])}
    return others.union(*(stored_by(c) for c in code.co_consts if isinstance(c, python_types.CodeType)))


def gives(i: dis.Instruction | None, name: str) -> bool:
    """Whether an instruction puts a variable on top."""
    return i is not None and i.opname.startswith("LOAD_FAST") and variables(i)[-1] == name


def variables(i: dis.Instruction) -> tuple[str, ...]:
    return i.argval if isinstance(i.argval, tuple) else (i.argval,)


def reached(values: Iterable[Any]) -> list[Any] | None:
    """The objects that calls of these values may reach by themselves; None: too many."""
    out: list[Any] = []
    seen: set[int] = set()
    todo = list(values)
    while todo:
        value = getattr(todo[-1], "__func__", todo[-1])
        todo.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        out.append(value)
        if len(out) > MOST:
            return None
        todo += inside(value)
    return out


def inside(value: Any) -> Iterator[Any]:
    """What code names, what a class or an object holds."""
    if isinstance(value, python_types.FunctionType):
        if is_of_library(value.__globals__):
            return
        yield from named(words_of(value), value.__globals__)
        yield from (c.cell_contents for c in value.__closure__ or () if not is_empty(c))
        yield from (value.__defaults__ or (), value.__kwdefaults__ or {}, vars(value))
    elif isinstance(value, type):
        if is_of_user(value):
            yield from (getattr(v, "fget", getattr(v, "func", v)) for v in vars(value).values())
            yield from (type(value), *value.__bases__)
    elif isinstance(value, OpaqueCode):
        yield from named(words_of(value), value.namespace)
    elif isinstance(value, Function):
        for atom in constants_of(value):
            yield atom.namespace.get(atom.name) if isinstance(atom, GlobalRef) else atom
    elif isinstance(value, (list, tuple, set, frozenset)):
        yield from value
    elif isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, python_types.MethodType):
        yield from (value.__func__, value.__self__)
    elif hasattr(value, "func") and hasattr(value, "keywords"):  # a partial
        yield from (value.func, value.args, value.keywords)
    elif is_of_user(type(value)) or is_of_attributes(type(value)):
        yield type(value)
        yield from attributes(value).values()


def named(words: set[str], namespace: dict[str, Any]) -> Iterator[Any]:
    """What words mean in a module, and what they mean in modules of the user's that it names."""
    for word in words & namespace.keys():
        value = namespace[word]
        if isinstance(value, python_types.ModuleType):
            if not is_installed(value):
                yield from named(words, vars(value))
        else:
            yield value


def words_of(value: Any) -> set[str]:
    """The words in a piece of code."""
    if isinstance(value, python_types.FunctionType):
        return set() if is_of_library(value.__globals__) else words_of(value.__code__)
    if isinstance(value, python_types.CodeType):
        words = {*value.co_names, *(c for c in value.co_consts if isinstance(c, str))}
        return words.union(*(words_of(c) for c in value.co_consts if isinstance(c, python_types.CodeType)))
    if isinstance(value, OpaqueCode):
        nodes = [n for root in value.code for n in gast.walk(root)]
        found = [getattr(n, kind, None) for n in nodes for kind in ("attr", "id", "value")]
        return {word for word in found if isinstance(word, str)}
    if isinstance(value, Function):
        return {a for a in constants_of(value) if isinstance(a, str)}
    return set()


def constants_of(function: Function) -> list[Any]:
    return [a.value for s in statements_of(function.body) for a in atoms_of(s) if isinstance(a, Const)]


def is_of_library(namespace: dict[str, Any]) -> bool:
    module = sys.modules.get(str(namespace.get("__name__")))
    return module is not None and is_installed(module)


def reaches(values: Iterable[Any], wanted: list[Any]) -> bool:
    """Whether calls of these values may reach one of the objects that are `wanted`, or the memory of one
    that is an array."""
    arrays = [w for w in wanted if isinstance(w, np.ndarray)]
    found = reached(values)
    if found is None:
        return True
    ids = {id(value) for value in found}
    if any(id(w) in ids for w in wanted):
        return True
    return any(np.may_share_memory(a, v) for v in found if isinstance(v, np.ndarray) for a in arrays)


__all__ = [
    "fills",
    "functions_in",
    "globals_of",
    "may_fill",
    "may_store",
    "mentioned",
    "met",
    "names_stored",
    "reached",
    "reaches",
    "words_of",
]
