"""Logs and patterns of text are Python's own business, where nothing in them carries derivatives."""

import functools
import logging
import re

import numpy as np
import pytest

import adcompile as ad
from tests.compiled import check

LOG = logging.getLogger(__name__)


def logged(x):
    LOG.debug("begins")
    y = np.sum(x * x)
    LOG.info("after %d elements", len(x))
    return y


def logs_its_value(x):
    y = x * x
    LOG.info("%g", y)
    return y


def looks_at_text(x, unit):
    number = re.match(r"(\d+) *(\w+)", unit)
    if number is None:
        raise ValueError(unit)
    return x * x * (1000.0 if number.group(2) == "km" else 1.0)


def test_logs_are_written(caplog):
    caplog.set_level(logging.DEBUG)
    x = np.array([0.5, -1.5])
    ad.grad(logged)(x)
    assert caplog.messages == ["begins", "after 2 elements"]
    text = ad.source(ad.grad(logged), x)
    assert "LOG.debug('begins')" in text and "handlers" not in text
    check(logged, x, order=2)


def test_logs_of_active_values(caplog):
    caplog.set_level(logging.DEBUG)
    assert ad.grad(logs_its_value)(1.5) == 3.0
    assert caplog.messages == ["2.25"]


def test_patterns():
    check(looks_at_text, 0.7, "5 km", order=2)
    check(looks_at_text, 0.7, "5 m")


def test_an_error_of_library_code_is_placed_at_the_line_that_calls_it():
    @functools.singledispatch
    def area(shape):
        raise TypeError

    @area.register
    def _(shape: list):
        return shape[0] ** 2

    @area.register
    def _(shape: tuple):
        return shape[0] * 3.0

    def f(x):
        return area([x]) + area((x,))

    try:
        assert ad.grad(f)(0.5) == 4.0
    except ad.Unsupported as error:
        assert error.place.file == __file__
        assert "functools.py" in str(error)


def test_dicts_that_are_not_known_are_merged_as_they_are():
    def f(x, k):
        given = {"a": 1.0} if k > 1 else {"b": 2.0}
        return x * len({"q": 3.0, **given}) * len(dict(**given))

    assert ad.grad(f)(0.5, 2) == 2.0
    assert ad.jvp(f, (0.5, 2), (1.0, None)) == (1.0, 2.0)


@pytest.mark.parametrize("transform", [ad.grad, lambda f: lambda *args: ad.jvp(f, args, (1.0, None))])
def test_keywords_that_are_not_known_are_refused_where_they_are_given(transform):
    def f(x, k):
        given = {"axis": 0} if k > 1 else {"axis": 1, "keepdims": True}
        m = np.array([[x, x * x]])
        return np.sum(np.sum(m, **given) ** 2)

    with pytest.raises(ad.NotDifferentiable, match=r"with \* or \*\*") as caught:
        transform(f)(0.5, 2)
    assert caught.value.place.file == __file__
