"""Calls for rare arguments: which elements take them, and that the loop around them stays vectorised."""

from __future__ import annotations

import re

import llvmlite.binding as llvm
import numba
import numpy as np
import pytest

from adcompile.runtime.vecmath.calls import rare


def squared(x):
    return x * x


beyond = rare("test_squared", squared, 100.0)


@numba.njit(error_model="numpy")
def run(x, out):
    for i in range(x.size):
        out[i] = beyond(x[i]) + 1.0


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 16, 33, 1000])
@pytest.mark.parametrize("share", [0.0, 0.05, 1.0])
def test_only_elements_beyond_the_limit_are_computed(size, share):
    rng = np.random.default_rng(size)
    x = np.where(rng.random(size) < share, 1000.0, 1.0) * rng.uniform(1, 50, size) * rng.choice([-1, 1], size)
    out = np.empty_like(x)
    run(x, out)
    np.testing.assert_array_equal(out, np.where(abs(x) > 100, x * x, x) + 1)


def test_ends():
    x = np.array([100.0, np.nextafter(100.0, 200), np.nan, np.inf, -np.inf, -0.0])
    out = np.empty_like(x)
    run(x, out)
    np.testing.assert_array_equal(out, np.array([101.0, x[1] * x[1] + 1, np.nan, np.inf, np.inf, 1.0]))


def test_the_loop_calls_a_variant():
    if not llvm.get_host_cpu_features().get("avx2") or llvm.llvm_version_info < (22,):
        pytest.skip("variants are known to be taken from LLVM 22 on")
    run(np.ones(3), np.ones(3))
    text = run.inspect_llvm(run.signatures[0])
    own = next(part for part in text.split("\ndefine ")[1:] if "3run" in part.split("(")[0])
    assert re.search(r"call .*<\d+ x double> @adcompile_test_squared_\d+\(<\d+ x double> %wide", own)
