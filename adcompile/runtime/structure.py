"""The structure of values: what they consist of, and walks that make values of the same structure.

Tuples, namedtuples, lists, deques, dicts, plain objects and closures have parts; so have instances
of registered classes. Leaves are inexact scalars and arrays. Everything else is one thing.
"""

from __future__ import annotations

import functools
import inspect
import types
import weakref
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

import numpy as np

from adcompile.errors import NotDifferentiable
from adcompile.frozen import frozen
from adcompile.runtime import objects
from adcompile.runtime.shadows import groups_of, mirrors_of

_DICTS = (dict, OrderedDict, defaultdict)
_SEQUENCES = (tuple, list, deque)


@frozen
class Registration:
    parts: Callable[[Any], dict[Any, Any]] | None
    make: Callable[[Any, dict[Any, Any]], Any] | None


registered: dict[type, Registration] = {}
changes = 0
"""Another number after every registration."""
by_attributes: set[tuple[type, Registration]] = set()
"""Classes whose objects were found to be taken apart into those of their attributes that have tangents (`spaces`)."""

DEEPEST = 200
"""Levels of containers and objects in a value whose space of tangents is made, which is nested like it."""


def register(
    cls: type,
    parts: Callable[[Any], dict[Any, Any]] | None = None,
    make: Callable[[Any, dict[Any, Any]], Any] | None = None,
) -> None:
    """Tell how instances of `cls` and its subclasses are taken apart.

    `parts(value)` gives a dict of the parts that may have tangents; `make(value, parts)` gives a
    value of the class of `value` with other parts, and is used for tangents and for moved primals
    alike. Without both, instances have no tangent. Raises TypeError if only one is given.
    """
    global changes
    if (parts is None) != (make is None):
        raise TypeError("register() takes both parts and make, or neither")
    registered[cls] = Registration(parts, make)
    changes += 1


def registration_of(cls: type) -> Registration | None:
    if not registered:
        return None
    return next((registered[base] for base in cls.__mro__ if base in registered), None)


_records: weakref.WeakKeyDictionary[type, bool] = weakref.WeakKeyDictionary()
_AS_TUPLES = ("__getitem__", "__iter__", "__len__", "__contains__", "__getattribute__", "__bool__", "index", "count")


def is_namedtuple_class(cls: type) -> bool:
    """Whether `cls` was made by collections.namedtuple or typing.NamedTuple, and its instances are
    what their fields hold: no subclass makes them in another way, or has other items or fields."""
    if not issubclass(cls, tuple) or cls is tuple or not hasattr(cls, "_fields"):
        return False
    found = _records.get(cls)
    if found is None:
        found = _records[cls] = _is_record(cls)
    return found


def _is_record(cls: type) -> bool:
    home = next(c for c in cls.__mro__ if "_fields" in vars(c))
    fields: Any = vars(home)["_fields"]
    maker = getattr(inspect.getattr_static(home, "__new__"), "__func__", None)
    if getattr(getattr(maker, "__code__", None), "co_names", None) != ("_tuple_new",):  # what namedtuple writes
        return False
    own = ("__new__", "_make", "_replace", "_asdict", *fields)
    return (
        cls.__init__ is object.__init__  # type: ignore[misc]
        and all(inspect.getattr_static(cls, name) is vars(home).get(name) for name in own)
        and all(getattr(cls, name, None) is getattr(tuple, name, None) for name in _AS_TUPLES)
    )


ARITHMETIC = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()
_OTHERS = "neg pos invert abs float int round eq ne lt le gt ge".split()


@functools.cache
def defines_operators(cls: type, compared: bool = True) -> bool:
    """Whether a class written in Python says what operators do with its instances."""
    names = [f"__{kind}{name}__" for name in ARITHMETIC for kind in ("", "r", "i")]
    names += [f"__{name}__" for name in _OTHERS] if compared else []
    return any(isinstance(inspect.getattr_static(cls, name, None), types.FunctionType) for name in names)


def is_container(value: Any) -> bool:
    """Exact tuples, lists and dicts, and namedtuples."""
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


def parts_of(value: Any) -> dict[Any, Any] | None:
    """What a structured value consists of, by index, key, attribute or captured name; None for
    everything that is one thing."""
    cls: type = type(value)
    known = registration_of(cls)
    if known is not None:
        return known.parts(value) if known.parts is not None else None
    if cls in _SEQUENCES or is_namedtuple_class(cls):
        return dict(enumerate(value))
    if cls in _DICTS:
        return dict(value)
    if cls is types.FunctionType:
        return objects.captured(value) if value.__closure__ else None
    return objects.attributes(value) if objects.is_plain(value) else None


