"""Memory: what shares it, what is written, and what functions called by reference do with it."""

from __future__ import annotations

import collections
import contextlib

import numpy as np
import pytest

import adcompile as ad
from adcompile.analysis.alias import Effect, effect_of
from adcompile.analysis.builder import Restart
from adcompile.ir.abstract import type_of
from adcompile.ir.nodes import Call
from adcompile.ir.walk import statements_of
from adcompile.pipeline import Entry, Request, install, new_context

X = np.array([0.3, 0.7, 1.1, 0.45])


def chosen(x, y, s):
    z = x if s > 0.5 else y
    return z


def written_after_a_choice(x, y, s):
    z = chosen(x, y, s)
    w = z[1:]
    w *= s
    return np.sum(x * y)


def written_through_a_loop(x):
    a, b = x * 1.0, x * 2.0
    for _ in range(3):
        a, b = b, a
        a[0] = b[1] * a[2]
    return np.sum(a * b)


def copies_are_apart(x):
    y = x.copy()
    z = np.array(x)
    y[0] = x[1] ** 2
    z *= y
    return np.sum(x * z)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (written_after_a_choice, (X, X[::-1].copy(), 0.8)),
        (written_after_a_choice, (X, X[::-1].copy(), 0.3)),
        (written_through_a_loop, (X,)),
        (copies_are_apart, (X,)),
    ],
)
def test_classes_are_memory(f, args):
    def copied(*a):
        return f(*(v.copy() if isinstance(v, np.ndarray) else v for v in a))

    grads = ad.grad(f, tuple(range(len(args))))(*args)
    h = 1e-6
    for i, g in enumerate(grads):
        for k in np.ndindex(np.shape(g)):

            def at(step, i=i, k=k):
                moved = [np.array(v) for v in args]
                moved[i][k] += step
                return copied(*(v if v.ndim else float(v) for v in moved))

            assert np.asarray(g)[k] == pytest.approx((at(h) - at(-h)) / (2 * h), rel=1e-6, abs=1e-8)


def test_only_arrays_that_are_written_have_shadows():
    def reads(x):
        y = x * 2.0
        return np.sum(y * y[::-1])

    def writes(x):
        y = x * 2.0
        y[0] = 1.0
        return np.sum(y * y[::-1])

    assert "zeros_like" not in ad.source(ad.grad(reads), X)
    assert "y_bar = np.zeros_like(y)" in ad.source(ad.grad(writes), X)


# -- functions called by reference ---------------------------------------------------------------


def effect(f, *args):
    """What the recursive function that `f` calls does with memory."""
    context = new_context()
    install(context)
    for _ in range(2):  # that it is recursive is learned first
        with contextlib.suppress(Restart):
            Entry(context, f, Request("primal")).build(tuple(map(type_of, args)), ())
        if not context.functions:
            separate, context = context.separate, new_context()
            install(context)
            context.separate = separate
    bodies = [g.body for g in context.functions.values()]
    calls = [s for body in bodies for s in statements_of(body) if isinstance(s, Call)]
    found = {effect_of(context, s) for s in calls} - {None}
    assert len(found) == 1, found
    return found.pop()


TABLE = np.ones(4)


def fills(n, a, b):
    if n > 0:
        a[n] = b[n]
        fills(n - 1, a, b)


def finds(n, a):
    return a if n == 0 else finds(n - 1, a[1:])


def makes(n, a):
    return (a + 1.0, a) if n == 0 else makes(n - 1, a)


def looks_up(n, a):
    return a[0] if n == 0 else looks_up(n - 1, a) * TABLE[n]


@pytest.mark.parametrize(
    ("f", "args", "expected"),
    [
        (fills, (2, X, X), Effect(writes=(1, 2))),  # the two may be one
        (finds, (2, X), Effect(shares=(0,))),
        (makes, (2, X), Effect(shares=(1,))),
        (looks_up, (2, X), Effect(reads=True)),
    ],
)
def test_what_recursive_functions_do_with_memory(f, args, expected):
    assert effect(f, *args) == expected


