"""What crosses: closures, cycles, depth; objects of registered classes by their attributes or refused."""

import collections

import numpy as np
import pytest

import adcompile as ad
from adcompile import tangents
from adcompile.errors import NotDifferentiable, Unsupported
from adcompile.runtime import structure
from adcompile.spaces import Inert, batch_of, crosses, inner_space, is_hollow, shown, space_of
from adcompile.tangents import NoTangent, add_to_primal, register, tangent_type, zeros_like

Pair = collections.namedtuple("Pair", "a b")


class Holder:
    def __init__(self, x):
        self.x = x


def test_what_crosses():
    x = 2.0
    for value in (Holder("inert"), lambda: x, [Holder(3)], {"h": Holder(None)}):
        assert space_of(value) is NoTangent and not crosses(value)
    for value in (1.0, np.ones(2), [1.0, 2], {"a": 1.0}, Pair(1.0, np.ones(3)), Holder(1.0), [Holder(np.ones(2))]):
        assert space_of(value) == tangent_type(value) and crosses(value)


@pytest.fixture(autouse=True)
def clean_registrations():
    before = dict(structure.registered)
    yield
    structure.registered.clear()
    structure.registered.update(before)


class Angle:
    def __init__(self, radians):
        self.state = (np.cos(radians), np.sin(radians))


class Cached:
    def __init__(self, w):
        self.w, self.square = w, w * w


class Layer:
    """Copies what it is given, and has numbers that are not parts."""

    def __init__(self, w, name, scale):
        self.w, self.name, self.scale = np.array(w), name, scale


class Opaque:
    def __init__(self, a):
        self.a = a


def register_angle():
    made = lambda like, parts: Angle(parts["radians"])
    register(Angle, lambda v: {"radians": float(np.arctan2(v.state[1], v.state[0]))}, made)


def register_layer():
    parts = lambda v: {"w": v.w, "size": len(v.name)}
    register(Layer, parts, lambda like, parts: Layer(parts["w"], like.name, like.scale))


def cosine(angle):
    return angle.state[0] * 3.0


def loss(layer, x):
    return layer.scale * np.sum(layer.w**2) * len(layer.name) * x


@pytest.mark.parametrize(
    "call",
    [
        lambda a: ad.grad(cosine)(a),
        lambda a: ad.jvp(cosine, (a,), (a,)),
        lambda a: ad.vjp(cosine, a),
        lambda a: ad.grad(lambda pair: cosine(pair[0]) * pair[1])((a, 2.0)),
        lambda a: ad.vjp(lambda x: Angle(x), 1.0),
        lambda a: ad.jvp(lambda x: [Angle(x)], (1.0,), (1.0,)),
        lambda a: ad.grad((lambda held: lambda x: cosine(held) * x)(a), wrt_closure=True)(1.0),
        lambda a: ad.grad(lambda h: cosine(h.x))(Holder(a)),
    ],
)
def test_parts_that_are_no_attributes_are_refused(call):
    register_angle()
    with pytest.raises(NotDifferentiable, match="its part 'radians' is not the attribute") as caught:
        call(Angle(0.3))
    assert caught.value.place is not None and caught.value.remedy


def test_derivatives_inside_functions_are_refused():
    register_angle()
    for f in (
        lambda x: ad.grad(cosine)(Angle(x)).state[0],
        lambda x: ad.jvp(cosine, (Angle(x),), (Angle(1.0),))[1],
        lambda x: ad.vjp(lambda y: Angle(y), x)[0].state[0],
        lambda x: ad.vjp(lambda y: [Holder(Angle(y))], x)[0][0].x.state[0],
    ):
        with pytest.raises(Unsupported, match=r"tangents\.register tells"):
            ad.grad(f)(1.0)
    register(Opaque)
    with pytest.raises(Unsupported, match=r"tangents\.register tells"):
        ad.jacrev(lambda pair: pair[0].a * pair[1])((Opaque(1.0), 2.0))


def test_derivatives_inside_functions_by_attributes_that_crossed():
    register(Opaque, lambda o: {"a": o.a}, lambda like, parts: Opaque(parts["a"]))
    assert ad.grad(lambda o: o.a**2)(Opaque(2.0)).a == 4.0
    assert ad.grad(lambda x: ad.grad(lambda o: o.a**2)(Opaque(x * x)).a)(3.0) == 12.0
    ad.check_grads(lambda o: o.a**3, (Opaque(2.0),))


