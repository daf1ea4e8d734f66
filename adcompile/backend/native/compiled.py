"""Programs loaded with kernels: which functions have one, and what is said of the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from adcompile.backend.emit import emit
from adcompile.backend.load import load
from adcompile.backend.native.choice import Loaded
from adcompile.backend.native.joined import Attached, attach, with_file
from adcompile.backend.native.kernel import Kernel
from adcompile.backend.native.notes import NOTHING, Compiled, Note
from adcompile.backend.native.regions import Parts, native_parts
from adcompile.backend.native.values import NotNative
from adcompile.ir.nodes import Function
from adcompile.ir.program import FunctionRef, Program
from adcompile.runtime.settings import Backend, Elementary


def compiled(
    parts: Parts,
    entry: Callable[..., Any],
    names: Mapping[FunctionRef, str],
    backend: Backend,
    spare: list[Any] | None = None,
) -> tuple[Callable[..., Any], dict[str, Any], Compiled, list[tuple[str, Attached]]]:
    """The entry of a loaded module, whose functions that have kernels are replaced by what calls these, the names
    of the module, what is native, and the kernels by the names of these functions. `spare`: where the entry, which is a
    kernel, keeps its arrays between calls."""
    namespace: dict[str, Any] = entry.__globals__
    if backend == "numpy":
        return entry, namespace, NOTHING, []
    notes, done = list(parts.notes), list[tuple[str, Attached]]()
    for ref, kernel in parts.kernels.items():
        function = parts.program.functions[ref]
        made = attached(kernel, function, parts.elementary)
        try:
            own = spare if ref is parts.program.entry else None
            attach(made, names[ref], namespace, parts.elementary, own, told=backend == "numba")
        except NotNative as error:
            notes.append(Note(f"{kernel.name}()", function.place, error.what, error.place))
            continue
        done.append((names[ref], made))
    texts = tuple((made.name, made.source) for _, made in done)
    return namespace[entry.__name__], namespace, Compiled(texts, tuple(notes), backend == "numba"), done


def attached(kernel: Kernel, function: Function, elementary: Elementary) -> Attached:
    """What the caller of a function's kernel needs."""
    count = len(function.params) + len(function.captured)
    saved = tuple(kernel.params.index(p) for p in kernel.saved)
    about = (kernel.exact, kernel.elementary, kernel.listed, kernel.lent, kernel.takes)
    given = (kernel.positions, kernel.natives, kernel.prepared)
    return with_file(Attached(kernel.name, kernel.source, count, *given, saved, *about, function.place), elementary)


def loaded(program: Program, backend: Backend, exact: bool, elementary: Elementary) -> Loaded:
    """Print a program and load it, with kernels where there can be (`native.choice`)."""
    parts = native_parts(program, backend, exact, elementary)
    emitted = emit(parts.program)
    call, namespace, native, kernels = compiled(parts, load(emitted, emitted.name), emitted.names, backend)
    return Loaded(call, namespace, emitted, native, tuple(kernels))
