"""What functions read of modules is read in front of kernels, which then hold the rest."""

import types

import numpy as np
import pytest

from adcompile import pipeline
from adcompile.backend.native.named import rest_of, without_reads
from adcompile.ir import ops
from adcompile.ir.nodes import Call
from adcompile.ir.walk import statements_of
from adcompile.optimise.direct import called
from adcompile.optimise.effects import Effects, summarise
from tests.kernels import active, agree, parts_of

RATE = 0.5
box = types.SimpleNamespace(rate=0.7)
X = np.array([0.3, 0.9, 1.4])


def columns(x, n):
    y = np.empty((x.size, n))
    y[:, 0] = x
    for k in range(1, n):
        y[:, k] = RATE * y[:, k - 1] * np.sin(y[:, k - 1]) + box.rate
    return np.sum(y * y)


def on_some_paths(x, n):
    s = 0.0
    for k in range(n):
        if x[k % 3] > 0.5:
            s += RATE * x[k % 3] ** 2
        else:
            s += np.sin(x[k % 3]) * box.rate
    return s


def without_names(x, n):
    for _ in range(n):
        x = np.sin(x)
    return np.sum(x)


def program_of(f, *args):
    wrt, kinds = active(args)
    return pipeline.derive(f, pipeline.Request("joint", wrt, backend="numpy"), kinds).program


def split(f, *args):
    program = program_of(f, *args)
    effects = Effects(program.types, summarise(program.functions, program.types))
    return rest_of(program.functions[program.entry], effects)


def test_the_rest_reads_no_names():
    rest, _, _ = split(columns, X, 4)
    assert not any(isinstance(s, Call) and called(s) is ops.load_global for s in statements_of(rest.body))


def test_of_a_function_that_reads_no_names_nothing_is_split_off():
    assert split(without_names, X, 4) is None


def test_reads_stand_in_front_in_their_order():
    program = program_of(on_some_paths, X, 4)
    function = program.functions[program.entry]
    effects = Effects(program.types, summarise(program.functions, program.types))
    _, reads = without_reads(function.body.statements, effects)
    met = set()
    for call in reads:
        assert all(a in met for a in call.args[:1] if called(call) is getattr)
        met.add(call.result)


@pytest.mark.parametrize("f", [columns, on_some_paths])
def test_the_rest_is_one_kernel(f):
    pytest.importorskip("numba")
    parts = parts_of(f, X, 5)
    assert len(parts.kernels) == 1 and not parts.notes


@pytest.mark.parametrize("f", [columns, on_some_paths])
def test_what_names_mean_is_looked_up_at_each_call(f, monkeypatch):
    assert agree(f, X, 5) is None
    monkeypatch.setitem(globals(), "RATE", 0.25)
    monkeypatch.setattr(box, "rate", -0.3)
    assert agree(f, X, 5) is None
