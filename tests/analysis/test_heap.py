"""What the caller has: written as the function writes it, put back by a pullback, told apart."""

import copy

import numpy as np
import pytest

import adcompile as ad
from tests.checks import right_or_refused


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
    derivatives = (ad.grad(f), ad.value_and_grad(f), lambda *args: ad.vjp(f, *args))
    for derivative in (*derivatives, lambda *args: ad.jvp(f, args, ([1.0], None))):
        with pytest.raises(ad.Unsupported, match="passed twice") as caught:
            derivative(one, one)
        assert caught.value.place.file == __file__ and "pass a copy" in caught.value.remedy and one == [2.0]
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


def scaled_one_by_one(x, xs):
    for i in range(len(xs)):
        xs[i] = xs[i] * x
    xs.append(xs[0])
    return sum(xs)


@pytest.mark.parametrize("n", [2, 40])
def test_what_is_put_back_was_taken_out_before(n):
    items = [float(i) for i in range(n)]
    before = list(items)
    value, pullback = ad.vjp(scaled_one_by_one, 0.7, items)
    assert len(items) == n + 1 and value == scaled_one_by_one(0.7, list(before))
    bars = pullback(1.0)
    assert items == before and pullback(1.0) == bars
    assert bars[0] == pytest.approx(sum(before) + before[0]) and bars[1][1] == 0.7


def test_an_object_of_the_caller_that_holds_itself():
    class Node:
        def __init__(self):
            self.v = 2.0

    def f(x, node):
        node.me = node
        node.me.v = x * x
        return node.v

    node = Node()
    assert ad.jvp(f, (3.0, node), (1.0, None)) == (9.0, 6.0) and node.me is node and node.v == 9.0
    other = Node()
    assert ad.grad(f)(3.0, other) == 6.0 and vars(other) == {"v": 2.0}


def inner_writes(xs):
    for i in range(len(xs)):
        xs[i] = xs[i] * xs[0]
    return sum(xs)


def gradient_inside(x):
    xs = [x * i + 1.0 for i in range(20)]
    g = ad.grad(inner_writes)(xs)
    return sum(g) + sum(xs)


def pullback_later(x):
    xs = [x, 2 * x]
    value, pullback = ad.vjp(lambda items: items[0] * items[1] * x, xs)
    xs[0] = 100.0
    return pullback(1.0)[0][1] + value


def captured_list_inside(x):
    acc = []

    def loss(w):
        acc.append(w)
        return w * w * x

    return ad.grad(loss)(x) + len(acc)


@pytest.mark.parametrize("f", [gradient_inside, pullback_later, captured_list_inside])
def test_derivatives_inside_leave_what_they_were_given(f):
    h = 1e-6
    slope = (f(0.7 + h) - f(0.7 - h)) / (2 * h)
    assert ad.grad(f)(0.7) == pytest.approx(slope, rel=1e-5)
    assert ad.jvp(f, (0.7,), (1.0,))[0] == f(0.7)


def sorted_objects(x):
    class Box:
        def __init__(self, v):
            self.v = v

    boxes = [Box(x), Box(x * x)]
    ordered = sorted(boxes, key=lambda b: b.v)
    ordered[0].v = 5 * x
    return boxes[0].v + boxes[1].v


def test_what_a_sequence_holds_is_not_written():
    with pytest.raises(ad.Unsupported):
        ad.grad(sorted_objects)(0.7)


def squares(t):
    return sum(squares(v) for v in t.values()) if isinstance(t, dict) else np.sum(t * t)


def decayed(p):
    total = squares(p)
    p["a"]["b"] += total
    return p["a"]["b"]


def decayed_apart(p):
    total = squares(copy.deepcopy(p))
    p["a"]["b"] += total
    return p["a"]["b"]


def test_a_part_of_an_argument_goes_by_the_name_of_the_argument():
    p = {"a": {"w": np.ones(2), "b": 2.0}, "c": 3.0}
    with pytest.raises(ad.Unsupported, match=r"the dict in 'p' is written into here.*\n.*\n.*\n.*copy it before"):
        ad.grad(decayed)(p)
    gradient = ad.grad(decayed_apart)(p)
    assert gradient["a"]["b"] == 5.0 and gradient["c"] == 6.0 and gradient["a"]["w"].tolist() == [2.0, 2.0]


