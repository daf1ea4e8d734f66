"""Operators on values of unknown type: their derivatives are those of numbers, which is checked when the code runs."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.alone import MAKING
from adcompile.analysis.arraylike import OPERATORS, is_numerical
from adcompile.analysis.boxes import KEPT, PARTS, may_be_boxes
from adcompile.analysis.builder import Builder, Context
from adcompile.analysis.detached import is_in
from adcompile.analysis.views import MAYBE, OVERLAPPING, VIEWS, fn_of, keeps_axes, may_share, tells_of_views
from adcompile.analysis.writing import AUGMENTED
from adcompile.autodiff.dynamic import at
from adcompile.autodiff.powers import of_power
from adcompile.errors import Unsupported
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, For, If, Statement, Var, While
from adcompile.ir.types import Array, DictT, Instance, Known, ListT, ObjectT, Seq, TupleT, Type, Unknown
from adcompile.rules.registry import lookup
from adcompile.runtime.plain import says_number

COMPARISONS: tuple[Any, ...] = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
WHOLE: tuple[Any, ...] = (
    operator.floordiv, operator.ifloordiv, operator.and_, operator.or_, operator.xor, operator.lshift,
    operator.rshift, operator.invert, operator.index, int, round, math.floor, math.ceil, math.trunc,
)  # fmt: skip
"""Constant for numbers, and what a class says for its objects."""

JOINING: tuple[Any, ...] = (operator.add, operator.iadd, operator.mul, operator.imul)
"""These join and repeat lists and tuples."""


def is_asked(fn: Any) -> bool:
    """Whether a call asks the classes of what it is given, and has a rule for numbers and arrays."""
    rule = lookup(fn)
    if takes_part(fn) or is_in(fn, MAKING):
        return True
    ours = str(getattr(fn, "__module__", None)).startswith("adcompile.")
    if rule is None or ours or rule.kind in ("structure", "explicit", "primitive"):
        return False
    return rule.kind != "constant" or any(fn is f for f in WHOLE) or isinstance(fn, np.ufunc)


def takes_part(fn: Any) -> bool:
    return any(fn is part for part in PARTS)


def checked(
    context: Context, s: Call, carries: Callable[[Atom], bool]
) -> tuple[list[Statement], list[Statement]]:
    """The checks that stand before a call of the function, and behind it."""
    fn = fn_of(s)
    if s.role != "primal" or fn is None:
        return [], []
    before = [*(in_order(context, s, carries) if fn in IN_ORDER else []), *of_rank(context, s)]
    after = of_power(context, s)
    compares = any(fn is c for c in COMPARISONS)
    if not compares and not is_asked(fn):
        return before, after
    given = s.args[:1] if takes_part(fn) else (*s.args, *(v for _, v in s.kwargs))
    found = [a for part in given for a in spread(context, part)]
    if not any(map(carries, found)):
        return before, after
    if not compares:
        check_conversions(s, [Builder(context).type(a) for a in found])
    if str(getattr(fn, "__module__", None)).partition(".")[0] == "numpy":
        check_whole(s, [Builder(context).type(a) for a in found if carries(a)])
    # what carries nothing is a factor of what does
    operands = [a for a in found if is_unseen(context, a)]
    b = Builder(context, s.role, place=s.place)
    if compares and operands:
        b.emit(rt.check_answer, (at(s.place), s.result), Known(None), (), "", s.place)
        return before, b.statements
    if is_in(fn, MAKING) and any(map(carries, s.args)):
        b.emit(rt.check_alone, s.args[:1], Known(None), (), "", s.place)
    if operands:
        check = rt.check_numbers if fn in KEPT else rt.check_plain
        read = [b.real(a) if isinstance(a, Var) else a for a in operands]
        b.emit(check, (at(s.place), *read), Known(None), (), "", s.place)
    if any(fn is f for f in JOINING) and any(may_be_list(context, a) and carries(a) for a in s.args):
        b.emit(rt.check_joined, (at(s.place), *s.args), Known(None), (), "", s.place)
    return [*before, *b.statements], after


def check_conversions(s: Call, operands: list[Type]) -> None:
    """Refuse numbers of a class of the user's that says itself what number they are, or which they equal: NumPy asks
    it where Python's own arithmetic does not."""
    for t in operands:
        cls = t.cls if isinstance(t, Instance) else type(t.value) if isinstance(t, Known) else float
        if says_number(cls):
            raise Unsupported(
                f"a {cls.__name__} in what carries derivatives, whose class says which number it is",
                s.place,
                "make a plain number of it before: float(…) or int(…)",
            )


