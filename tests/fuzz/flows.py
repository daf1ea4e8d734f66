"""Productions whose way is found where it runs: functions that yield, `match`, and `try`."""

from __future__ import annotations

from tests.fuzz.constructs import register
from tests.fuzz.expressions import condition
from tests.fuzz.generator import Generator
from tests.fuzz.kinds import NUMBER, Number, Var
from tests.fuzz.late import row, steps_of
from tests.fuzz.sides import BIN

LOOP = "for {e} in {f}({x}):"
EAGER = (
    "sum({f}({x}))",
    "max([*{f}({x}), 0.2])",
    "sum({e} * ({k} + 1) for {k}, {e} in enumerate({f}({x})))",
    "sum({e} * {k} for {e}, {k} in zip({f}({x}), {x}))",
    "next({f}({x}), 0.3)",
    "sum(list({f}({x}))[:2])",
    "(any({e} > 0.4 for {e} in {f}({x})) * 1.0)",
    "sum(itertools.islice({f}({x}), 2))",
    "functools.reduce(lambda p, q: p * 0.6 + q, {f}({x}), 0.1)",
    "sum([{e} * {e} for {e} in {f}({x}) if {e} > -0.5])",
)
"""What makes a number of all, or of the first, of what a function yields."""
FIRST = ("sum(itertools.islice({f}({x}), 3))", "sum({e} for {e}, {k} in zip({f}({x}), range(2)))")
"""What asks for some of what never ends."""


def small(g: Generator, depth: int = 1, bound: float = 1.3) -> str:
    return g.tame(g.number(depth), bound).text


def stream(g: Generator, writes: bool = False) -> str:
    """A function of one array that yields numbers made of its elements."""
    fn, x, e = g.fresh("flow"), g.fresh("x"), g.fresh("e")
    with g.suite(f"def {fn}({x}):"):
        if g.chance(0.3):
            g.emit(f"yield {small(g)}")
        with g.suite(f"for {e} in {x}:"):
            g.declare(Var(e, NUMBER))
            if g.chance(0.4):
                with g.suite(f"if {condition(g)}:"):
                    g.emit(g.rng.choice(("continue", "break", "return")))
            if writes:
                g.emit(f"{x}[{g.rng.choice(('0', '-1'))}] {g.rng.choice(('+=', '=', '*='))} {small(g)} * {e}")
            g.emit(f"yield {e} * {small(g)}")
            if g.chance(0.3):
                with g.suite(f"if {condition(g)}:"):
                    g.emit(f"yield {small(g)} + {e}")
        if g.chance(0.3):
            g.emit(f"yield {x}[0] * {small(g)}")
    return fn


def consume(g: Generator, fn: str, x: str, eager: tuple[str, ...], looped: float) -> None:
    e, k = g.fresh("e"), g.fresh("k")
    if not g.chance(looped):
        g.bind(NUMBER, g.rng.choice(eager).format(f=fn, x=x, e=e, k=k), 6.0)
        return
    total = g.bind(NUMBER, g.number(0).text)
    with g.suite(LOOP.format(f=fn, x=x, e=e)):
        g.declare(Var(e, NUMBER, 2.0))
        g.emit(f"{total.name} = {total.name} * 0.5 + {e}")
        if eager is FIRST or g.chance(0.4):
            test = f"{total.name} > 0.4 or {e} < 0.1" if eager is FIRST else condition(g)
            with g.suite(f"if {test}:"):
                g.emit("break")
        if g.chance(0.4):
            g.statement()


@register("yields", "flows", "statement")
def yields(g: Generator) -> None:
    """A loop over, or a sum of, what a function yields."""
    a = row(g)
    consume(g, stream(g), a.name, EAGER, 0.5)


@register("yields_and_writes", "flows", "statement", 0.7)
def yields_and_writes(g: Generator) -> None:
    """The function, or the loop over it, writes into the array that the other reads."""
    a = row(g)
    inside = g.chance(0.6)
    fn, e = stream(g, inside), g.fresh("e")
    total = g.bind(NUMBER, g.number(0).text)
    with g.suite(LOOP.format(f=fn, x=a.name, e=e)):
        g.declare(Var(e, NUMBER, 2.0))
        if not inside or g.chance(0.3):
            g.emit(f"{a.name}[{g.rng.choice(('0', '-1'))}] {g.rng.choice(('=', '*='))} {small(g, 0)} * np.tanh({e})")
        g.emit(f"{total.name} = {total.name} * 0.5 + {e} * {a.name}[0]")


