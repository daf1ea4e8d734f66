"""Copies of what has no fixed length: what is shared is refused."""

import copy
import dataclasses

import numpy as np
import pytest

import adcompile as ad


@dataclasses.dataclass
class Part:
    a: float


def deep(items):
    made = copy.deepcopy(items)
    made[0][0] = 5.0
    return sum(np.sum(v * v) for v in made)


def of_objects(x):
    parts = []
    for i in range(len(x)):
        parts.append(Part(x[i]))
    return copy.deepcopy(parts)[0].a


def test_one_array_twice_in_a_long_list():
    a = np.array([1.0, 2.0])
    with pytest.raises(ValueError, match="stands twice"):
        ad.grad(deep)([a] * 20)
    assert ad.grad(deep)([a.copy() for _ in range(20)])[1].tolist() == [2.0, 4.0]


def test_objects_in_a_list_of_no_known_length():
    with pytest.raises(ad.Unsupported, match="no known length"):
        ad.grad(of_objects)(np.ones(3))
