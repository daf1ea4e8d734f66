"""`try` as branches on the way that it goes, which its body is run for once more, as it is written.

    try:                                  way = …      # run the body: 0, or which handler catches what it raises
        y = math.log(x)                   if way == 0:
    except ValueError:           →            y = math.log(x)
        y = 0.0                           else:
                                              y = 0.0

That is the same if the body does nothing that anybody sees (`may_run_twice` of analysis/made), and if no name that it
has bound before it raises is read behind that. What no handler catches comes through, behind what `finally` does.
"""

from __future__ import annotations

import copy
from collections.abc import Container, Iterable, Sequence
from typing import Any

import gast

from adcompile.frontend.scopes import FUNCTIONS
from adcompile.frozen import frozen


@frozen(eq=False)
class Question:
    """Stands among source statements: which way the try goes."""

    node: Any
    name: str


def by_its_way(s: Any, name: str) -> list[Any]:
    """The statements of a try, as branches."""
    statements = [*s.body, *s.orelse, *s.finalbody]
    ways = [handled(h, s.finalbody) for h in s.handlers]
    question = Question(s, name)
    if not ways:
        return [question, *statements]
    rest = ways[-1]
    for k in range(len(ways) - 1, 0, -1):
        rest = [_if(name, k, ways[k - 1], rest, s)]
    return [question, _if(name, 0, statements, rest, s)]


def _if(name: str, number: int, then: Sequence[Any], orelse: Sequence[Any], at: Any) -> Any:
    test = gast.Compare(gast.Name(name, gast.Load(), None, None), [gast.Eq()], [gast.Constant(number, None)])
    made = gast.If(test, list(then), list(orelse))
    for node in (made, test, test.left, *test.comparators):
        gast.copy_location(node, at)
    return made


def handled(handler: Any, final: Sequence[Any]) -> list[Any]:
    """What runs where a handler catches. Its name is None there: nobody reads it but as a cause."""
    before: list[Any] = []
    name = caught(handler)
    if name is not None:
        target = gast.copy_location(gast.Name(name, gast.Store(), None, None), handler)
        nothing = gast.copy_location(gast.Constant(None, None), handler)
        before = [gast.copy_location(gast.Assign([target], nothing, None), handler)]
    return [*before, *handler.body, *final]


def caught(handler: Any) -> str | None:
    """The name that a handler gives to what it catches."""
    return getattr(handler.name, "id", handler.name)


def speaks_plainly(handler: Any) -> bool:
    """Whether a handler raises nothing anew (`raise`), and reads the exception only as the cause of another one."""
    causes: set[Any] = set()
    nodes = list(_own(handler.body))
    for node in nodes:
        if isinstance(node, gast.Raise):
            if node.exc is None:
                return False
            causes.add(node.cause)
    everything = [n for s in handler.body for n in gast.walk(s)]
    return all(n in causes for n in everything if isinstance(n, gast.Name) and n.id == caught(handler))


def bound_late(body: Sequence[Any], binds: Iterable[str]) -> set[str] | None:
    """The names that the body of a try may have bound when it raises. None of a body that cannot be asked alone."""
    if any(isinstance(n, (gast.Delete, gast.Global, gast.Nonlocal)) for n in _own(body)):
        return None
    if any(isinstance(n, gast.Name) and n.id in BY_THE_FRAME for s in body for n in gast.walk(s)):
        return None
    body = list(body)
    while len(body) > 1 and _raises_nothing(body[-1]):
        body.pop()
    last = body[-1]
    targets = last.targets if isinstance(last, gast.Assign) else []
    sure = {t.id for t in targets if isinstance(t, gast.Name)} if len(targets) == 1 else set[str]()
    if isinstance(last, (gast.AugAssign, gast.AnnAssign)) and isinstance(last.target, gast.Name):
        sure = {last.target.id}
    before = {n.id for s in body[:-1] for n in gast.walk(s) if isinstance(n, gast.Name) and not _reads(n)}
    inside = {n.target.id for n in _own([last]) if isinstance(n, gast.NamedExpr)}
    return set(binds) - (sure - before - inside)


BY_THE_FRAME = frozenset({"super", "__class__", "locals", "vars", "dir", "eval", "exec"})
"""What they give depends on the function that they stand in."""


