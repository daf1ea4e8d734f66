"""Writes in place around a derivative: what may be followed, and what must be refused.

Writes into arrays by calls of which we know what they store are followed (autodiff/writes). Any
other write is, only where no derivative can notice it: the value written is inert, or nothing that
may share memory with the target is useful; and no adjoint reads memory that is written after the
primal read it. Sharing is over-approximated: a value may share memory with every argument it was
computed from unless its rule makes it fresh.
"""

from __future__ import annotations

import itertools
import operator
import types as pytypes
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any, Union

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.activity import Useful, Varied, leaf_ends, passes_derivative
from adcompile.analysis.callbacks import may_write
from adcompile.analysis.detached import is_in
from adcompile.analysis.executed import puts_alone, written_by_code, written_unseen
from adcompile.analysis.intrusive import arguments_written
from adcompile.analysis.library import writes_text
from adcompile.analysis.relayed import relayed
from adcompile.analysis.stores import stored_atoms
from adcompile.analysis.unfollowed import refuse_store
from adcompile.analysis.writing import AUGMENTED, FUNCTIONS, ITEM_WRITES, KEEPERS, METHODS
from adcompile.errors import Place, Unsupported
from adcompile.ir import ops
from adcompile.ir.abstract import is_by_identity, is_of_data
from adcompile.ir.nodes import (
    Atom,
    Block,
    Call,
    Const,
    For,
    GlobalRef,
    If,
    OpaqueCode,
    OwnerSpace,
    Statement,
    Var,
    Way,
    While,
    Yield,
)
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import (
    Array,
    Closure,
    DictT,
    Instance,
    IterT,
    ListT,
    Maybe,
    Method,
    ObjectT,
    OfData,
    Scalar,
    Seq,
    TupleT,
    Type,
    Unknown,
)
from adcompile.ir.walk import all_blocks, atoms_of, blocks_of, end_atoms, statements_of
from adcompile.rules.registry import lookup

MUTABLE = (Array, Instance, ObjectT, Unknown, Seq, ListT, DictT, TupleT, IterT, Method)
IMMUTABLE = (
    bool, int, float, complex, str, bytes, type(None), type, np.generic, np.dtype, np.ufunc, slice, range,
    pytypes.ModuleType, pytypes.FunctionType, pytypes.BuiltinFunctionType, pytypes.MethodDescriptorType, type(...),
)  # fmt: skip
Node = Union[Var, tuple[Any, ...]]
"""Memory: a value's, or that of a live object, global or attribute of a module."""


def has_memory(t: Type) -> bool:
    """Whether a value of this type may be, or hold, memory that someone can write into: a tuple of
    numbers, such as a shape, is none. A function holds what it has captured, and may write into."""
    if isinstance(t, TupleT):
        return any(map(has_memory, t.items))
    if isinstance(t, Maybe):
        return has_memory(t.type)
    if isinstance(t, Closure):
        return may_write(t) or any(map(has_memory, t.cells))
    return isinstance(t, MUTABLE)


def node_of(atom: Atom, types: Mapping[Var, Type]) -> Node | None:
    """The memory an atom stands for; None if nobody can write into it."""
    if isinstance(atom, Var):
        t = types[atom]
        return atom if isinstance(t, OfData) or has_memory(t) and getattr(t, "cls", None) not in IMMUTABLE else None
    value = atom.value
    if isinstance(value, GlobalRef):
        return ("global", id(value.namespace), value.name)
    return None if is_fixed(value) else ("object", id(value))


def is_fixed(value: Any) -> bool:
    """Whether nobody can write into this, nor into what it holds."""
    if type(value) in (tuple, frozenset):
        return all(map(is_fixed, value))  # pyright: ignore
    fixed = isinstance(value, IMMUTABLE) or value is ops.UNDEFINED or is_by_identity(value)
    return fixed and not is_of_data(value)


def names_immutable(atom: Atom) -> bool:
    """Whether a name of a module means what nobody can write into."""
    if not isinstance(atom, Const) or not isinstance(atom.value, GlobalRef) or isinstance(
        atom.value.namespace, OwnerSpace
    ):
        return False
    return is_fixed(atom.value.namespace.get(atom.value.name))


