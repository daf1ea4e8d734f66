"""Builtins on types and containers give what Python gives."""

import functools
import math
import types

import numpy as np
import pytest

import adcompile as ad
from tests.compiled import check, same_error, same_value


def questions(x, xs):
    if isinstance(x, (float, np.floating)) and not isinstance(xs, np.ndarray) and callable(math.sin):
        return x * len(xs) if type(xs) is tuple else x
    return -x


def zipped(xs, ys):
    return sum(a * b + i for i, (a, b) in enumerate(zip(xs, reversed(ys))))


def mapped(xs):
    return sum(map(lambda v: v * v, filter(lambda v: v > 0.0, xs)))


def containers(x):
    d = dict(a=x, b=x * x)
    items = list(tuple([x, 2.0 * x]))
    items.append(d.get("a", 0.0))
    last = items.pop()
    return d.get("missing", 3.0) * last + len(items) + (0.5 if "b" in d else x)


def grown(x):
    out = []
    for i in range(3):
        out.append(x * i)
    return out


def ordered(xs):
    s = sorted(xs, reverse=True)
    return s[0] * 3.0 + s[-1] + sorted(xs, key=lambda v: -abs(v))[0]


def empty_pop(x):
    items = [x]
    items.pop()
    return items.pop()


def identity(x, y=None):
    return x if y is None else x * y


def test_questions_about_types():
    check(questions, 0.5, (1.0, 2.0))
    check(questions, 0.5, [1.0, 2.0])
    same_value(questions, 0.5, np.ones(2))


def test_iterables():
    check(zipped, (0.5, 1.5), [2.0, 3.0])
    check(zipped, np.array([0.5, 1.5]), np.array([2.0, 3.0]))
    check(mapped, [0.5, -1.0, 2.0])


def test_containers():
    check(containers, 0.7)
    check(grown, 0.7)


def test_sorting():
    check(ordered, np.array([0.5, -1.5, 1.0]))
    check(ordered, [0.5, -1.5, 1.0])


def test_identity():
    check(identity, 0.5)
    check(identity, 0.5, 2.0)


def test_errors_are_pythons():
    same_error(empty_pop, 0.5)


@pytest.mark.parametrize("n", [0, 1, 5, 40])
def test_folds_of_every_length(n):
    def product(xs):
        return functools.reduce(lambda a, b: a * b, xs, 1.0)

    check(product, np.linspace(0.5, 1.5, n))


@pytest.mark.parametrize("n", [0, 1, 3, 70])
def test_repetition_by_a_number_met_at_run_time(n):
    def repeated(x, xs, n):
        return [x * x] * n + (n * [x, 2.0])[:3] + xs * 2

    check(repeated, 0.7, [0.5, 1.5], n)
    check(repeated, 0.7, list(np.linspace(0.0, 1.0, 20)), n)


def test_repetition_of_what_is_inert():
    same_value(lambda n: [0.0] * n + [[]] * n, 3)
    same_value(lambda a, n: a * n, np.ones(2), 3)


def class_of_values(x):
    made = type("Made", (), {"v": x[0]})
    return made.v * x[1]


def class_of_functions(x):
    made = type("Made", (), {"f": lambda self: x[0]})
    return made().f() * x[1]


def module_of_values(x):
    made = types.ModuleType("made")
    made.v = x[0]
    return made.v * x[1]


def function_with_a_value(x):
    def made():
        pass

    made.v = x[0]
    return made.v * x[1]


def function_with_an_array(x):
    def made():
        pass

    made.v = np.zeros(2)
    made.v[0] = x[0]
    return made.v[0] * x[1]


def names_of_a_function(x):
    def made():
        pass

    made.__dict__["v"] = x[0]
    made.__dict__.update(w=x[1])
    return made.v * made.w


def partial_with_a_value(x):
    made = functools.partial(math.pow, 2.0)
    made.v = x[0]
    return made.v * x[1]


MADE = [class_of_values, class_of_functions, module_of_values, function_with_a_value, function_with_an_array]


@pytest.mark.parametrize("f", [*MADE, names_of_a_function, partial_with_a_value])
def test_what_holds_active_values_and_is_made_at_run_time_is_refused(f):
    x = np.array([1.1, 2.2])
    for run in (lambda: ad.grad(f)(x), lambda: ad.jvp(f, (x,), (x,))):
        with pytest.raises(ad.AdcompileError):
            run()


def test_classes_and_modules_of_constants_made_at_run_time():
    def f(x):
        made, module = type("Made", (), {"v": 3.0, "f": lambda self: 2.0}), types.ModuleType("made")
        module.v = 4.0
        return made.v * made().f() * module.v * x

    assert ad.grad(f)(2.0) == 24.0
