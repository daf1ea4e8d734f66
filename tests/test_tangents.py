import collections
import copy as copying
import pickle

import numpy as np
import pytest

from adcompile.errors import NotDifferentiable
from adcompile.tangents import (
    ArraySpace,
    NoTangent,
    add,
    add_to_primal,
    allclose,
    conj,
    copy,
    dot,
    has_tangent,
    leaves,
    norm,
    randn_like,
    scale,
    tangent_type,
    zeros_like,
)

Pair = collections.namedtuple("Pair", "a b")

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
