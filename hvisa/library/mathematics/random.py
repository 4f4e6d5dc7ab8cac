"""Random numbers: Philox 4x32 with 10 rounds, uniform and normal numbers of its blocks.

The generator: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1,
2, 3", SC 2011, section 3.3 and table 2. It keeps no state: a block of four words is a function of a key and
a counter, so each instance computes its own numbers. The key is the seed; the counter is the number of the
block and the stream. docs/spec/random.md says which element is which word.

Normal numbers: G. E. P. Box, M. E. Muller, "A note on the generation of random normal deviates", Annals of
Mathematical Statistics 29, 1958: sqrt(-2 log u) times cosine and sine of an angle. It takes one pair of
words a pair of results always, so element i is the same whoever asks for it. u keeps all bits of its word
near 0, where the logarithm is steep. The angle is the other word as a fraction of a turn: its first two
bits give the quarter, so there is no reduction to make.
"""

from __future__ import annotations

import hvisa
from hvisa import f32, f64, i32, i64, u32, u64
from hvisa.library.mathematics.declare import private, public
from hvisa.library.mathematics.double_word import fast_two_sum
from hvisa.library.mathematics.logarithm import (
    log_quotient_f32,
    log_quotient_f64,
    parts_f32,
    parts_f64,
)
from hvisa.library.mathematics.trigonometry import (
    TURN_F64,
    UNIT_F32,
    cosine_f32,
    cosine_f64,
    flipped_f32,
    flipped_f64,
    sine_f32,
    sine_f64,
)

ROUNDS = 10
MULTIPLIER_0, MULTIPLIER_1 = 0xD2511F53, 0xCD9E8D57
WEYL_0, WEYL_1 = 0x9E3779B9, 0xBB67AE85  # what a round adds to the key
UNIT_F64 = TURN_F64[0] * 2.0**-55, TURN_F64[1] * 2.0**-55  # pi/2 2^-53, in two parts


@public
def philox4x32(c0: u32, c1: u32, c2: u32, c3: u32, k0: u32, k1: u32) -> tuple[u32, u32, u32, u32]:
    """The block of a counter and a key."""
    for n in hvisa.static_range(ROUNDS):
        product_0, product_1 = u64(c0) * MULTIPLIER_0, u64(c2) * MULTIPLIER_1
        c0 = u32(product_1 >> 32) ^ c1 ^ (k0 + u32(n * WEYL_0 & 0xFFFFFFFF))
        c2 = u32(product_0 >> 32) ^ c3 ^ (k1 + u32(n * WEYL_1 & 0xFFFFFFFF))
        c1, c3 = u32(product_1), u32(product_0)
    return c0, c1, c2, c3


@private
def block_of(seed: u64, stream: u64, block: u64) -> tuple[u32, u32, u32, u32]:
    """The four words of a block."""
    w0, w1, w2, w3 = philox4x32(u32(block), u32(block >> 32), u32(stream), u32(stream >> 32), u32(seed),
                                u32(seed >> 32))
    return w0, w1, w2, w3


@private
def joined(low: u32, high: u32) -> u64:
    return (u64(high) << 32) | u64(low)


# -- bits and uniform numbers ------------------------------------------------------------------------

@public
def random_bits_u32(seed: u64, stream: u64, index: u64) -> u32:
    """Word `index` mod 4 of block `index` div 4."""
    w0, w1, w2, w3 = block_of(seed, stream, index >> 2)
    odd = (index & 1) != 0
    return hvisa.select((index & 2) != 0, hvisa.select(odd, w3, w2), hvisa.select(odd, w1, w0))


@public
def random_bits_u64(seed: u64, stream: u64, index: u64) -> u64:
    """Half `index` mod 2 of block `index` div 2, its low word first."""
    w0, w1, w2, w3 = block_of(seed, stream, index >> 1)
    odd = (index & 1) != 0
    return joined(hvisa.select(odd, w2, w0), hvisa.select(odd, w3, w1))


@private
def unit_f32(bits: u32) -> f32:
    """The multiple of 2^-24 below 1 that the first 24 bits give."""
    return f32(bits >> 8) * f32(2.0**-24)


@public
def random_uniform_f32(seed: u64, stream: u64, index: u64) -> f32:
    """A number of [0, 1), a multiple of 2^-24."""
    return unit_f32(random_bits_u32(seed, stream, index))


@public
def random_uniform_f64(seed: u64, stream: u64, index: u64) -> f64:
    """A number of [0, 1), a multiple of 2^-53."""
    return f64(random_bits_u64(seed, stream, index) >> 11) * 2.0**-53


@public
def random_uniform4_f32(seed: u64, stream: u64, block: u64) -> tuple[f32, f32, f32, f32]:
    """Elements 4 `block` to 4 `block` + 3 of `random_uniform`."""
    w0, w1, w2, w3 = block_of(seed, stream, block)
    return unit_f32(w0), unit_f32(w1), unit_f32(w2), unit_f32(w3)


