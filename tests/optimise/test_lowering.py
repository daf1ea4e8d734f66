"""Memory in the optimised program is NumPy's own calls; what is no array keeps its helper."""

import numpy as np

import adcompile as ad
from adcompile import runtime as rt
from adcompile.ir.nodes import Block, Call, Const
from adcompile.ir.walk import statements_of
from adcompile.optimise.lowering import lower_memory
from tests.compiled import specialised

X = np.array([0.4, 1.3, -0.2])


def written(x):
    y = np.zeros(3)
    for i in range(3):
        y[i] = x[i] ** 2
        y *= 2.0
    return np.sum(y * x)


def rows(x):
    held = []
    for k in range(20):
        r = x * k
        r[0] = r[1] ** 2
        held.append(r)
    return np.sum(np.array(held) ** 2)


def called(program):
    """What the program calls, with whether its first argument is a list."""
    found = set()
    for f in program.functions.values():
        for s in statements_of(Block((), f.body.statements, f.body.end)):
            if isinstance(s, Call) and isinstance(s.fn, Const) and callable(s.fn.value):
                found.add(s.fn.value)
    return found


def test_arrays_become_numpy():
    program = specialised(written, X, kind="joint")
    assert {rt.snapshot, rt.shadow} & called(program)
    lowered = called(lower_memory(program))
    assert {np.ndarray.copy, np.zeros_like} <= lowered
    assert rt.shadow not in lowered


def test_lists_of_arrays_keep_the_helper():
    ad.check_grads(rows, (X,), order=2)


def test_nothing_is_concluded_from_zeros_that_are_written():
    ad.check_grads(written, (X,), order=2)
    text = ad.source(ad.grad(written), X)
    assert "np.zeros_like(y)" in text and "rt.shadow(" not in text and "rt.snapshot(" not in text
