"""Copies that loops keep are left out where nobody writes there any more, and only there."""

import random

import numpy as np
import pytest

import adcompile as ad
from adcompile.frontend.source import synthesise

RANGES = (
    "range(n)", "range(1, n)", "range(n - 1)", "range(1, n - 1)", "range(n - 1, -1, -1)", "range(n - 2, 0, -1)",
    "reversed(range(n))", "range(0, n, 2)", "range(n - 1, 0, -2)", "range(2, 4)", "reversed(range(1, n - 1))",
)  # fmt: skip
INNER = ("range(i)", "range(i, n)", "range(i + 1, n)", "range(n)", "range(i - 1, -1, -1)", "range(n - 1, i, -1)")
SLICES = (
    ":{}", "{}:", ":{} + 1", "{} + 1:", ":{} - 1", "{} - 1:{} + 1", "{}:{} + 2", "1:{}", "{} - 1:", ":-1", ":2", "::2",
    "{}::2", "::-1", ":", ":n - {}", "-{}:",
)  # fmt: skip
PLACES = ("{}", "{} - 1", "{} + 1", "0", "n - 1 - {}", "-1", "-{}", "k", "n // 2", "{} // 2", "j0")
WRITES = (
    "y[{p}] = 0.3 * t", "y[{p}] += 0.3 * t", "y[{p}] *= 0.9", "y[{s}] *= 0.9", "y[{s}] = 0.5 * t", "y[{s}] += t",
    "r = y[{s}]\nr *= 0.8", "r = y[{s}]\nr[:1] = t",
)  # fmt: skip


def vector(rng, name, argument):
    """A loop, or a nest of two, that reads slices of a vector and writes into it."""
    around = rng.choice(RANGES)
    nested = rng.random() < 0.4
    v = "j" if nested and rng.random() < 0.7 else "i"
    part = rng.choice(SLICES).replace("{}", v)

    def write(v):
        return rng.choice(WRITES).format(
            p=rng.choice(PLACES).replace("{}", v), s=rng.choice(SLICES).replace("{}", v)
        ).split("\n")  # fmt: skip

    read = [f"v = y[{part}]", "t = np.sum(np.sin(v) * v)", "s += t"]
    step = [*(write(v) if rng.random() < 0.3 else []), *read, *(write(v) if rng.random() < 0.8 else [])]
    if rng.random() < 0.3:
        step = ["if i != 2:", *(f"    {line}" for line in write(v)), *step]
    if nested:
        step = [f"for j in {rng.choice(INNER)}:", *(f"    {line}" for line in step)]
        step += ["t = s", *write("i")] if rng.random() < 0.5 else []
    body = ["n = len(x)", "k = 1", "j0 = n - 2", "s = 0.0", "t = 0.5", "y = x" if argument else "y = x * 1.0"]
    body += [f"for i in {around}:", *(f"    {line}" for line in step)]
    body += write("1") if rng.random() < 0.2 and not nested else []
    return synthesise(name, "x", [*body, "return s + np.sum(y * y)"], {"np": np})


ROWS = ("y[{i}, :{j}]", "y[{j}, :{i}]", "y[:{i}, {j}]", "y[{i}]", "y[{i} - 1]", "y[{i}, {j}:]", "y[{i}:, {j}]",
        "y[{j}]", "y[{i}][:{j}]", "y[:{i}, :{j}]", "y[{i} - 1:{i} + 1, {j}:{j} + 2]", "y[:, {i}]")  # fmt: skip
CELLS = ("y[{i}, {j}]", "y[{j}, {i}]", "y[{i}, {i}]", "y[{i}]", "y[{i} + 1]", "y[{i}, {j}:]", "y[{i}, :{j}]",
         "y[{i}][{j}]", "y[:, {j}]", "y[{i}:, {j}]", "y[{i} - 1, {j} - 1]", "y[0]", "y[-1]")  # fmt: skip


