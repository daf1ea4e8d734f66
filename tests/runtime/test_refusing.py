"""What may refuse a call, and which derivatives have it."""

from adcompile import pipeline
from adcompile.ir.abstract import type_of
from adcompile.runtime.refusing import REFUSING


def power(x, y):
    """Of a negative number to a power that is no whole one, which is complex."""
    return abs(x**y)


def plain(x):
    return x * x


def derived(f, *args):
    wrt = tuple(range(len(args)))
    return pipeline.derive(f, pipeline.Request("joint", wrt, backend="numpy"), tuple(map(type_of, args)))


def test_derivatives_know_whether_they_may_refuse():
    assert derived(power, 0.5, 0.5).refuses
    assert not derived(plain, 0.5).refuses
    assert all(map(callable, REFUSING))
