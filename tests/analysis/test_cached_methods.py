"""Cached methods of objects that come as arguments: right, or refused where the cache holds something else."""

from __future__ import annotations

import functools
from typing import Any

import pytest

import adcompile as ad
from adcompile.errors import Unsupported

SCALE = 2.0


class Table:
    def __init__(self, w: float) -> None:
        self.w = w

    @functools.lru_cache  # noqa: B019
    def scaled(self, n: int) -> float:
        return n * SCALE

    @functools.lru_cache  # noqa: B019
    def own(self, n: int) -> Any:
        return self.w * n

    @functools.lru_cache  # noqa: B019
    def listed(self, n: int) -> list[float]:
        return [1.0] * n


def of_scaled(t: Any, x: Any) -> Any:
    return x * t.scaled(3) * t.w


def of_own(t: Any, x: Any) -> Any:
    return x * t.own(n=3)


def of_a_list(t: Any, x: Any) -> Any:
    return x * sum(t.listed(2))


def after_a_write(t: Any, x: Any) -> Any:
    t.w = t.w * x
    return t.own(3)


def test_a_cache_that_holds_what_the_source_gives() -> None:
    t = Table(1.5)
    assert ad.value_and_grad(of_scaled, argnums=1)(t, 2.0) == (18.0, 9.0)
    assert ad.grad(of_own)(t, 2.0).w == 6.0
    assert ad.jvp(of_own, (t, 2.0), (None, 1.0)) == (9.0, 4.5)
    assert Table.scaled.cache_info().currsize > 0


def test_a_cache_that_holds_something_else_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    t = Table(1.5)
    assert of_scaled(t, 2.0) == 18.0
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    with pytest.raises(Unsupported, match="the cache of scaled"):
        ad.grad(of_scaled, argnums=1)(t, 2.0)
    assert ad.grad(of_scaled, argnums=1)(Table(1.5), 2.0) == 22.5


def test_an_attribute_that_changed_since() -> None:
    t = Table(1.5)
    assert of_own(t, 2.0) == 9.0
    t.w = 4.0
    with pytest.raises(Unsupported, match="the cache of own"):
        ad.grad(of_own, argnums=1)(t, 2.0)


@pytest.mark.parametrize("f", [of_a_list, after_a_write])
def test_what_cannot_be_compared(f: Any) -> None:
    with pytest.raises(Unsupported, match="of an object that the caller has") as error:
        ad.grad(f, argnums=1)(Table(1.5), 2.0)
    assert error.value.place is not None
