"""Random programs made from the rows: every one should verify, and give the same bits everywhere.

`make(seed)` gives a module with one public entry and arguments for it. Leaves draw plain rows, loads
with bounds forms, structured control and reductions from the instruction table; some synchronise; some
programs are graphs of such leaves. Only `exact` constructs are drawn.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hvisa.graph.inference import complete
from hvisa.graph.model import (
    Argument,
    Constant,
    GlobalRef,
    Instr,
    InternalNode,
    LeafNode,
    Module,
    NodeDetail,
    Operand,
    Output,
    Port,
    Region,
    Value,
)
from hvisa.graph.numbering import number_module
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.definitions import Form, ImmediateKind, InstrDef
from hvisa.spec.literals import FLOAT_LAYOUT
from hvisa.spec.operations import LOAD_BOUNDS, REDUCTIONS, reduction_takes
from hvisa.spec.table import ROWS
from hvisa.spec.types import BufferType, ScalarType, Type, VectorType

PLAIN = [r for r in ROWS.values() if r.form is Form.PLAIN and r.semantics is not None
         and not r.collective and not r.reserved and r.mnemonic not in ("pack", "splat")]
COLLECTIVES = [r for r in ROWS.values() if r.collective]
ELEMENTS = [t for t in ty.SCALARS if t is not ty.INDEX]


def special_bits(rng: random.Random, type_: ScalarType) -> int:
    """A pattern that finds corner cases: small, extreme, special or random."""
    top = (1 << type_.bits) - 1
    if type_ is ty.I1:
        return rng.randrange(2)
    if type_.is_float:
        exponent_bits, stored = FLOAT_LAYOUT[type_]
        sign = rng.randrange(2) << (type_.bits - 1)
        infinity = ((1 << exponent_bits) - 1) << stored
        bias = ((1 << (exponent_bits - 1)) - 1) << stored
        kind = rng.randrange(10)
        if kind < 5:
            near = rng.choice([bias, bias + (1 << stored), bias - (3 << stored), bias + (5 << stored)])
            return sign | (near + rng.randrange(1 << stored))
        if kind == 5:
            return sign | rng.choice([0, 1, (1 << stored) - 1, 1 << stored])
        if kind == 6:
            return sign | rng.choice([infinity, infinity - 1, infinity | 1 << (stored - 1)])
        return rng.randrange(top + 1)
    kind = rng.randrange(4)
    if kind == 0:
        return rng.randrange(8)
    if kind == 1:
        return rng.choice([top, top >> 1, (top >> 1) + 1, top - 1, 1])
    return rng.randrange(top + 1) if kind == 2 else (top + 1 - rng.randrange(1, 9)) & top


def array(rng: random.Random, type_: ScalarType, shape: tuple[int, ...]) -> np.ndarray:
    bits = [special_bits(rng, type_) for _ in range(int(np.prod(shape)))]
    raw = np.array(bits, np.dtype(f"uint{type_.size_bytes * 8}")).reshape(shape)
    return raw.view(type_.storage_dtype)


@dataclass
class Program:
    """A generated program and what to call it with."""

    module: Module
    entry: str
    arguments: dict[str, Any]
    features: set[str] = field(default_factory=set)


class Writer:
    """One leaf being written."""

    def __init__(self, rng: random.Random, name: str, budget: int):
        self.rng = rng
        self.leaf = LeafNode(name)
        self.pool: list[Value] = []
        self.count = 0
        self.budget = budget
        self.depth = 0
        self.uniform: list[Value] = []

    def fresh(self, type_: Type) -> Value:
        self.count += 1
        return Value(f"v{self.count}", type_)

    def literal(self, type_: ScalarType) -> Constant:
        return Constant(type_, special_bits(self.rng, type_))

    def pick(self, type_: Type) -> Operand | None:
        """A value of the type from the pool, else a literal; None for a vector that is not there."""
        found = [v for v in self.pool if v.type is type_]
        if found and self.rng.random() < 0.85:
            return self.rng.choice(found[-12:])
        if isinstance(type_, VectorType):
            return self.rng.choice(found) if found else None
        assert isinstance(type_, ScalarType)
        return self.literal(type_)

    def emit(self, body: list[Instr], row: InstrDef, operands: list[Operand], **parts: Any) -> Instr:
        instr = Instr(row, operands, [])
        instr.immediates = tuple(i.default for i in row.immediates)
        for name, value in parts.items():
            setattr(instr, name, value)
        types = row.infer([o.type for o in operands], instr.type_argument, instr.immediates)
        instr.results = [self.fresh(t) for t in types]
        body.append(instr)
        self.pool += [v for v in instr.results if not isinstance(v.type, BufferType)]
        return instr

    # -- one statement -------------------------------------------------------------------------

    def plain(self, body: list[Instr]) -> None:
        rng = self.rng
        row = rng.choice(PLAIN)
        wanted = [v.type for v in self.pool if ty.element_of(v.type) in row.classes]
        variable: Type = rng.choice(wanted) if wanted and rng.random() < 0.8 \
            else rng.choice(row.classes or ELEMENTS)
        if any(o.pattern.word == "vector" for o in row.signature.operands):
            vectors = [t for t in wanted if isinstance(t, VectorType)]
            if not vectors:
                return
            variable = rng.choice(vectors)
        argument: Type | None = None
        if row.type_argument == "needed":
            element = ty.element_of(variable)
            assert element is not None
            targets = [t for t in row.explicit_classes
                       if row.mnemonic != "bitcast" or t.bits == element.bits]
            if not targets:
                return
            argument = ty.like(rng.choice(targets), variable)
        operands: list[Operand] = []
        for operand in row.signature.operands:
            found = self.pick(operand.pattern.fill(variable, argument))
            if found is None:
                return
            operands.append(found)
        self._safe(row, operands, body)
        immediates = self._immediates(row, variable)
        if immediates is not None:
            self.emit(body, row, operands, immediates=immediates, type_argument=argument)

    def _safe(self, row: InstrDef, operands: list[Operand], body: list[Instr]) -> None:
        """Make most divisors differ from zero, so that few programs trap."""
        if row.traps and self.rng.random() < 0.97 and len(operands) == 2:
            element = ty.element_of(operands[1].type)
            if element is not None and element.is_integer:
                one = Constant(element, 1)
                if isinstance(operands[1].type, VectorType):
                    one = self.emit(body, ROWS["splat"], [one], type_argument=operands[1].type
                                    ).results[0]  # type: ignore[assignment]
                operands[1] = self.emit(body, ROWS["or"], [operands[1], one]).results[0]

    def _immediates(self, row: InstrDef, variable: Type) -> tuple[Any, ...] | None:
        out: list[Any] = []
        lanes = ty.lanes_of(variable)
        for immediate in row.immediates:
            if immediate.kind is ImmediateKind.CHOICE:
                element = ty.element_of(variable)
                assert element is not None
                legal = [n for n, word in enumerate(immediate.choices)
                         if immediate.name != "operator" or reduction_takes(word, element)]
                out.append(self.rng.choice(legal))
            elif immediate.kind is ImmediateKind.INT:
                out.append(self.rng.randrange(lanes))
            else:
                out.append(tuple(self.rng.randrange(lanes) for _ in range(self.rng.choice([2, 4]))))
        return tuple(out)

    def load(self, body: list[Instr]) -> None:
        rng = self.rng
        ports = [p for p in self.leaf.ports if p.direction == 1]
        if not ports:
            return
        port = rng.choice(ports)
        type_ = port.type
        assert isinstance(type_, BufferType)
        own = type_.rank == len(self.leaf.ids)
        bounds = LOAD_BOUNDS.index(rng.choice(["zero", "clamp"]))
        operands: list[Operand] = [port.value]
        for axis in range(type_.rank):
            indices = [v for v in self.pool if v.type is ty.INDEX]
            if own and rng.random() < 0.7:
                operands.append(self.leaf.ids[axis])
            else:
                operands.append(rng.choice(indices) if indices else Constant(ty.INDEX, 0))
        offsets = tuple(rng.choice([0, 0, 1, -1, 2]) for _ in range(type_.rank))
        argument = ty.vector(type_.element, rng.choice([2, 4])) \
            if type_.rank and rng.random() < 0.2 else None
        self.emit(body, ROWS["load"], operands, immediates=(bounds,), type_argument=argument,
                  offsets=offsets if any(offsets) else ())

    def pack(self, body: list[Instr]) -> None:
        element = self.rng.choice(ELEMENTS)
        lanes = [self.pick(element) for _ in range(self.rng.choice([2, 3, 4, 8]))]
        self.emit(body, ROWS["pack"], [v for v in lanes if v is not None])

    # -- control -------------------------------------------------------------------------------

    def region(self, parameters: list[Value], wanted: list[Type] | None, size: int) -> Region:
        """A region that yields values of the wanted types (of its own choice if None)."""
        saved = list(self.pool)
        self.pool += parameters
        region = Region(parameters, [])
        self.depth += 1
        self.statements(region.body, size)
        self.depth -= 1
        values: list[Operand] = []
        for type_ in wanted if wanted is not None else []:
            found = self.pick(type_)
            assert found is not None
            values.append(found)
        region.body.append(Instr(ROWS["yield"], values, []))
        self.pool = saved
        return region

    def scalar_types(self, most: int = 3) -> list[Type]:
        return [self.rng.choice(ELEMENTS) for _ in range(self.rng.randrange(1, most))]

    def if_(self, body: list[Instr]) -> None:
        condition = self.pick(ty.I1)
        assert condition is not None
        types = self.scalar_types()
        instr = Instr(ROWS["if"], [condition], [])
        instr.regions = (self.region([], types, 3), self.region([], types, 3))
        instr.results = [self.fresh(t) for t in types]
        body.append(instr)
        self.pool += instr.results

    def for_(self, body: list[Instr]) -> None:
        counter = self.rng.choice([ty.INDEX, ty.I32, ty.U8, ty.I64])
        low, high = Constant(counter, self.rng.randrange(4)), Constant(counter,
                                                                       self.rng.randrange(7))
        step = Constant(counter, self.rng.choice([1, 1, 2, 3]))
        types = self.scalar_types()
        inits = [self.pick(t) for t in types]
        instr = Instr(ROWS["for"], [low, high, step, *(i for i in inits if i is not None)], [])
        parameters = [self.fresh(counter), *(self.fresh(t) for t in types)]
        instr.uniform = (3,) * len(types)
        instr.regions = (self.region(parameters, types, 4),)
        instr.results = [self.fresh(t) for t in types]
        body.append(instr)
        self.pool += instr.results

    def while_(self, body: list[Instr]) -> None:
        """Counts down a small number that differs between instances."""
        start = self.pick(ty.U8)
        assert start is not None
        bounded = self.emit(body, ROWS["and"], [start, Constant(ty.U8, 7)]).results[0]
        types = self.scalar_types(2)
        inits = [i for i in (self.pick(t) for t in types) if i is not None]
        instr = Instr(ROWS["while"], [bounded, *inits], [])
        left = self.fresh(ty.U8)
        carried = [self.fresh(t) for t in types]
        saved = list(self.pool)
        test = Region([left, *carried], [])
        go = self.emit(test.body, ROWS["ne"], [left, Constant(ty.U8, 0)]).results[0]
        test.body.append(Instr(ROWS["check"], [go], []))
        self.pool = [*saved, left, *carried]
        work = Region([], [])
        self.depth += 1
        self.statements(work.body, 3)
        self.depth -= 1
        less = self.emit(work.body, ROWS["sub"], [left, Constant(ty.U8, 1)]).results[0]
        values = [v for v in (self.pick(t) for t in types) if v is not None]
        work.body.append(Instr(ROWS["yield"], [less, *values], []))
        self.pool = saved
        instr.regions = (test, work)
        instr.uniform = (3,) * (1 + len(types))
        instr.results = [self.fresh(ty.U8), *(self.fresh(t) for t in types)]
        body.append(instr)
        self.pool += instr.results

    def reduce(self, body: list[Instr]) -> None:
        element = self.rng.choice(ELEMENTS)
        legal = [n for n, op in enumerate(REDUCTIONS) if reduction_takes(op, element)]
        op = self.rng.choice(legal)
        count = self.rng.choice([0, 1, 5, 63, 64, 65, 130])
        bounds: list[Operand] = [Constant(ty.INDEX, 0), Constant(ty.INDEX, count)]
        axes = 1
        if self.rng.random() < 0.2:
            axes = 2
            bounds += [Constant(ty.INDEX, 2), Constant(ty.INDEX, 5)]
        if not REDUCTIONS[op].startswith("arg") and self.rng.random() < 0.5:
            init = self.pick(element)
            assert init is not None
            bounds.append(init)
        instr = Instr(ROWS["reduce"], bounds, [])
        instr.immediates, instr.type_argument = (op,), element
        instr.regions = (self.region([self.fresh(ty.INDEX) for _ in range(axes)], [element], 3),)
        instr.results = [self.fresh(element)]
        if REDUCTIONS[op].startswith("arg"):
            instr.results.append(self.fresh(ty.INDEX))
        body.append(instr)
        self.pool += instr.results

    def statements(self, body: list[Instr], size: int) -> None:
        for _ in range(size):
            if self.budget <= 0:
                return
            self.budget -= 1
            kind = self.rng.random()
            if kind < 0.62 or self.depth >= 3:
                self.plain(body)
            elif kind < 0.78:
                self.load(body)
            elif kind < 0.82:
                self.pack(body)
            else:
                self.rng.choice([self.if_, self.for_, self.while_, self.reduce])(body)

    # -- synchronising leaves ------------------------------------------------------------------

    def collective(self, body: list[Instr]) -> None:
        row = self.rng.choice(COLLECTIVES)
        if row.mnemonic == "barrier":
            self.emit(body, row, [])
            return
        operands: list[Operand] = []
        variable: Type = self.rng.choice(row.classes) if row.classes else ty.I1
        for operand in row.signature.operands:
            if operand.pattern.word == "index" and row.mnemonic == "group_broadcast":
                operands.append(Constant(ty.INDEX, self.rng.randrange(6)))
                continue
            found = self.pick(operand.pattern.fill(variable, None))
            assert found is not None
            operands.append(found)
        immediates = self._immediates(row, variable)
        self.emit(body, row, operands, immediates=immediates)


def make_leaf(rng: random.Random, name: str, rank: int, inputs: list[ScalarType],
              outputs: list[ScalarType], scalars: list[ScalarType], results: list[ScalarType],
              budget: int, group: bool, in_place: bool = False) -> LeafNode:
    """A leaf over `rank` symbols: buffers of the grid's shape in and out, each stored once."""
    w = Writer(rng, name, budget)
    leaf = w.leaf
    symbols = ["n", "m", "l"][:rank]
    shape = tuple(dims.symbol(s) for s in symbols)
    leaf.symbols = {s: Value(s, ty.INDEX) for s in symbols}
    leaf.ids = [Value(f"i{k}", ty.INDEX) for k in range(rank)]
    leaf.grid = shape
    for k, element in enumerate(inputs):
        leaf.ports.append(Port(Value(f"x{k}", ty.buffer(element, shape)), 1))
    for k, scalar in enumerate(scalars):
        leaf.ports.append(Port(Value(f"a{k}", scalar)))
    for k, element in enumerate(outputs):
        direction = 3 if in_place and rng.random() < 0.4 else 2
        leaf.ports.append(Port(Value(f"y{k}", ty.buffer(element, shape)), direction))
    w.pool += leaf.ids + list(leaf.symbols.values()) + [p.value for p in leaf.ports
                                                        if p.direction == 0]
    body = Region()
    for port in leaf.ports:
        if port.direction == 3:  # its own element, which only this instance may see
            w.emit(body.body, ROWS["load"], [port.value, *leaf.ids])
    w.statements(body.body, 4)
    if group:
        for _ in range(rng.randrange(1, 4)):
            w.collective(body.body)
            w.statements(body.body, 3)
    w.statements(body.body, 6)
    for port in leaf.written:
        type_ = port.type
        assert isinstance(type_, BufferType)
        value = w.pick(type_.element)
        assert value is not None
        store = Instr(ROWS["store"], [value, port.value, *leaf.ids], [])
        store.immediates = (0,)
        body.body.append(store)
    final = [w.pick(t) for t in results]
    body.body.append(Instr(ROWS["yield"], [v for v in final if v is not None], []))
    leaf.results = list(results)
    leaf.result_names = [f"r{k}" for k in range(len(results))]
    leaf.body = body
    return leaf


