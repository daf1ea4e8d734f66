"""Gradients by objects, and classes as Python has them."""

import copy
import math
import threading
import types
from dataclasses import dataclass, field

import numpy as np
import pytest

import adcompile as ad
from tests.compiled import check


@dataclass
class Params:
    w: np.ndarray
    b: float
    name: str = "p"
    n: int = 3


class Model:
    def __init__(self, params):
        self.params, self.k, self.history = params, 2.0, [1.0]

    def predict(self, x):
        return np.tanh(self.params.w * x + self.params.b) * self.k

    def train(self, x):
        self.history.append(x * self.k)
        self.k = self.k * x
        self.params.b += x


def loss(model, x):
    model.train(x)
    return np.sum(model.predict(x)) * model.history[-1]


def make(b=0.5):
    return Model(Params(np.array([1.0, 2.0]), b))


def test_a_gradient_is_an_object_of_the_class():
    model = make()
    before = copy.deepcopy(model)
    g = ad.grad(loss)(model, 1.3)
    assert type(g) is Model and type(g.params) is Params
    assert g.params.name is None and g.params.n is None and g.history == [0.0]
    h = 1e-6
    slope = (loss(make(0.5 + h), 1.3) - loss(make(0.5 - h), 1.3)) / (2 * h)
    assert g.params.b == pytest.approx(slope, rel=1e-6)
    assert model.k == before.k and model.history == before.history and model.params.b == 0.5


def test_both_modes_agree():
    model, along = make(), ad.grad(loss)(make(), 1.3)
    value, dot = ad.jvp(loss, (model, 1.3), (along, 1.0))
    assert model.history == [1.0, 2.6] and model.params.b == 1.8
    value_again, pullback = ad.vjp(loss, make(), 1.3)
    bar, x_bar = pullback(1.0)
    assert value == value_again
    inner = np.sum(bar.params.w * along.params.w) + bar.params.b * along.params.b + bar.k * along.k + x_bar
    assert dot == pytest.approx(float(inner), rel=1e-12)


def test_objects_as_results():
    def f(x):
        return Params(np.array([x, x * x]), x * 3)

    value, dot = ad.jvp(f, (2.0,), (1.0,))
    assert value.b == 6.0 and dot.b == 3.0 and dot.w.tolist() == [1.0, 4.0] and dot.name is None


def test_objects_by_structure():
    def f(o, x):
        return x * o.scale if o.flag else x

    class Settings:
        pass

    o = Settings()
    o.scale, o.flag = 2, True
    d = ad.grad(f, argnums=1)
    assert d(o, 3.0) == 2.0
    o.flag = False
    assert d(o, 3.0) == 1.0


def test_errors_of_classes_are_pythons():
    class Named:
        __slots__ = ("a",)

    @dataclass(frozen=True)
    class Fixed:
        a: float

    def no_slot(x):
        n = Named()
        n.b = x
        return x

    def frozen(x):
        f = Fixed(x)
        f.a = 2.0
        return x

    def missing(x):
        return Fixed(x).b

    def too_many(x):
        return Fixed(x, x).a

    wrong = ((no_slot, AttributeError), (frozen, AttributeError), (missing, AttributeError), (too_many, TypeError))
    for f, error in wrong:
        with pytest.raises(error):
            ad.grad(f)(2.0)


class Controller:
    def __init__(self, k):
        self.k, self.previous, self.total = k, None, 0.0

    def step(self, e):
        d = 0.0 if self.previous is None else e - self.previous
        self.previous = e
        self.total += e
        return self.k * e + 0.1 * d + 0.01 * self.total


def controlled(x, n):
    c, y = Controller(x), 0.0
    for _ in range(n):
        y = y + 0.1 * c.step(x - y)
    return y


def test_attributes_that_are_none_at_first():
    check(controlled, 0.7, 30)


@dataclass
class Clocked:
    v: np.ndarray
    t: float = field(default=0.0, init=False)


def advanced(w, dt, n):
    for _ in range(n):
        w.v = w.v + dt
        w.t += dt
    return w.v @ w.v


@pytest.mark.parametrize("n", [0, 1, 4])
def test_an_attribute_that_the_class_states_is_first_set_in_a_loop(n):
    w, tangent = Clocked(np.array([1.0, -0.5])), Clocked(np.array([0.3, 0.8]))
    gradient = ad.grad(advanced)(w, 0.25, n)
    np.testing.assert_allclose(gradient.v, 2.0 * (w.v + n * 0.25))
    assert vars(w).keys() == vars(gradient).keys() == {"v"}
    product = ad.hvp(lambda w: advanced(w, 0.25, n), (w,), (tangent,))
    np.testing.assert_allclose(product.v, 2.0 * tangent.v)
    _, pullback = ad.vjp(ad.grad(advanced), w, 0.25, n)
    np.testing.assert_allclose(pullback(tangent)[0].v, 2.0 * tangent.v)


class Single:
    made = None

    def __new__(cls, *args):
        if cls.made is None:
            cls.made = super().__new__(cls)
        return cls.made

    def __init__(self, v):
        self.v = v


