"""From values to abstract types, and to the keys under which specialisations are found.

`type_of` and `key_of` agree: arguments with equal keys may run the same specialised program.
A plain function has the type Known(function), and a specialised program may refer to its very
cells: its key is its identity with the keys of what the cells hold now. Only the function that
is differentiated itself gets its cells as arguments, so fresh closures share its key.
"""

from __future__ import annotations

import enum
import functools
import operator
import sys
import types as pytypes
import weakref
from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from typing import Any, cast

import numpy as np

from adcompile.errors import Unsupported
from adcompile.ir.types import (
    PYTHON_SCALARS,
    Around,
    Array,
    DictT,
    Instance,
    Known,
    ListT,
    Maybe,
    ObjectT,
    OfData,
    OwnMethod,
    RangeT,
    Scalar,
    Seq,
    SliceT,
    TupleT,
    Type,
    differentiable,
    dim_of,
    is_scalar_class,
)
from adcompile.runtime.dynamic import Back, Forth
from adcompile.runtime.objects import FOLLOWED, attributes, is_of_attributes, stated
from adcompile.runtime.structure import DEEPEST
from adcompile.tangents import is_namedtuple_class

LONG = 16
"""A list or tuple with more items than this, all of one type, is a Seq."""

_KNOWN_CLASSES: frozenset[type] = frozenset(
    {
        bool,
        str,
        bytes,
        type(None),
        type(Ellipsis),
        type(NotImplemented),
        pytypes.FunctionType,
        pytypes.MethodType,
        pytypes.ModuleType,
        pytypes.MethodDescriptorType,
        pytypes.WrapperDescriptorType,
        pytypes.MethodWrapperType,
        pytypes.ClassMethodDescriptorType,
        pytypes.GetSetDescriptorType,
        pytypes.GenericAlias,
        functools.partial,
        operator.itemgetter,
        operator.attrgetter,
        operator.methodcaller,
        np.ufunc,
        type(np._NoValue),  # the marker of parameters that were not given  # pyright: ignore
        Back,
        Forth,
    }
)
_PLAIN = frozenset({bool, str, bytes, type(None)})

_NUMBERS: set[type] = {int, float, complex}
_NUMBERS.update(t for t in np.sctypeDict.values() if is_scalar_class(t))

_ARRAY = np.ndarray
_EMPTY_CELL = ("empty cell",)


class Promote(Exception):
    """Raised while specialising: a type depends on the value of an int in these arguments.

    The dispatcher then keys the ints in these positions by value and specialises again.
    """

    def __init__(self, *positions: int) -> None:
        super().__init__(*positions)
        self.positions = frozenset(positions)


def is_by_identity(value: Any) -> bool:
    """Whether a program may depend on this very object: functions, classes, modules, dtypes …

    Builtins bound to data (`rng.normal`, `items.append`) are not: their state is not in the key.
    """
    cls: type = type(value)
    if cls in _KNOWN_CLASSES or hasattr(cls, "__adcompile_key__") or hasattr(cls, "BY_IDENTITY"):
        return True
    if cls is pytypes.BuiltinFunctionType:
        owner = value.__self__
        return owner is None or isinstance(owner, (pytypes.ModuleType, type, np.ufunc))
    if isinstance(value, (type, np.dtype, enum.Enum)):
        return True
    # wrappers around a Python function: np.vectorize is data, np.sum's dispatcher is a function
    wrappers = ("_ArrayFunctionDispatcher", "_lru_cache_wrapper", "cython_function_or_method")
    return cls.__name__ in wrappers or is_multimethod(value)


def is_multimethod(value: Any) -> bool:
    """Whether a function chooses by its arguments who carries it out, as those of scipy.fft do."""
    cls: type = type(value)
    return cls.__name__ == "_Function" and cls.__module__ == "uarray"


def type_of(value: Any, *, ints: bool = False, objects: bool = False) -> Type:
    """The abstract type of a value; `ints`: Python ints by value, too; `objects`: those of the
    user's classes by their attributes.

    Raises Unsupported for a container that contains itself.
    """
    return _type(value, ints, () if objects else _AS_ONE)


def types_of(values: Iterable[Any]) -> tuple[Type, ...]:
    return tuple(type_of(value) for value in values)


