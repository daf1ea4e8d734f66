"""Arrays that are written with derivatives, and read through containers that are not followed: right, or refused."""

import contextvars
import types
import weakref
from collections import ChainMap, OrderedDict, UserDict, UserList, defaultdict, deque

import numpy as np
import pytest

import adcompile as ad

A = np.array([2.0, 3.0])
QUEUE = deque([A])
PROXY = types.MappingProxyType({"a": A})
CHAIN = ChainMap({"a": A})
ORDERED, DEFAULT, OWN_DICT, OWN_LIST = OrderedDict(a=A), defaultdict(list, a=A), UserDict(a=A), UserList([A])
CURRENT = contextvars.ContextVar("current", default=A)
WEAK = weakref.ref(A)
BOXES = np.empty(1, dtype=object)
BOXES[0] = A
SIZES = deque([2.0, 3.0])


def by_queue(x):
    A[0] = x
    return QUEUE[0][0] * x


def by_proxy(x):
    A[0] = x
    return PROXY["a"][0] * x


def by_chain(x):
    A[0] = x
    return CHAIN["a"][0] * x


def by_variable(x):
    A[0] = x
    return CURRENT.get()[0] * x


def by_reference(x):
    A[0] = x
    return WEAK()[0] * x


def by_boxes(x):
    A[0] = x
    return BOXES[0][0] * x


def by_items(x):
    A[0] = x
    total = 0.0
    for a in ORDERED.values():
        total = total + a[0] * x
    return total


def by_sum(x):
    A[0] = x
    return sum(a[0] for a in QUEUE) * x


def by_stack(x):
    A[0] = x
    return np.sum(np.stack(list(QUEUE))) * x


def by_pop(x):
    A[0] = x
    a = QUEUE.pop()
    QUEUE.append(a)
    return a[0] * x


def into_queue(x):
    QUEUE[0][0] = x
    return A[0] * x


def by_ordered(x):
    A[0] = x
    return ORDERED["a"][0] * x


def by_default(x):
    A[0] = x
    return DEFAULT["a"][0] * x


def by_own_dict(x):
    A[0] = x
    return OWN_DICT["a"][0] * x


def by_own_list(x):
    A[0] = x
    return OWN_LIST[0][0] * x


def beside_numbers(x):
    A[0] = x
    return SIZES[0] * A[0] * x + len(QUEUE)


OTHERS = deque([np.array([5.0, 7.0])])


def beside_others(x):
    A[0] = x
    return OTHERS[0][1] * A[0] * x


def difference(f, h=1e-6):
    values = []
    for step in (h, -h):
        A[:] = [2.0, 3.0]
        values.append(f(3.0 + step))
    A[:] = [2.0, 3.0]
    return (values[0] - values[1]) / (2 * h)


class Held:
    def __init__(self, v):
        self.v = v


MIXED = [{"z": 0}, {"a": A}]
OTHER = [{"z": 0}, {"a": np.ones(2)}]
PARTS = [Held(A), [A]]
ALIKE = [{"a": A}]


def mixed_at(x, k=1):
    A[0] = x
    return MIXED[k]["a"][0] * x


def mixed_searched(x):
    A[0] = x
    for m in MIXED:
        if "a" in m:
            return m["a"][0] * x
    return x


def mixed_of_another_one(x):
    A[0] = x
    for m in OTHER:
        if "a" in m:
            return m["a"][0] * x * A[0]
    return x


def mixed_parts(x):
    A[0] = x
    for part in PARTS:
        if isinstance(part, list):
            return part[0][0] * x
    return x


def mixed_objects(x):
    A[0] = x
    for part in PARTS:
        if not isinstance(part, list):
            return part.v[0] * x
    return x


def alike_left_at_once(x):
    A[0] = x
    for m in ALIKE:
        return m["a"][0] * x
    return x


def mixed_made_here(x, k=1):
    w = np.zeros(2)
    parts = [{"z": 0}, {"a": w}]
    w[0] = x
    for m in parts:
        if "a" in m:
            return m["a"][0] * x + parts[k]["a"][0]
    return x


def mixed_of_the_caller_s(x):
    def read(array, parts):
        array[0] = x
        for m in parts:
            if "a" in m:
                return m["a"][0] * x
        return x

    return read(A, MIXED)


@pytest.mark.parametrize("derivative", [ad.grad, ad.jacfwd, lambda f: lambda x: ad.jvp(f, (x,), (1.0,))[1]])
@pytest.mark.parametrize(
    "f",
    [
        mixed_at, mixed_searched, mixed_of_another_one, mixed_parts, mixed_objects, alike_left_at_once, mixed_made_here,
        mixed_of_the_caller_s,
    ],
)  # fmt: skip
def test_lists_of_several_structures(f, derivative):
    slope = difference(f)
    try:
        found = derivative(f)(3.0)
    except ad.AdcompileError as error:
        assert error.place is not None
        assert f is not mixed_of_another_one
    else:
        assert found == pytest.approx(slope, rel=1e-6)
    A[:] = [2.0, 3.0]


