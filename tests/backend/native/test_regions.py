"""What is native of a function that is not native as a whole."""

import numpy as np
import pytest

import adcompile as ad
from adcompile.backend.native.notes import NativeWarning
from tests.kernels import agree, kernels_of, on_numpy, parts_of, wholly
from tests.programs import collect


def with_a_product(a, m):
    b = m @ a
    for i in range(len(b)):
        b[i] += 0.5 * b[i - 1]
    return np.sum(m @ b)


def with_an_fft(a):
    s = 0.5
    for _ in range(3):
        s += on_numpy(a * s)[0]
    return s


def straight(a):
    return np.sum(np.exp(a) * a)


A = np.array([0.5, 1.5, -0.7])
M = np.arange(9.0).reshape(3, 3) / 9


def test_matrix_products_stay_with_numpy():
    parts = parts_of(with_a_product, A, M)
    assert parts.kernels and all("@" not in k.source for k in parts.kernels.values())
    agree(with_a_product, A, M)


def test_arithmetic_of_arrays_is_not_worth_it_unless_asked_for():
    assert not parts_of(straight, A, backend="auto").kernels
    assert parts_of(straight, A, backend="numba").kernels
    assert not parts_of(straight, A, backend="numpy").kernels


def test_what_is_not_native_is_told():
    pytest.importorskip("numba")
    with pytest.warns(NativeWarning, match=r"a loop of with_an_fft_grad\(\) \(.*test_regions.py:\d+.*runs on NumPy"):
        ad.grad(with_an_fft, backend="numba")(A)
    count, notes = kernels_of(with_an_fft, A)
    assert notes and all(n.place is not None for n in notes)
    agree(with_an_fft, A)


def test_auto_says_nothing(recwarn):
    pytest.importorskip("numba")
    np.testing.assert_array_equal(ad.grad(with_an_fft, backend="auto")(A), ad.grad(with_an_fft)(A))
    assert not [w for w in recwarn if issubclass(w.category, NativeWarning)]


def until_it_rests(m, b):
    x = np.zeros(len(b))
    for _ in range(40):
        new = np.tanh(np.einsum("ij,j->i", m, x) + b)
        if np.max(np.abs(new - x)) < 1e-12:
            x = new
            break
        x = new
    return np.sum(x)


def test_what_leaves_a_loop_stays_in_it():
    agree(until_it_rests, M * 0.2, A)
    kernels = parts_of(until_it_rests, M, A).kernels.values()
    assert any("vm_tanh_f8" in k.source and "break" not in k.source for k in kernels)


SCALE = np.array([2.0, 3.0, 4.0])


def with_a_global(a):
    return np.sum(np.exp(a * SCALE) / SCALE)


def test_globals_are_read_in_front(monkeypatch):
    agree(with_a_global, A)
    assert kernels_of(with_a_global, A)[0] == 1
    g = ad.grad(with_a_global, backend="numba")
    before = g(A)
    monkeypatch.setitem(globals(), "SCALE", np.array([1.0, 1.0, 1.0]))
    np.testing.assert_allclose(g(A), np.exp(A), rtol=1e-12)
    assert not np.allclose(before, np.exp(A))


@pytest.mark.parametrize("program", collect("inplace_by_name"), ids=lambda p: p.name)
def test_arrays_changed_by_name(program):
    wholly(program.function, *program.args)


def begun_and_handed_out(x):
    """An empty list that is part of the result, of which a region asks how long it is."""
    found = False
    for i in range(len(x)):
        if x[i] > 0.4:
            found = 1
    rest = []
    return x[0] * found + np.sum(x) + len(rest) * x[0], (found, rest)


def test_a_list_that_is_handed_out_begins_outside():
    pytest.importorskip("numba")
    x = np.array([0.3, 0.5, 0.7])
    with pytest.warns(NativeWarning):
        (value, rest), gradient = ad.value_and_grad(begun_and_handed_out, has_aux=True, backend="numba")(x)
    assert (value, rest) == begun_and_handed_out(x)
    np.testing.assert_allclose(gradient, [2.0, 1.0, 1.0])


def test_arrays_that_no_kernel_can_take_stay_on_numpy():
    """Bytes in another order, half and extended precision."""
    pytest.importorskip("numba")

    def scaled(x, w):
        x = x * 1.0
        for i in range(len(x)):
            x[i] = x[i] * w[i]
        return x[0] * x[-1]

    for dtype in (">f8", "float16", "longdouble"):
        with pytest.warns(NativeWarning, match="runs on NumPy"):
            got = ad.grad(scaled, (0, 1), backend="numba")(np.ones(3), np.array([2.0, 3.0, 4.0], dtype))
        assert [g.tolist() for g in got] == [[8.0, 0.0, 8.0], [4.0, 0.0, 2.0]] and got[1].dtype.kind == "f"