def make(seed: int) -> Program:
    """The program of a seed."""
    rng = random.Random(seed)
    module = Module(f"generated {seed}")
    rank = rng.choice([1, 1, 1, 2, 0, 3])
    shape = tuple(rng.choice([1, 2, 3, 7, 16, 65] if rank < 2 else [1, 2, 5, 7]) for _ in range(rank))
    if rank and rng.random() < 0.05:
        shape = (0, *shape[1:])
    elements = [rng.choice(ELEMENTS) for _ in range(rng.randrange(1, 4))]
    scalars = [rng.choice(ELEMENTS) for _ in range(rng.randrange(3))]
    graph = rng.random() < 0.35
    group = rng.random() < 0.2
    features = {f"rank {rank}", "graph" if graph else "leaf", *({"group"} if group else set())}
    if graph:
        _make_graph(rng, module, rank, elements, scalars)
    else:
        outputs = [rng.choice(ELEMENTS) for _ in range(rng.randrange(1, 3))]
        results = [rng.choice(ELEMENTS) for _ in range(rng.randrange(2))]
        module.definitions["entry"] = make_leaf(rng, "entry", rank, elements, outputs, scalars, results,
                                                rng.randrange(4, 40), group, True)
    errors = complete(module)
    assert not errors, (seed, [str(e) for e in errors])
    number_module(module)
    arguments: dict[str, Any] = {}
    for port in module.definitions["entry"].taken:
        type_ = port.type
        if isinstance(type_, BufferType):
            arguments[port.name] = array(rng, type_.element, shape)
        else:
            assert isinstance(type_, ScalarType)
            arguments[port.name] = array(rng, type_, (1,))[0]
    return Program(module, "entry", arguments, features)


