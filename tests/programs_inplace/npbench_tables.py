"""Dynamic programming, graphs and neural networks: tables filled cell by cell."""

import numpy as np


def _some(*shape, seed=0):
    return np.random.default_rng(seed).uniform(0.2, 1.0, shape)


def _softmin(a, b, sharpness=8.0):
    return -np.logaddexp(-sharpness * a, -sharpness * b) / sharpness


def floyd_warshall_soft(path):
    for k in range(path.shape[0]):
        path[:] = _softmin(path, path[:, k : k + 1] + path[k : k + 1, :])
    return np.sum(path)


def floyd_warshall_hard(path):
    n = path.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if path[i, k] + path[k, j] < path[i, j]:
                    path[i, j] = path[i, k] + path[k, j]
    return np.sum(path**2)


def nussinov_like(pairing):
    """The best folding of a chain, by a table filled from its diagonal outwards."""
    n = pairing.shape[0]
    table = np.zeros((n, n))
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            if j - 1 >= 0:
                table[i, j] = max(table[i, j], table[i, j - 1])
            if i + 1 < n:
                table[i, j] = max(table[i, j], table[i + 1, j])
            if i < j - 1:
                table[i, j] = max(table[i, j], table[i + 1, j - 1] + pairing[i, j])
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return table[0, n - 1]


def edit_distance_table(x, y, gap):
    table = np.zeros((len(x) + 1, len(y) + 1))
    table[:, 0] = gap * np.arange(len(x) + 1)
    table[0, :] = gap * np.arange(len(y) + 1)
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            match = table[i - 1, j - 1] + (x[i - 1] - y[j - 1]) ** 2
            table[i, j] = _softmin(match, _softmin(table[i - 1, j] + gap, table[i, j - 1] + gap))
    return table[-1, -1]


def viterbi_scores(emission, transition):
    n, k = emission.shape
    score = np.full((n, k), -np.inf)
    score[0] = emission[0]
    for t in range(1, n):
        for j in range(k):
            score[t, j] = np.max(score[t - 1] + transition[:, j]) + emission[t, j]
    return np.max(score[-1])


def forward_algorithm(start, transition, emission):
    alpha = np.empty_like(emission)
    alpha[0] = start * emission[0]
    scale = np.empty(emission.shape[0])
    scale[0] = alpha[0].sum()
    alpha[0] /= scale[0]
    for t in range(1, emission.shape[0]):
        np.matmul(alpha[t - 1], transition, out=alpha[t])
        alpha[t] *= emission[t]
        scale[t] = alpha[t].sum()
        alpha[t] /= scale[t]
    return np.sum(np.log(scale))


def option_lattice(spot, up, rate, strikes):
    """A binomial tree, folded back in one array."""
    n = 5
    down = 1.0 / up
    p = (np.exp(rate) - down) / (up - down)
    total = 0.0
    for strike in strikes:
        value = np.empty(n + 1)
        for i in range(n + 1):
            value[i] = max(spot * up ** (n - i) * down**i - strike, 0.0)
        for step in range(n, 0, -1):
            value[:step] = np.exp(-rate) * (p * value[:step] + (1.0 - p) * value[1 : step + 1])
        total += value[0]
    return total


def knapsack_soft(values, weights, capacity):
    best = np.zeros(capacity + 1)
    for i in range(len(values)):
        for c in range(capacity, weights[i] - 1, -1):
            best[c] = np.logaddexp(best[c], best[c - weights[i]] + values[i])
    return best[capacity]


def page_rank(links, damping):
    n = links.shape[0]
    rank = np.full(n, 1.0 / n)
    new = np.zeros(n)
    for _ in range(3):
        new.fill(0.0)
        for i in range(n):
            new += rank[i] * links[i] / np.sum(links[i])
        new *= damping
        new += (1.0 - damping) / n
        rank, new = new, rank
    return np.sum(rank**2)


def conv2d(image, kernel, bias):
    """Convolution with channels, window by window."""
    k = kernel.shape[0]
    batch, height, width, _ = image.shape
    out = np.empty((batch, height - k + 1, width - k + 1, kernel.shape[3]), dtype=image.dtype)
    for i in range(height - k + 1):
        for j in range(width - k + 1):
            out[:, i, j, :] = np.sum(
                image[:, i : i + k, j : j + k, :, np.newaxis] * kernel[np.newaxis, :, :, :], axis=(1, 2, 3)
            )
    out += bias
    return np.sum(np.tanh(out))


def _pool(x):
    out = np.empty((x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]), dtype=x.dtype)
    for i in range(x.shape[1] // 2):
        for j in range(x.shape[2] // 2):
            out[:, i, j, :] = np.max(x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2))
    return out


def _convolve(x, weights):
    k = weights.shape[0]
    n, h, w, _ = x.shape
    out = np.empty((n, h - k + 1, w - k + 1, weights.shape[3]), dtype=x.dtype)
    for i in range(h - k + 1):
        for j in range(w - k + 1):
            window = x[:, i : i + k, j : j + k, :, np.newaxis]
            out[:, i, j, :] = np.sum(window * weights[np.newaxis, :, :, :], axis=(1, 2, 3))
    return out


def lenet_loops(x, conv, conv_bias, dense, dense_bias):
    h = np.maximum(_convolve(x, conv) + conv_bias, 0.0)
    h = _pool(h)
    flat = np.reshape(h, (h.shape[0], -1))
    y = flat @ dense
    y += dense_bias
    np.maximum(y, 0.0, out=y)
    return np.sum(y**2) + np.sum(np.log1p(y))


def softmax_in_place(x):
    x -= np.max(x, axis=-1, keepdims=True)
    np.exp(x, out=x)
    x /= np.sum(x, axis=-1, keepdims=True)
    return np.sum(x**2)


def batch_normalise(x, gain, offset):
    mean = np.mean(x, axis=0)
    x -= mean
    var = np.mean(x * x, axis=0)
    x /= np.sqrt(var + 1e-2)
    x *= gain
    x += offset
    return np.sum(np.sin(x))


SAMPLES = {
    "floyd_warshall_soft": [(_some(4, 4),)],
    "floyd_warshall_hard": [(_some(4, 4) ** 3 + 0.02 * np.arange(16.0).reshape(4, 4),)],
    "nussinov_like": [(_some(5, 5),)],
    "edit_distance_table": [(_some(3), _some(4, seed=1), 0.3)],
    "viterbi_scores": [(_some(4, 3), _some(3, 3, seed=1))],
    "forward_algorithm": [(_some(3), _some(3, 3, seed=1), _some(4, 3, seed=2))],
    "option_lattice": [(1.0, 1.13, 0.02, [0.9, 1.07])],
    "knapsack_soft": [(_some(3), (2, 3, 1), 5)],
    "page_rank": [(_some(4, 4), 0.85)],
    "conv2d": [(_some(2, 4, 4, 2), _some(2, 2, 2, 3, seed=1), _some(3, seed=2))],
    "lenet_loops": [
        (_some(1, 5, 5, 1), _some(2, 2, 1, 2, seed=1), -_some(2, seed=2), _some(8, 3, seed=3), _some(3, seed=4))
    ],
    "softmax_in_place": [(_some(2, 4) + np.arange(4.0),)],
    "batch_normalise": [(_some(5, 3), _some(3, seed=1), _some(3, seed=2))],
}
