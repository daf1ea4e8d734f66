"""What lists, dicts, sets and objects hold: taken down, and put back into the same objects."""

from __future__ import annotations

import gc
import weakref
from collections import deque
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from adcompile.errors import RuleError, SharedMemory, Unsupported
from adcompile.frozen import frozen
from adcompile.runtime.objects import attributes, holds
from adcompile.runtime.shadows import share


def held_by(owner: Any, name: str) -> Any:
    """An attribute as the object holds it, whatever its class says of reading."""
    try:
        return object.__getattribute__(owner, "__dict__")[name]
    except (AttributeError, KeyError):
        return object.__getattribute__(owner, name)


def refill(owner: Any, like: Any) -> None:
    """Make `owner` hold what `like`, of its class, holds."""
    if owner is like:
        return
    if isinstance(owner, (list, bytearray)):
        owner[:] = like
    elif isinstance(owner, (dict, set)):
        owner.clear()
        owner.update(like)
    elif isinstance(owner, deque):
        owner.clear()
        owner.extend(like)
    else:
        _refill_object(owner, attributes(like))


def _refill_object(owner: Any, wanted: dict[str, Any]) -> None:
    """The attributes in their order too, which `vars` shows: one that was deleted and set again is the last."""
    there, names = list(attributes(owner)), list(wanted)
    fitting = next((k for k, (has, name) in enumerate(zip(there, names)) if has != name), min(len(there), len(names)))
    for name in there[fitting:]:
        object.__delattr__(owner, name)
    for name, value in wanted.items():
        object.__setattr__(owner, name, value)


def unset(owner: Any, name: str) -> None:
    """Take away an attribute of a class, function, module or object that the program has added."""
    if holds(owner, name):
        take = delattr if isinstance(owner, type) else object.__delattr__
        take(owner, name)


def set_own(owner: Any, name: str, value: Any) -> None:
    """Set an attribute that an object holds, whatever its class says of setting."""
    object.__setattr__(owner, name, value)


@frozen(eq=False)
class Taken:
    """Lists, dicts, sets, deques, bytearrays or arrays, each with a copy of its content."""

    held: tuple[tuple[Any, Any], ...]


CONTAINERS = (list, dict, set, deque, bytearray)


def take_down(*values: Any) -> Taken:
    """What containers hold, those in them as well: each with a copy of its content. Arrays and objects are left to
    those who write into them."""
    return Taken(tuple((value, value.copy()) for value in _held_in(values) if isinstance(value, CONTAINERS)))


def take_down_arrays(*values: Any) -> Taken:
    """The arrays that containers hold, each with a copy of its elements: of containers in which they may stand
    elsewhere, or not at all, when they have been written into."""
    arrays = (value for value in _held_in(values) if isinstance(value, np.ndarray) and value.flags.writeable)
    return Taken(tuple((array, array.copy()) for array in arrays))


def _held_in(values: Iterable[Any]) -> list[Any]:
    """These, and all that stands in containers among them, each once."""
    seen: dict[int, Any] = {}
    todo = list(values)
    while todo:
        value = todo.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        if isinstance(value, dict):
            todo.extend(value.values())
        elif isinstance(value, (list, deque, tuple)):
            todo.extend(value)
    return list(seen.values())


def put_back(taken: Taken) -> None:
    """Put back what was taken down; the containers and arrays stay the same ones."""
    for value, held in taken.held:
        if isinstance(value, np.ndarray):
            if value.flags.writeable:  # into another one nobody has written
                value[...] = held
        else:
            refill(value, held)


def distinct(values: Any, at: str = "") -> None:
    """Refuse arrays one of which is another: their deep copies, which are made `at` that place, are followed one by
    one.

    Raises SharedMemory (a ValueError).
    """
    if len({id(value) for value in values}) < len(values):
        where = f" (met when the code runs, {at})" if at else ""
        raise SharedMemory(
            f"one array stands twice in what is deep-copied{where}, and the derivative is made for different ones",
            remedy="write [a.copy() for a in items], or copy the parts that are written",
        )


TWICE = (
    "one list, dict or object is passed twice to a function that writes into it, and its derivative is made for "
    "different ones"
)
COPY = "pass a copy for one of them: copy.deepcopy(items)"


def different(*values: Any) -> None:
    """Refuse arguments one of which is another: what is written into one would be in both.

    Raises Unsupported.
    """
    if len({id(value) for value in values}) < len(values):
        raise Unsupported(TWICE, remedy=COPY)


