"""The containers of `collections` and the heaps of `heapq`, in Python over lists and dicts, to be followed.

A call of `deque(…)` makes one of these while a program is specialised; where one is needed as a value,
it is a real one after all, of which nothing is known. They are never made when the code runs.
"""

from __future__ import annotations

import collections
import heapq
from collections.abc import Iterable
from typing import Any


class Deque(collections.deque):  # type: ignore[type-arg]
    """`collections.deque` over a list."""

    def __init__(self, iterable: Any = None, maxlen: Any = None) -> None:
        self.values = []
        self.limit = maxlen
        if iterable is not None:
            self.extend(iterable)

    @property
    def maxlen(self) -> Any:  # type: ignore[override]
        return self.limit

    def append(self, x: Any) -> None:
        self.values.append(x)
        if self.limit is not None and len(self.values) > self.limit:
            self.values = self.values[1:]

    def appendleft(self, x: Any) -> None:
        self.values.insert(0, x)
        if self.limit is not None and len(self.values) > self.limit:
            self.values.pop()

    def extend(self, iterable: Any) -> None:
        if self.limit is None:
            self.values.extend(iterable)
        else:
            for x in list(iterable):
                self.append(x)

    def extendleft(self, iterable: Any) -> None:
        for x in list(iterable):
            self.appendleft(x)

    def pop(self) -> Any:  # type: ignore[override]
        if len(self.values) == 0:
            raise IndexError("pop from an empty deque")
        return self.values.pop()

    def popleft(self) -> Any:
        if len(self.values) == 0:
            raise IndexError("pop from an empty deque")
        first = self.values[0]
        self.values = self.values[1:]
        return first

    def insert(self, index: Any, x: Any) -> None:
        if self.limit is not None and len(self.values) >= self.limit:
            raise IndexError("deque already at its maximum size")
        self.values.insert(index, x)

    def rotate(self, n: Any = 1) -> None:
        if len(self.values) > 0:
            k = -n % len(self.values)
            self.values = self.values[k:] + self.values[:k]

    def reverse(self) -> None:
        self.values.reverse()

    def clear(self) -> None:
        self.values = []

    def copy(self) -> Any:
        return Deque(self.values, self.limit)

    __copy__ = copy

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Any:
        return iter(self.values)

    def __reversed__(self) -> Any:
        return reversed(self.values)

    def __contains__(self, x: Any) -> bool:
        return x in self.values

    def check(self, index: Any) -> None:
        if not -len(self.values) <= index < len(self.values):
            raise IndexError("deque index out of range")

    def __getitem__(self, index: Any) -> Any:
        self.check(index)
        return self.values[index]

    def __setitem__(self, index: Any, x: Any) -> None:
        self.check(index)
        self.values[index] = x

    def __delitem__(self, index: Any) -> None:
        self.check(index)
        del self.values[index]


