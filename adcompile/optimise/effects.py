"""What a call may do beyond its result: whether it is pure, and whether it may raise.

pure    no effect but its result (it may raise): may be merged with an identical call, and
        dropped if it is no primal
total   pure, and cannot raise on arguments of these types: may be dropped, unused, anywhere

Memory exhaustion, NumPy's warnings, integers beyond 1e308 and the overflow of small powers do not count:
`x ** 2` that nobody reads is dropped as `x * x` would be, though Python may raise OverflowError for it.
"""

from __future__ import annotations

import inspect
import operator
import types as pytypes
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

import numpy as np

from adcompile.analysis.intrusive import written_unsaid
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Block, Call, Const, For, Function, If, Raise, Statement, Var, While
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import (
    UNKNOWN,
    Array,
    DictT,
    Instance,
    IterT,
    Known,
    ListT,
    ObjectT,
    RangeT,
    Scalar,
    Seq,
    TupleT,
    Type,
    Unknown,
)
from adcompile.optimise.callables import (
    BUILDERS,
    BUILTINS,
    DUNDERS,
    INPUT_OUTPUT,
    LINEAR,
    LOGIC,
    OPERATORS,
    OPS,
    PURE_KINDS,
    PURE_METHODS,
    PURE_MODULES,
    WRITING,
)
from adcompile.optimise.shapes import Shapes
from adcompile.optimise.total import has_length, is_known_simple, is_total
from adcompile.optimise.typing import (
    INPLACE,
    hashable,
    is_data,
    is_immutable,
    type_of,
)
from adcompile.rules import registry

_ITERABLES = (RangeT, TupleT, ListT, DictT, Seq)


@frozen
class Summary:
    """What calling a function of the program may do."""

    pure: bool = False
    total: bool = False


