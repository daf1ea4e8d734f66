"""What is read only for its shape is kept without its memory."""

import operator

import numpy as np
import pytest

import adcompile as ad
from adcompile import runtime as rt
from adcompile.autodiff.outline import is_read_twice, outlined, read_for_shape, shape_operand
from adcompile.ir.abstract import type_of
from adcompile.ir.nodes import Block, Call, Const, Var, Yield

N, TRIPS = 4000, 50


def held(value, seen=None):
    """The bytes of the arrays in what a pullback keeps; those of a view are those of the array that it views."""
    seen = {} if seen is None else seen
    if id(value) in seen:
        return 0
    seen[id(value)] = value
    if isinstance(value, np.ndarray):
        return held(value.base, seen) if value.base is not None else value.nbytes
    if isinstance(value, (list, tuple)):
        return sum(held(item, seen) for item in value)
    assert value is None or isinstance(value, range) or np.isscalar(value), f"count the memory of {type(value)}"
    return 0


def sums_of_rows(x, n):
    """Nothing of `y` but its shape matters to the derivative of its sum."""
    total = 0.0
    for i in range(n):
        y = x * 2.0 + i
        total += np.sum(y) * (i + 1.0)
    return total


def means_of_parts(x, n):
    total = 0.0
    for i in range(n):
        y = x[i:] + i
        total += np.mean(y)
    return total


def broadcast(x, n):
    """The way back sums over the axis that is new."""
    total = 0.0
    for i in range(n):
        y = 3.0 * x + i
        total += np.sum((y + np.ones((2, 1))) * (1.0 + i))
    return total


def squares(x, n):
    """The values of `y` are needed: the measure sees what is kept."""
    total = 0.0
    for i in range(n):
        y = np.sin(x * (1.0 + i))
        total += np.sum(y * y)
    return total


@pytest.mark.parametrize(
    "f, copy",
    [
        (sums_of_rows, True),
        (sums_of_rows, False),
        (broadcast, True),
        (broadcast, False),
        (means_of_parts, True),
    ],
)
def test_a_loop_that_needs_shapes_keeps_no_memory(f, copy):
    x = np.linspace(0.1, 0.9, N)
    _, pullback = ad.vjp(f, x, TRIPS, copy=copy)
    assert held(pullback._kept) <= 2 * x.nbytes  # the argument itself, where it is kept
    assert pullback(1.0)[0].shape == x.shape


def test_what_is_needed_is_kept():
    x = np.linspace(0.1, 0.9, N)
    _, pullback = ad.vjp(squares, x, TRIPS)
    assert held(pullback._kept) >= TRIPS * x.nbytes


@pytest.mark.parametrize("f", [sums_of_rows, means_of_parts, broadcast, squares])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_gradients(f, n):
    ad.check_grads(f, (np.array([0.3, 0.7, 1.1, 0.45]), n))


def test_an_outline_has_shape_and_dtype_and_no_memory():
    for x in (np.ones((300, 400)), np.ones(7, np.float32), np.ones((2, 0)), np.array(1 + 2j)):
        y = rt.outline(x)
        assert (y.shape, y.dtype) == (x.shape, x.dtype)
        assert held(y) == x.itemsize


def call(fn, *args):
    return Call(Var("r"), Const(fn), args, (), None)


def test_only_operands_read_for_their_shape_count():
    x, y, z = Var("x"), Var("y"), Var("z")
    types = {v: type_of(np.ones(3)) for v in (x, y, z)}
    spread = call(rt.broadcast_like, z, x)
    assert shape_operand(spread) is x
    assert shape_operand(call(operator.add, x, y)) is None
    both = call(rt.unbroadcast, y, y)
    assert is_read_twice(both, y)
    assert read_for_shape(Block((), (spread, both), Yield(())), types) == {x}
    assert read_for_shape(Block((), (spread, call(np.sin, x)), Yield(())), types) == set()


def test_the_statement_that_makes_an_outline():
    x = Var("x")
    types, definition = {x: type_of(np.ones(3))}, {}
    made = outlined(x, x, types, definition)
    assert types[made.result] == types[x]
    assert definition[made.result] is made
