def power_fwd(x, n):
    t = n == 0
    if t:
        result = 1.0
        power = None
        power_kept = None
    else:
        power, power_kept = power_fwd(x, n - 1)
        result = x * power
    kept = x, t, power, power_kept
    return result, kept


def power_pullback(kept, y_bar):
    x, t, power, power_kept = kept
    if t:
        x_bar = 0.0
    else:
        # return x * power(x, n - 1)                  programs.py:37
        x_bar = power * y_bar + power_pullback(power_kept, x * y_bar)[0]
    return (x_bar,)


def power_grad(x, n):
    _, power_kept = power_fwd(x, n)
    return float(power_pullback(power_kept, 1.0)[0])