def check_whole(s: Call, operands: list[Type]) -> None:
    """Refuse dicts and objects with derivatives among what NumPy's functions are given: arrays of them."""
    for t in operands:
        if isinstance(t, (DictT, ObjectT)) or isinstance(t, Instance) and issubclass(t.cls, dict):
            name = "dict" if isinstance(t, DictT) else t.cls.__name__
            message = f"a {name} that holds values with derivatives, in an array of objects"
            raise Unsupported(message, s.place, "go through lists and dicts, and keep the numbers in arrays of floats")


IN_ORDER = (np.concatenate, np.stack, np.place, np.fill_diagonal, operator.setitem)
"""What these store and read may overlap, where they store in order."""


def in_order(context: Context, s: Call, carries: Callable[[Atom], bool]) -> list[Statement]:
    """The check that stands before such a call, where it writes."""
    b, named, args = Builder(context, s.role, place=s.place), dict(s.kwargs), list(s.args)
    if fn_of(s) is np.place and len(args) == 3 and any(map(carries, args)):
        b.emit(rt.check_elements, (at(s.place), args[0], args[2]), Known(None), (), "", s.place)
    elif fn_of(s) is np.fill_diagonal and any(map(carries, args)):
        b.emit(rt.check_some, (at(s.place), args[0], args[1]), Known(None), (), "", s.place)
    elif fn_of(s) is operator.setitem:
        if any(map(carries, args)) and may_be_mask(context, args[1]) and may_be_view(context, args[2]):
            b.emit(rt.check_masked, (at(s.place), *args), Known(None), (), "", s.place)
    elif "out" in named and args and any(map(carries, (args[0], named["out"]))):
        axis = args[1] if len(args) > 1 else named.get("axis", Const(0))
        given = (at(s.place), s.fn, named["out"], args[0], axis)
        b.emit(rt.check_parts, given, Known(None), (), "", s.place)
    return b.statements


def guarded(context: Context, s: Statement) -> Statement:
    """A statement that is not differentiated, with the checks of ranks and powers within its blocks."""
    if isinstance(s, If):
        return replace(s, then=_guarded(context, s.then), orelse=_guarded(context, s.orelse))
    return replace(s, body=_guarded(context, s.body)) if isinstance(s, (For, While)) else s


def _guarded(context: Context, block: Block) -> Block:
    found: list[Statement] = []
    for s in block.statements:
        if isinstance(s, Call):
            found += [*of_rank(context, s), s, *of_power(context, s)]
        else:
            found.append(guarded(context, s))
    return replace(block, statements=tuple(found))


def of_rank(context: Context, s: Call) -> list[Statement]:
    """The checks that stand before a call of the function whose result is of another rank, or is other memory, than its
    type says: the value rests on it, whatever carries derivatives."""
    if s.role != "primal" or fn_of(s) is None:
        return []
    return [*of_unknown_rank(context, s), *of_no_items(context, s)]


def of_unknown_rank(context: Context, s: Call) -> list[Statement]:
    """The check that stands before a call that writes into, or gives a view of, what is an array of unknown rank by its
    type: an item of such a one may be a number, of which the call makes something new."""
    t = Builder(context).type(s.args[0]) if s.args else None
    if not isinstance(t, Array) or t.dims is not None:
        return []
    b, fn = Builder(context, s.role, place=s.place), fn_of(s)
    shows = fn in MAYBE or fn in OVERLAPPING or tells_of_views(fn)
    shows = shows or fn in VIEWS and fn is not ops.identity and fn is not ops.expect_length
    shows = shows or fn is operator.getitem and keeps_axes(s.args[1], context.types)
    written = s.args[0] in context.volatile or s.result in context.volatile
    if fn in AUGMENTED and not puts_back(context, s) or shows and written:
        b.emit(rt.check_array, (at(s.place), s.args[0]), Known(None), (), "", s.place)
    return b.statements


JOINED = (np.concatenate, np.stack, np.hstack, np.vstack, np.dstack, np.column_stack, np.block, np.linalg.multi_dot)
"""These raise for a list of no arrays."""


