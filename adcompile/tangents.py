"""The tangent vector space of every value: one tangent type per primal type.

    float                      float                 numpy.float32      numpy.float32
    complex                    complex               inexact ndarray    same shape and dtype
    int, bool, str, None, …    NoTangent             int ndarray        NoTangent
    tuple, namedtuple, list, dict, plain object, closure
                               the same of tangents; NoTangent if all are

The tangent of an object is an object of its class, made without `__init__`, that holds the tangents
of its attributes; that of a closure is the same function over tangents of what it captured. Parts
that are one (a list named twice, arrays that share memory, cycles) have tangents that are one, and
count once in an inner product. `register` tells how instances of another class are taken apart.

Tangents and gradients are of the same type. At the public interface NoTangent is written None, and
wherever a tangent is taken here either is accepted. The inner product is the real one,
`Re Σ conj(s)·t`. Functions that take several raise NotDifferentiable where structures differ.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from adcompile.errors import NotDifferentiable
from adcompile.frozen import frozen
from adcompile.runtime.detaching import replica
from adcompile.runtime.shadows import check_places, counted_once, groups_of, overlaps_itself
from adcompile.runtime.structure import (
    DEEPEST,
    GO,
    InPlace,
    Survey,
    Walk,
    check_leaves,
    children,
    has_tangent,
    is_container,
    is_immutable,
    is_leaf,
    is_namedtuple_class,
    is_number_space,
    parts_of_tangent,
    rebuild,
    register,
    row_of_parts,
)

__all__ = [
    "ArraySpace", "Cycle", "NoTangent", "NoTangentType", "Product", "Record",
    "tangent_type", "has_tangent", "register",
    "zeros_like", "randn_like", "add", "add_", "zero_", "scale", "dot", "norm", "add_to_primal",
    "copy", "conj", "allclose", "leaves", "map_tree",
    "is_absent", "is_leaf", "is_number_space", "is_container", "is_namedtuple_class", "children", "rebuild",
]


class NoTangentType:
    """The space that contains only 0: `x + NoTangent is x`; falsy."""

    __slots__ = ()
    _instance: NoTangentType | None = None

    def __new__(cls) -> NoTangentType:
        if cls._instance is None:
            cls._instance = object.__new__(cls)
        return cls._instance

    def __repr__(self) -> str:
        return "NoTangent"

    def __bool__(self) -> bool:
        return False

    def __add__(self, other: Any) -> Any:
        return other

    __radd__ = __add__

    def __mul__(self, other: Any) -> NoTangentType:
        return self

    __rmul__ = __mul__

    def __reduce__(self) -> str:
        return "NoTangent"


NoTangent = NoTangentType()


def is_absent(tangent: Any) -> bool:
    """Whether it stands for a tangent of something that has none."""
    return tangent is None or tangent is NoTangent


@frozen
class ArraySpace:
    """Arrays of one dtype and shape."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]


@frozen
class Product:
    """A tuple, list, dict or namedtuple of class `cls`; `keys` are a dict's."""

    cls: type
    items: tuple[Any, ...]
    keys: tuple[Any, ...] | None = None


@frozen
class Record:
    """Anything else that has parts: an object, by its class; a closure, by its code."""

    of: Any
    items: tuple[Any, ...]
    keys: tuple[Any, ...]


@frozen
class Cycle:
    """The space that stands so many levels further out: a part that holds what it is part of."""

    levels: int


def tangent_type(value: Any) -> Any:
    """The space of the tangents of `value`: a scalar class, ArraySpace, Product, Record or NoTangent.

    Values of one type, structure, shapes and dtypes have the same. Raises NotDifferentiable for
    values nested very deep: their spaces are.
    """
    if is_leaf(value):
        return ArraySpace(value.dtype, value.shape) if type(value) is np.ndarray else type(value)
    return _space(value, Survey(value), {})


def _space(value: Any, survey: Survey, path: dict[int, int]) -> Any:
    if is_leaf(value):
        return tangent_type(value)
    key = id(value)
    if key not in survey.active:
        return NoTangent
    if key in path:
        return Cycle(len(path) - path[key])
    if len(path) >= DEEPEST:
        raise too_deep()
    path[key] = len(path)
    parts = survey.parts[key]
    items = tuple([_space(part, survey, path) for part in parts.values()])
    del path[key]
    if is_container(value):
        return Product(type(value), items, tuple(parts) if type(value) is dict else None)
    return Record(value.__code__ if type(value) is types.FunctionType else type(value), items, tuple(parts))


def too_deep() -> NotDifferentiable:
    message = f"a value nested more than {DEEPEST} levels deep"
    return NotDifferentiable(message, remedy="keep its parts in one list: gradients have the structure of their values")


