"""Attributes of classes, functions and modules that are assigned: values, derivatives, and what is left behind."""

import copy
import types

import numpy as np
import pytest

import adcompile as ad
from adcompile.testing import check_grads

X = np.array([1.13, 1.37, 0.71])


class State:
    value, weights, items, made, flag = 2.0, np.ones(3), [1.0, 2.0], None, False

    def __init__(self, v=0.0):
        self.v = v


class Below(State):
    pass


ATTRIBUTES = ("value", "weights", "items", "made", "flag", "fresh")
MODULE = types.ModuleType("tests_module_of_state")
MODULE.value = 2.0
NAMES = ["value", "flag"]
LONG = [Below() for _ in range(40)]
TABLE = [lambda v: v * State.value, lambda v: v + State.value]


@pytest.fixture(autouse=True)
def as_before():
    held = {n: vars(State)[n] for n in ATTRIBUTES if n in vars(State)}
    State.weights[:] = 1.0
    yield
    for n in ATTRIBUTES:
        if n in held:
            setattr(State, n, held[n])
        elif n in vars(State):
            delattr(State, n)
    MODULE.value = 2.0


def left():
    """What the class holds, by identity where it is an object."""
    held = {n: vars(State)[n] for n in ATTRIBUTES if n in vars(State)}
    numbers = {n: v.tolist() if isinstance(v, np.ndarray) else v for n, v in held.items()}
    return {n: id(v) for n, v in held.items() if not isinstance(v, float)}, repr(numbers)


def rebinds_number(x):
    State.value = State.value * x[0]
    return State.value**2 * x[1]


def rebinds_array(x):
    State.weights = State.weights * x
    State.weights[0] *= x[1]
    return np.sum(State.weights**2)


def augments_array(x):
    State.weights *= x
    return np.sum(State.weights**3)


def rebinds_object(x):
    State.made = types.SimpleNamespace(q=x[0] ** 2)
    State.made.q *= x[1]
    return State.made.q**2


def rebinds_list(x):
    State.items = [x[0], 3.0]
    State.items.append(x[1])
    return State.items[0] * State.items[2]


def adds_attribute(x):
    State.fresh = x * x
    return np.sum(State.fresh * Below().fresh)


PROGRAMS = (rebinds_number, rebinds_array, augments_array, rebinds_object, rebinds_list, adds_attribute)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_reverse_mode_puts_back(f):
    before = left()
    value, gradient = ad.value_and_grad(f)(X)
    assert left() == before
    result, pullback = ad.vjp(f, X)
    assert result == value
    first = pullback(1.0)
    assert left() == before
    assert np.array_equal(pullback(1.0)[0], first[0]) and np.allclose(first[0], gradient)
    assert left() == before


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_forward_mode_leaves_what_the_function_leaves(f):
    held = {n: vars(State)[n] for n in ATTRIBUTES if n in vars(State)}
    f(X)
    after = left()[1]
    for n in ATTRIBUTES:
        if n in held:
            setattr(State, n, held[n])
        elif n in vars(State):
            delattr(State, n)
    State.weights[:] = 1.0
    _, tangent = ad.jvp(f, (X,), (np.ones(3),))
    assert left()[1].replace("np.float64(", "").replace(")", "") == after.replace("np.float64(", "").replace(")", "")
    for n in ATTRIBUTES:
        if n in held:
            setattr(State, n, held[n])
        elif n in vars(State):
            delattr(State, n)
    State.weights[:] = 1.0
    assert np.isclose(tangent, np.sum(ad.grad(f)(X)))


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_jacobians_and_second_derivatives_leave_all_as_it_was(f):
    before = left()

    def alone(x):
        try:
            return f(x)
        finally:
            State.value, State.made, State.items, State.weights = 2.0, None, held[0], held[1]
            State.weights[:] = 1.0
            if "fresh" in vars(State):
                del State.fresh

    held = State.items, State.weights
    step = 1e-6 * np.eye(3)
    slopes = [(alone(X + e) - alone(X - e)) / 2e-6 for e in step]
    assert np.allclose(ad.jacfwd(f)(X), slopes, rtol=1e-6)
    assert np.allclose(ad.jacrev(f)(X), slopes, rtol=1e-6)
    second = [(ad.grad(f)(X + e) - ad.grad(f)(X - e)) / 2e-6 for e in step]
    assert np.allclose(ad.hessian(f)(X), second, rtol=1e-5, atol=1e-6)
    assert left() == before


def test_without_restore_the_effect_stays():
    ad.grad(rebinds_number, restore=False)(X)
    assert State.value == 2.0 * X[0]


def test_a_derivative_inside_puts_back_what_it_assigns():
    def f(x):
        return np.sum(ad.grad(rebinds_number)(x)) * State.value

    check_grads(f, (X,))
    assert State.value == 2.0