def writes_into(call: Call, types: Mapping[Var, Type], definition: Mapping[Var, Call]) -> tuple[Atom, ...]:
    """The atoms whose memory a call writes, or may write where nothing is known of it."""
    args = tuple(a for a in (*call.args, *(v for _, v in call.kwargs)) if not only_reads(a, types))
    if not isinstance(call.fn, Const):
        method = definition.get(call.fn)
        named = method.args[1] if method is not None and is_call_of(method, getattr) else None
        if method is not None and named is not None and is_about_text(method.args[0], types):
            return ()
        keeps = isinstance(named, Const) and named.value in KEEPERS
        return (call.fn,) if keeps else (call.fn, *args)
    fn = call.fn.value
    if isinstance(fn, Way):
        return ()
    if isinstance(fn, OpaqueCode):
        stored = stored_atoms(call, fn, types, definition, positions_written)
        return (*stored, *written_by_code(call, types, definition))
    try:
        if fn in ITEM_WRITES or fn in METHODS:
            return call.args[:1]
        if fn in FUNCTIONS:
            return call.args[FUNCTIONS[fn] : FUNCTIONS[fn] + 1]
        if fn in AUGMENTED:
            return call.args[:1] if node_of(call.args[0], types) is not None else ()
    except TypeError:
        return args
    if isinstance(fn, type) and issubclass(fn, tuple) and hasattr(fn, "_fields"):
        return ()  # a namedtuple is structure
    if fn is np.nan_to_num:
        told = [v for k, v in call.kwargs if k == "copy"] + list(call.args[1:2])
        return call.args[:1] if told and not (isinstance(told[0], Const) and told[0].value is True) else ()
    out = tuple(v for k, v in call.kwargs if k in ("out", "file") and isinstance(v, Var))
    called = () if fn in ARRANGING else tuple(a for a in args if isinstance(a, Var) and writes_when_called(types[a]))
    called += written_unseen(call, types, definition)
    if not out and is_unknown(fn):
        return (*args, *called)
    return (*out, *called, *arguments_written(fn, call.args, call.kwargs))


def only_reads(atom: Atom, types: Mapping[Var, Type]) -> bool:
    """Whether a value is a function that writes into nothing that it has captured."""
    t = types[atom] if isinstance(atom, Var) else None
    return isinstance(t, Closure) and not may_write(t)


def writes_when_called(t: Type) -> bool:
    return isinstance(t, Closure) and may_write(t)


def is_about_text(owner: Atom, types: Mapping[Var, Type]) -> bool:
    """Whether an object is a log: its methods keep what they are given, and write into none of it."""
    t = types[owner] if isinstance(owner, Var) else None
    return isinstance(t, Instance) and writes_text(t.cls)


def positions_written(fn: Any) -> tuple[int, ...] | None:
    """The arguments that a callable writes into; None where nothing is known of it."""
    try:
        if fn in ITEM_WRITES or fn in METHODS or fn in AUGMENTED:
            return (0,)
        if fn in FUNCTIONS:
            return (FUNCTIONS[fn],)
    except TypeError:
        return None
    return None if is_unknown(fn) else ()


def is_unknown(fn: Any) -> bool:
    """Whether nothing is known of a callable: it may write into all it is given."""
    rule = lookup(fn)
    home = str(getattr(getattr(fn, "__objclass__", fn), "__module__", None)).partition(".")[0]
    known = rule is not None and (rule.kind != "primitive" or home in ("numpy", "random", "scipy"))
    if known or isinstance(fn, FunctionRef) or is_in(fn, SHARING):
        return False
    if getattr(fn, "__objclass__", None) in (str, bytes, int, float, tuple):
        return False
    if isinstance(getattr(fn, "__self__", None), np.ufunc):
        return getattr(fn, "__name__", "") == "at"
    return home not in ("adcompile", "math", "cmath", "time", "_json", "_operator")


def is_unknown_call(fn: Any) -> bool:
    try:
        known = fn in ITEM_WRITES or fn in METHODS or fn in FUNCTIONS or fn in AUGMENTED
        return not known and is_unknown(fn)
    except TypeError:
        return True


def is_call_of(call: Call, fn: Any) -> bool:
    return isinstance(call.fn, Const) and call.fn.value is fn


