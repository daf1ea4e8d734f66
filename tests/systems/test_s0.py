"""The rule model of Tapir and Mooncake in reverse mode: a test for every row of its table.

What is not possible yet is marked: such a test fails as soon as it passes.
"""

import copy
import dataclasses

import numpy as np
import pytest

import adcompile as ad
from adcompile import rules
from adcompile.tangents import NoTangent, add_to_primal, dot, randn_like, tangent_type, zeros_like
from adcompile.testing import CheckFailure, check_rule
from tests.checks import bits
from tests.systems.common import X, doubled, rng, slope

# 1: programs as transition functions: the state after and the result, of the state before


def overwrites(x, y):
    x[0] = y[1] * x[2]
    x[1:] *= y[:-1]
    return x[0] * x[1]


def test_s0_01_transition_function():
    y = X[::-1].copy()
    along = (randn_like(X, rng(1)), randn_like(y, rng(2)))
    args, given = (X.copy(), y.copy()), copy.deepcopy(along)
    _, tangent = ad.jvp(overwrites, args, given)
    expected = slope(overwrites, (X, y), along)
    assert np.allclose(tangent, expected[0])
    # the state of x after the call, as a result
    after = ad.jvp(lambda x, y: (overwrites(x, y), x, y), (X.copy(), y.copy()), along)[1]
    assert np.allclose(np.concatenate([np.ravel(part) for part in after]), expected)


def test_s0_01_transition_function_transposed():
    y = X[::-1].copy()
    after = lambda x, y: (overwrites(x, y), x, y)
    along = (randn_like(X, rng(1)), randn_like(y, rng(2)))
    value, pullback = ad.vjp(after, X.copy(), y.copy())
    ct = randn_like(value, rng(3))
    bars = pullback(ct)
    forward = ad.jvp(after, (X.copy(), y.copy()), along)[1]
    assert dot(ct, forward) == pytest.approx(sum(map(dot, bars, along)), rel=1e-12)


# 2: tangents and gradients have the same representation

SUPPORTED = [
    0.5,
    np.float32(0.5),
    np.float64(0.5),
    np.array(0.5),
    X,
    X.astype("f4"),
    np.ones((2, 0)),
    (0.5, 2, X),
    [X, 0.5],
    {"w": X, "n": 3},
]


def total(x):
    if isinstance(x, (tuple, list)):
        return sum([total(v) for v in x if not isinstance(v, int)])
    if isinstance(x, dict):
        return total(x["w"]) * x["n"]
    return np.sum(x * x) if isinstance(x, np.ndarray) else x * x


@pytest.mark.parametrize("x", SUPPORTED, ids=repr)
def test_s0_02_tangent_and_gradient_are_alike(x):
    _, pullback = ad.vjp(lambda x: x, x)
    tangent = ad.jvp(lambda x: x, (x,), (zeros_like(x),))[1]
    gradient = ad.grad(total)(x)
    assert tangent_type(tangent) == tangent_type(gradient) == tangent_type(pullback(tangent)[0]) == tangent_type(x)


@dataclasses.dataclass
class Model:
    w: np.ndarray
    b: float
    name: str = "m"


# 3: exactly one tangent type for each primal type


@pytest.mark.parametrize("x", [*SUPPORTED, Model(X, 0.5), 1 + 2j, np.complex64(1)], ids=repr)
def test_s0_03_one_tangent_type(x):
    space = tangent_type(x)
    assert space == tangent_type(copy.deepcopy(x)) == tangent_type(zeros_like(x)) == tangent_type(randn_like(x, rng()))
    assert hash(space) == hash(tangent_type(x))


@pytest.mark.parametrize("x", [3, True, "s", None, np.arange(3), (), [1, "a"], {"k": 1}, Model(1, 2)], ids=repr)
def test_s0_03_what_has_only_parts_without_tangent_has_none(x):
    assert tangent_type(x) is NoTangent


