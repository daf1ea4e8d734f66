"""Nested functions see the values that Python's closures see."""

import pytest

from tests.frontend.checking import check, name_of
from tests.frontend.language import functions


@pytest.mark.parametrize("fn, args, kwargs", functions.CALLS, ids=name_of)
def test_means_what_python_means(fn, args, kwargs):
    check(fn, args, kwargs)
