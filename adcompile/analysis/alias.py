"""What may share memory with what, which memory is written in place, and which is mirrored.

Sharing is over-approximated by classes (union–find): a value may share memory with every argument
it was computed from unless its rule makes it fresh. A class is *written* if some statement writes
into one of its members. A written class through which derivatives pass is *mirrored*: its arrays
are by reference, each has a shadow of the same shape (autodiff/mirror).
"""

from __future__ import annotations

import operator
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.activity import Useful, Varied
from adcompile.analysis.boxes import keeps_given
from adcompile.analysis.builder import CONSTRUCTORS, Builder, Context, is_structured, same_form
from adcompile.analysis.holding import has_holder
from adcompile.analysis.mutation import (
    AUGMENTED,
    Classes,
    Node,
    defined_by,
    is_put,
    node_of,
    writes_into,
)
from adcompile.analysis.views import OF_ALL, OVERLAPPING, VIEWS, fn_of, may_share
from adcompile.errors import Place
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, Function, Return, Statement, Var, Yield
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import Array, DictT, Instance, ListT, Maybe, ObjectT, Seq, SliceT, TupleT, Type, differentiable
from adcompile.ir.walk import atoms_of, statements_of
from adcompile.rules.registry import lookup

OF_FIRST = (operator.getitem, rt.broadcast_like)


