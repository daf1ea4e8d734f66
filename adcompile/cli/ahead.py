"""Derivative modules ahead of time: what to build, its text, and whether a file is stale."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any, Literal

from adcompile import __version__, pipeline
from adcompile.backend.aot import Parameter, Public, Version, module_text
from adcompile.cli.arguments import Call, call_types, parameters
from adcompile.cli.locate import Located, locate
from adcompile.cli.stages import Asked, positions, source_text
from adcompile.errors import AdcompileError, SourceError, Unsupported, place_of
from adcompile.frontend.source import source_of
from adcompile.frozen import frozen
from adcompile.ir.signature import SignatureError, spell
from adcompile.ir.stack import large_stack
from adcompile.refusals import refuse_self_reference

WRITTEN_BY = "written by adcompile"


@frozen
class Target:
    """What to build. `function` is FILE:FUNCTION, relative to `base` like `output`."""

    function: str
    output: str
    base: Path
    argnums: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    value: bool = False
    mode: Literal["forward", "reverse"] = "reverse"

    @property
    def path(self) -> Path:
        return self.base / self.output

    @property
    def command(self) -> str:
        """The command that builds it, run beside the output."""
        file, _, name = self.function.rpartition(":")
        if _is_file(file):
            file = os.path.relpath(self.base / file, self.path.parent).replace(os.sep, "/")
        words = ["adcompile build", f"{file}:{name}"]
        words += [f"--argnums {','.join(self.argnums)}"] if self.argnums else []
        words += [f"--signature {_quoted(s)}" for s in self.signatures]
        words += [f"--example {_quoted(e)}" for e in self.examples]
        words += ["--value"] if self.value else []
        words += ["--mode forward"] if self.mode == "forward" else []
        return " ".join([*words, f"-o {self.path.name}"])


def _is_file(where: str) -> bool:
    return where.endswith(".py") or "/" in where or os.sep in where


def _quoted(text: str) -> str:
    return f"'{text}'" if '"' in text else f'"{text}"'


# -- the text -----------------------------------------------------------------------------------


def build(target: Target) -> str:
    """The text of the module. Raises AdcompileError with a place."""
    located = locate(target.function, target.base)
    function = located.function
    refuse_self_reference(function)
    if located.leading:
        raise Unsupported(
            f"{located.name} is bound to an object, which no module can hold",
            place_of(function),
            "pass the object as an argument, or write a function at the top of a module that calls it",
        )
    if "<locals>" in function.__qualname__ or function.__closure__:
        raise Unsupported(
            f"{function.__qualname__} captures variables", place_of(function), "pass them as arguments of a function"
        )
    calls = [call_types(located, s, None) for s in target.signatures]
    calls += [call_types(located, None, e) for e in target.examples]
    calls = calls or [call_types(located, None, None)]
    asked = Asked(located, argnums=target.argnums)
    wrt = positions(asked, calls[0])
    kind: pipeline.Kind = "forward" if target.mode == "forward" else "joint"
    request = pipeline.Request(kind, wrt, target.value and kind == "joint")
    versions: list[Version] = []
    followed: dict[Any, None] = {}
    for call in calls:
        if positions(asked, call) != wrt:
            raise SignatureError(
                "the signatures differ in which argument has a derivative", remedy="name it with --argnums"
            )
        made = large_stack(pipeline.specialise, function, request, call.types, call.kwtypes)
        types = (*call.types, *(t for _, t in call.kwtypes))
        _check_types(located, types)
        versions.append(Version(types, call.given, large_stack(pipeline.finish, made)[0]))
        followed.update(dict.fromkeys(made.followed))
    public = _public(target, located, wrt, calls)
    return module_text(_header(target, located, versions, followed), public, versions, list(followed))


def _check_types(located: Located, types: Sequence[Any]) -> None:
    for p, t in zip(parameters(located.function), types):
        try:
            spell(t)
        except SignatureError as error:
            message = f"argument {p.name!r} of {located.function.__name__}(): {error.message}"
            raise SignatureError(message, place_of(located.function), error.remedy) from None


def _public(target: Target, located: Located, wrt: tuple[int, ...], calls: Sequence[Call]) -> Public:
    function = located.function
    kind = "jvp" if target.mode == "forward" else "value_and_grad" if target.value else "grad"
    given = min(call.given for call in calls)
    params = tuple(_parameter(located, p, i >= given) for i, p in enumerate(parameters(function)))
    by = ", ".join(params[i].name for i in wrt)
    what = {"grad": "The gradient", "value_and_grad": "The value and gradient", "jvp": "The value and tangent"}[kind]
    place = place_of(function)
    assert place is not None
    return Public(
        f"{function.__name__.lstrip('_') if function.__name__ != '<lambda>' else 'f'}_{kind}",
        f"{what} of `{located.name}` in {located.file.name} with respect to {by}.",
        params,
        wrt,
        len(target.argnums) <= 1,
        kind,
        (_relative(located.file, target.path), place.line, place.column, place.end_column),
    )


def _relative(file: Path, output: Path) -> str:
    return os.path.relpath(file.resolve(), output.resolve().parent).replace(os.sep, "/")


def _parameter(located: Located, p: inspect.Parameter, needed: bool) -> Parameter:
    default = ""
    if p.default is not p.empty:
        plain = p.default is None or type(p.default) in (bool, int, float, complex, str)
        default = repr(p.default) if plain and repr(p.default) not in ("inf", "nan", "-inf") else ""
        if needed and not default:
            raise Unsupported(
                f"the default of {p.name!r} cannot be written into a module",
                place_of(located.function),
                f"give --signature with a type for {p.name!r} too",
            )
    return Parameter(p.name, p.kind is p.KEYWORD_ONLY, p.kind is p.POSITIONAL_ONLY, default)


def _header(target: Target, located: Located, versions: Sequence[Version], followed: Mapping[Any, None]) -> list[str]:
    path = _relative(located.file, target.path)
    lines = [
        f"# The derivative of {located.name} in {path}, {WRITTEN_BY} {__version__}.",
        "# Do not edit: change the source and run this command again; with --check it says whether that is due.",
        *_wrapped(target.command),
        "#",
    ]
    lines += [f"# signature  {v.text}" for v in versions]
    for function in followed:
        if isinstance(function, FunctionType) and (function.__module__ or "").split(".")[0] != "adcompile":
            lines.append(f"# source     {_origin_of(function, target)}  sha256 {digest(function)[:16]}")
    return lines


def _wrapped(command: str) -> list[str]:
    """The command as comment lines, broken before options where it is long."""
    lines = ["#    "]
    for part in re.split(r" (?=-)", command):
        if len(lines[-1]) + len(part) > 110 and len(lines[-1]) > 5:
            lines[-1] += " \\"
            lines.append("#       ")
        lines[-1] += " " + part
    return lines


def _origin_of(function: Any, target: Target) -> str:
    """Where a function stands: by file if it is the user's, by module if it is installed."""
    file = Path(function.__code__.co_filename)
    path = _relative(file, target.path)
    installed = "site-packages" in file.parts or Path(os.__file__).parent in file.parents
    where = function.__module__ if installed else path
    return f"{where}:{function.__qualname__}"


