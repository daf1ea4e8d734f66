"""The function itself through the whole pipeline: value, type, bits, exception and printed output stay."""

import contextlib
import io
import math

import numpy as np
import pytest

from adcompile.errors import AdcompileError
from adcompile.ir.abstract import type_of
from adcompile.optimise.passes import PASSES
from adcompile.pipeline import Request, derive
from tests.checks import bits, specialised_once
from tests.programs import collect, some

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def outcome(call, args):
    """What a caller can observe."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            result = ("value", bits(call(*args)))
        except AdcompileError:
            raise
        except Exception as error:
            result = ("raised", type(error), str(error))
    return result, printed.getvalue(), bits(args)


def compiled(fun, args, passes):
    derived = derive(fun, Request("primal"), tuple(type_of(a) for a in args), passes=passes)
    return lambda *values: derived.call(*values, *derived.captured(fun))


REFUSED = {"try_that_fills_a_shared_name"}
"""Followed only where its arguments carry derivatives: other code than Python's would share the name."""


PROGRAMS = [p for p in some(collect(), 5) if p.name not in REFUSED]
PLAIN = some(PROGRAMS, 3)
"""These are run as they are before they are optimised, too."""


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_programs_keep_every_bit(program):
    expected = outcome(program.function, program.fresh())
    with specialised_once([]):
        for passes in (PASSES, ()) if program in PLAIN else (PASSES,):
            assert outcome(compiled(program.function, program.args, passes), program.fresh()) == expected


def divides(x, y):
    print("before", x)
    z = x / y
    print("after", z)
    return z + 1.0


def overflows(x):
    unused = x**400.0
    return x + 1.0


def checks(x):
    if not x > 0.0:
        raise ArithmeticError(f"{x} is not positive")
    return math.sqrt(x)


def raises_own(x):
    if x.sum() > 1.0:
        raise ValueError("too large: " + str(x.shape))
    return x * 2.0


def indexes(x, i):
    dead = x[i]
    return x[0] * 2.0


def mismatched(x, y):
    dead = x + y
    print(x.shape)
    return x.sum()


def negative_zero(x):
    return x * 0.0 + -0.0, 0.0 - x, -x, x + 0.0, x * 1.0, x - x


def domain(x):
    return math.log(x) * 0.0


def unassigned(x):
    if x > 1.0:
        y = x
    return y


def loops_zero_times(n, x):
    for i in range(n):
        last = x * i
    return last


A = np.array([0.5, -0.0, np.nan, np.inf])
CASES = [
    (divides, [(1.0, 2.0), (1.0, 0.0), (np.float64(1.0), np.float64(0.0)), (A, 0.0)]),
    (overflows, [(2.0,), (1e30,)]),
    (checks, [(4.0,), (-1.0,)]),
    (raises_own, [(np.ones(1),), (np.ones(3),)]),
    (indexes, [(A, 1), (A, 9)]),
    (mismatched, [(np.ones(3), np.ones(3)), (np.ones(3), np.ones(2))]),
    (negative_zero, [(0.0,), (-0.0,), (math.inf,), (math.nan,), (np.float32(-0.0),), (A,)]),
    (domain, [(2.0,), (0.0,), (-1.0,)]),
    (unassigned, [(2.0,), (0.5,)]),
    (loops_zero_times, [(3, 2.0), (0, 2.0)]),
]


@pytest.mark.parametrize("passes", [PASSES, ()], ids=["optimised", "plain"])
@pytest.mark.parametrize("fun, samples", CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_exceptions_output_and_signs_stay(fun, samples, passes):
    for args in samples:
        assert outcome(compiled(fun, args, passes), args) == outcome(fun, args), args
