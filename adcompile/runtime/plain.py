"""Values that turn out, when the code runs, to be objects whose class says what operators do.

Derivatives of operators are those of numbers and arrays. Where the type of an operand was not known
when the derivative was made, these check that it is none of the others.
"""

from __future__ import annotations

import functools
import sys
import types
from typing import Any

import numpy as np

from adcompile.errors import NotDifferentiable, Unsupported
from adcompile.runtime.hidden import is_array_of_numbers
from adcompile.runtime.objects import attributes, stated
from adcompile.runtime.structure import ARITHMETIC

_PLAIN = frozenset({float, int, complex, bool, str, bytes, tuple, list, dict, type(None), np.float64, np.bool_})
_METHODS = tuple(
    f"__{name}__"
    for name in (
        *(kind + name for name in ARITHMETIC for kind in ("", "r", "i")),
        *"neg pos invert abs float int complex index round floor ceil trunc divmod".split(),
        *"getitem iter array array_ufunc".split(),
    )
)


@functools.lru_cache(maxsize=256)
def says_number(cls: type) -> bool:
    """Whether a class of numbers written in Python says itself which number its objects are, or equal."""
    names = "__int__ __float__ __complex__ __index__ __array__ __eq__ conjugate".split()
    return issubclass(cls, (int, float, complex)) and any(
        isinstance(stated(cls, name), types.FunctionType) for name in names
    )


@functools.lru_cache(maxsize=256)
def _says(cls: type) -> bool:
    """Whether a class written in Python says what operators do with its objects."""
    return any(isinstance(stated(cls, name), types.FunctionType) for name in _METHODS)


def check_numbers(at: str, *operands: Any) -> None:
    """`check_plain` of calls that also compute with arrays of objects, if all of these are real numbers."""
    check_plain(at, *[v for v in operands if not (_is_boxes(v) and is_array_of_numbers(v))])


