"""Leaves that compute, by the rules of promotion, with what they give."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, Out, f16, f32, f64, i8, i32, i64, index, u8, u32, u64

n = hvisa.dims("n")
A8 = np.array([-7, -1, 0, 5], np.int8)
A32 = np.array([3, -4, 9, 0], np.int32)
F32 = np.array([0.5, -2.0, 7.25, 0.0], np.float32)
NAN = np.nan


# -- numbers ------------------------------------------------------------------------------------------

@hvisa.leaf
def floor_division(x: In[i8, n], y: Out[i8, n], z: Out[i8, n]):
    i = hvisa.grid(n)
    y[i] = x[i] // 2 * 10 + x[i] % 2
    z[i] = x[i] // i8(-3) * 10 + x[i] % -3


@hvisa.leaf
def wraps(x: In[i8, n], y: Out[i8, n]):
    i = hvisa.grid(n)
    y[i] = x[i] * 100 + i8(127)


@hvisa.leaf
def least_over_minus_one(x: In[i8, n], y: Out[i8, n]):
    i = hvisa.grid(n)
    y[i] = (x[i] // -1) + (x[i] % -1)


@hvisa.leaf
def division_gives_f64(x: In[i32, n], y: Out[f64, n]):
    i = hvisa.grid(n)
    y[i] = x[i] / 2


@hvisa.leaf
def literals_are_weak(x: In[f16, n], y: Out[f16, n], z: Out[f64, n]):
    i = hvisa.grid(n)
    y[i] = x[i] * 0.1 + 3
    z[i] = f64(x[i] * 0.1)


@hvisa.leaf
def weak_float_makes_f64(x: In[i8, n], y: Out[f64, n]):
    i = hvisa.grid(n)
    y[i] = x[i] * 0.1


@hvisa.leaf
def ids_are_weak(x: In[i8, n], y: Out[i8, n]):
    i = hvisa.grid(n)
    y[i] = x[i] + i * 2


@hvisa.leaf
def counters_are_weak(x: In[u8, n], y: Out[f32, n]):
    i = hvisa.grid(n)
    s = f32(0)
    for k in range(x[i]):
        s += k * f32(0.1)
    y[i] = s


@hvisa.leaf
def extents_are_weak(x: In[f32, n], y: Out[f32, n]):
    i = hvisa.grid(n)
    y[i] = x[i] / x.shape[0] + len(x) + x.size


@hvisa.leaf
def index_ports_are_weak(x: In[i8, n], size: index, y: Out[i8, n]):
    i = hvisa.grid(n)
    y[i] = (x[i] + i8(100)) + size


@hvisa.leaf
def truth_values_are_weak(x: In[f32, n], y: Out[f32, n]):
    i = hvisa.grid(n)
    y[i] = ((i > 1) * 0.1) * x[i] + (not x[i]) * 3


@hvisa.leaf
def truth_of_typed_numbers(x: In[i32, n], y: Out[i64, n]):
    i = hvisa.grid(n)
    y[i] = (x[i] > 0) + 1


@hvisa.leaf
def unsigned_against_signed(x: In[i64, n], a: u64, y: Out[i32, n]):
    i = hvisa.grid(n)
    y[i] = i32(x[i] < a) + 2 * i32(a == x[i]) + 4 * i32(a >= x[i]) + 8 * i32(x[i] != a)


@hvisa.leaf
def ids_against_bytes(x: In[u8, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    y[i] = i32(x[i] == i + 256) + 2 * i32(x[i] < 256 * i) + 4 * i32(x[i] > -i)


@hvisa.leaf
def floats_to_integers(x: In[f32, n], y: Out[i8, n], z: Out[u32, n]):
    i = hvisa.grid(n)
    y[i] = i8(x[i] * 100)
    z[i] = u32(x[i])


@hvisa.leaf
def nan_wins(x: In[f32, n], y: Out[f32, n]):
    i = hvisa.grid(n)
    nothing = x[3] / x[3]
    y[i] = min(x[i], nothing) if i == 0 else max(x[i], 1, -3.5)


@hvisa.leaf
def shifts(x: In[i8, n], y: Out[i8, n], z: Out[u8, n]):
    i = hvisa.grid(n)
    y[i] = x[i] >> 1 << 3
    z[i] = u8(x[i]) >> u8(4)


@hvisa.leaf
def bits(x: In[i8, n], y: Out[i8, n]):
    i = hvisa.grid(n)
    y[i] = ~x[i] & 0x1F | 0x40 ^ x[i]


@hvisa.leaf
def powers(x: In[i32, n], y: Out[i32, n], z: Out[f32, n]):
    i = hvisa.grid(n)
    y[i] = x[i] ** 3 + i ** 2 + x[i] ** 0
    z[i] = f32(x[i]) ** 2


@hvisa.leaf
def int_and_float(x: In[f32, n], y: Out[i64, n], z: Out[f64, n]):
    i = hvisa.grid(n)
    y[i] = int(x[i])
    z[i] = float(i) / 4


@hvisa.leaf
def annotated(x: In[f32, n], y: Out[f32, n]):
    i = hvisa.grid(n)
    s: f32 = 0.0
    for k in range(4):
        s += x[k]
    y[i] = s


# -- reductions ---------------------------------------------------------------------------------------

@hvisa.leaf
def sums(x: In[f32, n], y: Out[f32, n]):
    i = hvisa.grid(n)
    y[i] = sum(x[k] for k in range(x.shape[0])) + sum((x[k] for k in range(i)), 100.0)


@hvisa.leaf
def sums_of_two_ranges(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    y[i] = sum(x[k] * j for k in range(2) for j in range(i + 1))


@hvisa.leaf
def counts(x: In[i32, n], y: Out[i64, n]):
    i = hvisa.grid(n)
    y[i] = sum(x[k] > i for k in range(4)) + 10 * any(x[k] == i for k in range(4)) \
        + 100 * all(x[k] for k in range(3))


@hvisa.leaf
def extremes(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    y[i] = max(x[k] for k in range(4)) * 10 - min(x[k] for k in range(1, 4))


@hvisa.leaf
def places(x: In[i32, n], y: Out[i32, n], z: Out[i8, n]):
    i = hvisa.grid(n)
    least, at = hvisa.argmin(x[k] for k in range(1, 4))
    most, first = hvisa.argmax(i32(k * 0) for k in range(5))
    y[i] = least * 10 + at
    z[i] = i8(most) + first


@hvisa.leaf
def half_sums(x: In[f16, n], y: Out[f16, n]):
    i = hvisa.grid(n)
    y[i] = sum(x[0] for _ in range(100))


CASES: list[tuple[Any, ...]] = [
    (floor_division, (A8,), [-39, -9, 0, 21], [19, -1, 0, -21]), (wraps, (A8,), [-61, 27, 127, 115]),
    (least_over_minus_one, (np.array([-128, 5], np.int8),), [-128, -5]),
    (division_gives_f64, (A32,), [1.5, -2, 4.5, 0]),
    (literals_are_weak, (F32.astype(np.float16),), (F32.astype(np.float16) * 0.1 + 3).tolist(),
     (F32.astype(np.float16) * 0.1).astype(np.float64).tolist()),
    (weak_float_makes_f64, (A8,), [-7 * 0.1, -0.1, 0.0, 0.5]), (ids_are_weak, (A8,), [-7, 1, 4, 11]),
    (counters_are_weak, (np.array([0, 3], np.uint8),), [0,
     np.float32(0.1) + np.float32(2) * np.float32(0.1)]),
    (extents_are_weak, (F32,), [8.125, 7.5, 9.8125, 8]),
    (index_ports_are_weak, (A8, 100), [-63, -57, -56, -51]),
    (truth_values_are_weak, (F32,), [0, 0, np.float32(0.1) * np.float32(7.25), 3]),
    (truth_of_typed_numbers, (A32,), [2, 1, 2, 1]),
    (unsigned_against_signed, (np.array([-1, 5, (1 << 60) + 1, 1 << 60], np.int64),
     np.uint64((1 << 60) + 1)), [13, 13, 6, 13]),
    (ids_against_bytes, (np.array([0, 1, 0], np.uint8),), [0, 6, 6]),
    (floats_to_integers, (np.array([0.5, -2, NAN, 3e9], np.float32),), [50, -128, 0, 127], [0, 0, 0,
     3000000000]),
    (nan_wins, (F32,), [NAN, 1, 7.25, 1]), (shifts, (A8,), [-32, -8, 0, 16], [15, 15, 0, 0]),
    (bits, (A8,), [~-7 & 0x1F | 0x40 ^ -7, -65, 95, 0x1A | 0x45]),
    (powers, (A32,), [28, -62, 734, 10], [9, 16, 81, 0]),
    (int_and_float, (F32,), [0, -2, 7, 0], [0, 0.25, 0.5, 0.75]), (annotated, (F32,), [5.75] * 4),
    (sums, (F32,), [105.75, 106.25, 104.25, 111.5]), (sums_of_two_ranges, (A32,), [0, -1, -3, -6]),
    (counts, (A32,), [112, 102, 102, 111]), (extremes, (A32,), [94, 94, 94, 94]),
    (places, (A32,), [-40] * 4, [0] * 4),
    (half_sums, (np.array([0.1], np.float16),), [np.float16(np.float32(np.float16(0.1)) * 100)]),
]
