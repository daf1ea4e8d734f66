"""The abstract heap: what lists, dicts and objects hold, cell by cell.

A list, dict or object of the program is a Const that holds its Cell; what the cell holds now is
a value (analysis/store). A write replaces that value, so that every alias sees it and
differentiation sees values only. `settle` gives a value without references, for code that
really runs: containers are built there, where they are needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from adcompile.analysis.builder import Builder, Restart, Tentative, is_structured, parts
from adcompile.analysis.callbacks import UNSEEN, assigns, special_methods_write, writers
from adcompile.analysis.contents import of_pool, opened
from adcompile.analysis.leaves import deep_widen
from adcompile.analysis.standins import STANDINS
from adcompile.analysis.store import State, behind
from adcompile.errors import Place, Unsupported, unknown_function
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Var
from adcompile.ir.types import (
    NEVER,
    UNKNOWN,
    Around,
    Array,
    Cell,
    Closure,
    DictT,
    Filled,
    Instance,
    IterT,
    Known,
    ListT,
    Maybe,
    Method,
    ObjectT,
    OwnMethod,
    Ref,
    Scalar,
    Seq,
    TupleT,
    Type,
    Unknown,
    holds,
    holds_ref,
    join,
)

REMEDY = "build a new one: items = items + [item], d = {**d, key: value}, or copy it before it is shared"
WORDS = {list: "list", dict: "dict", ops.Variable: "variable"}


def cell_of(atom: Atom) -> Cell | None:
    """The cell that an atom refers to."""
    return atom.value if isinstance(atom, Const) and isinstance(atom.value, Cell) else None


def fresh(b: Builder, cls: type, content: Atom, name: str = "", place: Place | None = None) -> Const:
    """A new list, dict or object."""
    cell = Cell(cls, name, place)
    b.context.store.put(cell, State(content))
    return Const(cell)


def read(b: Builder, cell: Cell, place: Place | None = None) -> Atom:
    """What a cell holds now."""
    state = b.context.store.read(cell)
    if state.stale:
        refuse(b, cell, "is read here, and has been written into under another name", place)
    return state.content


def look(b: Builder, atom: Atom, place: Place | None = None) -> Atom:
    """What an atom refers to; the atom itself if it is a value."""
    cell = cell_of(atom)
    return atom if cell is None else read(b, cell, place or b.place)


def write(b: Builder, cell: Cell, content: Atom, place: Place | None = None) -> None:
    """Replace what a cell holds."""
    note_write(b)
    state = b.context.store.states[cell]
    if state.lent or state.stale:
        refuse(b, cell, "is written into here, and something that does not follow writes holds it", place)
    outdate(b, cell, place)
    if cell.real is not None:
        note_written(b, cell)
    b.context.store.put(cell, replace(state, content=content))


def outdate(b: Builder, cell: Cell, place: Place | None) -> None:
    """The cells one of which this one is, which is written into, are not known any more."""
    for source in (c for c in behind(cell) if c in b.context.store.states):  # not those of a branch that is over
        if source.real is not None:
            refuse(b, cell, "is written into here, and may be one that the caller has", place)
        b.context.store.put(source, replace(b.context.store.states[source], stale=True))


def refuse(b: Builder, cell: Cell, message: str, place: Place | None) -> None:
    """Refuse what cannot be followed. A list or dict made in sight becomes an object that the
    code writes into as it runs: where it carries no derivatives, that is as good."""
    if b.context.tentative:
        raise Tentative
    if cell.place is not None and cell.place not in b.context.demoted:
        b.context.demoted.add(cell.place)
        raise Restart
    word = WORDS.get(cell.cls, f"{cell.cls.__name__} object")
    raise Unsupported(f"the {word}{_called(b, cell)} {message}", place or b.place, REMEDY)


def _called(b: Builder, cell: Cell) -> str:
    """What the user calls it: a part of an argument goes by the argument's name."""
    path = b.context.paths.get(cell, ())
    around = [c for c, p in b.context.paths.items() if len(p) < len(path) and p == path[: len(p)] and c.name]
    outermost = min(around, key=lambda c: len(b.context.paths[c]), default=None)
    if outermost is not None:
        return f" in {outermost.name!r}"
    return f" {cell.name!r}" if cell.name else ""