def _make_graph(rng: random.Random, module: Module, rank: int, elements: list[ScalarType],
                scalars: list[ScalarType]) -> None:
    """A chain of leaves in a graph, inside an `if` or a counted loop now and then."""
    graph = InternalNode("entry")
    symbols = ["n", "m", "l"][:rank]
    shape = tuple(dims.symbol(s) for s in symbols)
    graph.symbols = {s: Value(s, ty.INDEX) for s in symbols}
    for k, element in enumerate(elements):
        graph.ports.append(Port(Value(f"x{k}", ty.buffer(element, shape)), 1))
    for k, scalar in enumerate(scalars):
        graph.ports.append(Port(Value(f"a{k}", scalar)))
    buffers = [p.value for p in graph.ports if isinstance(p.type, BufferType)]
    numbers: list[Operand] = [p.value for p in graph.ports if isinstance(p.type, ScalarType)]
    body: list[Instr] = []
    for step in range(rng.randrange(1, 4)):
        chosen = [rng.choice(buffers) for _ in range(rng.randrange(1, 3))]
        taken = [v for v in numbers if rng.random() < 0.5]
        if not rank:
            taken += [v for v in numbers if rng.random() < 0.2]
        output = rng.choice(ELEMENTS)
        inputs = [v.type.element for v in chosen if isinstance(v.type, BufferType)]
        kinds = [v.type for v in taken if isinstance(v.type, ScalarType)]
        result = [rng.choice([t for t in ELEMENTS if t not in (ty.F16, ty.BF16)])]
        leaf = make_leaf(rng, f"leaf{step}", rank, inputs, [output], kinds, result,
                         rng.randrange(3, 20), False)
        leaf.public = False
        module.definitions[leaf.name] = leaf
        instr = Instr(ROWS["node"], [*chosen, *taken], [])
        instr.callee = leaf.name
        form = Output()
        legal = [n for n, op in enumerate(REDUCTIONS) if reduction_takes(op, result[0])
                 and not op.startswith("arg")]
        if rank:
            form = Output(form=2, operator=rng.choice(legal)) if rng.random() < 0.6 else Output(form=1)
        instr.detail = NodeDetail((), [], [Argument() for _ in instr.operands], [Output(), form])
        made = Value(f"b{step}", ty.buffer(output, shape))
        number = Value(f"s{step}", result[0] if form.form != 1 else ty.buffer(result[0], shape))
        instr.results = [made, number]
        body.append(_wrapped(rng, instr, step))
        buffers += [v for v in body[-1].results if isinstance(v.type, BufferType)]
        numbers += [v for v in body[-1].results if isinstance(v.type, ScalarType)]
    last = rng.choice([v for v in buffers if v not in [p.value for p in graph.ports]] or buffers)
    assert isinstance(last.type, BufferType)
    graph.ports.append(Port(Value("y", ty.buffer(last.type.element, shape)), 2))
    finals: list[Operand] = [last]
    scalars_made = [v for v in numbers if isinstance(v, Value) and v.name and v.name[0] == "s"]
    if scalars_made:
        chosen_number = rng.choice(scalars_made)
        finals.append(chosen_number)
        graph.results, graph.result_names = [chosen_number.type], ["r"]
    body.append(Instr(ROWS["yield"], finals, []))
    graph.body = Region([], body)
    module.definitions["entry"] = graph


