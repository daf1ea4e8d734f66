import collections

import numpy as np
import pytest

from adcompile.boundary import (
    accept,
    conj,
    is_owned,
    own,
    own_tree,
    project,
    project_array,
    project_scalar,
)
from adcompile.errors import NotDifferentiable, RuleError
from adcompile.tangents import NoTangent, tangent_type

Pair = collections.namedtuple("Pair", "a b")
TABLE = np.ones(3)


def test_only_new_memory_is_owned():
    assert is_owned((np.ones(3) + 1,), 0)
    assert is_owned([np.ones((2, 3)).T], 0)
    held = np.ones(3)
    for array in (held, held[1:], TABLE, TABLE[:1], np.broadcast_to(np.ones(1), 3), np.frombuffer(b"12345678")):
        assert not is_owned((array,), 0)
    frozen = np.ones(3)
    frozen.flags.writeable = False
    assert not is_owned((frozen,), 0)


def test_one_array_held_twice_is_not_owned():
    pair = (np.ones(3),) * 2
    assert not is_owned(pair, 0)
    assert not is_owned([*np.ones((2, 2))], 0)


def test_own_copies_what_others_hold():
    assert own((TABLE,), 0) is not TABLE
    a = np.arange(3.0)
    tree = own_tree(([a, {"k": a[1:]}, a, "s", 1.0],), 0)
    assert tree[0] is tree[2] and tree[0] is not a and tree[3:] == ["s", 1.0]
    assert not any(np.shares_memory(a, x) for x in (tree[0], tree[1]["k"]))


def test_what_a_list_of_others_holds_is_theirs():
    """Though its arrays are held once only; what stands in containers that nobody else holds stays."""
    given = {"w": [np.ones(3), [np.ones(3)]]}
    ours = np.ones(3)
    raw, at = ([given, (np.ones(3),), [ours]],), id(ours)
    del ours
    tree = own_tree(raw, 0)
    assert not np.shares_memory(tree[0]["w"][0], given["w"][0])
    assert not np.shares_memory(tree[0]["w"][1][0], given["w"][1][0])
    assert tree[1][0] is raw[0][1][0] and id(tree[2][0]) == at


@pytest.mark.parametrize(
    "g, cls, expected",
    [
        (np.float64(2), float, 2.0),
        (2.0, np.float32, np.float32(2)),
        (np.array(2.0), float, 2.0),
        (2 + 1j, float, 2.0),
        (None, float, 0.0),
        (2.0, complex, 2 + 0j),
        (NoTangent, np.float32, np.float32(0)),
    ],
)
def test_scalars_leave_as_their_class(g, cls, expected):
    got = project_scalar(g, cls)
    assert type(got) is cls and got == expected


def test_arrays_leave_with_dtype_and_shape():
    a = np.ones(3, "f4")
    g = project_array((np.arange(3.0),), 0, a)
    assert g.dtype == np.float32 and np.array_equal(g, [0, 1, 2])
    assert np.array_equal(project_array((None,), 0, a), np.zeros(3))
    zero_d = project_array((np.float64(2),), 0, np.array(1.0))
    assert type(zero_d) is np.ndarray and zero_d.shape == ()
    with pytest.raises(RuleError, match=r"shape \(3,\) has shape \(2,\)"):
        project_array((np.ones(2),), 0, a)
    with pytest.raises(RuleError, match="float has shape"):
        project_scalar(np.ones(2), float)


def test_structures_leave_in_their_own():
    space = tangent_type({"w": [1.0, 2], "p": Pair(np.ones(2), "s")})
    shared = np.ones(2)
    got = project(({"w": [3.0, None], "p": (shared, None)},), 0, space)
    assert got["w"] == [3.0, None] and type(got["p"]) is Pair and got["p"].b is None
    assert got["p"].a is not shared
    assert project((None,), 0, space)["w"] == [0.0, None]
    assert project((None,), 0, NoTangent) is None


def test_shared_containers_do_not_leave_twins():
    inner = (np.ones(2),)
    space = tangent_type(((np.ones(2),), (np.ones(2),)))
    one, other = project(((inner, inner),), 0, space)
    del inner
    assert not np.shares_memory(one[0], other[0])


@pytest.mark.parametrize(
    "given, primal",
    [
        (1, 1.0),
        (np.float32(2), 1.0),
        (np.array(2.0), 1.0),
        (np.ones(3, "f4"), np.ones(3)),
        (np.ones(3, int), np.ones(3)),
        (2.0, np.array(1.0)),
        ((1.0, None), (2.0, 3)),
        ({"b": 1.0, "a": 2.0}, {"a": 1.0, "b": 2.0}),
        (None, (2.0, [1.0])),
        (Pair(1.0, None), Pair(2.0, "s")),
        (1.0, 1j),
    ],
    ids=repr,
)
def test_accepted_tangents_get_the_tangent_type(given, primal):
    def spaces(t):
        return tangent_type(t)

    got = accept(given, tangent_type(primal), "it")
    assert spaces(got) == tangent_type(primal)


def test_accepted_arrays_are_copies():
    given = np.ones(3)
    assert not np.shares_memory(accept(given, tangent_type(given), "it"), given)


@pytest.mark.parametrize(
    "given, primal, message",
    [
        (np.ones(2), np.ones(3), r"it is a float64 array of shape \(2,\) where a float64 array of shape \(3,\)"),
        (1.0, np.ones(3), "where a float64 array"),
        ([1.0] * 3, np.ones(3), "it is a list"),
        (1j, 1.0, "pass its real part"),
        ("a", 1.0, "it has dtype"),
        (np.ones(1), 1.0, "has type float64 array"),
        (1.0, 3, "pass None"),
        ((1.0,), (1.0, 2.0), "structure"),
        ([1.0, 2.0], (1.0, 2.0), "structure"),
        ((1.0, 2.0), (1.0, np.ones(2)), r"it\[1\]"),
        ({"a": 1.0}, {"b": 1.0}, "structure"),
    ],
)
def test_refused_tangents(given, primal, message):
    with pytest.raises(NotDifferentiable, match=message):
        accept(given, tangent_type(primal), "it")


def test_conj_leaves_real_values_alone():
    a = np.ones(2)
    assert conj((1.0, a, None))[1] is a
    assert conj([1j, np.array([1j])])[0] == -1j
