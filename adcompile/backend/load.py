"""Generated text to running functions.

The text is registered with `linecache` under a name of its own, so that tracebacks, debuggers
and `inspect.getsource` show it, for as long as the function lives.
"""

from __future__ import annotations

import builtins
import itertools
import linecache
import threading
import weakref
from collections.abc import Callable, Mapping
from dataclasses import field
from types import CodeType
from typing import Any

from adcompile.errors import Unsupported
from adcompile.frozen import frozen
from adcompile.ir.program import FunctionRef
from adcompile.ir.stack import in_caller, large_stack

_lock = threading.Lock()
_counters: dict[str, itertools.count[int]] = {}


@frozen(eq=False)
class Emitted:
    """A module: its text, the objects it refers to without importing them, its entry, and what its functions
    are called."""

    source: str
    namespace: dict[str, Any]
    name: str
    names: Mapping[FunctionRef, str] = field(default_factory=dict[FunctionRef, str])


def load(emitted: Emitted, hint: str = "", code: CodeType | None = None) -> Callable[..., Any]:
    """The entry function of an emitted module, whose source is shown as `<adcompile hint n>`. `code` is what its
    text has been compiled to, if it has been."""
    filename = _register(emitted.source, hint or emitted.name)
    try:
        code = code_of(emitted.source, filename) if code is None else _shown_as(code, filename)
    except BaseException:
        _forget(filename)
        raise
    namespace: dict[str, Any] = {"__name__": filename, "__builtins__": builtins, **emitted.namespace}
    in_caller(exec, code, namespace)  # it imports the modules of the functions that it was made of
    namespace.update(emitted.namespace)  # another module may have such a name by now
    function = namespace[emitted.name]
    # every function of the module holds the namespace, and the entry is in it: they die together
    weakref.finalize(function, _forget, filename).atexit = False
    return function


def code_of(source: str, filename: str) -> CodeType:
    """What a text is compiled to. Raises Unsupported where it is nested deeper than Python takes."""
    try:
        return large_stack(compile, source, filename, "exec", dont_inherit=True)
    except SyntaxError as error:
        if "too many" not in error.msg:  # levels of indentation, 100, and blocks that are nested, 20
            raise
        remedy = "Write inner loops and branches as functions of their own, long chains of `or` as any()."
        raise Unsupported(f"a derivative with {error.msg}, for Python", None, remedy) from None


def _shown_as(code: CodeType, filename: str) -> CodeType:
    """Code whose source has another name."""
    inside = (_shown_as(c, filename) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_filename=filename, co_consts=tuple(inside))


def _register(source: str, hint: str) -> str:
    with _lock:
        number = next(_counters.setdefault(hint, itertools.count(1)))
    filename = f"<adcompile {hint} {number}>"
    # checkcache drops entries whose file is gone unless their time of modification is None
    linecache.cache[filename] = len(source), None, source.splitlines(keepends=True), filename
    return filename


def _forget(filename: str) -> None:
    linecache.cache.pop(filename, None)
