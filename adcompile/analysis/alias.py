"""What may share memory with what, which memory is written in place, and which is mirrored.

Sharing is over-approximated by classes (union–find): a value may share memory with every argument
it was computed from unless its rule makes it fresh. A class is *written* if some statement writes
into one of its members. A written class through which derivatives pass is *mirrored*: its arrays
are by reference, each has a shadow of the same shape (autodiff/mirror).
"""

from __future__ import annotations

import operator
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.activity import Useful, Varied
from adcompile.analysis.builder import Builder, is_structured, same_form
from adcompile.analysis.mutation import (
    AUGMENTED,
    FRESH_RESULT,
    FUNCTIONS,
    ITEM_WRITES,
    METHODS,
    SHARING,
    Classes,
    Node,
    defined_by,
    node_of,
    writes_into,
)
from adcompile.errors import Place
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, Statement, Var, Yield
from adcompile.ir.types import Array, Known, ListT, Scalar, Seq, SliceT, TupleT, Type, differentiable, widen
from adcompile.ir.walk import atoms_of, statements_of
from adcompile.rules.registry import lookup

BUILDS: set[Any] = {ops.build_tuple, ops.build_list, ops.build_dict, ops.make_function}


@dataclass(frozen=True)
class Written:
    """A call that writes into memory, and what it writes into."""

    call: Call
    target: Atom


