"""Tangents, case by case; the laws that hold for all values are in test_tangent_laws.py."""

import copy as copying
import pickle

import numpy as np
import pytest

from adcompile.errors import NotDifferentiable
from adcompile.runtime import structure
from adcompile.tangents import (
    ArraySpace,
    Cycle,
    NoTangent,
    Product,
    Record,
    add,
    add_,
    add_to_primal,
    allclose,
    conj,
    copy,
    dot,
    has_tangent,
    leaves,
    map_tree,
    norm,
    randn_like,
    register,
    scale,
    tangent_type,
    zero_,
    zeros_like,
)
from tests.structures import Frozen, Model, Pair, Plain, Slotted, closure_over, slotted

VALUES = [
    1.5,
    2 + 1j,
    np.float32(1.5),
    np.float64(1.5),
    np.complex64(1 + 2j),
    np.arange(6.0).reshape(2, 3),
    np.array(2.5),
    np.zeros(0),
    np.ones(3, "f4"),
    np.ones(3, "c8"),
    np.ones(3, "f2"),
    (1.0, 2, np.ones(2)),
    [1.0, "a", [np.ones(2), None]],
    {"w": np.ones(2), "n": 3, "b": {"c": 1.0}},
    Pair(1.0, 2),
]
INERT = [3, True, "s", None, np.int64(3), np.arange(3), np.array(True), (1, "a"), [], {}, {"a": 1}, len, np, float]


def same_type(a, b):
    return tangent_type(a) == tangent_type(b)


@pytest.mark.parametrize("x", VALUES, ids=repr)
def test_vector_space(x):
    rng = np.random.default_rng(0)
    z, t, s = zeros_like(x), randn_like(x, rng), randn_like(x, rng)
    tol = 1e-2 if "float16" in repr(tangent_type(x)) else 1e-5
    assert allclose(add(z, t), t)
    assert dot(t, z) == 0
    assert dot(t, scale(2, t)) == pytest.approx(2 * dot(t, t), rel=tol)
    assert allclose(scale(2, t), add(t, t), rtol=tol)
    assert allclose(add(t, s), add(s, t))
    assert dot(t, s) == pytest.approx(dot(s, t), rel=tol, abs=tol)
    assert norm(t) ** 2 == pytest.approx(dot(t, t))
    assert allclose(conj(conj(t)), t)
    assert dot(t, s) == pytest.approx(dot(conj(t), conj(s)), rel=tol, abs=tol)


@pytest.mark.parametrize("x", VALUES, ids=repr)
def test_one_tangent_type(x):
    rng = np.random.default_rng(0)
    space = tangent_type(x)
    for t in (zeros_like(x), randn_like(x, rng), scale(2.0, zeros_like(x)), add(zeros_like(x), zeros_like(x))):
        assert tangent_type(t) == space
    assert tangent_type(copying.deepcopy(x)) == space
    assert hash(space) == hash(tangent_type(x))
    assert has_tangent(x)


@pytest.mark.parametrize("x", VALUES, ids=repr)
def test_add_to_primal(x):
    moved = add_to_primal(x, zeros_like(x))
    assert tangent_type(moved) == tangent_type(x)
    assert repr(moved) == repr(x)
    assert add_to_primal(x, NoTangent) is x


@pytest.mark.parametrize("x", INERT, ids=repr)
def test_what_has_no_tangent(x):
    assert tangent_type(x) is NoTangent
    assert zeros_like(x) is NoTangent
    assert randn_like(x, np.random.default_rng(0)) is NoTangent
    assert add_to_primal(x, NoTangent) is x
    assert not has_tangent(x)


def test_no_tangent_is_the_zero_of_everything():
    assert not NoTangent
    assert 1.0 + NoTangent == NoTangent + 1.0 == 1.0
    assert 2.0 * NoTangent is NoTangent
    assert add(NoTangent, NoTangent) is NoTangent
    assert add(None, 1.0) == add(1.0, None) == 1.0
    assert dot(NoTangent, NoTangent) == 0.0
    assert pickle.loads(pickle.dumps(NoTangent)) is NoTangent
    assert copying.deepcopy(NoTangent) is NoTangent


def test_array_space_names_dtype_and_shape():
    assert tangent_type(np.ones((2, 1), "f4")) == ArraySpace(np.dtype("f4"), (2, 1))


def test_copies_share_no_memory():
    t = [np.ones(3), (np.zeros(2), 1.0)]
    for a, b in zip(leaves(t), leaves(copy(t))):
        assert isinstance(a, float) or not np.shares_memory(a, b)


def test_dicts_match_by_key():
    assert dot({"a": 1.0, "b": 2.0}, {"b": 3.0, "a": 5.0}) == 11.0
    assert add({"a": 1.0, "b": 2.0}, {"b": 3.0, "a": 5.0}) == {"a": 6.0, "b": 5.0}


