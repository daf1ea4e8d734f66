"""The checks of debug mode, called as derivatives call them."""

import numpy as np
import pytest

from adcompile.errors import RuleError
from adcompile.runtime.debug import (
    alias_map,
    check_apart,
    check_cotangent,
    check_kept,
    check_partial,
    check_shadow,
    check_tangent_of,
    finite,
)
from adcompile.runtime.shadows import shadows

SPOT = ("the rule of f", (__file__, 1, 0, 1, 3))
X = np.array([1.0, 2.0, 3.0])


def cotangent(g, x=X, y=X, y_bar=X, *others, exact=True):
    check_cotangent(SPOT, "argument 1", exact, g, x, y, y_bar, *others)


def test_cotangents_that_are_right():
    cotangent(2 * X)
    cotangent(0.5, 1.5, 2.5, 1.0)
    cotangent(2.0, exact=False)  # one number for all elements
    cotangent(X.astype("f4"), X, X.astype("f4"), X.astype("f4"))  # several dtypes: the compiler converts
    cotangent(X * np.inf, X, X, X * np.inf)
    cotangent(X * 1j)  # of which the real part is taken
    cotangent(X * np.inf, X * np.nan)


@pytest.mark.parametrize(
    "g, exact, message",
    [
        (2.0, True, r"the rule of f: the cotangent of argument 1 has shape \(\), it must have \(3,\)"),
        (np.ones((1, 3)), False, r"shape \(1, 3\)"),
        (X.astype("f4"), True, "dtype float32, it must have float64"),
        (X.astype("c8"), True, "dtype complex64"),
        (np.array([1.0, np.nan, 1.0]), True, r"not finite at \(1,\), though all arguments are"),
    ],
)
def test_cotangents_that_are_wrong(g, exact, message):
    with pytest.raises(RuleError, match=message) as caught:
        cotangent(g, exact=exact)
    assert caught.value.place is not None and f"{__file__}:1:1" in str(caught.value)


def test_numbers():
    with pytest.raises(RuleError, match="not finite, though"):
        cotangent(np.inf, 1.0, 1.0, 1.0)
    with pytest.raises(RuleError, match="shape"):
        cotangent(X, 1.0, 1.0, 1.0)


def test_tangents():
    check_tangent_of(SPOT, False, X, X, X, X)
    check_tangent_of(SPOT, False, X * np.nan, X, X, X * np.nan)
    for d, message in ((X[:2], "shape"), (X.astype("f4"), "dtype"), (X * np.inf, "not finite")):
        with pytest.raises(RuleError, match=f"the tangent of the result.*{message}"):
            check_tangent_of(SPOT, False, d, X, X, X)


def test_finite():
    assert finite(1) and finite("text") and finite(None) and finite([X, (1.0, 2j)]) and finite(np.array(["a"]))
    assert not finite([X, (1.0, np.nan)]) and not finite(np.float32(np.inf)) and not finite(complex(0, np.inf))


def test_a_shadow_alone():
    known = alias_map()
    check_shadow(known, SPOT, True, X, np.zeros(3))
    check_shadow(known, SPOT, False, X.copy(), np.ones(3))
    check_shadow(known, SPOT, True, [X.copy()], [np.zeros(3)])
    check_shadow(known, SPOT, True, 1.0, 0.0)
    x = X.copy()
    for shadow, fresh, message in (
        (np.zeros(2), True, r"float64\[2\], it must be float64\[3\]"),
        (np.zeros(3, "f4"), True, r"float32\[3\], it must be"),
        (np.ones(3), True, "not zero when it is made"),
        (x[::-1], False, "shares memory with the result itself"),
    ):
        with pytest.raises(RuleError, match=message):
            check_shadow(alias_map(), SPOT, fresh, x, shadow)


VIEWS = [
    lambda a: a[1:],
    lambda a: a[::-1],
    lambda a: a[::2, 1],
    lambda a: a.T,
    lambda a: a.reshape(-1)[3:7],
    lambda a: np.broadcast_to(a[0], (2, 4)),
    lambda a: a[1:, :, None],
]


@pytest.mark.parametrize("first", VIEWS)
@pytest.mark.parametrize("second", VIEWS)
def test_views_have_the_same_views_of_shadows(first, second):
    a = np.arange(12.0).reshape(3, 4)
    (s,) = shadows(a)
    known = alias_map()
    pairs = [(a, s), (first(a), first(s)), (second(a), second(s))]
    for x, shadow in pairs:
        check_shadow(known, SPOT, True, x, shadow)
    if first is not second and np.shares_memory(first(a), second(a)):
        with pytest.raises(RuleError, match="their shadows do not share it so"):
            check_shadow(known, SPOT, True, second(a), np.zeros(second(a).shape))


def test_a_view_of_another_place():
    a, s = np.arange(4.0), np.zeros(4)
    known = alias_map()
    check_shadow(known, SPOT, True, a, s)
    first, second = a[1:3], a[0:2]
    for shadow in (s[0:2], s[2:4], s[1:3][::-1]):
        with pytest.raises(RuleError, match="share"):
            check_shadow(known, SPOT, True, first, shadow)
    check_shadow(known, SPOT, True, first, s[1:3])
    check_shadow(known, SPOT, True, second, s[0:2])
    with pytest.raises(RuleError, match="share"):  # of memory of its own
        other = np.zeros(2)
        check_shadow(known, SPOT, True, other, s[0:2])


def test_what_is_gone_does_not_count():
    known = alias_map()
    s = np.zeros(3)
    check_shadow(known, SPOT, True, X.copy(), s)
    assert known.alive() == []
    other = X.copy()
    check_shadow(known, SPOT, True, other, s)
    assert len(known.alive()) == 1


def test_values_without_shadow_lie_apart():
    known, a = alias_map(), np.arange(4.0)
    s = np.zeros(4)
    check_shadow(known, SPOT, True, a, s)
    check_apart(known, SPOT, a.copy())
    check_apart(known, SPOT, 1.0)
    with pytest.raises(RuleError, match="was not expected"):
        check_apart(known, SPOT, a[1:])
    b = np.arange(4.0)
    check_apart(known, SPOT, b)
    with pytest.raises(RuleError, match="was not expected"):  # in the other order
        check_shadow(known, SPOT, True, b[1:], np.zeros(3))


def test_partials():
    for p in (1.0, X, X[:1], np.ones((1, 3))):
        check_partial(SPOT, "argument 1", p, np.ones((2, 3)))
    for p in (X[:2], np.ones((3, 3)), np.ones((1, 2, 3))):
        with pytest.raises(RuleError, match=r"the partial derivative for argument 1 has shape \("):
            check_partial(SPOT, "argument 1", p, np.ones((2, 3)))


def test_kept_lists():
    numbers = reversed(range(3))
    check_kept(("the loop", None), numbers, [1, 2, 3], [None] * 3)
    assert list(numbers) == [2, 1, 0], "nothing is taken out"
    with pytest.raises(RuleError, match="the loop: 2 values were kept for 3 iterations"):
        check_kept(("the loop", None), range(3), [1, 2, 3], [1, 2])
