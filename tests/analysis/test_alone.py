"""Augmented assignments to what may be a number or an array: followed where nobody else holds that, refused else."""

import numpy as np
import pytest

import adcompile as ad

X = np.array([0.3, 0.7, 0.9, 0.2])


def held_in_a_list(x):
    s, seen = 0, []
    for k in range(4):
        if x[k] > 0.5:
            s += k * x
        seen.append(s)
    return sum(np.sum(h * x) for h in seen)


def held_under_another_name(x):
    s = old = 0
    for k in range(4):
        if x[k] > 0.5:
            old = s
            s += x[k] * x
    return np.sum(s) + np.sum(old * x)


def of_an_array_that_is_read_after(x):
    t, s = x * 2.0, 0
    if x[1] > 0.5:
        s = t
    for k in range(3):
        if x[k] > 0.25:
            s += x
    return np.sum(s) + np.sum(t * x)


def of_the_argument(x):
    s = 0
    if x[1] > 0.5:
        s = x
    for k in range(3):
        if x[k] > 0.25:
            s += 1.0
    return np.sum(s * x)


def seen_by_a_view(x):
    s, view = 0, None
    for k in range(4):
        if x[k] > 0.5:
            s += x[k] * x
            view = np.asarray(s)[1:]
    s *= 2.0
    return np.sum(s) + np.sum(view)


def added_to_itself(x):
    s = 0
    for k in range(4):
        if x[k] > 0.5:
            s += x[k] * x
        s += s
    return np.sum(s)


def held_by_a_function(x):
    s = 0
    if x[0] > 0.2:
        s += x
    now = s
    later = lambda: np.sum(now * x)
    if x[1] > 0.2:
        s += x * x
    return later() + np.sum(s)


def given_back_as_it_is(x):
    s = 0
    if x[1] > 0.5:
        s = x * 2.0
    v = ad.stop_gradient(s)
    s *= x[0]
    return np.sum(s) + np.sum(v * v)


HELD = [
    given_back_as_it_is,
    held_in_a_list,
    held_under_another_name,
    of_an_array_that_is_read_after,
    of_the_argument,
    seen_by_a_view,
    added_to_itself,
    held_by_a_function,
]


@pytest.mark.parametrize("fun", HELD, ids=lambda f: f.__name__)
@pytest.mark.parametrize("derive", [ad.grad, lambda f: lambda x: ad.jvp(f, (x,), (x,))], ids=["grad", "jvp"])
def test_what_somebody_else_holds_is_refused(fun, derive):
    with pytest.raises(ad.Unsupported, match="= on something of no known type"):
        derive(fun)(X.copy())


def to_a_narrower_array(x, v):
    s = 0
    for k in range(len(x)):
        if x[k] > 0.5:
            s += v * x[k]
    s += x  # a shape that the sum has not, where v is no number
    return np.sum(s)


def test_the_shape_of_the_array_stays():
    message = r"non-broadcastable output operand"
    with pytest.raises(ValueError, match=message):
        to_a_narrower_array(X, np.array([1.0]))
    with pytest.raises(ValueError, match=message):
        ad.grad(to_a_narrower_array)(X, np.array([1.0]))


def in_single_precision(x):
    s = 0
    for k in range(4):
        if x[k] > 0.5:
            s += np.float32(x[k]) * x.astype(np.float32)
    s += x
    return s


def test_the_dtype_of_the_array_stays():
    value, dot = ad.jvp(in_single_precision, (X,), (np.ones(4),))
    assert value.dtype == dot.dtype == in_single_precision(X).dtype == np.float32
    np.testing.assert_array_equal(value, in_single_precision(X))


def lists_at_times(x):
    s = 0
    if x[0] > 0.2:
        s = [x[0]]
    if x[1] > 0.2:
        s += [x[1]]
    return s[0] * s[1]


def test_lists_are_refused():
    with pytest.raises(ad.Unsupported):
        ad.grad(lists_at_times)(X)


NAMES = {"file": "out"}


def text_beside(x, names):
    text = names["file"] + "_"
    parts = names.get("more", "") + "-"
    for k in range(2):
        if x[k] > 0.5:
            text += "more"
            parts += str(k)
    return x[0] * len(text) + x[1] * len(parts)


def test_text_of_no_known_type_is_what_it_was():
    np.testing.assert_allclose(ad.grad(text_beside)(X, dict(NAMES)), [8.0, 2.0, 0.0, 0.0])
