import gc

import pytest

from adcompile.collecting import uncollected


def test_nothing_is_collected_meanwhile():
    with uncollected():
        assert not gc.isenabled()
        with uncollected():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_what_is_off_stays_off():
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_exceptions_come_through():
    with pytest.raises(KeyError), uncollected():
        raise KeyError("k")
    assert gc.isenabled()