@dataclass
class Memory(Classes):
    """The classes of memory of some statements, and what is written."""

    b: Builder
    statements: Sequence[Statement]
    ends: Sequence[Atom] = ()  # what goes in and comes out
    sought: Container[Call] = ()  # looked up when the code runs, where those that write are refused
    parent: dict[Node, Node] = field(default_factory=dict[Node, Node])
    written: list[Written] = field(default_factory=list[Written])
    outside: dict[Node, Atom] = field(default_factory=dict[Node, Atom])
    entered: set[Node] = field(default_factory=set[Node])  # outside memory that is itself written into

    def __post_init__(self) -> None:
        self.types = self.b.context.types
        everything = list(statements_of(Block((), tuple(self.statements), Yield())))
        self.definition = {s.result: s for s in everything if isinstance(s, Call)}
        for call in self.definition.values():
            for target in () if call in self.sought else writes_into(call, self.types, self.definition):
                self.written += [Written(call, a) for a in self.arrays(target)]
        if not self.written:
            return
        for s in everything:
            self.statement(s)
        targets = [n for w in self.written for n in self.nodes(w.target)]
        self.find_outside(everything, targets)
        self.roots = {self.find(n) for n in targets}  # of what is written
        self.members: dict[Node, list[Var]] = {}
        for v in dict.fromkeys((*self.parent, *self.parent.values(), *self.outside, *targets)):
            if isinstance(v, Var):
                self.members.setdefault(self.find(v), []).append(v)

    # -- memory -----------------------------------------------------------------------------

    def nodes(self, atom: Atom) -> list[Node]:
        """The memory an atom stands for: of a container whose parts are known, that of its parts."""
        if isinstance(atom, Var) and isinstance(self.types[atom], SliceT):
            return []
        if isinstance(atom, Var) and is_structured(self.types[atom]):
            return [n for item in self.b.context_items(atom) for n in self.nodes(item)]
        node = node_of(atom, self.types)
        return [] if node is None else [node]

    def arrays(self, target: Atom) -> list[Atom]:
        """The memory a write goes into; a container whose parts are known has none of its own."""
        if isinstance(target, Var) and is_structured(self.types[target]):
            return []
        return [target] if node_of(target, self.types) is not None else []

    def join(self, a: Atom, b: Atom) -> None:
        if isinstance(a, Var) and isinstance(b, Var):
            ta, tb = self.types[a], self.types[b]
            if is_structured(ta) and is_structured(tb) and same_form(ta, tb):
                for x, y in zip(self.b.context_items(a), self.b.context_items(b)):
                    self.join(x, y)
                return
        ours, theirs = self.nodes(a), self.nodes(b)
        for n in (*ours[1:], *theirs) if ours else ():
            self.union(ours[0], n)

    # -- statements -------------------------------------------------------------------------

    def call(self, s: Call) -> None:
        args = (*s.args, *(v for _, v in s.kwargs))
        if s.result in self.types and is_structured(self.types[s.result]) and fn_of(s) in BUILDS:
            return
        if fn_of(s) is rt.shadows:  # they may overlap
            nodes = self.nodes(s.result)
            for n in nodes[1:]:
                self.union(nodes[0], n)
            return
        part = self.part(s)
        if part is not None:
            self.join(s.result, part)
        elif may_share(s, self.types):
            for a in self.shown(s):
                self.join(s.result, a)
        for target in () if s in self.sought else writes_into(s, self.types, self.definition):
            if isinstance(target, Const) or not isinstance(self.types[target], Array):
                for a in args:  # it may keep what it is given
                    self.join(target, a)

    def shown(self, s: Call) -> tuple[Atom, ...]:
        """The operands whose memory the result may share."""
        fn, out = fn_of(s), tuple(a for k, a in s.kwargs if k == "out")
        if out:
            return out
        if fn is rt.mirrored or fn is rt.followed:
            return s.args[2:3]
        rule = lookup(fn) if fn is not None else None
        of_first = fn in AUGMENTED or fn in VIEWS or fn is operator.getitem or rule is not None and rule.view
        if of_first and s.args and fn not in (*OF_ALL, operator.iadd, operator.iconcat):
            return s.args[:1]
        if fn is operator.iadd and isinstance(s.args[0], Var) and isinstance(self.types[s.args[0]], Array):
            return s.args[:1]
        return (s.fn, *s.args, *(v for _, v in s.kwargs))

    def part(self, s: Call) -> Atom | None:
        """What `container[k]` reads, where the container's parts are known."""
        if fn_of(s) is not operator.getitem or not isinstance(s.args[0], Var):
            return None
        t, index = self.types[s.args[0]], s.args[1]
        if isinstance(t, (TupleT, ListT)) and isinstance(index, Const) and type(index.value) is int:
            return self.b.context_items(s.args[0])[index.value]
        return None

    # -- what comes from outside ------------------------------------------------------------

    def find_outside(self, everything: Sequence[Statement], targets: Sequence[Node]) -> None:
        """Arrays that come from outside may be one memory: a write into one may be into each."""
        inner = {v for s in everything for v in defined_by(s)}
        for atoms in (*map(atoms_of, everything), self.ends):
            for a in atoms:
                for n in self.nodes(a):
                    if n not in inner and not self.is_inner_part(n, inner):
                        self.outside.setdefault(n, n if isinstance(n, Var) else a)
        touched = set(map(self.find, targets))
        self.entered = {n for n in self.outside if self.find(n) in touched}
        entered = next((n for n in self.outside if n in self.entered), None)
        if entered is not None:
            for other in filter(self.is_array, self.outside):
                self.union(entered, other)

    def is_inner_part(self, n: Node, inner: set[Var]) -> bool:
        """Whether `n` is a part of a container that the statements themselves make."""
        owner = self.b.context.stand_in_of.get(n) if isinstance(n, Var) else None
        return owner is not None and (owner[0] in inner or self.is_inner_part(owner[0], inner))

    def is_array(self, n: Node) -> bool:
        return not isinstance(n, Var) or isinstance(self.types[n], Array)

    # -- facts ------------------------------------------------------------------------------

    def spread(self, varied: Varied, useful: Useful | None) -> bool:
        """Carry activity through written memory: what a member has, or is given by a write, all
        have. Whether anything was found."""
        facts = varied if useful is None else useful
        before = len(facts.vars)
        for w in self.written:
            for n in self.nodes(w.target):
                group = [v for v in self.members.get(self.find(n), ()) if holds_inexact(self.types[v])]
                given = [a for a in (*w.call.args, *(v for _, v in w.call.kwargs)) if a is not w.target]
                if useful is None:
                    if any(v in facts.vars for v in group) or group and any(map(varied.has, given)):
                        facts.vars.update(group)
                elif any(v in facts.vars for v in group):
                    facts.vars.update(group)
                    for a in given:
                        useful.add(a)
        return len(facts.vars) != before

    def mirrored(self, active: Iterable[Var]) -> frozenset[Var]:
        """The arrays, and lists of arrays, whose class is written and has an active member."""
        return frozenset(v for v in self.beside(active) if holds_inexact(self.types[v]))

    def beside(self, active: Iterable[Var]) -> list[Var]:
        """The members of the classes that are written and have an active array."""
        alive = {self.find(v) for v in active if holds_inexact(self.types[v])} & self.roots
        return [v for r in alive for v in self.members.get(r, ())]

    def place_of(self, var: Var) -> Place | None:
        made = self.definition.get(var)
        found = var.place if made is None or made.place is None else made.place
        return found or next((w.call.place for w in self.written if w.call.place is not None), None)

    def unfollowed(self, active: Iterable[Var]) -> Var | None:
        """An active value in a mirrored class of which we do not know that it is an array."""
        wanted = set(active)
        for v in self.beside(active):
            if v in wanted and not holds_inexact(self.types[v]) and not is_structured(self.types[v]):
                return v
        return None

    def volatile(self) -> frozenset[Var]:
        """The values whose memory is written in place somewhere."""
        return frozenset(v for r in self.roots for v in self.members.get(r, ()))


