"""Sums in numbers instead of items of arrays, where nobody else means the items."""

import random

import numpy as np
import pytest

import adcompile as ad
from adcompile.frontend.source import synthesise

RANGES = ("range({n})", "range({v})", "range({v} + 1, {n})", "range({v}, {n})", "range({n} - 1, {v}, -1)",
          "range({v} - 1, -1, -1)", "range(0, {n}, 2)", "reversed(range({v}))", "range(1, {n} - 1)")  # fmt: skip
PLACES = ("{i}, {j}", "{i}, {k}", "{j}, {k}", "{k}, {j}", "{i}, {i}", "{i} - 1, {j}", "{i}, {k} + 1", "{j}, -1",
          "0, {k}", "{i}, p[{k}]", "n - 1 - {i}, {j}")  # fmt: skip
ROWS = ("r[{k}]", "r[{j}]", "r[{i} - 1]")


def nest(rng, name):
    """A nest of three loops over items of two matrices and a row of one of them."""
    loops = {"i": "range(n)"}
    for v, before in (("j", "i"), ("k", rng.choice("ij"))):
        loops[v] = rng.choice(RANGES).format(n="n", v=before)

    def item(depth):
        names = "ijk"[:depth] or "i"
        place = {v: v if v in names else rng.choice(names) for v in "ijk"}
        if rng.random() < 0.2:
            return rng.choice(ROWS).format(**place)
        return f"{rng.choice('uuuw')}[{rng.choice(PLACES).format(**place)}]"

    def step(depth):
        a, b, c = item(depth), item(depth), item(depth)
        forms = (f"{a} -= {b} * {c}", f"{a} += 0.3 * {b}", f"{a} = {b} * {c}", f"{a} = 0.4 * {a}", f"s += {a} * {b}",
                 f"{a} = {b} / 1.7", f"s -= np.sin({a})", f"{a} *= {b}")  # fmt: skip
        return rng.choice(forms)

    body = ["n = x.shape[0]", "u = x.copy()", "w = x * 0.7", "r = u[1]", "s = 0.5", "p = np.arange(n)[::-1].copy()"]
    pad = ""
    for depth, v in enumerate("ijk", 1):
        body.append(f"{pad}for {v} in {loops[v]}:")
        pad += "    "
        if rng.random() < 0.3:
            body.append(f"{pad}r = u[{rng.choice('ijk'[:depth])}]")
        body += [pad + step(depth) for _ in range(rng.randint(1 if v == "k" else 0, 2))]
        if v == "k" and rng.random() < 0.3:
            body.append(f"{pad}if u[{rng.choice(PLACES).format(i='i', j='j', k='k')}] > 0.8:")
            body.append(f"{pad}    {step(3)}")
            if rng.random() < 0.3:
                body.append(f"{pad}    {rng.choice(('break', 'continue'))}")
    pad = pad[4:]
    body += [pad + step(2)] if rng.random() < 0.5 else []
    return synthesise(name, "x", [*body, "return s + np.sum(u * u) + np.sum(w * w)"], {"np": np})


def checked(f, x, backend):
    """Whether the gradient is right; None where the function raises, or its value is no number."""
    try:
        value = f(x)
    except IndexError:
        return None
    if not np.isfinite(value) or abs(value) > 1e8:
        return None
    d = np.random.default_rng(0).standard_normal(x.shape)
    found, g = ad.value_and_grad(f, backend=backend)(x)
    expected = ad.jvp(f, (x,), (d,))[1]
    assert found == pytest.approx(value, rel=1e-12)
    return abs(np.sum(g * d) - expected) <= 1e-10 * (1 + abs(expected) + np.sum(abs(g * d)))


@pytest.mark.parametrize("first", range(0, 120, 10))
def test_random_nests(first):
    for seed in range(first, first + 10):
        f = nest(random.Random(seed), f"nest_{seed}")
        x = np.random.default_rng(seed).uniform(0.2, 1.1, (4, 4))
        assert checked(f, x, "numpy") in (True, None), seed


def eliminated(a):
    u = a.copy()
    n = u.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            u[i, k] = u[i, k] / u[k, k]
            for j in range(k + 1, n):
                u[i, j] -= u[i, k] * u[k, j]
    return np.sum(u * u)


def multiplied(a, b):
    c = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            for k in range(3):
                c[i, j] += a[i, k] * b[k, j]
    return np.sum(c * c)


def weighed(x, w):
    w, y = w.copy(), np.zeros(len(x))
    for i in range(len(x)):
        for j in range(len(w)):
            y[i] += w[j] * x[i]
    w[0] = y[0]
    return np.sum(y * y) * w[0]


def shifted(x):
    """What is asked for may be the item that is added to."""
    y = x.copy()
    for i in range(1, len(x)):
        for j in range(len(x)):
            y[j] += y[i] * x[j]
    return np.sum(y * y)


def into_a_row(x):
    """The row is shown anew in each turn."""
    u = x.copy()
    for i in range(1, 3):
        for j in range(3):
            row = u[i]
            row[0] *= 1.5
            row[j] -= row[0] * x[0, j] * u[0, j]
            u[0, j] = row[0] * 0.5
    return np.sum(u * u)


def of_two_arrays(x, w):
    """Two arrays get sums at the same index."""
    a, b, s = x.copy(), w.copy(), 0.0
    for i in range(3):
        for j in range(3):
            s += a[i] * b[i] * x[j]
        a[i] *= s
        b[i] += s
    return s + np.sum(a * b)


def never_there(x):
    """The item is not there where the loop has no turn."""
    y = x.copy()
    n = len(y)
    for i in range(n):
        for j in range(i + 1, n):
            y[j] -= y[i + 1] * x[i]
    return np.sum(y * y)


A, B = np.random.default_rng(2).uniform(0.3, 1.2, (2, 3, 3))
V = np.array([0.4, 0.7, 1.1])


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize(
    ("f", "args", "sums"),
    [
        (eliminated, (A + 2.0 * np.eye(3),), True),
        (multiplied, (A, B), False),
        (weighed, (V, A[0]), True),
        (shifted, (V,), False),
        (into_a_row, (A,), False),
        (of_two_arrays, (V, A[0]), True),
        (never_there, (V,), True),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_items_that_nobody_else_means(f, args, sums, backend):
    if backend == "numba":
        pytest.importorskip("numba")
    d = np.random.default_rng(0).standard_normal(args[0].shape)
    expected = ad.jvp(f, args, (d, *(np.zeros_like(a) for a in args[1:])))[1]
    g = ad.grad(f, backend=backend)
    assert np.sum(g(*args) * d) == pytest.approx(expected, rel=1e-11)
    assert ("total" in ad.source(ad.grad(f), *args)) == sums


def test_what_is_filled_again_is_not_emptied():
    text = ad.source(ad.grad(eliminated), A + 2.0 * np.eye(3))
    assert "] = 0.0" not in text, text
