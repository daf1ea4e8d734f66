"""What a derivative may depend on outside of itself, told so that another process can compare it.

Guards compare objects by identity, which means nothing in another process. Here everything is gone through that the
source of a function can name: code, defaults, cells, the names of its modules, classes, objects, and on from these.
What is met gets a number in the order in which it is met, and the digest of what was met says whether the next
process finds the same; then the same numbers name the same things (`backend/archive`).

Names are those that occur in any code that is met, as names or as text. More may be gone through than is used, which
makes another digest where it need not be; what is used and has not been gone through must not be relied on. Python's
own modules, NumPy, SciPy and adcompile are taken to be what their versions say, functions and classes by their names;
of other objects only those are told that are known to be told whole.
"""

from __future__ import annotations

import abc
import builtins
import collections
import collections.abc
import datetime
import decimal
import functools
import hashlib
import numbers
import opcode
import operator
import os
import random
import re
import struct
import sys
import threading
import types as pytypes
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

LIMIT = 20_000
"""Objects that are gone through at most."""
LONG = 1000
"""Characters of a text that is told by its digest."""
PLAIN = (bool, int, str, bytes, type(None), type(Ellipsis), type(NotImplemented))
DESCRIPTORS = (
    *(pytypes.MethodDescriptorType, pytypes.WrapperDescriptorType, pytypes.GetSetDescriptorType),
    *(pytypes.MemberDescriptorType, pytypes.ClassMethodDescriptorType),
)
SILENT = (
    *(np.random.Generator, np.random.RandomState, random.Random),
    *(type(threading.Lock()), type(threading.RLock())),
)
"""Classes of objects that say nothing: what they are asked for is asked for as the code runs."""
LIBRARY = (*PLAIN, float, complex, np.dtype, np.generic, type, pytypes.ModuleType, property, *DESCRIPTORS)
"""Classes of what trusted modules and classes have under their names beside functions."""
COPIED = (
    *(decimal.Decimal, datetime.date, datetime.time, datetime.datetime, datetime.timedelta, datetime.timezone),
    *(re.Pattern, operator.itemgetter, operator.attrgetter, operator.methodcaller, pytypes.GenericAlias),
    vars(collections)["_tuplegetter"],
)
"""Classes of C whose objects are what they would be copied from."""
BASES = (list, tuple, dict, set, frozenset, int, float, complex, str, bytes, deque, BaseException, np.ndarray)
"""Classes of C whose subclasses are told: what objects hold as one of these, and their attributes."""
ABSTRACT = tuple(
    cls for module in (collections.abc, numbers) for cls in vars(module).values() if isinstance(cls, abc.ABCMeta)
)
PASSED_OVER = frozenset({"__dict__", "__weakref__", "__static_attributes__", "__firstlineno__", "_abc_impl"})
"""Attributes of classes that say nothing, or are told apart."""
ANNOTATIONS = "__annotations__"
_HEAP = 1 << 9  # the flag of classes that are made as Python runs
_IMPORT = opcode.opmap["IMPORT_NAME"]


class Untold(Exception):
    """Something that another process could not compare."""


def is_trusted(name: str) -> bool:
    """Whether a module is Python's, NumPy's, SciPy's or ours, and lies where these lie."""
    module = sys.modules.get(name)
    return type(module) is pytypes.ModuleType and _is_at_home(name, module)


@functools.cache
def _is_at_home(name: str, module: pytypes.ModuleType) -> bool:
    file, root = vars(module).get("__file__"), name.partition(".")[0]
    if not isinstance(file, (str, type(None))):
        return False
    if root in ("numpy", "scipy", "adcompile"):
        home = getattr(sys.modules.get(root), "__file__", None)
        return file is not None and home is not None and file.startswith(os.path.dirname(home) + os.sep)
    if file is None:
        return name in sys.builtin_module_names
    home = os.path.dirname(os.__file__) + os.sep
    return root in sys.stdlib_module_names and file.startswith(home) and "site-packages" not in file


def is_numpy(cls: type) -> bool:
    """Whether a class is NumPy's own: that of `np.r_`, say."""
    return has_name(cls) and cls.__module__.partition(".")[0] == "numpy"


