"""Whole functions: stencils and chains, random slices, broadcasts and overlaps, and what is not lowered."""

import linecache

import numpy as np
import pytest

from adcompile.nests.elementwise import FUNCTIONS
from adcompile.runtime.loops import Leave
from tests.nests.lowered import both

RNG = np.random.default_rng(5)


def random(*shape):
    return RNG.random(shape) + 0.5


def jacobi(steps, a, b):
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])
    return np.sum(a * a)


def waves(steps, ex, ey, hz, source):
    for t in range(steps):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return np.sum(hz * hz)


def upwind(u, steps, c):
    for _ in range(steps):
        flux = 0.5 * u * u
        u[1:-1] = u[1:-1] - c * np.where(u[1:-1] > 0.9, flux[1:-1] - flux[:-2], flux[2:] - flux[1:-1])
    return np.sum(u * u)


def softmax(x, w):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return np.sum(w * (e / np.sum(e, axis=-1, keepdims=True)))


def test_stencils_and_chains():
    for args in ((3, random(6, 7), random(6, 7)), (2, random(2, 5), random(2, 5)), (2, random(3, 3), random(3, 3))):
        made = both(jacobi, *args)
        assert made.agree(*args)
        code = [line for line in made.text.splitlines() if not line.strip().startswith("#")]
        assert not any(":-1" in line for line in code), "no slice is left"
    args = (3, *(random(5, 6) for _ in range(3)), random(3))
    assert both(waves, *args).agree(*args)
    assert both(upwind, random(8), 4, 0.1).agree(random(8), 4, 0.1)
    assert both(softmax, random(2, 3, 4), random(2, 3, 4)).agree(random(2, 3, 4), random(2, 3, 4))


def test_arguments_for_which_it_was_not_made():
    a = random(6, 7)
    made = both(jacobi, 2, a, a.copy())
    assert not made.agree(2, a, random(3, 3)), "lengths differ: NumPy raises, or broadcasts"
    shared = random(7, 7)
    with pytest.raises(Leave):
        made.looped(2, shared[:6], shared[1:])  # memory overlaps


def in_float32(x, y):
    a = x * 2.0 + y
    b = np.sqrt(a) / 3 - np.float32(0.1) * a
    return np.sum(b * b)


def test_dtypes_stay():
    x, y = random(5).astype(np.float32), random(5).astype(np.float32)
    made = both(in_float32, x, y)
    value, wanted = made.looped(x, y), made.plain(x, y)
    assert all(g.dtype == np.float32 for g in value)
    np.testing.assert_allclose(value[0], wanted[0], rtol=1e-6)


def values(x, y):
    z = (x * 2.5 + y) / (1.0 + y * y)
    return z - x**2 * abs(y)


def test_elementwise_values_have_the_same_bits():
    for dtype in (np.float64, np.float32):
        x, y = random(50).astype(dtype), random(50).astype(dtype)
        made = both(values, x, y, kind="primal")
        assert made.changed
        np.testing.assert_array_equal(made.looped(x, y), made.plain(x, y))


CUTS = [
    slice(None), slice(1, None), slice(None, -1), slice(1, -1), slice(2, None), slice(None, -2), slice(-3, None),
    slice(None, None, 2), slice(1, None, 2), slice(None, None, -1), slice(0, 4), slice(3, 1),
]  # fmt: skip


def test_overlapping_writes_at_random_slices():
    """Reading comes before writing, whatever of the array is written."""
    rng = np.random.default_rng(11)
    lengths = {}
    for cut in CUTS:
        lengths.setdefault(len(range(7)[cut]), []).append(cut)
    alike = [cuts for cuts in lengths.values() if len(cuts) > 1]
    ran = 0
    for _ in range(12):
        cuts = alike[rng.integers(len(alike))]
        p, q, r = (cuts[k] for k in rng.integers(len(cuts), size=3))
        source = TEMPLATE.format(p=text(p), q=text(q), r=text(r))
        f = defined(source)
        args = random(7), random(7)
        ran += both(f, *args).agree(*args)
    assert ran == 12


TEMPLATE = """
def f(x, y):
    a = x * 1.0
    b = a * y + 0.5
    a[{p}] = 0.5 * b[{q}] + a[{r}]
    a[{q}] += a[{p}] * b[{r}]
    b[{r}] = a[{p}] - b[{q}] * a[{r}]
    return np.sum(a * b) + np.sum(a[{p}] * x[{q}])
"""


def text(cut):
    return ":".join("" if part is None else str(part) for part in (cut.start, cut.stop, cut.step))


_count = iter(range(10**6))


def defined(source):
    """A function whose source can be found."""
    name = f"<nests test {next(_count)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    namespace = {"np": np, "__name__": "nests_test"}
    exec(compile(source, name, "exec"), namespace)
    return namespace["f"]


def broadcast(x, row, column, number):
    a = x * row + column
    b = a / (1.0 + row * row) - number * column
    return np.sum(b * a) + np.sum(row * column)


