"""Productions of what two readers think of and a table of plain statements does not: callbacks that write, tables of
lists, tuples as indices, random draws, arrays of objects, iterators over memory that is written meanwhile."""

from __future__ import annotations

from tests.fuzz.constructs import register
from tests.fuzz.expressions import condition
from tests.fuzz.generator import Generator
from tests.fuzz.kinds import NUMBER, Array, Var
from tests.fuzz.late import row, steps_of


def writer(g: Generator, a: Var) -> str:
    """A function of one number that writes into an array, and returns a number."""
    fn, v = g.fresh("write"), g.fresh("v")
    with g.pure():
        factor = g.tame(g.number(1), 1.3).text
    with g.suite(f"def {fn}({v}):"):
        g.emit(f"{a.name}[{g.rng.choice(('0', '-1'))}] {g.rng.choice(('+=', '=', '*='))} {v} * {factor}")
        g.emit(f"return {v} * 0.5 + {a.name}[0]")
    return fn


@register("callback_writes", "effects", "statement")
def callback_writes(g: Generator) -> None:
    """A function that writes is called by map, zip, a comprehension, any(): so often as these ask for items."""
    a = row(g)
    source = g.need_array(ndim=1, least=1)
    fn, held, e = writer(g, a), g.fresh("held"), g.fresh("e")
    form = g.rng.choice(
        (
            "list(map({f}, {s}))",
            "[{f}({e}) for {e} in {s}]",
            "[any({f}({e}) > 0.2 for {e} in {s}) * 1.0]",
            "[all({f}({e}) > 0.2 for {e} in {s}) * 1.0]",
            "[next(map({f}, {s}))]",
            "list(zip(map({f}, {s}), range(2)))[0]",
            "[functools.reduce(lambda p, q: p * 0.5 + {f}(q), {s}, 0.1)]",
        )
    )
    g.emit(f"{held} = {form.format(f=fn, s=source.name, e=e)}")
    g.bind(NUMBER, f"sum({held}) * 0.3 + np.sum({a.name})", 6.0)


@register("array_callback", "effects", "statement", 0.5)
def array_callback(g: Generator) -> None:
    """NumPy calls a function of the program with each row or column."""
    v = g.need_array(ndim=2, least=1, writable=True)
    e = g.fresh("e")
    with g.pure():
        factor = g.tame(g.number(1), 1.3).text
    axis = g.rng.choice((0, 1))
    body = g.rng.choice(("np.sum({e} * {e}) * {k}", "{e}[0] * {k} + {e}[-1]", "np.max({e}) * {k}"))
    text = f"np.apply_along_axis(lambda {e}: {body.format(e=e, k=factor)}, {axis}, {v.name})"
    g.bind(Array((v.kind.shape[1 - axis],)), text, 4.0)


@register("table_of_lists", "effects", "statement")
def table_of_lists(g: Generator) -> None:
    """Lists in a list of run-time length: filled, and gone through."""
    table, i, cells, e = g.fresh("bins"), g.fresh("i"), g.fresh("cells"), g.fresh("e")
    size = steps_of(g)
    g.emit(f"{table} = [[] for {g.fresh('k')} in range({size})]")
    with g.suite(f"for {i} in range({size} + {g.rng.choice((0, 1, 2))}):"):
        if g.chance(0.3):
            with g.suite(f"if {condition(g)}:"):
                g.emit("continue")
        g.emit(f"{table}[{i} % {size}].append({g.tame(g.number(1), 1.5).text})")
    if g.chance(0.4):
        g.emit(f"{table}[0].append({g.tame(g.number(0)).text})")
        g.emit(f"{table}[0][0] *= {g.tame(g.number(0), 1.3).text}")
    total = g.bind(NUMBER, "0.0", 4.0)
    with g.suite(f"for {cells} in {table}:"):
        if g.chance(0.5):
            g.emit(f"{total.name} = {total.name} * 0.5 + sum({cells})")
        else:
            with g.suite(f"for {e} in {cells}:"):
                g.emit(f"{total.name} = {total.name} * 0.5 + {e} * {g.tame(g.number(0), 1.3).text}")


