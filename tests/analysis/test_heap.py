"""What the caller has: written as the function writes it, put back by a pullback, told apart."""

import numpy as np
import pytest

import adcompile as ad


def fill(x, items):
    items.append(x * x)
    items[0] = items[0] * x
    return items[-1] * items[0]


def nested(x, d):
    d["a"]["b"] = x * d["a"]["b"]
    d["n"] += 1
    return d["a"]["b"] * x


def test_forward_mode_leaves_the_state_of_the_function():
    items, expected = [2.0, 3.0], [2.0, 3.0]
    value = fill(1.5, expected)
    assert ad.jvp(fill, (1.5, items), (1.0, None)) == (value, 6.75 * 2)
    assert items == expected


def test_reverse_mode_puts_back_what_was():
    items = [2.0, 3.0]
    assert ad.grad(fill)(1.5, items) == 13.5 or items == [2.0, 3.0]
    assert ad.value_and_grad(fill)(1.5, items)[0] == fill(1.5, [2.0, 3.0]) and items == [2.0, 3.0]
    value, pullback = ad.vjp(fill, 1.5, items)
    assert items == [3.0, 3.0, 2.25]
    first = pullback(1.0)
    assert items == [2.0, 3.0] and first == pullback(1.0)
    assert first[1] == [1.5**3, 0.0]


def test_containers_in_containers_stay_the_same_objects():
    d = {"a": {"b": 2.0}, "n": 1}
    inner = d["a"]
    assert ad.grad(nested, argnums=(0, 1))(3.0, d) == (12.0, {"a": {"b": 9.0}, "n": None})
    ad.jvp(nested, (3.0, d), (1.0, None))
    assert d["a"] is inner and inner == {"b": 6.0} and d["n"] == 2


def test_one_list_for_two():
    def f(a, b):
        a.append(1.0)
        return b[-1] * a[0]

    one = [2.0]
    with pytest.raises(ValueError, match="passed twice"):
        ad.grad(f)(one, one)
    assert ad.grad(f)([2.0], [3.0]) == [3.0] and one == [2.0]


def test_what_is_returned_is_what_was_passed():
    def f(x, items):
        items[0] = x
        return x * x, items

    items = [0.0]
    (value, out), _ = ad.jvp(f, (2.0, items), (1.0, None))
    assert value == 4.0 and out is items and items == [2.0]


def test_copies_are_other_lists():
    def f(x):
        a = [x, x]
        b = a[:]
        b[0] = 0.0
        return a[0] + b[0], a, b

    (_, a, b), _ = ad.jvp(f, (2.0,), (1.0,))
    assert a == [2.0, 2.0] and b == [0.0, 2.0] and a is not b


def test_identity_in_results():
    def f(x):
        a = [x]
        return {"first": a, "second": a, "other": [x]}

    out = ad.jvp(f, (2.0,), (1.0,))[0]
    assert out["first"] is out["second"] and out["first"] is not out["other"]


def test_opaque_code_sees_what_has_been_written(capsys):
    def f(x):
        xs = [x]
        xs.append("end")
        print(xs)
        return x * xs[0]

    assert ad.grad(f)(3.0) == 6.0
    assert capsys.readouterr().out == "[3.0, 'end']\n"


def test_arrays_in_objects_of_the_caller():
    class Holder:
        def __init__(self):
            self.w = np.ones(3)

    def f(x, h):
        h.w = h.w * x
        return np.sum(h.w)

    h = Holder()
    w = h.w
    assert ad.grad(f)(2.0, h) == 3.0 and h.w is w
    assert ad.jvp(f, (2.0, h), (1.0, None))[1] == 3.0 and h.w is not w and h.w.tolist() == [2.0, 2.0, 2.0]
