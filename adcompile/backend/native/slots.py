"""How arrays that a kernel has kept hold what its pullback would find in lists, ranges and shadows, and these again."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

import numpy as np

from adcompile.backend.native.values import ArrayOf, Code, Native, Number, TupleOf
from adcompile.frozen import frozen
from adcompile.runtime import memory


@frozen
class Layout:
    """What holds the items of a list: columns of these machine types, of arrays the places, shapes and then what
    they hold. `step`: of ranges, kept as start and stop; `inner`: of lists, which are kept as where they start."""

    codes: tuple[Code, ...]
    native: Native | None
    step: int = 0
    inner: Layout | None = None

    @property
    def arrays(self) -> tuple[Code, ...]:
        """The machine types of all arrays, in order."""
        data = (self.native.code,) if isinstance(self.native, ArrayOf) else ()
        return (*self.codes, *data, *(self.inner.arrays if self.inner is not None else ()))

    @property
    def depth(self) -> int:
        """Of how many kinds of lists it is."""
        return 1 if self.inner is None else 1 + self.inner.depth

    @property
    def type(self) -> TupleOf:
        return TupleOf(tuple(ArrayOf(code, 1) for code in self.arrays))


@frozen
class Steps:
    """A range with a step that is known: where it starts and stops."""

    step: int

    @property
    def type(self) -> TupleOf:
        return TupleOf((Number("i8"), Number("i8")))


@frozen
class Shadows:
    """The shadows of arrays that the forward function makes, so many: the pullback makes zeros like them."""

    type: TupleOf


class Sharing(tuple[Any, ...]):
    """Arrays of which it matters whether they share memory: nobody makes copies of them one by one."""


def plainly(kept: tuple[Any, ...]) -> tuple[Any, ...]:
    """What is kept as kernels take it."""
    return tuple(tuple(item) if type(item) is Sharing else item for item in kept)


Slot = Union[Layout, Steps, Shadows]
Slots = Mapping[int, Slot]
"""By number, what stands in what is kept in place of a list, a range or shadows."""


def with_lists(kept: tuple[Any, ...], slots: Slots) -> tuple[Any, ...]:
    """What is kept, with lists in place of arrays that hold their items, and the like."""
    items = list(kept)
    for k, slot in slots.items():
        if type(kept[k]) not in (tuple, Sharing):
            continue
        match slot:
            case Layout():
                items[k] = listed(slot, kept[k])
            case Steps(step):
                items[k] = range(kept[k][0], kept[k][1], step)
            case Shadows():
                items[k] = memory.hold(0, len(kept[k]), *kept[k])
    return tuple(items)


def on_lists(pullback: Callable[..., Any], slots: Slots) -> Callable[..., Any]:
    """The pullback on NumPy, which takes lists, of what a kernel may have kept."""
    return (lambda kept, *rest: pullback(with_lists(kept, slots), *rest)) if slots else pullback


def cut(items: list[Any], starts: Sequence[int]) -> list[Any]:
    """Lists that lie one behind the other, each to where the next one begins; None for one that begins nowhere."""
    out: list[Any] = []
    stop = len(items)
    for start in reversed(starts):
        out.append(items[start:stop] if start >= 0 else None)
        stop = start if start >= 0 else stop
    return out[::-1]


def listed(layout: Layout, arrays: Sequence[np.ndarray]) -> list[Any]:
    """A list of which these arrays hold the items."""
    columns, rest = arrays[: len(layout.codes)], arrays[len(layout.codes) :]
    if layout.inner is not None:
        return cut(listed(layout.inner, rest), columns[0].tolist())
    rows = zip(*(column.tolist() for column in columns))
    if layout.step:
        return [range(a, b, layout.step) for a, b in rows]
    if isinstance(layout.native, ArrayOf):
        return [rest[0][at : at + math.prod(shape)].reshape(shape) if at >= 0 else None for at, *shape in rows]
    if isinstance(layout.native, Number):
        return [row[0] for row in rows] if layout.native.code != "f4" else list(columns[0])
    return list(rows)
