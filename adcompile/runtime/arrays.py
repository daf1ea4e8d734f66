"""Array helpers of generated code, used where abstract types cannot decide at compile time.

Shapes are NumPy shapes; every function leaves its arguments alone unless it says otherwise.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from adcompile.errors import NotDifferentiable, Unsupported
from adcompile.runtime import objects
from adcompile.runtime.objects import attributes, build_object, is_of_attributes


def unbroadcast(g: Any, x: Any) -> Any:
    """`g` summed to the shape of `x`: the adjoint of broadcasting `x` to the shape of `g`.

    A `g` of fewer elements than `x` (a cotangent that has itself not been broadcast yet) is
    broadcast to `x` first. Containers do not broadcast.
    """
    if type(x) is np.ndarray and type(g) is np.ndarray and g.shape == x.shape:
        return g  # nearly always, and in loops
    if isinstance(x, (tuple, list, dict)):
        return g
    shape = np.shape(x)
    if np.shape(g) == shape:
        return g
    extra = np.ndim(g) - len(shape)
    if extra > 0:
        g = np.sum(g, axis=tuple(range(extra)))
    axes = tuple(i for i, n in enumerate(shape) if n == 1 and np.ndim(g) == len(shape) and np.shape(g)[i] != 1)
    if axes:
        g = np.sum(g, axis=axes, keepdims=True)
    return g if np.shape(g) == shape else np.broadcast_to(g, shape)


def operand(x: Any) -> Any:
    """What NumPy computes with where it is given `x`: a list or tuple as the array of its items."""
    return np.asarray(x) if isinstance(x, (list, tuple)) else x


def number(x: Any) -> Any:
    """`x`, where a bool is the number 0 or 1, and an array of bools one of these."""
    return x * 1.0 if np.asarray(x).dtype.kind == "b" else x


def is_smaller(g: Any, x: Any) -> bool:
    """Whether `g` is broadcast where it is given the shape of `x`."""
    lengths = zip(np.shape(g)[::-1], np.shape(x)[::-1])
    return np.ndim(g) < np.ndim(x) or any(n == 1 and m != 1 for n, m in lengths)


def broadcast_like(g: Any, x: Any) -> Any:
    """`g` broadcast to the shape of `x` (a read-only view where it was smaller): an array where `x` is one."""
    shape = np.shape(x)
    if np.shape(g) != shape:
        return np.broadcast_to(g, shape)
    return np.asarray(g) if not shape and isinstance(x, np.ndarray) else g


def selected_product(x: Any, z: Any) -> Any:
    """`x · z`, and 0 where `z` is, whatever `x` is there: of what was left out, a partial may be infinite or nan."""
    if isinstance(z, np.ndarray) or isinstance(x, np.ndarray):
        return np.where(z == 0.0, 0.0, x * z)
    return x * z if z != 0.0 else z * 0.0


def expand(g: Any, x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The result `g` of reducing `x` over `axis`, with the reduced axes put back at length 1."""
    kept = isinstance(keepdims, (int, np.bool_)) and keepdims  # 1 is True to NumPy
    if np.ndim(x) == 0 or kept or (axis is None and np.ndim(g) == 0):
        return g
    if axis is None:
        axis = tuple(range(np.ndim(x)))
    return np.expand_dims(g, axis)


def contract(g: Any, y: Any) -> Any:
    """The adjoint of `expand`: `g` summed and reshaped to the shape of `y`."""
    if np.shape(g) == np.shape(y):
        return g
    return np.reshape(g, np.shape(y))


def scatter(x: Any, index: Any, g: Any) -> Any:
    """Zeros of the shape and dtype of `x` (or of `g`, if that is complex) with `g` added at
    `index`: the adjoint of `x[index]`. Repeated indices add up. Of a container, zeros for its
    other items."""
    if isinstance(x, (tuple, list, dict)):
        return _scatter_item(x, index, g)
    own = np.asarray(x).dtype
    if own.names is not None:
        raise Unsupported("an array of records, whose fields carry derivatives", None, "keep each field in an array")
    out = np.zeros(np.shape(x), np.result_type(x, g) if np.iscomplexobj(g) else own)
    return accumulate(out, index, g)


