"""Productions of arrays of a given shape."""

from __future__ import annotations

from tests.fuzz.constructs import register
from tests.fuzz.expressions import mask
from tests.fuzz.generator import Generator, Impossible
from tests.fuzz.kinds import ONE, Array, Dim, Ex, Shape, Var, shape_text


@register("array_arithmetic", "basic", "array", 4)
def arithmetic(g: Generator, shape: Shape, depth: int) -> Ex:
    a, b = g.array(shape, depth), g.operand(shape, depth)
    op = g.rng.choice("++-**")
    bound = a.bound * b.bound if op == "*" else a.bound + b.bound
    if g.chance(0.5):
        a, b = b, a
    return Ex(f"({a.text} {op} {b.text})", bound)


@register("array_divide", "basic", "array")
def divide(g: Generator, shape: Shape, depth: int) -> Ex:
    a, b = g.array(shape, depth), g.operand(shape, depth)
    return Ex(f"({a.text} / (1.5 + {b.text} ** 2))", a.bound)


@register("array_power", "basic", "array", 0.7)
def power(g: Generator, shape: Shape, depth: int) -> Ex:
    a = g.array(shape, depth)
    k = g.rng.choice((2, 2, 3))
    return Ex(f"{a.text} ** {k}", a.bound**k)


@register("ufunc", "basic", "array", 2)
def ufunc(g: Generator, shape: Shape, depth: int) -> Ex:
    a = g.array(shape, depth)
    form, bound = g.rng.choice(
        (
            ("np.sin({})", 1.0),
            ("np.tanh({})", 1.0),
            ("np.exp(-{0} * {0})", 1.0),
            ("np.sqrt(1.0 + {0} ** 2)", 1.0 + a.bound),
            ("np.log1p({0} * {0})", 1.0 + a.bound),
            ("np.hypot({}, 1.0)", 1.0 + a.bound),
            ("(-{})", a.bound),
            ("np.square({})", a.bound**2),
        )
    )
    return Ex(form.format(a.text), bound)


@register("where", "basic", "array")
def where(g: Generator, shape: Shape, depth: int) -> Ex:
    v = g.pick([v for v in g.arrays(shape)])
    a, b = g.array(shape, depth), g.operand(shape, depth)
    return Ex(f"np.where({mask(g, v.name, shape)}, {a.text}, {b.text})", max(a.bound, b.bound))


@register("minmax", "basic", "array", 0.7)
def minmax(g: Generator, shape: Shape, depth: int) -> Ex:
    a, b = g.array(shape, depth), g.operand(shape, depth)
    if g.chance(0.3):
        return Ex(f"np.clip({a.text}, -0.55, 0.65)", 0.65)
    return Ex(f"np.{g.rng.choice(('maximum', 'minimum'))}({a.text}, {b.text})", max(a.bound, b.bound))


@register("array_abs", "basic", "array", 0.4)
def array_abs(g: Generator, shape: Shape, depth: int) -> Ex:
    a = g.array(shape, depth)
    return Ex(f"np.abs({a.text})", a.bound)


@register("like", "basic", "array", 0.5)
def like(g: Generator, shape: Shape, depth: int) -> Ex:
    v, e = g.pick(g.arrays(shape)), g.number(0)
    form = g.rng.choice(
        ("(np.zeros_like({0}) + {1})", "(np.ones_like({0}) * {1})", "np.full_like({0}, {1})", "np.copy({0})")
    )
    return Ex(form.format(v.name, e.text), max(e.bound, v.bound))


@register("copy", "basic", "array", 0.6)
def copy(g: Generator, shape: Shape, depth: int) -> Ex:
    v = g.pick(g.arrays(shape))
    return Ex(g.rng.choice(("{}.copy()", "np.array({})", "np.asarray({})")).format(v.name), v.bound)


# -- parts and rearrangements -------------------------------------------------------------------


def larger(g: Generator, shape: Shape, axis: int, by: int) -> list[Var]:
    """Variables whose shape is that, but for an axis that is longer."""
    want = tuple(d.plus(by) if i == axis else d for i, d in enumerate(shape))
    return g.arrays(want)


