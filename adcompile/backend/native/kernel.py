"""A function of the IR as a kernel: parameters, calls and results in Numba's language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field

from adcompile.backend.native.arena import noted
from adcompile.backend.native.base import ARGUMENT_BITS, EXACT_BITS, NO_HINTS, Hints
from adcompile.backend.native.borrowed import borrowed, loose
from adcompile.backend.native.classes import tested, undecided
from adcompile.backend.native.given import IN_PLACE, WRITING, as_given, can_be_given, machine, written
from adcompile.backend.native.handed import Layout, Slot, Slots, filled, slots_of
from adcompile.backend.native.hollow import hollow, pushed_once
from adcompile.backend.native.listed import displays
from adcompile.backend.native.lists import Lists, Store, lists_of
from adcompile.backend.native.placed import placed
from adcompile.backend.native.prepared import prepared
from adcompile.backend.native.returned import codes_of, inner_lists
from adcompile.backend.native.scratch import brief, handed_on
from adcompile.backend.native.taken import Taking, depths
from adcompile.backend.native.unbound import absent, unbound
from adcompile.backend.native.uncounted import uncounted
from adcompile.backend.native.values import ArrayOf, Code, ListOf, Native, NotNative, Number, TupleOf, Unkept, native_of
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import (
    Atom,
    Block,
    Call,
    Const,
    For,
    Function,
    Return,
    Signature,
    Statement,
    Unreachable,
    Var,
    While,
)
from adcompile.ir.stack import large_stack
from adcompile.ir.types import UNKNOWN, Type
from adcompile.ir.walk import free_vars, statements_of
from adcompile.optimise.kept import tuple_of


@frozen
class Kernel:
    """The text of a kernel, and what its caller must know: `saved` are the parameters to be put back
    where the kernel leaves early, `result` what it returns."""

    name: str
    source: str
    params: tuple[Var, ...]  # those that are read, with their positions
    positions: tuple[int, ...]
    natives: tuple[Native, ...]
    """Of the parameters, and then of the arrays prepared for it and of its arena."""
    prepared: tuple[str, ...]
    """What is handed over behind the parameters, as expressions of these (`backend/native/prepared`)."""
    saved: tuple[Var, ...]
    faults: bool
    exact: str
    """An expression of the result `r` with the classes that the function itself would give."""
    elementary: frozenset[tuple[str, Code]] = frozenset()
    """The elementary functions that it calls, with their machine types."""
    listed: tuple[int, ...] = ()
    """The parameters that are lists, and come as arrays."""
    lent: int = 0
    """The arrays of kept values that lie in an arena, the last parameter (`backend/native/arena`); 0: there is none."""
    hands: Slots = field(default_factory=dict[int, Slot])
    """The lists that a forward function hands over (`backend/native/handed`)."""
    takes: Slots = field(default_factory=dict[int, Slot])
    """Those that a pullback takes."""


@frozen
class Between:
    """What a kernel is told of lists that go from one to another. Between a forward function and its pullback:
    whether it hands over lists, the tuples of arrays of which it matters whether they share memory, and what it takes.
    Of a region: that it returns what it has made of lists, and the arrays of which copies do."""

    hands: bool = False
    sharing: frozenset[Var] = frozenset()
    slots: Slots = field(default_factory=dict[int, Slot])
    returns: bool = False
    steady: frozenset[Var] = frozenset()


ALONE = Between()


def kernel(
    function: Function,
    name: str,
    types: Mapping[Var, Type],
    inexact: bool = False,
    known: Hints = NO_HINTS,
    between: Between = ALONE,
) -> Kernel:
    """A function as a kernel; raises NotNative, with the place, where it cannot be one. `inexact`: whoever
    gets the result decides what classes its numbers have."""
    return large_stack(_kernel, function, name, types, inexact, known, between)


def _kernel(
    function: Function, name: str, types: Mapping[Var, Type], inexact: bool, known: Hints, between: Between
) -> Kernel:
    asked = slots_of(function, between.slots) if between.slots else {}
    initial = filled(function, types) if between.hands else frozenset[Var]()
    given = {v: slot.depth for v, k in asked.items() if isinstance(slot := between.slots[k], Layout)}
    if between.returns:
        given |= depths(function.params, types, between.steady)
    lists = lists_of(function, types, given)

    def printer(classes: frozenset[Var]) -> Printer:
        out = Printer(types, lists, classes, known)
        out.hands, out.slots, out.asked, out.initial = between.hands, between.slots, asked, initial
        out.sharing = between.sharing
        out.steady = between.steady
        out.returns, out.inner = between.returns, inner_lists(function, lists) if between.returns else frozenset()
        return out

    while True:
        try:
            return _printed(function, name, types, inexact, printer)
        except Unkept as error:
            if error.root in lists.general:
                raise
            lists.general.add(error.root)


def _printed(
    function: Function,
    name: str,
    types: Mapping[Var, Type],
    inexact: bool,
    printer: Callable[[frozenset[Var]], Printer],
) -> Kernel:
    classes: frozenset[Var] = frozenset() if inexact else undecided(function, types)
    before = printer(classes)
    made = before.function(function, name, inexact)
    for _ in range(ROUNDS):
        now = printer(classes)  # with what has been found further down
        now.learn(before)
        made = now.function(function, name, inexact)
        if now.varying == before.varying and now.views == before.views and now.known_to_stay <= now.staying:
            return made
        before = now
    raise NotNative("arrays whose lengths depend on each other", function.place)


def supported(
    statements: Sequence[Statement],
    types: Mapping[Var, Type],
    steady: frozenset[Var] = frozenset(),
    hints: Hints = NO_HINTS,
) -> dict[int, NotNative]:
    """By number: the statements that no kernel can hold, and why. Those that a kernel could hold were
    their operands there, count as supported."""
    whole = Function("", (), (), Block((), tuple(statements), Return(Const(None))), Signature())
    given = depths(free_vars(whole.body), types, steady)
    lists = lists_of(whole, types, given)
    while True:
        out: dict[int, NotNative] = {}
        probe = Printer(types, lists, known=hints)
        probe.returns, probe.steady, probe.tested = True, steady, tested(whole)
        unkept = _probed(statements, probe, given, out)
        if not unkept:
            return out
        lists.general.update(unkept)


def _probed(
    statements: Sequence[Statement], probe: Printer, given: Iterable[Var], out: dict[int, NotNative]
) -> set[Var]:
    """Print statements one by one, and note which no kernel can hold; gives the classes of lists that may be held in
    another way."""
    types, lists, unkept = probe.types, probe.lists, set[Var]()
    for v in given:
        if lists.is_list(v):
            try:
                probe.take_list(v, "")
            except Unkept as error:
                unkept.add(error.root)
    for k, s in enumerate(statements):
        for v in free_vars(Block((), (s,), Unreachable())):
            if v not in probe.native and v not in probe.made and not lists.is_list(v):
                native = native_of(types.get(v, UNKNOWN))
                probe.names.setdefault(v, probe.fresh(v.name))
                probe.joins_range(v)
                whole = can_be_given(types[v]) if native is not None and _has_lists(native) else None
                if native is not None and (not _has_lists(native) or whole and probe.may_copy(v, whole)):
                    probe.native[v] = native
        try:
            probe.statement(s)
        except NotNative as error:
            out[k] = error
            probe.anew()
            if isinstance(error, Unkept) and error.root not in lists.general:
                unkept.add(error.root)
    return unkept


def _has_lists(native: Native) -> bool:
    if isinstance(native, TupleOf):
        return any(map(_has_lists, native.items))
    return isinstance(native, ListOf)


ROUNDS = 8
"""How often a kernel is printed, each time with more known of what its loops carry."""


class Printer(Taking):
    """Prints one kernel."""

    def __init__(
        self,
        types: Mapping[Var, Type],
        lists: Lists,
        undecided: frozenset[Var] = frozenset(),
        known: Hints = NO_HINTS,
    ) -> None:
        super().__init__(types, known)
        self.undecided = undecided
        self.classes: dict[Var, str] = {}  # the names of the numbers of the classes of these
        self.unbound, self.absent, self.tested = frozenset(), frozenset(), frozenset()
        self.there: dict[Var, str] = {}  # the names of what says whether these are there
        self.lists = lists
        self.stores: dict[Var, Store] = {}
        self.starts: dict[Var, str] = {}
        self.loops: list[For | While] = []
        self.kept_codes: dict[Var, Store] = {}
        self.joined: dict[Var, Native] = {}
        self.placed: dict[Var, Call] = {}  # arrays that may be made where they are kept
        self.hollow, self.pushed_once, self.borrowed, self.sizes = frozenset(), frozenset(), frozenset(), {}
        self.begins, self.ends, self.given = {}, {}, {}  # given: lists that are parameters
        self.handed_on, self.begun, self.staying, self.known_to_stay = frozenset(), frozenset(), set(), set()
        self.brief, self.uncounted, self.rooms, self.pools = frozenset(), frozenset(), {}, {}
        self.popped: dict[Var, Var] = {}  # the items that `pop` takes from lists
        self.hands, self.slots, self.asked, self.initial, self.sharing = False, {}, {}, frozenset(), frozenset()
        self.returns, self.inner, self.steady = False, frozenset(), frozenset()
        self.columns, self.passed, self.handed = [], [], {}
        self.whole: Call | None = None  # what a forward function keeps

    def _store_of(self, root: Var, hint: str) -> Store:
        if root not in self.stores and root in self.kept_codes:
            known = self.kept_codes[root]
            store = super()._store_of(root, hint)
            store.codes, store.native, store.views, store.sample = known.codes, known.native, known.views, known.sample
            store.step = known.step
            self._name_columns(store)
        return super()._store_of(root, hint)

    def learn(self, before: Printer) -> None:
        """Take over what another printing has found of the whole kernel."""
        self.popped, self.placed = before.popped, before.placed
        self.memory, self.kept_codes, self.joined = dict(before.memory), before.stores, before.native
        self.shown = {v: set(by) for v, by in before.shown.items()}
        self.changing, self.own = frozenset(before.written), set(before.own)
        self.varying, self.given_back = set(before.varying), before.given_back
        self.known_to_stay = before.staying
        for store in before.stores.values():
            if store.sample is None or store.given or self.is_placed(store.sample):
                continue
            if self.may_change(store.sample):
                store.views = True

    @property
    def views(self) -> set[Var]:
        return {root for root, store in self.stores.items() if store.views}

    # -- the function

    def function(self, function: Function, name: str, inexact: bool) -> Kernel:
        params, self.printed = (*function.params, *function.captured), function
        self.unbound, self.absent, self.tested = unbound(function), absent(function), tested(function)
        self.placed = placed(function, self.lists)
        self.borrowed = borrowed(function, self.lists, self.types, self.placed)
        self.loose, self.lasting = loose(function, self.types, self.placed)
        self.brief, self.uncounted = brief(function, self.types), uncounted(function, self.lists, self.types)
        self.displays, (self.handed_on, self.begun) = displays(function, self.types), handed_on(function, self.types)
        self.hollow = hollow(function, self.lists)
        self.pushed_once, self.sizes = pushed_once(function, self.lists, self.hollow), {}
        read = free_vars(function.body)
        for p in params:
            if p in read and self.returns and self.lists.is_list(p) and p in self.lists.sites:
                self.take_list(p, f"a{params.index(p)}")
        used = tuple(p for p in params if p in read and p not in self.passed)
        for p in used:
            self._param(p, bool(self.slots) and p is function.params[0])
        if written(function, self.given, IN_PLACE if self.returns else WRITING):
            self.refuse("a list from elsewhere that is written")
        given_too = prepared(function.body, used, self.types)
        for var in given_too:
            self.native[var] = native_of(self.types[var])  # type: ignore[assignment]
            self.names[var] = self.fresh(var.name)
        if not isinstance(function.body.end, Return):
            self.refuse("a function that only raises")
        self.block(Block((), function.body.statements, Unreachable()), ())
        results = self._parts_of(function.body.end.value)
        lends = not self.hands and not any(map(self.is_listed, results)) and self.lends(results)
        arena = self.fresh("arena") if lends else ""
        for line in noted(self.kept(), f"{arena}_words") if arena else ():
            self.line(line)
        for array in dict.fromkeys(self.held):
            self.line(f"nt.held({array})")
        if any(isinstance(s, For) for s in statements_of(function.body)):
            self.line("nt.interleave()")
        self.whole = tuple_of(function) if self.hands else None
        exact = self._finish(function.body.end.value, used, inexact)
        if any(map(self.is_written_elsewhere, (*self.given, *self.passed))):
            self.refuse("arrays in a list from elsewhere that are written")
        if any(self.is_written_elsewhere(p) for p in used if isinstance(self.native.get(p), TupleOf)):
            self.refuse("arrays in a tuple from elsewhere that are written")
        given = [self.given.get(p, self.names[p]) for p in (*used, *given_too)]
        given += [c.name for c in self.columns] + [arena] * bool(arena)
        changed = tuple(self.written_among(used))
        head = [f"def {name}({', '.join(given)}):", "    nt.whole_registers()"]
        head += [f"    nt.writable({self.names[p]})" for p in changed]
        text = [*head, *self.storage(arena), *self.lines]
        saved = changed if self.faults else ()
        natives = tuple(machine(self.native[p]) or self.native[p] for p in (*used, *given_too))
        natives += (*(ArrayOf(c.code, 1) for c in self.columns), *(ArrayOf("f8", 1),) * bool(arena))
        listed = tuple(k for k, p in enumerate(used) if p in self.given)
        like = (*given_too.values(), *(c.text for c in self.columns))
        positions = tuple(params.index(p) for p in used)
        lent = len(self.kept()) if arena else 0
        source, called = "\n".join(text) + "\n", frozenset(self.elementary)
        kept = () if self.whole is None else self.whole.args
        hands = {k: self.handed[a] for k, a in enumerate(kept) if isinstance(a, Var) and a in self.handed}
        return Kernel(
            name, source, used, positions, natives, like, saved, self.faults, exact, called, listed, lent,
            hands, self.slots,
        )  # fmt: skip

    def _param(self, var: Var, whole: bool) -> None:
        native = native_of(self.types[var]) if not whole else self.whole_type(self.types[var])
        if isinstance(native, ListOf) and can_be_given(self.types[var]) and self.may_copy(var, native):
            self._given_list(var, native)
            return
        if native is None or _has_lists(native):
            self.place = var.place
            self.refuse(f"{var.name}, which no kernel can take")
        name = self.names[var] = self.fresh(var.name)
        self.native[var] = native
        if not isinstance(native, Number):
            self.outside.add(var)
        if native == Number("i8"):
            self.bits[var] = ARGUMENT_BITS
            self.fault_if(f"{name} > {2**ARGUMENT_BITS} or {name} < {-(2**ARGUMENT_BITS)}")

    def _given_list(self, var: Var, native: ListOf) -> None:
        """A list comes as an array, and is made of it again."""
        name, given = self.fresh(var.name), self.fresh(f"{var.name}_items")
        self.names[var], self.native[var], self.given[var] = name, native, given
        self.outside.add(var)
        if isinstance(native.item, ArrayOf):
            self.line(f"{name} = nt.parts_of({given}, {self.empty_list(native)})")
        elif native.item == Number("i8"):
            self.faults = True
            self.line(f"{name} = nt.integers({given})")
        elif isinstance(native.item, Number):
            self.line(f"{name} = nt.listed({given})")
        else:
            self._given_tuples(name, given, native)

    def _given_tuples(self, name: str, given: str, native: ListOf) -> None:
        """A list of tuples of numbers comes as an array with a row for each."""
        self.faults = True
        k = self.fresh("k")
        items = [
            f"nt.integer({given}[{k}, {j}])" if code == "i8" and as_given(code) != code else f"{given}[{k}, {j}]"
            for j, code in enumerate(codes_of(native.item))
        ]
        self.line(f"{name} = {self.empty_list(native)}")
        self.line(f"for {k} in range({given}.shape[0]):")
        self.line(f"    {name}.append(({', '.join(items)},))")

    def _exact_if_integer(self, call: Call) -> None:
        """What may be an integer is kept as a float, which is exact up to a limit."""
        if self.native.get(call.result) == Number("f8") and int in self.kinds(call.result):
            self.fault_if(f"abs({self.names[call.result]}) > {2.0**EXACT_BITS}")

    # -- results

    def _finish(self, value: Atom, params: Sequence[Var], inexact: bool) -> str:
        """Print the return; gives the expression that makes its classes exact."""
        flat: list[str] = []
        roots = {self.root(p) for p in params if isinstance(self.native.get(p), ArrayOf)}
        exact = self._result(value, flat, roots, inexact)
        if not flat:
            self.line("return 0")
        elif len(flat) == 1:
            self.line(f"return {flat[0]}")
            exact = exact.replace("r[0]", "r")
        else:
            self.line(f"return ({', '.join(flat)})")
            if exact == "(" + "".join(f"r[{k}], " for k in range(len(flat))) + ")":
                return "r"
        return exact

    def _parts_of(self, value: Atom) -> list[Var]:
        """What a result is made of."""
        if isinstance(value, Var) and value in self.made and self.callee(self.made[value]) is ops.build_tuple:
            return [v for a in self.made[value].args for v in self._parts_of(a)]
        return [value] if isinstance(value, Var) else []

    def _result(self, value: Atom, flat: list[str], roots: set[Var], inexact: bool, kept: bool = False) -> str:
        """Add the machine values of a result; gives the expression that makes it of them. `kept`: it is a part of
        what a forward function keeps for its pullback."""
        if isinstance(value, Var) and value in self.made and self.callee(self.made[value]) is ops.build_tuple:
            kept = kept or self.made[value] is self.whole
            parts = [self._result(a, flat, roots, inexact, kept) for a in self.made[value].args]
            text = "(" + "".join(f"{p}, " for p in parts) + ")"
            return f"sharing({text})" if value in self.sharing else text
        if isinstance(value, Var) and value in self.there:
            return self._result_or_none(value, flat, roots, inexact, kept)
        return self._result_there(value, flat, roots, inexact, kept)

    def _result_or_none(self, value: Var, flat: list[str], roots: set[Var], inexact: bool, kept: bool) -> str:
        """What is not there is None."""
        if value in self.unbound:  # to hand it over is to read it
            self.read(value)
            return self._result_there(value, flat, roots, inexact, kept)
        text = self._result_there(value, flat, roots, inexact, kept)
        flat.append(self.there[value])
        return f"({text} if r[{len(flat) - 1}] else None)"

    def _result_there(self, value: Atom, flat: list[str], roots: set[Var], inexact: bool, kept: bool) -> str:
        made = self.returned(value, flat)
        if made is not None:
            return made
        texts = self.hand(value) if kept else None
        if texts is not None:
            flat += texts
            return "(" + "".join(f"r[{k}], " for k in range(len(flat) - len(texts), len(flat))) + ")"
        known = self.known(value)
        if isinstance(value, Const) or known is not None:
            if known is None or type(known) in (int, float, bool, complex):
                return self.constant(known) if type(known) in (float, complex) else repr(known)
            flat.append(self.constant(known))
            return f"{self._class_of(value, False)}(r[{len(flat) - 1}])"
        native = self.native_type(value)
        if native is None or value not in self.names:
            self.refuse("a result that is neither a number, an array nor a tuple of these")
        flat.append(self.atom(value))
        here = f"r[{len(flat) - 1}]"
        if value in self.classes:
            flat.append(self.classes[value])
            return f"classes[r[{len(flat) - 1}]]({here})"
        if isinstance(native, ArrayOf):
            return f"alike({here})" if value in self.outlines else here
        if isinstance(native, TupleOf):
            self.refuse("a tuple from elsewhere as a result")
        if isinstance(native, ListOf):
            self.refuse("a list as a result")
        name = self._class_of(value, inexact)
        return here if name in ("float", "int", "bool", "complex") else f"{name}({here})"

    def _class_of(self, value: Atom, inexact: bool) -> str:
        """The class of a number outside of the kernel."""
        kinds = self.kinds(value)
        if len(kinds) == 1:
            (kind,) = kinds
            return kind.__name__ if kind.__module__ == "builtins" else f"np.{kind.__name__}"
        if not inexact:
            self.refuse(f"{getattr(value, 'name', 'a number')}, whose class is decided at run time")
        return "float"

    # -- calls

    def call(self, call: Call) -> None:
        fn = self.callee(call)
        if fn is None:
            self.refuse("a call of what is known only at run time")
        try:
            hash(fn)
        except TypeError:
            self.refuse("a call of an object")
        if (
            self.take(call)
            or self.list_call(call, fn)
            or self.listed_call(call, fn)
            or self.structure_call(call, fn)
            or self.array_call(call, fn)
        ):
            return
        if not call.kwargs and self.number_call(call, fn):
            self._exact_if_integer(call)
            if call.result in self.undecided:
                self._decide(call, fn)
            return
        for a in call.args:
            if self.lists.is_list(a):
                raise self.unkept(a, f"a call of {getattr(fn, '__name__', repr(fn))}")
        self.refuse(f"a call of {getattr(fn, '__name__', repr(fn))}")


__all__ = ["Kernel", "NotNative", "kernel", "supported"]