def matrix(rng, name, argument):
    """The same with a matrix."""
    around, inner = rng.choice(RANGES), rng.choice(INNER)
    one, two = rng.choice((("i", "j"), ("i", "j"), ("j", "i"), ("i", "i")))
    reads = [f"v = {rng.choice(ROWS).format(i=one, j=two)}", "t = np.sum(np.sin(v) * v)", "s += t"]

    def write(i, j):
        cell = rng.choice(CELLS).format(i=i, j=j)
        return [rng.choice((f"{cell} = 0.2 * t", f"{cell} += 0.2 * t", f"{cell} *= 0.9"))]

    step = [*(write("i", "j") if rng.random() < 0.3 else []), *reads, *write("i", "j")]
    after = ["t = s", *write("i", "i")] if rng.random() < 0.4 else []
    body = ["n = len(x)", "s = 0.0", "t = 0.0", "y = x" if argument else "y = x.copy()", f"for i in {around}:"]
    body += [f"    for j in {inner}:", *(f"        {line}" for line in step), *(f"    {line}" for line in after)]
    return synthesise(name, "x", [*body, "return s + np.sum(y * y)"], {"np": np})


ITEMS = ("y[{p}]", "y[q[{v}]]", "y[q[{v}] - 1]", "y[places[{v}]]", "w[{p}]", "y[:{v} + 1][{p}]", "y[lags[0]]",
         "np.sum(y[q[{v}]:] ** 2)", "np.sum(w[places[{v}]:places[{v}] + 2] ** 3)",
         "np.sum(np.sin(y[:q[{v}]]))")  # fmt: skip
TURNS = (
    "q[{v}] = 0", "q[{v}] = {v}", "q[n - 1 - {v}] = 1", "q[:] = 0", "q += 1", "q[{p}] = 2", "places[{v}] = 0",
    "places.append({v})", "lags.append({v})", "lags.insert(0, {v})", "places.pop()", "places.reverse()",
)  # fmt: skip
STORES = (
    "y[{p}] = t", "y[{p}] = v * 0.9", "y[{p}] += 0.3 * t", "y[{p}] *= v", "w[{p}] = t", "y[q[{v}]] = t",
    "y[q[{v}]] *= 0.7", "y[places[{v}]] = t",
)  # fmt: skip


def items(rng, name, argument):
    """Loops that read and write single items, by numbers that arrays and lists hold, which may change as well."""
    nested = rng.random() < 0.6
    around, inner = rng.choice(RANGES), rng.choice(INNER)

    def one(of):
        v = rng.choice(("i", "j")) if nested else "i"
        return rng.choice(of).replace("{p}", rng.choice(PLACES)).replace("{v}", v).replace("{}", v)

    step = [one(STORES)] if rng.random() < 0.4 else []
    step += [f"v = {one(ITEMS)}", "t = np.sin(v) * v", "s += t"]
    step += [one(STORES) for _ in range(rng.randint(0, 2))] + ([one(TURNS)] if rng.random() < 0.6 else [])
    if rng.random() < 0.2:
        step = ["if v < 1.0:", *(f"    {line}" for line in step)]
    if nested:
        step = [f"for j in {inner}:", *(f"    {line}" for line in step)]
    body = ["n = len(x)", "k = 1", "j0 = n - 2", "j = 0", "s = 0.0", "t = 0.5", "v = x[0]"]
    body += ["y = x" if argument else "y = x.copy()", "w = x * 0.5"]
    body += ["q = np.arange(n)[::-1].copy()", "places = list(range(n))", "lags = [1]"]
    body += [f"for i in {around}:", *(f"    {line}" for line in step)]
    if rng.random() < 0.3:
        nested = False
        body += [f"for i in {rng.choice(RANGES)}:", f"    v = {one(ITEMS)}", "    s += v * v", f"    {one(STORES)}"]
    return synthesise(name, "x", [*body, "return s + np.sum(y * y) + np.sum(w * w)"], {"np": np})


