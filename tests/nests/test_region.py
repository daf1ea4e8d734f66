"""Gathering: which temporaries get memory, and which statements end a region."""

import numpy as np

from tests.nests.lowered import both
from tests.nests.test_lower import random


def through_slices(x):
    flux = 0.5 * x * x
    return np.sum((flux[1:] - flux[:-1]) ** 2)


def test_what_is_cheap_is_computed_where_a_slice_of_it_is_read():
    made = both(through_slices, random(6), kind="primal")
    assert "np.empty" not in made.text and made.agree(random(6))


def written_after(x):
    a = x * 2.0
    b = a[1:] + 1.0
    a[1:] = 0.0
    c = b * a[:-1]
    a += 1.0
    return np.sum(c) + np.sum(a * a)


def test_values_are_those_before_a_write():
    made = both(written_after, random(6))
    assert made.agree(random(6))
    assert both(written_after, random(6), kind="primal").agree(random(6))


def own_temporary(x):
    y = x * 2.0
    y += x
    y *= 0.5
    return np.sum(y * y)


def test_adding_to_a_temporary_needs_no_memory():
    assert "np.empty" not in both(own_temporary, random(5), kind="primal").text


def scalars_between(x):
    y = x * 2.0 + 1.0
    s = np.sum(y * y)
    z = y / s
    return np.sum(z * z * y)


def test_a_total_ends_the_region():
    assert both(scalars_between, random(5)).agree(random(5))


def to_a_library(a, x):
    y = (a * 2.0 + 1.0) @ x
    return np.sum(np.outer(y * y, x) * 2.0)


def test_what_others_read_is_stored():
    assert both(to_a_library, random(4, 3), random(3)).agree(random(4, 3), random(3))


def columns(x, w):
    y = x.T * w[:, None]
    return np.sum(y * y) + np.sum(y[0] * x[:, 0])


def test_transposed_and_new_axes():
    assert both(columns, random(3, 4), random(4)).agree(random(3, 4), random(4))


def triangles(x, w):
    low, high = np.tril(x * x), np.triu(w, 1)
    mixed = np.tril(low.T + high, k=-1) * w
    return np.sum(low[1:, :-1] * w[:-1, 1:]) + np.sum(mixed[::-1] * high) + np.sum(np.triu(x.T[:, ::-1], -2) * 2.0)


def triangles_written(x, w):
    for _ in range(2):
        x[1:, 1:] += np.tril(x[:-1, :-1], -1) * w[1:, 1:]
        x *= np.triu(w, -1)
    return np.sum(np.tril(np.sqrt(x + 1.0)) * x)


def triangles_of_several(x, w):
    return np.sum(np.tril(x * 2.0, 1) * w) + np.sum(np.triu(w)[0] * 3.0)


def test_triangles():
    square, oblong = (random(4, 4), random(4, 4)), (random(3, 5, 4), random(3, 5, 4))
    cases = ((triangles, square), (triangles_written, square), (triangles_of_several, oblong))
    for f, args in cases:
        made = both(f, *args)
        code = [line for line in made.text.splitlines() if not line.strip().startswith("#")]
        assert not any("np.tri" in line for line in code)
        assert made.agree(*args)
    assert both(triangles_written, *oblong[0][:2]).agree(*oblong[0][:2])


def written_backwards(x, w):
    y = x * 2.0
    y[::-1] += x * w
    y[1:][::-1] *= w[1:]
    y[:0:-1] = y[:-1] + w[1:]
    y[::-2] += w[: len(y[::-2])]
    w[::-1] -= y * 0.5
    return np.sum(y * w)


def matrices_written_backwards(x, w):
    y = x * 2.0
    y[::-1, ::-1] += x * w
    y[:, ::-1] *= w[0]
    y.T[::-1] += w.T
    y[::-1, 1:] -= y[:, :-1] * w[:, 1:]
    y[::-1] += np.max(x * w, axis=1, keepdims=True)
    return np.sum(y * w)


def test_what_is_written_backwards():
    for f, args in (
        (written_backwards, (random(7), random(7))),
        (matrices_written_backwards, (random(4, 4), random(4, 4))),
    ):
        for kind in ("primal", "joint", "split"):
            made = both(f, *args, kind=kind)
            assert made.agree(*args) or kind == "split"
    text = both(written_backwards, random(7), random(7), kind="primal").text
    assert "::-1" not in "\n".join(line for line in text.splitlines() if not line.strip().startswith("#"))
