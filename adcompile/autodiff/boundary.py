"""The boundary at which derivatives meet rules, memory from outside and what loops keep.

`Boundary` applies rules as they are, and adds nothing. In debug mode a context has `Watched`
(autodiff/watched) in its place, which emits checks of what passes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from adcompile import runtime as rt
from adcompile.analysis.activity import Activity
from adcompile.analysis.builder import Builder
from adcompile.autodiff.adjoint import add_adjoint
from adcompile.autodiff.cotangents import Cotangents
from adcompile.autodiff.mirror import Mirror
from adcompile.errors import Place
from adcompile.ir.nodes import Atom, Call, Statement, Var
from adcompile.ir.types import Type
from adcompile.rules.registry import Rule

if TYPE_CHECKING:
    from adcompile.autodiff.forward import Forward


class Boundary:
    """Rules applied as they are."""

    def adjoint(self, b: Builder, call: Call, y_bar: Atom, cot: Cotangents, active: Callable[[Atom], bool]) -> None:
        """Add what a call's rule gives to the cotangents of its arguments."""
        add_adjoint(b, call, y_bar, cot, active)

    def partials(self, b: Builder, call: Call, args: Sequence[Atom], partials: Sequence[Atom]) -> None:
        """The partial derivatives that an elementwise rule gives for the arguments."""

    def pulled(self, call: Call, y_bar: Atom, cot: Cotangents) -> Cotangents:
        """The table that takes the cotangents which an rrule's pullback gives."""
        return cot

    def tangent(self, f: Forward, call: Call, rule: Rule | None) -> Atom | None:
        """The tangent of a call's result by its rule; the call stands before."""
        return f.tangent(call, rule)

    def with_value(self, f: Forward, call: Call, rule: Rule) -> None:
        """Value and tangent of a call whose rule gives both."""
        f.frule(call, rule)

    def entered(self, mirror: Mirror, made: Sequence[tuple[Atom, Atom]], values: Sequence[Var]) -> None:
        """The shadows of memory from outside are made: (array, shadow); the other active `values` from outside
        have none."""

    def mirrored(self, mirror: Mirror, statements: list[Statement], activity: Activity) -> list[Statement]:
        """The statements of a reverse sweep, the shadows of what they make among them."""
        return statements

    def shadowed(self, f: Forward, call: Call) -> None:
        """The tangent of a call's result has memory that mirrors it."""

    def handed(self, b: Builder, shadow: Var, t: Type) -> Atom:
        """A shadow as the cotangent that the caller gets: the memory itself, which nobody needs any more."""
        return b.emit(rt.apart, (shadow,), t)

    def replayed(self, b: Builder, numbers: Atom, lists: Sequence[Var], place: Place | None) -> None:
        """A reverse loop over `numbers` is to read the lists that the loop has kept."""
