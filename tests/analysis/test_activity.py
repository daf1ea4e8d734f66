"""Values that the result does not depend on get no derivative code."""

import math

import numpy as np

import adcompile as ad
from adcompile.analysis.activity import activity
from tests.compiled import check, specialised


def facts(f, *args, of=0):
    program = specialised(f, *args)
    function = program.functions[program.entry]
    found = activity(function, program.types, [function.params[of]])
    return {v.name for v in found.varied}, {v.name for v in found.active}


def two_paths(x, n):
    used = math.sin(x)
    unused = x * x
    count = n * 2
    result = used * count
    return result


def through_a_loop(x):
    late = 0.0
    total = 0.0
    for _ in range(5):
        total = total + late
        late = late + x
    return total


def constant_calls(x):
    whole = np.floor(x)
    y = x * whole
    return y


def test_varied_and_useful():
    varied, active = facts(two_paths, 0.5, 3)
    assert {"x", "used", "unused"} <= varied
    assert "count" not in varied
    assert {"x", "used", "result"} <= active
    assert "unused" not in active


def test_fixpoint_over_loops():
    """`total` varies only from the second iteration on."""
    _, active = facts(through_a_loop, 0.5)
    assert {"x", "late", "total"} <= active
    check(through_a_loop, 0.5)


def test_piecewise_constant_calls_stop_activity():
    varied, _ = facts(constant_calls, 1.5)
    assert "whole" not in varied
    check(constant_calls, 1.5)


def test_inert_code_is_not_differentiated():
    assert "unused" not in ad.source(ad.grad(two_paths), 0.5, 3)
