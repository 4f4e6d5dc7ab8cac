"""Random statements and whole leaves; see `generator` for expressions."""

from __future__ import annotations

import random
from typing import Any

from hvisa.spec import types as ty
from tests.differential.generator import array
from tests.frontends.generator import FLOATS, INTS, NUMBERS, Expr, M, N, Program, Writer

HEAD = '''"""Generated."""
import hvisa
from hvisa import In, InOut, Out, Accumulate, index
from hvisa import i1, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64
'''


SHAPE = ('"n"', '"m"')


class Body(Writer):
    """Blocks of statements."""

    def block(self, size: int, tail: str = "") -> None:
        """Some statements one level deeper; names that are new in it end with it."""
        saved, self.indent = dict(self.scope), self.indent + 1
        arrays = dict(self.locals)
        first = len(self.lines)
        self.statements(size)
        if tail:
            self.line(tail)
        if len(self.lines) == first:
            self.line("pass")
        self.scope, self.indent, self.locals = saved, self.indent - 1, arrays

    def statements(self, size: int) -> None:
        for _ in range(size):
            if self.budget <= 0:
                return
            self.budget -= 1
            plain = [(self.new, 4), (self.assign, 4), (self.augment, 3), (self.store, 2), (self.swap, 1),
                     (self.unpack, 1), (self.python_number, 2), (self.best, 1), (self.vector, 1)]
            nested = [(self.if_, 5), (self.for_, 3), (self.while_, 1), (self.unrolled, 1)]
            kinds = plain + (nested if self.indent < 5 else [])
            self.rng.choices([k for k, _ in kinds], [w for _, w in kinds])[0]()

    def variables(self) -> list[Expr]:
        return [v for n, v in self.scope.items() if n not in self.fixed and v.type not in ("int", "float")]

    def new(self) -> None:
        if self.rng.random() < 0.15:
            name, type_ = self.fresh("t"), self.rng.choice(NUMBERS)
            self.line(f"{name} = hvisa.local({type_}, 4)")
            self.line(f"{name}[{self.rng.randrange(4)}] = {self.as_type(self.expr(1), type_).text}")
            self.locals[name] = type_
            return
        name, value = self.fresh(), self.typed(2, (*NUMBERS, "i1"))
        self.line(f"{name} = {value.text}")
        self.scope[name] = Expr(name, value.type)

    def python_number(self) -> None:
        """A name that holds a Python number, given once."""
        self.features.add("Python number")
        value = self.expr(2)
        for _ in range(9):
            if value.type in ("int", "float"):
                name = self.fresh("q")
                self.line(f"{name} = {value.text}")
                self.scope[name] = Expr(name, value.type, value.low, value.high)
                self.fixed.add(name)
                return
            value = self.expr(1)

    def best(self) -> None:
        self.features.add("argmin")
        names, counter = (self.fresh(), self.fresh("q")), self.fresh("k")
        saved = dict(self.scope)
        self.scope[counter] = Expr(counter, "int", 2, 70)
        made = self.typed(1)
        self.scope = saved | {names[0]: Expr(names[0], made.type), names[1]: Expr(names[1], "int", 0, 68)}
        self.fixed.add(names[1])
        self.line(f"{', '.join(names)} = hvisa.{self.rng.choice(['argmin', 'argmax'])}("
                  f"{made.text} for {counter} in range(2, {self.rng.choice([3, 6, 70])}))")

    def vector(self) -> None:
        """A vector, of which a sum is kept."""
        if not self.buffers:
            return
        self.features.add("vector")
        name = self.rng.choice(list(self.buffers))
        type_, rank = self.buffers[name]
        at = ", ".join(["i"] * rank)
        lanes = self.rng.choice([2, 4])
        one, out = self.fresh("e"), self.fresh()
        self.line(f"{one} = {name}.vec({lanes}).{self.rng.choice(['clamp', 'zero'])}[{at}]")
        scale = self.typed(1, (type_,))
        self.line(f"{one} = {one} {self.rng.choice('+-*')} {scale.text}")
        if self.rng.random() < 0.5:
            self.line(f"{one} = hvisa.select({one} < {scale.text}, {one}, {one} + {one})")
        self.line(f"{one}[{self.rng.randrange(lanes)}] = {self.as_type(self.expr(1), type_).text}")
        self.line(f"{out} = {one}[{self.rng.randrange(lanes)}] - hvisa.fold_lanes("
                  f"\"{self.rng.choice(['add', 'max'])}\", {one})")
        self.scope[out] = Expr(out, type_)

    def assign(self) -> None:
        if self.locals and self.rng.random() < 0.4:
            name = self.rng.choice(list(self.locals))
            value = self.as_type(self.expr(2), self.locals[name])
            self.line(f"{name}[{self.typed(0, ('u8', 'i16')).text} & 3] = {value.text}")
            return
        known = self.variables()
        if known:
            target = self.rng.choice(known)
            self.line(f"{target.text} = {self.as_type(self.expr(3), target.type).text}")

    def augment(self) -> None:
        known = [v for v in self.variables() if v.type != "i1"]
        if known:
            target = self.rng.choice(known)
            op = self.rng.choice("+-*" if target.type in FLOATS else "+-*&|^")
            value = self.as_type(self.expr(2), target.type)
            self.line(f"{target.text} {op}= {value.text}")

    def store(self) -> None:
        if self.histogram and self.rng.random() < 0.3:
            at = self.typed(1, ("u8", "u16", "u32"))
            self.line(f"h[{at.text} % 8] += {self.as_type(self.expr(1), self.histogram).text}")
        elif self.written:
            name = self.rng.choice(list(self.written))
            value = self.as_type(self.expr(2), self.written[name])
            op = "=" if self.rng.random() < 0.6 or name not in self.readable else "+="
            if op == "=" and name in self.readable and self.rng.random() < 0.2:
                self.line(f"{name}.skip[i] = {value.text}")
            elif self.rng.random() < 0.05:
                self.line(f"assert {self.test(1)} or {self.condition(1)}, \"as it is\"")
            else:
                self.line(f"{name}[i] {op} {value.text}")

    def swap(self) -> None:
        known = self.variables()
        pairs = [(a, b) for a in known for b in known if a is not b and a.type == b.type]
        if pairs:
            a, b = self.rng.choice(pairs)
            self.features.add("swap")
            self.line(f"{a.text}, {b.text} = {b.text}, {self.as_type(self.expr(1), b.type).text}")

    def unpack(self) -> None:
        found = [n for n, (_, r) in self.functions.items() if len(r) == 2]
        if found:
            name = self.rng.choice(found)
            names = [self.fresh() for _ in range(2)]
            self.features.add("tuple")
            self.line(f"{', '.join(names)} = {self.call_text(name, 1)}")
            for n, type_ in zip(names, self.functions[name][1], strict=True):
                self.scope[n] = Expr(n, type_)

    def leaving(self) -> str:
        """An exit that may stand at the end of a branch, or nothing."""
        kind = self.rng.random()
        if self.loops and self.loops[-1] != "unrolled" and kind < 0.35:
            self.features.add("break or continue")
            return self.rng.choice(["break", "continue"])
        if kind < 0.45 and "unrolled" not in self.loops:
            self.features.add("early return")
            return self.return_()
        return ""

    def return_(self) -> str:
        if not self.result:
            return "return"
        return f"return {', '.join(self.as_type(self.expr(1), t).text for t in self.result)}"

    def if_(self) -> None:
        self.line(f"if {self.test(2)}:")
        self.block(self.rng.randrange(1, 4), self.leaving())
        for _ in range(self.rng.choice([0, 0, 1])):
            self.line(f"elif {self.test(1)}:")
            self.block(self.rng.randrange(1, 3), self.leaving())
        if self.rng.random() < 0.5:
            self.line("else:")
            self.block(self.rng.randrange(1, 3), self.leaving())

    def loop(self, kind: str, size: int, own: str = "") -> None:
        self.loops.append(kind)
        self.block(size)
        self.loops.pop()
        self.scope.pop(own, None)
        if kind != "unrolled" and self.rng.random() < 0.2:
            self.features.add("else of a loop")
            self.line("else:")
            self.block(2)

    def for_(self) -> None:
        counter = self.fresh("k")
        bound = self.typed(1, INTS).text
        ranges = ["4", f"1, {M}", "6, -1, -1", "0, 9, 4", "7, 0, -3", "i, 5", f"({bound}) & 3", "2, 2",
                  f"({bound}) % 5, 4", f"({bound}) & 7, -1, -2", "x0.shape[0]"]
        self.line(f"for {counter} in range({self.rng.choice(ranges)}):")
        saved = dict(self.scope)
        self.scope[counter] = Expr(counter, "int", -4, 9)
        self.fixed.add(counter)
        self.loop("for", self.rng.randrange(1, 4), counter)
        self.scope = saved

    def while_(self) -> None:
        self.features.add("while")
        counter, type_ = self.fresh("c"), self.rng.choice(INTS)
        self.line(f"{counter} = {type_}(0)")
        self.line(f"while {counter} < {self.rng.randrange(6)} and {self.test(1)}:")
        self.indent += 1
        self.line(f"{counter} += 1")
        self.indent -= 1
        saved = dict(self.scope)
        self.scope[counter] = Expr(counter, type_)
        self.fixed.add(counter)
        self.loop("while", self.rng.randrange(1, 3))
        self.scope = saved | {counter: Expr(counter, type_)}

    def unrolled(self) -> None:
        self.features.add("unrolled")
        name, type_ = self.fresh("w"), self.rng.choice(NUMBERS)
        items = ", ".join(self.as_type(self.expr(1), type_).text for _ in range(self.rng.randrange(2, 4)))
        self.line(f"for {name} in ({items}):")
        saved = dict(self.scope)
        self.scope[name] = Expr(name, type_)
        self.fixed.add(name)
        self.loop("unrolled", 2)
        self.scope = saved