def _scatter_item(x: Any, index: Any, g: Any) -> Any:
    out = zeros_like(x)
    if isinstance(out, dict):
        out[index] = g
        return out
    items = list(out)
    items[index] = g
    return items


def gather(x: Any, index: Any) -> Any:
    """`x[index]`: the adjoint of `scatter`."""
    return x[index]


def accumulate(buffer: Any, index: Any, value: Any) -> Any:
    """`buffer[index] += value` in place with repeated indices added up; returns the buffer."""
    if is_basic(index):
        buffer[index] += value
    else:
        np.add.at(buffer, index, value)
    return buffer


def is_basic(index: Any) -> bool:
    """Whether an index selects each element at most once without looking at its values. A tuple among its parts
    is a list of positions."""
    return all(map(_is_plain, index)) if isinstance(index, tuple) else _is_plain(index)


def _is_plain(part: Any) -> bool:
    whole = isinstance(part, (int, np.integer, slice)) and not isinstance(part, bool)
    return part is None or part is Ellipsis or whole


def zeros_like(x: Any) -> Any:
    """The zero tangent of `x`: numbers, inexact arrays, lists, tuples and plain objects of these; None
    of anything else."""
    return _zeros(x, {})


def _zeros(x: Any, met: dict[int, Any]) -> Any:
    """`met`: the zeros of objects met so far, by identity: they may hold each other."""
    if isinstance(x, float):
        return type(x)(0.0)
    if isinstance(x, np.ndarray):
        return np.zeros(x.shape, x.dtype if x.dtype.kind in "fc" else np.float64)
    if isinstance(x, list):
        return [_zeros(item, met) for item in x]
    if isinstance(x, tuple):
        items = [_zeros(item, met) for item in x]
        return tuple(items) if type(x) is tuple else type(x)(*items)
    if isinstance(x, dict):
        return {key: _zeros(item, met) for key, item in x.items()}
    if isinstance(x, (complex, np.inexact)):
        return type(x)(0.0)
    if isinstance(x, (int, np.integer, np.bool_)):
        return 0.0
    return _zero_object(x, met) if objects.is_plain(x) else None


def _zero_object(x: Any, met: dict[int, Any]) -> Any:
    if id(x) not in met:
        met[id(x)] = zero = objects.blank(type(x))
        for name, value in attributes(x).items():
            objects.set_attribute(zero, name, _zeros(value, met))
    return met[id(x)]


def like(g: Any, x: Any) -> Any:
    """`g` as the cotangent of `x`: real where `x` is real, of its dtype, shape and class."""
    if isinstance(x, np.ndarray):
        if g is None:  # nothing has arrived
            return zeros_like(x)
        if np.iscomplexobj(g) and x.dtype.kind != "c":
            g = np.real(g)
        g = np.asarray(g)
        if g.shape != x.shape:
            g = np.broadcast_to(g, x.shape)
        return g if g.dtype == x.dtype else g.astype(x.dtype)
    if isinstance(x, (float, np.floating)) and isinstance(g, (complex, np.complexfloating)):
        g = g.real
    if isinstance(g, np.ndarray):
        g = g[()] if g.ndim == 0 else np.sum(g)
    if g is None or x is None or isinstance(x, dict):  # of what has no tangent, or for each of its keys
        return None if x is None else g
    return g if type(g) is type(x) else type(x)(g)


def copy(x: Any) -> Any:
    """A writable copy of an array or list of tangents; numbers are themselves."""
    if isinstance(x, np.ndarray):
        return x.copy()
    if isinstance(x, list):
        return [copy(item) for item in x]
    return x


def list_or_none(items: Any) -> Any:
    """A list of the same items, or None where no path so far has bound one."""
    return None if items is None else list(items)