FRESH_RESULT: set[Any] = {np.zeros_like, np.ones_like, np.copy, np.ndarray.copy, np.array, len, np.sum, np.ndarray.sum}
SHARING: set[Any] = {
    operator.getitem, ops.load_global, ops.identity, ops.expect_length, ops.build_tuple, ops.build_list, ops.build_dict,
    ops.push, ops.pop, ops.list_set, ops.make_function, np.asarray, np.asanyarray, np.ascontiguousarray, np.reshape,
    np.ravel, list, tuple, dict, set, frozenset, slice, zip, enumerate, reversed, iter, sorted, map, filter,
    np.diagonal, np.diag, rt.diagonal_of, np.linalg.diagonal, np.einsum, np.real, np.imag, np.real_if_close, np.diff,
    np.ndarray.conj, np.polyder, np.polyint,
    np.ndarray.conjugate, np.linalg.matrix_power, rt.broadcast_like, sum, any, all, min, max, getattr, hasattr,
    list.copy, list.index, list.count, tuple.index, tuple.count, dict.copy, dict.get, dict.keys, dict.values,
    dict.items, np.ndarray.tolist, np.ndenumerate, np.nditer,
}  # fmt: skip
"""These write nothing, and what they return may share memory with what they are given."""
ARRANGING: set[Any] = {
    operator.getitem, ops.identity, ops.build_tuple, ops.build_list, ops.build_dict, ops.build_object, ops.push,
    ops.pop, ops.put_item, ops.list_set, ops.make_function, list, tuple, dict, set, zip, enumerate, reversed, iter,
    getattr, map, filter, list.copy, dict.copy,
}  # fmt: skip
"""These call no function that they are given."""
SHARING.update(fn for fn in vars(itertools).values() if isinstance(fn, type))


def defined_by(s: Statement) -> tuple[Var, ...]:
    if isinstance(s, Call):
        return (s.result,)
    return s.results if isinstance(s, If) else (*s.results, *s.body.params)


class Classes:
    """Union–find over memory: values that flow into one another are joined. `join` and `call` say
    what that means for two values, and for a call."""

    parent: dict[Node, Node]

    def find(self, v: Node) -> Node:
        root = v
        while root in self.parent:
            root = self.parent[root]
        while v is not root:
            above = self.parent.get(v, root)
            self.parent[v], v = root, above
        return root

    def union(self, a: Node, b: Node) -> None:
        x, y = self.find(a), self.find(b)
        if x != y:
            self.parent[x] = y

    def join(self, a: Atom, b: Atom) -> None:
        raise NotImplementedError

    def call(self, s: Call) -> None:
        raise NotImplementedError

    def statement(self, s: Statement) -> None:
        if isinstance(s, Call):
            self.call(s)
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
                self.join(r, p)
            for values in leaf_ends(s.body):
                for p, v in zip(params, values):
                    self.join(p, v)


