"""What crosses between the user and generated code: types exact, memory owned, input checked.

Gradients that leave have the type, shape and dtype of what they are the gradient of, are
writable, and share memory with nothing that anybody else can reach. Tangents and cotangents that
enter are checked against the primal and copied, so that generated code may accumulate into them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from adcompile import tangents
from adcompile.errors import NotDifferentiable, RuleError
from adcompile.ir.abstract import is_followed
from adcompile.runtime.arrays import add
from adcompile.runtime.detaching import replica
from adcompile.runtime.memory import is_outline
from adcompile.runtime.native import OWNERS
from adcompile.runtime.objects import attributes, blank, build_object, set_attribute
from adcompile.runtime.shadows import groups_of, shows_twice
from adcompile.runtime.structure import made_of, parts_of
from adcompile.spaces import Inert, Registered, holds_cycle, is_hollow, keys_of, shown, space_of
from adcompile.tangents import ArraySpace, Cycle, NoTangent, Product, Record, is_absent

getrefcount: Callable[[Any], int] = sys.getrefcount


def _references(raw: Any, i: Any) -> int:
    item = raw[i]
    return getrefcount(item)


def _base_references(raw: Any, i: Any) -> int:
    item = raw[i]
    base = item.base
    return getrefcount(base)


# What the two functions count for an array, or a container of arrays, that nobody else holds, under this interpreter.
ALONE = _references([np.empty(1)], 0)
BASE_ALONE = _base_references([np.empty((1, 2)).T], 0)


def is_owned(raw: Any, i: Any, shown: Mapping[int, int] = MappingProxyType({})) -> bool:
    """Whether the array `raw[i]` is writable and its memory can be reached through `raw` alone; `shown`: how many
    arrays there show memory that a kernel has made, by its address."""
    array = raw[i]
    if getrefcount(array) > ALONE:
        return False
    base = array.base
    if base is None:
        return bool(array.flags.owndata and array.flags.writeable)
    if type(base) in OWNERS:
        found = OWNERS[type(base)](base)
        return found is not None and found[1] <= shown.get(found[0], 1) and array.flags.writeable
    # whether it is writable comes last: NumPy warns of that question about the parts of broadcast_arrays
    own_base = type(base) is np.ndarray and base.base is None and getrefcount(base) <= BASE_ALONE
    return own_base and array.flags.writeable


def own(raw: Any, i: Any) -> Any:
    """The array `raw[i]`, or a copy of it if anybody else can reach its memory."""
    return raw[i] if is_owned(raw, i) else raw[i].copy()


def shown_in(value: Any) -> dict[int, int]:
    """By the address of memory that a kernel has made: how many arrays in tuples, lists and dicts show it."""
    out: dict[int, int] = {}
    work, met = [value] if OWNERS else [], set[int]()
    while work:
        v = work.pop()
        if type(v) is np.ndarray:
            made = OWNERS.get(type(v.base))
            found = None if made is None or id(v) in met else made(v.base)
            if found is not None:
                out[found[0]] = out.get(found[0], 0) + 1
                met.add(id(v))
        elif tangents.is_container(v):
            work.extend(v.values() if type(v) is dict else v)
    return out


def own_tree(
    raw: Any, i: Any, memo: dict[int, Any] | None = None, shown: Mapping[int, int] | None = None, ours: bool = True
) -> Any:
    """`raw[i]` with every array in its tuples, lists and dicts owned; the containers are new.

    One array held twice stays one array. Copies have the strides of what they are copies of: what a pullback
    computes again of them depends on that. `ours`: whether nobody else holds a container on the way to `raw[i]`; the
    arrays in a list that somebody else holds too are his, though only the list holds them.
    """
    memo = {} if memo is None else memo
    shown = shown_in(raw[i]) if shown is None else shown
    if type(raw[i]) is np.ndarray:  # no local name may hold the array while its owners are counted
        key = id(raw[i])
        if key not in memo:
            owned = ours and is_owned(raw, i, shown) or is_outline(raw[i])
            memo[key] = raw[i] if owned else replica(raw[i])
        return memo[key]
    value = raw[i]
    if not tangents.is_container(value):
        return value
    ours = ours and getrefcount(value) <= ALONE
    keys = list(value) if type(value) is dict else range(len(value))
    return tangents.rebuild(value, [own_tree(value, k, memo, shown, ours) for k in keys])


def apart(raw: Any, i: Any, seen: set[int]) -> Any:
    """`raw[i]` with every array in its tuples, lists and dicts owned, and none of them twice."""
    if type(raw[i]) is np.ndarray:
        array = own(raw, i)
        if id(array) in seen:
            array = array.copy()
        seen.add(id(array))
        return array
    value = raw[i]
    if not tangents.is_container(value):
        return value
    keys = list(value) if type(value) is dict else range(len(value))
    return tangents.rebuild(value, [apart(value, k, seen) for k in keys])


# -- leaving ------------------------------------------------------------------------------------


def project(raw: Any, i: Any, space: Any, seen: set[int] | None = None, around: tuple[Any, ...] = ()) -> Any:
    """The gradient (or tangent) `raw[i]` as the user gets it: of the type `space`, None where
    there is no tangent. `seen` are the arrays handed out so far, `around` is what it is a part of.

    A complex gradient is conjugated by the caller, before.
    """
    seen = set() if seen is None else seen
    if isinstance(space, ArraySpace):
        array = project_array(raw, i, space)
        if id(array) in seen:
            array = array.copy()
        seen.add(id(array))
        return array
    if isinstance(space, Record):
        held = {} if is_absent(raw[i]) else attributes(raw[i])
        held = {key: held.get(key) for key in space.keys}
        made = blank(space.of)
        parts = {k: project(held, k, s, seen, (*around, made)) for k, s in zip(space.keys, space.items)}
        if isinstance(space, Registered):  # its class says how
            given = {k: parts.get(k) for k in space.parts}
            return made_of(space.like, {k: NoTangent if g is None else g for k, g in given.items()})
        for name, part in parts.items():
            set_attribute(made, name, part)
        return made
    if isinstance(space, Cycle):
        return around[-space.levels]
    if not isinstance(space, Product):
        return None if space is NoTangent or isinstance(space, Inert) else project_scalar(raw[i], space)
    keys = keys_of(space)
    value = dict.fromkeys(keys) if is_absent(raw[i]) else raw[i]
    return container(space, [project(value, k, s, seen, (*around, None)) for k, s in zip(keys, space.items)])


def container(space: Product, parts: list[Any]) -> Any:
    """A container of the class of `space` with these items."""
    if space.keys is not None:
        return dict(zip(space.keys, parts))
    return space.cls(parts) if space.cls in (tuple, list) else tuple.__new__(space.cls, parts)


def gathered(raw: Sequence[Any], spaces: Sequence[Any]) -> Sequence[Any]:
    """Cotangents in which what an object that holds itself has got as a part of itself is added to
    what it has got as the whole."""
    if not any(map(holds_cycle, spaces)):
        return raw
    return [_gathered(raw[k], space) if holds_cycle(space) else raw[k] for k, space in enumerate(spaces)]


Way = tuple[Any, ...]  # keys and attributes, from the outside


def _gathered(raw: Any, space: Any) -> Any:
    totals: dict[Way, Any] = {}

    def visit(g: Any, s: Any, way: Way, spaces: tuple[Any, ...], around: frozenset[int]) -> None:
        if isinstance(s, Cycle):
            n = len(way) - s.levels
            visit(g, spaces[n], way[:n], spaces[:n], around)
        elif is_absent(g) or isinstance(s, (Product, Record)) and (id(g) in around or isinstance(g, (int, float))):
            return  # zeros of what holds itself hold themselves
        elif isinstance(s, (Product, Record)):
            held = attributes(g) if isinstance(s, Record) else g
            for key, part in zip(keys_of(s), s.items):
                if part is not NoTangent and (isinstance(s, Product) or key in held):
                    visit(held[key], part, (*way, key), (*spaces, s), around | {id(g)})
        else:
            totals[way] = add(totals[way], g) if way in totals else g

    def built(s: Any, way: Way) -> Any:
        if isinstance(s, Record):
            return build_object(s.of, s.keys, *[built(part, (*way, k)) for k, part in zip(s.keys, s.items)])
        if isinstance(s, Product):
            return container(s, [built(part, (*way, k)) for k, part in zip(keys_of(s), s.items)])
        return totals.get(way)

    visit(raw, space, (), (), frozenset())
    return built(space, ())


def project_scalar(g: Any, cls: type) -> Any:
    """A number as an instance of `cls`; the imaginary part goes where `cls` is real."""
    if type(g) is cls:
        return g
    if is_absent(g):
        return cls(0)
    if np.shape(g) != ():
        raise RuleError(f"the gradient of a {cls.__name__} has shape {np.shape(g)}")
    g = np.asarray(g)[()]
    real = not issubclass(cls, (complex, np.complexfloating))
    return cls(g.real if real and np.iscomplexobj(g) else g)


def project_array(raw: Any, i: Any, primal: np.ndarray[Any, Any] | ArraySpace) -> np.ndarray[Any, Any]:
    """The gradient `raw[i]` of an array, owned, with its shape and dtype."""
    g = raw[i]
    if type(g) is np.ndarray and g.dtype == primal.dtype and g.shape == primal.shape:
        del g
        return own(raw, i)
    if is_absent(g):
        return np.zeros(primal.shape, primal.dtype)
    if np.shape(g) != primal.shape:
        raise RuleError(f"the gradient of an array of shape {primal.shape} has shape {np.shape(g)}")
    if np.iscomplexobj(g) and primal.dtype.kind == "f":
        g = np.real(g)
    return np.array(g, primal.dtype)


# -- entering -----------------------------------------------------------------------------------


Around = tuple[Any, ...]
"""What a part is in, from the outside: what the user passed, and what is made of it."""


def accept(given: Any, space: Any, what: str, around: Around = (), forward: bool = False) -> Any:
    """A tangent of this space from what the user passed: checked, converted, in memory of its
    own; None where there is no tangent. None for what has one stands for zero.

    What holds itself has a tangent that does so too (`forward`); the cotangent of what it holds is
    that of the whole alone. Raises NotDifferentiable (a TypeError) that names the part that does not fit.
    """
    if isinstance(space, Cycle):
        whole, made = around[-space.levels]
        if not is_absent(given) and given is not whole:
            raise NotDifferentiable(f"{what} is not the object that it is a part of", remedy="pass that, or None")
        return made if forward else None
    if is_hollow(space):
        if not is_absent(given) and tangents.leaves(_spread(given)):
            raise NotDifferentiable(f"{what} belongs to a value that has none", remedy="pass None")
        given = None
        if space is NoTangent:
            return None
        if isinstance(space, Inert):
            return accept(None, space.space, what, around, forward)
    if isinstance(space, Product):
        return _accept_container(given, space, what, around, forward)
    if isinstance(space, Record):
        return _accept_object(given, space, what, around, forward)
    if is_absent(given):
        return np.zeros(space.shape, space.dtype) if isinstance(space, ArraySpace) else space(0)
    if isinstance(space, ArraySpace):
        return _accept_array(given, space, what)
    if np.shape(given) != () or isinstance(given, (list, tuple, dict)):
        raise NotDifferentiable(f"{what} has type {_kind(given)} where a {space.__name__} is needed")
    _check_cast(np.asarray(given).dtype, np.dtype(space), what)
    return space(given)


def _spread(given: Any) -> Any:
    return given if is_absent(given) or tangents.is_container(given) else (given,)


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} array of shape {value.shape}"
    return type(value).__name__


def _check_cast(given: np.dtype[Any], wanted: np.dtype[Any], what: str) -> None:
    if given.kind not in "biufc" or (given.kind == "c" and wanted.kind != "c"):
        remedy = "pass its real part" if given.kind == "c" else ""
        raise NotDifferentiable(f"{what} has dtype {given} where {wanted} is needed", remedy=remedy)


def _accept_array(given: Any, space: ArraySpace, what: str) -> Any:
    if isinstance(given, (list, tuple, dict)) or np.shape(given) != space.shape:
        raise NotDifferentiable(
            f"{what} is a {_kind(given)} where a {space.dtype} array of shape {space.shape} is needed"
        )
    array = np.asarray(given)
    _check_cast(array.dtype, space.dtype, what)
    return array.astype(space.dtype)


def _accept_container(given: Any, space: Product, what: str, around: Around, forward: bool) -> Any:
    n = len(space.items)
    names = keys_of(space)
    if is_absent(given):
        items: list[Any] = [None] * n
    elif type(given) is not space.cls or len(given) != n or (space.keys is not None and set(given) != set(space.keys)):
        raise NotDifferentiable(
            f"{what} is a {_kind(given)} that has not the structure of the {space.cls.__name__} it belongs to",
            remedy=f"pass a {space.cls.__name__} with {n} items, None where an item has no tangent",
        )
    else:
        items = [given[k] for k in names]
    inner = (*around, (given, None))
    pairs = zip(items, space.items, names)
    return container(space, [accept(i, s, f"{what}[{name!r}]", inner, forward) for i, s, name in pairs])


def _accept_object(given: Any, space: Record, what: str, around: Around, forward: bool) -> Any:
    if not is_absent(given) and type(given) is not space.of:
        raise NotDifferentiable(
            f"{what} is a {_kind(given)} where a {space.of.__name__} with tangents for attributes is needed",
            remedy="make one with object.__new__, or take it from adcompile.tangents.zeros_like",
        )
    held: Any = {}
    if not is_absent(given):
        held = parts_of(given) if isinstance(space, Registered) else attributes(given)
    made = blank(space.of)
    for k, s in zip(space.keys, space.items):
        part = None if isinstance(s, Inert) else held.get(k)
        set_attribute(made, k, accept(part, s, f"{what}.{k}", (*around, (given, made)), forward))
    return made


def check_buffers(buffers: Any, spaces: list[Any]) -> None:
    """Whether gradients of these spaces can be added to the buffers in place; None stands for none.

    Raises TypeError for one of another structure, shape or dtype, ValueError for arrays that are
    read-only or share memory.
    """
    arrays: list[np.ndarray[Any, Any]] = []
    for i, (buffer, space) in enumerate(zip(buffers, spaces)):
        if buffer is None:
            continue
        if not _grows(space) or shown(space_of(buffer)) != shown(space):
            raise TypeError(f"out[{i}] is a {_kind(buffer)}, to which this gradient cannot be added: {_wanted(space)}")
        arrays += [a for a in tangents.leaves(buffer) if type(a) is np.ndarray]
    if not all(a.flags.writeable for a in arrays):
        raise ValueError("a buffer in out is read-only")
    if len(groups_of(arrays)) < len(arrays) or any(shows_twice(a) for a in arrays):
        raise ValueError("buffers in out share memory: the gradients would be added to each other")


def _grows(space: Any) -> bool:
    """Whether a tangent can be added to another one of its space in place."""
    if isinstance(space, Product) and space.cls not in (list, dict):
        return all(item is NoTangent or _grows(item) for item in space.items)
    return isinstance(space, (ArraySpace, Product, Record)) and not isinstance(space, Registered)


def _wanted(space: Any) -> str:
    if isinstance(space, ArraySpace):
        return f"pass a {space.dtype} array of shape {space.shape}"
    return "pass what has the structure of the gradient" if _grows(space) else "pass None; numbers are returned"


def any_complex(t: Any) -> bool:
    """Whether there is anything in a tangent that `conj` changes."""
    work, seen = [t], set[int]()
    while work:
        t = work.pop()
        if isinstance(t, (complex, np.complexfloating)) or type(t) is np.ndarray and t.dtype.kind == "c":
            return True
        if tangents.is_container(t):
            work += tangents.children(t)
        elif is_followed(type(t)) and id(t) not in seen:
            seen.add(id(t))  # zeros may hold themselves
            work += attributes(t).values()
    return False


def conj(t: Any, met: dict[int, Any] | None = None) -> Any:
    """Complex leaves conjugated, in new memory; the rest as it is. None stays None. `met`: the objects so far."""
    met = {} if met is None else met
    if tangents.is_container(t):
        return tangents.rebuild(t, [conj(c, met) for c in tangents.children(t)])
    if is_followed(type(t)):
        if id(t) not in met:
            met[id(t)] = blank(type(t))
            for name, item in attributes(t).items():
                set_attribute(met[id(t)], name, conj(item, met))
        return met[id(t)]
    if isinstance(t, (complex, np.complexfloating)):
        return t.conjugate()
    if type(t) is np.ndarray and t.dtype.kind == "c":
        return np.asarray(np.conj(t))
    return t


# -- batches of tangents ------------------------------------------------------------------------


def batch_length(given: Any) -> int | None:
    """How many tangents a batch has: the length of the first axis of the first array; None without any."""
    if is_absent(given):
        return None
    if tangents.is_container(given):
        return next((n for n in map(batch_length, tangents.children(given)) if n is not None), None)
    shape = np.shape(given)
    if not shape:
        raise NotDifferentiable(
            f"a {_kind(given)} where a batch of tangents is needed", remedy="put an axis in front: np.array([tangent])"
        )
    return int(shape[0])


def none_of(batch: Any) -> Any:
    """The batch of no tangents like these."""
    if tangents.is_container(batch):
        return tangents.rebuild(batch, [none_of(item) for item in tangents.children(batch)])
    return None if batch is None else batch[:0].copy()
