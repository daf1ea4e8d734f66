"""Lowered simple statements mean what Python means."""

import pytest

from tests.frontend.checking import check, name_of
from tests.frontend.language import assignments, objects


@pytest.mark.parametrize("fn, args, kwargs", assignments.CALLS + objects.CALLS, ids=name_of)
def test_means_what_python_means(fn, args, kwargs):
    check(fn, args, kwargs)
