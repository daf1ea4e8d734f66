"""Kernels compiled, and the functions that call them: what a kernel cannot finish runs again on NumPy.

Nothing of the compiler is needed for it, so that kernels which another process has printed are loaded at once.
"""

from __future__ import annotations

import builtins
import functools
import importlib
import itertools
import marshal
import sys
import types
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

import numpy as np

import adcompile
from adcompile.backend.native.arena import enlarged, fresh
from adcompile.backend.native.elementary import header
from adcompile.backend.native.files import keep, named, place, share, write
from adcompile.backend.native.notes import notice
from adcompile.backend.native.slots import Shadows, Sharing, Slot, Slots, cut, on_lists, plainly
from adcompile.backend.native.values import DTYPES, ORDER, ArrayOf, Code, ListOf, Native, NotNative, Number, TupleOf
from adcompile.errors import Place
from adcompile.frozen import frozen
from adcompile.runtime import loops
from adcompile.runtime.loops import ordered
from adcompile.runtime.native import OWNERS, Fault
from adcompile.runtime.settings import Elementary

HEADER = """import math

import numpy as np

from adcompile.backend.native import support as nt
"""
HELPERS = tuple(
    "helper independent integers interleaved items layout orders places registers storage stores support".split()
)
"""The modules of what kernels call."""
ELEMENTARY = ("exponential", "logarithm", "powers", "error_function", "inverse")
"""Those of elementary functions that call nothing of the linker's."""
RAISED = (Fault, ValueError, OverflowError, IndexError, ZeroDivisionError, MemoryError, AssertionError, RuntimeError)
"""What a kernel raises where NumPy or Python may raise something else; Numba asserts that lists hold arrays of one
type, and those that nobody may write into are of another. Of kernels that were found compiled, what says something of
the values is a RuntimeError, as Numba cannot make the text of it."""
OFTEN = 10
"""How often a kernel may be left before users hear of it."""


@frozen
class Attached:
    """A kernel as its caller needs it, which has `count` arguments: those at `positions` are handed over, and of these
    the `saved` are put back where the kernel leaves early. `file` is named by all that decides on what it is compiled
    to; `codes` are those that Python needs of it, as marshal writes them (`with_file`). The rest is what `Kernel`
    says."""

    name: str
    source: str
    count: int
    positions: tuple[int, ...]
    natives: tuple[Native, ...]
    prepared: tuple[str, ...]
    saved: tuple[int, ...]
    exact: str
    elementary: frozenset[tuple[str, Code]] = frozenset()
    listed: tuple[int, ...] = ()
    lent: int = 0
    takes: Slots = field(default_factory=dict[int, Slot])
    place: Place | None = None
    file: str = ""
    codes: bytes = b""


def with_file(kernel: Attached, elementary: Elementary) -> Attached:
    """The kernel, with the name of its file, and with the codes of the function that does nothing as yet, which has its
    name and parameters, and of the one that calls it: the next process need not compile them."""
    salt = _salt() + (_salt_of_functions() if kernel.elementary else "")
    texts = (kernel.source.partition("\n")[0] + " pass", _caller(kernel, False))
    codes = [_only(compile(text, f"<adcompile native {kernel.name}>", "exec", dont_inherit=True)) for text in texts]
    return replace(kernel, file=named(_text(kernel, elementary), kernel.name, salt), codes=marshal.dumps(codes))


def _only(code: types.CodeType) -> types.CodeType:
    """The code of the one function that a text defines."""
    return next(c for c in code.co_consts if isinstance(c, types.CodeType))


def _text(kernel: Attached, elementary: Elementary) -> str:
    return HEADER + header(kernel.elementary, elementary == "libm") + "\n\n" + kernel.source


@functools.cache
def _salt() -> str:
    numba: Any = importlib.import_module("numba")
    files = [Path(__file__).with_name(f"{name}.py") for name in HELPERS] + [Path(loops.__file__)]
    helpers = (file.read_text(encoding="utf-8") for file in files)
    return "\0".join((adcompile.__version__, numba.__version__, np.__version__, *helpers))


@functools.cache
def _share_helpers() -> None:
    share((importlib.import_module(f"adcompile.backend.native.{name}") for name in HELPERS), _salt())
    share((importlib.import_module(f"adcompile.runtime.vecmath.{name}") for name in ELEMENTARY), _salt_of_functions())


