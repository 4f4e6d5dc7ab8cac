"""One module of native code for one entry: functions, leaf variants, launches, trap sites.

A definition is lowered once for each combination of buffer layouts that it is used with. Leaves become
`i32 leaf(context, parameters, begin, end)` over a range of linear instance numbers, and a launch
function that evaluates the grid and runs the range on one thread or on a team.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hvisa.graph.model import (
    Constant,
    Definition,
    Function,
    Instr,
    InternalNode,
    LeafNode,
    Module,
    Port,
    Value,
    instructions,
)
from hvisa.spec.types import BufferType, ScalarType
from hvisa.translators.base import Options
from hvisa.translators.llvm import control, group, memory
from hvisa.translators.llvm.body import DENSE, Body, Buffer
from hvisa.translators.llvm.emit import FunctionText, ModuleText, constant_text, llvm_type
from hvisa.translators.llvm.graph import GraphBody
from hvisa.translators.llvm.leaf import write_leaf
from hvisa.translators.llvm.parameters import Parameter, bind_ports, parameter_list, synchronises
from hvisa.translators.llvm.support import SUPPORT
from hvisa.translators.llvm.work import Work
from hvisa.translators.native import CONTEXT, accessed

if TYPE_CHECKING:
    from hvisa.graph.facts import Facts

TRIPLE = "x86_64-unknown-linux-gnu"


class Lowering:
    """The whole module under construction."""

    def __init__(self, module: Module, facts: Facts | None, options: Options):
        self.module = module
        self.facts = facts
        self.options = options
        self.work = Work(module)
        self.text = ModuleText()
        self.features = {f[1:] for f in options.features if f.startswith("+")}
        self.sites: list[dict[str, Any]] = []
        self._site_ids: dict[tuple[str, int], int] = {}
        self._positions: dict[str, dict[int, int]] = {}
        self.keep: list[Instr] = []  # stand-ins for places, so that their identity stays theirs
        self.nodes: list[str] = []
        self.externs: list[str] = []
        self.notes: list[str] = []
        self.functions: dict[tuple[object, ...], str] = {}
        self._globals: set[str] = set()
        self.special: dict[str, Callable[[Body, Instr], None]] = {
            **memory.SPECIAL, **control.SPECIAL}

    def has(self, feature: str) -> bool:
        return feature in self.features

    def finish(self) -> str:
        return self.text.text(TRIPLE) + SUPPORT

    def covered(self, definition: Definition, port: Port) -> bool:
        """Whether every element of a written port is known to be stored (semantics 6)."""
        return self.facts is not None and port.name in self.facts[definition.name].covered

    def tiled(self, graph: str, value: Value) -> bool:
        """Whether the boxes of a replicated node are known to reach all of a result."""
        return self.facts is not None and value in self.facts[graph].tiled

    # -- metadata ------------------------------------------------------------------------------

    def site(self, code: str, definition: str, instr: Instr) -> int:
        """Number of a place that can trap or print."""
        key = (code, id(instr))
        found = self._site_ids.get(key)
        if found is None:
            found = self._site_ids[key] = len(self.sites)
            span = instr.span
            entry: dict[str, Any] = {"code": code, "definition": definition,
                                     "mnemonic": instr.row.mnemonic,
                                     "position": self._position(definition, instr)}
            if span is not None:
                entry |= {"file": span.source.name if span.source else "", "line": span.line,
                          "column": span.column, "length": span.length}
            texts = [i for i in instr.immediates if isinstance(i, str)]
            if texts:
                entry["text"] = texts[0]
            if code == "HV0902":
                entry |= accessed(instr)
            if code == "print":
                entry["types"] = [str(o.type) for o in instr.operands]
            self.sites.append(entry)
        return found

    def _position(self, definition: str, instr: Instr) -> int:
        """Where an instruction stands in its definition, in the order of `instructions`; -1 for a
        stand-in. It holds for every module with the same node digest; lines do not."""
        known = self._positions.get(definition)
        if known is None:
            body = self.module.definitions[definition].body
            known = self._positions[definition] = {} if body is None else {
                id(i): n for n, i in enumerate(instructions(body))}
        return known.get(id(instr), -1)

    def node(self, name: str) -> int:
        """Number of a node for trap paths."""
        self.nodes.append(name)
        return len(self.nodes) - 1

    def extern(self, name: str) -> int:
        if name not in self.externs:
            self.externs.append(name)
        return self.externs.index(name)

    def field(self, f: FunctionText, name: str) -> str:
        return f.op(f"getelementptr inbounds i8, ptr %ctx, i64 {CONTEXT[name]}")

    # -- constants -----------------------------------------------------------------------------

    def scalar_constant(self, name: str) -> str:
        constant = self.module.constants[name]
        assert isinstance(constant.type, ScalarType)
        raw = constant.data.reshape(-1).view(f"uint{constant.type.size_bytes * 8}")
        return constant_text(Constant(constant.type, int(raw[0])))

    def global_buffer(self, name: str) -> Buffer:
        constant = self.module.constants[name]
        type_ = constant.type
        assert isinstance(type_, BufferType)
        symbol = f"@const.{name}"
        if name not in self._globals:
            self._globals.add(name)
            data = np.ascontiguousarray(constant.data).tobytes()
            body = "".join(f"\\{b:02x}" for b in data)
            self.text.globals.append(f'{symbol} = internal constant [{len(data)} x i8] c"{body}", '
                                     "align 64" if data else
                                     f"{symbol} = internal constant [0 x i8] zeroinitializer")
        extents = [str(n) for n in constant.data.shape]
        strides = [str(int(np.prod(constant.data.shape[a + 1:], dtype=np.int64)))
                   for a in range(constant.data.ndim)]
        return Buffer(type_.element, symbol, extents, strides)

    def zero(self, body: Body, pointer: str, size_bytes: str) -> None:
        body.module.declare("llvm.memset.p0.i64", "void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
        body.f.do(f"call void @llvm.memset.p0.i64(ptr {pointer}, i8 0, i64 {size_bytes}, i1 false)")

    def copy(self, body: Body, to: str, from_: str, size_bytes: str) -> None:
        body.module.declare("llvm.memcpy.p0.p0.i64",
                            "void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
        body.f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {from_}, i64 {size_bytes}, "
                  "i1 false)")

    # -- functions -----------------------------------------------------------------------------

    def function(self, callee: Function, layouts: Sequence[str]) -> str:
        """The IR function of a callee for buffers of these layouts."""
        key = ("func", callee.name, *layouts)
        name = self.functions.get(key)
        if name is not None:
            return name
        name = self.functions[key] = f"func.{callee.name}.{len(self.functions)}"
        parameters = ["ptr %ctx", "i64 %instance"]
        for number, port in enumerate(callee.ports):
            parameters += parameter_list(port, number, Parameter())
        types = [llvm_type(t) for t in callee.results]
        whole = "{ " + ", ".join([*types, "i32"]) + " }"
        f = FunctionText(f"define internal {whole} @{name}({', '.join(parameters)})")
        body = Body(self, f, callee.name)
        body.instance = "%instance"
        body.leave = lambda status: f.do(f"ret {whole} " + "%" + _with_status(f, whole, types, status))
        kinds = iter(layouts)
        bind_ports(body, callee, [
            Parameter(next(kinds) if isinstance(p.type, BufferType) else DENSE)
            for p in callee.ports])
        assert callee.body is not None
        values = body.region(callee.body)
        out = "poison"
        for n, (type_, value) in enumerate(zip(types, values, strict=True)):
            out = f.op(f"insertvalue {whole} {out}, {type_} {value}, {n}")
        f.do(f"ret {whole} {f.op(f'insertvalue {whole} {out}, i32 0, {len(types)}')}")
        self.text.add(f)
        return name

    # -- leaves --------------------------------------------------------------------------------

    def leaf(self, leaf: LeafNode, parameters: Sequence[Parameter]) -> str:
        """The launch function of a leaf for parameters that arrive like this:
        `i32 launch(context, i1 parallel, parameters, result arrays)`."""
        key = ("leaf", leaf.name, *(p.key() for p in parameters))
        name = self.functions.get(key)
        if name is None:
            name = self.functions[key] = f"launch.{leaf.name}.{len(self.functions)}"
            write = group.write_group_leaf if synchronises(leaf) else write_leaf
            write(self, leaf, parameters, name)
        return name

    def graph(self, graph: InternalNode, parameters: Sequence[Parameter]) -> str:
        """The function of a graph for parameters that arrive like this:
        `i32 graph(context, i1 parallel, parameters, result cells)`."""
        key = ("graph", graph.name, *(p.key() for p in parameters))
        name = self.functions.get(key)
        if name is None:
            name = self.functions[key] = f"graph.{graph.name}.{len(self.functions)}"
            GraphBody(self, graph, parameters, name).write()
        return name


def _with_status(f: FunctionText, whole: str, types: Sequence[str], status: str) -> str:
    return f.op(f"insertvalue {whole} zeroinitializer, i32 {status}, {len(types)}")[1:]
