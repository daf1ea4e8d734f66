"""Text, bytes and hashes of active values may be shown, but are no way back to numbers."""

import ast
import io
import json
import math
import pickle
import struct
import textwrap

import numpy as np
import pytest

import adcompile as ad
from tests.compiled import check

V = np.array([0.5, 1.5])


def parse(text):
    return float(text)


def through_a_stream(x):
    stream = io.StringIO()
    stream.write(str(x))
    return float(stream.getvalue())


def through_print(x):
    stream = io.StringIO()
    print(x, file=stream)
    return float(stream.getvalue())


def through_a_loop(x):
    text = "1"
    for _ in range(3):
        text = text + str(x)[:1]
    return float(text) * x


def through_a_branch(x):
    text = str(x) if x > 1.0 else "2.0"
    return float(text)


ROUND_TRIPS = {
    "str": (lambda x: float(str(x)), 2.0),
    "repr": (lambda x: float(repr(x)) ** 2, 2.0),
    "f-string": (lambda x: float(f"{x}") * x, 2.0),
    "percent": (lambda x: float("%r" % x), 2.0),
    "format": (lambda x: float("{}".format(x)), 2.0),
    "concatenated": (lambda x: float("1" + str(x)), 2.0),
    "joined and split": (lambda x: float(" ".join([str(x), "b"]).split()[0]), 2.0),
    "in a dict": (lambda x: float({"v": str(x)}["v"]), 2.0),
    "as an argument": (lambda x: parse(str(x)), 2.0),
    "mapped": (lambda x: sum(map(float, [str(x), "3"])), 2.0),
    "evaluated": (lambda x: ast.literal_eval(str(x)), 2.0),
    "json": (lambda x: json.loads(json.dumps({"a": x}))["a"], 2.0),
    "pickle": (lambda x: pickle.loads(pickle.dumps(x)), 2.0),
    "struct": (lambda x: struct.unpack("d", struct.pack("d", x))[0], 2.0),
    "hex": (lambda x: float.fromhex(x.hex()), 2.0),
    "hash": (lambda x: float(hash(x)), 2.0),
    "np.float64": (lambda x: np.float64(str(x)), 2.0),
    "tobytes": (lambda x: np.frombuffer(x.tobytes())[0], V),
    "bits": (lambda x: x.view(np.int64).view(np.float64)[0], V),
    "array of text": (lambda x: x.astype(str).astype(float)[0], V),
    "array2string": (lambda x: float(np.array2string(x[0])), V),
    "loop": (through_a_loop, 2.0),
    "branch": (through_a_branch, 2.0),
    "stream": (through_a_stream, 2.0),
    "print": (through_print, 2.0),
}


@pytest.mark.parametrize("name", ROUND_TRIPS)
def test_round_trips_are_refused(name):
    f, x = ROUND_TRIPS[name]
    for derivative in (lambda: ad.grad(f)(x), lambda: ad.jvp(f, (x,), (x,))):
        with pytest.raises(ad.AdcompileError) as caught:
            derivative()
        assert caught.value.place is not None
        assert caught.value.remedy


def shown(x):
    message = ", ".join(f"{k} = {v:.3f}" for k, v in {"x": x, "y": 2.0 * x}.items())
    print(message, str(x).upper(), hash(x), file=io.StringIO())
    if x < 0.0:
        raise ValueError("negative: " + message)
    return math.sin(x)


def looked_at(x):
    text = f"{x:.2f}"
    factor = 2.0 if text == "0.50" and text.startswith("0") and "." in text else 3.0
    return x * factor * len(text)


def marked_constant(x):
    return x * ad.stop_gradient(float(f"{x:.1f}"))


@pytest.mark.parametrize("f", [shown, looked_at])
def test_text_may_be_shown_and_looked_at(f):
    check(f, 0.5, order=2)


def test_what_is_meant_to_be_constant():
    assert ad.grad(marked_constant)(0.5) == 0.5


def by_save(x):
    file = io.BytesIO()
    np.save(file, x)
    file.seek(0)
    return np.sum(np.load(file) * x)


def by_savetxt(x):
    file = io.StringIO()
    np.savetxt(file, x)
    file.seek(0)
    return np.sum(np.loadtxt(file) * x)


def by_savez(x):
    file = io.BytesIO()
    np.savez(file, a=x)
    file.seek(0)
    return np.sum(np.load(file)["a"] * x)


def by_a_name(x, path="values.npy"):
    np.save(path, x)
    return np.sum(np.load(path) * x)