def fn_of(s: Call) -> Any:
    """The callable of a call, where it is known and can be looked up."""
    if not isinstance(s.fn, Const):
        return None
    try:
        hash(s.fn.value)
    except TypeError:
        return None
    return s.fn.value


def holds_inexact(t: Type) -> bool:
    """Arrays that have a tangent, and lists of such."""
    if isinstance(t, Seq):
        return holds_inexact(t.item)
    return isinstance(t, Array) and differentiable(t)


# -- views --------------------------------------------------------------------------------------


def named(owner: Any, names: str) -> set[Any]:
    """Those of the attributes that this version of NumPy has."""
    return {getattr(owner, n) for n in names.split() if hasattr(owner, n)}


VIEWS: set[Any] = {
    *(ops.identity, ops.expect_length),
    *named(np.ndarray, "T mT transpose swapaxes squeeze real imag"),
    *named(np, "transpose swapaxes moveaxis rollaxis flip fliplr flipud rot90 squeeze expand_dims"),
    *named(np, "atleast_1d atleast_2d atleast_3d split array_split hsplit vsplit dsplit unstack permute_dims"),
    *named(np, "matrix_transpose"),
    *named(np.linalg, "matrix_transpose"),
}
"""A view of the first argument, whatever its layout, or views in a list."""

OF_ALL = (np.broadcast_arrays, np.ix_, np.meshgrid, np.atleast_1d, np.atleast_2d, np.atleast_3d)
"""Views of each argument."""

SAME_MEMORY: set[Any] = VIEWS | AUGMENTED | {
    ops.push, ops.pop, ops.put_item, ops.list_set, ops.list_concat, ops.build_list, list, list.copy, tuple,
}  # fmt: skip
"""The result is, or consists of, memory of the arguments."""


def may_share(s: Call, types: Any) -> bool:
    """Whether the result may share memory with the arguments."""
    fn = fn_of(s)
    if fn is None or any(k == "out" for k, _ in s.kwargs):
        return True
    if fn in COPYING:
        return not copies(s)
    if joins_lists(s, types):
        return True
    if fn in FRESH_RESULT:
        return False
    if fn is operator.getitem and s.args and isinstance(s.args[0], Var) and isinstance(types[s.args[0]], Array):
        return item_kind(s, types) != "copy"
    if fn is rt.mirrored or fn is rt.followed:
        return True
    if fn is rt.unless_shared or fn is rt.last_writes or fn in ITEM_WRITES or fn in FUNCTIONS:
        return False
    if fn in METHODS and getattr(fn, "__objclass__", None) is np.ndarray:
        return False  # nothing comes back
    if fn in MAYBE:
        return may_view(s)
    if fn in SHARING or fn in AUGMENTED or fn in SAME_MEMORY:
        return True
    rule = lookup(fn)
    return rule is None or rule.view


MAYBE: set[Any] = {
    *(np.reshape, np.ravel, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.require),
    *(np.diagonal, np.diag, np.linalg.diagonal, np.einsum, np.real, np.imag, np.real_if_close, np.diff, rt.followed),
    *(np.linalg.matrix_power, np.float64, np.float32),
    *named(np.ndarray, "reshape ravel diagonal conj conjugate"),
}
"""What gives a view or a copy, as the layout, the dtype or the other arguments want."""

