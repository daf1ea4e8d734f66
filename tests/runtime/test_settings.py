"""Settings: what they are compared with, put back, and made of derivatives that exist."""

import numpy as np
import pytest

import adcompile as ad
from adcompile import rules
from adcompile.rules import registry
from adcompile.rules.registry import registered
from adcompile.runtime import settings
from adcompile.targets import synthesise
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
