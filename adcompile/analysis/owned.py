"""Methods that exist when the derivative is made, by the values that they are bound to: what those hold is read as the
code runs.

`append = items.append` in a module is read through `append.__self__`. An argument that holds a method of its own
(`self.act = self.relu`) brings what it is bound to: the call is one of that method, with the argument as its first.
"""

from __future__ import annotations

from collections.abc import Sequence

from adcompile.analysis.builder import Builder, is_structured, parts
from adcompile.analysis.live import type_at
from adcompile.errors import Place, Unsupported
from adcompile.ir.nodes import Atom, Const, Var
from adcompile.ir.types import Known, ObjectT, OfData, OwnMethod, Ref, Type


def note_own_methods(b: Builder, atom: Atom, around: tuple[Atom, ...] = ()) -> None:
    """What the methods are bound to that an adopted argument holds, and that are bound to it or to a part of it."""
    t = b.type(atom)
    if isinstance(t, OwnMethod):
        b.context.bound_to[atom] = around[-t.up]
        return
    held = b.context.store.states[t.cell].content if isinstance(t, Ref) else atom
    for item in b.items(held) if is_structured(b.type(held)) else ():
        note_own_methods(b, item, (*around, atom))


def taken_apart(b: Builder, fn: Atom, place: Place | None) -> tuple[Atom, Atom] | None:
    """The function behind such a method, and what it is bound to; None for other values.

    Raises Unsupported where nobody knows what it is bound to.
    """
    t = b.type(fn)
    if isinstance(t, OwnMethod):
        if fn not in b.context.bound_to:
            raise unknown(place)
        return Const(t.function), b.context.bound_to[fn]
    if not isinstance(t, OfData):
        return None
    live = b.context.example.get(fn) if isinstance(fn, Var) else None
    if live is None or fn not in b.context.origin:
        raise unknown(place)
    ref, path = b.context.origin[fn]  # type: ignore[index]
    b.context.guard_type(ref, (*path, "__name__"), Known(live.__name__))
    way = (*path, "__self__")
    t = type_at(b, ref, way, live.__self__)
    b.context.guard_type(ref, way, t)
    owner = b.emit(getattr, (fn, Const("__self__")), t, (), "", place)
    b.context.example[owner], b.context.origin[owner] = live.__self__, (ref, way)
    return Const(getattr(type(live.__self__), live.__name__)), owner


def check_handed(b: Builder, atoms: Sequence[Atom], place: Place | None) -> None:
    """Before a call that is not followed: refuse such a method without the object that it belongs to, whose attributes
    it may read."""
    if any(map(is_bare, map(b.type, atoms))):
        raise unknown(place or b.place)


def is_bare(t: Type) -> bool:
    """Whether values are or hold an argument's own method, and not in the argument."""
    return isinstance(t, OwnMethod) or not isinstance(t, ObjectT) and any(map(is_bare, parts(t)))


def unknown(place: Place | None) -> Unsupported:
    return Unsupported(
        "a method that is bound to an argument, or to a list, dict, set or array that comes with one, where nobody "
        "knows to which",
        place,
        "call it by its name: net.act(x), items.append(x)",
    )


__all__ = ["check_handed", "note_own_methods", "taken_apart"]