@pytest.mark.parametrize("other", [[1.0, 2.0], (1.0,), {"a": 1.0}, Pair(1.0, 2.0)])
def test_other_structures_are_refused(other):
    with pytest.raises(NotDifferentiable, match="structure"):
        add((1.0, 2.0), other)
    assert not allclose((1.0, 2.0), other)


def test_allclose_looks_at_types():
    assert not allclose(1.0, np.float64(1.0))
    assert not allclose(np.ones(2), np.ones(2, "f4"))
    assert not allclose(np.ones(2), np.ones((1, 2)))
    assert not allclose(np.ones(2), None)


def generator():
    return np.random.default_rng(0)


def test_tangents_of_objects():
    t = zeros_like(Model(np.ones(2), 3, 1.0))
    assert type(t) is Model and t.n is NoTangent and t.rest == 0.0 and t.w.tolist() == [0.0, 0.0]
    t = randn_like(Frozen(1.0), generator())
    assert type(t) is Frozen and t.label is NoTangent
    t = zeros_like(slotted(1.0))
    assert type(t) is Slotted and t.x == 0.0 and not hasattr(t, "y")  # missing stays missing
    assert zeros_like(Model("w")) is NoTangent
    moved = add_to_primal(Model(1.0, 7), Model(0.5, NoTangent, NoTangent))
    assert moved == Model(1.5, 7)
    assert tangent_type(Plain(a=1.0, b="s")) == Record(Plain, (float, NoTangent), ("a", "b"))


def test_tangents_of_closures():
    f = closure_over(2.0, "label", np.ones(2))
    t = randn_like(f, generator())
    first, rest, _ = t(None)
    assert type(first) is float and rest[0] is NoTangent and rest[1].shape == (2,)
    moved = add_to_primal(f, t)
    assert moved(5)[0] == 2.0 + first and moved(5)[2] == 5
    assert f(5)[0] == 2.0
    assert tangent_type(f) == tangent_type(closure_over(3.0, "other", np.zeros(2)))
    assert tangent_type(f) != tangent_type(closure_over(3.0))
    assert zeros_like(closure_over("x")) is NoTangent
    assert zeros_like(test_tangents_of_closures) is NoTangent
    with pytest.raises(NotDifferentiable, match="structure"):
        add(randn_like(lambda: f, generator()), randn_like(lambda: [f][0], generator()))


def test_closures_share_cells():
    def counter():
        total = 0.0

        def bump(x):
            nonlocal total
            total += x

        def read():
            return total

        return bump, read

    bump, read = add_to_primal(pair := counter(), zeros_like(pair))
    bump(2.0)
    assert read() == 2.0 and pair[1]() == 0.0


def test_cycles():
    node = Plain(x=1.0)
    node.me = node
    node.pair = (node, 2.0)
    t = randn_like(node, generator())
    assert t.me is t and t.pair[0] is t and t.x != 0.0
    pair = Product(tuple, (Cycle(2), float))
    assert tangent_type(node) == Record(Plain, (float, Cycle(1), pair), ("x", "me", "pair"))
    assert dot(t, t) == pytest.approx(t.x**2 + t.pair[1] ** 2)
    moved = add_to_primal(node, t)
    assert moved.me is moved and moved.x == 1.0 + t.x
    lonely = Plain(me=None)
    lonely.me = lonely
    assert zeros_like(lonely) is NoTangent and tangent_type(lonely) is NoTangent


def test_arrays_that_share_memory():
    a = np.arange(4.0)
    value = {"all": a, "tail": a[1:], "again": a, "apart": np.ones(2)}
    t = randn_like(value, generator())
    assert t["all"] is t["again"] and np.shares_memory(t["all"], t["tail"])
    assert t["tail"].tolist() == t["all"][1:].tolist()
    assert not np.shares_memory(t["all"], t["apart"])
    assert dot(t, t) == pytest.approx(np.sum(t["all"] ** 2) + np.sum(t["apart"] ** 2))
    moved = add_to_primal(value, t)
    assert np.array_equal(moved["all"], a + t["all"]) and np.shares_memory(moved["all"], moved["tail"])
    once = scale(2.0, t)
    assert allclose(add_(t, copy(t)), once)
    z = np.ones(2, complex)
    u = randn_like([z, z.real], generator())
    assert dot(u, u) == pytest.approx(np.sum(np.abs(u[0]) ** 2))


def test_parts_apart_add_to_parts_that_are_one():
    """Cotangents of one array that were taken apart, accumulated into its one shadow."""
    a = np.zeros(3)
    total = [a, a[1:]]
    assert add_(total, [np.ones(3), np.ones(2)]) is total
    assert a.tolist() == [1.0, 2.0, 2.0]
    total = [a, a]
    add_(total, [np.ones(3), np.ones(3)])
    assert a.tolist() == [3.0, 4.0, 4.0]
    assert dot([np.ones(3), np.ones(3)], [a, a]) == 22.0


def test_long_chains():
    node = None
    for _ in range(5_000):
        node = Plain(x=1.0, next=node)
    t = randn_like(node, generator())
    assert dot(t, zeros_like(node)) == 0.0
    assert len(leaves(t)) == 5_000
    add_(t, scale(2.0, t))
    assert has_tangent(add_to_primal(node, t))


