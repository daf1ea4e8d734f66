"""Which calls give views of what they are given, which copies, and which either."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.mutation import AUGMENTED, FRESH_RESULT, FUNCTIONS, ITEM_WRITES, METHODS, SHARING, is_call_of
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Var
from adcompile.ir.types import Array, Known, ListT, Scalar, Seq, SliceT, TupleT, Type, is_scalar_class, widen
from adcompile.rules.registry import lookup

LOST: set[Any] = {
    np.broadcast_arrays, np.ix_, np.ndarray.view, np.ndarray.flat,
    np.lib.stride_tricks.as_strided, np.lib.stride_tricks.sliding_window_view,
}  # fmt: skip
"""Views whose shadow would not be the same view of the shadow."""

ABOUT_MEMORY: set[Any] = {rt.mirrored, rt.followed, rt.unless_shared, rt.last_writes, rt.shares, rt.is_writable}
"""What asks of its arguments where they lie in memory: copies would not do."""


def fn_of(s: Call) -> Any:
    """The callable of a call, where it is known and can be looked up."""
    if not isinstance(s.fn, Const):
        return None
    try:
        hash(s.fn.value)
    except TypeError:
        return None
    return s.fn.value


def named(owner: Any, names: str) -> set[Any]:
    """Those of the attributes that this version of NumPy has."""
    return {getattr(owner, n) for n in names.split() if hasattr(owner, n)}


VIEWS: set[Any] = {
    *(ops.identity, ops.expect_length, rt.diagonal_of),
    *named(np.ndarray, "T mT transpose swapaxes squeeze real"),
    *named(np, "transpose swapaxes moveaxis rollaxis flip fliplr flipud rot90 squeeze expand_dims"),
    *named(np, "atleast_1d atleast_2d atleast_3d split array_split hsplit vsplit dsplit unstack permute_dims"),
    *named(np, "matrix_transpose"),
    *named(np.linalg, "matrix_transpose"),
}
"""A view of the first argument, whatever its layout, or views in a list."""

OF_ALL = (np.broadcast_arrays, np.ix_, np.meshgrid, np.atleast_1d, np.atleast_2d, np.atleast_3d)
"""Views of each argument."""

OVERLAPPING: set[Any] = {np.broadcast_to, np.lib.stride_tricks.sliding_window_view}
"""A view of the first argument that shows elements at several places, and cannot be written into."""

SAME_MEMORY: set[Any] = VIEWS | AUGMENTED | {
    ops.push, ops.pop, ops.put_item, ops.list_set, ops.list_concat, ops.build_list, ops.build_tuple,
    list, list.copy, tuple,
}  # fmt: skip
"""The result is, or consists of, memory of the arguments."""


def may_share(s: Call, types: Any) -> bool:
    """Whether the result may share memory with the arguments."""
    fn = fn_of(s)
    if fn is None or any(k == "out" for k, _ in s.kwargs):
        return True
    if of_number(s, types) or lists_numbers(s, types):
        return False
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
        return may_view(s, types) or shows_diagonal(s, types)
    if fn in SHARING or fn in AUGMENTED or fn in SAME_MEMORY:
        return True
    rule = lookup(fn)
    return rule is None or rule.view


def lists_numbers(s: Call, types: Any) -> bool:
    """Whether a call makes lists of an array's numbers, which are nobody else's; objects would be the array's."""
    t = types.get(s.args[0]) if is_call_of(s, np.ndarray.tolist) and isinstance(s.args[0], Var) else None
    return isinstance(t, Array) and not t.dtype.hasobject


def of_number(s: Call, types: Any) -> bool:
    """Whether a call makes an array of a number, which has no memory to share: `s[None]`, `np.atleast_1d(2.0)`."""
    fn = fn_of(s)
    if not s.args or not (fn is operator.getitem or fn in VIEWS or fn in MAYBE or fn in COPYING):
        return False
    given = s.args if fn in OF_ALL else s.args[:1]
    return all(is_scalar_class(type(a.value)) if isinstance(a, Const) else isinstance(types[a], Scalar) for a in given)


MAYBE: set[Any] = {
    *(np.reshape, np.ravel, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.require),
    *(np.diagonal, np.diag, np.linalg.diagonal, np.einsum, np.real, np.imag, np.real_if_close, np.diff, rt.followed),
    *(np.linalg.matrix_power, *(np.dtype(code).type for code in np.typecodes["AllInteger"] + np.typecodes["AllFloat"])),
    rt.like,
    *named(np.ndarray, "reshape ravel diagonal conj conjugate imag"),
}
"""What gives a view or a copy, as the layout, the dtype or the other arguments want."""

NONE_AT_TIMES: dict[Any, str] = {np.diff: "n", np.polyder: "m", np.polyint: "m"}
"""What gives its argument back where it is asked to do nothing, and the parameter that says how often."""
MAYBE.update(NONE_AT_TIMES)

