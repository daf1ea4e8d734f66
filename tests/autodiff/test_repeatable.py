"""What runs again gives the same, or is refused where it stands."""

import random

import numpy as np
import pytest

import adcompile as ad

TABLE = np.array([1.0, 2.0, 3.0])
FACTOR = 2.0
rng = np.random.default_rng(1)
X = np.array([0.3, 0.7, 1.1])


class Settings:
    def __init__(self):
        self.scale = 0.5


settings = Settings()


def draws(x, n):
    y = x
    for _ in ad.checkpointed_range(n, snaps=2):
        y = y * rng.normal()
    return np.sum(y)


def draws_of_python(x, n):
    y = x
    for _ in ad.checkpointed_range(n, snaps=2):
        y = y * random.random()
    return np.sum(y)


def shows(x, n):
    y = x
    for i in ad.checkpointed_range(n, snaps=2):
        print(i)
        y = np.sin(y)
    return np.sum(y)


def takes(x, items):
    y = x
    for _ in ad.checkpointed_range(3, snaps=2):
        y = np.sin(y) * next(items)
    return np.sum(y)


@pytest.mark.parametrize("function", [draws, draws_of_python, shows])
def test_refused(function):
    with pytest.raises(ad.AdcompileError, match="when a checkpointed loop or call runs it again") as caught:
        ad.grad(function)(X, 5)
    assert caught.value.place.file == __file__ and caught.value.remedy


def test_iterators_are_refused():
    with pytest.raises(ad.AdcompileError):
        ad.grad(takes)(X, iter([1.0, 2.0, 3.0]))


def reads_a_module(x, n):
    y = x
    for _ in ad.checkpointed_range(n, snaps=2):
        y = np.sin(y * TABLE) * FACTOR * settings.scale
    return np.sum(y)


def test_modules_and_objects_are_read_once(monkeypatch):
    """What a pullback runs again reads them as they were."""
    value, pullback = ad.vjp(reads_a_module, X, 6)
    assert value == reads_a_module(X, 6)
    wanted = pullback(1.0)[0]
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    monkeypatch.setattr(settings, "scale", 7.0)
    table = TABLE.copy()
    try:
        TABLE[...] = 5.0
        found = pullback(1.0)[0]
    finally:
        TABLE[...] = table
    assert np.array_equal(found, wanted)