def _is_boxes(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.hasobject


def check_plain(at: str, *operands: Any) -> None:
    """Raises Unsupported if an operand is an object whose class says what operators do, or an array of objects."""
    for value in operands:
        cls: type = type(value)
        if cls in _PLAIN:
            continue
        if _is_boxes(value):
            raise Unsupported(f"an array of objects in what carries derivatives{_where(at)}", None, _FLOATS)
        if says_number(cls):
            message = f"a {cls.__name__} in what carries derivatives, whose class says which number it is{_where(at)}"
            raise Unsupported(message, None, "make a plain number of it before: float(…) or int(…)")
        if _says(cls):
            raise _refusal(f"a {cls.__name__} in what carries derivatives, whose class says what operators do", at)


def check_joined(at: str, *operands: Any) -> None:
    """Raises Unsupported if `+` or `*` joins or repeats lists or tuples: with an array, or a number of NumPy's that
    is no integer, it is arithmetic."""
    if any(isinstance(v, (list, tuple)) for v in operands):
        if not any(isinstance(v, (np.ndarray, np.inexact)) for v in operands):
            message = f"a list or tuple of no known structure is joined or repeated{_where(at)}"
            raise Unsupported(message, None, "go through arrays, lists and tuples of known structure")


def check_answer(at: str, answer: Any) -> None:
    """Raises Unsupported if a comparison gave an object, not whether something is so."""
    cls: type = type(answer)
    plain = cls is bool or cls is np.bool_ or isinstance(answer, np.ndarray) and answer.dtype.kind == "b"
    if not plain:
        raise _refusal(f"a comparison of values that carry derivatives, which gives a {cls.__name__}", at)


def check_array(at: str, value: Any) -> None:
    """Raises Unsupported for a number that was taken for an array, and is written into or read as a view of it."""
    if not isinstance(value, np.ndarray):
        what = "a number out of an array whose rank is known only when the code runs, which becomes something new"
        raise Unsupported(what + _where(at), None, "bind the name anew (s = s * x for s *= x), or make an array of it")


def check_real(at: str, power: Any) -> None:
    """Raises Unsupported for a complex number, which was taken for a float."""
    if power.__class__ is complex:
        message = f"a negative number to a power that is no whole number, which is complex in Python{_where(at)}"
        raise Unsupported(message, None, "write complex(x) ** p, or abs(x) ** p if that is meant")


def check_filled(at: str, items: Any, levels: int = 1, skipped: int = 0) -> None:
    """Raises Unsupported for an empty list, of which an array has fewer axes than of others, on this many levels of
    lists in lists; but for the first ones, of which whoever takes them says that they are empty."""
    if isinstance(items, np.ndarray):
        return
    if skipped < 1 and not len(items):
        what = "an array of an empty list, which has fewer axes than one of arrays or lists"
        raise Unsupported(what + _where(at), None, "ask before whether there are any")
    for item in items if levels > 1 else ():
        check_filled(at, item, levels - 1, skipped - 1)


_REMEDY = "choose with if and else between functions that are known, so that their objects are followed"
_FLOATS = "make an array of floats, or a list"


def _refusal(message: str, at: str) -> Unsupported:
    return Unsupported(message + _where(at), None, _REMEDY)


def _where(at: str) -> str:
    return f" (met when the code runs, {at})" if at else " (met when the code runs)"


def seed(at: str, name: str, result: Any) -> float:
    """One, the cotangent of what the function `name` gave. Raises NotDifferentiable unless that is a real number,
    or an array of one without dimensions."""
    if isinstance(result, (int, float, np.integer, np.floating)):
        return 1.0
    kind = result.dtype.kind if isinstance(result, np.ndarray) and not result.ndim else ""
    if kind == "f":
        return 1.0
    complex_ = kind == "c" or isinstance(result, (complex, np.complexfloating))
    if isinstance(result, np.ndarray) and not kind:
        what, remedy = f"an array of shape {result.shape}", "return its sum, or use jacobian() or vjp()"
    elif complex_:
        what, remedy = "a complex number", "return its real part or abs()"
    else:
        what = "None" if result is None else f"an object of class {type(result).__name__}"
        remedy = "return a float on every path"
    message = f"a gradient needs a function with a real scalar result, but {name}() returns {what}{_where(at)}"
    raise NotDifferentiable(message, None, remedy)


def check_bound(value: Any, name: str) -> None:
    """A read of a name that is None where it is unbound, as Python would raise it."""
    if value is None:
        raise UnboundLocalError(without_value(name, False))


def without_value(name: str, free: bool) -> str:
    """What Python says of a name that has no value, of the function itself or of one around it."""
    word, where = ("free", " in enclosing scope") if free else ("local", "")
    if sys.version_info < (3, 11):
        return f"{word} variable {name!r} referenced before assignment{where}"
    return f"cannot access {word} variable {name!r} where it is not associated with a value{where}"


def check_cached(at: str, fn: Any, names: tuple[str, ...], result: Any, *args: Any) -> None:
    """Raises Unsupported unless a cached function gives what its source gave, bit for bit."""
    from_cache(at, fn, names, result, *args)


def from_cache(at: str, fn: Any, names: tuple[str, ...], result: Any, *args: Any) -> Any:
    """What a cached function gives, itself, as others may have it too.

    Raises Unsupported unless it is what its source gave, bit for bit.
    """
    n = len(args) - len(names)
    found = fn(*args[:n], **dict(zip(names, args[n:])))
    if not _alike(found, result):
        raise Unsupported(
            f"the cache of {getattr(fn, '__name__', 'a function')}() holds something else than its source gives "
            f"now{_where(at)}",
            None,
            "empty the cache, or leave it out",
        )
    return found


def _alike(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.shape(a) == np.shape(b) and bool(np.all((a == b) | ((a != a) & (b != b))))
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_alike, a, b))
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_alike, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(_alike(a[k], b[k]) for k in a)
    same = bool(a == b or a != a and b != b)
    return same or type(a) is type(b) and bool(inside := attributes(a)) and _alike(inside, attributes(b))


class Shared(dict[str, Any]):
    """A variable that a recursive function assigns to, and functions around it read."""

    def __missing__(self, key: str) -> Any:
        raise NameError("cannot access a variable where it is not associated with a value")
