"""Productions of lists, dicts and tuples: made, read, written into."""

from __future__ import annotations

from tests.fuzz.constructs import register
from tests.fuzz.expressions import condition
from tests.fuzz.generator import Generator, Impossible
from tests.fuzz.kinds import NUMBER, Array, Dict, Ex, Kind, List, Number, Tuple, Var


def item(g: Generator, kind: Kind, depth: int = 1) -> str:
    e = g.value(kind, depth)
    if isinstance(kind, Array) and "(" not in e.text and g.chance(0.5):
        return e.text  # the array itself, which is then held twice
    return f"{e.text} * 1.0" if isinstance(kind, Array) and "[" in e.text else g.tame(e).text


def item_kind(g: Generator) -> Kind:
    return Array(g.shape(1)) if g.chance(0.35) else NUMBER


def lists(g: Generator, numbers: bool | None = None) -> list[Var]:
    out = g.vars_of(List)
    return out if numbers is None else [v for v in out if isinstance(v.kind.item, Number) == numbers]


def need_list(g: Generator) -> Var:
    found = lists(g)
    return g.pick(found) if found and g.chance(0.8) else list_display(g)


@register("list", "containers", "statement", 1.5)
def list_display(g: Generator) -> Var:
    kind = item_kind(g)
    count = g.rng.choice((1, 2, 3))
    text = ", ".join(item(g, kind) for _ in range(count))
    return g.bind(List(kind, count), f"[{text}]", stem="items")


@register("list_comprehension", "containers", "statement")
def list_comprehension(g: Generator) -> Var:
    count = g.rng.choice((2, 3))
    name = g.fresh("e")
    with g.pure():
        e = g.number(1)
    return g.bind(List(NUMBER, count), f"[{g.tame(e, 1.5).text} * {name} for {name} in range({count})]", stem="items")


def _slot(g: Generator, v: Var) -> str:
    if v.kind.count is None:
        return g.rng.choice(("0", "-1"))
    return str(g.rng.randrange(-v.kind.count, v.kind.count))


@register("list_read", "containers", "number", 1.5)
def list_read(g: Generator, depth: int) -> Ex:
    if g.frozen and not lists(g):
        raise Impossible
    v = need_list(g)
    place = f"{v.name}[{_slot(g, v)}]"
    if isinstance(v.kind.item, Number):
        return Ex(g.rng.choice(("{}", "{}", "sum({v})", "max({v})")).format(place, v=v.name), 3.0)
    return Ex(f"np.sum({place} ** 2)", 4.0)


@register("list_loop", "containers", "statement")
def list_loop(g: Generator) -> None:
    v = need_list(g)
    e = Var(g.fresh("e"), v.kind.item)
    total = g.bind(NUMBER, g.number(0).text)
    head = f"for {e.name} in {v.name}:"
    if g.chance(0.3):
        head = f"for {g.fresh('i')}, {e.name} in enumerate({v.name}):"
    with g.suite(head):
        g.declare(e)
        term = e.name if isinstance(e.kind, Number) else f"np.sum({e.name})"
        g.emit(f"{total.name} = {total.name} * 0.5 + {term} * {g.tame(g.number(1), 1.5).text}")
        if g.chance(0.3):
            g.statement()


@register("list_append", "mutated", "statement", 1.5)
def list_append(g: Generator) -> None:
    """A list that grows in a loop, and is read afterwards."""
    kind = item_kind(g)
    v = g.bind(List(kind, None), f"[{item(g, kind)}]" if g.chance(0.6) else "[]", stem="items")
    i = g.fresh("i")
    steps = g.rng.choice(g.dims())
    with g.suite(f"for {i} in range({steps}):"):
        if g.chance(0.25):
            with g.suite(f"if {condition(g)}:"):
                g.emit("continue")
        g.emit(f"{v.name}.append({item(g, kind)})")
    g.emit(f"{v.name}.append({item(g, kind)})")
    if isinstance(kind, Number):
        form = g.rng.choice(("sum({0})", "np.sum(np.array({0}))", "{0}[-1] * {0}[0]", "max({0})"))
        g.bind(NUMBER, form.format(v.name), 5.0)
    else:
        g.bind(kind, g.rng.choice(("{0}[-1]", "sum({0})", "np.sum(np.stack({0}), axis=0)")).format(v.name), 5.0)


