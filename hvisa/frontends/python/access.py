"""Subscripts and attributes: elements of buffers, lanes of vectors, items of tuples."""

from __future__ import annotations

import ast
from typing import Any

from hvisa.frontends.python.annotations import AnnotationError, VectorKind
from hvisa.frontends.python.arithmetic import Arithmetic
from hvisa.frontends.python.definitions import PythonFunction
from hvisa.frontends.python.values import (
    Array,
    Const,
    Expr,
    Items,
    Known,
    Number,
    Run,
    element_text,
    type_text,
)
from hvisa.frontends.python.wording import plain
from hvisa.graph.model import Operand
from hvisa.spec import types as ty
from hvisa.spec.limits import LIMITS
from hvisa.spec.operations import LOAD_BOUNDS, STORE_BOUNDS, UPDATES
from hvisa.spec.types import VectorType

_VIEWS = ({*LOAD_BOUNDS, *STORE_BOUNDS}) - {"trap"}  # x.clamp[i - 1]
# `h[b] += v` on an accumulate port.
AUGMENTED: dict[type[ast.operator], str] = {ast.Add: "add", ast.BitAnd: "and", ast.BitOr: "or",
                                            ast.BitXor: "xor"}


class Access(Arithmetic):
    """What stands in brackets or behind a dot."""

    def expression(self, node: ast.expr) -> Expr:
        raise NotImplementedError

    def truth(self, node: ast.expr) -> Number:
        raise NotImplementedError

    # -- indices -------------------------------------------------------------------------------

    def place(self, node: ast.Subscript, array: Array) -> tuple[list[Operand], tuple[int, ...]]:
        """The index operands of an access, and their constant displacements."""
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        rank = array.type.rank
        if len(parts) != rank:
            given = "1 index" if len(parts) == 1 else f"{len(parts)} indices"
            self.refuse(node, "HV1212", f"`{array.name}` has {rank} dimension{'s' * (rank != 1)}, "
                        f"{given} given",
                        f"rows are no values in a kernel: write `{element_text(array)}`",
                        f"`{array.name}` is {plain(str(array.type))}")
        operands: list[Operand] = []
        offsets: list[int] = []
        for part in parts:
            operand, offset = self._index(part, array)
            operands.append(operand)
            offsets.append(offset)
        return operands, tuple(offsets) if any(offsets) else ()

    def _index(self, node: ast.expr, array: Array) -> tuple[Operand, int]:
        offset = 0
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            offset = self._displacement(node)
        if offset:
            assert isinstance(node, ast.BinOp)
            value = self.expression(node.left)
            if isinstance(value, Run) and value.dim is None and value.type is ty.INDEX:
                return value.operand, offset
            value = self.binary(node, node.op, value, self.expression(node.right))
        else:
            if isinstance(node, ast.Slice):
                self.refuse(node, "HV1212", "slices are no values in a kernel",
                            f"index single elements, or take a vector: `{array.name}.vec(4)[i]`")
            value = self.expression(node)
        number = self.number(node, value, "an index")
        if isinstance(number, Const):
            if type(number.value) is not int:
                self.refuse(node, "HV1204", f"an index is an integer, and this is {type_text(number)}",
                            "write `int(...)`")
            if number.value < 0:
                self.refuse(node, "HV1212", "a negative index does not count from the end",
                            f"write `{array.name}.shape[...] - {-number.value}`")
        elif not number.element.is_integer or number.lanes:
            self.refuse(node, "HV1204", f"an index is an integer, and this is {type_text(number)}",
                        "write `//`, which rounds down, or `int(...)`"
                        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) else
                        "write `int(...)`" if number.element.is_float else
                        "`i + 1 if c else i` chooses an index")
        return self.operand(node, number, ty.INDEX, explicit=isinstance(number, Run)), 0

    @staticmethod
    def _displacement(node: ast.BinOp) -> int:
        """The constant in `i + 1` or `i - 1`."""
        right = node.right
        if not isinstance(right, ast.Constant) or type(right.value) is not int:
            return 0
        size = right.value if isinstance(node.op, ast.Add) else -right.value
        return size if abs(size) < LIMITS["displacement"].value else 0

    # -- reading -------------------------------------------------------------------------------

    def subscript(self, node: ast.Subscript) -> Expr:
        owner = self.expression(node.value)
        match owner:
            case Array():
                return self.load(node, owner)
            case Items() if isinstance(node.slice, ast.Slice):
                return Items(owner.items[self._constant_slice(node.slice)])
            case Items():
                return owner.items[self._position(node, len(owner.items))]
            case Run() if owner.lanes:
                lane = self._position(node, owner.lanes)
                return self.value(node, "extract", owner.operand, immediates=(lane,))
            case Known() if isinstance(owner.object, VectorKind):
                return Known(self._vector_type(node, owner.object))
            case Known() if isinstance(owner.object, (tuple, list)):
                found = owner.object[self._position(node, len(owner.object))]  # type: ignore[arg-type]
                return self.compiler.wrap(self, node, found)
            case Known():
                key = self._key(self.expression(node.slice))
                if key is not self:
                    found = self.outside(node, lambda: owner.object[key])
                    return self.compiler.wrap(self, node, found)
                self.refuse(node.slice, "HV1204", f"{type_text(owner)} is indexed by constants only",
                            "put its values in a numpy array, which becomes a buffer")
            case _:
                pass
        self.refuse(node.value, "HV1204", f"this is {type_text(owner)}, which has no elements",
                    "buffers, vectors and tuples have elements")

    def _key(self, key: Expr) -> Any:
        """An index as Python has it, the builder itself if it is known at run time only."""
        match key:
            case Const():
                return key.value
            case Known():
                return key.object
            case Items():
                parts = tuple(map(self._key, key.items))
                return self if any(p is self for p in parts) else parts
            case _:
                return self if not isinstance(key, Run) or key.dim is None else key.dim

    def _constant_slice(self, node: ast.Slice) -> slice:
        """The slice of a tuple: its bounds are constants."""
        bounds: list[int | None] = []
        for part in (node.lower, node.upper, node.step):
            value = self.expression(part) if part is not None else Const(None)
            if not isinstance(value, Const) or not (value.value is None or type(value.value) is int):
                self.refuse(part or node, "HV1212", "the slice of a tuple has constant bounds")
            bounds.append(value.value)
        return slice(*bounds)

    def _vector_type(self, node: ast.Subscript, kind: VectorKind) -> VectorType:
        """`vec[f32, 4]`."""
        found = self.expression(node.slice)
        parts = found.items if isinstance(found, Items) else [found]
        try:
            return kind[tuple(p.object if isinstance(p, Known) else getattr(p, "value", p) for p in parts)]
        except AnnotationError as error:
            self.refuse(node, "HV1211", error.message, error.help)

    def _position(self, node: ast.Subscript, count: int) -> int:
        found = self.expression(node.slice)
        if not isinstance(found, Const) or type(found.value) is not int:
            self.refuse(node.slice, "HV1212", "items and lanes are numbered by constants",
                        "use a buffer or `hvisa.local` for what is indexed at run time")
        if not -count <= found.value < count:
            self.refuse(node.slice, "HV1212", f"there is no item {found.value}",
                        f"they are 0 to {count - 1}")
        return found.value % count

    def load(self, node: ast.Subscript, array: Array) -> Run:
        if array.accumulate:
            self.refuse(node, "HV1213", f"`{array.name}` is an `Accumulate` port, which is never read",
                        "use `Shared` and `hvisa.atomic` for the old value")
        if array.bounds == "skip":
            self.refuse(node, "HV1213", "`.skip` is a way of writing",
                        "read with `.clamp` or `.zero`")
        indices, offsets = self.place(node, array)
        lanes = array.lanes
        argument = ty.vector(array.type.element, lanes) if lanes else None
        instr = self.emit(node, "load", [array.operand, *indices], argument,
                          (LOAD_BOUNDS.index(array.bounds),), offsets)
        type_ = instr.results[0].type
        assert isinstance(type_, (ty.ScalarType, VectorType))
        return Run(instr.results[0], type_, nonneg=array.type.element.kind == "unsigned")

    def attribute(self, node: ast.Attribute) -> Expr:
        owner = self.expression(node.value)
        name = node.attr
        match owner:
            case Known() if isinstance(owner.object, PythonFunction):
                pass
            case Known():
                return self.member(node, owner)
            case Array() if name in _VIEWS:
                return owner.through(bounds=name)
            case Array() if name == "shape":
                return Items([self.extent(owner, axis) for axis in range(owner.type.rank)])
            case Array() if name == "ndim":
                return Const(owner.type.rank)
            case Array() if name == "size":
                out: Expr = Const(1)
                for axis in range(owner.type.rank):
                    out = self.binary(node, ast.Mult(), out, self.extent(owner, axis))
                return out
            case Array() if name == "dtype":
                return Known(owner.type.element)
            case _:
                pass
        self.refuse(node, "HV1214", f"{type_text(owner)} has no `.{name}` in a kernel",
                    "buffers have `.shape`, `.size`, `.clamp[...]`, `.zero[...]`, `.skip[...]` and "
                    "`.vec(4)[...]`" if isinstance(owner, Array) else
                    "tuples do not change; `hvisa.local(f32, 16)` is an array that does"
                    if isinstance(owner, Items) else "it can be called, no more"
                    if isinstance(owner, Known) else "texts stand in `hvisa.print` and `assert` only"
                    if isinstance(owner, Const) and isinstance(owner.value, str) else
                    "numbers have `.astype(f32)` only")

    def extent(self, array: Array, axis: int) -> Run:
        """The number of elements along a dimension."""
        return self.dim_run(array.type.shape[axis])

    # -- writing -------------------------------------------------------------------------------

    def store(self, node: ast.Subscript, array: Array, value: Expr, source: ast.AST | None = None) -> None:
        """Write an element. `source` is where the value stands."""
        source = node if source is None else source
        if array.direction == "in":
            self.refuse(node, "HV1213", f"`{array.name}` is an `In` port, which is only read",
                        f"make it `Out[...]` or `InOut[...]` to write `{array.name}`")
        if array.accumulate:
            self.refuse(node, "HV1213", f"`{array.name}` is an `Accumulate` port: elements are joined, "
                        "not stored", f"write `{array.name}[...] += value`, or "
                        f"`hvisa.update(\"{array.accumulate}\", {array.name}[...], value)`")
        if array.bounds not in STORE_BOUNDS:
            self.refuse(node, "HV1213", f"`.{array.bounds}` is a way of reading",
                        "write with `.skip` to leave out what lies outside")
        number = self.number(source, value, f"a number for an element of `{array.name}`")
        indices, offsets = self.place(node, array)
        element = array.type.element
        lanes = array.lanes or (number.lanes if isinstance(number, Run) else 0)
        type_ = ty.vector(element, lanes) if lanes else element
        self.emit(node, "store", [self.operand(source, number, type_), array.operand, *indices],
                  None, (STORE_BOUNDS.index(array.bounds),), offsets)

    def accumulate(self, node: ast.AST, target: ast.Subscript, array: Array, op: str,
                   value: Expr) -> None:
        """`update`, which gives nothing back."""
        source = node.value if isinstance(node, ast.AugAssign) else \
            node.args[-1] if isinstance(node, ast.Call) else node
        number = self.number(source, value)
        indices, offsets = self.place(target, array)
        if array.bounds not in STORE_BOUNDS:
            self.refuse(target, "HV1213", f"`.{array.bounds}` is a way of reading",
                        "use `.skip` to leave out what lies outside")
        self.emit(node, "update", [self.operand(source, number, array.type.element), array.operand,
                                   *indices], None,
                  (UPDATES.index(op), STORE_BOUNDS.index(array.bounds)), offsets)
