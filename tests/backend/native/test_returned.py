"""Lists that regions give to what stands behind them."""

import warnings

import numpy as np
import pytest

import adcompile as ad
from adcompile.backend.native.returned import codes_of, item_of
from adcompile.backend.native.values import ArrayOf, Number, TupleOf
from adcompile.ir.types import ListT, Scalar, Seq
from tests.kernels import agree, on_numpy, parts_of, stays

A = np.array([0.5, 1.5, -0.7])
M = np.arange(9.0).reshape(3, 3) / 9


def kept_across_a_product(a, m):
    """The way back of the first loop stands behind a transform, which stays with NumPy."""
    y = a[0]
    for k in range(5):
        y = np.sin(y) * a[1] + k
    b = np.fft.fft(m @ a).real
    return np.sum(m @ b) * y


def kept_across_of_pythons_numbers(x, m):
    y = x
    for _ in range(4):
        y = y * y * 0.5 + x
    return y * np.sum(np.fft.fft(m).real ** 2)


def kept_in_loops_within(a, m):
    s = 0.0
    for k in range(3):
        t = a[k]
        for _ in range(k + 1):
            t = np.cos(t)
        s += t * t
    return s * np.sum(np.fft.fft(m @ a).real ** 2)


def kept_on_some_paths(a, m):
    y = a[0]
    for k in range(6):
        if a[k % 3] > 0:
            y = np.sin(y) * a[k % 3]
        else:
            y = y * y + a[1]
    return y * np.sum(m @ a)


def kept_pairs(a, m):
    """A list of tuples of the function's own."""
    pairs = [(k, v * v) for k, v in enumerate(a)]
    b = m @ a
    s = 0.0
    for k, v in pairs:
        s += v * b[k]
    return s


def of_both_classes(a, m):
    """Items are Python's numbers and NumPy's: which, a function not followed is told."""
    seen = [0.5]
    for v in a:
        seen.append(v * 2.0)
    return sum(x * k for k, x in enumerate(sorted(seen, key=lambda x: (type(x).__name__, x)))) * np.sum(m @ a)


def grown_twice(a, m):
    items = []
    for v in a:
        items.append(v * v)
    b = m @ a
    for v in b:
        items.append(v * items[0])
    return np.sum(m @ np.array(items[:3])) + items[-1]


def written_behind(a, m):
    items = [v * 2.0 for v in a]
    b = m @ a
    for k in range(3):
        items[k] = items[k] * b[k]
    return items[0] * items[1] + items[2]


def index_that_is_not_there(a, m):
    items = [v * 2.0 for v in a]
    b = m @ a
    s = 0.0
    for k in range(4):
        s += items[k] * b[0]
    return s


def large_integers(a, n):
    """Integers that are no floats exactly stay what they are."""
    counts = [n + k for k in range(3)]
    s = np.sum(on_numpy(a))
    for k in range(3):
        s += a[k] * (counts[k] % 7)
    return s


def items_of_a_list(xs):
    """The gradient is a list."""
    s = 0.0
    for k in range(len(xs)):
        s += xs[k] * xs[k]
    return s * float(np.sum(on_numpy(np.array(xs))))


@pytest.mark.parametrize(
    "function",
    [kept_across_a_product, kept_in_loops_within, kept_on_some_paths, kept_pairs, of_both_classes, grown_twice,
     written_behind, index_that_is_not_there],
)  # fmt: skip
def test_agree(function):
    stays(function, A, M)
    stays(function, A[::-1], M * 0.3)


def test_pythons_numbers():
    agree(kept_across_of_pythons_numbers, 0.3, M)
    agree(kept_across_of_pythons_numbers, 30.0, M)
    agree(kept_across_of_pythons_numbers, 1e200, M)  # which overflows in Python's own way


def test_integers():
    for n in (3, 2**53, 2**60 + 1):
        agree(large_integers, A, n)


def test_lists_as_gradients():
    agree(items_of_a_list, [0.5, 1.5, 2.0])
    agree(items_of_a_list, [0.1 * k for k in range(20)])


@pytest.mark.parametrize("function", [kept_across_a_product, kept_in_loops_within, kept_on_some_paths])
def test_all_loops_are_native(function):
    parts = parts_of(function, A, M)
    assert parts.kernels and not parts.notes, [str(n) for n in parts.notes]


def test_classes_of_items():
    parts = parts_of(kept_across_of_pythons_numbers, 0.3, M)
    assert any("tolist()" in k.exact for k in parts.kernels.values())
    parts = parts_of(kept_across_a_product, A, M)
    assert any("list(r" in k.exact for k in parts.kernels.values())