@pytest.mark.parametrize("shape", [(3, 4), (1, 4), (3, 1), (0, 4), (1, 1)])
def test_broadcasts(shape):
    n, m = shape
    args = random(n, m), random(m), random(n, 1), 1.5
    made = both(broadcast, *args)
    assert made.agree(*args)
    if 1 not in shape:  # lengths of one are of another type
        assert made.agree(random(5, 6), random(6), random(5, 1), 0.5)
        assert not made.agree(random(1, 6), random(1), random(5, 1), 0.5), "broadcasts where that was not foreseen"


def swapped(x, steps):
    u, v = x.copy(), np.zeros_like(x)
    for _ in range(steps):
        v[1:-1] = 0.25 * u[:-2] + 0.5 * u[1:-1] * u[1:-1] + 0.25 * u[2:]
        u, v = v, u
    return np.sum(u**2)


def test_buffers_that_swap():
    assert both(swapped, random(9), 4).agree(random(9), 4)


def segments(x, w, n):
    g = w * np.sum(x)
    for _ in range(3):
        x = np.tanh(g[:n]) * g[n : 2 * n] + x * g[2 * n : 3 * n] - g[3 * n :]
    return np.sum(x)


def test_parts_that_lie_one_behind_the_other():
    made = both(segments, random(4), random(16), 4)
    for n in (1, 3, 4):
        assert made.agree(random(n) if n > 1 else random(4)[:1], random(4 * n), n) or n == 1
    for n, size in ((4, 15), (4, 17), (-2, 16), (0, 8)):
        made.agree(random(4), random(size), n)


def empty_parts(x, y, a, b, c, m):
    g = x * 1.0
    s = 0.0
    for _ in range(2):
        u, w = g[a:b] * y, g[a:c] * y
        s = s + np.sum(u) + np.sum(w)
        g[b : b + m] = np.sin(g[c : c + m]) * 2.0
        g[c : c + m] += np.cos(g[b : b + m])
    return s + np.sum(g * g)


def test_parts_that_end_before_they_begin():
    made = both(empty_parts, random(9), random(9)[:0], 6, 2, 1, 4)
    assert made.agree(random(9), np.zeros(0), 6, 2, 1, 4)
    assert made.agree(random(9), random(2), 1, 3, 3, 4)


def views_in_turns(x, n):
    g = h = x
    z = h[:]
    for _ in range(2):
        s = g[:n] * z[n : 2 * n]
        for _ in range(len(x) // 4):
            g[: 2 * n : 2] += z[:n]
            g, h = h, g
            g[2 : 2 + n] *= z[n : 2 * n]
    return np.sum(s)


def test_what_is_known_in_an_inner_loop_stays_there():
    for kind in ("joint", "split"):
        both(views_in_turns, random(8), 2, kind=kind).agree(random(8), 2)


def in_a_tuple(x, y):
    s, a, b = 0.0, x * 1.0, y * 1.0
    for i in range(3):
        both_ = (a, b)
        a[:] = x * 2.0 + i
        b[1:] = b[:-1] * 0.5 + x[1:]
        s = s + np.sum(np.concatenate(both_) ** 2)
    return s


def test_arrays_in_a_tuple_are_read_behind_what_writes_them():
    assert both(in_a_tuple, random(5), random(5)).agree(random(5), random(5))


def squared_in_place(x):
    s = 0.0
    for i in range(3):
        t = np.asarray(x[0] + i)[None]
        t *= t
        t += x[1] * t
        s = s + np.sum(t) * x[2]
    return s


def test_what_is_read_in_front_of_a_loop_is_read_again_behind_a_store():
    assert both(squared_in_place, random(3)).agree(random(3))


def added_twice(a, b):
    a += 0.5
    return np.sum(a) + np.sum(b) + np.sum(a * 2.0)


def test_adjoints_that_are_one_array():
    a = random(4)
    made = both(added_twice, a, a)
    assert made.agree(random(4), random(4))
    for run in (made.plain, made.looped):
        x = a.copy()
        np.testing.assert_allclose(run(x, x), ([4.0] * 4,) * 2)


def of_a_larger_one(a, b):
    z = 1.0 - a * 2.0
    z += b
    return np.sum(z * a)


def test_what_does_not_fit_in_place():
    made = both(of_a_larger_one, random(4), random(4))
    assert made.agree(random(4), random(4)) and not made.agree(random(4), random(5))
    made = both(of_a_larger_one, random(4), random(2, 4))
    assert made is None or not made.agree(random(4), random(2, 4))


def single(x):
    return np.sum(np.sin(x))


def test_single_statements_stay():
    made = both(single, random(5))
    assert not made.changed


erf = pytest.importorskip("scipy.special").erf


def options(s, k, t):
    d = (np.log(s / k) + 0.03 * t) / np.sqrt(t)
    return np.sum(s * erf(d) - k * np.exp(-0.03 * t) * d**3)


def test_the_backend_says_which_functions_stand_in_loops():
    args = random(5), random(5), random(5)
    some = both(options, *args)
    assert "np.exp(" in some.text and some.agree(*args)
    every = both(options, *args, functions=FUNCTIONS | {erf})
    assert every.text.count("for i in") == 1 and every.agree(*args), "with erf the whole gradient is one loop"
    none = both(options, *args, functions=frozenset())
    assert "np.log(s / k)" in none.text and none.agree(*args)
