"""`memory_budget`: the gradient of the plain loop, bit for bit, within the memory there is."""

import sys
import tracemalloc

import numpy as np
import pytest

import adcompile as ad
from adcompile.tangents import leaves
from tests.checks import active
from tests.programs import some
from tests.test_programs import FOLLOWED

P = np.array([0.7, 0.3])
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # those of the programs themselves


def rk4(y, p, h, n):
    def slope(y):
        return p[0] * y * (1.0 - y) - p[1] * np.sin(y)

    for _ in range(n):
        k1 = slope(y)
        k2 = slope(y + 0.5 * h * k1)
        k3 = slope(y + 0.5 * h * k2)
        k4 = slope(y + h * k3)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y


def diffused(u, steps):
    """Written in place, and left early."""
    u, v = u.copy(), np.zeros_like(u)
    for k in range(steps):
        v[1:-1] = u[1:-1] + 0.1 * (u[2:] * u[:-2] - u[1:-1])
        v[0], v[-1] = u[0], u[-1]
        u, v = v, u
        if k == 290:
            break
    return np.sum(u**2)


def growing(a, n):
    """Each step takes more than the one before; a loop within a loop; an argument that is written."""
    s = 0.0
    for i in range(n):
        row = np.exp(a[: i + 1] * 0.1)
        for j in range(i + 1):
            s = s + np.sin(row[j] * s) * 0.1
        a[i] *= 0.9 + 0.01 * s
    return s + np.sum(a * a)


def one_after_the_other(u, n):
    """The optimiser draws the constant factor of a row out of a product where rows are kept, and not where they are
    recorded: the last bit differs."""
    for _ in range(n):
        u = np.sin(u) * 1.01
    total = 0.0
    for row in np.outer(u, u):
        total = total * 0.5 + np.sum(row * row) * 1e-3 * np.cos(total)
    for k in range(n):
        u = u * np.cos(u + k)
    return np.sum(u) + total


CASES = {
    "rk4": (rk4, lambda: (0.3, P, 1e-3, 500), (10**7, 80_000, 10_000, 5_000)),
    "diffused": (diffused, lambda: (np.linspace(0.0, 1.0, 1000), 400), (10**8, 1_000_000, 200_000)),
    "growing": (growing, lambda: (np.linspace(0.5, 1.0, 40), 40), (10**7, 60_000, 20_000)),
    "in turn": (one_after_the_other, lambda: (np.linspace(0.5, 1.0, 500), 80), (10**8, 3_000_000, 300_000)),
}


def peak(function, args):
    tracemalloc.start()
    try:
        return function(*args), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def close(wanted, found):
    """The same but for the rounding of a product."""
    return all(np.allclose(x, y, rtol=1e-13, atol=0.0) for x, y in zip(leaves(wanted), leaves(found)))


def same(wanted, found):
    a, b = leaves(wanted), leaves(found)
    return len(a) == len(b) and all(np.array_equal(x, y, equal_nan=True) for x, y in zip(a, b))


@pytest.mark.parametrize("name", CASES)
def test_bit_for_bit_and_within_the_budget(name):
    function, args, budgets = CASES[name]
    wrt = tuple(i for i, a in enumerate(args()) if not isinstance(a, int))
    plain = ad.grad(function, argnums=wrt)
    wanted = plain(*args())
    few = args()[:-1] + (2,)
    alone = peak(plain, few)[1]  # what the function takes that keeps nothing to speak of
    for budget in budgets:
        gradient = ad.grad(function, argnums=wrt, memory_budget=budget)
        gradient(*args())  # what is remembered of schedules is there
        given = args()
        found, used = peak(gradient, given)
        assert same(wanted, found) or name == "in turn" and close(wanted, found), budget
        assert used <= budget + alone, budget
        for before, after in zip(args(), given):
            assert np.array_equal(before, after)


def test_more_memory_means_fewer_steps():
    made = {}

    def profile(gradient):
        calls = []
        sys.setprofile(lambda frame, event, _: calls.append(1) if frame.f_code.co_name == "step" else None)
        try:
            gradient(0.3, P, 1e-3, 600)
        finally:
            sys.setprofile(None)
        return len(calls) // 2

    for budget in (10**7, 100_000, 10_000, 4_000):
        gradient = ad.grad(rk4, memory_budget=budget)
        gradient(0.3, P, 1e-3, 3)
        made[budget] = profile(gradient)
    assert made[10**7] == 0 and made[100_000] <= 600
    assert list(made.values()) == sorted(made.values())


