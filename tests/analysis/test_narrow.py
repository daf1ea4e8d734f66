"""Scalar cotangents get exact classes: no conversion where the code runs on Python floats."""

import math

import numpy as np

import adcompile as ad
from adcompile.analysis.narrow import WIDE, narrow
from adcompile.ir.abstract import type_of
from adcompile.pipeline import Request, specialise


def chain(y):
    for _ in range(4):
        y = math.sin(y) * y
    return y


def mixed(y, x):
    for i in range(len(x)):
        y = y * x[i]
    return y


def wide_vars(program):
    return [v for v, t in program.types.items() if t == WIDE]


def test_a_loop_over_python_floats_is_exact():
    made = specialise(chain, Request("joint", (0,)), (type_of(0.5),))
    assert wide_vars(made.program)
    assert "float(" not in ad.source(ad.grad(chain), 0.5)
    assert type(ad.grad(chain)(0.5)) is float


def test_numpy_scalars_keep_their_conversion():
    x = np.array([1.5, 2.0])
    gradient = ad.grad(mixed)(0.5, x)
    assert type(gradient) is float
    assert gradient == 3.0


def test_narrowing_never_widens():
    made = specialise(mixed, Request("joint", (0,)), (type_of(0.5), type_of(np.array([1.5, 2.0]))))
    before, after = made.program.types, narrow(made.program).types
    assert all(after[v] == t or after[v].kinds <= t.kinds for v, t in before.items())
