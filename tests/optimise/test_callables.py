"""The tables of callables do not contradict each other."""

import numpy as np

from adcompile.optimise import callables as c
from adcompile.optimise.effects import is_pure


def test_what_writes_is_not_pure():
    assert not any(is_pure(fn, {}) for fn in c.WRITING | c.INPUT_OUTPUT)


def test_what_is_total_is_pure():
    assert all(is_pure(fn, {}) for fn in c.TOTAL_MATH | c.TOTAL_UFUNCS | c.TOTAL_ON_ARRAY | c.BUILDERS | c.LINEAR)


def test_total_ufuncs_raise_for_no_number():
    strange = (0.0, -1.0, np.inf, -np.inf, np.nan, 1e308)
    with np.errstate(all="ignore"):
        for fn in c.TOTAL_UFUNCS:
            for x in strange:
                fn(*[x] * fn.nin)


def test_total_functions_of_math_raise_for_no_number():
    strange = (0.0, -1.0, float("inf"), float("-inf"), float("nan"), 1e308)
    for fn in c.TOTAL_MATH:
        for x in strange:
            fn(*[x] * (2 if fn.__name__ in ("atan2", "copysign", "hypot") else 1))


def test_names_that_a_version_lacks_are_left_out():
    assert c.names(np, "sin no_such_function") == {np.sin}
