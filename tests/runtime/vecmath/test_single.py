"""float32: every 4099th of all of them, against float64."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.vecmath import errors, looped

ALL = np.arange(0, 2**32, 4099, dtype=np.uint64).astype(np.uint32).view(np.float32)


@pytest.mark.parametrize("name", ["exp", "log", "sin", "tanh", "cbrt", "log1p"])
def test_through_all_magnitudes(name):
    out = np.empty_like(ALL)
    looped(name, "float32", False)(ALL, out)
    with np.errstate(all="ignore"):
        want = getattr(np, name)(ALL.astype(np.float64))
        assert errors(out, want).max() <= 1.0


def test_results_are_float32():
    x = np.ones(1, np.float32)
    run = looped("exp", "float32", False)
    out = np.empty(1)  # float64, which would show more digits
    run(x, out)
    assert out[0] == np.float64(np.float32(np.e))
