"""What the numba backend keeps for the next process: the texts of kernels, and what they were compiled to.

Kernels are real files, of which Numba reads the source. What it makes of them is kept in our entries
(backend/disk), one for each function, signature, processor and set of versions: Numba's own cache has an index
that processes overwrite for each other, and runs what it finds without asking whether it is whole.
"""

from __future__ import annotations

import functools
import importlib
import pickle
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from adcompile.backend import disk

KIND = "native"
FORM = "machine code alone"
"""What `alone` keeps: entries of another form are not found."""


def named(text: str, name: str, salt: str) -> str:
    """The name of the file with this text, which tells all that the kernel depends on."""
    return f"{name}_{disk.digest(salt, text)[:20]}.py"


def place(file: str) -> Path:
    """Where a file of this name is, if it is there."""
    path = disk.folder(disk.cache_directory(), KIND) / file
    if not path.parent.is_dir():  # somebody has removed it since
        disk.folder.cache_clear()
        path = disk.folder(disk.cache_directory(), KIND) / file
    return path


def write(path: Path, text: str) -> None:
    """Have the file of a kernel there, for those who read it. One that is there already stays."""
    data = text.encode()
    with suppress(OSError):
        if path.read_bytes() == data:
            return
    with suppress(OSError):  # that nothing is kept is said of the entry
        disk.replace(path, data)


class Entries:
    """What Numba asks of the cache of one function, whose file is `path`. `fill()` gives the function what it refers
    to, which it must have where nothing is found, to be compiled.

    Numba's own looks for a directory and reads an index for each function, and looks for new types at each load."""

    def __init__(self, path: Path, versions: str, fill: Callable[[], None]) -> None:
        self.path, self.versions, self.fill = path, versions, fill

    def place(self, key: Any) -> Path:
        """The entry for a signature and a processor, as Numba names them."""
        return self.path.with_name(f"{self.path.stem}_{disk.digest(self.versions, repr(key))[:20]}.bin")

    def name(self, key: Any) -> str:
        """What an entry says that it is."""
        return f"{self.path.stem} {key!r}"

    def load(self, key: Any) -> Any:
        """What was saved under this key; None for nothing, and for what is not whole or not ours."""
        payload = disk.fetch(self.place(key))
        named, data = pickle.loads(payload) if payload is not None else ("", b"")
        if named == self.name(key):
            return pickle.loads(data)
        self.fill()
        return None

    def save(self, key: Any, data: Any) -> None:
        dumps = importlib.import_module("numba.core.serialize").dumps
        try:
            kept = dumps(self.kept(data))
        except pickle.PicklingError:  # it is compiled each time
            return
        # in two, so that nothing is made of what another kernel has saved
        disk.store(self.place(key), pickle.dumps((self.name(key), kept)))

    def kept(self, data: Any) -> Any:
        return alone(data)

    def rebuilt(self, context: Any, data: Any) -> Any:
        return loaded(context, *data)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """What has been compiled for a signature, in the context that it is to be called from."""
        _refresh(context)
        data = self.load(_key(signature, context.codegen()))
        return None if data is None else self.rebuilt(context, data)

    def save_overload(self, signature: Any, made: Any) -> None:
        if not made.library.has_dynamic_globals and all(part.can_cache for part in made.lifted):
            self.save(_key(signature, made.codegen), made._reduce())

    @property
    def cache_path(self) -> str:
        return str(self.path.parent)

    def flush(self) -> None:
        """Nothing is stale: an entry is named by all that it depends on."""


class Shared(Entries):
    """The same of a function that kernels call and inline: it is kept whole, wherever the cache is by then."""

    def __init__(self, name: str, versions: str) -> None:
        self.file, self.versions, self.fill = f"{name}.py", versions, lambda: None

    @property
    def path(self) -> Path:  # pyright: ignore[reportIncompatibleVariableOverride]
        return place(self.file)

    def load_overload(self, signature: Any, context: Any) -> Any:
        try:
            return super().load_overload(signature, context)
        except Exception:  # whatever Numba raises that we know nothing of: it is compiled, as if there were none
            return None

    def save_overload(self, signature: Any, made: Any) -> None:
        with suppress(pickle.PicklingError, TypeError, AttributeError, NotImplementedError):  # it is given functions
            super().save_overload(signature, made)

    def kept(self, data: Any) -> Any:
        return unsaid(data)

    def rebuilt(self, context: Any, data: Any) -> Any:
        return importlib.import_module("numba.core.compiler").CompileResult._rebuild(context, *data)


