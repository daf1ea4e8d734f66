"""Nested functions, what they capture, and calls."""

import functools
import math
import operator

from tests.frontend.language import register_in

CALLS = []
on = register_in(CALLS)
SCALE = 2.5


def default_arguments(a, b=2, *rest, c, d=4, **more):
    return a, b, rest, c, d, more


CALLS.append((default_arguments, (1,), {"c": 3}))
CALLS.append((default_arguments, (1, 5, 6, 7), {"c": 3, "e": 9}))
CALLS.append((default_arguments, (), {"c": 3}))


@on(1)
def positional_only(a, /, b=3, *, c=4):
    return a, b, c


@on((1, 2), {"c": 3})
def splats(args, kwargs):
    return (
        default_arguments(*args, **kwargs),
        default_arguments(0, *args, 9, **kwargs, z=1),
        default_arguments(*args, *args, c=1),
        print(*args, sep="-"),
    )


@on((1,), {"c": 3})
def keyword_clash(args, kwargs):
    return dict(*[], hint=1, node=2, fn=3), default_arguments(*args, **kwargs, c=4)


@on(3)
def nested_functions(n):
    def add(a, b=n, *, c=1):
        return a + b + c + n

    def twice(f, *args, **kwargs):
        return f(f(*args, **kwargs))

    def make(k):
        return lambda v: v * k + n

    return add(1), add(1, 2, c=3), twice(add, 4), make(5)(6), (lambda: n)(), (lambda a, *b: (a, b))(1, 2, 3)


@on(5)
def nested_recursion(n):
    def fact(k):
        return 1 if k <= 1 else k * fact(k - 1)

    fib = lambda k: k if k < 2 else fib(k - 1) + fib(k - 2)
    return fact(n), fib(n)


@on(3)
def closure_in_loop(n):
    out = []
    for i in range(n):

        def shifted(v):
            return v + i

        out.append(shifted(10))
        out.append((lambda v: v * i)(2))
        out.append(sorted([3, 1, 2], key=lambda v: -v * i))
    return out


@on(5)
def captured_variable_changes(n):
    y = n

    def f(a):
        return a * y

    out = [f(2)]
    y = y + 1
    out.append(f(2))
    for y in range(3):
        out.append(f(y))
    return out, f(1), (lambda: f(3))()


@on(6)
def functions_that_call_each_other(n):
    def even(k):
        return k == 0 or odd(k - 1)

    def odd(k):
        return k != 0 and even(k - 1)

    def base():
        return shift + later()

    shift = n

    def later():
        return shift * 10

    return even(n), odd(n), base(), [even(k) for k in range(4)], list(map(odd, range(3)))


@on(3)
def three_that_call_each_other(n):
    log = []

    def a(k):
        log.append(("a", k))
        return b(k - 1) if k > 0 else 0

    def b(k):
        return c(k - 1) + a(k - 2) if k > 0 else 1

    def c(k):
        return a(k - 1) + b(k) + c(k - 2) if k > 0 else 2

    return a(n + 3), b(n), c(n), log


@on(2)
def late_in_a_try(n):
    def f():
        return k + n

    try:
        k = 1
        r = f()
    except ValueError:
        return None
    return r, f()


@on(2)
def late_closure_returned(n):
    def f():
        return k + n

    k = 5
    return f


@on(4)
def lambda_in_comprehension(n):
    return [(lambda v: v + i)(1) for i in range(n)], list(map(lambda v: v**2, range(n)))


@on(4)
def captured_before_the_def(n):
    if n > 2:
        k = 10
    else:
        k = 20

    def f(v):
        return v + k

    return f(1)


@on(3)
def decorated_inner(n):
    def twice(f):
        def wrapper(v):
            return f(f(v))

        return wrapper

    @twice
    @functools.lru_cache(maxsize=None)
    def inc(v):
        return v + n

    return inc(1)


@on(3)
def deep_closures(n):
    a = n

    def outer(b):
        c = a + b

        def inner(d):
            return a, b, c, d, n

        return inner

    return outer(2)(5)


@on(2.0)
def higher_order(x):
    return functools.reduce(operator.mul, [x, 3, 4]), functools.partial(pow, x)(3), math.sin(x), SCALE * x


@on(1)
def default_evaluated_once(n):
    def f(a=[]):  # noqa: B006
        a.append(n)
        return a

    f()
    return f()
