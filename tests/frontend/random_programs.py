"""Random functions full of control flow, for comparing our reading of a program with Python's."""

import linecache
import random

NAMES = ["a", "b", "c", "d"]


class Writer:
    """Writes one function; every loop ends."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.loops = 0  # loops so far, for the names of counters
        self.budget = 30
        self.names = NAMES[:2]

    def line(self, depth, text):
        self.lines.append("    " * depth + text)

    def expression(self, deep=2):
        r = self.random
        kind = r.randrange(9) if deep else r.randrange(2)
        if kind == 0:
            return str(r.randrange(-3, 8))
        if kind in (1, 2, 3):
            return r.choice(self.names)
        sub = self.expression(deep - 1), self.expression(deep - 1)
        if kind == 4:
            return f"({sub[0]} if {self.test()} else {sub[1]})"
        if kind == 5:
            return f"({sub[0]} {r.choice(['and', 'or'])} {sub[1]})"
        if kind == 6:
            return f"sum([{sub[0]} + k for k in range({r.randrange(4)}) if k != {sub[1]}])"
        if kind == 7:
            return f"note({sub[0]})"
        return f"({sub[0]} {r.choice(['+', '-', '*'])} {sub[1]}) % 11"

    def test(self):
        a, b = self.expression(0), self.expression(0)
        op = self.random.choice(["<", "==", ">", "!="])
        extra = self.random.random()
        if extra < 0.1:
            return f"not {a}"
        if extra < 0.25:
            return f"({self.random.choice(self.names)} := {a}) {op} {b}"
        if extra < 0.35:
            return f"{a} {op} {b} < {self.expression(0)}"
        return f"{a} {op} {b}"

    def block(self, depth, in_loop):
        for _ in range(self.random.choice([1, 1, 2, 2, 3])):
            self.statement(depth, in_loop)

    def statement(self, depth, in_loop):
        r = self.random
        self.budget -= 1
        kinds = ["assign"] * 4 + ["augment", "swap", "append", "store", "exit"]
        if self.budget > 0 and depth < 6:
            kinds += ["if"] * 5 + ["for"] * 2 + ["while"] + ["try", "with", "else_loop", "pop"]
        kind = r.choice(kinds)
        name = r.choice(self.names)
        match kind:
            case "assign":
                self.line(depth, f"{name} = {self.expression()}")
            case "augment":
                self.line(depth, f"{name} += {self.expression()}")
            case "swap":
                self.line(depth, f"{name}, {r.choice(self.names)} = {self.expression(1)}, {self.expression(1)}")
            case "append":
                self.line(depth, f"items.append({self.expression(1)})")
            case "store":
                self.line(depth, f"if items: items[-1] = {self.expression(1)}")
            case "pop":
                self.line(depth, f"{name} = items.pop() if len(items) > 2 else {self.expression(1)}")
            case "exit":
                choices = ["return " + self.expression(1)] + ["break", "continue"] * in_loop
                choices += [f"raise ValueError({self.expression(0)})"] * (r.random() < 0.2)
                choices += [f"del {name}"] * (r.random() < 0.2)
                self.line(depth, f"if {self.test()}:")
                self.line(depth + 1, r.choice(choices))
            case "if":
                self.line(depth, f"if {self.test()}:")
                self.block(depth + 1, in_loop)
                if r.random() < 0.3:
                    self.line(depth, f"elif {self.test()}:")
                    self.block(depth + 1, in_loop)
                if r.random() < 0.6:
                    self.line(depth, "else:")
                    self.block(depth + 1, in_loop)
            case "for" | "else_loop":
                over = r.choice([f"range({r.randrange(5)})", "range(abs(b) % 4)", "list(items[:4])"])
                self.line(depth, f"for {r.choice(['i', name])} in {over}:")
                self.block(depth + 1, True)
                if kind == "else_loop":
                    self.line(depth, "else:")
                    self.block(depth + 1, in_loop)
            case "while":
                self.loops += 1
                counter = f"n{self.loops}"
                self.line(depth, f"{counter} = 0")
                self.line(depth, f"while {r.choice(['True', self.test()])}:")
                self.line(depth + 1, f"{counter} += 1")
                self.line(depth + 1, f"if {counter} > 4: {r.choice(['break', 'return ' + counter])}")
                self.block(depth + 1, True)
            case "try":
                self.line(depth, "try:")
                self.block(depth + 1, in_loop)
                self.line(depth, "except (ValueError, IndexError):")
                self.block(depth + 1, in_loop)
            case "with":
                self.line(depth, "with quiet():")
                self.block(depth + 1, in_loop)

    def text(self):
        self.line(0, "def program(a, b):")
        self.line(1, "items = [a]")
        if self.random.random() < 0.8:
            self.line(1, f"c = {self.expression(1)}")
        self.names = NAMES
        for _ in range(4):
            self.statement(1, False)
        self.line(1, "return a, b, c, d, items")
        return "\n".join(self.lines) + "\n"


def random_function(seed, namespace):
    """A function of two ints that calls `note` and `quiet` of the namespace."""
    text = Writer(seed).text()
    file = f"<random program {seed}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), namespace)
    return namespace["program"], text
