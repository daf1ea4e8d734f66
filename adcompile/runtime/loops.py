"""What code lowered to loop nests asks of arrays at run time.

Such code takes for granted that the lengths of axes agree where nothing proves it, and that arrays
which it reads and writes in one loop do not overlap. Where that does not hold it leaves, and the
code as it was written runs from its start: that broadcasts, or raises what the function raises.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile.runtime.memory import outline


class Leave(Exception):
    """The code as written has to run: what its lowered form takes for granted does not hold."""


def strips(trips: int, width: int) -> int:
    """How many strips of so many iterations a loop has; the last may have fewer."""
    return (trips + width - 1) // width


def strip(trips: int, begin: int, width: int) -> int:
    """How many iterations there are in a strip of a loop, which begins with this one."""
    return min(trips - begin, width)


def address(a: np.ndarray) -> int:
    """Where the first element of an array lies."""
    return a.ctypes.data


def disjoint(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether the memory of two arrays lies apart: from first byte to last byte, whatever lies between.

    Written so that it can be compiled too: it reads addresses, shapes and strides only.
    """
    if a.size == 0 or b.size == 0:
        return True
    first, last = address(a), address(a) + a.itemsize
    for n, stride in zip(a.shape, a.strides):
        if stride < 0:
            first += (n - 1) * stride
        else:
            last += (n - 1) * stride
    other_first, other_last = address(b), address(b) + b.itemsize
    for n, stride in zip(b.shape, b.strides):
        if stride < 0:
            other_first += (n - 1) * stride
        else:
            other_last += (n - 1) * stride
    return last <= other_first or other_last <= first


def ordered(a: np.ndarray) -> bool:
    """Whether the axes of an array lie in memory in their order, the last one innermost."""
    before = 0
    for n, stride in zip(a.shape, a.strides):
        if n > 1:
            if before and abs(stride) > before:
                return False
            before = abs(stride)
    return True


def distinct(a: np.ndarray) -> bool:
    """Whether an array shows each of its elements at one place only, as a broadcast one does not."""
    if a.size == 0:
        return True
    for i in range(a.ndim):
        if a.shape[i] > 1:
            extent = 0
            for j in range(a.ndim):
                if j != i and a.shape[j] > 1 and abs(a.strides[j]) <= abs(a.strides[i]):
                    extent += (a.shape[j] - 1) * abs(a.strides[j])
            if abs(a.strides[i]) <= extent:
                return False
    return True


def outlined(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray:
    """`outline` of an array of this shape and dtype that need not be there."""
    return outline(np.broadcast_to(np.zeros((), dtype), shape))
