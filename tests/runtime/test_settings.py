"""Settings: what they are compared with, put back, and made of derivatives that exist."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import adcompile as ad
from adcompile import rules
from adcompile.frontend.source import synthesise
from adcompile.rules import registry
from adcompile.rules.registry import registered
from adcompile.runtime import settings
from adcompile.testing import check_grads
from tests.rules.test_registry import SAMPLES, name_of

DEFAULT = [fn for fn, rule in registered().items() if rule.context == "default"]


def cube(x):
    return x * x * x


@pytest.fixture
def wrong_rule():
    """A rule of the default context, which can be told from the source."""
    rules.vjp(cube, lambda g, y, x: 100.0 * g, context="default")
    yield
    registry.unregister(cube)


def test_a_block_has_its_own_settings():
    with ad.config(context="minimal") as inside:
        assert inside.context == settings.current.context == "minimal"
        with ad.config(context="default"):
            assert settings.current.context == "default"
        assert settings.current.context == "minimal"
    assert settings.current.context == "default"


def test_an_error_puts_the_settings_back():
    with pytest.raises(KeyError), ad.config(context="minimal"):
        raise KeyError
    assert settings.current.context == "default"


def test_settings_that_do_not_exist_are_refused():
    with pytest.raises(TypeError, match="not 'contxt'"):
        ad.config(contxt="minimal")
    with pytest.raises(ValueError, match="'minimal' or 'default'"):
        ad.config(context="maximal")
    with pytest.raises(ad.RuleError, match="no context 'maximal'"):
        rules.vjp(cube, lambda g, y, x: g, context="maximal")
    with pytest.raises(ValueError, match="mode is"):
        rules.is_primitive(np.sin, mode="sideways")


def test_derivatives_that_exist_are_made_anew(wrong_rule):
    g = ad.grad(cube)
    h = ad.grad(lambda x: cube(x) + x)
    assert h(2.0) == 101.0
    with ad.config(context="minimal"):
        assert h(2.0) == 13.0 and g(2.0) == 12.0
    assert h(2.0) == 101.0


def test_contexts_are_nested(wrong_rule):
    assert rules.is_primitive(cube) and not rules.is_primitive(cube, context="minimal")
    rules.primitive(cube, context="minimal")
    assert rules.is_primitive(cube) and rules.is_primitive(cube, context="minimal")
    minimal = {fn for fn in registered() if rules.is_primitive(fn, context="minimal")}
    default = {fn for fn in registered() if rules.is_primitive(fn, context="default")}
    assert minimal < default


def test_later_rules_belong_to_the_context_of_the_first():
    def square(x):
        return x * x

    try:
        rules.primitive(context="default")(square)
        rules.frule(square, lambda x, x_dot: (x * x, 2.0 * x * x_dot))
        rules.rrule(square, lambda x: (x * x, lambda g: 2.0 * x * g))
        assert rules.is_primitive(square) and not rules.is_primitive(square, context="minimal")
    finally:
        registry.unregister(square)


def test_overlays_are_no_primitives():
    def root(x):
        return float(np.sqrt(x))

    try:
        rules.overlay(root, lambda x: x**0.5)
        assert not rules.is_primitive(root)
        rules.is_primitive("numpy.sin")
    finally:
        registry.unregister(root)


def test_there_are_functions_with_both():
    assert len(DEFAULT) >= 25


@pytest.mark.parametrize("fn", DEFAULT, ids=name_of)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of NumPy, for forms that still work
def test_both_contexts_give_the_same_derivatives(fn):
    for args, given in SAMPLES[fn]:
        if not any(map(ad.tangents.has_tangent, args)):
            continue
        wrt = [k for k, a in enumerate(args) if ad.tangents.has_tangent(a)]
        rng = np.random.default_rng(7)
        along = tuple(ad.tangents.randn_like(a, rng) if k in wrt else None for k, a in enumerate(args))

        params = ", ".join(f"x{k}" for k in range(len(args)))
        f = synthesise("sample", params, [f"return fn({params}, **given)"], {"fn": fn, "given": given})
        _, default = ad.jvp(f, args, along)
        with ad.config(context="minimal"):
            value, minimal = ad.jvp(f, args, along)
            assert ad.tangents.allclose(minimal, default, rtol=1e-9, atol=1e-12)
            ct = ad.tangents.randn_like(value, np.random.default_rng(8))
            derived = ad.vjp(f, *args)[1](ct)
        for a, b in zip(derived, ad.vjp(f, *args)[1](ct)):
            assert (a is None) == (b is None) and (a is None or ad.tangents.allclose(a, b, rtol=1e-9, atol=1e-12))


def test_a_rule_serves_both_modes(wrong_rule):
    assert rules.is_primitive(cube, "forward") and rules.is_primitive(cube, "reverse")
    with ad.config(context="minimal"):
        check_grads(lambda x: np.sum(cube(x)), (np.array([0.3, -0.7]),))


# -- debug mode -----------------------------------------------------------------------------------

POINT = np.array([0.3, -0.7, 1.1])


def square_sum(x):
    return np.sum(x * x)


def test_debug_is_a_setting_among_others():
    with ad.config(debug=True), ad.config(context="minimal") as inside:
        assert inside.debug and inside.context == "minimal"
    assert not settings.current.debug
    with pytest.raises(ValueError, match="True or False, not 1"):
        ad.config(debug=1)
    try:
        ad.config(debug=True)  # for good
        assert settings.current.debug
    finally:
        ad.config(debug=False)


@pytest.mark.parametrize("value, expected", [("1", "True"), ("0", "False"), ("", "False")])
def test_the_environment(value, expected):
    text = "from adcompile.runtime import settings; print(settings.current.debug)"
    made = subprocess.run(
        [sys.executable, "-c", text],
        env={**os.environ, "ADCOMPILE_DEBUG": value},
        capture_output=True,
        text=True,
        check=True,
    )
    assert made.stdout.strip() == expected


def test_specialisations_belong_to_a_mode():
    """Neither mode runs the other one's code, and going back compiles nothing."""
    g = ad.grad(square_sum)
    plain = ad.source(g, POINT)
    entry, _ = g.specialise((POINT,), {})
    with ad.config(debug=True):
        watched = ad.source(g, POINT)
        inside, _ = g.specialise((POINT,), {})
        assert inside is not entry and np.array_equal(g(POINT), 2 * POINT)
        assert g.specialise((POINT,), {})[0] is inside
    assert "check_" in watched and "check_" not in plain
    assert g.specialise((POINT,), {})[0] is entry and ad.source(g, POINT) == plain
    with ad.config(debug=True):
        assert g.specialise((POINT,), {})[0] is inside


def test_the_quick_way_of_a_derivative_asks_for_the_mode():
    def tripled(x):
        return 3.0 * x

    rules.vjp(tripled, lambda g, y, x: g * np.nan)
    try:
        g = ad.grad(lambda x: np.sum(tripled(x)))
        assert np.all(np.isnan(g(POINT)))
        with ad.config(debug=True), pytest.raises(ad.RuleError, match="tripled"):
            g(POINT)
        assert np.all(np.isnan(g(POINT)))
    finally:
        registry.unregister(tripled)


def test_for_all_threads():
    seen = []
    with ad.config(debug=True):
        thread = threading.Thread(target=lambda: seen.append(settings.current.debug))
        thread.start()
        thread.join()
    assert seen == [True]