def test_init_of_an_object_that_new_has_found():
    def f(x):
        a = Single(x[0])
        b = Single(x[1] * 2.0)
        return a.v * b.v * x[2]

    x = np.array([1.2, -0.7, 2.1])
    for _ in range(2):  # without the object, and with it
        value, gradient = ad.value_and_grad(f)(x)
        tangent = ad.jvp(f, (x,), (np.array([0.3, 1.0, -2.0]),))[1]
        step = np.array([0.3, 1.0, -2.0]) * 1e-6
        slope = (f(x + step) - f(x - step)) / 2e-6
        assert value == f(x)
        assert np.isclose(gradient @ step * 1e6, slope) and np.isclose(tangent, slope)


def test_objects_that_new_looks_up_are_refused():
    class Kept:
        known: dict = {}

        def __new__(cls, key, v):
            if key not in cls.known:
                cls.known[key] = super().__new__(cls)
            return cls.known[key]

        def __init__(self, key, v):
            self.v = v

    with pytest.raises(ad.Unsupported, match="its __new__ finds when the code runs"):
        ad.grad(lambda x: Kept("a", x).v * Kept("b", x * x).v)(2.0)


class Tripled:
    def __init__(self, a):
        self.a = a

    def __getattribute__(self, name):
        held = object.__getattribute__(self, name)
        return held * 3.0 if name == "a" else (lambda x: 7.0 * x) if name == "of" else held

    def of(self, x):
        return x


def read_once(o, x):
    return o.a * x + o.of(x) ** 2


def read_of_its_own(x):
    o = Tripled(x)
    o.a *= 2.0
    return o.a * x


TRIPLED = Tripled(2.0)


@pytest.mark.parametrize("f", [lambda x: read_once(TRIPLED, x), read_of_its_own])
def test_what_a_class_says_of_every_attribute_is_asked_once(f):
    check(f, 1.5)


def test_an_argument_whose_class_says_what_every_attribute_is():
    value, g = ad.value_and_grad(read_once, argnums=1)(Tripled(2.0), 1.5)
    assert value == read_once(Tripled(2.0), 1.5) and np.isclose(g, 6.0 + 98.0 * 1.5)
    for derivative in (
        lambda o: ad.grad(read_once)(o, 1.5),
        lambda o: ad.jvp(read_once, (o, 1.5), (Tripled(1.0), 1.0)),
    ):
        with pytest.raises(ad.AdcompileError, match="whose class computes"):
            derivative(Tripled(2.0))


class Number:
    def __init__(self, v):
        self.v = v

    def __float__(self):
        return self.v * 2.0


def stored_number(x):
    y = np.zeros(3)
    y[0], y[1:] = Number(x), Number(x * x)
    rows = np.array([[Number(x)], [Number(3.0)]], dtype=float)
    return y[0] * y[2] + np.sum(rows * x) + np.float64(Number(x)) * np.float32(Number(2.0))


def number_of_mathematics(x):
    held = math.pow(Number(x), 2) + math.hypot(Number(x), 2.0, Number(x * x)) + math.copysign(Number(x), -1.0)
    return held * math.sin(Number(x)) + math.dist([Number(x), 1.0], (0.0, Number(x * 3.0))) + math.modf(Number(x))[0]


@pytest.mark.parametrize("f", [stored_number, number_of_mathematics])
def test_objects_where_a_float_is_wanted(f):
    check(f, 1.3)


LOCAL = threading.local()
LOCAL.k = 2.0


def test_what_each_thread_has_of_its_own():
    assert ad.value_and_grad(lambda x: x * LOCAL.k)(1.5) == (3.0, 2.0)


def test_the_names_of_a_module_as_a_dict():
    made = types.ModuleType("made")
    made.k = 3.0
    assert ad.grad(lambda x: x * made.k)(1.5) == 3.0
    with pytest.raises(ad.AdcompileError, match="names of a module"):
        ad.grad(lambda x: x * made.__dict__["k"])(1.5)


class Doubled:
    def __init__(self, x):
        self.x = x

    def __getattribute__(self, name):
        found = object.__getattribute__(self, name)
        return found * 2 if name == "x" else found


def test_a_class_that_says_what_is_read_says_it_once():
    def f(x, n):
        held = [Doubled(float(i)) for i in range(n)]
        return x * held[n - 1].x

    assert ad.value_and_grad(f)(0.5, 3) == (f(0.5, 3), 4.0)

    def active(x):
        return sum(p.x for p in [Doubled(a) for a in x])

    with pytest.raises(ad.NotDifferentiable):
        ad.grad(active)(np.array([0.5, 0.7]))


def test_objects_of_a_list_of_any_length_are_not_written():
    def f(x):
        held = [Doubled(a) for a in x]
        held[len(x) - 1].x = x[0]
        return held[0].x

    with pytest.raises(ad.Unsupported):
        ad.grad(f)(np.array([0.5, 0.7]))
