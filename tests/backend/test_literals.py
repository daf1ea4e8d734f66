"""Constants come back bit for bit."""

import math

import numpy as np
import pytest

from adcompile.backend.emit import emit
from adcompile.backend.load import load
from adcompile.ir.nodes import Const
from tests.backend.printing import function, program

CONSTANTS = [
    0.0, -0.0, 1e300, math.inf, -math.inf, math.nan, 5, -5, True, None, "it's", b"x", ..., 2j, -2j, 1 + 2j, 1 - 2j,
    complex(-0.0, 1.0), complex(0.0, -0.0), complex(math.inf, math.nan), (1, -2.5), (), ((1,),), slice(1, None, -1),
    range(3), range(1, 7, 2), np.float32(0.1), np.float64(-0.0), np.float64(math.inf), np.int64(-3), np.bool_(True),
    np.complex64(1 + 2j), np.dtype("float32"), np.float32, np.longdouble(1) / 3, int, np.sin, math, np.linalg,
]  # fmt: skip


@pytest.mark.parametrize("value", CONSTANTS, ids=repr)
def test_constants_come_back(value):
    run = load(emit(program(function("f", [], [], Const(value)))))
    got = run()
    assert type(got) is type(value) and repr(got) == repr(value)
    if isinstance(value, (float, complex)):
        assert np.asarray(got).tobytes() == np.asarray(value).tobytes()
