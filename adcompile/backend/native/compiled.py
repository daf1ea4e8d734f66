"""Kernels compiled, and the functions that call them: what a kernel cannot finish runs again on NumPy."""

from __future__ import annotations

import functools
import importlib
import sys
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import adcompile
from adcompile.backend.emit import emit
from adcompile.backend.load import load
from adcompile.backend.native.arena import enlarged, fresh
from adcompile.backend.native.choice import NOTHING, Compiled, Loaded, Note
from adcompile.backend.native.classes import ORDER
from adcompile.backend.native.elementary import header
from adcompile.backend.native.files import keep, write
from adcompile.backend.native.handed import on_lists
from adcompile.backend.native.kernel import Kernel
from adcompile.backend.native.regions import Parts, native_parts
from adcompile.backend.native.values import DTYPES, ArrayOf, ListOf, Native, NotNative, Number, TupleOf
from adcompile.ir.program import FunctionRef, Program
from adcompile.runtime.native import OWNERS, Fault
from adcompile.runtime.settings import Backend, Elementary

HEADER = """import math

import numpy as np

from adcompile.backend.native import support as nt
"""
RAISED = (Fault, ValueError, OverflowError, IndexError, ZeroDivisionError, MemoryError)
"""What a kernel raises where NumPy or Python may raise something else."""


@functools.cache
def support() -> Any:
    """The module of helpers; imports Numba."""
    memory: Any = importlib.import_module("numba.core.runtime._nrt_python")
    OWNERS[memory._MemInfo] = lambda owner: (owner.data, owner.refcount) if owner.parent is None else None
    return importlib.import_module("adcompile.backend.native.support")


@functools.cache
def _salt() -> str:
    numba: Any = importlib.import_module("numba")
    helpers = Path(support().__file__).read_text(encoding="utf-8")
    return "\0".join((adcompile.__version__, numba.__version__, np.__version__, helpers))


@functools.cache
def _salt_of_functions() -> str:
    """What the elementary functions are made of."""
    package: Any = importlib.import_module("adcompile.runtime.vecmath")
    files = sorted(Path(package.__file__).parent.glob("*.py"))
    return "\0".join(file.read_text(encoding="utf-8") for file in files)


def compile_kernel(kernel: Kernel, elementary: Elementary = "vectorised") -> Any:
    """The kernel as a Numba function, compiled for contiguous arrays; for others when they come."""
    numba: Any = importlib.import_module("numba")
    text = HEADER + header(kernel.elementary, elementary == "libm") + "\n\n" + kernel.source
    path = write(text, kernel.name, _salt() + (_salt_of_functions() if kernel.elementary else ""))
    function = getattr(_module(path, text), kernel.name)
    signature = tuple(_signature(n, numba) for n in kernel.natives)
    try:
        return _compile(keep(numba.njit(error_model="numpy", cache=True)(function), path), signature)
    except (numba.core.errors.NumbaError, NotImplementedError) as error:
        raise NotNative(f"code that Numba does not take ({str(error).strip().splitlines()[0]})") from error
    except Exception:  # whatever Numba's cache raises that we know nothing of: no entry then
        return _compile(numba.njit(error_model="numpy")(function), signature)


def _compile(made: Any, signature: Any) -> Any:
    made.compile(signature)
    return made


def _numba_error() -> type[Exception]:
    """What Numba raises for an argument that no kernel can take: an array that is not to be written, where the
    kernel writes; on NumPy that is the function's own error."""
    numba: Any = importlib.import_module("numba")
    return numba.core.errors.NumbaError


def _module(path: Path, text: str) -> Any:
    """The text as a module that can be found by name, as Numba wants it. It is compiled here: Python would keep
    and run a bytecode file that nobody checks."""
    name = f"_adcompile_{path.stem}"
    if name not in sys.modules:
        module = types.ModuleType(name)
        module.__file__ = str(path)
        exec(compile(text, str(path), "exec", dont_inherit=True), module.__dict__)
        sys.modules[name] = module
    return sys.modules[name]


def _signature(native: Native, numba: Any) -> Any:
    names = {"f8": "float64", "f4": "float32", "i8": "int64", "b1": "boolean", "c16": "complex128"}
    match native:
        case Number(code):
            return getattr(numba.types, names[code])
        case ArrayOf(code, rank):
            return numba.types.Array(getattr(numba.types, names[code]), rank, "C")
        case TupleOf(items):
            return numba.types.Tuple.from_types([_signature(i, numba) for i in items])
        case ListOf():
            raise AssertionError("a list as a parameter")


def array_of(items: list[Any], dtype: Any, rank: int) -> Any:
    """The items of a list as an array. Raises Fault where no array has all of them."""
    out = np.array(items, dtype) if items else np.empty((0,) * rank, dtype)
    if out.ndim != rank or out.dtype != dtype:
        raise Fault
    return out