@register("slice_read", "views", "array", 2)
def slice_read(g: Generator, shape: Shape, depth: int) -> Ex:
    axis = g.rng.randrange(len(shape))
    by = g.rng.choice((1, 2))
    found = larger(g, shape, axis, by)
    if found:
        v = g.pick(found)
        cut = g.rng.choice(("1:", ":-1") if by == 1 else ("2:", "1:-1", ":-2"))
        if g.size(shape[axis].plus(by)) < by:
            raise Impossible
        return Ex(f"{v.name}[{':, ' * axis}{cut}]", v.bound)
    same = [v for v in g.arrays(shape)]
    v = g.pick(same)
    return Ex(f"{v.name}[{g.rng.choice((':', '...', '::1', '0:'))}]", v.bound)


@register("negative_step", "views", "array")
def negative_step(g: Generator, shape: Shape, depth: int) -> Ex:
    v = g.pick(g.arrays(shape))
    forms = ["{}[::-1]", "np.flip({})"] + (["{}[:, ::-1]", "{}[::-1, ::-1]"] if len(shape) == 2 else [])
    return Ex(g.rng.choice(forms).format(v.name), v.bound)


@register("step_slice", "views", "array", 0.5)
def step_slice(g: Generator, shape: Shape, depth: int) -> Ex:
    """Every other element, twice: the size comes back."""
    e = g.array(shape, depth)
    name = e.text if e.text.isidentifier() else f"({e.text})"
    if len(shape) != 1:
        raise Impossible
    return Ex(f"np.concatenate(({name}[::2], {name}[1::2]))", e.bound)


@register("fancy_read", "basic", "array")
def fancy_read(g: Generator, shape: Shape, depth: int) -> Ex:
    if shape[0].symbol:
        v = g.pick(g.arrays(shape))
        return Ex(f"{v.name}[np.arange({shape[0]}) // 2]" if g.chance(0.6) else f"np.roll({v.name}, 1)", v.bound)
    found = [v for v in g.arrays(ndim=len(shape), least=1) if v.kind.shape[1:] == shape[1:]]
    v = g.pick(found)
    last = g.size(v.kind.shape[0])
    where = [g.rng.randrange(last) for _ in range(shape[0].offset)]
    return Ex(g.rng.choice(("{}[{}]", "{}[np.array({})]", "np.take({}, {}, axis=0)")).format(v.name, where), v.bound)


@register("newaxis", "views", "array")
def newaxis(g: Generator, shape: Shape, depth: int) -> Ex:
    if len(shape) != 2 or ONE not in shape:
        raise Impossible
    row = shape[0] == ONE
    e = g.array((shape[1] if row else shape[0],), depth)
    name = e.text if e.text.isidentifier() else f"({e.text})"
    forms = ("{}[None, :]", "np.expand_dims({}, 0)", "{}.reshape(1, -1)", "{}[np.newaxis]")
    if not row:
        forms = ("{}[:, None]", "np.expand_dims({}, 1)", "{}.reshape(-1, 1)", "{}[..., np.newaxis]")
    if "reshape" in (form := g.rng.choice(forms)) and g.count(shape) == 0:
        form = forms[0]
    return Ex(form.format(name), e.bound)


@register("transpose", "views", "array")
def transpose(g: Generator, shape: Shape, depth: int) -> Ex:
    if len(shape) != 2:
        raise Impossible
    v = g.pick(g.arrays(shape[::-1]))
    return Ex(g.rng.choice(("{}.T", "np.transpose({})", "{}.swapaxes(0, 1)")).format(v.name), v.bound)


@register("reshape", "views", "array")
def reshape(g: Generator, shape: Shape, depth: int) -> Ex:
    total = sorted(d for d in shape if d != ONE)
    found = [v for v in g.arrays() if sorted(d for d in v.kind.shape if d != ONE) == total and v.kind.shape != shape]
    v = g.pick(found)
    return Ex(f"{v.name}.reshape({', '.join(map(str, shape))})", v.bound)


