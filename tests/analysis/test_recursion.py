"""Recursive functions are called by reference, once for each tuple of argument types."""

import copy

import numpy as np
import pytest

import adcompile as ad
from adcompile.errors import Unsupported
from adcompile.testing import check_grads
from tests.programs import modules_called as m


def power(x, n):
    return x if n == 0 else x * power(x * 1.0, n - 1)


def test_a_type_for_each_call():
    def f(x, n):
        return np.sum(power(np.array([x, 2.0 * x]), n)) + power(x, n)

    check_grads(f, (0.7, 2))
    source = ad.source(ad.grad(f), 0.7, 2)
    assert source.count("def power") >= 2


def caller_trains(net, x):
    y = net(x)
    net.backward(2 * y)
    net.step(0.01)
    return np.sum(net(x) ** 2)


def nets():
    inner = m.Residual(m.Sequential(m.Linear(m.W * 0.5, m.B * 2), m.Tanh()))
    yield m.Sequential(m.Linear(m.W, m.B), m.Tanh(), inner, m.Linear(m.W.T, m.B - 1))
    yield inner
    yield m.Linear(m.W, m.B)


def test_layers_of_the_caller_are_called_by_layers():
    """Each kind of net has its specialisation; what calls store in the layers is taken back."""
    derivative = ad.value_and_grad(caller_trains, argnums=(0, 1))
    for net in map(copy.deepcopy, nets()):
        check_grads(caller_trains, (net, m.X), order=1)
        before = sorted(vars(net))
        value, _ = derivative(net, m.X)
        assert sorted(vars(net)) == before and getattr(net, "cache", None) is None
        assert value == caller_trains(net, m.X)


def test_objects_without_derivatives_have_no_tangent_to_read():
    def f(layer, x):
        return layer.forward(x) * 2.0

    value, tangent = ad.jvp(f, (m.Tanh(), 0.7), (None, 1.0))
    assert value == f(m.Tanh(), 0.7) and np.isclose(tangent, 2.0 - 2.0 * np.tanh(0.7) ** 2)
    holder = [m.Tanh(), 2.0]
    value, tangent = ad.jvp(lambda q, x: q[0].forward(x) * q[1], (holder, 0.7), ([None, 1.0], 0.0))
    assert np.isclose(tangent, np.tanh(0.7))


def test_a_chain_of_objects_is_inlined_up_to_a_depth():
    assert ad.source(ad.grad(m.tree_with_caches), 0.7).count("def ") == 1
    assert ad.source(ad.grad(m.deeper_than_is_inlined), 0.7).count("def ") > 1
    assert ad.source(ad.grad(m.depth_of_run_time), 0.7, 2).count("def ") > 1


def difference(f, n):
    return f if n == 0 else difference(lambda x: f(x + 1.0) - f(x), n - 1)


def continued(n, then):
    return then(1.0) if n == 0 else continued(n - 1, lambda r: then(r * n))


def nested_tuples(n, t):
    return t if n == 0 else nested_tuples(n - 1, (t, n * 1.0))


def doubled(n, t):
    return t if n == 0 else doubled(n - 1, [t, t])


class Link:
    def __init__(self, value, after):
        self.value = value
        self.after = after


def linked(n, x, after=None):
    return after if n == 0 else linked(n - 1, x, Link(x * n, after))


def more_axes(n, a):
    return np.sum(a) if n == 0 else more_axes(n - 1, a[None] * a)


def more_arguments(n, *a):
    return sum(a) if n == 0 else more_arguments(n - 1, a[0] * 2.0, *a)


def even(n, t):
    return t[0] if n == 0 else odd(n - 1, (t[0], t))


def odd(n, t):
    return t[0] * 2.0 if n == 0 else even(n - 1, (t[0] * 2.0, t))


def ways(n, chosen=()):
    if len(chosen) > n:
        return 1
    return sum(ways(n, (*chosen, c)) for c in range(n) if c not in chosen)


GROWING = {
    "functions": lambda x, n: difference(lambda t: t * x, n)(x),
    "continuations": lambda x, n: continued(n, lambda r: r * x),
    "tuples": lambda x, n: nested_tuples(n, x)[0],
    "lists": lambda x, n: doubled(n, x)[0],
    "objects": lambda x, n: linked(n, x).value,
    "axes": lambda x, n: more_axes(n, np.array([x, x])),
    "arguments": lambda x, n: more_arguments(n, x),
    "by turns": lambda x, n: even(n, (x,)),
    "choices": lambda x, n: x * ways(n),
}


@pytest.mark.parametrize("kind", GROWING)
def test_arguments_that_grow_with_each_call_are_refused(kind):
    with pytest.raises(Unsupported, match="larger type each time") as caught:
        ad.grad(GROWING[kind])(1.2, 2)
    assert "test_recursion.py" in str(caught.value)


def test_growing_arguments_where_nothing_has_a_derivative():
    count = ad.rules.non_differentiable(lambda n: ways(n))
    assert ad.grad(lambda x, n: x * (1 + count(n)))(1.5, 3) == 1.0 + ways(3)


def visited(marks):
    """How many of three nodes a depth-first search meets, twice over, with what it marks them in."""

    def count(x, edges):
        seen = marks()

        def visit(u):
            if u in seen if isinstance(seen, set) else seen[u]:
                return
            if isinstance(seen, set):
                seen.add(u)
            else:
                seen[u] = True
            for v in edges[u]:
                visit(v)

        for u in range(2):
            visit(u)
        return x * x * (len(seen) if isinstance(seen, set) else sum(seen))

    return count


@pytest.mark.parametrize("marks", [set, lambda: np.zeros(3, bool), lambda: np.zeros(3, int)])
def test_a_search_that_is_begun_in_a_loop(marks):
    edges = [[1], [0], [1]]
    assert ad.value_and_grad(visited(marks))(1.5, edges) == (4.5, 6.0)


def test_a_search_that_marks_items_of_a_list_is_refused():
    with pytest.raises(Unsupported, match=r"other code can reach(?s:.*)np.zeros\(n, bool\)") as caught:
        ad.grad(visited(lambda: [False, False, False]))(1.5, [[1], [0], [1]])
    assert "test_recursion.py" in str(caught.value)


def descends(x, n):
    x[n] *= 2.0
    if n == 0:
        raise ValueError("bottom")
    return descends(x, n - 1)


def descends_by_turns(x, n):
    return x * falls(x, n)


def falls(x, n):
    if n == 0:
        raise ValueError("bottom")
    return descends_by_turns(x, n - 1) * 2.0


def goes_on(x, n):
    return x * goes_on(x, n + 1)


ENDINGS = [(descends, ValueError), (descends_by_turns, ValueError), (goes_on, RecursionError)]


@pytest.mark.parametrize("f, error", ENDINGS)
@pytest.mark.parametrize(
    "run",
    [
        lambda f, x: ad.grad(f)(x, 2),
        lambda f, x: ad.vjp(f, x, 2),
        lambda f, x: ad.jvp(f, (x, 2), (np.ones(3), None)),
        lambda f, x: ad.jvp(ad.grad(f), (x, 2), (np.ones(3), None)),
    ],
)
def test_a_recursion_that_ends_in_an_exception_alone(f, error, run):
    x, expected = np.ones(3), np.ones(3)
    with pytest.raises(error) as wanted:
        f(expected, 2)
    with pytest.raises(error) as caught:
        run(f, x)
    assert str(caught.value).startswith(str(wanted.value)[:30])
    assert np.array_equal(x, expected)
