"""Valid Python kernels, and what is put into them to make them wrong."""

from __future__ import annotations

# Valid programs; each has leaves, and functions that they call.
KERNELS = (
    '''
n, m = hvisa.dims("n m")
W = np.array([0.25, 0.5, 0.25], np.float32)
PAIR = (1, 2.5)

@hvisa.func
def square(x):
    if x < 0:
        return -x * x
    return x * x

@hvisa.leaf
def stuff(x: In[f32, "n", "m"], y: Out[f32, "n"], c: Out[i32, "n"]):
    i = hvisa.grid(x.shape[0])
    s = 0.0
    best = 0
    for k in range(x.shape[1]):
        v = x[i, k]
        if v < 0:
            continue
        s += square(v)
        if s > 10:
            break
        best = k
    y[i] = s + sum(x[i, k] for k in range(x.shape[1]))
    c[i] = best if s > 1 and x[i, best] > 0.5 else -1
''', '''
@hvisa.leaf(effect="exact")
def collatz(x: In[i32, "n"], y: Out[i32, "n"]):
    i = hvisa.grid("n")
    v = x[i]
    count = 0
    while v != 1:
        v = v // 2 if v % 2 == 0 else 3 * v + 1
        count += 1
    y[i] = count
''', '''
W = np.array([0.25, 0.5, 0.25], np.float32)
n = hvisa.dims("n")

@hvisa.leaf(fast=True)
def blur(x: In[f32, n], y: Out[f32, n]):
    i = hvisa.grid(n)
    y[i] = W[0] * x.clamp[i - 1] + W[1] * x[i] + W[2] * x.clamp[i + 1]

@hvisa.leaf
def histogram(x: In[u8, n], h: Accumulate["add", i32, 256]):
    i = hvisa.grid(n)
    h[x[i]] += 1
''', '''
@hvisa.leaf
def insertion(x: In[i32, "n", 8], y: Out[i32, "n", 8]):
    r = hvisa.grid("n")
    t = hvisa.local(i32, 8)
    for k in range(8):
        t[k] = x[r, k]
    for a in range(1, 8):
        v = t[a]
        b = a - 1
        while b >= 0 and t[b] > v:
            t[b + 1] = t[b]
            b -= 1
        t[b + 1] = v
    for k in range(7, -1, -1):
        y[r, k] = t[k]
''', '''
@hvisa.leaf
def lanes(x: In[f32, 1024], y: Out[f32, 1024], a: vec[f32, 4]) -> f32:
    i = hvisa.grid(256)
    v = x.vec(4)[4 * i]
    v[1] = 7
    w = hvisa.select(v > 0, v * a, hvisa.splat(1.0, 4))
    y.vec(4)[4 * i] = w * 2.0 + hvisa.permute(v, 3, 2, 1, 0)
    return hvisa.fold_lanes("add", w) + hvisa.vec(v[0], v[1])[0]
''', '''
@hvisa.func
def first(x: In[i32, "m"], key: i32) -> tuple[i32, i1]:
    found = -1
    for k in range(x.shape[0]):
        if x[k] == key:
            found = k
            break
    else:
        found = -2
    return i32(found), found >= 0

@hvisa.leaf
def find(x: In[i32, "m"], keys: In[i32, "n"], y: Out[i32, "n"]):
    i = hvisa.grid("n")
    if keys[i] < 0:
        return
    at, there = first(x, keys[i])
    assert there or at < 0, "not there"
    print("found {} at {}", keys[i], at)
    y[i] = at ** 2 + (at << 1) - (~at & 3)
''', '''
@hvisa.leaf(effect="nondeterministic")
def visit(p: In[i32, "n"], seen: Shared[i32, "m"], q: Checked[i32, "n"], count: index):
    i, j = hvisa.grid("n", count)
    old = hvisa.atomic("add", seen[p[i]], 1)
    if old == 0 and hvisa.compare_exchange(seen[0], 0, 1) == 0:
        hvisa.update("max", seen[1], old)
    t: f32 = 0
    for k in (1, 2, 3):
        t = t + k * max(t, k, 1.5)
    for k in hvisa.static_range(2):
        t = abs(t) - math.sqrt(t)
    q[i] = int(t) if i > j else hvisa.popcount(u32(old))
''', '''
@hvisa.leaf
def groups(x: In[f64, "n"], y: Out[f64, "n"]) -> tuple[f64, index]:
    i = hvisa.grid("n")
    hvisa.barrier()
    total = hvisa.group_reduce("add", x[i])
    before = hvisa.group_scan("add", x[i], exclusive=True)
    low, at = hvisa.argmin(x[k] for k in range(len(x)))
    y.skip[i + 1] = total + before + hvisa.fma(low, 2.0, x.zero[i - 1])
    a, (b, c) = 1, (2, 3)
    return min(x[k] * a for k in range(b, c)), at
''', '''
n, m, k = hvisa.dims("n m k")

@hvisa.leaf
def row_sum(x: In[f32, n, m]) -> f32:
    i = hvisa.grid(n)
    return sum(x[i, j] for j in range(m))

@hvisa.leaf
def scale(a: f32, x: In[f32, n], y: Out[f32, n]):
    i = hvisa.grid(n)
    y[i] = a * x[i]

@hvisa.graph
def find(x: In[f32, n, m], y: Out[f32, n]) -> f32:
    y = scale(1.0, hvisa.collect(row_sum(x)))
    return hvisa.reduce("max", row_sum(x))

@hvisa.graph
def first(x: In[f32, n], cut: index) -> Out[f32, n]:
    a, b = hvisa.split(x, cut)
    v = scale(2.0, a)
    return hvisa.join(v, scale(3.0, x=b))
''', '''
n, m, k = hvisa.dims("n m k")

@hvisa.graph
def gemm(alpha: f32, beta: f32, x: In[f32, n, k], b: In[f32, k, m], y: InOut[f32, n, m]):
    v = x @ b
    y = alpha * v + beta * y

@hvisa.graph
def soft(x: In[f32, n, m]) -> Out[f32, n, m]:
    e = (x - x.max(axis=1, keepdims=True)) * 0.5 + 4
    v = hvisa.where(x > 0, x - 1, 0) * 2 + hvisa.sqrt(abs(x))
    return v * e / e.sum(axis=1, keepdims=True)

@hvisa.graph
def jacobi(x: InOut[f32, n, n], y: InOut[f32, n, n], steps: index):
    for i in range(steps):
        y[1:-1, 1:-1] = 0.25 * (x[1:-1, :-2] + x[1:-1, 2:] + x[2:, 1:-1] + x[:-2, 1:-1])
        x[1:-1, 1:-1] = 0.25 * (y[1:-1, :-2] + y[1:-1, 2:] + y[2:, 1:-1] + y[:-2, 1:-1])
''', '''
n = hvisa.dims("n")

@hvisa.graph
def newton(a: f32) -> tuple[f32, i32]:
    x, rounds, done = a, i32(0), False
    while not done:
        y = 0.5 * (x + a / x)
        done = abs(y - x) < 1e-6
        x = y
        rounds += 1
    return x, rounds

@hvisa.graph
def triangle(a: In[f32, n, n], x: In[f32, n], flag: i1) -> Out[f32, n]:
    y = x + 0
    for i in range(n):
        y[i] = (x[i] - hvisa.sum(a[i, :i] * y[:i])) / a[i, i]
    if flag:
        v = y * 2
    else:
        v = y + 1
    return v

@hvisa.leaf
def blend(frame: In[f32, n], last: In[f32, n], rate: f32, out: Out[f32, n]):
    i = hvisa.grid(n)
    out[i] = last[i] + (frame[i] - last[i]) * rate

@hvisa.graph
def smooth(frames: Stream[f32, n], rate: f32) -> Stream[f32, n]:
    last = hvisa.delay(hvisa.zeros(f32, n))
    v = blend(frames, last, rate)
    last.next = v
    return v
''')
HEADER = '''import math
import numpy as np
import hvisa
from hvisa import (Accumulate, Checked, In, InOut, Out, Shared, Stream, f16, f32, f64, i1, i32, i64, index,
                   u8, u32, vec)
'''