def checked(f, x):
    """Whether the gradient is right; None where the function raises."""
    try:
        f(x.copy())
    except (IndexError, ValueError):
        return None
    d = np.random.default_rng(0).standard_normal(x.shape)
    given = x.copy()
    g = ad.grad(f)(given)
    assert np.array_equal(given, x)
    expected = ad.jvp(f, (x.copy(),), (d,))[1]
    return abs(np.sum(g * d) - expected) <= 1e-11 * (1 + abs(expected))


@pytest.mark.parametrize("make", [vector, matrix, items])
@pytest.mark.parametrize("first", range(0, 60, 6))
def test_random_loops(make, first):
    for seed in range(first, first + 6):
        rng = random.Random(seed)
        f = make(rng, f"{make.__name__}_{seed}", rng.random() < 0.4)
        shape = (5, 5) if make is matrix else (6,)
        assert checked(f, np.random.default_rng(seed).uniform(0.3, 1.2, shape)) in (True, None), seed


def solved(a, b):
    x = np.zeros_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - a[i, :i] @ x[:i]) / a[i, i]
    return np.sum(x * x)


def factored(a):
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] = (a[i, j] - np.dot(a[i, :j], a[j, :j])) / a[j, j]
        a[i, i] = np.sqrt(a[i, i] - np.dot(a[i, :i], a[i, :i]))
    return np.sum(np.tril(a))


def marched(y0):
    y = np.zeros((9, len(y0)))
    y[0] = y0
    for t in range(8):
        y[t + 1] = y[t] + 0.1 * np.sin(y[t]) * y[t]
    return np.sum(y[-1] ** 2)


def marched_back(y0):
    y = np.zeros((9, len(y0)))
    y[8] = y0
    for t in range(7, -1, -1):
        y[t] = y[t + 1] + 0.1 * np.sin(y[t + 1]) * y[t + 1]
    return np.sum(y[0] ** 2)


def two_back(y0):
    y = np.zeros((9, len(y0)))
    y[0], y[1] = y0, 2.0 * y0
    for t in reversed(range(2, 9)):
        y[10 - t] = np.sin(y[9 - t]) * y[8 - t]
    return np.sum(y**2)


def overwritten(y0):
    y = np.zeros((9, len(y0)))
    y[0] = y0
    for t in range(8):
        y[t + 1] = y[t] * y[t]
        y[t] = 0.0
    return np.sum(y[-1] ** 2)


def written_afterwards(y0):
    y = np.zeros((9, len(y0)))
    y[0] = y0
    for t in range(8):
        y[t + 1] = y[t] * y[t]
    y[3] = 1.0
    return np.sum(y[-1] ** 2)


def from_the_end(y0):
    y = np.zeros((9, len(y0)))
    y[0] = y0
    for t in range(8):
        y[t - 8] = np.cos(y[t]) * y[t]
        y[-t] *= 0.5
    return np.sum(y**2)


V = np.array([0.4, 0.7, 1.1])
L = np.tril(np.random.default_rng(1).uniform(0.5, 1.5, (5, 5))) + 3.0 * np.eye(5)


@pytest.mark.parametrize(
    "f, args, kept",
    [
        (solved, (L, np.arange(1.0, 6.0)), False),
        (factored, (L @ L.T,), False),
        (marched, (V,), False),
        (marched_back, (V,), False),
        (overwritten, (V,), True),
        (written_afterwards, (V,), True),
        (from_the_end, (V,), True),
        (two_back, (V,), True),  # 9 - t is no variable with a constant
    ],
)
def test_only_what_is_written_later_is_copied(f, args, kept):
    g = ad.grad(f)
    d = np.random.default_rng(0).standard_normal(args[0].shape)
    tangents = (d, *(np.zeros_like(a) for a in args[1:]))
    expected = ad.jvp(f, tuple(a.copy() for a in args), tangents)[1]
    assert abs(np.sum(g(*args) * d) - expected) <= 1e-11 * (1 + abs(expected))
    text = ad.source(g, *args)
    copied = ".copy()" in text.split("for ")[1].split("\n    x_", 1)[0].split("# return", 1)[0]
    assert copied == kept, text