def test_a_pullback_inside_runs_with_what_was_there_then():
    def f(x):
        value, pullback = ad.vjp(rebinds_number, x)
        between = State.value
        return value * pullback(1.0)[0][0] * between * State.value

    def by_hand(x):
        v = 2.0 * x[0]
        return v**2 * x[1] * (2.0 * v * 2.0 * x[1]) * v * 2.0

    assert np.isclose(ad.value_and_grad(f)(X)[0], by_hand(X))
    assert np.allclose(ad.grad(f)(X), ad.grad(by_hand)(X))


def test_what_is_there_is_read_at_every_call():
    gradient = ad.grad(rebinds_number)
    for start in (2.0, 3.0, np.float32(0.5), 4):
        State.value = start
        assert np.allclose(gradient(X), [2 * float(start) ** 2 * X[0] * X[1], (float(start) * X[0]) ** 2, 0.0])


def test_an_attribute_that_appears_later_is_seen():
    def f(x):
        return x[0] * getattr(State, "fresh", 2.0) * (3.0 if hasattr(State, "fresh") else 1.0)

    assert ad.grad(f)(X)[0] == 2.0
    State.fresh = 5.0
    assert ad.grad(f)(X)[0] == 15.0


def test_an_attribute_of_a_module():
    def f(x):
        MODULE.value = MODULE.value * x[0]
        return MODULE.value * x[1]

    assert np.allclose(ad.grad(f)(X), [2 * X[1], 2 * X[0], 0.0])
    assert MODULE.value == 2.0


def test_objects_see_the_attributes_of_their_class():
    def f(x):
        o, own = Below(), Below()
        own.value = x[2]
        State.value = x[0] ** 2
        a = o.value * own.value
        Below.value = x[1]
        out = a * o.value
        State.value = out
        return State.value * Below.value * own.value

    def by_hand(x):
        return x[0] ** 2 * x[2] * x[1] * x[1] * x[2]

    assert np.allclose(ad.grad(f)(X), ad.grad(by_hand)(X))
    assert "value" not in vars(Below) and State.value == 2.0


class Reading:
    def __get__(self, owner, cls=None):
        return State.value