# What stands where something else stood: expressions, statements, annotations, options.
EXPRESSIONS = (
    "0", "1", "-1", "2.5", "1e400", "300", "2**70", "-2**70", "True", "False", "None", "...", "1j", "b'x'",
    "'text'", "''", "'{}'", "f'{i}'", "[]", "[1, 2]", "()", "(1,)", "(1, 2.0)", "{}", "{1}", "{1: 2}",
    "lambda: 0", "lambda v: v", "[k for k in range(3)]", "{k for k in range(3)}", "(k for k in range(3))",
    "{k: k for k in range(3)}", "sum(k for k in range(3))", "max(k for k in range(2) for l in range(k))",
    "hvisa", "np", "math", "math.pi", "np.pi", "np.float32(1.5)", "np.int64(2)", "np.float32", "f32",
    "int", "range", "range(3)", "print", "len", "In", "Out[f32, 'n']", "vec[f32, 4]", "hvisa.grid",
    "hvisa.grid(4)", "hvisa.local(f32, 4)", "hvisa.local(f32, 1 << 40)", "hvisa.nothing", "x", "y", "i",
    "k", "n", "m", "v", "x.shape", "x.shape[0]", "x.shape[7]", "x.ndim", "x.size", "x.dtype", "x.T",
    "x.clamp", "x.vec(4)", "x.vec(3)[0]", "x.vec(1)", "x[0]", "x[0, 0]", "x[:]", "x[-1]", "x[1.5]",
    "x[None]", "x[x[0]]", "y[0]", "x is None", "0 < x[0] < 1", "x[0] in (1, 2)", "not x", "not 1", "-x",
    "~1.5", "-True", "1 if x else 2", "x if 1 else y", "(1, 2) if i else (3, 4)", "'a' if i else 'b'",
    "(1, 2)[i]", "(1, 2)[5]", "(q := 1)", "i and 0", "0 or i", "1 and x", "x and 1", "min(1, 2)", "min()",
    "max(i)", "abs(-1)", "abs('a')", "i32(2.5)", "u8(-1)", "f32('1')", "i32()", "int(1e30)", "bool(2)",
    "float(i)", "hvisa.sqrt(2)", "hvisa.sqrt(x)", "hvisa.fma(1, 2)", "hvisa.fma(1, 2, 3)",
    "hvisa.select(i, 1, 2)", "hvisa.bitcast(u32, 1.5)", "hvisa.bitcast(1, 2)", "hvisa.splat(1, 2)",
    "hvisa.splat(i, 65)", "hvisa.permute(1, 2)", "vec(1, 2)", "vec[f32, 2](1)", "vec(1.0, i)",
    "hvisa.fold_lanes('add', vec(1, i))", "hvisa.fold_lanes('x', 1)", "hvisa.group_any(i)",
    "hvisa.group_reduce('add', 1)", "hvisa.group_broadcast(i, 0)", "hvisa.group_shuffle(i, 0)",
    "hvisa.group_scan('min', 1.5)", "hvisa.zeros(f32, 4)", "hvisa.exp(1.5)", "math.sin(i)",
    "np.where(i, 1, 2)", "np.zeros(3)", "np.array([1])", "np.array([1, 2])[0]", "PAIR[0]", "PAIR[2]",
    "PAIR", "W", "W[0]", "W[i]", "KERNELS", "1 // 0", "1 % 0", "1 / 0", "0 ** -1", "2 ** 0.5", "i ** 3",
    "i ** -1", "1 << 70", "1 << -1", "i << 70", "1.5 << 1", "i // 0", "i % 0", "i / 0", "5 // i",
    "i.astype(f32)", "i.real", "x.astype(f32)", "i()", "x(0)", "'a'()", "(1)(2)", "square(1)", "square()",
    "square(x)", "square(*x)", "square(**x)", "square(v=1)", "square(x=1)", "first(x, 1)",
    "first(x, 1)[0]", "first", "find(x)", "hvisa.update('add', x[0], 1)", "hvisa.atomic('add', y[0], 1)",
    "hvisa.set_extent(y, 1)", "hvisa.barrier()", "hvisa.print('{}')", "print()", "open('x')", "eval('1')",
    "object()", "type(i)", "isinstance(i, int)", "str(i)", "list(x)", "sorted(x)", "zip(x, y)", "any(x)",
    "x == y", "'a' + 'b'", "'a' * i", "'a' < i", "'a' < 'b'", "(1, 2) == (1, 2)", "(1, 2) + (3,)",
    "None + 1", "hvisa.dims('a b')", "hvisa.ceildiv(n, 2)", "hvisa.ceildiv(5, 2)", "hvisa.min",
    "x.shape + x.shape")