def joined(
    kernel: Kernel, native: Any, plain: Callable[..., Any], count: int, spare: list[Any] | None = None
) -> Callable[..., Any]:
    """A function of `count` arguments that calls the kernel, and `plain` where the kernel leaves early. The arrays
    that are made for the kernel are kept in `spare` for the next call, where it is given."""
    names = [f"a{k}" for k in range(count)]
    taken = [names[k] for k in kernel.positions]
    saved = [taken[kernel.params.index(p)] for p in kernel.saved]
    zeros = [text.format(*taken) for text in kernel.prepared]
    if spare is not None:
        spare += [None] * len(zeros)
        zeros = [f"again(spare, {k}, lambda: {text})" for k, text in enumerate(zeros)]
    given = list(taken)
    for k in kernel.listed:  # an array of what has several shapes or dtypes raises, or has another dtype
        native_type = kernel.natives[k]
        assert isinstance(native_type, ArrayOf)
        given[k] = f"array({taken[k]}, {DTYPES[native_type.code]}, {native_type.rank})"
    arena = ["arena"] * bool(kernel.lent)
    made = f"native({', '.join((*given, *zeros, *arena))})"
    lines = [f"def {kernel.name}({', '.join(names)}):"]
    for k in list(kernel.takes)[:1]:  # else the forward function has run on NumPy
        lines += [f"    if type({names[0]}[{k}]) is not tuple:", f"        return plain({', '.join(names)})"]
    for n in taken:  # None: of a branch that was not taken, or an iteration that came first
        if n in saved or any(f"{n}.shape" in text for text in zeros):
            lines += [f"    if {n} is None:", f"        return plain({', '.join(names)})"]
    lines += [f"    {n}_saved = {n}.copy()" for n in saved]
    lines += ["    arena = arenas.pop() if arenas else fresh(lent)"] if arena else []  # another call may be on its way
    straight = kernel.exact == "r" and not arena
    lines += ["    try:", f"        return {made}" if straight else f"        r = {made}"]
    # what is not to be written has not been written
    restored = [f"        if {n}.flags.writeable: {n}[...] = {n}_saved" for n in saved]
    lines += ["    except handled:", *(restored or ["        pass"])]
    if arena:
        lines += ["    else:", f"        arenas.append(enlarged(arena, lent) if arena[{2 * kernel.lent}] else arena)"]
        lines += [f"        return {kernel.exact}"]
    elif not straight:
        lines += ["    else:", f"        return {kernel.exact}"]
    lines += [f"    return plain({', '.join(names)})"]
    namespace: dict[str, Any] = {
        "native": native,
        "plain": plain,
        "handled": (*RAISED, _numba_error()),
        "np": np,
        "classes": ORDER,
        "zeros_like": np.zeros_like,
        "array": array_of,
        "spare": spare,
        "again": _again,
        "arenas": list[Any](),
        "fresh": fresh,
        "enlarged": enlarged,
        "lent": kernel.lent,
    }
    exec(compile("\n".join(lines), f"<adcompile native {kernel.name}>", "exec"), namespace)
    return namespace[kernel.name]


def _again(spare: list[Any], k: int, make: Callable[[], Any]) -> Any:
    """The array that was there at the last call, with what a new one would hold."""
    if spare[k] is None:
        spare[k] = make()
    elif "zeros_like" in make.__code__.co_names:
        spare[k].fill(0)
    return spare[k]


def compiled(
    parts: Parts,
    entry: Callable[..., Any],
    names: Mapping[FunctionRef, str],
    backend: Backend,
    spare: list[Any] | None = None,
) -> tuple[Callable[..., Any], dict[str, Any], Compiled]:
    """The entry of a loaded module, whose functions that have kernels are replaced by what calls these, and
    the names of the module. `spare`: where the entry, which is a kernel, keeps its arrays between calls."""
    namespace: dict[str, Any] = entry.__globals__
    if backend == "numpy":
        return entry, namespace, NOTHING
    notes, done = list(parts.notes), list[tuple[str, str]]()
    for ref, kernel in parts.kernels.items():
        function = parts.program.functions[ref]
        plain = namespace[names[ref]] = on_lists(namespace[names[ref]], kernel.takes)
        try:
            native = compile_kernel(kernel, parts.elementary)
        except NotNative as error:
            notes.append(Note(f"{kernel.name}()", function.place, error.what, error.place))
            continue
        count = len(function.params) + len(function.captured)
        namespace[names[ref]] = joined(kernel, native, plain, count, spare if ref is parts.program.entry else None)
        done.append((kernel.name, kernel.source))
    return namespace[entry.__name__], namespace, Compiled(tuple(done), tuple(notes), backend == "numba")


def loaded(program: Program, backend: Backend, exact: bool, elementary: Elementary) -> Loaded:
    """Print a program and load it, with kernels where there can be (`native.choice`)."""
    parts = native_parts(program, backend, exact, elementary)
    emitted = emit(parts.program)
    call, namespace, native = compiled(parts, load(emitted, emitted.name), emitted.names, backend)
    return Loaded(call, namespace, emitted, native)
