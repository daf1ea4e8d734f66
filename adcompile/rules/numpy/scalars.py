"""The methods that NumPy's scalars share with arrays.

The tangent of a NumPy scalar may be a number of Python's, which has no such methods: so they are
given in functions that take both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile.ir.types import UNKNOWN, Type
from adcompile.rules.kinds import composite
from adcompile.rules.numpy.dims import argument, element
from adcompile.rules.numpy.join import item_type, wanted_dtype
from adcompile.rules.numpy.shape import flat_type, method_reshape_type, repeat_type


def itself(args: list[Type], kwargs: dict[str, Type]) -> Type:
    return args[0]


@composite(np.generic.copy, np.generic.squeeze, np.generic.transpose, np.generic.T, typing=itself)
def unchanged(a: Any, *settings: Any, **named: Any) -> Any:
    return a


def converted_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    dtype = wanted_dtype(argument(args, kwargs, 1, "dtype"))
    return UNKNOWN if dtype is None else element(dtype)


@composite(np.generic.astype, typing=converted_type)
def astype(a: Any, dtype: Any, order: Any = "K", casting: Any = "unsafe", subok: Any = True, copy: Any = True) -> Any:
    return np.dtype(dtype).type(a)


@composite(np.generic.item, np.generic.tolist, typing=item_type)
def item(a: Any, *place: Any) -> Any:
    return complex(a) if np.iscomplexobj(a) else float(a)


@composite(np.generic.reshape, typing=method_reshape_type)
def reshape(a: Any, *shape: Any, order: Any = "C", copy: Any = None) -> Any:
    return np.reshape(a, shape[0] if len(shape) == 1 else shape)


@composite(np.generic.ravel, np.generic.flatten, typing=flat_type)
def ravel(a: Any, order: Any = "C") -> Any:
    return np.ravel(a)


@composite(np.generic.repeat, typing=repeat_type)
def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    return np.repeat(a, repeats)
