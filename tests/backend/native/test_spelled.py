"""Calls of libraries in loops: wholly native, and what NumPy gives."""

import linecache

import numpy as np
import pytest

import adcompile as ad
from tests.kernels import agree, parts_of, wholly

pytest.importorskip("numba")
pytest.importorskip("scipy")

BODIES = """
x = x - np.mean(x) * A[0, 0]
x = x * x.mean() + np.mean(A, axis=1) * np.mean(A, axis=-2)
x = x / (np.std(x) + np.var(x, ddof=1) + A.var())
x = x / np.linalg.norm(x) + np.linalg.norm(A) * b
x = np.clip(x * 1.7, -0.5, 0.6) + A[1].clip(b[0], b[2])
x = np.clip(x, b[0], A[0, 2] * 9.0) * A[0, 1]
x = np.concatenate((np.diff(x) * A[0, 0], x[:1]))
x = np.hstack((x[1:], x[:1] * A[1, 1]))
x = np.vdot(x, b) * x + np.inner(A[0], b) * b
x = np.inner(A, x)
x = A.sum(axis=0) * x + A.max() * x.min() + x.max()
x = np.cumsum(x) * A[0]
x = x + np.cumsum(A[0] * x, axis=-1)
x = np.roll(x, 1) * A[0, 0] - np.roll(A, -1, axis=0)[0] + np.roll(A, 2, 1)[1]
x = np.roll(A, 4)[1] * x
x = np.roll(x, -7) * np.roll(b, int(A[0, 0]))
x = np.abs(x) ** 1.5 - np.sign(x) * A[0]
x = np.linalg.solve(A, x) + 0.1
x = np.linalg.solve(A.T, x) * np.linalg.inv(A)[0]
x = np.linalg.inv(A) @ x + np.linalg.solve(A, A)[1]
x = x * (1.5 if np.any(x > A[0, 1]) else 0.5) * (2.0 if np.all(x > -9.0) else 3.0)
x = x * A[np.argmax(x), np.argmin(x)]
x = x * np.clip(x[0], b[0], 0.6) + A[np.clip(np.searchsorted(b, x[1]), 1, 2)]
x = x / np.linalg.norm(A, axis=1) + A[1] / np.linalg.norm(A * x, axis=0, keepdims=True)[0]
x = np.append(x[1:], x[0] * A[0, 0]) + np.append(b[:1], A[0, 1:] * x[:2])
x = x * np.trapezoid(x, dx=0.5) + np.trapezoid(A[0] * x, b)
x = x + A[2][np.floor(x * 2.0).astype(int)] * b[(x > 0.4).astype(int)]
x = np.interp(x * 0.9, b, A[0]) + np.interp(x, b, np.sort(A[1]))
x = np.repeat(x[:1] * A[1, 1], 3) * A[0] + np.repeat(b[:1], 3)
x = x * A[np.array([0, 2, 1]), np.argsort(x)] + A[[0, -1, 0], np.argsort(b)]
x = x * A[[0, 2]][1] + A[[1, -1, 1]][0] * b
x = np.diag(A) * x + np.diagonal(A, 1)[0] * A.diagonal(-1)[1]
x = np.diag(x) @ b + np.sum(np.diag(A[:, 1:], k=1)) * np.diag(A.T[1:], -1)[0] * np.diag(np.diag(x))
x = np.average(x, weights=b) * A[0] + np.average(A) * x
""".strip().splitlines()


def made(body, k):
    source = f"def f(A, b, x):\n    for _ in range(3):\n        {body}\n    return np.sum(x * x)\n"
    name = f"<spelled {k}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = {"np": np, "__name__": "tests.spelled"}
    exec(compile(source, name, "exec"), space)
    return space["f"]


A = np.array([[1.0, 0.2, 0.1], [0.3, 1.2, 0.1], [0.1, 0.2, 0.9]])
B = np.array([0.1, 0.5, 0.9])
X = np.array([0.3, 0.7, -0.2])


@pytest.mark.parametrize("k", range(len(BODIES)), ids=lambda k: BODIES[k].partition("(")[0])
def test_loops_are_native(k):
    f = made(BODIES[k], k)
    parts = parts_of(f, A, B, X)
    assert len(parts.kernels) == 1 and not parts.notes, [note.why for note in parts.notes]
    agree(f, A, B, X)
    agree(f, np.asfortranarray(A), B, np.repeat(X, 2)[::2])


