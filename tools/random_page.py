"""Writes docs/spec/random.md: the definition of the random numbers, every function, and an example.

    python tools/random_page.py [--check]

The example is run, so that the page shows the library's own bits.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

import hvisa  # noqa: E402
from hvisa.frontends.python.names import RANDOM  # noqa: E402
from hvisa.library.catalogue.random import ENTRIES, RandomEntry  # noqa: E402
from hvisa.spec.types import BY_NAME  # noqa: E402

PAGE = ROOT / "docs" / "spec" / "random.md"
HEAD = """# Random numbers, version 1 of the module `math`

Made by `tools/random_page.py` from `hvisa/library/catalogue/random.py`; do not edit.

A random number is a function of a seed, a stream and an index: there is no state. Instances compute their
own numbers in any order, on any device, with the same bits. The functions are written in the instruction
set itself, so their bytecode settles each bit; this page defines them for a second implementation. All
words are unsigned; additions wrap.

## The block

Philox 4x32 with 10 rounds (J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers:
as easy as 1, 2, 3", SC 2011) makes a block of four words of 32 bits from a counter c0, c1, c2, c3 and a
key k0, k1. Ten times:

    p = c0 * 0xD2511F53, q = c2 * 0xCD9E8D57                            (products of 64 bits)
    c0, c1, c2, c3 = (q >> 32) ^ c1 ^ k0, low(q), (p >> 32) ^ c3 ^ k1, low(p)
    k0, k1 = k0 + 0x9E3779B9, k1 + 0xBB67AE85                           (low is the low 32 bits)

Known answers (`kat_vectors` of the authors' Random123), counter, key and block:

    00000000 00000000 00000000 00000000   00000000 00000000   6627e8d5 e169c58d bc57ac4c 9b00dbd8
    ffffffff ffffffff ffffffff ffffffff   ffffffff ffffffff   408f276d 41c83b0e a20bc7c6 6d5451fd
    243f6a88 85a308d3 13198a2e 03707344   a4093822 299f31d0   d16cfe09 94fdcceb 5001e420 24126ea1

Block b of a stream has the key k0, k1 = low and high word of the seed, and the counter c0, c1 = low and
high word of b, c2, c3 = low and high word of the stream. Seed, stream, b and index are u64, so a stream
has 2^64 words of 32 bits that an index reaches. Blocks of one seed are all different; other seeds give
other permutations of them. All functions read the same words: what is to be independent takes another
stream.

## From words to numbers

| element i | is made of |
|---|---|
| word of 32 bits | word i mod 4 of block i div 4 |
| word of 64 bits | words 2 (i mod 2), which is the low half, and 2 (i mod 2) + 1 of block i div 2 |
| uniform, f32 | (w >> 8) 2^-24 of word i of 32 bits; exact |
| uniform, f64 | (w >> 11) 2^-53 of word i of 64 bits; exact |
| normal, f32 and f64 | words v, w of 32 or 64 bits: v is word i, or i - 1 where i is odd; w is the next |

Normal numbers (G. E. P. Box, M. E. Muller, "A note on the generation of random normal deviates", Annals
of Mathematical Statistics 29, 1958): with N = 32 or 64 and the float type of as many bits, element i is r
cos(a) for an even i and r sin(a) for an odd one, where

    u = fma(convert(v), 2^-N, 2^-(N+1))      v to the nearest float, then (v + 1/2) 2^-N rounded: in (0, 1]
    r = sqrt(-2 log u)
    a = 2 pi w / 2^N                         all bits of w: the upper two of a + pi/4 give the quarter

The error of the result, of these exact u and a, is within the bound below. The least u is 2^-33 or 2^-65,
so that normal numbers reach 6.76 (f32) and 9.49 (f64); r is 0 where v rounds to 2^N, once in 2^25 or 2^54
pairs.

f16 and bf16 are not among the types: round an f32 where that is wanted. A uniform number may become 1 by
that.

## Functions

Imported as `import "math" private func @random_uniform.f32(%seed: u64, %stream: u64, %index: u64) ->
(f32)`; the module says `math 1`. In Python the type stands first and the stream last, 0 if left out:
`hvisa.random_uniform(f32, seed, index, stream)`. Seeds, streams and indices of other integer types are
converted to u64 and wrap. The bound is in ULP, 0 where every bit is stated above.

"""
EXAMPLE = """math 1
import "math" private func @random_uniform.f32(%seed: u64, %stream: u64, %index: u64) -> (f32)
leaf @noise(%seed: u64, %n: index, out %x: buf<f32>[%n]) grid(%i < %n) {
  %k = convert u64 %i
  %r = call @random_uniform.f32(%seed, 0, %k)
  store %r, %x[%i]
}
"""


def row(entry: RandomEntry) -> str:
    """A function as the table has it."""
    function = RANDOM[entry.name]
    own = BY_NAME[entry.types[0]] if entry.types else None
    names = " and ".join(f"`@{function.symbol(BY_NAME.get(t))}`" for t in entry.types or [""])
    takes, gives = function.signature(own)
    ports = ", ".join(f"%{n}: {t}" for n, t in zip(function.ports, takes, strict=True))
    results = ", ".join("T" if wanted is None and len(entry.types) > 1 else str(given)
                        for wanted, given in zip(function.results, gives, strict=True))
    return f"| {names} | `({ports}) -> ({results})` | {entry.summary} | {entry.bound:g} |"


def example() -> list[str]:
    """What the example gives, on `reference`."""
    shown = hvisa.load(EXAMPLE, device="reference")(7, 6)
    words = ", ".join(f"{int(hvisa.random_bits(hvisa.u32, 7, n)):08x}" for n in range(6))
    return ["## An example", "", "```", EXAMPLE.rstrip("\n"), "```", "",
            f"`noise(7, 6)` is {', '.join(str(float(v)) for v in shown)}, of the words",
            f"{words} of 32 bits. Of the same seed, the first normal numbers are",
            f"{_normal(hvisa.f32, 4)} in f32 and", f"{_normal(hvisa.f64, 2)} in f64."]


def _normal(type_: Any, count: int) -> str:
    return ", ".join(str(float(hvisa.random_normal(type_, 7, n))) for n in range(count))


def text() -> str:
    """The page."""
    table = ["| function | header | meaning | bound |", "|---|---|---|---|", *map(row, ENTRIES)]
    return HEAD + "\n".join([*table, "", *example()]) + "\n"


def is_current() -> bool:
    return PAGE.is_file() and PAGE.read_text(encoding="utf-8") == text()


def main() -> int:
    if "--check" in sys.argv[1:]:
        current = is_current()
        if not current:
            print(f"{PAGE} is out of date: run tools/random_page.py")
        return 0 if current else 1
    PAGE.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
