"""Rules that give what is no derivative: refused with the rule, the argument and the place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adcompile as ad
from adcompile import rules
from adcompile.errors import RuleError

X = np.array([1.1, 2.2, 3.3])


class Box:
    def __init__(self) -> None:
        self.v = 1.0


def of_one(rule: Any) -> Any:
    def e(x: Any) -> Any:
        return x * 2.0

    rules.vjp(e)(rule)
    return lambda x: np.sum(e(x) * x)


def of_two(rule: Any) -> Any:
    def e(x: Any, k: Any) -> Any:
        return x * k

    rules.vjp(e)(rule)
    return lambda x: np.sum(e(x, x[0]) * x)


def forward(rule: Any) -> Any:
    def e(x: Any) -> Any:
        return x * 2.0

    rules.frule(e)(rule)
    return e


WRONG = {
    "Box": lambda g, y, x: Box(),
    "str": lambda g, y, x: "a",
    "dict": lambda g, y, x: {"a": g},
    "function": lambda g, y, x: np.sin,
    "set": lambda g, y, x: {1.0},
    "axes": lambda g, y, x: np.outer(g, g),
}


@pytest.mark.parametrize("name", list(WRONG))
def test_a_cotangent_that_is_none_names_the_rule_and_the_argument(name: str) -> None:
    with pytest.raises(RuleError, match=r"rule of .*e returns .* as the cotangent of argument 1") as error:
        ad.grad(of_one(WRONG[name]))(X)
    assert error.value.place is not None
    assert error.value.place.file == __file__


def test_the_second_argument_is_named() -> None:
    with pytest.raises(RuleError, match="a str as the cotangent of argument 2"):
        ad.grad(of_two(lambda g, y, x, k: (g * k, "a")))(X)


def test_forward_mode_through_a_vjp_says_the_same() -> None:
    with pytest.raises(RuleError, match="a str as the cotangent of argument 1"):
        ad.jvp(of_one(lambda g, y, x: "a"), (X,), (X,))


def test_an_rrule_that_pulls_back_an_object() -> None:
    def e(x: Any) -> Any:
        return x * 2.0

    rules.rrule(e)(lambda x: (x * 2.0, lambda g: Box()))
    with pytest.raises(RuleError, match="a Box as the cotangent of argument 1"):
        ad.grad(lambda x: np.sum(e(x)))(X)


def test_a_list_of_another_length() -> None:
    def e(items: Any) -> Any:
        return items[0] * items[1]

    rules.vjp(e)(lambda g, y, items: ([g * items[1]],))
    with pytest.raises(RuleError, match="1 items for 2 as the cotangent of argument 1"):
        ad.grad(lambda x: e([x[0], x[1]]))(X)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (lambda x, d: (x * 2.0, np.sum(d)), "a number as the tangent of the result, which is an array"),
        (lambda x, d: (x * 2.0, 1.0), "a number as the tangent of the result"),
        (lambda x, d: (x * 2.0, "a"), "a str as the tangent of the result"),
        (lambda x, d: (x * 2.0, (d, d)), "a tuple as the tangent of the result"),
        (lambda x, d: x * 2.0, "no tuple of two"),
        (lambda x, d: (x * 2.0, d, d), "3 results"),
    ],
)
def test_a_tangent_that_is_none(rule: Any, message: str) -> None:
    e = forward(rule)
    for f in (e, lambda x: e(x)[0]):
        with pytest.raises(RuleError, match=message):
            ad.jvp(f, (X,), (X,))
    with pytest.raises(RuleError, match=message):
        ad.grad(lambda x: np.sum(e(x)))(X)


def test_none_is_the_zero_tangent() -> None:
    e = forward(lambda x, d: (x * 2.0, None))
    value, tangent = ad.jvp(lambda x: e(x)[0] * x[1], (X,), (X,))
    assert value == 2 * X[0] * X[1]
    assert tangent == 2 * X[0] * X[1]


@pytest.mark.parametrize("made", [["a", "b", "c"], [None, 1, 2]])
def test_debug_mode_sees_arrays_of_other_things(made: Any) -> None:
    with ad.config(debug=True), pytest.raises(RuleError, match="must be of numbers"):
        ad.grad(of_one(lambda g, y, x: np.array(made)))(X)
