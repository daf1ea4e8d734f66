"""Arguments, results and tangents as trees: leaves, directions, steps, memory.

A path names a leaf from the outside in; containers are tuples, lists, dicts and objects. Arrays
that share memory have directions that share memory in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

Path = tuple[Any, ...]


def attributes(value: Any) -> dict[str, Any] | None:
    """The attributes of an object of a class of the program; None for other values."""
    cls = type(value)
    if cls.__module__ in ("builtins", "numpy") or isinstance(value, (tuple, np.ndarray, np.generic)):
        return None
    slots = [s for c in cls.__mro__ for s in getattr(c, "__slots__", ())]
    found = {s: getattr(value, s) for s in slots if hasattr(value, s)}
    found.update(getattr(value, "__dict__", {}))
    return found or None


def items(value: Any) -> list[tuple[Any, Any]] | None:
    """Keys and items of a container; None for a leaf."""
    if isinstance(value, (tuple, list)):
        return list(enumerate(value))
    if isinstance(value, dict):
        return list(value.items())
    found = attributes(value)
    return None if found is None else list(found.items())


def is_leaf(value: Any) -> bool:
    return isinstance(value, (float, np.floating)) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The floats and float arrays, each with its path."""
    if is_leaf(value):
        yield path, value
    for key, item in items(value) or ():
        yield from leaves(item, (*path, key))


def bits(value: Any) -> Any:
    """Equal for values of the same types, structure and bits."""
    if isinstance(value, np.ndarray):
        return (type(value), value.dtype, value.shape, value.tobytes())
    if isinstance(value, np.generic):
        return (type(value), value.dtype, value.tobytes())
    parts = items(value)
    if parts is not None:
        return (type(value).__name__, [(k, bits(v)) for k, v in parts])
    return (type(value), repr(value))


def owner(x: np.ndarray) -> np.ndarray:
    """The array whose memory `x` is a part of."""
    while isinstance(x.base, np.ndarray):
        x = x.base
    return x


def rebuilt(value: Any, change: Any, path: Path = ()) -> Any:
    """The tree with `change(path, leaf)` for its leaves; an object becomes one of its class."""
    if is_leaf(value):
        return change(path, value)
    parts = items(value)
    if parts is None:
        return None
    made = {key: rebuilt(item, change, (*path, key)) for key, item in parts}
    if isinstance(value, dict):
        return made
    if isinstance(value, (tuple, list)):
        return type(value)(made.values())
    out = object.__new__(type(value))
    for key, item in made.items():
        object.__setattr__(out, key, item)
    return out


def has_leaf(value: Any) -> bool:
    return next(leaves(value), None) is not None


def direction(args: tuple[Any, ...], seed: int) -> tuple[Any, ...]:
    """A random tangent for each argument that has one, else None."""
    rng = np.random.default_rng(seed)
    drawn: dict[int, np.ndarray] = {}
    held = list(args)  # ids stay those of living arrays

    def draw(path: Path, x: Any) -> Any:
        if not isinstance(x, np.ndarray):
            return type(x)(rng.standard_normal())
        base = owner(x)
        if id(base) not in drawn:
            drawn[id(base)] = rng.standard_normal(base.shape).astype(base.dtype)
        return _like(drawn[id(base)], base, x)

    out = tuple(rebuilt(a, draw) if has_leaf(a) else None for a in held)
    return out


def _like(shadow: np.ndarray, base: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The part of `shadow` that `x` is of `base`."""
    if x is base:
        return shadow
    offset = x.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    return np.ndarray(x.shape, x.dtype, shadow, offset if x.size else 0, x.strides)


def moved(args: tuple[Any, ...], along: tuple[Any, ...], h: float) -> tuple[Any, ...]:
    """`args + h·along`; `args` are given up, arrays are moved in place, each memory once."""
    done: set[int] = set()
    steps = dict(leaves(along))

    def step(path: Path, x: Any) -> Any:
        if not isinstance(x, np.ndarray):
            return type(x)(x + h * steps[path])
        base, shadow = owner(x), owner(steps[path])
        if id(base) not in done:
            done.add(id(base))
            base += np.asarray(h * shadow, base.dtype)
        return x

    return tuple(_moved(a, step, (i,)) for i, a in enumerate(args))


def _moved(value: Any, step: Any, path: Path) -> Any:
    if is_leaf(value):
        return step(path, value)
    for key, item in items(value) or ():
        new = _moved(item, step, (*path, key))
        if isinstance(value, tuple):
            value = (*value[:key], new, *value[key + 1 :])
        elif isinstance(value, (list, dict)):
            value[key] = new
        else:
            setattr(value, key, new)
    return value


def inner(s: Any, t: Any) -> tuple[float, float]:
    """The inner product of two trees of the same leaves, and the sum of its terms' magnitudes."""
    other = dict(leaves(t))
    total = size = 0.0
    for path, x in leaves(s):
        terms = np.asarray(x, np.float64) * np.asarray(other[path], np.float64)
        total += float(np.sum(terms))
        size += float(np.sum(np.abs(terms)))
    return total, size


def groups(args: tuple[Any, ...]) -> list[list[Path]]:
    """The paths of arrays that share memory, sets of two at least."""
    found: dict[int, list[Path]] = {}
    held = []
    for path, x in leaves(args):
        if isinstance(x, np.ndarray) and x.size:
            base = owner(x)
            held.append(base)
            found.setdefault(id(base), []).append(path)
    return [paths for paths in found.values() if len(paths) > 1]


def arrays(value: Any) -> list[np.ndarray]:
    if isinstance(value, np.ndarray):
        return [value]
    return [x for _, item in items(value) or () for x in arrays(item)]


def shares(s: Any, t: Any) -> bool:
    """Whether an array of one tree shares memory with an array of the other."""
    return any(np.may_share_memory(a, b) and np.shares_memory(a, b) for a in arrays(s) for b in arrays(t))
