"""Random leaves as Python text, and arguments for them.

`make(seed)` writes one leaf and the functions that it calls. Each expression is drawn with its type by
numpy's rules, found by numpy itself, and the interval of a Python int, so that no operation is written
that plain Python refuses: a Python int never meets a type that can't hold it, shifts stay within their
width, and a name keeps one type.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hvisa.spec import types as ty

INTS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
FLOATS = ("f16", "f32", "f64")
NUMBERS = (*INTS, *FLOATS, "f32", "i32")
WEAK = ("int", "float", "truth")  # of Python: numbers and truth values
N, M = 3, 5  # extents of the arguments
SMALL = ("0", "1", "2", "3", "5", "7")
PARTS = ("0.5", "2.0", "-1.5", "0.1", "3.0")


@dataclass
class Expr:
    """A text, its type (a scalar type's name, or one of `WEAK`), and what a Python int may be."""

    text: str
    type: str
    low: int = 0
    high: int = 0


@dataclass
class Program:
    text: str
    name: str
    arguments: dict[str, Any]
    features: set[str] = field(default_factory=set)


def dtype(name: str) -> np.dtype[Any]:
    return ty.BY_NAME[name].storage_dtype


def meeting(a: str, b: str) -> str:
    """The type of an operation, as numpy has it; a Python number takes that of the other."""
    if a in WEAK and b in WEAK:
        return "float" if "float" in (a, b) else "int"
    examples = {"int": 1, "float": 1.0, "truth": True}
    found = np.result_type(*(examples[t] if t in WEAK else dtype(t) for t in (a, b)))
    return next(t.name for t in ty.SCALARS if t.dtype_name == found.name)


class Writer:
    """Statements and expressions of one function."""

    def __init__(self, rng: random.Random, features: set[str]):
        self.rng = rng
        self.features = features
        self.lines: list[str] = []
        self.indent = 1
        self.scope: dict[str, Expr] = {}  # variables and numbers
        self.fixed: set[str] = set()  # not assigned to
        self.buffers: dict[str, tuple[str, int]] = {}  # readable: element type, rank
        self.locals: dict[str, str] = {}
        self.functions: dict[str, tuple[list[str], list[str]]] = {}
        self.count = 0
        self.budget = 14
        self.loops: list[str] = []
        self.result: list[str] | None = None  # types that a return gives
        self.written: dict[str, str] = {}
        self.readable: set[str] = set()  # of those, what may be read
        self.histogram = ""

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def fresh(self, prefix: str = "v") -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    # -- expressions -----------------------------------------------------------------------------

    def expr(self, depth: int = 2) -> Expr:
        if depth <= 0 or self.rng.random() < 0.15:
            return self.leaf()
        kinds = [(self.binary, 9), (self.division, 2), (self.shift, 1), (self.unary, 2),
                 (self.conversion, 2), (self.choice, 2), (self.extreme, 1), (self.load, 3),
                 (self.operation, 1), (self.call, 2), (self.reduce, 1), (self.bits, 1)]
        make = self.rng.choices([k for k, _ in kinds], [w for _, w in kinds])[0]
        return make(depth - 1)

    def leaf(self) -> Expr:
        known = list(self.scope.values())
        if known and self.rng.random() < 0.75:
            return self.rng.choice(known)
        if self.rng.random() < 0.4:
            return Expr(self.rng.choice(PARTS), "float")
        value = self.rng.choice([*SMALL, "-1", "-4"])
        return Expr(value, "int", int(value), int(value))

    def typed(self, depth: int, among: tuple[str, ...] = NUMBERS) -> Expr:
        """An expression of one of these types, converted if need be."""
        found = self.expr(depth)
        return found if found.type in among else self.as_type(found, self.rng.choice(among))

    def as_type(self, value: Expr, name: str) -> Expr:
        return value if value.type == name else Expr(f"{name}({value.text})", name)

    def met(self, a: Expr, b: Expr) -> tuple[Expr, Expr, str]:
        """Two operands that may meet, and their type."""
        for one, other in ((a, b), (b, a)):
            if one.type == "int" and other.type in INTS:
                info = np.iinfo(dtype(other.type))
                if not info.min <= one.low <= one.high <= info.max:
                    made = self.as_type(one, other.type)
                    a, b = (made, b) if one is a else (a, made)
        a, b = (self.as_type(v, "i32") if v.type == "truth" else v for v in (a, b))
        return a, b, meeting(a.type, b.type)

    def binary(self, depth: int) -> Expr:
        a, b = self.expr(depth), self.expr(depth)
        if "i1" in (a.type, b.type) and a.type in ("i1", "truth") and b.type in ("i1", "truth"):
            return Expr(f"({a.text} {self.rng.choice('&|^')} {b.text})", "i1")
        a, b, type_ = self.met(a, b)
        op = self.rng.choice("+-*")
        made = Expr(f"({a.text} {op} {b.text})", type_)
        if type_ == "int":
            corners = [x + y if op == "+" else x - y if op == "-" else x * y
                       for x in (a.low, a.high) for y in (b.low, b.high)]
            made.low, made.high = min(corners), max(corners)
            if made.high - made.low > 1 << 40:
                return self.as_type(made, "i64")
        return made

    def division(self, depth: int) -> Expr:
        a, b, type_ = self.met(self.expr(depth), self.expr(depth))
        if type_ in WEAK:
            divisor = self.rng.choice(["2", "3", "-2", "7", "-1"])
            if type_ == "float" or self.rng.random() < 0.3:
                return Expr(f"({a.text} / {divisor})", "float")
            if self.rng.random() < 0.5:
                most = abs(int(divisor))
                return Expr(f"({a.text} % {divisor})", "int", -most, most)
            reach = max(abs(a.low), abs(a.high)) + 1
            return Expr(f"({a.text} // {divisor})", "int", -reach, reach)
        if b.type in WEAK or a.type == "i1":  # Python's numbers are not divided by zero
            b = self.as_type(b, type_)
        if type_ in FLOATS or self.rng.random() < 0.2:
            return Expr(f"({a.text} / {b.text})", type_ if type_ in FLOATS else "f64")
        if self.rng.random() < 0.93:
            self.features.add("floor division")
            # As its own type: or-ing a 1 into it must not widen it.
            b = Expr(f"({self.as_type(b, type_).text} | 1)", type_)
        return Expr(f"({a.text} {self.rng.choice(['//', '%'])} {b.text})", meeting(a.type, b.type))

    def shift(self, depth: int) -> Expr:
        a = self.typed(depth, INTS)
        width = ty.BY_NAME[a.type].bits
        amount = str(self.rng.randrange(width)) if self.rng.random() < 0.6 else \
            f"({self.as_type(self.expr(0), a.type).text} & {width - 1})"
        return Expr(f"({a.text} {self.rng.choice(['<<', '>>'])} {amount})", a.type)

    def bits(self, depth: int) -> Expr:
        a, b = self.typed(depth, INTS), self.typed(depth, INTS)
        if meeting(a.type, b.type) in FLOATS:
            b = self.as_type(b, a.type)
        return Expr(f"({a.text} {self.rng.choice('&|^')} {b.text})", meeting(a.type, b.type))

    def unary(self, depth: int) -> Expr:
        a = self.typed(depth)
        choices = ["-{}", "+{}"] + ["~{}"] * (a.type in INTS) + ["abs({})"] * (a.type[0] != "u")
        return Expr("(" + self.rng.choice(choices).format(a.text) + ")", a.type)

    def conversion(self, depth: int) -> Expr:
        a, name = self.expr(depth), self.rng.choice([*NUMBERS, "i1"])
        if self.rng.random() < 0.15:
            word, name = self.rng.choice([("int", "i64"), ("float", "f64")])
            return Expr(f"{word}({a.text})", name)
        return Expr(f"{name}({a.text})", name)

    def choice(self, depth: int) -> Expr:
        a = self.typed(depth)
        b = self.as_type(self.expr(depth), a.type)
        if self.rng.random() < 0.3:
            return Expr(f"hvisa.select({self.condition(depth)}, {a.text}, {b.text})", a.type)
        return Expr(f"({a.text} if {self.test(depth)} else {b.text})", a.type)

    def extreme(self, depth: int) -> Expr:
        if self.rng.random() < 0.15:  # a condition as a number
            made = Expr(f"({self.condition(depth)} * {self.rng.choice(['2', '0.5'])})", "truth")
            return self.as_type(made, self.rng.choice(NUMBERS))
        a, b, type_ = self.met(self.typed(depth), self.expr(depth))
        return Expr(f"{self.rng.choice(['min', 'max'])}({a.text}, {b.text})", type_)

    def operation(self, depth: int) -> Expr:
        if self.rng.random() < 0.5:
            a = self.typed(depth, INTS)
            name = self.rng.choice(["popcount", "clz", "ctz", "bit_reverse", "byte_swap"])
            return Expr(f"hvisa.{name}({a.text})", a.type)
        a = self.typed(depth, FLOATS)
        name = self.rng.choice(["sqrt", "floor", "ceil", "trunc", "round", "abs"])
        return Expr(f"hvisa.{name}({a.text})", a.type)

    def index(self) -> str:
        """An integer that may be outside."""
        known = [v.text for v in self.scope.values() if v.low < v.high or v.type in INTS]
        base = self.rng.choice(known or ["1"])
        return base if self.rng.random() < 0.4 else f"{base} {self.rng.choice('+-')} " \
            f"{self.rng.randrange(1, 3)}"

    def load(self, depth: int) -> Expr:
        if self.locals and self.rng.random() < 0.5:
            name = self.rng.choice(list(self.locals))
            return Expr(f"{name}[{self.typed(0, ('u8', 'u16', 'i32')).text} & 3]", self.locals[name])
        if not self.buffers:
            return self.leaf()
        name = self.rng.choice(list(self.buffers))
        type_, rank = self.buffers[name]
        if "grid" in self.features and self.rng.random() < 0.4 and f"{name}[i]" and rank == 1:
            return Expr(f"{name}[i]", type_)
        form = "" if self.rng.random() < 0.02 else self.rng.choice([".clamp", ".zero"])
        self.features.add(form or "load")
        return Expr(f"{name}{form}[{', '.join(self.index() for _ in range(rank))}]", type_)

    def call(self, depth: int) -> Expr:
        single = [n for n, (_, r) in self.functions.items() if len(r) == 1]
        if not single:
            return self.binary(depth)
        name = self.rng.choice(single)
        self.features.add("func")
        return Expr(self.call_text(name, depth), self.functions[name][1][0])

    def call_text(self, name: str, depth: int) -> str:
        parameters, _ = self.functions[name]
        return f"{name}({', '.join(self.as_type(self.expr(depth), t).text for t in parameters)})"

    def reduce(self, depth: int) -> Expr:
        self.features.add("reduce")
        counter = self.fresh("k")
        low, high = self.rng.choice([("", "5"), ("", "x0.shape[0]" if "x0" in self.buffers else "4"),
                                     ("1, ", "70"), ("2, ", "2"), ("3, ", "1")])
        saved = dict(self.scope)
        self.scope[counter] = Expr(counter, "int", 0, 70)
        word = self.rng.choice(["sum", "sum", "min", "max", "any", "all", "prod"])
        empty = high in ("2", "1")
        if word in ("any", "all"):
            made = Expr(self.test(1), "i1")
        else:
            made = self.typed(1, INTS if word == "prod" else NUMBERS)
        self.scope = saved
        callee = "hvisa.prod" if word == "prod" else word
        text = f"{made.text} for {counter} in range({low}{high})"
        if word in ("any", "all"):
            return Expr(f"{callee}({text})", "truth")
        if empty or self.rng.random() < 0.2:  # of no elements Python does not know the type
            start = self.as_type(self.expr(0), made.type)
            callee = callee if word in ("sum", "prod") else f"hvisa.{word}"
            return Expr(f"{callee}(({text}), {start.text})", made.type)
        return Expr(f"{callee}({text})", made.type)

    def test(self, depth: int = 1) -> str:
        """What only its truth value is wanted of: numbers may stand in it."""
        kind = self.rng.random()
        if kind < 0.1:
            return f"({self.ordered(depth - 1).text})"
        if kind < 0.2:
            return f"({self.test(depth - 1)} {self.rng.choice(['and', 'or'])} {self.test(depth - 1)})"
        return f"(not {self.test(depth - 1)})" if kind < 0.25 else self.condition(depth)

    def ordered(self, depth: int) -> Expr:
        """Something that `<` takes."""
        found = self.expr(depth)
        return self.as_type(found, "u8") if found.type == "i1" else found

    def condition(self, depth: int = 1) -> str:
        kind = self.rng.random()
        if depth > 0 and kind < 0.2:
            return f"({self.condition(depth - 1)} {self.rng.choice(['and', 'or'])} " \
                f"{self.condition(depth - 1)})"
        if depth > 0 and kind < 0.28:
            return f"(not {self.condition(depth - 1)})"
        if kind < 0.34:
            return f"bool({self.typed(depth - 1).text})"
        ops = ["<", "<=", ">", ">=", "==", "!="]
        if kind < 0.5:  # a Python int beyond the type that it is compared with
            wide = [v for v in self.scope.values() if v.type == "int" and v.text[0] in "ik"
                    and v.low < v.high]  # known at run time only
            if wide:
                self.features.add("wide comparison")
                factor = self.rng.choice([-90, 200, 4000])
                return f"({self.typed(depth - 1, INTS).text} {self.rng.choice(ops)} " \
                    f"{self.rng.choice(wide).text} * {factor})"
        a, b, _ = self.met(self.ordered(depth - 1), self.ordered(depth - 1))
        text = f"{a.text} {self.rng.choice(ops)} {b.text}"
        if kind < 0.6 and b.type not in WEAK:
            _, c, _ = self.met(b, self.ordered(depth - 1))
            text += f" {self.rng.choice(ops)} {c.text}"
        return f"({text})"
