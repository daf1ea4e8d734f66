"""Productions that write into arrays."""

from __future__ import annotations

from tests.fuzz.constructs import register
from tests.fuzz.expressions import mask
from tests.fuzz.generator import Generator, Impossible
from tests.fuzz.kinds import NUMBER, ONE, Array, Shape, Var, shape_text
from tests.fuzz.statements import make_view


def target(g: Generator, ndim: int | None = None, least: int = 0) -> Var:
    return g.need_array(ndim, least, writable=True)


def _operator(g: Generator) -> str:
    return g.rng.choice(("+=", "+=", "-=", "*=", "*=", "/="))


def _augmented(g: Generator, place: str, shape: Shape, whole: bool = True) -> None:
    op = _operator(g)
    e = g.operand(shape, 1) if whole else g.number(1)
    text = f"1.5 + np.abs({e.text})" if op == "/=" else g.tame(e, 1.5).text
    g.emit(f"{place} {op} {text}")


@register("augment_array", "inplace", "statement", 2)
def augment_array(g: Generator) -> None:
    v = target(g)
    if g.chance(0.1):
        g.emit(f"{v.name} **= 2")
        return
    _augmented(g, v.name, v.kind.shape)


@register("set_element", "inplace", "statement", 2)
def set_element(g: Generator) -> None:
    v = target(g, least=1)
    g.emit(f"{g.element(v)} = {g.tame(g.number(2)).text}")


@register("augment_element", "inplace", "statement", 1.5)
def augment_element(g: Generator) -> None:
    v = target(g, least=1)
    _augmented(g, g.element(v), (), whole=False)


def _part(g: Generator, v: Var) -> tuple[str, Shape]:
    shape = v.kind.shape
    first = g.size(shape[0])
    options = [("[:]", shape), ("[...]", shape)]
    if first >= 1:
        options += [("[1:]", (shape[0].plus(-1), *shape[1:])), ("[:-1]", (shape[0].plus(-1), *shape[1:]))] * 2
    if first >= 2:
        options += [("[1:-1]", (shape[0].plus(-2), *shape[1:]))]
    if len(shape) == 2 and g.size(shape[1]) >= 1:
        options += [("[:, 1:]", (shape[0], shape[1].plus(-1))), ("[..., :-1]", (shape[0], shape[1].plus(-1)))]
    cut, part = g.rng.choice(options)
    return f"{v.name}{cut}", part


@register("set_slice", "inplace", "statement", 2)
def set_slice(g: Generator) -> None:
    v = target(g)
    place, part = _part(g, v)
    g.emit(f"{place} = {g.tame(g.operand(part, 2)).text}")


@register("augment_slice", "inplace", "statement", 1.5)
def augment_slice(g: Generator) -> None:
    v = target(g)
    place, part = _part(g, v)
    _augmented(g, place, part)


@register("set_step", "inplace", "statement", 0.8)
def set_step(g: Generator) -> None:
    """Steps, also backwards; from the same memory, so that what is read overlaps what is written."""
    v = target(g, 1)
    form = g.rng.choice(
        (
            "{v}[::2] = {s}",
            "{v}[::2] *= {s}",
            "{v}[1::2] = {v}[1::2] * {s}",
            "{v}[::-1] = {v} * {s}",
            "{v}[::-1] += {v} * 0.3",
            "{v}[1:] = {v}[:-1] * {s}",
            "{v}[:-1] += {v}[1:] * {s}",
            "{v}[::-2] = {s}",
        )
    )
    if "[:-1]" in form and g.size(v.kind.shape[0]) < 1:
        raise Impossible
    g.emit(form.format(v=v.name, s=g.tame(g.number(1), 1.0).text))


