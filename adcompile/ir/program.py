"""A specialised program: typed functions that call each other by reference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.refs import GlobalRef
from adcompile.ir.types import Known, Type

if TYPE_CHECKING:
    from adcompile.ir.nodes import Function, Var


ABSENT = Known(ops.UNDEFINED)
"""The type that a guard gives to what is not there."""


@frozen(eq=False)
class FunctionRef:
    """Names a function of the program in a Call's fn (inside a Const); compared by identity.

    A pullback knows the function that makes the tuple it takes first: `forward`.
    """

    name: str
    forward: FunctionRef | None = None


@frozen(eq=False)
class Guard:
    """What must still hold for the program to be used: `ref` means `value` (by identity), or,
    if `type` is given, the attribute `path` of what `ref` means has that abstract type.
    Of type ABSENT, what it refers to has no own attribute of that name; has one, where `value` is True;
    without a path, the name itself means nothing;
    ("place", name) at the end of its path says that the class has a place for it (`__slots__`), ("none", names) that it
    has none of several.
    With ("call", args, kwargs) as its path, what it refers to gives `value` when it is called.
    With the way to `other`, the two lead to different objects.
    """

    ref: GlobalRef
    value: Any
    path: tuple[Any, ...] = ()  # attribute names, and ("item", key) for elements
    type: Type | None = None
    other: tuple[GlobalRef, tuple[Any, ...]] | None = None


@frozen(eq=False)
class Program:
    """`functions` holds the entry too. Every Var of every function has a type. Functions of a
    program take their params (then captured ones, already moved into params) by position and
    contain no Attempt."""

    entry: FunctionRef
    functions: Mapping[FunctionRef, Function]
    types: Mapping[Var, Type]
    guards: tuple[Guard, ...] = ()