def of_no_items(context: Context, s: Call) -> list[Statement]:
    """The checks that stand before NumPy makes an array of a list of any length, whose items are arrays or lists: of
    none of them, it has one axis."""
    b, fn = Builder(context, s.role, place=s.place), fn_of(s)
    if is_numerical(fn) or fn in OPERATORS and isinstance(b.type(s.result), Array):
        for k, a in enumerate((*s.args, *(v for _, v in s.kwargs))):
            levels, skipped = levels_of(b.type(a)), 1 if k == 0 and fn in JOINED else 0
            if levels > skipped and holds_rows(b.type(a)):
                b.emit(rt.check_filled, (at(s.place), a, Const(levels), Const(skipped)), Known(None), (), "", s.place)
    return b.statements


def levels_of(t: Type) -> int:
    """How many levels of lists and tuples there are around rows: what an array is made of that has more axes."""
    items = items_of(t)
    return 1 + max(map(levels_of, items)) if any(map(is_row, items)) else 0


def holds_rows(t: Type) -> bool:
    """Whether there is a list of any length among these levels."""
    return isinstance(t, Seq) and is_row(t.item) or any(map(holds_rows, items_of(t)))


def items_of(t: Type) -> tuple[Type, ...]:
    return (t.item,) if isinstance(t, Seq) else t.items if isinstance(t, (ListT, TupleT)) else ()


def is_row(t: Type) -> bool:
    return isinstance(t, (Seq, ListT, TupleT)) or isinstance(t, Array) and t.dims != ()


def puts_back(context: Context, s: Call) -> bool:
    """Whether what is written into is an item that is stored where it was taken from: `y[0] -= x`."""
    made = context.definition.get(s.args[0]) if isinstance(s.args[0], Var) else None
    if made is None or fn_of(made) is not operator.getitem or made.place is None or s.place is None:
        return False
    first, whole = made.place, s.place
    return (first.file, first.line, first.column) == (whole.file, whole.line, whole.column)


def may_be_mask(context: Context, index: Atom) -> bool:
    """Whether an index may be an array of bools by itself, or a list of such."""
    t = Builder(context).type(index)
    if isinstance(t, TupleT):
        return len(t.items) == 1 and isinstance(t.items[0], (Array, Unknown))
    return isinstance(t, (Seq, ListT, Unknown)) or isinstance(t, Array) and t.dtype.kind == "b"


def may_be_view(context: Context, value: Atom) -> bool:
    """Whether a value may be an array that shares memory with another one."""
    if not isinstance(value, Var) or not isinstance(context.types.get(value), (Array, Unknown)):
        return False
    made = context.definition.get(value)
    return not isinstance(made, Call) or may_share(made, context.types)


def spread(context: Context, atom: Atom) -> list[Atom]:
    """A value; of a tuple or list that arrays are made of, its items."""
    if isinstance(atom, Var) and isinstance(context.types.get(atom), (TupleT, ListT)):
        return [a for item in Builder(context).context_items(atom) for a in spread(context, item)]
    return [atom]


def may_be_list(context: Context, atom: Atom) -> bool:
    """Whether a value is a list or tuple of unknown items, or may be one: what arithmetic gives that is checked is
    none."""
    if not isinstance(atom, Var):
        return False
    t = context.types.get(atom)
    if not isinstance(t, Unknown):
        return isinstance(t, Instance) and issubclass(t.cls, (list, tuple))
    made = context.definition.get(atom)
    fn = None if made is None or not isinstance(made.fn, Const) else fn_of(made)
    return takes_part(fn) or getattr(fn, "__module__", None) != operator.add.__module__ and not isinstance(fn, np.ufunc)


def is_unseen(context: Context, atom: Atom) -> bool:
    """Whether a value is of unknown type, and may be an object: what arithmetic gives that is checked is none, unless
    it may be an array of objects."""
    if not isinstance(atom, Var) or not isinstance(context.types.get(atom), Unknown):
        return False
    made = context.definition.get(atom)
    fn = None if made is None or not isinstance(made.fn, Const) else fn_of(made)
    if made is not None and (fn is max or fn is min):
        return any(is_unseen(context, a) or isinstance(Builder(context).type(a), Instance) for a in made.args)
    return fn is None or takes_part(fn) or not is_asked(fn) or may_be_boxes(context, atom)
