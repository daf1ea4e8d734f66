"""Programs of tests/programs on both backends: one in eighty, all with ADCOMPILE_ALL=1."""

import os

import pytest

from tests.backend.native.share import samples
from tests.kernels import agree, agree_pulled, agree_pushed

EVERY = 1 if os.environ.get("ADCOMPILE_ALL") == "1" else 80
CHOSEN = [case for k, case in enumerate(samples()) if k % EVERY == 3 % EVERY]


@pytest.mark.parametrize(("name", "function", "points"), CHOSEN, ids=[name for name, *_ in CHOSEN])
def test_both_backends_agree(name, function, points):
    pytest.importorskip("numba")
    for args in points:
        agree(function, *args)


@pytest.mark.parametrize(("name", "function", "points"), CHOSEN, ids=[name for name, *_ in CHOSEN])
def test_both_pullbacks_agree(name, function, points):
    for args in points:
        agree_pulled(function, *args)


@pytest.mark.parametrize(("name", "function", "points"), CHOSEN, ids=[name for name, *_ in CHOSEN])
def test_both_tangents_agree(name, function, points):
    for args in points:
        agree_pushed(function, *args)
