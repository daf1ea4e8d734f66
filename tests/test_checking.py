"""Checks of one function: state, memory and second runs; and rules that are broken in each way are caught."""

import numpy as np
import pytest

from adcompile import checking, rules, testing
from adcompile.checking import Check, arrays_of, identical, sharing, with_state
from adcompile.frontend.source import synthesise
from adcompile.products import jvp, vjp
from adcompile.rules.registry import unregister
from adcompile.testing import CheckFailure, check_grads, check_rule

X = np.array([0.3, -0.7, 1.1])


# -- functions that write ---------------------------------------------------------------------------


def overwrites(x, y):
    x[0] = y[1] * x[2]
    x[1:] *= y[:-1]
    return x[0] * x[1]


def returns_views(x):
    x *= 2.0
    return x[1:], x


def extends(xs):
    xs.append(xs[0] * xs[1])
    return xs[2] * 2.0


def test_functions_that_write_pass():
    check_grads(overwrites, (X.copy(), X[::-1].copy()), order=2)
    check_grads(returns_views, (X.copy(),), order=1)
    check_grads(extends, ([0.5, 0.7],), order=1)
    assert identical(X, np.array([0.3, -0.7, 1.1]))


def failing(monkeypatch, name, broken, f=overwrites, args=None, modes=("fwd", "rev"), match=""):
    """Check `f` with a fault planted in a transform."""
    monkeypatch.setattr(checking, name, broken)
    with pytest.raises(CheckFailure, match=match):
        check_grads(f, args or (X.copy(), X[::-1].copy()), order=1, modes=modes)


class Wrapped:
    """A pullback with a fault."""

    def __init__(self, pullback, before, after):
        self.pullback, self.mutated, self.before, self.after, self.runs = pullback, pullback.mutated, before, after, 0

    def __call__(self, ct, **more):
        self.runs += 1
        return self.after(self, self.pullback(ct, **more), more)


def planted(change):
    """vjp whose pullback's result goes through `change(args, run, bars, more)`."""

    def broken(f, *args):
        value, pullback = vjp(f, *args)
        return value, Wrapped(pullback, None, lambda w, bars, more: change(args, w.runs, bars, more))

    return broken


def not_put_back(args, run, bars, more):
    args[0][0] += 1.0
    return bars


def not_put_back_again(args, run, bars, more):
    args[0][0] += run > 1
    return bars


def other_when_called_again(args, run, bars, more):
    return tuple(b * (1.0 if run == 1 else 2.0) for b in bars)


def in_memory_of_arguments(args, run, bars, more):
    held = args[1].copy()
    args[1][:] = bars[1]
    try:
        return bars[0], args[1][::1]
    finally:
        if not np.array_equal(held, bars[1]):
            args[1][:] = held


def read_only(args, run, bars, more):
    for b in bars:
        b.flags.writeable = False
    return bars


def without_state(args, run, bars, more):
    return (bars[0] * 0.5, bars[1]) if more else bars


