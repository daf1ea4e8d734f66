"""What classes and functions say, replaced between two calls of a derivative."""

import numpy as np
import pytest

import adcompile as ad


class Rule:
    def of(self, x):
        return np.sum(x**2)

    @property
    def weight(self):
        return 2.0

    @staticmethod
    def scaled(x):
        return x * 2.0

    @classmethod
    def shifted(cls, x):
        return x + 1.0

    def __call__(self, x):
        return np.sum(x)


class Special(Rule):
    pass


def with_default(x, k=2.0):
    return x * k


def all_of(x, rule):
    parts = rule.of(x) * rule.weight + np.sum(rule.scaled(x)) + np.sum(Rule.shifted(x) ** 2)
    return parts + rule(x) ** 2 + np.sum(with_default(x) ** 3)


@pytest.mark.parametrize(
    ("owner", "name", "other"),
    [
        (Special, "of", lambda self, x: np.sum(x**3)),
        (Rule, "of", lambda self, x: np.sum(x**3)),
        (Rule, "weight", property(lambda self: 5.0)),
        (Rule, "scaled", staticmethod(lambda x: x * 7.0)),
        (Rule, "shifted", classmethod(lambda cls, x: x - 1.0)),
        (Rule, "__call__", lambda self, x: 3.0 * np.sum(x)),
        (with_default, "__defaults__", (4.0,)),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_what_classes_say_is_replaced(monkeypatch, owner, name, other):
    x, g = np.array([1.2, -0.7]), ad.value_and_grad(all_of)
    before = g(x, Special())[0]
    assert before == all_of(x, Special())
    monkeypatch.setattr(owner, name, other, raising=False)
    after = all_of(x, Special())
    assert after != before and g(x, Special())[0] == after
