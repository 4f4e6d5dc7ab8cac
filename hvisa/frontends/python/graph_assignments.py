"""Assignment in a graph: a name gets another value, a buffer its next version."""

from __future__ import annotations

import ast
from typing import Any

from hvisa.frontends.python.array_leaves import materialise
from hvisa.frontends.python.arrays import Lazy, Wire
from hvisa.frontends.python.graph_calls import Delayed, GraphCalls
from hvisa.frontends.python.values import Items
from hvisa.graph.model import Instr, Value
from hvisa.spec.table import ROWS
from hvisa.spec.types import BufferType


class GraphAssignments(GraphCalls):
    """`x = ...`, `x[1:-1] = ...`, `x += ...`."""

    def assign(self, target: ast.expr, value: Any) -> None:
        match target:
            case ast.Name():
                self.bind(target, target.id, value)
            case ast.Tuple() | ast.List():
                if not isinstance(value, Items) or len(value.items) != len(target.elts):
                    count = len(value.items) if isinstance(value, Items) else 1
                    self.refuse(target, "HV1204", f"{len(target.elts)} names, {count} value"
                                f"{'s' * (count != 1)}")
                before, self.waiting = self.waiting, list(value.items)
                for part in target.elts:
                    self.assign(part, self.waiting.pop(0))
                self.waiting = before
            case ast.Subscript() if isinstance(target.value, ast.Name):
                self._assign_part(target, target.value.id, value)
            case ast.Attribute() if target.attr == "next" and isinstance(target.value, ast.Name):
                delayed = self.env.get(target.value.id)
                if not isinstance(delayed, Delayed):
                    self.refuse(target, "HV1204", f"`{target.value.id}` is no delayed stream",
                                "make it with `hvisa.delay(init)`")
                delayed.instr.operands[1] = self.wire(target, value).operand
            case _:
                self.refuse(target, "HV1203", "this can't be assigned to", "assign to a name")

    def bind(self, node: ast.AST, name: str, value: Any) -> None:
        if isinstance(value, Delayed) and value.wire.operand.name is None:  # type: ignore[union-attr]
            value.wire.operand.name = self.unique(name)  # type: ignore[union-attr]
            self.env[name] = value  # type: ignore[assignment]
            return
        super().bind(node, name, value)

    def _assign_part(self, target: ast.Subscript, name: str, value: Any) -> None:
        """`y[1:-1] = expression`: the next version of `y`."""
        self._unshared(target, name)
        wire = self.env.get(name)
        if isinstance(wire, Lazy):
            wire = materialise(self, wire, name)
        if not isinstance(wire, Wire) or not isinstance(wire.type, BufferType):
            self.refuse(target, "HV1204", f"`{name}` is no buffer whose parts could be assigned")
        port = self.definition.port(name)
        if port is not None and port.value is wire.operand and not port.written:
            self.refuse(target, "HV1213", f"`{name}` is an `In` port, which is only read",
                        f"make it `InOut[...]`, or copy it: `{name}2 = {name} + 0`")
        if port is not None and port.value is wire.operand and port.direction == 2:
            wire = self._zeros_for(target, wire.type)
        self.waiting = [materialise(self, v, name) if isinstance(v, Lazy) and wire.operand in v.reads else v
                        for v in self.waiting]
        self.bind(target, name, self.assign_slice(target, wire, value, name))

    def _unshared(self, node: ast.AST, name: str) -> None:
        """Refuses to change an array in place that another name stands for too: in numpy both would."""
        value, line = self.env.get(name), getattr(node, "end_lineno", None) or 0
        for other, found in self.env.items():
            if other != name and _same_array(value, found) and self.last_uses.get(other, 0) > line:
                self.refuse(node, "HV1213",
                            f"`{other}` is the same array as `{name}`, and would change too",
                            f"give one of them an array of its own: `{name} = {other}.copy()`")

    def _settle(self, target: ast.expr) -> None:
        """Before a part of a buffer is assigned: compute what is made of the buffer and needed later, so
        that this version of it is not."""
        for part in ast.walk(target):
            if not isinstance(part, ast.Subscript) or not isinstance(part.value, ast.Name):
                continue
            wire = self.env.get(part.value.id)
            if isinstance(wire, Wire):
                for other in self.needed(part, wire.operand, part.value.id):
                    value = self.env.get(other)
                    if isinstance(value, Lazy):
                        self.env[other] = materialise(self, value, other)  # type: ignore[assignment]

    def _zeros_for(self, node: ast.AST, type_: BufferType) -> Wire:
        """What an `Out` port holds before anything is stored."""
        instr = Instr(ROWS["zeros"], [], [Value(None, type_)], self.file.span(node))
        instr.type_argument = type_
        self.region.body.append(instr)
        return Wire(instr.results[0], type_)

    def _augmented(self, node: ast.AugAssign) -> None:
        if not isinstance(node.target, (ast.Name, ast.Subscript)):
            self.refuse(node.target, "HV1203", "this can't be assigned to")
        target = node.target
        if isinstance(target, ast.Name):
            self._unshared(target, target.id)
        self._settle(target)
        read = ast.copy_location(ast.Name(target.id, ast.Load()) if isinstance(target, ast.Name) else
                                 ast.Subscript(target.value, target.slice, ast.Load()), target)
        old = self.expression(ast.copy_location(ast.Name(target.value.id, ast.Load()), target)) \
            if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) \
            else self.env.get(target.id) if isinstance(target, ast.Name) else None
        if isinstance(target, ast.Subscript) and isinstance(old, (Wire, Lazy)) and self.mask_of(target):
            self._augmented_mask(node, target, old)
            return
        value = self.binary_operation(node, node.op, self.expression(read), self.expression(node.value))
        if isinstance(target, ast.Name) and isinstance(old, Wire) and isinstance(old.type, BufferType) \
                and self.owned(old):  # in place, which keeps the type
            target = ast.copy_location(ast.Subscript(target, ast.Constant(...), ast.Store()), target)
        self.assign(target, value)

    def _augmented_mask(self, node: ast.AugAssign, target: ast.Subscript, old: Wire | Lazy) -> None:
        """`x[mask] += 1`."""
        assert isinstance(target.value, ast.Name)
        changed_ = self.binary_operation(node, node.op, old, self.expression(node.value))
        chosen = self.function(node, "select", [self.mask_of(target), changed_, old])
        whole = ast.copy_location(ast.Subscript(target.value, ast.Constant(...), ast.Store()), target)
        self.assign(whole, chosen)


def _same_array(a: Any, b: Any) -> bool:
    if isinstance(a, Lazy):
        return a is b and bool(a.shape)
    return isinstance(a, Wire) and isinstance(b, Wire) and isinstance(a.type, BufferType) \
        and a.operand is b.operand
