"""The helpers of code for several tangents at once, against the same for one."""

import numpy as np
import pytest

from adcompile import runtime as rt

M = np.arange(6.0).reshape(2, 3)
G = np.random.default_rng(0).standard_normal((4, 2, 3))


def test_units():
    assert np.array_equal(rt.units(M, 0, 10).reshape(6, 6), np.eye(6))
    assert np.array_equal(rt.units(M, 4, 4), [rt.unit(M, 4), rt.unit(M, 5)])
    assert rt.units(M.astype(np.float32), 0, 2).dtype == np.float32
    with pytest.raises(TypeError, match="complex"):
        rt.units(M * 1j, 0, 2)


def test_width_keeps_batches_small():
    assert rt.batch_width(np.zeros(0)) >= 8 and rt.batch_width(np.zeros(10**7)) == 8
    assert rt.batch_width(np.zeros(1000)) * 1000 <= 1 << 17


def test_repeated_is_memory_of_its_own():
    out = rt.repeated(M, 3)
    assert np.array_equal(out, [M, M, M]) and out.flags.writeable and not np.shares_memory(out, M)
    assert rt.repeated(0.5, 2, np.float32).dtype == np.float32
    first, second = rt.repeated([M, None], 2)
    assert first.shape == (2, 2, 3) and second is None


def test_layouts():
    for x in (M, M.T, np.asfortranarray(np.zeros((2, 3, 4))), np.zeros((2, 3, 4)).transpose(1, 2, 0), np.array(1.0)):
        out = rt.tangent_zeros(x, 2)
        assert out.shape == (2, *x.shape) and not out.any()
        assert out[0, ...].strides == np.zeros_like(x).strides


def test_rows():
    assert np.array_equal(rt.row(G, 1), G[1])
    assert [a.shape for a in rt.row([G, [G]], 0)[1]] == [(2, 3)] and rt.row([None], 0) == [None]
    assert rt.as_batch([1.0, 2.0]).tolist() == [1.0, 2.0]
    assert [a.tolist() for a in rt.as_batch([[1.0, 2.0], [3.0, 4.0]])] == [[1.0, 3.0], [2.0, 4.0]]
    with pytest.raises(TypeError, match="several at once"):
        rt.as_batch(["a"])
    assert rt.batch_count([G]) == rt.batch_count(G) == 4


@pytest.mark.parametrize(("each", "one"), [(rt.own_each, rt.own), (rt.like_each, rt.like)])
def test_shapes(each, one):
    for g, x in [(G, M), (G[:, 0], M), (G, M.astype(np.float32)), (G * 1j, M)]:
        out = each(g, x)
        expected = [one(part, x) for part in g]
        assert np.array_equal(out, expected) and out.dtype == np.asarray(expected).dtype


@pytest.mark.parametrize("x", [M, M[:1], M[0], M[:, :1], np.array(1.0), np.ones((1, 1))])
def test_unbroadcast(x):
    assert np.allclose(rt.unbroadcast_each(G, x), [rt.unbroadcast(g, x) for g in G])
    small = rt.unbroadcast_each(G, x)
    assert np.array_equal(rt.broadcast_each(small, M), [rt.broadcast_like(g, M) for g in small])


def test_own_each_owns():
    out = rt.own_each(G, M)
    assert not np.shares_memory(out, G) and out.flags.writeable


FANCY = [([0, 1], [2, 0]), (slice(None), [0, 0]), ([1, 1],), M > 2]
INDICES = [0, (1, 2), slice(None, None, 2), (None, 0), Ellipsis, *FANCY]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_items(index):
    assert np.array_equal(rt.item_each(G, index), [g[index] for g in G])
    buffer, expected = G.copy(), G.copy()
    value = np.stack([2.0 * g[index] for g in G])
    rt.store_each(buffer, index, value, True)
    for k, part in enumerate(expected):
        part[index] = value[k]
    assert np.array_equal(buffer, expected)
    assert rt.add_each_at(buffer, index, 1.0, False) is buffer
    for part in expected:
        rt.accumulate(part, index, 1.0)
    assert np.array_equal(buffer, expected)
    assert np.array_equal(rt.scatter_each(M, index, value), [rt.scatter(M, index, v) for v in value])


def test_items_whose_axes_come_first():
    x = np.random.default_rng(1).standard_normal((3, 2, 4, 5))
    for index in [([0, 1], slice(None), [2, 3]), (0, slice(None), [2, 3]), ([1], None, 2)]:
        assert np.array_equal(rt.item_each(x, index), [part[index] for part in x])


def test_reshaped_stacked_and_joined():
    assert np.array_equal(rt.reshape_each(G, 3, -1), [g.reshape(3, -1) for g in G])
    assert rt.reshape_each(G, -1).shape == (4, 6) and rt.reshape_each(G[:, :1, :1], ()).shape == (4,)
    nested = [[G[:, 0], G[:, 1]], [G[:, 1], G[:, 0]]]
    assert np.array_equal(rt.stacked(nested, 4), [[[g[0], g[1]], [g[1], g[0]]] for g in G])
    assert rt.stacked([], 4).shape == (4, 0)
    assert np.array_equal(rt.joined([G, G], M.shape), np.concatenate([G, G])) and rt.joined([G], M.shape) is G
    assert rt.joined([], (2, 3), np.float32).shape == (0, 2, 3) and rt.joined([], (), np.float32).dtype == np.float32


def test_views_are_the_same_views():
    x = np.asfortranarray(np.arange(12.0).reshape(3, 4))
    x_dot = rt.tangent_zeros(x, 2)
    for view in (x.T, x[1:], x[::-1, ::2], x.T.reshape(-1), x[0]):
        made = rt.mirrored_each(view, x, x_dot)
        made[1] = 1.0
        expected = np.zeros_like(x)
        rt.mirrored(view, x, expected)[...] = 1.0
        assert np.array_equal(x_dot[1], expected) and not x_dot[0].any()
        x_dot[...] = 0.0
    fresh = rt.mirrored_each(x.reshape(-1), x, x_dot)
    assert not np.shares_memory(fresh, x_dot) and fresh.shape == (2, 12)
    given = np.ones((2, 12))
    assert np.array_equal(rt.followed_each(x.reshape(-1), x, x_dot, given), given)


def test_shadows_overlap_within_each_tangent():
    x = np.arange(6.0)
    a, b, apart = rt.shadows_each(3, x[:4], x[2:], np.ones(2))
    assert a.shape == (3, 4) and apart.shape == (3, 2) and not np.shares_memory(a, apart)
    a[1, 2] = 5.0
    assert b[1].tolist() == [5.0, 0.0, 0.0, 0.0] and not b[0].any() and not b[2].any()
    assert rt.shadows_each(2, np.zeros(0))[0].shape == (2, 0)
