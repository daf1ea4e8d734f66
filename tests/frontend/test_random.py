"""Random programs mean the same lowered and interpreted as run by Python."""

import contextlib

import pytest

from adcompile.errors import Unsupported
from adcompile.frontend.lower import lower_function
from adcompile.ir.show import show
from adcompile.ir.verify import verify
from tests.frontend.random_programs import random_function
from tests.interpret import interpret

CHUNK = 25


def outcome(call, notes, *args):
    notes.clear()
    try:
        value = repr(call(*args))
    except Unsupported:
        raise
    except Exception as error:
        value = f"{type(error).__name__}: {error if isinstance(error, ValueError) else ''}"
    return value, list(notes)


def check(seed):
    notes = []

    def note(value):
        notes.append(value)
        return value

    fn, text = random_function(seed, {"note": note, "quiet": contextlib.nullcontext})
    function = lower_function(fn)
    verify(function)
    for args in [(0, 3), (5, -2)]:
        expected = outcome(fn, notes, *args)
        if expected[0].startswith(("UnboundLocalError", "NameError")):
            continue  # ours raises where the value is first used, not where it is read
        try:
            got = outcome(lambda *a: interpret(fn, *a), notes, *args)
        except Unsupported:
            continue
        assert got == expected, f"{text}\n{args}\n{show(function)}"


@pytest.mark.parametrize("chunk", range(16))
def test_random_programs(chunk):
    for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        check(seed)
