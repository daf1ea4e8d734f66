"""What scientists write: integrators, likelihoods, models, dynamic programming."""

import math

import numpy as np

_TIMES = np.array([0.2, 0.7, 1.1, 1.9])
_OBSERVED = np.array([1.1, 0.4, 0.9, 1.6])


def lotka_volterra_rk4(prey, predator, alpha, beta, steps):
    h = 0.1

    def slope(u, v):
        return alpha * u - beta * u * v, 0.5 * beta * u * v - 0.8 * v

    for _ in range(steps):
        a1, b1 = slope(prey, predator)
        a2, b2 = slope(prey + 0.5 * h * a1, predator + 0.5 * h * b1)
        a3, b3 = slope(prey + 0.5 * h * a2, predator + 0.5 * h * b2)
        a4, b4 = slope(prey + h * a3, predator + h * b3)
        prey = prey + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        predator = predator + h / 6.0 * (b1 + 2.0 * b2 + 2.0 * b3 + b4)
    return prey * predator


def rk4_vector(f_matrix, y0):
    def f(y):
        return np.tanh(f_matrix @ y) - 0.1 * y

    y = y0
    for _ in range(4):
        k1 = f(y)
        k2 = f(y + 0.05 * k1)
        k3 = f(y + 0.05 * k2)
        k4 = f(y + 0.1 * k3)
        y = y + 0.1 / 6.0 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y @ y


def newton_square_root(a):
    x = 0.5 * (1.0 + a)
    while abs(x * x - a) > 1e-11:
        x = x - (x * x - a) / (2.0 * x)
    return x


def kepler_equation(mean_anomaly, eccentricity):
    e = mean_anomaly
    for _ in range(30):
        step = (e - eccentricity * math.sin(e) - mean_anomaly) / (1.0 - eccentricity * math.cos(e))
        e = e - step
        if abs(step) < 1e-13:
            break
    return 2.0 * math.atan2(math.sqrt(1 + eccentricity) * math.sin(e / 2), math.sqrt(1 - eccentricity) * math.cos(e / 2))


def logistic_regression_loss(w, x, y):
    z = x @ w
    return np.mean(np.logaddexp(0.0, z) - y * z) + 0.05 * np.sum(w[:-1] ** 2)


def poisson_regression_loss(w, x, counts):
    eta = x @ w
    return np.sum(np.exp(eta) - counts * eta)


def gaussian_mixture_log_likelihood(x, means, log_scales, logits):
    log_weights = logits - np.log(np.sum(np.exp(logits)))
    z = (x[:, None] - means) / np.exp(log_scales)
    terms = log_weights - log_scales - 0.5 * z**2 - 0.5 * math.log(2.0 * math.pi)
    top = np.max(terms, axis=1, keepdims=True)
    return np.sum(top[:, 0] + np.log(np.sum(np.exp(terms - top), axis=1)))


def kalman_scalar(q, r, observations):
    mean, variance, loglik = 0.0, 1.0, 0.0
    for z in observations:
        variance = variance + q
        s = variance + r
        innovation = z - mean
        gain = variance / s
        mean = mean + gain * innovation
        variance = (1.0 - gain) * variance
        loglik = loglik - 0.5 * (math.log(2.0 * math.pi * s) + innovation**2 / s)
    return loglik


def hidden_markov_forward(log_transition, log_emission, observations):
    alpha = log_emission[:, observations[0]] - math.log(log_transition.shape[0])
    for o in observations[1:]:
        m = alpha[:, None] + log_transition
        top = np.max(m, axis=0)
        alpha = top + np.log(np.sum(np.exp(m - top), axis=0)) + log_emission[:, o]
    return np.log(np.sum(np.exp(alpha)))


def arma_likelihood(phi, theta, sigma, series):
    previous, error, total = 0.0, 0.0, 0.0
    for value in series:
        error = value - phi * previous - theta * error
        total += 0.5 * (error / sigma) ** 2 + math.log(sigma)
        previous = value
    return total


def garch_likelihood(omega, alpha, beta, returns):
    h = omega / (1.0 - alpha - beta)
    total = 0.0
    for r in returns:
        total -= 0.5 * (np.log(h) + r**2 / h)
        h = omega + alpha * r**2 + beta * h
    return total


def black_scholes_call(spot, strike, rate, volatility, maturity):
    def cdf(z):
        return 0.5 * (1.0 + math.erf(z / math.sqrt(2.0)))

    spread = volatility * math.sqrt(maturity)
    d1 = (math.log(spot / strike) + (rate + 0.5 * volatility**2) * maturity) / spread
    return spot * cdf(d1) - strike * math.exp(-rate * maturity) * cdf(d1 - spread)


