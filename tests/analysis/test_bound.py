"""Names that some path leaves unbound, whose value is a list that is followed, a function or None."""

# pyright: reportPossiblyUnboundVariable=false

import contextlib
import math

import numpy as np
import pytest

import adcompile as ad
from tests.unbound_names import programs


def grown(x, n):
    if n:
        made = []
    made.append(x)
    return made[0]


def twice(x, n):
    if n:
        made = []
    if n > 1:
        made = [2.0]
    made.append(x)
    return made[-1]


def in_a_loop(x, n):
    for _ in range(n):
        made = []
    made.append(x)
    return made[0]


def in_a_while(x, n):
    while n > 0:
        made = {}
        n -= 1
    made["x"] = x
    return made["x"]


def second_name(x, n):
    first = [x]
    if n:
        made = first
    return made[0]


def function(x, n):
    if n:
        g = math.sin
    return g(x)


def inner_function(x, n):
    if n:
        def g(z):
            return z * z
    return g(x)


def nothing(x, n):
    if n:
        p = None
    return x if p is None else 2 * x


def captured(x, n):
    if n:
        y = 2.0 * x

    def g():
        return y * x

    return g()


def helper(x, n):
    if n:
        made = []
    made.append(x)
    return made


def by_helper(x, n):
    return helper(x, n)[0]


ALL = (grown, twice, in_a_loop, in_a_while, second_name, function, inner_function, nothing, captured, by_helper)


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_a_name_that_no_path_has_bound_raises_where_it_is_read(f):
    for run in (f, ad.grad(f), ad.value_and_grad(f), lambda x, n: ad.jvp(f, (x, n), (1.0, None))):
        with pytest.raises(NameError):
            run(0.5, 0)


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_a_bound_one_is_what_it_is(f):
    for n in (1, 2):
        value, gradient = ad.value_and_grad(f)(0.5, n)
        assert value == f(0.5, n)
        assert gradient == pytest.approx((f(0.5 + 1e-6, n) - f(0.5 - 1e-6, n)) / 2e-6)
        assert ad.jvp(f, (0.5, n), (1.0, None)) == (value, gradient)


def test_no_question_is_left_where_the_value_itself_raises():
    def f(x, n):
        if n:
            y = x * 2.0
        return y * y

    ad.grad(f)(0.5, 1)
    assert "True" not in ad.source(f, 0.5, 1)


X = np.array([0.3, 0.7, 1.1, 0.2])
NAMES = dict(programs())


@pytest.mark.parametrize("name", NAMES)
def test_where_some_path_binds_a_name_the_others_raise(name):
    f = NAMES[name]
    for run in (f, ad.value_and_grad(f), lambda x, k: ad.jvp(f, (x, k), (np.ones(4), None))):
        with pytest.raises(UnboundLocalError, match="'f'"):
            run(X, 0)
    for k in (1, 2):
        value, x_bar = ad.value_and_grad(f)(X, k)
        assert value == pytest.approx(f(X, k), rel=1e-14)
        slope = (f(X + 1e-6, k) - f(X - 1e-6, k)) / 2e-6
        assert np.sum(x_bar) == pytest.approx(slope, rel=1e-8)
        assert ad.jvp(f, (X, k), (np.ones(4), None))[1] == pytest.approx(slope, rel=1e-8)


def behind_what_leaves(x, k):
    if k > 1:
        if k > 1:
            return x[1]
        q = 3
    return x[0] * (3.0 if q is None else 4.0)


def behind_what_goes_on(x, k):
    for i in range(3 - k):
        if i < 2:
            if i < 2:
                continue
            q = "text"
    return x[0] if k > 1 else x[0] * (3.0 if q == "text" else 4.0)


def deleted_in_a_loop(x, k):
    t = x[0]
    if k != 1:
        q = "text"
    for _ in range(k < 2):
        del q
    for _ in range(k == 0):
        del q  # noqa: F821
    return t + x[1]


def deleted(x, k):
    t = x[0]
    if k == 2:
        q = "text"
    del q
    return t + x[1]


number = 7.0


def not_that_of_the_module(x, k):
    t = x[0]
    try:
        n = number + 1.0  # noqa: F823
    except UnboundLocalError:
        n = 5.0
    number = 2.0
    return t * n


def not_that_of_the_module_either(x, k):
    if k == 2:
        number = 4.0
    with contextlib.nullcontext():
        n = number + 1.0
    return x[0] * n


LEFT = (behind_what_leaves, behind_what_goes_on, deleted_in_a_loop, deleted, not_that_of_the_module_either)


@pytest.mark.parametrize("f", LEFT, ids=lambda f: f.__name__)
def test_names_that_code_unbinds_or_never_binds_raise(f):
    for k in (0, 1):
        for run in (f, ad.value_and_grad(f), lambda x, k: ad.jvp(f, (x, k), (np.ones(4), None))):
            with pytest.raises(UnboundLocalError):
                run(X, k)
    assert ad.value_and_grad(f)(X, 2)[0] == f(X, 2)


def test_code_that_is_not_followed_finds_a_name_unbound():
    value, x_bar = ad.value_and_grad(not_that_of_the_module)(X, 2)
    assert value == not_that_of_the_module(X, 2) == 1.5
    assert x_bar.tolist() == [5.0, 0.0, 0.0, 0.0]


def caught_by_its_own_handler(x, k):
    if k == 2:
        v = 1.0
    try:
        v += 1.0
    except UnboundLocalError:
        v = 10.0
    except NameError:
        v = 20.0
    return x[0] * v


def caught_in_the_first_turn(x, k):
    t = x[0]
    for _ in range(k + 1):
        try:
            v = v + 1.0  # noqa: F821
        except UnboundLocalError:
            v = 10.0
        t = t * v
    return t


def of_a_function_inside(x, k):
    """There it is a free variable, and Python says so."""

    def inner():
        return v

    if k == 2:
        v = 1.0
    try:
        v = inner() + 1.0
    except UnboundLocalError:
        v = 10.0
    except NameError:
        v = 20.0
    return x[0] * v


CAUGHT = (caught_by_its_own_handler, caught_in_the_first_turn, of_a_function_inside)


@pytest.mark.parametrize("f", CAUGHT, ids=lambda f: f.__name__)
def test_handlers_catch_what_an_unbound_name_raises(f):
    for k in range(3):
        slope = (f(X + 1e-6, k) - f(X - 1e-6, k)) / 2e-6
        value, x_bar = ad.value_and_grad(f)(X, k)
        assert value == f(X, k) and np.sum(x_bar) == pytest.approx(slope, rel=1e-8)
        value, tangent = ad.jvp(f, (X, k), (np.ones(4), None))
        assert value == f(X, k) and tangent == pytest.approx(slope, rel=1e-8)