def test_programs():
    judged = 0
    for program in some(FOLLOWED, 60):
        value = program.function(*program.fresh())
        wrt = active(program.fresh())
        if not wrt or not isinstance(value, (float, np.floating)):
            continue
        wanted = ad.grad(program.function, argnums=wrt)(*program.fresh())
        for budget in (10**8, 5000):
            try:
                found = ad.grad(program.function, argnums=wrt, memory_budget=budget)(*program.fresh())
            except (ad.Unsupported, ad.NotDifferentiable) as error:
                assert error.place is not None and error.remedy
                continue
            judged += 1
            assert same(wanted, found), program.name
    assert judged > 16


def test_value_and_grad():
    given = (0.3, P, 1e-3, 100)
    assert ad.value_and_grad(rk4, memory_budget=10_000)(*given) == ad.value_and_grad(rk4)(*given)


def test_debug_mode_keeps_everything():
    with ad.config(debug=True):
        assert ad.grad(rk4, memory_budget=1)(0.3, P, 1e-3, 10) == ad.grad(rk4)(0.3, P, 1e-3, 10)


def until(x):
    while x < 10.0:
        x = x * 1.5
    return x


def listed(x):
    out = []
    for k in range(30):
        out.append(x * k)
    return sum(out)


def drawn(x):
    for _ in range(30):
        x = x * np.random.rand()
    return x


def counted(x):
    """Loops without derivatives may be of any kind."""
    n = 0
    while n < 20:
        n += 1
    for _ in range(n):
        x = np.sin(x)
    return x


@pytest.mark.parametrize("function", [until, listed, drawn])
def test_loops_that_cannot_run_again_are_refused(function):
    with pytest.raises(ad.Unsupported, match="memory_budget") as found:
        ad.grad(function, memory_budget=10**6)(0.3)
    assert found.value.place is not None and "leave memory_budget out" in found.value.remedy


def test_loops_without_derivatives():
    assert ad.grad(counted, memory_budget=10**4)(0.3) == ad.grad(counted)(0.3)


def ends_at(x, n, last):
    for k in range(n):
        x[0] = x[1] * 2.0
        if k == last:
            x[7] = 1.0
        x[1] = x[0] * x[2]
    return np.sum(x)


@pytest.mark.parametrize("last", [0, 1, 7])
@pytest.mark.parametrize("budget", [3500, 10**7])
def test_a_step_that_raises_leaves_what_the_function_leaves(last, budget):
    left, found = np.array([0.3, 0.7, 1.1]), np.array([0.3, 0.7, 1.1])
    with pytest.raises(IndexError):
        ends_at(left, 10, last)
    with pytest.raises(IndexError):
        ad.grad(ends_at, memory_budget=budget)(found, 10, last)
    assert np.array_equal(left, found)


def test_a_budget_that_is_too_small():
    with pytest.raises(ad.Unsupported, match="leaves 500 bytes to a loop that needs") as found:
        ad.grad(rk4, memory_budget=500)(0.3, P, 1e-3, 100)
    assert found.value.place is not None
    with pytest.raises(ValueError, match="number of bytes"):
        ad.grad(rk4, memory_budget=0)
    with pytest.raises(TypeError):
        ad.grad(rk4, memory_budget=1.5)


def test_it_shows():
    assert repr(ad.grad(rk4, memory_budget=500)) == "grad(rk4, memory_budget=500)"
    assert ad.grad(rk4, memory_budget=500) != ad.grad(rk4)


def test_inside_another_derivative():
    def inner(x):
        return ad.grad(counted, memory_budget=1000)(x)

    with pytest.raises(ad.Unsupported, match="memory_budget"):
        ad.grad(inner)(0.3)


def searched(x, y):
    """The loop of `all` has no adjoint, and ends at the first that is not so."""
    total = x * y
    return total if all(map(lambda v: v > 0.0, (x, y, 3.0))) else total * x


def left_early(x, y):
    total, found = x * y, True
    for k in range(3):
        if x * k < -0.5:
            found = False
            break
        found = x * k > -5.0
    return total * x if found else total * y


@pytest.mark.parametrize("f", [searched, left_early])
@pytest.mark.parametrize("x", [-0.6, 0.7])
def test_loops_without_adjoint_end_where_they_end(f, x):
    assert ad.grad(f, (0, 1), memory_budget=10**8)(x, 0.9) == ad.grad(f, (0, 1))(x, 0.9)
    ad.check_grads(f, (x, 0.9))
