"""Adjoints of calls that build, read and join containers."""

import numpy as np
import pytest

from tests.compiled import check

X = np.array([0.5, -1.0, 2.0])


def grown(x, n):
    out = [x, x * 2.0]
    for i in range(n):
        out.append(out[-1] * x[i % 3])
    last = out.pop()
    return last * out[0] + sum(out)


def joined(x, n):
    history = (x[0],)
    for _ in range(n):
        history = history + (history[-1] * x[1],)
    return history[-1] * history[0] + len(history)


def rebuilt(x, n):
    history = [x[0], x[1]]
    for _ in range(n):
        history = [*history, history[-1] * history[-2]]
    return list(history)


def stretched(x, n):
    xs = [v * v for v in x]
    return (xs + [x[0]] * n)[1:]


def read(x, n):
    rows = [x * i for i in range(n + 2)]
    return rows[n][::2] + rows[-1][[0, 0]] + rows[1][x > -2.0][:2]


def copied(x, n):
    ys = tuple([v * n for v in x])
    return sum(list(ys)) * ys[0]


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("f", [grown, joined, rebuilt, stretched, read, copied])
def test_containers(f, n):
    check(f, X, n, order=2)