@register("ravel", "views", "array", 0.6)
def ravel(g: Generator, shape: Shape, depth: int) -> Ex:
    v = g.pick(g.arrays(shape))
    name = g.rng.choice(("{}.ravel()", "np.ravel({})", "{}.flatten()", "{}.reshape(-1)")).format(v.name)
    return Ex(f"{name}.reshape({', '.join(map(str, shape))})" if len(shape) > 1 else name, v.bound)


@register("row_read", "views", "array")
def row_read(g: Generator, shape: Shape, depth: int) -> Ex:
    if len(shape) != 1:
        raise Impossible
    rows = [v for v in g.arrays(ndim=2) if v.kind.shape[1] == shape[0] and g.size(v.kind.shape[0]) > 0]
    columns = [v for v in g.arrays(ndim=2) if v.kind.shape[0] == shape[0] and g.size(v.kind.shape[1]) > 0]
    if rows and (not columns or g.chance(0.5)):
        v = g.pick(rows)
        return Ex(f"{v.name}[{g.index(v.kind.shape[0])}]", v.bound)
    v = g.pick(columns)
    return Ex(f"{v.name}[:, {g.index(v.kind.shape[1])}]", v.bound)


@register("broadcast_to", "basic", "array", 0.5)
def broadcast_to(g: Generator, shape: Shape, depth: int) -> Ex:
    e = g.array(shape[1:], depth) if len(shape) > 1 else g.number(depth)
    return Ex(f"np.broadcast_to({e.text}, {shape_text(shape)}) * 1.0", e.bound)


@register("concatenate", "basic", "array")
def concatenate(g: Generator, shape: Shape, depth: int) -> Ex:
    axis = g.rng.randrange(len(shape))
    rest = shape[axis].plus(-1)
    if g.size(rest) < 0:
        raise Impossible
    one = tuple(ONE if i == axis else d for i, d in enumerate(shape))
    a, b = g.array(one, depth), g.array(tuple(rest if i == axis else d for i, d in enumerate(shape)), depth)
    if g.chance(0.5):
        a, b = b, a
    return Ex(f"np.concatenate(({a.text}, {b.text}), axis={axis})", max(a.bound, b.bound))


@register("stack", "basic", "array")
def stack(g: Generator, shape: Shape, depth: int) -> Ex:
    if shape[0].symbol or shape[0].offset < 1:
        raise Impossible
    parts = [g.array(shape[1:], depth) for _ in range(shape[0].offset)]
    inner = ", ".join(p.text for p in parts)
    bound = max(p.bound for p in parts)
    if len(shape) == 1:
        return Ex(f"np.array([{inner}])", bound)
    return Ex(g.rng.choice(("np.stack([{}])", "np.stack(({}), axis=0)", "np.array([{}])")).format(inner + ","), bound)


@register("comprehension", "control", "array")
def comprehension(g: Generator, shape: Shape, depth: int) -> Ex:
    if len(shape) != 1:
        raise Impossible
    v = g.pick(g.arrays(shape))
    e = g.fresh("e")
    with g.pure():
        other = g.number(0)
    form, bound = g.rng.choice(
        (
            ("np.array([{e} * {o} for {e} in {v}])", v.bound * other.bound),
            ("np.array([np.sin({v}[{e}]) + {o} for {e} in range(len({v}))])", 1 + other.bound),
            ("np.array([{o} if {e} > 0.2 else {e} for {e} in {v}])", max(v.bound, other.bound)),
        )
    )
    return Ex(form.format(e=e, o=other.text, v=v.name), bound)


# -- reductions and products --------------------------------------------------------------------


@register("axis_reduce", "basic", "array", 2)
def axis_reduce(g: Generator, shape: Shape, depth: int) -> Ex:
    if len(shape) == 2 and ONE in shape:
        axis = shape.index(ONE)
        whole = tuple(g.rng.choice(g.dims()) if i == axis else d for i, d in enumerate(shape))
        keep = ", keepdims=True"
    elif len(shape) == 1:
        axis = g.rng.choice((0, 1))
        other = g.rng.choice((*g.dims(), Dim("", 2)))
        whole, keep = ((other, shape[0]) if axis == 0 else (shape[0], other)), ""
    else:
        raise Impossible
    e = g.array(whole, depth)
    name = "sum"
    if g.size(whole[axis]) > 0 and g.count(whole) > 0:
        name = g.rng.choice(("sum", "sum", "mean", "max", "min"))
    return Ex(
        f"np.{name}({e.text}, axis={axis - 2 if g.chance(0.3) else axis}{keep})", e.bound * (4 if name == "sum" else 1)
    )