COPYING: dict[Any, int] = {
    np.array: 99, np.ndarray.astype: 5, np.meshgrid: 99, np.nan_to_num: 1, **dict.fromkeys(named(np, "astype"), 99),
}  # fmt: skip
"""Calls with a parameter `copy`, and its position: without it, or if it is true, the result is fresh."""


def may_view(s: Call) -> bool:
    """Whether the run time decides if the result of a call is a view."""
    fn, named_arguments = fn_of(s), {k for k, _ in s.kwargs}
    if fn in COPYING:
        return not copies(s)
    if fn is np.einsum:
        return len(s.args) == 2
    if fn is np.diff:
        return len(s.args) > 1 or "n" in named_arguments
    return fn in MAYBE or tells_of_views(fn)


def tells_of_views(fn: Any) -> bool:
    """Whether a rule says that a result may be a view, of a callable that we know nothing else of."""
    rule = None if fn is None or fn in SAME_MEMORY or fn in VIEWS else lookup(fn)
    owner = getattr(fn, "__module__", None) or getattr(getattr(fn, "__objclass__", None), "__module__", None) or ""
    known = owner.startswith(("adcompile.", "numpy", "_operator", "builtins"))
    return rule is not None and rule.view and not known


def joins_lists(s: Call, types: Any) -> bool:
    """Whether the sum or product is that of lists or tuples: it holds what they hold."""
    return fn_of(s) in (operator.add, operator.concat, operator.mul) and isinstance(
        types.get(s.result), (Seq, ListT, TupleT)
    )


def copies(s: Call) -> bool:
    """Whether a call that may be told not to copy is not told so."""
    place = COPYING[fn_of(s)]
    given = [v for k, v in s.kwargs if k == "copy"] + list(s.args[place : place + 1])
    return not given or isinstance(given[0], Const) and given[0].value is True


def index_kind(index: Atom, types: Any) -> str:
    """Whether `a[index]` is a "view", a "copy", or that takes the run time ("maybe")."""
    t = widen(types[index]) if isinstance(index, Var) else Known(index.value)
    return kind_of_index(t)


def item_kind(s: Call, types: Any) -> str:
    """The same of `s`, which reads an item of an array: where the number of axes is not known, a number
    may come out, which is a copy."""
    kind, t = index_kind(s.args[1], types), types[s.result]
    one = isinstance(t, Array) and t.dims is None and not keeps_axes(s.args[1], types)
    return "maybe" if kind == "view" and one else kind


def keeps_axes(index: Atom, types: Any) -> bool:
    """Whether an index gives an array whatever it is applied to."""
    t = types[index] if isinstance(index, Var) else Known(index.value)
    parts: tuple[Type, ...] = (t,)
    if isinstance(t, TupleT):
        parts = t.items
    elif isinstance(t, Known) and isinstance(t.value, tuple):
        parts = tuple(Known(v) for v in t.value)
    return not all(is_number(p) for p in parts)


def is_number(part: Type) -> bool:
    """Whether a part of an index may be a number, which takes one axis away."""
    if isinstance(part, Known):
        return isinstance(part.value, (int, np.integer))
    return not isinstance(part, (SliceT, Array, ListT, Seq))


def kind_of_index(t: Type) -> str:
    match t:
        case TupleT(items):
            return kind_of_parts(kind_of_index(widen(i)) for i in items)
        case SliceT():
            return "view"
        case Scalar(kinds):
            return "copy" if kinds & {bool, np.bool_} else "view"
        case Array() | ListT() | Seq():
            return "copy"
        case Known(value):
            return kind_of_value(value)
        case _:
            return "maybe"


def kind_of_parts(parts: Iterable[str]) -> str:
    """What an index of several parts selects: a copy if one of them does."""
    kinds = set(parts)
    return "copy" if "copy" in kinds else "maybe" if "maybe" in kinds else "view"


def kind_of_value(value: Any) -> str:
    if isinstance(value, tuple):
        return kind_of_parts(map(kind_of_value, value))
    if isinstance(value, (bool, np.bool_, list, np.ndarray)):
        return "copy"
    return "view" if value is None or value is Ellipsis or isinstance(value, (int, np.integer, slice)) else "maybe"
