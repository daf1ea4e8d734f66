"""Frameworks of layers: `__call__` of a base class leads to `forward`, and that to the `__call__` of the parts."""

import numpy as np


class Module:
    def __init__(self):
        self.cache = None

    def __call__(self, *args):
        return self.forward(*args)


class Linear(Module):
    def __init__(self, w, b):
        super().__init__()
        self.w, self.b = w, b

    def forward(self, x):
        self.x = x
        return x @ self.w + self.b

    def backward(self, g):
        self.dw, self.db = self.x.T @ g, g.sum(0)
        return g @ self.w.T

    def step(self, rate):
        self.w = self.w - rate * self.dw
        self.b = self.b - rate * self.db


class Tanh(Module):
    def forward(self, x):
        self.cache = np.tanh(x)
        return self.cache

    def backward(self, g):
        return g * (1 - self.cache**2)

    def step(self, rate):
        pass


class Sequential(Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = list(layers)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        self.cache = x
        return x

    def backward(self, g):
        for layer in reversed(self.layers):
            g = layer.backward(g)
        return g

    def step(self, rate):
        for layer in self.layers:
            layer.step(rate)


class Residual(Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        self.cache = self.inner(x)
        return x + self.cache

    def backward(self, g):
        return g + self.inner.backward(g)

    def step(self, rate):
        self.inner.step(rate)


class Pair(Module):
    def __init__(self, w, v):
        super().__init__()
        self.first, self.second = Linear(w, 0.1), Linear(v, -0.2)

    def forward(self, x):
        self.hidden = np.tanh(self.first(x))
        return self.second(self.hidden)


def built_inside(w, x):
    return np.sum(Pair(w, 2 * w)(x) ** 2)


def shared_layer(w, b, x):
    layer = Linear(w, b)
    y = Sequential(layer, Tanh(), layer, Residual(layer))(x)
    return np.sum(y**3) + np.sum(layer.x)


def shared_block(w, b, x):
    block = Sequential(Linear(w, b), Tanh())
    net = Sequential(block, Residual(block), Sequential(block, block))
    y = net(x)
    return np.sum(net.backward(y) ** 2) + np.sum(block.layers[0].dw)


def blocks_in_blocks(w, b, x):
    inner = Sequential(Linear(w, b), Tanh(), Residual(Sequential(Linear(w * 0.5, b), Tanh())))
    net = Sequential(Linear(w.T, b), Residual(inner), Linear(w, b))
    return np.sum(net(x) ** 2) + np.sum(inner.cache)


def training(w, b, x):
    net = Sequential(Linear(w, b), Tanh(), Residual(Sequential(Linear(w * 0.5, b), Tanh())))
    for _ in range(2):
        y = net(x)
        net.backward(2 * y)
        net.step(0.01)
    return np.sum(net(x) ** 2) + np.sum(net.cache)


class Loud(Linear):
    def __call__(self, x):
        self.size = x.sum()
        return super().__call__(x) * self.size


class Twice(Loud):
    def __call__(self, x):
        return super().__call__(super().__call__(x))


def calls_of_base_classes(w, b, x):
    twice = Twice(w, b)
    return np.sum(Sequential(twice, Linear(w, b))(x) ** 2) + twice.size


class Lazy(Linear):
    def __call__(self, x):
        if not hasattr(self, "built"):
            self.built, self.scale = True, x[0, 0]
        return super().__call__(x) * self.scale


def built_when_called(w, b, x):
    net = Sequential(Lazy(w, b), Tanh(), Lazy(w, b))
    return np.sum(net(x) ** 2) + np.sum(net(x + 1))


class Single:
    def run(self, x):
        self.kept = x * x
        return self.kept


class Scaled:
    def __init__(self, inner):
        self.inner = inner

    def run(self, x):
        self.kept = _applied(self.inner, x) * x
        return self.kept


class Summed:
    def __init__(self, first, second):
        self.first, self.second = first, second

    def run(self, x):
        self.kept = _applied(self.first, x) + _applied(self.second, x)
        return self.kept


def _applied(module, x):
    module.calls = getattr(module, "calls", 0) + 1
    return module.run(x)


def function_of_modules(x):
    a = Single()
    b = Scaled(a)
    c = Summed(a, b)
    return _applied(c, x) + _applied(b, x) * a.kept + a.calls * x + c.kept


class Player:
    def __init__(self, other):
        self.other, self.last = other, 0.0

    def hit(self, x, n):
        self.last = x
        return x if n == 0 else self.other.hit(x * 1.1, n - 1)


class Keen(Player):
    def hit(self, x, n):
        self.last = self.last + x
        return super().hit(x * x, n)


def players_in_turn(x):
    end = Player(None)
    first, second = Keen(Player(end)), Keen(end)
    end.other = second
    return first.hit(x, 2) + first.last + second.hit(x, 1) * second.last + end.last


class Link:
    def __init__(self, value, after=None):
        self.value, self.after = value, after

    def __call__(self):
        return self.value if self.after is None else self.value * self.after() + 0.5


def deeper_than_is_inlined(x):
    first = Link(x * 0.1, Link(x * 0.2, Link(x * 0.3, Link(x * 0.4))))
    second = Link(x * 0.5, Link(x * 0.6, Link(x * 0.7, Link(x * 0.8, first))))
    return Link(x, second)()


class Tree(Module):
    def __init__(self, left, right):
        super().__init__()
        self.left, self.right = left, right

    def forward(self, x):
        self.cache = self.left(x) * 0.5 + self.right(x)
        return self.cache


class Leaf(Module):
    def __init__(self, value):
        super().__init__()
        self.value = value

    def forward(self, x):
        self.cache = self.value * x
        return self.cache


def tree_with_caches(x):
    leaf = Leaf(x)
    inner = Tree(leaf, Leaf(x * x))
    tree = Tree(Tree(inner, Leaf(2.0)), inner)
    return tree(x) * leaf.cache + inner.cache


class Powers:
    def __init__(self, base):
        self.base = base

    def __call__(self, n):
        return self.base if n == 0 else self(n - 1) * self.base


class Sums(Powers):
    def __call__(self, n):
        return super().__call__(n) if n < 2 else self(n - 1) + self(n - 2)


def depth_of_run_time(x, n):
    return Powers(x)(n) + Sums(2 * x)(n) * x


W = np.array([[0.3, -0.4, 0.2], [0.5, 0.1, -0.3], [-0.2, 0.6, 0.4]])
B = np.array([0.1, -0.2, 0.3])
X = np.array([[0.9, 0.4, -0.3], [0.7, -0.5, 1.2]])

SAMPLES = {
    "built_inside": [(W, X)],
    "shared_layer": [(W, B, X)],
    "shared_block": [(W, B, X)],
    "blocks_in_blocks": [(W, B, X)],
    "training": [(W, B, X)],
    "calls_of_base_classes": [(W, B, X)],
    "built_when_called": [(W, B, X)],
    "function_of_modules": [(1.3,)],
    "players_in_turn": [(1.1,)],
    "deeper_than_is_inlined": [(0.7,)],
    "tree_with_caches": [(0.7,)],
    "depth_of_run_time": [(0.7, 3), (0.7, 1)],
}
