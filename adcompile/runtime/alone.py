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
    """`target += value`; raises what that raises, and Unsupported where `target` is no number and no array."""
    return _renewed(operator.add, np.add, target, value)


def subtracted(target: Any, value: Any) -> Any:
    """`target -= value`, as `added`."""
    return _renewed(operator.sub, np.subtract, target, value)


def multiplied(target: Any, value: Any) -> Any:
    """`target *= value`, as `added`."""
    return _renewed(operator.mul, np.multiply, target, value)


def divided(target: Any, value: Any) -> Any:
    """`target /= value`, as `added`."""
    return _renewed(operator.truediv, np.divide, target, value)


def _renewed(of_numbers: Callable[[Any, Any], Any], of_arrays: np.ufunc, target: Any, value: Any) -> Any:
    if type(target) is np.ndarray:
        return of_arrays(target, value, out=np.empty_like(target))  # its dtype and shape stay, or it raises
    if isinstance(target, (numbers.Number, np.generic)):
        return of_numbers(target, value)
    raise Unsupported(
        f"an augmented assignment to a {type(target).__name__} that is met when the code runs",
        None,
        "write y = y + … where numbers are meant; of arrays, begin with an array of zeros",
    )
