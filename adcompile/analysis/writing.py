"""Calls that write into what they are given."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.ir import ops
from adcompile.ir.types import Array, Type

ITEM_WRITES: set[Any] = {operator.setitem, operator.delitem, setattr, delattr, operator.iconcat}
AUGMENTED: set[Any] = {
    operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod,
    operator.ipow, operator.imatmul, operator.iand, operator.ior, operator.ixor, operator.ilshift, operator.irshift,
}  # fmt: skip
KEEPERS = frozenset(
    ("append", "extend", "insert", "setdefault", "update", "add", "appendleft", "extendleft", "__setitem__")
)
"""Methods that write into their owner and keep what they are given, but leave that as it is."""
METHODS: set[Any] = {
    getattr(cls, name)
    for cls in (list, dict, set, np.ndarray)
    for name in [*KEEPERS, *"pop remove clear sort reverse discard popitem fill partition put resize __iadd__".split()]
    if hasattr(cls, name)
}
FUNCTIONS: dict[Any, int] = {
    np.copyto: 0, np.put: 0, np.place: 0, np.putmask: 0, np.fill_diagonal: 0, np.put_along_axis: 0,
    np.random.shuffle: 0, np.random.Generator.shuffle: 1, np.random.RandomState.shuffle: 1, np.ufunc.at: 1,
    ops.set_attribute: 0,
    rt.add_at: 0, rt.add_each: 0, rt.put_each: 0, rt.store_each: 0, rt.add_each_at: 0,
}  # fmt: skip
"""Which argument these write into."""


def changes_itself(fn: Any, types: Sequence[Type]) -> bool:
    """Whether an operator changes its first operand and gives it back: an array does, where it may be no number."""
    return fn in AUGMENTED and isinstance(types[0], Array) and bool(types[0].dims)
