"""What a cached function does besides giving its result, as its source says: it is asked while a derivative is made.

That is earlier than the code asks, which may never come to it. Where the cache does not have the result yet, nobody
must be able to tell: the function reads nothing that the code writes, and what it writes or prints itself it does where
the code is certain to come, and where the code does not look at it.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from adcompile.analysis import reach
from adcompile.analysis.builder import Builder
from adcompile.analysis.library import is_of_library, python_function
from adcompile.analysis.mutation import positions_written
from adcompile.analysis.reach import fills, globals_of, may_store, reached, reaches, words_of
from adcompile.analysis.stores import function_stores
from adcompile.ir.abstract import is_installed
from adcompile.ir.nodes import GlobalRef
from adcompile.runtime.objects import attributes

CACHE: Any = functools._lru_cache_wrapper  # pyright: ignore
SEEN = frozenset({"print", "input", "logging", "warnings"})
"""Who names one of these may be seen."""
BY_ANY_NAME = frozenset({"exec", "eval", "globals", "setattr", "delattr"})
"""These write into what is not named."""
DRAWS = frozenset("seed rand randn randint random_sample normal uniform choice shuffle permutation getrandbits".split())
GENERATORS = frozenset({"default_rng", "Generator", "RandomState", "Random"})
"""Who draws from one of these draws from its own."""


MAKING = ("__init__", "__new__", "__post_init__", "__init_subclass__")
"""These run where their class is named."""
PLAIN = (int, float, complex, str, bytes, tuple, frozenset, range, type(None), np.generic)


def told_by(b: Builder, cached: Any, given: Sequence[Any]) -> str | None:
    """By what of a cached function that is asked too early somebody may tell; None where nobody can."""
    fn = python_function(cached)
    if fn is None or is_of_library(fn):
        return None
    code = [f for f in b.context.followed if isinstance(f, FunctionType)]
    around = [*code, *(cell.cls for cell in b.context.outside)]
    everything = functions_of([fn, *given])
    written, fields = left_by(fn, given), frozenset[str]()
    binds = frozenset[str]().union(*(globals_of(f.__code__) for f in everything))
    if written is None:
        return "whose source is not there"
    containers = [v for v in written if not is_object(v)]
    if binds or len(containers) < len(written):
        fields = may_store(everything, words(reached(code) or ()))
    if fields or reaches(code, containers) or any(words_of(f) & BY_ANY_NAME for f in everything):
        return "that writes what the code looks at"
    if (containers or binds or is_seen(everything)) and not is_certain(b):
        return "that writes or prints something, where the code may not come"
    named = words(everything)
    read = [*everything, *fields_of(given, named)]
    if may_store(around, named) or reaches(read, filled_by(b, around, given)):
        return "that reads what the code writes"
    return None


def fields_of(values: Iterable[Any], named: set[str]) -> list[Any]:
    """These values; of objects what they hold in fields of these names."""
    out = list[Any]()
    for value in values:
        out += [v for name, v in attributes(value).items() if name in named] if is_object(value) else [value]
    return out


def filled_by(b: Builder, around: Sequence[Any], given: Sequence[Any]) -> list[Any]:
    """The lists, dicts and arrays that functions may write into, and those in fields that they name."""
    into = [v for f in around if isinstance(f, FunctionType) for v in left_by(f, ()) or ()]
    into += [cell.real for cell in b.context.written if cell.real is not None]
    held = fields_of([*into, *given], words(f for f in reached(around) or () if fills(f)))
    return [v for v in held if not is_object(v) and not isinstance(v, PLAIN)]


def is_certain(b: Builder) -> bool:
    """Whether the code comes here wherever it goes, unless it raises before."""
    return b.parent is None and b.loops == 0 and b.context.apart == 0


def functions_of(values: Sequence[Any]) -> list[FunctionType]:
    """The user's functions that calls of values may reach, through caches too; of methods those that are named."""
    todo, found = list(values), dict[int, Any]()
    while todo:
        fresh = [v for v in reached(todo) or () if id(v) not in found]
        found.update((id(v), v) for v in fresh)
        todo = [v.__wrapped__ for v in fresh if isinstance(v, CACHE)]
    methods = dict[int, str]()
    for cls in (v for v in found.values() if isinstance(v, type)):
        for name, m in vars(cls).items():
            if python_function(m) not in values:
                methods[id(python_function(m))] = cls.__name__ if name in MAKING else name
    functions = [v for v in found.values() if isinstance(v, FunctionType) and not is_of_library(v)]
    kept = [f for f in functions if id(f) not in methods]
    while True:
        named = words(kept)
        asked = [f for f in functions if f not in kept and is_named(methods[id(f)], named)]
        if not asked:
            return kept
        kept += asked


def is_named(method: str, named: set[str]) -> bool:
    return method in named or method.startswith("__")


def words(functions: Iterable[Any]) -> set[str]:
    """The words in these functions."""
    return set[str]().union(*map(words_of, functions))


def left_by(fn: FunctionType, given: Sequence[Any]) -> list[Any] | None:
    """What calls of a function with such arguments may write into; None where that is not known."""
    found = function_stores(fn, positions_written, ())
    if found is None:
        return None
    params, stores = found
    into = [v for c in stores.outside for v in meant(c.value)]
    if stores.names.intersection(params):
        into += [*given, *(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values()]
    return [v for v in into if not isinstance(v, PLAIN) and not (isinstance(v, ModuleType) and is_installed(v))]


def meant(value: Any) -> Iterator[Any]:
    """What a constant means; nothing where it is a name of an installed package."""
    if not isinstance(value, GlobalRef):
        yield value
    elif value.name in value.namespace and not reach.is_of_library(value.namespace):
        yield value.namespace[value.name]


def is_object(value: Any) -> bool:
    """Whether a value is taken for written only where one of its attributes is: a function, a class, an instance of
    one of the user's."""
    return isinstance(value, (FunctionType, type, CACHE)) or hasattr(value, "__dict__")


def is_seen(functions: Iterable[FunctionType]) -> bool:
    """Whether functions may print or log, or draw from what others draw from."""
    for fn in functions:
        found = words_of(fn)
        if found & SEEN or "random" in found and found & DRAWS and not found & GENERATORS:
            return True
    return False


def is_in_cache(cached: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    """Whether the cache of a function of `functools.lru_cache` has the result for these arguments."""
    probe = functools.lru_cache(maxsize=None, typed=cached.cache_parameters()["typed"])(_nothing)
    probe(*args, **kwargs)
    (key,) = _cache(probe)
    return key in _cache(cached)


def _nothing(*_: Any, **__: Any) -> None:
    """Its cache shows how others name their results."""


def _cache(cached: Any) -> Mapping[Any, Any]:
    found = [d for d in gc.get_referents(cached) if type(d) is dict and d is not vars(cached)]
    return found[0]