@functools.cache
def _refresh(context: Any) -> None:
    """Have a context know of the types there are; what is compiled later looks itself."""
    context.refresh()


def unsaid(data: Any) -> Any:
    """What Numba saves of a function, without the text that says the types of its values, which is most of it."""
    match data:
        case (library, about, environment, signature, mode, lifted, str(), *others):
            return (library, about, environment, signature, mode, lifted, "", *others)
        case _:
            return data


def alone(data: Any) -> Any:
    """What Numba saves of a function, without what others would inline it from, and without what its helpers refer to:
    no compiled code calls kernels, and to read all of this takes longer than to load the machine code."""
    match unsaid(data):
        case ((name, "object", (bytes() as code, bytes())), *others, tuple() as environments):
            # of an environment compiled code reads the constants, and it says so where one is not there
            used = tuple(Constants(e) for e in environments if e.consts)
            return ((name, code), *others, used)
        case _:
            raise pickle.PicklingError("Numba saves something else")


class Library:
    """Machine code by itself, in the place of a library of Numba's, which makes a module of LLVM's for it, and looks
    through it several times."""

    def __init__(self, codegen: Any, name: str, code: bytes) -> None:
        binding: Any = importlib.import_module("llvmlite.binding")
        self.codegen, self.name, self.engine = codegen, name, codegen._engine._ee
        self.engine.add_object_file(binding.ObjectFileRef.from_data(code))
        self.engine.finalize_object()

    def get_pointer_to_function(self, name: str) -> int:
        return self.engine.get_function_address(name)


def loaded(
    context: Any,
    library: tuple[str, bytes],
    about: Any,
    environment: Any,
    signature: Any,
    objectmode: bool,
    lifted: Any,
    _: str,
    prepare: Any,
    environments: tuple[Any, ...],
) -> Any:
    """A compiled function as Numba wants it, of what `alone` has kept of one."""
    compiler: Any = importlib.import_module("numba.core.compiler")
    for each in prepare:
        each()
    code = Library(context.codegen(), *library)
    made = compiler.compile_result(
        target_context=context,
        typing_context=context.typing_context,
        library=code,
        entry_point=context.get_executable(code, about, environment),
        environment=environment,
        fndesc=about,
        signature=signature,
        objectmode=objectmode,
        lifted=lifted,
        reload_init=prepare,
        referenced_envs=environments,
    )
    for each in environments:
        code.codegen.set_env(each.env_name, each)
    return made


class Constants:
    """What is kept of the environment of a helper. Numba would read it with the names that the helper sees, and import
    the module of the helper for them, with all others of ours: compiled code has no use for names."""

    def __init__(self, environment: Any) -> None:
        self.environment = environment

    def __reduce__(self) -> tuple[Any, ...]:
        rebuild, (_, *about) = self.environment.__reduce__()
        return rebuild, (__name__, *about)


@functools.cache
def versions() -> str:
    """What compiled code, and what is kept of it, depends on beside its source and the processor."""
    found = [sys.implementation.cache_tag or sys.version, FORM]
    for name in ("numba", "llvmlite", "numpy"):
        found.append(f"{name} {importlib.import_module(name).__version__}")
    return ", ".join(found)


def keep(function: Any, path: Path, fill: Callable[[], None] = lambda: None) -> Any:
    """A Numba function, which keeps what is compiled in our entries."""
    function._cache = Entries(path, versions(), fill)
    return function


def share(modules: Iterable[Any], salt: str) -> None:
    """Have the Numba functions of some modules keep what is compiled of them, for all kernels of all processes: a
    third of the time that a kernel takes goes into compiling what it calls. `salt` tells what they are made of."""
    dispatcher = importlib.import_module("numba.core.dispatcher").Dispatcher
    for name, function in ((n, f) for module in modules for n, f in vars(module).items()):
        if isinstance(function, dispatcher) and function.py_func.__name__ == name and not function.py_func.__closure__:
            home = function.py_func.__module__
            function._cache = Shared(f"helper_{name}", f"{versions()} {disk.digest(f'{home} {salt}')}")


def _key(signature: Any, codegen: Any) -> Any:
    """What tells the entries of one file apart."""
    return signature, _processor(codegen)


@functools.cache
def _processor(codegen: Any) -> Any:
    return codegen.magic_tuple()