def touches(final: Sequence[Any], local: Container[str]) -> bool:
    """Whether what is done at last may write into something that the function has under a name: where nothing has been
    caught, it is done to copies."""
    for node in _own(final):
        if isinstance(node, (gast.Subscript, gast.Attribute)) and not _reads(node) or isinstance(node, gast.Delete):
            return True
        if isinstance(node, gast.Call):
            owner = node.func
            while isinstance(owner, (gast.Attribute, gast.Subscript)):
                owner = owner.value
            if not isinstance(owner, gast.Name) or owner.id in local:
                return True
    return any(isinstance(n, FUNCTIONS) for s in final for n in gast.walk(s))


def _raises_nothing(s: Any) -> bool:
    plain = isinstance(s, gast.Return) and (s.value is None or isinstance(s.value, gast.Constant))
    return plain or isinstance(s, (gast.Break, gast.Continue, gast.Pass))


def _reads(name: Any) -> bool:
    return isinstance(name.ctx, gast.Load)


def _own(body: Sequence[Any]) -> Iterable[Any]:
    """The nodes of statements, those of functions that they define left out."""
    todo = list(body)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, FUNCTIONS):
            todo += gast.iter_child_nodes(node)


def _returning(s: Any) -> Any:
    """A statement with `return` in place of what leaves a loop around it, or goes on with it."""
    if isinstance(s, (gast.Break, gast.Continue)):
        return gast.copy_location(gast.Return(None), s)
    if isinstance(s, (gast.If, gast.With)):
        made = copy.copy(s)
        made.body = list(map(_returning, s.body))
        if isinstance(s, gast.If):
            made.orelse = list(map(_returning, s.orelse))
        return made
    return s


class _Unannotated(gast.NodeTransformer):
    """Takes the annotations off names, which may be nonlocal."""

    def visit_AnnAssign(self, node: Any) -> Any:
        if not isinstance(node.target, gast.Name):
            return node
        plain = gast.Pass() if node.value is None else gast.Assign([node.target], node.value, None)
        return gast.copy_location(plain, node)

    def visit_FunctionDef(self, node: Any) -> Any:
        return node


def leaves_plainly(body: Sequence[Any]) -> bool:
    """Whether `break` and `continue` of a loop around stand where `_returning` finds them."""
    for s in body:
        match s:
            case gast.If() | gast.With():
                if not leaves_plainly([*s.body, *getattr(s, "orelse", ())]):
                    return False
            case gast.Break() | gast.Continue():
                pass
            case _:  # a loop inside has exits of its own, but for those in its else
                inner = s.orelse if isinstance(s, (gast.For, gast.While)) else [s]
                if any(isinstance(n, (gast.Break, gast.Continue)) for o in inner for n in gast.walk(o)):
                    return False
    return True


def _as_local(own: Sequence[str], body: list[Any]) -> Any:
    """A body to which names are nonlocal, and which raises what it raises where they are its own: of one that is
    unbound, where the body itself reads it, Python says UnboundLocalError then."""
    named = " or ".join(f"{f'free variable {n!r}'!r} in __error.args[0]" for n in own)
    made = gast.parse(
        "try:\n"
        "    pass\n"
        "except NameError as __error:\n"
        f"    if __error.__class__ is NameError and __error.__traceback__.tb_next is None and ({named}):\n"
        "        __text = __error.args[0].replace('free variable', 'local variable')\n"
        "        raise UnboundLocalError(__text.replace(' in enclosing scope', '')) from None\n"
        "    raise"
    ).body[0]
    made.body = body
    return made


def asking(s: Any, name: str, inputs: Sequence[str], binds: Iterable[str]) -> list[Any]:
    """Statements that bind `name` to the way that a try goes. Names that its body binds are its own: it stands in a
    function, to which those of `inputs` that it binds are nonlocal; `break` and `continue` leave that."""
    own = [n for n in inputs if n in set(binds)]
    body = gast.parse("def __body():\n    pass").body[0]
    written = [_Unannotated().visit(copy.deepcopy(_returning(t))) for t in s.body]
    body.body = [gast.Nonlocal(own), _as_local(own, written)] if own else written
    catches = "".join(f"except __Error{k}:\n    {name} = {k}\n" for k in range(1, len(s.handlers) + 1))
    everything = bool(s.handlers) and s.handlers[-1].type is None
    final = "except BaseException:\n    raise\n" if s.finalbody and not everything else ""
    asked = gast.parse(f"{name} = 0\ntry:\n    __body()\n{catches}{final}").body if catches or final else []
    if not asked:
        return [body]
    run = asked[1]
    for k, handler in enumerate(s.handlers):
        run.handlers[k].type = handler.type
    if final:
        run.handlers[-1].body[:0] = list(s.finalbody)
    return [body, *asked]
