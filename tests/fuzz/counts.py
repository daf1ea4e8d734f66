"""What a run has met: verdicts, refusals by reason, constructs and pairs of constructs, time."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass, field

from tests.fuzz.checker import Verdict
from tests.fuzz.constructs import TABLE, pairs
from tests.fuzz.program import Program


@dataclass
class Counts:
    names: frozenset[str]
    kinds: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    constructs: Counter[str] = field(default_factory=Counter)
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)
    refused_with: Counter[str] = field(default_factory=Counter)
    compared: int = 0
    kinks: int = 0
    seconds: list[float] = field(default_factory=list)
    lines: int = 0

    def add(self, program: Program, verdict: Verdict, seconds: float) -> None:
        self.kinds[verdict.kind] += 1
        used = [n for n in program.used if n in self.names]
        self.constructs.update(used)
        self.pairs.update(itertools.combinations(used, 2))
        if verdict.kind == "refused":
            reason = f"{verdict.reason} ({verdict.stage})"
            self.reasons[reason] += 1
            self.examples.setdefault(reason, []).append(f"{program.index}: {_line(verdict)}")
            self.refused_with.update(used)
        self.compared += verdict.compared
        self.kinks += verdict.kinks
        self.seconds.append(seconds)
        self.lines += program.source.count("\n")

    @property
    def programs(self) -> int:
        return sum(self.kinds.values())

    def never(self) -> tuple[list[str], list[tuple[str, str]]]:
        """Constructs and pairs that did not occur."""
        return (
            sorted(n for n in self.names if not self.constructs[n]),
            [p for p in pairs(self.names) if not self.pairs[p]],
        )

    def report(self, details: bool = False) -> str:
        total = max(1, self.programs)
        single, double = self.never()
        ordered = sorted(self.seconds)
        out = [
            f"{self.programs} programs of {self.lines // total} lines: "
            + ", ".join(f"{self.kinds[k]} {k}" for k in ("right", "refused", "wrong", "crash", "slow")),
            f"{100 * self.kinds['refused'] / total:.1f} % refused; "
            f"{self.compared} slopes confirmed by differences, {self.kinks} at kinks",
            f"{sum(ordered) / total:.2f} s a program, median {ordered[len(ordered) // 2] if ordered else 0:.2f} s, "
            f"longest {ordered[-1] if ordered else 0:.1f} s",
            f"{len(self.names)} constructs, {len(single)} of them never; "
            f"{len(pairs(self.names))} pairs, {len(double)} of them never",
        ]
        if self.reasons:
            out.append("refused because of")
            for reason, n in self.reasons.most_common(30):
                out.append(f"  {n:5}  {reason}")
                out += [f"             {e}" for e in self.examples[reason][: 12 if details else 2]]
        if details:
            out.append("constructs: how often, and the share of these programs that was refused")
            for name, n in sorted(self.constructs.items(), key=lambda item: item[1]):
                out.append(f"  {n:6}  {100 * self.refused_with[name] / n:4.0f} %  {name} ({TABLE[name].group})")
            least = sorted((self.pairs[p], p) for p in pairs(self.names))[:20]
            out.append("rarest pairs: " + ", ".join(f"{a}+{b}: {n}" for n, (a, b) in least))
        return "\n".join(out)


def _line(verdict: Verdict) -> str:
    """The line of the program that a refusal points to."""
    lines = verdict.detail.splitlines()
    return lines[1].strip()[:100] if len(lines) > 1 else ""
