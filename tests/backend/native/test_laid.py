"""Functions that can tell how arrays lie in memory."""

import numpy as np
import pytest

from adcompile import pipeline
from adcompile.backend.native.laid import tells_order
from tests.kernels import active, agree

A = np.arange(12.0).reshape(3, 4) / 7.0


def read_only(a):
    total = 0.0
    for _ in range(2):
        total += np.sum(np.pad(a, 1).reshape(-1)[3:] ** 2)
    return total


def written_in_place(a):
    total = 0.0
    for _ in range(2):
        y = np.pad(a, 1)
        y[1, 1] = 2.0
        total += np.sum(y * y)
    return total


def written_as_it_lies(a):
    total = 0.0
    for _ in range(2):
        y = np.pad(a, 1)
        y.reshape(-1)[7] = 2.0
        total += np.sum(y * y)
    return total


def sorted_as_it_lies(a):
    total = 0.0
    for _ in range(2):
        y = np.pad(a, 1)
        y.reshape(-1).sort()
        total += np.sum(y[1:] * y[:-1])
    return total


@pytest.mark.parametrize(
    "function, tells",
    [(read_only, False), (written_in_place, False), (written_as_it_lies, True), (sorted_as_it_lies, True)],
)
def test_who_tells(function, tells):
    wrt, types = active((A,))
    program = pipeline.derive(function, pipeline.Request("joint", wrt, backend="numpy"), types).program
    assert tells_order(program.functions[program.entry].body) == tells
    for a in (A, np.asfortranarray(A), A[:, ::-1], A.T):
        agree(function, a)
