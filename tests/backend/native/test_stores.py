"""Arrays that kernels write into others: as NumPy writes them, where memory is shared too."""

import itertools

import numpy as np
import pytest

numba = pytest.importorskip("numba")
from numba.core import event  # noqa: E402

from adcompile.backend.native import stores  # noqa: E402
from adcompile.runtime.native import Fault  # noqa: E402
from tests.kernels import agree, agree_pulled  # noqa: E402

SHAPES = [(3,), (1,), (0,), (2, 3), (1, 3), (2, 1), (2, 0), (0, 3), (4, 2, 3), (1, 1, 3)]


@numba.njit
def put(to, items):
    stores.put(to, items)


def strided(a):
    """An array of the same values that does not lie in rows."""
    out = np.empty(tuple(2 * n for n in a.shape), a.dtype)[tuple(slice(None, None, 2) for _ in a.shape)]
    out[...] = a
    return out


@pytest.mark.parametrize("laid", [np.ascontiguousarray, strided])
@pytest.mark.parametrize("to, of", list(itertools.product(SHAPES, SHAPES)))
def test_shapes_are_stretched_as_numpy_stretches_them(to, of, laid):
    items = laid(1.0 + np.arange(np.prod(of)).reshape(of))
    wanted, found = np.zeros(to), laid(np.zeros(to))
    try:
        wanted[...] = items
    except ValueError:
        with pytest.raises(Fault):
            put(found, items)
    else:
        put(found, items)
    assert found.tolist() == wanted.tolist()


@pytest.mark.parametrize("to, of", [("f4", "f8"), ("f8", "f4"), ("f8", "i8"), ("c16", "f8"), ("b1", "b1")])
def test_numbers_become_what_the_array_holds(to, of):
    items, wanted = (np.arange(6.0) / 3.0).astype(of), np.zeros(6, to)
    found = wanted.copy()
    wanted[...] = items
    put(found, items)
    assert found.tolist() == wanted.tolist()


def test_what_lies_across_is_read_before_it_is_written():
    parts = [slice(a, a + n * step, step) for a, n, step in itertools.product(range(4), (1, 3, 4), (1, 2))]
    parts += [slice(9, 9 - n, -1) for n in (1, 3, 4)]
    base, tried = np.arange(12.0), 0
    for to, of in itertools.product(parts, parts):
        items = base[of]
        if items.shape not in (base[to].shape, (1,)):
            continue
        wanted, found = base.copy(), base.copy()
        wanted[to] = items.copy()
        put(found[to], found[of])
        assert found.tolist() == wanted.tolist(), (to, of)
        tried += 1
    assert tried > 150
    square = np.arange(9.0).reshape(3, 3)
    turned = square.T.copy()
    put(square, square.T)
    assert square.tolist() == turned.tolist()


class Compiled(event.Listener):
    """What Numba compiles."""

    def __init__(self):
        self.modules = []

    def on_start(self, event):
        self.modules.append(event.data["dispatcher"].py_func.__module__)

    def on_end(self, event):
        pass


def written(x, y):
    """Arrays written into rows, slices, whole arrays and stretched ones, in place and where a list says."""
    out, rows = np.zeros((3, 4)), np.zeros((3, 4))
    for k in range(3):
        out[k] = x[::-1] if k else y
        out[k, 1:3] += y[1:3]
        rows[k] = np.sort(out[k])
    out[:, 1:] = rows[:, :3]
    out[[0, 2]] += rows[1:]
    out[[1, 2]] = rows[:2]
    rows[...] = x
    rows *= out
    return np.sum(rows * out)


def test_kernels_bring_nothing_of_strings(tmp_path, monkeypatch):
    monkeypatch.setenv("ADCOMPILE_CACHE", str(tmp_path))
    listener = Compiled()
    with event.install_listener("numba:compile", listener):
        agree(written, np.array([0.3, 0.1, 0.7, 0.2]), np.array([1.0, 3.0, 2.0, 0.5]))
    assert any(m.startswith("_adcompile_written") for m in listener.modules)  # and what no test before has compiled
    assert [m for m in listener.modules if m == "numba.cpython.unicode"] == []


AT = np.array([0, 2])


def rows(a, b):
    for k in range(3):
        a[k] = b[k]
    return np.sum(a * a)


def slices(a, b):
    for k in range(3):
        a[1:3] = b[k]
        a[...] = a
    return np.sum(a * a)


def rows_added(a, b):
    for k in range(3):
        a[AT] += b[k]
    return np.sum(a * a)


def rows_that_are_kept(a, b):
    kept = []
    for k in range(3):
        kept.append(a[k].copy())
        a[k] = kept[0] * b[k]
    return np.sum(a * a)


def rows_of_a_view(a, b):
    v = a[1:]
    for k in range(3):
        v[k] = b[k]
        t = v[k]
        t *= b[k]
    return np.sum(a * a)


def elements(a, b):
    for k in range(3):
        for j in range(4):
            a[k, j] += b[k, j]
    return np.sum(a * a)


def beyond_the_end(a, b):
    for k in range(3):
        a[k] = b[k]
        if b[k, 0] > 5.0:
            a[7] = b[k]
    return np.sum(a * a)


PROGRAMS = [rows, slices, rows_added, rows_that_are_kept, rows_of_a_view, elements, beyond_the_end]


@pytest.mark.parametrize("f", PROGRAMS)
def test_what_is_not_to_be_written_is_not(f):
    a, b = np.arange(16.0).reshape(4, 4), np.full((4, 4), 0.5)
    b[2, 0] = 7.0
    wanted = IndexError if f is beyond_the_end else None
    assert agree(f, a, b) is wanted
    a.flags.writeable = False
    for value in (True, False):
        assert agree(f, a, b, value=value) is ValueError
    agree_pulled(f, a, b)
