"""Writes in place: followed where no derivative can notice, else refused with a place and a remedy."""

import bisect
import heapq

import numpy as np
import pytest

import adcompile as ad
from tests.checks import bits
from tests.compiled import check, same_value


def inert_write(x, n):
    table = np.zeros(n)
    for i in range(n):
        table[i] = i * 0.5
    return x * table.sum()


def local_list(x):
    out = [x, 2.0]
    out[1] = x * x
    out.append(3.0 * x)
    return out[0] * out[1] + out[2]


def overwritten_after_use(x, a):
    b = a * x
    y = np.sum(b * b)
    b[0] = x
    return y + b[0]


def into_an_argument(a, v):
    a[0] = v
    return np.sum(a * a)


def test_inert_writes_run_as_written():
    check(inert_write, 0.5, 4)


def test_local_lists_are_values():
    check(local_list, 0.5, order=2)


@pytest.mark.parametrize(
    ("f", "args"), [(overwritten_after_use, (0.5, np.ones(3))), (into_an_argument, (np.ones(3), 0.5))]
)
def test_active_writes_are_right_or_refused(f, args):
    """Never a silently wrong gradient."""
    for mode in ("fwd", "rev"):
        try:
            ad.check_grads(f, args, order=1, modes=(mode,))
        except ad.AdcompileError as error:
            assert error.place is not None
            assert error.remedy


def test_arguments_stay_when_nothing_is_written():
    a = np.arange(3.0)
    before = bits(a)

    def f(a):
        b = a.copy()
        b[1] = 7.0
        return b

    same_value(f, a)
    assert bits(a) == before


def log_to(items, value):
    items.append(value)


LOG = []
BUFFER = np.zeros(3)


class Store:
    k = 0.0


STORE = Store()


def appended_to_global(x):
    LOG.append(x[0] * x[1])
    return LOG[-1] * x[2]


def written_to_global(x):
    BUFFER[:] = x * 2
    return np.sum(BUFFER**2)


def set_on_object(x):
    STORE.k = x[0] * x[1]
    return STORE.k * x[2]


def appended_to_default(x, acc=[]):  # noqa: B006
    log_to(acc, x[0] * x[1])
    return acc[-1] * x[2]


def shuffled(x):
    y = x * 2
    np.random.default_rng(0).shuffle(y)
    return y[0] * 3 + y[1]


def positional_out(x):
    y = x * 2
    np.add(y, y, y)
    return np.sum(y**2)


def positional_out_of_scan(x):
    y = np.zeros(3)
    np.cumsum(x, None, None, y)
    return np.sum(y * y)


def positional_out_of_method(x):
    y = np.zeros(3)
    x.clip(0, 1, y)
    return np.sum(y * y)


def put_by_name(x):
    y = np.zeros(3)
    np.put(y, [0, 1], x[:2] ** 2)
    return np.sum(y)


def list_made_by_setdefault(x):
    groups = {}
    for i, v in enumerate(x):
        groups.setdefault(i % 2, []).append(v)
    return sum(groups[0]) * sum(groups[1])


def heap(x):
    items = []
    for v in x:
        heapq.heappush(items, v * v)
    return heapq.heappop(items) * items[0]


def inserted_in_order(x):
    items = sorted(x)
    bisect.insort(items, x[0] * x[1])
    return items[0] * items[1]


@pytest.mark.parametrize(
    "f",
    [
        appended_to_global, written_to_global, set_on_object, appended_to_default, shuffled, positional_out,
        positional_out_of_scan, positional_out_of_method, put_by_name, list_made_by_setdefault, heap, inserted_in_order,
    ],
)  # fmt: skip
def test_writes_that_hide(f):
    """Right, or refused: through live objects, unknown functions, methods and positional out."""
    x = np.array([0.5, 1.2, -1.3])

    def directional(v):
        return (f(x + 1e-6 * v) - f(x - 1e-6 * v)) / 2e-6

    for run in (lambda v: ad.grad(f)(x) @ v, lambda v: ad.jvp(f, (x,), (v,))[1]):
        v = np.array([0.3, -0.7, 0.2])
        try:
            got = run(v)
        except ad.AdcompileError:
            continue
        assert got == pytest.approx(directional(v), rel=1e-5)


def test_arguments_that_are_one_memory():
    def f(x, w, w2):
        s = np.sum(x * w * x)
        w2[0] = 100.0
        return s

    w, x = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    assert np.array_equal(ad.grad(f)(x, w, w), 2 * x * w)
    assert w[0] == 1.0
