"""Mutated and random texts for parser and verifier: `python fuzz/text.py [--cases N] [--seed S]`.

Only HvisaError may come out, and nothing may take long. A find is printed with its seed.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections import Counter
from pathlib import Path

from hvisa.assembler.parser import parse
from hvisa.diagnostics import Diagnostic, HvisaError
from hvisa.graph.verifier import verify
from hvisa.spec.table import ROWS

ROOT = Path(__file__).parent.parent
SLOW_S = 5.0
TOKENS = [*ROWS, "%x", "%i", "@f", "0", "1", "-1", "1.5", "nan", "inf", "true", "f32", "i32", "index",
          "buf<f32>[%n]", "vec<f32, 4>", "grid(%i < %n)", "leaf", "graph", "func", "in", "out", "inout",
          "shared", "own checked", "(", ")", "[", "]", "{", "}", "<", ">", ",", ":", "=", "->", "..",
          "\n", ";", "//", '"', "\\", "\x00", "é", "𝄞", " " * 50, "99999999999999999999999", "?f <= %n"]


def seeds() -> list[str]:
    """Definitions of the conformance programs and examples: short texts that are right."""
    out: list[str] = []
    for folder in ("tests/conformance", "examples", "tests/sketches"):
        for file in sorted((ROOT / folder).rglob("*.hvasm")):
            text = file.read_text(encoding="utf-8")
            out += [f"{part}\n}}\n" for part in text.split("\n}\n") if 20 < len(part) < 600]
            out += [line + "\n" for line in text.splitlines() if line.startswith(("leaf", "func"))
                    and line.endswith("}")]
    return [text for text in out if outcome(text) == "valid"]


WORD = re.compile(r"%[\w.]+|@[\w.]+|[a-z_]\w*|\d[\w.]*|[][(){}<>,:=]")


def swap(rng: random.Random, text: str) -> str:
    """One word for another of the text, or for any word: mostly still a text that can be read."""
    words = list(WORD.finditer(text))
    if not words:
        return text
    old = rng.choice(words)
    new = rng.choice(words).group() if rng.random() < 0.7 else rng.choice(TOKENS)
    return text[:old.start()] + new + text[old.end():]


def mutate(rng: random.Random, text: str, others: list[str]) -> str:
    """One to four small changes."""
    for _ in range(rng.randrange(1, 5)):
        if rng.random() < 0.6:
            text = swap(rng, text)
            continue
        at = rng.randrange(len(text) + 1)
        end = min(len(text), at + rng.choice([0, 1, 2, 8, 40]))
        kind = rng.randrange(5)
        if kind == 0:
            text = text[:at] + text[end:]
        elif kind == 1:
            text = text[:at] + rng.choice(TOKENS) + text[end:]
        elif kind == 2:
            text = text[:at] + text[at:end] * rng.choice([2, 3, 30]) + text[end:]
        elif kind == 3:
            other = rng.choice(others)
            start = rng.randrange(len(other))
            text = text[:at] + other[start:start + 60] + text[end:]
        else:
            text = text[:at] + chr(rng.choice([rng.randrange(32, 127), rng.randrange(0x2FF)])) + text[end:]
    return text


def random_text(rng: random.Random) -> str:
    return " ".join(rng.choice(TOKENS) for _ in range(rng.randrange(60)))


def outcome(text: str) -> str:
    """What parser and verifier say: `valid` or the first code."""
    errors: list[Diagnostic] = []
    try:
        verify(parse(text, "fuzz", errors), extra=errors)
    except HvisaError as error:
        str(error)  # rendering is part of what must not fail
        return error.codes[0]
    return "valid"


def run(cases: int, seed: int) -> Counter[str]:
    """The outcomes of so many cases. Raises AssertionError with the text of a find."""
    base = seeds()
    counts: Counter[str] = Counter()
    for case in range(cases):
        rng = random.Random(f"{seed}/{case}")
        text = random_text(rng) if rng.random() < 0.15 else mutate(rng, rng.choice(base), base)
        start = time.perf_counter()
        try:
            counts[outcome(text)] += 1
        except Exception as error:
            raise AssertionError(f"case {case} of seed {seed}: {error!r}\n{text!r}") from error
        taken = time.perf_counter() - start
        assert taken < SLOW_S, f"case {case} of seed {seed} took {taken:.1f} s\n{text!r}"
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    counts = run(options.cases, options.seed)
    print(f"{options.cases} cases: {dict(counts.most_common())}")


if __name__ == "__main__":
    main()
