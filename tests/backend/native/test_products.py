"""Products of matrices in loops: native, and what NumPy gives."""

import numpy as np
import pytest

import adcompile as ad
from adcompile.backend.native import products
from tests.kernels import agree, parts_of, wholly

pytest.importorskip("numba")
pytest.importorskip("scipy")
nt = pytest.importorskip("adcompile.backend.native.support")


SHAPES = [((3, 4), (4, 5)), ((1, 1), (1, 1)), ((2, 0), (0, 3)), ((0, 2), (2, 3)), ((40, 30), (30, 20))]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F", "A"])
@pytest.mark.parametrize(("one", "other"), SHAPES, ids=str)
def test_helpers(one, other, order, dtype):
    rng = np.random.default_rng(1)

    def laid_out(shape):
        a = rng.normal(size=shape).astype(dtype)
        return np.repeat(a, 2, axis=-1)[..., ::2] if order == "A" else np.asarray(a, order=order)

    a, b, x, y = map(laid_out, (one, other, other[:1], one[1:]))
    for got, want in (
        (nt.product(a, b), a @ b),
        (nt.times_vector(a, x), a @ x),
        (nt.vector_times(y, b), y @ b),
    ):
        assert got.dtype == want.dtype and got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=1e-5 if dtype is np.float32 else 1e-12, atol=1e-5)


def recurrent(A, b, x):
    for _ in range(6):
        x = np.tanh(A @ x + b)
    return np.sum(x)


def from_the_left(A, b, x):
    for _ in range(4):
        x = np.dot(x, A) * 0.5 + b
    return x @ x


def powers(A, b, x):
    P = np.eye(len(x))
    total = 0.0
    for _ in range(5):
        P = P @ A.T + 0.1 * np.outer(x, b)
        total += P[0, 0] * P[-1, -1]
    return total


def filtered(A, b, x):
    P, total = A @ A.T, 0.0
    for k in range(len(b)):
        P = A @ P @ A.T + np.eye(len(x))
        s = P[k % 2, 0] + 2.0
        gain = P[:, 0] / s
        x = A @ x + gain * (b[k] - x[0])
        P = P - np.outer(gain, P[0])
        total -= np.log(s * s) + x[k % len(x)] ** 2 / s
    return total


@pytest.mark.parametrize("function", [recurrent, from_the_left, powers, filtered])
@pytest.mark.parametrize("n", [1, 3, 70])
def test_gradients(function, n):
    rng = np.random.default_rng(n)
    args = rng.normal(size=(n, n)) * 0.5 / np.sqrt(n), rng.normal(size=n), rng.normal(size=n)
    parts = parts_of(function, *args)
    assert parts.kernels and not parts.notes, [note.why for note in parts.notes]
    wanted = ad.value_and_grad(function, argnums=(0, 1, 2), backend="numpy")(*args)
    found = ad.value_and_grad(function, argnums=(0, 1, 2), backend="numba")(*args)
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-10)
    for a, b in zip(found[1], wanted[1]):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11 * max(1.0, np.max(np.abs(b))))


def test_shapes_that_do_not_fit_raise_what_numpy_raises():
    A, b, x = np.eye(3), np.ones(3), np.ones(2)
    for backend in ("numpy", "numba"):
        with pytest.raises(ValueError, match="mismatch"):
            ad.grad(recurrent, backend=backend)(A, b, x)


def test_products_beside_loops_and_without_scipy_stay_with_numpy(monkeypatch):
    args = np.eye(3), np.ones(3), np.ones(3)

    def alone(A, b, x):
        y = A @ x
        for k in range(3):
            y[k] = np.sin(y[k]) * b[k]
        return np.sum(y)

    def between(A, b, x):
        for _ in range(3):
            x = np.sin(A @ x) * b
        for _ in range(3):
            x = np.cos(x)
        return np.sum(A @ x)

    assert all("nt.times_vector" not in kernel.source for kernel in parts_of(alone, *args).kernels.values())
    assert len(parts_of(between, *args).kernels) == 1  # else each step's values go from kernel to kernel
    assert any("nt.times_vector" in kernel.source for kernel in parts_of(recurrent, *args).kernels.values())
    monkeypatch.setattr(products, "has_blas", lambda: False)
    assert any("matmul" in note.why for note in parts_of(recurrent, *args).notes)


def determinants(A, b, x):
    s = 0.0
    for k in range(4):
        s += np.linalg.det(A * (k + 1.0)) * x[0] + np.log(abs(np.linalg.det(A)))
    return s


def test_determinants():
    args = np.array([[2.0, 0.3, 0.1], [0.2, 1.5, 0.4], [-0.3, 0.1, 1.1]]), np.ones(3), np.ones(3)
    assert not parts_of(determinants, *args).notes
    wholly(determinants, *args)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "matrix", [np.zeros((3, 3)), np.ones((2, 3)), np.diag([1.0, 0.0, 2.0]), np.full((3, 3), np.nan)], ids=str
)
def test_determinants_of_singular_matrices_and_others(matrix):
    agree(determinants, matrix, np.ones(3), np.ones(3))