def test_recursion_that_reads_what_is_written_is_refused():
    def f(x):
        TABLE[:] = x * x
        return looks_up(2, x)

    with pytest.raises(ad.Unsupported, match="reads arrays of a module"):
        ad.grad(f)(X)


def test_a_function_met_with_other_types_inside_itself():
    def crossed(a, b, n):
        if n > 0:
            a[0] += b[1] * b[0]
            crossed(b, a, n - 1)

    def f(x):
        crossed(x, x[1:], 3)
        return np.sum(x)

    a = X.copy()
    assert np.all(np.isfinite(ad.grad(f)(a))) and np.array_equal(a, X)


class Held:
    """An object with arrays in all kinds of places."""

    def __init__(self):
        self.b = np.array([1.0, 2.0])
        self.rows = [self.b * 2.0, self.b * 3.0]
        self.table = {"k": self.b * 4.0}
        self.inner: Held | None = None

    @property
    def shown(self):
        return self.b

    def put(self, value):
        self.b[0] = value

    def __getitem__(self, k):
        return self.b[k]

    def __setitem__(self, k, value):
        self.b[k] = value


def nested():
    outer = Held()
    outer.inner = Held()
    return outer


Named = collections.namedtuple("Named", "u v")


def pair():
    return np.array([1.0, 2.0]), np.array([3.0, 4.0])


def one_array_twice():
    a = pair()[0]
    return {"b": a, "c": a}


def by_attribute(c, s):
    c.b[:] *= s
    c.rows[1][0] = s
    c.table["k"][0] += s
    return np.sum(c.b**2) + np.sum(c.rows[1] * c.table["k"])


def by_method(c, s):
    c.put(s)
    c[1] = s * c[0]
    c.shown[:] += c.inner.b
    c.inner.put(c[1])
    return np.sum(c.b**2) + c.inner[0]


def by_key(c, s):
    c["b"][0] = s
    c.get("c")[1] *= s
    for v in c.values():
        v *= s
    return np.sum(c["b"] * c["c"])


def by_field(c, s):
    c.v[0] = s
    c[0][:] *= c.v
    return np.sum(c.u * c[1])


def in_a_list(c, s):
    for o in c:
        o.b *= s
    c[1].put(s * s)
    return np.sum(c[0].b * c[-1].b)


@pytest.mark.parametrize(
    ("f", "make"),
    [
        (by_attribute, Held),
        (by_method, nested),
        (by_key, lambda: dict(zip("bc", pair()))),
        (by_key, one_array_twice),
        (by_field, lambda: Named(*pair())),
        (in_a_list, lambda: [Held(), Held()]),
    ],
)
def test_arrays_in_what_has_no_derivative_itself(f, make):
    """Only a number is differentiated by; it is written into arrays that the caller's containers hold."""
    h = 1e-5
    expected = (f(make(), 0.3 + h) - f(make(), 0.3 - h)) / (2 * h)
    assert ad.grad(f, 1)(make(), 0.3) == pytest.approx(expected, rel=1e-7)
    assert ad.jvp(f, (make(), 0.3), (None, 1.0))[1] == pytest.approx(expected, rel=1e-7)
    assert ad.vjp(f, make(), 0.3)[1](1.0)[1] == pytest.approx(expected, rel=1e-7)
    slope = ad.grad(lambda c, s: ad.grad(f, 1)(c, s) * s, 1)(make(), 0.3)
    first, last = (ad.grad(f, 1)(make(), 0.3 + d) * (0.3 + d) for d in (-h, h))
    assert slope == pytest.approx((last - first) / (2 * h), rel=1e-6)


def test_arrays_in_objects_of_a_long_list_are_refused():
    def f(c, s):
        for o in c:
            o.b[0] = s
        return np.sum(c[3].b)

    many = [Held() for _ in range(20)]
    for run in (lambda: ad.grad(f, 1)(many, 0.3), lambda: ad.jvp(f, (many, 0.3), (None, 1.0))):
        with pytest.raises(ad.Unsupported, match="of no known structure"):
            run()
