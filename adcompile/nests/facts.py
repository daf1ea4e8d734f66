"""What is known of the arrays of a function while it is lowered: lengths, views, shared memory."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Var
from adcompile.ir.types import Array, ListT, Seq, Type
from adcompile.nests.elementwise import COPIES, DType, dtype_of, operation
from adcompile.nests.extents import Extents, Scopes
from adcompile.nests.frames import Frames
from adcompile.nests.keys import Keys, common
from adcompile.nests.views import View, is_view, whole
from adcompile.optimise.sharing import is_fresh
from adcompile.optimise.typing import INPLACE, hashable, kinds, type_of
from adcompile.runtime import arrays, memory
from adcompile.runtime.loops import outlined
from adcompile.runtime.shadows import shadows

ANYWHERE = "anywhere"  # memory that came from outside, or of which nothing is known
Origins = frozenset[Any]
MADE = frozenset({*COPIES, memory.outline, outlined, np.empty, np.empty_like})
"""What these give has memory of its own, or none that is written."""
HANDING_ON = frozenset({ops.index_add, ops.identity, ops.expect_length, memory.apart})
"""These give an array that they are given."""


@dataclass(eq=False)
class Facts:
    scopes: Scopes
    extents: Extents
    frames: Frames
    types: dict[Var, Type]
    uses: Counter[Var] = field(default_factory=Counter[Var])
    kept: frozenset[Var] = frozenset()  # in lists: there whether or not something reads them
    views: dict[Var, View] = field(default_factory=dict[Var, View])
    fresh: set[Var] = field(default_factory=set[Var])  # temporaries that are being gathered: not there yet
    origin: dict[Var, Origins] = field(default_factory=dict[Var, Origins])
    root: dict[Var, frozenset[Var]] = field(default_factory=dict[Var, frozenset[Var]])
    made_for: dict[Var, Var] = field(default_factory=dict[Var, Var])  # memory, by the result that will lie in it

    def seen(self, var: Var) -> View:
        """An array as a view of memory that has a name of its own."""
        found = self.views.get(var)
        if found is not None:
            return found
        keys = self.extents.of(var)
        assert keys is not None
        return whole(var, keys)

    def joined(self, call: Call, operands: Sequence[Atom]) -> Keys | None:
        """The space of an elementwise operation, whose operands then fit together."""
        found = [self.extents.of(a) for a in operands if isinstance(type_of(a, self.types), Array)]
        keys = [self.frames.canonical_all(k) for k in found if k is not None]
        if len(keys) < len(found) or not keys:
            return None
        space = common(keys)
        for own in keys:
            for a, b in zip(own, space[len(space) - len(own) :]):
                if a != 1:
                    self.frames.agree(a, b)
        return self.frames.canonical_all(space)

    def broadcasts(self, value: Atom, extents: Keys) -> bool:
        """Whether a value can be written at a place of these lengths; then it fits."""
        if not isinstance(type_of(value, self.types), Array):
            return True
        keys = self.extents.of(value)
        if keys is None or not keys or len(keys) > len(extents):
            return False
        keys = self.frames.canonical_all(keys)
        for a, b in zip(keys, extents[len(extents) - len(keys) :]):
            if a != 1:
                self.frames.agree(a, b)
        return True

    def fits(self, value: Atom, dtype: DType, update: bool) -> bool:
        """Whether a number or array may be written as this dtype, or added to what is of this dtype
        and computed with in no larger one."""
        found = dtype_of(value, self.types)
        if found is None:
            return False
        weak = kinds(type_of(value, self.types)) <= {int, float} and not isinstance(type_of(value, self.types), Array)
        return found == dtype or dtype.kind == "f" and found.kind in "if" and (weak or not update)

    def within(self, view: View) -> None:
        for key, place in view.inside:
            self.frames.inside(place, key)

    # -- memory ---------------------------------------------------------------------------------

    def apart(self, a: Var, b: Var) -> bool:
        """Whether two arrays are known to share no memory."""
        if a in self.fresh or b in self.fresh or self.frames.known_apart(a, b):
            return True
        if self.newer(a, b) or self.newer(b, a):
            return True
        mine, its = self.origins(a), self.origins(b)
        return bool(mine and its) and not mine & its and ANYWHERE not in mine | its

    def newer(self, a: Var, b: Var) -> bool:
        """Whether the memory of `a` was made for it, when `b` was there already."""
        made = self.made_for.get(a, a)
        if self.origins(a) != frozenset({made}):
            return False
        order = self.scopes.order
        return made not in order or b in order and order[b] < order[made]

    def make_for(self, made: Var, result: Var) -> None:
        """Know memory that is there before what will lie in it: that may be seen under other names by then."""
        self.types[made], self.made_for[made] = self.types[result], result
        self.origin[made] = self.root[made] = frozenset({result})

    def near(self, a: Var, b: Var) -> bool:
        """Whether two arrays may be views of one: a guard that asks for others would hardly ever hold."""
        return a is not b and bool(self.roots(a) & self.roots(b))

    def origins(self, var: Var) -> Origins:
        """What made the memory that an array may show."""
        found = self.origin.get(var)
        if found is None:
            found = self.origin[var] = frozenset(o for v in self.roots(var) for o in self._origins(v))
        return found

    def roots(self, var: Var) -> frozenset[Var]:
        """The values that an array may be a view of, through joins, lists and views: what no other value gave them."""
        if var not in self.root:
            self.root[var] = self._joined(var)
        return self.root[var]

    def _joined(self, var: Var) -> frozenset[Var]:
        out: set[Var] = set()
        seen: set[Var] = set()
        work: list[Atom] = [var]
        while work:
            v = work.pop()
            if not isinstance(v, Var) or v in seen:
                continue
            seen.add(v)
            handed = self.scopes.joins[v] if v in self.scopes.joins else self._hands_on(v)
            if handed is None:
                out.add(v)
            else:
                work.extend(handed)
        return frozenset(out)

    def _origins(self, var: Var) -> Origins:
        call = self.extents.defs.get(var)
        if call is None or not isinstance(call.fn, Const) or not hashable(call.fn.value):
            return frozenset({ANYWHERE})
        made_here = call.fn.value in MADE or is_fresh(call, self.types)
        if made_here or operation(call, self.types, self.extents.functions) is not None:
            return frozenset({var})
        made = self.extents.defs.get(call.args[0]) if call.args and isinstance(call.args[0], Var) else None
        if made is not None and isinstance(made.fn, Const) and made.fn.value is shadows:
            return frozenset({made.result})
        return frozenset({ANYWHERE})

    def _hands_on(self, var: Var) -> list[Atom] | None:
        """Whose memory a value is, if its call hands memory on."""
        call = self.extents.defs.get(var)
        if call is None or not isinstance(call.fn, Const) or not hashable(call.fn.value):
            return None
        fn = call.fn.value
        if fn in (ops.push, ops.build_list) and isinstance(self.types.get(var), (Seq, ListT)):
            return list(call.args)
        if fn is operator.getitem and isinstance(type_of(call.args[0], self.types), (Seq, ListT)):
            return [call.args[0]]
        array = bool(call.args) and isinstance(type_of(call.args[0], self.types), Array)
        if not array or not isinstance(self.types.get(var), Array):
            return None
        if is_view(call) or fn in INPLACE or fn in HANDING_ON:
            return [call.args[0]]
        return [call.args[0]] if fn in (arrays.unbroadcast, arrays.broadcast_like) else None
