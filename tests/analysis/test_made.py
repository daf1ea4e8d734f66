"""Lists and dicts that calls make are followed under any of their names."""

import adcompile as ad


def merged(a, b):
    table = {"a": a} | {"b": b}
    other = table
    other["a"] = a * b
    items = [a] + [b]
    items.append(table["a"])
    return sum(items) * table["b"]


def test_what_is_made_here_may_be_written_into():
    assert ad.grad(merged, argnums=(0, 1))(2.0, 3.0) == (12.0, 2 + 2 * 3 + 2 * 2 * 3)