@register("list_set", "mutated", "statement", 1.2)
def list_set(g: Generator) -> None:
    v = need_list(g)
    slot = _slot(g, v)
    if g.chance(0.3) and isinstance(v.kind.item, Number):
        g.emit(f"{v.name}[{slot}] {g.rng.choice(('+=', '*='))} {g.tame(g.number(1), 1.5).text}")
    else:
        g.emit(f"{v.name}[{slot}] = {item(g, v.kind.item)}")


@register("list_change", "mutated", "statement")
def list_change(g: Generator) -> None:
    """Changes of length that leave the number of items as it was, or that name it anew."""
    v = list_display(g)
    x = item(g, v.kind.item)
    form = g.rng.choice(
        (
            "{v}.append({x}); {v}.pop(0)",
            "{v}.insert(0, {x}); {v}.pop()",
            "{v}.reverse()",
            "{v} = {v} + [{x}]; del {v}[0]",
            "{v}.extend([{x}]); {v} = {v}[1:]",
            "{v}[0:1] = [{x}]",
            "{v} += [{x}]; {w} = {v}.pop()",
        )
    )
    for line in form.format(v=v.name, x=x, w=g.fresh("popped")).split("; "):
        g.emit(line)


@register("list_alias", "mutated", "statement", 0.8)
def list_alias(g: Generator) -> None:
    """Two names of one list; a write through one is seen through the other."""
    v = need_list(g)
    w = g.bind(v.kind, v.name, stem="items")
    g.emit(f"{w.name}[{_slot(g, w)}] = {item(g, w.kind.item)}")


@register("list_item_write", "mutated", "statement", 0.8)
def list_item_write(g: Generator) -> None:
    """An array in a list, written into."""
    found = [v for v in lists(g, numbers=False) if g.count(v.kind.item.shape)]
    if found:
        v = g.pick(found)
    else:
        shape = g.shape(1, 1)
        parts = [g.tame(g.array(shape, 1)).text for _ in range(2)]
        text = ", ".join(f"np.array({p})" for p in parts)
        v = g.bind(List(Array(shape), 2), f"[{text}]", stem="items")
    place = f"{v.name}[{_slot(g, v)}]"
    form = g.rng.choice(("{p}[0] = {e}", "{p}[-1] += {e}", "{p} *= {e}", "{p}[:] = {e}"))
    g.emit(form.format(p=place, e=g.tame(g.number(1), 1.2).text))


@register("list_nested", "mutated", "statement", 0.6)
def list_nested(g: Generator) -> None:
    name = g.fresh("rows")
    cells = ", ".join(f"[{item(g, NUMBER)}, {item(g, NUMBER)}]" for _ in range(2))
    g.emit(f"{name} = [{cells}]")
    g.emit(f"{name}[{g.rng.choice((0, 1, -1))}][{g.rng.choice((0, 1))}] = {item(g, NUMBER)}")
    g.bind(NUMBER, f"{name}[0][0] * {name}[1][1] - {name}[0][1] * {name}[1][0]", 4.0)


# -- tuples and dicts ---------------------------------------------------------------------------


@register("tuple", "containers", "statement")
def tuple_display(g: Generator) -> Var:
    kinds = tuple(item_kind(g) for _ in range(g.rng.choice((2, 3))))
    return g.bind(Tuple(kinds), f"({', '.join(item(g, k) for k in kinds)})", stem="pair")


@register("tuple_read", "containers", "number")
def tuple_read(g: Generator, depth: int) -> Ex:
    found = g.vars_of(Tuple)
    if g.frozen and not found:
        raise Impossible
    v = g.pick(found) if found else tuple_display(g)
    i = g.rng.randrange(len(v.kind.items))
    form = "{}[{}]" if isinstance(v.kind.items[i], Number) else "np.sum({}[{}] ** 2)"
    return Ex(form.format(v.name, i), 3.0)