def binomial_option(spot, up, steps):
    down = 1.0 / up
    p = (1.001 - down) / (up - down)
    values = [max(spot * up**j * down ** (steps - j) - 1.0, 0.0) for j in range(steps + 1)]
    for _ in range(steps):
        values = [(p * b + (1.0 - p) * a) / 1.001 for a, b in zip(values, values[1:])]
    return values[0]


def n_body_energy(positions, velocities, masses):
    kinetic = 0.5 * np.sum(masses * np.sum(velocities**2, axis=1))
    potential = 0.0
    n = len(masses)
    for i in range(n):
        for j in range(i + 1, n):
            d = positions[i] - positions[j]
            potential = potential - masses[i] * masses[j] / np.sqrt(d @ d)
    return kinetic + potential


def lennard_jones(positions):
    d = positions[:, None, :] - positions[None, :, :]
    i, j = np.triu_indices(len(positions), 1)
    r2 = np.sum(d[i, j] ** 2, axis=1)
    s6 = 1.0 / r2**3
    return 4.0 * np.sum(s6**2 - s6)


def leapfrog_pendulum(angle, momentum, steps):
    h = 0.1
    for _ in range(steps):
        momentum = momentum - 0.5 * h * math.sin(angle)
        angle = angle + h * momentum
        momentum = momentum - 0.5 * h * math.sin(angle)
    return 0.5 * momentum**2 + angle


def piecewise_linear_fit(knots, x, y):
    return np.sum((np.interp(x, np.array([0.0, 1.0, 2.0]), knots) - y) ** 2)


def spline_basis_fit(coefficients, x, y):
    basis = np.stack([x**0, x, x**2, np.maximum(x - 1.0, 0.0) ** 3], axis=1)
    return np.mean((basis @ coefficients - y) ** 2)


def natural_spline_energy(values):
    n = len(values)
    second = values[:-2] - 2.0 * values[1:-1] + values[2:]
    system = np.diag(np.full(n - 2, 4.0)) + np.diag(np.ones(n - 3), 1) + np.diag(np.ones(n - 3), -1)
    m = np.linalg.solve(system, 6.0 * second)
    return m @ system @ m


def softmax_attention(queries, keys, values):
    scores = queries @ keys.T / math.sqrt(queries.shape[1])
    weights = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    weights = weights / np.sum(weights, axis=1, keepdims=True)
    return np.sum((weights @ values) ** 2)


def layer_norm(x, gain, bias):
    mean = x.mean(axis=-1, keepdims=True)
    std = np.sqrt(x.var(axis=-1, keepdims=True) + 1e-2)
    return np.sum(np.sin(gain * (x - mean) / std + bias))


def two_layer_network(params, x, y):
    hidden = np.tanh(x @ params["w1"] + params["b1"])
    out = hidden @ params["w2"] + params["b2"]
    return np.mean((out - y) ** 2)


def convolution_one_dimensional(signal, kernel):
    n = len(signal) - len(kernel) + 1
    out = np.array([np.sum(signal[i : i + len(kernel)] * kernel) for i in range(n)])
    return np.sum(np.maximum(out, 0.05) ** 2)


def recurrent_network(w, u, inputs):
    h = np.zeros(w.shape[0])
    for x in inputs:
        h = np.tanh(w @ h + u * x)
    return np.sum(h)


def decay_fit_through_ode(rate, steps):
    total = 0.0
    for t, observed in zip(_TIMES, _OBSERVED):
        y, h = 2.0, t / steps
        for _ in range(steps):
            y = y + h * (-rate * y)
        total += (y - observed) ** 2
    return total


def ode_adjoint_by_hand(rate, y0, steps):
    h = 1.0 / steps
    ys = (y0,)
    for _ in range(steps):
        ys = ys + (ys[-1] - h * rate * ys[-1] ** 2,)
    adjoint, sensitivity = 2.0 * ys[-1], 0.0
    for y in reversed(ys[:-1]):
        sensitivity = sensitivity - adjoint * h * y**2
        adjoint = adjoint * (1.0 - 2.0 * h * rate * y)
    return sensitivity


def ridge_regression(penalty, x, y):
    gram = x.T @ x + penalty * np.eye(x.shape[1])
    w = np.linalg.solve(gram, x.T @ y)
    return np.sum((x @ w - y) ** 2)


def gaussian_process_evidence(length, noise, x, y):
    d = (x[:, None] - x[None, :]) / length
    k = np.exp(-0.5 * d**2) + noise**2 * np.eye(len(x))
    sign, logdet = np.linalg.slogdet(k)
    return -0.5 * y @ np.linalg.solve(k, y) - 0.5 * logdet - 0.5 * len(x) * np.log(2.0 * np.pi)


