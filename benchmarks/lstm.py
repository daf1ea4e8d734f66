"""ADBench's LSTM: diagonal gates, l layers of b cells over a sequence of c characters.

The loss is differentiated with respect to the parameters of the layers and those around them.
The logarithm of the sum has a 2 in it, as ADBench's has.
"""

from __future__ import annotations

import importlib
import math

import numpy as np

from benchmarks.harness import Run, Workload


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def lstm_model(weight, bias, hidden, cell, x):
    b = hidden.shape[0]
    gates = np.concatenate((x, hidden, x, hidden)) * weight + bias
    forget = sigmoid(gates[:b])
    ingate = sigmoid(gates[b : 2 * b])
    outgate = sigmoid(gates[2 * b : 3 * b])
    change = np.tanh(gates[3 * b :])
    cell = cell * forget + ingate * change
    return outgate * np.tanh(cell), cell


def lstm_predict(main, extra, state, x):
    x = x * extra[0]
    new_state = []
    for i in range(0, len(state), 2):
        hidden, cell = lstm_model(main[i], main[i + 1], state[i], state[i + 1], x)
        new_state += [hidden, cell]
        x = hidden
    return x * extra[1] + extra[2], new_state


def lstm_objective(main, extra, state, sequence):
    total = 0.0
    count = 0
    x = sequence[0]
    for t in range(len(sequence) - 1):
        y, state = lstm_predict(main, extra, state, x)
        gold = sequence[t + 1]
        total += np.sum(gold * (y - np.log(np.sum(np.exp(y)) + 2.0)))
        count += len(gold)
        x = gold
    return -total / count


def loops(main, extra, state, sequence):
    layers, b = main.shape[0] // 2, main.shape[1] // 4
    steps = sequence.shape[0] - 1
    # what each step keeps: inputs and results of the gates of each layer
    gates, changed = np.empty((steps, layers, 4, b)), np.empty((steps, layers, b))
    hidden, cell = np.empty((steps + 1, layers, b)), np.empty((steps + 1, layers, b))
    for i in range(layers):
        for j in range(b):
            hidden[0, i, j] = state[2 * i][j]
            cell[0, i, j] = state[2 * i + 1][j]
    shares = np.empty((steps, b))  # exp(y) / (sum + 2)
    for t in range(steps):
        for i in range(layers):
            w, bias = main[2 * i], main[2 * i + 1]
            for j in range(b):
                x = sequence[t, j] * extra[0, j] if i == 0 else hidden[t + 1, i - 1, j]
                h = hidden[t, i, j]
                forget = 1.0 / (1.0 + math.exp(-(x * w[j] + bias[j])))
                ingate = 1.0 / (1.0 + math.exp(-(h * w[b + j] + bias[b + j])))
                outgate = 1.0 / (1.0 + math.exp(-(x * w[2 * b + j] + bias[2 * b + j])))
                change = math.tanh(h * w[3 * b + j] + bias[3 * b + j])
                c = cell[t, i, j] * forget + ingate * change
                gates[t, i, 0, j], gates[t, i, 1, j] = forget, ingate
                gates[t, i, 2, j], gates[t, i, 3, j] = outgate, change
                cell[t + 1, i, j] = c
                changed[t, i, j] = math.tanh(c)
                hidden[t + 1, i, j] = outgate * changed[t, i, j]
        total = 2.0
        for j in range(b):
            shares[t, j] = math.exp(hidden[t + 1, layers - 1, j] * extra[1, j] + extra[2, j])
            total += shares[t, j]
        for j in range(b):
            shares[t, j] /= total
    main_bar, extra_bar = np.zeros_like(main), np.zeros_like(extra)
    hidden_bar, cell_bar = np.zeros((layers, b)), np.zeros((layers, b))
    x_bar = np.zeros(b)
    scale = -1.0 / (steps * b)
    for t in range(steps - 1, -1, -1):
        mass = 0.0
        for j in range(b):
            mass += sequence[t + 1, j]
        for j in range(b):
            y_bar = scale * (sequence[t + 1, j] - mass * shares[t, j])
            extra_bar[1, j] += y_bar * hidden[t + 1, layers - 1, j]
            extra_bar[2, j] += y_bar
            hidden_bar[layers - 1, j] += y_bar * extra[1, j]
        for i in range(layers - 1, -1, -1):
            w, w_bar, bias_bar = main[2 * i], main_bar[2 * i], main_bar[2 * i + 1]
            for j in range(b):
                x = sequence[t, j] * extra[0, j] if i == 0 else hidden[t + 1, i - 1, j]
                h, c = hidden[t, i, j], cell[t, i, j]
                forget, ingate = gates[t, i, 0, j], gates[t, i, 1, j]
                outgate, change = gates[t, i, 2, j], gates[t, i, 3, j]
                bar = hidden_bar[i, j]
                c_bar = cell_bar[i, j] + bar * outgate * (1.0 - changed[t, i, j] ** 2)
                p = c_bar * c * forget * (1.0 - forget)
                q = c_bar * change * ingate * (1.0 - ingate)
                r = bar * changed[t, i, j] * outgate * (1.0 - outgate)
                s = c_bar * ingate * (1.0 - change * change)
                w_bar[j] += p * x
                w_bar[b + j] += q * h
                w_bar[2 * b + j] += r * x
                w_bar[3 * b + j] += s * h
                bias_bar[j] += p
                bias_bar[b + j] += q
                bias_bar[2 * b + j] += r
                bias_bar[3 * b + j] += s
                x_bar[j] = p * w[j] + r * w[2 * b + j]
                hidden_bar[i, j] = q * w[b + j] + s * w[3 * b + j]
                cell_bar[i, j] = c_bar * forget
            if i > 0:
                for j in range(b):
                    hidden_bar[i - 1, j] += x_bar[j]
        for j in range(b):
            extra_bar[0, j] += x_bar[j] * sequence[t, j]
    return main_bar, extra_bar


def with_scan() -> Run:
    jax = importlib.import_module("jax")
    np = jax.numpy

    def model(weight, bias, hidden, cell, x):
        forget, ingate, outgate, change = np.stack((x, hidden, x, hidden)) * weight + bias
        cell = cell * jax.nn.sigmoid(forget) + jax.nn.sigmoid(ingate) * np.tanh(change)
        return jax.nn.sigmoid(outgate) * np.tanh(cell), cell

    def lstm_scan(main, extra, state, sequence):
        weights = main.reshape(main.shape[0], 4, -1)

        @jax.checkpoint
        def step(state, pair):
            x, gold = pair
            x = x * extra[0]
            new_state = []
            for i in range(0, len(state), 2):
                x, cell = model(weights[i], weights[i + 1], state[i], state[i + 1], x)
                new_state += [x, cell]
            y = x * extra[1] + extra[2]
            return new_state, np.sum(gold * (y - np.log(np.sum(np.exp(y)) + 2.0)))

        _, parts = jax.lax.scan(step, list(state), (sequence[:-1], sequence[1:]))
        return -np.sum(parts) / sequence[1:].size

    return lstm_scan


def workload(c: int = 1024, layers: int = 2, b: int = 14) -> Workload:
    rng = np.random.default_rng(5)
    main, extra = 0.5 * rng.standard_normal((2 * layers, 4 * b)), rng.standard_normal((3, b))
    state = [rng.standard_normal(b) for _ in range(2 * layers)]
    sequence = np.zeros((c, b))
    sequence[np.arange(c), rng.integers(0, b, c)] = 1.0
    return Workload("lstm", lstm_objective, (main, extra, state, sequence), (0, 1), loops=loops, jax=with_scan)
