def newton_root_grad(a):
    x = a
    x_kept = []
    trips = 0
    while abs(x * x - a) > 1e-10:
        x_kept.append(x)
        x = 0.5 * (x + a / x)
        trips += 1
    x_bar = 1.0
    a_bar = 0.0
    for k in reversed(range(trips)):
        x = x_kept[k]
        # x = 0.5 * (x + a / x)                       programs.py:74
        x_bar = 0.5 * x_bar
        a_bar_1 = x_bar / x
        x_bar -= a / x * a_bar_1
        a_bar += a_bar_1
    return a_bar + x_bar