def test_results_are_not_lent():
    """What is returned stays as it is when the kernel runs again."""
    pytest.importorskip("numba")
    parts = parts_of(kept_across_a_product, A, M)
    assert all(not k.lent for k in parts.kernels.values() if "list(r" in k.exact)
    native = ad.grad(kept_across_a_product, argnums=(0, 1), backend="numba")
    first = native(A, M)
    for _ in range(3):
        native(A * 2.0, M)
    for a, b in zip(first, ad.grad(kept_across_a_product, argnums=(0, 1))(A, M)):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def lists_of_a_loop_around(a, rounds):
    """The loop around is none of a kernel, nor is the list handed over in each of its iterations."""
    items = [0.5 * k for k in range(30)]
    s = 0.0
    for k in range(rounds):
        s += on_numpy(a)[0]
        for j in range(3):
            s += a[j] * items[j + k]
    return s


def test_lists_are_not_handed_over_in_every_iteration():
    parts = parts_of(lists_of_a_loop_around, A, 3)
    assert any("in every iteration" in n.why for n in parts.notes), [str(n) for n in parts.notes]
    agree(lists_of_a_loop_around, A, 3)


def rows_on_some_paths(a, m):
    """None stands in a list of arrays."""
    rows = []
    for k in range(3):
        row = None
        if a[k] > 0:
            row = a * a[k]
        rows.append(row)
    b = on_numpy(m @ a)
    s = 0.0
    for row in rows:
        if row is None:
            s += b[0]
        else:
            s += np.sum(row * b)
    return s


def parts_on_some_paths(a, m):
    parts = []
    for k in range(3):
        part = None
        if a[k] > 0:
            part = range(k + 1)
        parts.append(part)
    b = on_numpy(m @ a)
    s = 0.0
    for part in parts:
        if part is None:
            s += b[0]
        else:
            for j in part:
                s += b[j] * a[j]
    return s


def list_on_some_paths(a, m):
    items = None
    if a[0] > 0:
        items = []
        for k in range(3):
            items.append(a[k] * 2.0)
    b = on_numpy(m @ a)
    if items is None:
        return np.sum(b)
    s = 0.0
    for k in range(3):
        s += items[k] * b[k]
    return s


@pytest.mark.parametrize("function", [rows_on_some_paths, parts_on_some_paths, list_on_some_paths])
def test_none_is_none_again(function):
    agree(function, A, M)
    agree(function, -A, M)


def known_elsewhere(a, m):
    """Lists that a tuple, a dict and another name have as well."""
    items = [a[0], a[1], a[2]]
    pair, table, other = (items, 1.0), {"items": items}, items
    for k in range(3):
        items[k] = items[k] * 2.0 + a[0]
    items.append(a[1])
    b = m @ a
    s = 0.0
    for k in range(4):
        s += pair[0][k] * b[k % 3] + table["items"][k]
        other[k] = s
    return s * items[3]


def written_and_left(xs, m):
    """What a list holds when an index is not there."""
    b = m @ m[0]
    s = 0.0
    for k in range(5):
        xs[k] = xs[k] * b[k % 3]
        s += xs[k]
    return s * np.sum(on_numpy(b))


def test_lists_that_others_have():
    agree(known_elsewhere, A, M)
    agree(written_and_left, [0.5, 1.5, 2.0], M)
    agree(written_and_left, [0.1 * k for k in range(8)], M)


def order_of_memory(a, m):
    """How an array lies in memory decides what others give."""
    turned = []
    for k in range(3):
        turned.append((m * a[k]).T)
    b = m @ a
    s = 0.0
    for k in range(3):
        s += np.sum(np.ravel(turned[k], order="K")[:3] * b)
    return s


def test_arrays_lie_in_memory_as_they_did():
    pytest.importorskip("numba")
    m = np.array([[0.1, 0.7, -0.2], [0.4, -0.5, 0.3], [0.6, 0.2, 0.9]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted, found = (ad.jvp(order_of_memory, (A, m), (A * 0.3, m * m), backend=b) for b in ("numpy", "numba"))
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_types():
    numbers = Scalar(frozenset({float}))
    assert item_of(Seq(numbers, list)) == numbers
    assert item_of(ListT((numbers, Scalar(frozenset({np.float64}))))) == Scalar(frozenset({float, np.float64}))
    assert item_of(ListT(())) is None
    assert codes_of(TupleOf((Number("f8"), Number("i8")))) == ("f8", "i8")
    assert codes_of(TupleOf((Number("f8"), ArrayOf("f8", 1)))) == codes_of(Number("f8")) == ()
