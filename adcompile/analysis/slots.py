"""Attributes of classes, functions and modules that the program assigns: variables of the program.

`Body.count += 1`, `type(self).total += v`, `f.calls = 0`: specialisation starts again, and what the
attribute holds is a cell from the beginning. Reads see what was written, branches and loops carry
it, and it is differentiated like any variable. The attribute itself is set at the end of the function,
like what lists, dicts and objects of the caller hold, and put back by a pullback.

Where code that is not followed, or a function called by reference, may read or assign an attribute
of such a name, it is set and read as the code runs, and no values with derivatives may go in.

What is not there at first, but may be read of a class (`Below.count += 1`, `self.count += 1`), begins as what is
inherited. A second cell tells whether it has been assigned on the path that was taken: if not, it is not set.
"""

from __future__ import annotations

import types as python_types
from collections.abc import Sequence
from typing import Any

from adcompile.analysis.binding import owner_of_data
from adcompile.analysis.builder import Builder, Restart, is_structured
from adcompile.analysis.choices import choose
from adcompile.analysis.guards import guard_holds, has_room
from adcompile.analysis.heap import give, read, write
from adcompile.analysis.leaves import is_undefined
from adcompile.analysis.library import is_of_user
from adcompile.analysis.live import is_open
from adcompile.analysis.reach import functions_in, mentioned, met, names_stored
from adcompile.analysis.store import State
from adcompile.errors import Place, Unsupported
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.abstract import is_installed, type_of
from adcompile.ir.nodes import Atom, Const, GlobalRef, Var
from adcompile.ir.program import Guard
from adcompile.ir.types import Cell, Choice, Instance, Known, Type, Unknown
from adcompile.runtime.objects import holds, is_place, stated

UNDEFINED = Const(ops.UNDEFINED)


@frozen(eq=False)
class Slot:
    """An attribute that was found to be assigned; `number`: how many things were found before."""

    owner: Any
    name: str
    number: int


@frozen
class AsItRuns:
    """Attributes of this name are set and read as the code runs; None: of any name."""

    name: str | None


def key_of(owner: Any, name: str) -> tuple[int, str]:
    return (id(vars(owner) if isinstance(owner, python_types.ModuleType) else owner), name)


def may_be_slot(owner: Any, name: str) -> bool:
    """Whether setting this attribute is storing it, and reading it gives what was stored."""
    if isinstance(owner, python_types.ModuleType):
        return not is_installed(owner) and not name.startswith("__")
    if not is_of_user(owner) or hasattr(type(owner), name):
        return False  # a property of its metaclass, the code of a function
    if isinstance(owner, type):
        stored = vars(owner).get(name)
        plain = isinstance(stored, python_types.FunctionType) or not hasattr(type(stored), "__get__")
        return plain and type(owner).__setattr__ is type.__setattr__ and not name.startswith("__")
    return True


def open_slots(b: Builder) -> None:
    """At the beginning of a program: the attributes that it was found to assign, as cells."""
    context = b.context
    for slot in sorted((d for d in context.demoted if isinstance(d, Slot)), key=lambda d: d.number):
        owner, name = slot.owner, slot.name
        if runs_as_written(b, name):
            continue
        cell, told = Cell(ops.Variable, name), None
        if holds(owner, name):
            content = context.originals[cell] = first_value(b, owner, name)
            guard_holds(b, owner, name, True)
        else:
            content, context.originals[cell] = inherited(b, owner, name), UNDEFINED
            told = Cell(ops.Variable, f"{name}_is_set")
            context.store.put(told, State(Const(False)))
            guard_holds(b, owner, name, False)
        context.store.put(cell, State(content))
        context.slots[key_of(owner, name)] = cell
        context.assigned[cell] = (owner, name, told)


def inherited(b: Builder, owner: Any, name: str) -> Atom:
    """What is read of a class for an attribute that its object, or a class below it, does not have itself: nothing
    where that is a method or the like."""
    cls = owner if isinstance(owner, type) else type(owner)
    home = next((c for c in cls.__mro__ if name in vars(c)), None)
    for between in cls.__mro__:
        if between is home or between is object:
            break
        if between is not owner and is_of_user(between):
            guard_holds(b, between, name, False)
    if home is None or hasattr(type(vars(home)[name]), "__get__"):
        return UNDEFINED
    return b.call(getattr, Const(cls), name, name=name)


