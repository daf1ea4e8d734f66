"""Calls that store into arrays, in their normal form: `out=` by keyword, parts of arrays by index."""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis import calls
from adcompile.analysis.binding import there
from adcompile.analysis.builder import Builder
from adcompile.analysis.calls import dispatch, handles
from adcompile.analysis.guards import guard_class
from adcompile.analysis.library import is_of_user
from adcompile.analysis.objects import check_kept, is_generated
from adcompile.analysis.positions import holds_places, with_arrays
from adcompile.analysis.slots import assign, unassign
from adcompile.errors import Place, Unsupported, spot
from adcompile.ir.nodes import Atom, Const, Var
from adcompile.ir.types import Array, Instance, Known, Method, ObjectT, Scalar, Seq, TupleT, Type, Unknown
from adcompile.rules.typing import out_position
from adcompile.runtime.objects import stated

Kwargs = list[tuple[str, Atom]]

IN_PLACE = tuple(
    getattr(np, name) for name in "put place putmask copyto fill_diagonal put_along_axis".split() if hasattr(np, name)
)
"""Functions that are known for what they store, and not followed into their source."""


def with_out(fn: Any, args: list[Atom], kwargs: Kwargs) -> tuple[list[Atom], Kwargs, Atom] | None:
    """The arguments without `out`, the others, and the array given for it by position or name."""
    try:
        place = out_position(fn)
    except TypeError:
        return None
    named = dict(kwargs).get("out")
    out = named if named is not None else args[place] if place is not None and place < len(args) else None
    if out is None or isinstance(out, Const) and out.value is None:
        return None
    rest = [a for i, a in enumerate(args) if named is not None or i != place]
    return rest, [(k, a) for k, a in kwargs if k != "out"], out


def without_no_out(b: Builder, fn: Any, args: list[Atom], kwargs: Kwargs) -> tuple[list[Atom], Kwargs]:
    """`out=None` is as good as none, and so is `where=True` of a ufunc."""
    kwargs = [(k, a) for k, a in kwargs if k != "out" or not is_none(b, a)]
    if isinstance(fn, np.ufunc):
        kwargs = [(k, a) for k, a in kwargs if k != "where" or not (b.known(a) and b.value(a) is True)]
    try:
        place = out_position(fn)
    except TypeError:
        return args, kwargs
    last = place is not None and place == len(args) - 1 and is_none(b, args[place])
    return args[:-1] if last else args, kwargs


def is_none(b: Builder, atom: Atom) -> bool:
    return b.known(atom) and b.value(atom) is None


def call_out(b: Builder, fn: Any, args: list[Atom], kwargs: Kwargs, name: str, place: Place | None) -> Atom | None:
    """`f(…, out=o)`: the result is `o`. Raises Unsupported for several arrays."""
    if isinstance(fn, np.ufunc) and fn.nout > 1 and len(args) > fn.nin:
        raise Unsupported("out= of several arrays", place, "bind the results to names, and write a[...] = … with each")
    found = with_out(fn, args, kwargs)
    if found is None:
        return None
    rest, settings, out = found
    t = b.type(out)
    if isinstance(t, TupleT) and len(t.items) == 1:
        (out,) = b.items(out)
        t = b.type(out)
    if not isinstance(t, Array):
        return None
    of_number = bool(rest) and not isinstance(b.type(rest[0]), (Array, Unknown))
    if not t.dims and not isinstance(fn, np.ufunc) and (of_number or fn in (np.dot, np.ndarray.dot)):
        message = "out= of an array without axes, of a call that gives a number beside"
        raise Unsupported(message, place, "write o[...] = f(…)")
    return b.emit(fn, rest, t, [*settings, ("out", out)], name, place)