def by_lines(x):
    return np.sum(np.loadtxt([repr(float(v)) for v in x]) * x)


def by_print_of_all(x):
    file = io.StringIO()
    print(*x, file=file)
    return np.sum(np.array([float(v) for v in file.getvalue().split()]) * x)


def by_a_wrapper_of_text(x):
    return float(" ".join(textwrap.wrap(str(x[0])))) * x[1]


@pytest.mark.parametrize(
    "f", [by_save, by_savetxt, by_savez, by_a_name, by_lines, by_print_of_all, by_a_wrapper_of_text]
)
def test_numbers_read_from_what_active_ones_were_put_into_are_refused(f, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for run in (lambda: ad.grad(f)(V), lambda: ad.jvp(f, (V,), (V,))):
        with pytest.raises(ad.AdcompileError):
            run()


def test_files_may_be_written_and_others_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("other.npy", np.array([2.0, 3.0]))

    def read(x):
        return np.sum(np.load("other.npy") * np.loadtxt(["1 2"]) * x)

    def kept(x):
        np.save("kept.npy", x)
        np.savetxt("kept.txt", x)
        return np.sum(x * x)

    assert ad.grad(read)(V).tolist() == [2.0, 6.0]
    assert ad.grad(kept)(V).tolist() == [1.0, 3.0]
    assert np.load("kept.npy").tolist() == V.tolist()


class Labelled:
    def __init__(self, x, name, steps):
        self.x, self.name, self.steps = x, name, steps


def counted(x, n):
    if n == 0:
        return x, str(x), n
    y, s, m = counted(x * x, n - 1)
    return y * 2, s, m + 1


def test_text_beside_numbers_is_text():
    def f(x):
        held = [Labelled(a, "ab"[i % 2], i) for i, a in enumerate(x)]
        for _ in range(len(x)):
            held = [Labelled(p.x * p.x, p.name, p.steps + 1) for p in held]
        return sum(p.x * p.steps if p.name == "a" else p.x for p in held)

    check(f, np.array([0.5, -0.7, 0.3]))


def test_numbers_made_of_text_beside_numbers():
    x = np.array([0.5, 0.7])

    def of_objects(x):
        return sum(p.x * float(p.name) for p in [Labelled(a, str(a), 1) for a in x])

    def of_tuples(x):
        return sum(float(p[1]) for p in [(a, str(a)) for a in x])

    def of_recursion(x):
        y, s, _ = counted(x[0], len(x))
        return y * float(s)

    for f in (of_objects, of_tuples, of_recursion):
        with pytest.raises(ad.NotDifferentiable, match="made in turn of values that carry derivatives"):
            ad.grad(f)(x)
    check(lambda x: counted(x[0], len(x))[0], x)


def kept_with_text(w):
    rows = [("a", w[i]) for i in range(len(w))]
    rows[len(w) - 1] = (str(w[0]), w[1])
    return float(rows[-1][0]) * w[0]


def kept_with_text_in_order(w):
    rows = [("a", w[i]) for i in range(len(w))]
    rows.insert(1, (str(w[0]), w[1]))
    rows.sort()
    return float(rows[0][0]) * w[0]


def returned_with_text(w):
    def g(n):
        return ("1.0", w[0]) if n == 0 else (str(g(n - 1)[1]), w[1])

    return float(g(2)[0]) * w[0]


@pytest.mark.parametrize("f", [kept_with_text, kept_with_text_in_order, returned_with_text])
def test_text_of_active_values_beside_them(f):
    for run in (lambda: ad.grad(f)(V), lambda: ad.jvp(f, (V,), (V,))):
        with pytest.raises(ad.NotDifferentiable, match="makes a number of text"):
            run()


def test_a_key_that_is_chosen_by_active_values_is_no_text_made_of_them():
    def f(w):
        graph = {"a": [("b", w[0]), ("c", w[1])], "b": [("c", w[0])], "c": []}
        far = {"a": 0.0, "b": 9.0, "c": 9.0}
        seen = set()
        for _ in range(3):
            u = min((k for k in graph if k not in seen), key=lambda k: far[k])
            seen.add(u)
            for v, step in graph[u]:
                far[v] = min(far[v], far[u] + step)
        return far["c"] ** 2

    x = np.array([1.0, 3.0])
    assert ad.grad(f)(x).tolist() == [8.0, 0.0]
    assert ad.hessian(f)(x).tolist() == [[8.0, 0.0], [0.0, 0.0]]
    assert ad.jvp(ad.grad(f), (x,), (np.array([1.0, 0.0]),))[1].tolist() == [8.0, 0.0]
