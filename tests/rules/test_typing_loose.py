"""Types of results where less is known of the arguments than in the samples: ints, bools and how many there are in a
container, whether a setting is None, what it is, and how many axes an array has.

What is said must hold for the value that the function gives of the sample: it may say less, never something else."""

import copy
import warnings

import numpy as np
import pytest

from adcompile.errors import AdcompileError
from adcompile.ir.types import BOOL, INT, UNKNOWN, Array, Instance, Known, ListT, Maybe, Seq, TupleT, Unknown, maybe
from adcompile.rules import registry
from adcompile.rules.typing import result_type
from tests.programs import some
from tests.rules import test_typing_arrays
from tests.rules.test_bodies import all_samples
from tests.rules.test_bodies_arrays import call, cases
from tests.rules.test_registry import SAMPLES
from tests.rules.test_typing_arrays import exact


def collected():
    """By function, all samples of it."""
    found = {}
    for fn, args, kwargs in (p.values for p in (*cases(), *all_samples())):
        found.setdefault(fn, []).append((args, kwargs))
    for fn, calls in SAMPLES.items():
        found.setdefault(fn, []).extend(calls)
    return {fn: calls for fn, calls in found.items() if registry.lookup(fn) is not None and fn not in BY_CHANCE}


BY_CHANCE = {np.linalg.eig, np.linalg.eigvals, np.roots}
"""Real or complex as their values are."""


def is_setting(t):
    return all(map(is_setting, t.items)) if isinstance(t, (TupleT, ListT)) else isinstance(t, Known)


def within(change):
    """A change of what stands in tuples and lists too."""

    def run(t):
        if isinstance(t, (TupleT, ListT)):
            items = tuple(map(run, t.items))
            return TupleT(items, t.cls) if isinstance(t, TupleT) else ListT(items)
        if isinstance(t, Known) and isinstance(t.value, (tuple, list)):
            return run(exact(t.value))
        return change(t)

    return run


@within
def running(t):
    kind = type(t.value) if isinstance(t, Known) else None
    return INT if kind is int else BOOL if kind is bool else t


def of_any_length(t):
    t = running(t)
    if isinstance(t, (TupleT, ListT)):
        if all(item == INT for item in t.items):
            return Seq(INT, tuple if isinstance(t, TupleT) else list)
        items = tuple(map(of_any_length, t.items))
        return TupleT(items, t.cls) if isinstance(t, TupleT) else ListT(items)
    return t


def optional(t):
    return Maybe(INT) if t == Known(None) else maybe(running(t)) if is_setting(t) else t


def unknown(t):
    return UNKNOWN if is_setting(t) else t


@within
def of_any_rank(t):
    return Array(t.dtype, None) if isinstance(t, Array) else t


def of_any_kind(t):
    return of_any_rank(of_any_length(t))


def holds(t, value):
    if isinstance(t, Unknown):
        return not isinstance(t, Maybe) or value is None or holds(t.type, value)
    if isinstance(t, Array) and t.dims is None and isinstance(value, np.generic):
        return value.dtype == t.dtype
    if isinstance(t, Instance):
        return isinstance(value, t.cls)
    if isinstance(t, (TupleT, ListT)):
        return len(t.items) == len(value) and all(map(holds, t.items, value))
    return test_typing_arrays.holds(t, value)


def variants(change, args, kwargs):
    """All arguments changed, and one at a time."""
    whole, named = [exact(a) for a in args], {k: exact(v) for k, v in kwargs.items()}
    yield [change(a) for a in whole], {k: change(v) for k, v in named.items()}
    for k in range(len(whole)):
        yield [*whole[:k], change(whole[k]), *whole[k + 1 :]], named
    for k in named:
        yield whole, {**named, k: change(named[k])}


def value_of(fn, args, kwargs):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return call(fn, copy.deepcopy(args), copy.deepcopy(kwargs))
        except (TypeError, ValueError, AttributeError):  # methods of numbers
            return fn(*copy.deepcopy(args), **copy.deepcopy(kwargs))


CALLS = collected()


def name_of(fn):
    return f"{getattr(fn, '__module__', None)}.{getattr(fn, '__qualname__', fn)}"


CHANGES = (running, of_any_length, optional, unknown, of_any_rank, of_any_kind)


@pytest.mark.parametrize("fn", some(list(CALLS), 5), ids=name_of)
def test_what_is_said_of_less_still_holds(fn):
    rule = registry.lookup(fn)
    for args, kwargs in CALLS[fn]:
        value = value_of(fn, args, kwargs)
        for types, named in (v for change in CHANGES for v in variants(change, args, kwargs)):
            try:
                t = result_type(fn, rule, types, named)
            except AdcompileError:
                continue
            assert holds(t, value), f"{t} of {types} {named}"