@pytest.mark.parametrize(
    "change, match",
    [
        (not_put_back, "argument 0 after the pullback, which puts back"),
        (not_put_back_again, "argument 0 after the pullback's second run"),
        (other_when_called_again, "when the pullback is called again"),
        (in_memory_of_arguments, "memory that is|argument 1 after|cotangent of argument 1"),
        (read_only, "cotangent of argument 0: memory that is"),
        (without_state, "forward and reverse mode disagree"),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_faults_of_pullbacks(monkeypatch, change, match):
    failing(monkeypatch, "vjp", planted(change), modes=("rev",), match=match)


def test_cotangents_in_common_memory(monkeypatch):
    def broken(f, *args):
        value, pullback = vjp(f, *args)

        def change(w, bars, more):
            return bars[0], bars[0][:]

        return value, Wrapped(pullback, None, change)

    product = lambda x, y: np.sum(x * y)
    match = "cotangent of argument 1: memory that is"
    failing(monkeypatch, "vjp", broken, product, (X.copy(), X.copy()), ("rev",), match)


def test_a_second_run_of_all(monkeypatch):
    runs = []

    def broken(f, *args):
        value, pullback = vjp(f, *args)
        runs.append(1)
        factor = 1.0 + (len(runs) > 1)
        return value, Wrapped(pullback, None, lambda w, bars, more: tuple(factor * b for b in bars))

    failing(monkeypatch, "vjp", broken, modes=("rev",), match="when all is run again")


def test_arguments_not_left_as_the_function_leaves_them(monkeypatch):
    def put_back(f, primals, along, **more):
        given = [p.copy() for p in primals]
        out = jvp(f, primals, along, **more)
        primals[0][:] = given[0]
        return out

    failing(monkeypatch, "jvp", put_back, modes=("fwd",), match="argument 0 after jvp")

    def put_back_early(f, *args):
        given = args[0].copy()
        out = vjp(f, *args)
        args[0][:] = given
        return out

    failing(monkeypatch, "vjp", put_back_early, modes=("rev",), match="argument 0 after vjp")


def test_results_that_no_longer_share_memory(monkeypatch):
    def copies(f, primals, along, **more):
        value, tangent = jvp(f, primals, along, **more)
        return (value[0].copy(), value[1]), tangent

    failing(monkeypatch, "jvp", copies, returns_views, (X.copy(),), ("fwd",), "what shares memory after jvp")


def test_tangents_of_what_is_left(monkeypatch):
    def broken(f, primals, along, **more):
        out = jvp(f, primals, along, **more)
        if more:
            out[-1]["x"][0] += 1e-3
        return out

    failing(monkeypatch, "jvp", broken, modes=("fwd", "rev"), match="tangents of what is left in the arguments")


def test_helpers():
    assert sharing((X, X[1:], [X.copy(), {"a": X[:1]}])) == [(0, 1), (0, 3)]
    assert [a.shape for a in arrays_of((X, [X[1:]], 2.0, "text"))] == [(3,), (2,)]
    value, left = with_state(overwrites, (0,))(X, X)
    assert identical(X, np.array([0.3, -0.7, 1.1])) and value == left[0] * left[1]
    assert Check("f", np.random.default_rng(0), None, None).near(1.0, 1.0 + 1e-12, 0.0, 1e-16)


# -- broken rules -------------------------------------------------------------------------------------


def cube(x):
    return x * x * x


def weighed(a, x):
    return a * x


def tail(x):
    return x[1:]


def halves(x):
    x *= 0.5
    return np.sum(x)


@pytest.fixture(autouse=True)
def forgotten():
    yield
    for fn in (cube, weighed, tail, halves):
        unregister(fn)


def body_of(text, **names):
    """Bodies as parameters need source of their own."""
    params, _, result = text.partition(": ")
    return synthesise("body", params, [f"return {result}"], {"np": np, **names})


def caught(fn, *args, match, **options):
    with pytest.raises(CheckFailure, match=match) as found:
        check_rule(fn, *args, **options)
    assert fn.__name__ in str(found.value)


@pytest.mark.parametrize(
    "text, match",
    [
        ("g, y, x: 2.0 * x * x * g", "got"),
        ("g, y, x: np.float64(3.0) * x * x * g", "dtype"),
        ("g, y, x: np.sum(3.0 * x * x * g)", "shape"),
        ("g, y, x: (3.0 * x * x * g, g)", "number of cotangents"),
    ],
    ids=["value", "dtype", "shape", "arity"],
)
def test_wrong_numbers(text, match):
    rules.vjp(cube, body_of(text))
    caught(cube, X, match=match)


def test_a_rule_that_changes_what_it_is_given():
    def writes(y_bar, y, x):
        y_bar *= 3.0 * x * x
        return y_bar

    rules.vjp(cube, writes)
    caught(cube, X, match="of the rule's body, which changes it")


def test_a_rule_of_a_function_that_is_not_put_back():
    """The rule has no word for what the function does to its argument."""
    rules.vjp(halves, body_of("g, y, x: np.full_like(x, 0.5 * g)"))
    caught(halves, X.copy(), match="argument 0 after|jvp|refused|Unsupported")


def test_a_pullback_that_serves_once():
    def once(x):
        left = [3.0 * x * x]
        return x * x * x, lambda g: left.pop() * g if left else 0.0 * g

    rules.rrule(cube, once)
    caught(cube, X, match="pullback when it is called again")


def test_a_view_that_the_rule_does_not_tell_of():
    rules.vjp(tail, body_of("g, y, x: np.concatenate([np.zeros(1, g.dtype), g])"))
    caught(tail, X, match="whose result is a view")
    unregister(tail)
    rules.vjp(tail, body_of("g, y, x: np.concatenate([np.zeros(1, g.dtype), g])"), view=True)
    check_rule(tail, X)


@pytest.mark.parametrize("wrong", ["a_dot", "x_dot"])
def test_a_rule_that_is_wrong_where_an_argument_is_inert(wrong):
    """All active it is right."""
    rules.frule(weighed, body_of(f"a, x, a_dot, x_dot: (a * x, a_dot * x + a * x_dot + 0.1 * (np.ndim({wrong}) == 0))"))
    caught(weighed, X, X + 1.0, match="argument [01]|active", order=1)


def test_every_subset_is_tried(monkeypatch):
    tried = []
    original = checking.gradient_function

    def noting(f, args, wrt, ct):
        tried.append(wrt)
        return original(f, args, wrt, ct)

    def blend(a, b, c, d):
        return a * b + c * d

    monkeypatch.setattr(testing, "gradient_function", noting)
    rules.elementwise(blend)(body_of("y, a, b, c, d: (b, a, d, c)"))
    try:
        check_rule(blend, 0.5, 1.5, 2.5, 3.5, order=1)
    finally:
        unregister(blend)
    assert len(set(tried)) == 14
