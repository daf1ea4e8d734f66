"""What a derivative may depend on outside of itself, told so that another process can compare it.

Guards compare objects by identity, which means nothing in another process. Here everything is gone through that the
source of a function can name, before anything is derived: code, defaults, cells, what the names mean in its modules,
and on from these. What is met gets a number in the order in which it is met, and the digest of what was met says
whether the next process finds the same; then the same numbers name the same things (`backend/archive`).

Only what can be told whole has a place here: functions of the user's, numbers, texts, containers, arrays, and what
NumPy, SciPy and Python's mathematical modules have under their names. What else is met, or code that may reach what
no name in it says (`getattr`, an import, an attribute such as `__dict__`), is Untold, and the derivative is made anew.
To tell objects, classes and whole libraries was tried and given up: `docs/design_notes.md`.
"""

from __future__ import annotations

import builtins
import dataclasses
import dis
import functools
import hashlib
import os
import re
import struct
import sys
import types as pytypes
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from adcompile.frozen import is_record, names_of
from adcompile.ir.abstract import is_installed_file, is_multimethod

LIMIT = 20_000
"""Objects that are gone through at most."""
MANY = 200
"""Arrays that are compared with each other at most."""
LONG = 1000
"""Characters of a text that is told by its digest."""
PLAIN = (bool, int, str, bytes, type(None), type(Ellipsis), type(NotImplemented))
TRUSTED = frozenset(
    "numpy scipy adcompile builtins math cmath operator _operator itertools functools _functools".split()
)
"""Packages and modules that are taken to be what their versions say: no state of theirs decides on a derivative."""
REACHING = frozenset(
    "getattr setattr delattr hasattr vars dir globals locals eval exec compile open input super id hash repr ascii "
    "format format_map attrgetter methodcaller itemgetter singledispatch update_wrapper wraps cached_property".split()
)
"""Names by which code reaches what no name in it says, or what differs from process to process."""
OPERATIONS = frozenset(
    "IMPORT_NAME IMPORT_STAR STORE_GLOBAL DELETE_GLOBAL MATCH_CLASS LOAD_BUILD_CLASS STORE_NAME DELETE_NAME".split()
)
"""Operations that do."""
WATCHED = frozenset(dis.opmap[name] for name in (*OPERATIONS, "IS_OP") if name in dis.opmap)
SINGLE = (None, True, False, Ellipsis, NotImplemented)
"""What `is` may be asked about: of other numbers and texts there may be one or several."""
_HEAP, _IMMUTABLE = 1 << 9, 1 << 8  # flags of classes: made as Python runs, and not to be changed all the same


class Untold(Exception):
    """Something that another process could not compare."""


def is_trusted(name: str) -> bool:
    """Whether a module is one of those that are taken to be what their versions say, and lies where these lie."""
    module = sys.modules.get(name)
    return name.partition(".")[0] in TRUSTED and type(module) is pytypes.ModuleType and _is_at_home(name, module)


@functools.cache
def _is_at_home(name: str, module: pytypes.ModuleType) -> bool:
    file, root = vars(module).get("__file__"), name.partition(".")[0]
    if not isinstance(file, (str, type(None))):
        return False
    if root in ("numpy", "scipy", "adcompile"):
        home = vars(sys.modules[root]).get("__file__") if root in sys.modules else None
        return file is not None and home is not None and file.startswith(os.path.dirname(home) + os.sep)
    if file is None:
        return name in sys.builtin_module_names
    return file.startswith(os.path.dirname(os.__file__) + os.sep) and "site-packages" not in file


def is_installed(name: str) -> bool:
    """Whether a module comes from where packages are installed: the compiler does not guard what it reads there."""
    if name not in sys.modules:
        return False
    module = sys.modules[name]
    if type(module) is not pytypes.ModuleType:
        return True  # nobody knows
    file = vars(module).get("__file__")
    return type(file) is str and is_installed_file(file)


def has_name(value: Any) -> bool:
    """Whether a function or class is what a trusted module has under its name."""
    if type(value) not in (*NAMED, type, type(np.dtype)) and not is_multimethod(value):
        return False
    module, path = _place(value)
    if type(module) is not str or type(path) is not str or not is_trusted(module):
        return False
    if type(value) is pytypes.FunctionType and not is_at_home(value):
        return False  # its names say nothing
    found: Any = sys.modules[module]
    for part in path.split("."):
        found = vars(found).get(part) if type(found) in (pytypes.ModuleType, type) else None
    return found is value


def is_part(value: Any, space: dict[str, Any], name: str) -> bool:
    """Whether this is the part of a library that an import of the library and this name gives."""
    return type(value) is pytypes.ModuleType and vars(value).get("__name__") == f"{space.get('__name__')}.{name}"