def digest(function: Any) -> str:
    """The hash of a function's source text."""
    text = source_text(function.__code__.co_filename, source_of(function).node)
    return hashlib.sha256(text.encode()).hexdigest()


# -- stale or fresh -----------------------------------------------------------------------------


def check_output(target: Target) -> None:
    """Raise AdcompileError where the file to be written is there and is not one of ours."""
    there = target.path.read_text(encoding="utf-8", errors="replace") if target.path.is_file() else ""
    if there.strip() and WRITTEN_BY not in there.partition("\n")[0]:
        raise AdcompileError(
            f"{target.output} is there and was not written by adcompile",
            remedy="give another name with -o, or remove the file",
        )


def staleness(target: Target, text: str) -> str:
    """Why the output is not what would be built now; "" if it is."""
    if not target.path.exists():
        return "it does not exist"
    old = target.path.read_text(encoding="utf-8")
    if old == text:
        return ""
    for what, mark in (("the source", "# source"), ("the signature", "# signature"), ("adcompile", "# The derivative")):
        if _marked(old, mark) != _marked(text, mark):
            return f"{what} has changed since"
    return "its text differs from what would be written now"


def _marked(text: str, mark: str) -> list[str]:
    return [line for line in text.split("\n") if line.startswith(mark)]


# -- targets in pyproject.toml ------------------------------------------------------------------


