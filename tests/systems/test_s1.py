"""The rule model of Mooncake in forward mode: a test for every row of its table.

What is not possible yet is marked: such a test fails as soon as it passes.
"""

import inspect

import numpy as np
import pytest

import adcompile as ad
from adcompile import rules
from adcompile.api import find
from adcompile.runs import Plan
from adcompile.tangents import add_to_primal, dot, randn_like, scale, tangent_type
from adcompile.testing import check_rule
from tests.checks import bits
from tests.systems.common import X, rng, smooth

# 1: value and Fréchet derivative


def test_s1_01_value_and_derivative():
    y = X[::-1].copy()
    along = (randn_like(X, rng(1)), randn_like(y, rng(2)))
    value, tangent = ad.jvp(smooth, (X, y), along)
    assert bits(value) == bits(smooth(X, y))

    def at(h):
        return smooth(add_to_primal(X, scale(h, along[0])), add_to_primal(y, scale(h, along[1])))

    h = 1e-5
    assert np.allclose(tangent, (at(h) - at(-h)) / (2 * h), rtol=1e-7)
    ct = randn_like(value, rng(3))
    bars = ad.vjp(smooth, X, y)[1](ct)
    assert dot(ct, tangent) == pytest.approx(sum(map(dot, bars, along)), rel=1e-12)


# 2: tangents have the type of their primal


def test_s1_02_tangents_have_the_type_of_the_result():
    def f(x):
        return np.float32(2.0) * x, (x[0], [x.astype("f4")]), {"k": 3, "n": np.sum(x)}

    value, tangent = ad.jvp(f, (X,), (np.ones(3),))
    assert tangent_type(value) == tangent_type(tangent)


@pytest.mark.parametrize("wrong", [np.ones(2), np.ones((3, 1)), (1.0, 1.0, 1.0), 1.0, np.ones(3) * 1j], ids=repr)
def test_s1_02_tangents_of_another_type_are_refused(wrong):
    with pytest.raises(ad.NotDifferentiable):
        ad.jvp(lambda x: np.sum(x), (X,), (wrong,))


# 3: the state is the primal's


def multiply_into(z, x, y):
    """The matrix product written over z."""
    z[:] = x @ y
    return z[0, 0]


def test_s1_03_mutations_stay():
    x, y, z = rng(1).normal(size=(2, 2)), rng(2).normal(size=(2, 2)), np.ones((2, 2))
    dx, dy, dz = (randn_like(x, rng(k)) for k in (3, 4, 5))

    def after(z, x, y):
        multiply_into(z, x, y)
        return z

    args = (z.copy(), x, y)
    value, tangent = ad.jvp(after, args, (dz, dx, dy))
    assert np.array_equal(args[0], x @ y) and np.array_equal(value, x @ y)
    assert np.allclose(tangent, dx @ y + x @ dy), "overwritten, not added to"


def test_s1_03_tangents_after_the_call():
    x, y, z = np.eye(2), np.ones((2, 2)), np.zeros((2, 2))
    dz = np.ones((2, 2))
    _, _, after = ad.jvp(multiply_into, (z, x, y), (dz, x, y), mutated=True)
    assert np.allclose(after["z"], x @ y + x @ y)


def test_s1_03_tangents_passed_in_are_not_modified():
    z, dz = np.zeros((2, 2)), np.ones((2, 2))
    ad.jvp(multiply_into, (z, np.eye(2), np.ones((2, 2))), (dz, np.eye(2), np.eye(2)))
    assert np.array_equal(dz, np.ones((2, 2)))


# 4: primitives and contexts


def test_s1_04_is_primitive_after_registration(own_rules):
    def scaled(x):
        return 3.0 * x

    assert not rules.is_primitive(scaled, mode="reverse")
    rules.vjp(scaled, lambda g, y, x: 3.0 * g)
    assert rules.is_primitive(scaled, mode="reverse")
    assert rules.is_primitive(np.sin, mode="forward") and rules.is_primitive(np.sin, mode="reverse")
    assert not rules.is_primitive(smooth, mode="forward")


def test_s1_04_contexts_give_the_same_gradients(own_rules):
    def cube(x):
        return x * x * x

    rules.primitive(cube, context="default")
    rules.vjp(cube, lambda g, y, x: 3.0 * x * x * g)
    default = ad.grad(lambda x: np.sum(cube(x)))(X)
    assert rules.is_primitive(cube, context="default") and not rules.is_primitive(cube, context="minimal")
    with ad.config(context="minimal"):
        minimal = ad.grad(lambda x: np.sum(cube(x)))(X)
    assert np.allclose(default, minimal, rtol=1e-14)


def test_s1_04_a_primitive_is_not_followed(own_rules):
    def opaque(x):
        return x * x

    rules.primitive(opaque)
    with pytest.raises(ad.AdcompileError):
        ad.grad(lambda x: opaque(x))(1.0)


# 5: rules registered later


def test_s1_05_registering_a_rule_derives_anew(own_rules):
    def f(x):
        return x * x

    g = ad.grad(lambda x: f(x) + x)
    assert g(3.0) == 7.0
    rules.vjp(f, lambda g, y, x: 100.0 * g)
    assert g(3.0) == 101.0


def test_s1_05_what_was_derived_keeps_its_rule(own_rules):
    def f(x):
        return x * x

    _, pullback = ad.vjp(lambda x: f(x) + x, 3.0)
    rules.vjp(f, lambda g, y, x: 100.0 * g)
    assert pullback(1.0) == (7.0,)


# 6: rules by hand


