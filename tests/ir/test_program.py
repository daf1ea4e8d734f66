"""Programs: functions that call each other by reference, types for every value, guards."""

import math

from adcompile.ir.abstract import type_of
from adcompile.ir.nodes import Call, Const
from adcompile.ir.program import FunctionRef
from adcompile.ir.walk import statements_of
from adcompile.pipeline import Request, derive, specialise

RATE = 2.0


def scaled(x):
    return helper(x) * RATE


def helper(x):
    return math.sin(x)


def recursive(x, n):
    return x if n == 0 else recursive(x * x, n - 1)


def test_references_are_points():
    assert FunctionRef("f") != FunctionRef("f")
    assert len({FunctionRef("f"), FunctionRef("f")}) == 2


def test_every_value_has_a_type():
    program = specialise(recursive, Request("joint", (0,)), (type_of(0.5), type_of(3))).program
    for function in program.functions.values():
        assert all(p in program.types for p in function.params)
        for s in statements_of(function.body):
            results = (s.result,) if isinstance(s, Call) else s.results
            assert all(r in program.types for r in results)


def test_calls_by_reference_are_in_the_program():
    program = specialise(recursive, Request("joint", (0,)), (type_of(0.5), type_of(3))).program
    called = {
        s.fn.value
        for function in program.functions.values()
        for s in statements_of(function.body)
        if isinstance(s, Call) and isinstance(s.fn, Const) and isinstance(s.fn.value, FunctionRef)
    }
    assert called
    assert called | {program.entry} == set(program.functions)


def test_guards_cover_the_globals_that_were_used():
    made = derive(scaled, Request("primal"), (type_of(0.5),))
    guarded = {g.ref.name: g for g in made.guards}
    assert guarded["helper"].value is helper
    assert guarded["RATE"].type == type_of(RATE)
    assert "recursive" not in guarded
