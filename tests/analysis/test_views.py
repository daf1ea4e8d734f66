"""What may share memory: every rule and view that the analysis calls fresh is fresh when it runs."""

import importlib
import pkgutil
import warnings
from typing import Any

import numpy as np
import pytest

from adcompile import runtime as rt
from adcompile.analysis.views import COPYING, kind_of_index, may_share, may_view
from adcompile.autodiff.mirror import sharing_of
from adcompile.ir.abstract import type_of
from adcompile.ir.nodes import Call, Const, Var
from adcompile.ir.types import Known
from tests.rules import samples

X = np.array([0.3, 0.7, 1.1, 0.45])


def every_sample():
    for module in pkgutil.iter_modules(samples.__path__):
        found = getattr(importlib.import_module(f"{samples.__name__}.{module.name}"), "SAMPLES", {})
        for fn, calls in found.items():
            yield pytest.param(fn, calls, id=f"{module.name}-{getattr(fn, '__qualname__', fn.__name__)}")


def laid_out(value: Any, layout: str) -> Any:
    """Copies of all arrays in a value: in the order of C or of Fortran, or every second element of more."""
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(laid_out(item, layout) for item in value)
    if not isinstance(value, np.ndarray) or value.ndim == 0:
        return value
    if layout != "strided":
        return np.array(value, order=layout)  # type: ignore[call-overload]
    wide = np.zeros(tuple(2 * n for n in value.shape), value.dtype)[(slice(None, None, 2),) * value.ndim]
    wide[...] = value
    return wide


def arrays(value: Any) -> list[np.ndarray]:
    if isinstance(value, np.ndarray):
        return [value]
    return [a for item in value for a in arrays(item)] if isinstance(value, (list, tuple)) else []


def as_call(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Call, dict[Var, Any]]:
    """The call in IR, its arrays as variables."""
    types: dict[Var, Any] = {}

    def atom(value: Any) -> Var | Const:
        if not isinstance(value, (np.ndarray, list, tuple)):
            return Const(value)
        var = Var("x")
        types[var] = type_of(value)
        return var

    call = Call(Var("y"), Const(fn), tuple(map(atom, args)), tuple((k, atom(v)) for k, v in kwargs.items()))
    return call, types


# Helpers of adjoints, which may hand on what they are given: adjoints write into shadows alone.
ADJOINTS = {f for f in (getattr(rt, name) for name in dir(rt)) if callable(f)}
# The second result is what was given, and has no derivative.
BESIDE = {np.histogram}


@pytest.mark.parametrize(("fn", "calls"), list(every_sample()))
def test_what_is_called_fresh_shares_nothing(fn, calls):
    if fn in ADJOINTS or fn in BESIDE:
        return
    for args, kwargs in calls:
        for layout in ("C", "F", "strided"):
            given = laid_out(args, layout), {k: laid_out(v, layout) for k, v in kwargs.items()}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    y = fn(*given[0], **given[1]) if callable(fn) else fn.__get__(given[0][0])
                except ValueError:  # a view of other bits wants memory without gaps
                    continue
            shared = any(np.shares_memory(a, b) for a in arrays([*given[0], *given[1].values()]) for b in arrays(y))
            if shared:
                call, types = as_call(fn, *given)
                assert may_share(call, types), (args, kwargs, layout)


@pytest.mark.parametrize(
    ("fn", "args", "kwargs"),
    [
        (np.array, (X,), {"copy": None}),
        (np.ndarray.astype, (X, float), {"copy": False}),
        (np.ndarray.astype, (X, float, "K", "unsafe", True, False), {}),
        (np.real, (X,), {}),
        (np.diff, (X,), {"n": 0}),
        (np.einsum, ("i->i", X), {}),
        (np.ndarray.conj, (X,), {}),
    ],
)
def test_calls_that_give_a_view_at_times(fn, args, kwargs):
    assert np.shares_memory(fn(*args, **kwargs), X)
    call, types = as_call(fn, args, kwargs)
    assert may_view(call, types) and may_share(call, types)
    types[call.result] = type_of(X)
    assert sharing_of(call, types) == "maybe"


@pytest.mark.parametrize(
    ("fn", "args", "kwargs"),
    [(np.array, (X,), {}), (np.array, (X,), {"copy": True}), (np.diff, (X,), {}), (np.ndarray.astype, (X, float), {})],
)
def test_calls_that_copy(fn, args, kwargs):
    assert not np.shares_memory(fn(*args, **kwargs), X)
    call, types = as_call(fn, args, kwargs)
    assert not may_view(call, types) and not may_share(call, types)


def test_positions_of_copy():
    """Those of a method count its owner."""
    for fn, place in COPYING.items():
        if place < 10:
            with pytest.raises(TypeError):
                fn(X, *[None] * (place + 1))


INDICES = [0, -1, np.int64(1), slice(1, 3), None, Ellipsis, [0, 1], np.array([1]), True, np.array([True] * 4)]


@pytest.mark.parametrize("index", [*INDICES, *((slice(None), i) for i in INDICES), *((i, 0) for i in INDICES)], ids=str)
def test_indices_that_give_views(index):
    a = np.arange(16.0).reshape(4, 4)
    try:
        part = a[index]
    except IndexError:
        return
    if not isinstance(part, np.ndarray):
        return
    said = kind_of_index(Known(index)), kind_of_index(type_of(index))
    assert all(kind == "maybe" or (kind == "view") == np.shares_memory(a, part) for kind in said), said
