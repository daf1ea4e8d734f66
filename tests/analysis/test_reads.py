"""Names that are unbound where they are read raise what they raise in Python, under the user's name."""

# pyright: reportPossiblyUnboundVariable=false, reportUnboundVariable=false

import math

import numpy as np
import pytest

import adcompile as ad


class Box:
    pass


def deleted_number(x, n):
    y = x * x
    if n > 1:
        del y
    return y * x


def deleted_argument(x, n):
    if n == 2:
        del x
    return x * x


def deleted_where_unbound(x, n):
    if n:
        made = [x, x * x]
    del made
    return x * x


def deleted_where_the_loop_made_none(x, n):
    for i in range(n):
        y = i * x
    del y
    return x * x


def deleted_in_a_loop(x, n):
    made = [x]
    for i in range(n):
        if i == 1:
            del made
    return made[0] * x


def deleted_twice(x, n):
    y = [x]
    for _ in range(n):
        del y
    return x * x


def deleted_and_bound_again(x, n):
    y = np.array([x, x * x])
    if n != 1:
        del y
    if n:
        y = np.array([x, 1.0])
    return y[0] * x


def deleted_in_a_while(x, n):
    i, y = 0, x
    while i < n:
        i += 1
        if i == 3:
            y = x * x
        if i == 2:
            del y
    return y * x


def deleted_by_another_function(x, n):
    y = [x]

    def drop():
        nonlocal y
        del y

    for _ in range(n):
        drop()
    return x * x


def deleted_while_captured(x, n):
    y = [x, x * x]

    def read():
        return y[1]

    if n > 1:
        del y
    return read() * x


def appended_by_another_function(x, n):
    if n:
        made = []

    def add(v):
        made.append(v)

    add(x)
    return x * x


def captured_before(x, n):
    def read():
        return made[0] * made[1]

    if n:
        made = [x, x * x]
    return read()


def captured_function(x, n):
    def call(v):
        return g(v)

    if n:
        def g(v):
            return v * v
    return call(x)


def captured_object(x, n):
    if n:
        box = Box()

    def put(v):
        box.a = v

    put(x * x)
    return box.a * x


def captured_length(x, n):
    if n:
        made = {}

    def count():
        return len(made) + 1

    return x * count()


def captured_in_a_loop(x, n):
    def add(v):
        made.append(v)

    for i in range(n):
        if i == 1:
            made = []
        if i > 1:
            add(x)
    add(x)
    return made[0] * x


def assigned_by_another_function(x, n):
    def put(v):
        nonlocal made
        made = [v]

    if n:
        put(x * x)
    if n < 0:
        made = []
    return made[0] * x


def passed_by(x, n):
    if n:
        made = [x]

    def add(v, into):
        into.append(v)

    def go():
        add(x, made)

    go()
    return sum(made)


def part_of_a_tuple(x, n):
    if n:
        pair = ([x], x * x)
    return pair[0][0] * x


def _helper(x, n):
    if n:
        t = x
    return t * x


def by_a_helper_in_a_loop(x, n):
    total = 0.0
    for i in range(n + 2):
        total += _helper(x, n + 1 - i)
    return total


def bound_in_try(x, n):
    try:
        k = int("1" * n)
    except ValueError:
        pass
    return k * x


def none_bound_in_try(x, n):
    try:
        k, p = int("1" * n), None
    except ValueError:
        pass
    return x if p is None else 2.0 * x


def list_bound_in_try(x, n):
    try:
        k = int("1" * n)
        items = [k, 2]
    except ValueError:
        pass
    return len(items) * x


def function_bound_in_try(x, n):
    try:
        int("1" * n)
        g = math.sin
    except ValueError:
        pass
    return g(x)


def captured_of_try(x, n):
    try:
        k = int("1" * n)
    except ValueError:
        pass

    def read():
        return k

    return x * read()


def deleted_in_try(x, n):
    k = 1
    try:
        int("1" * n)
        del k
    except ValueError:
        pass
    return k * x  # noqa: F821


def name_of_an_error(x, n):
    error = 1
    try:
        int("1" * n)
    except ValueError as error:
        pass
    return error * x


def list_read_in_try(x, n):
    if n:
        items = [2]
    try:
        k = int("1" * (n + 1)) * items[0]
    except NameError:
        k = 7
    return k * x


def captured_by_a_recursive_function(x, n):
    if n:
        made = [x * x]

    def walk(k):
        if k == 0:
            return made[0] * x
        return walk(k - 1) * x

    return walk(n + 1)


def captured_by_a_recursive_function_that_may_not_read(x, n):
    if n:
        y = x * x

    def walk(k):
        if k == 0:
            return x
        if n:
            return y * walk(k - 1)
        return walk(k - 1) * x

    return walk(n + 1)


def made_anew_by_a_loop_of_one_branch(x, n):
    if n:
        made = [x]
        for _ in range(n):
            made = [x * x]
    made.append(x)
    return made[0] * made[1]


def in_a_function_kept_by_a_list(x, n):
    if n:
        factor = 2.0

    def scaled(v):
        return factor * v

    return sum(map(scaled, [x, x * x]))


ALL = [f for f in list(globals().values()) if getattr(f, "__module__", "") == __name__ and callable(f)]
ALL = [f for f in ALL if not isinstance(f, type) and not f.__name__.startswith("_")]


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_what_is_unbound_raises_what_python_raises(f):
    for n in range(4):
        try:
            value = f(0.5, n)
        except NameError as error:
            for derive in (ad.value_and_grad(f), lambda x, n: ad.jvp(f, (x, n), (1.0, None))):
                with pytest.raises(NameError) as found:
                    derive(0.5, n)
                assert (type(found.value), str(found.value)) == (type(error), str(error))
        else:
            slope = (f(0.5 + 1e-6, n) - f(0.5 - 1e-6, n)) / 2e-6
            for derive in (ad.value_and_grad(f), lambda x, n: ad.jvp(f, (x, n), (1.0, None))):
                assert derive(0.5, n) == (pytest.approx(value, rel=1e-15), pytest.approx(slope))


def test_a_name_is_asked_once():
    ad.grad(captured_before)(0.5, 1)
    assert ad.source(captured_before, 0.5, 1).count("raise NameError") == 1


def test_what_try_binds_on_all_ways_is_not_asked():
    def f(x, n):
        try:
            k = int("1" * n)
        except ValueError:
            k = 0
        return k * x

    assert ad.grad(f)(0.5, 0) == 0.0
    assert "raise" not in ad.source(f, 0.5, 0)
