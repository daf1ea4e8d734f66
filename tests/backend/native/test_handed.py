"""What loops keep goes from a forward kernel to the kernel of its pullback, as arrays."""

import numpy as np
import pytest

import adcompile as ad
from adcompile import pipeline
from adcompile.backend.native.regions import native_parts
from adcompile.backend.native.slots import with_lists
from tests.kernels import active, agree_pulled, cotangent, flat, pulled, same

X = np.linspace(0.2, 1.3, 6)


def rows(x):
    for k in range(3):
        x = np.sin(x) * x[::-1] + k
    return x


def triangle(x, n):
    out = np.zeros(n)
    for k in range(n):
        t = x[k % 3]
        for j in range(k):
            t = t * np.sin(t) + x[j % 3]
        out[k] = t * t
    return out


def newton(e, M):
    out = np.zeros(len(e))
    for i in range(len(e)):
        E = M[i]
        step = 1.0
        while abs(step) > 1e-10:
            step = (E - e[i] * np.sin(E) - M[i]) / (1.0 - e[i] * np.cos(E))
            E = E - step
        out[i] = E
    return out


def branches(x):
    s = 0.0
    y = np.zeros_like(x)
    for k in range(len(x)):
        if x[k] > 0.5:
            s = s + x[k] ** 3
        else:
            s = s * x[k] + np.exp(x[k])
        y[k] = s
    return y


def tables(a):
    for k in range(1, 3):
        a = np.tanh(a) * a * k
    return a


def in_place(x):
    x = x * 1.0
    for k in range(1, len(x)):
        x[k] = x[k - 1] * x[k] + 1.0
        x[0] -= 0.5 * x[k]
    return x


def left_early(x):
    total = x[0]
    for k in range(100):
        total = total * x[k % 6] + x[1]
        if total > 1.7:
            break
    return x * total


def nothing_kept(x, n):
    for _ in range(n):
        x = np.exp(-x) * x
    return x


CASES = {
    "rows": (rows, (X,)),
    "triangle": (triangle, (X, 5)),
    "newton": (newton, (X[:4] / 2, X[1:5])),
    "branches": (branches, (X,)),
    "tables": (tables, (np.linspace(0.1, 0.9, 6).reshape(2, 3),)),
    "in_place": (in_place, (X,)),
    "left_early": (left_early, (X,)),
    "nothing_kept": (nothing_kept, (X, 0)),
    "kept": (nothing_kept, (X, 3)),
    "singles": (rows, (X.astype(np.float32),)),
}


def kernels(f, args):
    """The kernels of a forward function and its pullback."""
    wrt, types = active(args)
    program = pipeline.derive(f, pipeline.Request("split", wrt, backend="numpy"), types).program
    parts = native_parts(program, "numba", True)
    assert not parts.notes, [str(n) for n in parts.notes]
    first, second = (next(k for r, k in parts.kernels.items() if (r.forward is None) is w) for w in (True, False))
    return first, second


@pytest.mark.parametrize("name", CASES)
def test_both_are_kernels(name):
    first, second = kernels(*CASES[name])
    assert first.hands and first.hands == second.takes


@pytest.mark.parametrize("name", CASES)
def test_as_on_numpy(name):
    pytest.importorskip("numba")
    f, args = CASES[name]
    value, pullback = ad.vjp(f, *args, backend="numba")
    wanted, plain = ad.vjp(f, *args)
    same(wanted, value, args)
    for scale in (1.0, -0.3):
        seed = (scale * np.cos(np.arange(value.size)).reshape(value.shape)).astype(value.dtype)
        same(list(plain(seed)), list(pullback(seed)), args)


@pytest.mark.parametrize("name", CASES)
def test_what_a_kernel_kept_is_what_numpy_keeps(name):
    pytest.importorskip("numba")
    f, args = CASES[name]
    _, slots = first_slots(f, args)
    value, pullback = ad.vjp(f, *args, backend="numba")
    _, plain = ad.vjp(f, *args)
    back = with_lists(pullback._kept, slots)
    assert [type(a) for a in back] == [type(b) for b in plain._kept]
    assert with_lists(plain._kept, slots)[0] is plain._kept[0]  # that has lists already
    found = plain._made.derived.pullback(back, np.ones_like(value))
    same(list(plain._made.derived.pullback(plain._kept, np.ones_like(value))), list(found), args)


def first_slots(f, args):
    first, _ = kernels(f, args)
    return first, first.hands


def test_a_pullback_of_what_numpy_kept_runs_there():
    pytest.importorskip("numba")
    value, pullback = ad.vjp(rows, X, backend="numba")
    _, plain = ad.vjp(rows, X)
    native = pullback._made.derived.pullback
    same(list(native(pullback._kept, np.ones(6))), list(native(plain._kept, np.ones(6))), (X,))


def written_after_it_was_kept(x):
    """The second write changes what the list of views shows, also what was kept of it before."""
    y = np.sin(x)
    out = np.zeros_like(x)
    for k in range(3):
        part = y[k : k + 2]
        out[k : k + 2] += part * part
        y[k + 1] = out[k]
    return out


