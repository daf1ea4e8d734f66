"""The tangent vector space of every value: one tangent type per primal type.

    float                      float                 numpy.float32      numpy.float32
    complex                    complex               inexact ndarray    same shape and dtype
    int, bool, str, None, …    NoTangent             int ndarray        NoTangent
    tuple, namedtuple, list, dict                    the same of tangents; NoTangent if all are

Tangents and gradients are of the same type. At the public interface NoTangent is written None,
and wherever a tangent is taken here either is accepted. The inner product is the real one,
`Re Σ conj(s)·t`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adcompile.errors import NotDifferentiable


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


@dataclass(frozen=True, slots=True)
class ArraySpace:
    """Arrays of one dtype and shape."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Product:
    """A container of class `cls`; `keys` are a dict's."""

    cls: type
    items: tuple[Any, ...]
    keys: tuple[Any, ...] | None = None


def is_namedtuple_class(cls: type) -> bool:
    """Whether `cls` was made by collections.namedtuple or typing.NamedTuple."""
    return issubclass(cls, tuple) and cls is not tuple and hasattr(cls, "_fields") and hasattr(cls, "_make")


def is_container(value: Any) -> bool:
    """Exact tuples, lists and dicts, and namedtuples: what tangents follow the structure of."""
    cls: type = type(value)
    return cls is tuple or cls is list or cls is dict or is_namedtuple_class(cls)


def children(value: Any) -> list[Any]:
    """The items of a container, a dict's in its own order."""
    return list(value.values()) if type(value) is dict else list(value)


def rebuild(like: Any, items: list[Any]) -> Any:
    """A container like `like` with these items."""
    cls: type = type(like)
    if cls is dict:
        return dict(zip(like, items))
    if cls is tuple or cls is list:
        return cls(items)
    return tuple.__new__(cls, items)


def is_number_space(cls: type) -> bool:
    """Whether scalars of this class are their own tangents."""
    return cls is float or cls is complex or (issubclass(cls, np.inexact) and cls.__module__ == "numpy")


def is_leaf(value: Any) -> bool:
    """Whether `value` is a scalar or array that has a tangent."""
    cls: type = type(value)
    return is_number_space(cls) or (cls is np.ndarray and value.dtype.kind in "fc")


def tangent_type(value: Any) -> Any:
    """The space of the tangents of `value`: a scalar class, ArraySpace, Product or NoTangent.

    Values of one type, shape and dtype have the same.
    """
    if is_leaf(value):
        return ArraySpace(value.dtype, value.shape) if type(value) is np.ndarray else type(value)
    if is_container(value):
        items = tuple(tangent_type(item) for item in children(value))
        if any(item is not NoTangent for item in items):
            return Product(type(value), items, tuple(value) if type(value) is dict else None)
    return NoTangent


def has_tangent(value: Any) -> bool:
    """Whether any leaf of `value` has a tangent."""
    return is_leaf(value) or (is_container(value) and any(has_tangent(item) for item in children(value)))


def _build(value: Any, leaf: Callable[[Any], Any]) -> Any:
    """A tangent of `value` with leaves made by `leaf`."""
    if is_leaf(value):
        return leaf(value)
    if is_container(value):
        items = [_build(item, leaf) for item in children(value)]
        if any(item is not NoTangent for item in items):
            return rebuild(value, items)
    return NoTangent


def zeros_like(value: Any) -> Any:
    """The zero tangent of `value`, in memory of its own."""
    return _build(value, lambda x: np.zeros(x.shape, x.dtype) if type(x) is np.ndarray else type(x)(0))


def randn_like(value: Any, rng: np.random.Generator) -> Any:
    """A tangent of `value` with standard normal entries; complex ones in both parts."""

    def leaf(x: Any) -> Any:
        shape = np.shape(x)
        draw: Any = rng.standard_normal(shape)
        if np.iscomplexobj(x):
            draw = draw + 1j * rng.standard_normal(shape)
        return np.asarray(draw).astype(x.dtype) if type(x) is np.ndarray else type(x)(draw)

    return _build(value, leaf)