@register("table_of_rows", "effects", "statement")
def table_of_rows(g: Generator) -> None:
    """A table as dynamic programs keep it."""
    table, i, j = g.fresh("best"), g.fresh("i"), g.fresh("j")
    n, m = steps_of(g), steps_of(g)
    g.emit(f"{table} = [[0.0] * ({m} + 1) for {g.fresh('k')} in range({n} + 1)]")
    step = g.rng.choice(
        (
            "0.5 * {t}[{i}][{j} + 1] + 0.3 * {t}[{i} + 1][{j}] + {e}",
            "max({t}[{i}][{j} + 1], {t}[{i} + 1][{j}]) * 0.7 + {e}",
            "{t}[{i}][{j}] * {e} + 0.4",
        )
    )
    with g.suite(f"for {i} in range({n}):"):
        with g.suite(f"for {j} in range({m}):"):
            cell = step.format(t=table, i=i, j=j, e=g.tame(g.number(1), 1.2).text)
            g.emit(f"{table}[{i} + 1][{j} + 1] = {cell}")
    g.bind(NUMBER, g.rng.choice((f"{table}[-1][-1]", f"{table}[{n}][{m}]", f"sum({table}[-1])")), 4.0)


@register("index_tuple", "effects", "statement")
def index_tuple(g: Generator) -> None:
    """Positions given as tuples and lists within an index, and to take, put and choose."""
    v = g.need_array(ndim=2, least=2, writable=True) if g.chance(0.6) else g.need_array(1, 2, writable=True)
    e = g.tame(g.number(1), 1.3).text
    if v.kind.ndim == 2:
        place = g.rng.choice(("[(0, 1), (1, 0)]", "[(0, 0), (1, 1)]", "[(1, 0, 1),]", "[:, (0, 1, 1)]", "[(1, 1), 0]"))
    else:
        place = g.rng.choice(("[(0, 1),]", "[(1, 1, 0),]", "[(-1, 0),]", "[np.array((0, 1)),]"))
    form = g.rng.choice(("{p} = {e}", "{p} += {e}", "{p} *= {e}", "{p} = {p} * {e}", "np.put({v}, (0, -1), {e})"))
    g.emit(form.format(p=v.name + place, v=v.name, e=e))
    g.bind(NUMBER, g.rng.choice((f"np.sum({v.name}{place} ** 2)", f"np.sum(np.take({v.name}, (1, 0, 1)))")), 6.0)


@register("random_draw", "effects", "statement", 0.7)
def random_draw(g: Generator) -> None:
    """Draws of a generator that is seeded on the way: the same in each run."""
    rng, i = g.fresh("rng"), g.fresh("i")
    g.emit(f"{rng} = np.random.default_rng({g.rng.randrange(9)})")
    total = g.bind(NUMBER, g.number(0).text, 3.0)
    with g.suite(f"for {i} in range({g.rng.choice((1, 2, 3))}):"):
        draw = g.rng.choice(("normal()", "uniform(-1.0, 1.0)", "standard_normal(3)[1]", "random()"))
        e = g.tame(g.number(1), 1.3).text
        g.emit(f"{total.name} = {total.name} * 0.5 + np.tanh({rng}.{draw}) * {e}")
        if g.chance(0.4):
            with g.suite(f"if {rng}.random() < 0.5:"):
                g.statement()


@register("object_array", "effects", "statement", 0.05)
def object_array(g: Generator) -> None:
    """An array of objects, which are numbers."""
    held = g.fresh("objects")
    g.emit(f"{held} = np.array([{g.tame(g.number(1)).text}, {g.tame(g.number(1)).text}], dtype=object)")
    form = g.rng.choice(("np.sum({0} * {0})", "{0}[0] * {0}[-1]", "{0} @ {0}", "np.dot({0}, {0})"))
    g.bind(NUMBER, form.format(held), 4.0)


