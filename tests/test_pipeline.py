"""The stages together: from a function to code that is verified, deterministic and right."""

import inspect
import linecache
import math
from dataclasses import replace

import numpy as np
import pytest

import adcompile as ad
from adcompile.ir.abstract import type_of
from adcompile.ir.verify import InvalidIR, verify
from adcompile.optimise.passes import PASSES, Pass
from adcompile.pipeline import Request, checked, derive, specialise
from tests.checks import bits

KINDS = [("primal", ()), ("forward", (0,)), ("joint", (0,)), ("split", (0,))]


def f(x, a):
    total = 0.0
    for i in range(len(a)):
        total = total + math.sin(x * a[i])
    return total


ARGS = (0.5, np.array([0.5, 1.5]))
TYPES = tuple(map(type_of, ARGS))


def verify_all(program):
    assert program.functions
    for function in program.functions.values():
        verify(function)


def captured(k):
    def g(x):
        return x * k

    return g


@pytest.mark.parametrize(("kind", "argnums"), KINDS, ids=lambda k: str(k))
def test_programs_verify_and_print_the_same(kind, argnums):
    made = specialise(f, Request(kind, argnums), TYPES)
    verify_all(made.program)
    once, twice = derive(f, Request(kind, argnums), TYPES), derive(f, Request(kind, argnums), TYPES)
    assert once.source == twice.source
    verify_all(once.program)


def test_primal():
    assert bits(derive(f, Request("primal"), TYPES).call(*ARGS)) == bits(f(*ARGS))


def test_forward_and_joint_agree():
    value, tangent = derive(f, Request("forward", (0,)), TYPES).call(*ARGS, 1.0)
    joint_value, gradients = derive(f, Request("joint", (0,), value=True), TYPES).call(*ARGS)
    assert bits(value) == bits(joint_value) == bits(f(*ARGS))
    assert tangent == pytest.approx(gradients[0], rel=1e-13)
    h = 1e-6
    assert tangent == pytest.approx((f(0.5 + h, ARGS[1]) - f(0.5 - h, ARGS[1])) / (2 * h), rel=1e-8)


def test_split_gives_value_and_pullback():
    made = derive(f, Request("split", (0,)), TYPES)
    value, kept = made.call(*ARGS)
    assert bits(value) == bits(f(*ARGS))
    assert made.pullback(kept, 1.0)[0] == pytest.approx(ad.grad(f)(*ARGS), rel=1e-13)


@pytest.mark.parametrize("passes", [(), PASSES[:1], PASSES], ids=len)
def test_passes_are_optional(passes):
    value, gradients = derive(f, Request("joint", (0,), value=True), TYPES, passes=passes).call(*ARGS)
    assert bits(value) == bits(f(*ARGS))
    assert gradients[0] == pytest.approx(ad.grad(f)(*ARGS), rel=1e-13)


def test_captured_data_come_in_as_parameters():
    g = captured(3.0)
    made = derive(g, Request("primal"), (type_of(0.5),))
    assert made.call(0.5, 3.0) == g(0.5)
    assert made.call(0.5, 4.0) == captured(4.0)(0.5)


def test_the_source_is_what_runs():
    made = derive(f, Request("joint", (0,)), TYPES)
    assert inspect.getsource(made.call) in made.source
    assert linecache.getlines(made.call.__code__.co_filename)


def test_what_always_raises():
    def raising(x):
        raise ValueError("always")

    with pytest.raises(ValueError, match="always"):
        derive(raising, Request("joint", (0,)), TYPES[:1]).call(0.5)


def test_every_stage_is_verified_where_that_is_asked_for(monkeypatch):
    def forgetful(block, unit):
        return replace(block, statements=block.statements[1:])

    bad = (Pass("forget", forgetful), *PASSES)
    monkeypatch.setenv("ADCOMPILE_CHECK", "1")
    with pytest.raises(InvalidIR, match="forget"):
        derive(f, Request("joint", (0,)), TYPES, (), bad)
    broken = specialise(f, Request("joint", (0,)), TYPES).program
    types = dict(broken.types)
    del types[broken.functions[broken.entry].params[0]]
    with pytest.raises(InvalidIR, match="f_grad typed: x has no type"):
        checked(replace(broken, types=types), "typed")
    with pytest.raises(InvalidIR, match="is called and is not there"):
        checked(specialised_without_callee(), "typed")
    monkeypatch.setenv("ADCOMPILE_CHECK", "0")
    assert checked(replace(broken, types={}), "typed").types == {}


def countdown(x, n):
    return x if n < 1.0 else math.sin(countdown(x, n - 1.0))


def specialised_without_callee():
    program = specialise(countdown, Request("primal"), (type_of(0.5), type_of(3.0))).program
    return replace(program, functions={program.entry: program.functions[program.entry]})
