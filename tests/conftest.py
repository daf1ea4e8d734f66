"""Fixtures of all tests."""

from __future__ import annotations

import gc
import os
import zlib
from pathlib import Path

import pytest

import adcompile as ad

CHECKS = os.environ.get("ADCOMPILE_CHECK", "1" if os.environ.get("ADCOMPILE_ALL") == "1" else None)
os.environ.setdefault("ADCOMPILE_KEEP", "0")  # what is tested is the compiler, as it is now
GOLDEN = Path(__file__).parent / "golden"


def pytest_collection_finish():
    """What the tests and the libraries consist of is no garbage: an eighth of the time went into looking at it."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _verified(request):
    """In every twelfth test each stage is verified, in all if the environment says so: it costs about a third."""
    chosen = zlib.crc32(request.node.nodeid.encode()) % 12 == 0
    os.environ["ADCOMPILE_CHECK"] = CHECKS if CHECKS is not None else "1" if chosen else "0"


@pytest.fixture(scope="module", autouse=True)
def _forgotten():
    """What one file has compiled no other file needs; else a worker would hold the derivatives of all tests."""
    yield
    ad.clear()


@pytest.fixture
def golden():
    """Compares text with a file under tests/golden; ADCOMPILE_UPDATE_GOLDEN=1 writes the file."""

    def compare(name, text):
        path = GOLDEN / name
        if os.environ.get("ADCOMPILE_UPDATE_GOLDEN") == "1":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"no golden {name}; write it with ADCOMPILE_UPDATE_GOLDEN=1 and read it"
        assert text == path.read_text(encoding="utf-8"), f"golden {name} differs; ADCOMPILE_UPDATE_GOLDEN=1 rewrites it"

    return compare
