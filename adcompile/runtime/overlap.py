"""Calls that store part after part while they read, and what they read lies in what they have written by then."""

from __future__ import annotations

from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from adcompile.errors import SharedMemory
from adcompile.runtime.shadows import share

REMEDY = "give it a copy of what it reads"


def check_parts(at: str, fn: Any, out: Any, arrays: Any, axis: Any = 0) -> None:
    """Before `np.concatenate` or `np.stack` with `out`: raise SharedMemory if a part is read once it has been
    written into, which NumPy does without a word."""
    stacked = fn is np.stack
    written = 0
    along = 0 if axis is None else axis
    for part in arrays:
        earlier = np.moveaxis(out, along, 0)[:written] if written else None
        if earlier is not None and isinstance(part, np.ndarray) and share(earlier, part):
            raise _refusal(at)
        written += 1 if stacked else np.size(part) if axis is None else np.shape(part)[along]


def check_elements(at: str, target: Any, values: Any) -> None:
    """Before `np.place` or `a.flat = values`, which store element after element: raise SharedMemory if the values
    lie in what is written, other than each in its own place."""
    if isinstance(values, np.ndarray) and share(target, values) and not _same(target, values):
        raise _refusal(at)


def check_some(at: str, target: Any, values: Any) -> None:
    """Before `np.fill_diagonal` or `a.flat[index] = values`, which store into some elements one after the other: raise
    SharedMemory if several values lie in what is written."""
    if isinstance(values, np.ndarray) and values.size > 1 and share(target, values):
        raise _refusal(at)


def check_masked(at: str, target: Any, index: Any, values: Any) -> None:
    """Before `a[mask] = values`, which stores element after element where the mask has the shape of the array: raise
    SharedMemory if several values lie in what is written, other than each in its own place."""
    if not isinstance(target, np.ndarray) or not isinstance(values, np.ndarray) or values.size < 2:
        return
    if share(target, values) and not _same(target, values) and is_mask(index, target.ndim):
        raise _refusal(at)


def is_mask(index: Any, ndim: int) -> bool:
    mask = np.asarray(index[0] if isinstance(index, tuple) and len(index) == 1 else index)
    return mask.dtype == bool and mask.ndim == ndim


def check_unreached(at: str, name: str, parts: bool, owner: Any, *values: Any) -> None:
    """Raise SharedMemory if values of the caller's hold `owner`, into which a function with a rule writes by itself, or
    memory of that, or it may be its `parts`."""
    found, inside = list(values), [owner, *(_held(owner) if parts else [])]
    while found:
        value = found.pop()
        array = isinstance(value, np.ndarray)
        if any(value is o or array and isinstance(o, np.ndarray) and share(o, value) for o in inside):
            message = f"{name}() has a rule, and writes into memory that it is not given and that comes in here too"
            raise SharedMemory(f"{message} ({at})", None, "pass it as an argument, and say so in the rule: writes=…")
        found += _held(value)


def _held(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [v for v in value if isinstance(v, (np.ndarray, list, tuple, dict)) or hasattr(v, "__dict__")]
    held = value if isinstance(value, dict) else getattr(value, "__dict__", None)
    if not isinstance(held, dict) or isinstance(value, (type, ModuleType, FunctionType)):
        return []
    return [v for v in held.values() if not isinstance(v, (int, float, complex, str, bytes, type(None)))]


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.ctypes.data == b.ctypes.data and a.shape == b.shape and a.strides == b.strides and a.dtype == b.dtype


def _refusal(at: str) -> SharedMemory:
    place = f" ({at})" if at else ""
    return SharedMemory(f"this reads memory that it has written into by then{place}", None, REMEDY)


__all__ = ["check_elements", "check_masked", "check_parts", "check_some", "check_unreached"]