def has_name(value: Any) -> bool:
    """Whether a function or class is what a trusted module has under its name."""
    module, path = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if type(module) is not str or type(path) is not str or not is_trusted(module):
        return False
    found: Any = sys.modules[module]
    for part in path.split("."):
        found = vars(found).get(part) if hasattr(found, "__dict__") else None
    return found is value


class Surroundings:
    """What is met from `roots` on. `beside`: pairs of which the second is gone through where the first, a function or
    class, may be met: what has been registered for it. Raises Untold."""

    def __init__(self, *roots: Any, beside: Iterable[tuple[Any, Any]] = ()) -> None:
        self.objects: list[Any] = []
        self.index: dict[int, int] = {}
        self.read: set[tuple[int, str]] = set()
        """The names that have been looked up, by the identity of their namespaces."""
        self._digest: Any = hashlib.sha256()
        self._work: deque[Any] = deque()
        self._names: dict[str, None] = {}
        self._spaces: list[tuple[Any, Mapping[str, Any], bool]] = []  # whose, what it has, and all of that
        self._done: list[int] = []
        self._annotated = 0
        self._texts: dict[Any, list[Any]] = {}
        self._beside = list(beside)
        for root in roots:
            self.say(self.told(root))
        self._go()
        self.digest = self._digest.hexdigest()[:40]

    def say(self, *texts: str) -> None:
        for text in texts:
            data = text.encode("utf-8", "surrogatepass")
            self._digest.update(len(data).to_bytes(8, "little") + data)

    def _go(self) -> None:
        """Until there is nothing new: what objects hold, and then what the names mean in the namespaces."""
        while True:
            while self._work:
                self._content(self._work.popleft())
            for k, (owner, space, whole) in enumerate(list(self._spaces)):
                names = list(self._names)[self._done[k] :]
                self._done[k] += len(names)
                for name in names:
                    self._look_up(owner, space, name, whole)
            if not self._work and not self._registered() and not self._annotations():
                return

    def _registered(self) -> bool:
        """Go through what is registered for what may have been met."""
        found = [pair for pair in self._beside if self._may_be_met(pair[0])]
        self._beside = [pair for pair in self._beside if pair not in found]
        self.each(found)
        return bool(found)

    def _may_be_met(self, value: Any) -> bool:
        if id(value) in self.index or getattr(value, "__name__", None) in (None, *self._names):
            return True
        return isinstance(value, type) and any(isinstance(o, type) and issubclass(o, value) for o in self.objects)

    def _annotations(self) -> bool:
        """Go through the annotations of all functions and classes, if any code names them."""
        if ANNOTATIONS not in self._names or self._annotated == len(self.objects):
            return False
        new, self._annotated = self.objects[self._annotated :], len(self.objects)
        for value in new:
            if isinstance(value, (pytypes.FunctionType, type)):
                self.items(dict(getattr(value, ANNOTATIONS, {})))
        return bool(self._work)

    # -- values

    def told(self, value: Any) -> str:
        """A value in words: itself, or the number of an object."""
        cls: type = type(value)
        if cls in (str, bytes):
            return self._text(value)
        if cls in PLAIN:
            return f"{cls.__name__} {value!r}"
        if cls is float:
            return f"float {struct.pack('>d', value).hex()}"
        if cls is complex:
            return f"complex {struct.pack('>dd', value.real, value.imag).hex()}"
        if isinstance(value, np.dtype):
            return f"dtype {value.str} {value!r}"
        if isinstance(value, np.number | np.bool_) and is_trusted(cls.__module__):
            return f"{cls.__name__} {value.dtype.str} {value.tobytes().hex()}"
        number = self.index.get(id(value))
        if number is None:
            number = self.index[id(value)] = len(self.objects)
            self.objects.append(value)
            self._work.append(value)
            if number > LIMIT:
                raise Untold(f"more than {LIMIT} objects")
        return f"#{number}"

    def _text(self, value: Any) -> str:
        """A text: itself, and which of several equal ones it is; what its replacement fields name is looked up."""
        equal = self._texts.setdefault(value, [])
        which = next((k for k, known in enumerate(equal) if known is value), len(equal))
        if which == len(equal):
            equal.append(value)
        cls: type = type(value)
        if cls is str and "{" in value:
            for field in re.findall(r"\{[^{}]*", value):
                for name in re.findall(r"\w+", field):
                    self._names.setdefault(name)
        if len(value) <= LONG:
            return f"{cls.__name__} {which} {value!r}"
        data = value.encode("utf-8", "surrogatepass") if cls is str else value
        return f"{cls.__name__} {which} of {len(value)} {hashlib.sha256(data).hexdigest()}"

    def each(self, values: Iterable[Any]) -> None:
        """Values in their order."""
        told = [self.told(v) for v in values]
        self.say(str(len(told)), *told)

    def items(self, held: dict[Any, Any]) -> None:
        """What is held under names or keys."""
        self.each(held)
        self.each(held.values())

    def _content(self, value: Any) -> None:
        cls: type = type(value)
        self.say(cls.__qualname__)
        tell = CONTENT.get(cls)
        if tell is not None:
            tell(self, value)
        elif isinstance(value, type):
            self._class(value)
        elif isinstance(value, np.ufunc):
            self._ufunc(value)
        elif isinstance(value, DESCRIPTORS):
            self.say(self.told(value.__objclass__), value.__name__)
        elif has_name(value):  # a function of NumPy's that is made in C
            self.say(value.__module__, value.__qualname__)
        else:
            self._object(value)

    # -- functions

    def function(self, fn: pytypes.FunctionType) -> None:
        """A function of the user's: all of it. Of others their name, and what is theirs alone."""
        self.say(str(fn.__module__), fn.__qualname__, fn.__name__)
        trusted = _is_home_of(fn)
        self.say(str(fn.__code__.co_firstlineno) if trusted else self.told(fn.__code__))
        self.each([*(fn.__closure__ or ()), fn.__defaults__, fn.__kwdefaults__, fn.__doc__, dict(vars(fn)) or None])
        if not trusted:
            self.each([fn.__globals__.get("__package__"), fn.__globals__.get("__name__")])
            self._space(fn.__globals__, True)

    def code(self, code: pytypes.CodeType) -> None:
        named = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags, code.co_firstlineno)
        self.say(code.co_name, *map(str, named), code.co_code.hex(), code.co_linetable.hex())
        self.say(getattr(code, "co_exceptiontable", b"").hex())
        for names in (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars):
            self.say(" ".join(names))
        self.say("" if code.co_filename.startswith("<") else code.co_filename)
        texts = [c for c in code.co_consts if type(c) is str and c.isidentifier()]
        for name in (*code.co_names, *texts):
            self._names.setdefault(name)
        self.each(code.co_consts)
        if _IMPORT in code.co_code[::2]:
            self._imports(code)

    def _imports(self, code: pytypes.CodeType) -> None:
        """The modules that an import inside of a function may mean, of which the package is not known here."""
        for name in code.co_names:
            found = [name] if name in sys.modules else []
            found += sorted(m for m in sys.modules if m.endswith(f".{name}") and not is_trusted(m))
            self.each([sys.modules[m] for m in found])

    # -- names

    def _space(self, space: dict[str, Any], whole: bool) -> None:
        """A namespace, in which all names are looked up."""
        if id(space) not in self.index:
            self.index[id(space)] = len(self.objects)
            self.objects.append(space)
            self._spaces.append((space, space, whole))
            self._done.append(0)

    def _look_up(self, owner: Any, space: Mapping[str, Any], name: str, whole: bool) -> None:
        self.read.add((id(owner), name))
        if name in space:
            value = space[name]
            if not whole and isinstance(value, pytypes.ModuleType) and is_trusted(value.__name__):
                return  # it may be there or not, by what has been imported
            self.say(f"{self.index[id(owner)]} {name}", self.told(value) if whole else self._shortly(value))
        elif whole and name in vars(builtins):
            self.say(f"{self.index[id(owner)]} {name}", self._shortly(vars(builtins)[name]))

    def _shortly(self, value: Any) -> str:
        """What stands in a module that is trusted, by its name; what has been put there since is gone through. State of
        libraries, such as options and arguments, is not: who reads it is told nothing of it."""
        if isinstance(value, pytypes.FunctionType):
            return f"{value.__module__} {value.__qualname__}" if _is_home_of(value) else self.told(value)
        if isinstance(value, (pytypes.BuiltinFunctionType, np.ufunc)):
            return f"{value.__module__} {value.__qualname__}" if has_name(value) else self.told(value)
        owner = getattr(value, "__self__", None)
        if isinstance(value, LIBRARY) or isinstance(owner, SILENT) or has_name(value) or is_numpy(type(value)):
            return self.told(value)
        raise Untold(f"state of a library, of {type(value).__qualname__}")

    def module(self, module: pytypes.ModuleType) -> None:
        """A module by its name, and what the names mean in it; ours have names by what has been imported of them."""
        name = str(vars(module).get("__name__"))
        self.say(name)
        if sys.modules.get(name) is not module:
            raise Untold("a module that no import gives")
        if name.partition(".")[0] != "adcompile" or not is_trusted(name):
            self._space(vars(module), not is_trusted(name))

    # -- classes and objects

    def _class(self, cls: type) -> None:
        self.say(str(cls.__module__), cls.__qualname__, cls.__name__)
        if not cls.__flags__ & _HEAP or cls in ABSTRACT:
            return
        if isinstance(cls, abc.ABCMeta):  # any class may be registered with it, or with a subclass
            raise Untold(f"{cls.__qualname__}, an abstract class")
        if has_name(cls):  # what has been put there since is met by its name
            self._spaces.append((cls, vars(cls), False))
            self._done.append(0)
            self.each(cls.__bases__)
            return
        self.say(self.told(type(cls)))
        if not has_name(type(cls)):
            raise Untold(f"{cls.__qualname__}, a class with a class of its own")
        self.each(cls.__bases__)
        self.say(*(a.__qualname__ for a in ABSTRACT if issubclass(cls, a)))
        held = {k: v for k, v in vars(cls).items() if k not in PASSED_OVER and k != ANNOTATIONS}
        self.say(*held)
        self.each(held.values())

    def _ufunc(self, ufunc: Any) -> None:
        for module in ("numpy", "scipy.special"):
            if module in sys.modules and vars(sys.modules[module]).get(ufunc.__name__) is ufunc:
                self.say(module, ufunc.__name__)
                return
        raise Untold(f"{ufunc.__name__}, which no module has")

    def _object(self, value: Any) -> None:
        """An object as what it holds and its attributes; of a class that is known to have nothing else."""
        cls: type = type(value)
        self.say(self.told(cls))
        if cls in SILENT:
            return
        if any("__adcompile_key__" in vars(c) for c in cls.__mro__):
            self.each((value.__adcompile_key__(), value.fun))
            return
        base = next((b for b in BASES if issubclass(cls, b)), None)
        if cls in COPIED:
            made = value.__reduce_ex__(4)
            self.each(made if isinstance(made, tuple) else (made,))
            return
        if not _is_told_whole(cls, base):
            raise Untold(f"an object of {cls.__qualname__}")
        if base is not None:
            HELD[base](self, value)
        self.items({**slots_of(value), **dict_of(value)})

    def _array(self, array: np.ndarray) -> None:
        """What decides on an array: not its elements, which are read when the code runs."""
        if array.dtype.hasobject:
            raise Untold("an array of objects")
        self.say(self.told(array.dtype), "".join("1" if n == 1 else ":" for n in array.shape))

    def _set(self, items: Iterable[Any]) -> None:
        """The items in an order that does not depend on their hashes."""
        keyed: list[tuple[str, Any]] = []
        for item in items:
            if type(item) in (*PLAIN, float):
                name = repr(item)
            elif isinstance(item, (type, pytypes.FunctionType, pytypes.BuiltinFunctionType)):
                name = f"{item.__module__} {item.__qualname__}"
            else:
                raise Untold("a set of objects")
            keyed.append((f"{type(item).__name__} {name}", item))
        keyed.sort(key=lambda pair: pair[0])
        self.each([item for _, item in keyed])


