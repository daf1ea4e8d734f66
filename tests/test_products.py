"""What products with the Jacobian take and give beside the value: state, its tangents and cotangents, buffers."""

import dataclasses

import numpy as np
import pytest

import adcompile as ad
from adcompile.tangents import dot, randn_like
from adcompile.testing import identical
from tests.checks import bits

X = np.array([0.3, 0.7, 1.1])


def rng(seed=0):
    return np.random.default_rng(seed)


def mixes(x, y):
    """Writes into x, reads y."""
    x[0] = x[1] * y[2]
    x[1:] *= y[:-1]
    return np.sum(x * x) * y[0]


def appends(items, table):
    items.append(items[0] * table["k"])
    items[0] = items[1] ** 2
    table["k"] = np.sin(table["k"])
    return items[0] * 2.0


@dataclasses.dataclass
class Layer:
    w: np.ndarray
    mean: float
    name: str = "layer"

    def __call__(self, x):
        self.mean = 0.9 * self.mean + 0.1 * np.sum(x)
        self.w *= 2.0
        return np.sum(self.w * x) - self.mean


def runs(layer, x):
    return layer(x)


def through_views(x, y):
    tail = x[1:]
    tail += y * x[:-1]
    return tail[0]


def in_a_loop(x, n):
    for i in range(1, n):
        x[i] = x[i] * x[i - 1] + x[0]
    return x[n - 1]


def in_a_branch(x, y):
    if x[0] > 0.5:
        x[:] = y * y
    else:
        x[1] = y[0]
    return np.sum(x)


def forgets(x, y):
    """What is left in x has nothing to do with what was there."""
    x[...] = y * 3.0
    return np.sum(y)


CALLS = {
    "mixes": (mixes, lambda: (X.copy(), X[::-1].copy())),
    "appends": (appends, lambda: ([1.5, 0.4], {"k": 0.8})),
    "object": (runs, lambda: (Layer(X.copy(), 0.5), X[::-1].copy())),
    "views": (through_views, lambda: (X.copy(), np.array([0.2, 0.9]))),
    "loop": (in_a_loop, lambda: (X.copy(), 3)),
    "branch": (in_a_branch, lambda: (X.copy(), X[::-1].copy())),
    "other branch": (in_a_branch, lambda: (X + 1.0, X[::-1].copy())),
    "forgets": (forgets, lambda: (X.copy(), X[::-1].copy())),
    "complex": (mixes, lambda: (X + 1j * X[::-1], X - 0.5j)),
    "float32": (mixes, lambda: (X.astype("f4"), X[::-1].astype("f4"))),
}


@pytest.fixture(params=CALLS)
def call(request):
    return CALLS[request.param]


# -- the state after the call -----------------------------------------------------------------------


def test_duality_of_results_and_state(call):
    """The tangents after the call, and the cotangents of what is left there, are adjoint to each other."""
    f, make = call
    along = tuple(randn_like(a, rng(k)) if not isinstance(a, int) else None for k, a in enumerate(make()))
    args = make()
    value, tangent, after = ad.jvp(f, args, along, mutated=True)
    assert after, "something is written"
    bars = {name: randn_like(t, rng(7)) for name, t in after.items()}
    ct = randn_like(value, rng(8))
    fresh = make()
    before = bits(fresh)
    again, pullback = ad.vjp(f, *fresh)
    assert bits(again) == bits(value) and bits(fresh) == bits(args)
    assert set(pullback.mutated) == set(after)
    grads = pullback(np.conj(ct), mutated={k: ad.tangents.conj(b) for k, b in bars.items()})
    assert bits(fresh) == before
    left = dot(ct, tangent) + sum(dot(bars[k], after[k]) for k in after)
    right = sum(dot(ad.tangents.conj(g), t) for g, t in zip(grads, along) if t is not None)
    single = any(np.asarray(leaf).dtype == np.float32 for leaf in ad.tangents.leaves(after))
    assert left == pytest.approx(right, rel=1e-5 if single else 1e-12)
    assert bits(pullback(np.conj(ct), mutated={k: ad.tangents.conj(b) for k, b in bars.items()})) == bits(grads)


