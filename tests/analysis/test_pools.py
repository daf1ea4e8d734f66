"""Containers that hold numbers in place of values: where these go, the values are seen, or it is refused."""

import collections

import numpy as np
import pytest

import adcompile as ad
from adcompile.analysis.contents import is_pooled, physical
from adcompile.ir.types import FLOAT, INT, Array, Known, TupleT
from tests.checks import right_or_refused
from tests.programs import lists_pooled, some
from tests.programs.lists_pooled import table_of_run_time_size

X = np.array([1.3, 0.7, 2.1])


def test_what_stands_in_a_pool():
    pair = TupleT((INT, FLOAT))
    assert is_pooled(FLOAT) and is_pooled(Array(np.dtype(float), ("many",))) and is_pooled(pair)
    assert not is_pooled(INT) and not is_pooled(Known(None)) and not is_pooled(TupleT((FLOAT, Known(print))))
    assert physical(pair) == TupleT((INT, INT))


def test_no_number_is_overwritten():
    text = ad.source(ad.grad(table_of_run_time_size), X, 3)
    assert "numbers.append" in text and "numbers[" in text and "numbers[n] = " not in text


def table(x):
    rows = [[v * (j + 1.0) for j in range(2)] for v in x]
    rows[0][1] = x[2]
    return rows


def under_another_order(x):
    return max(table(x))[0]  # rows are compared


def given_out(x):
    rows = table(x)
    return rows[0][0] * rows[0][1], rows


def in_a_recursion(x):
    rows = table(x)

    def down(i):
        return rows[i][0] if i == 0 else rows[i][0] * down(i - 1)

    return down(2)


def through_next(x):
    return next(iter(table(x)[0]))


def shuffled(x):
    rows = table(x)
    np.random.shuffle(rows[0])
    return rows[0][0]


def shuffled_by_a_generator(x):
    rows = table(x)
    np.random.default_rng(0).shuffle(rows[0])
    return rows[0][0]


@pytest.mark.parametrize("f", [shuffled, shuffled_by_a_generator, under_another_order, in_a_recursion, through_next])
def test_what_escapes_is_refused(f):
    with pytest.raises(ad.Unsupported):
        ad.grad(f)(X)
    with pytest.raises(ad.Unsupported):
        ad.jvp(f, (X,), (X,))


def test_a_result_is_refused():
    with pytest.raises(ad.AdcompileError):
        ad.grad(given_out, has_aux=True)(X)


def shown(x):
    rows = table(x)
    return rows[0][0] * len(f"{rows[0]} {rows}" + "%s" % rows[1])


def compared(x):
    rows = table(x)
    same = rows[0] == [x[0], x[2]] and rows[0] != rows[1] and x[2] in rows[0]
    return rows[1][0] * (2.0 if same else 1.0)


@pytest.mark.parametrize("f", [shown, compared])
def test_values_are_seen(f):
    value, gradient = ad.value_and_grad(f)(X)
    assert value == f(X)
    k = 0 if f is shown else 1
    assert gradient[k] == pytest.approx(value / X[k], rel=1e-12)


def test_derivatives_within():
    def f(x, n):
        inner = ad.grad(lambda y: table_of_run_time_size(y, n) * table(x)[0][1])
        return np.sum(inner(x) ** 2)

    ad.check_grads(lambda x: f(x, 2), (X,), order=1)


def test_rows_are_joined():
    def joined(x, n):
        rows = []
        for i in range(n):
            rows.append([x[i], x[i] * x[0]])
        rows[1][0] = x[2]
        return np.sum(np.concatenate(rows) ** 2) * np.sum(np.vstack(rows)[0])

    ad.check_grads(lambda x: joined(x, 3), (np.array([1.3, 0.7, 2.1]),))


def differences(g, x):
    steps = 1e-6 * np.eye(len(x))
    return np.stack([(g(x + h) - g(x - h)) / 2e-6 for h in steps], -1)


