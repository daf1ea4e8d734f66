"""Lists and dicts that are written into, as the frontend lowers them."""

import pytest

from tests.frontend.checking import check, name_of
from tests.frontend.language import containers


@pytest.mark.parametrize("fn, args, kwargs", containers.CALLS, ids=name_of)
def test_means_what_python_means(fn, args, kwargs):
    check(fn, args, kwargs)
