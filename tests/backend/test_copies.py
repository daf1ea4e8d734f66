"""Parallel copies one after the other: the same values as all at once."""

import random

import pytest

from adcompile.backend.copies import Copy, sequence


@pytest.mark.parametrize("seed", range(30))
def test_sequence_of_copies(seed):
    r = random.Random(seed)
    names = "abcdef"
    copies = [Copy(n, r.choice(names), frozenset()) for n in r.sample(names, r.randrange(1, 6))]
    copies = [Copy(c.name, c.value, frozenset(c.value), r.random() < 0.3) for c in copies]
    before = {n: n.upper() for n in names}
    want = before | {c.name: before[c.value] for c in copies}
    got = dict(before)
    for group in sequence(copies):
        got |= {c.name: got[c.value] for c in group}
    assert got == want