@frozen
class Effects:
    """Facts about the calls of one program."""

    types: Mapping[Var, Type]
    summaries: Mapping[FunctionRef, Summary] = field(default_factory=dict[FunctionRef, Summary])
    computes: dict[Any, bool] = field(default_factory=dict[Any, bool], compare=False, repr=False)  # is_pure: asked once

    def pure(self, call: Call) -> bool:
        """Whether the call has no effect but its result."""
        if not isinstance(call.fn, Const):
            return False
        fn = call.fn.value
        try:
            computes = self.computes.get(fn)
        except TypeError:
            return False  # what cannot be hashed is none of the callables we know
        if computes is None:
            computes = is_pure(fn, self.summaries)
            if not isinstance(fn, FunctionRef):  # what is known of functions grows
                self.computes[fn] = computes
        if fn is ops.apply:
            return isinstance(call.args[0], Const) and is_pure(call.args[0].value, self.summaries)
        if self.walks(call):
            return True
        if fn in INPLACE:
            return is_immutable(type_of(call.args[0], self.types)) or isinstance(call.args[0], Const)
        if not computes:
            return False
        if has_buffer(call) or call.kwargs and any(name == "key" for name, _ in call.kwargs):
            return False  # a result is written into an argument; `key` is anybody's function
        # operators of unknown objects may be anybody's methods; differentiated code has none such
        return call.role != "primal" or fn not in DUNDERS or not self._dunder(call)

    def strays(self, call: Call) -> bool:
        """Whether the call may run code that nobody has followed, methods of the user's above all: names of modules,
        attributes and arrays may be something else behind it. What is given numbers and arrays runs none."""
        fn = call.fn.value if isinstance(call.fn, Const) and hashable(call.fn.value) else None
        if fn is None or isinstance(fn, FunctionRef) or isinstance(fn, np.ufunc) and is_homemade(fn):
            return True
        if fn is ops.load_global or fn in LINEAR or self.reads_data(call):
            return False
        if not self.pure(call) and fn not in INPLACE and fn not in WRITING and fn is not operator.setitem:
            return True
        types = [type_of(a, self.types) for a in (*call.args, *(a for _, a in call.kwargs))]
        return not all(is_data(t) or call.role != "primal" and t == UNKNOWN for t in types)

    def reads_data(self, call: Call) -> bool:
        """Whether the call reads a number or an array that an object, a class or a module holds under a name, and runs
        no code of theirs: it is the same until a name or an attribute is bound."""
        if not isinstance(call.fn, Const) or call.fn.value is not getattr or len(call.args) != 2:
            return False
        name, owner = type_of(call.args[1], self.types), type_of(call.args[0], self.types)
        if not isinstance(name, Known) or not isinstance(self.types.get(call.result), (Array, Scalar)):
            return False
        if isinstance(owner, Known) and not isinstance(owner.value, type):
            return is_plain(type(owner.value), name.value)
        return isinstance(owner, (Instance, ObjectT)) and is_plain(owner.cls, name.value)

    def walks(self, call: Call) -> bool:
        """Whether the call makes an iterator over an array of which items are read by their indices: it does
        nothing, and has been preceded by what raises in its place."""
        fn = call.fn.value if isinstance(call.fn, Const) else None
        return (fn is np.ndenumerate or fn is np.nditer) and isinstance(self.types.get(call.result), IterT)

    def finds(self, call: Call) -> bool:
        """Whether a write into a list or dict finds the place it writes to: what we record does, and the program's
        own where nothing is looked for."""
        assert isinstance(call.fn, Const)
        kept = call.fn.value is ops.put_item and isinstance(type_of(call.args[0], self.types), DictT)
        return call.role != "primal" or call.fn.value is ops.push or kept

    def _dunder(self, call: Call) -> bool:
        types = self.types
        if self.reads_data(call):
            return False
        return any(isinstance(a, Var) and isinstance(types.get(a, UNKNOWN), (Unknown, Instance)) for a in call.args)

    def total(self, call: Call, shapes: Shapes) -> bool:
        """Whether the call is pure and cannot raise."""
        if not self.pure(call):
            return False
        assert isinstance(call.fn, Const)
        fn = call.fn.value
        if isinstance(fn, FunctionRef):
            return self.summaries[fn].total
        if fn in BUILDERS or fn in LOGIC or fn is ops.load_global or fn in LINEAR and self.finds(call):
            return True
        if self.walks(call):
            return True
        made = self.types.get(call.result)
        if isinstance(made, TupleT) and made.cls is fn or isinstance(made, DictT) and fn is ops.build_dict:  # displays
            return True
        types = [type_of(a, self.types) for a in call.args]
        if isinstance(self.types.get(call.result), Known) and fn in OPERATORS and all(map(is_known_simple, types)):
            return True
        return is_total(INPLACE.get(fn, fn), call, types, shapes)

    def removable(self, call: Call, shapes: Shapes) -> bool:
        """Whether the call may be dropped if nobody reads its result."""
        if isinstance(call.fn, Const) and call.fn.value is map:  # which calls nothing before it is gone through
            return all(has_length(type_of(a, self.types)) for a in call.args[1:])
        return self.pure(call) if call.role != "primal" else self.total(call, shapes)

    def finite(self, loop: For) -> bool:
        """Whether iterating is an effect of nothing and comes to an end."""
        t = type_of(loop.iterable, self.types)
        if isinstance(t, Array):
            return t.dims is not None and len(t.dims) > 0
        if isinstance(t, Known):
            return isinstance(t.value, (tuple, str, range, list, dict))
        return isinstance(t, _ITERABLES) or loop.role != "primal" and isinstance(t, IterT)


def is_plain(cls: type, name: str) -> bool:
    """Whether objects of a class hold an attribute of this name as data, if they have it. (Classes and functions that
    were met when compiling are of class `object` here; what computes their attributes gives no type.)"""
    if cls.__getattribute__ not in [c.__getattribute__ for c in (object, pytypes.ModuleType, pytypes.SimpleNamespace)]:
        return False
    found = inspect.getattr_static(cls, name, None)
    return isinstance(found, pytypes.MemberDescriptorType) or not hasattr(type(found), "__get__")


def is_homemade(fn: np.ufunc) -> bool:
    """Whether a ufunc calls Python for each element, as those of np.frompyfunc do."""
    return all(set(signature) <= {"O", "-", ">"} for signature in fn.types)


def has_buffer(call: Call) -> bool:
    """Whether a call may be given an array for its result."""
    fn = call.fn.value if isinstance(call.fn, Const) else None
    if isinstance(fn, np.ufunc) and len(call.args) > fn.nin:
        return True
    return bool(call.kwargs) and any(name == "out" for name, _ in call.kwargs)