class Meta(type):
    @property
    def half(cls):
        return cls.whole / 2.0

    def __getattr__(cls, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return State.value * len(name)


class OfMeta(metaclass=Meta):
    whole, read = 2.0, Reading()


def test_code_that_computes_an_attribute_of_a_class_is_followed():
    def f(x):
        OfMeta.whole = x[0] ** 2
        State.value = x[1]
        return OfMeta.half * OfMeta.read * OfMeta.missing * OfMeta().read

    def by_hand(x):
        return x[0] ** 2 / 2.0 * x[1] ** 3 * 7.0

    assert np.allclose(ad.grad(f)(X), ad.grad(by_hand)(X))
    assert OfMeta.whole == 2.0


class Intercepts(State):
    def __getattribute__(self, name):
        if name == "plain":
            return object.__getattribute__(self, "value")
        return State.value * len(name)


def test_getattribute_comes_before_what_is_assigned():
    def f(x):
        State.value = x[1]
        return Intercepts().value * x[0] + Intercepts().plain

    assert np.allclose(ad.grad(f)(X), ad.grad(lambda x: x[1] * 5.0 * x[0] + x[1])(X))


# -- objects that a module holds ------------------------------------------------------------------


class Model:
    def __init__(self):
        self.scale, self.out, self.calls = 2.0, None, 0

    def apply(self, x):
        self.out, self.calls = x * self.scale, self.calls + 1
        return self.out


MODEL, SECOND = Model(), Model()
ALIAS, MODELS, HOLDER = MODEL, [MODEL, SECOND], types.SimpleNamespace(model=MODEL)
MANY = [Model() for _ in range(40)]
MANY[3] = MODEL


def live_results(x):
    MODEL.apply(x * x)
    MODEL.apply(MODEL.out)
    return np.sum(MODEL.out) * MODEL.calls


def live_names(x):
    MODEL.scale = x[0] ** 2
    ALIAS.scale = ALIAS.scale * x[1]
    SECOND.scale = x[2]
    return MODELS[0].scale * HOLDER.model.scale * MODELS[1].scale


def live_loop(x):
    for i in range(20):
        MODEL.scale = 0.9 * MODEL.scale + x[i % 3]
    return MODEL.scale**2


def live_branch(x):
    if x[0] > 1.0:
        MODEL.scale = x[0] ** 2
    MODEL.extra = x[2]
    return MODEL.scale * x[1] * MODEL.extra


@pytest.mark.parametrize("f", (live_results, live_names, live_loop, live_branch))
def test_attributes_of_objects_of_a_module(f):
    def fresh(x):
        for model in (MODEL, SECOND):
            vars(model).clear()
            model.__init__()
        return f(x)

    slopes = [(fresh(X + e) - fresh(X - e)) / 2e-6 for e in 1e-6 * np.eye(3)]
    for model in (MODEL, SECOND):
        vars(model).clear()
        model.__init__()
    assert np.allclose(ad.grad(f)(X), slopes, rtol=1e-6)
    assert vars(MODEL) == vars(Model()) == vars(SECOND)
    value, pullback = ad.vjp(f, X)
    assert np.allclose(pullback(1.0)[0], slopes, rtol=1e-6)
    assert vars(MODEL) == vars(Model())
    tangent = ad.jvp(f, (X,), (np.ones(3),))[1]
    left = {name: np.copy(held) for name, held in vars(MODEL).items() if held is not None}
    fresh(X)
    assert all(np.array_equal(left[name], vars(MODEL)[name]) for name in left)
    assert np.isclose(tangent, np.sum(slopes))


def live_of_unknown(x):
    MODEL.scale = x[0]
    return sum(model.scale * x[1] for model in MANY)


def live_by_unknown(x):
    for model, v in zip(MODELS, x):
        model.scale = v * v
    return MODEL.scale * SECOND.scale


def live_in_dict(x):
    MODEL.scale = x[0]
    return MODEL.__dict__["scale"] * x[1]


def live_copied(x):
    MODEL.scale = x[0]
    return copy.copy(MODEL).scale * x[1]


@pytest.mark.parametrize("f", (live_of_unknown, live_by_unknown, live_in_dict, live_copied))
def test_objects_that_are_not_at_hand_are_refused(f):
    for model in (MODEL, SECOND):
        vars(model).clear()
        model.__init__()
    for run in (ad.grad(f), lambda x: ad.jvp(f, (x,), (np.ones(3),))):
        with pytest.raises(ad.AdcompileError, match="code that is not followed may read or set it"):
            run(X)


# -- code that is not followed sees the attribute itself ------------------------------------------


def inert_in_try(x):
    State.value = 3.0
    try:
        k = State.value
        int("no number")
    except ValueError:
        State.value += k
    return x[0] ** 2 * State.value


def _count(n):
    _count.calls += 1
    return n if n <= 0 else _count(n - 1)


_count.calls = 0


def inert_in_recursion(x):
    _count.calls = 0
    _count(4)
    return x[0] ** 2 * _count.calls


def inert_by_unknown_name(x):
    for k in range(40):
        setattr(State, NAMES[k % 2], 3.0)
    return x[0] ** 2 * State.value


def inert_by_unknown_class(x):
    for k in range(40):
        cls = (State, Below)[k % 2]
        cls.value = 1.0 + k
    return x[0] ** 2 * State.value * Below.value


def inert_deleted(x):
    State.fresh = 3.0
    a = State.fresh
    del State.fresh
    return x[0] ** 2 * a + hasattr(State, "fresh")


@pytest.mark.parametrize(
    "f", (inert_in_try, inert_in_recursion, inert_by_unknown_name, inert_by_unknown_class, inert_deleted)
)
def test_numbers_without_derivatives_run_as_they_are_written(f):
    factor = f(X) / X[0] ** 2
    if "value" in vars(Below):
        del Below.value
    State.value = 2.0
    value, gradient = ad.value_and_grad(f)(X)
    assert np.isclose(value, factor * X[0] ** 2) and np.allclose(gradient, [2 * factor * X[0], 0.0, 0.0])
    if "value" in vars(Below):
        del Below.value


def in_try(x):
    State.value = x[0] ** 2
    try:
        k = float(State.value)
        int("no number")
    except ValueError:
        k = k + 1.0
    return k * x[1]


def _deep(v, n):
    State.value = v
    return v if n == 0 else _deep(v * 1.1, n - 1) * v


def in_recursion(x):
    return _deep(x[0], 4) * State.value


def by_table(x):
    State.value = x[0]
    return TABLE[int(x[1] > 0)](x[2])


def by_unknown_object(x):
    State.value = x[0]
    return sum(o.value * x[1] for o in LONG)


def by_unknown_class(x):
    for k in range(40):
        cls = (State, Below)[k % 2]
        cls.value = x[0]
    return State.value * Below.value


def by_unknown_name(x):
    for k in range(40):
        setattr(State, NAMES[k % 2], x[0])
    return State.value


def by_dict(x):
    State.value = x[0] ** 2
    return State.__dict__["value"] * x[1]


def on_some_path(x):
    if x[0] > 1.0:
        State.fresh = x[0] ** 2
    return getattr(State, "fresh", 1.0) * x[1]


def test_functions_that_numpy_calls_are_followed():
    ad.testing.check_grads(in_function_that_is_called, (X,), order=1)


def in_function_that_is_called(x):
    State.value = x[0]
    return np.sum(np.piecewise(x, [x > 1.0], [lambda v: v * State.value, lambda v: v + State.value]))


@pytest.mark.parametrize(
    "f",
    (
        *(in_try, in_recursion, by_table, by_unknown_object, by_unknown_class, by_unknown_name, by_dict, on_some_path),
    ),
)
def test_values_with_derivatives_are_refused_there(f):
    for run in (ad.grad(f), lambda x: ad.jvp(f, (x,), (np.ones(3),))):
        with pytest.raises(ad.AdcompileError, match="code that is not followed may read or set it"):
            run(X)
