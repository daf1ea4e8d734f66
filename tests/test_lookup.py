"""Derivatives looked up when the code runs: caches, types, what is refused."""

import gc
import weakref

import numpy as np
import pytest

import adcompile as ad
from adcompile import lookup, rules
from adcompile import runtime as rt
from adcompile.errors import RuleError
from adcompile.rules import registry

X = np.array([0.3, 0.7, 1.1])


def cube(x):
    return x * x * x


class Scale:
    """Equal to every other one, as a function from values to values is not."""

    def __init__(self, by):
        self.by = by

    def __call__(self, x):
        return self.by * x

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1


def test_push_gives_value_and_tangent():
    value, tangent = lookup.push(cube, (X,), {0: np.ones(3)})
    assert np.array_equal(value, cube(X)) and np.allclose(tangent, 3.0 * X**2)
    assert lookup.push(cube, (2.0,), {0: None}) == (8.0, 0.0)
    assert lookup.push(cube, (2,), {0: 1.0}) == (8, 0.0), "a whole number carries nothing"


def test_pull_gives_value_and_pullback():
    value, run = lookup.pull(cube, (X,), (0,))
    assert np.array_equal(value, cube(X))
    assert np.allclose(run(np.ones(3))[0], 3.0 * X**2) and np.allclose(run(2.0 * np.ones(3))[0], 6.0 * X**2)
    assert np.array_equal(run(None)[0], np.zeros(3))


def test_a_pullback_holds_what_it_reads():
    x = X.copy()
    _, run = lookup.pull(cube, (x,), (0,))
    x += 1.0
    assert np.allclose(run(np.ones(3))[0], 3.0 * X**2)


def test_arguments_without_tangents_get_zeros():
    value, run = lookup.pull(lambda x, n, name: x * n, (2.0, 3, "a"), (0, 1, 2))
    assert value == 6.0 and list(run(1.0)) == [3.0, 0.0, None]
    value, run = lookup.pull(len, (X,), (0,))
    assert value == 3 and np.array_equal(run(0.0)[0], np.zeros(3))


def test_types_decide():
    for x in (2.0, np.float32(2.0), X, X.astype("f4"), np.array(2.0), X[:1], 1.0 + 2.0j):
        value, tangent = lookup.push(cube, (x,), {0: x})
        assert type(value) is type(cube(x)) and np.asarray(tangent).dtype == np.asarray(x).dtype
        assert np.allclose(tangent, 3.0 * np.asarray(x) ** 3)


def test_each_function_is_derived_once():
    lookup.pull(cube, (X,), (0,))
    known = lookup.known(cube)
    (dispatcher,) = [d for (what, wrt), d in known.dispatchers.items() if what == "vjp" and wrt == (0,)]
    before = len(dispatcher)
    lookup.pull(cube, (X + 1.0,), (0,))
    assert lookup.known(cube) is known and len(dispatcher) == before


def test_functions_are_not_kept_alive():
    def f(x):
        return x * x

    lookup.push(f, (2.0,), {0: 1.0})
    gone = weakref.ref(f)
    del f
    gc.collect()
    assert gone() is None


def test_equal_callables_are_not_one():
    assert lookup.push(Scale(2.0), (1.0,), {0: 1.0}) == (2.0, 2.0)
    assert lookup.push(Scale(5.0), (1.0,), {0: 1.0}) == (5.0, 5.0)


def test_rules_registered_later_are_found():
    def f(x):
        return x * x

    assert lookup.push(f, (3.0,), {0: 1.0}) == (9.0, 6.0)
    rules.frule(f, lambda x, x_dot: (x * x, 100.0 * x_dot))
    try:
        assert lookup.push(lambda x: f(x), (3.0,), {0: 1.0}) == (9.0, 100.0)
    finally:
        registry.unregister(f)


def test_functions_that_write_are_refused():
    def into(a):
        a *= 2.0
        return np.sum(a)

    class Counter:
        calls = 0

        def __call__(self, x):
            self.calls += 1
            return x

    for f in (into, Counter()):
        x = X.copy()
        for run in (lambda f, x: lookup.push(f, (x,), {0: x}), lambda f, x: lookup.pull(f, (x,), (0,))):
            with pytest.raises(ad.Unsupported, match="write") as caught:
                run(f, x)
            assert caught.value.place is not None and caught.value.place.file == __file__
            assert np.array_equal(x, X)


def test_exceptions_come_through():
    def f(x):
        raise KeyError("here")

    with pytest.raises(KeyError, match="here"):
        lookup.push(f, (1.0,), {0: 1.0})


def test_tangents_enter_in_the_space_of_their_values():
    space = ad.tangents.tangent_type((X, 2.0, 3, {"a": [1.0]}))
    made = lookup.tangent_in(None, space)
    assert np.array_equal(made[0], np.zeros(3)) and made[1:] == (0.0, None, {"a": [0.0]})
    made = lookup.tangent_in([X + 0j, 1, None, {"a": (2.0,)}], space)
    assert made[0].dtype == float and made[0] is not X and made[1:] == (1.0, None, {"a": [2.0]})
    with pytest.raises(RuleError, match="shape"):
        lookup.tangent_in(np.ones(2), ad.tangents.tangent_type(X))


def test_whole_numbers_in_results_have_zeros():
    value, tangent = lookup.push(lambda x: (x * x, len(x), "name"), (X,), {0: X})
    assert value[1:] == (3, "name") and tangent[1:] == (0.0, None) and np.allclose(tangent[0], 2.0 * X * X)


def test_a_call_and_its_tangent_is_a_function():
    forth = rt.pushed_by(cube, (0,), ())
    assert forth(2.0, 1.0) == (8.0, 12.0)
    value, tangent = lookup.push(forth, (2.0, 1.0), {0: 1.0, 1: 0.0})
    assert value == (8.0, 12.0) and tangent == (12.0, 12.0)
    back = rt.pulled_by(cube, (0,))
    assert back(1.0, 2.0) == (12.0,)
    assert lookup.push(back, (1.0, 2.0), {1: 1.0}) == ((12.0,), (12.0,))
