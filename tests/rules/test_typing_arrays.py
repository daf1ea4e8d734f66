"""The types that array rules give their results, against the results: exact types of arguments,
dimensions that are not known, and settings that are run-time numbers."""

from __future__ import annotations

import numpy as np
import pytest

from adcompile import runtime as rt
from adcompile.errors import AdcompileError
from adcompile.ir.abstract import type_of
from adcompile.ir.types import INT, UNKNOWN, Array, Known, ListT, Scalar, Seq, SliceT, TupleT
from adcompile.rules import registry
from adcompile.rules.typing import result_type
from tests.rules.test_bodies_arrays import call, cases, is_inexact


def exact(x):
    """What the specialiser knows of a value: settings by value, data by type."""
    if isinstance(x, (tuple, list)):
        items = tuple(exact(item) for item in x)
        return TupleT(items) if isinstance(x, tuple) else ListT(items)
    return type_of(x) if is_inexact(x) or isinstance(x, np.ndarray) else Known(x)


def loose(t):
    match t:
        case Array(dtype, dims):
            return Array(dtype, ("any",) * len(dims))
        case TupleT(items, cls):
            return TupleT(tuple(map(loose, items)), cls)
        case ListT(items):
            return ListT(tuple(map(loose, items)))
        case _:
            return t


def running(t):
    """Ints that are only known at run time."""
    match t:
        case Known(value) if type(value) is int:
            return INT
        case Known(value) if isinstance(value, slice):
            return SliceT(tuple(running(Known(part)) for part in (value.start, value.stop, value.step)))
        case TupleT(items, cls):
            return TupleT(tuple(map(running, items)), cls)
        case ListT(items):
            return ListT(tuple(map(running, items)))
        case _:
            return t


def holds(t, value):
    match t:
        case Known(known):
            return Known(value) == t or known == value
        case Scalar(kinds):
            return type(value) in kinds
        case Array(dtype, dims):
            if type(value) is not np.ndarray or value.dtype != dtype:
                return False
            fits = {"one": lambda n: n == 1, "many": lambda n: n != 1, "any": lambda n: True}
            return dims is None or (len(dims) == value.ndim and all(fits[d](n) for d, n in zip(dims, value.shape)))
        case TupleT(items, cls):
            return type(value) is cls and len(items) == len(value) and all(map(holds, items, value))
        case ListT(items):
            return type(value) is list and len(items) == len(value) and all(map(holds, items, value))
        case Seq(item, cls):
            return type(value) is cls and all(holds(item, v) for v in value)
        case _:
            return t == UNKNOWN


CHANGES = {"exact": exact, "loose": lambda x: loose(exact(x)), "running": lambda x: running(exact(x))}


@pytest.mark.parametrize(("fn", "args", "kwargs"), list(cases()))
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_result_type(fn, args, kwargs):
    value = call(fn, args, kwargs)
    if fn in (np.linalg.eig, np.linalg.eigvals):  # real by chance
        value = type(value)(*map(rt.as_complex, value)) if isinstance(value, tuple) else rt.as_complex(value)
    rule = registry.lookup(fn)
    for name, change in CHANGES.items():
        try:
            t = result_type(fn, rule, [change(a) for a in args], {k: change(v) for k, v in kwargs.items()})
        except AdcompileError:
            continue
        assert holds(t, value), f"{name}: {t}"
