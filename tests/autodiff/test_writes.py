"""Every form of write, with its adjoint and its tangent, against the function."""

import linecache

import numpy as np
import pytest

import adcompile as ad

X = np.array([0.3, 0.7, 1.1, 0.45])
A = np.linspace(0.2, 1.7, 12).reshape(3, 4)

INDICES = {
    "element": (1, "x[2] * x[0]"),
    "slice": (slice(1, 3), "x[:2] ** 2"),
    "reversed": (slice(None, None, -1), "x * x[0]"),
    "nothing": (slice(2, 2), "x[:0]"),
    "broadcast": (slice(None), "x[1] ** 2"),
    "ellipsis": (Ellipsis, "x * x"),
    "mask": (np.array([True, False, True, False]), "x[1:3] ** 2"),
    "mask broadcast": (np.array([True, False, True, False]), "x[3] ** 2"),
    "positions": ([2, 0], "x[2:] * 3.0"),
    "repeated": ([1, 1, 0, 1], "x ** 2"),
    "repeated broadcast": (np.array([1, 1, 0]), "x[3] ** 2"),
}


def written(index, value, target):
    """A function that writes one value at one index, from source of its own."""
    names = {"np": np, "i": index}
    exec(compile_text(f"def f(x):\n    a = {target}\n    a[i] = {value}\n    return np.sum(a * a * x)\n"), names)
    return names["f"]


def compile_text(text):
    name = f"<written {abs(hash(text))}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    return compile(text, name, "exec")


@pytest.mark.parametrize("target", ["x * 2.0", "np.ones(4)", "x.copy()"])
@pytest.mark.parametrize("name", INDICES)
def test_stores(name, target):
    index, value = INDICES[name]
    ad.check_grads(written(index, value, target), (X,), order=2)


def augmented(x):
    a = x * 2.0
    a += x
    a[1:] -= x[:-1] ** 2
    a *= x[::-1]
    a[::2] /= 1.0 + x[1]
    a **= 2
    a[[0, 2]] += x[1:3]
    a[a > 0.5] *= x[0]
    a %= 5.0
    return np.sum(a * x)


def by_itself(x):
    a = x * 2.0
    a *= a
    a += a
    a -= 0.25 * a[::-1]
    a /= a + 5.0
    return np.sum(a**2)


def broadcast_operands(x):
    a = np.outer(x, x)
    a += x
    a *= x[:, None]
    a -= x[0]
    a /= np.float64(3.0) + x[2] ** 2
    return np.sum(a**2)


def added_at(x):
    a = x * 1.0
    np.add.at(a, [0, 0, 3], x[:3] ** 2)
    np.subtract.at(a, np.array([1, 1]), x[2])
    return np.sum(a**2)


def listed(x):
    a = np.zeros((2, 2))
    a[0] = [x[0] * x[1], 2.0]
    a[1] = (x[2], x[3] ** 2)
    a[:, 0] = [x[3], x[1]]
    return np.sum(a**3)


def leading_axes(x):
    a = np.zeros((2, 4))
    a[:] = x[None, None] ** 2
    a[1] = x[None] * x[0]
    return np.sum(a**2 * x)


@pytest.mark.parametrize("f", [augmented, by_itself, broadcast_operands, added_at, listed, leading_axes])
def test_forms(f):
    ad.check_grads(f, (X,), order=2)


def test_of_repeated_positions_the_last_write_counts():
    def f(x):
        a = np.zeros(3)
        a[[1, 1, 1]] = x[:3]
        return a[1]

    assert np.array_equal(ad.grad(f)(X), [0.0, 0.0, 1.0, 0.0])


def test_values_need_not_have_the_dtype():
    def f(x, s):
        a = s * 2
        a[1:] = x[1:] ** 2
        a *= x
        z = np.zeros(4, complex)
        z[:] = a
        z *= 1j
        return np.sum(np.abs(z) ** 2)

    bars = ad.grad(f, (0, 1))(X, X.astype(np.float32))
    assert bars[0].dtype == np.float64 and bars[1].dtype == np.float32
    expected = ad.grad(lambda x, s: f(x, s), (0, 1))(X, X.copy())
    for found, precise in zip(bars, expected):
        np.testing.assert_allclose(found, precise, rtol=1e-5)
    ad.check_grads(f, (X, X.copy()), order=2)


def test_generated_code_is_what_one_would_write():
    def f(x):
        a = np.zeros(4)
        a += x
        a *= 3.0
        return np.sum(a * a)

    text = ad.source(ad.grad(f), X)
    assert "a_bar *= 3.0" in text
    assert np.allclose(ad.grad(f)(X), 18.0 * X)