def lend(b: Builder, cell: Cell, borrower: Cell | None = None, parts: Sequence[Cell | None] = ()) -> None:
    """From now on something holds what the cell holds, and does not follow its writes: a sequence of unknown length,
    or a cell that may be this one, `borrower`, which takes the place of its `parts`, or is none of them."""
    store = b.context.store
    state = store.states[cell]
    again = bool(state.borrowers) and state.borrowers != (borrower,)
    held = state.borrowers if borrower is None else (*state.borrowers, borrower)
    if not state.lent or held != state.borrowers:
        store.put(cell, replace(state, lent=True, borrowers=held))
    if again:  # two names for one cell, of which neither sees what is written through the other
        strangers = [other for other in held if other in store.states and other not in parts]
        for other in strangers if strangers != [borrower] else ():
            if not store.states[other].lent:
                store.put(other, replace(store.states[other], lent=True))


# -- values without references ------------------------------------------------------------------

Memo = dict[Any, Any]
"""What has been built for each cell; None while it is being built."""


def settle(b: Builder, atom: Atom, memo: Memo | None = None, escaping: bool = False) -> Atom:
    """The value of an atom without references to cells. `escaping`: its identity matters, so
    what the caller has is handed out itself."""
    t = b.type(atom)
    if not holds_ref(t):
        return atom
    memo = {} if memo is None else memo
    if isinstance(t, Ref):
        return settled_cell(b, t.cell, memo, escaping)
    if is_structured(t):
        memo[atom] = None
        whole = settled_items(b, atom, memo, escaping)
        del memo[atom]
        return whole
    assert isinstance(atom, Var)
    if isinstance(t, Method):
        return bound_again(b, atom, t, settle(b, owner_of(b, atom), memo, escaping))
    made = b.context.definition[atom]
    assert isinstance(t, IterT)
    args = [settle(b, a, memo, escaping) for a in made.args]
    return b.emit(made.fn, args, IterT(t.kind, tuple(map(b.type, args))), made.kwargs, atom.name, made.place)


def settled_items(b: Builder, atom: Atom, memo: Memo, escaping: bool) -> Atom:
    items = [settle(b, item, memo, escaping) for item in b.items(atom)]
    return b.build(b.type(atom), items, getattr(atom, "name", ""))


def owner_of(b: Builder, method: Atom, place: Place | None = None) -> Atom:
    """What a method is bound to, what a partial application holds: by the statement that binds it."""
    made, t = b.context.definition.get(method) if isinstance(method, Var) else None, b.type(method)
    binds = (getattr, t.function) if isinstance(t, Method) else ()
    if made is None or not isinstance(made.fn, Const) or not any(made.fn.value is fn for fn in binds):
        raise unknown_function(place or b.place)
    return made.args[0]


def bound_again(b: Builder, method: Var, t: Method, owner: Atom) -> Var:
    """The same method of another owner."""
    made = b.context.definition[method]
    if isinstance(made.fn, Const) and made.fn.value is getattr:
        return b.emit(getattr, (owner, made.args[1]), Method(t.function, b.type(owner)), (), method.name, made.place)
    var = b.emit(ops.identity, (owner,), Method(t.function, b.type(owner)), (), method.name, made.place)
    b.context.definition[var] = Call(var, made.fn, (owner,))
    return var


def settled_cell(b: Builder, cell: Cell, memo: Memo, escaping: bool) -> Atom:
    if cell in memo:
        if memo[cell] is None and cell.real is not None and cell not in b.context.written:
            above = [k for k, value in memo.items() if value is None and getattr(k, "cls", None) is not ops.Variable]
            return b.emit(ops.identity, (cell.real,), Around(cell.cls, (), len(above) - above.index(cell)))
        if memo[cell] is None:
            raise Unsupported(
                f"this {cell.cls.__name__} holds itself, and is needed as a value",
                cell.place or b.place,
                "keep the reference back to it out of what is returned or handed to code that is not followed",
            )
        return memo[cell]
    content = read(b, cell)
    if cell.cls in STANDINS:
        refuse(b, cell, "is needed here as a value, and its contents are followed", None)
    if escaping and cell.real is not None:
        memo[cell] = cell.real
        return cell.real
    memo[cell] = None
    whole = is_structured(b.type(content)) and holds_ref(b.type(content))
    memo[cell] = (settled_items if whole else settle)(b, content, memo, escaping)
    return memo[cell]