def of_a_parameter(x, y):
    z = x * 0.0
    for k in range(3):
        z = z + x[k:][0] * y[:6] * x
        y[k] = 0.5
    return z


@pytest.mark.filterwarnings("ignore::adcompile.backend.native.notes.NativeWarning")
@pytest.mark.parametrize("f", [written_after_it_was_kept, of_a_parameter])
def test_memory_that_changes(f):
    pytest.importorskip("numba")
    args = (X,) if f is written_after_it_was_kept else (X, 2 * X)
    both = args if f is written_after_it_was_kept else (X, X)
    for given in (args, both):
        mine, its = [a.copy() for a in given], [a.copy() for a in given]
        if given is both and len(given) == 2:
            mine[1], its[1] = mine[0], its[0]
        value, pullback = ad.vjp(f, *mine, backend="numba")
        wanted, plain = ad.vjp(f, *its)
        same(wanted, value, args)
        for _ in range(2):
            same(list(plain(np.cos(X))), list(pullback(np.cos(X))), args)
        same(its, mine, args)


def squares(x, n):
    out = []
    for k in range(n):
        out.append(x[k] * x[k])
    return out


def with_a_list(x, n):
    out, s = [], x * 1.0
    for k in range(n):
        s = np.sin(s) * x[k]
        out.append(s)
    return s, out


def numbers_of_turns(x, n):
    return np.exp(x) * x, range(n)


@pytest.mark.filterwarnings("ignore::adcompile.backend.native.notes.NativeWarning")
@pytest.mark.parametrize("f", [squares, with_a_list, numbers_of_turns])
def test_lists_that_the_function_gives_stay_lists(f):
    pytest.importorskip("numba")
    value, _ = ad.vjp(f, X, 3, backend="numba")
    wanted, _ = ad.vjp(f, X, 3)
    assert shape_of(value) == shape_of(wanted)


def shape_of(value):
    return (type(value), [shape_of(v) for v in value]) if isinstance(value, (list, tuple)) else type(value)


def one_of_two(x, n):
    """Lists of two loops that are read by one name."""
    if n > 1:
        for k in range(n):
            x = np.sin(x) * x[k]
    else:
        for k in range(3):
            x = np.cos(x) * x[k]
    return x


@pytest.mark.filterwarnings("ignore::adcompile.backend.native.notes.NativeWarning")
def test_lists_of_two_branches():
    pytest.importorskip("numba")
    for n in (0, 1, 2, 4):
        value, pullback = ad.vjp(one_of_two, X, n, backend="numba")
        wanted, plain = ad.vjp(one_of_two, X, n)
        same(wanted, value, (X,))
        same(list(plain(np.cos(X))), list(pullback(np.cos(X))), (X,))


def view_and_copy(x, n):
    y = x * 1.0
    for k in range(n):
        y[k] *= x[k - 1]
    return y, y[::2].copy()


def tail(x, n):
    y = x * 1.0
    for k in range(n):
        y[k] *= x[k - 1]
    return y[1:]


def all_and_tail(x, n):
    y = x.copy()
    for k in range(n):
        y[k] *= x[k - 1]
    return y[1:], y


def written_through_a_view(x, n):
    y = x * 1.0
    odd = y[1::2]
    for k in range(n):
        odd[k] *= x[k - 1]
        y[k] += odd[k] * x[k]
    return y


def backwards(x, n):
    y = x * 2.0
    v = y[::-1]
    for k in range(n):
        y[k] *= v[k] + x[k]
    return np.sum(y * v)


def stencil(x, n):
    a = x * 1.0
    inner, left, right = a[1:-1], a[:-2], a[2:]
    for _ in range(n):
        inner += 0.1 * (left - right) * inner
    return np.sum(a * a)


def blocks(x, n):
    y = x * 1.0
    first, second = y[:2], y[2:]
    for k in range(n):
        first *= second[k]
        second += first * x[k]
    return y


def turned(x, n):
    y = np.outer(x, x)
    for k in range(n):
        y[k] *= x[k - 1]
    return y, y.T


SHARING = [view_and_copy, tail, all_and_tail, written_through_a_view, backwards, stencil, blocks, turned]


@pytest.mark.parametrize("f", SHARING, ids=lambda f: f.__name__)
def test_shadows_share_memory_as_their_arrays_do(f):
    x = np.array([1.0, 2.0, 3.0, 4.0])
    agree_pulled(f, x, 2)
    along = np.array([0.3, -0.2, 0.5, 0.7])
    (x_bar, *_), tangent = pulled(f, (x, 2), "numba"), flat([ad.jvp(lambda x: f(x, 2), (x,), (along,))[1]])
    y_bar = flat([cotangent(f(x.copy(), 2))])
    assert np.dot(x_bar, along) == pytest.approx(sum(np.sum(a * b) for a, b in zip(y_bar, tangent)))
