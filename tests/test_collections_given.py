"""Deques, Counters and other containers among the parts of what is differentiated: constants, without a tangent."""

from __future__ import annotations

import array
import collections
import types
from typing import Any

import pytest

import adcompile as ad


class Box:
    def __init__(self, v: Any) -> None:
        self.v = v


class Listed(list):  # type: ignore[type-arg]
    pass


HELD: dict[str, Any] = {
    "deque": lambda: collections.deque([1.1, 2.2]),
    "ordered": lambda: collections.OrderedDict(a=1.1),
    "counter": lambda: collections.Counter("aab"),
    "default": lambda: collections.defaultdict(float, a=1.1),
    "listed": lambda: Listed([1.1, 2.2]),
    "array": lambda: array.array("d", [1.1]),
    "proxy": lambda: types.MappingProxyType({"a": 1.1}),
}
AROUND: dict[str, Any] = {
    "tuple": (lambda v: (1.5, v), lambda c: c[0], lambda c: c[1]),
    "list": (lambda v: [1.5, v], lambda c: c[0], lambda c: c[1]),
    "dict": (lambda v: {0: 1.5, 1: v}, lambda c: c[0], lambda c: c[1]),
    "object": (lambda v: Box((1.5, v)), lambda c: c.v[0], lambda c: c.v[1]),
}




@pytest.mark.parametrize("held", list(HELD))
@pytest.mark.parametrize("around", list(AROUND))
def test_what_is_not_taken_apart_is_a_constant(held: str, around: str) -> None:
    make, number, inside = AROUND[around]
    one = HELD[held]

    def f(c: Any, x: Any) -> Any:
        v = inside(c)
        return number(c) * (v["a"] if "keys" in dir(v) else v[0]) * x

    value = f(make(one()), 2.0)
    assert ad.grad(f, argnums=1)(make(one()), 2.0) == pytest.approx(value / 2.0)
    g = ad.grad(f)(make(one()), 2.0)
    assert number(g) == pytest.approx(value / 1.5)
    assert inside(g) is None
    _, pullback = ad.vjp(f, make(one()), 2.0)
    g, x_bar = pullback(1.0)
    assert (number(g), x_bar) == pytest.approx((value / 1.5, value / 2.0))
    assert inside(g) is None
    assert ad.jvp(f, (make(one()), 2.0), (make(None), 1.0))[1] == pytest.approx(1.5 * value / 1.5 + value / 2.0)
