"""How things stand where a loop begins: to run it again in another way, and to see what it has written."""

from __future__ import annotations

from adcompile.analysis.builder import Builder
from adcompile.ir.nodes import Atom, Statement, Var
from adcompile.ir.types import Cell


class Begin:
    def __init__(self, b: Builder, env: dict[Var, Atom]) -> None:
        context = b.context
        self.statements, self.mark, self.env = len(b.statements), context.store.mark(), dict(env)
        self.count = context.store.count
        self.calls, self.iterated, self.inlining = len(context.calls), len(context.iterated), context.inlining
        self.narrowed = context.narrowed

    def again(self, b: Builder, env: dict[Var, Atom]) -> None:
        """Go back there."""
        context = b.context
        del b.statements[self.statements :], context.calls[self.calls :], context.iterated[self.iterated :]
        context.inlining, context.narrowed = self.inlining, self.narrowed
        context.store.undo(self.mark)
        env.clear()
        env.update(self.env)

    def emitted(self, b: Builder) -> list[Statement]:
        """The statements since."""
        return b.statements[self.statements :]

    def written(self, b: Builder) -> set[Cell]:
        """The lists, dicts and objects of then that hold something else now."""
        states = b.context.store.states
        before = b.context.store.changed(self.mark)
        return {c for c, s in before.items() if s is not None and states[c].content is not s.content}
