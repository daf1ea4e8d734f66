"""Copy propagation: results of branches and loops that are only other names for a value.

SSA has no copy statements; copies hide in structure. All rewrites here are bit-exact.
"""

from __future__ import annotations

from collections.abc import MutableMapping

from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Break, Call, Const, Continue, End, For, If, Statement, Var, While, Yield
from adcompile.ir.types import Type
from adcompile.optimise.rewrite import ForwardWalk, leaves
from adcompile.optimise.typing import const_key, same_atom
from adcompile.runtime import checkpoints, marks, special


def copies(block: Block, types: MutableMapping[Var, Type]) -> Block:
    """Read the original for a copy.

    - `identity(x)`, `rt.valued(plain, x)`, `rt.checkpointed(steps, 5)`;
    - If results: both branches yield the same value, or the same pair as another result;
    - carried values that never change, or always equal another carried value.
    """
    return _Copies(types).block(block)


class _Copies(ForwardWalk):
    def visit(self, call: Call, out: list[Statement]) -> None:
        if isinstance(call.fn, Const) and call.fn.value is ops.identity:
            self.replace(call.result, call.args[0])
        elif isinstance(call.fn, Const) and call.fn.value is special.valued:
            self.replace(call.result, call.args[1])
        elif isinstance(call.fn, Const) and call.fn.value is checkpoints.checkpointed and is_count(call.args[1]):
            self.replace(call.result, call.args[0])
        elif isinstance(call.fn, Const) and call.fn.value is marks.runs_again:
            self.replace(call.result, Const(True))
        else:
            self.emit(call, out)

    def branch(self, s: If, out: list[Statement]) -> End | None:
        end = super().branch(s, out)
        new = out[-1]
        if not isinstance(new, If) or not new.results:
            return end
        yields = [b.end.values for b in (new.then, new.orelse) if isinstance(b.end, Yield)]
        seen: dict[tuple[object, ...], Var] = {}
        for k, result in enumerate(new.results):
            values = [v[k] for v in yields]
            if values and all(same_atom(v, values[0]) for v in values) and self.outside(values[0]):
                self.replace(result, values[0])
                continue
            first = seen.setdefault(tuple(map(const_key, values)), result)
            if first is not result:
                self.replace(result, first)
        return end

    def loop(self, s: For, out: list[Statement]) -> None:
        self._carried(s, s.body.params[1:])
        super().loop(s, out)

    def repeat(self, s: While, out: list[Statement]) -> End | None:
        self._carried(s, s.body.params)
        return super().repeat(s, out)

    def _carried(self, s: For | While, params: tuple[Var, ...]) -> None:
        """Replace carried values that are their initial value, or another carried value, for ever."""
        init = self.atoms(s.init)
        ends = list(leaves(s.body))
        following = [e.values for e in ends if isinstance(e, Continue)]
        leaving = [e.values for e in ends if isinstance(e, Break)]
        seen: dict[tuple[object, ...], int] = {}
        for k, param in enumerate(params):
            start = init[k]

            def unchanged(atom: Atom, param: Var = param, start: Atom = start) -> bool:
                return atom is param or same_atom(self.atom(atom), start)

            if all(unchanged(v[k]) for v in following):
                self.replace(param, start)
                if all(unchanged(v[k]) for v in leaving):
                    self.replace(s.results[k], start)
                continue
            row = (const_key(start), *(self._in_slot(v[k], param) for v in (*following, *leaving)))
            j = seen.setdefault(row, k)
            if j != k:
                self.replace(param, params[j])
                self.replace(s.results[k], s.results[j])

    def _in_slot(self, atom: Atom, param: Var) -> object:
        return "itself" if atom is param else const_key(self.atom(atom))


def is_count(atom: Atom) -> bool:
    """Whether this is a constant number of snapshots that nobody would refuse."""
    return isinstance(atom, Const) and isinstance(atom.value, int) and atom.value >= 1
