"""All functions in both dtypes: errors, special values, vectorised loops; and that Numba is not imported unasked."""

from __future__ import annotations

import platform
import re
import subprocess
import sys

import llvmlite.binding as llvm
import numba
import numpy as np
import pytest

from adcompile.runtime.vecmath import DTYPES, NAMES, implementation
from benchmarks.vecmath import CASES, largest_error, looped, points, specials

X86 = platform.machine().lower() in ("x86_64", "amd64")
EXTENDED = np.finfo(np.longdouble).nmant >= 63
PACKED = re.compile(r"\bvf?n?m?(?:add|sub|mul)\w*pd\s.*%[yz]mm")

both = pytest.mark.parametrize("dtype", DTYPES)
every = pytest.mark.parametrize("name", NAMES)


@every
@both
def test_errors_are_at_most_two_units(name, dtype):
    if dtype == "float64" and not EXTENDED:
        pytest.skip("long double is float64 here")
    worst, place = largest_error(name, dtype, 100_000, seed=5)
    assert worst <= 2.0, place


@every
@both
def test_special_values(name, dtype):
    assert specials(name, dtype) == []


@every
@both
def test_loops_are_vectorised(name, dtype):
    if not X86 or not llvm.get_host_cpu_features().get("avx2"):
        pytest.skip("what is looked for is AVX2's")
    run = looped(name, dtype, False)
    args = [np.ones(3, dtype)] * (3 if CASES[name].two else 2)
    run(*args)
    assert PACKED.search(run.inspect_asm(run.signatures[0])), "no packed arithmetic"


@every
@both
def test_an_element_has_the_same_value_wherever_it_stands(name, dtype):
    """The remainder of a vectorised loop runs as scalar code."""
    args = points(CASES[name], dtype, 60, np.random.default_rng(9))
    together, alone = np.empty_like(args[0]), np.empty_like(args[0])
    run = looped(name, dtype, False)
    run(*args, together)
    for k in range(60):
        run(*(a[k : k + 1] for a in args), alone[k : k + 1])
    np.testing.assert_array_equal(together, alone)


def test_a_fused_loop_is_vectorised_and_right():
    exp, erf, sin = (implementation(name) for name in ("exp", "erf", "sin"))

    @numba.njit(error_model="numpy")
    def fused(x, y, out):
        for i in range(x.size):
            out[i] = exp(-x[i]) * erf(y[i]) + sin(x[i] * y[i])

    x, y = np.random.default_rng(0).normal(size=(2, 1001))
    out = np.empty_like(x)
    fused(x, y, out)
    parts = [np.empty_like(x) for _ in range(3)]
    for name, arg, part in (("exp", -x, parts[0]), ("erf", y, parts[1]), ("sin", x * y, parts[2])):
        looped(name, "float64", True)(arg, part)
    np.testing.assert_allclose(out, parts[0] * parts[1] + parts[2], rtol=0, atol=1e-15 * np.exp(4))
    if X86 and llvm.get_host_cpu_features().get("avx2"):
        assert PACKED.search(fused.inspect_asm(fused.signatures[0]))


def test_unknown_functions_are_refused():
    with pytest.raises(KeyError, match="no gamma of float64"):
        implementation("gamma")
    with pytest.raises(KeyError, match="no exp of float16"):
        implementation("exp", "float16")


def test_numba_is_imported_by_this_package_alone():
    code = "import adcompile, adcompile.runtime, sys; adcompile.grad(lambda x: x * x); print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
