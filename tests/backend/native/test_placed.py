"""Arrays that kernels make to keep them are made where they are kept."""

import numpy as np

from tests.kernels import agree, text_of


def waves(x):
    s = x
    for k in range(1, 5):
        s = np.sin(s) * np.cos(k * s) + x
    return np.sum(s * s)


def sizes(x):
    total = 0.0
    for k in range(1, 5):
        t = np.sin(x[:k])
        total += np.sum(np.exp(t) * t)
    return total


def tables(x):
    s = x
    for _ in range(3):
        s = np.tanh(s) * s
    return np.sum(s)


def written_after(x):
    total = 0.0
    for k in range(3):
        t = np.sin(x)
        u = np.exp(t)
        t[0] = 0.5 * k
        total += np.sum(u * t * t)
    return total


def handed_on(x):
    s = x
    before = x
    for _ in range(4):
        t = np.sin(s) * before
        before = s
        s = np.exp(-t)
    return np.sum(s * before)


def of_two_lists(x, n):
    total = 0.0
    for k in range(n):
        if x[k % len(x)] > 0.5:
            t = np.sin(x)
        else:
            t = np.exp(x)
        total += np.sum(np.cos(t) * t)
    return total


X = np.array([0.4, 0.9, 1.3, 0.2])


def test_no_memory_of_their_own():
    text = text_of(waves, X)
    loop = text.split("for ")[1]
    assert loop.count("_begin = ") >= 2, text  # all but what the loop carries, which it keeps by its name
    assert text.count("nt.pushed(") == 1, text


def test_the_same_on_both_backends():
    for f in (waves, sizes, written_after, handed_on):
        agree(f, X)
        agree(f, np.array([0.7]))
    agree(sizes, np.array([]))
    agree(tables, np.ones((2, 3)) * X[:3])
    agree(of_two_lists, X, 7)


def test_in_single_precision():
    agree(waves, X.astype(np.float32), value=False)
