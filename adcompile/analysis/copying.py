"""Copies: of arrays, lists, dicts and objects as the module `copy` makes them, and of dataclasses."""

from __future__ import annotations

import copy
import dataclasses
import operator
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from adcompile.analysis.builder import Builder, is_structured
from adcompile.analysis.calls import (
    cell_handlers,
    dispatch,
    emit_unknown,
    handlers,
    handles,
    handles_cells,
    looks,
)
from adcompile.analysis.heap import cell_of, fresh, read, renewed, settle, write
from adcompile.analysis.lifetimes import check_finalised
from adcompile.analysis.operators import class_named, is_not_implemented, method_call
from adcompile.analysis.structure import Args, Kwargs
from adcompile.analysis.views import AUGMENTED, fn_of, may_share
from adcompile.errors import Place, Unsupported, spot
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Const, Unreachable, Var
from adcompile.ir.types import (
    UNKNOWN,
    Array,
    Closure,
    DictT,
    Instance,
    Known,
    ListT,
    ObjectT,
    Ref,
    Scalar,
    Seq,
    TupleT,
)
from adcompile.ir.walk import atoms_of, statements_of
from adcompile.runtime import state as run_time
from adcompile.runtime.objects import stated


@handles_cells(copy.copy)
def shallow(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    cell = cell_of(args[0])
    if cell is None:
        return None
    own = method_call(b, args[0], "__copy__", [], place)
    if is_not_implemented(own):
        check_protocol(cell.cls, place)
        check_finalised(cell.cls, place)
    return fresh(b, cell.cls, again(b, read(b, cell, place)), name, place) if is_not_implemented(own) else own


@handles(copy.copy, np.ndarray.__copy__, np.ndarray.__deepcopy__)
def shallow_value(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    t = b.type(args[0])
    if isinstance(t, Array):
        return b.call(np.copy, args[0], name=name, place=place)
    if isinstance(t, Instance):
        check_finalised(t.cls, place)
    return args[0] if isinstance(t, (Scalar, Known, TupleT)) else None


@handles(copy.deepcopy)
def deep_value(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    given = asked(b, args, kwargs)
    if given is not None and isinstance(t := b.type(given[0]), Instance):
        check_finalised(t.cls, place)
    known = given is not None and isinstance(b.type(given[0]), (Array, Scalar, Known, TupleT, Ref))
    return copied(b, given[0], given[1], place) if given is not None and known else None


def asked(b: Builder, args: Args, kwargs: Kwargs) -> tuple[Atom, dict[Any, Atom] | None] | None:
    """What `copy.deepcopy` is to copy, and what has been copied on the way there, where it is called for a part.
    None: a dict of the program's own says what has been copied, which is not known."""
    given = {**dict(zip(("x", "memo"), args)), **dict(kwargs)}
    memo = given.pop("memo", Const(None))
    known = b.value(memo) if b.known(memo) else memo
    if len(args) > 2 or list(given) != ["x"] or not (known is None or isinstance(known, Copied)):
        return None
    return given["x"], None if known is None else known.memo


def copied(b: Builder, atom: Atom, begun: dict[Any, Atom] | None, place: Place | None) -> Atom:
    if begun is not None:
        return deep_copy(b, atom, begun, place)
    memo: dict[Any, Atom] = {}
    copy_made = deep_copy(b, atom, memo, place)
    arrays = [key for key in memo if isinstance(key, Var)]
    if len(arrays) > 1 and any(may_be_another(b, a) for a in arrays):
        given = b.emit(ops.build_tuple, tuple(arrays), TupleT(tuple(map(b.type, arrays))))
        b.emit(run_time.distinct, (given, Const(spot(place))), Known(None), (), "", place)
    return copy_made


TAKING = {np.asarray, np.asanyarray}
"""What gives back the array that it is given."""


def first_name(b: Builder, array: Atom) -> Atom:
    """The name under which an array was made: what writes in place, or takes arrays as they are, gives it another."""
    made = b.context.definition.get(array) if isinstance(array, Var) else None
    if made is None:
        return array
    out = next((value for key, value in made.kwargs if key == "out"), None)
    if fn_of(made) in (*AUGMENTED, ops.identity) or fn_of(made) in TAKING and len(made.args) == 1 and not made.kwargs:
        out = made.args[0]
    return array if out is None or not isinstance(b.type(out), Array) else first_name(b, out)


def may_be_another(b: Builder, array: Var) -> bool:
    """Whether only the run time knows if this is an array that has another name, too."""
    made = b.context.definition.get(array)
    if made is None:
        return True
    part = fn_of(made) is operator.getitem and isinstance(b.type(made.args[0]), Array)  # an object of its own
    return not part and may_share(made, b.context.types)


def again(b: Builder, content: Atom) -> Atom:
    """The same content for another cell, as an object of its own."""
    t = b.type(content)
    return renewed(b, content) if is_structured(t) or isinstance(t, Seq) else b.call(copy.copy, content)


@handles_cells(copy.deepcopy)
def deep(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    given = asked(b, args, kwargs)
    return None if given is None else copied(b, *given, place)


class Copied(dict[Any, Any]):
    """What has been copied, as a method `__deepcopy__` gets it to hand it on: nothing else can be done with it."""

    def __init__(self, memo: dict[Any, Atom]) -> None:
        super().__init__()
        self.memo = memo

    def __iter__(self) -> Any:
        raise looked_into(None)

    def __len__(self) -> int:
        raise looked_into(None)


def looked_into(place: Place | None) -> Unsupported:
    return Unsupported(
        "a method __deepcopy__ that looks into what has been copied, or says what has been",
        place,
        "hand it on: copy.deepcopy(self.part, memo)",
    )


def by_method(b: Builder, atom: Atom, memo: dict[Any, Atom], place: Place | None) -> Atom:
    """The copy that a method `__deepcopy__` makes, or NotImplemented."""
    before, given = len(b.statements), Copied(memo)
    own = method_call(b, atom, "__deepcopy__", [Const(given)], place)
    for s in statements_of(Block((), tuple(b.statements[before:]), Unreachable())):
        if any(isinstance(a, Const) and a.value is given for a in atoms_of(s)):
            raise looked_into(s.place)
    return own


PROTOCOL = ("__reduce_ex__", "__reduce__", "__getstate__", "__setstate__", "__getnewargs_ex__", "__getnewargs__")


def check_protocol(cls: type, place: Place | None) -> None:
    """Refuse to copy by its attributes what says by other methods what its copy consists of."""
    found = next((name for name in PROTOCOL if isinstance(stated(cls, name), FunctionType)), None)
    if found is not None:
        raise Unsupported(
            f"a copy of a {cls.__name__}, which is made by its method {found}",
            place,
            "define __copy__ and __deepcopy__, or call a method that makes the copy",
        )


def deep_copy(b: Builder, atom: Atom, memo: dict[Any, Atom], place: Place | None) -> Atom:
    t, cell = b.type(atom), cell_of(atom)
    if cell is not None:
        if cell not in memo:
            own = by_method(b, atom, memo, place)
            if not is_not_implemented(own):
                memo[cell] = own
                return own
            check_protocol(cell.cls, place)
            made = fresh(b, cell.cls, Const(None), cell.name, place)
            memo[cell] = made
            content = deep_copy(b, again(b, read(b, cell, place)), memo, place)
            write(b, made.value, content, place)
        return memo[cell]
    if isinstance(t, (TupleT, ListT, DictT, ObjectT)):
        return b.build(t, [deep_copy(b, item, memo, place) for item in b.items(atom)])
    if b.known(atom) or isinstance(t, (Scalar, Closure)):
        return atom
    if not isinstance(t, (Seq, Array)):  # it is seen only when the code runs what this is
        return b.emit(copy.deepcopy, (atom,), t if isinstance(t, Instance) else UNKNOWN, (), "", place)
    if isinstance(t, Seq):
        return deep_sequence(b, atom, t, place)
    array = first_name(b, atom)
    if array not in memo:
        memo[array] = b.call(np.copy, atom)
    return memo[array]


def deep_sequence(b: Builder, atom: Atom, t: Seq, place: Place | None) -> Atom:
    """Of a list or tuple of a length known only when the code runs."""
    if isinstance(t.item, (Scalar, Known)):
        return b.call(list, atom) if t.cls is list else atom
    if not isinstance(t.item, Array):
        raise Unsupported(
            "a deep copy of a list or tuple of no known length",
            place,
            "copy the parts that are written: [Item(item.x.copy()) for item in items]",
        )
    b.emit(run_time.distinct, (atom, Const(spot(place))), Known(None), (), "", place)
    copies = dispatch(b, Const(copies_of), [atom], [], "", place)
    return settle(b, copies) if t.cls is list else b.call(tuple, copies)


def copies_of(arrays: Any) -> Any:
    return [a.copy() for a in arrays]


@handles_cells(dataclasses.replace)
def replaced(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    cls = class_named(b, args[0])
    if cls is None or not dataclasses.is_dataclass(cls):
        return None
    given = dict(kwargs)
    for f in dataclasses.fields(cls):
        if f.init and f.name not in given:
            given[f.name] = b.call(getattr, args[0], f.name)
    return dispatch(b, Const(cls), [], list(given.items()), name, place)


@handles_cells(dataclasses.fields)
def fields_of(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    cls = class_named(b, args[0])
    return None if cls is None else Const(dataclasses.fields(cls))


# -- dataclasses as dicts and tuples ------------------------------------------------------------

Make = Callable[[Builder, Sequence[str], list[Atom]], Atom]


def as_dict(b: Builder, names: Sequence[str], values: list[Atom]) -> Atom:
    return fresh(b, dict, b.build(DictT(tuple(names), ()), values))


def as_tuple(b: Builder, names: Sequence[str], values: list[Atom]) -> Atom:
    return b.build_tuple(*values)


def _taken_apart(make: Make) -> Any:
    def handler(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
        cls = class_named(b, args[0])
        followed = isinstance(b.type(args[0]), (Ref, ObjectT)) and len(args) == 1 and not kwargs
        whole = followed and cls is not None and dataclasses.is_dataclass(cls)
        return taken_apart(b, args[0], make, place) if whole else None

    return handler


def taken_apart(b: Builder, atom: Atom, make: Make, place: Place | None) -> Atom:
    """A dataclass as a dict or tuple of its fields, those in containers too; everything else copied."""
    t, cell, cls = b.type(atom), cell_of(atom), class_named(b, atom)
    if cls is not None and dataclasses.is_dataclass(cls) and isinstance(t, (Ref, ObjectT)):
        names = [f.name for f in dataclasses.fields(cls)]
        return make(b, names, [taken_apart(b, b.call(getattr, atom, n, place=place), make, place) for n in names])
    if cell is not None and is_structured(b.type(content := read(b, cell, place))):
        return fresh(b, cell.cls, b.build(b.type(content), each(b, content, make, place)), cell.name, place)
    if isinstance(t, TupleT):
        return b.build(t, each(b, atom, make, place))
    return deep_copy(b, atom, {}, place)


def each(b: Builder, content: Atom, make: Make, place: Place | None) -> list[Atom]:
    return [taken_apart(b, item, make, place) for item in b.items(content)]


def _as_written(fn: Any) -> Any:
    def handler(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
        return emit_unknown(b, fn, args, list(kwargs), name, place)

    return handler


for _fn, _make in ((dataclasses.asdict, as_dict), (dataclasses.astuple, as_tuple)):
    cell_handlers[_fn] = _taken_apart(_make)
    handlers[_fn], looks[_fn] = _as_written(_fn), ()