def is_at_home(fn: pytypes.FunctionType) -> bool:
    """Whether a function is one of a trusted module's, by the names that it sees and the file that it is from."""
    name = fn.__globals__.get("__name__")
    if type(name) is not str or not is_trusted(name) or vars(sys.modules[name]) is not fn.__globals__:
        return False
    return fn.__code__.co_filename == fn.__globals__.get("__file__")


def _place(value: Any) -> tuple[Any, Any]:
    if type(value) is np.ufunc:
        modules = [name for name in ("numpy", "scipy.special") if name in sys.modules]
        home = next((name for name in modules if vars(sys.modules[name]).get(value.__name__) is value), None)
        return home, value.__name__
    return value.__module__, value.__qualname__


NAMED = (pytypes.FunctionType, pytypes.BuiltinFunctionType, np.ufunc, type(np.sum))
"""Classes of functions that libraries have."""


class Surroundings:
    """What is met from `roots` on. Raises Untold."""

    def __init__(self, *roots: Any) -> None:
        self.objects: list[Any] = []
        self.index: dict[int, int] = {}
        self.read: set[tuple[int, str]] = set()
        """The names that have been looked up, by the identity of their namespaces."""
        self._digest: Any = hashlib.sha256()
        self._work: deque[Any] = deque()
        self._names: dict[str, None] = {}
        self._spaces: list[tuple[dict[str, Any], bool]] = []  # and whether it is the user's
        self._done: list[int] = []
        self._equal: dict[Any, list[Any]] = {}
        self._count = 0
        for root in roots:
            self.say(self.told(root))
        self._go()
        for value in self.objects:
            if set(_attributes(value)) & set(self._names):
                raise Untold("an attribute that a function or derivative has got")
        self._overlaps([v for v in self.objects if isinstance(v, np.ndarray)])
        self.digest = self._digest.hexdigest()[:40]

    def _overlaps(self, arrays: list[np.ndarray]) -> None:
        """Which arrays may share memory: what is written into one of them may be read from another."""
        if len(arrays) > MANY:
            raise Untold(f"more than {MANY} arrays")
        for k, a in enumerate(arrays):
            for j in range(k):
                if np.may_share_memory(a, arrays[j]):
                    self.say(f"{j} and {k} overlap")

    def say(self, *texts: str) -> None:
        for text in texts:
            data = text.encode("utf-8", "surrogatepass")
            self._digest.update(len(data).to_bytes(8, "little") + data)

    def _go(self) -> None:
        """Until there is nothing new: what objects hold, and then what the names mean in the namespaces."""
        while True:
            while self._work:
                self._content(self._work.popleft())
            for k, (space, own) in enumerate(list(self._spaces)):
                names = list(self._names)[self._done[k] :]
                self._done[k] += len(names)
                for name in names:
                    self._look_up(space, name, own)
            if not self._work and all(done == len(self._names) for done in self._done):
                return

    # -- values

    def told(self, value: Any) -> str:
        """A value in words: itself, or the number of an object."""
        cls: type = type(value)
        if type(cls) is not type and not issubclass(cls, np.dtype):  # a class may be asked for nothing then
            raise Untold("an object of a class with a class of its own")
        if cls in (str, bytes):
            return self._text(value)
        if cls in PLAIN:
            return f"{cls.__name__} {value!r}"
        if cls is float:
            return f"float {struct.pack('>d', value).hex()}"
        if cls is complex:
            return f"complex {struct.pack('>dd', value.real, value.imag).hex()}"
        if issubclass(cls, np.dtype) and value.names is None and not value.hasobject and value.metadata is None:
            return f"dtype {self._which((value.str, repr(value)), value)} {value.str} {value.char} {value!r}"
        if issubclass(cls, (np.number, np.bool_)) and is_static(cls):
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
        """A text: itself, and which of several equal ones it is."""
        cls: type = type(value)
        which = self._which((cls, value), value)
        if len(value) <= LONG:
            return f"{cls.__name__} {which} {value!r}"
        data = value.encode("utf-8", "surrogatepass") if cls is str else value
        return f"{cls.__name__} {which} of {len(value)} {hashlib.sha256(data).hexdigest()}"

    def _which(self, key: Any, value: Any) -> int:
        """Which of several equal ones a value is."""
        equal = self._equal.setdefault(key, [])
        which = next((k for k, known in enumerate(equal) if known is value), len(equal))
        if which == len(equal):
            equal.append(value)
        return which

    def each(self, values: Iterable[Any]) -> None:
        """Values in their order."""
        told = [self.told(v) for v in values]
        self._count += len(told)
        if self._count > 10 * LIMIT:
            raise Untold(f"more than {10 * LIMIT} items")
        self.say(str(len(told)), *told)

    def _content(self, value: Any) -> None:
        cls: type = type(value)
        self.say(cls.__qualname__)
        tell = CONTENT.get(cls)
        if tell is not None:
            tell(self, value)
        elif is_static(value) or cls in NAMED and has_name(value):
            self.say(*_place(value))
        elif is_ours(cls):
            self._of_ours(value)
        else:
            raise Untold(f"an object of {cls.__qualname__}")

    def _of_ours(self, value: Any) -> None:
        """A type, a request, or a derivative of a function."""
        cls: Any = type(value)
        self.say(cls.__module__)
        if is_record(cls):
            self.each([getattr(value, name) for name in names_of(cls)])
        elif dataclasses.is_dataclass(cls):
            self.each([getattr(value, f.name) for f in dataclasses.fields(cls)])
        elif "__adcompile_key__" in vars(cls):
            self.each((value.__adcompile_key__(), value.fun))
        else:
            raise Untold(f"an object of {cls.__qualname__}")

    # -- functions

    def function(self, fn: pytypes.FunctionType) -> None:
        """A function: of the user's all of it, of others their name."""
        name: Any = fn.__globals__.get("__name__")
        if has_name(fn):
            self.say(*_place(fn))
            return
        if type(name) is not str:
            raise Untold(f"{fn.__qualname__}, a function of a module without a name")
        if vars(fn) and (is_trusted(name) or is_installed(name)):
            raise Untold(f"{fn.__qualname__}, a function with attributes")
        if is_at_home(fn):  # made by one of the module's functions
            self.say(name, fn.__qualname__, str(fn.__code__.co_firstlineno))
            self.each([*(fn.__closure__ or ()), fn.__defaults__, fn.__kwdefaults__])
            return
        if is_trusted(name) or is_installed(name):
            raise Untold(f"{fn.__qualname__}, a function of an installed package, or one that says so")
        if not any(fn.__globals__.get("__builtins__") is own for own in (builtins, vars(builtins))):
            raise Untold(f"{fn.__qualname__}, which has builtins of its own")
        package = fn.__globals__.get("__package__")
        optional = {type(package), type(fn.__module__)}
        if {type(fn.__qualname__), type(fn.__name__)} != {str} or not optional <= {str, type(None)}:
            raise Untold("a function with names that are no texts")
        found = sys.modules.get(name)
        here = type(found) is pytypes.ModuleType and vars(found) is fn.__globals__
        self.say(fn.__qualname__, fn.__name__, name, str(package), str(fn.__module__), str(here))
        self.each([fn.__code__, *(fn.__closure__ or ()), fn.__defaults__, fn.__kwdefaults__])
        if vars(fn):
            self.each([vars(fn)])
        self._space(fn.__globals__, True)
        self.say(str(self.index[id(fn.__globals__)]))  # there may be several of one name

    def code(self, code: pytypes.CodeType) -> None:
        named = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags, code.co_firstlineno)
        self.say(code.co_name, code.co_filename, *map(str, named), code.co_code.hex(), code.co_linetable.hex())
        self.say(getattr(code, "co_exceptiontable", b"").hex())
        for names in (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars):
            self.say(" ".join(names))
        _refuse_reaching(code)
        self._names.update(dict.fromkeys(code.co_names))
        self.each(code.co_consts)

    # -- names

    def _space(self, space: dict[str, Any], own: bool) -> None:
        """A namespace, in which all names are looked up."""
        if id(space) not in self.index:
            self.index[id(space)] = len(self.objects)
            self.objects.append(space)
            self._spaces.append((space, own))
            self._done.append(0)

    def _look_up(self, space: dict[str, Any], name: str, own: bool) -> None:
        self.read.add((id(space), name))
        if name in space:
            value = space[name]
            if not own and is_part(value, space, name):
                self.told(value)  # it may be there or not, by what has been imported
                return
            if not own and type(value) is pytypes.FunctionType and not is_at_home(value):
                raise Untold(f"{name}, which somebody has put into a library")
            self.say(f"{self.index[id(space)]} {name}", self.told(value))
        elif own and name in vars(builtins):
            value = vars(builtins)[name]
            if type(value) is pytypes.FunctionType:
                raise Untold(f"{name}, which somebody has put into builtins")
            self.say(f"{self.index[id(space)]} {name}", self.told(value))

    def module(self, module: pytypes.ModuleType) -> None:
        """A module by its name, and what the names mean in it."""
        name = vars(module).get("__name__")
        if type(name) is not str or sys.modules.get(name) is not module:
            raise Untold("a module that no import gives")
        self.say(name)
        if not is_trusted(name):
            if is_installed(name) or name in sys.builtin_module_names or "__getattr__" in vars(module):
                raise Untold(f"the module {name}")
            self._space(vars(module), True)
        else:
            self._space(vars(module), False)

    # -- containers

    def _dict(self, held: dict[Any, Any]) -> None:
        if not all(type(k) in (*PLAIN, float, tuple) for k in held):
            raise Untold("a dict with objects as keys")
        self.each(held)
        self.each(held.values())

    def _array(self, array: np.ndarray) -> None:
        """What decides on an array: not its elements, which are read when the code runs."""
        self.say(self.told(array.dtype), "".join("1" if n == 1 else ":" for n in array.shape))

    def _set(self, items: Iterable[Any]) -> None:
        """Numbers in the order in which they come, which loops over a literal follow; texts in an order that does not
        depend on their hashes."""
        held = list(items)
        kinds = {type(item) for item in held}
        if kinds <= {bool, int, float, complex, type(None)}:
            self.each(held)
        elif kinds <= {str} or kinds <= {bytes}:
            self.say(*sorted(map(repr, held)))
        elif kinds == {type} and all(map(is_static, held)):
            self.say(*sorted(f"{cls.__module__} {cls.__qualname__}" for cls in held))
        else:
            raise Untold("a set of objects")


