"""The rule model of Tapir and Mooncake in reverse mode: a test for every row of its table.

What is not possible yet is marked: such a test fails as soon as it passes.
"""

import copy
import dataclasses

import numpy as np
import pytest

import adcompile as ad
from adcompile import rules, tangents
from adcompile.rules import registry
from adcompile.tangents import NoTangent, add_to_primal, dot, randn_like, scale, tangent_type, zeros_like
from adcompile.testing import CheckFailure, check_rule
from tests.checks import bits
from tests.documents import ROOT

X = np.array([0.3, 0.7, 1.1])


def not_yet(reason):
    return pytest.mark.xfail(strict=True, reason=reason)


def rng(seed=0):
    return np.random.default_rng(seed)


def slope(f, args, along, h=1e-5):
    """The derivative of everything a call leaves visible: its result and the state of its arguments."""

    def at(k):
        moved = [a if t is None else add_to_primal(a, scale(k, t)) for a, t in zip(copy.deepcopy(args), along)]
        return np.concatenate([np.ravel(f(*moved)), *(np.ravel(m) for m, t in zip(moved, along) if t is not None)])

    return (at(h) - at(-h)) / (2 * h)


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


@pytest.fixture
def own_rules():
    before = set(registry.registered())
    yield
    for fn in set(registry.registered()) - before:
        registry.unregister(fn)


def doubled(x):
    return 2.0 * x


def test_s0_04_check_rule_finds_another_dtype(own_rules):
    rules.vjp(doubled, lambda g, y, x: (2.0 * g).astype("f4"))
    with pytest.raises(CheckFailure):
        check_rule(doubled, X)


@not_yet("there is no debug mode")
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


@not_yet("vjp takes no restore=False")
def test_s0_10_state_is_kept_on_demand():
    x, y = X.copy(), X[::-1].copy()
    _, pullback = ad.vjp(overwrites, x, y, restore=False)
    pullback(1.0)
    after = X.copy()
    overwrites(after, X[::-1].copy())
    assert np.array_equal(x, after)


@not_yet("pullbacks take no buffers")
def test_s0_10_cotangents_accumulate_into_given_buffers():
    buffer = np.ones(3)
    _, pullback = ad.vjp(lambda x: np.sum(x * x), X)
    pullback(1.0, out=(buffer,))
    assert np.allclose(buffer, 1.0 + 2.0 * X)


@not_yet("pullbacks take no cotangents of mutated arguments")
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


# 13: one address, one shadow: views


def random_views(x, y, s):
    a = x.reshape(2, 3)
    b = a.T[1:]
    c = b[::-1, 0]
    c *= s
    a[:, 1] = y[:2]
    b[0] += c
    for row in a:
        row[0] *= row[1]
    return np.sum(x**2) + np.sum(c * b[1, 0])


def test_s0_13_views_share_shadows():
    x, y = np.linspace(0.2, 1.0, 6), X.copy()
    along = (randn_like(x, rng(1)), randn_like(y, rng(2)), 0.3)
    expected = slope(random_views, (x, y, 0.7), along)[0]
    assert ad.jvp(random_views, (x.copy(), y.copy(), 0.7), along)[1] == pytest.approx(expected, rel=1e-7)
    bars = ad.grad(random_views, (0, 1, 2))(x.copy(), y.copy(), 0.7)
    assert sum(map(dot, bars, along)) == pytest.approx(expected, rel=1e-7)


def writes_first(a, b):
    a[0] = b[1] * 3.0
    return np.sum(a * b)


@pytest.mark.parametrize("second", [lambda a: a, lambda a: a[1:], lambda a: a[::-1]], ids=["same", "tail", "reversed"])
def test_s0_13_aliased_arguments_have_one_total_cotangent(second):
    def alone(a):
        b = second(a)
        m = min(len(a), len(b))
        return writes_first(a[:m], b)

    x = X.copy()
    expected = ad.grad(alone)(X.copy())
    m = min(len(x), len(second(x)))
    bars = ad.vjp(writes_first, x[:m], second(x))[1](1.0)
    for bar, part in zip(bars, (expected[:m], second(expected))):
        assert np.allclose(bar, part)


# 14: the same rule, as others write it


def test_s0_14_rrule_of_chain_rules(own_rules):
    def scaled(x, s):
        return x * s

    @rules.rrule(scaled)
    def _(x, s):
        def pullback(y_bar):
            return y_bar * s, np.sum(y_bar * x)

        return x * s, pullback

    check_rule(scaled, X, 0.5)


@not_yet("there is no page for those who come from other tools")
def test_s0_14_page_for_those_who_come_from_other_tools():
    assert "ChainRules" in (ROOT / "docs" / "coming_from.md").read_text(encoding="utf-8")


# 15: closures, globals and nonlocals

_SCALE = 2.0
_TABLE = np.ones(3)


def reads_global(x):
    return np.sum(x * _SCALE)