def first_value(b: Builder, owner: Any, name: str) -> Atom:
    """What an attribute holds at the beginning."""
    if isinstance(owner, (type, python_types.FunctionType)):
        return b.call(getattr, Const(owner), name, name=name)
    ref = b.context.owner(owner)
    held = getattr(owner, name) if is_place(owner, name) else vars(owner)[name]
    t = Instance(type(held)) if is_open(b, ref, (name,), held) else type_of(held)
    b.context.guard_type(ref, (name,), t)
    if isinstance(t, Known):
        return Const(held)
    var = b.emit(getattr, (owner_of_data(b, owner, None), Const(name)), t, (), name)
    b.context.example[var], b.context.origin[var] = held, (ref, (name,))
    return var


# -- reading ------------------------------------------------------------------------------------


def slot_value(b: Builder, owner: Any, name: str, place: Place | None) -> Atom | None:
    """What an attribute that the program assigns holds now; None for any other one."""
    if not b.context.slots:
        return None
    return value_in(b, owner, homes_of(owner), name, place)


def value_in(b: Builder, owner: Any, homes: Sequence[Any], name: str, place: Place | None) -> Atom | None:
    """What the first of the homes has for an attribute that has it by now; None where that is not assigned."""
    assigned = any(key_of(home, name) in b.context.slots for home in homes)
    for k, home in enumerate(homes):
        cell = b.context.slots.get(key_of(home, name))
        if assigned and cell is None and is_of_user(home) and has_room(home, name):
            guard_holds(b, home, name, holds(home, name))
        if cell is None and name in getattr(home, "__dict__", ()):
            return None
        content = UNDEFINED if cell is None else content_of(b, cell, name, place)
        told = None if cell is None else b.context.assigned[cell][2]
        is_set: Atom = Const(True) if told is None else read(b, told)
        if isinstance(is_set, Var):
            rest = value_in(b, owner, homes[k + 1 :], name, place)
            if rest is None and home is not owner or rest is not None and hasattr(met(b.type(rest)), "__get__"):
                run_as_written(b, name)  # another class may say what it is until then
            return content if rest is None else choose(b, is_set, content, rest, name)
        if is_set.value is True and not is_undefined(content):
            return content
    return None


def homes_of(owner: Any) -> tuple[Any, ...]:
    """Where an attribute of a class, function, module or object is looked for."""
    if isinstance(owner, (python_types.ModuleType, python_types.FunctionType)):
        return (owner,)
    meta: type = type(owner)
    return (*owner.__mro__, *meta.__mro__) if isinstance(owner, type) else (owner, *meta.__mro__)


def content_of(b: Builder, cell: Cell, name: str, place: Place | None) -> Atom:
    content = read(b, cell, place)
    if b.context.apart or is_loose(b, content):
        run_as_written(b, name)
    return content


def is_loose(b: Builder, content: Atom) -> bool:
    """Whether some path has left an attribute without a value."""
    if is_structured(b.type(content)):
        return any(is_loose(b, item) for item in b.items(content))
    return isinstance(content, Var) and content in b.context.loose


def check_unknown_owner(b: Builder, owner: Atom, t: Type, name: str) -> None:
    """Before an attribute is read of what may be an object of a class whose attribute is assigned."""
    unseen = isinstance(t, Instance) and not (isinstance(owner, Var) and owner in b.context.example)
    if (unseen or isinstance(t, (Unknown, Choice))) and any(n == name for _, n in b.context.slots):
        if not runs_as_written(b, name):
            run_as_written(b, name)


def global_value(b: Builder, ref: GlobalRef, place: Place | None) -> Atom | None:
    """What a name of a module holds that the program assigns as the module's attribute."""
    cell = b.context.slots.get((id(ref.namespace), ref.name))
    content = UNDEFINED if cell is None else content_of(b, cell, ref.name, place)
    return None if is_undefined(content) else content


def runs_as_written(b: Builder, name: str) -> bool:
    return AsItRuns(name) in b.context.demoted or AsItRuns(None) in b.context.demoted


def run_as_written(b: Builder, name: str | None) -> None:
    """Specialise again, with attributes of this name set and read as the code runs."""
    b.context.demoted.add(AsItRuns(name))
    raise Restart


def note_read(b: Builder, name: str) -> None:
    """An attribute is taken for what it is now: nothing of unknown type may set it."""
    b.context.names_read.add(name)
    if name in b.context.names_set:
        run_as_written(b, name)


# -- assigning ----------------------------------------------------------------------------------