def _wrapped(rng: random.Random, instr: Instr, step: int) -> Instr:
    """The node itself, or inside both branches of an `if` on a constant-free condition."""
    if rng.random() < 0.75:
        return instr
    results = [Value(f"{v.name}", v.type) for v in instr.results]
    for value in instr.results:
        value.name = f"{value.name}.inner"
    loop = Instr(ROWS["for"], [Constant(ty.INDEX, 0), Constant(ty.INDEX, rng.randrange(1, 3)),
                               Constant(ty.INDEX, 1)], [])
    outer: list[Value] = []
    inits: list[Operand] = []
    for value in results:
        if isinstance(value.type, BufferType):
            inits.append(GlobalRef("", value.type))
        else:
            assert isinstance(value.type, ScalarType)
            inits.append(Constant(value.type, 0))
        outer.append(Value(f"{value.name}.carried", value.type))
    if any(isinstance(i, GlobalRef) for i in inits):
        for value, inner in zip(results, instr.results, strict=True):
            inner.name = value.name
        return instr
    loop.operands += inits
    loop.uniform = (3,) * len(inits)
    loop.regions = (Region([Value(f"k{step}", ty.INDEX), *outer],
                           [instr, Instr(ROWS["yield"], list(instr.results), [])]),)
    loop.results = results
    return loop
