"""Logs and patterns of text are Python's own business, where nothing in them carries derivatives."""

import logging
import re

import numpy as np

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