def parts_of_tangent(value: Any) -> dict[Any, Any] | None:
    """The parts of a tangent. One of a registered class may have others that it has of its primal: they are absent."""
    parts = parts_of(value)
    if not parts or registration_of(type(value)) is None:
        return parts
    return {k: part if is_leaf(part) or parts_of(part) is not None else None for k, part in parts.items()}


def is_immutable(value: Any) -> bool:
    """Whether a structured value is made at once of its parts: no part can hold it."""
    return isinstance(value, tuple) or registration_of(type(value)) is not None


def made_of(value: Any, parts: dict[Any, Any]) -> Any:
    """An immutable value of the class of `value` with these parts."""
    known = registration_of(type(value))
    if known is not None and known.make is not None:
        return known.make(value, parts)
    return tuple.__new__(type(value), list(parts.values()))


def _put(value: Any, key: Any, item: Any) -> None:
    """Replace one part of a mutable value."""
    if isinstance(value, types.FunctionType):
        cells = dict(zip(value.__code__.co_freevars, value.__closure__ or ()))
        cells[key].cell_contents = item
    elif type(value) in _DICTS or type(value) in _SEQUENCES:
        value[key] = item
    else:
        objects.set_attribute(value, key, item)


class Survey:
    """What a value consists of: its structured parts, those among them that hold a leaf at any
    depth, and its arrays, each once."""

    def __init__(self, value: Any) -> None:
        self.parts: dict[int, dict[Any, Any]] = {}
        self.active: set[int] = set()
        self.arrays: dict[int, np.ndarray] = {}
        self._alive: list[Any] = []  # what is known by identity must not go
        holders: dict[int, list[int]] = {}
        todo: list[tuple[Any, int]] = [(value, 0)]
        reached: list[int] = []
        while todo:
            item, holder = todo.pop()
            if is_leaf(item):
                reached.append(holder)
                if type(item) is np.ndarray:
                    self.arrays[id(item)] = item
                continue
            key = id(item)
            if key not in self.parts:
                parts = parts_of(item)
                if parts is None:
                    continue
                self.parts[key] = parts
                self._alive.append(item)
                todo.extend((part, key) for part in parts.values())
            holders.setdefault(key, []).append(holder)
        while reached:
            key = reached.pop()
            if key not in self.active:
                self.active.add(key)
                reached.extend(holders.get(key, ()))


def has_tangent(value: Any) -> bool:
    """Whether any leaf of `value` has a tangent."""
    todo, seen = [value], dict[int, Any]()
    while todo:
        item = todo.pop()
        if is_leaf(item):
            return True
        if id(item) not in seen:
            seen[id(item)] = item
            todo.extend((parts_of(item) or {}).values())
    return False


def described(value: Any) -> str:
    """What kind of value it is, for error messages."""
    if type(value) is np.ndarray:
        return f"{value.dtype} array of shape {value.shape}"
    parts = None if is_leaf(value) else parts_of(value)
    return type(value).__name__ if not parts else f"{type(value).__name__} with parts {', '.join(map(repr, parts))}"


def check_leaves(leaf: Any, *others: Any) -> None:
    """Raise NotDifferentiable unless all are numbers, or arrays of one shape, and all real or all complex. How
    precise they are may differ, as of a float and what NumPy draws for it."""
    for other in others:
        if not (is_leaf(leaf) and is_leaf(other)) or space_of(leaf) != space_of(other):
            raise NotDifferentiable(f"tangents of different spaces: {described(leaf)} and {described(other)}")


def space_of(leaf: Any) -> tuple[bool, tuple[int, ...], bool]:
    return type(leaf) is np.ndarray, np.shape(leaf), np.iscomplexobj(leaf)


# --- walks ----------------------------------------------------------------------------------------

GO = object()


def row_of_parts(row: tuple[Any, ...], parts: dict[Any, Any]) -> list[dict[Any, Any]]:
    """The parts of all values of a row, whose first has `parts`; the others, tangents, must have its structure."""
    found = [parts]
    for other in row[1:]:
        theirs = parts_of_tangent(other) if type(other) is type(row[0]) else None
        same_code = getattr(other, "__code__", None) is getattr(row[0], "__code__", None)
        if theirs is None or theirs.keys() != parts.keys() or not same_code:
            raise NotDifferentiable(f"tangents of different structure: {described(row[0])} and {described(other)}")
        found.append(theirs)
    return found