class Table:
    """What the mappings have in common: a dict that they are written over."""

    table: dict[Any, Any]

    def __len__(self) -> int:
        return len(self.table)

    def __iter__(self) -> Any:
        return iter(self.table)

    def __reversed__(self) -> Any:
        return reversed(list(self.table))

    def __contains__(self, key: Any) -> bool:
        return key in self.table

    def __getitem__(self, key: Any) -> Any:
        return self.table[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.table[key] = value

    def __delitem__(self, key: Any) -> None:
        del self.table[key]

    def keys(self) -> Any:
        return self.table.keys()

    def values(self) -> Any:
        return self.table.values()

    def items(self) -> Any:
        return self.table.items()

    def get(self, key: Any, default: Any = None) -> Any:
        return self.table.get(key, default)

    def pop(self, *args: Any) -> Any:
        return self.table.pop(*args)

    def popitem(self) -> Any:
        return self.table.popitem()

    def setdefault(self, key: Any, default: Any = None) -> Any:
        return self.table.setdefault(key, default)

    def update(self, *args: Any, **kwargs: Any) -> None:
        self.table.update(*args, **kwargs)

    def clear(self) -> None:
        self.table.clear()


class DefaultDict(Table, collections.defaultdict):  # type: ignore[type-arg, misc]
    """`collections.defaultdict` over a dict."""

    def __init__(self, default_factory: Any = None, *args: Any, **kwargs: Any) -> None:
        self.default_factory = default_factory
        self.table = {}
        self.table.update(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        if key not in self.table:
            if self.default_factory is None:
                raise KeyError(key)
            self.table[key] = self.default_factory()
        return self.table[key]

    def copy(self) -> Any:
        return DefaultDict(self.default_factory, self.table)

    __copy__ = copy

    def __or__(self, other: Any) -> Any:
        out = DefaultDict(self.default_factory, self.table)
        out.update(other)
        return out

    def __ror__(self, other: Any) -> Any:
        out = DefaultDict(self.default_factory, other)
        out.update(self.table)
        return out

    def __ior__(self, other: Any) -> Any:  # type: ignore[override, misc]
        self.update(other)
        return self


class OrderedDict(Table, collections.OrderedDict):  # type: ignore[type-arg, misc]
    """`collections.OrderedDict` over a dict."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.table = {}
        self.table.update(*args, **kwargs)

    def move_to_end(self, key: Any, last: Any = True) -> None:
        value = self.table.pop(key)
        if last:
            self.table[key] = value
        else:
            before = self.table
            self.table = {key: value}
            self.table.update(before)

    def popitem(self, last: Any = True) -> Any:
        if len(self.table) == 0:
            raise KeyError("dictionary is empty")
        if last:
            return self.table.popitem()
        key = next(iter(self.table))
        return key, self.table.pop(key)

    def copy(self) -> Any:
        return OrderedDict(self.table)

    __copy__ = copy

    def __or__(self, other: Any) -> Any:
        out = OrderedDict(self.table)
        out.update(other)
        return out

    def __ror__(self, other: Any) -> Any:
        out = OrderedDict(other)
        out.update(self.table)
        return out

    def __ior__(self, other: Any) -> Any:  # type: ignore[override, misc]
        self.update(other)
        return self


class Counter(Table, collections.Counter):  # type: ignore[type-arg, misc]
    """`collections.Counter` over a dict."""

    def __init__(self, **kwargs: Any) -> None:
        self.table = {}
        self.table.update(**kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self.table.get(key, 0)

    def __delitem__(self, key: Any) -> None:
        if key in self.table:
            del self.table[key]

    def total(self) -> Any:
        return sum(self.table.values())

    def update(self, iterable: Any = None, **kwargs: Any) -> None:
        if isinstance(iterable, dict):
            for key, count in iterable.items():
                self.table[key] = self.table.get(key, 0) + count
        elif iterable is not None:
            for key in iterable:
                self.table[key] = self.table.get(key, 0) + 1
        for key, count in kwargs.items():
            self.table[key] = self.table.get(key, 0) + count

    def __copy__(self) -> Any:
        made = Counter()
        made.table = self.table.copy()
        return made

    copy = __copy__


def index() -> Any:
    """A dict from keys to positions, which is a real one (analysis/keyed)."""


def position(index: Any, key: Any) -> int:
    """Where a key is; -1 if it is not there (analysis/keyed)."""
    return -1


def itself(x: Any) -> Any:
    return x


class Keyed(dict):  # type: ignore[type-arg]
    """A dict whose keys are met when the code runs: what it holds is a list, and its keys are another."""

    def __init__(self, pairs: Any = None) -> None:
        self.places = index()
        self.names = []
        self.held = []
        if pairs is not None:
            self.update(pairs)

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Any:
        return iter(self.names)

    def __reversed__(self) -> Any:
        return reversed(self.names)

    def __contains__(self, key: Any) -> bool:
        return position(self.places, key) >= 0

    def __getitem__(self, key: Any) -> Any:
        at = position(self.places, key)
        if at < 0:
            raise KeyError(key)
        return self.held[at]

    def __setitem__(self, key: Any, value: Any) -> None:
        at = position(self.places, key)
        if at < 0:
            self.places[key] = len(self.names)
            self.names.append(key)
            self.held.append(value)
        else:
            self.held[at] = value

    def __delitem__(self, key: Any) -> None:
        at = position(self.places, key)
        if at < 0:
            raise KeyError(key)
        del self.places[key]
        del self.names[at]
        del self.held[at]
        for later in range(at, len(self.names)):
            self.places[self.names[later]] = later

    def at(self, k: Any) -> Any:
        return self.held[k]

    def keys(self) -> Any:
        return self.names

    def values(self) -> Any:
        return map(itself, self.held)

    def items(self) -> Any:
        return zip(self.names, self.held)

    def get(self, key: Any, default: Any = None) -> Any:
        at = position(self.places, key)
        return default if at < 0 else self.held[at]

    def pop(self, key: Any, *default: Any) -> Any:
        at = position(self.places, key)
        if at < 0:
            if len(default) > 0:
                return default[0]
            raise KeyError(key)
        value = self.held[at]
        del self[key]
        return value

    def popitem(self) -> Any:
        if len(self.names) == 0:
            raise KeyError("popitem(): dictionary is empty")
        key = self.names.pop()
        del self.places[key]
        return key, self.held.pop()

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if position(self.places, key) < 0:
            self[key] = default
        return self[key]

    def update(self, *args: Any, **kwargs: Any) -> None:
        for pairs in args:
            for key, value in pairs.items() if isinstance(pairs, dict) else pairs:
                self[key] = value
        for key, value in kwargs.items():
            self[key] = value

    def clear(self) -> None:
        self.places.clear()
        self.names.clear()
        self.held.clear()

    def copy(self) -> Any:
        return Keyed(self)

    __copy__ = copy

    def __or__(self, other: Any) -> Any:
        out = Keyed(self)
        out.update(other)
        return out

    def __ror__(self, other: Any) -> Any:
        out = Keyed(other)
        out.update(self)
        return out

    def __ior__(self, other: Any) -> Any:  # type: ignore[override, misc]
        self.update(other)
        return self


def rise(heap: Any, top: Any, k: Any) -> None:
    """Move an item of a heap towards `top` until its parent is no larger."""
    item = heap[k]
    while k > top and item < heap[(k - 1) // 2]:
        heap[k] = heap[(k - 1) // 2]
        k = (k - 1) // 2
    heap[k] = item


def sink(heap: Any, top: Any) -> None:
    """Move the item at `top` to a leaf, along the smaller children, and up again: `heapq` puts equal items so."""
    k, child, item = top, 2 * top + 1, heap[top]
    while child < len(heap):
        if child + 1 < len(heap) and not heap[child] < heap[child + 1]:
            child = child + 1
        heap[k] = heap[child]
        k, child = child, 2 * child + 1
    heap[k] = item
    rise(heap, top, k)


def heappush(heap: Any, item: Any) -> None:
    heap.append(item)
    rise(heap, 0, len(heap) - 1)


def heappop(heap: Any) -> Any:
    if len(heap) == 0:
        raise IndexError("index out of range")
    first = heap[0]
    last = heap.pop()
    if len(heap) > 0:
        heap[0] = last
        sink(heap, 0)
    return first


def heapify(heap: Any) -> None:
    for k in range(len(heap) // 2 - 1, -1, -1):
        sink(heap, k)


def heapreplace(heap: Any, item: Any) -> Any:
    if len(heap) == 0:
        raise IndexError("index out of range")
    first = heap[0]
    heap[0] = item
    sink(heap, 0)
    return first


def heappushpop(heap: Any, item: Any) -> Any:
    first = item
    if len(heap) > 0 and heap[0] < item:
        first = heap[0]
        heap[0] = item
        sink(heap, 0)
    return first


HEAPS: dict[Any, Any] = {
    heapq.heappush: heappush,
    heapq.heappop: heappop,
    heapq.heapify: heapify,
    heapq.heapreplace: heapreplace,
    heapq.heappushpop: heappushpop,
}
"""What is followed in place of a function of `heapq`, where the heap holds derivatives."""
INSTEAD: dict[type, type] = {
    collections.deque: Deque,
    collections.defaultdict: DefaultDict,
    collections.OrderedDict: OrderedDict,
    collections.Counter: Counter,
}
"""What is followed in place of a class."""
STANDINS = frozenset((*INSTEAD.values(), Keyed))
IN_PROGRAM: dict[type, type] = {**{cls: real for real, cls in INSTEAD.items()}, Keyed: dict}
for _real, _cls in (*INSTEAD.items(), (dict, Keyed)):  # errors name the class that the user knows
    _cls.__name__ = _cls.__qualname__ = _real.__name__


def class_in_program(cls: type) -> type:
    """The class that the program sees: that for which `cls` stands."""
    return IN_PROGRAM.get(cls, cls)


def stand_in(cls: type, args: Iterable[Any]) -> type | None:
    """The class that is followed where `cls(*args)` is called; None where it is made as written."""
    if cls is collections.Counter and any(True for _ in args):
        return None  # what is counted is mostly text
    return INSTEAD.get(cls)
