"""Building typed IR: every statement is inferred, folded and recorded as it is emitted.

Specialisation and both differentiations write through a Builder, so a derivative is typed as it
is made and a rule's body folds its settings where it is inlined. Structure is split here: an
element taken out of a tuple that was built in sight is the element itself.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from adcompile.analysis.store import Store
from adcompile.errors import Place, unknown_function
from adcompile.ir import ops
from adcompile.ir.abstract import type_of
from adcompile.ir.nodes import Atom, Block, Call, Const, End, Function, GlobalRef, OwnerSpace, Role, Statement, Var
from adcompile.ir.program import FunctionRef, Guard
from adcompile.ir.types import (
    UNKNOWN,
    Array,
    Cell,
    Closure,
    DictT,
    IterT,
    Known,
    ListT,
    Node,
    ObjectT,
    Ref,
    Scalar,
    SliceT,
    TupleT,
    Type,
    array_type,
    handed,
    holds_ref,
    reader,
)
from adcompile.ir.walk import FreeVars, substitute

CONSTRUCTORS = (ops.build_tuple, ops.build_list, ops.build_dict, ops.build_object, ops.make_function)


def _missing(*args: Any) -> Any:
    raise AssertionError("autodiff.composite.install has not been called")


class Restart(Exception):
    """Specialise again from the start, with what the context has learned."""


class Tentative(Exception):
    """Something cannot be followed in a loop that stays one, and may be where its iterations are run one by one."""


@dataclass
class Context:
    """What one specialisation shares among its builders; grows while it runs, then is frozen into a Program."""

    dispatch: Callable[..., Atom]
    types: dict[Var, Type] = field(default_factory=dict)
    definition: dict[Var, Call] = field(default_factory=dict)
    functions: dict[FunctionRef, Function] = field(default_factory=dict)
    specialised: dict[Any, Any] = field(default_factory=dict)
    nodes: dict[Any, dict[Any, Node | None]] = field(default_factory=dict)  # of results that nest: see analysis/nesting
    separate: set[Any] = field(default_factory=set)  # lowered functions that get their own ref
    guards: dict[Any, Guard] = field(default_factory=dict)
    bound_to: dict[Atom, Any] = field(default_factory=dict)  # methods that arguments hold: see analysis/owned
    example: dict[Var, Any] = field(default_factory=dict)  # live objects behind Instance values
    origin: dict[Var, Any] = field(default_factory=dict)  # the global and path a live value was read by
    stand_ins: dict[Var, list[Var]] = field(default_factory=dict)  # see Builder.context_items
    inlining: list[Any] = field(default_factory=list)  # calls around: see analysis/recursion
    nested: dict[Any, int] = field(default_factory=dict)  # calls of a function within itself, for other objects
    expanded: dict[Var, tuple[Atom, Var]] = field(default_factory=dict)  # broadcast_like(atom, var)
    shape: dict[Var, Any] = field(default_factory=dict)  # equal value: equal shape
    lengths: dict[Var, Any] = field(default_factory=dict)  # what analysis/lengths has found
    replaced: dict[Var, Var] = field(default_factory=dict)  # by lists with a new item: the one that was there
    stand_in_of: dict[Var, tuple[Var, int]] = field(default_factory=dict)
    extras: set[Var] = field(default_factory=set)  # results that branches got for the reverse sweep's sake
    bound_if: dict[Var, tuple[Atom, int]] = field(default_factory=dict)  # of those: the test, and the side they are of
    cells: dict[int, Atom] = field(default_factory=dict)  # id of a cell → the parameter that brings its value
    owners: dict[int, GlobalRef] = field(default_factory=dict)  # by the id of what they mean
    store: Store = field(default_factory=Store)  # what lists, dicts and objects hold
    outside: list[Cell] = field(default_factory=list[Cell])  # those that the caller has, in order
    adopted: list[Any] = field(default_factory=list)  # of the transforms around: a mark of the store, pairs of cells
    received: dict[Var, Atom] = field(default_factory=dict)  # values that a transform got, and the references they were
    paths: dict[Cell, tuple[Any, ...]] = field(default_factory=dict)  # which of the arguments, or part of one, each is
    originals: dict[Cell, Atom] = field(default_factory=dict)  # what they held at first, where that is taken out
    written: dict[Cell, Atom] = field(default_factory=dict)  # of those: written into, and what they held at first
    slots: dict[tuple[int, str], Cell] = field(default_factory=dict)  # assigned attributes: see analysis/slots
    assigned: dict[Cell, tuple[Any, str, Cell | None]] = field(default_factory=dict)  # the same: of what, their names
    names_read: set[str] = field(default_factory=set[str])  # attributes of classes that were taken as they are
    names_set: set[str] = field(default_factory=set[str])  # attributes set of objects of unknown type
    objects_read: set[tuple[type, str]] = field(default_factory=set[tuple[type, str]])  # attributes of live objects
    objects_set: set[tuple[type, str]] = field(default_factory=set[tuple[type, str]])  # of those not at hand
    ways: dict[int, Any] = field(default_factory=dict[int, Any])  # to live objects of which something was read
    apart: int = 0  # around the functions called by reference that are being specialised
    entered: bool = False  # arrays that the caller has are written into
    by_chance: bool = False  # what counts as complex may be real: see analysis/spectra
    complexes: bool = False  # this and the next: what analysis/complexes has found
    searched: tuple[int, int] = (0, 0)
    inplace: set[Atom] = field(default_factory=set[Atom])  # the memory from outside that statements write into
    tentative: int = 0  # loops around that may be run iteration by iteration instead
    given: dict[Cell, Type] = field(default_factory=dict[Cell, Type])  # cells that something holds, as these values
    unsteady: bool = False  # lists are written into, or get shorter: a later read gives something else
    iterated: list[Cell] = field(default_factory=list[Cell])  # what the loops around run over
    untouched: set[Cell] = field(default_factory=set[Cell])  # of those: not what is differentiated by
    calls: list[Any] = field(default_factory=list[Any])  # the statements that are being followed, and iterations
    loose: set[Var] = field(default_factory=set)  # unbound on some path; `untold`: and reading the name need not raise
    also_called: list[Atom] = field(default_factory=list[Atom])  # containers that are also called something less known
    narrowed: dict[Var, Atom] = field(default_factory=dict[Var, Atom])  # what may be None elsewhere, but not here
    tells: dict[Var, Any] = field(default_factory=dict[Var, Any])  # what tests say of it: see analysis/optional
    views: dict[Var, Any] = field(default_factory=dict)  # what iterators give: see analysis/laziness
    turned: dict[Var, dict[Cell, Atom]] = field(default_factory=dict)  # what lists held where they were reversed
    depth_of: dict[Var, int] = field(default_factory=dict)  # iterators: in how many loops they were made
    untold: set[Atom] = field(default_factory=set[Atom])
    gone: set[Var] = field(default_factory=set)  # iterators of which all items have been taken
    taken: dict[Var, int] = field(default_factory=dict)  # iterators: how many items `next` took
    folded_sets: dict[Var, Place | None] = field(default_factory=dict)  # taken for what their displays say
    boxes: dict[Var, bool] = field(default_factory=dict)  # what autodiff/plain has found
    free: FreeVars = field(default_factory=dict)  # what walk.free_vars has found
    volatile: set[Atom] = field(default_factory=set)  # arrays whose memory is written in place somewhere
    flat_of: dict[Atom, Atom] = field(default_factory=dict[Atom, Atom])  # copies that stand for `a.flat`, and `a`
    shadows: set[Var] = field(default_factory=set)  # what mirrors such memory, and lists of it that loops keep
    overlapping: set[Var] = field(default_factory=set)  # of these, those that may show an element at several places
    selections: dict[Var, int] = field(default_factory=dict)  # this and the next two: what autodiff.maskable has found
    masks: dict[Var, int] = field(default_factory=dict)
    hazards: dict[Var, int] = field(default_factory=dict)
    regions: bool = False  # calls that run again are told apart: what follows them is reversed, once only
    rerun: Literal["once", "again"] | None = None  # what a sweep keeps of checkpointed loops is used once, or again
    budget: int | None = None  # bytes that each loop may keep, in such a sweep
    outermost: bool = False  # nothing is differentiated around the transform that is being called
    lenient: bool = False  # the partials being written are NumPy's: math's functions would raise where it does not
    demoted: set[Any] = field(default_factory=set)  # places of displays that are written into
    alternatives: set[Any] = field(default_factory=set)  # what might be done otherwise, if this is refused
    keyed: frozenset[Any] = frozenset()  # of those: where the dict is to be followed (analysis/keyed)
    contents: dict[Any, Any] | None = None  # what containers hold that are filled as the code runs
    contents_read: set[Any] = field(default_factory=set[Any])  # of those: what was read in this round
    contents_calls: set[Var] = field(default_factory=set)  # results of calls on such containers
    pools: Any = None  # where what carries derivatives in such containers stands (analysis/pools)
    names: dict[Var, str] = field(default_factory=dict)  # better names for values that have none
    why: dict[Var, str] = field(default_factory=dict)
    followed: dict[Any, list[Place | None]] = field(default_factory=dict)  # functions, and where they are called
    settle: Callable[..., Atom] = _missing  # analysis/heap: a value without references
    hand: Callable[..., Any] = _missing  # analysis/real: what a call is given, as values
    memoised: dict[Any, list[Any]] = field(default_factory=dict)  # functions that have caches, which the code makes
    boundary: Any = None  # this and the next: how rules are applied in both modes; set by autodiff.composite.install
    sweep_composite: Callable[..., Any] = _missing
    transpose_frule: Callable[..., Any] = _missing
    forward_composite: Callable[..., Any] = _missing
    transpose_vjp: Callable[..., Any] = _missing
    make_sweep: Callable[..., Any] = _missing
    make_forward: Callable[..., Any] = _missing
    bound_everywhere: Callable[..., Any] = _missing

    def renamed(self, block: Block, mapping: Mapping[Var, Atom]) -> Block:
        """The block with values replaced, and the definitions inside it brought up to date."""
        if not mapping:
            return block
        changed: list[Call] = []
        out = substitute(block, mapping, self.free, changed)
        self.definition.update((call.result, call) for call in changed)
        return out

    def guard_value(self, ref: GlobalRef, value: Any) -> None:
        self.guards[(id(ref.namespace), ref.name)] = Guard(ref, value)

    def guard_type(self, ref: GlobalRef, path: tuple[Any, ...], type_: Type) -> None:
        self.guards[(id(ref.namespace), ref.name, path)] = Guard(ref, None, path, type_)

    def owner(self, value: Any) -> GlobalRef:
        """What guards of the attributes of an object met at compile time refer to."""
        found = self.owners.get(id(value))
        if found is None:
            found = self.owners[id(value)] = OwnerSpace.of(value)
        return found


def const_type(value: Any) -> Type:
    """The type of a Const: numbers are Known too, so that they fold."""
    if isinstance(value, Cell):
        return Ref(value)
    if isinstance(value, np.ndarray):
        return array_type(value) if type(value) is np.ndarray else type_of(value)
    return Known(value)


@dataclass
class Builder:
    """Emits typed statements into one block."""

    context: Context
    role: Role = "primal"
    statements: list[Statement] = field(default_factory=list)
    local: set[Var] = field(default_factory=set)
    place: Place | None = None
    loops: int = 0  # around these statements
    pinned: bool = False  # a rule's body is being inlined: its statements belong to `place`, nameless
    parent: Builder | None = None  # that of the block around

    def child(self) -> Builder:
        return Builder(self.context, self.role, place=self.place, loops=self.loops, pinned=self.pinned, parent=self)

    @contextmanager
    def pinned_at(self, place: Place | None, pinned: bool = True) -> Generator[None, None, None]:
        """Inline code of ours that stands for a call in the user's: its statements are there; or the user's."""
        before = self.pinned, self.place
        self.pinned, self.place = pinned, self.place if self.pinned else place
        try:
            yield
        finally:
            self.pinned, self.place = before

    def block(self, params: Sequence[Var], end: End) -> Block:
        return Block(tuple(params), tuple(self.statements), end)

    # -- types ------------------------------------------------------------------------------

    def type(self, atom: Atom) -> Type:
        if isinstance(atom, Var):
            return self.context.types[atom]
        return const_type(atom.value)

    def new(self, name: str, type_: Type, place: Place | None = None) -> Var:
        """A fresh value, not yet defined by any statement."""
        var = Var(name, place)
        self.context.types[var] = type_
        self.local.add(var)
        return var

    def known(self, atom: Atom) -> bool:
        return isinstance(self.type(atom), Known)

    def value(self, atom: Atom) -> Any:
        """The value of an atom whose type is Known."""
        t = self.type(atom)
        assert isinstance(t, Known)
        return t.value

    def key(self, atom: Atom) -> Atom:
        """A key of a dict, as a Const where it is known: a tuple of what is known is."""
        t = self.type(atom)
        if isinstance(t, Known):
            return Const(t.value)
        if isinstance(t, TupleT) and t.cls is tuple:
            parts = [self.key(item) for item in self.items(atom)]
            if all(map(self.known, parts)):
                return Const(tuple(map(self.value, parts)))
        return atom

    # -- emission ---------------------------------------------------------------------------

    def call(self, fn: Any, *args: Any, name: str = "", place: Place | None = None, **kwargs: Any) -> Atom:
        """Dispatch a call: fold, inline, split or emit it. Python values become Consts."""
        atoms = [as_atom(a) for a in args]
        keywords = [(k, as_atom(v)) for k, v in kwargs.items()]
        return self.dispatch(as_atom(fn), atoms, keywords, name, place)

    def dispatch(
        self,
        fn: Atom,
        args: Sequence[Atom],
        kwargs: Sequence[tuple[str, Atom]],
        name: str = "",
        place: Place | None = None,
    ) -> Atom:
        where = self.place if self.pinned else place or self.place
        return self.context.dispatch(self, fn, list(args), list(kwargs), "" if self.pinned else name, where)

    def emit(
        self,
        fn: Any,
        args: Sequence[Atom],
        type_: Type,
        kwargs: Sequence[tuple[str, Atom]] = (),
        name: str = "",
        place: Place | None = None,
    ) -> Var:
        """Record `result = fn(*args)` of this type. What holds references to cells is known by its definition alone."""
        where = self.place if self.pinned else place or self.place
        given = [self.type(a) for a in (*args, *(v for _, v in kwargs))]
        if not holds_ref(type_) and (self.context.flat_of or any(map(handed, given))):
            args, kwargs = self.context.hand(self, fn, args, kwargs, type_, where)
        result = self.new(name or "t", type_, where)
        statement = Call(result, as_atom(fn), tuple(args), tuple(kwargs), where, self.role)
        self.context.definition[result] = statement
        if isinstance(type_, IterT):
            self.context.depth_of[result] = self.loops
        if not holds_ref(type_):
            self.statements.append(statement)
        return result

    def append(self, statement: Statement) -> None:
        self.statements.append(statement)
        self.local.update(statement.results if not isinstance(statement, Call) else (statement.result,))

    # -- structure --------------------------------------------------------------------------

    def build(self, shape: Type, items: Sequence[Atom], name: str = "", place: Place | None = None) -> Atom:
        """A container or closure of the same form as `shape` over these items."""
        types = tuple(self.type(i) for i in items)
        if isinstance(shape, TupleT):
            if shape.cls is tuple:
                return self.emit(ops.build_tuple, items, TupleT(types), name=name, place=place)
            return self.emit(shape.cls, items, TupleT(types, shape.cls), name=name, place=place)
        if isinstance(shape, ListT):
            return self.emit(ops.build_list, items, ListT(types), name=name, place=place)
        if isinstance(shape, DictT):
            pairs = [a for key, item in zip(shape.keys, items) for a in (Const(key), item)]
            return self.emit(ops.build_dict, pairs, DictT(shape.keys, types), name=name, place=place)
        if isinstance(shape, ObjectT):
            known = (Const(shape.cls), Const(shape.names))
            t = ObjectT(shape.cls, shape.names, types)
            return self.emit(ops.build_object, (*known, *items), t, name=name, place=place)
        if isinstance(shape, SliceT):
            return self.emit(slice, items, SliceT((types[0], types[1], types[2])), name=name, place=place)
        assert isinstance(shape, Closure)
        n, k = len(shape.defaults), len(shape.kwdefaults)
        defaults = self.build(TupleT(()), items[:n])
        kwdefaults = self.build(DictT(tuple(name for name, _ in shape.kwdefaults), ()), items[n : n + k])
        closure = Closure(
            shape.function,
            types[:n],
            tuple((name, t) for (name, _), t in zip(shape.kwdefaults, types[n : n + k])),
            types[n + k :],
        )
        args = (Const(shape.function), defaults, kwdefaults, *items[n + k :])
        return self.emit(ops.make_function, args, closure, name=name, place=place)

    def build_tuple(self, *items: Atom) -> Atom:
        return self.build(TupleT(()), items)

    def items(self, atom: Atom) -> list[Atom]:
        """The parts of a value of structured type: elements, dict values, slice parts, or a
        closure's defaults and cells."""
        t = self.type(atom)
        if isinstance(t, Ref):
            return self.items(self.context.store.read(t.cell).content)
        if isinstance(atom, Const) and isinstance(atom.value, (tuple, list)):
            return [Const(item) for item in atom.value]
        if isinstance(atom, Const) and isinstance(atom.value, dict):
            return [Const(item) for item in atom.value.values()]
        if isinstance(atom, Const) and isinstance(atom.value, slice):
            return [Const(atom.value.start), Const(atom.value.stop), Const(atom.value.step)]
        assert isinstance(atom, Var)
        definition = self.context.definition.get(atom)
        if definition is not None and isinstance(definition.fn, Const):
            fn = definition.fn.value
            if fn in (ops.build_tuple, ops.build_list, slice) or isinstance(t, TupleT) and fn is t.cls:
                if len(definition.args) == len(parts(t)):
                    return list(definition.args)
            if fn is ops.build_dict:
                return list(definition.args[1::2])
            if fn is ops.build_object:
                return list(definition.args[2:])
            if fn is ops.make_function:
                _, defaults, kwdefaults, *cells = definition.args
                return [*self.items(defaults), *self.items(kwdefaults), *cells]
        if isinstance(t, (TupleT, ListT)):
            return [self.read(atom, i, item) for i, item in enumerate(t.items)]
        if isinstance(t, DictT):
            names = [str(key) if str(key).isidentifier() else "" for key in t.keys]
            return [self.part(atom, key, item, name) for key, item, name in zip(t.keys, t.values, names)]
        if isinstance(t, ObjectT):
            return [self.emit(reader(t.cls), (atom, Const(n)), item, name=n) for n, item in zip(t.names, t.types)]
        if isinstance(t, SliceT):
            named = zip(("start", "stop", "step"), t.parts)
            return [self.emit(getattr, (atom, Const(part)), item) for part, item in named]
        raise unknown_function(self.place) if isinstance(t, Closure) else AssertionError(f"no parts of {t}")

    def context_items(self, atom: Var) -> list[Atom]:
        """The parts of a container as values that already exist: of one built in sight its
        items, of another one the same stand-in Var per part every time."""
        definition = self.context.definition.get(atom)
        t = self.context.types[atom]
        if definition is not None and isinstance(definition.fn, Const) and definition.fn.value in CONSTRUCTORS:
            return self.items(atom)
        if definition is not None and isinstance(t, TupleT) and isinstance(definition.fn, Const):
            if definition.fn.value is t.cls:
                return self.items(atom)
        known = self.context.stand_ins.get(atom)
        if known is None:
            known = [Var(f"{atom.name}_{k}", atom.place) for k in range(len(parts(t)))]
            for var, part in zip(known, parts(t)):
                self.context.types[var] = part
            self.context.stand_ins[atom] = known
            self.context.stand_in_of.update((var, (atom, k)) for k, var in enumerate(known))
        return list(known)

    def real(self, var: Var) -> Var:
        """The value itself, where `var` is a stand-in for a part of a container."""
        found = self.context.stand_in_of.get(var)
        if found is None:
            return var
        item = self.item(self.real(found[0]), found[1])
        return item if isinstance(item, Var) else var

    def read(self, atom: Var, index: int, t: Type) -> Atom:
        """One element of a container that was not built in sight."""
        if isinstance(t, Known):
            return Const(t.value)
        return self.part(atom, index, t, f"{atom.name}_{index}")

    def part(self, atom: Var, key: Any, t: Type, name: str) -> Var:
        """`atom[key]`, of what is there when the code runs with what it is now, and the way to it."""
        var, context = self.emit(operator.getitem, (atom, Const(key)), t, name=name), self.context
        held = context.example.get(atom)
        if isinstance(held, (list, tuple, dict)):
            context.example[var] = held[key]
            if atom in context.origin:
                ref, path = context.origin[atom]
                context.origin[var] = (ref, (*path, ("item", key)))
        return var

    def item(self, atom: Atom, index: int) -> Atom:
        """One part, without emitting reads of the others."""
        t = self.type(atom)
        if isinstance(atom, Var) and isinstance(t, (TupleT, ListT)):
            definition = self.context.definition.get(atom)
            built = definition is not None and isinstance(definition.fn, Const) and definition.fn.value in CONSTRUCTORS
            if not built and not (isinstance(t, TupleT) and t.cls is not tuple):
                return self.read(atom, index, t.items[index])
        if isinstance(atom, Var) and isinstance(t, ObjectT):
            definition = self.context.definition.get(atom)
            if definition is None or not (isinstance(definition.fn, Const) and definition.fn.value in CONSTRUCTORS):
                if isinstance(part := t.types[index], Known):
                    return Const(part.value)
                return self.emit(reader(t.cls), (atom, Const(t.names[index])), part, name=t.names[index])
        return self.items(atom)[index]


