"""Whose method an operator is: of a number or array on the left, or of an object on the right."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np

from adcompile.errors import Place, Unsupported
from adcompile.ir.types import Array, Known, Scalar, Type

_NUMBERS: dict[Any, Any] = {int: (), bool: (), float: int, complex: (int, float)}
"""What else numbers of Python compute with as with their like; NumPy's take all of them."""


def number_takes(t: Type, cls: type) -> bool:
    """Whether a number of type `t` on the left computes with objects of a class of numbers as with numbers."""
    kinds = t.kinds if isinstance(t, Scalar) else frozenset({type(t.value)} if isinstance(t, Known) else ())
    return bool(kinds) and all(
        issubclass(cls, _NUMBERS.get(k, (int, float, complex, np.generic))) and not issubclass(cls, k) for k in kinds
    )


def check_order(t: Type, cls: type, reflected: str, place: Place | None) -> None:
    """Raises Unsupported for an array of type `t` before an object: NumPy asks the object for each
    element, unless its class wants the array as one."""
    if not isinstance(t, Array) or not isinstance(getattr(cls, reflected, None), FunctionType):
        return
    own = getattr(cls, "__array_ufunc__", NotImplemented)
    if own is not None and (own is not NotImplemented or getattr(cls, "__array_priority__", 0.0) <= 0.0):
        raise Unsupported(
            f"an array before a {cls.__name__}, which NumPy meets with each of its elements",
            place,
            "write the object first, or set __array_ufunc__ = None in its class",
        )