@frozen
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
    shown: Sequence[Atom] = ()  # what somebody else may write into, or wants to know of
    sought: Container[Call] = ()  # looked up when the code runs, where those that write are refused
    parent: dict[Node, Node] = field(default_factory=dict[Node, Node])
    written: list[Written] = field(default_factory=list[Written])
    making: list[Atom] = field(default_factory=list[Atom])  # dicts that get keys by being read: no derivatives go in
    outside: dict[Node, Atom] = field(default_factory=dict[Node, Atom])
    entered: set[Node] = field(default_factory=set[Node])  # outside memory that is itself written into
    mixed: set[Node] = field(default_factory=set[Node])  # and that of which elements of arrays are

    def __post_init__(self) -> None:
        self.types = self.b.context.types
        everything = list(statements_of(Block((), tuple(self.statements), Yield())))
        self.definition = {s.result: s for s in everything if isinstance(s, Call)}
        for call in self.definition.values():
            for target in () if call in self.sought else self.targets(call):
                self.written += [Written(call, a) for a in self.arrays(target)]
        self.making = [c.args[0] for c in self.definition.values() if makes_keys(c, self.types)]
        if not self.written and not self.shown and not self.making:
            return
        for s in everything:
            self.statement(s)
        self.find_outside(everything, [n for w in self.written for n in self.nodes(w.target)])
        targets = [n for a in (*(w.target for w in self.written), *self.shown) for n in self.nodes(a)]
        self.roots = {self.find(n) for n in targets}  # of what is written
        self.members: dict[Node, list[Var]] = {}
        for v in dict.fromkeys((*self.parent, *self.parent.values(), *self.outside, *targets)):
            if isinstance(v, Var):
                self.members.setdefault(self.find(v), []).append(v)

    # -- memory -----------------------------------------------------------------------------

    def targets(self, call: Call) -> tuple[Atom, ...]:
        """What a call writes into, or may."""
        called = effect_of(self.b.context, call)
        if called is not None:
            return tuple(call.args[k] for k in called.writes)
        return writes_into(call, self.types, self.definition)

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
        if s.result in self.types and is_structured(self.types[s.result]) and fn_of(s) in CONSTRUCTORS:
            return
        fn = fn_of(s)
        if fn is rt.shadows:  # they may overlap
            nodes = self.nodes(s.result)
            for n in nodes[1:]:
                self.union(nodes[0], n)
            return
        called = effect_of(self.b.context, s)
        if called is not None or fn in (rt.released, rt.within):
            given = args[1:] if called is None else self.targets(s)
            joined = [n for a in given for n in self.nodes(a)]
            joined += self.nodes(s.result) if called is None else []
            for n in joined[1:]:
                self.union(joined[0], n)
            for part in () if called is None else called.shared(self.b, s.result):
                for a in args:
                    self.join(part, a)
            return
        part = self.part(s)
        if part is not None:
            self.join(s.result, part)
        elif may_share(s, self.types) or keeps_given(self.b.context, s):
            for a in self.operands(s):
                self.join(s.result, a)
        for target in () if s in self.sought else writes_into(s, self.types, self.definition):
            if isinstance(target, Const) or not isinstance(self.types[target], Array):
                for a in args:  # it may keep what it is given
                    self.join(target, a)

    def operands(self, s: Call) -> tuple[Atom, ...]:
        """The operands whose memory the result may share."""
        fn, out = fn_of(s), tuple(a for k, a in s.kwargs if k == "out")
        if out:
            return out
        if fn is rt.mirrored or fn is rt.followed:
            return s.args[2:3]
        rule = lookup(fn) if fn is not None else None
        of_first = fn in AUGMENTED or fn in VIEWS or fn in OF_FIRST or rule is not None and rule.view
        if of_first and s.args and fn not in (*OF_ALL, operator.iadd, operator.iconcat):
            return s.args[:1]
        if fn is operator.iadd and isinstance(s.args[0], Var) and isinstance(self.types[s.args[0]], Array):
            return s.args[:1]
        return (s.fn, *s.args, *(v for _, v in s.kwargs))

    def part(self, s: Call) -> Atom | None:
        """What `container[k]` or `object.name` reads, where the parts are known."""
        if fn_of(s) not in (operator.getitem, getattr) or not isinstance(s.args[0], Var):
            return None
        t, index = self.types[s.args[0]], s.args[1]
        if not isinstance(index, Const):
            return None
        k = place_in(t, index.value, fn_of(s) is getattr)
        return None if k is None else self.b.context_items(s.args[0])[k]

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
        elements = [w for w in self.written if not puts(w.call, w.target, self.types)]
        deep = {self.find(n) for w in elements for n in self.nodes(w.target)}
        arrays = {self.find(n) for w in self.array_writes() for n in self.nodes(w.target)}
        self.mixed = {n for n in self.outside if self.find(n) in arrays}
        shown = [n for a in self.shown for n in self.nodes(a)]
        seen = [*(n for n in self.outside if self.find(n) in deep), *(n for n in shown if n in self.outside)]
        for other in filter(self.may_overlap, self.outside) if seen else ():
            self.union(seen[0], other)
        filled = [n for n in self.outside if n in self.entered and n not in seen]
        for other in filter(self.may_overlap, self.outside) if filled else ():
            if not self.is_array(other):
                self.union(filled[0], other)

    def array_writes(self) -> list[Written]:
        """What writes elements of arrays that have derivatives."""
        return [w for w in self.written if isinstance(w.target, Var) and holds_inexact(self.types[w.target])]

    def is_written(self, n: Node) -> bool:
        """Whether memory may be written under this name, not only because other memory from outside overlaps it."""
        return n not in self.outside or n in self.entered

    def is_inner_part(self, n: Node, inner: set[Var]) -> bool:
        """Whether `n` is a part of a container that the statements themselves make."""
        owner = self.b.context.stand_in_of.get(n) if isinstance(n, Var) else None
        return owner is not None and (owner[0] in inner or self.is_inner_part(owner[0], inner))

    def may_overlap(self, n: Node) -> bool:
        """Whether what comes from outside may be memory that is written: an array, a list of arrays, or
        a container that is not followed and may hold one."""
        if not isinstance(n, Var):
            return True
        return isinstance(self.types[n], Array) or holds_inexact(self.types[n]) or has_holder(self.types[n])

    def is_array(self, n: Node) -> bool:
        """Whether memory from outside is an array, and none of the lists, dicts and objects that hold some."""
        if isinstance(n, Var):
            return isinstance(self.types[n], Array)
        loads = (s for s in self.definition.values() if fn_of(s) is ops.load_global and n in self.nodes(s.args[0]))
        return any(isinstance(self.types[s.result], Array) for s in loads)

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

    def overlapping(self) -> frozenset[Node]:
        """The classes in which a view may show one element at several places."""
        made = [s for s in self.definition.values() if fn_of(s) in OVERLAPPING]
        made += [s for s in self.definition.values() if fn_of(s) is rt.mirrored and self.shows(s.args[0], made)]
        return frozenset(self.find(n) for s in made for n in self.nodes(s.result))

    def shows(self, atom: Atom, made: Sequence[Call]) -> bool:
        """Whether an array has its memory in common with one of those that calls made."""
        roots = {self.find(n) for s in made for n in self.nodes(s.result)}
        return any(self.find(n) in roots for n in self.nodes(atom))

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


def makes_keys(call: Call, types: Mapping[Var, Type]) -> bool:
    """Whether a read of a dict may put the key in, as that of a defaultdict does."""
    t = types.get(call.args[0]) if fn_of(call) is operator.getitem and isinstance(call.args[0], Var) else None
    return isinstance(t, Instance) and issubclass(t.cls, dict) and hasattr(t.cls, "__missing__")


def place_in(t: Type, key: object, attribute: bool) -> int | None:
    """Which of the parts of a value of this type an element or attribute is."""
    names: tuple[object, ...] = ()
    match t:
        case TupleT() | ListT() if type(key) is int and not attribute:
            return key
        case TupleT() if attribute:
            names = getattr(t.cls, "_fields", ())
        case ObjectT() if attribute:
            names = t.names
        case DictT() if not attribute:
            names = t.keys
        case _:
            pass
    return names.index(key) if key in names else None


