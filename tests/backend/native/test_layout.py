"""What kernels make of arrays that lie in memory in this way or that."""

import numpy as np
import pytest

numba = pytest.importorskip("numba")
from adcompile.backend.native import layout  # noqa: E402
from adcompile.runtime.native import Fault  # noqa: E402


@numba.njit
def rows(a):
    return layout.in_rows(a)


@numba.njit
def flat(a, n):
    return layout.flattened(a, n)


@numba.njit
def line(a):
    return layout.in_line(a)


A = np.arange(12.0).reshape(3, 4)


def test_arrays_in_rows_are_shown_and_others_are_not():
    shown = rows(A[1:])
    shown[0, 0] = 7.0
    assert A[1, 0] == 7.0 and shown.flags.c_contiguous
    for a in (A[:, 1:], A.T, A[::2]):
        with pytest.raises(Fault):
            rows(a)


def test_matrices_as_vectors():
    assert flat(A, -1).tolist() == A.ravel().tolist() == flat(A, 12).tolist()
    for part in (A[:, 1:2], A[1:2, ::2], A[:1].T):
        found = flat(part, -1)
        assert found.tolist() == part.ravel().tolist() and np.shares_memory(found, A)
    for a, n in ((A, 11), (A[:, 1:], -1), (A.T, -1)):
        with pytest.raises(Fault):
            flat(a, n)


def test_what_blas_takes_is_not_copied():
    assert np.shares_memory(line(A), A) and np.shares_memory(line(A.T), A)
    assert line(A[::2, ::2]).flags.c_contiguous


@pytest.mark.parametrize(
    "parts",
    [
        lambda v: (v[1:], v[:-1]),
        lambda v: (v[:-1], v[1:]),
        lambda v: (v[:4], v[::2][:4]),
        lambda v: (v[:4], v[4:]),
        lambda v: (v, v),
        lambda v: (v, v[::-1]),
        lambda v: (v[:3], np.broadcast_to(v[:1], 3)),
    ],
)
def test_vectors_added_to_vectors_that_share_memory(parts):
    v = np.linspace(1.0, 2.0, 8)
    w = v.copy()
    a, b = parts(v)
    layout.added_to(a, b)
    a, b = parts(w)
    a += b.copy()
    np.testing.assert_array_equal(v, w)


def test_vectors_of_other_lengths_are_not_added():
    with pytest.raises(Fault):
        layout.added_to(np.ones(3), np.ones(1))


@numba.njit
def diagonal(a, k):
    return layout.diagonal_of(a, k)


@numba.njit
def written_through(a, k):
    layout.diagonal_of(a, k)[:] = 7.0


def test_diagonals_are_shown():
    for a in (A, A.T, A[:, ::-1], A[1:, 1:2], A[:0], np.asfortranarray(A)):
        for k in range(-5, 6):
            shown = diagonal(a, k)
            assert np.array_equal(shown, np.diagonal(a, k))
            assert np.shares_memory(shown, a) or not shown.size
    b = A.copy()
    written_through(b[:, ::2], 1)
    assert b[0, 2] == 7.0 and np.sum(b != A) == 1


@numba.njit
def written_where_nobody_may(a):
    layout.diagonal(a, 0)[0] = 1.0


def test_diagonals_that_the_program_shows_are_not_written():
    with pytest.raises(numba.core.errors.TypingError):
        written_where_nobody_may(A.copy())
