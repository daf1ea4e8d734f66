"""Control flow of kernels: branches, loops, and what they carry."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from adcompile.backend.native.base import LENGTH_BITS
from adcompile.backend.native.bounds import Frame, Linear
from adcompile.backend.native.classes import KEEPING, ORDER
from adcompile.backend.native.listed import Listed
from adcompile.backend.native.lists import NOWHERE
from adcompile.backend.native.unbound import reads
from adcompile.backend.native.values import DTYPES, ArrayOf, ListOf, Native, Number, TupleOf, held, is_unheld, read_of
from adcompile.backend.undefined import is_undefined
from adcompile.ir import ops
from adcompile.ir.nodes import (
    Atom,
    Block,
    Break,
    Call,
    Const,
    Continue,
    End,
    For,
    If,
    Raise,
    Return,
    Statement,
    Unreachable,
    Var,
    While,
    Yield,
)
from adcompile.ir.walk import ends, statements_of

Results = tuple[Var, ...]
FOREVER = 2**62
HANDING_ON = frozenset({ops.push, ops.identity})
"""Calls that do not look at their operands."""
TOUCHING = frozenset({operator.getitem, operator.setitem})
"""Calls that read or write elements."""


class Flow(Listed):
    """Prints blocks."""

    classes: dict[Var, str]
    undecided: frozenset[Var]
    unbound: frozenset[Var]
    absent: frozenset[Var]
    """What may be unbound, or None."""
    tested: frozenset[Var]
    """Values of which nobody asks more than whether they are true."""
    there: dict[Var, str]
    joined: dict[Var, Native]
    staying: set[Var]
    """Arrays and lists that loops hand through as they are."""
    known_to_stay: set[Var]
    """Those that a printing before has found."""

    def call(self, call: Call) -> None:
        """Print a call."""
        raise NotImplementedError

    # -- blocks

    def block(self, block: Block, results: Results) -> None:
        if not isinstance(block.end, Raise):  # what leads to an exception happens on NumPy
            for statement in block.statements:
                self.statement(statement)
        self.end(block.end, results)

    def statement(self, s: Statement) -> None:
        self.place = s.place
        match s:
            case Call():
                if self._is_nothing(s):
                    return
                for var in reads(s, HANDING_ON):
                    self.read(var)
                if not self._is_asked(s):
                    self.call(s)
            case If():
                self._if(s)
            case For():
                self._for(s)
            case While():
                self._while(s)
            case _:
                self.refuse(f"{type(s).__name__}")

    def end(self, end: End, results: Results) -> None:
        match end:
            case Return():
                self.refuse("a return inside")
            case Yield(values):
                self.moves(results, values)
            case Continue() | Break() if not self.loops:
                self.refuse("a way out of a loop around")
            case Continue(values):
                self.moves(self._carried(self.loops[-1]), values)
                self.line("continue")
            case Break(values):
                self.moves(self._carried(self.loops[-1]), values)
                self.line("break")
            case Raise():
                self.faults = True
                self.line("raise nt.Fault")
            case Unreachable():
                pass

    # -- moves

    def moves(self, into: Sequence[Var], values: Sequence[Atom]) -> None:
        """Assign values to names, all at once."""
        pending: list[tuple[str, str]] = []
        for var, value in zip(into, values):
            if self.lists.is_list(var):
                if isinstance(value, Var) and self.lists.origin(value) is not self.lists.origin(var):
                    self.line(f"{self.starts[var]} = {self.start(value)}")
                elif not isinstance(value, Var) and var in self.starts:
                    self.line(f"{self.starts[var]} = {NOWHERE}")
            elif var in self.ends:
                pending.append((self.names[self.ends[var]], self.end_of(value)))
                if var in self.there:
                    pending.append((self.there[var], self.is_there(value)))
            elif var in self.names and not (isinstance(value, Var) and value is var):
                text = self._moved(var, value)
                pending.append((self.names[var], text))
                if var in self.classes:
                    pending.append((self.classes[var], self.class_number(value)))
                if var in self.there:
                    pending.append((self.there[var], self.is_there(value)))
        overwritten = {name for name, text in pending if name != text}
        texts: list[str] = []
        for var, text in pending:
            if len(overwritten) > 1 and text in overwritten:
                name = self.fresh(f"{var}_next")
                self.line(f"{name} = {text}")
                text = name
            texts.append(text)
        for (name, _), text in zip(pending, texts):
            if name != text:
                self.line(f"{name} = {text}")

    def _moved(self, var: Var, value: Atom) -> str:
        native = self.native[var]
        if is_undefined(value) or isinstance(value, Const) and value.value is None:
            return self._nothing(native)
        if isinstance(native, Number):
            text = self.cast(value, native.code)
            if native.code == "i8":
                self.bits[var] = max(self.bits.get(var, 63), self.size(value))
            if native.code == "c16" and self.code(value) != "c16":
                self.refuse(f"{var.name}, which is complex on some paths only")
            return text
        if isinstance(native, ArrayOf):
            if not isinstance(value, Var) or self.native.get(value) != native:
                self.refuse(f"{var.name}, which is an array on some paths only")
            self.shares(var, value)
            if var not in self.varying and self.lengths_of(value, native.rank) != self.lengths.get(var):
                self.varying.add(var)
        elif isinstance(native, ListOf):
            text = self.as_items(value, native)
            if isinstance(value, Var):
                self.shares(var, value)
            return text
        elif self.native_type(value) != native:
            self.refuse(f"{var.name}, which is of different kinds on different paths")
        else:
            self.shares_parts(var, value)
        return self.atom(value)

    def _nothing(self, native: Native) -> str:
        """What stands for a value that is not there on a path, and that nobody reads there."""
        match native:
            case Number(code):
                return {"f8": "0.0", "f4": "np.float32(0.0)", "i8": "0", "b1": "False", "c16": "0j"}[code]
            case TupleOf(items):
                return "(" + "".join(f"{self._nothing(i)}, " for i in items) + ")"
            case ListOf():
                return self.empty_list(native)
            case ArrayOf(code, rank):
                return f"np.empty(({'0, ' * rank}), {DTYPES[code]})"

    def join(self, var: Var, sources: Sequence[Atom]) -> Native | None:
        """The native type of a value that comes by several ways."""
        found = held(self.types[var]) if var in self.types else None
        if found is not None:
            return found
        if var in self.types and is_unheld(self.types[var]) and var not in self.tested:
            self.refuse("a truth value that is a number on other paths")
        if var in self.joined:
            return self.joined[var]
        for source in sources:
            if isinstance(source, Var) and source in self.native:
                return self.native[source]
        return next((Number("c16") for a in sources if isinstance(a, Const) and type(a.value) is complex), None)

    # -- values that are not there on some paths

    def is_there(self, value: Atom) -> str:
        absent = isinstance(value, Const) and (is_undefined(value) or value.value is None)
        return "False" if absent else self.there.get(value, "True")  # type: ignore[arg-type]

    def _is_nothing(self, call: Call) -> bool:
        """Print `value is None` of what is None where it is not there."""
        fn, value = self.callee(call), call.args[0] if call.args else None
        if fn not in (operator.is_, operator.is_not) or value not in self.there or value in self.unbound:
            return False
        if not isinstance(call.args[1], Const) or call.args[1].value is not None:
            return False
        negated = "" if fn is operator.is_not else "not "
        self.define(call.result, Number("b1"), negated + self.there[value])  # type: ignore[index]
        return True

    def _is_asked(self, call: Call) -> bool:
        """Whether a call reads a name that may be unbound; what is there has been read."""
        asks = self.callee(call) is ops.read
        if asks and is_undefined(call.args[0]):
            self.fault_if("True")
        elif asks and call.args[0] in self.unbound - self.there.keys():
            self.refuse(f"{self.known(call.args[1])}, which may be unbound")
        return asks

    def alias(self, var: Var, other: Var) -> None:
        super().alias(var, other)
        if other in self.there:
            self.there[var] = self.there[other]

    def read(self, atom: Atom) -> None:
        """Leave the kernel if a value that is read is not there."""
        if isinstance(atom, Var) and atom in self.there:
            self.fault_if(f"not {self.there[atom]}")

    # -- classes decided at run time

    def class_number(self, atom: Atom) -> str:
        """The number of the class of a value, in the order of `ORDER`."""
        if isinstance(atom, Var) and atom in self.classes:
            return self.classes[atom]
        kinds = self.kinds(atom)
        if len(kinds) != 1 or not kinds <= set(ORDER):
            self.refuse(f"{getattr(atom, 'name', 'a number')}, whose class is decided at run time")
        (kind,) = kinds
        return str(ORDER.index(kind))

    def name_class(self, var: Var) -> None:
        if var in self.undecided:
            self.classes[var] = self.fresh(f"{var.name}_class")
        if var in self.absent:
            self.there[var] = self.fresh(f"{var.name}_there")

    def _decide(self, call: Call, fn: Any) -> None:
        """Print the class of what a call has given."""
        if fn not in KEEPING:
            self.refuse(f"{call.result.name}, whose class is decided at run time")
        numbers = sorted({self.class_number(a) for a in call.args})
        if fn in (operator.truediv, operator.itruediv):
            numbers = sorted({*numbers, "1"})
        text = numbers[0] if len(numbers) == 1 else f"max({', '.join(numbers)})"
        self.name_class(call.result)
        self.line(f"{self.classes[call.result]} = {text}")

    # -- control flow

    def _if(self, s: If) -> None:
        self.read(s.test)
        test = self.truth(s.test)
        for frame in self.frames:
            frame.conditional += 1
        targets: list[Var] = []
        for r in s.results:
            if not self.lists.is_list(r):
                targets.append(r)
            elif self.lists.origin(r) is r:
                self.starts[r] = self.fresh(f"{r.name}_start")
        self.line(f"if {test}:")
        late = self._branch(s, s.then, targets, ())
        self.line("else:")
        self._branch(s, s.orelse, targets, late)
        for frame in self.frames:
            frame.conditional -= 1

    def _branch(self, s: If, block: Block, targets: Sequence[Var], late: tuple[Var, ...]) -> tuple[Var, ...]:
        """Print a branch; results get their names when the type of a yielded value is known."""
        self.depth += 1
        before = len(self.lines)
        if not isinstance(block.end, Raise):
            for statement in block.statements:
                self.statement(statement)
        if isinstance(block.end, Yield):
            others = s.orelse.end if block is s.then else s.then.end
            both = [block.end.values, others.values if isinstance(others, Yield) else block.end.values]
            for r, *sources in zip(s.results, *both):
                if r in targets and r not in self.names and r not in self.ends:
                    if self.joins_range(r):
                        self.name_class(r)
                        continue
                    native = self.join(r, sources)
                    if native is not None:
                        self.native[r], self.names[r] = native, self.fresh(r.name)
                        self.defined(r)
                        self.name_class(r)
                        self._begin_lengths(r, block.end.values[s.results.index(r)])
                        self._join_bits(r, native, sources)
        self.end(block.end, s.results)
        if len(self.lines) == before:
            self.line("pass")
        self.depth -= 1
        return late

    def _join_bits(self, var: Var, native: Native, sources: Sequence[Atom]) -> None:
        if native == Number("i8"):
            known = all(isinstance(a, Const) or a in self.bits for a in sources)
            self.bits[var] = max(map(self.size, sources)) if known else 63

    def _carried(self, loop: For | While) -> tuple[Var, ...]:
        return loop.body.params[1:] if isinstance(loop, For) else loop.body.params

    def _enter(self, loop: For | While) -> None:
        """Names for what a loop carries, with their first values."""
        for p, value in zip(self._carried(loop), loop.init):
            if self.lists.is_list(p):
                continue
            if self.joins_range(p):
                self.level[self.ends[p]] = len(self.frames) + 1
                self.name_class(p)
                continue
            native = self.join(p, [value])
            if native is None:
                self.refuse(f"{p.name}, which a loop carries and a kernel cannot hold")
            if p in self.known_to_stay and isinstance(value, Var) and self.native.get(value) == native:
                self.alias(p, value)  # Numba would count one more who holds it
                continue
            self.native[p], self.names[p] = native, self.fresh(p.name)
            self.level[p] = len(self.frames) + 1
            self.name_class(p)
            self._begin_lengths(p, value)
            if native == Number("i8"):
                self.bits[p] = self._carried_bits(loop, p, value)
        self.moves(self._carried(loop), loop.init)

    def _begin_lengths(self, var: Var, value: Atom) -> None:
        """An array by several ways has the lengths of the first, unless another has others."""
        native = self.native[var]
        if isinstance(native, ArrayOf) and isinstance(value, Var) and var not in self.varying:
            self.lengths[var] = self.lengths_of(value, native.rank)

    def _carried_bits(self, loop: For | While, param: Var, init: Atom) -> int:
        """A count of iterations stays small; of other integers nothing is known."""
        k = self._carried(loop).index(param)
        made = {s.result: s for s in loop.body.statements if isinstance(s, Call)}
        end = loop.body.end
        if isinstance(end, Continue) and isinstance(loop, For) and self.size(init) < LENGTH_BITS:
            value = end.values[k]
            step = made.get(value) if isinstance(value, Var) else None
            if value is param:
                return self.size(init)
            if step is not None and self.callee(step) is operator.add and step.args[0] is param:
                if isinstance(step.args[1], Const) and self.size(step.args[1]) < 8:
                    return LENGTH_BITS + 9
        return 63

    def anew(self) -> None:
        """Print as outside of all loops and branches, where a refusal has cut one short."""
        self.loops.clear()
        self.frames.clear()
        self.depth = 1

    def _leave(self, loop: For | While) -> None:
        """The results of a loop are what it has carried last."""
        for k, (r, p) in enumerate(zip(loop.results, self._carried(loop))):
            if self.lists.is_list(p):
                continue
            if isinstance(self.native.get(p), ArrayOf | ListOf) and p not in self.there:
                if all(self.names.get(e[k]) == self.names[p] for e in ends(loop.body)):  # type: ignore[arg-type]
                    self.staying.add(p)
            if p in self.there:
                self.there[r] = self.there[p]
            if p in self.ends:
                self.made[r], self.level[self.ends[p]] = self.made[p], len(self.frames)
                continue
            self.names[r], self.native[r] = self.names[p], self.native[p]
            if p in self.classes:
                self.classes[r] = self.classes[p]
            if p in self.bits:
                self.bits[r] = self.bits[p]
            native = self.native[r]
            self.level[r] = len(self.frames)
            if not isinstance(native, Number):
                self.shares(r, p)
            if isinstance(native, ArrayOf) and p not in self.varying:
                self.lengths[r] = self.lengths_of(p, native.rank)

    def _body(self, loop: For | While) -> None:
        for end in _carried_lists(self, loop):
            raise self.unkept(end, f"{end.name}, a list that an iteration makes for the next one")
        self.loops.append(loop)
        self.depth += 1
        before = len(self.lines)
        if loop.body.params[:1] and loop.body.params[0] in self.hints.independent and self.is_of_nests(loop.body):
            self.line("nt.independent()")
        self.block(loop.body, ())
        if self.lines[-1] == f"{'    ' * self.depth}continue":  # its own, not that of a branch
            self.lines.pop()
        if len(self.lines) == before:
            self.line("pass")
        self.depth -= 1
        self.loops.pop()

    def is_of_nests(self, body: Block) -> bool:
        """Whether a body is as `nests` have made it: it touches memory where they do."""
        touching = (s for s in statements_of(body) if isinstance(s, Call) and self.callee(s) in TOUCHING)
        return all(s.result in self.hints.sure for s in touching)

    def _while(self, loop: While) -> None:
        self._enter(loop)
        # not `while True`: of what such a loop carries out by `break` Numba 0.68 may give the value before it
        self.line(f"for {self.fresh('turn')} in range({FOREVER}):")
        self.frames.append(Frame(None, Linear(), Linear(), ""))
        self._body(loop)
        self.frames.pop()
        self._leave(loop)

    def _for(self, loop: For) -> None:
        element = loop.body.params[0]
        bounds = self.range_of(loop.iterable)
        if bounds is None and self.is_array(loop.iterable):
            self._for_rows(loop, element)
            return
        if bounds is None:
            self.refuse("a loop over other than a range or an array")
        start, stop, step, backwards = bounds
        self._enter(loop)
        trips = self._trips(start, stop, step)
        self.reserve(loop, trips)
        name = self.names[element] = self.fresh(element.name if element.name != "_" else "k")
        self.native[element] = Number("i8")
        self.bits[element] = max(self.size(start), self.size(stop))
        frame = self._frame(element, start, stop, step)
        self.line(frame.marker)
        self.line(f"for {name} in {self._range(start, stop, step, backwards)}:")
        self.frames.append(frame)
        self.level[element] = len(self.frames)
        self._body(loop)
        self.frames.pop()
        self._check_before(frame)
        self._leave(loop)

    def _frame(self, element: Var, start: Atom, stop: Atom, step: Atom) -> Frame:
        first, last = self.form(start), self.form(stop)
        if isinstance(stop, Var) and stop in self.counts and self.known(start) == 0:
            last = self.counts[stop]  # if the loop runs at all, the range that is counted is not empty
        marker = f"# before {self.names[element]}"
        if self.known(step) not in (1, -1):
            return Frame(element, *self.gapped(start, stop, step), marker)
        if self.known(step) == 1:
            return Frame(element, first, last.plus(Linear(-1)), marker)
        return Frame(element, last.plus(Linear(1)), first, marker)

    def _check_before(self, frame: Frame) -> None:
        """Put the checks of a loop before it."""
        at = next(k for k in range(len(self.lines) - 1, -1, -1) if self.lines[k].strip() == frame.marker)
        margin = self.lines[at][: len(self.lines[at]) - len(frame.marker)]
        checks = [f"{margin}{name} = not ({check})" for check, name in frame.signs.items()]
        if frame.checks:
            checks += [f"{margin}if {' or '.join(frame.checks)}:", f"{margin}    raise nt.Fault"]
        self.lines[at : at + 1] = checks

    def _for_rows(self, loop: For, element: Var) -> None:
        """A loop over the items of an array."""
        assert isinstance(loop.iterable, Var)
        array = loop.iterable
        found = self.native[array]
        assert isinstance(found, ArrayOf)
        self._enter(loop)
        name, number = self.names[array], self.fresh("k")
        self.reserve(loop, f"{name}.shape[0]")
        row = ArrayOf(found.code, found.rank - 1), f"{name}[{number}]"
        self.native[element], text = read_of(found, row[1]) if found.rank == 1 else row
        self.names[element] = self.fresh(element.name)
        if found.rank > 1:
            self.shares(element, array)
        self.line(f"for {number} in range({name}.shape[0]):")
        self.line(f"    {self.names[element]} = {text}")
        self.frames.append(Frame(None, Linear(), Linear(), ""))
        self.defined(element)
        self._body(loop)
        self.frames.pop()
        self._leave(loop)


def _carried_lists(printer: Flow, loop: For | While) -> list[Var]:
    """Lists that do not go through a loop as one."""
    params, lists = printer._carried(loop), printer.lists  # type: ignore[reportPrivateUsage]
    pairs = ((p, v) for values in ends(loop.body) for p, v in zip(params, values) if lists.is_list(p))
    return [p for p, v in pairs if isinstance(v, Var) and lists.origin(v) is not lists.origin(p)]
