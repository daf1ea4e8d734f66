"""`vjp` and `linearize` inside a function do what they do outside: same values, same state in between."""

import numpy as np
import pytest

import adcompile as ad
from tests.programs import some

X = np.array([0.4, 0.9, 0.7])
W = np.array([1.0, 2.0, 3.0])
SCRATCH = np.zeros(3)


class Scale:
    def __init__(self, w):
        self.w, self.calls = w, 0

    def grow(self, x):
        self.calls += 1
        self.w *= x
        return np.sum(self.w**2)


def scale(u, v):
    u *= v
    u[1:] += u[:-1] ** 2
    return np.sum(u * v)


def state_in_between(x):
    a = x * 1.0
    value, pullback = ad.vjp(scale, a, x)
    before = np.sum(a**3)
    first, second = pullback(before)
    return value + before + np.sum(first * second) + np.sum(a**2)


def overlapping(x):
    a = np.concatenate([x, x**2])
    value, pullback = ad.vjp(scale, a[:5], a[1:])
    first, second = pullback(value)
    return np.sum(first * second) + np.sum(a**2)


def one_twice(x):
    a = x * 1.0
    value, pullback = ad.vjp(scale, a, a)
    return sum(np.sum(g * x) for g in pullback(value)) + np.sum(pullback(1.0)[0] * a)


def results_are_detached(x):
    def squared(u):
        u *= u
        return u[1:], u

    a = x * 1.0
    (tail, whole), pullback = ad.vjp(squared, a)
    tail[0] = 9.0
    (g,) = pullback((tail, whole))
    return np.sum(g * whole) + np.sum(a * x)


def what_stays(x):
    a = x * 1.0
    value, pullback = ad.vjp(scale, a, x, restore=False)
    first, second = pullback(value)
    a += pullback(1.0)[0]
    return np.sum(a * first * second)


def captured(x):
    c = x * 2.0
    _, pullback = ad.vjp(lambda z: np.sum(c * z * z), x)
    c[0] = 7.0
    return np.sum(pullback(1.0)[0] * c)


def of_a_method(x):
    m = Scale(x * 1.0)
    value, pullback = ad.vjp(m.grow, x)
    between = np.sum(m.w) * m.calls
    m.w[0] = 3.0
    (g,) = pullback(value)
    return np.sum(g * m.w) + between + m.calls


def of_an_object(x):
    def both(m, z):
        return m.grow(z) * m.grow(z * z)

    m = Scale(x * 1.0)
    value, pullback = ad.vjp(both, m, x)
    between = np.sum(m.w) * m.calls
    g, h = pullback(value)
    return np.sum(g.w * h * m.w) + between + m.calls


def of_a_list(x):
    def append(items, z):
        items[0] *= z
        items.append(items[0] * items[1])
        return np.sum(items[-1])

    items = [x * 1.0, x * x]
    value, pullback = ad.vjp(append, items, x)
    between = len(items) * np.sum(items[-1])
    g, h = pullback(value)
    return np.sum(g[0] * g[1] * h) + between + len(items) * np.sum(items[0])


def of_a_module(x):
    def weighted(z):
        SCRATCH[:] = SCRATCH + z * W
        return np.sum(SCRATCH**3)

    value, pullback = ad.vjp(weighted, x)
    between = np.sum(SCRATCH)
    W[0] = 5.0 * x[1]
    (g,) = pullback(value)
    total = np.sum(g * x) + between * np.sum(SCRATCH) + W[0]
    W[0] = 1.0
    return total


def forward_into_a_list(x):
    def grow(items, s):
        items[0] *= s
        items.append(items[0] * s)
        items.insert(0, s * s)
        return items[-1]

    items = [x * 1.0, x[0]]
    value, tangent = ad.jvp(grow, (items, x[1]), ([x, x[0]], 1.0))
    items[0] = items[0] * 2.0
    return np.sum(value * tangent) + items[0] + items[2] * len(items) + np.sum(items[1])


def forward_into_what_is_held(x):
    def change(table, s):
        table["inner"]["a"] = table["inner"]["a"] * s
        table["own"] = {"of": table["inner"], "s": s}
        return table["own"]["of"]["a"]

    inner = {"a": x * x}
    table = {"inner": inner}
    value, tangent = ad.jvp(change, (table, x), ({"inner": {"a": x}}, x))
    inner["a"][0] += 3.0 * x[1]
    return np.sum(value * tangent) + np.sum(table["own"]["of"]["a"] * table["own"]["s"]) + len(table)