def mixed_arguments(x, array, parts):
    array[0] = x
    for m in parts:
        if "a" in m:
            return m["a"][0] * x
    return x


def test_arguments_of_several_structures():
    for parts in (MIXED, OTHER):
        A[:] = [2.0, 3.0]
        try:
            found = ad.grad(mixed_arguments)(3.0, A, parts)
        except ad.AdcompileError:
            assert parts is MIXED
        else:
            assert found == pytest.approx(difference(lambda x: mixed_arguments(x, A, parts)), rel=1e-6)
    A[:] = [2.0, 3.0]


UNFOLLOWED = (
    by_queue, by_proxy, by_chain, by_variable, by_reference, by_boxes, by_items, by_sum, by_stack, by_pop, into_queue,
)  # fmt: skip


@pytest.mark.parametrize("derivative", [ad.grad, ad.jacfwd])
@pytest.mark.parametrize("f", UNFOLLOWED)
def test_live_containers_that_are_not_followed(f, derivative):
    said = r"written in place|no known type" if derivative is ad.grad else r"in place|no known type|next time"
    with pytest.raises(ad.Unsupported, match=said):
        derivative(f)(3.0)
    A[:] = [2.0, 3.0]


@pytest.mark.parametrize("derivative", [ad.grad, ad.jacfwd])
@pytest.mark.parametrize("f", [by_ordered, by_default, by_own_dict, by_own_list, beside_numbers, beside_others])
def test_live_containers_that_are(f, derivative):
    A[:] = [2.0, 3.0]
    assert np.allclose(derivative(f)(3.0), difference(f))


def through_dict(x, a, q):
    a[0] = x
    return q["k"][0] * x


def through_list(x, a, q):
    a[0] = x
    return q[0][0] * x


def through_get(x, a, q):
    a[0] = x
    return q.get()[0] * x


def through_call(x, a, q):
    a[0] = x
    return q()[0] * x


def boxed(a):
    boxes = np.empty(1, dtype=object)
    boxes[0] = a
    return boxes


def current(a):
    variable = contextvars.ContextVar("given")
    variable.set(a)
    return variable


@pytest.mark.parametrize(
    ("f", "holder"),
    [
        *((through_dict, h) for h in (lambda a: OrderedDict(k=a), lambda a: types.MappingProxyType({"k": a}))),
        *((through_dict, h) for h in (lambda a: UserDict(k=a), lambda a: defaultdict(list, k=a))),
        *((through_list, h) for h in (lambda a: deque([a]), lambda a: UserList([a]), boxed)),
        *((through_get, current), (through_call, weakref.ref)),
    ],
)
def test_arguments_in_containers_that_are_not_followed(f, holder):
    def arguments():
        a = np.array([2.0, 3.0])
        return 3.0, a, holder(a)

    for derivative in (ad.grad, ad.jacfwd):
        with pytest.raises(ad.Unsupported):
            derivative(f)(*arguments())
    values = [f(3.0 + h, *arguments()[1:]) for h in (1e-6, -1e-6)]
    assert np.allclose((values[0] - values[1]) / 2e-6, 6.0)  # it would see what is written


def beside_a_window(x, a, window):
    a[0] = x
    return window[0] * a[0] * x + a[1] * window[1]


def test_arguments_in_containers_of_their_own():
    a, window = np.array([2.0, 3.0]), deque([5.0, 7.0])
    assert np.allclose(ad.grad(beside_a_window)(3.0, a, window), 30.0)
    assert np.allclose(ad.jacfwd(beside_a_window)(3.0, a, window), 30.0)


def test_a_container_that_holds_the_array_later():
    derivative, kept = ad.grad(beside_others), OTHERS[0]
    assert np.allclose(derivative(3.0), 42.0)
    OTHERS[0] = A
    try:
        with pytest.raises(ad.Unsupported, match="read through a container"):
            derivative(3.0)
    finally:
        OTHERS[0] = kept
        A[:] = [2.0, 3.0]


LOSSES, LOG = deque([1.0]), []


def beside_what_is_filled(x, a):
    a[0] = x
    LOSSES.append(2.0)
    LOG.append(1.0)
    return LOSSES[0] * a[0] * x


def puts_the_array(x, a):
    LOSSES.append(a)
    a[0] = x
    return LOSSES[-1][0] * x


def test_containers_that_are_filled():
    for derivative in (ad.grad, ad.jacfwd):
        LOSSES.clear()
        LOSSES.append(1.0)
        assert np.allclose(derivative(beside_what_is_filled)(3.0, np.array([2.0, 3.0])), 6.0)
        with pytest.raises(ad.Unsupported):
            derivative(puts_the_array)(3.0, np.array([2.0, 3.0]))