# --- new tangents ---------------------------------------------------------------------------------


def _made_like(value: Any, leaf: Callable[[Any], Any]) -> Any:
    """A tangent of `value` with leaves made by `leaf`."""
    survey = Survey(value)

    def early(item: Any) -> Any:
        return GO if is_leaf(item) or id(item) in survey.active else NoTangent

    return Walk(leaf, early, of_tangent=False).run(value, survey=survey)


def _zero(x: Any) -> Any:
    return np.zeros(x.shape, x.dtype) if type(x) is np.ndarray else type(x)(0)


def zeros_like(value: Any) -> Any:
    """The zero tangent of `value`, in memory of its own."""
    return _made_like(value, _zero)


def randn_like(value: Any, rng: np.random.Generator) -> Any:
    """A tangent of `value` with standard normal entries; complex ones in both parts."""

    def leaf(x: Any) -> Any:
        shape = np.shape(x)
        draw: Any = rng.standard_normal(shape)
        if np.iscomplexobj(x):
            draw = draw + 1j * rng.standard_normal(shape)
        return np.asarray(draw).astype(x.dtype) if type(x) is np.ndarray else type(x)(draw)

    return _made_like(value, leaf)


# --- arithmetic -----------------------------------------------------------------------------------


def _as(like: Any, value: Any) -> Any:
    """`value` as the class and dtype of `like`: arithmetic on 0-d arrays gives scalars."""
    cls: type = type(like)
    if cls is np.ndarray:
        return np.asarray(value, like.dtype)
    return value if type(value) is cls else cls(value)


def map_tree(fn: Callable[..., Any], tangent: Any, *others: Any) -> Any:
    """`fn` at each leaf of a tangent with the leaves of others of the same structure; absent parts
    stay NoTangent."""

    def early(item: Any, *_: Any) -> Any:
        return NoTangent if is_absent(item) else GO

    def leaf(item: Any, *rest: Any) -> Any:
        check_leaves(item, *[other for other in rest if not is_absent(other)])
        return fn(item, *rest)

    return Walk(leaf, early).run(tangent, *others, survey=None if is_leaf(tangent) else Survey(tangent))


def _sum(a: Any, b: Any) -> Any:
    """The sum of two leaves."""
    check_leaves(a, b)
    return _as(a, a + b)


def _moved(p: Any, t: Any) -> Any:
    """The sum in the layout of the first: what is computed of it gives views and copies as with that."""
    total = _sum(p, t)
    if type(p) is not np.ndarray or p.strides == total.strides or overlaps_itself(p):
        return total
    out = replica(p)
    out.flags.writeable = True
    out[...] = total
    return out


def _either(s: Any, t: Any) -> Any:
    """The sum, if one of two is absent."""
    if is_absent(s):
        return NoTangent if is_absent(t) else t
    return s if is_absent(t) else GO


def add(s: Any, t: Any) -> Any:
    """s + t, in new memory where there is anything to add."""
    walk = Walk(_sum, _either)
    return walk.run(s, t, survey=None if is_leaf(s) else Survey(s))


def scale(factor: float, t: Any) -> Any:
    """factor · t."""
    return map_tree(lambda x: _as(x, factor * x), t)


def add_to_primal(primal: Any, tangent: Any) -> Any:
    """primal + tangent as a value of the primal's type; what has no tangent stays itself."""

    def early(p: Any, t: Any) -> Any:
        return p if is_absent(t) else GO

    walk = Walk(_moved, early, of_tangent=False)
    return walk.run(primal, tangent, survey=None if is_leaf(primal) else Survey(primal))


def copy(t: Any) -> Any:
    """The same tangent in memory of its own."""
    return map_tree(lambda x: x.copy() if isinstance(x, np.ndarray) else x, t)


def conj(t: Any) -> Any:
    """The complex conjugate at every leaf; a real one is returned as it is."""
    return map_tree(lambda x: _as(x, np.conj(x)) if np.iscomplexobj(x) else x, t)


# --- arithmetic in place --------------------------------------------------------------------------


def add_(t: Any, s: Any) -> Any:
    """s added to t: to arrays, lists, dicts and objects in place; returns the sum, which is `t`
    itself unless `t` is a number, absent, of a registered class, or a tuple that holds such."""
    walk = InPlace(_sum, _either)
    result = walk.run(t, s)
    partners: dict[int, list[np.ndarray]] = {}
    for a, b in walk.rows:
        check_leaves(a, b)  # all, before any is written
        partners.setdefault(id(a), []).append(b)
        check_places(a)
    for group in groups_of([a for a, _ in walk.rows]):
        given = [partners[id(a)] for a in group]
        if len(group) > 1 and len(groups_of([b for bs in given for b in bs])) == 1:
            # they overlap on both sides: every sum is of old elements
            sums = [a + bs[0] for a, bs in zip(group, given)]
            for a, total in zip(group, sums):
                np.copyto(a, total)
        else:
            for a, bs in zip(group, given):
                for b in bs:
                    np.add(a, b, out=a, casting="same_kind")
    return result