@functools.cache
def _salt_of_functions() -> str:
    """What the elementary functions are made of."""
    files = sorted(Path(adcompile.__file__).with_name("runtime").joinpath("vecmath").glob("*.py"))
    return "\0".join(file.read_text(encoding="utf-8") for file in files)


@functools.cache
def _know_owners() -> None:
    """Tell the runtime who owns the memory of arrays that kernels make."""
    memory: Any = importlib.import_module("numba.core.runtime._nrt_python")
    OWNERS[memory._MemInfo] = lambda owner: (owner.data, owner.refcount) if owner.parent is None else None


def compile_kernel(kernel: Attached, elementary: Elementary = "vectorised") -> Any:
    """The kernel as a Numba function, compiled for contiguous arrays, or found compiled; for others when they come."""
    numba: Any = importlib.import_module("numba")
    _know_owners()
    path = place(kernel.file)
    function, fill = _function(kernel, path, elementary)
    signature = tuple(map(_signature, kernel.natives))
    try:
        return _compile(keep(numba.njit(error_model="numpy", no_cfunc_wrapper=True)(function), path, fill), signature)
    except (numba.core.errors.NumbaError, NotImplementedError) as error:
        raise NotNative(f"code that Numba does not take ({str(error).strip().splitlines()[0]})") from error
    except Exception:  # whatever Numba's cache raises that we know nothing of: no entry then
        fill()
        return _compile(numba.njit(error_model="numpy")(function), signature)


def _compile(made: Any, signature: Any) -> Any:
    made.compile(signature)
    return made


def _numba_error() -> type[Exception]:
    """What Numba raises for an argument that no kernel can take: an array that is not to be written, where the
    kernel writes; on NumPy that is the function's own error."""
    numba: Any = importlib.import_module("numba")
    return numba.core.errors.NumbaError


def _function(kernel: Attached, path: Path, elementary: Elementary) -> tuple[types.FunctionType, Callable[[], None]]:
    """The function that a kernel becomes, as yet without what it does; and what has it do it, which is wanted where
    the function is compiled, not where it is found compiled. It belongs to a module that can be found by name, as Numba
    wants it. The text is compiled here: Python would keep and run a bytecode file that nobody checks."""
    module = f"_adcompile_{path.stem}"
    if module not in sys.modules:
        sys.modules[module] = types.ModuleType(module)
        sys.modules[module].__file__ = str(path)
    names = sys.modules[module].__dict__
    own = marshal.loads(kernel.codes)[0].replace(co_filename=str(path))
    function = types.FunctionType(own, names, own.co_name)

    def fill() -> None:
        text = _text(kernel, elementary)
        _share_helpers()
        write(path, text)
        exec(compile(text, str(path), "exec", dont_inherit=True), names)
        function.__code__ = names[own.co_name].__code__

    return function, fill


NUMBERS = {"f8": "float64", "f4": "float32", "i8": "int64", "i4": "int32", "b1": "boolean", "c16": "complex128"}


@functools.cache
def _signature(native: Native) -> Any:
    numba: Any = importlib.import_module("numba")
    match native:
        case Number(code):
            return getattr(numba.types, NUMBERS[code])
        case ArrayOf(code, rank):
            return numba.types.Array(getattr(numba.types, NUMBERS[code]), rank, "C")
        case TupleOf(items):
            return numba.types.Tuple.from_types([_signature(i) for i in items])
        case ListOf():
            raise AssertionError("a list as a parameter")


def array_of(items: Sequence[Any], dtype: Any, rank: int) -> Any:
    """The items of a list as an array. Raises Fault where no array has all of them, or where they would lie in memory
    in another way there: what NumPy makes of an array may lie as that does."""
    out = np.array(items, dtype) if len(items) else np.empty((0,) * rank, dtype)
    if rank > 2 and not all(map(ordered, items)):
        raise Fault
    if out.ndim != rank or out.dtype != dtype:
        raise Fault
    return out


def flat(array: Any) -> Any:
    """What an array holds, in order."""
    if not ordered(array):
        raise Fault
    return array.ravel()


def counted(plain: Callable[..., Any], kernel: Attached) -> Callable[..., Any]:
    """`plain`, which runs where the kernel has left: what is left often and could go on takes twice its time, and
    nobody would know. What raises has not been left in vain."""
    times = itertools.count(1)

    def again(*given: Any) -> Any:
        result = plain(*given)
        if next(times) == OFTEN:
            at = f" ({kernel.place})" if kernel.place else ""
            why = "it leaves where sizes, places or memory are not as it takes them"
            notice(f"{kernel.name}(){at} has been left {OFTEN} times, to run again on NumPy: {why}")
        return result

    return again


