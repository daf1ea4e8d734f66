"""Arguments are bound as Python binds them, errors included."""

import pytest

from tests.compiled import check, same_error


def callee(a, b=2.0, *rest, scale=1.0, **more):
    return a * scale + b + sum(rest) * 3.0 + sum(more.values())


def strict(a, /, b, *, c):
    return a + 2.0 * b + 3.0 * c


CALLS = [
    lambda x: callee(x),
    lambda x: callee(x, x),
    lambda x: callee(x, b=x * x),
    lambda x: callee(x, x, x, 2.0 * x, scale=x),
    lambda x: callee(b=x, a=1.0, extra=x * x),
    lambda x: callee(*(x, x), **{"scale": x}),
    lambda x: strict(x, x * x, c=x),
    lambda x: strict(x, b=1.0, c=x * x),
]


@pytest.mark.parametrize("call", CALLS, ids=range(len(CALLS)))
def test_bound_like_python(call):
    check(call, 0.7)


def too_many(x):
    if x > 0.0:
        return strict(x, x, x)
    return x


def test_wrong_calls_raise_type_error():
    same_error(too_many, 0.5, message=False)
    check(too_many, -0.5)
