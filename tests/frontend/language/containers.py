"""Local lists and dicts, mutated."""
# ruff: noqa: B007

from tests.frontend.language import register_in

CALLS = []
on = register_in(CALLS)


@on(4)
def list_building(n):
    out = []
    squares = [0] * n
    for i in range(n):
        out.append(i)
        squares[i] = i * i
        squares[i] += 1
    out[0] = "first"
    out.extend(squares)
    return out, squares, len(out), 3 in out


@on(4)
def rows(n):
    table = []
    for i in range(n):
        row = []
        for j in range(i):
            row.append(i * j)
        table.append(row)
    return table


@on(4)
def shared_row(n):
    table = []
    row = []
    for i in range(n):
        row.append(i)
        table.append(row)
    return table


@on(3)
def stack(n):
    todo = [n]
    seen = []
    while todo:
        k = todo.pop()
        seen.append(k)
        if k > 0:
            todo.append(k - 1)
            todo.extend([k - 2])
    return seen, todo


@on()
def pop_from_empty():
    items = [1]
    items.pop()
    items.pop()
    return items


@on()
def aliased_list():
    a = [1]
    b = a
    a.append(2)
    b.append(3)
    a[0] = 9
    return a, b


@on()
def list_in_closure():
    a = []

    def add(v):
        a.append(v)
        return len(a)

    return add(1), add(2), a


@on("hello")
def dict_building(text):
    counts = {}
    for c in text:
        counts[c] = counts.get(c, 0) + 1
    if "z" not in counts:
        counts["z"] = len(counts)
    doubled = {k: v * 2 for k, v in counts.items()}
    doubled["h"] += 1
    return counts, doubled


@on()
def dict_methods():
    d = dict(a=1)
    d["b"] = 2
    d.setdefault("c", []).append(3)
    d.update({"e": 5})
    x = d.pop("a")
    return d, x, list(d), sorted(d.items())


@on(3)
def list_used_while_building(n):
    fib = [1, 1]
    for i in range(n):
        fib.append(fib[-1] + fib[-2])
        if len(fib) > 4 and fib:
            print(fib)
    return max(fib), fib[::2]


@on()
def mutating_what_is_iterated():
    items = [1, 2, 3]
    for i in items:
        if len(items) < 6:
            items.append(i * 10)
    return items


@on(True)
@on(False)
def conditional_mutation(flag):
    out = []
    if flag:
        out.append(1)
    else:
        out = [5]
        out.append(2)
    out.append(3)
    return out


@on()
def container_escapes_then_mutates():
    inner = []
    outer = {"k": inner}
    inner.append(1)
    return outer