@register("iterator_late", "effects", "statement")
def iterator_late(g: Generator) -> None:
    """An iterator over memory that is written before the last item has been read."""
    a = row(g)
    it, e, i = g.fresh("it"), g.fresh("e"), g.fresh("i")
    source = g.rng.choice(
        ("iter({a})", "{a}.flat", "reversed({a})", "enumerate({a})", "zip({a}, {a}[::-1])")
    ).format(a=a.name)
    g.emit(f"{it} = {source}")
    total = g.bind(NUMBER, g.number(0).text, 4.0)
    if g.chance(0.5):
        g.emit(f"{a.name}[-1] = {g.tame(g.number(1), 1.3).text}")
    value = f"{e}[1]" if source.startswith("enumerate") else f"{e}[0] * {e}[1]" if source.startswith("zip") else e
    with g.suite(f"for {e} in {it}:"):
        g.emit(f"{total.name} = {total.name} * 0.5 + {value}")
        if g.chance(0.6):
            g.emit(f"{a.name}[-1] {g.rng.choice(('*=', '+=', '='))} {g.tame(g.number(0), 1.3).text}")
        if g.chance(0.3):
            with g.suite(f"if {total.name} > 1.5:"):
                g.emit("break")


@register("split_parts", "effects", "statement", 0.7)
def split_parts(g: Generator) -> None:
    """Parts that are views, written through."""
    a = g.need_array(ndim=1, least=2, writable=True)
    parts, p = g.fresh("parts"), g.fresh("p")
    maker = g.rng.choice(("np.array_split({0}, 2)", "np.split({0}, [1])", "[{0}[:1], {0}[1:]]", "({0}[1:], {0}[:1])"))
    g.emit(f"{parts} = {maker.format(a.name)}")
    if g.chance(0.5):
        g.emit(f"{parts}[{g.rng.choice((0, 1))}][...] *= {g.tame(g.number(1), 1.3).text}")
    else:
        with g.suite(f"for {p} in {parts}:"):
            g.emit(f"{p} += {g.tame(g.number(1), 1.3).text}")
    g.bind(NUMBER, f"np.sum({a.name} * {a.name}) * 0.3 + {parts}[1][0]", 4.0)


@register("window", "effects", "statement", 0.7)
def window(g: Generator) -> None:
    """The last values in a deque, and work that is left on a stack."""
    held, i, e = g.fresh("window"), g.fresh("i"), g.fresh("e")
    total = g.bind(NUMBER, g.number(0).text, 4.0)
    if g.chance(0.5):
        g.emit(f"{held} = collections.deque(maxlen=2)")
        with g.suite(f"for {i} in range({steps_of(g)}):"):
            g.emit(f"{held}.append({g.tame(g.number(1), 1.5).text})")
            g.emit(f"{total.name} = {total.name} * 0.5 + sum({held})")
        return
    g.emit(f"{held} = [{g.tame(g.number(1)).text}, {g.tame(g.number(1)).text}]")
    with g.suite(f"while {held}:"):
        g.emit(f"{e} = {held}.pop()")
        g.emit(f"{total.name} = {total.name} * 0.7 + {e} * {g.tame(g.number(0), 1.3).text}")
        with g.suite(f"if {e} > 1.0:"):
            g.emit(f"{held}.append({e} * 0.4)")


@register("buffer_at_need", "effects", "statement", 0.7)
def buffer_at_need(g: Generator) -> None:
    """A buffer that is made by the first iteration, by value or written into."""
    shape = g.shape(1)
    held, i = g.fresh("held"), g.fresh("i")
    g.emit(f"{held} = None")
    with g.suite(f"for {i} in range({g.rng.choice((1, 2, 3))}):"):
        e = g.array(shape, 1).text
        with g.suite(f"if {held} is None:"):
            g.emit(f"{held} = np.zeros_like({e})")
        g.emit(f"{held} {g.rng.choice(('+= {0}', '= {1} * 0.5 + {0}')).format(e, held)}")
    g.bind(NUMBER, f"np.sum({held} * {held})", 6.0)
