"""Jacobians, Hessians and products with them.

A Jacobian has the structure of the result with, at each leaf, the structure of the argument (for
a tuple of argnums, a tuple); an entry has the shape of the result's leaf followed by that of the
argument's. Parts without tangent are None. How they are computed is in `autodiff.jacobians`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

import numpy as np

from adcompile import tangents
from adcompile.api import Derivative, grad
from adcompile.autodiff import nested
from adcompile.products import jvp

Fun = Callable[..., Any]
Decorator = Callable[[Fun], Derivative]


def _transform(transform: str, fun: Fun | None, argnums: Any, has_aux: bool = False) -> Any:
    if fun is None:
        return lambda fun: Derivative(fun, transform, argnums, has_aux)
    return Derivative(fun, transform, argnums, has_aux)


@overload
def jacfwd(fun: Fun, argnums: Any = 0, has_aux: bool = False) -> Derivative: ...
@overload
def jacfwd(fun: None = None, argnums: Any = 0, has_aux: bool = False) -> Decorator: ...
def jacfwd(fun: Fun | None = None, argnums: Any = 0, has_aux: bool = False) -> Any:
    """The Jacobian by forward mode: one pass for each element of the arguments.

    The result has shape result + argument. With `has_aux`: `(jacobian, aux)`. `argnums` as in
    `grad`; without `fun`, a decorator. Raises NotDifferentiable for complex arguments.
    """
    return _transform("jacfwd", fun, argnums, has_aux)


@overload
def jacrev(fun: Fun, argnums: Any = 0, has_aux: bool = False) -> Derivative: ...
@overload
def jacrev(fun: None = None, argnums: Any = 0, has_aux: bool = False) -> Decorator: ...
def jacrev(fun: Fun | None = None, argnums: Any = 0, has_aux: bool = False) -> Any:
    """The Jacobian by reverse mode: one pass back for each element of the result.

    The result has shape result + argument. With `has_aux`: `(jacobian, aux)`. `argnums` as in
    `grad`; without `fun`, a decorator. Raises NotDifferentiable for complex results.
    """
    return _transform("jacrev", fun, argnums, has_aux)


@overload
def jacobian(fun: Fun, argnums: Any = 0, has_aux: bool = False) -> Derivative: ...
@overload
def jacobian(fun: None = None, argnums: Any = 0, has_aux: bool = False) -> Decorator: ...
def jacobian(fun: Fun | None = None, argnums: Any = 0, has_aux: bool = False) -> Any:
    """The Jacobian by the mode that needs fewer passes; else like `jacfwd` and `jacrev`."""
    return _transform("jacobian", fun, argnums, has_aux)


@overload
def hessian(fun: Fun, argnums: Any = 0, has_aux: bool = False) -> Derivative: ...
@overload
def hessian(fun: None = None, argnums: Any = 0, has_aux: bool = False) -> Decorator: ...
def hessian(fun: Fun | None = None, argnums: Any = 0, has_aux: bool = False) -> Any:
    """The second derivative of a function with a scalar result: forward over reverse.

    Its shape is that of the argument twice; for a tuple of argnums a tuple of tuples. With
    `has_aux`: `(hessian, aux)`.
    """
    if fun is None:
        return lambda fun: hessian(fun, argnums, has_aux)
    return jacfwd(grad(fun, argnums, has_aux), argnums, has_aux)


@overload
def elementwise_grad(fun: Fun, argnums: Any = 0) -> Derivative: ...
@overload
def elementwise_grad(fun: None = None, argnums: Any = 0) -> Decorator: ...
def elementwise_grad(fun: Fun | None = None, argnums: Any = 0) -> Any:
    """The derivatives of a function that acts element by element: the gradient of the sum of its
    result, of the type of the argument."""
    return _transform("elementwise_grad", fun, argnums)


def hvp(fun: Fun, primals: tuple[Any, ...], tangents: tuple[Any, ...], argnums: Any = 0) -> Any:
    """The Hessian of `fun` at `primals` times `tangents`: the derivative of `grad(fun, argnums)`
    along them, of the type of the gradient. It never forms the Hessian."""
    return jvp(grad(fun, argnums), primals, tangents)[1]


def linearize(fun: Fun, *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """`(value, push)`: the value of `fun(*primals)` and the linear function that takes tangents
    of the arguments, `push(*tangents)`, to the tangent of the value.

    Writes into the arguments after the call do not matter.
    """
    kept = tuple(_copied(p) for p in primals)
    value, _ = jvp(fun, primals, (None,) * len(primals))

    def push(*given: Any) -> Any:
        return jvp(fun, tuple(_copied(p) for p in kept), given)[1]

    return value, push


def _copied(value: Any) -> Any:
    if tangents.is_container(value):
        return tangents.rebuild(value, [_copied(item) for item in tangents.children(value)])
    return value.copy() if isinstance(value, np.ndarray) else value


# -- inside derivatives -------------------------------------------------------------------------

for _public in (jacfwd, jacrev, jacobian, elementwise_grad):
    nested.register_transform(_public, _public.__name__)
nested.register_transform(hessian, "grad", "jacfwd")
nested.register_hvp(hvp)
nested.register_linearize(linearize)
