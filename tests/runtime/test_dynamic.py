"""Calls decided at run time, as generated code makes them."""

import numpy as np
import pytest

import adcompile as ad
from adcompile import runtime as rt
from adcompile.rules import registry

X = np.array([0.3, 0.7, 1.1])


def scaled(x, by=1.0):
    return by * x * x


def test_value_and_tangent():
    assert rt.jvp_of(scaled, (0,), (), "here", 3.0, 1.0) == (9.0, 6.0)
    assert rt.jvp_of(scaled, (0, 1), ("by",), "here", 3.0, 2.0, 1.0, 1.0) == (18.0, 21.0)


def test_value_and_pullback():
    value, pulled = rt.vjp_of(scaled, (0, 1), ("by",), "here", 3.0, 2.0)
    assert value == 18.0 and rt.pull(pulled, 1.0) == (12.0, 9.0) == rt.pull(pulled, 1.0)


def test_methods_go_by_name():
    value, tangent = rt.jvp_of("sum", (0,), (), "here", X, X)
    assert value == tangent == X.sum()
    value, pulled = rt.vjp_of("reshape", (0,), (), "here", X, 3, 1)
    assert value.shape == (3, 1) and np.array_equal(rt.pull(pulled, value)[0], X)
    assert rt.jvp_of("sum", (0,), ("axis",), "here", np.outer(X, X), 0, np.ones((3, 3)))[1].shape == (3,)


def test_reading_a_method_carries_nothing():
    method, tangent = rt.jvp_of(getattr, (0,), (), "here", X, "sum", X)
    assert method() == X.sum() and tangent is None


def test_the_place_of_the_call_is_in_the_error():
    def unknown(x):
        return float(str(x))

    with pytest.raises(ad.AdcompileError, match=r"\(in a call decided when the code runs, model.py:3:9\)") as caught:
        rt.vjp_of(unknown, (0,), (), "model.py:3:9", 1.0)
    assert caught.value.place.file == __file__


def test_second_derivatives():
    _, pulled = rt.vjp_of(scaled, (0,), (), "here", 3.0, 2.0)
    dots = rt.dots_of((0, 1), 3.0, 2.0, 1.0, 0.5)
    bars, tangent = rt.pull_jvp(pulled, 1.0, dots, 0.0)
    assert bars == (12.0,) and tangent == (4.0 + 3.0,)
    assert rt.pull_jvp(pulled, 1.0, None, 2.0) == ((12.0,), (24.0,))
    _, held = rt.vjp_of_held(scaled, (0,), (), "here", 3.0, 2.0)
    bars, second = rt.pull_vjp(held, 1.0)
    assert bars == (12.0,) and rt.pull_split(second, (1.0,)) == (12.0, (4.0, 6.0))


def test_held_arguments_are_copies():
    x = X.copy()
    _, pulled = rt.vjp_of_held(scaled, (0,), (), "here", x)
    x += 1.0
    assert np.array_equal(pulled.args[0], X)


def test_cotangents_of_held_arguments():
    assert rt.held_bar((1.0, 2.0), 1, 3.0) == 2.0
    assert np.array_equal(rt.held_bar(None, 0, X), np.zeros(3))


def test_keywords_of_what_is_not_python():
    def called(x, function):
        return function(x, out=None)

    def formatted(x, function):
        return len(function(v=x[0])) * x[0]

    for f, function, expected in ((called, X.dot, X), (formatted, "{v}".format, [3.0, 0.0, 0.0])):
        gradient = ad.grad(lambda x, held: f(x, held[0]))(X, [function])
        assert np.allclose(gradient, expected)
    assert np.isclose(ad.jvp(called, (X, X.dot), (X, None))[1], X @ X)


def test_what_is_not_python_and_has_no_rule_is_refused_with_its_keywords_too(monkeypatch):
    distance = pytest.importorskip("scipy.spatial.distance")
    assert registry.lookup(distance.cdist) is not None
    monkeypatch.delitem(registry._rules, distance.cdist)  # so that its source is followed

    def apart(x, metric):
        return distance.cdist(x[:, None], x[:, None], metric)[0, 1]

    for transform in (ad.grad, lambda f: lambda *args: ad.jvp(f, args, (X, None))):
        with pytest.raises(ad.NotDifferentiable, match=r"cdist_\w+[\s\S]*distance\.py:\d+"):
            transform(apart)(X, "euclidean")