def _type(value: Any, ints: bool, outer: tuple[int, ...]) -> Type:
    cls: type = type(value)
    if cls is _ARRAY:
        return Array(value.dtype, tuple(dim_of(n) for n in value.shape))
    if cls is int and ints:
        return Known(value)
    if cls is not bool and (cls in PYTHON_SCALARS or is_scalar_class(cls)):
        return Scalar(frozenset({cls}))
    if cls is tuple or cls is list or cls is dict or is_namedtuple_class(cls):
        _check_tree(value, outer)
        return _container(value, cls, ints, (*outer, id(value)))
    if cls is range:
        return RangeT(value.start == 0 and value.step == 1)
    if cls is slice:
        parts = (_type(part, ints, outer) for part in (value.start, value.stop, value.step))
        return SliceT(cast("tuple[Type, Type, Type]", tuple(parts)))
    if outer and cls in OWN and (bound := bound_to_outer(value, outer)):
        return OwnMethod(cls, (), value.__func__ if cls is pytypes.MethodType else value, bound)
    if is_by_identity(value):
        return Known(value)
    held = parts_of_object(value, outer)
    if held is None:
        if id(value) in outer and outer[:1] != _AS_ONE:
            return Around(cls, hidden_of(value), outer[::-1].index(id(value)) + 1)
        if is_of_data(value):
            return OfData(cls, (), type(value.__self__), value.__name__)
        return Instance(cls, hidden_of(value))
    inner = (*outer, id(value))
    return ObjectT(cls, tuple(held), tuple([_type(item, ints, inner) for item in held.values()]))


OWN = (pytypes.MethodType, pytypes.FunctionType, functools.partial)


def bound_to_outer(value: Any, outer: tuple[int, ...]) -> tuple[tuple[Any, int], ...]:
    """Where a callable among the arguments holds one of the objects around it, and how many levels up that is."""
    if outer[:1] == _AS_ONE:
        return ()
    return tuple([(place, outer[::-1].index(id(held)) + 1) for place, held in bound_in(value) if id(held) in outer])


def bound_in(value: Any) -> Iterator[tuple[Any, Any]]:
    """What a method, function or partial application is bound to, by place."""
    if isinstance(value, pytypes.MethodType):
        yield "self", value.__self__
    elif isinstance(value, functools.partial):
        if isinstance(value.func, pytypes.MethodType):
            yield "func", value.func.__self__
        yield from ((("args", i), held) for i, held in enumerate(value.args))
        yield from ((("keywords", name), held) for name, held in value.keywords.items())
    else:
        for i, cell in enumerate(value.__closure__ or ()):
            if cell_holds(cell):
                yield ("cell", i), cell.cell_contents
        yield from ((("default", i), held) for i, held in enumerate(value.__defaults__ or ()))
        yield from ((("default", name), held) for name, held in (value.__kwdefaults__ or {}).items())