def counts_within_a_with(x, k):
    n, seen = 0, []

    def step():
        nonlocal n
        n += 1
        seen.append(n)

    with np.printoptions(precision=3):
        step()
    return x * n * len(seen)


def counts_within_a_try(x, k):
    n, seen = 0, [0]

    def step():
        nonlocal n
        n += 1
        seen.append(n)

    try:
        step()
    except ValueError:
        pass
    step()
    return x * n * sum(seen)


def captured_written_and_bound_again(x, k):
    b = [2, 3]
    h = (lambda: [1]) if k < 2 else (lambda: b)
    b.append(1)
    b = [5.0]
    return x * sum(h())


def object_captured_written_and_bound_again(x, k):
    b = Holder(2.0)
    fs = [lambda: 1.0, lambda: b.v]
    b.v = 3.0
    for _ in range(k):
        b = Holder(7.0)
    return x * fs[k % 2]()


class Holder:
    def __init__(self, v):
        self.v = v


@pytest.mark.parametrize("f", [captured_written_and_bound_again, object_captured_written_and_bound_again])
def test_what_is_captured_is_what_the_variable_holds_then(f):
    right_or_refused(f, __file__)


@pytest.mark.parametrize("f", [counts_within_a_with, counts_within_a_try])
def test_what_assigns_around_it_is_not_called_unseen(f):
    assert right_or_refused(f, __file__) == (f is counts_within_a_with)


def made_within_a_with(x, k):
    u = 1.0
    with np.printoptions(precision=3):

        def halves():
            nonlocal u
            u = u * 0.5 + k

        for _ in range(2):
            halves()
    return x * u


def made_within_a_match(x, k):
    u = x
    match k:
        case 1:

            def halves():
                nonlocal u
                u = u * 0.5 + k

            halves()
        case _:
            u = x * k
    return x * u


def method_within_a_try(x, k):
    u = 1.0
    try:

        class Halves:
            def run(self):
                nonlocal u
                u = u * 0.5 + k

        Halves().run()
        int("no number")
    except ValueError:
        k += 1
    return x * u * k


def deep_within_a_with(x, k):
    u = 1.0

    def outer():
        with np.printoptions(precision=3):

            def inner():
                def innermost():
                    nonlocal u
                    u = u * 0.5 + k

                innermost()

            inner()

    outer()
    return x * u


@pytest.mark.parametrize("f", [made_within_a_with, method_within_a_try, deep_within_a_with])
def test_functions_made_where_code_runs_as_written_assign_around_it(f):
    assert right_or_refused(f, __file__)


def kept_by_a_with(x, k):
    u = 1.0
    with np.printoptions(precision=3):
        g = lambda: u
    u = u + k
    return x * g()


def kept_by_a_match(x, k):
    u, functions = x, []
    match 3:
        case 3:
            functions.append(lambda v: u * v)
    u = u * k
    return functions[0](x)


def method_kept_by_a_with(x, k):
    u = 1.0
    with np.printoptions(precision=3):

        class Scaled:
            def by(self):
                return u

    u = u + k
    return x * Scaled().by()


def kept_in_a_loop(x, k):
    total = 0.0
    for i in range(k):
        with np.printoptions(precision=3):
            if i == 0:
                g = lambda: i
        total = total + g()
    return x * total


@pytest.mark.parametrize("f", [kept_by_a_with, method_kept_by_a_with, kept_in_a_loop])
def test_functions_made_where_code_runs_as_written_see_what_is_assigned_later(f):
    assert right_or_refused(f, __file__)


@pytest.mark.parametrize("f", [made_within_a_match, kept_by_a_match])
def test_functions_made_in_a_match_are_followed(f):
    assert not right_or_refused(f, __file__)


def generator_kept_by_a_with(x, k):
    u = 1.0
    with np.printoptions(precision=3):
        items = (u * v for v in (1.0, 2.0))
    u = u + k
    return x * sum(items)


def generator_read_in_a_with(x, k):
    u = 1.0
    with np.printoptions(precision=3):
        total = sum(u * v for v in (1.0, 2.0))
    u = u + k
    return x * total * u


@pytest.mark.parametrize("f", [generator_kept_by_a_with, generator_read_in_a_with])
def test_generators_made_where_code_runs_as_written_see_what_is_assigned_later(f):
    assert right_or_refused(f, __file__) == (f is generator_kept_by_a_with)
