"""Memory in which a kernel keeps values, handed over at each call: fresh memory costs a fault of the machine for
every page, often more than what is computed.

An arena is an array of words of eight bytes. In front stand, for each of the kernel's `count` arrays of kept values,
how many words it is lent, then how many any call has wanted, then whether some call has wanted more than it was lent.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from adcompile.backend.native.values import DTYPES, Code
from adcompile.frozen import frozen

LIMIT = 2**23
"""Words that an arena may have, 64 MiB: what a kernel keeps beyond that is allocated at each call."""
LINE = 8
"""Words of a line of the machine's cache. Arrays begin with one: vectors that lie across two take twice as long."""
SIZES: dict[Code, int] = {"f8": 8, "f4": 4, "i8": 8, "i4": 4, "b1": 1, "c16": 16}


@frozen
class Kept:
    """One array of kept values: its name, what says how many items it holds, and their machine type."""

    name: str
    top: str
    code: Code


def lent(arrays: Sequence[Kept], arena: str, words: str, end: str) -> list[str]:
    """The lines that cut an arena into arrays; `words` and `end` are names that nothing else has."""
    first = _head(len(arrays))
    out = [f"    {words} = nt.lent({arena}, 0, {first}, np.int64)", f"    {end} = {first}"]
    for k, kept in enumerate(arrays):  # the caller holds the arena
        out.append(f"    {kept.name} = nt.lent({arena}, {end}, {end} + {words}[{k}], {DTYPES[kept.code]})")
        out.append(f"    {end} += {words}[{k}]")
    return out


def noted(arrays: Sequence[Kept], words: str) -> list[str]:
    """The lines that say what the call has wanted."""
    sizes = "".join(f"{a.top} * {SIZES[a.code]}, " for a in arrays)
    return [f"nt.noted({words}, ({sizes}))"] if arrays else []


def _head(count: int) -> int:
    """The words in front, and none until the next line."""
    return -(-(2 * count + 1) // LINE) * LINE


def _words(size: int) -> np.ndarray:
    """So many words, from the beginning of a line."""
    out = np.empty(size + LINE - 1)
    first = -out.ctypes.data // 8 % LINE
    return out[first : first + size]


def fresh(count: int) -> np.ndarray:
    """An arena that lends nothing."""
    out = _words(_head(count))
    out.fill(0)
    return out


def enlarged(arena: np.ndarray, count: int) -> np.ndarray:
    """An arena that lends what has been wanted, as far as the limit allows."""
    words = arena.view(np.int64)
    wanted = words[count : 2 * count]
    lines = -(-wanted // LINE) * LINE
    given = np.where(np.cumsum(lines) <= LIMIT, lines, 0)
    words[2 * count] = 0
    if np.array_equal(given, words[:count]):
        return arena
    out = _words(_head(count) + int(np.sum(given)))
    head = out.view(np.int64)
    head[:count], head[count : 2 * count], head[2 * count] = given, wanted, 0
    return out