# 4: why unique: a rule that returns another dtype or shape is found out


def test_s0_04_check_rule_finds_another_dtype(own_rules):
    rules.vjp(doubled, lambda g, y, x: (2.0 * g).astype("f4"))
    with pytest.raises(CheckFailure):
        check_rule(doubled, X)


def test_s0_04_debug_mode_raises_where_a_rule_returns_another_shape(own_rules):
    rules.vjp(doubled, lambda g, y, x: np.sum(2.0 * g))
    with ad.config(debug=True), pytest.raises(ad.RuleError, match="doubled"):
        ad.grad(lambda x: np.sum(doubled(x)))(X)


# 5: NoTangent


def test_s0_05_no_tangent():
    assert add_to_primal(X, NoTangent) is X
    assert 2.0 + NoTangent == NoTangent + 2.0 == 2.0
    assert 3.0 * NoTangent is NoTangent and NoTangent + NoTangent is NoTangent
    assert not NoTangent and type(NoTangent)() is NoTangent


# 6: by reference and by value


def mixed(f, a, t):
    a[0] = f * t[0]
    return a[0] * a[1] + t[0] * np.sum(t[1])


def test_s0_06_parts_by_reference_and_by_value():
    args = (0.5, X.copy(), (0.7, X.copy()))
    df, da, (dt, dv) = ad.grad(mixed, (0, 1, 2))(*args)
    assert (type(df), type(dt)) == (float, float)
    assert df == pytest.approx(0.7 * X[1]) and dt == pytest.approx(0.5 * X[1] + X.sum())
    assert np.allclose(da, [0.0, 0.35, 0.0]) and np.allclose(dv, 0.7)


def test_s0_06_values_have_no_shadow():
    text = ad.source(ad.grad(lambda x: np.sum(np.sin(x) * x)), X)
    assert "zeros" not in text and "+=" not in text


# 7: nothing for what has no tangent


def test_s0_07_no_code_for_what_has_no_tangent():
    def f(x, n, name):
        k = n + len(name)
        return np.sum(x * k)

    text = ad.source(ad.grad(f), X, 3, "abc")
    for name in ("n_bar", "name_bar", "k_bar"):
        assert name not in text


# 8: no wrapper objects in generated code


def test_s0_08_no_wrappers():
    def f(x):
        y = x.copy()
        for i in range(3):
            y[i] = np.sin(y[i]) * x[i]
        return np.sum(y)

    for text in (ad.source(ad.grad(f), X), ad.source(ad.grad(lambda x: np.sum(x * x)), X)):
        assert not any(word in text for word in ("Dual", "class ", "lambda", "tape", "Node", "Tensor"))


# 9: after the rule: the state of the primal, and the same aliases


def test_s0_09_state_after_the_forward_sweep():
    args, primal = (X.copy(), X[::-1].copy()), (X.copy(), X[::-1].copy())
    expected = overwrites(*primal)
    value, pullback = ad.vjp(overwrites, *args)
    assert bits(value) == bits(expected)
    assert bits(args) == bits(primal), "after the forward sweep the state is the primal's"
    pullback(1.0)


def test_s0_09_results_alias_as_those_of_the_primal():
    def f(x):
        y = x * 2.0
        return y, y[1:], {"again": y}, x

    value, _ = ad.vjp(f, X.copy())
    y, tail, again, x = value[0], value[1], value[2]["again"], value[3]
    assert y is again and np.shares_memory(y, tail) and not np.shares_memory(y, x)


def test_s0_09_value_and_grad_gives_the_value_bit_for_bit():
    args = (X.copy(), X[::-1].copy())
    value, _ = ad.value_and_grad(overwrites, (0, 1))(*args)
    assert bits(value) == bits(overwrites(X.copy(), X[::-1].copy()))


# 10: after the pullback: the state as before, cotangents added up


