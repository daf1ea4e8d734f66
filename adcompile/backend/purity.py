"""What the emitter must know of a call before it may print it elsewhere than where it stands."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Any

from adcompile.backend.callables import GETTER_TYPES
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, GlobalRef, If, OpaqueCode, Raise, Statement, Var, Yield
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import Array, Instance, Known, ObjectT, Type
from adcompile.ir.walk import all_blocks, blocks_of, free_vars
from adcompile.optimise.effects import Effects
from adcompile.optimise.shapes import Shapes
from adcompile.optimise.typing import is_immutable, type_of
from adcompile.runtime import arrays, memory

IN_PLACE = {
    operator.iadd: "Add",
    operator.isub: "Sub",
    operator.imul: "Mult",
    operator.itruediv: "Div",
    operator.ifloordiv: "FloorDiv",
    operator.imod: "Mod",
    operator.ipow: "Pow",
    operator.imatmul: "MatMult",
    operator.iand: "BitAnd",
    operator.ior: "BitOr",
    operator.ixor: "BitXor",
    operator.ilshift: "LShift",
    operator.irshift: "RShift",
}
BUFFERED = (ops.push, ops.pop, ops.put_item, ops.index_add, arrays.accumulate)
"""The result is the first argument, changed in place: both have one name."""
STORES = (operator.setitem, operator.delitem, setattr, delattr)
TAKEN_APART = (ops.unpack, ops.unpack_star)
STATEMENTS = frozenset(
    {*IN_PLACE, *BUFFERED, *STORES, *TAKEN_APART, memory.add_at, ops.list_set, ops.read, *ops.MANAGING}
)
"""Printed as statements of their own, never inside an expression."""
ADDS = (ops.index_add, memory.add_at)
"""Printed as `x[i] += …`, which reads `x[i]` before it computes what it adds."""
NEVER_RAISE = frozenset({ops.build_tuple, ops.build_list, slice, ops.build_string, ops.make_function, ops.identity})


class Memory(IntEnum):
    """The memory that an expression reads. What binds names may write into arrays, what writes into arrays may write
    into lists; a push does so alone."""

    NONE = 0
    NAMES = 1  # of modules, and attributes of what is reached by them
    ARRAYS = 2
    LISTS = 3  # and whatever may hold one


@frozen
class Kind:
    """`ordered`: must keep its place among other ordered calls."""

    statement: bool
    ordered: bool
    writes: bool
    named: bool  # its first argument must be a name
    pushes: bool = False  # it writes into a list of ours, and into nothing else
    strays: bool = False  # it may run code that nobody has followed, which may bind names, too


def callee(call: Call) -> Any:
    """The Python object that a call calls; None where that is decided at run time."""
    return call.fn.value if isinstance(call.fn, Const) else None


def hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def classify(call: Call, types: Mapping[Var, Type]) -> Kind:
    fn = callee(call)
    known = isinstance(call.fn, Const) and hashable(fn)
    statement = isinstance(fn, OpaqueCode) or known and fn in STATEMENTS
    named = known and (fn in IN_PLACE or fn in BUFFERED or fn is ops.list_set)
    if known and fn in NEVER_RAISE:
        return Kind(statement, False, False, named)
    if fn is ops.push and call.role != "primal":
        return Kind(True, False, False, True, True)  # in no order with others, but for those that read lists
    effects = Effects(types)
    pure = known and not isinstance(fn, FunctionRef) and effects.pure(call)
    strays = effects.strays(call)
    writes = not pure or strays or known and fn in BUFFERED
    raises = call.role == "primal" and (writes or not effects.total(call, Shapes(types, {}, assume=False)))
    return Kind(statement, writes or statement or raises, writes, named, strays=strays)


def reads_memory(t: Type | None) -> Memory:
    """Where what a value of this type means can change while the value stays the same."""
    if t is not None and is_immutable(t):
        return Memory.NONE
    return Memory.ARRAYS if isinstance(t, Array) else Memory.LISTS


def const_width(value: Any) -> int:
    """About how many characters the text of a constant, or of a callee with its brackets, takes."""
    if type(value).__module__ == "builtins" and getattr(value, "__module__", None) in ("_operator", ops.__name__):
        return 2
    if value is slice or value is getattr:
        return 0
    if isinstance(value, GlobalRef):
        return len(value.name) + 4
    if isinstance(value, (bool, int, float, complex, str, bytes, type(None))):
        return min(len(repr(value)), 40)
    if isinstance(value, tuple):
        return 2 + sum(const_width(item) + 2 for item in value)
    return len(getattr(value, "__name__", "")) + 3 or 8


def is_path(statement: Call | If, var: Var) -> bool:
    """Whether a value is a path like `np.linalg`, `x.shape`, `1:n`: named after what is read, not by the user."""
    if not isinstance(statement, Call) or not isinstance(statement.fn, Const):
        return False
    fn = statement.fn.value
    if isinstance(fn, GETTER_TYPES) and len(statement.args) == 1:
        return fn.__name__ == var.name
    if fn is getattr and len(statement.args) == 2:
        return isinstance(statement.args[1], Const) and statement.args[1].value == var.name
    return fn is ops.load_global or fn is slice


def names_memory(statement: Call | If, var: Var, types: Mapping[Var, Type]) -> Memory:
    """The memory that a path leads to, as `module.buffer` does, whatever the user calls it: what is read of it depends
    on when."""
    leads = isinstance(statement, Call) and any(callee(statement) is fn for fn in (getattr, operator.getitem))
    led = reads_memory(types.get(var)) if leads or is_path(statement, var) else Memory.NONE
    return max(led, Memory.NAMES) if isinstance(statement, Call) and reads_name(statement, types) else led


def reads_name(call: Call, types: Mapping[Var, Type]) -> bool:
    """Whether what a call gives may be something else once a name, or an attribute of an object, has been bound."""
    if callee(call) is not getattr:
        return callee(call) is ops.load_global
    return isinstance(type_of(call.args[0], types), (Known, Instance, ObjectT))


def raises(s: Statement) -> bool:
    """Whether a statement holds a `raise`."""
    return any(isinstance(inner.end, Raise) for own in blocks_of(s) for inner in all_blocks(own))


def last_reader(
    items: Sequence[Statement], push: Call, first: int, end: int, reads: Callable[[Atom], Iterable[Var]]
) -> int:
    """The last of the statements behind `first` and before `end` that may read the list of a push, or find that the
    user's list is not there; else `first`."""
    for k in range(end - 1, max(first, -1), -1):
        s = items[k]
        inner = free_vars(Block((), (s,), Yield()))
        found = {v for a in inner for v in reads(a)}
        if push.args[0] in found or push.role != "adjoint" and raises(s):
            return k
    return first
