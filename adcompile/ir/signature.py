"""Abstract types as text: `float64[:,:], float, (int, float32[1])`, and back.

float64[:,:]       an array of this dtype; `:` is a dimension of any length but one, `1` of one
float64            a NumPy scalar (or float32, complex128, int64 …)
float  int  bool   a Python number (complex too)
(a, b)  [a, b]     a tuple, a list with items of these types; `[float, ...]`: of any length
{"k": a}           a dict with these keys
None  True  3  "s" this very value
"""

from __future__ import annotations

import ast
from typing import Any, cast

import numpy as np

from adcompile.errors import AdcompileError
from adcompile.ir.types import Array, DictT, Dim, Known, ListT, Scalar, Seq, TupleT, Type

GRAMMAR = 'write float64[:,:], float64[1], float, int, bool, (a, b), [a, b], {"k": a} or a value such as None or "sum"'
_PYTHON: dict[str, type] = {"float": float, "int": int, "complex": complex, "bool": bool}


class SignatureError(AdcompileError):
    """A signature that cannot be read, or a type that has no text."""


def parse(text: str) -> tuple[Type, ...]:
    """The types that a signature names, one per argument. Raises SignatureError."""
    try:
        tree = ast.parse(f"({text.strip()},)", mode="eval") if text.strip() else ast.parse("()", mode="eval")
    except (SyntaxError, ValueError):
        raise SignatureError(f"cannot read the signature {text!r}", remedy=GRAMMAR) from None
    assert isinstance(tree.body, ast.Tuple)
    return tuple(_type(node) for node in tree.body.elts)


def _type(node: ast.expr) -> Type:
    match node:
        case ast.Name(id=name):
            return Scalar(frozenset({_scalar(name, node)}))
        case ast.Subscript(value=ast.Name(id=name), slice=dims):
            return Array(np.dtype(_scalar(name, node)), _dims(dims))
        case ast.Tuple(elts=[item, ast.Constant(value=value)]) if value is ...:
            return Seq(_type(item), tuple)
        case ast.List(elts=[item, ast.Constant(value=value)]) if value is ...:
            return Seq(_type(item), list)
        case ast.Tuple(elts=items):
            return TupleT(tuple(map(_type, items)))
        case ast.List(elts=items):
            return ListT(tuple(map(_type, items)))
        case ast.Dict(keys=keys, values=values):
            return DictT(tuple(map(_literal, keys)), tuple(map(_type, values)))
        case _:
            return Known(_literal(node))


def _literal(node: ast.expr | None) -> Any:
    try:
        value = ast.literal_eval(node) if node is not None else ...
    except ValueError:
        value = ...
    if value is None or isinstance(value, (bool, int, str)):
        return value
    raise _unreadable(node)


def _unreadable(node: ast.expr | None) -> SignatureError:
    return SignatureError(f"no type is called {ast.unparse(node) if node else '**'!r}", remedy=GRAMMAR)


def _scalar(name: str, node: ast.expr) -> type:
    if isinstance(node, ast.Name) and name in _PYTHON:
        return _PYTHON[name]
    found = np.sctypeDict.get({"float": "float64", "int": "int64", "complex": "complex128"}.get(name, name))
    if found is None or not issubclass(found, (np.number, np.bool_)):
        raise _unreadable(node)
    return cast("type", found)


def _dims(node: ast.expr) -> tuple[Dim, ...]:
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return tuple(_dim(part) for part in parts)


def _dim(node: ast.expr) -> Dim:
    match node:
        case ast.Slice(lower=None, upper=None, step=None):
            return "many"
        case ast.Constant(value=1):
            return "one"
        case _:
            raise SignatureError(
                f"a dimension is : or 1, not {ast.unparse(node)}",
                remedy="write : for any length but one, such as float64[:,:]",
            )


def spell(t: Type) -> str:
    """The text of a type. Raises SignatureError for types that have none."""
    match t:
        case Scalar(kinds) if len(kinds) == 1:
            return next(iter(kinds)).__name__
        case Array(dtype, dims) if dims is not None and dtype.isbuiltin == 1 and "any" not in dims:
            return f"{dtype.name}[{','.join('1' if d == 'one' else ':' for d in dims) or '()'}]"
        case TupleT(items, cls) if cls is tuple:
            return f"({', '.join(map(spell, items))}{',' if len(items) == 1 else ''})"
        case ListT(items):
            return f"[{', '.join(map(spell, items))}]"
        case Seq(item, cls) if cls in (tuple, list):
            return f"({spell(item)}, ...)" if cls is tuple else f"[{spell(item)}, ...]"
        case DictT(keys, values):
            return f"{{{', '.join(f'{key!r}: {spell(value)}' for key, value in zip(keys, values))}}}"
        case Known(value) if value is None or type(value) in (bool, int, str):
            return repr(value)
        case Known(value):
            what = getattr(value, "__name__", None) or type(value).__name__
            raise SignatureError(
                f"{what} cannot stand in a signature", remedy="wrap it: def f(x): return g(x, " + what + ")"
            )
        case _:
            name = getattr(t, "cls", type(t)).__name__
            raise SignatureError(
                f"an argument of type {name} has no signature text",
                remedy=f"write a function of its parts: def f(a, b): return g({name}(a, b))",
            )