def cell_holds(cell: pytypes.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018  reading it is the test
    except ValueError:
        return False
    return True


def is_of_data(value: Any) -> bool:
    """Whether a value is a builtin method of a list, dict, set or array: what it gives is what that holds by then."""
    methods = (pytypes.BuiltinMethodType, pytypes.MethodWrapperType)
    return isinstance(value, methods) and isinstance(value.__self__, (list, dict, set, deque, bytearray, np.ndarray))


_AS_ONE = (-1,)
"""Among the objects around a value: objects are not taken apart here."""
DEEP = 8  # levels of objects in objects
WIDE = 64  # attributes of one object
_followed: weakref.WeakKeyDictionary[type, bool] = weakref.WeakKeyDictionary()


def is_followed(cls: type) -> bool:
    """Whether objects of a class are taken apart: made by the user in Python, and no more than
    what their attributes hold."""
    if cls in FOLLOWED:  # which rules may say late
        return True
    found = _followed.get(cls)
    if found is None:
        module = sys.modules.get(cls.__module__)
        own = module is None or not is_installed(module)
        found = _followed[cls] = own and is_of_attributes(cls)
    return found


def crosses(t: Type) -> bool:
    """Whether values of this type have a tangent that comes in or goes out: a deque, or another object that is not
    taken apart, has none there, whatever it holds."""
    match t:
        case Instance(cls):
            return cls in (list, tuple, dict) or is_namedtuple_class(cls) or is_followed(cls)
        case Seq(item) | Maybe(item):
            return crosses(item)
        case _:
            return differentiable(t)


def is_installed(module: pytypes.ModuleType) -> bool:
    """Whether a module belongs to Python or an installed package (guarded by identity only)."""
    file = getattr(module, "__file__", None)
    if file is None:
        name = module.__name__  # that of `_io` is "io"
        return name in sys.builtin_module_names or name in sys.stdlib_module_names and name != "__main__"
    if module.__name__.partition(".")[0] == "adcompile":
        return True
    return is_installed_file(file)


def is_installed_file(file: str) -> bool:
    return "site-packages" in file or file.startswith((sys.prefix, sys.base_prefix))


def parts_of_object(value: Any, outer: tuple[int, ...]) -> dict[str, Any] | None:
    """The attributes of an object that is taken apart, inside the objects and containers `outer`."""
    if not is_followed(type(value)) or outer[:1] == _AS_ONE or id(value) in outer or len(outer) >= DEEP:
        return None
    if reads_otherwise(type(value)):
        return None
    held = attributes(value)
    return held if len(held) <= WIDE and shows(type(value), held) else None


_computed: weakref.WeakKeyDictionary[type, frozenset[str] | None] = weakref.WeakKeyDictionary()


def shows(cls: type, names: Iterable[str]) -> bool:
    """Whether `getattr` gives what objects of a class hold under these names: no code of the class stands before."""
    if cls not in _computed:
        own = {name: found for c in reversed(cls.__mro__) for name, found in vars(c).items()}
        hooked = isinstance(own.get("__getattribute__"), pytypes.FunctionType)
        _computed[cls] = None if hooked else frozenset([name for name, found in own.items() if _computes(found)])
    computed = _computed[cls]
    return computed is not None and computed.isdisjoint(names)


def _computes(found: Any) -> bool:
    """Whether what a class has under a name says how that is read, and goes before what an object has."""
    data = hasattr(type(found), "__get__") and hasattr(type(found), "__set__")
    return data and not isinstance(found, (pytypes.MemberDescriptorType, pytypes.GetSetDescriptorType))


def reads_otherwise(cls: type) -> bool:
    """Whether code of a class gives other values than those that its objects hold: `__getattribute__`."""
    return isinstance(stated(cls, "__getattribute__"), pytypes.FunctionType)


def hidden_of(value: Any) -> tuple[str, ...]:
    """The attributes of an object's class that its own hide."""
    own = getattr(value, "__dict__", None)
    if type(own) is not dict or not own or isinstance(value, np.ndarray):
        return ()
    spaces = [vars(c) for c in type(value).__mro__]
    return tuple([name for name in own if any([name in space for space in spaces])])  # noqa: C419  short lists


def _check_tree(value: Any, outer: tuple[int, ...]) -> None:
    if id(value) in outer:
        raise Unsupported(
            f"a {type(value).__name__} among the arguments contains itself",
            remedy="pass data without cycles, or keep the cycle in an object's attribute",
        )
    if len(outer) >= DEEPEST:
        raise Unsupported(
            f"a {type(value).__name__} nested more than {DEEPEST} levels deep among the arguments",
            remedy="keep what it holds in one list",
        )


def _container(value: Any, cls: type, ints: bool, outer: tuple[int, ...]) -> Type:
    if cls is dict:
        keys: tuple[Any, ...] = tuple(value)
        return DictT(keys, tuple(_type(item, ints, outer) for item in value.values()))
    items = tuple(_type(item, ints, outer) for item in value)
    if len(items) > LONG and (cls is list or cls is tuple) and items.count(items[0]) == len(items):
        return Seq(items[0], cls)
    return ListT(items) if cls is list else TupleT(items, cls)


def key_of(args: tuple[Any, ...], ints: frozenset[int] = frozenset()) -> Hashable:
    """The key of a call's arguments; `ints` are the positions whose ints go by value."""
    if ints:
        return tuple([_key(arg, i in ints, ()) for i, arg in enumerate(args)])
    return tuple([type(arg) if type(arg) in _NUMBERS else _key(arg, False, ()) for arg in args])


def key_of_array(array: np.ndarray[Any, Any]) -> Hashable:
    """dtype and rank, or dtype and which dimensions are one."""
    shape = array.shape
    if 1 in shape:
        return (array.dtype, tuple([n == 1 for n in shape]))
    return (array.dtype, len(shape))


def _key(value: Any, ints: bool, outer: tuple[int, ...]) -> Hashable:
    cls: type = type(value)
    if cls is _ARRAY:
        return key_of_array(value)
    if cls in _NUMBERS:
        return (int, value) if ints and cls is int else cls
    if cls in _PLAIN:
        return (cls, value)
    if cls is tuple or cls is list or cls is dict or is_namedtuple_class(cls):
        _check_tree(value, outer)
        return _container_key(value, cls, ints, (*outer, id(value)))
    if cls is pytypes.FunctionType:
        own = bound_to_outer(value, outer) if outer else ()
        return (_inner_function_key(value, outer), own) if own else _inner_function_key(value, outer)
    if cls is range:
        return (range, value.start == 0 and value.step == 1)
    if cls is slice:
        return (slice, *[_key(part, ints, outer) for part in (value.start, value.stop, value.step)])
    if hasattr(cls, "__adcompile_key__"):
        return (value.__adcompile_key__(), _key(value.fun, False, outer))
    if cls is pytypes.MethodType:
        if own := bound_to_outer(value, outer) if outer else ():
            return (cls, _key(value.__func__, ints, outer), own)
        # `obj.method` is a new object at each access
        return (cls, _key(value.__func__, ints, outer), Known(value.__self__))
    if cls is pytypes.BuiltinFunctionType and isinstance(value.__self__, np.ufunc):
        return (cls, value.__name__, value.__self__)  # so is `np.add.reduce`
    if is_by_identity(value):
        own = bound_to_outer(value, outer) if outer and cls is functools.partial else ()
        return (Known(value), own) if own else Known(value)
    held = parts_of_object(value, outer)
    if held is not None:
        inner = (*outer, id(value))
        return (cls, *[(name, _key(item, ints, inner)) for name, item in held.items()])
    if is_of_data(value):
        return (cls, type(value.__self__), value.__name__)
    if id(value) in outer and outer[:1] != _AS_ONE:
        return (cls, outer[::-1].index(id(value)))
    names, own = _read.get(cls, ()), hidden_of(value) if cls.__dictoffset__ else ()
    if not names and not own or id(value) in outer:
        return cls
    return (cls, own, *[_key(getattr(value, name, None), False, (*outer, id(value))) for name in names])


_read: dict[type, tuple[str, ...]] = {}
"""Which data of objects of a class specialisations have read: they belong to its key."""


def note_read(cls: type, attribute: str) -> None:
    names = _read.get(cls, ())
    if attribute not in names:
        _read[cls] = (*names, attribute)


def _container_key(value: Any, cls: type, ints: bool, outer: tuple[int, ...]) -> Hashable:
    if cls is dict:
        parts = [(type(name), name, _key(item, ints, outer)) for name, item in value.items()]
        return (dict, *parts)
    keys = [_key(item, ints, outer) for item in value]
    if len(keys) > LONG and (cls is list or cls is tuple) and keys.count(keys[0]) == len(keys):
        return (cls, "long", keys[0])
    return (cls, *keys)


def function_key(fn: pytypes.FunctionType) -> Hashable:
    """The key of a function that is differentiated: closures of one factory share it, if their
    cells have the same types, objects by their attributes, and their keyword-only defaults are the
    same values; defaults of positional parameters are passed like arguments."""
    return (fn.__code__, id(fn.__globals__), *_held(fn, (id(fn),), objects=True))


def _inner_function_key(fn: pytypes.FunctionType, outer: tuple[int, ...]) -> Hashable:
    """A function among the arguments or in a cell: this very one, whose cells may be rebound."""
    if id(fn) in outer:  # a nested function that calls itself has itself in a cell
        return ("recursive", outer.index(id(fn)))
    if not (fn.__closure__ or fn.__defaults__ or fn.__kwdefaults__):
        return fn
    return (weakref.ref(fn), *map(Known, fn.__defaults__ or ()), *_held(fn, (*outer, id(fn))))


def _held(fn: pytypes.FunctionType, outer: tuple[int, ...], objects: bool = False) -> list[Hashable]:
    around = outer if objects or outer[:1] == _AS_ONE else (*_AS_ONE, *outer)
    key: list[Hashable] = [_cell_key(cell, around) for cell in fn.__closure__ or ()]
    key.extend((name, Known(default)) for name, default in (fn.__kwdefaults__ or {}).items())
    return key


def _cell_key(cell: pytypes.CellType, outer: tuple[int, ...]) -> Hashable:
    try:
        return _key(cell.cell_contents, False, outer)
    except ValueError:  # nothing assigned yet
        return _EMPTY_CELL
