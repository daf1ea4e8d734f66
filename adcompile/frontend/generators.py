"""Generator expressions as generator functions, where nobody takes all their items at once.

    for u in (f(v) for v in x if v > 0):         def genexpr(items):
        …                                            for v in items:
                                                         if v > 0:
                                                             yield f(v)
                                                 for u in genexpr(x):
                                                     …

The first iterable is evaluated where the expression stands, the rest when items are asked for, as in Python. The
definition stands in front of the statement: what it reads is looked up when it runs. Expressions in lambdas and
comprehensions, which have names that such a definition does not see, stay as they are, and so do those that bind names.
"""

from __future__ import annotations

import copy
from typing import Any

import gast

from adcompile.frontend.expressions import CONSUMERS, CONSUMING_ATTRIBUTES, CONSUMING_FUNCTIONS
from adcompile.frontend.yielding import located, named

NAMES = {*CONSUMERS, "next", *(f.__name__ for f in CONSUMING_FUNCTIONS)}
"""Names of what is given all items by its own loop."""
COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp)


def made_functions(node: Any) -> Any:
    """The definition of a function with its generator expressions as functions."""
    if not any(isinstance(n, gast.GeneratorExp) for n in gast.walk(node)):
        return node
    names = {n.id for n in gast.walk(node) if isinstance(n, gast.Name)}
    names |= {n.name for n in gast.walk(node) if isinstance(n, gast.FunctionDef)}
    return _Made(names).visit(copy.deepcopy(node))


class _Made(gast.NodeTransformer):
    def __init__(self, names: set[str]) -> None:
        self.names = names
        self.waiting: list[Any] = []  # the definitions that belong in front of the statement

    def visit(self, node: Any) -> Any:
        if isinstance(node, (gast.Lambda, gast.ClassDef)):
            return node
        if isinstance(node, COMPREHENSIONS):  # the first iterable is evaluated around them
            node.generators[0].iter = self.visit(node.generators[0].iter)
            return node
        if not isinstance(node, gast.stmt):
            return super().visit(node)
        outer, self.waiting = self.waiting, []
        made = super().visit(node)
        here, self.waiting = self.waiting, outer
        return [*here, made] if here else made

    def visit_FunctionDef(self, node: Any) -> Any:
        node.body = [out for s in node.body for out in _all(self.visit(s))]
        return node

    def visit_Assign(self, node: Any) -> Any:
        unpacked = any(isinstance(t, (gast.Tuple, gast.List)) for t in node.targets)
        return node if unpacked and isinstance(node.value, gast.GeneratorExp) else self.generic_visit(node)

    def visit_Starred(self, node: Any) -> Any:
        return node if isinstance(node.value, gast.GeneratorExp) else self.generic_visit(node)

    def visit_Call(self, node: Any) -> Any:
        if not _takes_all(node.func):
            return self.generic_visit(node)
        node.func = self.visit(node.func)
        node.args = [a if _generated(a) else self.visit(a) for a in node.args]
        node.keywords = [self.visit(k) for k in node.keywords]
        return node

    def visit_GeneratorExp(self, node: Any) -> Any:
        if any(isinstance(n, gast.NamedExpr) for n in gast.walk(node)) or any(g.is_async for g in node.generators):
            return node
        name, items = self._fresh("genexpr"), self._fresh("items")
        first = node.generators[0].iter
        node.generators[0].iter = named(items)
        body: Any = gast.Expr(gast.Yield(node.elt))
        for g in reversed(node.generators):
            for test in reversed(g.ifs):
                body = gast.If(test, [body], [])
            body = gast.For(g.target, g.iter, [body], [], None)
        arguments = gast.arguments([named(items, gast.Param())], [], None, [], [], None, [])
        made = gast.FunctionDef(name, arguments, [body], [], None, None, [])
        self.waiting.append(located(self.visit_FunctionDef(made), node))
        return located(gast.Call(named(name), [self.visit(first)], []), node)

    def _fresh(self, stem: str) -> str:
        name, k = stem, 1
        while name in self.names:
            name, k = f"{stem}_{k}", k + 1
        self.names.add(name)
        return name


def _all(made: Any) -> list[Any]:
    return made if isinstance(made, list) else [made]


def _takes_all(fn: Any) -> bool:
    match fn:
        case gast.Name():
            return fn.id in NAMES
        case gast.Attribute():
            return fn.attr in CONSUMING_ATTRIBUTES
        case _:
            return False


def _generated(arg: Any) -> bool:
    """Whether an argument is a generator expression, or counts what one gives."""
    match arg:
        case gast.GeneratorExp():
            return True
        case gast.Call(func=gast.Name(id="enumerate"), args=[gast.GeneratorExp()], keywords=[]):
            return True
        case _:
            return False