@register("set_mask", "inplace", "statement")
def set_mask(g: Generator) -> None:
    v = target(g)
    source = g.pick(g.arrays(v.kind.shape))
    test = mask(g, source.name, v.kind.shape)
    s = g.tame(g.number(1), 1.5).text
    form = g.rng.choice(
        (
            "{v}[{t}] = {s}",
            "{v}[{t}] *= {s}",
            "{v}[{t}] = {w}[{t}] * {s}",
            "{v}[{t}] += {w}[{t}]",
            "{v}[:] = np.where({t}, {w}, {s})",
            "np.putmask({v}, {t}, {w})",
        )
    )
    g.emit(form.format(v=v.name, w=source.name, t=test, s=s))


@register("set_fancy", "inplace", "statement")
def set_fancy(g: Generator) -> None:
    """Lists and arrays of positions, also with a position twice: the last write stays."""
    v = target(g, least=1)
    first = g.size(v.kind.shape[0])
    where = [g.rng.randrange(first) for _ in range(g.rng.choice((1, 2, 3)))]
    where = [i - first if g.chance(0.15) else i for i in where]
    place = f"{v.name}[{where if g.chance(0.5) else f'np.array({where})'}]"
    form = g.rng.random()
    if form < 0.35:
        parts = ", ".join(g.array(v.kind.shape[1:], 1).text for _ in where)
        g.emit(f"{place} = np.array([{parts}])")
    elif form < 0.6:
        g.emit(f"{place} = {g.tame(g.number(1)).text}")
    else:
        _augmented(g, place, v.kind.shape[1:], whole=v.kind.ndim > 1 and g.chance(0.5))


@register("set_row", "inplace", "statement")
def set_row(g: Generator) -> None:
    v = target(g, 2, 1)
    rows, columns = v.kind.shape
    i, j = g.index(rows), g.index(columns)
    place, part = g.rng.choice(
        (
            (f"{v.name}[{i}]", (columns,)),
            (f"{v.name}[{i}, :]", (columns,)),
            (f"{v.name}[:, {j}]", (rows,)),
            (f"{v.name}[..., {j}]", (rows,)),
            (f"{v.name}[{i}, None]", (ONE, columns)),
            (f"{v.name}[:, 0:1]", (rows, ONE)),
        )
    )
    if g.chance(0.4):
        _augmented(g, place, part)
    else:
        g.emit(f"{place} = {g.tame(g.operand(part, 1)).text}")


@register("swap_elements", "inplace", "statement", 0.7)
def swap_elements(g: Generator) -> None:
    v = target(g, 1, 1)
    a, b = g.index(v.kind.shape[0]), g.index(v.kind.shape[0])
    form = g.rng.choice(("{v}[{a}], {v}[{b}] = {v}[{b}], {v}[{a}]", "{v}[[{a}, {b}]] = {v}[[{b}, {a}]]"))
    g.emit(form.format(v=v.name, a=a, b=b))


@register("write_view", "inplace", "statement", 1.2)
def write_view(g: Generator) -> None:
    """A view, a write through it, and the memory under it read."""
    v = target(g, least=1)
    w = make_view(g, v)
    place = w.name if g.chance(0.5) else f"{w.name}[...]"
    _augmented(g, place, w.kind.shape)
    g.bind(NUMBER, f"np.sum({v.name} * {v.name})", 4 * v.bound**2)


@register("write_chain", "inplace", "statement", 0.7)
def write_chain(g: Generator) -> None:
    """A write through an expression of indices."""
    v = target(g, least=2)
    if v.kind.ndim == 2:
        place = g.rng.choice((f"{v.name}[0][1:]", f"{v.name}[:, 0][:-1]", f"{v.name}.T[0]", f"{v.name}[1:][0]"))
    else:
        place = g.rng.choice((f"{v.name}[1:][0]", f"{v.name}[::-1][1:]", f"{v.name}[:-1][-1]"))
    if g.chance(0.5):
        g.emit(f"{place} = {g.tame(g.number(1)).text}" if "][" in place else f"{place}[:] = {g.tame(g.number(1)).text}")
    else:
        g.emit(f"{place} {g.rng.choice(('+=', '*='))} {g.tame(g.number(1), 1.2).text}")


