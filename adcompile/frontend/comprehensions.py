"""Comprehensions to loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gast

from adcompile.frontend.builder import TRUE, UNBOUND
from adcompile.frontend.expressions import Expressions
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Break, Const, Continue, End, For, If, Unreachable, Var, Yield

_ACC = "%items%"


class Comprehensions(Expressions):
    """Lowers comprehensions. Their targets are theirs alone; what a walrus binds is not."""

    def unpack(self, target: Any, value: Atom) -> None:
        raise NotImplementedError

    def comprehension(self, node: Any, hint: str) -> Atom:
        """A list of the elements; for set and dict comprehensions made into one."""
        if any(g.is_async for g in node.generators):
            return self.refuse(node, "an asynchronous comprehension is not followed", "Move it out of the function.")
        is_list = isinstance(node, (gast.ListComp, gast.GeneratorExp))
        elements = [node.key, node.value] if isinstance(node, gast.DictComp) else [node.elt]
        targets = self.unit.scopes.names(g.target for g in node.generators).binds
        names = tuple(n for n in self.rebound(node) if n not in targets)
        hidden = {n: self.env.get(n) for n in targets}
        outer, shared, outside = self.env.get(_ACC), self.shared, self.outside
        self.shared, self.outside = self.shared - set(targets), self.outside - set(targets)
        self.bind(_ACC, self.call(ops.start_list, node=node, hint=hint if is_list else "items"))
        self._generator(node.generators, 0, elements, (_ACC, *names), node, hint if is_list else "items")
        items, self.shared, self.outside = self.env[_ACC], shared, outside
        for name, before in [*hidden.items(), (_ACC, outer)]:
            self._restore(name, before)
        if is_list:
            return self.call(ops.collected, items, node=node, hint=hint)
        return self.call(dict if isinstance(node, gast.DictComp) else set, items, node=node, hint=hint)

    def _restore(self, name: str, before: Atom | None) -> None:
        if before is not None:
            self.bind(name, before)
        elif name in self.env:
            self.trail.append((name, self.env[name]))
            del self.env[name]

    def _generator(
        self, generators: Sequence[Any], index: int, elements: Sequence[Any], names: Sequence[str], node: Any, hint: str
    ) -> None:
        """Emits the loops from the generator `index` on; `names` are carried."""
        generator = generators[index]
        iterable = self.gone_through(generator.iter)
        place = self.place(node)

        def step() -> tuple[Atom, ...]:
            if index + 1 < len(generators):
                self._generator(generators, index + 1, elements, names, node, hint)
                return self._values(names)
            values = [self.expr(element) for element in elements]
            item = values[0] if len(values) == 1 else self.call(ops.build_tuple, *values, node=node)
            self.bind(_ACC, self.call(ops.push, self.env[_ACC], item, node=node, hint=hint))
            return self._values(names)

        params = tuple(Var(hint if name == _ACC else name, place) for name in names)
        init = self._values(names)

        def body() -> tuple[tuple[Var, ...], End]:
            element = self._element(generator.target)
            for name, param in zip(names, params):
                self.bind(name, param)
            self.unpack(generator.target, element)
            values = self._filtered(generator.ifs, step, names, node, hint)
            return (element, *params), Continue(values)

        statements, (block_params, end) = self.scoped(body)
        results = tuple(Var(p.name, place) for p in params)
        self.statements.append(For(results, iterable, init, Block(block_params, statements, end), place))
        for name, result in zip(names, results):
            self.bind(name, result)

    def _element(self, target: Any) -> Var:
        return Var(target.id if isinstance(target, gast.Name) else "item", self.place(target))

    def _values(self, names: Sequence[str]) -> tuple[Atom, ...]:
        return tuple(self.value_of(name) for name in names)

    def _filtered(
        self, tests: Sequence[Any], step: Callable[[], tuple[Atom, ...]], names: Sequence[str], node: Any, hint: str
    ) -> tuple[Atom, ...]:
        """The carried values after `step` if all tests hold, else unchanged but for walruses."""
        if not tests:
            return step()
        test = self.test(tests[0])
        place = self.place(tests[0])
        then, then_values = self.scoped(lambda: self._filtered(tests[1:], step, names, node, hint))
        results = tuple(Var(hint if name == _ACC else name, place) for name in names)
        orelse = Block((), (), Yield(self._values(names)))
        self.statements.append(If(results, test, Block((), then, Yield(then_values)), orelse, place))
        return results

    def any_all(self, node: Any, wanted: bool, hint: str) -> Atom:
        """`any(…)` or `all(…)` of a generator: a loop that ends at the first that decides."""
        return self._first(node, (), lambda: _Search(wanted, (), lambda: (self.test(node.elt),)), hint)[0]

    def first_of(self, node: Any, default: Sequence[Any], hint: str) -> Atom:
        """`next(…)` of a generator: a loop that ends at its first item."""

        def search() -> _Search:
            missing = self.expr(default[0], hint) if default else UNBOUND
            return _Search(True, (missing,), lambda: (TRUE, self.expr(node.elt, hint)))

        found, item = self._first(node, default, search, hint)
        return item if default else self.call(ops.first, found, item, node=node, hint=hint)

    def _first(
        self, node: Any, more: Sequence[Any], search: Callable[[], _Search], hint: str
    ) -> tuple[Atom, ...]:
        if self.rebound(node, *more) or any(g.is_async for g in node.generators):
            message = "a generator expression that binds names is not followed"
            return (self.refuse(node, message, "Write a loop.", hint),) * 2
        iterable = self.gone_through(node.generators[0].iter)
        sought = search()
        targets = self.unit.scopes.names(g.target for g in node.generators).binds
        hidden, shared, outside = {n: self.env.get(n) for n in targets}, self.shared, self.outside
        self.shared, self.outside = self.shared - set(targets), self.outside - set(targets)
        results = self._search(node, 0, iterable, sought, hint)
        self.shared, self.outside = shared, outside
        for name, before in hidden.items():
            self._restore(name, before)
        return results

    def _search(self, node: Any, index: int, iterable: Atom, search: _Search, hint: str) -> tuple[Var, ...]:
        """The loop from the generator `index` on: whether it ended early, and with what."""
        generator, place = node.generators[index], self.place(node)
        missed = (Const(not search.wanted), *search.missing)
        element, *vars = (self._element(generator.target), *(Var(hint, place) for _ in range(2 * len(missed))))
        params, results = tuple(vars[::2]), tuple(vars[1::2])
        goes_on = Block((), (), Continue(missed))

        def decide(tests: Sequence[Any]) -> End:
            if tests:
                test = self.test(tests[0])
                statements, end = self.scoped(lambda: decide(tests[1:]))
                self.statements.append(If((), test, Block((), statements, end), goes_on, place))
                return Unreachable()
            if index + 1 == len(node.generators):
                test, *values = search.element()
            else:
                inner = self.gone_through(node.generators[index + 1].iter)
                test, *values = self._search(node, index + 1, inner, search, hint)
            found = Block((), (), Break((Const(search.wanted), *values)))
            self.statements.append(If((), test, *((found, goes_on) if search.wanted else (goes_on, found)), place))
            return Unreachable()

        def body() -> End:
            self.unpack(generator.target, element)
            return decide(generator.ifs)

        statements, end = self.scoped(body)
        self.statements.append(For(results, iterable, missed, Block((element, *params), statements, end), place))
        return results


@frozen
class _Search:
    """What a loop over a generator looks for: an element whose first value is `wanted`."""

    wanted: bool
    missing: tuple[Atom, ...]  # the other values where there is none
    element: Callable[[], tuple[Atom, ...]]
