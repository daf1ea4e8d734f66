"""What the goldens under refusals/ refuse. They name lines of this file: add at the end."""

import numpy as np

import adcompile as ad


def active_try(x):
    try:
        y = x * np.random.rand()
    except ValueError:
        y = x
    return y


def active_with(x):
    with np.printoptions(precision=3):
        y = x * x
    return y


def written_records(x):
    # an array of records
    table = np.zeros(2, dtype=[("x", float), ("y", int)])
    table["x"] = x
    table["y"] = 3
    total = np.sum(table["x"])
    return total * table["y"][0]


def generator_function(x):
    yield x * x
    yield x


def sends_to_generator(x):
    return generator_function(x).send(x)


async def coroutine(x):
    return x * x


def awaits_nothing(x):
    return coroutine(x)


TOTAL = 0.0


def global_in_try(x):
    global TOTAL
    TOTAL = x * x
    try:
        scale = float(TOTAL)
    except ValueError:
        scale = 1.0
    return scale * x


def int_argument(x):
    return x * x


def vector_result(x):
    return x * x


def complex_result(x):
    return x * 1j


def int_result(x):
    return int(x)


def c_function_without_rule(x):
    return np.setxor1d(x, x[:1]).sum()


class Labelled(np.ndarray):
    pass


def subclass_argument(x):
    return np.sum(x * x)


@ad.grad
def factorial(x):
    return 1.0 if x < 1.0 else x * factorial(x - 1.0)


class Model:
    def __init__(self):
        self.rate = 1.0


def one_of_many_objects(x, n):
    models = [Model() for _ in range(n)]
    models[n // 2].rate = x
    return models[n // 2].rate * x


def collect(x, n, out):
    if n > 0:
        out.append(x * n)
        collect(x, n - 1, out)


def recursion_that_collects(x, n):
    out = []
    collect(x, n, out)
    return sum(out)


def grows_while_run_over(x, n):
    items = [x * i for i in range(n)]
    for v in items:
        if v < 1.0:
            items.append(v + 1.0)
    return sum(items)


def object_that_holds_itself(x):
    model = Model()
    model.me = model
    model.rate = x
    return [model]


def two_names_from_a_loop(x, n):
    first = Model()
    model = first
    for _ in range(n):
        model.rate = model.rate * x
        model = Model()
    return first.rate


V = np.array([0.5, 1.5, -0.3])


def no_source():
    namespace = {}
    exec("def typed(x):\n    return x * x", namespace)
    return namespace["typed"]


def text_round_trip(x):
    label = f"x = {x:.3f}"
    return x * float(label[4:])


def store_in(w, v):
    w[0] = v


def helper_in_try(x):
    w = np.zeros(2)
    try:
        store_in(w, x)
    except ValueError:
        pass
    return w[0] * x


def iterator_twice(x):
    squares = map(lambda v: v * v, x)
    return sum(squares) + sum(squares)


class Shared:
    scale = 1.0


SCRATCH = np.zeros(3)
TABLE = [lambda v: v * SCRATCH[0], lambda v: v + SCRATCH[1]]


def class_attribute_in_try(x):
    Shared.scale = x * x
    try:
        scale = float(Shared.scale)
    except ValueError:
        scale = 1.0
    return scale * x


def table_reads_scratch(x):
    SCRATCH[:] = x * x
    return TABLE[int(x[1] > 0)](x[2])


def larger_each_time(f, n):
    return f if n == 0 else larger_each_time(lambda x: f(x + 1.0) - f(x), n - 1)


PULLBACK = ad.vjp(np.sin, V)[1]


def pullback_made_outside(x):
    return np.sum(PULLBACK(x)[0])


class Layer:
    def __init__(self, w, kind):
        self.w = w
        self.act = self.linear if kind else self.squared

    def linear(self, x):
        return self.w * x

    def squared(self, x):
        return (self.w * x) ** 2


class Stack:
    def __init__(self, w):
        self.layer = Layer(w, 1)
        self.run = self.layer.linear


def own_method_chosen(layers, k):
    return layers[k % 2].act(2.0)


def method_of_another_part(model):
    return model.run(2.0)


TWICE = [1.0]
AGAIN = TWICE


def list_under_two_names(x):
    TWICE[0] = x
    return AGAIN[0] * x


# name: what raises
CALLS = {
    "own_method_chosen": lambda: ad.grad(own_method_chosen)([Layer(1.0, 0), Layer(2.0, 1)], 3),
    "method_of_another_part": lambda: ad.grad(method_of_another_part)(Stack(2.0)),
    "list_under_two_names": lambda: ad.grad(list_under_two_names)(2.0),
    "pullback_made_outside": lambda: ad.grad(pullback_made_outside)(V),
    "active_try": lambda: ad.grad(active_try)(2.0),
    "active_with": lambda: ad.grad(active_with)(2.0),
    "written_records": lambda: ad.grad(written_records)(2.0),
    "generator_function": lambda: ad.vjp(generator_function, 2.0),
    "sends_to_generator": lambda: ad.grad(sends_to_generator)(2.0),
    "coroutine": lambda: ad.vjp(coroutine, 2.0),
    "awaits_nothing": lambda: ad.vjp(awaits_nothing, 2.0),
    "no_source": lambda: ad.grad(no_source())(2.0),
    "int_argument": lambda: ad.grad(int_argument)(3),
    "vector_result": lambda: ad.grad(vector_result)(V),
    "complex_result": lambda: ad.grad(complex_result)(2.0),
    "int_result": lambda: ad.grad(int_result)(2.0),
    "c_function_without_rule": lambda: ad.grad(c_function_without_rule)(V),
    "subclass_argument": lambda: ad.grad(subclass_argument)(V.view(Labelled)),
    "self_reference": lambda: factorial(3.0),
    "one_of_many_objects": lambda: ad.grad(one_of_many_objects)(2.0, 3),
    "recursion_that_collects": lambda: ad.grad(recursion_that_collects)(2.0, 3),
    "grows_while_run_over": lambda: ad.grad(grows_while_run_over)(0.3, 40),
    "object_that_holds_itself": lambda: ad.vjp(object_that_holds_itself, 2.0),
    "two_names_from_a_loop": lambda: ad.grad(two_names_from_a_loop)(2.0, 3),
    "text_round_trip": lambda: ad.grad(text_round_trip)(2.0),
    "helper_in_try": lambda: ad.grad(helper_in_try)(2.0),
    "global_in_try": lambda: ad.grad(global_in_try)(2.0),
    "class_attribute_in_try": lambda: ad.grad(class_attribute_in_try)(2.0),
    "table_reads_scratch": lambda: ad.grad(table_reads_scratch)(V),
    "iterator_twice": lambda: ad.grad(iterator_twice)(V),
    "larger_each_time": lambda: ad.grad(lambda x, n: larger_each_time(lambda t: t * x, n)(x))(2.0, 2),
}
