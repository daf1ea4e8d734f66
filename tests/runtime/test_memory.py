"""Shadows and snapshots as generated code uses them: what shares memory does, what is apart is."""

import numpy as np
import pytest

from adcompile import runtime as rt
from adcompile.runtime import memory
from adcompile.runtime.memory import apart, check_tangent, followed, hold, mirrored, outline, released, shares, within

BASES = [
    np.arange(6.0).reshape(2, 3),
    np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    np.arange(24.0).reshape(4, 6)[::2, ::2],
]


@pytest.mark.parametrize("x", BASES)
def test_shadows_are_zeros_of_the_same_kind(x):
    made = rt.shadow(x)
    assert not made.any() and made.dtype == x.dtype and made.shape == x.shape
    assert not np.shares_memory(made, x) and made.flags.writeable


@pytest.mark.parametrize("x", [*BASES, [np.ones(2), [np.zeros(3)]], 2.5, np.float32(1.0)])
def test_snapshots_do_not_change(x):
    def parts(v):
        return [p for item in v for p in parts(item)] if isinstance(v, list) else [v]

    taken = rt.snapshot(x)
    before = [np.array(p) for p in parts(x)]
    for p in parts(x):
        if isinstance(p, np.ndarray):
            p += 1.0
    for p, was in zip(parts(taken), before):
        assert np.array_equal(p, was)


@pytest.mark.parametrize("x", BASES)
@pytest.mark.parametrize(
    "make", [np.ravel, lambda a: a.reshape(3, 2), lambda a: a.T.ravel(), np.asarray, np.ascontiguousarray]
)
def test_mirrored_is_a_view_where_the_array_is_one(x, make):
    from_zeros = rt.shadows(x, x[:1])[0]
    y = make(x)
    y_bar = mirrored(y, x, from_zeros)
    assert shares(y, x) == np.shares_memory(y, x) == np.shares_memory(y_bar, from_zeros)
    numbers = np.arange(float(y.size)).reshape(y.shape)
    if shares(y, x):
        y[...], y_bar[...] = numbers, numbers
        assert np.array_equal(x, from_zeros)
    else:
        assert not y_bar.any()


@pytest.mark.parametrize("make", [np.ravel, np.ndarray.flatten])
def test_followed_is_the_tangent_of_a_view_or_of_a_copy(make):
    x, x_dot = np.ones((2, 2)), np.full((2, 2), 3.0)
    y = make(x)
    y_dot = followed(y, x, x_dot, make(x_dot))
    y_dot[0] = 7.0
    assert (x_dot[0, 0] == 7.0) == shares(y, x)


def test_cotangent_of_a_view_or_copy():
    g = np.ones(3)
    assert not rt.unless_shared(g, True).any()
    copied = rt.unless_shared(g, False)
    assert np.array_equal(copied, g) and not np.shares_memory(copied, g)


def test_additions_to_buffers():
    buffer = np.zeros((2, 3))
    rt.add_at(buffer, (slice(None), 1), np.array([1.0, 2.0]))
    rt.add_at(buffer, Ellipsis, 0.5)
    assert buffer[1, 1] == 2.5 and buffer[0, 0] == 0.5
    rows = [np.zeros(2), [np.zeros(1)]]
    rt.add_each(rows, [np.ones(2), [np.full(1, 3.0)]])
    assert rows[0].sum() == 2.0 and rows[1][0][0] == 3.0


def test_last_writes_are_those_numpy_keeps():
    index, value = np.array([1, 0, 1, 1]), np.arange(1.0, 5.0)
    a = np.zeros(3)
    a[index] = value
    kept = rt.last_writes(np.zeros(3), index, value)
    assert np.array_equal(kept, a[index] == value)


def test_what_a_pullback_holds_is_fresh_each_time():
    a = np.zeros(4)
    view, kept = a[1:], np.arange(3.0)
    held = hold(0, 2, a, [view, None], kept)
    for _ in range(2):
        first, (second, nothing), third = released(held)
        assert nothing is None and third is kept
        assert not first.any() and np.shares_memory(first, second) and not np.shares_memory(first, a)
        second += 1.0
        assert np.array_equal(first, [0.0, 1.0, 1.0, 1.0])
    assert not a.any()


def test_what_a_pullback_holds_mirrors_what_it_is_given():
    a, b = np.zeros(4), np.zeros(2)
    held = hold(1, 3, a, a[1:], [b], b[:1])
    given = np.arange(4.0)
    view, (own,), part = released(held, given)
    assert np.shares_memory(view, given) and np.array_equal(view, given[1:])
    assert np.shares_memory(part, own) and not np.shares_memory(own, b) and not own.any()


def test_shadows_within_others():
    x = np.arange(6.0)
    bar = np.zeros(6)
    view, other = within(2, x[::2], np.ones(2), x[1:], x, bar[1:], bar)
    view += 1.0
    assert np.array_equal(bar, [1.0, 0.0, 1.0, 0.0, 1.0, 0.0]) and not other.any()


def test_outlines_have_a_shape_and_no_memory_of_that_size():
    x = np.ones((100, 100), np.float32)
    made = outline(x)
    assert made.shape == x.shape and made.dtype == x.dtype and made.strides == (0, 0)
    assert outline(None) is None


def test_parts_of_shadows_are_copied_on_the_way_out():
    a = np.zeros(3)
    assert apart(a) is a
    assert not np.shares_memory(apart(a[1:]), a)


def test_two_tangents_of_one_memory():
    check_tangent(np.array([1.0, np.nan]), np.array([1.0, np.nan]))
    with pytest.raises(ValueError, match="different tangents"):
        check_tangent(np.ones(2), np.zeros(2))


def test_arrays_in_lists_are_found_and_filled():
    a, b = np.zeros(2), np.arange(3)
    found = rt.arrays_in([a, (b, [a], 1.0, None), "text"])
    assert [id(x) for x in found] == [id(a), id(b), id(a)]
    kept = rt.snapshot(found)
    a[:], b[:] = 5.0, 7
    rt.put_each(found, kept)
    assert a.tolist() == [0.0, 0.0] and b.tolist() == [0, 1, 2]


def test_outlines_of_one_shape_are_one_and_few_are_kept():
    made = outline(np.ones((2, 3)))
    assert outline(np.zeros((2, 3))) is made and outline(np.zeros((2, 3), np.float32)).dtype == np.float32
    assert not made.flags.writeable
    for n in range(3000):
        assert outline(np.broadcast_to(0.0, (n,))).shape == (n,)
    assert len(memory._OUTLINES) <= 1024
