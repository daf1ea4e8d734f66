"""The setting that returns to the C library: its values, its types, and that nothing of ours is in it."""

from __future__ import annotations

import numpy as np
import pytest

from adcompile.runtime.vecmath import DTYPES, implementation
from adcompile.runtime.vecmath.libm import ONE, TWO
from benchmarks.vecmath import CASES, errors, looped, points


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["exp", "erf", "log_sigmoid", "pow"])
def test_values(name, dtype):
    args = points(CASES[name], dtype, 3000, np.random.default_rng(2))
    out = np.empty_like(args[0])
    looped(name, dtype, True)(*args, out)
    with np.errstate(all="ignore"):
        want = CASES[name].reference(*(a.astype(np.longdouble) for a in args))
        assert errors(out, want).max() <= 4  # log_sigmoid is composed of two calls


def test_there_is_one_for_each():
    assert {*ONE, *TWO} == {*CASES, "gauss"}  # which is a part of erf


def test_it_is_another_function():
    assert implementation("exp", accurate=True) is not implementation("exp")