def _is_home_of(fn: pytypes.FunctionType) -> bool:
    """Whether a function is one of a trusted module's, from its file."""
    name = fn.__globals__.get("__name__")
    if type(name) is not str or not is_trusted(name) or vars(sys.modules[name]) is not fn.__globals__:
        return False
    return fn.__code__.co_filename == getattr(sys.modules[name], "__file__", None)


def dict_of(value: Any) -> dict[str, Any]:
    """The attributes of an object, whatever its class does when it is asked for them."""
    for cls in type(value).__mro__:
        place = vars(cls).get("__dict__")
        if isinstance(place, pytypes.GetSetDescriptorType):
            return dict(place.__get__(value))
    return {}


def slots_of(value: Any) -> dict[str, Any]:
    """The attributes of an object that have places in it, by the classes of Python that give them."""
    found: dict[str, Any] = {}
    for cls in type(value).__mro__:
        for name, place in vars(cls).items() if "__slots__" in vars(cls) else ():
            if isinstance(place, pytypes.MemberDescriptorType):
                try:
                    found[name] = place.__get__(value, cls)
                except AttributeError:
                    continue  # it has none
    return found


TOLD_WHOLE = (pytypes.SimpleNamespace, collections.OrderedDict, type(functools.lru_cache(abs)))
"""Classes of C beside `BASES` whose objects are told by what they hold and by their attributes."""