# -- normal numbers ----------------------------------------------------------------------------------

@private
def radius_f32(word: u32) -> f32:
    """sqrt(-2 log u) for u = (word + 1/2) 2^-32, which is in (0, 1]."""
    k, m, _ = parts_f32(hvisa.fma(f32(word), f32(2.0**-32), f32(2.0**-33)))
    f = m - 1
    d, d_low = fast_two_sum(f32(2), f)
    return hvisa.sqrt(-2 * log_quotient_f32(k, f, f32(0), d, d_low))


@private
def turned_f32(word: u32) -> tuple[f32, f32, u32]:
    """r + e and k of the angle 2 pi word / 2^32 = k pi/2 + r + e with |r| <= pi/4; k modulo 4."""
    k = (word + 0x20000000) >> 30
    rest = hvisa.bitcast(i32, word << 2)  # in units of 2^-32 quarters; 24 signed bits and 8 more
    first, second = f32(rest >> 8), f32(rest & 0xFF)
    whole = hvisa.fma(second, f32(2.0**-8), first)
    part = hvisa.fma(second, f32(2.0**-8), first - whole)
    r = whole * UNIT_F32[0]
    e = hvisa.fma(whole, UNIT_F32[1], hvisa.fma(whole, UNIT_F32[0], -r))
    return r, hvisa.fma(part, UNIT_F32[0], e), k


@private
def turned_cosine_f32(r: f32, e: f32, k: u32) -> f32:
    """The cosine of k pi/2 + r + e; a quarter before it is the sine."""
    v = hvisa.select((k & 1) != 0, sine_f32(r, e), cosine_f32(r, e))
    return flipped_f32(v, (k + 1) << 30)


@private
def pair_f32(first: u32, second: u32) -> tuple[f32, f32]:
    """Two normal numbers of two words."""
    radius = radius_f32(first)
    r, e, k = turned_f32(second)
    return radius * turned_cosine_f32(r, e, k), radius * turned_cosine_f32(r, e, k + 3)


@public
def random_normal_f32(seed: u64, stream: u64, index: u64) -> f32:
    """A number of the normal distribution of mean 0 and variance 1."""
    w0, w1, w2, w3 = block_of(seed, stream, index >> 2)
    later = (index & 2) != 0
    radius = radius_f32(hvisa.select(later, w2, w0))
    r, e, k = turned_f32(hvisa.select(later, w3, w1))
    return radius * turned_cosine_f32(r, e, k + 3 * u32(index & 1))


@public
def random_normal4_f32(seed: u64, stream: u64, block: u64) -> tuple[f32, f32, f32, f32]:
    """Elements 4 `block` to 4 `block` + 3 of `random_normal`."""
    w0, w1, w2, w3 = block_of(seed, stream, block)
    a, b = pair_f32(w0, w1)
    c, d = pair_f32(w2, w3)
    return a, b, c, d


@private
def radius_f64(word: u64) -> f64:
    """sqrt(-2 log u) for u = (word + 1/2) 2^-64, which is in (0, 1]."""
    k, m, _ = parts_f64(hvisa.fma(f64(word), 2.0**-64, 2.0**-65))
    f = m - 1
    d, d_low = fast_two_sum(f64(2), f)
    return hvisa.sqrt(-2 * log_quotient_f64(k, f, f64(0), d, d_low))


@private
def turned_f64(word: u64) -> tuple[f64, f64, i64]:
    """r + e and k of the angle 2 pi word / 2^64 = k pi/2 + r + e with |r| <= pi/4; k modulo 4."""
    k = i64((word + 0x2000000000000000) >> 62)
    rest = hvisa.bitcast(i64, word << 2)  # in units of 2^-64 quarters; 53 signed bits and 11 more
    first, second = f64(rest >> 11), f64(rest & 0x7FF)
    whole = hvisa.fma(second, 2.0**-11, first)
    part = hvisa.fma(second, 2.0**-11, first - whole)
    r = whole * UNIT_F64[0]
    e = hvisa.fma(whole, UNIT_F64[1], hvisa.fma(whole, UNIT_F64[0], -r))
    return r, hvisa.fma(part, UNIT_F64[0], e), k


@private
def turned_cosine_f64(r: f64, e: f64, k: i64) -> f64:
    """The cosine of k pi/2 + r + e; a quarter before it is the sine."""
    v = hvisa.select((k & 1) != 0, sine_f64(r, e), cosine_f64(r, e))
    return flipped_f64(v, (k + 1) << 62)


@public
def random_normal_f64(seed: u64, stream: u64, index: u64) -> f64:
    """A number of the normal distribution of mean 0 and variance 1."""
    w0, w1, w2, w3 = block_of(seed, stream, index >> 1)
    radius = radius_f64(joined(w0, w1))
    r, e, k = turned_f64(joined(w2, w3))
    return radius * turned_cosine_f64(r, e, k + 3 * i64(index & 1))
