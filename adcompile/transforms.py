"""Jacobians, Hessians and products with them.

A Jacobian has the structure of the result with, at each leaf, the structure of the argument (for
a tuple of argnums, a tuple); an entry has the shape of the result's leaf followed by that of the
argument's. Parts without tangent are None. How they are computed is in `autodiff.jacobians`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, overload

from adcompile.api import Derivative, find, grad, transform
from adcompile.backend.derived import with_compiler
from adcompile.boundary import accept, batch_length, none_of, project
from adcompile.errors import AdcompileError, NotDifferentiable, place_of
from adcompile.products import check_again, check_pairs, jvp
from adcompile.refusals import spaces_at
from adcompile.runs import Plan
from adcompile.runtime.detaching import replicas
from adcompile.runtime.settings import Backend
from adcompile.spaces import batch_of
from adcompile.targets import Target, innermost, resolve

Fun = Callable[..., Any]
Decorator = Callable[[Fun], Derivative]


@overload
def jacfwd(fun: Fun, argnums: Any = 0, has_aux: bool = False, *, backend: Backend | None = None) -> Derivative: ...
@overload
def jacfwd(
    fun: None = None, argnums: Any = 0, has_aux: bool = False, *, backend: Backend | None = None
) -> Decorator: ...
def jacfwd(fun: Fun | None = None, argnums: Any = 0, has_aux: bool = False, *, backend: Backend | None = None) -> Any:
    """The Jacobian by forward mode: one pass for each element of the arguments.

    The result has shape result + argument. With `has_aux`: `(jacobian, aux)`. `argnums` as in
    `grad`; without `fun`, a decorator. Raises NotDifferentiable for complex arguments.
    """
    return transform("jacfwd", fun, argnums, has_aux, backend)


@overload
def jacrev(fun: Fun, argnums: Any = 0, has_aux: bool = False, *, backend: Backend | None = None) -> Derivative: ...
@overload
def jacrev(
    fun: None = None, argnums: Any = 0, has_aux: bool = False, *, backend: Backend | None = None
) -> Decorator: ...
def jacrev(fun: Fun | None = None, argnums: Any = 0, has_aux: bool = False, *, backend: Backend | None = None) -> Any:
    """The Jacobian by reverse mode: one pass back for each element of the result.

    The result has shape result + argument. With `has_aux`: `(jacobian, aux)`. `argnums` as in
    `grad`; without `fun`, a decorator. Raises NotDifferentiable for complex results.
    """
    return transform("jacrev", fun, argnums, has_aux, backend)


@overload
def jacobian(fun: Fun, argnums: Any = 0, has_aux: bool = False, *, backend: Backend | None = None) -> Derivative: ...
@overload
def jacobian(
    fun: None = None, argnums: Any = 0, has_aux: bool = False, *, backend: Backend | None = None
) -> Decorator: ...
def jacobian(fun: Fun | None = None, argnums: Any = 0, has_aux: bool = False, *, backend: Backend | None = None) -> Any:
    """The Jacobian by the mode that needs fewer passes; else like `jacfwd` and `jacrev`."""
    return transform("jacobian", fun, argnums, has_aux, backend)


@overload
def hessian(fun: Fun, argnums: Any = 0, has_aux: bool = False, *, backend: Backend | None = None) -> Derivative: ...
@overload
def hessian(
    fun: None = None, argnums: Any = 0, has_aux: bool = False, *, backend: Backend | None = None
) -> Decorator: ...
def hessian(fun: Fun | None = None, argnums: Any = 0, has_aux: bool = False, *, backend: Backend | None = None) -> Any:
    """The second derivative of a function with a scalar result: forward over reverse.

    Its shape is that of the argument twice; for a tuple of argnums a tuple of tuples. With
    `has_aux`: `(hessian, aux)`.
    """
    if fun is None:
        return lambda fun: hessian(fun, argnums, has_aux, backend=backend)
    return jacfwd(grad(fun, argnums, has_aux), argnums, has_aux, backend=backend)


@overload
def elementwise_grad(fun: Fun, argnums: Any = 0, *, backend: Backend | None = None) -> Derivative: ...
@overload
def elementwise_grad(fun: None = None, argnums: Any = 0, *, backend: Backend | None = None) -> Decorator: ...
def elementwise_grad(fun: Fun | None = None, argnums: Any = 0, *, backend: Backend | None = None) -> Any:
    """The derivatives of a function that acts element by element: the gradient of the sum of its
    result, of the type of the argument."""
    return transform("elementwise_grad", fun, argnums, False, backend)


def hvp(fun: Fun, primals: tuple[Any, ...], tangents: tuple[Any, ...], argnums: Any = 0) -> Any:
    """The Hessian of `fun` at `primals` times `tangents`: the derivative of `grad(fun, argnums)`
    along them, of the type of the gradient. It never forms the Hessian."""
    return jvp(grad(fun, argnums), primals, tangents)[1]


def jvp_batched(
    fun: Fun, primals: tuple[Any, ...], tangents: tuple[Any, ...], has_aux: bool = False
) -> tuple[Any, ...]:
    """`(value, tangents)`: the value of `fun(*primals)` and its derivatives along several tangents,
    for which the function runs once.

    Each of the arrays and numbers of `primals` has an array of `tangents` with one axis more, in
    front, whose length k is the same for all; None stands for zero, and for what has no tangent. The
    tangents of the result are its structure of arrays of shape (k, …), of the dtypes of the result.
    With `has_aux`: `(value, tangents, aux)`. Raises NotDifferentiable (a TypeError) for tangents that
    do not fit, Unsupported for functions through which several cannot be taken at once.
    """
    check_pairs(primals, tangents)
    single = spaces_at(fun, primals)
    for space in single:
        batches(fun, space, 0)  # refuses what has no batches
    counts = [n for n in map(batch_length, tangents) if n is not None]
    if not counts:
        raise NotDifferentiable("no tangents", remedy="pass an array with an axis in front for at least one argument")
    count = counts[0]
    spaces = [batch_of(space, count) for space in single]
    checked = [accept(t, s, f"tangent {i}") for i, (t, s) in enumerate(zip(tangents, spaces))]
    active = [i for i, (t, c) in enumerate(zip(tangents, checked)) if t is not None and c is not None]
    if count == 0:  # the function runs all the same
        checked = [accept(None, batch_of(space, 1), "") for space in single]
    lead = len(resolve(fun).leading)
    target, bound, entry = find(fun, primals, Plan("jvp_batched", tuple(i + lead for i in active), has_aux))
    raw = list(entry.run(target.function, (*bound.args, *bound.values), tuple(checked[i] for i in active)))
    value, aux = raw[0] if has_aux else (raw[0], None)
    found = project(raw, 1, batches(fun, spaces_at(fun, [value])[0], max(count, 1)))
    found = found if count else none_of(found)
    return (value, found, aux) if has_aux else (value, found)


def batches(fun: Fun, space: Any, count: int) -> Any:
    """`batch_of`, refused where the function is defined."""
    try:
        return batch_of(space, count)
    except AdcompileError as error:
        raise error.at(place_of(innermost(resolve(fun).function))) from None


def linearize(fun: Fun, *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """`(value, push)`: the value of `fun(*primals)` and the linear function that takes tangents
    of the arguments, `push(*tangents)`, to the tangent of the value.

    Writes into the arguments after the call do not matter, nor into the object whose method `fun` is. What
    `fun` captures, its defaults, and what it finds in modules are read at each push, as they are then: each push
    runs the function again. Raises Unsupported for functions that write into arrays which they capture or find
    in a module.
    """
    check_again(fun, primals, "linearize")
    target = Target(fun) if hasattr(type(fun), "__adcompile_key__") else resolve(fun)
    kept = replicas((target.leading, primals))
    value, _ = jvp(fun, primals, (None,) * len(primals))

    def push(*given: Any) -> Any:
        leading, args = replicas(kept)
        again = functools.partial(target.function, *leading, **target.keywords) if leading else fun
        return jvp(again, args, given)[1]

    return value, push


# -- inside derivatives -------------------------------------------------------------------------

def _inside(nested: Any) -> None:
    for public in (jacfwd, jacrev, jacobian, elementwise_grad):
        nested.register_transform(public, public.__name__)
    nested.register_transform(hessian, "grad", "jacfwd")
    nested.register_hvp(hvp)
    nested.register_batched(jvp_batched)
    nested.register_linearize(linearize)


with_compiler(_inside)