def _is_told_whole(cls: type, base: type | None) -> bool:
    """Whether objects hold nothing but what they hold as a container or number, and attributes."""
    errors = base is BaseException  # those of Python's own
    return all(
        c in (object, base, *TOLD_WHOLE) or _is_python(c) or errors and c.__module__ == "builtins" for c in cls.__mro__
    )


def _is_python(cls: type) -> bool:
    """Whether a class was made by a statement of Python."""
    return bool(cls.__flags__ & _HEAP) and (
        any(name in vars(cls) for name in ("__slots__", "__dict__", "__weakref__"))
        or any(_is_python(base) for base in cls.__bases__)
        or "__module__" in vars(cls)
        and cls.__base__ in BASES
    )


def _bound(s: Surroundings, method: Any) -> None:
    """A method of Python or of C, with its object; a function of C, by its module."""
    owner = getattr(method, "__self__", None)
    if owner is None or isinstance(owner, pytypes.ModuleType):
        if not has_name(method):
            raise Untold(f"{method.__qualname__}, which no module has")
        s.say(method.__module__, method.__qualname__)
        return
    s.each((owner, getattr(method, "__func__", None), method.__name__))


def _attributes(*names: str) -> Callable[[Surroundings, Any], None]:
    return lambda s, value: s.each([getattr(value, name) for name in names])


