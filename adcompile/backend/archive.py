"""Derivatives for the next process: what the pipeline has made, found again without it.

An entry is named by all that the derivative may depend on (`backend/surroundings`), the versions of what has made it,
and the settings. It holds the text that runs and what its callers must know. Objects that were met on the way are
written as numbers; what else it names must come from an installed module. Where that does not do, nothing is kept.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import io
import marshal
import os
import pickle
import sys
import types as pytypes
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import adcompile
from adcompile.backend import disk
from adcompile.backend.derived import Derived, Parts, Request, plain
from adcompile.backend.guards import conditions
from adcompile.backend.load import Emitted, code_of, load
from adcompile.backend.surroundings import PLAIN, Surroundings, Untold, has_name, is_static, is_trusted
from adcompile.collecting import uncollected
from adcompile.errors import AdcompileError
from adcompile.frozen import replaced
from adcompile.ir import ops
from adcompile.ir.abstract import Promote
from adcompile.ir.program import Guard
from adcompile.ir.refs import GlobalRef, OwnerSpace
from adcompile.rules import registry
from adcompile.runtime import settings, structure

KIND = "derived"
Outcome = tuple[Derived, "AdcompileError | None"]
Make = Callable[[], Outcome]


def is_on() -> bool:
    """Whether derivatives are kept, and kept ones used: ADCOMPILE_KEEP=0 says no. Rules and structures that somebody
    has registered are not told."""
    return os.environ.get("ADCOMPILE_KEEP", "1") != "0" and not registry.others and not structure.registered


def kept(fun: Any, request: Request, types: Any, make: Make) -> Outcome:
    """What `make` gives, or what it has given in another process. Raises what it raises."""
    directory = _directory() if is_on() else None
    if directory is None:
        return make()
    with uncollected():
        met, path, found = _looked_up(directory, fun, request, types, make)
    if found is not None:
        return found
    if met is None:
        return make()
    try:
        made = make()
    except Promote as asked:
        _store(path, met, asked.positions)
        raise
    _store(path, met, made)
    return made


def _looked_up(
    directory: Path, fun: Any, request: Request, types: Any, make: Make
) -> tuple[Surroundings | None, Path, Outcome | None]:
    """What there is around a function, where its derivative is kept, and what is kept there."""
    try:
        met = Surroundings(fun, request, types)
        path = directory / f"{_name(met)}.bin"
    except Exception:  # Untold; or something that no walk has thought of, and that must not be the user's trouble
        return None, directory, None
    found = _fetched(path, met, fun, make)
    if found is not None:
        registry.remember()
    return met, path, found


def _directory() -> Path | None:
    try:
        found = disk.folder_or_none(disk.cache_directory(), KIND)
        if found is not None and not found.is_dir():  # somebody has removed it since
            disk.folder_or_none.cache_clear()
            found = disk.folder_or_none(disk.cache_directory(), KIND)
        return found
    except RuntimeError:  # of a user without a home
        return None


def _name(met: Surroundings) -> str:
    return disk.digest(met.digest, versions(), repr(settings.current), os.environ.get("ADCOMPILE_CHECK", ""))


@functools.cache
def versions() -> str:
    """What makes derivatives: Python, the libraries that rules are for, and every file of ours."""
    said = [sys.version, str(sys.flags.optimize), np.__version__, adcompile.__version__]
    for name in ("scipy", "numba", "gast", "astor"):
        known: Any = sys.modules.get(name, importlib)
        if known is importlib:
            spec = importlib.util.find_spec(name)
        else:
            spec = known.__spec__ if known is not None else None  # None: nobody may import it
        said.append(f"{name} {_stamp(spec.origin) if spec is not None and spec.origin else ''}")
    return disk.digest(*said, repr(_files(os.path.dirname(adcompile.__file__))))


def _files(folder: str) -> list[Any]:
    """The files of Python in a folder, with their versions, and the folders in it."""
    found: list[tuple[str, int, int]] = []
    inside: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if name.endswith(".py"):
                about = entry.stat()
                found.append((name, about.st_mtime_ns, about.st_size))
            elif name != "__pycache__" and entry.is_dir():
                inside.append(entry.path)
    return [folder, sorted(found), *map(_files, sorted(inside))]


def _stamp(file: str) -> str:
    """Which version of a file is there."""
    try:
        about = os.stat(file)
    except OSError:
        return "none"
    return f"{about.st_mtime_ns} {about.st_size}"


# -- entries --------------------------------------------------------------------------------------


def _store(path: Path, met: Surroundings, made: Any) -> None:
    """Keep what was made, if it can be said in terms of what has been met."""
    try:
        if isinstance(made, frozenset):
            held: Any = made
        else:
            derived, unfollowed = made
            assert derived.parts is not None
            if not all(_is_covered(guard, met) for guard in derived.guards):
                return
            guards = tuple(map(_unbound, (g for g in derived.guards if not _is_ours(g))))
            about = replaced(derived, guards=guards, call=None, pullback=None, program=None, saved=(), source="")
            code = marshal.dumps(code_of(derived.parts.source, derived.parts.name))
            held = (about, derived.pullback is not None, unfollowed, code)
        out = io.BytesIO()
        Writer(out, met).dump((path.stem, held))  # under another name it is not what it says
    except (Untold, pickle.PicklingError, TypeError, AttributeError, RecursionError):
        return  # it names what no other process has
    with suppress(disk.CacheWarning):  # where warnings are errors: the derivative is there
        disk.store(path, out.getvalue())


def _fetched(path: Path, met: Surroundings, fun: Any, make: Make) -> Outcome | None:
    """What an entry holds, loaded; None where there is none that holds."""
    payload = disk.fetch(path)
    if payload is None:
        return None
    try:
        name, held = Reader(io.BytesIO(payload), met).load()
    except (pickle.UnpicklingError, ImportError, AttributeError, LookupError, TypeError, ValueError, EOFError):
        return None  # a module that has changed
    if name != path.stem:
        return None
    if isinstance(held, frozenset):
        raise Promote(*held)
    if not isinstance(held, tuple):
        return None
    about, split, unfollowed, code = held
    bound = tuple(map(_bound, about.guards))
    guards = tuple(g for g in bound if g is not None)
    if len(guards) < len(bound) or not conditions(guards, about.followed).valid()():
        return None
    parts: Parts = about.parts
    emitted = Emitted(parts.source, parts.namespace, parts.name)
    entry = load(emitted, parts.name, marshal.loads(code))
    names: dict[str, Any] = entry.__globals__
    if parts.kernels:
        attach = importlib.import_module("adcompile.backend.native.joined").attach
        for name, kernel in parts.kernels:
            attach(kernel, name, names, settings.current.elementary, told=about.native.explicit)
    pullback = names[f"{parts.name}_pullback"] if split else None
    again = functools.lru_cache(None)(lambda: make()[0])
    loaded = replaced(about, call=names[parts.name], pullback=pullback, source=parts.source, guards=guards, again=again)
    loaded.native.tell(plain(fun))
    return loaded, unfollowed


# -- guards ---------------------------------------------------------------------------------------


def follow(guard: Guard) -> Any:
    """What a guard is about, as it is now."""
    namespace, name = guard.ref.namespace, guard.ref.name
    value = namespace[name] if name in namespace else getattr(ops.builtins, name)
    for step in guard.path:
        value = getattr(value, step) if isinstance(step, str) else value[step[1]]
    return value


def _unbound(guard: Guard) -> Guard:
    """A guard without the object, which the reader finds where the guard leads; a number or text must be the same."""
    if guard.type is not None or guard.other is not None:
        return guard
    return replaced(guard, value=guard.value if type(guard.value) in NUMBERS else None)


def _bound(guard: Guard) -> Guard | None:
    """A guard with the object that it is about; None where that is another."""
    if guard.type is not None or guard.other is not None:
        return guard
    now = follow(guard)
    if (type(now) in NUMBERS or type(guard.value) in NUMBERS) and told(now) != told(guard.value):
        return None
    return replaced(guard, value=now)


NUMBERS = (bool, int, float, complex, str, bytes)


def told(value: Any) -> str:
    return f"{type(value).__name__} {value!r}"


def _is_ours(guard: Guard) -> bool:
    """Whether a guard is about a name of ours, in a rule that was followed: the name of the entry tells our files."""
    return str(guard.ref.namespace.get("__name__")).partition(".")[0] == "adcompile"


TOLD = frozenset("__name__ __qualname__ __code__ __closure__ __defaults__ __kwdefaults__ cell_contents".split())
"""Attributes of functions and cells that are gone through with them."""


def _is_covered(guard: Guard, met: Surroundings) -> bool:
    """Whether what a guard is about has been gone through."""
    ways = [(guard.ref, guard.path), *([guard.other] if guard.other is not None else [])]
    return all(_is_way_covered(ref, path, met, guard.type is None and guard.other is None) for ref, path in ways)


def _is_way_covered(ref: GlobalRef, path: tuple[Any, ...], met: Surroundings, followed: bool) -> bool:
    namespace, name = ref.namespace, ref.name
    value: Any
    if isinstance(namespace, OwnerSpace):
        value = namespace["owner"]
        if not _is_met(value, met):
            return False
    else:
        if (id(namespace), name) not in met.read and not _is_trusted(namespace):
            return False
        value = namespace[name] if name in namespace else getattr(ops.builtins, name, None)
    for k, step in enumerate(path):
        if isinstance(step, tuple) and step[0] in ("call", "place", "none"):
            return step[0] != "call" and _is_met(value, met)
        own = k == len(path) - 1 and not followed  # whether it is there at all may be what the guard is about
        if isinstance(step, str) and not _is_attribute_covered(value, step, met):
            return False
        try:
            value = getattr(value, step) if isinstance(step, str) else value[step[1]]
        except (AttributeError, LookupError):
            return own
        if step not in TOLD and not _is_met(value, met):  # what a class of a library holds, say
            return False
    return True


def _is_attribute_covered(value: Any, name: str, met: Surroundings) -> bool:
    if type(value) is pytypes.ModuleType:
        return (id(vars(value)), name) in met.read or is_trusted(value.__name__)
    return _is_met(value, met) and name in TOLD


def _is_met(value: Any, met: Surroundings) -> bool:
    if type(value) in (*PLAIN, float, complex) or id(value) in met.index:
        return True
    return is_static(value) or has_name(value)


def _is_trusted(namespace: dict[str, Any]) -> bool:
    name = namespace.get("__name__")
    return isinstance(name, str) and is_trusted(name) and vars(sys.modules[name]) is namespace


# -- objects in entries ---------------------------------------------------------------------------


class Writer(pickle.Pickler):
    """Writes objects that have been met as their numbers, and others only where a name or their class says all."""

    def __init__(self, out: io.BytesIO, met: Surroundings) -> None:
        super().__init__(out, protocol=5)
        self.met = met

    def persistent_id(self, obj: Any) -> Any:
        """How the reader finds an object without its contents."""
        cls: type = type(obj)
        if obj is ops.UNDEFINED:
            return ("undefined",)
        if cls is pytypes.ModuleType:
            return self._module(obj)
        if cls is dict and _is_trusted(obj):
            return ("names", obj["__name__"])
        if cls in (int, float, str, bool, bytes, type(None), tuple):
            return None
        number = self.met.index.get(id(obj))
        if number is not None and self.met.objects[number] is obj:
            return ("met", number)
        if cls in (list, dict, set) or cls.__module__.startswith("adcompile.") or cls.__module__ == "numpy.dtypes":
            return None
        if cls in (pytypes.FunctionType, pytypes.BuiltinFunctionType) or isinstance(obj, type):
            return self._named(obj)
        if isinstance(obj, np.ndarray) or not _is_value(obj):
            raise Untold(f"an object of {cls.__qualname__}")
        return None

    def _module(self, module: pytypes.ModuleType) -> Any:
        if is_trusted(module.__name__):
            return ("module", module.__name__)
        if sys.modules.get(module.__name__) is module and id(vars(module)) in self.met.index:
            return ("module of", self.met.index[id(vars(module))])
        raise Untold(f"the module {module.__name__}")

    def _named(self, obj: Any) -> None:
        of_class = isinstance(obj, pytypes.BuiltinFunctionType) and getattr(obj, "__module__", None) is None
        if not has_name(obj) and not of_class:
            raise Untold(f"{obj.__qualname__}, which was not met")

    def reducer_override(self, obj: Any) -> Any:
        """Statements that run as they are written become the code that they are compiled to."""
        compiled = getattr(obj, "compiled", None) if type(obj).__module__ == "adcompile.frontend.opaque" else None
        if compiled is not None:
            return as_written, (obj.namespace, marshal.dumps(compiled()))
        return NotImplemented


def _is_value(obj: Any) -> bool:
    """Whether an object is what its parts say, however often it is made."""
    types = (complex, frozenset, slice, range, np.generic, np.dtype, np.ufunc, BaseException, pytypes.CodeType)
    return isinstance(obj, types) or type(obj).__module__ in ("operator", "functools", "builtins", "enum", "numpy")


def _module_of(space: dict[str, Any]) -> pytypes.ModuleType:
    """The module with this namespace. Raises LookupError where its name means another one by now."""
    module = sys.modules[space["__name__"]]
    if vars(module) is not space:
        raise LookupError(f"the module {module.__name__}")
    return module


class Reader(pickle.Unpickler):
    """Finds what has been met in this process."""

    def __init__(self, data: io.BytesIO, met: Surroundings) -> None:
        super().__init__(data)
        self.met = met

    def persistent_load(self, pid: Any) -> Any:
        """The object that the writer has met under the same number, or that has this name."""
        match pid:
            case ("met", number):
                return self.met.objects[number]
            case ("module", name):
                return importlib.import_module(name)
            case ("module of", number):
                return _module_of(self.met.objects[number])
            case ("names", name):
                return vars(importlib.import_module(name))
            case ("undefined",):
                return ops.UNDEFINED
            case _:
                raise pickle.UnpicklingError(f"{pid!r}")


class Written:
    """Statements that run as they are written, as their code; made into a function when they first run."""

    BY_IDENTITY = True

    def __init__(self, namespace: dict[str, Any], code: bytes) -> None:
        self.namespace, self.code = namespace, code
        self.function: Callable[..., tuple[Any, ...]] | None = None

    def __call__(self, *values: Any) -> tuple[Any, ...]:
        if self.function is None:
            local: dict[str, Any] = {}
            exec(marshal.loads(self.code), self.namespace, local)
            self.function = local["__maker"](ops.UNDEFINED)
        assert self.function is not None
        return self.function(*values)


def as_written(namespace: dict[str, Any], code: bytes) -> Written:
    """What the code of statements was made into."""
    return Written(namespace, code)
