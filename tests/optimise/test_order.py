"""What `Order` proves holds for all integers of which its bounds hold."""

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from adcompile.ir.nodes import Var
from adcompile.optimise.order import ZERO, Axis, Order

NAMES = [(Var(n), "") for n in "abc"]
SMALL = st.integers(-3, 3)
LINEAR = st.tuples(st.sampled_from([None, *NAMES]), SMALL)
BOUND = st.tuples(LINEAR, LINEAR, SMALL)


def value(linear, env):
    return (0 if linear[0] is None else env[linear[0]]) + linear[1]


def worlds(bounds):
    """All small integers of which the bounds hold."""
    for values in itertools.product(range(-5, 6), repeat=len(NAMES)):
        env = dict(zip(NAMES, values))
        if all(value(a, env) + apart <= value(b, env) for a, b, apart in bounds):
            yield env


def order_of(bounds):
    order = Order()
    for a, b, apart in bounds:
        order.add(a, b, apart)
    return order


@settings(max_examples=150, deadline=None)
@given(st.lists(BOUND, max_size=5), LINEAR, LINEAR)
def test_what_is_proved_holds(bounds, small, large):
    if order_of(bounds).proves(small, large):
        assert all(value(small, env) <= value(large, env) for env in worlds(bounds))


AXIS = st.builds(Axis, LINEAR, st.one_of(st.none(), LINEAR))


def elements(axis, env, length):
    """What Python's slice of an axis of this length names."""
    high = None if axis.high is None else value(axis.high, env)
    return set(range(length)[value(axis.low, env) : high])


@settings(max_examples=150, deadline=None)
@given(st.lists(BOUND, max_size=4), AXIS, AXIS)
def test_parts_that_are_apart_have_no_element_in_common(bounds, first, second):
    if order_of(bounds).apart([first], [second]):
        for env in worlds(bounds):
            for length in range(7):
                assert not elements(first, env, length) & elements(second, env, length)


def test_what_follows_by_several_steps():
    a, b, c = ((name, 0) for name in NAMES)
    order = order_of([(a, b, 1), (b, c, 1), (ZERO, a, 0)])
    assert order.proves((NAMES[0], 2), c)
    assert not order.proves((NAMES[0], 3), c)
    assert order.apart([Axis(ZERO, a)], [Axis(c, None)])
    assert not order.apart([Axis(ZERO, c)], [Axis(a, None)])


def test_nothing_is_said_of_what_contradicts_itself():
    a, b = ((name, 0) for name in NAMES[:2])
    assert not order_of([(a, b, 1), (b, a, 1)]).proves((NAMES[0], 7), b)
