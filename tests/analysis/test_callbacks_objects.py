"""Functions that a solver is given and that write through objects, classes and outputs by position: refused."""

import numpy as np
import pytest

import adcompile as ad

integrate = pytest.importorskip("scipy.integrate")
optimize = pytest.importorskip("scipy.optimize")
X = np.array([1.0, 2.0])


class Inner:
    def __init__(self, a):
        self.a = a

    def step(self, t):
        self.a[0] = 3.0
        return t

    def mean(self, t):
        return self.step(t)

    @staticmethod
    def put(a):
        a[0] = 3.0
        return 1.0


class Special:
    def __init__(self, a):
        self.a = a

    def __call__(self, t):
        self.a[0] = 3.0
        return t

    def __add__(self, other):
        return self

    def __iadd__(self, other):
        self.a[0] = 3.0
        return self


class Asked:
    def __init__(self, a):
        self.a = a

    @property
    def scale(self):
        self.a[0] = 3.0
        return 1.0


class Outer:
    def __init__(self, a):
        self.inner, self.a, self.f = Inner(a), a, Inner.put


KEPT = Inner(np.zeros(2))


def attribute(x):
    o = Outer(x * 1.0)
    return integrate.quad(lambda t: o.inner.step(t) * x[0], 0.0, 1.0)[0] + np.sum(o.a**2)


def function_in_an_attribute(x):
    o = Outer(x * 1.0)
    return integrate.quad(lambda t: o.f(o.a) * t * x[0], 0.0, 1.0)[0] + np.sum(o.a**2)


def static_method(x):
    held = x * 1.0
    return integrate.quad(lambda t: Inner.put(held) * t * x[0], 0.0, 1.0)[0] + np.sum(held**2)


def of_a_modules_object(x):
    held = x * 1.0
    return integrate.quad(lambda t: KEPT.put(held) * t * x[0], 0.0, 1.0)[0] + np.sum(held**2)


def named_as_one_that_reads(x):
    o = Inner(x * 1.0)
    return integrate.quad(lambda t: o.mean(t) * x[0], 0.0, 1.0)[0] + np.sum(o.a**2)


def called_object(x):
    o = Special(x * 1.0)
    return integrate.quad(lambda t: o(t) * x[0], 0.0, 1.0)[0] + np.sum(o.a**2)


def operator_that_gives_itself(x):
    o = Special(x * 1.0)

    def f(t):
        d = o + 1.0
        d += 1.0
        return t * x[0]

    return integrate.quad(f, 0.0, 1.0)[0] + np.sum(o.a**2)


def asked_property(x):
    o = Asked(x * 1.0)
    return integrate.quad(lambda t: o.scale * t * x[0], 0.0, 1.0)[0] + np.sum(o.a**2)


def output_by_position(x):
    held = x * 1.0

    def f(t):
        np.cumsum(held, 0, None, held)
        return t * x[0]

    return integrate.quad(f, 0.0, 1.0)[0] + np.sum(held**2)


def output_of_a_method(x):
    held = x * 1.0

    def f(t):
        held.clip(0.0, 0.7, held)
        return t * x[0]

    return integrate.quad(f, 0.0, 1.0)[0] + np.sum(held**2)


def output_of_a_method_of_a_ufunc(x):
    held, rows = x * 1.0, np.stack([x, 2.0 * x])

    def f(t):
        np.add.reduce(rows, 0, None, held)
        return t * x[0]

    return integrate.quad(f, 0.0, 1.0)[0] + np.sum(held**2)


WRITING = [
    attribute,
    function_in_an_attribute,
    static_method,
    of_a_modules_object,
    named_as_one_that_reads,
    called_object,
    operator_that_gives_itself,
    asked_property,
    output_by_position,
    output_of_a_method,
    output_of_a_method_of_a_ufunc,
]


@pytest.mark.parametrize("f", WRITING, ids=lambda f: f.__name__)
def test_writes_through_objects_are_refused(f):
    with pytest.raises(ad.Unsupported):
        ad.grad(f)(X)


class Model:
    def __init__(self, rates):
        self.rates = rates

    def slope(self, t):
        return np.sum(self.rates) * t

    def update(self, rates):
        self.rates[:] = rates


def object_that_is_read(x):
    model = Model(x * 1.0)
    return integrate.quad(lambda t: model.slope(t) * x[0] + model.rates.sum(0), 0.0, 1.0)[0]


def test_an_object_that_is_only_read_is_followed():
    ad.check_grads(object_that_is_read, (X,), order=1)


class Unhashable:
    __hash__ = None

    def __call__(self, t):
        return 2.0 * t


DOUBLED = Unhashable()


def object_of_a_module_that_is_called(x):
    return optimize.brentq(lambda t: DOUBLED(t) - x[0], 0.0, 9.0) * x[1]


def test_an_unhashable_object_is_called():
    np.testing.assert_allclose(ad.grad(object_of_a_module_that_is_called)(X), [0.5 * X[1], 0.5 * X[0]], rtol=1e-10)