def assign(b: Builder, owner: Atom, attribute: Atom, value: Atom, place: Place | None) -> Atom | None:
    """`owner.attribute = value` of what was met when compiling; None for other owners."""
    t = b.type(owner)
    name = b.value(attribute) if b.known(attribute) else None
    if isinstance(t, (Unknown, Choice)) or isinstance(t, Instance) and issubclass(t.cls, type):
        return assign_unknown(b, owner, attribute, name, value, place)
    if isinstance(t, Instance):
        return assign_live(b, owner, name, value, place)
    if not isinstance(t, Known):
        return None
    if name is None and AsItRuns(None) not in b.context.demoted:
        run_as_written(b, None)
    if name is not None and not runs_as_written(b, name):
        if not may_be_slot(t.value, name):
            run_as_written(b, name)
        return store(b, t.value, name, value, place)
    target = owner_of_data(b, t.value, place)
    return b.emit(ops.set_attribute, (target, attribute, give(b, value)), Known(None), (), "", place)


def assign_live(b: Builder, owner: Atom, name: str | None, value: Atom, place: Place | None) -> Atom | None:
    """The same of an object that is there when the code runs: of one that a module, a class or a cache has,
    its attribute is a cell."""
    live = b.context.example.get(owner) if isinstance(owner, Var) else None
    if name is not None and runs_as_written(b, name):
        return b.emit(ops.set_attribute, (owner, Const(name), give(b, value)), Known(None), (), "", place)
    if name is None:
        if live is not None and AsItRuns(None) not in b.context.demoted:
            run_as_written(b, None)
        return None
    if live is None:
        cls = b.type(owner).cls  # type: ignore[union-attr]
        hides = is_of_user(cls) and hasattr(cls, name) and not hasattr(type(stated(cls, name)), "__set__")
        if hides and name not in b.type(owner).own and not runs_as_written(b, name):  # type: ignore[union-attr]
            run_as_written(b, name)
        check_unknown_owner(b, owner, b.type(owner), name)
        note_object(b, b.type(owner).cls, name, b.context.objects_set, b.context.objects_read)  # type: ignore[union-attr]
        return None
    if not may_be_live_slot(live, name) or owner not in b.context.origin:
        run_as_written(b, name)
    check_same(b, owner, live, name)
    return store(b, live, name, value, place)


def beware_of_names(b: Builder, target: Atom) -> None:
    """Before a write into the `__dict__` of an object: it sets attributes, of any name."""
    path = b.context.origin[target][1] if isinstance(target, Var) and target in b.context.origin else ()
    if path[-1:] == ("__dict__",) and AsItRuns(None) not in b.context.demoted:
        run_as_written(b, None)


def note_object(b: Builder, cls: type, name: str, noted: set[tuple[type, str]], others: set[tuple[type, str]]) -> None:
    """An object at hand and one that is not may be one: what is set of one, and read of the other."""
    noted.add((cls, name))
    if any(n == name and (issubclass(c, cls) or issubclass(cls, c)) for c, n in others):
        if not runs_as_written(b, name):
            run_as_written(b, name)


def may_be_live_slot(owner: Any, name: str) -> bool:
    """Whether setting an attribute of an object is storing it in the object."""
    cls: type = type(owner)
    plain = is_of_user(cls) and not is_hooked(cls) or cls is python_types.SimpleNamespace
    there = hasattr(owner, "__dict__") and not hasattr(type(stated(cls, name)), "__set__")
    return plain and (there or is_place(owner, name))


def is_hooked(cls: type) -> bool:
    """Whether something else than `object` sets or reads attributes: what Python code does to set one is followed."""
    followed = cls.__setattr__ is object.__setattr__ or isinstance(cls.__setattr__, python_types.FunctionType)
    return not followed or cls.__getattribute__ is not object.__getattribute__


def check_same(b: Builder, owner: Atom, live: Any, name: str) -> None:
    """Guard that a way to an object leads to this very one."""
    if owner not in b.context.origin:
        run_as_written(b, name)
    ref, path = b.context.origin[owner]  # type: ignore[index]
    b.context.guards["same", id(ref.namespace), ref.name, path] = Guard(ref, live, path)


def live_value(b: Builder, owner: Atom, live: Any, name: str, place: Place | None) -> Atom | None:
    """What an attribute of an object that is there when the code runs holds now, if the program assigns it."""
    note_object(b, type(live), name, b.context.objects_read, b.context.objects_set)
    if owner in b.context.origin:
        b.context.ways.setdefault(id(live), (live, b.context.origin[owner]))  # type: ignore[index]
    held = [n for i, n in b.context.slots if i == id(live)]
    if held and name == "__dict__":
        run_as_written(b, held[0])
    if name not in held:
        return None
    check_same(b, owner, live, name)
    return slot_value(b, live, name, place)


