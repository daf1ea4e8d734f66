"""Each call of tangent code on batches: every form of it, against one jvp for each tangent."""

import numpy as np
import pytest

import adcompile as ad
from adcompile.autodiff import batch
from tests.autodiff.test_batch import check

R = np.random.default_rng(5)
V, W = R.standard_normal(3), R.standard_normal(4)
M, N, T = R.standard_normal((2, 3)), R.standard_normal((3, 4)), R.standard_normal((2, 3, 4))
S = R.standard_normal((3, 3)) + 3.0 * np.eye(3)

FORMS = {
    # arithmetic, with operands of other ranks, axes of length one and 0-d arrays
    "number_by_matrix": (lambda s, m: s * m + m / s, 1.5, M),
    "vector_by_matrix": (lambda v, m: v * m - m, V, M),
    "column_by_row": (lambda c, r: c * r, V[:, None].copy(), W[None, :].copy()),
    "one_by_many": (lambda a, m: a * m, np.ones((1, 1)), M),
    "rank_three": (lambda v, t: np.where(t > 0, v, -v) * t, W, T),
    "zero_d": (lambda z, m: (z * m, z * 2.0, z + np.sum(m)), np.array(1.5), M),
    "negated": (lambda m: -m, M),
    "parts": (lambda z: (z.real, z.imag, np.conj(z) * z, np.real(z), np.imag(z)), V + 1j),
    "complex_by_real": (lambda x: (np.exp(1j * x), (x * 1j).imag), V),
    "of_numbers": (lambda a, b: (float(a) * b, complex(a, 1.0) * b, np.float32(a) * np.float64(b)), 0.3, 0.7),
    "item": (lambda m: (m.item(2), float(m[1, 1]), float(m[:1, 0].sum())), M),
    "astype": (lambda m: m.astype(np.float32) * 2.0, M),
    "copies": (lambda m: (m.copy(), np.copy(m), np.array(m), np.asarray(m)), M),
    # shapes
    "reshape": (lambda t: (t.reshape(6, 4), np.reshape(t, -1), t.reshape((4, -1)), t.ravel(), t.flatten()), T),
    "reshape_by_columns": (lambda t: np.reshape(t, (6, 4), order="F"), T),
    "transpose": (lambda t: (t.T, np.transpose(t), t.transpose(1, 0, 2), np.transpose(t, (2, 0, -2))), T),
    "swapped": (lambda t: (np.swapaxes(t, 0, -1), t.swapaxes(1, 2), np.moveaxis(t, (0, 1), (-1, 0))), T),
    "expanded": (lambda m: (np.expand_dims(m, 0), np.expand_dims(m, (0, -1)), m[None, :, None], m[..., None]), M),
    "squeezed": (lambda m: (np.squeeze(m[:, :, None]), np.squeeze(m[None], axis=0), m[:1].squeeze()), M),
    "broadcast": (lambda v, s: (np.broadcast_to(v, (2, 3)) * 1.0, np.broadcast_to(s, (2, 2)) * 1.0), V, 0.5),
    "flipped": (lambda m: (np.flip(m), np.flip(m, 1), np.flipud(m), np.fliplr(m), m[::-1]), M),
    "rolled": (lambda m: (np.roll(m, 1), np.roll(m, 1, axis=0), np.roll(m, (1, 2), axis=(0, 1)), np.roll(m[0], 2)), M),
    "repeated": (lambda m: (np.repeat(m, 2, axis=1), np.repeat(m, 2), np.repeat(m, [1, 2], axis=0), np.tile(m, 2)), M),
    "cumulated": (lambda m: (np.cumsum(m), np.cumsum(m, axis=0), m[0].cumsum(), np.diff(m), np.diff(m, axis=0)), M),
    # sums
    "sums": (lambda t: (np.sum(t), t.sum(axis=1), np.sum(t, axis=(0, -1)), np.sum(t, axis=2, keepdims=True)), T),
    "means": (lambda t: (np.mean(t), np.mean(t, axis=0), np.var(t, axis=1), t.max(axis=-1), np.prod(t[0], axis=0)), T),
    # products
    "vectors": (lambda v: (v @ V, V @ v, np.dot(v, v), np.inner(v, V), np.vdot(V, v), np.outer(v, W)), V),
    "vdot": (lambda z: (np.vdot(z, V), np.vdot(V + 2j, z), np.inner(z, z)), V + 1j),
    "outers": (lambda v: (np.outer(W, v), np.outer(v, M), np.outer(v, v)), V),
    "matrices": (lambda m: (m @ N, m @ V, M[0, :2] @ m, m.T @ m, np.dot(m, N), np.matmul(m, N)), M),
    "matrices_on_the_right": (lambda n, v, w: (M @ n, M @ v, v @ n, n @ w), N, V, W),
    "stacks": (lambda t: (t @ W, t @ N.T, np.ones((5, 2)) @ t[:, 0], T.swapaxes(1, 2) @ t, N.T @ t), T),
    "stack_by_stack": (lambda m: (m @ N[None], T.swapaxes(1, 2) @ m.T, m @ np.stack([N, N])), M),
    "stack_by_vector": (lambda w, v: (T @ w, v @ T, np.dot(T, w), np.dot(v, T)), W, V),
    "dot_with_numbers": (lambda s, m: (np.dot(s, m), np.dot(m, s)), 0.4, M),
    "tensordot": (lambda t: (np.tensordot(t, N, 2), np.tensordot(M, t), np.tensordot(t, N, axes=([1], [0]))), T),
    "tensordot_by_number": (lambda n: (np.tensordot(M, n, 1), np.tensordot(n, M, (0, 1)), np.tensordot(n, n, 0)), N),
    "einsum": (lambda m, n: (np.einsum("ij,jk->ki", m, n), np.einsum("ij,ij", m, m), np.einsum("...j->...", m)), M, N),
    "einsum_diagonal": (lambda s: (np.einsum("ii->i", s), np.einsum("ii", s), np.trace(s), np.diag(s)), S),
    "diagonals": (lambda s: (np.diagonal(s), np.diag(s[0]), np.tril(s), np.triu(s, 1)), S),
    "kron_and_cross": (lambda v, w: (np.kron(v, w), np.cross(v, v[::-1]), np.convolve(v, w)), V, W),
    "solved": (lambda s, v: (np.linalg.solve(s, v), np.linalg.inv(s), np.linalg.det(s)), S, V),
    "solved_columns": (lambda n: np.linalg.solve(S, n), N),
    "solved_stacks": (lambda s: np.linalg.solve(s, np.stack([S, S])), np.stack([S, S + np.eye(3)])),
    "spectrum": (lambda v: (np.abs(np.fft.fft(v)), np.fft.irfft(np.fft.rfft(v), 3), np.fft.ifft(v).real), V),
    # elements
    "items": (lambda t: (t[0], t[1, 2], t[1, 2, 3], t[:, 1], t[..., -1], t[None, 0], t[0:1, ::2]), T),
    "fancy": (lambda t: (t[[1, 0, 1]], t[:, [0, 2]], t[[0, 1], [2, 1]], t[np.array([[0, 1]])], t[1, [0, 2]]), T),
    "fancy_apart": (lambda t: (t[[0, 1], :, [3, 0]], t[0, :, [3, 0, 1]], t[[1], :, 2]), T),
    "masked": (lambda t: (t[T > 0], t[:, T[0] > 0], t[np.array([True, False])]), T),
    "taken": (lambda m: (np.take(m, [2, 0]), np.take(m, [2, 0], axis=1), m.take(1, axis=0), np.sort(m, axis=1)), M),
    # joining
    "stacked": (lambda v, m: (np.concatenate([m, v[None]]), np.stack([v, V, v], axis=1), np.vstack([m, v])), V, M),
    "listed": (lambda v, s: (np.array([v, V]), np.array([s, 1.0, 2.0 * s]), np.array([[s, v[0]], [0.0, 1.0]])), V, 0.3),
    "joined": (lambda v, w: (np.concatenate((v, W, w)), np.hstack([v, w]), np.append(v, 1.0), np.block([v, W])), V, W),
    "split": (lambda t: np.split(t, 2)[1] * np.array_split(t, 3, axis=1)[0][0, 0, 0], T),
}