def ising_mean_field(coupling, field):
    m = np.zeros(len(field))
    for _ in range(60):
        new = np.tanh(coupling @ m + field)
        if np.max(np.abs(new - m)) < 1e-12:
            m = new
            break
        m = new
    return np.sum(m)


def edit_distance_soft(a, b, temperature):
    """Dynamic programming row by row, with rows rebound."""
    row = [0.5 * j for j in range(len(b) + 1)]
    for i in range(len(a)):
        new = [0.5 * (i + 1)]
        for j in range(len(b)):
            match = row[j] + (a[i] - b[j]) ** 2
            gap = 0.5 + min(row[j + 1], new[j])
            z = math.exp(-match / temperature) + math.exp(-gap / temperature)
            new = new + [-temperature * math.log(z)]
        row = new
    return row[-1]


def shortest_path_rebinding(costs):
    best = costs[0]
    for i in range(1, costs.shape[0]):
        left = np.concatenate([best[:1], best[:-1]])
        best = costs[i] + np.minimum(best, left)
    return np.min(best)


def heat_equation(u, diffusivity):
    for _ in range(5):
        u = u + diffusivity * (np.roll(u, 1) - 2.0 * u + np.roll(u, -1))
    return np.sum(u**4)


def upwind_advection(u, speed):
    for _ in range(3):
        u = np.where(speed > 0, u - speed * (u - np.roll(u, 1)), u - speed * (np.roll(u, -1) - u))
    return np.sum(u**3)


def michaelis_menten_loss(log_parameters):
    vmax, k = np.exp(log_parameters)
    rate = vmax * _TIMES / (k + _TIMES)
    return np.sum((rate - _OBSERVED) ** 2)


def metropolis_free_energy(x, temperature):
    energies = np.array([x @ x, np.sum(np.cos(x)), np.sum(x**3)])
    low = energies.min()
    return low - temperature * np.log(np.sum(np.exp(-(energies - low) / temperature)))


def optical_ray(height, curvature, index):
    angle = 0.0
    for c, n in ((curvature, index), (-curvature, 1.0 / index)):
        incidence = math.asin(height * c + math.sin(angle) * 0.1)
        refraction = math.asin(math.sin(incidence) / n)
        angle = angle + refraction - incidence
        height = height + 0.2 * math.tan(angle)
    return height / math.tan(-angle)


def great_circle(lat1, lon1, lat2, lon2):
    p1, p2 = math.radians(lat1), math.radians(lat2)
    h = math.sin((p2 - p1) / 2) ** 2 + math.cos(p1) * math.cos(p2) * math.sin(math.radians(lon2 - lon1) / 2) ** 2
    return 2.0 * 6371.0 * math.asin(math.sqrt(h))


def van_der_waals_pressure(volume, temperature, a, b):
    return 8.314 * temperature / (volume - b) - a / volume**2


def power_flow_two_bus(load, reactance):
    v, delta = 1.0, 0.0
    for _ in range(20):
        delta = math.asin(load * reactance / v)
        v = 0.5 * (v + math.sqrt(abs(v * math.cos(delta) - 0.1 * reactance)))
    return v * math.cos(delta)


def fixed_point_cosine(x):
    y = 0.5
    while True:
        z = math.cos(x * y)
        if abs(z - y) < 1e-12:
            return z
        y = z


def gradient_descent_unrolled(x, rate):
    for _ in range(5):
        x = x - rate * np.array([4.0 * x[0] ** 3 + x[1], x[0] + 2.0 * x[1]])
    return np.sum(x**2)


def rotation_matrices(angles):
    m = np.eye(2)
    for a in angles:
        c, s = np.cos(a), np.sin(a)
        m = m @ np.array([[c, -s], [s, c]]) * 1.1
    return m[0, 1] * np.trace(m)


def survival_likelihood(rate, shape, times, events):
    s = 0.0
    for t, died in zip(times, events):
        if died:
            s += math.log(shape * rate) + (shape - 1.0) * math.log(rate * t)
        s -= (rate * t) ** shape
    return s


_X = np.array([[0.5, -0.7, 1.0], [0.1, 0.9, 1.0], [-0.4, 0.2, 1.0], [1.3, -0.2, 1.0]])
_Y = np.array([1.0, 0.0, 0.0, 1.0])
_W = np.array([0.3, -0.2, 0.1])
_P = np.array([[0.0, 0.1], [1.1, 0.2], [0.3, 1.2]])

