"""Names and positions of arguments; what is done with them is tested in tests/test_nesting.py."""

import functools

import pytest

import adcompile as ad


def f(a, b=2.0, *, c=3.0):
    return a * a * b * c


class Scaled:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, x, y):
        return self.scale * x * y * y

    def method(self, x, y):
        return self.scale * x * x * y


scaled = Scaled(2.0)
half = functools.partial(f, b=0.5)
first = functools.partial(f, 3.0)


def central(g, x, h=1e-4):
    return (8 * (g(x + h) - g(x - h)) - (g(x + 2 * h) - g(x - 2 * h))) / (12 * h)


def names_of_partials(x):
    return ad.grad(half, "a")(x) + ad.grad(half, "c")(x, c=x) + ad.grad(first, "b")(x) + ad.grad(first)(b=x)


def names_of_partials_made_inside(x):
    inner = functools.partial(f, x)
    return ad.grad(inner, "b")(x) + ad.grad(functools.partial(f, b=x), "c")(x)


def names_of_methods_and_objects(x):
    return ad.grad(scaled, "y")(x, x) + ad.grad(scaled.method, "x")(x, x)


def names_of_closures(x):
    def inner(a, b=1.5, *, c=x):
        return a * a * b * c * c

    return ad.grad(inner, "c")(x) + ad.grad(inner, "b")(2.0) + ad.grad(inner, -1)(x, x) + ad.jacfwd(inner, "a")(a=x)


def names_under_transforms(x):
    inner = ad.grad(f, "c")
    return ad.grad(inner, "a")(x) + ad.jacrev(ad.grad(ad.jacfwd(f), "b"), "c")(x, x, c=x)


def variadic(x):
    def inner(*args, **kwargs):
        return args[0] * args[1] * kwargs["k"] ** 2

    return ad.grad(inner, 1)(x, x, k=x) + ad.grad(inner, "k")(x, x, k=x) + ad.grad(inner, -2)(x, 2.0, k=1.0)


CASES = [
    names_of_partials,
    names_of_partials_made_inside,
    names_of_methods_and_objects,
    names_of_closures,
    names_under_transforms,
    variadic,
]


@pytest.mark.parametrize("g", CASES, ids=lambda g: g.__name__)
def test_inside(g):
    assert ad.grad(g)(1.3) == pytest.approx(central(g, 1.3), rel=1e-8)
    assert ad.jvp(g, (1.3,), (1.0,))[1] == pytest.approx(central(g, 1.3), rel=1e-8)


def test_the_same_outside():
    assert ad.grad(half, "a")(2.0) == pytest.approx(6.0) and ad.grad(half, "c")(2.0, c=1.0) == pytest.approx(2.0)
    assert ad.grad(first, "b")(1.0) == pytest.approx(27.0) and ad.grad(scaled, "y")(2.0, 3.0) == pytest.approx(24.0)
    assert ad.grad(lambda *args, **kwargs: args[0] * kwargs["k"], "k")(3.0, k=2.0) == 3.0


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda x: ad.grad(f, 3)(x), "names argument 3"),
        (lambda x: ad.grad(f, "d")(x), "these names: a, b, c"),
        (lambda x: ad.grad(lambda a, *, k: a * k, "k")(x, k="no") + x, "argument 'k'.*no derivative"),
        (lambda x: ad.grad(f, 1)(x, int(x)), "argument 'b'.*no derivative: its type is int\n"),
    ],
)
def test_what_is_not_there(call, message):
    with pytest.raises(ad.NotDifferentiable, match=message):
        ad.grad(call)(1.0)
