"""Lists that functions make, in kernels."""

import numpy as np
import pytest

from tests.kernels import (
    agree,
    agree_pulled,
    agree_pushed,
    by_differences,
    kernels_of,
    on_numpy,
    outcome,
    parts_of,
    stays,
    wholly,
)
from tests.programs.lists_left_behind import rotated_after_reading
from tests.programs.lists_turning_active import counted_then_set, sums_of_sums, zeros_filled

A = np.array([0.5, 1.5, -0.7, 2.0])


def squares(a):
    items = [v * v for v in a]
    return sum(items) + items[0] * items[-1] * len(items)


def begun(a, x):
    ys = [x, 1.0]
    for v in a:
        ys.append(ys[-1] * v + ys[-2])
    return ys[-1] + sum(y * y for y in ys)


def as_an_array(a, x):
    parts = []
    for k in range(len(a)):
        if a[k] > 0:
            parts.append(a[k] * x)
    return np.sum(np.array(parts) ** 2)


def a_stack(a):
    stack = [a[0]]
    for v in a[1:]:
        stack.append(v * v)
    s = 0.0
    while stack:
        s = s * 0.5 + stack.pop()
    return s


def buffers(x):
    bufs = [x.copy(), np.zeros(len(x))]
    for t in range(5):
        src, dst = bufs[t % 2], bufs[(t + 1) % 2]
        dst[1:-1] = src[:-2] * src[2:]
        dst[0] = src[0]
        dst[-1] = src[-1] + dst[0]
    return np.sum(bufs[1] ** 2) + np.sum(bufs[0])


def written_once(x):
    t = x * 2.0
    held = [t, x]
    for k in range(2):
        held[k][1] = 5.0 * x[0]
    return np.sum(t * t)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (squares, (A,)),
        (begun, (A, 0.5)),
        (as_an_array, (A, 0.5)),
        (as_an_array, (-np.abs(A), 0.5)),
        (a_stack, (np.abs(A),)),
        (buffers, (A,)),
        (written_once, (A,)),
    ],
)
def test_both_backends_agree(function, args):
    agree(function, *args)
    assert kernels_of(function, *args) == (1, ())


def test_what_raises_raises():
    agree(squares, A[:0])
    assert outcome(squares, (A[:0],), True, "numba")[0] is IndexError


def of_kinds(a, x):
    kinds = [1, x, a[0]]
    s = 0.0
    for k in range(3):
        s += kinds[k] * x
    return s


def test_kinds_of_numbers():
    agree(of_kinds, A, 0.5)
    agree(of_kinds, A, 2.5)


def pairs(a, m):
    """Cotangents of tuples in a list, some of whose items have none."""
    items = [(k, v * v, v) for k, v in enumerate(a)]
    s = 0.0
    for k, v, w in items:
        s += v * k + w
    return s * items[1][1] * np.sum(m @ a)


def cells(a):
    """Tuples as indices."""
    places = [(i, j) for i in range(len(a)) for j in range(i)]
    s = np.sum(on_numpy(a[0]))
    for p in places:
        s += a[p] * a[p[1], p[0]]
    return s


def cells_that_are_not_there(a):
    places = [(i, j + 2) for i in range(len(a)) for j in range(3)]
    s = 0.0
    for p in places:
        s += a[p] * 2.0
    return s


def test_tuples():
    m = np.arange(16.0).reshape(4, 4) / 9
    agree(pairs, A, m)
    agree(cells, m)
    agree(cells_that_are_not_there, m)
    for f, args in ((pairs, (A, m)), (cells, (m,))):
        parts = parts_of(f, *args)
        assert parts.kernels and not parts.notes, [str(n) for n in parts.notes]


def tree(spot, up, steps):
    down = 1.0 / up
    p = (1.001 - down) / (up - down)
    values = [max(spot * up**j * down ** (steps - j) - 1.0, 0.0) for j in range(steps + 1)]
    for _ in range(steps):
        values = [(p * b + (1.0 - p) * a) / 1.001 for a, b in zip(values, values[1:])]  # noqa: RUF007
    return values[0]


