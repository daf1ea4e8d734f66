"""Who shares memory with whom."""

import numpy as np
import pytest

from adcompile.ir.nodes import Call, Const
from adcompile.ir.walk import statements_of
from adcompile.optimise.effects import Effects
from adcompile.optimise.passes import PASSES, optimise
from adcompile.optimise.sharing import sharing
from tests.optimise.programs import entry, typed

V = np.array([1.0, 2.0, 3.0])
NAMED = tuple(p for p in PASSES if p.name in ("fold", "dce"))


def facts(fn, *args):
    """What is known of the results of np.exp in `fn`: (escapes, is written, is fresh)."""
    program = optimise(typed(fn, *args), NAMED)
    body = entry(program).body
    made = [s.result for s in statements_of(body) if isinstance(s, Call) and _is_exp(s)]
    found = sharing(body, Effects(program.types))
    return [(v in found.escapes, v in found.written, v in found.fresh) for v in made]


def _is_exp(s):
    return isinstance(s.fn, Const) and s.fn.value is np.exp


CASES = {
    "returned": (lambda x: np.exp(x), (True, False, True)),
    "returned in a list": (lambda x: [x, np.exp(x)], (True, False, True)),
    "a view is returned": (lambda x: np.exp(x)[1:].T, (True, False, True)),
    "only read": (lambda x: np.exp(x) * 2.0, (False, False, True)),
    "summed": (lambda x: np.sum(np.exp(x)), (False, False, True)),
    "given to a stranger": (lambda x: print(np.exp(x)), (True, True, True)),
}


@pytest.mark.parametrize("name", CASES)
def test_one_value(name):
    fn, expected = CASES[name]
    assert facts(fn, V) == [expected]


def test_writing_into_a_view_writes_into_what_it_views():
    def f(x):
        y = np.exp(x)
        y[1:][0] = 5.0
        return np.sum(y)

    assert facts(f, V) == [(False, True, True)]


def test_in_place_arithmetic_writes():
    def f(x):
        y = np.exp(x)
        z = y
        z *= 2.0
        return np.sum(y)

    assert facts(f, V)[0][1]


def test_through_branches_and_loops():
    def f(x, n):
        y = np.exp(x)
        z = x
        for _ in range(n):
            z = y if n > 1 else x
        return z

    assert facts(f, V, 3) == [(True, False, True)]


def test_scalars_share_nothing():
    assert facts(lambda x: (np.exp(x), 1), np.float64(1.0)) == [(False, False, False)]
