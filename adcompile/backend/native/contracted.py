"""Contractions in loops, spelled out as products of matrices, products and sums, which kernels know.

    np.einsum("ij,jk->ik", a, b)     →  a @ b
    np.einsum("ij,kj->ki", a, b)     →  b @ a.T
    np.einsum("ij,ij->i", a, b)      →  np.sum(a * b, axis=1)
    np.einsum("i,ij->ij", a, b)      →  a[:, None] * b
    np.einsum("ij->j", a)            →  np.sum(a, axis=0)
    np.tensordot(a, b, axes=1)       →  a @ b

Of arrays with up to two axes, each named once.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from adcompile.ir.nodes import Atom, Call, Const
from adcompile.ir.types import Array, Scalar
from adcompile.optimise.typing import type_of

if TYPE_CHECKING:
    from adcompile.backend.native.spelled import Spelling

FLOAT = np.dtype(np.float64)
ALL = Const(Ellipsis)


def einsum(s: Spelling, call: Call) -> bool:
    """`np.einsum` with a string that says all."""
    text = call.args[0].value if call.args and isinstance(call.args[0], Const) else None
    if not isinstance(text, str) or "->" not in text or {name for name, _ in call.kwargs} - {"optimize"}:
        return False
    given, _, out = text.replace(" ", "").partition("->")
    names = given.split(",")
    plain = len(names) == len(call.args) - 1 and not s.lies_open
    return plain and _spelled(s, call, tuple(call.args[1:]), names, out)


def tensordot(s: Spelling, call: Call) -> bool:
    """`np.tensordot` along axes that are known."""
    given = dict(zip(("a", "b", "axes"), call.args)) | dict(call.kwargs)
    if set(given) not in ({"a", "b"}, {"a", "b", "axes"}) or s.lies_open:
        return False
    a, b = given["a"], given["b"]
    ranks = [_rank(s, a), _rank(s, b)]
    axes = _axes(s, given.get("axes", Const(2)), ranks[0])
    if axes is None or not set(ranks) <= {1, 2} or len(axes[0]) != len(axes[1]):
        return False
    first, second = list("ij"[: ranks[0]]), list("kl"[: ranks[1]])
    for k, m in zip(*axes):
        if not -ranks[0] <= k < ranks[0] or not -ranks[1] <= m < ranks[1]:
            return False
        second[m] = first[k]
    out = [n for n in first if n not in second] + [n for n in second if n not in first]
    return _spelled(s, call, (a, b), ["".join(first), "".join(second)], "".join(out))


def _axes(s: Spelling, axes: Atom, rank: int) -> tuple[Sequence[int], Sequence[int]] | None:
    value = s.known(axes)
    if type(value) is int:
        return range(rank - value, rank), range(value)
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        return None
    pair = [(p,) if type(p) is int else p for p in value]
    plain = all(isinstance(p, (tuple, list)) and all(type(k) is int for k in p) for p in pair)
    return (pair[0], pair[1]) if plain else None


def _turned(s: Spelling, call: Call, a: Atom) -> Atom:
    return s.new(call, np.ndarray.T, (a,), Array(FLOAT, ("any", "any")))


def _rank(s: Spelling, atom: Atom) -> int:
    t = type_of(atom, s.types)
    return len(t.dims or ()) if isinstance(t, Array) and t.dtype == FLOAT else 0


def _spelled(s: Spelling, call: Call, arrays: tuple[Atom, ...], names: list[str], out: str) -> bool:
    """Whether a contraction is spelled: of arrays whose axes have these names, with those of the result."""
    if len(arrays) == 2 and names[0] == "" and isinstance(type_of(arrays[0], s.types), Scalar):
        return _multiplied(s, call, arrays[0], arrays[1], names[1], out)
    if not 0 < len(arrays) < 3 or any(_rank(s, a) != len(n) or not 0 < len(n) < 3 for a, n in zip(arrays, names)):
        return False
    letters = "".join(dict.fromkeys("".join(names)))
    plain = all(len(set(n)) == len(n) and n.isalpha() for n in names) and len(set(out)) == len(out) <= 2
    if not plain or not set(out) <= set(letters) or not _fits(s, call, out):
        return False
    if len(arrays) == 2 and _is_product(names, out):
        return _product(s, call, arrays, names, out)
    return len(letters) <= 2 and _summed(s, call, arrays, names, letters, out)


def _fits(s: Spelling, call: Call, out: str) -> bool:
    t = s.types[call.result]
    if not out:
        return isinstance(t, Scalar)
    return isinstance(t, Array) and t.dtype == FLOAT and len(t.dims or ()) == len(out)


def _is_product(names: list[str], out: str) -> bool:
    """Whether one axis of both is summed over, and nothing else."""
    both = set(names[0]) & set(names[1])
    return len(both) == 1 and not both & set(out) and (set(names[0]) ^ set(names[1])) == set(out)


def _product(s: Spelling, call: Call, arrays: tuple[Atom, ...], names: list[str], out: str) -> bool:
    (shared,) = set(names[0]) & set(names[1])
    a, b = arrays
    dims = [t.dims if isinstance(t := type_of(x, s.types), Array) else None for x in arrays]
    if any(d is None or d[n.index(shared)] != "many" for d, n in zip(dims, names)):
        return False  # an axis of length one is repeated
    if out and out[0] not in names[0]:  # the rows of the result lie as NumPy has them
        (b, a), dims, names = arrays, dims[::-1], names[::-1]
    if names[0][0] == shared and len(names[0]) == 2:
        a = _turned(s, call, a)
    if names[1][-1] == shared and len(names[1]) == 2:
        b = _turned(s, call, b)
    return s.last(call, operator.matmul, a, b)


def _summed(s: Spelling, call: Call, arrays: tuple[Atom, ...], names: list[str], letters: str, out: str) -> bool:
    """The product of arrays that are spread along their missing axes, summed over what the result has not."""
    order = next((n for n in names if len(n) == len(letters)), letters)
    whole = Array(FLOAT, ("any",) * len(order))
    spread = [_spread(s, call, a, name, order) for a, name in zip(arrays, names)]
    if len(out) == len(order) and len(spread) == 1:  # which is a view
        return s.last(call, np.ndarray.T, *spread) if out != order else s.last(call, operator.getitem, *spread, ALL)
    if len(out) == len(order):
        return s.last(call, operator.mul, *(_spread(s, call, a, name, out) for a, name in zip(arrays, names)))
    product = s.new(call, operator.mul, tuple(spread), whole) if len(spread) == 2 else spread[0]
    if not out:
        return s.last(call, np.sum, product)
    return s.ending(call, np.sum, (product,), axis=Const(1 - order.index(out)))


def _spread(s: Spelling, call: Call, a: Atom, name: str, order: str) -> Atom:
    """An array with its axes in order, and one of length one for each that it has not."""
    if len(name) == len(order):
        return a if name == order else _turned(s, call, a)
    at = int(name == order[0])
    return s.new(call, np.expand_dims, (a, Const(at)), Array(FLOAT, ("any", "one") if at else ("one", "any")))


def _multiplied(s: Spelling, call: Call, number: Atom, a: Atom, name: str, out: str) -> bool:
    """A number and an array, perhaps turned."""
    if not 0 < len(name) < 3 or _rank(s, a) != len(name) or sorted(name) != sorted(out) or not _fits(s, call, out):
        return False
    if name != out:
        a = _turned(s, call, a)
    return s.last(call, operator.mul, number, a)