def _register(fn: Any) -> None:
    @handles(fn)
    def store(b: Builder, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom:
        return b.emit(fn, args, Known(None), kwargs, name, place)


for _fn in IN_PLACE:
    _register(_fn)


calls.call_out = call_out
calls.without_no_out = without_no_out


@handles(operator.setitem)
def set_flat(b: Builder, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """`a.flat[index] = v`; and `a[[i, j]] = v`."""
    owner = b.context.flat_of.get(args[0])
    if owner is None and isinstance(b.type(args[0]), Array) and holds_places(b, args[1]):
        return dispatch(b, Const(operator.setitem), [args[0], with_arrays(b, args[1], place), args[2]], [], name, place)
    if owner is None:
        return None
    index: Atom = args[1]
    check_flat(b, owner, args[2], place, rt.check_some)
    if not isinstance(b.type(index), (Scalar, Known)) or isinstance(b.type(index), Known) and not is_number(b, index):
        index = b.call(operator.getitem, b.call(np.arange, b.call(np.size, owner)), index, place=place)
    return b.call(np.put, owner, index, args[2], place=place)


@handles(np.ndarray.put)
def put_by_method(b: Builder, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """`a.put(…)` is `np.put(a, …)`, which lets the last of several values for one place count."""
    named = {"indices": "ind", "values": "v"}
    if not isinstance(b.type(args[0]), Array):
        return None
    return dispatch(b, Const(np.put), args, [(named.get(k, k), a) for k, a in kwargs], name, place)


def check_flat(
    b: Builder, owner: Atom, value: Atom, place: Place | None, check: Callable[..., None] = rt.check_elements
) -> None:
    """`a.flat` stores element after element, where `np.put` reads all values first."""
    if isinstance(b.type(value), (Array, Unknown)):
        b.emit(check, (Const(spot(place)), owner, value), Known(None), (), "", place)


def is_number(b: Builder, index: Atom) -> bool:
    return isinstance(b.value(index), (int, np.integer)) and not isinstance(b.value(index), (bool, np.bool_))


REMADE = {
    "shape": "bind the name anew: a = a.reshape(…)",
    "dtype": "bind the name anew: a = a.view(…), or a.astype(…) for the same values",
    "strides": "bind the name anew: a = np.broadcast_to(a, …), a[::2] or the like",
}
"""Attributes whose assignment makes an array another one."""


@handles(np.ndarray.resize)
def resize(b: Builder, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    remedy = "bind the name anew: a = np.resize(a, …), or np.concatenate([a, np.zeros(…)])"
    raise Unsupported("a.resize(…) changes the array under all its names", place, remedy)


def unseen(t: Type, place: Place | None) -> Unsupported:
    """What is known of an object by its type would not see the write."""
    return Unsupported(
        f"an attribute is set of a {getattr(t, 'cls', object).__name__} that a recursive function returns or is given",
        place,
        "let the function return the values, and make the object where it is called",
    )


@handles(setattr)
def set_part(b: Builder, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """`z.real = v`, `z.imag = v`, `a.flat = v` of an array. Raises Unsupported for what makes it another
    one under all its names: the types that have been found would not hold."""
    if len(args) == 3 and isinstance(b.type(args[0]), Method):
        raise Unsupported(
            "an attribute is set of a functools.partial or the like", place, "keep the value under a name of its own"
        )
    if isinstance(b.type(args[0]), ObjectT):
        raise unseen(b.type(args[0]), place)
    if len(args) == 3 and b.known(args[1]):
        check_kept(b.value(args[1]), place)
    if len(args) != 3 or not isinstance(b.type(args[0]), Array) or not b.known(args[1]):
        if len(args) == 3 and set_by_class(b, args, stated(met_class(b, args[0]), "__setattr__"), place):
            return Const(None)
        return assign(b, args[0], args[1], args[2], place) if len(args) == 3 else None
    attribute = b.value(args[1])
    if attribute in REMADE:
        raise Unsupported(f"a.{attribute} = … changes the array under all its names", place, REMADE[attribute])
    if not isinstance(args[0], Var) or attribute not in ("real", "imag", "flat"):
        return None
    if b.value(args[1]) == "flat":
        check_flat(b, args[0], args[2], place)
        return b.call(np.put, args[0], b.call(np.arange, b.call(np.size, args[0])), args[2], place=place)
    part = b.call(getattr, args[0], args[1])
    return b.call(operator.setitem, part, Const(Ellipsis), args[2], place=place)


def met_class(b: Builder, owner: Atom) -> type:
    """The user's class of an object that is not taken apart."""
    t = b.type(owner)
    return t.cls if isinstance(t, Instance) and is_of_user(t.cls) else object


def set_by_class(b: Builder, args: list[Atom], setter: Any, place: Place | None) -> bool:
    """Follow what code of the user's does where an attribute of an object is set: `__setattr__` of its class, a
    property's setter, `__set__` of a descriptor."""
    cls = met_class(b, args[0])
    if isinstance(setter, FunctionType):
        home = next(c for c in cls.__mro__ if "__setattr__" in vars(c))
        if is_generated(home, setter):
            return False
        guard_class(b, cls, "__setattr__", Known(setter))
        b.dispatch(Const(setter), list(args), [])
        return True
    found = stated(cls, b.value(args[1])) if b.known(args[1]) and cls is not object else None
    sets = found.fset if isinstance(found, property) else stated(type(found), "__set__")
    if not isinstance(sets, FunctionType):
        return False
    guard_class(b, cls, b.value(args[1]), Known(found))
    by = [] if isinstance(found, property) else [there(b, found, "", place)]
    b.dispatch(Const(sets), [*by, args[0], args[2]], [])
    return True


@handles(object.__setattr__)
def set_plainly(b: Builder, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """What `__setattr__` of the user's calls to set an attribute."""
    if len(args) != 3 or met_class(b, args[0]) is object:
        return None
    if set_by_class(b, args, None, place):
        return Const(None)
    return assign(b, args[0], args[1], args[2], place)


@handles(delattr)
def delete_part(b: Builder, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """`del C.x` of a class, function or module."""
    if isinstance(b.type(args[0]), ObjectT):
        raise unseen(b.type(args[0]), place)
    return unassign(b, args[0], args[1], place) if len(args) == 2 else None


@handles(operator.imatmul)
def matmul_in_place(b: Builder, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """`a @= b` of arrays writes into `a`; of others it is `a = a @ b`."""
    t = b.type(args[0])
    return b.emit(operator.imatmul, args, t, kwargs, name, place) if isinstance(t, Array) else None


def _rebinds(name: str) -> None:
    inplace, plain = getattr(operator, f"i{name}"), getattr(operator, f"{name}_" if name in ("and", "or") else name)

    @handles(inplace)
    def rebound(b: Builder, args: list[Atom], kwargs: Kwargs, place: Place | None, hint: str) -> Atom | None:
        """`t += u` of a tuple or number, which has no such method, is `t = t + u`: a number may become an array."""
        t = b.type(args[0])
        if isinstance(t, Scalar):
            return dispatch(b, Const(plain), args, kwargs, hint, place)
        cls = t.cls if isinstance(t, (TupleT, Seq)) else type(t.value) if isinstance(t, Known) else None
        known = cls is not None and not hasattr(cls, f"__i{name}__")
        return dispatch(b, Const(plain), args, kwargs, hint, place) if known else None


for _name in "add sub mul truediv floordiv mod pow and or xor lshift rshift".split():
    _rebinds(_name)

OPERATORS = (
    "getitem setitem iadd isub imul itruediv ifloordiv imod ipow imatmul iand ior ixor ilshift irshift "
    "add sub mul truediv floordiv mod pow matmul neg pos abs"
)
"""The operators whose methods of arrays may be called by name: `a.__iadd__(b)`."""


def _spelled_out(method: Any, fn: Any) -> None:
    @handles(method)
    def operator_of(b: Builder, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
        return None if kwargs or not isinstance(b.type(args[0]), Array) else b.call(fn, *args, place=place)


for _name in OPERATORS.split():
    _spelled_out(getattr(np.ndarray, f"__{_name}__"), getattr(operator, _name))
