"""What lowered code asks of arrays when it runs."""

import numpy as np

from adcompile.runtime.loops import disjoint, distinct, ordered, outlined
from adcompile.runtime.memory import is_outline


def test_memory_apart():
    a = np.zeros((6, 5))
    assert disjoint(a, a.copy())
    assert disjoint(a[:3], a[3:])
    assert not disjoint(a[:4], a[3:])
    assert not disjoint(a, a[::-1, ::-2])
    assert not disjoint(a[:, 0], a[:, 1]), "between each other: counted as shared"
    assert disjoint(a[:0], a)


def test_the_order_of_axes():
    a = np.zeros((4, 5, 6))
    assert ordered(a) and ordered(a[1:, ::2, ::-1]) and ordered(np.zeros(3))
    assert not ordered(a.T) and not ordered(np.asfortranarray(a))
    assert ordered(np.zeros((1, 5)).T) and ordered(np.asfortranarray(np.zeros((1, 5))))


def test_outlines():
    a = outlined((3, 2), np.dtype("float32"))
    assert is_outline(a) and a.shape == (3, 2) and a.dtype == np.float32


def test_elements_at_one_place():
    a = np.zeros((4, 6))
    for x in (a, a.T, a[::-1, ::2], a[:, :1], a[:0], a[0], a[:, None, :]):
        assert distinct(x)
    for x in (np.broadcast_to(a[0], (2, 6)), np.lib.stride_tricks.as_strided(a, (3, 4), (8, 8))):
        assert not distinct(x)