COPYING: dict[Any, int] = {
    np.array: 99, np.ndarray.astype: 5, np.meshgrid: 99, np.nan_to_num: 1, **dict.fromkeys(named(np, "astype"), 99),
}  # fmt: skip
"""Calls with a parameter `copy`, and its position: without it, or if it is true, the result is fresh."""


def may_view(s: Call, types: Any) -> bool:
    """Whether the run time decides if the result of a call is a view; lists have no memory to share."""
    fn, named_arguments = fn_of(s), {k for k, _ in s.kwargs}
    listed = bool(s.args) and isinstance(s.args[0], Var) and isinstance(types[s.args[0]], (Seq, ListT, TupleT))
    if listed and (fn in MAYBE or fn in COPYING):
        return False
    if fn in COPYING:
        return not copies(s)
    if fn is np.einsum:
        return only_operand(s, types) is not None
    if fn in NONE_AT_TIMES:
        return len(s.args) > 1 or NONE_AT_TIMES[fn] in named_arguments
    if shows_diagonal(s, types) or fn is np.diag and is_vector(s, types):
        return False
    return fn in MAYBE or tells_of_views(fn)


DIAGONAL = (np.diagonal, np.ndarray.diagonal, np.diag)


def shows_diagonal(s: Call, types: Any) -> bool:
    """Whether a call gives a view of the diagonals of an array, which nobody can write into."""
    t = types[s.args[0]] if fn_of(s) in DIAGONAL and s.args and isinstance(s.args[0], Var) else None
    return isinstance(t, Array) and t.dims is not None and len(t.dims) > 1


def is_vector(s: Call, types: Any) -> bool:
    """Whether what a call is given first has one axis: of such, np.diag makes a matrix in memory of its own."""
    t = types[s.args[0]] if s.args and isinstance(s.args[0], Var) else None
    return isinstance(t, Array) and t.dims is not None and len(t.dims) == 1


def only_operand(s: Call, types: Any) -> Atom | None:
    """What np.einsum is given, with a string or with lists of axes, if it is one array."""
    first = s.args[0] if s.args else None
    if isinstance(first, Var) and isinstance(types[first], Array):
        return first if len(s.args) < 4 else None
    return s.args[1] if len(s.args) == 2 else None


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


def told_writeable(s: Call) -> bool:
    """Whether a view that shows elements at several places is made to be written into."""
    told = [a for k, a in s.kwargs if k == "writeable"]
    return any(not isinstance(a, Const) or a.value for a in told)


def is_same_numbers(s: Call, types: Any) -> bool:
    """Whether `a.view(dtype)` divides memory into the same numbers: complex ones and their parts."""
    if fn_of(s) is not np.ndarray.view or not isinstance(s.args[0], Var):
        return False
    t, made = types[s.args[0]], types[s.result]
    return isinstance(t, Array) and isinstance(made, Array) and cell(t.dtype) == cell(made.dtype)


def cell(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype itself, or that of the parts of a complex one."""
    return np.real(np.empty(0, dtype)).dtype if dtype.kind == "c" else dtype


def index_kind(index: Atom, types: Any) -> str:
    """Whether `a[index]` is a "view", a "copy", or that takes the run time ("maybe")."""
    t = widen(types[index]) if isinstance(index, Var) else Known(index.value)
    if isinstance(t, Seq) and t.cls is tuple:
        return kind_of_index(widen(t.item))  # as many of these as the tuple has items
    return kind_of_index(t)


def item_kind(s: Call, types: Any) -> str:
    """The same of `s`, which reads an item of an array: where the number of axes is not known, a number
    may come out, which is a copy."""
    kind, t = index_kind(s.args[1], types), types.get(s.result)
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
    elif isinstance(t, Seq) and t.cls is tuple:
        parts = (t.item,)
    return not all(is_number(p) for p in parts)


def is_number(part: Type) -> bool:
    """Whether a part of an index may be a number, which takes one axis away."""
    if isinstance(part, Known):
        return isinstance(part.value, (int, np.integer))
    return not isinstance(part, (SliceT, Array, ListT, TupleT, Seq))


def is_tuple_part(part: Type) -> bool:
    """Whether a part of an index is a tuple, which stands there for a list of positions."""
    return isinstance(part, TupleT) or isinstance(part, Known) and isinstance(part.value, tuple)


def kind_of_index(t: Type) -> str:
    match t:
        case TupleT(items):
            return kind_of_parts("copy" if is_tuple_part(i) else kind_of_index(widen(i)) for i in items)
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
        return kind_of_parts("copy" if isinstance(v, tuple) else kind_of_value(v) for v in value)
    if isinstance(value, (bool, np.bool_, list, np.ndarray)):
        return "copy"
    return "view" if value is None or value is Ellipsis or isinstance(value, (int, np.integer, slice)) else "maybe"
