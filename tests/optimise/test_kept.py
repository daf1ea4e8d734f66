"""Slots that a pullback does not read are not kept; the others are, and mean what they meant."""

import math

import numpy as np
import pytest

import adcompile as ad
from adcompile import pipeline
from adcompile.ir.abstract import type_of
from adcompile.runtime.memory import is_outline

V = np.array([0.4, -0.3, 1.2])


def left_early(x, rate):
    total = 0.0
    for k in range(20):
        x = x * rate + math.sin(x) / (k + 1)
        total += x * x
        if total > 3.0:
            break
    return total


def branches(x, y):
    if x > 1.0:
        z = x * y * y
    else:
        z = math.exp(x) + y
    return z * z


def recursive(x, depth):
    if depth == 0:
        return x * x
    return recursive(math.sin(x), depth - 1) * x


def linear(x, c):
    return np.sum(c * x)


CASES = {
    "left_early": (left_early, (1.2, 0.8), (0, 1)),
    "branches": (branches, (1.5, 0.3), (0, 1)),
    "recursive": (recursive, (0.7, 3), (0,)),
    "linear": (linear, (V, 2.0), (0,)),
}


def split(name):
    fun, args, wrt = CASES[name]
    return pipeline.derive(fun, pipeline.Request("split", wrt), tuple(map(type_of, args)))


@pytest.mark.parametrize("name", CASES)
def test_against_the_plain_pipeline(name):
    fun, args, wrt = CASES[name]
    made = split(name)
    plain = pipeline.derive(fun, pipeline.Request("split", wrt), tuple(map(type_of, args)), passes=())
    value, kept = made.call(*args)
    assert value == fun(*args)
    expected = plain.pullback(plain.call(*args)[1], 1.0)
    for _ in range(2):
        got = made.pullback(kept, 1.0)
        assert all(np.allclose(g, e, rtol=1e-13) for g, e in zip(got, expected, strict=True))


@pytest.mark.parametrize("name", CASES)
def test_as_many_are_reported_as_kept(name):
    made = split(name)
    fun, args, _ = CASES[name]
    assert len(made.call(*args)[1]) == len(made.saved)


def test_tests_that_nobody_replays_are_not_kept():
    source = split("left_early").source
    assert "t_kept = " not in source and "> 3.0" in source


def test_taken_apart_in_the_first_line():
    lines = split("branches").source.split("branches_vjp_pullback(kept, y_bar):\n")[1].splitlines()
    assert lines[0].endswith("= kept") and "kept[" not in "".join(lines)


def test_pullbacks_make_constant_slices_themselves():
    def parts(x):
        return np.sum(x[0:3] * x[3:6]) + np.sum(x[0:3])

    _, pullback = ad.vjp(parts, np.arange(6.0))
    assert not any(isinstance(k, slice) for k in pullback._kept)
    assert pullback(1.0)[0].tolist() == [4.0, 5.0, 6.0, 0.0, 1.0, 2.0]


def test_pullbacks_make_views_of_what_is_kept_themselves():
    x, y = np.linspace(0.1, 1.2, 16).reshape(4, 4), np.linspace(1.0, 2.0, 16).reshape(4, 4)

    def square(x, y):
        w = np.sin(x * y)
        turned = w.T
        again = turned[0]
        first, w = w, w * w
        w[0] *= 2.0
        return np.sum(first[0] * first[1] * turned[0:2, 0].sum() * first[-1, ::-1] * again * w[0] * w[:2].sum(axis=0))

    for f in (square, lambda x, y: np.sum(x[1:] * y[:-1] * x[0] * np.swapaxes(x, 0, 1)[1:])):
        at = (x.copy(), y.copy())
        value, pullback = ad.vjp(f, *at)
        at[0][:], at[1][:] = np.nan, np.nan  # what is kept is no memory of the caller's
        assert value == f(x, y)
        bars = pullback(1.0)
        for k, way in ((0, np.cos(x)), (1, np.cos(y))):
            moved = [(x + h * way if k == 0 else x, y + h * way if k == 1 else y) for h in (1e-6, -1e-6)]
            slope = (f(*moved[0]) - f(*moved[1])) / 2e-6
            assert np.sum(bars[k] * way) == pytest.approx(slope, rel=1e-7)
        assert all(np.array_equal(a, b) for a, b in zip(bars, pullback(1.0)))
    arrays = [a for a in pullback._kept if isinstance(a, np.ndarray) and not is_outline(a)]
    assert len(arrays) <= 6  # x and y, and products: none of the views


def test_views_of_what_nobody_reads():
    def f(b):
        v = b - b
        w = v.reshape(4)[::2]
        return np.sum(w * w) + np.sum(v * v)

    value, pullback = ad.vjp(f, np.arange(1.0, 5.0))
    assert value == 0.0 and pullback(1.0)[0].tolist() == [0.0] * 4


def test_functions_of_users_that_are_called_like_pullbacks():
    def f(kept, n):
        return kept[1] if n == 0 else f_pullback((kept[0], kept[1] * 2.0), n)

    def f_pullback(kept, n):
        return f(kept, n - 1)

    assert ad.grad(lambda x: f((x, x * x), 2))(3.0) == 24.0


def test_of_an_array_read_for_its_shape_the_outline_is_kept():
    def part(x, c):
        return np.sum(c * x[1:3])

    x = np.arange(1000.0)
    _, pullback = ad.vjp(part, x, np.ones(2))
    x[:] = np.nan
    assert np.array_equal(np.nonzero(pullback(1.0)[0])[0], [1, 2])
    arrays = [k for k in pullback._kept if isinstance(k, np.ndarray)]
    assert any(map(is_outline, arrays)) and all(is_outline(a) or a.size < 3 for a in arrays)
