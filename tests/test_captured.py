"""Gradients by what a function has captured, and derivatives that leave what was written."""

import pickle

import numpy as np
import pytest

import adcompile as ad
from adcompile.testing import identical

X = np.array([0.3, 0.7, 1.1])


def model(w, b, table):
    def apply(x):
        return np.sum(w * x * x) * b + table["k"] * x[0] * len(table["name"])

    return apply


def by_arguments(x, w, b, k):
    return np.sum(w * x * x) * b + k * x[0] * 3


def test_all_kinds_of_captured_values():
    w, table = X[::-1].copy(), {"k": 0.4, "name": "abc"}
    f = model(w, 2.0, table)
    gx, gw, gb, gk = ad.grad(by_arguments, (0, 1, 2, 3))(X, w, 2.0, 0.4)
    captured, g = ad.grad(f, wrt_closure=True)(X)
    assert set(captured) == {"w", "b", "table"} and identical(g, gx)
    assert identical(captured["w"], gw) and identical(captured["b"], gb)
    assert captured["table"] == {"k": gk, "name": None}
    assert not np.shares_memory(captured["w"], w)


def test_forms_of_the_result():
    f = model(X, 2.0, {"k": 0.4, "name": "abc"})
    captured, g = ad.grad(f, wrt_closure=True)(X)
    assert identical(ad.grad(f, (0,), wrt_closure=True)(X), (captured, (g,)))
    assert identical(ad.value_and_grad(f, wrt_closure=True)(X), (f(X), (captured, g)))

    def with_aux(x):
        return f(x) * w0, "aux"

    w0 = 3.0
    (captured, g), aux = ad.grad(with_aux, has_aux=True, wrt_closure=True)(X)
    assert aux == "aux" and captured == {"w0": f(X)}, "functions among what is captured are constants"
    (value, aux), (captured, g) = ad.value_and_grad(with_aux, has_aux=True, wrt_closure=True)(X)
    assert (value, aux, captured) == (3.0 * f(X), "aux", {"w0": f(X)})
    assert ad.grad(np.sum, wrt_closure=True)(X)[0] == {}


def test_one_specialisation_serves_fresh_closures():
    for w, b in ((X, 2.0), (2.0 * X, 5.0)):
        captured, _ = ad.grad(model(w, b, {"k": 0.4, "name": "abc"}), wrt_closure=True)(X)
        assert identical(captured["b"], ad.grad(by_arguments, 2)(X, w, b, 0.4))


def test_captured_memory_that_is_written():
    work, seen = X.copy(), [1.0]

    def f(x):
        work[0] = x[0] * work[1]
        seen.append(np.sum(work))
        return seen[-1] * seen[0] * x[1]

    def pure(x, work, first):
        work = np.concatenate((x[:1] * work[1:2], work[1:]))
        return np.sum(work) * first * x[1]

    captured, g = ad.grad(f, wrt_closure=True)(2.0 * X)
    gx, gw, gs = ad.grad(pure, (0, 1, 2))(2.0 * X, X, 1.0)
    assert np.allclose(g, gx) and np.allclose(captured["work"], gw) and captured["seen"] == [pytest.approx(gs)]
    assert np.array_equal(work, X) and seen == [1.0]
    ad.grad(f, wrt_closure=True, restore=False)(2.0 * X)
    assert work[0] == 2.0 * X[0] * X[1] and len(seen) == 2


def test_captured_memory_that_is_an_argument_too():
    shared = X.copy()

    def f(x):
        shared[0] = x[1] ** 2
        return np.sum(x * shared)

    captured, g = ad.grad(f, wrt_closure=True)(shared)
    assert np.allclose(g, [0.0, 4.0 * X[1] ** 3 + 2.0 * X[1], 2.0 * X[2]])
    assert np.array_equal(captured["shared"], g) and not np.shares_memory(captured["shared"], g)
    captured, g = ad.grad(lambda x: np.sum(x * shared), wrt_closure=True)(shared)
    assert np.array_equal(g, X) and np.array_equal(captured["shared"], X), "independent where they are only read"


def test_through_inner_functions_and_derivatives():
    w = 1.5

    def f(x):
        def inner(z):
            return z**2 * w

        return ad.grad(inner)(x) * w

    captured, g = ad.grad(f, wrt_closure=True)(2.0)
    assert g == pytest.approx(2.0 * w * w) and captured["w"] == pytest.approx(2.0 * 2.0 * 2.0 * w)


def test_inside_functions_they_are_refused():
    def f(x):
        return x * x

    for setting in ({"wrt_closure": True}, {"restore": False}):
        derivative = ad.grad(f, **setting)
        with pytest.raises(ad.Unsupported, match=next(iter(setting))):
            ad.grad(lambda x, derivative=derivative: derivative(x))(2.0)
        with pytest.raises(ad.AdcompileError, match="does not take"):
            ad.grad(in_text[next(iter(setting))])(2.0)


def in_text_closure(x):
    return ad.grad(lambda z: z * z, wrt_closure=True)(x)[1]


def in_text_restore(x):
    return ad.grad(lambda z: z * z, restore=False)(x)


in_text = {"wrt_closure": in_text_closure, "restore": in_text_restore}


def square(x):
    return x * x


def test_settings_belong_to_the_derivative():
    kept, plain = ad.grad(square, restore=False), ad.grad(square)
    assert kept != plain and hash(kept) != hash(plain) and "restore=False" in repr(kept)
    assert "wrt_closure=True" in repr(ad.grad(square, wrt_closure=True))
    assert pickle.loads(pickle.dumps(kept)) == kept
    assert ad.grad(restore=False)(square) == kept


class Kept:
    def __init__(self):
        self.value, self.flag, self.count = None, False, 1.0

    def stored(self, x):
        self.value = x[0] ** 2
        return self.value * x[1]

    def toggled(self, x):
        self.flag = not self.flag
        return x[0] ** 2 if self.flag else x[1]

    def counted(self, x):
        self.count = self.count * x[0]
        return self.count * x[1]

    def looked_up(self, x):
        if not hasattr(self, "table"):
            self.table = np.arange(3.0)
        return np.sum(self.table * x * x)


@pytest.mark.parametrize("name", ["stored", "toggled", "counted", "looked_up"])
def test_attributes_of_a_captured_object_that_are_set(name):
    """They are variables while the function runs, and put back by a pullback."""
    x, step = np.array([1.2, 2.3, 0.7]), 1e-6
    kept = Kept()

    def run(v):
        return getattr(kept, name)(v)

    def slope(d):
        values = []
        for s in (step, -step):
            kept.__dict__.clear()
            kept.__init__()
            values.append(run(x + s * d))
        return (values[0] - values[1]) / (2 * step)

    slopes = [slope(d) for d in np.eye(3)]
    kept.__dict__.clear()
    kept.__init__()
    before = dict(kept.__dict__)
    for _ in range(2):
        np.testing.assert_allclose(ad.grad(run)(x), slopes, rtol=1e-7, atol=1e-9)
        assert kept.__dict__ == before
    kept.flag = True  # what it holds by then counts
    if name == "toggled":
        np.testing.assert_allclose(ad.grad(run)(x), [0.0, 1.0, 0.0])
