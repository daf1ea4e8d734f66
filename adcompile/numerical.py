"""Derivatives by evaluating the function alone: what ours are tested against."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from adcompile import tangents
from adcompile.errors import AdcompileError
from adcompile.runtime.objects import is_plain, set_attribute
from adcompile.runtime.structure import parts_of
from adcompile.tangents import add_to_primal, scale, tangent_type


def eps_of(*values: Any) -> float:
    """The coarsest rounding unit among the leaves."""
    found = [2.3e-16]
    for value in values:
        for leaf in inexact_leaves(value):
            found.append(float(np.finfo(np.asarray(leaf).dtype).eps))
    return max(found)


def inexact_leaves(value: Any) -> list[Any]:
    """The numbers and arrays in a value that have tangents, in order, as often as they occur."""
    return [leaf for leaf in tangents.leaves(value) if tangents.is_leaf(leaf)]


def directional(f: Callable[..., Any], args: tuple[Any, ...], along: tuple[Any, ...]) -> tuple[Any, float]:
    """The derivative of `f` at `args` along a tangent, and an estimate of its error.

    Ridders' extrapolation of central differences; where `f` also takes complex arguments and a
    complex step agrees with that, the complex step, which is exact to rounding.
    """
    value = f(*args)
    if tangent_type(value) is tangents.NoTangent:
        return tangents.NoTangent, 0.0

    def at(step: float) -> Any:
        moved = tuple(a if tangents.is_absent(v) else add_to_primal(a, scale(step, v)) for a, v in zip(args, along))
        return _tangent_of(f(*moved), value)

    coarse = eps_of(args, value) > 1e-10
    best, error = _ridders(at, 0.1 if coarse else 0.02)
    exact = None if coarse else _complex_step(f, args, along, value)
    if exact is not None:
        size = max((float(np.max(np.abs(x), initial=0.0)) for x in tangents.leaves(best)), default=0.0)
        if _distance(_flat(best), _flat(exact)) <= 20 * error + 1e-9 * size:
            return exact, 1e-14 * size
    return best, error


def _tangent_of(value: Any, like: Any) -> Any:
    """The leaves of a value that have tangents, in the structure of its tangent."""
    return _mapped(lambda leaf, _: leaf, value, like)


def _mapped(fn: Callable[..., Any], value: Any, like: Any, path: tuple[int, ...] = ()) -> Any:
    """`fn` at each leaf of a value and of what it is like, in the structure of its tangent. Functions, and
    parts that hold what they are part of, are left out."""
    if tangents.is_leaf(like):
        return fn(value, like)
    if not tangents.has_tangent(like):
        return tangents.NoTangent
    if tangents.is_container(like):
        names = list(like) if type(like) is dict else range(len(like))
        return tangents.rebuild(like, [_mapped(fn, value[k], like[k], path) for k in names])
    parts, others = parts_of(like), parts_of(value)
    if parts is None or others is None or id(like) in path or not is_plain(like):
        return tangents.NoTangent
    made = tangents.zeros_like(like)
    for name, part in parts.items():
        if tangents.has_tangent(part):
            set_attribute(made, name, _mapped(fn, others[name], part, (*path, id(like))))
    return made


def _ridders(at: Callable[[float], Any], step: float, rounds: int = 9) -> tuple[Any, float]:
    """Extrapolation of central differences, on the numbers of all leaves in one vector."""
    shrink = 1.6
    rows: list[list[Any]] = []
    best, error, like = np.zeros(0), np.inf, None
    for k in range(rounds):
        h = step / shrink**k
        like = at(h)
        row = [(0.5 / h) * (_flat(like) - _flat(at(-h)))]
        for j in range(1, k + 1):
            factor = shrink ** (2 * j)
            row.append((factor * row[j - 1] - rows[-1][j - 1]) / (factor - 1))
            estimate = max(_distance(row[j], row[j - 1]), _distance(row[j], rows[-1][j - 1]))
            if estimate <= error or j == k == 1:
                best, error = row[j], estimate
        rows.append(row)
    return _unflat(best, like), float(error)


def _flat(value: Any) -> np.ndarray:
    """The numbers of all leaves."""
    leaves = [np.ravel(leaf) for leaf in tangents.leaves(value)]
    return np.concatenate(leaves).astype(np.result_type(np.float64, *leaves)) if leaves else np.zeros(0)


def _unflat(numbers: np.ndarray, like: Any) -> Any:
    """Numbers in a vector as the leaves of a tangent like this one."""
    todo = iter(np.split(numbers, np.cumsum([np.size(leaf) for leaf in tangents.leaves(like)])))

    def leaf(old: Any, _: Any) -> Any:
        new = next(todo).reshape(np.shape(old))
        return new.astype(old.dtype) if isinstance(old, np.ndarray) else type(old)(new[()])

    return _mapped(leaf, like, like)


def _distance(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.nanmax(np.abs(a - b), initial=0.0)) if a.size else 0.0


def _complex_step(f: Callable[..., Any], args: tuple[Any, ...], along: tuple[Any, ...], value: Any) -> Any:
    """Im f(x + i·h·v) / h, or None where `f` does not take complex arguments that way."""
    if any(np.iscomplexobj(leaf) for leaf in (*inexact_leaves(args), *inexact_leaves(value))):
        return None
    h = 1e-30
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("error", np.exceptions.ComplexWarning)  # written into real memory, it is cut
            moved = f(*(a if tangents.is_absent(v) else _complex_moved(a, v, h) for a, v in zip(args, along)))
        return _imaginary(moved, value, h)
    except (TypeError, ValueError, ArithmeticError, AttributeError, LookupError, np.linalg.LinAlgError):
        return None
    except np.exceptions.ComplexWarning:
        return None
    except AdcompileError:  # `f` is a derivative that cannot be had for complex arguments
        return None


def _complex_moved(x: Any, v: Any, h: float) -> Any:
    if tangents.is_absent(v):
        return x
    if tangents.is_container(x):
        pairs = zip(tangents.children(x), tangents.children(v))
        return tangents.rebuild(x, [_complex_moved(a, b, h) for a, b in pairs])
    if not tangents.is_leaf(x):
        raise TypeError("an object")
    return np.asarray(x + 1j * h * v) if isinstance(x, np.ndarray) else complex(x + 1j * h * v)


def _imaginary(moved: Any, value: Any, h: float) -> Any:
    def leaf(at: Any, like: Any) -> Any:
        if np.shape(at) != np.shape(like):
            raise ValueError("a complex argument changes the shape of the result")
        part = np.imag(at) / h
        return np.asarray(part, like.dtype) if isinstance(like, np.ndarray) else type(like)(part)

    return _mapped(leaf, moved, value)
