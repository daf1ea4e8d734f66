"""A map with an undo log."""

from dataclasses import replace

from adcompile.analysis.store import State, Store
from adcompile.ir.nodes import Const
from adcompile.ir.types import Cell


def test_undo_gives_back_what_was():
    store, a, b = Store(), Cell(list), Cell(dict)
    store.put(a, State(Const(1)))
    mark = store.mark()
    store.put(a, State(Const(2)))
    store.put(b, State(Const(3)))
    store.put(a, replace(store.states[a], lent=True))
    assert set(store.changed(mark)) == {a, b} and store.changed(mark)[b] is None
    now = store.undo(mark)
    assert now[a].lent and now[a].content.value == 2 and now[b].content.value == 3
    assert store.states[a].content.value == 1 and b not in store.states


def test_seen_from_the_end_of_a_branch():
    store, a, b = Store(), Cell(list), Cell(list)
    store.put(a, State(Const(1)))
    branch = {a: State(Const(2)), b: State(Const(3))}
    with store.seen_from(branch):
        assert store.states[a].content.value == 2
        store.put(b, replace(store.states[b], lent=True))
    assert store.states[a].content.value == 1 and b not in store.states and branch[b].lent