def is_ours(cls: type) -> bool:
    """Whether a class is one of the compiler's."""
    name = vars(cls).get("__module__")
    if type(name) is not str or not name.startswith("adcompile.") or not is_trusted(name):
        return False
    return vars(sys.modules[name]).get(vars(cls).get("__qualname__", cls.__name__)) is cls


def is_static(cls: type) -> bool:
    """Whether a class is one of Python's or NumPy's that is written in C and cannot be changed."""
    fixed = type(cls) is type and (not cls.__flags__ & _HEAP or bool(cls.__flags__ & _IMMUTABLE))
    return fixed and cls.__module__ in ("builtins", "numpy", "itertools")


def _attributes(value: Any) -> Iterable[str]:
    """The names of what an object has been given."""
    if type(value) in NAMED or "__adcompile_key__" in vars(type(value)):
        return getattr(value, "__dict__", ())
    return ()


def _refuse_reaching(code: pytypes.CodeType) -> None:
    """Raise Untold for code that reaches what no name in it says."""
    for name in code.co_names:
        if name in REACHING or re.fullmatch("__.*__", name):
            raise Untold(f"code that asks for {name}")
    if WATCHED.isdisjoint(code.co_code[::2]):  # most code: to have the steps in words takes a hundred times as long
        return
    before: Any = None
    for step in dis.get_instructions(code):
        if step.opname in OPERATIONS:
            raise Untold(f"code with {step.opname}")
        if step.opname == "IS_OP":
            single = before.opname == "LOAD_CONST" and any(before.argval is one for one in SINGLE)
            if not single or step.is_jump_target:  # else the constant may be one of several operands
                raise Untold("code that asks for identity")
        before = step


