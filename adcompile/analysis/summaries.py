"""What functions that are called by reference write into, of what they are given: lists, dicts and objects.

Arrays are followed through such calls (autodiff/separate); what is no array is not, and who calls has to know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from adcompile.analysis.mutation import Aliases, calls_in, reference_of, writes_into
from adcompile.ir.nodes import Atom, Call, Function, Var
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import Array, Type

Summaries = dict[FunctionRef, set[int]]


def summaries(
    calls: Sequence[Call], functions: Mapping[FunctionRef, Function], types: Mapping[Var, Type]
) -> Summaries:
    """The parameters that functions write into; empty where no call among `calls` is of one."""
    if not any(reference_of(call) is not None for call in calls):
        return {}
    found: Summaries = {ref: set() for ref in functions}
    bodies = {ref: _Body(function, types) for ref, function in functions.items()}
    while any([body.spread(found, found[ref]) for ref, body in bodies.items()]):  # noqa: C419  each of them
        pass
    return found


def written_arguments(call: Call, known: Summaries) -> list[Atom]:
    ref = reference_of(call)
    return [call.args[k] for k in sorted(known.get(ref, ()))] if ref is not None else []


class _Body:
    """A function's own writes, and those of the functions that it calls."""

    def __init__(self, function: Function, types: Mapping[Var, Type]) -> None:
        self.params, self.types = function.params, types
        self.aliases = Aliases(types, function.body)
        self.calls = [c for s in function.body.statements for c in calls_in(s)]
        definition = {c.result: c for c in self.calls}
        self.own = [a for c in self.calls for a in writes_into(c, types, definition)]

    def spread(self, known: Summaries, mine: set[int]) -> bool:
        """Add the parameters that are written into; whether there are new ones."""
        targets = [*self.own, *(a for c in self.calls for a in written_arguments(c, known))]
        lists = [a for a in targets if not (isinstance(a, Var) and isinstance(self.types[a], Array))]
        roots = {root for a in lists if (root := self.aliases.root(a)) is not None}
        before = len(mine)
        mine.update(k for k, p in enumerate(self.params) if self.aliases.root(p) in roots)
        return len(mine) > before
