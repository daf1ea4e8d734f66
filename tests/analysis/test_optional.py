"""What tests tell of values that may be None."""

import numpy as np
import pytest

import adcompile as ad
from adcompile.ir.types import FLOAT, NONE, UNKNOWN, Maybe, TupleT, join


def found(v, limit):
    return v * v if v > limit else None


def left_early(v, limit):
    r = found(v, limit)
    if r is None:
        return v
    return r * 3.0


def both(v, limit):
    r, q = found(v, limit), found(v, 0.5 * limit)
    return r * q if r is not None and q is not None else v


def either(v, limit):
    r = found(v, limit)
    return v if r is None or r > 4.0 else r * 3.0


def turned(v, limit):
    r = found(v, limit)
    missing = not (r is not None)
    return v if missing else r * 3.0


def truth(v, limit):
    r = found(v, limit)
    return r * 3.0 if r else v


def negative(v, limit):
    r = found(v, limit)
    if not r:
        return v
    return r * 3.0


@pytest.mark.parametrize("program", [left_early, both, either, turned, truth, negative])
def test_behind_a_test_the_type_is_exact(program):
    gradient = ad.grad(program)
    text = ad.source(gradient, 1.5, 1.0)
    assert "check_" not in text and "unbroadcast" not in text  # which would find it out when the code runs
    for limit in (1.0, 2.0):
        slope = (program(1.5 + 1e-6, limit) - program(1.5 - 1e-6, limit)) / 2e-6
        np.testing.assert_allclose(gradient(1.5, limit), slope, rtol=1e-7)


def test_what_is_learnt_in_a_loop_body_holds_there_alone():
    def f(x, limit):
        r = found(x[0], limit)
        for v in x:
            if v > 1.0:
                if r is None:
                    break
                r = r * v
        return x[1] if r is None else r

    x = np.array([1.5, 0.7, 2.1])
    np.testing.assert_allclose(ad.grad(f)(x, 9.0), [0.0, 1.0, 0.0])
    np.testing.assert_allclose(ad.grad(f)(x, 1.0), [3 * x[0] ** 2 * x[2], 0.0, x[0] ** 3])


def test_a_list_may_be_filled_after_it_was_asked():
    def f(x, limit):
        r, flag = found(x[0], limit), np.zeros(1, dtype=bool)
        both = flag and r is not None
        flag[0] = True
        if both:  # the array, which is true by now
            return x[1] ** 2 if r is None else r
        return x[2]

    x = np.array([1.5, 0.7, 2.1])
    np.testing.assert_allclose(ad.grad(f)(x, 9.0), [0.0, 1.4, 0.0])
    np.testing.assert_allclose(ad.grad(f)(x, 1.0), [3.0, 0.0, 0.0])


def test_a_number_that_is_none_elsewhere_is_still_refused_there():
    def f(x, limit):
        r = found(x, limit)
        return (r is None) * 2.0 + r

    with pytest.raises(TypeError, match="NoneType"):
        ad.grad(f)(1.5, 9.0)
    assert ad.grad(f)(1.5, 1.0) == 3.0


def test_types_of_linked_containers_do_not_grow():
    def f(x):
        items = None
        for v in x:
            items = (v, items)
        total = 0.5
        while items is not None:
            v, items = items
            total = total + v * v * total
        return total

    x = np.array([1.5, 0.7, 2.1])
    np.testing.assert_allclose(ad.grad(f)(x), f(x) * 2 * x / (1 + x**2))


def test_maybe_of_maybe():
    pair = TupleT((FLOAT, join(NONE, FLOAT)))
    assert join(NONE, FLOAT) == join(Maybe(FLOAT), NONE) == join(FLOAT, Maybe(FLOAT)) == Maybe(FLOAT)
    assert join(NONE, pair) == Maybe(pair)
    assert join(NONE, TupleT((FLOAT, Maybe(pair)))) == Maybe(TupleT((FLOAT, UNKNOWN)))
    assert join(Maybe(FLOAT), UNKNOWN) == join(Maybe(FLOAT), TupleT(())) == UNKNOWN
