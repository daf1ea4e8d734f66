"""Arrays in kernels: elements, views, whole arrays, indices that are not there."""

import numpy as np
import pytest

import adcompile as ad
from tests.kernels import agree, kernels_of, parts_of, stays, text_of, wholly


def sums_of_elements(a, i):
    s = 0.0
    for k in range(a.shape[0]):
        s += a[k] * a[k - 1] * a[i]
    return s


def in_place(a, n):
    for i in range(1, n):
        a[i] = a[i - 1] * a[i] + 1.0
        a[0] -= 0.5 * a[i]
    return np.sum(a * a)


def slices(a):
    b = a.copy()
    for i in range(1, 4):
        b[:i] += b[i] * np.flip(b[:i])
        b[i:] = b[i:] * 2.0
    return np.dot(b, a)


def overlapping(a):
    for _ in range(2):
        a[1:] = a[:-1]
        a[:-1] += a[1:]
    return np.sum(a**2)


def table(a, b):
    t = np.zeros((3, a.shape[0]))
    for i in range(3):
        for j in range(a.shape[0]):
            t[i, j] = a[j] * b[i % b.shape[0]] + (t[i - 1, j] if i > 0 else 0.0)
    return np.sum(t)


A = np.array([0.5, 1.5, -0.7, 2.0])


@pytest.mark.parametrize("i", [0, 3, -1, -4, 4, -5])
def test_indices_from_the_end_and_beyond(i):
    agree(sums_of_elements, A, i)


@pytest.mark.parametrize("n", [4, 2, 1, 0, 5])
def test_a_fault_leaves_arrays_as_numpy_leaves_them(n):
    agree(in_place, A, n)


def test_slices():
    agree(slices, A)


def test_overlapping_views_are_read_before_they_are_written():
    agree(overlapping, A)


def test_work_arrays_of_two_dimensions():
    agree(table, A, A[:2])


def test_arrays_that_are_not_contiguous():
    agree(sums_of_elements, np.arange(8.0)[::2], 1)
    agree(in_place, np.arange(8.0)[::-2] + 0.1, 3)


def added_to_a_part(a, b):
    for _ in range(2):
        b += a
    return np.sum(a * a)


def test_arguments_may_be_parts_of_each_other():
    x = np.arange(1.0, 6.0)
    for a, b in ((x[:-1], x[1:]), (x[1:], x[:-1]), (x, x)):
        agree(added_to_a_part, a.copy(), b.copy())
        want = ad.grad(added_to_a_part)(a, b)
        np.testing.assert_allclose(ad.grad(added_to_a_part, backend="auto")(a, b), want, rtol=1e-12)


def test_arrays_that_are_not_to_be_written():
    a = A.copy()
    a.flags.writeable = False
    agree(in_place, a, 3)
    agree(sums_of_elements, a, 1)


def test_single_precision():
    agree(in_place, A.astype(np.float32), 3)
    assert "np.float32(0.5)" in text_of(in_place, A.astype(np.float32), 3)


def test_what_may_fail_after_a_write_is_put_back():
    (kernel,) = parts_of(in_place, A, 3).kernels.values()
    assert [v.name for v in kernel.saved] == ["a"]


def upwind(u, c, steps):
    for _ in range(steps):
        inner = u[1:-1]
        u[1:-1] = inner - c * inner * np.where(inner > 0.0, inner - u[:-2], u[2:] - inner)
    return np.sum(u * u)


def levinson(r):
    y = np.empty_like(r)
    a = y[0] = -r[0]
    beta = 1.0
    for k in range(1, r.shape[0]):
        beta *= 1.0 - a * a
        a = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += a * np.flip(y[:k])
        y[k] = a
    return np.sum(y * y)


def softmax(x, w):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return np.sum(w * (e / np.sum(e, axis=-1, keepdims=True)))


def sweeps(a, n):
    rows = range(1, a.shape[0] - 1)
    for _ in range(n):
        for i in rows:
            a[i, 1:-1] += a[i - 1, :-2] + a[i + 1, 2:] - 0.5 * a[i, ::-1][1:-1]
    return np.sum(a[::-1, ::2] * a[:, ::2])


RNG = np.random.default_rng(11)


@pytest.mark.parametrize("shape", [(5, 6), (3, 3), (2, 4), (1, 3), (3, 1), (0, 2)])
def test_array_statements_are_loops(shape):
    a = RNG.random(shape) + 0.1
    agree(sweeps, a, 2)
    agree(sweeps, np.asfortranarray(a), 2)
    agree(softmax, a - 0.5, RNG.random(shape))
    agree(softmax, a.astype(np.float32), RNG.random(shape).astype(np.float32))
    agree(softmax, a, RNG.random(shape[1:]))
    for f, args in ((sweeps, (a, 2)), (softmax, (a, a))):
        if 0 not in shape:
            assert kernels_of(f, *args) == (1, ())


