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


def stands_twice(f, line):
    return rf"stands twice .*, test_copying\.py:{f.__code__.co_firstlineno + line}:"


def test_one_array_twice_in_a_long_list():
    a = np.array([1.0, 2.0])
    with pytest.raises(ad.Unsupported, match=stands_twice(deep, 1)):
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
    with pytest.raises(ValueError, match=stands_twice(chosen, 3)):
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


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b


class Named(Pair):
    def __deepcopy__(self, memo):
        return Named(copy.deepcopy(self.a, memo=memo), copy.deepcopy(x=self.b, memo=memo))


class EachByItself(Pair):
    def __deepcopy__(self, memo):
        return EachByItself(self.a.__deepcopy__(memo), self.b.__deepcopy__(memo))


@pytest.mark.parametrize("cls", [Named, EachByItself])
def test_parts_that_are_one_array(cls):
    """`copy.deepcopy` remembers what it has copied, however it is told; arrays by themselves do not."""

    def f(x):
        a = x * 2.0
        made = copy.deepcopy(cls(a, a))
        made.a[0] = 5.0 * x[0]
        return np.sum(made.b**2)

    ad.check_grads(f, (np.array([1.2, -0.7]),))


class Looks(Pair):
    def __deepcopy__(self, memo):
        return Looks(3.0 * self.a if id(self.a) in memo else self.a, self.b)


class Asks(Pair):
    def __deepcopy__(self, memo):
        return Asks(self.a * (3.0 if memo else 2.0), self.b)


class GoesThrough(Pair):
    def __deepcopy__(self, memo):
        scale = 1.0
        for _ in memo:
            scale += 1.0
        return GoesThrough(self.a * scale, self.b)


@pytest.mark.parametrize("cls", [Looks, Asks, GoesThrough])
def test_what_has_been_copied_is_handed_on_alone(cls):
    with pytest.raises(ad.Unsupported, match="looks into what has been copied"):
        ad.grad(lambda x: np.sum(copy.deepcopy([x, cls(x, x)])[1].a))(np.ones(2))


def with_a_dict_of_its_own(x):
    memo = {}
    a = x * 2.0
    first, second = copy.deepcopy(a, memo), copy.deepcopy(a, memo)
    first[0] = 5.0 * x[0]
    return np.sum(second)


def by_name(x):
    memo = {}
    a = [x * 2.0]
    first, second = copy.deepcopy(a, memo=memo), copy.deepcopy(a, memo=memo)
    first[0][0] = 5.0 * x[0]
    return np.sum(second[0])


@pytest.mark.parametrize("f", [with_a_dict_of_its_own, by_name])
def test_what_the_program_says_has_been_copied(f):
    with pytest.raises((ad.Unsupported, ad.NotDifferentiable)) as caught:
        ad.grad(f)(np.ones(2))
    assert caught.value.place is not None
