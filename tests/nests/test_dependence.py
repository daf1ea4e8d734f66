"""Which order of accesses the loops keep: checked against all iterations of small loops."""

import itertools

import numpy as np

from adcompile.ir.nodes import Var
from adcompile.nests.dependence import distance, relation, worse
from adcompile.nests.views import Axis

A = Var("a")


def index(*axes):
    return tuple(Axis(k, (start, ()), step) for k, start, step in axes)


def meetings(first, second, shape):
    """All pairs of iterations that touch one element."""
    turns = list(itertools.product(*map(range, shape)))

    def place(i, turn):
        return tuple(a.start[0] + (a.step * turn[a.loop] if a.loop is not None else 0) for a in i)

    return [(t, u) for t in turns for u in turns if place(first, t) == place(second, u)]


def judged(first, second, shape):
    """What `relation` may say at best."""
    found = "apart"
    for t, u in meetings(first, second, shape):
        if t[:-1] == u[:-1]:
            here = "same" if t == u else "row"
        else:
            here = "before" if t[:-1] < u[:-1] else "against"
        found = worse(found, here)
    return found


ORDER = ("apart", "same", "before", "row", "against")


def test_relations_of_two_axes():
    """Never better than what the iterations show, and exact where steps agree and axes are in order."""
    rng = np.random.default_rng(0)
    exact = 0
    for _ in range(300):
        steps = rng.choice([-1, 1, 2], 2)
        ways = [
            index(*((int(rng.integers(2)) if rng.random() < 0.2 else k, int(rng.integers(4)), int(s))
                    for k, s in enumerate(steps)))
            for _ in range(2)
        ]  # fmt: skip
        said = relation((A, ways[0], "read"), (A, ways[1], "write"), (5, 5))
        truth = judged(*ways, (5, 5))
        assert ORDER.index(said) >= ORDER.index(truth), (ways, said, truth)
        exact += said == truth
    assert exact > 200


def test_distances():
    assert distance(index((0, 1, 1)), index((0, 3, 1)), ("n",)) == (2,)
    assert distance(index((0, 0, 2)), index((0, 1, 2)), ("n",)) is None, "odd and even places"
    assert distance(index((None, 0, 0)), index((None, 1, 0)), ("n",)) is None, "two rows"
    assert distance(index((None, 2, 0), (0, 0, 1)), index((None, 2, 0), (0, 0, 1)), ("n",)) == (0,)


def test_reads_do_not_matter():
    assert relation((A, index((0, 1, 1)), "read"), (A, index((0, 0, 1)), "read"), ("n",)) == "apart"


def test_parts_that_lie_one_behind_the_other():
    def at(*terms, step=1):
        return (Axis(0, (0, terms), step),)

    for times in (-1, 1, 2):
        assert distance(at(), at(("n", times)), ("n",)) is None
    assert distance(at(("s", 1)), at(("s", 1), ("n", 1)), ("n",)) is None
    assert distance(at(step=2), at(("n", 1), step=2), ("n",)) == (None,), "every other element of twice as many"
    assert distance(at(step=2), at(("n", 2), step=2), ("n",)) is None
    assert distance(at(), at(("m", 1)), ("n",)) == (None,), "another length"
    assert distance(at(), (Axis(0, (1, (("n", 1),))),), ("n",)) == (None,)
