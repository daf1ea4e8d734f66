"""What the rules of array functions compute at run time, against NumPy."""

import itertools

import numpy as np
import pytest

import adcompile as ad
from adcompile import runtime as rt

RNG = np.random.default_rng(0)
A = RNG.normal(size=(2, 3, 4))


@pytest.mark.parametrize("axes", list(itertools.permutations(range(3))) + [(-1, 0, 1)], ids=str)
def test_permutations_are_undone(axes):
    assert np.array_equal(np.transpose(np.transpose(A, axes), rt.inverse_axes(axes)), A)


@pytest.mark.parametrize("axis", range(-3, 3))
@pytest.mark.parametrize("start", range(-3, 4))
def test_rollaxis_is_undone(axis, start):
    assert np.array_equal(np.transpose(np.rollaxis(A, axis, start), rt.inverse_rollaxis(axis, start, 3)), A)


@pytest.mark.parametrize("shift", [(1,), (-2,), (5,)])
def test_shifts_are_undone(shift):
    assert np.array_equal(np.roll(np.roll(A, shift, (1,)), rt.negated(shift), (1,)), A)


@pytest.mark.parametrize("mode", ["wrap", "clip", "raise"])
def test_indices_of_take(mode):
    indices = np.array([0, 2, 1] if mode == "raise" else [-5, 7, 1])
    assert np.array_equal(A[:, rt.wrapped(indices, 3, mode)], np.take(A, indices, axis=1, mode=mode))
    assert np.array_equal(A[rt.along(rt.wrapped(indices, 3, mode), 1, 3)], np.take(A, indices, axis=1, mode=mode))


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_take_along_axis(axis):
    order = np.argsort(A, axis=axis)
    assert np.array_equal(A[rt.along_axis(order, axis, A.shape)], np.take_along_axis(A, order, axis))


@pytest.mark.parametrize("axis", [0, 1])
def test_joins_come_apart(axis):
    parts = [RNG.normal(size=(2, 3)), RNG.normal(size=(2, 3))]
    whole = np.concatenate(parts, axis)
    for got, part in zip(np.split(whole, rt.cuts(parts, axis), axis), parts):
        assert np.array_equal(got, part)
    for got, part in zip(rt.unjoin(np.stack, np.stack(parts, axis), parts, axis), parts):
        assert np.array_equal(got, part)


@pytest.mark.parametrize(
    ("spec", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (3, 4)]),
        ("ii->i", [(3, 3)]),
        ("ij->", [(2, 3)]),
        ("...i,i->...", [(2, 2, 3), (3,)]),
        ("i,j", [(2,), (3,)]),
    ],
)
def test_einsum(spec, shapes):
    """⟨g, einsum(… a_k …)⟩ = ⟨einsum(g, …), a_k⟩ for each operand."""
    operands = [RNG.normal(size=s) for s in shapes]
    ndims = tuple(map(np.ndim, operands))
    g = RNG.normal(size=np.shape(np.einsum(spec, *operands)))
    for k, a in enumerate(operands):
        others = operands[:k] + operands[k + 1 :]
        fillers = rt.einsum_fillers(a, spec, ndims, k)
        back = np.einsum(rt.einsum_adjoint(spec, ndims, k), g, *others, *fillers)
        assert np.sum(np.broadcast_to(back, a.shape) * a) == pytest.approx(np.sum(g * np.einsum(spec, *operands)))


@pytest.mark.parametrize("offset", [-1, 0, 2])
@pytest.mark.parametrize(("axis1", "axis2"), [(0, 1), (1, 2), (2, 0)])
def test_diagonals(offset, axis1, axis2):
    expected = np.diagonal(A, offset, axis1, axis2)
    read = A[rt.diagonal_index(A.shape, offset, axis1, axis2)]
    assert np.array_equal(np.moveaxis(read, rt.diagonal_place(3, axis1, axis2), -1), expected)
    mask = np.broadcast_to(rt.diagonal_mask(A.shape, offset, axis1, axis2), A.shape)
    assert np.sum(A[mask]) == pytest.approx(np.sum(expected))


@pytest.mark.parametrize("width", [1, (1, 2), ((1, 0), (0, 2), (1, 1))], ids=str)
def test_padding(width):
    padded = np.pad(A, width)
    assert np.array_equal(padded[rt.interior(A.shape, width)], A)
    assert np.array_equal(padded[rt.interior_mask(padded.shape, rt.interior(A.shape, width))], A.ravel())
    assert np.array_equal(A[rt.padded_index(A.shape, width, "edge")], np.pad(A, width, mode="edge"))


@pytest.mark.parametrize("n", [2, 4, 7])
def test_fit(n):
    out = rt.fit(A, n, -1)
    assert out.shape == (2, 3, n)
    k = min(n, 4)
    assert np.array_equal(out[..., :k], A[..., :k])
    assert not out[..., k:].any()


@pytest.mark.parametrize("reps", [2, (2,), (3, 1, 2), (2, 1, 1, 2)], ids=str)
def test_tiles(reps):
    tiled = np.tile(A, reps)
    split = tiled.reshape(rt.tiled_shape(A.shape, reps))
    summed = split.sum(axis=rt.even_axes(split.ndim)).reshape(A.shape)
    assert np.allclose(summed, A * (tiled.size // A.size))


def test_repeats():
    repeated = np.repeat(A, 3, axis=1)
    assert np.array_equal(repeated.reshape(*rt.repeated_shape(A.shape, 3, 1)[:2], 3, 4)[:, :, 0], A)


def test_parts_of_a_complex_cotangent_are_real_where_the_parts_are():
    def f(x, s):
        work = np.zeros(2)
        work[1] = s
        r = np.sum(work * work)
        total = np.sum(np.array([r if v > 0.2 else v for v in x]))
        return abs(complex(total, 0.3) + 2.5)

    x = np.array([0.5, 0.1], np.float32)
    by_x, by_s = ad.grad(f, argnums=(0, 1))(x, 0.7)
    slope = (f(x, 0.7 + 1e-6) - f(x, 0.7 - 1e-6)) / 2e-6
    assert by_x.dtype == np.float32 and np.isclose(by_s, slope)


@pytest.mark.parametrize("pivots", [[0], [2, 2, 3, 3], [3, 1, 2, 3], [1, 2, 2, 3]], ids=str)
def test_exchanged_rows(pivots):
    rows = list("abcd"[: max(pivots) + 1])
    exchanged = list(rows)
    for k, other in enumerate(pivots):
        exchanged[k], exchanged[other] = exchanged[other], exchanged[k]
    assert [rows[k] for k in rt.row_order(np.array([*pivots, *range(len(pivots), len(rows))]))] == exchanged


@pytest.mark.parametrize("mode", ["same", "valid"])
@pytest.mark.parametrize("n, m, axes", [((5,), (2,), None), ((4, 5), (3, 2), None), ((1, 5), (3, 2), [-1])], ids=str)
def test_rims_of_convolutions(n, m, axes, mode):
    signal = pytest.importorskip("scipy.signal")
    a, b = RNG.normal(size=n), RNG.normal(size=m)
    full, kept = (signal.fftconvolve(a, b, mode=which, axes=axes) for which in ("full", mode))
    rims = rt.convolution_rims(n, m, kept.shape, axes)
    inside = tuple(slice(before, full.shape[k] - after) for k, (before, after) in enumerate(rims))
    np.testing.assert_allclose(full[inside], kept)
