"""Elementary functions in kernels: vectorised, or the C library's where that is set."""

import math

import numpy as np
import pytest

import adcompile as ad
from adcompile.backend.native.elementary import NAMES, header, vectorised
from tests.kernels import agree, kernels_of, text_of

A = np.array([0.5, 1.5, 0.7, 0.25])


def chain(a):
    return np.sum(np.exp(-a * a) * np.log1p(a) + np.tanh(a) / np.cosh(a) - np.arctan2(a, 2.0) * np.power(a, 1.3))


def of_numbers(x, n):
    """Each of the one before: none is computed beside another."""
    for k in range(n):
        x = math.exp(-x * k) + np.sin(x * k)
    return x


def test_a_chain_is_one_loop_over_our_own_functions():
    text = text_of(chain, A)
    assert text.count("for ") == 1 and "np.exp" not in text
    assert {f"vm_{name}_f8" for name in ("exp", "tanh", "cosh", "pow")} <= set(text.replace("(", " ").split())
    agree(chain, A)
    agree(chain, A.astype(np.float32))


def test_python_s_functions_are_the_c_library_s():
    text = text_of(of_numbers, 0.5, 3, value=True)
    assert "math.exp(" in text and "vm_sin_f8(" in text
    agree(of_numbers, 0.5, 4)


def test_edges_of_the_range():
    with np.errstate(all="ignore"):
        agree(chain, np.array([0.0, -0.0, 1e-310, 800.0, np.inf, np.nan]))
        agree(lambda a: np.sum(np.log(a) * np.exp(a)), np.array([0.0, -1.0, 1e308, 5e-324]))


def test_of_scipy():
    special = pytest.importorskip("scipy.special")

    def gauss(a):
        return np.sum(special.erf(a) * special.erfc(a) + special.expit(a) * a)

    assert special.erf in vectorised() and "vm_erf_f8" in text_of(gauss, A)
    agree(gauss, A)


def test_the_c_library_s_where_that_is_set():
    pytest.importorskip("numba")
    with ad.config(elementary="libm"):
        agree(chain, A)
        agree(of_numbers, 0.5, 4)
        assert kernels_of(of_numbers, 0.5, 4)[0] == 1
    with pytest.raises(ValueError, match="elementary is 'vectorised' or 'libm', not 'fast'"):
        ad.config(elementary="fast")


def test_headers_define_what_is_called():
    assert header(frozenset(), False) == ""
    assert (
        header(frozenset({("exp", "f4")}), True).splitlines()[-1]
        == "vm_exp_f4 = implementation('exp', 'float32', True)"
    )
    assert len(set(NAMES.values())) == len(NAMES)
