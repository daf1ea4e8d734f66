"""Who may share memory: guards stand where it cannot be told, and only there."""

import numpy as np
import pytest

from adcompile.runtime.loops import Leave
from tests.nests.lowered import both
from tests.nests.test_lower import random


def into_the_argument(x, y):
    x[1:] = y[:-1] * 2.0 + x[1:]
    return np.sum(x * y)


def fresh(x, y):
    a = x * y + 1.0
    b = np.zeros_like(a)
    b[1:] = a[:-1] * 2.0 + x[1:]
    return np.sum(a * b)


def test_arguments_may_overlap():
    made = both(into_the_argument, random(6), random(6))
    assert "disjoint(" in made.text and made.agree(random(6), random(6))
    a = random(7)
    with pytest.raises(Leave):
        made.looped(a[1:], a[:-1])


def test_new_arrays_do_not():
    made = both(fresh, random(6), random(6))
    assert "disjoint(" not in made.text and made.agree(random(6), random(6))


def second_name(x):
    a = x * 1.0
    b = a[::-1]
    c = np.reshape(a, (2, 3))
    b += 1.0
    c *= 2.0
    c[0] += b[:3]
    return np.sum(a * a) + np.sum(b * x)


def test_other_names_of_memory():
    made = both(second_name, random(6))
    made.agree(random(6))  # as it is, or it leaves: a reshaped array may be a view


def rows_exchanged(a, n):
    a = a.copy()
    for k in range(n):
        j = k + int(np.argmax(np.abs(a[k:, k])))
        if j != k:
            t = a[k].copy()
            a[k] = a[j]
            a[j] = t
        for i in range(k + 1, n):
            a[i, k + 1 :] -= a[i, k] / a[k, k] * a[k, k + 1 :]
    s = 0.0
    for k in range(n):
        s += np.log(np.abs(a[k, k]))
    return s


def columns_made_apart(a, n):
    q = a.copy()
    for j in range(n):
        v = q[:, j]
        for i in range(j):
            u = q[:, i]
            v -= np.sum(u * v) * u
        v /= np.sqrt(np.sum(v * v))
    return np.sum(q * a)


def edge_from_its_neighbour(u, n):
    for _ in range(n):
        change = np.zeros_like(u)
        change[1:-1] = u[2:] + u[:-2] - 2.0 * u[1:-1]
        u = u + 0.1 * change
        u[0, :] = u[1, :]
    return np.sum(u**2)


def turned_and_added(x, n):
    for k in range(n):
        x *= 0.9
        x += 0.1 * x[::-1]
        x[::2] = x[::-2] * x[k]
    return np.sum(x * x)


def best_of_rows(x, n):
    best = x[0]
    for k in range(n):
        x[k] = x[k] * 0.5
        if np.sum(x[k]) > np.sum(best):
            best = x[k]
    return np.sum(best * best)


def shifted_views(x, n):
    rows = []
    for k in range(n):
        part = x[k : k + 3]
        rows.append(part)
        part *= 1.1
        x[1:] += x[:-1]
    total = 0.0
    for part in rows:
        part += x[:3]
        total += np.sum(part * part)
    return total


SEVERAL_VIEWS = [rows_exchanged, columns_made_apart, edge_from_its_neighbour, best_of_rows]


@pytest.mark.parametrize("f", [*SEVERAL_VIEWS, turned_and_added, shifted_views], ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", ["primal", "joint", "split"])
def test_several_views_of_one_array(f, kind):
    args = (random(4, 4) if f in SEVERAL_VIEWS else random(6), 3)
    assert both(f, *args, kind=kind).agree(*args) or kind == "split"
