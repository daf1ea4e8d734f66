"""Every error we raise on purpose: what, where, and what to write instead."""

from __future__ import annotations

import linecache
from os.path import basename
from types import CodeType
from typing import Any

from adcompile.frozen import frozen


@frozen
class Place:
    """A stretch of source: lines from 1, columns from 0 as in `ast`."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column + 1}"


def spot(place: Place | None) -> str:
    """A place as generated code may say it, which is the same wherever the file lies: `model.py:12:5`."""
    return "" if place is None else f"{basename(place.file)}:{place.line}:{place.column + 1}"


def excerpt(place: Place) -> str:
    """The source line with a caret line under the place; empty where the text cannot be had."""
    if place.file == "<string>":  # under which Python 3.13 keeps the text of `python -c`, and exec compiles others
        return ""
    text = linecache.getline(place.file, place.line).rstrip("\n")
    if not text:
        return ""
    end = place.end_column if place.end_line == place.line else len(text.encode())
    indent = len(text) - len(text.lstrip())
    # ast counts UTF-8 bytes, the terminal counts characters
    start = len(text.encode()[: place.column].decode(errors="replace"))
    stop = len(text.encode()[:end].decode(errors="replace"))
    carets = " " * (start - indent) + "^" * max(1, stop - start)
    return f"    {text[indent:]}\n    {carets}"


def place_of(fun: Any) -> Place | None:
    """Where a function is defined."""
    code = getattr(fun, "__code__", None)
    if not isinstance(code, CodeType):
        return None
    text = linecache.getline(code.co_filename, code.co_firstlineno).rstrip()
    indent = len(text) - len(text.lstrip())
    return Place(code.co_filename, code.co_firstlineno, indent, code.co_firstlineno, len(text.encode()))


class AdcompileError(Exception):
    """Base of all; `place` is where in the user's source, `remedy` what to do about it."""

    def __init__(self, message: str, place: Place | None = None, remedy: str = "") -> None:
        self.message, self.place, self.remedy = message, place, remedy
        head = f"{place}: {message}" if place else message
        parts = [head, excerpt(place) if place else "", f"  {remedy}" if remedy else ""]
        super().__init__("\n".join(part for part in parts if part))

    def at(self, place: Place | None) -> AdcompileError:
        """The error anew, with this place if it has none of its own."""
        return type(self)(self.message, self.place or place, self.remedy)

    def __reduce__(self) -> tuple[type, tuple[str, Place | None, str]]:
        return type(self), (self.message, self.place, self.remedy)


class SourceError(AdcompileError):
    """The source of a function cannot be had, or is not what runs."""


class Unsupported(AdcompileError):
    """A construct we do not follow is reached and carries active values."""


class SharedMemory(Unsupported, ValueError):
    """Arrays of the caller share memory in a way that the derivative of a write into them cannot follow."""


class NotDifferentiable(AdcompileError, TypeError):
    """A callable without a rule, or a value that has no derivative, where one is needed."""


class Outdated(AdcompileError, RuntimeError):
    """A module written ahead of time assumes what no longer holds."""


class SignatureMismatch(AdcompileError, TypeError):
    """A call of an ahead-of-time module with types it was not built for."""


class RuleError(AdcompileError):
    """A rule that returns what it should not."""


def unknown_function(place: Place | None) -> Unsupported:
    """The error for a call of a function out of several, of which nobody knows what it has captured."""
    return Unsupported(
        "a function of a list or dict that is read at a position known only when the code runs",
        place,
        "choose with if and else, or keep what the functions capture in the list in place of the functions",
    )