def function(rng: random.Random, name: str, features: set[str],
             known: dict[str, tuple[list[str], list[str]]]) -> tuple[str, list[str], list[str]]:
    """A function that leaves call: text, types of its parameters, types of what it gives."""
    body = Body(rng, features)
    body.budget = rng.randrange(1, 5)
    body.functions = dict(known)
    parameters = [rng.choice(NUMBERS) for _ in range(rng.randrange(1, 3))]
    body.result = [rng.choice(NUMBERS) for _ in range(rng.choice([1, 1, 2]))]
    body.scope = {f"p{n}": Expr(f"p{n}", t) for n, t in enumerate(parameters)}
    annotated = rng.random() < 0.3
    header = ", ".join(f"p{n}: {t}" if annotated else f"p{n}" for n, t in enumerate(parameters))
    body.scope["i"] = Expr("2", "int", 2, 2)
    body.buffers = {}
    body.statements(4)
    body.line(body.return_())
    lines = [ln.replace("range(i, 5)", "range(2, 5)").replace("range(x0.shape[0])", "range(3)")
             for ln in body.lines]
    return "\n".join(["", "", "@hvisa.func", f"def {name}({header}):", *lines]), parameters, body.result


def make(seed: int) -> Program:
    """The leaf of a seed, with its functions."""
    rng = random.Random(seed)
    features = {"grid"}
    texts: list[str] = []
    functions: dict[str, tuple[list[str], list[str]]] = {}
    for number in range(rng.choice([0, 0, 1, 2])):
        name = f"f{seed}_{number}"
        text, parameters, results = function(rng, name, features, functions)
        texts.append(text)
        functions[name] = parameters, results
    body = Body(rng, features)
    body.functions = functions
    body.budget = rng.randrange(4, 16)
    ports: list[str] = []
    arguments: dict[str, Any] = {}
    for n in range(rng.randrange(1, 3)):
        type_, rank = rng.choice(NUMBERS), rng.choice([1, 1, 2]) if n else 1
        body.buffers[f"x{n}"] = type_, rank
        ports.append(f"x{n}: In[{type_}, {', '.join(SHAPE[:rank])}]")
        arguments[f"x{n}"] = array(rng, ty.BY_NAME[type_], (N, M)[:rank])
    for n in range(rng.randrange(3)):
        type_ = rng.choice([*NUMBERS, "i1"])
        ports.append(f"a{n}: {type_}")
        body.scope[f"a{n}"] = Expr(f"a{n}", type_)
        body.fixed.add(f"a{n}")
        arguments[f"a{n}"] = array(rng, ty.BY_NAME[type_], (1,))[0]
    if rng.random() < 0.3:
        features.add("index port")
        ports.append("size: index")
        body.scope["size"] = Expr("size", "int", 4, 4)
        body.fixed.add("size")
        arguments["size"] = 4
    for n in range(rng.randrange(1, 3)):
        type_, kind = rng.choice(NUMBERS), rng.choice(["Out", "Out", "InOut"])
        body.written[f"y{n}"] = type_
        ports.append(f"y{n}: {kind}[{type_}, \"n\"]")
        body.readable.add(f"y{n}")  # an `Out` port holds zeros at first
        if kind == "InOut":
            arguments[f"y{n}"] = array(rng, ty.BY_NAME[type_], (N,))
    if rng.random() < 0.2:
        body.histogram = rng.choice(INTS)
        ports.append(f"h: Accumulate[\"add\", {body.histogram}, 8]")
        arguments["h"] = array(rng, ty.BY_NAME[body.histogram], (8,))
    results = [rng.choice(NUMBERS)] if rng.random() < 0.25 else []
    body.result = results
    body.line("i = hvisa.grid(\"n\")")
    body.scope["i"] = Expr("i", "int", 0, N - 1)
    body.fixed.add("i")
    for name in [n for n in body.written if n not in body.readable and rng.random() < 0.5]:
        body.line(f"{name}[i] = {body.as_type(body.expr(1), body.written[name]).text}")
        body.readable.add(name)
    body.statements(12)
    for name, type_ in body.written.items():
        body.line(f"{name}[i] = {body.as_type(body.expr(3), type_).text}")
    if results:
        body.line(body.return_())
    arrow = f" -> {results[0]}" if results else ""
    name = f"leaf{seed}"
    texts += ["", "", "@hvisa.leaf", f"def {name}({', '.join(ports)}){arrow}:", *body.lines]
    return Program("\n".join(texts) + "\n", name, arguments, features)