@register("out", "inplace", "statement")
def out(g: Generator) -> None:
    v = target(g)
    shape = v.kind.shape
    a, b = g.array(shape, 1), g.operand(shape, 1)
    form = g.rng.choice(
        (
            "np.multiply({a}, {b}, out={v})",
            "np.add({a}, {b}, out={v})",
            "np.sin({a}, out={v})",
            "np.tanh({v}, {v})",
            "np.subtract({v}, {b}, out={v})",
            "np.add({a}, {b}, {v})",
            "np.maximum({a}, {b}, out={v})",
        )
    )
    line = form.format(a=g.tame(a, 1.5).text, b=g.tame(b, 1.5).text, v=v.name)
    if g.chance(0.3):
        name = g.fresh("o")
        g.emit(f"{name} = {line}")
        g.declare(Var(name, Array(shape), 2.0))
    else:
        g.emit(line)


@register("ufunc_at", "inplace", "statement", 0.7)
def ufunc_at(g: Generator) -> None:
    v = target(g, 1, 1)
    first = g.size(v.kind.shape[0])
    where = [g.rng.randrange(first) for _ in range(3)]
    name = g.rng.choice(("add", "add", "subtract", "multiply"))
    g.emit(f"np.{name}.at({v.name}, {where}, {g.tame(g.number(1), 1.2).text})")


@register("fill", "inplace", "statement", 0.7)
def fill(g: Generator) -> None:
    v = target(g)
    form = g.rng.choice(("{v}.fill({s})", "np.copyto({v}, {e})", "{v}[...] = {e}"))
    g.emit(form.format(v=v.name, s=g.tame(g.number(1)).text, e=g.tame(g.operand(v.kind.shape, 1)).text))


@register("sort_in_place", "inplace", "statement", 0.4)
def sort_in_place(g: Generator) -> None:
    g.emit(f"{target(g).name}.sort()")


@register("fill_diagonal", "inplace", "statement", 0.3)
def fill_diagonal(g: Generator) -> None:
    v = target(g, 2, 1)
    g.emit(f"np.fill_diagonal({v.name}, {g.tame(g.number(1)).text})")


@register("write_rows", "inplace", "statement", 0.7)
def write_rows(g: Generator) -> None:
    """A loop whose variable is a view of a row."""
    v = target(g, 2)
    row = Var(g.fresh("row"), Array(v.kind.shape[1:]), v.bound)
    with g.suite(f"for {row.name} in {v.name}:"):
        g.declare(row)
        _augmented(g, row.name, row.kind.shape)
        if g.chance(0.4):
            g.statement()


@register("recurrence", "inplace", "statement", 1.5)
def recurrence(g: Generator) -> None:
    """Elements written from elements written before."""
    v = target(g, 1, 1)
    d = v.kind.shape[0]
    i = g.fresh("i")
    e = g.tame(g.number(1), 1.0).text
    form = g.rng.choice(
        (
            "{v}[{i}] = np.sin({v}[{i} - 1]) + {v}[{i}] * {e}",
            "{v}[{i}] = {v}[{i} - 1] * {v}[{i}] + {e}",
            "{v}[{i}] += 0.5 * {v}[{i} - 1] * {v}[{i} - 1]",
            "{v}[{i}] = ({v}[{i} - 1] + {v}[{i}]) / (1.5 + {e} ** 2)",
        )
    )
    with g.suite(f"for {i} in range(1, {d}):"):
        g.emit(form.format(v=v.name, i=i, e=e))


@register("zero_d_write", "inplace", "statement", 0.5)
def zero_d_write(g: Generator) -> None:
    found = g.arrays(shape=(), writable=True)
    v = g.pick(found) if found else g.bind(Array(()), f"np.array({g.number(1).text})")
    form = g.rng.choice(("{v}[()] = {e}", "{v} += {e}", "{v} *= {e}", "{v}[...] = {v} * {e}"))
    g.emit(form.format(v=v.name, e=g.tame(g.number(1), 1.2).text))


