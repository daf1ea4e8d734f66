"""Productions of derivatives inside: gradients, pullbacks and tangents, of functions with loops, in the program."""

from __future__ import annotations

from tests.fuzz.constructs import register
from tests.fuzz.functions import Helper
from tests.fuzz.generator import Generator
from tests.fuzz.kinds import Ex

LAWS = {
    "law_of_a_loop": """\
def law_of_a_loop(y, s, times):
    r = y
    for _ in range(times):
        r = np.sin(r * s) + 0.3 * y
    return r""",
    "law_of_loops": """\
def law_of_loops(y, s, times):
    r = y * 0.5
    for k in range(times):
        for _ in range(k + 1):
            r = np.cos(r * y) * s
    return r""",
    "law_of_a_list": """\
def law_of_a_list(y, s, times):
    parts = [y * 1.0]
    for k in range(times):
        parts.append(np.sin(parts[k]) * s)
    r = y
    for k in range(times):
        r = r * 0.5 + parts[k] * parts[times - k]
    return r""",
}
"""Functions of a vector and a number that give a vector; what they keep is read from its end."""
INSIDE = {
    "inner_gradient": """\
def inner_gradient(law, x, s, times):
    return ad.grad(lambda y: np.sum(law(y, s, times)))(x)""",
    "inner_pullback": """\
def inner_pullback(law, x, s, times):
    y, pullback = ad.vjp(lambda y: law(y, s, times), x)
    return pullback(x)[0] * y + pullback(y)[0]""",
    "inner_tangent": """\
def inner_tangent(law, x, s, times):
    y, tangent = ad.jvp(lambda y: law(y, s, times), (x,), (x * 0.5,))
    return y * tangent""",
}


@register("derivative_inside", "inner", "number", 0.3)
def derivative_inside(g: Generator, depth: int) -> Ex:
    v = g.need_array(1)
    law, way = (g.rng.choice(sorted(table)) for table in (LAWS, INSIDE))
    for name, text in ((law, LAWS[law]), (way, INSIDE[way])):
        if name not in g.helpers:
            g.helpers[name] = Helper("-", (), None)
            g.globals.append(text)
    s, times = g.tame(g.number(0), 1.3).text, g.rng.choice((1, 2, 3))
    return Ex(f"np.sum({way}({law}, {v.name} * 0.7, {s}, {times}))", 9.0)
