"""Calls that store in order while they read what they write: refused where the order tells, right elsewhere."""

import numpy as np
import pytest

import adcompile as ad
from adcompile.errors import SharedMemory
from adcompile.testing import check_grads

S = np.arange(1.0, 10.0).reshape(3, 3) / 3


def stacked_down(s):
    np.stack([s[0], s[1]], out=s[1:])
    return s * 2.0


def joined_down(s):
    np.concatenate([s[:1], s[1:2]], out=s[1:])
    return s * 2.0


def joined_flat(s):
    np.concatenate([s[0], s[1]], None, s.reshape(-1)[3:])
    return s * 2.0


def columns_joined(s):
    np.concatenate([s[:, 0], s[:, 1]], out=s.reshape(-1)[2:8])
    return s * 2.0


def placed(s):
    np.place(s, s > 0.5, s[0])
    return s * 2.0


def flat_of_its_transpose(s):
    s.flat = s.T
    return s * 2.0


def flat_part(s):
    s.flat[1:4] = s.reshape(-1)[:3]
    return s * 2.0


def flat_backwards(s):
    x = s[0]
    x.flat[::-1] = x
    return s * 2.0


def flat_in_order(s):
    x = s[0]
    x.flat[[2, 1, 0]] = x
    return s * 2.0


def by_mask(s):
    s[s > 0.5] = s.reshape(-1)[:0:-1]
    return s * 2.0


def by_listed_mask(s):
    x = s[0]
    x[[True, False, True]] = x[1:]
    return s * 2.0


def diagonal_backwards(s):
    np.fill_diagonal(s, s.diagonal()[::-1])
    return s * 2.0


def stacked_up(s):
    np.stack([s[1], s[2]], out=s[:2])
    return s * s


def joined_up(s):
    np.concatenate([s[1], s[2]], out=s.reshape(-1)[:6])
    return s * s


def stacked_elsewhere(s):
    out = np.zeros((2, 3))
    np.stack((s[1], s[2]), out=out)
    return out * s[:2]


def placed_from_elsewhere(s):
    y = s * 1.0
    np.place(y, s > 0.5, s[0])
    return y * s


def by_mask_from_copies(s):
    s[s > 0.5] = s[s > 0.5] * s[0, 1]
    s[s > 2.0] = s[0, 1:2]
    return s * s


def by_mask_of_rows(s):
    s[np.array([True, False, True])] = s[1:]
    s[:, np.array([False, True, True])] = s[:, :2]
    return s * s


def flat_of_itself(s):
    s.flat = s
    return s * s


@pytest.mark.parametrize(
    "f",
    [
        *(stacked_down, joined_down, joined_flat, columns_joined, placed, flat_of_its_transpose, flat_part),
        *(flat_backwards, flat_in_order, by_mask, by_listed_mask, diagonal_backwards),
    ],
)
def test_what_is_read_after_it_was_written_is_refused_with_its_place(f):
    for run in (lambda: ad.jvp(f, (S.copy(),), (S.copy(),)), lambda: ad.vjp(f, S.copy())):
        with pytest.raises(SharedMemory, match=r"written into by then.*test_overlap\.py:"):
            run()


FOLLOWED = [stacked_up, joined_up, stacked_elsewhere, placed_from_elsewhere, flat_of_itself]


@pytest.mark.parametrize("f", [*FOLLOWED, by_mask_from_copies, by_mask_of_rows])
def test_other_overlaps_are_followed(f):
    check_grads(f, (S.copy(),), order=1)


def test_inert_arrays_are_left_to_numpy():
    def f(x, s):
        np.stack([s[0], s[1]], out=s[1:])
        return x * s[2, 0]

    after = S.copy()
    assert ad.grad(f)(2.0, S.copy()) == f(1.0, after)
