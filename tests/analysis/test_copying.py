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


def chosen(x):
    w = x * 2.0
    other = w if x[0] > 0.0 else x * 3.0
    first, second = copy.deepcopy((w, other))
    first[1] = x[0] ** 2
    return np.sum(second) * x[0]


def test_one_array_twice_where_the_run_time_decides():
    x = np.array([1.2, -0.7])
    with pytest.raises(ValueError, match="stands twice"):
        ad.grad(chosen)(x)
    ad.check_grads(chosen, (-x,))


def test_objects_in_a_list_of_no_known_length():
    with pytest.raises(ad.Unsupported, match="no known length"):
        ad.grad(of_objects)(np.ones(3))


class Reduced:
    def __init__(self, a):
        self.a = a

    def __reduce__(self):
        return Reduced, (self.a * 2,)


class Stated(Reduced):
    def __reduce_ex__(self, protocol):
        return super().__reduce_ex__(protocol)

    def __setstate__(self, state):
        self.a = state["a"] * 3


@pytest.mark.parametrize("cls", [Reduced, Stated])
@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy])
def test_objects_that_are_copied_by_other_methods_of_theirs(cls, how):
    with pytest.raises(ad.Unsupported, match=f"a copy of a {cls.__name__}, which is made by its method __"):
        ad.grad(lambda x: how(cls(x)).a)(1.0)