@register("yields_from", "flows", "statement", 0.6)
def yields_from(g: Generator) -> None:
    a, inner, fn, x = row(g), stream(g), g.fresh("flow"), g.fresh("x")
    with g.suite(f"def {fn}({x}):"):
        g.emit(f"yield {small(g)}")
        if g.chance(0.5):
            with g.suite(f"if {condition(g)}:"):
                g.emit(f"yield from {inner}({x})")
        g.emit(f"yield from {g.rng.choice((f'{inner}({x})', f'{x}', f'(np.sin(v) for v in {x})'))}")
    consume(g, fn, a.name, EAGER, 0.5)


@register("yields_for_ever", "flows", "statement", 0.6)
def yields_for_ever(g: Generator) -> None:
    """A state that is yielded again and again, as far as it is asked for."""
    fn, x, s = g.fresh("flow"), g.fresh("x"), g.fresh("s")
    start = g.need_number()
    with g.suite(f"def {fn}({x}):"):
        g.emit(f"{s} = {x}")
        g.declare(Var(s, NUMBER, 2.0))
        with g.suite("while True:"):
            g.emit(f"yield {s}")
            g.emit(f"{s} = np.sin({s} * 0.6) * {small(g, 0)}")
    consume(g, fn, start.name, FIRST, 0.5)


@register("match_number", "flows", "statement")
def match_number(g: Generator) -> None:
    total, i, v = g.bind(NUMBER, g.number(0).text), g.fresh("i"), g.fresh("v")
    with g.suite(f"for {i} in range({steps_of(g)}):"):
        with g.suite(f"match {i} % 3:"):
            with g.suite(g.rng.choice(("case 0:", "case 0 | 2:", f"case 0 if {condition(g)}:"))):
                g.emit(f"{total.name} = {total.name} * 0.5 + {small(g)}")
            with g.suite("case 1:"):
                g.body(1, 1)
                g.emit(f"{total.name} += {small(g)}")
            if g.chance(0.5):
                with g.suite(f"case {v}:"):
                    g.emit(f"{total.name} = {total.name} * {small(g, 0)} + {v}")


@register("match_sequence", "flows", "statement")
def match_sequence(g: Generator) -> None:
    """Tuples, lists met at run time, and what names are left with."""
    v, w, rest = g.fresh("v"), g.fresh("w"), g.fresh("rest")
    out = g.bind(NUMBER, g.number(0).text, 6.0)
    if g.chance(0.5):
        subject = f"({small(g)}, {small(g)})"
    else:
        subject, e = g.fresh("items"), g.fresh("e")
        g.emit(f"{subject} = [{e} * 0.7 for {e} in {row(g).name} if {e} > 0.1]")
    with g.suite(f"match {subject}:"):
        with g.suite("case []:"):
            g.emit(f"{out.name} = {small(g)}")
        with g.suite(f"case [{v}]:"):
            g.emit(f"{out.name} = {out.name} * 0.5 + {v}")
        with g.suite(f"case ({v}, {w}) if {v} > {w}:"):
            g.emit(f"{out.name} = {v} * 0.7 - {w} * {out.name}")
        with g.suite(f"case [{v}, *{rest}]:"):
            g.emit(f"{out.name} = {v} * 0.4 + sum({rest}) * {small(g, 0)}")


@register("match_structure", "flows", "statement")
def match_structure(g: Generator) -> None:
    """Dicts and objects, chosen by a branch."""
    g.classes.setdefault("Bin", BIN)
    name, v, rest = g.fresh("thing"), g.fresh("v"), g.fresh("rest")
    made = [f"{{'w': {small(g)}, 'n': {small(g)}}}", f"Bin({small(g)})", small(g), f"{{'n': {small(g)}}}"]
    one, two = g.rng.sample(made, 2)
    if g.chance(0.5):
        g.emit(f"{name} = {one}")
    else:
        with g.suite(f"if {condition(g)}:"):
            g.emit(f"{name} = {one}")
        with g.suite("else:"):
            g.emit(f"{name} = {two}")
    out = g.bind(NUMBER, "0.1", 4.0)
    with g.suite(f"match {name}:"):
        with g.suite(f"case {{'w': {v}, **{rest}}}:"):
            g.emit(f"{out.name} = {v} * 0.5 + sum({rest}.values())")
        with g.suite(f"case {{'n': {v}}}:"):
            g.emit(f"{out.name} = {v} * {small(g, 0)}")
        with g.suite(f"case Bin(v={v}, items=[{rest}]):"):
            g.emit(f"{out.name} = {v} * {rest}")
        with g.suite(f"case {v}:"):
            g.emit(f"{out.name} = {v} * 0.9")