STATEMENTS = (
    "pass", "return", "return 1", "return 1, 2", "return x", "return None", "return 'a'", "break",
    "continue", "raise ValueError()", "assert False", "assert i, 'x'", "assert i, i", "assert 'a'",
    "del i", "global G", "import os", "from os import path", "def inner(): return 1", "class C: pass",
    "async def inner(): pass", "with x: pass", "try:\n    pass\nexcept Exception:\n    pass",
    "match i:\n    case 1:\n        pass", "i", "x[0]", "'doc'", "yield 1", "i == 1", "i = 1", "i = 1.5",
    "i += 1.5", "x = 1", "x = y", "y = x", "i = x", "i = y = 0", "x += 1", "x[0] = 1", "y[0] = 1",
    "y[0] += 1", "y[0] **= 2", "y[0] @= 2", "y[0], y[1] = 1, 2", "y[:] = 1", "y[None] = 1", "i.x = 1",
    "i.x += 1", "(1)[0] = 2", "v[0] = 1", "v[9] = 1", "v[i] = 1", "v[0] += 1", "y.clamp[0] = 1",
    "y.vec(4)[0] = 1", "a, b = 1", "a, b = 1, 2, 3", "a, *b = 1, 2", "(a, b), c = (1, 2), 3",
    "[a, b] = 1, 2", "a: f32 = 1", "a: f32", "a: 3 = 1", "a: x = 1", "a: 'f32' = 1", "a: vec[f32, 2] = 1",
    "y[0]: f32 = 1", "i = None", "i = 'a'", "s = s + 'a'", "hvisa.grid(4)", "i = hvisa.grid(4)",
    "for k in range(3): pass", "for k in range(i): i += 1", "for k in range(1.5): pass",
    "for k in range(0, 5, 0): pass", "for k in range(0, 5, i): pass", "for k in range(5, 0, -1): break",
    "for k in range(): pass", "for k in x: pass", "for k in (1, 2.5): i = k",
    "for k in (1, 2):\n    break", "for k, l in ((1, 2), (3, 4)): i = k", "for y[0] in range(3): pass",
    "for k in range(3):\n    return", "for k in range(10**30): pass",
    "for k in hvisa.static_range(10**9): pass", "for k in hvisa.static_range(0, 3, 0): pass",
    "for k in hvisa.static_range(i): pass", "for k in range(3):\n    pass\nelse:\n    i = 2",
    "for k in range(3):\n    i = (1, 2)", "for k in []: pass", "for k in range(3):\n    z = z + 1",
    "for i in range(3): pass", "for x in range(3): pass", "while True: pass", "while False: pass",
    "while i: i -= 1", "while x: pass", "while 1:\n    break",
    "while i < 3:\n    i += 1\n    if i == 2:\n        continue\nelse:\n    i = 0", "while i:\n    return",
    "if i:\n    z = 1", "if i:\n    x = y", "if i:\n    i = (1, 2)", "if x: pass", "if 'a': i = 1",
    "if i:\n    t = hvisa.local(f32, 4)", "if i > 3:\n    return",
    "if i > 3:\n    return 1\nelse:\n    return 2.5", "if i:\n    break", "hvisa.barrier()",
    "if i: hvisa.barrier()", "print('a')", "print(i)", "print('{}', i, i)", "print(x)", "print(i, end='')",
    "print('{} {}', i)", "hvisa.set_extent(y, 1)", "t = hvisa.local(i32, 4)",
    "t = hvisa.local(f32, 4); i = t[0]", "t = hvisa.local(f32, 0)", "t = hvisa.local(f32, n)",
    "t = hvisa.local('n', 4)", "t = hvisa.local(f32, 4, 4); t[0, 0] = 1; t[0] = 1",
    "hvisa.update('add', y[0], 1)", "hvisa.update('add', t[0], 1)", "hvisa.update(1, 2, 3)",
    "z = hvisa.compare_exchange(y[0], 1, 2)", "y[0] = hvisa.atomic('xchg', y[0], 1.5)", "nonlocal i",
    "é = 1; i = é", "_x = 1; i = _x", "__ = i")
