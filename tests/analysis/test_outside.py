"""Functions with rules that write into what they reach by themselves."""

import types

import numpy as np
import pytest

import adcompile as ad
from adcompile import rules

X = np.array([1.13, 2.37, 0.71])
buffer, other, history, table, count = np.zeros(3), np.zeros(3), [0.0], {"k": np.zeros(3)}, 0.0
part, shelf = buffer[:2], [buffer]
settings = types.ModuleType("settings")
settings.scale, settings.weights = 1.0, np.zeros(3)


class State:
    total, log = np.zeros(3), []

    def __init__(self):
        self.value, self.array, self.log = 1.0, np.zeros(3), []


state = State()


def ruled(fn):
    rules.vjp(fn, lambda y_bar, y, x: y_bar * np.ones(3))
    return fn


def inert(fn):
    rules.non_differentiable(fn)
    return fn


@ruled
def fills(x):
    buffer[:] = x * x
    return np.sum(x)


@ruled
def adds(x):
    y = 2.0 * x
    other[1:] += y[1:]
    return np.sum(x)


@ruled
def appends(x):
    history.append(x[0] ** 2)
    return np.sum(x)


@ruled
def into_a_table(x):
    np.multiply(x, x, out=table["k"])
    return np.sum(x)


@ruled
def counts(x):
    global count
    count = x[0] ** 2
    return np.sum(x)


@ruled
def sets(x):
    state.value = x[0] ** 2
    return np.sum(x)


@ruled
def into_an_attribute(x):
    state.array[:] = x * x
    return np.sum(x)


@ruled
def into_a_class(x):
    np.copyto(State.total, x * x)
    return np.sum(x)


@ruled
def into_a_module(x):
    settings.scale = x[0] ** 2
    return np.sum(x)


@ruled
def into_an_array_of_a_module(x):
    rows = settings.weights
    rows[:] = x * x
    return np.sum(x)


def put(into, x):
    for i, v in enumerate(x):
        into[i] = v * v


def fill(x):
    put(buffer, x)


@ruled
def by_a_helper(x):
    fill(x)
    return np.sum(x)


@inert
def logged(x):
    state.log.append(x)
    state.log.sort(key=len)
    buffer[:] = x
    return 1.0


def captures():
    held, last = np.zeros(3), 1.0

    @ruled
    def keeps(x):
        nonlocal last
        last = x[0] ** 2
        held[:] = x * x
        return np.sum(x)

    return (lambda x: keeps(x) + np.sum(held)), (lambda x: keeps(x) + last)


def of_the_arguments(out=other):
    @ruled
    def keeps(x, out=out):
        out[:] = x * x
        return np.sum(x)

    return keeps


kept = of_the_arguments()
MISSED = [
    lambda x: fills(x) + np.sum(buffer),
    lambda x: fills(x) + np.sum(part),
    lambda x: fills(x) + np.sum(shelf[0]),
    lambda x: sum([fills(x * k) + np.sum(buffer) for k in range(2, 4)]),
    lambda x: adds(x) + np.sum(other),
    lambda x: appends(x) + history[-1],
    lambda x: into_a_table(x) + np.sum(table["k"]),
    lambda x: counts(x) + count,
    lambda x: sets(x) + state.value,
    lambda x: into_an_attribute(x) + np.sum(state.array),
    lambda x: into_a_class(x) + np.sum(State.total),
    lambda x: into_a_module(x) + settings.scale,
    lambda x: into_an_array_of_a_module(x) + np.sum(settings.weights),
    lambda x: by_a_helper(x) + np.sum(buffer),
    lambda x: logged(x) * np.sum(buffer * x),
    lambda x: kept(x) + np.sum(other),
    *captures(),
]


@pytest.mark.parametrize("f", MISSED)
def test_what_a_derivative_would_miss_is_refused(f):
    for derivative in (lambda: ad.grad(f)(X), lambda: ad.jvp(f, (X,), (np.ones(3),))):
        with pytest.raises(ad.Unsupported, match="has a rule, and writes values that carry derivatives into") as caught:
            derivative()
        assert caught.value.place.file == __file__


@inert
def constants(x):
    buffer[:] = 2.0
    history.append(len(history))
    state.log.append("called")
    return 1.0


@inert
def of_the_second(x, y):
    buffer[:] = y
    return 1.0


@inert
def own(x):
    rows = np.zeros(3)
    rows[:] = x
    seen = list(rows)
    seen.append(x[0])
    return 1.0


SEEN = [
    (lambda x: logged(x) * np.sum(x * x), 2.0 * X),
    (lambda x: logged(x) * np.sum(x * other), other),
    (lambda x: logged(np.ones(3)) * np.sum(x * buffer), np.ones(3)),
    (lambda x: logged(x) * np.sum(x * state.value), np.ones(3)),
    (lambda x: constants(x) * np.sum(x * buffer), np.full(3, 2.0)),
    (lambda x: of_the_second(x, np.full(3, 3.0)) * np.sum(x * buffer), np.full(3, 3.0)),
    (lambda x: own(x) * np.sum(x * other), other),
]


@pytest.mark.parametrize(("f", "expected"), SEEN)
def test_what_no_derivative_notices_is_allowed(f, expected):
    other[:], state.value = (2.0, 3.0, 4.0), 1.0
    state.log.clear()  # what other tests have put there cannot be sorted so
    assert np.allclose(ad.grad(f)(X), expected)
    assert np.isclose(ad.jvp(f, (X,), (X,))[1], expected @ X)


def filled(x, g=buffer):
    return fills(x) * 0.0 + np.sum(g)


def of_an_argument(x, g):
    fills(x)
    return np.sum(g)


def of_a_list(x, g):
    fills(x)
    return np.sum(g[0])


def of_an_object(x, g):
    into_an_attribute(x)
    return np.sum(g.array)


def of_a_table(x, g):
    into_a_table(x)
    return np.sum(g["k"])


def of_a_history(x, g):
    appends(x)
    return g[-1] + x[0]


@pytest.mark.parametrize(
    ("f", "rest"),
    [
        (filled, ()), (of_an_argument, (buffer,)), (of_an_argument, (buffer[1:],)), (of_a_list, ([buffer],)),
        (of_an_object, (state,)), (of_a_table, (table,)), (of_a_history, (history,)),
    ],
)  # fmt: skip
def test_what_the_caller_gives_and_a_function_with_a_rule_writes_into(f, rest):
    history[:] = [0.0]
    for run in (lambda: ad.grad(f)(X.copy(), *rest), lambda: ad.jvp(f, (X.copy(), *rest), (X, *[None] * len(rest)))):
        with pytest.raises(ad.AdcompileError, match="has a rule, and writes into memory"):
            run()


def test_other_memory_than_a_function_with_a_rule_writes_into():
    assert ad.grad(of_an_argument)(X.copy(), np.ones(3)).tolist() == [0.0, 0.0, 0.0]
    assert ad.grad(lambda x, g: fills(x) * np.sum(g))(X.copy(), np.ones(3)).tolist() == [3.0, 3.0, 3.0]