SAMPLES = {
    "lotka_volterra_rk4": [(1.2, 0.7, 1.1, 0.6, 5), (1.2, 0.7, 1.1, 0.6, 0)],
    "rk4_vector": [(np.array([[0.5, 1.0], [-0.3, 0.8]]), np.array([0.3, -0.4]))],
    "newton_square_root": [(2.0,)],
    "kepler_equation": [(1.1, 0.4)],
    "logistic_regression_loss": [(_W, _X, _Y)],
    "poisson_regression_loss": [(_W, _X, np.array([2, 0, 1, 3]))],
    "gaussian_mixture_log_likelihood": [
        (np.array([0.3, -1.1, 2.0, 0.4]), np.array([-1.0, 1.0]), np.array([0.1, -0.3]), np.array([0.2, 0.5]))
    ],
    "kalman_scalar": [(0.3, 0.5, _OBSERVED)],
    "hidden_markov_forward": [
        (np.log(np.array([[0.7, 0.3], [0.2, 0.8]])), np.log(np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])), [0, 2, 1, 2])
    ],
    "arma_likelihood": [(0.4, 0.3, 0.8, _OBSERVED)],
    "garch_likelihood": [(0.1, 0.2, 0.5, _OBSERVED)],
    "black_scholes_call": [(1.1, 1.0, 0.03, 0.25, 0.8)],
    "binomial_option": [(1.05, 1.1, 4)],
    "n_body_energy": [(_P, 0.3 * _P[::-1], np.array([1.0, 0.4, 0.7]))],
    "lennard_jones": [(_P,)],
    "leapfrog_pendulum": [(0.8, 0.1, 6)],
    "piecewise_linear_fit": [(np.array([0.4, 1.2, 0.3]), _TIMES, _OBSERVED)],
    "spline_basis_fit": [(np.array([0.4, 1.2, 0.3, -0.2]), _TIMES, _OBSERVED)],
    "natural_spline_energy": [(np.array([0.4, 1.2, 0.3, -0.2, 0.7]),)],
    "softmax_attention": [(_X[:2], _X, _X[:, :2])],
    "layer_norm": [(_X[:, :3], _W, 0.1)],
    "two_layer_network": [
        (
            {
                "w1": np.array([[0.2, -0.1], [0.5, 0.3], [-0.2, 0.4]]),
                "b1": np.array([0.1, -0.2]),
                "w2": np.array([0.7, -0.6]),
                "b2": 0.05,
            },
            _X,
            _Y,
        )
    ],
    "convolution_one_dimensional": [(np.array([0.4, 1.2, 0.3, -0.2, 0.7]), np.array([0.5, -0.3, 0.2]))],
    "recurrent_network": [(np.array([[0.5, 1.0], [-0.3, 0.8]]), np.array([0.3, -0.4]), _OBSERVED)],
    "decay_fit_through_ode": [(0.8, 4)],
    "ode_adjoint_by_hand": [(0.8, 1.3, 4)],
    "ridge_regression": [(0.3, _X, _Y)],
    "gaussian_process_evidence": [(0.9, 0.3, _TIMES, _OBSERVED)],
    "ising_mean_field": [(np.array([[0.0, 0.4], [0.4, 0.0]]), np.array([0.3, -0.1]))],
    "edit_distance_soft": [(np.array([0.1, 0.9, 0.4]), np.array([0.2, 0.5]), 0.3)],
    "shortest_path_rebinding": [(np.array([[0.4, 0.1, 0.9], [0.5, 0.7, 0.2], [0.3, 0.8, 0.6]]),)],
    "heat_equation": [(np.array([0.4, 1.2, 0.3, -0.2]), 0.2)],
    "upwind_advection": [(np.array([0.4, 1.2, 0.3, -0.2]), 0.3), (np.array([0.4, 1.2, 0.3, -0.2]), -0.3)],
    "michaelis_menten_loss": [(np.array([0.6, -0.4]),)],
    "metropolis_free_energy": [(np.array([0.4, -0.6]), 0.7)],
    "optical_ray": [(0.2, 0.5, 1.5)],
    "great_circle": [(48.1, 11.6, 52.5, 13.4)],
    "van_der_waals_pressure": [(0.8, 300.0, 0.4, 0.04)],
    "power_flow_two_bus": [(0.5, 0.3)],
    "fixed_point_cosine": [(0.8,)],
    "gradient_descent_unrolled": [(np.array([0.4, -0.6]), 0.05)],
    "rotation_matrices": [(np.array([0.4, -0.6, 0.9]),)],
    "survival_likelihood": [(0.5, 1.3, _TIMES, np.array([1, 0, 1, 1]))],
}