class Aliases(Classes):
    """What may share memory, all parts of a container together."""

    def __init__(self, types: Mapping[Var, Type], block: Block) -> None:
        self.types = types
        self.parent: dict[Node, Node] = {}
        self.definition = {s.result: s for s in statements_of(block) if isinstance(s, Call)}
        inner = {v for s in statements_of(block) for v in defined_by(s)}
        self.outside: set[Node] = set()
        self.writers: set[Node] = set()  # functions that may write into what they have captured
        self.used = {a for s in statements_of(block) for a in atoms_of(s) if isinstance(a, Var)}
        self.used |= {a for b in all_blocks(block) for a in end_atoms(b.end) if isinstance(a, Var)}
        for s in statements_of(block):
            self.statement(s)
            nodes = [node_of(a, types) for a in atoms_of(s) if not names_immutable(a)]
            self.outside.update(n for n in nodes if n is not None and n not in inner)

    def root(self, atom: Atom) -> Node | None:
        node = node_of(atom, self.types)
        return None if node is None else self.find(node)

    def join(self, a: Atom, b: Atom) -> None:
        x, y = node_of(a, self.types), node_of(b, self.types)
        if x is not None and y is not None:
            self.union(x, y)

    def call(self, s: Call) -> None:
        args = (*s.args, *(v for _, v in s.kwargs))
        if is_call_of(s, ops.make_function):
            if s.result not in self.used or not has_memory(self.types[s.result]):
                return  # it has been followed wherever it is called
            if not only_reads(s.result, self.types):
                self.writers.add(s.result)
        if isinstance(self.types[s.result], IterT) and s.result not in self.used:
            return  # what it goes through is gone through by positions
        if self.shares(s):
            for a in (s.fn, *args):
                self.join(s.result, a)
        if is_call_of(s, getattr) and isinstance(args[0], Var) and isinstance(self.types[args[0]], Closure):
            self.union(s.result, args[0])  # what a function has as an attribute
        for target in writes_into(s, self.types, self.definition):
            if isinstance(target, Const) or not isinstance(self.types[target], Array):
                for a in args:  # it may keep what it is given
                    self.join(target, a)

    def written(self, target: Atom) -> None:
        """Arrays that come from outside may be one memory: a write into one may be into each."""
        if isinstance(target, Var) and not isinstance(self.types[target], (Array, Unknown)):
            return  # a write into a container's slots
        root = self.root(target)
        if root is not None and any(self.find(node) == root for node in self.outside):
            for node in self.outside:
                self.union(node, root)

    def shares(self, s: Call) -> bool:
        if not isinstance(s.fn, Const):
            return True
        fn = s.fn.value
        try:
            if fn in SHARING or fn in AUGMENTED:
                return True
            if any(name == "copy" for name, _ in s.kwargs):  # it may be told not to
                return True
            if fn in FRESH_RESULT:
                return False
        except TypeError:
            return True
        rule = lookup(fn)
        listed = isinstance(self.types.get(s.result), (Seq, ListT, TupleT))  # a sum of lists holds what they hold
        return rule is None or rule.view or listed


def check_writes(
    types: Mapping[Var, Type],
    statements: Sequence[Statement],
    varied: Varied,
    useful: Useful,
    followed: Container[Call] = (),
    sought: Container[Call] = (),
    by_reference: Callable[[Call], Sequence[Atom]] = lambda call: (),
    together: Callable[[], Sequence[Sequence[Atom]]] = tuple,
) -> Written:
    """Refuse writes that a derivative would notice, but for those that are `followed`; the rest is
    handed on for `check_reads`. Those `sought` when the code runs are looked at then. `by_reference`:
    what calls of functions by reference write into. `together`: what is one live container or object, or holds one."""
    calls = [(i, call) for i, s in enumerate(statements) for call in calls_in(s)]
    definition = {call.result: call for _, call in calls}
    unsure = [(i, call) for i, call in calls if call not in sought]
    written = [(i, call, target) for i, call in unsure for target in writes_into(call, types, definition)]
    written += [(i, call, target) for i, call in unsure for target in by_reference(call)]
    if not written and not any(is_call_of(call, ops.make_function) for _, call in calls):
        return Written(types, None, {}, {})
    aliases = Aliases(types, Block((), tuple(statements), Yield()))
    for first, *others in together():
        for other in others:
            aliases.join(first, other)
    near = useful_roots(aliases, [call for _, call in calls], useful)
    shown = [aliases.root(target) in near for _, _, target in written]  # text may go into what is useful itself
    for _, _, target in written:
        aliases.written(target)
    hot = {aliases.find(n) for n in aliases.writers}
    for i, call in calls:  # a function that is looked up when the code runs, and writes into what it has captured
        if call in sought and aliases.root(call.fn) in hot:
            written.append((i, call, call.fn))
            shown.append(False)
    useful_classes = useful_roots(aliases, [call for _, call in calls], useful)
    unfollowed = [(call, target) for _, call, target in written if call not in followed or reference_of(call)]
    into = [(call, root) for call, target in unfollowed if (root := aliases.root(target)) is not None]
    varied = relayed(varied, statements, into, aliases.root)
    last: dict[Node, Last] = {}
    places: dict[Node, int] = {}
    for (i, call, target), direct in zip(written, shown):
        root = aliases.root(target)
        exposed = isinstance(call.fn, Const) and (
            call.fn.value is ops.set_attribute or call.fn.value is setattr and root is None and isinstance(target, Var)
        )  # an attribute of a function, a class or a module, which is made here
        if root is None and not exposed or call in followed and reference_of(call) is None:
            continue
        unknown = not isinstance(call.fn, Const) or is_unknown_call(call.fn.value)
        if unknown and call.result in varied.vars and call.result in useful.vars:
            continue  # a call without a derivative, which will be refused as one
        data = varied.carries if direct else varied.has
        if (exposed or root in useful_classes) and any(map(data, atoms_of(call))):
            raise refuse_store(call, target, types, definition)
        if root is not None and is_put(call, target, types):
            places[root] = max(i, places.get(root, i))
        elif root is not None and not (isinstance(target, Var) and isinstance(types[target], Array)):
            # of arrays, adjoints read copies
            found = last.get(root)
            if found is None or found[0] <= i:
                last[root] = (i, call.place, isinstance(call.fn, Const))
    return Written(types, aliases, last, places)