@register("tuple_unpack", "containers", "statement", 0.7)
def tuple_unpack(g: Generator) -> None:
    found = g.vars_of(Tuple)
    v = g.pick(found) if found else tuple_display(g)
    names = [g.fresh("q") for _ in v.kind.items]
    g.emit(f"{', '.join(names)} = {v.name}")
    for name, kind in zip(names, v.kind.items):
        g.declare(Var(name, kind, 3.0, writable=False))


def need_dict(g: Generator) -> Var:
    found = g.vars_of(Dict)
    return g.pick(found) if found and g.chance(0.8) else dict_display(g)


@register("dict", "containers", "statement")
def dict_display(g: Generator) -> Var:
    kinds = tuple((k, item_kind(g)) for k in ("w", "b", "c")[: g.rng.choice((2, 3))])
    inner = ", ".join(f"{k!r}: {item(g, kind)}" for k, kind in kinds)
    return g.bind(Dict(kinds), f"{{{inner}}}", stem="table")


@register("dict_read", "containers", "number", 1.2)
def dict_read(g: Generator, depth: int) -> Ex:
    if g.frozen and not g.vars_of(Dict):
        raise Impossible
    v = need_dict(g)
    key, kind = g.rng.choice(v.kind.items)
    place = g.rng.choice(("{}[{!r}]", "{}[{!r}]", "{}.get({!r})")).format(v.name, key)
    return Ex(place if isinstance(kind, Number) else f"np.sum({place} * {place})", 3.0)


@register("dict_loop", "containers", "statement", 0.7)
def dict_loop(g: Generator) -> None:
    v = need_dict(g)
    total = g.bind(NUMBER, g.number(0).text)
    key, value = g.fresh("key"), g.fresh("e")
    head, term = g.rng.choice(
        (
            (f"for {key}, {value} in {v.name}.items():", f"np.sum({value})"),
            (f"for {value} in {v.name}.values():", f"np.sum(np.sin({value}))"),
            (f"for {key} in {v.name}:", f"np.sum({v.name}[{key}])"),
        )
    )
    with g.suite(head):
        g.emit(f"{total.name} = {total.name} * 0.5 + {term} * {g.tame(g.number(1), 1.5).text}")


@register("dict_set", "mutated", "statement", 1.2)
def dict_set(g: Generator) -> None:
    v = need_dict(g)
    key, kind = g.rng.choice(v.kind.items)
    if isinstance(kind, Number) and g.chance(0.4):
        g.emit(f"{v.name}[{key!r}] {g.rng.choice(('+=', '*='))} {g.tame(g.number(1), 1.5).text}")
    else:
        g.emit(f"{v.name}[{key!r}] = {item(g, kind)}")


@register("dict_grow", "mutated", "statement", 0.7)
def dict_grow(g: Generator) -> None:
    name = g.fresh("table")
    g.emit(f"{name} = {{}}")
    i = g.fresh("i")
    with g.suite(f"for {i} in range({g.rng.choice((2, 3))}):"):
        g.emit(f"{name}[{i}] = {item(g, NUMBER)}")
    form = g.rng.choice(("sum({0}.values())", "{0}[0] * {0}[1]", "{0}.get(0, 0.0) + {0}.pop(1)"))
    g.bind(NUMBER, form.format(name), 4.0)


@register("dict_methods", "mutated", "statement", 0.6)
def dict_methods(g: Generator) -> None:
    v = need_dict(g)
    key, kind = g.rng.choice(v.kind.items)
    x = item(g, kind)
    form = g.rng.choice(
        (
            "{v}.update({{{k!r}: {x}}})",
            "{v}.setdefault({k!r}, {x})",
            "{v}.pop({k!r}); {v}[{k!r}] = {x}",
            "{v} = dict({v}, {k}={x})",
        )
    )
    for line in form.format(v=v.name, k=key, x=x).split("; "):
        g.emit(line)