@register("write_float32", "inplace", "statement", 0.25)
def write_float32(g: Generator) -> None:
    """A write that casts."""
    shape = g.shape()
    v = g.bind(Array(shape), f"np.zeros({shape_text(shape)}, np.float32)")
    g.mark("float32")
    g.emit(f"{v.name}[...] = {g.tame(g.operand(shape, 1)).text}")
    _augmented(g, v.name, shape)


@register("work_buffer", "inplace", "statement", 0.8)
def work_buffer(g: Generator) -> None:
    """Memory written anew in each iteration and read after the write."""
    shape = g.shape()
    total = g.bind(NUMBER, g.number(0).text)
    first = g.tame(g.operand(shape, 1)).text  # made before the buffer has a name: it may be empty memory
    v = g.bind(Array(shape), g.rng.choice(("np.empty({})", "np.zeros({})")).format(shape_text(shape)))
    with g.suite(f"for {g.fresh('k')} in range({g.rng.choice((2, 3))}):"):
        g.emit(f"{v.name}[:] = {first}")
        g.emit(f"{total.name} = 0.5 * {total.name} + np.sum({v.name} * {g.array(shape, 1).text}) * 0.2")
        if g.chance(0.4):
            g.statement()


@register("number_to_array", "inplace", "statement", 0.8)
def number_to_array(g: Generator) -> None:
    """A number becomes an array by augmented assignment, and is written then."""
    a = g.need_array(least=1)
    start = g.rng.choice((f"{a.name}.mean()", g.element(a), f"np.sum({a.name}) * 0.2", g.tame(g.number(1)).text))
    name = g.fresh("z")
    g.emit(f"{name} = {start}")
    g.emit(f"{name} {g.rng.choice(('+=', '-=', '*='))} {g.tame(g.operand(a.kind.shape, 1), 1.5).text}")
    g.emit(f"{name} {g.rng.choice(('+=', '-=', '*='))} np.tanh({a.name})")
    v = g.declare(Var(name, a.kind, 6.0, True))
    if g.chance(0.7):
        _augmented(g, v.name, v.kind.shape)


@register("array_of_number", "inplace", "statement", 0.6)
def array_of_number(g: Generator) -> None:
    """What gives a view of an array gives new memory of a number."""
    number = g.tame(g.number(1)).text
    form = g.rng.choice(
        (
            "np.atleast_1d({})",
            "np.expand_dims({}, 0)",
            "np.asarray({})[None]",
            "np.ravel({})",
            "np.float64({})[None]",
            "np.atleast_1d({}, 2.0)[0]",
            "np.array_split([{}, 0.5], 2)[0]",
        )
    )
    v = g.bind(Array((ONE,)), form.format(number))
    _augmented(g, v.name, v.kind.shape)
    if g.chance(0.5):
        g.emit(f"{v.name}[0] = {g.tame(g.number(1)).text} * {v.name}[0]")


@register("out_spread", "inplace", "statement", 0.6)
def out_spread(g: Generator) -> None:
    """What is given to `out` may have fewer elements than that."""
    v = target(g, least=1)
    first, second = g.tame(g.number(1), 2.0).text, g.tame(g.number(1), 2.0).text
    row = f"{v.name}[:1]" if g.chance(0.4) else first
    form = g.rng.choice(("np.sin({a}, out={v})", "np.multiply({a}, {b}, out={v})", "np.add({v}[-1], {b}, out={v})"))
    g.emit(form.format(a=row, b=second, v=v.name))


@register("global_write", "globals", "statement", 0.4)
def global_write(g: Generator) -> None:
    g.mark("module_array")
    form = g.rng.choice(("WORK[:] = {e}", "WORK[0] += {e}", "WORK[1] = {e}"))
    g.emit(form.format(e=g.tame(g.number(1)).text))
    g.bind(NUMBER, "np.sum(WORK * WORK)", 4.0)


@register("module_array", "globals", "statement", 0.5)
def module_array(g: Generator) -> None:
    g.bind(NUMBER, f"np.sum(TABLE * {g.number(1).text}) + SCALE", 4.0)
