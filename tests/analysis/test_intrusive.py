"""Functions with rules that write into what they are given, and do not say so."""

import functools
import heapq

import numpy as np
import pytest

import adcompile as ad
from adcompile import rules
from adcompile.analysis.intrusive import written_unsaid

X = np.array([1.13, 2.37, 0.71])


def helper(row, value):
    row[0] = value


def stores(a, v):
    a[:] = v


def augments(a, v):
    a *= v


def sets_an_attribute(a, v):
    a.value = v


def appends(a, v):
    a.append(v)


def by_out(v, a):
    np.multiply(v, v, out=a)


def by_default(v, a=None):
    if a is None:
        a = np.empty_like(v)
    np.multiply(v, v, out=a)
    return a


def by_a_view(a, v):
    rows = a.reshape(-1)
    first = rows[1:]
    first[...] = v


def by_a_loop(a, v):
    for row in a:
        row[0] = v


def by_a_helper(a, v):
    helper(a, v)


def by_copyto(a, v):
    np.copyto(a, v)


WRITING = (
    stores, augments, sets_an_attribute, appends, by_out, by_default, by_a_view, by_a_loop, by_a_helper, by_copyto,
)  # fmt: skip


def of_a_copy(a, v):
    a = a.copy()
    a[0] = 1.0
    return a


def of_a_new_array(a, v):
    out = np.zeros_like(a)
    for i in range(len(a)):
        out[i] = a[i] * v
        w = a[i]
        w += 1.0
    return out


def of_a_list(a, v):
    seen = []
    seen.append(a)
    return np.stack(seen)


HARMLESS = (of_a_copy, of_a_new_array, of_a_list)
for _fn in (*WRITING, *HARMLESS):
    rules.vjp(_fn, lambda y_bar, y, *args: (None, None))


@pytest.mark.parametrize("fn", WRITING, ids=lambda fn: fn.__name__)
def test_found(fn):
    assert written_unsaid(fn) == ("a",)


@pytest.mark.parametrize("fn", [*HARMLESS, helper, np.copyto], ids=lambda fn: fn.__name__)
def test_not_found(fn):
    assert written_unsaid(fn) == ()


def is_refused(f, *args):
    derivatives = (lambda: ad.grad(f)(*args), lambda: ad.jvp(f, args, (np.ones(3), *[None] * (len(args) - 1))))
    for derivative in derivatives:
        with pytest.raises(ad.Unsupported, match="has a rule, and writes into its argument 'a'") as caught:
            derivative()
        assert "writes='a'" in caught.value.remedy and caught.value.place.file == __file__


class Holder:
    value = 0.0


def test_what_a_derivative_would_miss_is_refused():
    def array(x):
        b = np.zeros(3)
        stores(b, x)
        return np.sum(b)

    def buffer(x):
        b = np.zeros(3)
        by_default(x, b)
        return np.sum(b)

    def of_an_object(x):
        o = Holder()
        sets_an_attribute(o, x[0] ** 2)
        return o.value * x[1]

    def of_a_list(x):
        items = []
        appends(items, x[0] ** 2)
        return items[0] * x[1]

    for f in (array, buffer, of_an_object, of_a_list):
        is_refused(f, X)


def noted(a, v):
    a.append(float(v))


def filled(a, v):
    a[:] = v


rules.non_differentiable(noted, filled)


def test_what_no_derivative_notices():
    def counts(x):
        items = []
        noted(items, x[0])
        return x[0] * len(items)

    def fills(x):
        b = np.zeros(3)
        filled(b, 2.0)
        return np.sum(b * x)

    assert ad.value_and_grad(counts)(X)[0] == X[0] and np.array_equal(ad.grad(counts)(X), [1, 0, 0])
    assert np.array_equal(ad.grad(fills)(X), [2, 2, 2])
    assert ad.jvp(counts, (X,), (np.ones(3),)) == (X[0], 1.0)


def test_numbers_are_nobodys_memory():
    def f(x):
        return scaled(x[0], 2.0) ** 2

    def scaled(a, v):
        a *= v
        return a

    rules.vjp(scaled, lambda y_bar, y, a, v: (v * y_bar, None))
    assert np.allclose(ad.grad(f)(X), [8 * X[0], 0, 0])


def by_its_method(xs, v):
    push = xs.append
    push(v * 2.0)
    return v * v


def by_its_class(xs, v):
    list.append(xs, v * 2.0)
    return v * v


def by_an_inner_function(xs, v):
    def inner():
        xs.append(v * 2.0)

    inner()
    return v * v


def by_a_library(xs, v):
    heapq.heappush(xs, v * 2.0)
    return v * v


def by_position(*given):
    given[0].append(given[1] * 2.0)
    return given[1] * given[1]


def by_a_loop(xs, v):
    for ys in (xs,):
        ys.append(v * 2.0)
    return v * v


def by_keyword(xs, v, w=2.0):
    xs.append(v * w)
    return v * v


def wrapped(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args)

    return wrapper


APPENDING = [
    by_its_method, by_its_class, by_an_inner_function, by_a_library, by_position, by_a_loop,
    functools.partial(by_keyword, w=3.0), wrapped(by_keyword),
]  # fmt: skip
for _fn in APPENDING:
    rules.vjp(_fn, lambda y_bar, y, *given: (None, 2.0 * given[1] * y_bar))


@pytest.mark.parametrize("fn", APPENDING)
@pytest.mark.parametrize("given", [True, False])
def test_lists_that_a_function_with_a_rule_appends_to(fn, given):
    def f(x, xs):
        ys = xs if given else [1.0, 2.0]
        y = fn(ys, x)
        return y * ys[-1]

    with pytest.raises(ad.AdcompileError, match="has a rule, and writes into its argument"):
        ad.grad(f)(1.3, [1.5, 2.5])
    with pytest.raises(ad.AdcompileError, match="has a rule, and writes into its argument"):
        ad.jvp(lambda x: f(x, [1.5, 2.5]), (1.3,), (1.0,))
