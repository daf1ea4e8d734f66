"""scipy.sparse: products and linear systems with sparse matrices that carry no derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from adcompile.ir.types import UNKNOWN, Instance, Known, Type
from adcompile.rules.kinds import vjps
from adcompile.rules.numpy.constant import without_rule
from adcompile.rules.registry import Typing
from adcompile.rules.typing import always

FORMATS = "bsr coo csc csr dia dok lil".split()
CLASSES: list[Any] = [getattr(sparse, f"{name}_{kind}") for name in FORMATS for kind in ("matrix", "array")]


def owner(cls: Any, name: str) -> Any:
    """The function behind a method, wherever a class has it from."""
    return next(vars(c)[name] for c in cls.__mro__ if name in vars(c))


def method_type(name: str) -> Typing:
    """The class of what a method of a sparse matrix gives: that of an empty one gives the same."""

    def typing(args: list[Type], kwargs: dict[str, Type]) -> Type:
        first = args[0]
        cls: Any = type(first.value) if isinstance(first, Known) else first.cls if isinstance(first, Instance) else None
        return Instance(type(getattr(cls((1, 1)), name)())) if cls in CLASSES else UNKNOWN

    return typing


for cls in CLASSES:
    without_rule(cls, typing=always(Instance(cls)))
    for name in "tocsc tocsr tocoo tobsr todia transpose conj conjugate copy".split():
        without_rule(owner(cls, name), typing=method_type(name))


@vjps(owner(sparse.csr_matrix, "_matmul_dispatch"), wrt=(1,))
def product(y_bar: Any, y: Any, self: Any, other: Any) -> Any:
    """Behind `@`, `dot`, and `*` of sparse matrices."""
    if np.ndim(other) == 0:
        raise NotImplementedError("the derivative of a sparse matrix times a number; scale the product instead")
    return None, self.conj().T @ y_bar


@vjps(owner(sparse.csr_matrix, "_rmatmul_dispatch"), wrt=(1,))
def product_from_the_left(y_bar: Any, y: Any, self: Any, other: Any) -> Any:
    if np.ndim(other) == 0:
        raise NotImplementedError("the derivative of a sparse matrix times a number; scale the product instead")
    return None, y_bar @ self.conj().T
