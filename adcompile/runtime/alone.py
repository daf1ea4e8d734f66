"""What augmented assignments make of numbers and arrays that nobody else holds: a new one, which no one can tell from
the old one changed in place."""

from __future__ import annotations

import numbers
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from adcompile.errors import Unsupported


def added(target: Any, value: Any) -> Any:
    """`target += value`, which raises what that raises; a list or another object is changed itself."""
    return _renewed(operator.iadd, np.add, target, value)


def subtracted(target: Any, value: Any) -> Any:
    """`target -= value`, as `added`."""
    return _renewed(operator.isub, np.subtract, target, value)


def multiplied(target: Any, value: Any) -> Any:
    """`target *= value`, as `added`."""
    return _renewed(operator.imul, np.multiply, target, value)


def divided(target: Any, value: Any) -> Any:
    """`target /= value`, as `added`."""
    return _renewed(operator.itruediv, np.divide, target, value)


def _renewed(in_place: Callable[[Any, Any], Any], of_arrays: np.ufunc, target: Any, value: Any) -> Any:
    if type(target) is np.ndarray:
        return of_arrays(target, value, out=np.empty_like(target))  # its dtype and shape stay, or it raises
    return in_place(target, value)


def check_alone(target: Any) -> None:
    """Raises Unsupported where such an assignment is made to something else than a number or an array: the derivative
    is that of arithmetic."""
    if type(target) is not np.ndarray and not isinstance(target, (numbers.Number, np.generic)):
        raise Unsupported(
            f"an augmented assignment to a {type(target).__name__} of values with derivatives, met when the code runs",
            None,
            "write y = y + … where numbers are meant; of arrays, begin with an array of zeros",
        )
