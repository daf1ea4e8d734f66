"""Folding keeps the order of effects and never reads after a write."""

import operator
import random

import numpy as np
import pytest

import adcompile as ad
from adcompile.backend.emit import emit
from adcompile.backend.load import load
from adcompile.ir import ops
from adcompile.ir.nodes import Var
from adcompile.ir.types import FLOAT, INT, Array, Seq
from tests.backend.printing import call, function, program


def test_order_of_effects_is_kept():
    """a is not read before f is called, though it is used but once."""
    out = []

    def note(x):
        out.append(x)
        return x

    x = Var("x")
    first, second, third = call(note, 1), call(note, 2), call(note, 3)
    total = call(operator.add, second.result, first.result)
    total2 = call(operator.sub, total.result, third.result)
    run = load(emit(program(function("f", [x], [first, second, third, total, total2], total2.result))))
    assert run(0) == 0 and out == [1, 2, 3]


def test_pure_adjoints_do_not_cross_writes():
    a, i = Var("a"), Var("i")
    types = {a: Array(np.dtype(float), ("many",)), i: FLOAT}
    read = call(operator.getitem, a, 0, role="adjoint")
    write = call(ops.index_add, a, 0, 5.0, name="a", role="adjoint")
    types[read.result], types[write.result] = FLOAT, types[a]
    pair = call(ops.build_tuple, read.result, write.result)
    run = load(emit(program(function("f", [a], [read, write, pair], pair.result), types=types)))
    # the value read is a number: it may not be read after the write
    assert run(np.ones(2))[0] == 1.0


def test_pure_adjoints_do_not_cross_pushes():
    items, types = Var("items"), {}
    types[items] = Seq(FLOAT, list)
    length = call(len, items, role="adjoint")
    pushed = call(ops.push, items, 5.0, name="items", role="adjoint")
    types[length.result], types[pushed.result] = INT, types[items]
    pair = call(ops.build_tuple, length.result, pushed.result, role="adjoint")
    run = load(emit(program(function("f", [items], [length, pushed, pair], pair.result), types=types)))
    assert run([1.0]) == (1, [1.0, 5.0])


def test_what_is_drawn_is_kept_where_it_is_drawn():
    def walk(x):
        random.seed(3)
        total = 0.0
        for _ in range(4):
            total = total * random.random() + x[random.randint(0, 1)] * random.gauss(0.0, 1.0)
        return total

    x = np.array([0.3, 0.7])
    np.testing.assert_equal(ad.grad(walk)(x), ad.value_and_grad(walk)(x)[1])  # nobody reads the sums of the first


TABLE = np.zeros(3)
HELD = {"rows": TABLE}
PARTS = [TABLE]


class Held:
    rows = TABLE


LIVE = Held()
READS = {
    "module": lambda: TABLE,
    "dict": lambda: HELD["rows"],
    "list": lambda: PARTS[0],
    "class": lambda: Held.rows,
    "object": lambda: LIVE.rows,
}


@pytest.mark.parametrize("where", READS)
@pytest.mark.parametrize("read", [np.square, np.exp, lambda t: t @ t, lambda t: t[0] ** 2 * t[1]])
@pytest.mark.parametrize("named", [True, False])
def test_memory_of_a_module_is_kept_behind_what_writes_it(where, read, named):
    table = READS[where]

    def loop(x):
        total = 0.0
        for i in range(2):
            if named:
                rows = table()
                table()[:] = x * (i + 1)
                total = total + np.sum(read(rows))
            else:
                table()[:] = x * (i + 1)
                total = total + np.sum(read(table()))
        return total

    x = np.array([0.7, 1.3, -0.4])
    slopes = [(loop(x + d) - loop(x - d)) / 2e-6 for d in np.eye(3) * 1e-6]
    for derive in (ad.grad, ad.jacrev, ad.jacfwd, lambda f: lambda x: ad.value_and_grad(f)(x)[1]):
        np.testing.assert_allclose(derive(loop)(x), slopes, rtol=1e-7)  # nobody reads the sums of the first


def test_what_a_list_holds_before_it_grows_is_read_before():
    """Pushes of adjoints are no writes for what reads other memory, but for what reads the list itself."""
    x = Var("x")
    items = call(ops.build_list, role="adjoint")
    count = call(len, items.result, role="adjoint")
    grown = call(ops.push, items.result, x, role="adjoint")
    total = call(operator.add, count.result, 10, role="adjoint")
    pair = call(ops.build_tuple, total.result, grown.result, role="adjoint")
    run = load(emit(program(function("f", [x], [items, count, grown, total, pair], pair.result))))
    assert run(2.0) == (10, [2.0])
