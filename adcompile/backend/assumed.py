"""What a module ahead of time assumes of other modules, as text that it can compare at run time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType, ModuleType
from typing import Any

from adcompile.ir.nodes import OwnerSpace
from adcompile.ir.program import Guard, Program
from adcompile.ir.signature import SignatureError, spell
from adcompile.ir.types import Known
from adcompile.runtime.ahead import source_digest

Fact = tuple[str, str, str]
Home = Callable[[Any], "tuple[str, str] | None"]


def facts(programs: Iterable[Program], functions: Iterable[Any], home: Home) -> list[Fact]:
    """(module, path, text) of the data and values that the programs were made with, and of the
    functions they follow. `home` tells where an object can be imported from."""
    out: dict[tuple[str, str], str] = {}
    for function in functions:
        found = home(function) if isinstance(function, FunctionType) and not _is_installed(function) else None
        digest = source_digest(function) if found is not None else ""
        if found is not None and digest:
            out[found] = f"source {digest}"
    for program in programs:
        for guard in program.guards:
            found, text = _owner(guard, home), _text(guard)
            if found is not None and text:
                out.setdefault((found[0], found[1] + "".join(map(_step, guard.path))), text)
    return [(module, path, text) for (module, path), text in out.items()]


def _is_installed(function: FunctionType) -> bool:
    """Installed packages and our own rules change with their versions."""
    parts = function.__code__.co_filename.replace("\\", "/").split("/")
    root = (function.__module__ or "").split(".")[0]
    return "site-packages" in parts or root == "adcompile" or root in sys.stdlib_module_names


def _owner(guard: Guard, home: Home) -> tuple[str, str] | None:
    """The module and the path in it of what the guard refers to."""
    namespace, name = guard.ref.namespace, guard.ref.name
    if isinstance(namespace, OwnerSpace):
        return home(namespace["owner"]) if not isinstance(namespace["owner"], ModuleType) else None
    module = namespace.get("__name__")
    found = sys.modules.get(module) if isinstance(module, str) else None
    return (module, name) if isinstance(module, str) and found is not None and vars(found) is namespace else None


def _text(guard: Guard) -> str:
    """The type or value that is expected; "" for what cannot be written."""
    if guard.other is not None:
        return ""
    try:
        return spell(guard.type if guard.type is not None else Known(guard.value))
    except SignatureError:
        return ""


def _step(step: Any) -> str:
    if isinstance(step, tuple):
        return f"[{step[1]!r}]" if _is_plain(step[1:]) else ""
    return f".{step}"


def _is_plain(key: Sequence[Any]) -> bool:
    return type(key[0]) in (str, int, bool, float)


__all__ = ["facts"]