@pytest.mark.parametrize("n", [2, 3, 7])
def test_slices_one_way_and_the_other(n):
    agree(upwind, RNG.random(n) - 0.5, 0.1, 3)
    agree(levinson, RNG.random(n) * 0.3)
    agree(upwind, np.where(np.arange(n) == 1, np.nan, 0.5), 0.1, 2)
    assert kernels_of(levinson, RNG.random(5) * 0.3) == (1, ())


def mixed(x, k):
    y = x * k
    return np.sum(y / (1 + k) + np.where(k > 1, x, 2.0) * np.maximum(y, 0.25))


def test_kinds_of_numbers_meet():
    for x in (RNG.random(4), RNG.random(4).astype(np.float32), RNG.random((2, 4))):
        agree(mixed, x, np.arange(4))
        agree(mixed, x, 2)
        agree(mixed, x, np.float32(1.5))


def transported(C, a, b):
    """Sinkhorn's scaling: vectors of unknown kinds of lengths are spread over a matrix, and summed again."""
    K, u, v = np.exp(-C), np.ones(len(a)), np.ones(len(b))
    for _ in range(3):
        u = a / (K @ v)
        v = b / (K.T @ u)
    return np.sum(u[:, None] * K * v[None, :] * C)


def best_actions(P, r, n):
    v = np.zeros(len(r))
    for _ in range(n):
        v = np.max(r[:, None] + 0.9 * (P @ v)[None, :] * np.ones((len(r), 1)), axis=1)
    return np.sum(v)


def test_what_is_spread_is_summed():
    pytest.importorskip("scipy")
    C = np.linspace(0.2, 1.7, 12).reshape(3, 4)
    wholly(transported, C, np.ones(3) / 3, np.array([0.1, 0.4, 0.3, 0.2]))
    agree(transported, C[:, :1], np.ones(3) / 3, np.ones(1))
    agree(transported, C[:1], np.ones(1), np.ones(4))
    agree(transported, C, np.ones(3), np.ones(3))
    P = np.array([[0.2, 0.8, 0.0], [0.5, 0.1, 0.4], [0.3, 0.3, 0.4]])
    wholly(best_actions, P, np.array([1.0, 0.4, -0.3]), 4)


def counted(x, n):
    s = 0.0
    for k in range(n):
        m = x > 0.1 * k
        s += np.sum(x) / (1 + np.count_nonzero(m)) + np.sum(np.arange(n)) * x[k] + np.sum(m) * x[0]
    return s


def test_counts_of_elements():
    wholly(counted, np.array([0.3, -0.1, 0.25, 0.9]), 3)


def reshaped(x):
    s = 0.0
    for k in range(3):
        m = np.reshape(x * (k + 1.0), (2, 3))
        q = (x * x).reshape(3, 2)
        both = np.concatenate((m, m * 2.0), axis=1)
        below = np.concatenate([m, m], axis=-2)
        s += np.sum(m @ q) + np.sum(both[0]) * np.sum(below[3]) + np.sum(np.cumprod(q.reshape(-1)))
    return s


def side_by_side(x):
    s = 0.0
    for k in range(3):
        m, n = np.vstack([x[:3], x[3:] * k]), np.vstack((x[:3], x[3:]))
        c, t = np.column_stack([x[:3], x[1:4]]), np.stack([x[:3], x[3:]], axis=-1)
        s += np.sum(m * n) + np.sum(c * t) + np.sum(np.hstack([x, x * x])[2:8])
    return s


def parts_exchanged(x):
    s = 0.0
    for _ in range(3):
        parts = [x * 1.0, x * 2.0]
        parts[0] = x * x
        whole = np.concatenate(parts)
        parts.append(x[:2])
        more = parts
        more[1] = x * 3.0
        s += np.sum(whole[1:] * np.concatenate(parts)[1:12])
    return s


def products_of_rows(a):
    total = 0.0
    for row in a:
        total += np.prod(row)
    return total


def test_arrays_of_other_shapes():
    x = np.linspace(0.3, 1.4, 6)
    a = np.linspace(-1.0, 1.0, 12).reshape(4, 3)
    wholly(side_by_side, x)
    stays(reshaped, x)
    stays(parts_exchanged, x)
    wholly(products_of_rows, a)
    wholly(products_of_rows, np.where(a > 0.5, 0.0, a))
    agree(reshaped, x[:5])
    agree(reshaped, np.ones(12)[::2])


def halved_integers(x, n):
    k = np.arange(4)
    for _ in range(n):
        k //= 2
    k /= 2
    return np.sum(x * k)


def negative_powers_of_integers(x, n):
    k = np.arange(4)
    k **= -n
    return np.sum(x)


def without_booleans(x, n):
    k = np.zeros(4, bool)
    for _ in range(n):
        k -= np.ones(4, bool)
    return np.sum(x)


def counted_up(x, n):
    k = np.arange(4)
    for i in range(n):
        k += i
        k *= 2
        k -= np.arange(4)
    return np.sum(x * k)


def test_integers_in_place():
    x = np.linspace(0.3, 1.0, 4)
    for f in (halved_integers, negative_powers_of_integers, without_booleans):
        agree(f, x, 2)
    stays(counted_up, x, 3)