def test_tangents_after_the_call_by_differences(call):
    f, make = call
    if any(np.asarray(leaf).dtype == np.float32 for a in make() for leaf in ad.tangents.leaves(a)):
        pytest.skip("too few digits")
    along = tuple(randn_like(a, rng(k)) if not isinstance(a, int) else None for k, a in enumerate(make()))
    args = make()
    *_, after = ad.jvp(f, args, along, mutated=True)
    h = 1e-6

    def at(step):
        moved = [a if t is None else ad.tangents.add_to_primal(a, ad.tangents.scale(step, t)) for a, t in
                 zip(make(), along)]
        f(*moved)
        return moved

    names = f.__code__.co_varnames
    for k, (high, low) in enumerate(zip(at(h), at(-h))):
        if names[k] in after:
            for a, b, t in zip(*(ad.tangents.leaves(v) for v in (high, low, after[names[k]]))):
                assert np.allclose((a - b) / (2 * h), t, rtol=1e-6, atol=1e-7)


def test_tangents_passed_in_are_left_alone():
    dx, dy = np.ones(3), np.ones(3)
    *_, after = ad.jvp(mixes, (X.copy(), X), (dx, dy), mutated=True)
    assert np.array_equal(dx, np.ones(3)) and not np.shares_memory(after["x"], dx)


def test_mutated_and_aux():
    def f(x):
        x *= 2.0
        return np.sum(x), "aux"

    value, tangent, aux, after = ad.jvp(f, (X.copy(),), (np.ones(3),), has_aux=True, mutated=True)
    assert aux == "aux" and tangent == 6.0 and np.array_equal(after["x"], np.full(3, 2.0)) and value == np.sum(2 * X)
    _, pullback, aux = ad.vjp(f, X.copy(), has_aux=True)
    assert np.array_equal(pullback(1.0, mutated={"x": X})[0], 2.0 + 2.0 * X) and aux == "aux"


def test_without_tangent_of_what_is_written():
    """The buffer is passed without a tangent; what is written into it has one."""

    def f(x, buffer):
        buffer[:] = x * x
        return np.sum(buffer)

    *_, after = ad.jvp(f, (X, np.zeros(3)), (np.ones(3), None), mutated=True)
    assert np.allclose(after["buffer"], 2.0 * X) and set(after) == {"buffer"}


def test_nothing_is_written():
    value, tangent, after = ad.jvp(lambda x: x * x, (2.0,), (1.0,), mutated=True)
    assert after == {}
    _, pullback = ad.vjp(lambda x, y: np.sum(x) * y, X, 2.0)
    assert pullback.mutated == ()
    assert np.array_equal(pullback(1.0, mutated={"x": X, 1: 1.0})[0], 2.0 + X), "the state after is the state before"
    assert pullback(1.0, mutated={"x": X, 1: 1.0})[1] == np.sum(X) + 1.0


def test_aliased_arguments_share_their_state():
    def f(a, b):
        a[0] = b[1] ** 2
        return np.sum(b)

    both = X.copy()
    value, tangent, after = ad.jvp(f, (both, both), (np.ones(3), np.ones(3)), mutated=True)
    assert set(after) == {"a", "b"} and np.allclose(after["a"], [2.0 * X[1], 1.0, 1.0])
    assert np.array_equal(after["a"], after["b"]) and not np.shares_memory(after["a"], after["b"])
    _, pullback = ad.vjp(f, both.copy(), X.copy())
    assert pullback.mutated == ("a",)
    both = X.copy()
    _, pullback = ad.vjp(f, both, both)
    ga, gb = pullback(0.0, mutated={"a": np.array([1.0, 0.0, 0.0]), "b": np.array([1.0, 0.0, 5.0])})
    assert np.allclose(ga, [0.0, 4.0 * X[1], 5.0]) and np.array_equal(ga, gb)
    big = X.copy()
    _, pullback = ad.vjp(f, big[1:], big)
    assert pullback.mutated == ("a", "b")
    ga, gb = pullback(0.0, mutated={"b": np.array([3.0, 1.0, 0.0])})
    assert np.allclose(gb, [3.0, 2.0 * X[1], 0.0]) and np.array_equal(ga, gb[1:])


def test_names_of_methods_defaults_and_varargs():
    buffer = np.zeros(3)

    def f(x, *others, n=1):
        others[0][:] = x
        return np.sum(x)

    assert ad.vjp(f, X, buffer)[1].mutated == (1,)
    assert np.array_equal(ad.vjp(f, X, buffer)[1](0.0, mutated={1: X})[0], X)
    layer = Layer(X.copy(), 0.5)
    _, pullback = ad.vjp(layer, X)
    assert pullback.mutated == ("self",)
    gx = pullback(0.0, mutated={"self": ad.tangents.scale(1.0, ad.tangents.zeros_like(layer))})[0]
    assert np.array_equal(gx, np.zeros(3))
    bar = ad.tangents.zeros_like(layer)
    bar.mean = 1.0
    assert np.allclose(pullback(0.0, mutated={"self": bar})[0], 0.1)


