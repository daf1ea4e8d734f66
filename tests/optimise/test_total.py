"""Which calls cannot raise: dropped if unused; the others stay."""

import math
from dataclasses import replace

import numpy as np
import pytest

from adcompile.frontend.lower import lower_function
from adcompile.ir.nodes import Block, Return
from adcompile.optimise.passes import optimise
from tests.optimise.programs import calls, outcome, program_of

V = np.array([1.0, 2.0, 3.0])
INTS = np.array([1, 2, 3], np.int8)

TOTAL = {
    "float arithmetic": (lambda x, y: (x + y, x * y, x - y, -x), (1.0, 2.0)),
    "division by a literal": (lambda x, y: x / 2.0, (1.0, 2.0)),
    "division of NumPy's scalars": (lambda x, y: x / y, (np.float64(1.0), np.float64(0.0))),
    "array and scalar": (lambda x, y: x / y, (V, 2.0)),
    "elementwise": (lambda x, y: np.exp(x) + np.sin(x) * x, (V, 2.0)),
    "sums": (lambda x, y: np.sum(x) + np.mean(x), (V, 2.0)),
    "functions along axes": (lambda x, y: (np.cumsum(x, -1), np.std(x, axis=0)), (np.outer(V, V), 2.0)),
    "known elements": (lambda x, y: (x, y)[1], (1.0, 2.0)),
    "slices": (lambda x, y: x[1:], (V, 2.0)),
    "attributes": (lambda x, y: (x.T, x.shape, x.ndim), (V, 2.0)),
    "displays": (lambda x, y: [x, (y, {"a": x})], (1.0, 2.0)),
    "comparisons": (lambda x, y: (x < y, x == y), (1.0, 2.0)),
    "known axes": (lambda x, y: (np.swapaxes(x, 0, -1), np.expand_dims(x, 2)), (np.outer(V, V), 2.0)),
    "powers": (lambda x, y: (x**2, x**0.5, x**3.0), (-1.5, 2.0)),
    "a product of a vector with itself": (lambda x, y: np.dot(x, x * 2.0), (V, 2.0)),
    "reductions of one shape": (lambda x, y: np.sum(x * 2.0, axis=0) * np.mean(x, axis=0), (np.outer(V, V), 2.0)),
    "total functions": (lambda x, y: math.atan2(x, y), (1.0, 2.0)),
}
RAISING = {
    "division": (lambda x, y: x / y, (1.0, 2.0)),
    "power": (lambda x, y: x**y, (1.0, 2.0)),
    "powers that may be large": (lambda x, y: x**20, (1e200, 2.0)),
    "a negative power": (lambda x, y: x**-2, (0.0, 2.0)),
    "a product of vectors": (lambda x, y: np.dot(x, y), (V, V)),
    "reductions over other axes": (lambda x, y: np.sum(x, axis=0) * np.sum(x, axis=1), (np.outer(V, V), 2.0)),
    "sums over no axis": (lambda x, y: np.sum(x, 2), (np.outer(V, V), 2.0)),
    "means over no axis": (lambda x, y: np.mean(x, axis=3), (np.outer(V, V), 2.0)),
    "an axis met when the code runs": (lambda x, y: np.cumsum(x, y), (V, 1)),
    "spread over no axis": (lambda x, y: np.std(x, axis=-2), (V, 2.0)),
    "a range of floats": (lambda x, y: range(x), (1.5, 2.0)),
    "axes that are not there": (lambda x, y: np.swapaxes(x, 0, 2), (np.outer(V, V), 2.0)),
    "two arrays": (lambda x, y: x + y, (V, V)),
    "sqrt": (lambda x, y: math.sqrt(x), (1.0, 2.0)),
    "sine of infinity": (lambda x, y: math.sin(x), (1.0, 2.0)),
    "index": (lambda x, y: x[1], (V, 2.0)),
    "maximum of nothing": (lambda x, y: np.max(x), (V, 2.0)),
    "conversion": (lambda x, y: int(x), (1.0, 2.0)),
    "truth of an array": (lambda x, y: not x, (V, 2.0)),
    "any operator of unknown objects": (lambda x, y: x + y, (object(), 2.0)),
    "ordering complex numbers": (lambda x, y: x < y, (1j, 2.0)),
}


def unused(fn, args):
    """The calls that optimising leaves of the statements of `fn`, its result thrown away."""
    function = lower_function(fn)
    function = replace(function, body=Block((), function.body.statements, Return(function.params[1])))
    before = program_of(function, args)
    after = optimise(before)
    assert outcome(after, args) == outcome(before, args)
    return calls(after)


@pytest.mark.parametrize("name", TOTAL)
def test_unused_calls_that_cannot_raise_go(name):
    assert unused(*TOTAL[name]) == []


@pytest.mark.parametrize("name", RAISING)
def test_unused_calls_that_may_raise_stay(name):
    assert unused(*RAISING[name]) != []