def rotated(x, n):
    last = collections.deque(maxlen=2)
    for i in range(n):
        last.append(x[i] * (last[0] if last else 1.0))
        last.rotate(1)
    return last[0] * last[1]


ONES = [
    lists_pooled.written_over_from_the_end,
    lists_pooled.derivatives_of_one_within_another,
    lists_pooled.one_row_under_many_names,
    lists_pooled.elimination,
    rotated,
]


@pytest.mark.parametrize("f", ONES, ids=lambda f: f.__name__)
def test_all_transforms_keep_the_order_of_writes(f):
    """They run the function again as code that may be rearranged, but for what is put into lists and read."""
    x, gradient = np.array([1.3, 0.7, 2.1, 0.4]), ad.grad(f)
    once, twice = gradient(x, 3), differences(lambda v: gradient(v, 3), np.array([1.3, 0.7, 2.1, 0.4]))
    np.testing.assert_allclose(once, differences(lambda v: f(v, 3), x), 1e-5, 1e-5)
    for first in (ad.jacrev(f), ad.jacfwd(f), ad.prepare(gradient, x, 3)):
        np.testing.assert_allclose(first(x, 3), once, 1e-10)
    nested = [j(d(f)) for j in (ad.jacrev, ad.jacfwd) for d in (ad.jacrev, ad.jacfwd, ad.grad)]
    for second in (ad.hessian(f), *some(nested[ONES.index(f) :], 6)):
        np.testing.assert_allclose(second(x, 3), twice, 1e-5, 1e-5 * np.max(np.abs(twice)))
    try:
        columns = ad.jvp_batched(f, (x, 3), (np.eye(4), None))[1]
    except ad.Unsupported:
        return
    np.testing.assert_allclose(columns, once, 1e-10)


def rows_in_what_has_another_key(x, k):
    q = {"u": [[x]]}
    if k > 1:
        q["w"] = 1
    return x * sum(q["u"][0])


def rows_by_recursion(x, k):
    def pick(t, n):
        return t if n == 0 else pick(t, n - 1)

    t = [[x], [2.0]]
    h = pick(t, k)
    t[1] = [5.0]
    return x * sum(sum(q) for q in h)


def rows_found_or_not(x, k):
    t = [[x], [2.0]]
    q = {"u": t}
    if not k:
        q["w"] = [[3.0], [5.0]]
    return x * sum(q.get("w", t)[0])


def a_dict_made_with_contents(x, k):
    t = collections.defaultdict(list, a=[x])
    q = [t, 1][k % 2]
    return x * sum(t["a"]) + len([q])


def one_of_two_gone_through(x, k):
    p, q = [x, 2.0], [3.0]
    r = p if k > 1 else q
    p.append(5.0)
    return x * sum([w * 1 for w in r])


def rows_of_one_of_two_gone_through(x, k):
    rows = [[x, 1.0], [2.0, x]]
    best = rows if k > 1 else rows[:1]
    for i in range(k):
        rows[i % 2] = [5.0, x * i]
    total = 0.0
    for r in best:
        total += r[0] + 2 * r[1]
    return total * x


STANDING = [
    *(one_of_two_gone_through, rows_of_one_of_two_gone_through, rows_in_what_has_another_key, rows_by_recursion),
    *(rows_found_or_not, a_dict_made_with_contents),
]


@pytest.mark.parametrize("f", STANDING)
def test_what_stands_for_a_value_is_not_taken_for_it(f):
    right_or_refused(f, __file__)


def an_attribute_of_what_appends(x, k):
    c = [x] if k else [0]

    def grow():
        c.append(x * x)

    grow.n = 5
    grow()
    return x * sum(c)


def an_attribute_of_what_fills(x, k):
    c = []

    def grow():
        c.append(x * x)

    grow.n = k
    grow()
    return x * sum(c)


@pytest.mark.parametrize("f", [an_attribute_of_what_appends, an_attribute_of_what_fills])
def test_what_holds_values_is_not_made_one_that_holds_numbers(f):
    assert right_or_refused(f, __file__) == (f is an_attribute_of_what_appends)