def reached(b: Builder, atoms: Sequence[Atom]) -> list[Cell]:
    """The cells that can be reached from these values."""
    out: dict[Cell, None] = {}
    todo: list[Type] = [b.type(a) for a in atoms]
    while todo:
        t = todo.pop()
        if isinstance(t, Ref):
            if t.cell not in out:
                out[t.cell] = None
                todo.append(b.type(b.context.store.states[t.cell].content))
        elif holds_ref(t):
            inner = t.parts if isinstance(t, IterT) else (t.self,) if isinstance(t, Method) else parts(t)
            todo.extend(inner)
    return list(out)


def show(b: Builder, atom: Atom) -> Atom:
    """The value for a call that keeps nothing of it; a function among it may be called."""
    if holds_ref(b.type(atom)):
        hold_functions(b, atom)
    return settle(b, atom)


def give(b: Builder, atom: Atom) -> Atom:
    """The value for something that keeps it and does not follow writes."""
    if not holds_ref(b.type(atom)):
        return atom
    hold_functions(b, atom)
    asked = [c for c in reached(b, [atom]) if special_methods_write(c.cls, UNSEEN) and not holds_object(b, c)]
    if asked:  # whoever holds these may compare them, say
        hand_over(b, [Const(c) for c in asked])
    return give_followed(b, atom)


def give_followed(b: Builder, atom: Atom) -> Atom:
    """The same for a function that is called by reference: what it does with a function is known."""
    value = settle(b, atom)
    for cell in reached(b, [atom]):
        if not holds_object(b, cell):
            lend(b, cell)
            t, before = deep_widen(b.type(b.context.store.states[cell].content)), b.context.given.get(cell, NEVER)
            if cell.cls is not ops.Variable:
                b.context.given[cell] = UNKNOWN if holds_ref(t) else join(before, t)
    return value


def hold_functions(b: Builder, atom: Atom) -> None:
    """Something holds functions that it may call, unseen: what they may write into is no longer followed."""
    for function in writers(b, atom):
        check_assigns(b, function, b.place)
        for cell in reached(b, [function]):
            if cell.cls is ops.Variable:
                lend(b, cell)
            elif not holds_object(b, cell):
                refuse(b, cell, "may be written into by a function that is called unseen", None)


def check_assigns(b: Builder, function: Atom, place: Place | None) -> None:
    """Nobody calls unseen what assigns to a variable around it, which is no object when the code runs."""
    found = next((cell for cell in reached(b, [function]) if cell.cls is ops.Variable), None)
    if found is not None and assigns(b.type(function)):
        what = f"a function that assigns to {found.name!r} around it is called where it is not known which it is"
        raise Unsupported(what, place, "choose with if and else, and call it there, outside of a with or match")


def check_alias(b: Builder, target: Atom, place: Place | None) -> None:
    """Before a write into an object that is there when the code runs: is it one that a cell has
    been made into, then the cell would not see the write."""
    if isinstance(target, Const) and isinstance(target.value, (list, dict)):
        raise Unsupported("a write into a list or dict that is known when compiling", place, "make a copy first")
    made = b.context.definition.get(target) if isinstance(target, Var) else None
    if made is not None and isinstance(made.fn, Const) and is_made_here(made.fn.value):
        return
    t = b.type(target)
    if isinstance(t.type if isinstance(t, Maybe) else t, (Array, Scalar, Known)):
        return
    cls = getattr(t, "cls", list if isinstance(t, ListT) else dict if isinstance(t, DictT) else None)
    cells = [c for c, given in b.context.given.items() if (cls is None or c.cls is cls) and may_be(t, given)]
    if isinstance(t, Filled):  # made at one of its sites, and nowhere else
        cells = [c for c in cells if (c.cls, c.place) in t.sites]
    if cells and b.context.tentative:
        raise Tentative
    for cell in cells:
        if cell.place is None or cell.place in b.context.demoted:
            what = "something of no known type, which may be an object" if cls is None else f"a {cell.cls.__name__}"
            raise Unsupported(
                f"a write into {what} that was taken out of a list or dict of unknown length",
                place,
                "use an array, or change the object before it is put into the list",
            )
    if cells:
        b.context.demoted.update(c.place for c in cells)
        raise Restart


