"""What raises an exception that is caught around it: seen when the derivative is made, or refused."""

import pytest

import adcompile as ad


class Halves:
    def __init__(self, v):
        self.v = v

    def __iter__(self):
        return self

    def __next__(self):
        self.v = self.v / 2.0
        if self.v < 0.1:
            raise StopIteration
        return self.v


class Endless(Halves):
    def __next__(self):
        return self.v


class Partly:
    def __init__(self, v):
        self.v = v

    @property
    def large(self):
        if self.v < 1.0:
            raise AttributeError("large")
        return self.v


def halves(x):
    return sum(Halves(x))


def endless(x):
    return sum(Endless(x))


def lazily(x):
    return sum(a * b for a, b in zip(Halves(x), [x, x]))


def partly(x):
    return getattr(Partly(x), "large", x)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (halves, "StopIteration is known only when the code runs"),
        (endless, "for more than 256 items"),
        (lazily, "as items are asked for"),
        (partly, "AttributeError is known only when the code runs"),
    ],
)
def test_what_only_the_run_time_knows_is_refused(function, words):
    with pytest.raises(ad.Unsupported, match=words):
        ad.grad(function)(1.3)
    with pytest.raises(ad.Unsupported, match=words):
        ad.jvp(function, (1.3,), (1.0,))


def test_other_exceptions_come_through():
    class Broken:
        @property
        def part(self):
            raise ValueError("broken")

    def f(x):
        return getattr(Broken(), "part", x) * x

    with pytest.raises(ValueError, match="broken"):
        f(1.0)
    with pytest.raises(ValueError, match="broken"):
        ad.grad(f)(1.0)