@pytest.mark.parametrize(
    "body",
    [
        *("x = np.linalg.solve(A * 0.0, x)", "x = x[:0] * np.argmax(x[:0])", "x = x @ A[:2]"),
        *("x = x * np.vdot(A, x)", "x = x * np.vdot(x, b[:2])"),
        *("x = np.clip(x, b[:2], A[0])", "x = np.inner(A, b[:2])"),
    ],
)
def test_what_raises_raises_as_on_numpy(body):
    agree(made(body, body), A, B, X)


@pytest.mark.parametrize(
    "body",
    [
        *("x = x * 0.1 + np.clip(x, None, 0.3)", "x = x.clip(0.1, None)", "x = np.clip(x, b, 0.7)"),
        *("x = x * np.vdot(A, A * 0.5)", "x = x + np.vdot(A[:1], A[1])", "x = np.inner(x, A)"),
        "x = np.inner(A, A)[0] * x",
    ],
)
def test_what_is_not_spelled_out(body):
    agree(made(body, body), A, B, X)


def test_what_is_read_only():
    frozen = X.copy()
    frozen.flags.writeable = False
    for body in ("x = np.sin(x) * b", "x = A @ x"):
        f = made(body, f"read only {body}")
        wanted, found = (ad.grad(f, argnums=2, backend=backend)(A, B, frozen) for backend in ("numpy", "numba"))
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("k", [4, 5, 10, 20, 21], ids=lambda k: BODIES[k].partition("(")[0])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_no_number(k, value):
    agree(made(BODIES[k], k), A, B, np.array([0.3, value, -0.2]))


def test_beside_loops_calls_stay_as_they_are():
    def mean(x):
        y = np.mean(x)
        for _ in range(3):
            y = np.sin(y)
        return y

    assert any("nt.total" not in kernel.source for kernel in parts_of(mean, X).kernels.values())


BETWEEN = (
    "x.max()", "x.min() * x", "x.prod()", "x.cumsum()", "x.std()", "np.linalg.norm(x) * x", "x.astype(float)",
    "x.flatten()", "np.diff(x)", "np.vstack((x, x))", "x.clip(b[0], 0.6)", "A @ x", "np.sum(A.T @ x) * x",
)  # fmt: skip


@pytest.mark.parametrize("k", range(len(BETWEEN)), ids=lambda k: BETWEEN[k].partition("(")[0])
def test_between_two_loops_one_kernel_does_it_all(k):
    """Else what each turn keeps would go from kernel to kernel, item by item."""
    lines = f"for _ in range(3):\n        x = np.sin(x) * b\n    s = {BETWEEN[k]}\n"
    lines += "    for _ in range(2):\n        s = s * 1.5"
    source = f"def f(A, b, x):\n    {lines}\n    return np.sum(s * s)\n"
    name = f"<between {k}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = {"np": np, "__name__": "tests.spelled"}
    exec(compile(source, name, "exec"), space)
    parts = parts_of(space["f"], A, B, X)
    assert len(parts.kernels) == 1 and not parts.notes, [note.why for note in parts.notes]
    agree(space["f"], A, B, X)


def at_the_ends(x, k):
    s, fixed = 0.0, [1, len(x) - 2]
    for i in range(len(x)):
        if i in (0, len(x) - 1):
            s += x[i]
        elif i not in fixed:
            s += x[i] ** 2
        if i in {1, 3} or k in range(1, i):
            s += np.sin(x[i])
        if i in range(2, len(x) - 1) and 1.0 * i not in [2, 5.0]:
            s += x[i] ** 3
        if x[i] in (0.3, 1.2) or True in (i, 2):
            s += pow(x[i], 2) + pow(exp=3, base=x[i])
    return s


def one_that_is_no_number(x):
    s, grown = 0.0, [1]
    for i in range(len(x)):
        v = x[i] * np.nan if i == 2 else x[i]
        if v in (v, 1.0):
            s += x[i]
        if i in grown:
            s += x[i] * 7.0
            grown.append(i + 1)
    return s


def test_one_of_a_few_numbers():
    x = np.array([0.3, 0.5, 0.7, 0.9, 1.2, 1.4])
    wholly(at_the_ends, x, 3)
    assert agree(at_the_ends, x, 3) is None
    assert agree(one_that_is_no_number, x) is None
