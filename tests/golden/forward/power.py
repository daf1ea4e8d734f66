def power_jvp_1(x, n, x_dot):
    if n == 0:
        result = 1.0
        result_dot = 0.0
    else:
        power, power_dot = power_jvp_1(x, n - 1, x_dot)
        result = x * power
        # return x * power(x, n - 1)                  programs.py:37
        result_dot = power * x_dot + x * power_dot
    return result, result_dot


def power_jvp(x, n, x_dot):
    power, power_dot = power_jvp_1(x, n, x_dot)
    return power, float(power_dot)