def note_renamed(b: Builder, atom: Atom) -> None:
    """A container or an iterator gets a name of which less is known, through which it is written into or goes on."""
    if is_mutable(b.type(atom)) or isinstance(b.type(atom), IterT):
        b.context.also_called.append(atom)


def may_be(t: Type, given: Type) -> bool:
    """Whether a sequence of this type may be a container that something holds as a value of type `given`."""
    if not isinstance(t, Seq) or not isinstance(given, (Seq, ListT)):
        return True
    t = deep_widen(t)
    return join(t, given) == t


def is_made_here(fn: Any) -> bool:
    return any(fn is f for f in (ops.identity, ops.build_list, ops.build_dict, ops.build_set, set, dict, list))


def hand_over(b: Builder, atoms: Sequence[Atom], place: Place | None = None) -> list[Atom]:
    """The values for code that is not followed, which may write into them: from now on the cells
    are objects of which only the class is known."""
    cells = reached(b, atoms)
    for cell in cells:
        if cell.real is not None and (cell in b.context.written or cell not in b.context.untouched):
            refuse(b, cell, "goes here into code that is not followed, and is one that the caller has", place)
    for function in (f for a in atoms for f in writers(b, a)):
        check_assigns(b, function, place or b.place)
    memo: Memo = {}
    values = [settle(b, a, memo, escaping=True) for a in atoms]
    for cell in cells:
        value = memo.get(cell)
        if value is None or is_opaque(b.type(value)) or cell.cls is ops.Variable:
            continue
        t = opened(b, cell, b.type(value), place)
        if of_pool(b, t) and b.type(value) not in (ListT(()), DictT((), ())):
            refuse(b, cell, "goes here into code that is not followed, and holds values that carry derivatives", place)
        kept = b.emit(ops.identity, (value,), t, (), cell.name)
        b.context.store.put(cell, replace(b.context.store.states[cell], content=kept))
        values = [kept if cell_of(a) is cell else v for a, v in zip(atoms, values)]
    return values


def holds_object(b: Builder, cell: Cell) -> bool:
    """Whether what a cell holds is the object itself that is there when the code runs; a variable is none."""
    return cell.cls is not ops.Variable and is_opaque(b.type(b.context.store.states[cell].content))


def is_opaque(t: Type) -> bool:
    """Whether a cell holds an object that is there when the code runs."""
    return isinstance(t, (Instance, Unknown))


# -- what the caller has ------------------------------------------------------------------------


def is_mutable(t: Type) -> bool:
    """Whether values of this type are, or hold, lists, dicts or objects of known content."""
    if isinstance(t, TupleT):
        return any(map(is_mutable, t.items))
    return isinstance(t, (ListT, DictT, ObjectT)) or isinstance(t, Seq) and t.cls is list


def adopt(
    b: Builder, value: Atom, real: Atom | None, path: tuple[Any, ...], name: str = "", around: tuple[Atom, ...] = ()
) -> Atom:
    """An argument as cells. `value` has its structure and the leaves to compute with, `real` is
    what the caller of the program has, if it has; `path` names that in every round of the
    specialisation. `around`: the cells that it stands in."""
    t = b.type(value)
    if isinstance(t, Around):
        b.context.demoted.add(ROUND_MET)
        return around[-t.up] if ROUND in b.context.demoted else value
    if not is_mutable(t) and not holds(t, Around):
        return value
    if isinstance(t, TupleT):
        return b.build(t, adopted_items(b, value, real, path, name, (*around, value)), name)
    cls = list if isinstance(t, (ListT, Seq)) else dict if isinstance(t, DictT) else t.cls  # type: ignore[union-attr]
    cell = Cell(cls, name, real=real)
    written = real is not None and ("outside", path) in b.context.demoted
    if isinstance(t, Seq):
        content = b.emit(list, (value,), t, (), name) if written or real is None else value
    elif written or real is None or holds(t, OwnMethod, Around) or any(map(is_mutable, parts(t))):
        content = b.build(t, adopted_items(b, value, real, path, name, (*around, Const(cell))), name)
    else:
        content = value
    b.context.store.put(cell, State(content))
    if real is None:
        return Const(cell)
    b.context.outside.append(cell)
    if value is real:
        b.context.untouched.add(cell)
    b.context.paths[cell] = path
    if written:
        b.context.originals[cell] = renewed(b, value if isinstance(t, Seq) else content)
    return Const(cell)