FAILS = (
    "math.log({0})",
    "math.sqrt({0} + 0.0137)",
    "math.log(0.2 + {0}) * 0.5",
    "{1}[int(abs({0}) * 4)]",
    "{{'a': {0}, 0: 0.4}}[int(abs({0}) * 2)]",
    "1.0 / max({0} + 0.0137, 0)",
    "math.acos({0} * 1.5)",
)
"""Numbers that not each value has. What is exactly zero by its structure, as a difference of equals or an array
not yet filled, lies in no domain's edge: there the slope is infinite, and times zero it is nan (docs/maths.md)."""
CAUGHT = "(ValueError, IndexError, KeyError, ZeroDivisionError)"


def failing(g: Generator) -> str:
    return g.rng.choice(FAILS).format(small(g, 1, 1.0), row(g).name)


@register("try_number", "flows", "statement")
def try_number(g: Generator) -> None:
    """A number, or another where it cannot be had; alone or in a loop."""
    out = g.bind(NUMBER, g.number(0).text, 4.0)
    name, text = g.fresh("s"), failing(g)
    looped = g.chance(0.4)
    head = f"for {g.fresh('i')} in range({steps_of(g)}):" if looped else f"if {condition(g)}:"
    with g.suite(head):
        with g.suite("try:"):
            if g.chance(0.3):
                with g.suite(f"if {condition(g)}:"):
                    g.emit("raise ValueError('not here')")
            g.emit(f"{name} = np.tanh({text})")
        with g.suite(f"except {CAUGHT}:"):
            if looped and g.chance(0.4):
                g.emit(f"{out.name} = {out.name} * 0.9")
                g.emit(g.rng.choice(("continue", "break")))
            else:
                g.emit(f"{name} = {small(g)}")
        if g.chance(0.3):
            with g.suite("else:"):
                g.emit(f"{out.name} = {out.name} * 0.5 + {small(g)}")
        if g.chance(0.3):
            with g.suite("finally:"):
                g.emit(f"{out.name} = {out.name} * 0.8")
        g.emit(f"{out.name} = {out.name} * 0.5 + {name}")


@register("try_call", "flows", "statement")
def try_call(g: Generator) -> None:
    """A function that returns what it tries, or what its handler has."""
    fn, x, e = g.fresh("safe"), g.fresh("x"), g.fresh("e")
    with g.suite(f"def {fn}({x}):"):
        g.declare(Var(x, NUMBER))
        with g.suite("try:"):
            g.emit(f"return np.tanh({g.rng.choice(FAILS[:3]).format(x)}) * {small(g, 0)}")
        with g.suite("except ValueError:"):
            g.emit(f"return {x} * {small(g)}")
    form = g.rng.choice(("{f}({a})", "{f}({a}) * {f}(0.5)", "sum({f}({e}) for {e} in {r})"))
    g.bind(NUMBER, form.format(f=fn, a=small(g), e=e, r=row(g).name), 6.0)


@register("try_between", "flows", "statement", 0.7)
def try_between(g: Generator) -> None:
    """What is written and bound around a `try` that may leave early."""
    a, v = row(g), g.pick(g.vars_of(Number))
    g.emit(f"{a.name}[0] = {small(g)}")
    name = g.fresh("t")
    text = failing(g)
    with g.suite("try:"):
        g.emit(f"{name} = {text}")
    with g.suite("except Exception:"):
        g.emit(f"{a.name}[-1] *= {small(g, 0)}")
        g.emit(f"{name} = {a.name}[-1]")
    g.emit(f"{a.name}[0] *= np.tanh({name})")
    g.bind(NUMBER, f"{a.name}[0] * {v.name} + np.sum({a.name})", 6.0)