@register("cumsum", "basic", "array", 0.7)
def cumsum(g: Generator, shape: Shape, depth: int) -> Ex:
    e = g.array(shape, depth)
    return Ex(f"np.cumsum({e.text}, axis={g.rng.randrange(len(shape))})", 4 * e.bound)


@register("sort", "basic", "array", 0.5)
def sort(g: Generator, shape: Shape, depth: int) -> Ex:
    e = g.array(shape, depth)
    return Ex(f"np.sort({e.text}, axis={g.rng.randrange(len(shape))})", e.bound)


@register("outer", "basic", "array", 0.7)
def outer(g: Generator, shape: Shape, depth: int) -> Ex:
    if len(shape) != 2:
        raise Impossible
    a, b = g.array(shape[:1], depth), g.array(shape[1:], depth)
    return Ex(f"np.outer({a.text}, {b.text})", a.bound * b.bound)


@register("matmul", "basic", "array")
def matmul(g: Generator, shape: Shape, depth: int) -> Ex:
    inner = g.rng.choice((*g.dims(), Dim("", 2)))
    if len(shape) == 1:
        a, b = g.array((shape[0], inner), depth), g.array((inner,), depth)
        if g.chance(0.4):
            a, b = g.array((inner,), depth), g.array((inner, shape[0]), depth)
    else:
        a, b = g.array((shape[0], inner), depth), g.array((inner, shape[1]), depth)
    form = g.rng.choice(("({} @ {})", "np.dot({}, {})", "np.matmul({}, {})"))
    return Ex(form.format(a.text, b.text), 3 * a.bound * b.bound)


@register("einsum", "basic", "array", 0.5)
def einsum(g: Generator, shape: Shape, depth: int) -> Ex:
    inner = g.rng.choice((*g.dims(), Dim("", 2)))
    if len(shape) == 1:
        a, b, spec = g.array((shape[0], inner), depth), g.array((inner,), depth), "ij,j->i"
    else:
        a, b, spec = g.array((inner, shape[0]), depth), g.array((inner, shape[1]), depth), "ki,kj->ij"
    return Ex(f"np.einsum({spec!r}, {a.text}, {b.text})", 3 * a.bound * b.bound)


@register("float32", "basic", "array", 0.25)
def float32(g: Generator, shape: Shape, depth: int) -> Ex:
    e = g.array(shape, depth)
    form = g.rng.choice(("np.asarray({}).astype(np.float32)", "(np.ones({s}, np.float32) * {})"))
    return Ex(form.format(e.text, s=shape_text(shape)), e.bound)


@register("local_array", "basic", "statement", 1.5)
def local_array(g: Generator) -> None:
    """New memory, often of zeros, to be written into."""
    shape = g.shape()
    text = g.rng.choice(("np.zeros({})", "np.ones({})", "np.full({}, 0.3)")).format(shape_text(shape))
    g.bind(Array(shape), text)


@register("complex_array", "basic", "array", 0.4)
def complex_array(g: Generator, shape: Shape, depth: int) -> Ex:
    a, b = g.tame(g.array(shape, depth), 1.5), g.tame(g.operand(shape, depth), 1.5)
    form = g.rng.choice(
        (
            "np.real(np.exp(1j * {a}) * (0.5 + 0.2j))",
            "np.abs({a} + 1j * {b} + 2.5)",
            "np.imag(({a} + 2j) * ({b} - 1j * {a}))",
            "(({a} + 1j * {b}) * (1.0 - 0.5j)).real",
        )
    )
    return Ex(form.format(a=a.text, b=b.text), 4.0)
