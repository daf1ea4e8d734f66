"""Lists, dicts and objects that are there when the code runs, under several names: what is written under one of them is
read under another."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from adcompile.analysis.builder import Builder
from adcompile.analysis.library import is_of_user
from adcompile.analysis.live import containers_in
from adcompile.ir.nodes import Atom, Var
from adcompile.ir.program import Guard

KINDS = (list, dict, set, deque, bytearray)


def twins(b: Builder) -> list[list[Var]]:
    """The live values that are, or hold, the same list, dict, set or object: together for each of these."""
    together: dict[int, list[Var]] = {}
    for var, value in b.context.example.items():
        for held in held_by(value):
            together.setdefault(id(held), []).append(var)
    return [group for group in together.values() if len(group) > 1]


def held_by(value: Any) -> Iterator[Any]:
    yield from containers_in(value)
    if is_of_user(type(value)) or isinstance(value, KINDS) and not isinstance(value, (list, dict)):
        yield value


def guard_apart(b: Builder, written: Iterable[Atom]) -> None:
    """The program is one for live containers of which those that it writes into are none of the others."""
    example, origin = b.context.example, b.context.origin
    live = [v for v, value in example.items() if v in origin and isinstance(value, KINDS)]
    into = set(written)
    for w, v in itertools.product([v for v in live if v in into], live):
        if example[w] is not example[v] and type(example[w]) is type(example[v]):
            (ref, path), (other, way) = origin[w], origin[v]
            key = ("apart", id(ref.namespace), ref.name, path, id(other.namespace), other.name, way)
            b.context.guards[key] = Guard(ref, None, path, None, (other, way))


__all__ = ["guard_apart", "twins"]
