"""`hasattr` and `getattr` with a default: what has an attribute may change as the code runs."""

import threading
import types

import numpy as np
import pytest

import adcompile as ad
from adcompile.errors import AdcompileError

X = np.array([1.5, 2.0, 0.7])
LOCAL = threading.local()


class Plain:
    pass


class Counting:
    """An attribute that is there every other time."""

    def __init__(self):
        self.k = 0

    @property
    def odd(self):
        self.k += 1
        if self.k % 2:
            return self.k
        raise AttributeError("odd")


class Toggle:
    seen = [0]

    def __getattr__(self, name):
        self.seen[0] += 1
        if self.seen[0] % 2:
            return 1
        raise AttributeError(name)


plain, counting, toggle = Plain(), Counting(), Toggle()


def set_and_deleted(x):
    before = hasattr(plain, "b")
    plain.b = 1
    after = hasattr(plain, "b")
    del plain.b
    return np.sum(x) * (2.0 if before else 3.0) * (2.0 if after else 5.0)


def by_its_dict(x):
    before = getattr(plain, "c", 3.0)
    plain.__dict__["c"] = 1.5
    after = getattr(plain, "c", 3.0)
    plain.__dict__.clear()
    return np.sum(x) * before * after


def by_a_name_made_here(x):
    name = "".join(["d"])
    setattr(plain, name, 1.5)
    after = getattr(plain, "d", 3.0)
    delattr(plain, name)
    return np.sum(x) * after


def of_the_class(x):
    Plain.total = 1
    after = hasattr(plain, "total")
    del Plain.total
    return np.sum(x) * (2.0 if after else 3.0) * (5.0 if hasattr(plain, "total") else 7.0)


def of_a_function(x):
    def g():
        pass

    before = hasattr(g, "calls")
    g.calls = 1
    return np.sum(x) * (2.0 if before else 3.0) * (2.0 if hasattr(g, "calls") else 5.0)


def of_a_thread(x):
    before = hasattr(LOCAL, "a")
    LOCAL.a = 1.5
    after = getattr(LOCAL, "a", 3.0)
    del LOCAL.a
    return np.sum(x) * (2.0 if before else 3.0) * after


def property_of_a_live_object(x):
    counting.k = 0
    found = (2.0 if hasattr(counting, "odd") else 3.0) * (2.0 if hasattr(counting, "odd") else 3.0)
    return np.sum(x) * found * getattr(counting, "odd", 7.0) * counting.k


def property_of_an_object_made_here(x):
    made = Counting()
    found = (2.0 if hasattr(made, "odd") else 3.0) * (2.0 if hasattr(made, "odd") else 3.0)
    return np.sum(x) * found * getattr(made, "odd", 7.0) * made.k


def getattr_of_a_class(x):
    toggle.seen[0] = 0
    return np.sum(x) * (2.0 if hasattr(toggle, "q") else 3.0) * (2.0 if hasattr(toggle, "q") else 3.0)


def flat(x):
    return np.sum(x) * (2.0 if hasattr(x.flat, "shape") else 3.0) * getattr(x.flat, "ndim", 5.0)


def flat_parts(x):
    y = 2.0 * x
    f = y.flat
    y[0] = 5.0 * x[1]
    return f.copy()[0] + f.base[1] * np.sum(f)


CASES = [
    set_and_deleted, by_its_dict, by_a_name_made_here, of_the_class, of_a_function, of_a_thread,
    property_of_a_live_object, property_of_an_object_made_here, getattr_of_a_class, flat, flat_parts,
]  # fmt: skip


@pytest.mark.parametrize("f", CASES)
def test_right_or_refused(f):
    expected = [(f(X + e) - f(X - e)) / 2e-6 for e in 1e-6 * np.eye(3)]
    try:
        value, gradient = ad.value_and_grad(f)(X.copy())
        product = ad.jvp(f, (X.copy(),), (np.ones(3),))[1]
    except AdcompileError as error:
        assert error.place is not None and error.remedy
        return
    assert np.isclose(value, f(X))
    np.testing.assert_allclose(gradient, expected, rtol=1e-6)
    assert np.isclose(product, np.sum(expected))


@pytest.mark.parametrize("f", [set_and_deleted, by_its_dict, of_the_class, of_a_thread, getattr_of_a_class, flat])
def test_these_are_followed(f):
    assert np.isclose(ad.value_and_grad(f)(X)[0], f(X))


def test_each_thread_has_its_own():
    def f(x):
        return np.sum(x) * (2.0 if hasattr(LOCAL, "w") else 3.0) * getattr(LOCAL, "w", 1.5)

    found = []
    LOCAL.w = 4.0
    for run in (threading.Thread(target=lambda: found.append(ad.grad(f)(X)[0])), None):
        if run is None:
            found.append(ad.grad(f)(X)[0])
        else:
            run.start()
            run.join()
    del LOCAL.w
    assert found == [4.5, 8.0] and ad.grad(f)(X)[0] == 4.5


def test_namespaces():
    def f(x):
        n = types.SimpleNamespace(a=x)
        before = hasattr(n, "b")
        n.b = 1
        return np.sum(n.a) * (2.0 if before else 3.0) * (5.0 if hasattr(n, "b") else 7.0)

    assert ad.grad(f)(X).tolist() == [15.0, 15.0, 15.0]
