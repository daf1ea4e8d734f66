"""Helpers on arrays are the adjoints of what NumPy does: ⟨g, A x⟩ = ⟨Aᵀ g, x⟩."""

import numpy as np
import pytest

from adcompile import runtime as rt

RNG = np.random.default_rng(0)
SHAPES = [
    ((), (2, 3)),
    ((1,), (3,)),
    ((3,), (2, 3)),
    ((2, 1), (2, 3)),
    ((1, 1, 3), (4, 2, 3)),
    ((2, 3), (2, 3)),
    ((0,), (2, 0)),
]
INDICES = [
    1,
    -1,
    slice(None, None, 2),
    (slice(1), 2),
    [0, 0, 1],
    np.array([True, False, True, True]),
    (None, 2),
    ...,
    (np.array([1, 1]), np.array([0, 0])),
]


@pytest.mark.parametrize(("small", "large"), SHAPES, ids=str)
def test_unbroadcast_is_the_adjoint_of_broadcasting(small, large):
    x, g = RNG.normal(size=small), RNG.normal(size=large)
    back = rt.unbroadcast(g, x)
    assert np.shape(back) == small
    assert np.sum(back * x) == pytest.approx(np.sum(g * np.broadcast_to(x, large)))
    assert np.shape(rt.broadcast_like(x, g)) == large


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2), ()])
@pytest.mark.parametrize("keepdims", [False, True])
def test_expand_undoes_a_reduction(axis, keepdims):
    x = RNG.normal(size=(2, 3, 4))
    reduced = np.sum(x, axis=axis, keepdims=keepdims)
    expanded = rt.expand(reduced, x, axis, keepdims)
    assert np.array_equal(
        np.broadcast_to(expanded, x.shape), np.broadcast_to(np.sum(x, axis=axis, keepdims=True), x.shape)
    )
    assert np.array_equal(rt.contract(expanded, reduced), reduced)


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_scatter_is_the_adjoint_of_reading(index):
    x = RNG.normal(size=(4, 3))
    g = RNG.normal(size=np.shape(x[index]))
    back = rt.scatter(x, index, g)
    assert back.shape == x.shape
    assert np.sum(back * x) == pytest.approx(np.sum(g * rt.gather(x, index)))
    buffer = np.ones_like(x)
    assert rt.accumulate(buffer, index, g) is buffer
    assert np.allclose(buffer, 1.0 + back)


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_basic_indices_repeat_nothing(index):
    count = np.zeros((4, 3))
    np.add.at(count, index, 1.0)
    if rt.is_basic(index):
        assert count.max() <= 1.0


@pytest.mark.parametrize(
    "like", [0.5, np.float32(1.0), np.ones(3, np.float32), np.ones((2, 1)), 1j, np.ones(2, complex)], ids=str
)
def test_like_projects_to_the_space_of_the_primal(like):
    g = np.full(np.shape(like), 1.5 + 0.5j)
    out = rt.like(g if np.ndim(like) else g[()], like)
    assert type(out) is type(like)
    assert np.shape(out) == np.shape(like)
    assert np.asarray(out).dtype == np.asarray(like).dtype
    assert np.all(np.real(out) == 1.5)


def test_own_shares_nothing():
    x = np.ones((2, 3))
    for g in (x, x[:], np.broadcast_to(np.float64(2.0), (2, 3))):
        out = rt.own(g, x)
        assert out.flags.writeable
        assert not np.shares_memory(out, g)
        assert np.array_equal(out, g)


def test_zeros_have_the_structure():
    value = (0.5, [np.ones(2), 3], {"a": 1j})
    zeros = rt.zeros_like(value)
    assert type(zeros) is tuple
    assert zeros[0] == 0.0
    assert zeros[1][0].tolist() == [0.0, 0.0]
    assert rt.add(zeros[1], [np.ones(2), 2.0])[0].tolist() == [1.0, 1.0]


def test_lists():
    items = [0.5, np.ones(2), 2.0]
    zeros = rt.zero_list(items)
    assert rt.add_item(zeros, 1, np.ones(2)) is zeros
    assert zeros[1].tolist() == [1.0, 1.0]
    placed = rt.scatter_list(items, slice(1, None), [np.ones(2), 5.0])
    assert placed[0] == 0.0
    assert placed[2] == 5.0


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b


def test_zeros_of_objects_have_their_structure():
    x = Pair(0.5, {"k": [np.ones(2), 3]})
    x.b["back"] = x
    zero = rt.zeros_like(x)
    assert type(zero) is Pair and zero.a == 0.0
    assert zero.b["k"][0].tolist() == [0.0, 0.0] and zero.b["back"] is zero
    assert rt.zeros_like(np.random.default_rng(0)) is None and rt.zeros_like(len) is None


@pytest.mark.parametrize("index", [slice(None), slice(1, None), slice(-2), slice(5, 1, -2), slice(7, 9)], ids=str)
def test_places_are_what_a_slice_selects(index):
    items = list("abcdef")
    assert [items[k] for k in rt.places(index, len(items))] == items[index]


def test_a_cotangent_that_has_not_come_is_zero():
    found = rt.like(None, np.ones(2, np.float32))
    assert found.dtype == np.float32
    assert np.array_equal(found, np.zeros(2))
