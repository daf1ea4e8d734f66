"""Lists of lists that are known by where each begins: whether that says what each holds.

The items of all lists of a class lie one behind the other, and each list ends where the next one begins. So that those
who have only where they begin can make lists of them again, every list that is made must be kept, once, when it is
whole, and before another one begins. A kernel that reads them by number needs none of this.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator

from adcompile.backend.native.lists import Lists
from adcompile.ir import ops
from adcompile.ir.nodes import Block, Break, Call, Continue, Function, If, Statement, Var, Yield
from adcompile.ir.walk import all_blocks, atoms_of, blocks_of, end_atoms, statements_of
from adcompile.optimise.direct import called


def lie_in_order(function: Function, lists: Lists, root: Var) -> bool:
    """Whether the lists of this class, which are items of others, are kept so."""
    sites = {v for v in lists.sites if lists.find(v) is root}
    pushes = [(b, k) for b in all_blocks(function.body) for k, s in enumerate(b.statements) if _keeps(s, lists, root)]
    if len(pushes) != 1:
        return False
    ((block, at),) = pushes
    keeping = block.statements[at]
    assert isinstance(keeping, Call)
    before = block.statements[:at]
    if not sites <= set(_made_in(before)) or any(_goes_on(s) for s in before):
        return False
    filled = [s for s in statements_of(function.body) if _fills(s, lists, root)]
    if len(filled) != sum(_fills(s, lists, root) for t in before for s in _within(t)):
        return False
    return _sources(keeping.args[1], lists, before) == sites and not _handed_on(function, lists, root)


def _keeps(s: Statement, lists: Lists, root: Var) -> bool:
    """Whether a statement keeps a list of the class in another one."""
    return (
        isinstance(s, Call) and called(s) is ops.push and isinstance(s.args[1], Var) and lists.find(s.args[1]) is root
    )


def _fills(s: Statement, lists: Lists, root: Var) -> bool:
    return (
        isinstance(s, Call) and called(s) is ops.push and isinstance(s.args[0], Var) and lists.find(s.args[0]) is root
    )


def _handed_on(function: Function, lists: Lists, root: Var) -> bool:
    """Whether lists of the class get elsewhere than into the one that keeps them. To read one by number is allowed."""
    for s in statements_of(function.body):
        if isinstance(s, Call) and not _keeps(s, lists, root) and not _fills(s, lists, root):
            given = s.args[1:] if called(s) is operator.getitem else atoms_of(s)
            if any(isinstance(a, Var) and lists.find(a) is root for a in given):
                return True
    return any(isinstance(a, Var) and lists.find(a) is root for a in end_atoms(function.body.end))


def _sources(atom: object, lists: Lists, before: Iterable[Statement]) -> set[Var] | None:
    """Where a list was made, in these statements; None: elsewhere, or in a branch that may give another one."""
    joined = {r: (s, k) for t in before for s in _within(t) if isinstance(s, If) for k, r in enumerate(s.results)}
    out: set[Var] = set()
    met: set[object] = set()
    work = [atom]
    while work:
        a = work.pop()
        if not isinstance(a, Var) or a in met:
            continue
        met.add(a)
        if a in lists.sites:
            out.add(a)
            continue
        if a not in lists.source:
            return None
        if a in joined:
            s, k = joined[a]
            for branch in (s.then, s.orelse):
                value = branch.end.values[k] if isinstance(branch.end, Yield) else None
                found = _sources(value, lists, before)
                if found is None or not found <= set(_made_in(branch.statements)):
                    return None
        work.extend(lists.source[a])
    return out


def _made_in(statements: Iterable[Statement]) -> Iterator[Var]:
    """What calls give that stand in these statements, or in branches of theirs."""
    for s in statements:
        if isinstance(s, Call):
            yield s.result
        elif isinstance(s, If):
            for block in (s.then, s.orelse):
                yield from _made_in(block.statements)


def _within(statement: Statement) -> Iterator[Statement]:
    yield statement
    for block in blocks_of(statement):
        yield from statements_of(block)


def _goes_on(s: Statement) -> bool:
    """Whether a branch leaves the block in which the statement stands."""
    if not isinstance(s, If):
        return False
    blocks: tuple[Block, ...] = (s.then, s.orelse)
    return any(isinstance(b.end, (Break, Continue)) or any(map(_goes_on, b.statements)) for b in blocks)
