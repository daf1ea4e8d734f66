"""What is asked of the pipeline, and what it gives: a derivative that runs, with all that its callers must know.

These are data, without the compiler: a derivative that another process has made is loaded without it
(`backend/archive`).
"""

from __future__ import annotations

import inspect
import types as pytypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from adcompile.backend.native.notes import NOTHING, Compiled
from adcompile.frozen import frozen
from adcompile.ir.types import Type
from adcompile.runtime import settings

if TYPE_CHECKING:
    from adcompile.ir.nodes import Var
    from adcompile.ir.program import Guard, Program


Kind = Literal["primal", "forward", "batch", "joint", "split"]


@frozen
class Request:
    """What is asked of a function. `argnums` are positions of arguments, of those by position and then
    those by keyword; kinds: the function
    itself, tangents forward, one or a batch of them, gradients in one body (joint), or value and pullback (split)."""

    kind: Kind
    argnums: tuple[int, ...] = ()
    value: bool = False
    has_aux: bool = False
    bare: bool = False  # joint: the gradient itself, where one argument is asked for, not a tuple of it
    restore: bool = True  # joint, split: put back what the function has written
    mutated: bool = False  # forward, split: (co)tangents of the arguments after the call too
    closure: bool = False  # joint: gradients by what the function has captured, behind the others
    backend: settings.Backend | None = None  # what runs it; None: what is set
    budget: int | None = None  # joint: bytes that loops may keep; None: what they need


@frozen(eq=False)
class Parts:
    """What a derivative is loaded from: its text, the objects that the text refers to without importing them, the name
    of its entry, and its kernels by the names of the functions that they stand for."""

    source: str
    namespace: dict[str, Any]
    name: str
    kernels: tuple[tuple[str, Any], ...]


@frozen(eq=False)
class Derived:
    """A compiled derivative. `call(*args, *cells, …)`; `captured(fun)` gives the cells' values
    for a fresh closure of the same code; `pullback(kept, cotangent)` for split; `result` is the
    type of the function's value (without aux). `written` are the arguments it may write into,
    `after` those whose (co)tangents after the call belong to what is handed out (forward) or in
    (split: the cotangent is a tuple of that of the result and theirs); `by_cells` the cells with
    gradients. `writes`: the function writes into what its caller has, arguments or others (found in
    forward mode and split), `inplace` the array arguments, and cells behind them, that it writes into in place."""

    call: Callable[..., Any]
    pullback: Callable[..., Any] | None
    source: str
    guards: tuple[Guard, ...]
    program: Program | None  # None: of another process (`whole`)
    result: Type
    cells: tuple[int, ...]
    saved: tuple[tuple[Var, Type], ...] = ()
    written: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    by_cells: tuple[int, ...] = ()
    writes: bool = False
    followed: tuple[pytypes.FunctionType, ...] = ()
    elsewhere: bool = False  # and not only into arguments: asked for with what they are after the call
    native: Compiled = NOTHING  # which parts are compiled
    inplace: tuple[int, ...] = ()
    left: tuple[Type, ...] = ()  # the types of what stands at `after` by then
    refuses: bool = False  # it may refuse a call when it runs
    parts: Parts | None = None  # what it was loaded from
    again: Callable[[], Derived] | None = None  # of another process: derives it here

    @property
    def has_cells(self) -> bool:
        return bool(self.cells)

    def whole(self) -> Derived:
        """The derivative with its program, which is made anew where another process has made it."""
        return self if self.program is not None or self.again is None else self.again()

    def captured(self, fun: Any) -> tuple[Any, ...]:
        closure = plain(fun).__closure__ or ()
        return tuple(closure[i].cell_contents for i in self.cells)


def plain(fun: Any) -> Any:
    """The Python function under the transforms around it."""
    while not inspect.isfunction(fun) and hasattr(fun, "fun"):
        fun = fun.fun
    return fun


# -- what waits for the compiler -----------------------------------------------------------------

_waiting: list[Callable[[Any], None]] = []
_compiler: list[Any] = []


def with_compiler(register: Callable[[Any], None]) -> None:
    """Call `register(nested)` (`autodiff.nested`) once the compiler is there: transforms say what they mean inside of
    functions that are differentiated."""
    if _compiler:
        register(_compiler[0])
    else:
        _waiting.append(register)


def compiler_is_there(nested: Any) -> None:
    """The pipeline has been imported."""
    _compiler.append(nested)
    for register in _waiting:
        register(nested)
    _waiting.clear()
