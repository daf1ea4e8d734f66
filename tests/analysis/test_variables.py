"""Variables that recursive functions assign to."""

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
