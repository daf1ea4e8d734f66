import linecache

import numpy as np
import pytest

import adcompile as ad


def weighted(c, x):
    s = 0.0
    for i in range(len(x)):
        s += c * x[i]
    return s


def squares(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] ** 2
    return s


def iterated(y):
    for _ in range(10):
        y = np.sin(y)
    return y


def branching(x):
    return np.exp(x) if x > 0 else x * 2.0


@pytest.mark.parametrize("fun, args", [(weighted, (2.0, np.ones(3))), (squares, (np.ones(3),))])
def test_what_can_be_read_again_is_not_kept(fun, args):
    assert ad.saved(fun, *args) == ()


def test_one_scalar_an_iteration():
    (kept,) = ad.saved(iterated, 1.0)
    assert kept.name.startswith("y") and "one value an iteration" in kept.why
    assert kept.place.file == __file__ and "test_inspection.py" in str(kept)


def test_values_and_tests():
    whys = {k.why.split(",")[0] for k in ad.saved(branching, 1.0)}
    assert "which way the function went" in whys


def test_source_is_what_runs():
    g = ad.grad(squares)
    text = ad.source(g, np.ones(3))
    assert text == ad.source(squares, np.ones(3))
    call = g.specialise((np.ones(3),), {})[0].made.derived.call
    assert "".join(linecache.getlines(call.__code__.co_filename)) == text
    assert text != ad.source(ad.value_and_grad(squares), np.ones(3))


def test_who_reads_what_is_kept():
    def f(x):
        s = 0.0
        for k in range(len(x)):
            s = s + np.sin(x[k] * s)
        return np.cos(s)

    assert all(k.readers for k in ad.saved(f, np.ones(3)))