def map_tree(fn: Callable[..., Any], tangent: Any, *others: Any) -> Any:
    """`fn` at each leaf of a tangent with the leaves of others of the same structure.

    Absent parts stay NoTangent. Raises NotDifferentiable where the structures differ.
    """
    if is_absent(tangent):
        return NoTangent
    if not is_container(tangent):
        return fn(tangent, *others)
    for other in others:
        if type(other) is not type(tangent) or len(other) != len(tangent) or _keys(other) != _keys(tangent):
            raise NotDifferentiable(f"tangents of different structure: {tangent!r} and {other!r}")
    columns = [children(other) if type(other) is not dict else [other[k] for k in tangent] for other in others]
    return rebuild(tangent, [map_tree(fn, *row) for row in zip(children(tangent), *columns)])


def _keys(value: Any) -> Any:
    return value.keys() if type(value) is dict else None


def _as(like: Any, value: Any) -> Any:
    """`value` as the class and dtype of `like`: arithmetic on 0-d arrays gives scalars."""
    cls: type = type(like)
    if cls is np.ndarray:
        return np.asarray(value, like.dtype)
    return value if type(value) is cls else cls(value)


def add(s: Any, t: Any) -> Any:
    """s + t, in new memory where there is anything to add."""
    if is_absent(s) or is_absent(t):
        return NoTangent if is_absent(s) and is_absent(t) else (t if is_absent(s) else s)
    if is_container(s):
        return _zip(add, s, t)
    return _as(s, s + t)


def scale(factor: float, t: Any) -> Any:
    """factor · t."""
    return map_tree(lambda x: _as(x, factor * x), t)


def dot(s: Any, t: Any) -> float:
    """The real inner product; 0 where either is absent."""
    if is_absent(s) or is_absent(t):
        return 0.0
    if is_container(s):
        return float(sum((dot(a, b) for a, b in _pairs(s, t)), 0.0))
    return float(np.real(np.sum(np.conj(s) * t)))


def add_to_primal(primal: Any, tangent: Any) -> Any:
    """primal + tangent as a value of the primal's type; what has no tangent stays itself."""
    if is_absent(tangent):
        return primal
    if is_container(primal):
        return _zip(add_to_primal, primal, tangent)
    return _as(primal, primal + tangent)


def norm(t: Any) -> float:
    return float(np.sqrt(dot(t, t)))


def copy(t: Any) -> Any:
    """The same tangent in memory of its own."""
    return map_tree(lambda x: x.copy() if isinstance(x, np.ndarray) else x, t)


def conj(t: Any) -> Any:
    """The complex conjugate at every leaf; a real one is returned as it is."""
    return map_tree(lambda x: _as(x, np.conj(x)) if np.iscomplexobj(x) else x, t)


def allclose(s: Any, t: Any, rtol: float = 1e-7, atol: float = 0.0) -> bool:
    """Whether two tangents agree, leaf by leaf; types, shapes and dtypes must be equal."""
    if is_absent(s) or is_absent(t):
        return is_absent(s) and is_absent(t)
    if is_container(s):
        same = type(s) is type(t) and len(s) == len(t) and _keys(s) == _keys(t)
        return same and all(allclose(a, b, rtol, atol) for a, b in _pairs(s, t))
    if type(s) is not type(t) or np.shape(s) != np.shape(t) or np.asarray(s).dtype != np.asarray(t).dtype:
        return False
    return bool(np.allclose(s, t, rtol=rtol, atol=atol, equal_nan=True))


def leaves(t: Any) -> list[Any]:
    """The scalars and arrays of a tangent, in order; absent parts left out."""
    if is_absent(t):
        return []
    if is_container(t):
        return [leaf for item in children(t) for leaf in leaves(item)]
    return [t]


def _pairs(s: Any, t: Any) -> list[tuple[Any, Any]]:
    if type(s) is not type(t) or len(s) != len(t) or _keys(s) != _keys(t):
        raise NotDifferentiable(f"tangents of different structure: {s!r} and {t!r}")
    return list(zip(children(s), [t[k] for k in s] if type(s) is dict else t))


def _zip(fn: Callable[[Any, Any], Any], s: Any, t: Any) -> Any:
    return rebuild(s, [fn(a, b) for a, b in _pairs(s, t)])
