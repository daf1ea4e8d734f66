"""Productions of control flow: branches, loops, and ways out of them."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.constructs import register
from tests.fuzz.expressions import condition
from tests.fuzz.generator import Generator, Impossible
from tests.fuzz.kinds import NUMBER, Array, Dim, Var, Whole
from tests.fuzz.results import result_text


@register("if", "control", "statement", 2)
def branch(g: Generator) -> None:
    with g.suite(f"if {condition(g)}:"):
        g.body()


@register("if_else", "control", "statement", 1.5)
def branches(g: Generator) -> None:
    with g.suite(f"if {condition(g)}:"):
        g.body()
    with g.suite("else:"):
        g.body()


@register("elif", "control", "statement", 0.8)
def chain(g: Generator) -> None:
    for head in (f"if {condition(g)}:", f"elif {condition(g)}:", "else:"):
        with g.suite(head):
            g.body(1, 2)


@register("bound_in_branches", "control", "statement", 0.8)
def bound_in_branches(g: Generator) -> None:
    """A name that each branch binds."""
    name = g.fresh("b")
    shape = g.shape() if g.chance(0.4) else ()
    bounds = []
    for head in (f"if {condition(g)}:", "else:"):
        with g.suite(head):
            e = g.array(shape, 2)
            bounds.append(e.bound)
            text = e.text if not shape or "(" in e.text else f"{e.text} * 1.0"
            g.emit(f"{name} = {text}")
    g.declare(Var(name, Array(shape) if shape else NUMBER, max(bounds), not shape or g.chance(0.5)))


def _trips(g: Generator) -> tuple[str, Dim]:
    whole = g.variables(lambda v: isinstance(v.kind, Whole) and v.kind.below == Dim("", 99))
    if whole and g.chance(0.3):
        return g.pick(whole).name, Dim("", 3)
    if g.chance(0.6):
        d = g.rng.choice(g.dims())
        return str(d), d
    k = g.rng.choice((1, 2, 2, 3, 3, 0))
    return str(k), Dim("", k)


def _loop(g: Generator, head: str, *vars: Var, most: int = 3) -> None:
    with g.suite(head):
        for v in vars:
            g.declare(v)
        g.frame.loops.append("loop")
        g.body(1, most)
        g.frame.loops.pop()


def _range_head(g: Generator) -> tuple[str, Var]:
    text, below = _trips(g)
    i = Var(g.fresh(g.rng.choice("ijk")), Whole(below))
    form = g.rng.choice(("range({})", "range({})", "range({})", "reversed(range({}))", "range({} - 1, -1, -1)"))
    return f"for {i.name} in {form.format(text)}:", i


@register("for_range", "control", "statement", 3)
def for_range(g: Generator) -> None:
    head, i = _range_head(g)
    _loop(g, head, i)


@register("accumulate", "control", "statement", 1.5)
def accumulate(g: Generator) -> None:
    """A number carried through a loop over the elements of an array."""
    v = g.need_array(1)
    total = g.bind(NUMBER, g.number(0).text)
    i = Var(g.fresh("i"), Whole(v.kind.shape[0]))
    size = g.rng.choice((f"len({v.name})", f"{v.name}.shape[0]", str(v.kind.shape[0])))
    with g.suite(f"for {i.name} in range({size}):"):
        g.declare(i)
        e = g.tame(g.number(2), 1.0)
        form = g.rng.choice(
            ("{s} = 0.6 * {s} + {v}[{i}] * {e}", "{s} += {v}[{i}] * {e}", "{s} = np.sin({s} + {v}[{i}]) * {e}")
        )
        g.emit(form.format(s=total.name, v=v.name, i=i.name, e=e.text))
        if g.chance(0.4):
            g.statement()


@register("for_items", "control", "statement")
def for_items(g: Generator) -> None:
    """Over the elements or rows of an array, alone, with numbers, or beside another."""
    v = g.need_array()
    kind = Array(v.kind.shape[1:]) if v.kind.ndim > 1 else NUMBER
    item = Var(g.fresh("e" if kind is NUMBER else "row"), kind, v.bound)
    form = g.rng.random()
    if form < 0.4:
        _loop(g, f"for {item.name} in {v.name}:", item)
    elif form < 0.7:
        i = Var(g.fresh("i"), Whole(v.kind.shape[0]))
        _loop(g, f"for {i.name}, {item.name} in enumerate({v.name}):", i, item)
    else:
        w = g.need_array(v.kind.ndim)
        other = Var(g.fresh("e" if kind is NUMBER else "row"), Array(w.kind.shape[1:]) if w.kind.ndim > 1 else NUMBER)
        _loop(g, f"for {item.name}, {other.name} in zip({v.name}, {w.name}):", item, other)


@register("for_else", "control", "statement", 0.5)
def for_else(g: Generator) -> None:
    head, i = _range_head(g)
    v, e = g.need_number(), g.number(1)
    with g.suite(head):
        g.declare(i)
        g.body(1, 2)
        with g.suite(f"if {condition(g)}:"):
            g.emit("break")
    with g.suite("else:"):
        g.emit(f"{v.name} = {g.tame(e).text}")


@register("while", "control", "statement", 1.2)
def while_loop(g: Generator) -> None:
    if g.chance(0.5):
        count = g.bind(Whole(Dim("", 99)), "0", stem="it")
        with g.suite(f"while {count.name} < {g.rng.choice((2, 3, 4))}:"):
            g.emit(f"{count.name} += 1")
            g.frame.loops.append("while")
            g.body(1, 2)
            g.frame.loops.pop()
        return
    # ends after some numbers of iterations that depend on the data
    e = g.number(1)
    v = g.bind(NUMBER, f"1.0 + np.tanh({e.text}) * 0.4", 1.4)
    with g.suite(f"while {v.name} > {g.rng.choice((0.3, 0.5))}:"):
        g.emit(f"{v.name} = {v.name} * {g.rng.choice((0.5, 0.7))}")
        frame = g.frame
        hidden = [s.pop(v.name, None) for s in frame.scopes]  # nothing else may change it: it ends the loop
        g.frame.loops.append("while")
        g.body(1, 2)
        g.frame.loops.pop()
        for scope, was in zip(frame.scopes, hidden):
            if was is not None:
                scope[v.name] = was


@register("nested_loops", "control", "statement", 0.8)
def nested_loops(g: Generator) -> None:
    v = g.need_array(2)
    total = g.bind(NUMBER, g.number(0).text)
    i, j = (Var(g.fresh(c), Whole(d)) for c, d in zip("ij", v.kind.shape))
    with g.suite(f"for {i.name} in range({v.kind.shape[0]}):"):
        g.declare(i)
        if g.chance(0.4):
            g.statement()
        with g.suite(f"for {j.name} in range({v.name}.shape[1]):"):
            g.declare(j)
            g.emit(f"{total.name} = {total.name} * 0.7 + {v.name}[{i.name}, {j.name}] * {g.tame(g.number(1)).text}")
            if g.chance(0.4):
                g.statement()


def _inside(g: Generator, make: Callable[[], None]) -> None:
    """What a loop must be around, in a loop of its own where there is none."""
    if g.frame.loops:
        make()
        return
    head, i = _range_head(g)
    with g.suite(head):
        g.declare(i)
        g.frame.loops.append("loop")
        g.body(1, 2)
        make()
        g.body(1, 2)
        g.frame.loops.pop()


@register("break", "control", "statement", 0.8)
def break_out(g: Generator) -> None:
    def make() -> None:
        with g.suite(f"if {condition(g)}:"):
            if g.chance(0.5):
                g.body(1, 1)
            g.emit("break")

    _inside(g, make)


@register("continue", "control", "statement", 0.8)
def continue_on(g: Generator) -> None:
    def make() -> None:
        with g.suite(f"if {condition(g)}:"):
            if g.chance(0.5):
                g.body(1, 1)
            g.emit("continue")

    _inside(g, make)


def returns(g: Generator) -> None:
    if g.frame.result is None:
        raise Impossible
    with g.suite(f"if {condition(g)}:"):
        with g.pure():
            text = result_text(g, g.frame.result, short=True)
        g.emit(f"return {text}")


@register("early_return", "control", "statement", 0.7)
def early_return(g: Generator) -> None:
    returns(g)


@register("return_in_loop", "control", "statement", 0.5)
def return_in_loop(g: Generator) -> None:
    _inside(g, lambda: returns(g))


@register("unbound_at_zero_trips", "control", "statement", 0.4)
def last_of_loop(g: Generator) -> None:
    """A name bound before a loop as an int or float, and by the loop as something else."""
    v = g.need_array(1)
    name = g.fresh("last")
    start = g.rng.choice(("0", "0.0", "1", f"{g.number(0).text}"))
    g.emit(f"{name} = {start}")
    e = g.fresh("e")
    with g.suite(f"for {e} in {v.name}:"):
        g.declare(Var(e, NUMBER, v.bound))
        g.emit(f"{name} = {g.tame(g.number(1)).text} * {e}")
    g.declare(Var(name, NUMBER, 2.0))


@register("accumulate_from_number", "control", "statement", 0.8)
def accumulate_from_number(g: Generator) -> None:
    """A loop whose first iteration makes an array of a number, into which the others write."""
    a = g.need_array(least=1)
    name, k = g.fresh("z"), g.fresh("k")
    g.emit(f"{name} = {g.rng.choice(('0.0', '0', '1', g.tame(g.number(1)).text))}")
    kept = g.fresh("s")
    g.emit(f"{kept} = []")
    over = g.rng.choice(("range(3)", "(0.5, 1, -0.3)", f"range(1, len({a.name}) + 2)"))
    with g.suite(f"for {k} in {over}:"):
        if g.chance(0.3):
            g.body(1, 1)
        g.emit(f"{name} {g.rng.choice(('+=', '-=', '*='))} np.tanh({a.name} * {k})")
        if g.chance(0.4):
            g.emit(f"{name} {g.rng.choice(('+=', '*='))} {g.tame(g.number(1), 1.5).text}")
        if g.chance(0.4):
            g.emit(f"{kept}.append({name})")
    v = g.declare(Var(name, a.kind, 20.0, True))
    if g.chance(0.5):
        g.emit(f"{v.name} /= 3")
