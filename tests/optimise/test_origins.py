"""Loops keep what several kept arrays are computed of."""

import operator

import numpy as np
import pytest

import adcompile as ad
from adcompile import pipeline
from adcompile.backend.native.choice import loaded
from adcompile.ir import ops
from adcompile.ir.abstract import type_of
from adcompile.ir.nodes import Call, Const
from adcompile.ir.walk import statements_of
from adcompile.optimise.origins import from_origins
from adcompile.pipeline import Request
from tests import programs

X = np.array([0.3, -0.7, 1.1, 0.2])


def of_its_own(x):
    """The loop keeps one array already: a copy of what it is computed of would be no less."""
    for _ in range(3):
        x[1:] = x[1:] + 0.1 * np.sin(x[:-1] - x[1:])
    return np.sum(x)


def far_parts(x):
    """To keep all of the array would be more than what is computed of two numbers of it: these are kept."""
    y = np.concatenate((x, x, x))
    for k in range(3):
        a, b = y[k : k + 2], y[k + 1 : k + 3]
        y[k : k + 2] = (a - b) * (a + b) * (a - 2.0 * b)
    return np.sum(y)


def costly(x):
    """More arithmetic than numbers are saved."""
    for _ in range(3):
        v, w = x[1:], x[:-1]
        a = (((v * 2.0 - w) * 3.0 + v) * 4.0 - w) * 5.0 + v
        b = (((w * 2.0 - v) * 3.0 + w) * 4.0 - v) * 5.0 + w
        x[1:] = a * b
    return np.sum(x)


def pushes(program):
    found = [s for f in program.functions.values() for s in statements_of(f.body) if isinstance(s, Call)]
    return sum(isinstance(s.fn, Const) and s.fn.value is ops.push for s in found)


def copied(program):
    """What made the arrays of which copies are kept; None for arrays that are there in front of the loop."""
    found = [s for f in program.functions.values() for s in statements_of(f.body) if isinstance(s, Call)]
    made = {s.result: s for s in found if isinstance(s.fn, Const)}
    pushed = [made.get(s.args[1]) for s in found if isinstance(s.fn, Const) and s.fn.value is ops.push]
    copies = [s for s in pushed if s is not None and s.fn.value is np.ndarray.copy]
    return [made[s.args[0]].fn.value if s.args[0] in made else None for s in copies]


def test_parts_of_arrays_are_kept_alone():
    program = pipeline.derive(far_parts, Request("joint", (0,)), (type_of(X),)).program
    fewer = from_origins(program)
    assert len(copied(fewer)) == 2 and set(copied(fewer)) == {operator.getitem}


@pytest.mark.parametrize("f", [of_its_own, costly])
def test_nothing_else_is_kept_where_that_is_not_less(f):
    program = pipeline.derive(f, Request("joint", (0,)), (type_of(X),)).program
    assert from_origins(program) is program


CHANGED = {"upwind", "upwind-1", "upwind-2", "limited_slopes", "two_fields", "turned_round"}
FIELDS = programs.collect("inplace_fields")


@pytest.mark.parametrize("p", FIELDS, ids=lambda p: p.name)
def test_gradients_stay(p):
    wrt = tuple(k for k, a in enumerate(p.args) if not isinstance(a, int))
    program = pipeline.derive(p.function, Request("joint", wrt), tuple(map(type_of, p.args))).program
    fewer = from_origins(program)
    if p.name in CHANGED:
        assert fewer is not program and pushes(fewer) < pushes(program)
    call = loaded(fewer, "numpy", True, "libm").call
    got = call(*p.fresh())
    for g, expected in zip(got, ad.grad(p.function, wrt)(*p.fresh()), strict=True):
        assert np.allclose(g, expected, rtol=1e-13, atol=1e-15)
