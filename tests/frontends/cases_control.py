"""Leaves that branch, loop and leave early, with what they give."""

# ruff: noqa: B007, RET505, RET507  # ways of writing that are under test

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, Out, f32, i32, u8

n = hvisa.dims("n")
A32 = np.array([3, -4, 9, 0], np.int32)
F32 = np.array([0.5, -2.0, 7.25, 0.0], np.float32)
PAIR = (2, 5)


# -- leaving early ------------------------------------------------------------------------------------

@hvisa.leaf
def break_in_if(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    last = -1
    for k in range(x.shape[0]):
        if x[k] == 9:
            break
        last = k
    y[i] = last


@hvisa.leaf
def continue_in_else(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    s = i32(0)
    for k in range(4):
        if x[k] > 0:
            s += x[k]
        else:
            continue
        s += 100
    y[i] = s


@hvisa.leaf
def both_ways_leave(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    count = 0
    for k in range(4):
        if x[k] < 0:
            count += 10
            continue
        else:
            count += 1
            if k == 2:
                break
    y[i] = count


@hvisa.leaf
def else_of_for(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    found = -1
    for k in range(4):
        if x[k] == x[i] + 6:
            found = k
            break
    else:
        found = -2
    y[i] = found


@hvisa.leaf
def else_without_break(y: Out[i32, 2]):
    i = hvisa.grid(2)
    s = 0
    for k in range(3):
        s += k
    else:
        s += 100
    y[i] = s


@hvisa.leaf
def else_of_while(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    v = x[i]
    while v > 1:
        v -= 2
        if v == 5:
            break
    else:
        v = 50
    y[i] = v


@hvisa.leaf
def break_of_the_inner(y: Out[i32, 3]):
    i = hvisa.grid(3)
    s = 0
    for a in range(4):
        for b in range(4):
            if b > a:
                break
            s += 1
        if a == i + 1:
            break
    y[i] = s


@hvisa.leaf
def break_in_the_else(y: Out[i32, 3]):
    i = hvisa.grid(3)
    s = 0
    for a in range(5):
        for b in range(2):
            s += 1
            if b == i:
                break
        else:
            break
        s += 10
        if a == 1:
            break
    y[i] = s


@hvisa.leaf
def continue_in_while(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    j, s = 0, 0
    while j < 6:
        j += 1
        if j % 2 == 0:
            continue
        s += j
    y[i] = s


@hvisa.leaf
def endless_but_for_break(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    v = abs(x[i])
    rounds = 0
    while True:
        if v == 0:
            break
        v //= 2
        rounds += 1
    y[i] = rounds


@hvisa.leaf
def return_in_loops(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    y[i] = 1
    for a in range(3):
        for k in range(4):
            if x[k] == 9 and a == i:
                y[i] = 10 * a + k
                return
    y[i] = -5


@hvisa.leaf
def return_in_while(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    v = x[i]
    while v > 0:
        if v == 4:
            y[i] = 44
            return
        v -= 1
    y[i] = v


@hvisa.leaf
def value_from_a_loop(x: In[i32, n]) -> i32:
    i = hvisa.grid(n)
    for k in range(4):
        if x[k] > x[i]:
            return x[k] * 10
    return x[i]


@hvisa.leaf
def value_from_nested_loops(x: In[i32, n]) -> i32:
    i = hvisa.grid(n)
    if i > 0:
        for a in range(3):
            j = 0
            while j < 4:
                if j * a > i:
                    return i32(100 * a + j)
                j += 1
    return i32(-1)


@hvisa.leaf
def value_from_the_else(x: In[i32, n]) -> f32:
    i = hvisa.grid(n)
    for k in range(2):
        if x[i] == 9:
            break
    else:
        return f32(0.5)
    return f32(k2() + 1)


@hvisa.func
def k2():
    return 2


@hvisa.func
def find(x, key):
    for k in range(x.shape[0]):
        if x[k] == key:
            return k
    return -1


@hvisa.func
def sign_and_size(v):
    if v < 0:
        return -1, -v
    return 1, v


@hvisa.func
def first_above(limit: f32) -> f32:
    v = f32(1)
    while True:
        for _ in range(3):
            v = v * 2
            if v > limit:
                return v


@hvisa.leaf
def search(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    y[i] = find(x, i32(9 * i))


@hvisa.leaf
def tuple_of_a_function(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    s, size = sign_and_size(x[i])
    y[i] = s * 100 + size


@hvisa.leaf
def function_with_loops(x: In[f32, n], y: Out[f32, n]):
    i = hvisa.grid(n)
    y[i] = first_above(x[i])


@hvisa.leaf
def elif_chain(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    if x[i] == 0:
        return
    elif x[i] > 5:
        y[i] = 2
    elif x[i] < 0:
        y[i] = 3
        if i == 1:
            return
    else:
        y[i] = 4
    y[i] += 10


# -- conditions ---------------------------------------------------------------------------------------

@hvisa.leaf
def chain_stops(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    y[i] = i32(0 <= x[i] < 4 == x[x[i]] + 4)


@hvisa.leaf
def and_stops(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    y[i] = 1 if x[i] != 0 and 12 // x[i] > 1 else 0


@hvisa.leaf
def or_stops(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    y[i] = 1 if x[i] == 0 or 12 // x[i] > 1 else 0


@hvisa.leaf
def choice_stops(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    y[i] = 12 // x[i] if x[i] else 99


@hvisa.leaf
def numbers_as_conditions(x: In[f32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    if x[i] and not (i or 0.0):
        y[i] = 1
    elif not x[i]:
        y[i] = 2


# -- loops --------------------------------------------------------------------------------------------

@hvisa.leaf
def downward(y: Out[i32, 4]):
    i = hvisa.grid(4)
    s = 0
    for k in range(7, i, -2):
        s = s * 10 + k
    y[i] = s


@hvisa.leaf
def downward_of_bytes(x: In[u8, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    s = 0
    for k in range(x[i], -1, -1):
        s = s * 10 + k
    y[i] = s


@hvisa.leaf
def downward_and_broken(x: In[u8, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    s = 0
    for k in range(x[i], x[0], -1):
        if k == 2:
            break
        s += k
    y[i] = s


@hvisa.leaf
def stepped(step: i32, y: Out[i32, 2]):
    i = hvisa.grid(2)
    s = 0
    for k in range(i, 10, step):
        s += k
    y[i] = s


@hvisa.leaf
def unrolled(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    s = i32(0)
    for factor in (1, 10, 100):
        s += x[i] * factor
    for extra in PAIR:
        s += extra
    for k in hvisa.static_range(3):
        s += k
    y[i] = s


@hvisa.leaf
def counter_is_reset(y: Out[i32, 2]):
    i = hvisa.grid(2)
    s = 0
    for k in range(3):
        k += 10
        s += k
    y[i] = s


@hvisa.leaf
def bound_is_read_once(y: Out[i32, 2]):
    i = hvisa.grid(2)
    n = i + 2
    s = 0
    for _ in range(n):
        n += 1
        s += 1
    y[i] = s * 10 + n


@hvisa.leaf
def swapped(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    a, b = x[i], x[0]
    for _ in range(3):
        a, b = b, a + b
    y[i] = a


CASES: list[tuple[Any, ...]] = [
    (break_in_if, (A32,), [1] * 4), (continue_in_else, (A32,), [212] * 4),
    (both_ways_leave, (A32,), [12] * 4), (else_of_for, (A32,), [2, -2, -2, -2]),
    (else_without_break, (), [103] * 2),
    (else_of_while, (np.array([3, 8, 9, 0], np.int32),), [50, 50, 5, 50]),
    (break_of_the_inner, (), [3, 6, 10]), (break_in_the_else, (), [22, 24, 2]),
    (continue_in_while, (A32,), [9] * 4), (endless_but_for_break, (A32,), [2, 3, 4, 0]),
    (return_in_loops, (A32,), [2, 12, 22, -5]), (return_in_while, (A32,), [0, -4, 44, 0]),
    (value_from_a_loop, (A32,), [90, 30, 9, 30]), (value_from_nested_loops, (A32,), [-1, 102, 103, 202]),
    (value_from_the_else, (A32,), [0.5, 0.5, 3, 0.5]), (search, (A32,), [3, 2, -1, -1]),
    (tuple_of_a_function, (A32,), [103, -96, 109, 100]), (function_with_loops, (F32,), [2, 2, 8, 2]),
    (elif_chain, (A32,), [14, 3, 12, 0]), (chain_stops, (A32,), [1, 0, 0, 0]),
    (and_stops, (A32,), [1, 0, 0, 0]), (or_stops, (A32,), [1, 0, 0, 1]),
    (choice_stops, (A32,), [4, -3, 1, 99]), (numbers_as_conditions, (F32,), [1, 0, 0, 2]),
    (downward, (), [7531, 753, 753, 75]), (downward_of_bytes, (np.array([0, 3], np.uint8),), [0, 3210]),
    (downward_and_broken, (np.array([1, 0, 4], np.uint8),), [0, 0, 7]),
    (stepped, (np.int32(4),), [12, 15]), (stepped, (np.int32(0),), "HV0904"),
    (unrolled, (A32,), [343, -434, 1009, 10]), (counter_is_reset, (), [33, 33]),
    (bound_is_read_once, (), [24, 36]), (swapped, (A32,), [9, 2, 15, 6]),
]
