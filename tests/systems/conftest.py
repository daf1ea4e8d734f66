"""Fixtures of these tests."""

import pytest

from adcompile.rules import registry


@pytest.fixture
def own_rules():
    """Rules that a test registers go with it."""
    before = set(registry.registered())
    yield
    for fn in set(registry.registered()) - before:
        registry.unregister(fn)
