"""Kernels of the tests are kept where the tests are, not in the user's cache."""

import pytest


@pytest.fixture(autouse=True, scope="session")
def _cache_of_the_tests(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ADCOMPILE_CACHE", str(tmp_path_factory.mktemp("adcompile")))
        yield