@pytest.mark.parametrize("wrong", [{"z": X}, {5: X}, {"x": X[:2]}, {"x": 1.0}, {"y": 1j * X}])
def test_cotangents_of_state_that_do_not_fit(wrong):
    _, pullback = ad.vjp(mixes, X.copy(), X.copy())
    with pytest.raises(TypeError):
        pullback(1.0, mutated=wrong)


def test_state_that_is_not_followed():
    """What is written is beyond us, the value is not: the pullback works, and says what it cannot."""

    def f(x, log):
        log.append(np.ravel(x, order="K"))
        return np.sum(x * x)

    _, pullback = ad.vjp(f, X, [1.0])
    assert np.allclose(pullback(1.0)[0], 2.0 * X)
    with pytest.raises(ad.NotDifferentiable, match=r"'log' after the call.*order of elements"):
        pullback(1.0, mutated={"log": [0.0, X]})


# -- restoring, or not -------------------------------------------------------------------------------


def test_state_is_kept_on_demand(call):
    f, make = call
    args, primal = make(), make()
    expected = f(*primal)
    value, pullback = ad.vjp(f, *args, restore=False)
    assert bits(value) == bits(expected) and bits(args) == bits(primal)
    fresh = make()
    first = ad.vjp(f, *fresh)[1](np.conj(value))
    assert bits(pullback(np.conj(value))) == bits(first) and bits(args) == bits(primal)
    assert bits(pullback(np.conj(value))) == bits(first)


def test_gradients_keep_the_state_on_demand():
    args, primal = (X.copy(), X[::-1].copy()), (X.copy(), X[::-1].copy())
    value = mixes(*primal)
    expected = ad.grad(mixes, (0, 1))(X.copy(), X[::-1].copy())
    got, gradients = ad.value_and_grad(mixes, (0, 1), restore=False)(*args)
    assert bits(got) == bits(value) and bits(args) == bits(primal) and identical(gradients, expected)
    items, table = [1.5, 0.4], {"k": 0.8}
    gradient = ad.grad(appends, restore=False)(items, table)
    assert gradient == ad.grad(appends)([1.5, 0.4], {"k": 0.8}) and len(gradient) == 2
    assert items == [0.4**2, 0.4, 1.5 * 0.8] and table == {"k": np.sin(0.8)}


def test_results_are_the_primal_s_where_nothing_is_put_back():
    def f(x):
        x *= 2.0
        return x

    x = X.copy()
    assert ad.vjp(f, x, restore=False)[0] is x
    assert ad.vjp(f, x)[0] is not x


def scaled(x, steps):
    """Reads the arrays of a list in a loop, and gives others that the pullback reads."""
    powers = []
    for w in steps["w"]:
        x = x * w
        powers.append(x * x)
    return powers, np.sum(x)


def captured(steps):
    return lambda x: scaled(x, steps)


@pytest.mark.parametrize("kind", [list, tuple])
def test_pullbacks_read_nothing_that_is_written_in_between(kind):
    """Neither arrays that only a container of the caller's holds, nor those that only the result holds."""
    steps = {"w": kind(X + 0.1 * k for k in range(20))}
    seed = ([np.ones(3)] * 20, 2.0)
    for f, args in ((scaled, (X, steps)), (captured(steps), (X,))):
        (powers, _), pullback = ad.vjp(f, *args)
        expected = pullback(seed)[0]
        for array in powers + list(steps["w"]):
            array += 1.0
        assert np.array_equal(pullback(seed)[0], expected)


# -- buffers ----------------------------------------------------------------------------------------


def test_cotangents_are_added_to_buffers():
    def f(d, x, k):
        return np.sum(d["w"] * x) * d["b"] * k

    d = {"w": X, "b": 2.0, "name": "d"}
    _, pullback = ad.vjp(f, d, X, 3.0)
    plain = pullback(1.0)
    buffers = ({"w": np.ones(3), "b": 1.0, "name": None}, np.ones(3), None)
    out = pullback(1.0, out=buffers)
    assert out[0] is buffers[0] and out[1] is buffers[1] and out[2] == plain[2]
    assert np.array_equal(buffers[0]["w"], 1.0 + plain[0]["w"]) and buffers[0]["b"] == 1.0 + plain[0]["b"]
    pullback(1.0, out=(None, buffers[1], None))
    assert np.allclose(buffers[1], 1.0 + 2.0 * plain[1])


