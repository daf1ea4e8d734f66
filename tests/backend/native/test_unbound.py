"""Names that some paths leave unbound: reading them is the function's own error."""

import numpy as np
import pytest

from adcompile.backend.native.unbound import absent, unbound
from tests.kernels import agree, kernels_of, on_numpy, outcome, parts_of, wholly
from tests.programs.optional_arrays import two_that_alternate
from tests.unbound_names import programs


def in_a_branch(x, n):
    if x > 0:
        y = x * 2
    s = 0.0
    for _ in range(n):
        s += x
    return s * y


def in_a_loop(x, n):
    for k in range(n):
        z = x * k
    return x * z * 0.5


def in_a_loop_with_an_array(a, n):
    for k in range(n):
        z = a * k
    return np.sum(a * z)


@pytest.mark.parametrize("n", [0, 3])
def test_reading_them_raises(n):
    agree(in_a_branch, 1.5, n)
    agree(in_a_branch, -1.5, n)
    assert outcome(in_a_branch, (-1.5, n), True, "numba")[0] is UnboundLocalError
    for f, x in ((in_a_loop, 0.5), (in_a_loop_with_an_array, np.array([0.5, 2.0]))):
        wrong, native = (outcome(f, (x, n), True, backend)[0] for backend in ("numpy", "numba"))
        assert wrong is native


def of_either(a, x):
    """What one branch binds is read in one branch only."""
    if x > 0:
        y = a * x
        s = np.sum(on_numpy(y))
    else:
        s = np.sum(on_numpy(a)) * x
    if x > 0:
        for k in range(len(a)):
            s += y[k] * a[k]
    return s


def test_regions_are_not_handed_what_is_not_there():
    for x in (0.5, -0.5):
        agree(of_either, np.array([0.5, 2.0, 1.0]), x)


def test_they_are_found():
    pytest.importorskip("numba")
    assert kernels_of(in_a_branch, 1.5, 3)[0] == 1
    (function,) = parts_of(in_a_branch, 1.5, 3).program.functions.values()
    assert {v.name for v in unbound(function)} == {"y"}


def chosen_between_regions(a, y):
    """What one path gives and the way back reads goes from one native part to another, which leave their kernels."""
    z = 0
    total = 0.0
    for k in (0.5, 1, -0.3):
        z *= np.tanh(a * k)
        s = 0.4 * np.sum(y[~(y > 0.35)])
        z *= 0.8 * (a[1] * s if s <= -0.35 else s)
        z = z + a * a
        total = total + np.sum(z)
    return total


def test_what_only_one_path_gives_is_not_handed_over():
    for y in ([0.2], [-1.5], [0.5, 0.5]):
        agree(chosen_between_regions, np.linspace(0.1, 0.9, 4), np.array(y))


def reset_to_none(x, n):
    """What a native part gives may be None."""
    buf, total = None, 0.0
    for i in range(n):
        if buf is None:
            buf = np.zeros(3)
        buf += x * (i + 1)
        if i % 2:
            total += np.sum(buf**2)
            buf = None
    return total + (np.prod(buf) if buf is not None else 0.0)


def none_behind_a_product(a, m):
    best, b = None, m @ a
    for k in range(3):
        best = b[k] if b[k] > 0.5 else None
    if best is None:
        return np.sum(m @ b)
    return best * np.sum(m @ b)


def test_none_stays_none():
    a, m = np.array([0.5, 1.5, -0.7]), np.arange(9.0).reshape(3, 3) / 9
    for n in range(4):
        agree(reset_to_none, a, n)
    for scale in (1.0, -1.0, 3.0):
        agree(none_behind_a_product, a * scale, m)


def test_absent():
    (function,) = parts_of(in_a_branch, 1.5, 3).program.functions.values()
    assert unbound(function) <= absent(function)


def best_of(x, y):
    best = None
    for k in range(len(x)):
        e = (x[k] - y[k]) ** 2
        if best is None or e < best:
            best = e
    return best


def above(v, limit):
    return v * v if v > limit else None


def some_alone(x, limit):
    total = x[0]
    for v in x:
        r = above(v, limit[0])
        if r is None:
            continue
        total += r * total
    return total


def test_nothing_yet():
    pytest.importorskip("numba")
    x, y = np.array([0.4, 1.5, -0.3]), np.array([1.0, 1.2, 0.1])
    for function in (best_of, some_alone):
        assert kernels_of(function, x, y) == (1, ())
        wholly(function, x, y)
        agree(function, x, x + 2.0)
    agree(best_of, x[:0], y)


def test_arrays_that_are_none_at_first():
    x = np.array([1.3, 0.7, 2.1])
    for n in (1, 2, 5):
        wholly(two_that_alternate, x, n)
    agree(two_that_alternate, x, 0)


BEHIND = {name: f for name, f in programs() if name.startswith("behind_a_loop")}


@pytest.mark.parametrize("name", BEHIND)
@pytest.mark.filterwarnings("ignore::adcompile.backend.native.notes.NativeWarning")
def test_where_some_path_binds_a_name_the_others_raise(name):
    pytest.importorskip("numba")
    x = np.array([0.3, 0.7, 1.1, 0.2])
    assert outcome(BEHIND[name], (x, 0), True, "numba")[0] is UnboundLocalError
    agree(BEHIND[name], x, 3)


def read_in_a_part_and_deleted(x, k):
    t = 0.0
    for _ in range(k + 1):
        if k == 2:
            t = t + np.sum(f * x[0])  # noqa: F821
        f = x
    else:
        if x[0] > 0.5:
            t = t + np.sum(f * x[1])
            if k == 0:
                f = x
            f = x
        elif x[0] > 0.5:
            t = t + np.sum(f * x[1])
    return t + np.sum(f * x[0])


def of_a_text(x, k):
    t = x[0]
    if k == 1:
        f = "text"
    if k:
        del f
    for i in range(k):
        t += x[i] * x[i]
    return t


@pytest.mark.parametrize("f", [read_in_a_part_and_deleted, of_a_text])
@pytest.mark.filterwarnings("ignore::adcompile.backend.native.notes.NativeWarning")
def test_parts_that_read_them_raise(f):
    pytest.importorskip("numba")
    x = np.array([0.3, 0.7, 1.1])
    agree(f, x, 1)
    assert outcome(f, (x, 2), True, "numba")[0] is UnboundLocalError