def _contents(s: Surroundings, cell: Any) -> None:
    try:
        s.each([cell.cell_contents])
    except ValueError:
        s.say("empty")


CONTENT: dict[type, Callable[[Surroundings, Any], None]] = {
    pytypes.FunctionType: Surroundings.function,
    pytypes.CodeType: Surroundings.code,
    pytypes.ModuleType: Surroundings.module,
    pytypes.MethodType: _bound,
    pytypes.BuiltinFunctionType: _bound,
    pytypes.MethodWrapperType: _bound,
    pytypes.CellType: _contents,
    pytypes.MappingProxyType: lambda s, value: s.items(dict(value)),
    property: _attributes("fget", "fset", "fdel", "__doc__"),
    staticmethod: _attributes("__func__"),
    classmethod: _attributes("__func__"),
    functools.partial: _attributes("func", "args", "keywords", "__dict__"),
    collections.defaultdict: lambda s, value: (s.each([value.default_factory]), s.items(value))[0],
    slice: _attributes("start", "stop", "step"),
    range: _attributes("start", "stop", "step"),
    weakref.ref: lambda s, ref: s.each([ref()]),
}
"""What is told of objects of these very classes."""

HELD: dict[type, Callable[[Surroundings, Any], None]] = {
    list: lambda s, value: s.each(list.__iter__(value)),
    tuple: lambda s, value: s.each(tuple.__iter__(value)),
    deque: lambda s, value: s.each([value.maxlen, *deque.__iter__(value)]),
    dict: lambda s, value: s.items(dict(dict.items(value))),
    set: lambda s, value: s._set(set.__iter__(value)),  # type: ignore[reportPrivateUsage]
    frozenset: lambda s, value: s._set(frozenset.__iter__(value)),  # type: ignore[reportPrivateUsage]
    int: lambda s, value: s.say(int.__repr__(value)),
    float: lambda s, value: s.say(struct.pack(">d", float.__float__(value)).hex()),
    complex: lambda s, value: s.say(complex.__repr__(value)),
    str: lambda s, value: s.say(str.__str__(value)),
    bytes: lambda s, value: s.say(bytes.__repr__(value)),
    BaseException: lambda s, value: s.each(BaseException.args.__get__(value)),  # type: ignore[attr-defined]
    np.ndarray: lambda s, value: s._array(value),  # type: ignore[reportPrivateUsage]
}
"""What is told of what an object holds as one of these."""