class Interval:
    """A class of users with its own idea of its parts."""

    def __init__(self, low, high):
        assert low <= high or (low, high) == (0.0, 0.0) or True
        self._state = (low, high)


class Handle:
    def __init__(self):
        self.scale = 2.0


@pytest.fixture
def clean_registrations():
    before = dict(structure.registered)
    yield
    structure.registered.clear()
    structure.registered.update(before)


def test_registered_classes(clean_registrations):
    register(
        Interval,
        lambda v: {"low": v._state[0], "width": v._state[1] - v._state[0]},
        lambda v, parts: Interval(parts["low"], parts["low"] + parts["width"]),
    )
    value = [Interval(1.0, 3.0)]
    assert tangent_type(value) == Product(list, (Record(Interval, (float, float), ("low", "width")),))
    t = randn_like(value, generator())
    assert type(t[0]) is Interval
    assert allclose(add(t, zeros_like(value)), t)
    assert dot(t, scale(2.0, t)) == pytest.approx(2 * dot(t, t))
    assert add_to_primal(value, zeros_like(value))[0]._state == (1.0, 3.0)
    total = copy(t)
    assert add_(total, t) is total and allclose(total, scale(2.0, t))


def test_registered_as_without_tangent(clean_registrations):
    assert has_tangent(Handle())
    register(Handle)
    assert tangent_type(Handle()) is NoTangent and not has_tangent([Handle()])
    assert zeros_like({"h": Handle(), "x": 1.0}) == {"h": NoTangent, "x": 0.0}
    with pytest.raises(TypeError, match="both"):
        register(Handle, lambda v: {})


def test_numpy_subclasses_and_object_arrays_have_none():
    assert tangent_type(np.array([1.0, None], object)) is NoTangent
    assert tangent_type(np.ma.masked_array([1.0])) is NoTangent


@pytest.mark.parametrize(
    "call",
    [
        lambda: add(np.ones(1), np.ones(3)),
        lambda: add(np.ones(2), np.ones(3)),
        lambda: add(np.ones(2), np.ones(2, complex)),
        lambda: add(1.0, np.ones(())),
        lambda: add([1.0], (1.0,)),
        lambda: add(1, 2),
        lambda: dot(np.ones(3), np.ones(1)),
        lambda: dot(1.0, np.ones(2)),
        lambda: dot([1.0], 1.0),
        lambda: add_(np.ones(3), np.ones(1)),
        lambda: add_to_primal(np.ones(1), np.ones(3)),
        lambda: add_to_primal(None, 1.0),
        lambda: add_to_primal({"a": 1}, {"a": 1.0}),
        lambda: map_tree(lambda a, b: a * b, np.ones(2), np.ones(1)),
    ],
)
def test_tangents_of_other_spaces_are_refused(call):
    with pytest.raises(NotDifferentiable, match="tangents of different"):
        call()


def test_nothing_is_added_where_anything_is_refused():
    total = [np.ones(3), np.ones(2)]
    with pytest.raises(NotDifferentiable):
        add_(total, [np.ones(3), np.ones(3)])
    assert total[0].tolist() == [1.0, 1.0, 1.0]


class Weights:
    """Copies what it is given, and has a part that is a number of no tangent."""

    def __init__(self, w, b):
        self.w, self.b = np.array(w), b


def test_registered_classes_that_copy(clean_registrations):
    register(Weights, lambda v: {"w": v.w, "b": v.b, "n": 2}, lambda v, parts: Weights(parts["w"], parts["b"]))
    t = [Weights([1.0, 2.0], 3.0)]
    assert dot(t, t) == 14.0 and leaves(t)[1:] == [3.0]
    total = [Weights([1.0, 2.0], 3.0)]
    assert add_(total, t) is total and total[0].w.tolist() == [2.0, 4.0] and total[0].b == 6.0
    assert zero_(total)[0].w.tolist() == [0.0, 0.0] and total[0].b == 0.0


def test_arrays_that_overlap_themselves_are_not_added_to():
    once = np.lib.stride_tricks.as_strided(np.zeros(1), (3,), (0,))
    with pytest.raises(ValueError, match="several places"):
        add_(once, np.ones(3))


def test_what_is_moved_lies_in_memory_as_before():
    x = np.arange(24.0).reshape(4, 6)
    for a in (x[:, ::2], x.T, x[::-1, ::-1], x[::2], x[:0], x[:, 3]):
        moved = add_to_primal(a, np.ones(a.shape))
        np.testing.assert_array_equal(moved, a + 1.0)
        assert a.size == 0 or moved.strides == a.strides
        assert moved.flags.writeable and not np.shares_memory(moved, a)
    shown = np.broadcast_to(np.arange(3.0), (2, 3))
    np.testing.assert_array_equal(add_to_primal(shown, np.arange(6.0).reshape(2, 3)), [[0, 2, 4], [3, 5, 7]])