def differences(x):
    v = [x[i] * 1.0 for i in range(len(x))]
    out = 0.0
    while len(v) > 1:
        v = [b - a * b for a, b in zip(v[:-1], v[1:])]  # noqa: RUF007
        out += v[0] * v[-1] + sum(v[::2])
    return out


def test_parts_of_lists():
    wholly(tree, 1.1, 1.07, 5)
    stays(tree, 1.1, 1.07, 0)
    wholly(differences, np.linspace(0.3, 1.2, 7))


def worked_off(x, n):
    """Arrays that are taken from the front of a list, which grows at its end."""
    stack, total = [x], 0.0
    while n and stack:
        v = stack.pop(0)
        n -= 1
        total = total + np.sum(v * v)
        stack += [v * 0.5, np.sin(v)]
    return total


def tails(x, n):
    rows = [x * k for k in range(n)]
    a, b = rows[1:], rows[:-1]
    a.append(x)
    return sum(np.sum(r * r) for r in a) * len(b) + (np.sum(b[0] * b[-1]) if b else 0.0)


def either_or(x, n):
    rows = [x * i for i in range(n)]
    total = np.sum(x * x)
    if not (rows and n > 1):
        total = total * 2.0
    else:
        rows.append(x)
    return total + (np.sum(rows[0] * x) if rows and rows[-1][0] > 0.0 else x[1])


def nested(x, n):
    rows = [[v * i for v in x] for i in range(n)]
    found = any(row and row[0] > 1.0 for row in rows)
    return sum(x) * 2.0 if found and all(row or n for row in rows) else x[0] * x[1]


def test_lists_of_arrays_and_parts_of_them():
    x = np.array([1.3, 0.7, 2.1])
    for n in (0, 1, 5):
        wholly(worked_off, x, n)
    for n in (1, 2, 4):
        wholly(tails, x, n)
    by_differences(worked_off, x, 5)
    by_differences(tails, x, 4)


def test_whether_lists_hold_anything():
    x = np.array([1.3, 0.7, 2.1])
    for n in (0, 1, 3):
        wholly(either_or, x, n)
        stays(nested, x, n)
    wholly(nested, x, 3)
    by_differences(nested, x, 3)


def test_cotangents_of_tuples_of_numbers_and_integers():
    wholly(rotated_after_reading, np.array([0.9, 0.7, 1.3, 0.2]), 0.8)
    by_differences(rotated_after_reading, np.array([0.9, 0.7, 1.3, 0.2]), 0.8)
    agree(rotated_after_reading, np.array([0.9]), 0.8)


def states(x, n):
    """Euler's method, which keeps all states in tuples."""
    xs, ts = (x,), ()
    for k in range(n):
        ts += (k * 0.1,)
        xs = xs + (xs[-1] + 0.1 * np.sin(xs[-1]) * ts[-1],)
    s = 0.0
    for y in reversed(xs[1:]):
        s = s * y + y * y
    return s * len(xs) + xs[0]


def states_stacked(x, n):
    history = ()
    for k in range(n):
        x = np.sin(x) * (k + 1)
        history = history + (x,)
    return np.sum(np.stack(history) ** 2)


def written_after_joining(x, n):
    history = (x,)
    for k in range(n):
        y = x * k
        history = history + (y, x)
        y[0] = 3.0
    return np.sum(history[-2] * history[1]) + np.sum(history[n])


