"""Containers that are written into lose their known structure: specialisation starts again, and the
display that made one, or the live data it is, stands for an object of which only the class is known.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from types import MemberDescriptorType, SimpleNamespace
from typing import Any

import numpy as np

from adcompile.analysis.builder import Builder, Restart
from adcompile.analysis.detached import is_in
from adcompile.analysis.heap import check_alias, hand_over, note_write
from adcompile.analysis.live import live_key, note_given
from adcompile.analysis.mutation import AUGMENTED, is_unknown_call
from adcompile.analysis.slots import beware
from adcompile.analysis.writing import FUNCTIONS, METHODS
from adcompile.errors import Place, Unsupported
from adcompile.ir.nodes import Atom, Call, Const, OpaqueCode, Statement, Var
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import (
    UNKNOWN,
    Array,
    DictT,
    Instance,
    IterT,
    Known,
    ListT,
    Maybe,
    ObjectT,
    Ref,
    Scalar,
    Seq,
    TupleT,
    Type,
    differentiable,
    holds_ref,
)
from adcompile.ir.walk import blocks_of
from adcompile.runtime.objects import stated

Kwargs = list[tuple[str, Atom]]
CONTAINER_WRITES: set[Any] = {operator.setitem, operator.delitem, operator.iadd, operator.imul, operator.ior} | {
    getattr(cls, name)
    for cls in (list, dict, set)
    for name in (
        "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "setdefault", "add",
        "discard", "popitem",
    )
    if hasattr(cls, name)
}  # fmt: skip
WRITERS = frozenset({*CONTAINER_WRITES, *METHODS, *FUNCTIONS, *AUGMENTED})


OPERATORS: dict[int, Any] = {
    id(operator.iconcat): operator.iadd, id(operator.concat): operator.add,
    id(list.__iadd__): operator.iadd, id(list.__imul__): operator.imul,
}  # fmt: skip
"""By identity, as not all that is called can be hashed."""


def by_operator(b: Builder, fn: Any, args: Sequence[Atom]) -> Any:
    """The operator that a call by another name is: `operator.iconcat(items, more)` is `items += more` of sequences."""
    found = OPERATORS.get(id(fn))
    if found is None or len(args) != 2:
        return fn
    t = b.type(args[0])
    if isinstance(t, Ref):
        cls = t.cell.cls
    else:
        cls = list if isinstance(t, ListT) else t.cls if isinstance(t, (Seq, TupleT, Instance)) else None
        cls = type(t.value) if isinstance(t, Known) else cls
    return found if cls in (list, tuple, str, bytes) else fn


def is_container_write(fn: Any) -> bool:
    try:
        return fn in CONTAINER_WRITES
    except TypeError:
        return False


def may_write_into(fn: Any, args: Sequence[Atom], kwargs: Kwargs) -> bool:
    """Whether a call that is known writes into something it is given."""
    if isinstance(fn, np.ufunc) and len(args) > fn.nin or kwargs and any(name == "out" for name, _ in kwargs):
        return True
    at = isinstance(getattr(fn, "__self__", None), np.ufunc) and getattr(fn, "__name__", "") == "at"
    return at or isinstance(fn, OpaqueCode) or is_in(fn, WRITERS)


IN_RECURSION = (
    "a recursive function may return what it finds, and keep what has no derivative in a set or an array, as in "
    "seen = np.zeros(n, bool)"
)
READS = {operator.setitem: operator.getitem, setattr: getattr}


def puts_back(b: Builder, fn: Any, args: Sequence[Atom]) -> bool:
    """Whether this stores an array where it was read: what is left of `table[k] += v` and `self.a += v` once
    the array has been written into."""
    if fn not in READS or len(args) != 3 or not b.known(args[1]):
        return False
    owner, key, stored = args
    made = b.context.definition.get(stored) if isinstance(stored, Var) else None
    changed = made is not None and isinstance(made.fn, Const) and made.fn.value in AUGMENTED
    before = made.args[0] if made is not None and changed else stored
    if not isinstance(before, Var) or not isinstance(b.type(before), Array):
        return False
    read = b.context.definition.get(before)
    if read is None or not isinstance(read.fn, Const) or read.fn.value is not READS[fn] or read.args[0] is not owner:
        return False
    if not b.known(read.args[1]) or Known(b.value(read.args[1])) != Known(b.value(key)):
        return False
    t = b.type(owner)
    if not (has_plain_attribute(t, b.value(key)) if fn is setattr else is_plain_container(t)):
        return False
    if read not in b.statements:
        return False
    return all(leaves_containers(b, s) for s in b.statements[b.statements.index(read) + 1 :])


def is_plain_container(t: Type) -> bool:
    """Whether a value of this type is a list or dict, and of no class of its own."""
    return isinstance(t, (ListT, DictT)) or isinstance(t, (Seq, Instance)) and t.cls in (list, dict)


def has_plain_attribute(t: Type, attribute: str) -> bool:
    """Whether what is set of such an object goes into its own dictionary, or place (`__slots__`), and nowhere else."""
    cls = t.cls if isinstance(t, Instance) else None
    if cls is None or cls.__setattr__ not in (object.__setattr__, SimpleNamespace.__setattr__):
        return False
    found = stated(cls, attribute)
    return isinstance(found, MemberDescriptorType) or not hasattr(type(found), "__set__")


def leaves_containers(b: Builder, s: Statement) -> bool:
    """Whether nothing that a statement calls puts other things into objects, lists or dicts."""
    if not isinstance(s, Call):
        return all(leaves_containers(b, inner) for block in blocks_of(s) for inner in block.statements)
    if not isinstance(s.fn, Const) or isinstance(s.fn.value, (OpaqueCode, FunctionRef)):
        return False
    fn = s.fn.value
    if is_container_write(fn):
        return isinstance(b.type(s.args[0]), Array)
    return fn is not setattr and fn is not delattr and not is_unknown_call(fn)


def demote(b: Builder, fn: Any, owner: Atom, place: Place | None) -> None:
    """A container that is written into has no known structure: specialise again with the display
    that made it as an object of which only the class is known."""
    if not isinstance(b.type(owner), (ListT, DictT, Seq)):
        return
    t = b.type(owner)
    if isinstance(t, Seq) and t.cls is tuple:
        return
    if isinstance(t, Seq) and not differentiable(t.item) and fn in (list.sort, list.reverse, list.clear):
        return  # of a sequence only the type of the items is known, and that stays
    made = b.context.definition.get(owner) if isinstance(owner, Var) else None
    keys = {live_key(*origin) for origin in origins_above(b, owner)}
    if not keys <= b.context.demoted:
        b.context.demoted.update(keys)
        raise Restart
    if made is None or made.place is None or made.place in b.context.demoted:
        raise Unsupported(
            "a write into a list or dict that other code can reach is not supported yet",
            place,
            IN_RECURSION if b.context.apart else "build a new one: items = items + [item], or d = {**d, key: value}",
        )
    b.context.demoted.add(made.place)
    raise Restart


def origins_above(b: Builder, atom: Atom) -> Iterator[Any]:
    """The ways to a live container, and to those of known structure around it."""
    while isinstance(atom, Var) and isinstance(b.type(atom), (ListT, DictT, Seq, TupleT)):
        if atom in b.context.origin:
            yield b.context.origin[atom]
        made = b.context.definition.get(atom)
        reads = made is not None and isinstance(made.fn, Const) and made.fn.value is operator.getitem
        atom = made.args[0] if made is not None and reads else Const(None)


CHANGING = frozenset(m.__name__ for m in METHODS)
"""Names of methods that write into lists, dicts and sets."""


def beware_of_owner(b: Builder, fn: Atom, place: Place | None) -> None:
    """Before a call of something of no known type, which may be a method that writes into a list or the like, or that
    takes items of an iterator."""
    if any(isinstance(b.type(a), IterT) for a in b.context.also_called):
        what = "a call of a function that is known only when the code runs, and may take items of an iterator"
        raise Unsupported(what, place, "choose with if and else, and call each function there by its name")
    made = b.context.definition.get(fn) if isinstance(fn, Var) else None
    if made is None or not isinstance(made.fn, Const) or made.fn.value is not getattr or not b.known(made.args[1]):
        return
    if b.value(made.args[1]) in CHANGING:
        check_alias(b, made.args[0], place)
        check_renamed(b, None, made.args[0], place)


KNOWN_STRUCTURE = (Array, Scalar, Known, TupleT, ListT, DictT, ObjectT)


def check_renamed(b: Builder, fn: Any, target: Atom, place: Place | None) -> None:
    """Before a write into something of which little is known: it may be one of the containers that have been given
    such a name, and these are real ones then, of which only the class is known."""
    t = b.type(target)
    if not b.context.also_called or isinstance(t.type if isinstance(t, Maybe) else t, KNOWN_STRUCTURE):
        return
    for atom in b.context.also_called:
        demote(b, fn, atom, place)


def stirs(b: Builder, fn: Any, args: Sequence[Atom]) -> bool:
    """Whether a function with a rule writes into a list, as those that shuffle do."""
    place = FUNCTIONS.get(fn)
    return place is not None and place < len(args) and isinstance(b.type(args[place]), (ListT, Seq, Ref, ObjectT))


def loosened(b: Builder, fn: Any, args: list[Atom], kwargs: Kwargs, place: Place | None) -> tuple[list[Atom], Kwargs]:
    """The arguments for code that may write into them."""
    args, kwargs = handed_over(b, fn, args, kwargs, place)
    for a in (*args, *(v for _, v in kwargs)):
        demote(b, fn, a, place)
        note_given(b, [a])
        check_renamed(b, fn, a, place)
    return args, kwargs


def handed_over(
    b: Builder, fn: Any, args: list[Atom], kwargs: Kwargs, place: Place | None
) -> tuple[list[Atom], Kwargs]:
    """The arguments for code that is not followed, `fn` (None: which is not known)."""
    beware(b, fn, [*args, *(v for _, v in kwargs)])
    if not any(holds_ref(b.type(a)) for a in (*args, *(v for _, v in kwargs))):
        return args, kwargs
    values = hand_over(b, [*args, *(v for _, v in kwargs)], place)
    return values[: len(args)], [(k, v) for (k, _), v in zip(kwargs, values[len(args) :])]


def call_unseen(
    b: Builder, fn: Atom, known: Any, args: list[Atom], kwargs: Kwargs, name: str, place: Place | None
) -> Atom:
    """A call of what is known only when the code runs, `known` is its class or None: it may write into what it is
    given, and into what has been given away before."""
    beware_of_owner(b, fn, place)
    note_write(b)
    args, kwargs = handed_over(b, known, args, kwargs, place)
    for a in (fn, *args, *(v for _, v in kwargs)):
        demote(b, known, a, place)
        note_given(b, [a])
        check_renamed(b, known, a, place)
    return b.emit(fn, args, UNKNOWN, kwargs, name, place)
