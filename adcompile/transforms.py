"""Derivatives made of jvp and vjp: Jacobians, Hessians and their products.

A Jacobian has the structure of the result with, at each leaf, the structure of the argument (for
a tuple of argnums, a tuple); an entry has the shape of the result's leaf followed by that of the
argument's. Parts without tangent are None.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from adcompile import tangents
from adcompile.api import grad, jvp, vjp
from adcompile.errors import NotDifferentiable
from adcompile.targets import bind, place_of, positions, resolve

Fun = Callable[..., Any]


# -- bases --------------------------------------------------------------------------------------


def _leaves(value: Any) -> list[Any]:
    """The leaves of a value that have tangents."""
    if tangents.is_container(value):
        return [leaf for item in tangents.children(value) for leaf in _leaves(item)]
    return [value] if tangents.is_leaf(value) else []


def _basis(value: Any) -> Iterator[Any]:
    """The unit tangents of a value, leaf by leaf, each in row-major order."""
    zeros = tangents.zeros_like(value)
    for k, leaf in enumerate(_leaves(value)):
        for index in np.ndindex(np.shape(leaf)):
            yield _unit(zeros, k, index)


def _unit(zeros: Any, k: int, index: tuple[int, ...]) -> Any:
    count = iter(range(k + 1))

    def at(leaf: Any) -> Any:
        if next(count, None) != k:
            return leaf
        if type(leaf) is not np.ndarray:
            return type(leaf)(1)
        leaf = leaf.copy()
        leaf[index] = 1
        return leaf

    return tangents.map_tree(at, zeros)


def _columns(blocks: list[Any], like: Any, shape: tuple[int, ...], axis: int) -> Any:
    """Entries, one per unit tangent of `like`, stacked into its structure: at each leaf an array
    of shape `shape` + that of the leaf (axis -1) or the other way round (axis 0)."""
    rest = iter(blocks)

    def leaf(x: Any) -> Any:
        size, own = int(np.prod(np.shape(x), dtype=int)), np.shape(x)
        parts = [next(rest) for _ in range(size)]
        if own == () and shape == () and type(x) is not np.ndarray:
            return parts[0] if type(parts[0]) is not np.ndarray else parts[0][()]
        full = (*shape, *own) if axis else (*own, *shape)
        if not parts:
            return np.zeros(full, x.dtype)
        return np.stack([np.asarray(p) for p in parts], axis=axis).reshape(full)

    return _over(like, leaf)


def _over(value: Any, leaf: Callable[[Any], Any]) -> Any:
    """The structure of `value` with `leaf` at leaves that have tangents, else None."""
    if tangents.is_container(value):
        return tangents.rebuild(value, [_over(item, leaf) for item in tangents.children(value)])
    return leaf(value) if tangents.is_leaf(value) else None


def _arguments(
    fun: Fun, argnums: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Fun, Any, tuple[Any, ...]]:
    """The function with keywords fixed, the positions meant, and the positional arguments."""
    target = resolve(fun)
    if kwargs:
        bound = bind(target, args, kwargs)
        lead = len(target.leading)
        if not bound.names:
            args = bound.args[lead:]
        else:
            fun = functools.partial(fun, **dict(zip(bound.names, bound.values)))
    at = positions(argnums, target)
    lead = len(target.leading)

    def place(i: int) -> int:
        return i - lead if i >= 0 else i + len(args)

    return fun, tuple(place(i) for i in at) if isinstance(at, tuple) else place(at), args


def _refuse_complex(fun: Fun, value: Any, what: str) -> None:
    if any(np.iscomplexobj(leaf) for leaf in _leaves(value)):
        raise NotDifferentiable(
            f"the Jacobian of a function with a complex {what} is not one complex matrix",
            place_of(fun),
            "differentiate the real and imaginary parts, or use jvp and vjp",
        )


# -- Jacobians ----------------------------------------------------------------------------------


def jacfwd(fun: Fun, argnums: Any = 0, has_aux: bool = False) -> Fun:
    """The Jacobian by forward mode: one pass for each element of the arguments.

    The result has shape result + argument. With `has_aux`: `(jacobian, aux)`.
    """

    @functools.wraps(fun)
    def jacobian_of(*args: Any, **kwargs: Any) -> Any:
        f, at, args = _arguments(fun, argnums, args, kwargs)
        return _forward(f, at, args, has_aux)

    return jacobian_of


def _forward(fun: Fun, at: Any, args: tuple[Any, ...], has_aux: bool) -> Any:
    inputs = tuple(args[i] for i in (at if isinstance(at, tuple) else (at,)))
    _refuse_complex(fun, inputs, "argument")
    tangent, outs = [None] * len(args), []
    for unit in _basis(inputs):
        for i, part in zip(at if isinstance(at, tuple) else (at,), unit):
            tangent[i] = part
        outs.append(jvp(fun, args, tuple(tangent), has_aux=has_aux))
    if not outs:
        outs.append(jvp(fun, args, tuple(tangent), has_aux=has_aux))
        value, pushed = outs[0][0], [[] for _ in _leaves(outs[0][0])]
    else:
        value = outs[0][0]
        pushed = list(zip(*(tangents.leaves(out[1]) for out in outs)))
    rows = iter(pushed)
    like = inputs if isinstance(at, tuple) else inputs[0]
    jacobian = _over(value, lambda y: _columns(list(next(rows)), like, np.shape(y), -1))
    return (jacobian, outs[0][2]) if has_aux else jacobian


def jacrev(fun: Fun, argnums: Any = 0, has_aux: bool = False) -> Fun:
    """The Jacobian by reverse mode: one pass back for each element of the result.

    The result has shape result + argument. With `has_aux`: `(jacobian, aux)`.
    """

    @functools.wraps(fun)
    def jacobian_of(*args: Any, **kwargs: Any) -> Any:
        f, at, args = _arguments(fun, argnums, args, kwargs)
        out = vjp(f, *args, has_aux=has_aux, copy=False)
        jacobian = _reverse(f, at, args, out)
        return (jacobian, out[2]) if has_aux else jacobian

    return jacobian_of


def _reverse(fun: Fun, at: Any, args: tuple[Any, ...], out: tuple[Any, ...]) -> Any:
    value, pullback = out[0], out[1]
    _refuse_complex(fun, value, "result")
    single = not isinstance(at, tuple)
    inputs = tuple(args[i] for i in ((at,) if single else at))
    rows: list[list[Any]] = []
    for unit in _basis(value):
        pulled = pullback(unit)
        rows.append(tangents.leaves(tuple(pulled[i] for i in ((at,) if single else at))))
    rest = iter(rows)

    def block(y: Any) -> Any:
        mine = [next(rest) for _ in range(int(np.prod(np.shape(y), dtype=int)))]
        columns = iter(range(len(_leaves(inputs))))

        def entry(x: Any) -> Any:
            k = next(columns)
            return (
                _columns([row[k] for row in mine], y, np.shape(x), 0)
                if mine
                else np.zeros((*np.shape(y), *np.shape(x)))
            )

        return _over(inputs[0] if single else inputs, entry)

    return _over(value, block)


def jacobian(fun: Fun, argnums: Any = 0, has_aux: bool = False) -> Fun:
    """The Jacobian by the mode that needs fewer passes."""

    @functools.wraps(fun)
    def jacobian_of(*args: Any, **kwargs: Any) -> Any:
        f, at, args = _arguments(fun, argnums, args, kwargs)
        out = vjp(f, *args, has_aux=has_aux, copy=False)
        inputs = tuple(args[i] for i in (at if isinstance(at, tuple) else (at,)))
        rows, columns = (sum(np.size(leaf) for leaf in _leaves(v)) for v in (out[0], inputs))
        if rows > columns and not any(np.iscomplexobj(leaf) for leaf in _leaves(inputs)):
            return _forward(f, at, args, has_aux)
        matrix = _reverse(f, at, args, out)
        return (matrix, out[2]) if has_aux else matrix

    return jacobian_of


def hessian(fun: Fun, argnums: Any = 0, has_aux: bool = False) -> Fun:
    """The second derivative of a function with a scalar result: forward over reverse.

    Its shape is that of the argument twice; for a tuple of argnums a tuple of tuples. With
    `has_aux`: `(hessian, aux)`.
    """
    return jacfwd(grad(fun, argnums, has_aux), argnums, has_aux)


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
    value, _ = jvp(fun, primals, tuple(tangents.zeros_like(p) for p in primals))

    def push(*given: Any) -> Any:
        return jvp(fun, tuple(_copied(p) for p in kept), given)[1]

    return value, push


def _copied(value: Any) -> Any:
    if tangents.is_container(value):
        return tangents.rebuild(value, [_copied(item) for item in tangents.children(value)])
    return value.copy() if isinstance(value, np.ndarray) else value


def elementwise_grad(fun: Fun, argnums: Any = 0) -> Fun:
    """The derivatives of a function that acts element by element: the gradient of the sum of its
    result, of the type of the argument."""

    @functools.wraps(fun)
    def derivative_of(*args: Any, **kwargs: Any) -> Any:
        f, at, args = _arguments(fun, argnums, args, kwargs)
        value, pullback = vjp(f, *args, copy=False)
        ones = _over(value, lambda y: np.ones(y.shape, y.dtype) if type(y) is np.ndarray else type(y)(1))
        pulled = pullback(ones)
        return tuple(pulled[i] for i in at) if isinstance(at, tuple) else pulled[at]

    return derivative_of
