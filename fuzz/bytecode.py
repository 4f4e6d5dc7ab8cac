"""Mutated and random bytes for the decoder.

Whatever the bytes, `decode` ends in a module or in HvisaError; what it accepts encodes to the same
bytes again. Half of the mutants keep their framing (section and body sizes are put right again), so
that the inner checks are reached. `python fuzz/bytecode.py --cases 100000 --seed 7` runs it at length.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from hvisa.assembler.decoder import decode
from hvisa.assembler.encoder import encode
from hvisa.assembler.layout import MAGIC, Section
from hvisa.assembler.leb128 import read_unsigned, unsigned
from hvisa.assembler.parser import parse
from hvisa.diagnostics import HvisaError

CORPUS = Path(__file__).parent.parent / "tests" / "corpus"


def corpus_seeds() -> list[bytes]:
    """The corpus as it is, stripped, and with places."""
    seeds: list[bytes] = []
    for path in sorted(CORPUS.glob("*/*.hvasm")):
        module = parse(path.read_text(encoding="utf-8"), path.name)
        seeds += [encode(module), encode(module, strip_names=True), encode(module, source_map=True)]
    return seeds


def split(data: bytes) -> tuple[bytes, list[tuple[int, bytes]]]:
    """Header, and number and payload of each section of a sound file."""
    at = len(MAGIC) + 2
    head, sections = data[:at], []
    while at < len(data):
        number, at = read_unsigned(data, at, len(data))
        size, at = read_unsigned(data, at, len(data))
        sections.append((number, data[at:at + size]))
        at += size
    return head, sections


def join(head: bytes, sections: Iterable[tuple[int, bytes]]) -> bytes:
    return head + b"".join(unsigned(n) + unsigned(len(p)) + p for n, p in sections)


class Mutator:
    """Makes new inputs of old ones. All choices come from `random`."""

    def __init__(self, seeds: Sequence[bytes], seed: int):
        self.seeds = list(seeds)
        self.random = random.Random(seed)

    def case(self) -> bytes:
        pick = self.random.random()
        data = self.random.choice(self.seeds)
        if pick < 0.05:
            return MAGIC[:self.random.choice((0, 8))] + self.random.randbytes(
                self.random.randrange(64))
        if pick < 0.45:
            return self._edit(data)
        head, sections = split(data)
        if not sections:
            return self._edit(data)
        place = self.random.randrange(len(sections))
        number, payload = sections[place]
        edit = self._edit_bodies if number == Section.BODIES else self._edit
        sections[place] = number, edit(payload)
        if self.random.random() < 0.05:
            self.random.shuffle(sections)
        return join(head, sections)

    def _edit_bodies(self, payload: bytes) -> bytes:
        """One body changed, and its size put right."""
        bodies: list[bytes] = []
        at = 0
        while at < len(payload):
            size, at = read_unsigned(payload, at, len(payload))
            bodies.append(payload[at:at + size])
            at += size
        place = self.random.randrange(len(bodies))
        bodies[place] = self._edit(bodies[place])
        return b"".join(unsigned(len(b)) + b for b in bodies)

    def _edit(self, data: bytes) -> bytes:
        out = bytearray(data)
        for _ in range(self.random.choice((1, 1, 1, 1, 2, 3, 8))):
            self._step(out)
        return bytes(out)

    def _step(self, out: bytearray) -> None:
        choose = self.random
        kind = choose.random()
        at = choose.randrange(len(out) + 1)
        if kind < 0.5 and at < len(out):
            out[at] = choose.choice((choose.randrange(256), out[at] ^ 1 << choose.randrange(8),
                                     out[at] + 1 & 255, out[at] - 1 & 255, 0, 127, 128, 255))
        elif kind < 0.65:
            del out[at:at + choose.choice((1, 1, 2, 5))]
        elif kind < 0.8:
            out[at:at] = choose.randbytes(choose.choice((1, 1, 2, 10)))
        else:
            other = choose.choice(self.seeds) if kind < 0.9 else bytes(out)
            start, size = choose.randrange(len(other) + 1), choose.randrange(1, 30)
            out[at:at + size] = other[start:start + size]


class Finding(AssertionError):
    """The decoder broke its promise; `data` is the input."""

    def __init__(self, message: str, data: bytes):
        super().__init__(f"{message}\n{data!r}")
        self.data = data


def check(data: bytes) -> str:
    """What became of one input: `accepted`, or the code of the first error. Raises Finding."""
    try:
        module = decode(data)
    except HvisaError as error:
        str(error)
        return error.codes[0]
    except Exception as error:
        raise Finding(f"{type(error).__name__}: {error}", data) from error
    if encode(module) != data:
        raise Finding("accepted, but encodes to other bytes", data)
    return "accepted"


def run(cases: int, seed: int, slowest_s: float = 1.0) -> Counter[str]:
    """Check so many inputs; how many met each end. Raises Finding, also for an input that takes
    longer than `slowest_s`."""
    mutator = Mutator(corpus_seeds(), seed)
    ends: Counter[str] = Counter()
    for _ in range(cases):
        data = mutator.case()
        start = time.perf_counter()
        ends[check(data)] += 1
        if time.perf_counter() - start > slowest_s:
            raise Finding(f"took {time.perf_counter() - start:.1f} s", data)
    return ends


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for end, count in run(arguments.cases, arguments.seed).most_common():
        print(f"{count:8} {end}")


if __name__ == "__main__":
    main()
