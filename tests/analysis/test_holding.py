"""Containers that are not followed, by their class and by what they hold."""

import contextvars
import functools
import weakref
from collections import OrderedDict, deque

import numpy as np
import pytest

from adcompile.analysis.holding import has_holder, is_holder, within
from adcompile.ir.abstract import type_of

A = np.ones(2)


@pytest.mark.parametrize(
    ("value", "held"),
    [
        (deque([A]), True), (OrderedDict(a=A), True), (iter([A]), True), (weakref.ref(A), True), ([deque()], True),
        (np.array([None]), True), (functools.lru_cache(len), True), ([A], False), ({"a": A}, False), (A, False),
    ],
)  # fmt: skip
def test_by_type(value, held):
    assert has_holder(type_of(value)) is held


def test_what_they_hold():
    empty, named = contextvars.ContextVar("empty"), contextvars.ContextVar("named", default=A)
    assert list(within(empty)) == [] and within(named)[0] is A and within(weakref.ref(A))[0] is A
    assert list(within({"a": 1})) == [1] and is_holder(deque) and not is_holder(list)