def _caller(kernel: Attached, keeps: bool) -> str:
    """The text of the function that calls the kernel, with arrays that it makes, or that are kept between calls."""
    names = [f"a{k}" for k in range(kernel.count)]
    taken = [names[k] for k in kernel.positions]
    saved = [taken[k] for k in kernel.saved]
    zeros = [text.format(*taken) for text in kernel.prepared]
    if keeps:
        zeros = [f"again(spare, {k}, lambda: {text})" for k, text in enumerate(zeros)]
    given = list(taken)
    for k in kernel.listed:  # an array of what has several shapes or dtypes raises, or has another dtype
        native_type = kernel.natives[k]
        assert isinstance(native_type, ArrayOf)
        given[k] = f"array({taken[k]}, {DTYPES[native_type.code]}, {native_type.rank})"
    if any(isinstance(slot, Shadows) for slot in kernel.takes.values()):
        given = [f"plainly({text})" if text == names[0] else text for text in given]
    arena = ["arena"] * bool(kernel.lent)
    made = f"native({', '.join((*given, *zeros, *arena))})"
    lines = [f"def {kernel.name}({', '.join(names)}):"]
    for k in list(kernel.takes)[:1]:  # else the forward function has run on NumPy
        known = "sharing" if isinstance(kernel.takes[k], Shadows) else "tuple"
        lines += [f"    if type({names[0]}[{k}]) is not {known}:", f"        return plain({', '.join(names)})"]
    # None: of a branch that was not taken, or an iteration that came first; Numba would compile in vain, each time
    absent = [f"{n} is None" for n in taken]
    absent += [f"any(v is None for v in {n})" for n, kind in zip(taken, kernel.natives) if isinstance(kind, TupleOf)]
    lines += [f"    if {' or '.join(absent)}:", f"        return plain({', '.join(names)})"] if absent else []
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
    return "\n".join([*lines, f"    return left({', '.join(names)})"])


def joined(
    kernel: Attached, native: Any, plain: Callable[..., Any], spare: list[Any] | None = None, told: bool = False
) -> Callable[..., Any]:
    """A function that calls the kernel, and `plain` where the kernel leaves early, of which users are `told` if it
    happens often. The arrays that are made for the kernel are kept in `spare` for the next call, where it is given."""
    if spare is None:
        code = marshal.loads(kernel.codes)[1]
    else:
        spare += [None] * len(kernel.prepared)
        code = _only(compile(_caller(kernel, True), f"<adcompile native {kernel.name}>", "exec"))
    namespace: dict[str, Any] = {
        "__builtins__": builtins,
        "native": native,
        "plain": plain,
        "left": counted(plain, kernel) if told else plain,
        "handled": (*RAISED, _numba_error()),
        "np": np,
        "classes": ORDER,
        "zeros": np.zeros,
        "zeros_like": np.zeros_like,
        "alike": alike,
        "array": array_of,
        "cut": cut,
        "sharing": Sharing,
        "plainly": plainly,
        "flat": flat,
        "spare": spare,
        "again": _again,
        "arenas": list[Any](),
        "fresh": fresh,
        "enlarged": enlarged,
        "lent": kernel.lent,
    }
    return types.FunctionType(code, namespace)


def alike(array: Any) -> Any:
    """An outline as kernels take it: some memory of that shape, of its own. Who keeps it need not copy the array."""
    return np.empty(array.shape, array.dtype)


def _again(spare: list[Any], k: int, make: Callable[[], Any]) -> Any:
    """The array that was there at the last call, with what a new one would hold."""
    if spare[k] is None:
        spare[k] = make()
    elif "zeros_like" in make.__code__.co_names:
        spare[k].fill(0)
    return spare[k]


def attach(
    kernel: Attached,
    name: str,
    namespace: dict[str, Any],
    elementary: Elementary,
    spare: list[Any] | None = None,
    told: bool = False,
) -> None:
    """Have the function of this name in a loaded module call the kernel. Raises NotNative where Numba does not take
    it; the function then takes what kernels hand over."""
    plain = namespace[name] = on_lists(namespace[name], kernel.takes)
    namespace[name] = joined(kernel, compile_kernel(kernel, elementary), plain, spare, told)
