"""Keys of lengths: equal keys are equal lengths."""

from adcompile.ir.nodes import Var
from adcompile.nests.keys import common, least, less, size, span, vars_in

X, Y = Var("x"), Var("y")
N = ("dim", X, 0)


def test_what_is_taken_away_adds_up():
    assert less(less(N, 1), 2) == less(N, 3) == ("less", N, 3)
    assert less(N, 0) == N
    assert less(5, 7) == 0


def test_known_lengths_are_numbers():
    assert (least(9, 4), least(2, 4), least(N, 0)) == (4, 2, 0)
    assert span(1, 8, 3) == len(range(1, 8, 3))
    assert span(0, N, 1) == N


def test_what_a_key_names():
    key = ("span", less(N, 1), ("clip", ("dim", Y, 1), X), 2)
    assert vars_in(key) == {X, Y}
    assert size(3) < size(N) < size(less(N, 1)) < size(key)


def test_axes_of_length_one_are_broadcast():
    assert common([(N, 1), (1,), (1, 7)]) == (N, 7)
    assert common([(1,), (1, 1)]) == (1, 1)