def add(x: Any, y: Any) -> Any:
    """The sum of two tangents of one structure; None and the number 0 are the zero of every structure.

    Raises TypeError for tangents of different structures.
    """
    if all(isinstance(t, NUMBERS) for t in (x, y)):
        return x + y
    if is_nothing(y):
        return x
    if is_nothing(x):
        return y
    if isinstance(x, (list, tuple)) and isinstance(y, (list, tuple)):
        return [add(a, b) for a, b in zip(x, y)]
    if isinstance(x, dict) and isinstance(y, dict):
        return {key: add(x.get(key), y.get(key)) for key in {**x, **y}}
    if is_of_attributes(type(x)) and type(x) is type(y):
        held, other = attributes(x), attributes(y)
        names = tuple({**held, **other})  # what has been read of each may differ
        return build_object(type(x), names, *[add(held.get(k), other.get(k)) for k in names])
    return x + y


def is_nothing(x: Any) -> bool:
    """Whether a tangent is the zero of every structure."""
    return x is None or isinstance(x, (int, float)) and x == 0.0


NUMBERS = (float, complex, int, np.generic, np.ndarray)


def add_objects(x: Any, y: Any) -> Any:
    """The sum of two tangents of an object; the second may be the number 0."""
    held, other = attributes(x), attributes(y) if type(y) is type(x) else {}
    return build_object(type(x), tuple(held), *[add(v, other.get(k)) for k, v in held.items()])


def own(g: Any, x: Any) -> Any:
    """`like(g, x)` as an array that is writable and shares memory with nothing else."""
    out = like(g, x)
    if isinstance(out, np.ndarray):
        return out.copy() if out is g or out.base is not None or not out.flags.writeable else out
    return copy(out)


def sum_over(p: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The sum over the axes of a reduction."""
    return np.sum(p, axis=axis, keepdims=keepdims)


def scatter_list(items: Any, index: slice, g: Any) -> list[Any]:
    """Zeros for `items` with the list `g` at the slice `index`."""
    out = [zeros_like(item) for item in items]
    out[index] = [copy(item) for item in g]
    return out


def places(index: slice, count: int) -> list[int]:
    """The positions that a slice selects in a sequence of `count` items, in order."""
    return list(range(count)[index])


def zero_list(items: Any) -> Any:
    """Zeros for a sequence of values of any kind, as a list; nested ones too. What was not kept
    on the path taken (None) counts as the number 0."""
    if isinstance(items, (tuple, list)):
        return [zero_list(item) for item in items]
    zero = zeros_like(items)
    return 0.0 if zero is None else zero


def replaced(items: Any, index: Any) -> Any:
    """The item of a list in whose place another one is about to be put, for its lengths; None where there is none, as
    putting says."""
    try:
        return _lengths(items[index])
    except (IndexError, TypeError):
        return None


def _lengths(item: Any) -> Any:
    """What tells the lengths of an item later: the lists in it as they are now."""
    return [_lengths(i) for i in item] if isinstance(item, list) else item


def add_item(total: list[Any], index: int, g: Any) -> list[Any]:
    """`g` added, in place, to one of the tangents of a list of values of any structure."""
    total[index] = add(total[index], g)
    return total


def unit(x: Any, k: int) -> Any:
    """The tangent of `x`, an array or number, that is 1 at element `k`, counted row by row, else 0.

    Raises TypeError for complex `x`: the units of its parts are not multiples of each other; NotDifferentiable
    for what is neither array nor number, of which the type that is known when the code is made does not tell.
    """
    if not isinstance(x, (np.ndarray, np.number, int, float, complex)):
        what = "None" if x is None else f"an object of class {type(x).__name__} (met when the code runs)"
        raise NotDifferentiable(f"a Jacobian of {what}", None, "give an array or a number on every path")
    if np.iscomplexobj(x):
        raise TypeError("a Jacobian of complex values is not one complex matrix: use jvp and vjp")
    if not isinstance(x, np.ndarray):
        return type(x)(1)
    out = np.zeros(x.shape, x.dtype)
    out.flat[k] = 1
    return out


def in_order(a: Any, order: Literal["K", "C", "F", "A"]) -> list[tuple[int, ...]]:
    """The indices of an array in the order in which `np.nditer(a, order=order)` goes through it.

    Raises its ValueError where `a` has no elements.
    """
    steps = np.nditer(a, flags=["multi_index"], order=order)
    return [steps.multi_index for _ in steps]