@frozen
class Effect:
    """What a function called by reference does with memory: the positions of the arguments that it
    may write into, which values in its result, counted in order, may share memory with what it is
    given, and whether it reads arrays that it is not given."""

    writes: tuple[int, ...] = ()
    shares: tuple[int, ...] = ()
    reads: bool = False

    def shared(self, b: Builder, result: Atom) -> list[Atom]:
        """The values in a result that may share memory with the arguments."""
        found = values_in(b, result)
        return [found[k] for k in self.shares if k < len(found)]


def values_in(b: Builder, value: Atom) -> list[Atom]:
    """The values that a result consists of."""
    if not isinstance(value, Var) or not is_structured(b.type(value)):
        return [value]
    return [leaf for item in b.context_items(value) for leaf in values_in(b, item)]


def effect_of(context: Context, call: Call) -> Effect | None:
    """What a call does with memory, if it is one by reference: looked for until nothing changes in
    the functions that it reaches."""
    if not isinstance(call.fn, Const) or not isinstance(call.fn.value, FunctionRef):
        return None
    ref, key = call.fn.value, ("effect", call.fn.value)
    if key in context.specialised:
        return context.specialised[key]
    found = called_from(context, ref)
    if found is None:
        parts = values_in(Builder(context), call.result)
        return Effect(tuple(range(len(call.args))), tuple(range(len(parts))), True)  # its body is not known yet
    context.specialised.update({("effect", r): Effect() for r in found if ("effect", r) not in context.specialised})
    before: list[Effect] = []
    while before != (now := [context.specialised["effect", r] for r in found]):
        before = now
        for r in found:
            context.specialised["effect", r] = measured(context, context.functions[r])
    return context.specialised[key]


def called_from(context: Context, ref: FunctionRef) -> list[FunctionRef] | None:
    """The functions by reference that calling one may run; None if one is still being specialised."""
    found, todo = dict.fromkeys([ref]), [ref]
    while todo:
        function = context.functions.get(todo.pop())
        if function is None:
            return None
        for s in statements_of(function.body):
            fn = s.fn.value if isinstance(s, Call) and isinstance(s.fn, Const) else None
            if isinstance(fn, FunctionRef) and fn not in found:
                found[fn] = None
                todo.append(fn)
    return list(found)


def measured(context: Context, function: Function) -> Effect:
    """What a body does with memory, given what is assumed of the functions it calls."""
    end, statements = function.body.end, function.body.statements
    result = [end.value] if isinstance(end, Return) else []
    ends = [*function.params, *result]
    memory = Memory(Builder(context), statements, ends)
    entered = {memory.find(n) for n in memory.entered}
    writes = tuple(
        k
        for k, p in enumerate(function.params)
        if entered and (holds_inexact(context.types[p]) or isinstance(context.types[p], Array) or p in memory.entered)
    )
    fixed = any(not isinstance(n, Var) and holds_array(memory, n) for n in memory.entered)
    calls = memory.definition.values()
    memory = Memory(Builder(context), statements, ends, [*function.params, *result])
    outside = {memory.find(n) for n in memory.outside}
    values = [leaf for a in result for leaf in values_in(memory.b, a)]
    shares = tuple(k for k, v in enumerate(values) if any(memory.find(n) in outside for n in memory.nodes(v)))
    reads = any(isinstance(a, Const) and isinstance(a.value, np.ndarray) for a in memory.outside.values())
    return Effect(writes, shares, reads or fixed or any(reads_module(context, s, memory.definition) for s in calls))


def puts(call: Call, target: Atom, types: Mapping[Var, Type]) -> bool:
    """Whether a write fills a list, a dict, a set or an attribute: elements of arrays stay as they are."""
    t = types[target] if isinstance(target, Var) else None
    attribute = fn_of(call) in (ops.set_attribute, setattr) and isinstance(t, Instance)
    return attribute or is_put(call, target, types)


def holds_array(memory: Memory, n: Node) -> bool:
    """Whether memory that is no value of the program's is, or holds, an array."""
    return any(holds_inexact(memory.types[v]) for v in memory.members.get(memory.find(n), ()))


def reads_module(context: Context, s: Call, definition: Mapping[Var, Call]) -> bool:
    """Whether a call gives an array that is read of a module or of a live object, or may read one."""
    called = effect_of(context, s)
    if called is not None:
        return called.reads
    wanted, made = holds_inexact(context.types[s.result]), s
    while wanted and fn_of(made) in (ops.load_global, getattr, operator.getitem):
        owner = made.args[0]
        if isinstance(owner, Const):
            return True
        if owner not in definition:
            return False
        made = definition[owner]
    return False


def holds_inexact(t: Type) -> bool:
    """Arrays that have a tangent, those that are None on some paths too, and lists of such."""
    if isinstance(t, Seq):
        return holds_inexact(t.item)
    if isinstance(t, Maybe):
        return isinstance(t.type, Array) and differentiable(t.type)
    return isinstance(t, Array) and differentiable(t)
