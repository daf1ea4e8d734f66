"""Rules in terms of other functions, and rules known in one mode only, used in the other."""

import math

import numpy as np
import pytest

import adcompile as ad
from adcompile import rules
from adcompile.rules.registry import unregister
from adcompile.testing import check_grads
from tests.compiled import check


def smooth(x, k):
    return math.log(math.cosh(k * x)) / k


def only_forward(x):
    return math.sin(x) * 2.0


def only_reverse(x, y):
    return x * x * y


@pytest.fixture(autouse=True, scope="module")
def one_sided_rules():
    @rules.frule(only_forward)
    def only_forward_frule(x, x_dot):
        return only_forward(x), 2.0 * math.cos(x) * x_dot

    @rules.rrule(only_reverse)
    def only_reverse_rrule(x, y):
        def pullback(g):
            return g * 2.0 * x * y, g * x * x

        return only_reverse(x, y), pullback

    yield
    unregister(only_forward)
    unregister(only_reverse)


def through_forward_rule(x):
    return only_forward(x * x) + x


def through_reverse_rule(x):
    return only_reverse(x, x + 1.0) * x


def composites(a):
    return np.linalg.norm(a) + np.ptp(a) + np.var(a) + np.average(a, weights=np.array([1.0, 2.0, 3.0]))


def test_composites_follow_their_bodies():
    check(composites, np.array([0.5, -1.0, 2.0]), order=2)
    check(smooth, 0.7, 1.5, order=2)


def test_a_forward_rule_is_transposed():
    ad.check_grads(through_forward_rule, (0.7,), order=1, modes=("rev",))


def test_a_forward_rule_is_used():
    ad.check_grads(through_forward_rule, (0.7,), order=1, modes=("fwd",))


def test_a_reverse_rule_is_used():
    ad.check_grads(through_reverse_rule, (0.7,), order=1, modes=("rev",))


def test_a_reverse_rule_forward_is_right_or_refused():
    try:
        value, tangent = ad.jvp(through_reverse_rule, (0.7,), (1.0,))
    except ad.AdcompileError as error:
        assert error.remedy
        return
    assert value == through_reverse_rule(0.7)
    h = 1e-6
    difference = (through_reverse_rule(0.7 + h) - through_reverse_rule(0.7 - h)) / (2 * h)
    assert tangent == pytest.approx(difference, rel=1e-7)


def test_branches_of_rules_at_third_order():
    """What a branch of a rule's body binds has a tangent that is unbound on the other side, too."""

    def along(f):
        return lambda a: ad.jvp(f, (a,), (np.ones_like(a),))[1]

    third = along(along(lambda a: np.sum(np.cumprod(a) ** 2)))
    check_grads(third, (np.array([1.0, 0.3]),), order=1)
