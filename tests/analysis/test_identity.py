"""Whether two objects are one and the same: answered right, when compiling or when the code runs, or refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adcompile as ad
from adcompile.errors import AdcompileError, Unsupported

X = np.array([1.1, 2.2, 3.3])


class Node:
    def __init__(self, v: Any, after: Any = None) -> None:
        self.v, self.next = v, after


def ring_of(count: int) -> Node:
    nodes = [Node(float(i + 1)) for i in range(count)]
    for i, node in enumerate(nodes):
        node.next = nodes[(i + 1) % count]
    return nodes[0]


def around(n: Any, x: Any) -> Any:
    m, out = n.next, n.v * x[0]
    while m is not n:
        out = out + m.v * x[1]
        m = m.next
    return out


def two_speeds(n: Any, x: Any) -> Any:
    a, b, out = n, n.next, 0.0
    while a is not b:
        out = out + a.v * x[0]
        a, b = a.next, b.next.next
    return out


@pytest.mark.parametrize("walk", [around, two_speeds])
@pytest.mark.parametrize("argnums", [0, 1])
def test_a_walk_around_a_ring_ends_or_is_refused(walk: Any, argnums: int) -> None:
    with pytest.raises(AdcompileError, match="one and the same") as error:
        ad.grad(walk, argnums=argnums)(ring_of(3), X)
    assert error.value.place is not None


def chosen_in_turn(x: Any, k: int) -> Any:
    a, b = Node(x[0]), Node(x[1])
    best = a
    for _ in range(k):
        best = b if best is a else a
    return best.v


def test_what_depends_on_the_path_may_be_any_of_its_sources() -> None:
    with pytest.raises(Unsupported, match="one and the same"):
        ad.grad(chosen_in_turn)(X, 3)


def which_are_the_first(d: Any, x: Any) -> Any:
    out = 0.0
    for k in d:
        out = out + (x[0] if d[k] is d["a"] else x[1])
    return out


def test_arguments_may_hold_one_list_twice() -> None:
    once = [1.0]
    d = {"a": once, "b": [1.0], "c": once}
    value, g = ad.value_and_grad(which_are_the_first, argnums=1)(d, X)
    assert value == which_are_the_first(d, X)
    assert g.tolist() == [2.0, 1.0, 0.0]
    d = {"a": once, "b": [1.0], "c": [1.0]}
    assert ad.grad(which_are_the_first, argnums=1)(d, X).tolist() == [1.0, 2.0, 0.0]


def made_here(x: Any) -> Any:
    a, b = Node(x[0]), Node(x[1])
    kept = [a, b, a]
    return sum(n.v * (2.0 if n is a else 3.0) for n in kept)


def test_what_is_made_here_is_told_apart_when_compiling() -> None:
    assert ad.grad(made_here)(X).tolist() == [4.0, 3.0, 0.0]


def pairs_of(nodes: Any, x: Any) -> Any:
    out = 0.0
    for a in nodes:
        for b in nodes:
            if a is not b:
                out = out + a.v * b.v * x[0]
    return out


def test_objects_of_a_list() -> None:
    nodes = [Node(1.0), Node(2.0), Node(3.0)]
    value, g = ad.value_and_grad(pairs_of, argnums=1)(nodes, X)
    assert value == pairs_of(nodes, X)
    assert g.tolist() == [22.0, 0.0, 0.0]


def masked(x: Any) -> Any:
    return np.ma.array(x)[0] * x[0]


def by_constants_that_are_masked(x: Any) -> Any:
    weights = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])
    return np.sum(x * weights.filled(0.0)) + len(weights) * x[0]


def test_masked_arrays_are_run_and_refused_where_derivatives_go_in() -> None:
    with pytest.raises(AdcompileError, match=r"no derivative rule for numpy\.ma") as error:
        ad.grad(masked)(X)
    assert error.value.place is not None
    assert ad.grad(by_constants_that_are_masked)(X).tolist() == [4.0, 0.0, 3.0]