def is_put(call: Call, target: Atom, types: Mapping[Var, Type]) -> bool:
    """Whether a write puts something into a container or object, or takes it out: what is there stays as it is."""
    t = types[target] if isinstance(target, Var) else None
    if isinstance(call.fn, Const) and isinstance(call.fn.value, OpaqueCode):
        return puts_alone(call, call.fn.value, target, types, positions_written)
    if not isinstance(call.fn, Const) or not isinstance(t, Instance) or not issubclass(t.cls, (list, dict, set)):
        return False
    return any(call.fn.value is fn for fn in (*ITEM_WRITES, *METHODS, *AUGMENTED))


Last = tuple[int, "Place | None", bool]
"""The position of the last statement that writes, its place, and whether it is known what it calls."""


def written_late(place: Place | None, known: bool) -> Unsupported:
    if known:
        message = "this is written in place after the differentiated code has read it"
        return Unsupported(message, place, "write into a copy, or make a new one")
    return Unsupported(
        "a function that is known only when the code runs is called here, and may write into what the differentiated "
        "code has read",
        place,
        "call it before that is read, or choose between objects that are known with if and else",
    )


def reference_of(call: Call) -> FunctionRef | None:
    """The function of the program that is called: what it writes into arrays is followed, and nothing else."""
    return call.fn.value if isinstance(call.fn, Const) and isinstance(call.fn.value, FunctionRef) else None


def useful_roots(aliases: Aliases, calls: Sequence[Call], useful: Useful) -> set[Node]:
    """The memory that the result is made of."""
    found = {aliases.find(v) for v in useful.vars}
    for call in calls:
        if call.result in useful.vars and passes_derivative(call):
            found.update(root for a in atoms_of(call) if (root := aliases.root(a)) is not None)
    return found


def calls_in(s: Statement) -> list[Call]:
    if isinstance(s, Call):
        return [s]
    return [c for block in blocks_of(s) for c in statements_of(block) if isinstance(c, Call)]


class Written:
    """The inert memory that is written in place, and the last statement that writes it; `places`: that puts something
    into a list or dict, or takes it out."""

    def __init__(
        self, types: Mapping[Var, Type], aliases: Aliases | None, last: dict[Node, Last], places: dict[Node, int]
    ) -> None:
        self.types, self.aliases, self.last, self.places = types, aliases, last, places

    def check_reads(self, statements: Sequence[Statement], active: frozenset[Var]) -> set[Var]:
        """Refuse active statements that read memory written at or after them: their adjoints may read it again. Given
        are values of no known type that were read where something else is put later: they may be that list or dict
        themselves, so the adjoints read copies."""
        volatile: set[Var] = set()
        if self.aliases is None or not self.last and not self.places:
            return volatile
        for i, s in enumerate(statements):
            for call in calls_in(s):
                for a in atoms_of(call) if call.result in active else ():
                    root = self.aliases.root(a)
                    found = None if root is None else self.last.get(root)
                    if found is not None and found[0] >= i:
                        raise written_late(found[1], found[2])
                    if root is not None and self.places.get(root, -1) >= i and isinstance(a, Var):
                        volatile |= self.copied(a, call)
        return volatile

    def copied(self, a: Var, call: Call) -> set[Var]:
        t = self.types[a]
        if isinstance(t, (Array, Scalar)):
            return set()
        if not isinstance(t, Unknown):
            raise written_late(call.place, True)
        return {a}