def test_such_objects_pass_where_nothing_is_differentiated_by_them():
    register_angle()
    angle = Angle(0.3)
    assert ad.grad(lambda a, x: cosine(a) * x, argnums=1)(angle, 2.0) == cosine(angle)
    assert ad.jvp(lambda a, x: cosine(a) * x, (angle, 2.0), (None, 1.0))[1] == cosine(angle)
    assert ad.grad(lambda x: cosine(Angle(x)))(1.0) == -3.0 * np.sin(1.0)


def test_attributes_that_depend_on_parts_are_refused():
    register(Cached, lambda v: {"w": v.w}, lambda like, parts: Cached(parts["w"]))
    with pytest.raises(NotDifferentiable, match="'square' depends on its parts"):
        ad.grad(lambda c: c.w + c.square)(Cached(0.0))
    register(Holder, lambda v: {"x": v.x}, lambda like, parts: Holder(parts["x"] ** 2))
    with pytest.raises(NotDifferentiable, match="'x' is not what make was given"):
        ad.grad(lambda h: h.x)(Holder(1.0))


def test_parts_that_are_attributes():
    register_layer()
    layer, along = Layer([1.0, 2.0], "ab", 3.0), Layer([1.0, 0.5], "", 7.0)
    step = 1e-6
    moved = loss(add_to_primal(layer, tangents.scale(step, along)), 2.0)
    back = loss(add_to_primal(layer, tangents.scale(-step, along)), 2.0)
    expected = (moved - back) / (2 * step)
    gradient = ad.grad(loss)(layer, 2.0)
    assert type(gradient) is Layer and gradient.name == zeros_like(layer).name
    assert np.isclose(tangents.dot(gradient, along), expected)
    assert np.isclose(ad.jvp(loss, (layer, 2.0), (along, None))[1], expected)
    assert np.isclose(tangents.dot(ad.vjp(loss, layer, 2.0)[1](1.0)[0], along), expected)
    ad.check_grads(loss, (layer, 2.0), order=1)
    ad.check_grads(lambda x: [Layer(x * x, "a", 2.0)], (np.ones(2),), order=1)


def test_registered_without_parts():
    register(Opaque)

    def written(o, x):
        o.a = x
        return o.a * x

    value, pullback = ad.vjp(written, Opaque(1.0), 2.0)
    assert (value, pullback(1.0)) == (4.0, (None, 4.0))
    assert ad.vjp(lambda x: Opaque(x * 2), 3.0)[1](None) == (0.0,)
    assert ad.vjp(lambda x: (Opaque(x * 2), x * x), 3.0)[1]((None, 1.0)) == (6.0,)
    assert ad.jvp(lambda x: Opaque(x * 2), (3.0,), (1.0,))[1] is None
    inside = (Opaque(3.0), 2.0)
    assert ad.grad(lambda p: p[0].a * p[1])(inside) == (None, 3.0)
    assert ad.jvp(lambda p: p[0].a * p[1], (inside,), ((None, 1.0),))[1] == 3.0
    assert isinstance(space_of(Opaque(1.0)), Inert) and is_hollow(space_of((Opaque(1.0), 3)))
    assert shown(space_of(inside)) == tangent_type(inside) and inner_space(inside) != space_of(inside)
    assert batch_of(space_of(Opaque(1.0)), 3) is NoTangent


def test_a_registration_takes_effect_at_once():
    class Late(Opaque):
        pass

    def squared(o):
        return o.a**2

    derivative = ad.grad(squared)
    assert derivative(Late(2.0)).a == 4.0
    register(Late)
    with pytest.raises(NotDifferentiable, match="has no derivative: it is a Late"):
        derivative(Late(2.0))


def test_long_chains_are_refused():
    node = None
    for k in range(1500):
        node = Holder((float(k), node))
    nested = 1.0
    for _ in range(20_000):
        nested = [nested]
    for call in (ad.grad(lambda n: n.x[0] ** 2), lambda n: ad.vjp(lambda n: n.x[0], n), tangent_type):
        with pytest.raises(NotDifferentiable, match="200 levels deep"):
            call(node)
    with pytest.raises(NotDifferentiable, match="200 levels deep"):
        tangent_type(nested)
    with pytest.raises(Unsupported, match="levels deep"):
        ad.grad(lambda n, x: x * x, argnums=1)(nested, 2.0)
    assert ad.grad(lambda n, x: n.x[0] * x, argnums=1)(node, 2.0) == 1499.0


