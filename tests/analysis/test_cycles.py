"""Objects that hold what holds them: one object, whichever way the program takes to it."""

import numpy as np
import pytest

import adcompile as ad


class Parent:
    def __init__(self, w):
        self.w = w
        self.items = [1.0]
        self.row = np.array([w, 1.0])
        self.child = Child(self)
        self.table = {"me": self, "all": (self, 2.0)}

    def grow(self):
        self.w = self.w * 3.0


class Child:
    def __init__(self, parent):
        self.parent, self.v = parent, 1.0

    def get(self):
        return self.parent.w * self.v


def written_above(o):
    o.w = o.w * 3.0
    return o.child.parent.w


def written_below(o):
    o.child.parent.w = 3.0 * o.w
    return o.w


def by_methods(o):
    o.grow()
    return o.child.get() * o.w


def array_element(o):
    o.row[0] = o.w * o.w
    return o.w * o.child.parent.row[0]


def attribute_replaced(o):
    o.items = [o.w]
    return o.child.parent.items[0] * o.w


def appended(o):
    o.child.parent.items.append(o.w)
    return sum(o.items) * o.w


def read_alone(o):
    return o.child.parent.w * o.w * o.child.parent.child.v


def through_containers(o):
    o.table["me"].w = o.w * 2.0
    return o.table["all"][0].w * o.w


def in_a_loop(o):
    for _ in range(3):
        o.child.parent.w = o.w * 1.1
        o.child.v = o.child.v * o.w
    return o.child.get()


def child_made_within(o):
    o.other = Child(o)
    o.other.v = o.w**2
    return o.w * o.child.parent.other.v


FUNCTIONS = [
    written_above,
    written_below,
    by_methods,
    array_element,
    attribute_replaced,
    appended,
    read_alone,
    through_containers,
    in_a_loop,
    child_made_within,
]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_an_argument_that_holds_itself(f):
    expected = (f(Parent(1.3 + 1e-6)) - f(Parent(1.3 - 1e-6))) / 2e-6
    o = Parent(1.3)
    value, gradient = ad.value_and_grad(f)(o)
    assert np.isclose(value, f(Parent(1.3))) and np.isclose(total(f, gradient), expected, rtol=1e-7)
    assert o.w == 1.3 and o.items == [1.0] and o.row[0] == 1.3 and o.child.parent is o
    value, pullback = ad.vjp(f, o)
    for _ in range(2):
        assert np.isclose(total(f, pullback(1.0)[0]), expected, rtol=1e-7)


def total(f, gradient):
    """The derivative by `w` of a Parent, whose array begins with it."""
    return gradient.w + gradient.row[0]


def test_the_child_as_the_argument():
    def f(c):
        c.parent.w = c.parent.w * 2.0
        return c.parent.child.get() * c.v

    assert np.isclose(ad.grad(f)(Parent(1.3).child).parent.w, 2.0)


class Group:
    def __init__(self, w):
        self.w = w
        self.kids = [Kid(self, 1.0), Kid(self, 2.0)]


class Kid:
    def __init__(self, group, v):
        self.group, self.v = group, v

    def f(self, x):
        return self.v * self.group.w * x

    def grow(self):
        self.group.w = self.group.w * 3.0


def each_grows(g):
    for kid in g.kids:
        kid.grow()
    return g.w


def reversed_kids(g):
    g.kids.reverse()
    return g.kids[0].f(1.0) * g.kids[0].group.kids[0].v


def popped(g):
    kid = g.kids.pop()
    return kid.f(1.0) * len(kid.group.kids) * len(g.kids)


@pytest.mark.parametrize("f", [each_grows, reversed_kids, popped])
def test_children_in_a_list(f):
    expected = (f(Group(1.3 + 1e-6)) - f(Group(1.3 - 1e-6))) / 2e-6
    g = Group(1.3)
    assert np.isclose(ad.grad(f)(g).w, expected, rtol=1e-7)
    assert [k.v for k in g.kids] == [1.0, 2.0]
    assert np.isclose(ad.vjp(f, g)[1](1.0)[0].w, expected, rtol=1e-7)


def test_captured_objects_and_derivatives_within():
    o = Parent(2.0)

    def f(x):
        o.w = x * x
        return x * o.child.parent.w

    assert np.isclose(ad.grad(f)(1.5), 6.75) and np.isclose(ad.hessian(f)(1.5), 9.0)

    def g(x, p):
        p.w = x * x
        return x * p.child.parent.w

    def outer(x, p):
        return ad.grad(g)(x, p) * p.child.parent.w

    p = Parent(2.0)
    assert np.isclose(ad.grad(outer)(1.5, p), (outer(1.5 + 1e-6, p) - outer(1.5 - 1e-6, p)) / 2e-6)
    assert np.isclose(ad.jacfwd(g)(1.5, p), 6.75) and p.w == 2.0
