"""Constants as expressions: literals print as themselves, everything else under a name."""

from __future__ import annotations

import cmath
import math
from typing import Any

import gast
import numpy as np

from adcompile.backend.callables import Globals, attribute, known_path, load
from adcompile.ir import ops


def constant(value: Any) -> gast.Constant:
    return gast.Constant(value, None)


def call(fn: Any, *args: Any) -> gast.Call:
    return gast.Call(fn, list(args), [])


def tuple_(items: list[Any]) -> gast.Tuple:
    return gast.Tuple(items, gast.Load())


def negative(node: Any) -> gast.UnaryOp:
    return gast.UnaryOp(gast.USub(), node)


def literal(value: Any, names: Globals) -> Any:
    """An expression that gives exactly `value`."""
    kind = type(value)
    if kind in (bool, str, bytes) or value is None or value is Ellipsis:
        return constant(value)
    if kind is int:
        return negative(constant(-value)) if value < 0 else constant(value)
    if kind is float:
        return _float(value, names)
    if kind is complex:
        return _complex(value, names)
    if kind is tuple:
        return tuple_([literal(item, names) for item in value])
    if kind is slice:
        parts = (value.start, value.stop) if value.step is None else (value.start, value.stop, value.step)
        return call(load("slice"), *[literal(part, names) for part in parts])
    if kind is range:
        parts = (value.stop,) if (value.start, value.step) == (0, 1) else (value.start, value.stop, value.step)
        return call(load("range"), *[literal(part, names) for part in parts])
    if isinstance(value, np.dtype) and value.isbuiltin == 1 and value.isnative:
        return call(attribute(load(names.known("np")), "dtype"), constant(value.name))
    if isinstance(value, (np.number, np.bool_)) and kind.__module__ == "numpy":
        return _numpy_scalar(value, names)
    if isinstance(value, BaseException) and known_path(kind) == kind.__name__ and not value.__dict__:
        return call(load(kind.__name__), *[literal(arg, names) for arg in value.args])
    if value is ops.UNDEFINED:
        return attribute(load(names.known("ops")), "UNDEFINED")
    return path(names.path(value))


def path(text: str) -> Any:
    first, *rest = text.split(".")
    node: Any = load(first)
    for name in rest:
        node = attribute(node, name)
    return node


def _float(value: float, names: Globals) -> Any:
    if math.copysign(1.0, value) < 0:
        return negative(_float(-value, names))
    if math.isfinite(value):
        return constant(value)
    return attribute(load(names.known("np")), "nan" if math.isnan(value) else "inf")


def _complex(value: complex, names: Globals) -> Any:
    positive = math.copysign(1.0, value.real) > 0
    if value.real == 0.0 and positive and math.isfinite(value.imag) and math.copysign(1.0, value.imag) > 0:
        return constant(value)
    if cmath.isfinite(value) and value.real != 0.0 and value.imag != 0.0:
        op = gast.Sub() if value.imag < 0 else gast.Add()
        return gast.BinOp(_float(value.real, names), op, constant(complex(0.0, abs(value.imag))))
    return call(load("complex"), _float(value.real, names), _float(value.imag, names))


def _numpy_scalar(value: Any, names: Globals) -> Any:
    """`np.float32(0.1)`: the repr of the Python number nearest to it gives it back exactly."""
    kind = known_path(type(value))
    item = value.item()
    if kind is None or not isinstance(item, (bool, int, float, complex)):  # longdouble has no Python number
        return path(names.path(value))
    if isinstance(item, float) and math.isfinite(item):
        item = float(str(value))  # the shortest number that rounds to it
    names.known("np")
    return call(path(kind), literal(item, names))