class Walk:
    """A value of the structure of the first of some, whose leaves are made of theirs by `leaf`.

    `early` may give the result for a row of parts at once (it returns GO if not). What is one in
    all of the values is one in the result. The first is a tangent, or a primal, the others are
    tangents. Mutable values are filled when all else is done, so that cycles and long chains need no
    recursion.
    """

    def __init__(self, leaf: Callable[..., Any], early: Callable[..., Any], of_tangent: bool = True) -> None:
        self.leaf, self.early = leaf, early
        self.parts_of = parts_of_tangent if of_tangent else parts_of
        self.memo: dict[tuple[int, ...], Any] = {}
        self.unfilled: list[tuple[Any, list[dict[Any, Any]]]] = []
        self.cells: dict[int, types.CellType] = {}
        self.mirrors: dict[int, np.ndarray] = {}
        self.alive: list[Any] = []

    def run(self, *row: Any, survey: Survey | None = None) -> Any:
        if survey is not None and len(survey.arrays) > 1:
            self.mirror(list(survey.arrays.values()))
        result = self.one(*row)
        while self.unfilled:
            new, rows = self.unfilled.pop()
            for key, item in rows[0].items():
                made = self.one(*[r[key] for r in rows])
                self.put(new, key, item, made)
        return result

    def mirror(self, arrays: list[np.ndarray]) -> None:
        """Arrays that share memory get results that do."""
        for group in groups_of(arrays):
            if len(group) > 1:
                self.mirrors.update(mirrors_of(group))

    def one(self, *row: Any) -> Any:
        result = self.early(*row)
        if result is not GO:
            return result
        first = row[0]
        if is_leaf(first) and type(first) is not np.ndarray:
            return self.leaf(*row)
        key = tuple([id(item) for item in row])
        if key in self.memo:
            return self.memo[key]
        self.alive.append(row)
        parts = None if is_leaf(first) else self.parts_of(first)
        if parts is None:
            result = self.array(*row) if type(first) is np.ndarray else self.leaf(*row)
        else:
            rows = row_of_parts(row, parts)
            if is_immutable(first):
                # not remembered: what is immutable has no identity of its own
                return self.made(first, {k: self.one(*[r[k] for r in rows]) for k in parts})
            result = self.shell(first)
            self.unfilled.append((result, rows))
        self.memo[key] = result
        return result

    def array(self, *row: Any) -> Any:
        result = self.leaf(*row)
        mirror = self.mirrors.get(id(row[0]))
        if mirror is None:
            return result
        mirror[...] = result
        return mirror

    def made(self, value: Any, parts: dict[Any, Any]) -> Any:
        return made_of(value, parts)

    def put(self, value: Any, key: Any, old: Any, item: Any) -> None:
        _put(value, key, item)

    def shell(self, value: Any) -> Any:
        """A mutable value like this one whose parts are still to be put in."""
        cls: type = type(value)
        if cls is list:
            return [None] * len(value)
        if cls is deque:
            return deque([None] * len(value), value.maxlen)
        if cls is defaultdict:
            return defaultdict(value.default_factory)
        if cls in _DICTS:
            return cls()
        if cls is types.FunctionType:
            cells = [self.cells.setdefault(id(cell), types.CellType()) for cell in value.__closure__]
            return objects.with_cells(value, cells)
        return objects.blank(cls)


class InPlace(Walk):
    """The walk that changes the first of the values instead of making another. Rows of arrays are
    collected: whoever walks knows in which order they may be written."""

    def __init__(self, leaf: Callable[..., Any], early: Callable[..., Any]) -> None:
        super().__init__(leaf, early)
        self.rows: list[tuple[Any, ...]] = []

    def one(self, *row: Any) -> Any:
        known = registration_of(type(row[0]))
        if known is None or known.parts is None:
            return super().one(*row)
        return Walk(self.leaf, self.early).run(*row)  # another one: `make` may copy what it is given

    def array(self, *row: Any) -> Any:
        self.rows.append(row)
        return row[0]

    def made(self, value: Any, parts: dict[Any, Any]) -> Any:
        old = parts_of(value) or {}
        return value if all(old[k] is item for k, item in parts.items()) else made_of(value, parts)

    def put(self, value: Any, key: Any, old: Any, item: Any) -> None:
        if old is not item:
            _put(value, key, item)

    def shell(self, value: Any) -> Any:
        return value
