"""What is read when the derivative is made may change between calls: never a stale constant."""

import functools
import math

import numpy as np
import pytest

import adcompile as ad


class Model:
    k = 2.0
    weights = [1.0, 2.0]

    def __init__(self, w):
        self.w = w
        self.settings = {"a": 1.0}

    def loss(self, x):
        return self.w * x * x * Model.k + self.weights[1] * x + self.settings["a"] * x

    def __call__(self, x):
        return self.loss(x) * self.w


model = Model(3.0)


def through_global(x):
    return model.loss(x) + model(x)


def with_defaults(x, c=[2.0, 3.0], *, d={"k": 1.0}):  # noqa: B006
    return x * x * c[0] * len(c) + d["k"] * x


def calls_defaults(x):
    return with_defaults(x)


def holding(k):
    def h(x):
        return k[0] * x * len(k)

    return h


held = holding([2.0])
bound = functools.partial(lambda c, x: x * c[0] * len(c), [2.0])


def calls_held(x):
    return held(x) * x


def calls_bound(x):
    return bound(x) * x


def numerical(f, x):
    return (f(x + 1e-6) - f(x - 1e-6)) / 2e-6


@pytest.mark.parametrize("f", [through_global, model, functools.partial(Model.loss, model)])
def test_attributes_of_objects_and_classes(f, monkeypatch):
    g = ad.grad(f)

    def change_and_check(*change):
        if change:
            monkeypatch.setattr(*change)
        assert g(1.5) == pytest.approx(numerical(f, 1.5), rel=1e-6)

    change_and_check()
    change_and_check(model, "w", 5.0)
    change_and_check(Model, "k", 9.0)
    change_and_check(Model, "weights", [1.0, 7.0, 1.0])
    change_and_check(model, "settings", {"a": 4.0})
    change_and_check(model, "w", np.array(2.0))
    change_and_check(model, "w", 2)


def test_replaced_methods(monkeypatch):
    g = ad.grad(through_global)
    g(1.5)
    monkeypatch.setattr(Model, "loss", lambda self, x: 100 * x)
    assert g(1.5) == pytest.approx(numerical(through_global, 1.5), rel=1e-6)


@pytest.mark.parametrize("f", [with_defaults, calls_defaults])
def test_mutable_defaults(f, monkeypatch):
    monkeypatch.setattr(with_defaults, "__defaults__", ([2.0, 3.0],))
    monkeypatch.setattr(with_defaults, "__kwdefaults__", {"d": {"k": 1.0}})
    g = ad.grad(f)
    changes = [
        lambda: None,
        lambda: with_defaults.__defaults__[0].__setitem__(0, 7.0),
        lambda: with_defaults.__defaults__[0].append(1.0),
        lambda: with_defaults.__kwdefaults__["d"].__setitem__("k", 5.0),
        lambda: with_defaults.__kwdefaults__.__setitem__("d", {"k": 50.0}),
        lambda: setattr(with_defaults, "__defaults__", (np.array([1.0, 2.0]),)),
    ]
    for change in changes:
        change()
        assert g(1.5) == pytest.approx(numerical(f, 1.5), rel=1e-6)


@pytest.mark.parametrize(
    "f, items", [(calls_held, lambda: held.__closure__[0].cell_contents), (calls_bound, lambda: bound.args[0])]
)
def test_what_closures_and_partials_hold(f, items):
    g = ad.grad(f)
    for change in (lambda: None, lambda: items().__setitem__(0, 3.0), lambda: items().append(1.0)):
        change()
        assert g(1.5) == pytest.approx(numerical(f, 1.5), rel=1e-6)


def test_functions_in_attributes_of_arguments():
    class Sum:
        def __init__(self, k):
            self.k = k

        def __call__(self, x):
            return np.sum(self.k * x)

    g = ad.grad(lambda h, x: h(x) * np.sum(x), argnums=1)
    assert g(Sum(2.0), 1.5) == pytest.approx(6)
    assert g(Sum(np.array([1.0, 2.0])), 1.5) == pytest.approx(9)
    assert g(Sum(3), 1.5) == pytest.approx(9)


def unbound(x, flag):
    if flag:
        y = x
    return y


def unbound_in_a_tuple(x, flag):
    if flag:
        y = x
    return y, x


def unbound_test(x, flag):
    if flag:
        y = x
    if y:
        return x
    return x * 2


@pytest.mark.parametrize("f", [unbound, unbound_in_a_tuple, unbound_test])
def test_unbound_names(f):
    assert ad.jvp(f, (1.5, True), (1.0, None))[1] in (1.0, (1.0, 1.0))
    with pytest.raises(UnboundLocalError):
        ad.jvp(f, (1.5, False), (1.0, None))
    assert math.isfinite(ad.jvp(f, (1.5, True), (1.0, None))[0] if f is unbound else 0.0)