def is_pure(fn: Any, summaries: Mapping[FunctionRef, Summary]) -> bool:
    """Whether a callable, given no buffer to write into, does nothing but compute."""
    if isinstance(fn, FunctionRef):
        return summaries.get(fn, Summary()).pure
    if not hashable(fn):
        return False
    if fn in OPERATORS or fn in OPS or fn in BUILTINS:
        return True
    if isinstance(fn, np.ufunc):
        return True
    if isinstance(fn, type):
        return issubclass(fn, (np.generic, tuple)) or fn is np.dtype
    if isinstance(fn, pytypes.BuiltinMethodType) and isinstance(fn.__self__, np.ufunc):
        return fn.__name__ in ("reduce", "accumulate", "outer", "reduceat")
    if isinstance(fn, pytypes.MethodDescriptorType):
        return fn.__name__ in PURE_METHODS
    if fn in WRITING or fn in INPUT_OUTPUT:
        return False
    rule = registry.lookup(fn)
    if rule is not None and rule.kind in ("constant", *PURE_KINDS):
        return rule.pure and not written_unsaid(fn)
    return getattr(fn, "__module__", None) in PURE_MODULES


def summarise(functions: Mapping[FunctionRef, Function], types: Mapping[Var, Type]) -> dict[FunctionRef, Summary]:
    """Purity of each function of a program. A recursion is pure if its body is, but only a
    function without loops of unknown length and without recursion is total."""
    summaries = {ref: Summary(pure=True, total=True) for ref in functions}
    for ref in functions:  # a call back into what is not yet decided may not end
        summaries[ref] = Summary(pure=True, total=False)
    changed = True
    while changed:
        changed = False
        effects = Effects(types, summaries)
        for ref, function in functions.items():
            if summaries[ref].pure and not _pure_block(function.body, effects):
                summaries[ref], changed = Summary(), True
    # callees first: totality grows from the leaves
    changed = True
    while changed:
        changed = False
        effects = Effects(types, summaries)
        for ref, function in functions.items():
            if summaries[ref] == Summary(True, False) and _total_function(function, effects):
                summaries[ref], changed = Summary(True, True), True
    return summaries


def _pure_block(block: Block, effects: Effects) -> bool:
    if isinstance(block.end, Raise):
        return False
    # no all(…): on deep nests its frames count against the limit of Python 3.12 for C
    for s in block.statements:  # noqa: SIM110
        if not pure_statement(s, effects):
            return False
    return True


def pure_statement(statement: Statement, effects: Effects) -> bool:
    """Whether a statement comes to an end without an effect but its results; it may raise by
    what it calls."""
    match statement:
        case Call():
            return effects.pure(statement)
        case If(then=then, orelse=orelse):
            return _pure_block(then, effects) and _pure_block(orelse, effects)
        case For():
            return effects.finite(statement) and _pure_block(statement.body, effects)
        case While():
            return statement.role != "primal" and _pure_block(statement.body, effects)
        case _:
            return False


def _total_function(function: Function, effects: Effects) -> bool:
    shapes = Shapes(effects.types, {}, assume=False)
    return _total_block(function.body, effects, shapes)


def _total_block(block: Block, effects: Effects, shapes: Shapes) -> bool:
    mark = shapes.mark()
    for s in block.statements:
        match s:
            case Call():
                if not effects.total(s, shapes):
                    return False
                shapes.note(s)
            case If(then=then, orelse=orelse):
                if not (_total_block(then, effects, shapes) and _total_block(orelse, effects, shapes)):
                    return False
            case For():
                if not (effects.finite(s) and _total_block(s.body, effects, shapes)):
                    return False
            case _:
                return False
    shapes.undo(mark)
    return not isinstance(block.end, Raise)


def writes(block: Block, effects: Effects) -> bool:
    """Whether anything in a block may write into memory or state that others see."""
    return _any(block, lambda call: not effects.pure(call), lambda loop: False)


def strays(statement: For | While, effects: Effects) -> bool:
    """Whether a loop may run code that nobody has followed, its iterator's too."""

    def iterates(loop: For) -> bool:
        return not is_data(type_of(loop.iterable, effects.types))

    own = isinstance(statement, For) and iterates(statement)
    return own or _any(statement.body, effects.strays, iterates)


def _any(block: Block, does: Callable[[Call], bool], iterates: Callable[[For], bool]) -> bool:
    """Whether a call in a block does so, or the iterator of a loop. What is neither a call nor made of blocks may do
    anything."""
    for s in block.statements:
        match s:
            case Call():
                found = does(s)
            case If(then=then, orelse=orelse):
                found = _any(then, does, iterates) or _any(orelse, does, iterates)
            case For():
                found = iterates(s) or _any(s.body, does, iterates)
            case While():
                found = _any(s.body, does, iterates)
            case _:
                found = True
        if found:
            return True
    return False