class Node:
    def __init__(self, v, next=None):
        self.v, self.next = v, next


class Tree:
    def __init__(self, v, *children):
        self.v, self.children, self.parent = v, list(children), None
        for child in children:
            child.parent = self


def ring(count):
    nodes = [Node(k + 1.0) for k in range(count)]
    for node, following in zip(nodes, nodes[1:] + nodes[:1]):
        node.next = following
    return nodes[0]


def twice_round(n):
    return n.v * 3 + n.next.next.v**2 + n.next.next.next.next.v * n.v


def seven_steps(n):
    total, at = 0.0, n
    for k in range(7):
        total = total + (k + 1) * at.v**2
        at = at.next
    return total


def up_and_down(t):
    first, second = t.children
    return t.v * first.parent.v**2 * np.sum(second.v) + first.v * second.parent.children[0].v


@pytest.mark.parametrize("f, value", [
    *[(f, ring(count)) for f in (twice_round, seven_steps) for count in (1, 2, 3)],
    (up_and_down, Tree(1.5, Tree(2.0), Tree(np.array([3.0, 1.0])))),
    (lambda pair: up_and_down(pair[0]) * pair[1], (Tree(1.5, Tree(2.0), Tree(np.array([3.0, 1.0]))), 0.5)),
])  # fmt: skip
def test_objects_that_hold_themselves(f, value):
    along = tangents.randn_like(value, np.random.default_rng(3))
    step = 1e-6
    ahead, back = (f(add_to_primal(value, tangents.scale(s, along))) for s in (step, -step))
    expected = pytest.approx((ahead - back) / (2 * step), rel=1e-6, abs=1e-5)
    gradient = ad.grad(f)(value)
    assert tangents.dot(gradient, along) == expected
    assert tangents.dot(ad.vjp(f, value)[1](1.0)[0], along) == expected
    assert ad.jvp(f, (value,), (along,))[1] == expected
    assert tangent_type(gradient) == tangent_type(value)
    ad.check_grads(f, (value,), order=1)
    with pytest.raises(Unsupported, match="that may hold itself"):
        ad.jacrev(lambda v: [f(v), f(v)])(value)


def test_tangents_of_what_holds_itself():
    value = ring(2)
    _, pullback = ad.vjp(lambda n: n, value)
    bar = pullback(value)[0]
    assert (bar.v, bar.next.v) == (1.0, 2.0) and bar.next.next is bar
    assert ad.jvp(lambda n: Node(n.v * 2, n), (value,), (value,))[1].next.next.next.v == 1.0
    with pytest.raises(NotDifferentiable, match="is not the object that it is a part of"):
        pullback(Node(1.0, Node(1.0, Node(1.0))))
    silent = Tree("a", Tree("b"))
    assert space_of(silent) is NoTangent and not crosses(silent)
    assert crosses(Tree("a", Tree(1.0)))


class Tripled(Opaque):
    def __getattribute__(self, name):
        value = object.__getattribute__(self, name)
        return value * 3 if name == "a" else value


class Doubled:
    def __get__(self, owner, cls=None):
        return self if owner is None else owner.__dict__["a"] * 2

    def __set__(self, owner, value):
        owner.__dict__["a"] = value


class Described(Opaque):
    a = Doubled()


@pytest.mark.parametrize("cls, factor", [(Tripled, 3), (Described, 2)])
def test_attributes_that_classes_compute(cls, factor):
    def product(o, x):
        return o.a * x

    value, gradient = ad.value_and_grad(product, argnums=1)(cls(2.0), 1.5)
    assert (value, gradient) == (product(cls(2.0), 1.5), 2.0 * factor)
    assert ad.jvp(product, (cls(2.0), 1.5), (None, 1.0)) == (value, gradient)
    for call in (ad.grad(product), lambda o, x: ad.grad(lambda p: product(*p))((o, x))):
        with pytest.raises(NotDifferentiable, match="whose class computes what is read"):
            call(cls(2.0), 1.5)
