"""Writes in place around a derivative: what may be followed, and what must be refused.

Until shadows mirror memory, a write in place is followed only where no derivative can notice it:
the value written is inert, or nothing that may share memory with the target is useful; and no
adjoint reads memory that is written after the primal read it. Sharing is over-approximated: a
value may share memory with every argument it was computed from unless its rule makes it fresh.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.activity import Useful, Varied, leaf_ends
from adcompile.errors import Place, Unsupported
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, For, If, OpaqueCode, Statement, Var, While, Yield
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import Array, DictT, Instance, IterT, ListT, Method, Seq, TupleT, Type, Unknown
from adcompile.ir.walk import atoms_of, blocks_of, statements_of
from adcompile.rules.registry import lookup

ITEM_WRITES: set[Any] = {operator.setitem, operator.delitem, setattr, delattr, operator.iconcat}
AUGMENTED: set[Any] = {
    operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod,
    operator.ipow, operator.imatmul, operator.iand, operator.ior, operator.ixor, operator.ilshift, operator.irshift,
}  # fmt: skip
WRITERS = (
    "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "setdefault", "add",
    "discard", "popitem", "fill", "partition", "put", "resize", "__setitem__", "__iadd__",
)  # fmt: skip
METHODS: set[Any] = {
    getattr(cls, name) for cls in (list, dict, set, np.ndarray) for name in WRITERS if hasattr(cls, name)
}
FUNCTIONS: set[Any] = {np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis}
MUTABLE = (Array, Instance, Unknown, Seq, ListT, DictT, TupleT, IterT, Method)
REMEDY = "build a new array instead, e.g. with np.where, np.concatenate or np.stack, or y = y + … for y += …"


def writes_into(call: Call, types: Mapping[Var, Type]) -> tuple[Atom, ...]:
    """The atoms whose memory a call writes."""
    if not isinstance(call.fn, Const):
        return ()
    fn = call.fn.value
    if isinstance(fn, OpaqueCode):
        return tuple(a for name, a in zip(fn.inputs, call.args) if name in fn.stores)
    try:
        if fn in ITEM_WRITES or fn in METHODS or fn in FUNCTIONS:
            return call.args[:1]
        if fn in AUGMENTED and isinstance(call.args[0], Var) and isinstance(types[call.args[0]], MUTABLE):
            return call.args[:1]
    except TypeError:
        return ()
    if isinstance(fn, type) and issubclass(fn, tuple) and hasattr(fn, "_fields"):
        return ()  # a namedtuple is structure
    out = tuple(v for k, v in call.kwargs if k == "out" and isinstance(v, Var))
    if fn is np.ufunc.at:
        return call.args[1:2]
    if not out and lookup(fn) is None and not isinstance(fn, FunctionRef) and fn not in SHARING:
        # nothing is known of it: it may write into any array it is given
        return tuple(a for a in call.args if isinstance(a, Var) and isinstance(types[a], Array))
    return out


FRESH_RESULT: set[Any] = {np.zeros_like, np.ones_like, np.copy, np.ndarray.copy, np.array, len, np.sum, np.ndarray.sum}
SHARING: set[Any] = {
    operator.getitem, getattr, ops.identity, ops.expect_length, ops.build_tuple, ops.build_list, ops.build_dict,
    ops.push, ops.pop, ops.list_set, ops.make_function, np.asarray, np.asanyarray, np.ascontiguousarray, np.reshape,
    np.ravel, list, tuple, dict, zip, enumerate, reversed, iter, rt.broadcast_like,
}  # fmt: skip


class Aliases:
    """Union–find over values that may share memory."""

    def __init__(self, types: Mapping[Var, Type], block: Block) -> None:
        self.types = types
        self.parent: dict[Var, Var] = {}
        for s in statements_of(block):
            self.statement(s)

    def find(self, v: Var) -> Var:
        root = v
        while root in self.parent:
            root = self.parent[root]
        while v is not root:
            self.parent[v], v = root, self.parent[v]
        return root

    def join(self, a: Atom, b: Atom) -> None:
        if isinstance(a, Var) and isinstance(b, Var) and self.mutable(a) and self.mutable(b):
            x, y = self.find(a), self.find(b)
            if x is not y:
                self.parent[x] = y

    def mutable(self, v: Var) -> bool:
        return isinstance(self.types[v], MUTABLE)

    def statement(self, s: Statement) -> None:
        if isinstance(s, Call):
            if self.shares(s):
                for a in (*s.args, *(v for _, v in s.kwargs)):
                    self.join(s.result, a)
        elif isinstance(s, If):
            for branch in (s.then, s.orelse):
                if isinstance(branch.end, Yield):
                    for r, v in zip(s.results, branch.end.values):
                        self.join(r, v)
        else:
            assert isinstance(s, (For, While))
            params = s.body.params[1:] if isinstance(s, For) else s.body.params
            if isinstance(s, For):
                self.join(s.body.params[0], s.iterable)
            for p, r, a in zip(params, s.results, s.init):
                self.join(p, a)
                self.join(r, a)
            for values in leaf_ends(s.body):
                for p, v in zip(params, values):
                    self.join(p, v)

    def shares(self, s: Call) -> bool:
        if not isinstance(s.fn, Const):
            return True
        fn = s.fn.value
        try:
            if fn in SHARING or fn in AUGMENTED:
                return True
            if fn in FRESH_RESULT:
                return False
        except TypeError:
            return True
        rule = lookup(fn)
        return rule is None or rule.view


def check_writes(types: Mapping[Var, Type], statements: Sequence[Statement], varied: Varied, useful: Useful) -> Written:
    """Refuse writes that a derivative would notice; the rest is handed on for `check_reads`."""
    written = [
        (i, call, target)
        for i, s in enumerate(statements)
        for call in calls_in(s)
        for target in writes_into(call, types)
    ]
    if not written:
        return Written(None, {})
    aliases = Aliases(types, Block((), tuple(statements), Yield()))
    useful_classes = {aliases.find(v) for v in useful.vars}
    last: dict[Var, tuple[int, Place | None]] = {}
    for i, call, target in written:
        if not isinstance(target, Var):
            continue
        root = aliases.find(target)
        inputs = (*call.args, *(v for _, v in call.kwargs))
        if root in useful_classes and any(varied.has(a) for a in inputs):
            raise Unsupported(
                "a write in place of, or into, values that carry derivatives is not supported yet", call.place, REMEDY
            )
        last[root] = (max(i, last.get(root, (0, None))[0]), call.place)
    return Written(aliases, last)


def calls_in(s: Statement) -> list[Call]:
    if isinstance(s, Call):
        return [s]
    return [c for block in blocks_of(s) for c in statements_of(block) if isinstance(c, Call)]


class Written:
    """The inert memory that is written in place, and the last statement that writes it."""

    def __init__(self, aliases: Aliases | None, last: dict[Var, tuple[int, Place | None]]) -> None:
        self.aliases, self.last = aliases, last

    def check_reads(self, statements: Sequence[Statement], active: frozenset[Var]) -> None:
        """Refuse active statements that read memory written at or after them: their adjoints
        may read it again."""
        if self.aliases is None or not self.last:
            return
        for i, s in enumerate(statements):
            for call in calls_in(s):
                if call.result not in active:
                    continue
                for a in atoms_of(call):
                    if not isinstance(a, Var) or not self.aliases.mutable(a):
                        continue
                    found = self.last.get(self.aliases.find(a))
                    if found is not None and found[0] >= i:
                        raise Unsupported(
                            "this array is written in place after the differentiated code has read it",
                            found[1],
                            "write into a copy, or build a new array",
                        )