def assign_unknown(
    b: Builder, owner: Atom, attribute: Atom, name: str | None, value: Atom, place: Place | None
) -> Atom | None:
    """The same of what may be a class: attributes of that name run as written if any class's is read."""
    if name is not None and not runs_as_written(b, name):
        b.context.names_set.add(name)
        if name in b.context.names_read:
            run_as_written(b, name)
        note_object(b, object, name, b.context.objects_set, b.context.objects_read)
        return None
    if name is None and AsItRuns(None) not in b.context.demoted:
        if not b.context.names_read:
            return None
        run_as_written(b, None)
    return b.emit(ops.set_attribute, (owner, attribute, give(b, value)), Known(None), (), "", place)


def unassign(b: Builder, owner: Atom, attribute: Atom, place: Place | None) -> Atom | None:
    """`del owner.attribute` of what was met when compiling: as the code runs."""
    t = b.type(owner)
    name = b.value(attribute) if b.known(attribute) else None
    if not isinstance(t, Known):
        if name is not None and owner in b.context.example and not runs_as_written(b, name):
            run_as_written(b, name)
        if any(name in (None, n) and not runs_as_written(b, n) for _, n in b.context.slots):
            run_as_written(b, name)
        return None
    if AsItRuns(name) not in b.context.demoted:
        run_as_written(b, name)
    return b.emit(delattr, (owner_of_data(b, t.value, place), attribute), Known(None), (), "", place)


def store(b: Builder, owner: Any, name: str, value: Atom, place: Place | None) -> Atom:
    cell = b.context.slots.get(key_of(owner, name))
    if cell is None:
        b.context.demoted.add(Slot(owner, name, len(b.context.demoted)))
        raise Restart
    if b.context.apart:
        run_as_written(b, name)
    write(b, cell, value, place)
    told = b.context.assigned[cell][2]
    if told is not None:
        write(b, told, Const(True), place)
    b.context.written.setdefault(cell, b.context.originals[cell])
    return Const(None)


def assign_name(b: Builder, module: Any, name: str, value: Atom, place: Place | None) -> Atom:
    """A name of a module that a function has declared `global`, and assigns. Raises Unsupported where it would have
    to be assigned as the code runs."""
    if runs_as_written(b, name) or not may_be_slot(module, name):
        found = "a function that calls itself, or code that is not followed, may read or assign it too"
        remedy = "return the value instead, or keep it in an array or list that is passed as an argument"
        raise Unsupported(f"{name!r} is global and assigned to, and {found}", place, remedy)
    return store(b, module, name, value, place)


# -- code that is not followed ------------------------------------------------------------------


def reached_by(b: Builder, fn: Any, given: Sequence[Atom]) -> list[Any]:
    types = [b.type(a) for a in given]
    return [fn, *map(met, types), *functions_in(types, lambda cell: held_by(b, cell))]


def held_by(b: Builder, cell: Cell) -> Type:
    return b.type(b.context.store.states[cell].content)


def beware_of_given(b: Builder, given: Sequence[Atom]) -> None:
    """The same before a call of what is known, which runs the functions that it is given."""
    found = functions_in(map(b.type, given), lambda cell: held_by(b, cell)) if b.context.slots else ()
    if found:
        beware(b, found[0], given)


def note_stored(b: Builder, code: Any) -> None:
    """Code that is run as it is written sets attributes, of objects that it finds: what is read of such names, before
    or after, is read as the code runs."""
    for name in sorted(names_stored([code])):
        b.context.names_set.add(name)
        if name in b.context.names_read and not runs_as_written(b, name):
            run_as_written(b, name)
        note_object(b, object, name, b.context.objects_set, b.context.objects_read)


def beware(b: Builder, fn: Any, given: Sequence[Atom] = ()) -> None:
    """Before a call that is not followed, of an object (`None`: nobody knows of which): the attributes
    that it may read or assign are set and read as the code runs."""
    names = {name for _, name in b.context.slots}
    if not names:
        return
    live = {id(b.context.example[a]) for a in given if isinstance(a, Var) and a in b.context.example}
    found = names if fn is None else mentioned(reached_by(b, fn, given), names)
    for name in sorted(found | {name for i, name in b.context.slots if i in live}):
        b.context.demoted.add(AsItRuns(name))
    if any(runs_as_written(b, name) for name in names):
        raise Restart


__all__ = [
    "assign", "assign_name", "beware", "global_value", "live_value", "note_read", "note_stored", "open_slots",
    "runs_as_written", "slot_value", "unassign",
]  # fmt: skip