@pytest.mark.parametrize("name", FORMS)
def test_forms(name):
    check(FORMS[name][0], *FORMS[name][1:])


DOUBLE = ("parts", "vdot", "of_numbers", "complex_by_real")
SINGLE = {name: form for name, form in FORMS.items() if name not in DOUBLE}


@pytest.mark.parametrize("name", SINGLE)
def test_forms_in_single_precision(name):
    f, *args = SINGLE[name]
    check(f, *(np.asarray(a, np.float32) if isinstance(a, np.ndarray) else a for a in args), tolerance=1e-4)


def writes(x, m):
    y = np.zeros((2, 3))
    y[...] = x
    y[:, 1] = m[:, 0]
    y[0] += x * 2.0
    y[1, 2] = x[0] * x[1]
    y[[0, 1], [1, 0]] = x[1:]
    y[:, [2, 0]] *= x[0]
    y[y > 100.0] = 0.0
    y[0:1] = m[:1]
    return y


def test_writes():
    check(writes, V, M)


def adjoints(x):
    def f(x):
        return np.sum(x[[0, 0, 1]] ** 3) + x[2] ** 2 * np.sum(x[1:] * x[:-1]) + np.sum(np.outer(x, x)[1])

    return ad.grad(f)(x)


def test_adjoint_code():
    check(adjoints, V)


def test_what_has_a_rule_does_not_run_one_by_one(monkeypatch):
    def refuse(self, s):
        raise AssertionError(f"{s.fn} runs for one tangent after the other")

    monkeypatch.setattr(batch.Batch, "one_by_one", refuse)
    ad.clear()
    for name in ("vector_by_matrix", "reshape", "transpose", "sums", "vectors", "matrices", "items", "fancy", "listed"):
        check(FORMS[name][0], *FORMS[name][1:])
    ad.clear()
