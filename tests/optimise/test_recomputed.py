"""Kept arrays that little arithmetic gives again are computed again."""

import numpy as np
import pytest

import adcompile as ad
from adcompile import pipeline
from adcompile.ir import ops
from adcompile.ir.abstract import type_of
from adcompile.ir.nodes import Call, Const
from adcompile.ir.walk import statements_of
from adcompile.optimise.recomputed import recomputed
from adcompile.pipeline import Request
from tests.interpret import run


def sigmoids(x, w):
    s = x
    for _ in range(3):
        s = w / (1.0 + np.exp(-s)) + s
    return np.sum(s * s)


def scaled(x, w):
    s = x
    for _ in range(3):
        t = np.sin(s)
        u = 2.0 * t
        v = u + 1.0
        s = np.exp(v) * u * v * t * w
    return np.sum(s)


def nested(x, w):
    s = x
    for _ in range(2):
        for _ in range(2):
            e = np.exp(-s)
            s = w / (1.0 + e)
        s = s * s
    return np.sum(s)


def written(x, w):
    s = x
    for _ in range(3):
        t = np.exp(-s)
        u = 1.0 + t
        s = w / u
        u[0] = 0.5
        s = s * u
    return np.sum(s)


def grown(x, w):
    """What is read of the first list depends on the second by another number."""
    s, d = x, x
    for k in range(2):
        for _ in range(k + 1):
            d = 1.0 + np.exp(-s)
            s = w / d
        s = s + d
    return np.sum(s)


def parts_of_arrays(x, w):
    """Views of what is there in front of the loop, turned round and cut; the shadows of `y` are written through."""
    y = np.zeros_like(x)
    y[0] = x[1]
    for k in range(1, len(x)):
        y[:k] += x[k] * np.flip(y[:k]) * w[1 : k + 1]
        y[k] = np.dot(np.flip(w[:k]), y[:k])
    return np.sum(y * y)


def rows_of_arrays(x, w):
    table = x[:, None] * w
    total = 0.0
    for k in range(3):
        total += np.sum(table[k] * x * table[:, k][::-1])
    return total


def chosen_by_arrays(x, w):
    """What is read at a list of places is a copy: it shows nothing of what is written afterwards."""
    y = x * 2.0
    places = np.array([2, 0])
    total = 0.0
    for k in range(3):
        part = y[places]
        total += np.sum(part * part) * w[k]
        y[k] = part[0] * w[k]
    return total


def made_in_the_loop(x, w):
    total = 0.0
    for k in range(1, 3):
        y = np.sin(x * k)
        part = y[:k]
        total += np.sum(part * part * w[:k])
    return total


def copied_once(x, w):
    """`y[:k]` and its flip are kept before `y` changes: one copy shows both."""
    y = x * 1.0
    for k in range(1, len(x)):
        a = np.dot(w[:k], y[:k])
        y[:k] += a * np.flip(y[:k])
        y[k] = a * x[k]
    return np.sum(y * y)


def written_between(x, w):
    """What the flip shows is no longer what was copied."""
    y = x * 1.0
    for k in range(1, len(x)):
        a = np.dot(w[:k], y[:k])
        y[0] = a * a
        y[:k] += a * np.flip(y[:k])
        y[k] = a * x[k]
    return np.sum(y * y)


X, W = np.array([0.3, -0.7, 1.1]), np.array([1.5, 0.4, 2.0])


def pushes(program):
    found = [s for f in program.functions.values() for s in statements_of(f.body) if isinstance(s, Call)]
    return sum(isinstance(s.fn, Const) and s.fn.value is ops.push for s in found)


PROGRAMS = [(sigmoids, True), (scaled, True), (nested, True), (grown, True), (written, False)]
PROGRAMS += [(parts_of_arrays, True), (rows_of_arrays, False), (chosen_by_arrays, False), (made_in_the_loop, True)]
PROGRAMS += [(copied_once, True), (written_between, True)]


@pytest.mark.parametrize("f, fewer", PROGRAMS)
def test_fewer_arrays_are_kept(f, fewer):
    program = pipeline.derive(f, Request("joint", (0, 1)), (type_of(X), type_of(W))).program
    smaller = recomputed(program)
    assert (pushes(smaller) < pushes(program)) == fewer
    entry = smaller.functions[smaller.entry]
    got = run(entry, [X.copy(), W.copy()], [])
    for g, expected in zip(got, ad.grad(f, (0, 1))(X.copy(), W.copy())):
        assert np.allclose(g, expected, rtol=1e-13, atol=0.0)