def rebinds_global(x):
    global _SCALE
    _SCALE = x
    return x * 2.0


def test_s0_15_captured_values_are_read_when_called():
    weight = [2.0]

    def outer(w):
        return lambda x: w * x

    assert ad.grad(outer(2.0))(1.0) == 2.0 and ad.grad(outer(3.0))(1.0) == 3.0
    assert ad.grad(lambda x: weight[0] * x)(1.0) == 2.0


def test_s0_15_derivatives_for_what_an_inner_function_captures():
    def f(w, x):
        def inner(v):
            return w * v

        return inner(x) * inner(2.0)

    assert ad.grad(f, (0, 1))(3.0, 0.5) == pytest.approx((2 * 3.0 * 0.5 * 2.0, 3.0 * 6.0))


@not_yet("no gradients for a closure's own captured values")
def test_s0_15_gradient_for_captured_values():
    w = np.array([1.0, 2.0])

    def f(x):
        return np.sum(w * x)

    closure, _ = ad.grad(f, wrt_closure=True)(np.ones(2))
    assert np.allclose(closure["w"], 1.0)


def test_s0_15_changing_a_global_is_seen(monkeypatch):
    g = ad.grad(reads_global)
    assert np.allclose(g(X), 2.0)
    monkeypatch.setitem(globals(), "_SCALE", 5.0)
    assert np.allclose(g(X), 5.0)


def writes_module_array(x):
    _TABLE[1:] = x[1:] * x[:-1]
    _TABLE[0] *= 2.0
    return np.sum(_TABLE * x)


def test_s0_15_module_arrays_are_followed_and_restored():
    a, b, c = X  # the value is 2 a + a b² + b c²
    assert np.allclose(ad.grad(writes_module_array)(X), [2.0 + b * b, 2.0 * a * b + c * c, 2.0 * b * c])
    assert _TABLE.tolist() == [1.0, 1.0, 1.0]


def test_s0_15_rebinding_a_global_to_an_active_value_is_refused():
    with pytest.raises(ad.AdcompileError) as caught:
        ad.grad(rebinds_global)(1.0)
    assert caught.value.place is not None and "test_s0.py" in str(caught.value)
    assert _SCALE == 2.0


def test_s0_15_nonlocal_that_survives_is_refused():
    total = 0.0

    def f(x):
        nonlocal total
        total = x * x
        return total

    with pytest.raises(ad.AdcompileError) as caught:
        ad.grad(f)(1.0)
    assert caught.value.place is not None


# 16: the vector space of tangents (laws over all structures: tests/test_tangent_laws.py)


def test_s0_16_vector_space():
    shared = X.copy()
    p = Model([shared, shared, {"b": 0.5}], 0.5)
    p.me = p
    z, t = zeros_like(p), randn_like(p, rng())
    assert tangents.allclose(tangents.add(z, t), t)
    assert dot(t, z) == 0.0 and dot(t, scale(2.0, t)) == pytest.approx(2.0 * dot(t, t))
    assert tangents.allclose(scale(2.0, t), tangents.add(t, t))
    assert t.me is t and t.w[0] is t.w[1]
    assert tangents.add_(t, z) is t and tangents.zero_(t) is t
    same = add_to_primal(p, z)
    assert same.me is same and np.array_equal(same.w[0], shared) and same.b == p.b


# 16b: what may be missing


def test_s0_16b_names_bound_on_some_paths():
    def f(x, c):
        if c:
            v = x * x
        w = x
        if c:
            w = w * v
        return w

    g = ad.grad(f)
    assert g(2.0, True) == 12.0 and g(2.0, False) == 1.0


def test_s0_16b_attributes_set_later():
    class Box:
        def __init__(self, a):
            self.a = a

    def f(x, c):
        box = Box(x)
        if c:
            box.late = x * x
        return box.late * box.a if c else box.a

    g = ad.grad(f)
    assert g(2.0, True) == 12.0 and g(2.0, False) == 1.0


# 17: debug mode


@not_yet("there is no debug mode")
@pytest.mark.parametrize(
    "broken",
    [
        lambda g, y, x: (2.0 * g).astype("f4"),
        lambda g, y, x: (2.0 * g, g),
        lambda g, y, x: np.sum(2.0 * g),
        lambda g, y, x: g * np.nan,
    ],
    ids=["dtype", "arity", "shape", "finite"],
)
def test_s0_17_debug_mode_names_rule_and_line(own_rules, broken):
    rules.vjp(doubled, broken)
    with ad.config(debug=True), pytest.raises(ad.RuleError, match="doubled") as caught:
        ad.grad(lambda x: np.sum(doubled(x)))(X)
    assert "test_s0.py" in str(caught.value)


@not_yet("there is no debug mode")
def test_s0_17_debug_mode_leaves_right_programs_alone():
    with ad.config(debug=True):
        assert np.allclose(ad.grad(lambda x: np.sum(doubled(x)))(X), 2.0)
