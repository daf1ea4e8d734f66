"""The file of coefficients is what its script computes: the constants and the shorter polynomials here."""

from __future__ import annotations

import pytest

from adcompile.runtime.vecmath import coefficients
from benchmarks import vecmath_coefficients as script

TEXT = script.TARGET.read_text(encoding="utf-8")


def test_constants():
    with script.mp.workdps(script.DIGITS):
        assert "\n".join(script.lines_of_constants()) in TEXT


@pytest.mark.parametrize("name", ["CBRT", "COS_SHORT", "EXP_SHORT", "LOG_SHORT"])
def test_polynomials(name):
    with script.mp.workdps(script.DIGITS):
        fit = next(fit for fit in script.fits() if fit.name == name)
        assert "\n".join(script.lines_of(fit)) in TEXT


def test_every_polynomial_is_there():
    with script.mp.workdps(script.DIGITS):
        assert all(len(getattr(coefficients, fit.name)) == fit.degree + 1 for fit in script.fits())


@pytest.mark.slow
def test_the_whole_file():
    assert script.main(["--check"]) == 0
