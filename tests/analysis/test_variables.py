"""Variables that recursive functions assign to."""

import numpy as np
import pytest

import adcompile as ad


def counted(x, n):
    calls = 0

    def visit(m):
        nonlocal calls
        calls += 1
        if m > 0:
            visit(m - 1)
            visit(m - 2)

    visit(n)
    return x * x * calls


def unbound(x, n):
    if n > 100:
        calls = 0

    def visit(m):
        nonlocal calls
        calls += 1
        if m > 0:
            visit(m - 1)

    visit(n)
    calls = 1
    return x * calls


def grown(x, n):
    y = x

    def visit(m):
        nonlocal y
        y = y * x
        if m > 0:
            visit(m - 1)

    visit(n)
    return y


def test_a_counter():
    for n in (0, 3):
        value, gradient = ad.value_and_grad(counted)(0.5, n)
        assert (value, gradient) == (counted(0.5, n), 4 * counted(0.5, n))
        assert ad.jvp(counted, (0.5, n), (1.0, None)) == (value, gradient)


def test_an_unbound_one_raises():
    for run in (unbound, ad.grad(unbound)):
        with pytest.raises(NameError):
            run(0.5, 2)


def test_values_with_derivatives_are_refused():
    with pytest.raises(ad.Unsupported, match="assigns to a variable around it"):
        ad.grad(grown)(0.5, 2)


def twice(f):
    return lambda n: 2.0 * f(n)


def decorated(x):
    @twice
    def f(n):
        return x[0] if n == 0 else x[0] * f(n - 1)

    return f(1)


def replaced(x):
    def f(n):
        return x[0] if n == 0 else x[0] * f(n - 1)

    f = twice(f)
    return f(2)


@pytest.mark.parametrize("f", [decorated, replaced])
@pytest.mark.parametrize("derivative", [ad.grad, ad.jacfwd])
def test_recursion_through_what_a_decorator_made_is_refused(f, derivative):
    """It would call the function itself, and not what its name means by then."""
    with pytest.raises(ad.Unsupported, match="holds itself"):
        derivative(f)(np.array([1.3, 0.7]))