def lines(x):
    def change(u):
        u[1:] *= u[:-1]
        return u * u

    a = x * 1.0
    value, push = ad.linearize(change, a)
    first = push(x)
    a[0] = 2.0
    return np.sum(push(first) * a * value)


PROGRAMS = [
    state_in_between,
    overlapping,
    one_twice,
    results_are_detached,
    what_stays,
    captured,
    of_a_method,
    of_an_object,
    of_a_list,
    of_a_module,
    forward_into_a_list,
    forward_into_what_is_held,
    lines,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_inside_is_as_outside(program):
    """The function itself runs the public transforms: its value and differences are what counts. Every third to second
    order."""
    ad.check_grads(program, (X,), order=2 if program in some(PROGRAMS, 3) else 1)


def total(z):
    return np.sum(z * z)


def test_what_nobody_writes_into_is_not_copied():
    def reads(x):
        value, pullback = ad.vjp(lambda z: np.sum(np.sin(z) * W), x)
        return np.sum(pullback(value)[0] * x)

    ad.grad(reads)(X)
    assert "copy" not in ad.source(reads, X)


def test_long_lists_of_arrays_that_are_written():
    def rows(x):
        found = [x * k for k in range(len(x))]

        def first(z):
            for row in found:
                row *= z
            return np.sum(found[0])

        return np.sum(ad.vjp(first, x)[1](1.0)[0])

    with pytest.raises(ad.Unsupported, match="one by one"):
        ad.grad(rows)(X)


def test_functions_out_of_a_long_list():
    def stored(x):
        pullbacks = []
        for k in range(len(x)):
            pullbacks.append(ad.vjp(lambda z: z * z, x[k])[1])
        return sum(p(1.0)[0] for p in pullbacks)

    with pytest.raises(ad.Unsupported, match="a function that another one makes, given to code that is not followed"):
        ad.grad(stored)(X)


def test_what_a_pullback_takes():
    with pytest.raises(ad.Unsupported, match="one cotangent"):
        ad.grad(lambda x: ad.vjp(total, x)[1](1.0, mutated={})[0][0])(X)


def raveled(x):
    y = x.ravel()  # a view or a copy: so it is in what runs again
    y[0] = 5.0
    return np.sum(x**2)


def reshaped(x):
    y = x.T.reshape(-1)
    y[1] *= y[2]
    return np.sum(x**2) * x[0, 1]


def made_contiguous(x):
    y = np.ascontiguousarray(x)
    y[0] = y[1] ** 2
    return np.sum(x**2)


LAYOUTS = {
    "columns": lambda: np.linspace(0.2, 2.0, 24).reshape(4, 6)[:, ::2],
    "rows": lambda: np.linspace(0.2, 2.0, 24).reshape(8, 3)[::2],
    "transposed": lambda: np.linspace(0.2, 2.0, 12).reshape(3, 4).T,
    "backwards": lambda: np.linspace(0.2, 2.0, 12).reshape(4, 3)[::-1, ::-1],
    "three axes": lambda: np.linspace(0.2, 2.0, 24).reshape(4, 3, 2)[:, :, 0],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("f", [raveled, reshaped, made_contiguous])
def test_copies_have_the_layout_of_the_original(f, layout):
    def with_vjp(x):
        value, pullback = ad.vjp(f, x)
        return np.sum(pullback(1.0)[0] * W) + value

    def with_linearize(x):
        value, push = ad.linearize(f, x)
        return push(x * W) + value

    def moved(x, by):
        x += by  # in its own memory
        return x

    fresh = LAYOUTS[layout]
    along = np.cos(fresh())
    for g in (with_vjp, with_linearize):
        expected = (g(moved(fresh(), 1e-6 * along)) - g(moved(fresh(), -1e-6 * along))) / 2e-6
        value, slope = ad.jvp(g, (fresh(),), (along,))
        assert value == pytest.approx(g(fresh())) and slope == pytest.approx(expected, 1e-6)
        value, gradient = ad.value_and_grad(g)(fresh())
        assert value == pytest.approx(g(fresh())) and np.sum(gradient * along) == pytest.approx(expected, 1e-6)
    assert ad.linearize(f, fresh())[1](along) == ad.jvp(f, (fresh(),), (along,))[1]