def test_s1_06_rule_by_hand_is_inlined(own_rules):
    def cosine(x):
        return np.cos(x)

    @rules.frule(cosine)
    def _(x, x_dot):
        return np.cos(x), -np.sin(x) * x_dot

    _, tangent = ad.jvp(lambda x: 2.0 * cosine(x), (X,), (np.ones(3),))
    assert np.allclose(tangent, -2.0 * np.sin(X))
    check_rule(cosine, X)


def test_s1_06_rule_without_source_is_called(own_rules):
    def f(x):
        return x * x

    space = {}
    exec("def body(g, y, x):\n    return 2.0 * x * g\n", space)
    rules.vjp(f, space["body"])
    assert ad.grad(lambda x: f(x) * 2.0)(3.0) == 12.0


def test_s1_06_matrix_product_into_an_array():
    x, y, z = rng(1).normal(size=(2, 2)), rng(2).normal(size=(2, 2)), np.ones((2, 2))
    dx, dy = randn_like(x, rng(3)), randn_like(y, rng(4))

    def f(z, x, y):
        np.matmul(x, y, out=z)
        return np.sum(z * z)

    _, tangent = ad.jvp(f, (z, x, y), (None, dx, dy))
    assert tangent == pytest.approx(np.sum(2 * (x @ y) * (dx @ y + x @ dy)))


# 7: every stage can be looked at, and the text runs


def test_s1_07_source_is_registered_and_runs():
    g = ad.grad(lambda x: np.sum(np.sin(x) ** 2))
    text = ad.source(g, X)
    space = {}
    exec(text if "import numpy" in text else "import numpy as np\n" + text, space)
    derived = next(v for k, v in space.items() if k.endswith("_grad"))
    assert np.array_equal(derived(X), g(X))


def test_s1_07_inspect_shows_generated_source():
    derivative = ad.grad(lambda x: np.sum(np.cos(x)))
    entry, _ = derivative.specialise((X,), {})
    assert "sin" in inspect.getsource(entry.made.derived.call)


# 8: every kind of statement


def dynamic(x, fns):
    y = x
    for fn in fns:
        y = fn(y)
    return y


def twice(x):
    return 2.0 * x


STATEMENTS = {
    "static_call": (lambda x: twice(np.sin(x)), 0.4),
    "branch": (lambda x: x * x if x > 0.0 else -x, -0.4),
    "chained_branches": (lambda x: (x if x < 0.0 else x**2) if x < 1.0 else x**3, 1.4),
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_s1_08_expressions(name):
    f, x = STATEMENTS[name]
    h = 1e-6
    assert ad.jvp(f, (x,), (1.0,))[1] == pytest.approx((f(x + h) - f(x - h)) / (2 * h), rel=1e-6)


def test_s1_08_loops_and_merges():
    def f(x, n):
        y, z = x, 1.0  # z is a constant at first: its tangent is lifted to zero
        for i in range(n):
            if i % 2:
                z = y * x
            else:
                y = z + y
        while y > 3.0:
            y = y * 0.5
        return y * z

    h = 1e-6
    for x, n in ((0.7, 0), (0.7, 3), (2.1, 4)):
        expected = (f(x + h, n) - f(x - h, n)) / (2 * h)
        assert ad.jvp(f, (x, n), (1.0, None))[1] == pytest.approx(expected, rel=1e-6)


def test_s1_08_call_through_a_variable():
    for fns in ((np.sin, twice), (twice, np.exp, np.sin)):
        h = 1e-6
        expected = (dynamic(0.4 + h, fns) - dynamic(0.4 - h, fns)) / (2 * h)
        assert ad.jvp(lambda x, fns=fns: dynamic(x, fns), (0.4,), (1.0,))[1] == pytest.approx(expected)



def test_s1_08_call_decided_at_run_time():
    table = [np.sin, twice, lambda x: x * x]

    def f(x, choice):
        for i in choice:
            x = table[i](x)
        return x

    choice = np.array([0, 2, 1])
    h = 1e-6
    expected = (f(0.4 + h, choice) - f(0.4 - h, choice)) / (2 * h)
    assert ad.jvp(f, (0.4, choice), (1.0, None))[1] == pytest.approx(expected)


def test_s1_08_unbound_names_stay_unbound():
    def f(x, c):
        if c:
            v = x * x
        return v

    assert ad.jvp(f, (2.0, True), (1.0, None)) == (4.0, 4.0)
    with pytest.raises(UnboundLocalError):
        ad.jvp(f, (2.0, False), (1.0, None))


def test_s1_08_branches_are_decided_by_values_alone():
    def f(x):
        return x * 2.0 if x else 5.0 * x

    assert ad.jvp(f, (0.0,), (1.0,)) == (0.0, 5.0)
    assert ad.jvp(f, (1.0,), (0.0,)) == (2.0, 0.0)


def test_s1_08_globals_are_constants():
    assert ad.jvp(lambda x: np.pi * x, (2.0,), (1.0,))[1] == np.pi


def test_s1_08_try_in_forward_mode():
    def f(x, items):
        try:
            y = x * items[3]
        except IndexError:
            y = x * x
        return y

    assert ad.jvp(f, (2.0, [1.0]), (1.0, None)) == (4.0, 4.0)


# 9: constants have no tangents


def test_s1_09_constants_have_no_code():
    _, _, entry = find(lambda x: 3 * x + np.sum(np.ones(2)), (X,), Plan("jvp", (0,)))
    text = entry.made.derived.source
    assert "3 * x_dot" in text or "3.0 * x_dot" in text
    assert "zeros" not in text and "0.0" not in text