def none_of(value: Any, *others: Any) -> None:
    """Refuse arguments, the `others`, of which one is what the function writes into by another name.

    Raises Unsupported.
    """
    if any(other is value for other in others):
        raise Unsupported(TWICE, remedy=COPY)


def holds_none(holder: Any, *others: Any) -> None:
    """Refuse arguments, the `others`, that a container of another kind holds too: what is written into them would be
    in it.

    Raises Unsupported.
    """
    if reaches(holder, {id(other) for other in others}):
        raise Unsupported(TWICE, remedy=COPY)


def holds_no_memory_of(at: str, holder: Any, *arrays: Any) -> None:
    """Refuse a container that holds memory of these arrays at any depth: it is read where they are written into.

    Raises SharedMemory.
    """
    mine = [a for a in arrays if isinstance(a, np.ndarray)]
    if any(share(a, held) for held in reached(holder) if isinstance(held, np.ndarray) for a in mine):
        what = "memory that is written in place and carries derivatives, and that is read through a container"
        raise SharedMemory(f"{what} ({at})" if at else what, None, "read it by its own name, or write into a copy")


ASKED_ONCE_MORE = (
    "a zip that may end after an iterator before the shortest has made an item more, and making one writes"
)
SHORTEST_FIRST = "put the shortest first: zip(range(n), map(f, items)), or write the loop"


def ends_among_first(at: str, count: int, *lengths: int) -> None:
    """Refuse a zip of iterables of these lengths unless it ends where one of the first `count` has no item left: the
    last of these would write once more.

    Raises Unsupported.
    """
    if min(lengths) not in lengths[:count]:
        raise Unsupported(f"{ASKED_ONCE_MORE} ({at})" if at else ASKED_ONCE_MORE, None, SHORTEST_FIRST)


AS_LONG = "make them as long before the loop"


def one_length(at: str, *lengths: int) -> int:
    """The length of all that a strict zip goes through. It raises at its end, which a loop may not reach.

    Raises Unsupported if these lengths differ.
    """
    if len(set(lengths)) > 1:
        said = ", ".join(map(str, lengths))
        message = f"zip(strict=True) of iterables of different lengths ({said}{', ' if at else ''}{at})"
        raise Unsupported(message, None, AS_LONG)
    return lengths[0]


INERT = (str, bytes, int, float, complex, type, ModuleType)


def reaches(value: Any, wanted: set[int]) -> bool:
    """Whether a value is, or holds at any depth, one of the objects of these identities."""
    return any(id(held) in wanted for held in reached(value))


def reached(value: Any) -> Iterator[Any]:
    """A value, and what it holds at any depth."""
    seen, todo = set[int](), [value]
    while todo:
        value = todo.pop()
        yield value
        if id(value) not in seen and not isinstance(value, INERT):
            seen.add(id(value))
            todo += held_within(value)


def held_within(value: Any) -> list[Any]:
    """What a value holds; of a function what it has captured, its defaults and its attributes."""
    if isinstance(value, FunctionType):
        held = [value.__closure__ or (), value.__defaults__ or (), value.__kwdefaults__ or {}, vars(value)]
        return [item for part in held for item in gc.get_referents(part)]
    if isinstance(value, np.ndarray):
        return value.ravel().tolist() if value.dtype == object else []
    if isinstance(value, (weakref.ref, ContextVar)):
        return named_by(value)
    return gc.get_referents(value)


def named_by(value: weakref.ref[Any] | ContextVar[Any]) -> list[Any]:
    """What a weak reference or a context variable leads to now."""
    if isinstance(value, weakref.ref):
        return [value()]
    try:
        return [value.get()]
    except LookupError:  # it means nothing here
        return []


def unshared(what: str, array: Any, *others: Any) -> None:
    """Raise RuleError, which says `what`, if arrays among the others share memory with an array, or if it
    is none."""
    if not isinstance(array, np.ndarray):
        message = f"a function whose rule has writes= is given a {type(array).__name__} to write into"
        raise RuleError(message, remedy="such rules are for arrays; register adcompile.rules.overlay")
    if any(share(array, other) for other in others if isinstance(other, np.ndarray)):
        raise RuleError(what, remedy="copy one of them, or register what it does with adcompile.rules.overlay")