Pairs = list[tuple[Cell, Cell, State]]


def hand_back(b: Builder, pairs: Pairs, place: Place | None) -> None:
    """The caller's lists, dicts and objects hold what a function has written into its own."""
    theirs = {own: cell for own, cell, _ in pairs}
    made = [c for c in reached(b, [Const(own) for own in theirs]) if c not in theirs]
    for cell in made:
        state = b.context.store.states[cell]
        b.context.store.put(cell, replace(state, content=_renamed(b, state.content, theirs)))
    for own, cell, before in pairs:
        content = _renamed(b, read(b, own, place), theirs)
        if content is not before.content:
            b.context.store.put(cell, replace(b.context.store.states[cell], lent=before.lent))
            write(b, cell, content, place)


def _renamed(b: Builder, atom: Atom, cells: dict[Cell, Cell]) -> Atom:
    """A value with the caller's cells in the place of a function's own."""
    t = b.type(atom)
    if isinstance(t, Ref):
        return Const(cells.get(t.cell, t.cell))
    if not is_structured(t) or not holds_ref(t):
        return atom
    return b.build(t, [_renamed(b, item, cells) for item in b.items(atom)], getattr(atom, "name", ""))


def renewed(b: Builder, content: Atom) -> Atom:
    """The same content as an object of its own: a list that grows in place is nobody else's."""
    t = b.type(content)
    if isinstance(t, Seq):
        return b.emit(list, (content,), t, (), getattr(content, "name", ""))
    return b.build(t, b.items(content), getattr(content, "name", "")) if is_structured(t) else content


def as_it_is(b: Builder, atom: Atom) -> Atom:
    """The value of an atom now, which no later write reaches."""
    t = b.type(atom)
    if isinstance(t, Ref):
        return as_it_is(b, read(b, t.cell))
    if is_structured(t) and not isinstance(t, Closure):
        return b.build(t, [as_it_is(b, item) for item in b.items(atom)], getattr(atom, "name", ""))
    return renewed(b, settle(b, atom))


def adopted_items(
    b: Builder, value: Atom, real: Atom | None, path: tuple[Any, ...], name: str, around: tuple[Atom, ...]
) -> list[Atom]:
    out: list[Atom] = []
    for k, (item, t) in enumerate(zip(b.items(value), parts(b.type(value)))):
        inner = item if value is real or not is_mutable(t) else None if real is None else b.item(real, k)
        out.append(adopt(b, item, inner, (*path, k), getattr(item, "name", "") or name, around))
    return out


ROUND_MET, ROUND = ("objects that hold themselves", "met"), ("objects that hold themselves", "followed")


def note_write(b: Builder) -> None:
    """Before a write into anything: arguments that hold themselves are followed all the way round, where else the
    way round is read as the code runs."""
    if ROUND_MET in b.context.demoted and ROUND not in b.context.demoted:
        b.context.demoted.add(ROUND)
        raise Restart


def note_written(b: Builder, cell: Cell) -> None:
    """A write into what the caller has: its first content must be at hand, so specialise again
    with it taken out at the beginning."""
    note_write(b)
    path = ("outside", b.context.paths[cell])
    if path not in b.context.demoted:
        b.context.demoted.add(path)
        raise Restart
    b.context.written.setdefault(cell, b.context.originals[cell])
    if isinstance(cell.real, Var):
        b.context.volatile.add(cell.real)  # what is read of it is kept, not read again