def test_buffers_of_arguments_that_are_written():
    """A buffer that is not zero stays out of the derivative of what is overwritten."""
    _, pullback = ad.vjp(forgets, X.copy(), X.copy())
    x_bar, y_bar = np.full(3, 5.0), np.full(3, 7.0)
    pullback(1.0, mutated={"x": np.ones(3)}, out=(x_bar, y_bar))
    assert np.array_equal(x_bar, np.full(3, 5.0)) and np.array_equal(y_bar, np.full(3, 7.0 + 1.0 + 3.0))


def test_the_argument_itself_is_a_buffer():
    x = X.copy()
    value, pullback = ad.vjp(lambda x: np.sum(x * x), x)
    pullback(-0.1, out=(x,))
    assert np.allclose(x, 0.8 * X)


@pytest.mark.parametrize(
    "out, error",
    [
        (np.ones(3), TypeError),
        ((np.ones(3),), TypeError),
        ((np.ones(2), None), TypeError),
        ((np.ones(3, "f4"), None), TypeError),
        ((np.ones(3, int), None), TypeError),
        (([1.0, 1.0, 1.0], None), TypeError),
        ((None, 1.0), TypeError),
        ((np.broadcast_to(1.0, (3,)), None), ValueError),
    ],
)
def test_buffers_that_do_not_fit(out, error):
    _, pullback = ad.vjp(lambda x, y: np.sum(x) * y, X, 2.0)
    with pytest.raises(error, match="out"):
        pullback(1.0, out=out)


def test_buffers_that_share_memory():
    _, pullback = ad.vjp(lambda x, y: np.sum(x * y), X, X)
    buffer = np.zeros(4)
    for out in ((buffer[:3], buffer[:3]), (buffer[1:], buffer[:3])):
        with pytest.raises(ValueError, match="share memory"):
            pullback(1.0, out=out)
    assert not buffer.any()
    once = np.lib.stride_tricks.as_strided(np.zeros(1), (3,), (0,))
    with pytest.raises(ValueError, match="share memory"):
        pullback(1.0, out=(once, None))


def test_a_list_that_is_emptied_takes_an_empty_cotangent_or_none():
    def drained(x, items):
        s = x
        while items:
            s = s * items.pop()
        return s, items

    (_, left), pullback = ad.vjp(drained, 2.0, [3.0, 5.0])
    assert left == []
    for seed, mutated in [((1.0, []), {}), ((1.0, None), {"items": []}), ((1.0, []), {"items": None})]:
        assert pullback(seed, mutated=mutated) == (15.0, [10.0, 6.0])
    with pytest.raises(ad.NotDifferentiable, match="belongs to a value that has none"):
        pullback((1.0, [1.0]))


@pytest.mark.parametrize("n, seed, wanted", [(0, [], 0.0), (0, None, 0.0), (1, [2.0], 12.0)])
def test_a_result_that_is_an_empty_list_takes_its_cotangent(n, seed, wanted):
    def squares(x, n):
        items = [v * v for v in x]
        while len(items) > n:
            items.pop()
        return items

    value, pullback = ad.vjp(squares, np.array([3.0, 4.0]), n)
    assert value == [9.0][:n]
    assert pullback(seed)[0].tolist() == [wanted, 0.0]


class Squared:
    """A callable object that holds a method of the object that holds it."""

    def __init__(self, f):
        self.f = f

    def __call__(self, x):
        return self.f(x) ** 2


class Activated:
    def __init__(self):
        self.w = 2.0
        self.act = Squared(self.scaled)

    def scaled(self, x):
        return self.w * x


@pytest.mark.parametrize(
    ("f", "given"),
    [(lambda net, x: net.act(x), Activated), (lambda nets, x: nets[0].act(x) * nets[1], lambda: [Activated(), 0.5])],
)
def test_gradients_of_objects_are_tangents(f, given):
    """The gradient has None where an object has no numbers of its own; so may a tangent."""
    net, x = given(), 3.0
    gradient = ad.grad(f, argnums=(0, 1))(net, x)
    value, slope = ad.jvp(f, (net, x), gradient)
    assert value == f(net, x)
    assert slope == pytest.approx(dot(gradient, gradient), rel=1e-12)
