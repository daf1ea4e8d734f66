"""Where containers whose contents are known go, and writes into them are not followed any more.

Types say of which sites a container may be (analysis/contents). That is true as long as whatever a container
flows into says so too. Here the whole program is gone through, and a site is given up of which a container
reaches what does not name it: a value of another type, or a call of which nothing is known.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from adcompile.analysis.activity import leaf_ends
from adcompile.analysis.builder import Context, Restart, const_type
from adcompile.analysis.contents import Site, give_up, is_inert, is_pooled, sites_in
from adcompile.analysis.made import READERS
from adcompile.analysis.mutation import positions_written
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, For, Function, If, OpaqueCode, Raise, Return, Statement, While, Yield
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import Array, Closure, Filled, IterT, ListT, Method, TupleT, Type
from adcompile.ir.walk import all_blocks, atoms_of, end_atoms, statements_of

TAKING: tuple[Any, ...] = (operator.getitem, getattr, ops.pop, ops.unpack, next)
"""These give a part of what they are given, typed as that."""
COMPARING: tuple[Any, ...] = (*READERS, operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
"""These keep nothing of what they are given."""
COPYING: tuple[Any, ...] = (
    set, frozenset, sum, operator.add, operator.mul, operator.or_, operator.and_, operator.sub, operator.xor,
    np.array, np.asarray,
)  # fmt: skip
"""What these give is new, and holds what the containers hold that they are given."""

TESTING: tuple[Any, ...] = (*COMPARING, operator.contains, operator.not_, len)
"""What these give is a test or a number."""
LOOKING: tuple[Any, ...] = (
    *TESTING, sorted, list, tuple, set, frozenset, sum, min, max, any, all,
    operator.or_, operator.and_, operator.sub, operator.xor,
)  # fmt: skip
"""These write into no set that they are given, and give none of them."""

BEING: tuple[Any, ...] = (len, bool, operator.not_, operator.is_, operator.is_not)
"""These ask whether a container is there, or how much it holds."""
ORDERING: tuple[Any, ...] = (sorted, min, max, list.sort)
"""These compare the items, also those of containers among them."""


def check_escapes(context: Context, functions: Collection[Function]) -> None:
    """Raises Restart, with sites given up, where a container may be met that its type does not tell of, and where
    a test has been folded of whether something is in a set that may be written into."""
    if context.folded_sets:
        check_folded(context, functions)
    if context.contents is None:
        return
    check = Escapes(context, used_beside(functions, TESTING, iterated=True))
    for function in functions:
        for s in statements_of(function.body):
            check.statement(s)
        for block in all_blocks(function.body) if context.pools is not None else ():
            if isinstance(block.end, (Return, Raise)):
                check.leaves(*end_atoms(block.end))
    if check.lost:
        give_up(context, frozenset(check.lost))


def check_folded(context: Context, functions: Iterable[Function]) -> None:
    """The sets of which a display is taken for all they hold are only looked at."""
    used = used_beside(functions, LOOKING)
    written = {place for var, place in context.folded_sets.items() if var in used}
    if written:
        context.demoted.update((set, place) for place in written)
        raise Restart


def used_beside(functions: Iterable[Function], group: tuple[Any, ...], iterated: bool = False) -> set[Atom]:
    """The values that are used by more than calls of these, and as tests of branches; `iterated`: also those that a
    loop goes through."""
    used: set[Atom] = set()
    yielded: dict[Atom, list[Atom]] = {}
    for block in (block for function in functions for block in all_blocks(function.body)):
        used.update(() if isinstance(block.end, Yield) else end_atoms(block.end))
        for s in block.statements:
            if isinstance(s, If):
                for end in (s.then.end, s.orelse.end):
                    for result, value in zip(s.results, end.values if isinstance(end, Yield) else ()):
                        yielded.setdefault(result, []).append(value)
            elif not (isinstance(s, Call) and isinstance(s.fn, Const) and is_one(s.fn.value, group)):
                used.update(s.init if isinstance(s, For) and not iterated else atoms_of(s))
    todo = list(used)
    while todo:
        fresh = [v for v in yielded.pop(todo.pop(), ()) if v not in used]
        used.update(fresh)
        todo += fresh
    return used


class Escapes:
    def __init__(self, context: Context, used: set[Atom]) -> None:
        self.context, self.used = context, used
        self.lost: set[Site] = set()

    def type(self, atom: Atom) -> Type:
        return const_type(atom.value) if isinstance(atom, Const) else self.context.types[atom]

    def sites(self, *atoms: Atom) -> frozenset[Site]:
        return frozenset().union(*(sites_in(self.type(a)) for a in atoms))

    def flow(self, source: Atom, target: Atom) -> None:
        self.lost |= self.sites(source) - self.sites(target)

    def flows(self, sources: tuple[Atom, ...], targets: tuple[Atom, ...]) -> None:
        for source, target in zip(sources, targets):
            self.flow(source, target)

    def statement(self, s: Statement) -> None:
        if isinstance(s, Call):
            self.call(s)
        elif isinstance(s, If):
            for branch in (s.then, s.orelse):
                if isinstance(branch.end, Yield):
                    for value, result in zip(branch.end.values, s.results):
                        if result in self.used:  # `if rows and …` only tests
                            self.flow(value, result)
        elif isinstance(s, For):
            element, *params = s.body.params
            if self.sites(s.iterable) and not self.is_part(element):
                self.lost |= self.sites(s.iterable)
            self.loop(s, tuple(params))
        elif isinstance(s, While):
            self.loop(s, s.body.params)

    def loop(self, s: For | While, params: tuple[Atom, ...]) -> None:
        self.flows(s.init, params)
        self.flows(s.init, s.results)
        self.flows(params, s.results)
        for values in leaf_ends(s.body):
            self.flows(values, params)
            self.flows(values, s.results)

    def is_part(self, atom: Atom) -> bool:
        """Whether a value is what a container holds, as its type says."""
        return is_inert(self.type(atom)) or bool(self.sites(atom))

    def call(self, s: Call) -> None:
        given = self.sites(s.fn, *s.args, *(v for _, v in s.kwargs))
        if given and not self.is_followed(s):
            self.lost |= given
        if self.context.pools is not None and given and not self.sees_no_item(s):
            self.leaves(s.fn, *s.args, *(v for _, v in s.kwargs))

    def leaves(self, *atoms: Atom) -> None:
        """These go where what a container holds would be taken for the values that it stands for."""
        self.lost |= {site for site in self.sites(*atoms) if self.holds_numbers(site)}

    def holds_numbers(self, site: Site) -> bool:
        held = self.context.contents[site] if self.context.contents is not None else None
        return held is not None and (is_pooled(held.item) or any(map(self.holds_numbers, sites_in(held.item))))

    def sees_no_item(self, s: Call) -> bool:
        """Whether a call that is given containers looks at none of their items, or is of analysis/pools."""
        if not isinstance(s.fn, Const) or s.result in self.context.contents_calls:
            return isinstance(s.fn, Const)
        if is_one(s.fn.value, BEING):
            return True
        given = [self.type(a) for a in (*s.args, *(v for _, v in s.kwargs))]
        if is_one(s.fn.value, ORDERING) or any(isinstance(t, (Closure, Method)) for t in given):
            return False
        t = given[0] if s.args else None
        if is_one(s.fn.value, TAKING):
            return not isinstance(t, (Filled, IterT)) or isinstance(self.type(s.result), Method)
        return self.sites(*s.args, *(v for _, v in s.kwargs)) <= sites_in(self.type(s.result))

    def is_followed(self, s: Call) -> bool:
        """Whether a call that is given containers writes into none of them unseen, keeps none, and gives
        none that its type does not tell of."""
        if not isinstance(s.fn, Const) or isinstance(s.fn.value, (OpaqueCode, FunctionRef)):
            return False
        if s.result in self.context.contents_calls or is_one(s.fn.value, COMPARING):
            return True
        fn, t = s.fn.value, self.type(s.args[0]) if s.args else None
        written = positions_written(fn)
        if written is None or written and not isinstance(t, Array):
            return False
        if is_one(fn, TAKING) and self.is_part(s.result):
            return True
        result = self.type(s.result)
        if isinstance(result, Array) and result.dtype.kind != "O" or is_inert(result):
            return True
        given = self.sites(*s.args, *(v for _, v in s.kwargs))
        if given <= sites_in(result):
            return True
        within = any(isinstance(self.type(a), (ListT, TupleT)) and self.sites(a) for a in s.args)
        return is_one(fn, COPYING) and not within and not any(self.holds_containers(site) for site in given)

    def holds_containers(self, site: Site) -> bool:
        held = self.context.contents[site] if self.context.contents is not None else None
        return held is None or bool(sites_in(held.item) or sites_in(held.key))


def is_one(fn: Any, group: tuple[Any, ...]) -> bool:
    return any(fn is f for f in group)
