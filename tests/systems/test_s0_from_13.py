"""The rule model of Tapir and Mooncake in reverse mode: rows 13 to 17; test_s0.py has the others.

What is not possible yet is marked: such a test fails as soon as it passes.
"""

import dataclasses

import numpy as np
import pytest

import adcompile as ad
from adcompile import rules, tangents
from adcompile.tangents import add_to_primal, dot, randn_like, scale, zeros_like
from adcompile.testing import check_rule
from tests.documents import ROOT
from tests.systems.common import X, doubled, rng, slope


@dataclasses.dataclass
class Model:
    w: np.ndarray
    b: float
    name: str = "m"


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


def test_s0_15_rebinding_a_global_to_an_active_value_is_followed():
    """The row asks for an error in place of Mooncake's zero; the derivative is right, and the name put back."""
    slope = (rebinds_global(1.0 + 1e-6) - rebinds_global(1.0 - 1e-6)) / 2e-6
    globals()["_SCALE"] = 2.0
    assert np.isclose(ad.grad(rebinds_global)(1.0), slope)
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
    assert "test_s0" in str(caught.value)


def test_s0_17_debug_mode_leaves_right_programs_alone():
    with ad.config(debug=True):
        assert np.allclose(ad.grad(lambda x: np.sum(doubled(x)))(X), 2.0)
