"""Operators on objects that functions chosen when the code runs have made."""

import math
import operator

import numpy as np
import pytest

import adcompile as ad

X = np.array([1.1, 2.3, 0.7])


class Term:
    """An object whose operators are not those of its number."""

    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        return Term(self.v * other.v)

    def __floordiv__(self, other):
        return Term(self.v * other.v)

    def __lt__(self, other):
        return Term(self.v - other.v)

    def __neg__(self):
        return Term(self.v**2)

    def __float__(self):
        return float(self.v) * 2.0

    def __round__(self):
        return self.v * 3.0

    def __floor__(self):
        return self.v * 3.0

    def __getitem__(self, k):
        return self.v * k

    def __iter__(self):
        return iter([self.v, self.v])


def taken_apart(o):
    a, b = o
    return a * b


def single(v):
    return Term(v)


def double(v):
    return Term(v * 2.0)


def chosen(x):
    return [single, double][int(x[2] > 0.0)](x[0])


OPERATORS = [
    lambda o: (o + o).v,
    lambda o: (o // o).v,
    lambda o: (o < o).v,
    lambda o: (-o).v,
    lambda o: float(o),
    lambda o: round(o),
    lambda o: math.floor(o),
    lambda o: o[3],
    lambda o: taken_apart(o),
    lambda o: operator.add(o, o).v,
    lambda o: np.sum(np.array([o, o])).v,
]


@pytest.mark.parametrize("asked", OPERATORS)
def test_objects_of_unknown_type_are_not_taken_for_numbers(asked):
    def f(x):
        return asked(chosen(x)) * x[1]

    assert np.isfinite(f(X))
    with pytest.raises(ad.AdcompileError):
        ad.grad(f)(X)
    with pytest.raises(ad.AdcompileError):
        ad.jvp(f, (X,), (np.ones(3),))


def test_in_loops_and_branches():
    def f(x):
        o, total = chosen(x), 0.0
        for k in range(30):
            if x[1] > 0.0:
                total = total + x[k % 3] * (o + o).v
        return total

    with pytest.raises(ad.Unsupported, match="whose class says what operators do"):
        ad.grad(f)(X)


def scaled(v):
    return v * 2.0


def squared(v):
    return v**2


def test_numbers_of_unknown_type_stay_right():
    def f(x):
        y, total = [scaled, squared][int(x[2] > 0.0)](x[0]), 0.0
        for k in range(20):
            total = total + x[k % 3] * y * (1.0 if y < 3.0 else 2.0) + y // 1.0
        return total

    by_hand = ad.grad(lambda x: sum(x[k % 3] for k in range(20)) * x[0] ** 2)(X)
    assert np.allclose(ad.grad(f)(X), by_hand)
    assert np.isclose(ad.jvp(f, (X,), (X,))[1], by_hand @ X)
    again = ad.jvp(ad.grad(f), (X,), (X,))[1]
    expected = ad.jvp(ad.grad(lambda x: sum(x[k % 3] for k in range(20)) * x[0] ** 2), (X,), (X,))[1]
    assert np.allclose(again, expected)


def row(x, n):
    """A list, tuple or array, which only the run time knows."""
    return {0: [x[0], x[1], 3.0 * x[0]], 1: (x[1], x[0]), 2: x[1:] * 2.0, 3: [x[1]]}[n]


def joined(x, n):
    q = row(x, n) + row(x, n)
    return q[0] * q[-1]


def repeated(x, n):
    q = row(x, n) * 2
    return q[0] * q[-1]


def behind_a_list(x, n):
    q = [1.0, *row(x, n)]
    return q[1] * q[-1]


def before_a_tuple(x, n):
    q = tuple(row(x, n)) + (x[0], 2.0)
    return q[0] * q[-1]


def largest(x, n):
    return max(row(x, n)) - min(row(x, n))


@pytest.mark.parametrize("f", [joined, repeated, behind_a_list, before_a_tuple, largest])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_what_lists_and_tuples_do_otherwise_is_refused(f, n):
    assert np.isfinite(f(X, n))
    for call in (lambda: ad.grad(f)(X, n), lambda: ad.jvp(f, (X, n), (X, None))):
        with pytest.raises(ad.AdcompileError, match="of no known structure"):
            call()


def arithmetic(x, n):
    return ((row(x, n) + np.float64(2.0))[0] + row(x, n) * np.ones(len(row(x, n))))[-1] * row(x, n)[0]


@pytest.mark.parametrize(("f", "n"), [(joined, 2), (repeated, 2), *((arithmetic, n) for n in range(4))])
def test_what_is_arithmetic_stays_right(f, n):
    ad.check_grads(lambda x: f(x, n), (X,), order=1)


def boxed(x):
    return x.astype(object)


def plain(x):
    return x * 2.0


def of_choice(x):
    return [boxed, plain][int(x[2] < 0.0)](x)


def boxed_by_rule(x):
    return np.array([x[0] ** 2, x[1]], dtype=object)


ad.rules.vjp(boxed_by_rule, lambda g, y, x: np.array([2 * x[0] * g[0], g[1], 0.0], float))


COMPUTED = [
    lambda x: np.sum(boxed(x)) * x[1],
    lambda x: boxed(x)[0] * x[1],
    lambda x: boxed(x) @ boxed(x),
    lambda x: np.sum((2.0 * boxed(x) - x) * boxed(x) / x[0]),
    lambda x: np.sum(np.asarray(boxed(x), float)) * x[0],
    lambda x: np.array([None, x[0]])[1] * x[1],
    lambda x: np.full(3, x[0], dtype=object)[1],
    lambda x: np.sum(np.vectorize(lambda t: t * t, otypes=[object])(x)),
    lambda x: boxed(x).argmax() * x[1] + boxed(x).size * x[0],
    lambda x: boxed(x).astype(int)[1] * x[1],
    lambda x: boxed_by_rule(x)[0] * x[1],
]
NOT_FOLLOWED = [
    lambda x: boxed_by_rule(x).sum(),
    lambda x: np.dot(boxed_by_rule(x), boxed_by_rule(x)),
    lambda x: boxed(x).sum() * x[0],
    lambda x: np.array([x[0], x[1]], dtype=object).max() * x[0],
    lambda x: np.sum(boxed(x).astype(float)),
    lambda x: boxed(x).tolist()[0] * x[1],
    lambda x: boxed(x).item(0) * x[1],
    lambda x: boxed(x).flat[1] * x[1],
    lambda x: boxed(x)[1:].sum(),
    lambda x: list(boxed(x))[1] * x[1],
    lambda x: max(boxed(x)) * x[1],
    lambda x: np.concatenate([boxed(x), boxed(x)]).sum(),
    lambda x: np.concatenate([np.array([1.0], dtype=object), x]).sum(),
    lambda x: (np.zeros(3, dtype=object) + x).sum(),
    lambda x: np.trapezoid(boxed(x), x) if hasattr(np, "trapezoid") else np.dot(boxed(x), x),
    lambda x: np.sum(np.sum(np.array([x[:1], x], dtype=object))),
    lambda x: np.array([{"a": x[0]}])[0]["a"] * x[1],
    lambda x: float(boxed(x).astype(str)[1]) * x[1],
    lambda x: {"a": boxed(x)}["a"].sum(),
    lambda x: of_choice(x).sum() * x[1],
    lambda x: np.sum(of_choice(x)),
    lambda x: [lambda z: {"k": boxed(z)}, plain][int(x[2] < 0.0)](x)["k"].sum(),
]


@pytest.mark.parametrize("f", COMPUTED)
def test_arrays_of_objects_that_are_numbers(f):
    ad.testing.check_grads(f, (X,), order=1)


@pytest.mark.parametrize("f", NOT_FOLLOWED)
def test_what_else_is_done_with_arrays_of_objects_is_refused(f):
    assert np.isfinite(f(X))
    for derivative in (lambda: ad.grad(f)(X), lambda: ad.jvp(f, (X,), (np.ones(3),))):
        with pytest.raises(ad.AdcompileError) as caught:
            derivative()
        assert "test_plain.py:" in str(caught.value)


def test_extrema_of_what_may_be_a_list():
    def f(x):
        return max([lambda z: [z[0], z[1]], plain][int(x[2] < 0.0)](x)) * x[1]

    with pytest.raises(ad.NotDifferentiable, match="max or min of an iterable of no known structure"):
        ad.grad(f)(X)


class Whole(int):
    def __int__(self):
        return 100


class Real(float):
    def __float__(self):
        return 7.5


class Equal(float):
    __hash__ = None

    def __eq__(self, other):
        return True


class Reversed(int):
    def __lt__(self, other):
        return int.__gt__(self, other)

    def __gt__(self, other):
        return int.__lt__(self, other)


CHOSEN = [
    lambda x, a, b: x * min(a, b),
    lambda x, a, b: x * max([a, b]),
    lambda x, a, b: np.sin(x) * (a if x > 0 else b),
    lambda x, a, b: max(x, max(a, b)) * x,
    lambda x, a, b: np.multiply(x, max(a, b)),
]


@pytest.mark.parametrize("f", CHOSEN)
@pytest.mark.parametrize("cls", [Whole, Real, Equal, Reversed])
@pytest.mark.parametrize("transform", ["grad", "jvp"])
def test_numbers_whose_class_says_which_number_they_are(f, cls, transform):
    a, b = cls(1), cls(3)
    slope = (f(2.5 + 1e-6, a, b) - f(2.5 - 1e-6, a, b)) / 2e-6

    def run():
        if transform == "grad":
            return ad.grad(f)(2.5, a, b)
        return ad.jvp(lambda x: f(x, a, b), (2.5,), (1.0,))[1]

    if cls is Reversed:
        np.testing.assert_allclose(run(), slope, rtol=1e-6)
    else:
        with pytest.raises(ad.AdcompileError, match="whose class says"):
            run()


# -- arrays of no rows ---------------------------------------------------------------------------

ROWS = np.arange(6.0).reshape(2, 3) / 5 + 0.4


def of_rows(x, ws):
    return np.sum((np.array([w * ROWS for w in ws if w > 0.0]).sum(axis=0) + x * X) ** 2)


def of_rows_with_derivatives(x, ws):
    return np.sum((np.sum([w * ROWS * x for w in ws if w > 0.0], axis=0) + x * X) ** 2)


def of_lists(x, ws):
    return np.sum((np.array([list(w * X) for w in ws if w > 0.0]).sum(axis=0) + x * X) ** 2)


def of_lists_of_rows(x, ws):
    made = np.array([[w * X * x for w in ws if w > 0.0] for _ in range(2)])
    return np.sum((made.sum(axis=0).sum(axis=0) + X) ** 2)


def beside_each_other(x, ws):
    rows = [w * X * x for w in ws if w > 0.0]
    return np.sum((np.stack((rows, rows)).sum(axis=0).sum(axis=0) + X) ** 2)


def counted(x, ws):
    return np.sum((np.count_nonzero([w * ROWS for w in ws if w > 0.0], axis=0) + x * X) ** 2)


def compared(x, ws):
    return np.sum((np.equal([w * ROWS for w in ws if w > 0.0], 1.0).sum(axis=0) + x * X) ** 2)


def added(x, ws):
    return np.sum((X + [w * ROWS for w in ws if w > 0.0]).sum(axis=0) * x)


def asked_for_axes(x, ws):
    return x * np.array([w * ROWS for w in ws if w > 0.0]).ndim


EMPTY = (
    of_rows, of_rows_with_derivatives, of_lists, of_lists_of_rows, beside_each_other, counted, compared, added,
    asked_for_axes,
)  # fmt: skip


@pytest.mark.parametrize("f", EMPTY)
def test_arrays_of_no_rows_are_refused_where_they_are_met(f):
    """They have one axis, and what is said of them is said of more."""
    some, none, h = np.array([1.5, -1.0, 0.7]), np.array([-1.0, -2.0]), 1e-6
    slope = (f(1.3 + h, some) - f(1.3 - h, some)) / (2 * h)
    assert ad.grad(f)(1.3, some) == pytest.approx(slope, rel=1e-7)
    assert ad.jvp(f, (1.3, some), (1.0, np.zeros(3)))[1] == pytest.approx(slope, rel=1e-7)
    for run in (lambda: ad.grad(f)(1.3, none), lambda: ad.jvp(f, (1.3, none), (1.0, np.zeros(2)))):
        with pytest.raises(ad.Unsupported, match=r"fewer axes .*test_plain\.py:\d") as found:
            run()
        assert found.value.place is not None and "whether there are any" in found.value.remedy


def of_no_numbers(x, ws):
    return np.sum(np.array([w * x for w in ws if w > 0.0])) + x


def test_arrays_of_no_numbers_are_followed():
    assert ad.grad(of_no_numbers)(1.3, np.array([-1.0])) == 1.0
