def loss_grad(w, x, y):
    r = x @ w - y
    # return np.sum(r ** 2)                       programs.py:13
    r_bar = 2.0 * r
    # r = x @ w - y                               programs.py:12
    return x.T @ r_bar