def test_s0_10_state_after_the_pullback():
    args = (X.copy(), X[::-1].copy())
    before = bits(args)
    _, pullback = ad.vjp(overwrites, *args)
    first = pullback(1.0)
    assert bits(args) == before
    assert bits(pullback(1.0)) == bits(first)
    assert bits(args) == before


def test_s0_10_state_is_kept_on_demand():
    x, y = X.copy(), X[::-1].copy()
    _, pullback = ad.vjp(overwrites, x, y, restore=False)
    pullback(1.0)
    after = X.copy()
    overwrites(after, X[::-1].copy())
    assert np.array_equal(x, after)


def test_s0_10_cotangents_accumulate_into_given_buffers():
    buffer = np.ones(3)
    _, pullback = ad.vjp(lambda x: np.sum(x * x), X)
    pullback(1.0, out=(buffer,))
    assert np.allclose(buffer, 1.0 + 2.0 * X)


def test_s0_10_cotangents_of_mutated_arguments():
    def f(x):
        x[0] = x[1] * x[2]
        return x[0]

    _, pullback = ad.vjp(f, X.copy())
    (bar,) = pullback(0.0, mutated={"x": np.array([2.0, 1.0, 0.0])})
    assert np.allclose(bar, [0.0, 1.0 + 2.0 * X[2], 2.0 * X[1]])


# 11: the rule of a write


def test_s0_11_overwritten_then_used_again():
    def f(x, v):
        a = x[0]
        x[0] = v * x[1]
        return a * x[0] + x[0] ** 2

    g, dv = ad.grad(f, (0, 1))(X.copy(), 0.4)
    w = 0.4 * X[1]
    assert np.allclose(g, [w, 0.4 * (X[0] + 2 * w), 0.0]) and dv == pytest.approx(X[1] * (X[0] + 2 * w))


def test_s0_11_overwritten_twice():
    def f(x, v):
        x[0] = v * 100.0
        x[0] = v * x[1]
        return x[0] * x[2]

    g, dv = ad.grad(f, (0, 1))(X.copy(), 0.4)
    assert np.allclose(g, [0.0, 0.4 * X[2], 0.4 * X[1]]) and dv == pytest.approx(X[1] * X[2])


def test_s0_11_slices_and_broadcasts():
    def f(a, v):
        a[1:] = v
        a[:, 0] = v[1]
        return np.sum(a * a)

    a, v = np.ones((3, 3)), X.copy()
    ga, gv = ad.grad(f, (0, 1))(a, v)
    assert np.allclose(ga, [[0.0, 2.0, 2.0], [0.0] * 3, [0.0] * 3])
    assert np.allclose(gv, [0.0, 4.0 * X[1] + 6.0 * X[1], 4.0 * X[2]])


def test_s0_11_augmented_writes_zero_nothing():
    def f(x, v):
        x[1] += v * x[0]
        return x[1] ** 2

    g, dv = ad.grad(f, (0, 1))(X.copy(), 0.4)
    w = 2 * (X[1] + 0.4 * X[0])
    assert np.allclose(g, [0.4 * w, w, 0.0]) and dv == pytest.approx(w * X[0])


def test_s0_11_self_reading_write():
    def f(a):
        for i in range(1, len(a)):
            a[i] = a[i] * a[i - 1]
        return a[-1]

    assert np.allclose(ad.grad(f)(X.copy()), np.prod(X) / X)


# 12: an argument that is returned is the argument


def set_first(x, y):
    x[0] = y
    return x


def test_s0_12_returned_argument_is_the_argument():
    def f(x, y):
        return x, set_first(x, y)

    (a, b), pullback = ad.vjp(f, X.copy(), 0.5)
    assert a is b or np.shares_memory(a, b) or np.array_equal(a, b)
    gx, gy = pullback((np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 30.0])))
    assert np.allclose(gx, [0.0, 22.0, 33.0]) and gy == pytest.approx(11.0)
