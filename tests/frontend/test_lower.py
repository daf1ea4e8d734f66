"""Lowered control flow means what Python means."""

import pytest

from tests.frontend.checking import check, name_of
from tests.frontend.language import control_flow


@pytest.mark.parametrize("fn, args, kwargs", control_flow.CALLS, ids=name_of)
def test_means_what_python_means(fn, args, kwargs):
    check(fn, args, kwargs)