def unpacked_into(x, n):
    history = [x]
    for _ in range(n):
        history = [*history, history[-1] * x]
    return history[-1] + history[n // 2]


def begun_anew(x, n):
    t = (x, 2.0)
    for i in range(n):
        t = t + (x * i,) if i > 1 else (x,)
    total = 0.0  # Python's sum of floats is another one from 3.12 on, which no kernel has of a tuple of any length
    for v in t:
        total += v
    return total * len(t)


def not_there(x, n):
    t = ()
    for i in range(n):
        t = t + (x * i,)
    return t[n] + t[0]


def tuple_as_a_result(x, n):
    t = ()
    for i in range(n):
        t = t + (x * i,)
    return t


@pytest.mark.parametrize("f", [states, unpacked_into, begun_anew])
def test_tuples_of_numbers_that_grow(f):
    for n in (1, 5):
        wholly(f, 0.7, n)
        by_differences(f, 0.7, n)
    agree_pulled(f, 0.7, 4)
    agree_pushed(f, 0.7, 4)


@pytest.mark.parametrize("f", [states_stacked, written_after_joining])
def test_tuples_of_arrays_that_grow(f):
    wholly(f, A, 3)
    by_differences(f, A, 3)
    agree_pulled(f, A, 3)


def test_tuples_that_hold_nothing():
    assert agree(not_there, 0.7, 3) is IndexError
    assert agree(states_stacked, A, 0) is ValueError
    for n in (0, 3):
        agree_pulled(tuple_as_a_result, 0.7, n)
        agree_pushed(tuple_as_a_result, 0.7, n)


TURNED = np.array([0.3, -0.7, 1.2, 0.5])


def extended_and_reversed(x):
    items = [i for i in range(len(x))]
    items.extend(x)
    items += [3, 4]
    items.reverse()
    return sum(v**2 for v in items) * items[2]


def numbered_first(x):
    """The integers are read as such in between."""
    items, s = [2 * i for i in range(len(x))], 0.0
    for i in range(len(x)):
        s += x[items[i] // 2] * items[i]
    items[0] = x[0]
    return s * items[0] + items[-1]


@pytest.mark.parametrize("f", [sums_of_sums, counted_then_set, zeros_filled, extended_and_reversed, numbered_first])
def test_integers_that_become_floats(f):
    wholly(f, TURNED)
    by_differences(f, TURNED)
    agree_pulled(f, TURNED)
    agree_pushed(f, TURNED)


def large_ones(x, n):
    items = [n + i for i in range(len(x))]
    for i in range(len(x)):
        items[i] = items[i] * 3
    items[1] = x[0]
    return items[0] % 7 * x[1] + items[1]


def test_integers_that_are_no_floats():
    wholly(large_ones, TURNED, 5)
    for n in (2**39, 2**53 + 1, 2**61, 2**70):
        agree(large_ones, TURNED, n)


def divided(x):
    items, s = [0] * len(x), 0.0
    for i in range(len(x)):
        s += float(x[i]) / items[i - 1]
        items[i] = x[i]
    return s


def test_a_zero_that_is_an_integer_raises():
    assert agree(divided, TURNED) is ZeroDivisionError
    assert agree(zeros_filled, TURNED[:1]) is IndexError


def bools_then_numbers(x):
    items, s = [True], 0.0
    for k in range(2):
        items.append(x[k])
        s += items[-1] * x[0]
    return s


def bools_overwritten(x):
    items, s = [v > 0 for v in x], 0.0
    for i in range(len(x)):
        items[i] = x[i] * 2.0
        s += items[i] * x[0]
    return s


def single_then_double(x):
    items, s = [np.float32(0.1), np.float32(0.2)], 0.0
    for i in range(2):
        items[i] = x[i]
        s += items[0] * x[i]
    return s


@pytest.mark.parametrize("f", [bools_then_numbers, bools_overwritten, single_then_double])
def test_items_that_would_not_be_what_they_are(f):
    agree(f, A)
    agree_pushed(f, A)


def chosen_by_a_test(x):
    s = 0.0
    for i in range(len(x)):
        s += [x[0] * x[1], x[1]][x[i] > 0.5] * x[i]
    return s


def put_by_a_test(x):
    items, s = [1.0, 2.0], 0.0
    for i in range(len(x)):
        items[x[i] > 0.5] = x[i]
        s += items[0]
    return s


def chosen_by_python(x):
    s = 0.0
    for i in range(len(x)):
        s += [x[0] * x[1], x[1]][i > 0] * x[i]
    return s


def test_a_truth_value_of_numpy_is_no_index_of_a_list():
    assert agree(chosen_by_a_test, A) is TypeError and agree(put_by_a_test, A) is TypeError
    assert agree(chosen_by_python, A) is None