def _bound(s: Surroundings, function: Any) -> None:
    """A function written in C, by its module."""
    if type(function.__self__) is not pytypes.ModuleType or function.__name__ in (*REACHING, "is_", "is_not"):
        raise Untold(f"{function.__name__}, which reaches what no name says")
    if not has_name(function):
        raise Untold(f"{function.__qualname__}, which no module has")
    s.say(*_place(function))


def _contents(s: Surroundings, cell: Any) -> None:
    try:
        s.each([cell.cell_contents])
    except ValueError:
        s.say("empty")


def _ends(s: Surroundings, value: Any) -> None:
    s.each([value.start, value.stop, value.step])


CONTENT: dict[type, Callable[[Surroundings, Any], None]] = {
    pytypes.FunctionType: Surroundings.function,
    pytypes.CodeType: Surroundings.code,
    pytypes.ModuleType: Surroundings.module,
    pytypes.BuiltinFunctionType: _bound,
    pytypes.CellType: _contents,
    slice: _ends,
    range: _ends,
    list: Surroundings.each,
    tuple: Surroundings.each,
    dict: Surroundings._dict,  # type: ignore[reportPrivateUsage]
    set: Surroundings._set,  # type: ignore[reportPrivateUsage]
    frozenset: Surroundings._set,  # type: ignore[reportPrivateUsage]
    np.ndarray: Surroundings._array,  # type: ignore[reportPrivateUsage]
}
"""What is told of objects of these very classes."""
