"""`FILE:FUNCTION` on the command line: the module, imported, and the function in it."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import linecache
import os
import sys
import traceback
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from adcompile.analysis.library import python_function
from adcompile.api import Derivative
from adcompile.errors import AdcompileError, Place, SourceError
from adcompile.frozen import frozen
from adcompile.targets import resolve


@frozen
class Located:
    """A function, its module, the name it was asked for by, and its file; `leading` are the first
    arguments, where what was asked for is bound to them: a method to its object."""

    function: Any  # a Python function
    module: ModuleType
    name: str
    file: Path
    leading: tuple[Any, ...] = ()

    @property
    def callable(self) -> Any:
        return functools.partial(self.function, *self.leading) if self.leading else self.function


def locate(target: str, base: Path | None = None) -> Located:
    """The function that `path/model.py:loss`, `package.model:loss` or `model.py:Class.method`
    means; paths are relative to `base`. The module is imported, which runs it.

    Raises SourceError that says what is not there.
    """
    where, colon, name = target.rpartition(":")
    if not colon or not where or not name:
        raise SourceError(f"{target!r} names no function", None, "write FILE:FUNCTION, such as model.py:loss")
    module = _module(where, base or Path.cwd())
    value: Any = module
    for part in name.split("."):
        if not hasattr(value, part):
            raise _missing(value, part)
        value = getattr(value, part)
    function, leading = _plain(value)
    if function is None:
        kind = "a class: name one of its methods" if isinstance(value, type) else f"a {type(value).__name__}"
        place = top_of(Path(module.__file__)) if module.__file__ else None
        raise SourceError(
            f"{target} is no Python function but {kind}", place, "write FILE:FUNCTION or FILE:CLASS.METHOD"
        )
    return Located(function, module, name, Path(function.__code__.co_filename), leading)


def _plain(value: Any) -> tuple[FunctionType | None, tuple[Any, ...]]:
    """The function itself, also under a derivative, a cache, or NumPy's dispatch; and what it is bound to."""
    while isinstance(value, Derivative):
        value = value.fun
    found = python_function(value)
    if found is not None or isinstance(value, type) or not callable(value):
        return found, ()
    target = resolve(value)
    if target.keywords or not target.leading:
        return None, ()
    return python_function(target.function), target.leading


def _missing(owner: Any, part: str) -> SourceError:
    home = getattr(owner, "__module__", owner.__name__)
    here = [n for n, v in vars(owner).items() if not n.startswith("__") and _home(v) == home]
    where = getattr(owner, "__file__", None) or owner.__name__
    place = Place(where, 1, 0, 1, 0) if os.path.exists(where) else None
    return SourceError(f"{Path(where).name} has no {part!r}", place, f"its functions: {', '.join(here) or 'none'}")


def _home(value: Any) -> str | None:
    """The module a function comes from; None: it is no function."""
    function = _plain(value)[0]
    return function.__module__ if function is not None else None


def _module(where: str, base: Path) -> ModuleType:
    if where.endswith(".py") or os.sep in where:
        return _from_file(base / where)
    _on_path(base)
    return _run(where, lambda: importlib.import_module(where))


def _on_path(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


_ours: set[str] = set()
"""Modules that came from a file named on the command line."""


def _from_file(path: Path) -> ModuleType:
    """Import a file under the name it has for its neighbours: dotted, if it is in a package."""
    if not path.is_file():
        raise SourceError(f"there is no file {path}")
    path = path.resolve()
    if path.suffix != ".py" or "." in path.stem:
        raise SourceError(f"{path.name} is no name of a Python module", top_of(path), "rename it to NAME.py")
    folder, parts = path.parent, [path.stem]
    while (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    if parts[-1] == "__init__":
        parts.pop()
    name = ".".join(parts)
    _on_path(folder)
    if name in sys.stdlib_module_names:
        raise SourceError(f"{path.name} hides a module of Python of the same name", top_of(path), "rename the file")
    known = sys.modules.get(name)
    if known is not None and Path(getattr(known, "__file__", None) or "").resolve() != path:
        if name not in _ours:
            taken = getattr(known, "__file__", None) or "Python itself"
            raise SourceError(
                f"{path.name} cannot be imported: the module {name} is {taken}",
                top_of(path),
                "rename it",
            )
        del sys.modules[name]
        known = None
    if known is not None:
        return known
    _ours.add(name)
    linecache.checkcache(str(path))

    def load() -> ModuleType:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            sys.modules.pop(name, None)
            raise
        return module

    if "." in name:
        return _run(name, lambda: importlib.import_module(name), path)
    return _run(name, load, path)


def _run(name: str, load: Any, file: Path | None = None) -> ModuleType:
    """Import, and say in one located message what went wrong."""
    try:
        return load()
    except AdcompileError:
        raise
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever the user's module raises
        raise SourceError(f"importing {name} failed: {describe(error)}", place_in(error) or top_of(file)) from error


def top_of(file: Path | None) -> Place | None:
    return Place(str(file), 1, 0, 1, 0) if file is not None else None


def describe(error: BaseException) -> str:
    return traceback.format_exception_only(type(error), error)[-1].strip()


def place_in(error: BaseException) -> Place | None:
    """The line of the user's code that raised: the innermost one that is not ours or Python's."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        column = max(0, (error.offset or 1) - 1)
        return Place(error.filename, error.lineno, column, error.lineno, column + 1)
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        own = frame.filename.startswith((here, "<frozen", os.path.dirname(os.__file__)))
        if not own and frame.lineno is not None:
            line = linecache.getline(frame.filename, frame.lineno).rstrip()
            return Place(frame.filename, frame.lineno, len(line) - len(line.lstrip()), frame.lineno, len(line.encode()))
    return None
