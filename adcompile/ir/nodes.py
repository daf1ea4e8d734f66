"""The IR: a structured SSA grammar as frozen data.

    function  = Function(name, params, captured, body, signature, place)
    block     = Block(params, statements, end)
    statement = Call(result, fn, args, kwargs, place, role)     everything that computes
              | If(results, test, then, orelse, place)          both blocks have no params
              | For(results, iterable, init, body, place)       body.params = (element, *carried)
              | While(results, init, body, place)               body.params = carried
              | Attempt(results, body, opaque, place, ways)     a try, before specialisation only
    end       = Yield(values)          of an If's branch: the values of its results
              | Continue(values)       of a loop body: the next carried values
              | Break(values)          of a loop body: the values of the loop's results
              | Return(value)          of a function body, nowhere else
              | Raise(exception, cause, place)
    atom      = Var(name, place) | Const(value)

Every Var is defined once: as a parameter, a call's result or a compound statement's result.
Inside a loop body an `If` whose branch ends in Break or Continue stands last in its block, has
no results, and that block's own end is `Unreachable`: what follows a conditional exit in the
source has been moved into the other branch. So a loop body is a tree of Ifs whose leaves say
how the iteration ends. A `while` has no test of its own: its body begins with the test and an
If whose other branch is Break. A loop that runs out yields its last carried values, which is
why Continue and Break carry equally many. Raise may end any block.

Values are compared by identity: a Var is its definition. Nodes hold no analysis results; facts
live in maps keyed by Var.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal, Union

from adcompile.errors import Place
from adcompile.frozen import frozen
from adcompile.ir.refs import GlobalRef as GlobalRef
from adcompile.ir.refs import OwnerSpace as OwnerSpace


@frozen(eq=False)
class Var:
    """A value, defined once; `name` is the user's name for it or a hint."""

    name: str
    place: Place | None = None


@frozen(eq=False)
class Bound(Var):
    """Whether the name `of` is bound. `alone`: nothing else tells, for the value may be there although it is not."""

    of: Var | None = None
    alone: bool = False


@frozen(eq=False)
class Const:
    """A literal, or an object met at compile time (function, module, dtype …)."""

    value: Any


Atom = Union[Var, Const]
Role = Literal["primal", "again", "tangent", "adjoint"]
"""Primal statements get bit-exact rewrites only, and so does what the adjoint computes of the primal `again`, which is
compared with what was kept of it; tangents and adjoints may be reassociated."""


@frozen(eq=False)
class Call:
    """`result = fn(*args, **kwargs)`."""

    result: Var
    fn: Atom
    args: tuple[Atom, ...] = ()
    kwargs: tuple[tuple[str, Atom], ...] = ()
    place: Place | None = None
    role: Role = "primal"


@frozen(eq=False)
class If:
    """`results` are yielded by whichever branch is taken (all of them by each that yields)."""

    results: tuple[Var, ...]
    test: Atom
    then: Block
    orelse: Block
    place: Place | None = None
    role: Role = "primal"


@frozen(eq=False)
class For:
    """A loop over `iterable`; `body.params[0]` is the element, the others are carried."""

    results: tuple[Var, ...]
    iterable: Atom
    init: tuple[Atom, ...]
    body: Block
    place: Place | None = None
    role: Role = "primal"


@frozen(eq=False)
class While:
    """A loop that only Break or Raise ends."""

    results: tuple[Var, ...]
    init: tuple[Atom, ...]
    body: Block
    place: Place | None = None
    role: Role = "primal"


@frozen(eq=False)
class Ways:
    """A try as branches on the way that it goes (`Way`), if what is `tried` may run once more; that yields nothing."""

    branches: Block
    tried: Block


@frozen(eq=False)
class Attempt:
    """A try statement. The specialiser takes `body` if nothing in it can raise or remain to
    run; `ways`, if it can be asked which way it goes; otherwise `opaque`, a Call of an OpaqueCode
    whose result is the tuple of `results`.
    """

    results: tuple[Var, ...]
    body: Block
    opaque: Call
    place: Place | None = None
    ways: Ways | None = None


Statement = Union[Call, If, For, While, Attempt]


@frozen(eq=False)
class Yield:
    values: tuple[Atom, ...] = ()


@frozen(eq=False)
class Continue:
    values: tuple[Atom, ...] = ()


@frozen(eq=False)
class Break:
    values: tuple[Atom, ...] = ()


@frozen(eq=False)
class Return:
    value: Atom


@frozen(eq=False)
class Raise:
    exception: Atom | None
    cause: Atom | None = None
    place: Place | None = None


@frozen(eq=False)
class Unreachable:
    """After an If all of whose branches leave the block."""


End = Union[Yield, Continue, Break, Return, Raise, Unreachable]


@frozen(eq=False)
class Block:
    params: tuple[Var, ...]
    statements: tuple[Statement, ...]
    end: End


@frozen
class Signature:
    """How arguments bind to `Function.params`, which stand in the order: positional (the first
    `positional_only` by position alone), *args, keyword-only, **kwargs.
    """

    positional: tuple[str, ...] = ()
    positional_only: int = 0
    vararg: str | None = None
    keyword_only: tuple[str, ...] = ()
    kwarg: str | None = None


@frozen(eq=False)
class Function:
    """`captured` are the free variables, in the order of `__code__.co_freevars`; a nested
    function whose own name is among them is called recursively through it.
    """

    name: str
    params: tuple[Var, ...]
    captured: tuple[Var, ...]
    body: Block
    signature: Signature
    place: Place | None = None
    yields: bool = False  # a generator's: its last parameter is what each item is given to (frontend/yielding)
    endless: bool = False  # which does not end by itself


@frozen(eq=False)
class OpaqueCode:
    """Statements that run as they are written. Calling it with the values of `inputs` runs
    them and gives the tuple of `outputs` (unbound names as `ops.UNDEFINED`); if `returns`, two
    more values lead: whether a return statement ran, and its value.
    """

    name: str
    code: Any = field(repr=False)  # list of gast statements
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    returns: bool
    namespace: dict[str, Any] = field(repr=False)
    feature: str  # what it is, for the refusal when active values pass through
    remedy: str
    place: Place | None = None
    run: Any = field(default=None, repr=False)  # made by frontend/opaque

    def __call__(self, *values: Any) -> tuple[Any, ...]:
        return self.run(*values)


class Way(OpaqueCode):
    """Runs the body of a try to know which way it goes: 0 if nothing is raised, else the number of the handler
    (frontend/ways). It writes nothing that anybody sees, and what it gives carries no derivatives."""
