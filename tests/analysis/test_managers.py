"""`with np.errstate(...)` around code that is followed."""

import numpy as np
import pytest

import adcompile as ad

X = np.array([-0.5, 0.0, 2.0])


def logarithms(x):
    with np.errstate(all="ignore"):
        y = np.where(x > 0, np.log(x), 0.0)
        for _ in range(2):
            with np.errstate(divide="ignore"):
                y = y * np.where(x > 0, 1.0 / x, x)
    return y


DERIVATIVES = {
    "grad": lambda f: ad.grad(lambda x: np.sum(f(x) * x)),
    "vjp": lambda f: lambda x: ad.vjp(f, x)[1](np.ones(3)),
    "jvp": lambda f: lambda x: ad.jvp(f, (x,), (np.ones(3),)),
    "jacrev": ad.jacrev,
    "jacfwd": ad.jacfwd,
    "hessian": lambda f: ad.hessian(lambda x: np.sum(f(x) * x)),
}


@pytest.mark.parametrize("name", DERIVATIVES)
def test_a_derivative_is_as_quiet_as_its_function(name):
    with np.errstate(all="raise"):
        DERIVATIVES[name](logarithms)(X)
        assert set(np.geterr().values()) == {"raise"}


def test_what_raises_within_leaves_the_settings_as_they_were():
    def reads(x, k):
        with np.errstate(all="ignore"):
            y = np.log(x)
            return y[k] * x[0]

    before = np.geterr()
    with pytest.raises(IndexError):
        ad.grad(reads)(X, 7)
    assert np.geterr() == before


def test_emitted_code_has_it_around_function_and_derivative():
    text = ad.source(ad.grad(lambda x: np.sum(logarithms(x))), X)
    assert text.count("with np.errstate(all='ignore'):") == 2


@pytest.mark.parametrize("settings", [{"divide": "raise"}, {"all": "call"}, {"call": print}])
def test_what_may_raise_or_call_is_refused(settings):
    def function(x):
        with np.errstate(**settings):
            y = np.log(x)
        return np.sum(y)

    def written_out(x):
        with np.errstate(divide="raise"):
            y = np.log(x)
        return np.sum(y)

    for f in (function, written_out):
        with pytest.raises(ad.Unsupported, match="with around"):
            ad.grad(f)(X)


def test_inert_code_under_other_managers_runs_as_written():
    def function(x):
        with np.printoptions(precision=2):
            text = str(np.array([1.23456]))
        return x * x * len(text)

    assert ad.grad(function)(3.0) == 6.0 * len("[1.23]")
