"""Recursive functions that write into lists, dicts and objects: refused where derivatives go in, else run as is."""

import numpy as np
import pytest

import adcompile as ad

X = np.array([1.13, 2.37, 0.71])


def into_a_list(x):
    found = []

    def go(i):
        if i < 3:
            found.append(x[i])
            go(i + 1)

    go(0)
    return found[0] * found[2]


def into_a_dict(x):
    held = {"v": 0.0}

    def go(i):
        if i < 3:
            held["v"] += x[i] ** 2
            go(i + 1)

    go(0)
    return held["v"]


class Best:
    pass


def improved(k, x, best):
    if k < 3:
        best.value = best.value + x[k] ** 2
        return improved(k + 1, x, best)
    return None


def into_an_object(x):
    best = Best()
    best.value = 0.0
    improved(0, x, best)
    return best.value


def first(k, x, best):
    return k if k > 2 else second(k + 1, x, best)


def second(k, x, best):
    best[0] = x[k - 1] + best[0]
    return first(k, x, best)


def by_two_functions(x):
    best = [0.0]

    def go(k):
        return first(k, x, best)

    go(0)
    return best[0] ** 2


@pytest.mark.parametrize("function", [into_a_list, into_a_dict, into_an_object, by_two_functions])
@pytest.mark.parametrize("transform", ["grad", "jvp"])
def test_what_recursion_writes_is_not_lost(function, transform):
    with pytest.raises(ad.AdcompileError) as error:
        if transform == "grad":
            ad.grad(function)(X)
        else:
            ad.jvp(function, (X,), (X,))
    assert "test_summaries.py" in str(error.value)


def visited(x, graph):
    seen = set()

    def go(node):
        if node not in seen:
            seen.add(node)
            for other in graph[node]:
                go(other)

    go(0)
    return np.sum(x) * len(seen)


def counted(x, n):
    calls = [0]

    def go(k):
        calls[0] += 1
        if k > 0:
            go(k - 1)

    go(n)
    return np.sum(x) * calls[0]


def test_what_carries_no_derivatives_is_written_into():
    np.testing.assert_array_equal(ad.grad(visited)(X, [[2], [0], [1, 0]]), [3.0, 3.0, 3.0])
    np.testing.assert_array_equal(ad.grad(counted)(X, 3), [4.0, 4.0, 4.0])
