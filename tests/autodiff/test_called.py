"""Rules whose bodies cannot be read: they are called, in both modes; each against the primal."""

import functools

import numpy as np
import pytest

import adcompile as ad
from adcompile import rules
from adcompile.rules import registry

X = np.array([0.3, 0.7, 1.1])


def unreadable(text):
    """A function of text that nobody else has."""
    space = {"np": np}
    exec(text, space)
    return space["body"]


class Scaled:
    """A callable object; it counts its calls."""

    def __init__(self):
        self.calls = 0

    def __call__(self, g, y, x):
        self.calls += 1
        return 2.0 * x * g


def both(k, g, y, a, b):
    return k * b * b * g, 2.0 * a * b * g


RULES = {
    "vjp": (
        lambda: lambda x: x * x,
        lambda f: rules.vjp(f, unreadable("def body(g, y, x): return 2.0 * x * g")),
    ),
    "tuple_of_one": (
        lambda: lambda x: x * x,
        lambda f: rules.vjp(f, unreadable("def body(g, y, x): return (2.0 * x * g,)")),
    ),
    "callable_object": (lambda: lambda x: x * x, lambda f: rules.vjp(f, Scaled())),
    "elementwise": (
        lambda: lambda x: np.sin(x) / 3.0,
        lambda f: rules.elementwise(f)(unreadable("def body(y, x): return np.cos(x) / 3.0")),
    ),
    "frule": (
        lambda: lambda x: np.sin(x),
        lambda f: rules.frule(f, unreadable("def body(x, x_dot): return np.sin(x), np.cos(x) * x_dot")),
    ),
    "rrule": (
        lambda: lambda x: np.sin(x),
        lambda f: rules.rrule(f, unreadable("def body(x): return np.sin(x), lambda g: np.cos(x) * g")),
    ),
}


@pytest.fixture(params=RULES)
def f(request):
    make, register = RULES[request.param]
    made = make()
    register(made)
    yield made
    registry.unregister(made)


def iterated(f, x, n):
    """A rule in a loop and in a branch: what its pullback reads is kept for each iteration."""
    y = x
    for i in range(n):
        if i % 2:
            y = y * 0.5 + x
        else:
            y = f(y) + x
    return y


def test_number(f):
    ad.check_grads(lambda x: f(np.sin(x)) * x, (1.3,), order=1)


def test_array(f):
    ad.check_grads(lambda x: np.sum(f(x * x) * x), (X,), order=1)
    ad.check_grads(lambda x: f(x * x)[::-1] * x, (X,), order=1)  # joint and split


def test_loop(f):
    ad.check_grads(lambda x: iterated(f, x, 4), (0.4,), order=1)
    ad.check_grads(lambda x: np.sum(iterated(f, x, 3)), (X,), order=1)


def test_single_precision(f):
    x = X.astype(np.float32)
    assert ad.grad(lambda x: np.sum(f(x)))(x).dtype == np.float32
    assert ad.jvp(f, (x,), (np.ones_like(x),))[1].dtype == np.float32


def test_second_derivatives_are_refused(f, request):
    def through(x):
        return f(x) * x

    for second in (ad.grad(ad.grad(through)), lambda x: ad.jvp(ad.grad(through), (x,), (1.0,))):
        if "elementwise" in request.node.name:
            continue
        with pytest.raises(ad.NotDifferentiable, match="its source cannot be read") as caught:
            second(1.3)
        assert caught.value.place.file == __file__ and "register a rule for the rule" in str(caught.value)


def test_several_arguments():
    def f(a, b):
        return a * b * b

    rules.vjp(f, functools.partial(both, 1.0))
    ad.check_grads(lambda x, w: np.sum(f(np.sin(x), w) * x), (X, X[::-1].copy()), order=1)
    ad.check_grads(lambda x: f(x, 2.0) + f(0.5, x), (1.3,), order=1)


def test_broadcast_partials():
    def f(a, b):
        return np.hypot(a, b)

    rules.elementwise(f)(unreadable("def body(y, a, b): return a / y, b / y"))
    ad.check_grads(lambda x, w: np.sum(f(x, w) * x), (X, 1.3), order=1)
    ad.check_grads(lambda x, w: f(x, w), (X[:, None], X), order=1)


def test_complex_numbers():
    def f(z):
        return z * z

    rules.vjp(f, unreadable("def body(g, y, z): return 2.0 * np.conj(z) * g"))
    ad.check_grads(lambda x: np.sum(np.abs(f(x * (1 + 2j)) * x) ** 2), (X,), order=1)


def test_none_is_zero():
    def f(a, b):
        return a * np.floor(b)

    rules.vjp(f, unreadable("def body(g, y, a, b): return g * np.floor(b), None"))
    assert ad.grad(lambda a, b: f(a, b) + b, argnums=(0, 1))(2.0, 3.5) == (3.0, 1.0)
    assert ad.jvp(f, (2.0, 3.5), (1.0, 1.0))[1] == 3.0


def test_a_rule_with_a_rule_is_differentiated_again():
    def f(x):
        return x * x

    body = unreadable("def body(g, y, x): return 2.0 * x * g")
    rules.vjp(f, body)
    rules.vjp(body, lambda c, out, g, y, x: (2.0 * x * c, None, 2.0 * g * c))
    try:
        ad.check_grads(lambda x: f(np.sin(x)), (1.3,), order=2)
        ad.check_grads(lambda x: np.sum(f(np.sin(x))), (X,), order=2)
    finally:
        registry.unregister(body)


def test_the_call_stands_in_the_source():
    def f(x):
        return x * x

    body = Scaled()
    rules.vjp(f, body)
    g = ad.grad(lambda x: f(x) * 2.0)
    assert g(3.0) == 12.0 and body.calls == 1
    assert "rt.called(" in ad.source(g, 3.0)


def test_settings_go_by_name():
    def f(x, scale=1.0):
        return x * scale

    rules.linear(f)(unreadable("def body(g, y, x, *, scale=1.0): return g * scale"))
    ad.check_grads(lambda x: np.sum(f(x, scale=3.0) + f(x) * x), (X,), order=1)
    with pytest.raises(ad.NotDifferentiable, match="with respect to the argument 'scale'"):
        ad.grad(lambda s: f(2.0, scale=s))(3.0)
