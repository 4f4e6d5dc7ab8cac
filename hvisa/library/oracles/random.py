"""The random numbers in Python's integers and mpmath, written from docs/spec/random.md."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath as mp  # type: ignore[import-untyped]
import numpy as np

MASK = 0xFFFFFFFF
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
Words = tuple[int, ...]


def _keys(key: Words) -> list[Words]:
    return [tuple((k + n * w) & MASK for k, w in zip(key, WEYL, strict=True)) for n in range(10)]


def philox4x32(counter: Words, key: Words) -> Words:
    """The block of a counter and a key."""
    c0, c1, c2, c3 = counter
    for k0, k1 in _keys(key):
        first, second = c0 * MULTIPLIERS[0], c2 * MULTIPLIERS[1]
        c0, c1, c2, c3 = second >> 32 ^ c1 ^ k0, second & MASK, first >> 32 ^ c3 ^ k1, first & MASK
    return c0, c1, c2, c3


def counter_of(words: Words, key: Words) -> Words:
    """The counter whose block has these words: each round can be undone, its factors are odd."""
    c0, c1, c2, c3 = words
    for k0, k1 in reversed(_keys(key)):
        before_0, before_2 = (low * pow(m, -1, 1 << 32) & MASK
                              for low, m in zip((c3, c1), MULTIPLIERS, strict=True))
        c1, c3 = (before_2 * MULTIPLIERS[1] >> 32) ^ c0 ^ k0, (before_0 * MULTIPLIERS[0] >> 32) ^ c2 ^ k1
        c0, c2 = before_0, before_2
    return c0, c1, c2, c3


def block_of(seed: int, stream: int, block: int) -> Words:
    """The four words of a block of a stream."""
    return philox4x32((block & MASK, block >> 32, stream & MASK, stream >> 32), (seed & MASK, seed >> 32))


def bits(seed: int, stream: int, index: int, width: int) -> int:
    """Element `index` of the words of 32 or 64 bits."""
    if width == 32:
        return block_of(seed, stream, index >> 2)[index & 3]
    low, high = block_of(seed, stream, index >> 1)[2 * (index & 1):][:2]
    return high << 32 | low


def unit(word: int, width: int) -> Any:
    """u of a word: the word as a float, half a unit more, each rounded once."""
    whole = int(np.float32(word) if width == 32 else float(word))
    number = float(Fraction(2 * whole + 1, 1 << (width + 1)))  # exact where it is to be an f32
    return np.float32(number) if width == 32 else number


def normal_pair(first: int, second: int, width: int) -> tuple[Any, Any]:
    """The two normal numbers of two words."""
    radius = mp.sqrt(-2 * mp.log(mp.mpf(float(unit(first, width)))))
    turns = mp.mpf(second) / (1 << (width - 1))  # in halves, as mpmath wants them
    return radius * mp.cospi(turns), radius * mp.sinpi(turns)
