"""Nested functions, captured values, lambdas, factories."""

import math

import numpy as np


def nested_function(x):
    def g(a):
        return a * a + 1.0

    return g(x) * g(2.0 * x)


def captures_active(x, y):
    s = x * y

    def g(a):
        return a * s + x

    return g(y) + g(s)


def captures_two_levels(x):
    def outer(a):
        b = a * x

        def inner(c):
            return c * b + x

        return inner(a) + inner(x)

    return outer(x) + outer(2.0)


def lambda_captures(x):
    f = lambda a: a * a * x
    return f(2.0) + f(x)


def two_lambdas_on_a_line(x):
    f, g = lambda a: a * x, lambda a: a + x * x
    return f(g(x)) - g(f(x))


def closure_returned(x):
    def make(k):
        def f(a):
            return k * a * a

        return f

    return make(x)(3.0) + make(2.0)(x)


def captured_then_rebound(x):
    k = x

    def f(a):
        return a * k

    before = f(x)
    k = x * x
    return before + f(x)


def closure_in_loop(x):
    s = 0.0
    for i in range(3):
        def f(a):
            return a ** (i + 1) * x

        s += f(x)
    return s


def kept_behind_another(x):
    """Functions that are kept, and call others whose variables are bound again meanwhile."""

    def outer():
        return lambda e: later(e) * later(x)

    def later(v):
        return v * scale + deep(v)

    def deep(v):
        return scale**2 * v

    scale = x * 2
    kept = [outer(), lambda v: later(v) * 0.5]
    scale = x * 3
    r = kept[0](x) + kept[1](0.4)
    for _ in range(2):
        scale = scale * 0.5
        r = r + kept[0](x) * kept[1](0.3)
    return r


def default_binds_early(x):
    fs = [lambda a, i=i: a * (i + x) for i in range(3)]
    return fs[0](x) + fs[2](x)


def _factory(k):
    def f(x):
        return k * math.sin(x)

    return f


module_closure = _factory(2.5)
module_lambda = lambda x: x * np.exp(-x)


def compose(x):
    def then(f, g):
        return lambda a: g(f(a))

    return then(then(math.sin, lambda a: a * a), math.exp)(x)


def curried(x, y):
    return (lambda a: lambda b: a * b + a)(x)(y)


def local_recursion(x):
    def power(a, n):
        return 1.0 if n == 0 else a * power(a, n - 1)

    return power(x, 4) + power(2.0, 3) * x


def called_in_later_iterations(x, n):
    total = x
    for k in range(n):
        if k == 1:

            def scaled():
                return k * x

        if k > 0:
            total = total * 0.5 + scaled()
    return total * (1.0 + (scaled() if n > 1 else 0.0))


def called_behind_the_loop(x, n):
    u = x
    while n > 0:
        u = u * 1.5
        if n == 2:
            weighted = lambda v: u * v  # noqa: E731
        n -= 1
    return weighted(x) * u


def called_in_the_iteration_before(x, n):
    total, power = 0.0, None
    for k in range(n):
        if power is not None:
            total = total + power(x)
        power = lambda v: v ** (k + 1)  # noqa: E731
    return total


SAMPLES = {
    "called_in_later_iterations": [(0.7, n) for n in range(1, 5)],
    "called_behind_the_loop": [(0.7, 2), (0.7, 4)],
    "called_in_the_iteration_before": [(0.7, n) for n in (1, 2, 4)],
    "nested_function": [(0.7,)],
    "captures_active": [(0.7, 1.3)],
    "captures_two_levels": [(0.7,)],
    "lambda_captures": [(0.7,)],
    "two_lambdas_on_a_line": [(0.7,)],
    "closure_returned": [(0.7,)],
    "captured_then_rebound": [(0.7,)],
    "closure_in_loop": [(0.7,)],
    "kept_behind_another": [(0.7,)],
    "default_binds_early": [(0.7,)],
    "module_closure": [(0.7,)],
    "module_lambda": [(0.7,), (np.array([0.3, -0.6]),)],
    "compose": [(0.7,)],
    "curried": [(0.7, 1.3)],
    "local_recursion": [(0.7,)],
}
