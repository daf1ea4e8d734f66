"""Names that some paths leave unbound raise where the primal does, and nowhere else."""


import pytest

from tests.backend.printing import reprint


def sometimes(n):
    if n:
        y = 1
    return y


def after_no_trip(n):
    for i in range(n):
        y = i
    return y


def passed_on(n):
    for i in range(3):
        if i > 1:
            z = y + n  # noqa: F821
        if n:
            y = i
    return z


@pytest.mark.parametrize("fn", [sometimes, after_no_trip, passed_on])
def test_unbound(fn):
    again = reprint(fn)
    assert again(2) == fn(2)
    with pytest.raises(UnboundLocalError):
        fn(0)
    with pytest.raises((UnboundLocalError, TypeError)):
        again(0)


def test_copies_of_unbound_values_do_not_raise():
    """Copying a name that is not bound yet to another is none of the primal's doing."""

    def f(n):
        for i in range(n):
            old = new if i else None  # noqa: F821
            new = i
        return n

    assert reprint(f)(3) == 3