class Lifted:
    """A compile-time function as a callee: it is run on the builder and the argument atoms."""

    def __init__(self, run: Callable[..., Atom]) -> None:
        self.run = run


def as_atom(value: Any) -> Atom:
    return value if isinstance(value, (Var, Const)) else Const(value)


def parts(t: Type) -> tuple[Type, ...]:
    """The types of the parts of a structured type, in the order of Builder.items."""
    if isinstance(t, Known) and isinstance(t.value, (tuple, list)):
        return tuple(const_type(v) for v in t.value)
    match t:
        case TupleT(items, _) | ListT(items):
            return items
        case DictT(_, values) | ObjectT(_, _, values):
            return values
        case SliceT(p):
            return p
        case Closure(_, defaults, kwdefaults, cells):
            return (*defaults, *(t for _, t in kwdefaults), *cells)
        case _:
            return ()


def same_form(a: Type, b: Type) -> bool:
    """Whether values of the two types can be joined part by part."""
    match a, b:
        case TupleT(x, c), TupleT(y, d):
            return c is d and len(x) == len(y)
        case ListT(x), ListT(y):
            return len(x) == len(y)
        case DictT(x, _), DictT(y, _):
            return x == y
        case ObjectT(c, x, _), ObjectT(d, y, _):
            return c is d and x == y
        case SliceT(_), SliceT(_):
            return True
        case Closure(f, x, kx, cx), Closure(g, y, ky, cy):
            return f is g and len(x) == len(y) and len(kx) == len(ky) and len(cx) == len(cy)
        case _:
            return False


def is_structured(t: Type) -> bool:
    return isinstance(t, (TupleT, ListT, DictT, ObjectT, SliceT, Closure))


def rank(t: Type) -> int | None:
    """Number of dimensions, where the type tells."""
    match t:
        case Scalar(_) | Known(int() | float() | complex() | str() | bytes() | np.generic()):
            return 0
        case Array(_, dims):
            return None if dims is None else len(dims)
        case _:
            return None


__all__ = ["UNKNOWN", "Builder", "Context", "as_atom", "const_type", "is_structured", "parts", "rank", "same_form"]
