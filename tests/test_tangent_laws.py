"""The laws of tangent spaces, for values of every structure, with aliases and cycles."""

import numpy as np
import pytest
from hypothesis import given, settings

from adcompile.runtime import structure
from adcompile.tangents import (
    NoTangent,
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
    scale,
    tangent_type,
    zero_,
    zeros_like,
)
from tests.structures import Derived, Frozen, Model, Plain, Slotted, trees

laws = settings(max_examples=100, deadline=None)


def generator(seed=0):
    return np.random.default_rng(seed)


def coarse(x):
    return max((float(np.finfo(np.asarray(t).dtype).eps) for t in leaves(zeros_like(x))), default=0.0) * 32 + 1e-15


def identities(value):
    """Which of the mutable parts and arrays met on the way through `value` are one."""
    seen, order, todo = {}, [], [value]
    while todo:
        item = todo.pop()
        parts = None if structure.is_leaf(item) else structure.parts_of(item)
        if parts is None and not isinstance(item, np.ndarray):
            continue
        immutable = parts is not None and structure.is_immutable(item)
        if not immutable:
            order.append(seen.setdefault(id(item), (len(seen), item))[0])
            if order.count(order[-1]) > 1:
                continue
        todo.extend((parts or {}).values())
    return order


@laws
@given(trees)
def test_zero_is_neutral(x):
    z, t = zeros_like(x), randn_like(x, generator())
    assert allclose(add(z, t), t, 0.0)
    assert allclose(add(t, z), t, 0.0)
    assert dot(t, z) == 0.0 == dot(z, t)
    assert allclose(scale(0.0, t), z, 0.0)


@laws
@given(trees)
def test_scaling_is_repeated_addition(x):
    t = randn_like(x, generator())
    assert allclose(scale(2.0, t), add(t, t), 0.0)
    assert dot(t, scale(2.0, t)) == pytest.approx(2 * dot(t, t), rel=coarse(x))


@laws
@given(trees)
def test_inner_product(x):
    t, s, u = (randn_like(x, generator(k)) for k in range(3))
    tol = coarse(x) * (1 + norm(t) * (norm(s) + norm(u)))
    assert dot(t, s) == pytest.approx(dot(s, t), abs=tol)
    assert dot(t, add(s, u)) == pytest.approx(dot(t, s) + dot(t, u), abs=tol)
    assert (dot(t, t) > 0) == any(np.size(leaf) for leaf in leaves(t))


@laws
@given(trees)
def test_moving_by_zero_goes_nowhere(x):
    moved = add_to_primal(x, zeros_like(x))
    assert tangent_type(moved) == tangent_type(x)
    assert allclose(map_tree(lambda a: a, randn_like(moved, generator())), randn_like(x, generator()), 0.0)
    same = [np.array_equal(a, b, equal_nan=True) for a, b in zip(leaves(moved), leaves(x)) if isinstance(b, np.ndarray)]
    assert all(same)
    assert add_to_primal(x, NoTangent) is x


@laws
@given(trees)
def test_moving_is_additive(x):
    t = randn_like(x, generator())
    there = add_to_primal(x, t)
    back = add_to_primal(there, scale(-1.0, t))
    for a, b in zip(leaves(back), leaves(x)):
        if structure.is_leaf(a):
            assert np.allclose(a, b, rtol=coarse(x), atol=coarse(x) * 8)


@laws
@given(trees)
def test_one_tangent_type_for_each_value(x):
    space = tangent_type(x)
    assert hash(space) == hash(tangent_type(x)) and space == tangent_type(x)
    z, t = zeros_like(x), randn_like(x, generator())
    for made in (z, t, add(z, t), scale(3.0, t), copy(t), conj(t), add_to_primal(x, t), zeros_like(t)):
        assert tangent_type(made) == space
    assert (space is NoTangent) == (z is NoTangent) == (not has_tangent(x))
    assert allclose(randn_like(x, generator(5)), randn_like(x, generator(5)), 0.0)


@laws
@given(trees)
def test_what_is_one_stays_one(x):
    """Aliases and cycles of a tangent are those of the value, and those of another tangent."""
    z = zeros_like(x)
    shape = identities(z)
    for made in (randn_like(x, generator()), add(z, z), scale(2.0, z), copy(z), zeros_like(z)):
        assert identities(made) == shape
    assert identities(add_to_primal(x, z)) == identities(x)


@laws
@given(trees)
def test_in_place(x):
    t, s = randn_like(x, generator(1)), randn_like(x, generator(2))
    expected, target, kept = add(t, s), copy(t), copy(s)
    result = add_(target, s)
    assert allclose(result, expected, 0.0)
    assert allclose(s, kept, 0.0)
    if isinstance(target, (list, dict, np.ndarray, Plain, Slotted, Derived, Model, Frozen)):
        assert result is target
    zero = zero_(result)
    assert allclose(zero, zeros_like(x), 0.0)
    assert (zero is result) == (result is target) or not leaves(x)


@laws
@given(trees)
def test_copies_are_apart(x):
    t = randn_like(x, generator())
    before = copy(t)
    zero_(copy(t))
    assert allclose(t, before, 0.0)
    if has_tangent(x):
        add_to_primal(x, t)
    assert allclose(t, before, 0.0)