ANNOTATIONS = (
    "f32", "i32", "index", "int", "float", "bool", "str", "None", "1", "'f32'", "'nothing'", "'a b'",
    "nothing", "In", "In[f32]", "In[f32, 'n']", "In[f32, 'n', 'm']", "In[f32, 4]", "In[f32, -1]",
    "In[f32, 1.5]", "In[f32, '2*n']", "In[f32, 'n/2']", "In[f32, '']", "In[f32, 'n n']",
    "In[f32, '1 << 99']", "In['n', f32]", "In[f32, 'é']", "In[f32, '9999999999999999999999999']",
    "In[f32, 'n*n*n*n*n*n*n']", "In[f32, '*']", "In[f32, 'n // 0']", "In[f32, 'n % m']",
    "In[f32, 'min(n, m)']", "In[f32, 'min(n)']", "In[f32, 'i']", "In[f32, 'x']", "In[f32, 'f <= n']",
    "Out[f32, 'f <= n']", "Out[f32, 'f <= ']", "Out[f32, 'f <= n', 4]", "Out[f32, 4, 'f <= n']",
    "Out[f32, 'n <= n']", "Out[f32, 'n']", "Out[f32, ()]", "Out[f32, 'q']", "InOut[f32, 'n']",
    "InOut[i32, 'n', 8]", "Checked[f32, 'n']", "Shared[f32, 'n']", "Shared[i32, 'm']",
    "Accumulate['add', i32, 256]", "Accumulate['add', f32, 'n']", "Accumulate['mul', i32, 4]",
    "Accumulate[i32]", "Accumulate['min', f32, 'n']", "Stream[f32]", "Stream[u8, 'h', 'w']", "vec[f32, 4]",
    "vec[f32, 1]", "vec[f32]", "vec", "In[f32, 'n', hvisa.strided]", "In[f32, 'n'].nothing",
    "Out[f32, 'n', hvisa.copy_of('x')]", "Out[f32, 'n', hvisa.copy_of('q')]",
    "Out[f32, 'n', hvisa.copy_of(3)]",
    "In[f32, 'n', hvisa.copy_of('x')]", "In[np.float32, 'n']", "In[np.complex64, 'n']", "In[object, 'n']",
    "In[vec[f32, 4], 'n']", "np.ndarray", "np.float32", "list[int]", "tuple[f32, i32]",
    "tuple[In[f32, 'n'], f32]", "tuple", "tuple[()]", "(f32, i32)", "[f32]", "lambda: 0",
    "In[f32, " + ", ".join(["2"]*20) + "]", "In[f32, " + ", ".join(["'a'"]*3) + "]", "1 / 0", "hvisa")
OPTIONS = (
    "effect='inexact'", "effect='nothing'", "effect=3", "fast=True", "fast=('contract',)", "fast=3",
    "fast='reassociate'", "fast=('nothing',)", "private=True", "implements='MatMul@13'",
    "implements='MatMul'", "implements=3", "attributes={}", "attributes={'hint': {'unroll': 4}}",
    "attributes={'nothing': {}}", "attributes={'hint': 3}", "attributes={'requirement': {'deadline': 5}}",
    "attributes={'hint': {'a b': 1}}", "attributes={'hint': {'a': None}}", "nothing=1",
    "attributes={'licence': {'precision': 'f16'}}", "attributes={'hint': {'a': float('nan')}}",
    "attributes={'hint': {'a': 1 << 70}}", "attributes=[1]")