def configured(start: Path) -> list[Target]:
    """The targets of `[[tool.adcompile.build]]` in the pyproject.toml at or above `start`.

    Raises SourceError that names the file and the key that is wrong.
    """
    file = next((d / "pyproject.toml" for d in (start, *start.parents) if (d / "pyproject.toml").exists()), None)
    if file is None:
        raise SourceError(
            "no FILE:FUNCTION was given, and there is no pyproject.toml",
            None,
            "write adcompile build FILE:FUNCTION -o OUT",
        )
    toml = _toml(file)
    entries: Any = toml
    for key in ("tool", "adcompile", "build"):
        entries = entries.get(key, []) if isinstance(entries, dict) else []
    if not isinstance(entries, list) or not entries:
        raise SourceError(
            f"{file} names no targets",
            None,
            'write [[tool.adcompile.build]] with function = "model.py:loss", output = "model_grad.py", signature = "…"',
        )
    targets = [_configured(file, entry) for entry in entries]
    outputs = [target.path.resolve() for target in targets]
    for target, output in zip(targets, outputs):
        if outputs.count(output) > 1:
            raise SourceError(f"{file}: two targets are written to {target.output}", None, "give each its own output")
    return targets


def _toml(file: Path) -> dict[str, Any]:
    name = "tomllib" if sys.version_info >= (3, 11) else "tomli"
    try:
        toml = importlib.import_module(name)
    except ImportError as error:
        raise SourceError(f"{file} cannot be read: {name} is missing", None, f"pip install {name}") from error
    try:
        return toml.loads(file.read_text(encoding="utf-8"))
    except (toml.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SourceError(f"{file} does not parse: {error}") from error


_KEYS = ("function", "output", "argnums", "signature", "example", "value", "mode")


def _configured(file: Path, entry: Any) -> Target:
    if not isinstance(entry, dict) or not {"function", "output"} <= set(entry) <= set(_KEYS):
        raise SourceError(f"{file}: a target has the keys {', '.join(_KEYS)}, not {entry!r}")
    if entry.get("mode", "reverse") not in ("forward", "reverse"):
        raise SourceError(f"{file}: mode is forward or reverse, not {entry['mode']!r}")
    for key in ("function", "output"):
        if not isinstance(entry[key], str) or not entry[key]:
            raise SourceError(f"{file}: {key} is a string, not {entry[key]!r}")
    if not isinstance(entry.get("value", False), bool):
        raise SourceError(f"{file}: value is true or false, not {entry['value']!r}")
    for key in ("signature", "example", "argnums"):
        if not all(isinstance(v, str) or key == "argnums" and type(v) is int for v in _items(entry.get(key, []))):
            raise SourceError(f"{file}: {key} is a string or a list of strings, not {entry[key]!r}")
    return Target(
        entry["function"],
        entry["output"],
        file.parent,
        tuple(n.strip() for item in _listed(entry.get("argnums", [])) for n in item.split(",")),
        _listed(entry.get("signature", [])),
        _listed(entry.get("example", [])),
        bool(entry.get("value", False)),
        entry.get("mode", "reverse"),
    )


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _listed(value: Any) -> tuple[str, ...]:
    return tuple(map(str, _items(value)))