def zero_(t: Any) -> Any:
    """t made zero, in place as with `add_`; returns the zero tangent."""
    walk = InPlace(_zero, lambda x: NoTangent if is_absent(x) else GO)
    result = walk.run(t)
    for (array,) in walk.rows:
        array[...] = 0
    return result


# --- two tangents ---------------------------------------------------------------------------------


def _pairs(s: Any, t: Any) -> Iterator[tuple[Any, Any]]:
    """The leaves of two tangents side by side, absent parts too. Two parts that are met together
    again are not repeated."""
    todo, seen, alive = [(s, t)], set[tuple[int, int]](), list[Any]()
    while todo:
        a, b = todo.pop()
        parts = None if is_leaf(a) or is_absent(a) or is_absent(b) else parts_of_tangent(a)
        if parts is None or not is_immutable(a):
            key = (id(a), id(b))
            if key in seen and (parts is not None or type(a) is np.ndarray):
                continue
            seen.add(key)
            alive.append((a, b))
        if parts is None:
            yield a, b
        else:
            mine, theirs = row_of_parts((a, b), parts)
            todo.extend((mine[k], theirs[k]) for k in reversed(list(parts)))


def dot(s: Any, t: Any) -> float:
    """The real inner product; 0 where either is absent."""
    total = 0.0
    arrays: list[tuple[np.ndarray, np.ndarray]] = []
    for a, b in _pairs(s, t):
        if is_absent(a) or is_absent(b):
            continue
        check_leaves(a, b)
        if type(a) is np.ndarray:
            arrays.append((a, b))
        else:
            total += float(np.real(np.conj(a) * b))
    for group in groups_of([a for a, _ in arrays]) if len(arrays) > 1 else [[a] for a, _ in arrays]:
        held = {id(a) for a in group}
        total += _dot_arrays([(a, b) for a, b in arrays if id(a) in held])
    return total


def _dot_arrays(pairs: list[tuple[np.ndarray, np.ndarray]]) -> float:
    """The inner product of arrays some of which may share memory. If they do so on both sides,
    shared elements count once."""
    if len(pairs) > 1:
        left, right = [a for a, _ in pairs], [b for _, b in pairs]
        if len({id(a) for a in left}) == len(pairs) and len(groups_of(right)) == 1:
            masks = counted_once(left)
            return sum(float(np.sum(_real(a) * _real(b) * mask)) for (a, b), mask in zip(pairs, masks))
    return sum(float(np.real(np.sum(np.conj(a) * b))) for a, b in pairs)


def _real(a: np.ndarray) -> np.ndarray:
    """The numbers an array holds, the parts of complex ones along a last axis."""
    return np.stack([np.real(a), np.imag(a)], axis=-1) if a.dtype.kind == "c" else a


def norm(t: Any) -> float:
    return float(np.sqrt(dot(t, t)))


def allclose(s: Any, t: Any, rtol: float = 1e-7, atol: float = 0.0) -> bool:
    """Whether two tangents agree, leaf by leaf; types, shapes and dtypes must be equal."""
    try:
        return all(_leaves_close(a, b, rtol, atol) for a, b in _pairs(s, t))
    except NotDifferentiable:
        return False


def _leaves_close(s: Any, t: Any, rtol: float, atol: float) -> bool:
    if is_absent(s) or is_absent(t):
        return is_absent(s) and is_absent(t)
    if type(s) is not type(t) or np.shape(s) != np.shape(t) or np.asarray(s).dtype != np.asarray(t).dtype:
        return False
    return bool(np.allclose(s, t, rtol=rtol, atol=atol, equal_nan=True))


def leaves(t: Any) -> list[Any]:
    """The scalars and arrays of a tangent, in order, as often as they occur; absent parts left out."""
    found: list[Any] = []
    path: set[int] = set()  # what is being taken apart: a part that holds it is not followed again
    todo: list[tuple[Any, bool]] = [(t, False)]
    while todo:
        item, done = todo.pop()
        if done:
            path.discard(id(item))
            continue
        if is_absent(item) or id(item) in path:
            continue
        parts = None if is_leaf(item) else parts_of_tangent(item)
        if parts is None:
            found.append(item)
        else:
            path.add(id(item))
            todo.append((item, True))
            todo.extend((part, False) for part in reversed(list(parts.values())))
    return found
