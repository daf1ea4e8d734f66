"""Productions of plain statements: assignments, aliases, views."""

from __future__ import annotations

from tests.fuzz.constructs import register
from tests.fuzz.generator import Generator
from tests.fuzz.kinds import NUMBER, ONE, Array, Dim, Number, Var


@register("assign_number", "basic", "statement", 2)
def assign_number(g: Generator) -> None:
    g.assign_number(g.number(3))


@register("assign_array", "basic", "statement", 2)
def assign_array(g: Generator) -> None:
    shape = g.shape()
    e = g.array(shape, 3)
    g.bind(Array(shape), e.text if "(" in e.text else f"{e.text} * 1.0", e.bound)


@register("rebind_number", "basic", "statement", 2)
def rebind_number(g: Generator) -> None:
    v = g.pick(g.vars_of(Number))
    e = g.tame(g.number(3))
    g.emit(f"{v.name} = {e.text}")


@register("rebind_array", "basic", "statement", 2)
def rebind_array(g: Generator) -> None:
    v = g.need_array()
    e = g.tame(g.array(v.kind.shape, 3))
    # a view that is not writable must not take the name of what is
    g.emit(f"{v.name} = {e.text if '(' in e.text or e.text.isidentifier() else f'np.array({e.text})'}")


@register("augment_number", "basic", "statement", 2)
def augment_number(g: Generator) -> None:
    v = g.need_number()
    e = g.number(2)
    op = g.rng.choice(("+=", "+=", "-=", "*=", "/="))
    text = f"1.5 + np.abs({e.text})" if op == "/=" else g.tame(e, 1.5).text
    g.emit(f"{v.name} {op} {text}")


@register("alias", "views", "statement", 1.5)
def alias(g: Generator) -> None:
    v = g.need_array(writable=True)
    g.bind(v.kind, v.name, v.bound)


@register("view", "views", "statement", 2)
def view(g: Generator) -> None:
    v = g.need_array(writable=True)
    make_view(g, v)


@register("view_of_view", "views", "statement", 1.2)
def view_of_view(g: Generator) -> None:
    make_view(g, make_view(g, g.need_array(least=1, writable=True)))


def make_view(g: Generator, v: Var) -> Var:
    """A name of a part, or of another arrangement, of an array's memory."""
    shape = v.kind.shape
    first = g.size(shape[0])
    options = [(f"{v.name}[::-1]", shape), (f"{v.name}[:]", shape), (f"{v.name}[...]", shape)]
    if first >= 1:
        shorter = (shape[0].plus(-1), *shape[1:])
        options += [(f"{v.name}[1:]", shorter), (f"{v.name}[:-1]", shorter)] * 2
    if first >= 2:
        options += [(f"{v.name}[1:-1]", (shape[0].plus(-2), *shape[1:]))]
    options += [(f"{v.name}[None]", (ONE, *shape))] if len(shape) < 2 else []
    if len(shape) == 2:
        options += [(f"{v.name}.T", shape[::-1])] * 2
        options += [(f"{v.name}[{g.index(shape[0])}]", shape[1:])] * 2 if first else []
        options += [(f"{v.name}[:, {g.index(shape[1])}]", shape[:1])] * 2 if g.size(shape[1]) else []
    elif shape[0] == ONE or g.chance(0.3):
        options += [(f"{v.name}.reshape({shape[0]}, 1)", (shape[0], ONE))] * 2
    text, made = g.rng.choice(options)
    return g.bind(Array(made), text, v.bound)


@register("unpack", "basic", "statement")
def unpack(g: Generator) -> None:
    """Two names at once; sometimes a swap of two numbers."""
    numbers = g.vars_of(Number)
    if len(numbers) > 1 and g.chance(0.4):
        a, b = g.rng.sample(numbers, 2)
        g.emit(f"{a.name}, {b.name} = {b.name}, {g.tame(g.number(1)).text}")
        return
    a, b = g.number(2), g.number(2)
    first, second = g.fresh("s"), g.fresh("t")
    g.emit(f"{first}, {second} = {a.text}, {b.text}")
    for name, e in ((first, a), (second, b)):
        g.declare(Var(name, NUMBER, e.bound))


@register("unpack_array", "basic", "statement", 0.6)
def unpack_array(g: Generator) -> None:
    found = [v for v in g.arrays() if v.kind.shape and not v.kind.shape[0].symbol and v.kind.shape[0].offset in (2, 3)]
    if found:
        v = g.pick(found)
    else:
        v = g.new_array((Dim("", 2),))
    names = [g.fresh("q") for _ in range(v.kind.shape[0].offset)]
    kind = Array(v.kind.shape[1:]) if v.kind.ndim > 1 else NUMBER
    g.emit(f"{', '.join(names)} = {v.name}")
    for name in names:
        g.declare(Var(name, kind, v.bound))


@register("inert", "control", "statement", 0.7)
def inert(g: Generator) -> None:
    """Code beside the numbers: text, counts, checks."""
    v = g.need_number()
    name = g.fresh("note")
    form = g.rng.choice(
        (
            "{0} = 'value ' + str(round(float({1}), 3))",
            "{0} = [k for k in range(3)]",
            "assert {1} < 1e6, 'too large'",
            "{0} = len(str({1})) + 1",
            "{0} = int(abs({1}) * 3)",
            "{0} = bool({1} > 0)",
        )
    )
    g.emit(form.format(name, v.name))


@register("delete", "basic", "statement", 0.4)
def delete(g: Generator) -> None:
    e = g.number(1)
    v = g.bind(NUMBER, e.text, e.bound)
    g.bind(NUMBER, f"{v.name} * 0.5", e.bound)
    g.emit(f"del {v.name}")
    for scope in g.frame.scopes:
        scope.pop(v.name, None)
