"""Calls in bodies of leaves and functions."""

from __future__ import annotations

import ast
from typing import Any

from hvisa.diagnostics import plural
from hvisa.frontends.python.access import Access
from hvisa.frontends.python.annotations import VectorKind, scalar_of
from hvisa.frontends.python.names import REDUCING, LibraryFunction, Operation, ceildiv
from hvisa.frontends.python.values import Array, Const, Expr, Items, Known, Number, Run, type_text
from hvisa.frontends.python.wording import plain
from hvisa.graph.model import Region, Value
from hvisa.spec import types as ty
from hvisa.spec.limits import LIMITS
from hvisa.spec.operations import ATOMICS, REDUCTIONS, UPDATES
from hvisa.spec.table import ROWS
from hvisa.spec.types import ScalarType, VectorType


class Calls(Access):
    """One method for each operation that is not a plain instruction."""

    def call(self, node: ast.Call) -> Expr:
        if isinstance(node.func, ast.Attribute):
            method = self._method(node, node.func)
            if method is not None:
                return method
        callee = self.expression(node.func)
        if not isinstance(callee, Known):
            self.refuse(node.func, "HV1204", f"this is {type_text(callee)}, which can't be called",
                        f"elements stand in brackets: `{callee.name}[i]`" if isinstance(callee, Array)
                        else "functions made with `@hvisa.func` can be called")
        found = callee.object
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                self.refuse(argument, "HV1203", "`*` in a call is not supported", "write the arguments out")
        if isinstance(found, Operation):
            return self._operation(node, found)
        type_ = scalar_of(found)
        if type_ is not None:
            return self._conversion(node, type_, found is int)
        if isinstance(found, VectorType):
            return self._spread(node, found)
        if isinstance(found, VectorKind):
            return self._pack(node)
        if isinstance(found, LibraryFunction):
            self.options(node, found.name)
            return self.compiler.library(self, node, found, [self.expression(a) for a in node.args])
        if found is ceildiv:
            a, b = self._arguments(node, "ceildiv", 2)
            more = self.binary(node, ast.Add(), a, self.binary(node, ast.Sub(), b, Const(1)))
            return self.binary(node, ast.FloorDiv(), more, b)
        if found is len:
            array = self._arguments(node, "len", 1)[0]
            if isinstance(array, Array):
                return self.extent(array, 0)
            if isinstance(array, Items):
                return Const(len(array.items))
            self.refuse(node.args[0], "HV1204", f"this is {type_text(array)}, which has no length",
                        "`len` takes a buffer or a tuple")
        return self.compiler.call(self, node, found)

    def _method(self, node: ast.Call, function: ast.Attribute) -> Expr | None:
        """`x.vec(4)`; `x.astype(f32)` of a number."""
        if function.attr not in ("vec", "astype"):
            return None
        owner = self.expression(function.value)
        if function.attr == "vec" and isinstance(owner, Array):
            lanes = self._arguments(node, "vec", 1)[0]
            if not isinstance(lanes, Const) or type(lanes.value) is not int \
                    or not 2 <= lanes.value <= ty.MAX_LANES:
                self.refuse(node, "HV1211", f"`vec` takes a constant from 2 to {ty.MAX_LANES}",
                            f"for example `{owner.name}.vec(4)[4 * i]`")
            return owner.through(lanes=lanes.value)
        if function.attr == "astype" and isinstance(owner, (Run, Const)):
            wanted = self._arguments(node, "astype", 1)[0]
            type_ = scalar_of(wanted.object) if isinstance(wanted, Known) else None
            if type_ is None:
                self.refuse(node, "HV1211", "`astype` takes a type", "for example `x.astype(f32)`")
            return self.convert(node, self.number(node, owner), self._like(type_, owner), True)
        return None

    def _arguments(self, node: ast.Call, name: str, least: int, most: int | None = None) -> list[Expr]:
        """The values of the arguments, none of which is given by name."""
        most = least if most is None else most
        if not least <= len(node.args) <= most:
            count = str(least) if least == most else f"{least} to {most}"
            self.refuse(node, "HV1211", f"`{name}` takes {count} argument{'s' * (count != '1')}, "
                        f"{len(node.args)} given")
        self.options(node, name)
        return [self.expression(a) for a in node.args]

    @staticmethod
    def _like(type_: ScalarType, value: Expr) -> ScalarType | VectorType:
        lanes = value.lanes if isinstance(value, Run) else 0
        return ty.vector(type_, lanes) if lanes else type_

    def _conversion(self, node: ast.Call, type_: ScalarType, python_int: bool) -> Expr:
        if type_ is ty.I1 and len(node.args) == 1 and isinstance(node.args[0], (ast.BoolOp, ast.Compare)):
            value: Number = self.truth(node.args[0])
        else:
            value = self.number(node, self._arguments(node, str(type_), 1)[0])
        if isinstance(value, Const) and type_ is ty.I1:
            return Const(bool(value.value))
        out = self.convert(node, value, self._like(type_, value), explicit=True)
        if python_int and not out.lanes:
            out = Run(out.operand, out.type, nonneg=out.nonneg)
        return out

    def _spread(self, node: ast.Call, type_: VectorType) -> Run:
        values = self._arguments(node, plain(str(type_)), 1, type_.lanes)
        if len(values) == 1:
            return self.convert(node, self.number(node.args[0], values[0]), type_, explicit=True)
        if len(values) != type_.lanes:
            self.refuse(node, "HV1211", f"{plain(str(type_))} has {type_.lanes} lanes, {len(values)} given",
                        "give one number for each lane, or one for all")
        return self.value(node, "pack", *(
            self.operand(at, self.number(at, v), type_.element, True)
            for at, v in zip(node.args, values, strict=True)))

    def _pack(self, node: ast.Call) -> Run:
        values = [self.number(node, v) for v in self._arguments(node, "vec", 2, ty.MAX_LANES)]
        common: Number = values[0]
        for value in values[1:]:
            type_, weak = self.joined(node, common, value)
            common = Run(self.concrete(node, value).operand, type_, weak)
        element = self.element_of(common)[0]
        return self.value(node, "pack", *(self.operand(node, v, element) for v in values))

    # -- operations ----------------------------------------------------------------------------

    def _operation(self, node: ast.Call, operation: Operation) -> Expr:
        name = operation.name
        of_generator = bool(node.args) and isinstance(node.args[0], ast.GeneratorExp)
        # Axes belong to arrays, which graphs reduce.
        self.options(node, name, () if of_generator else operation.keywords)
        if name in REDUCING and of_generator and len(node.args) in (1, 2):
            return self._reduce(node, name)
        special = getattr(self, f"_call_{name}", None)
        if special is not None:
            return special(node)
        if name in ("min", "max") and len(node.args) == 1:
            self.refuse(node, "HV1203", f"`{name}` of one value is not supported in a kernel",
                        f"write a generator: `{name}(x[k] for k in range(n))`")
        if name in ("min", "max") and len(node.args) > 2:
            values = [self.expression(a) for a in node.args]
            out = values[0]
            for value in values[1:]:
                out = self.instruction(node, name, [out, value])
            return out
        if operation.row is not None or name in ("min", "max"):
            return self._instruction(node, name)
        where = "as the first statement of a leaf" if name == "grid" else "in a graph, on whole buffers"
        listed = node.args and isinstance(node.args[0], ast.ListComp)
        self.refuse(node.args[0] if listed else node, "HV1203",
                    f"`{name}` of a list is not supported in a kernel" if listed else
                    f"`{name}` stands {where}",
                    "leave out the brackets, which makes it a generator" if listed else
                    f"write a generator: `{name}(x[k] for k in range(n))`" if name in REDUCING else
                    "use `a if c else b` or `hvisa.select(c, a, b)`" if name == "where" else
                    "move it to the top of the leaf, before all else" if name == "grid" else
                    "call it in a `@hvisa.graph`")

    def _instruction(self, node: ast.Call, name: str) -> Expr:
        values = [self.expression(a) for a in node.args]
        if name == "abs" and len(values) == 1 and isinstance(values[0], Const):
            return Const(abs(self.number(node, values[0]).value))  # type: ignore[union-attr]
        if name in ("min", "max") and len(values) == 2 and all(isinstance(v, Const) for v in values):
            a, b = (self.number(node, v) for v in values)
            assert isinstance(a, Const) and isinstance(b, Const)
            return Const((min if name == "min" else max)(a.value, b.value))
        return self.instruction(node, name, values)

    def _word(self, node: ast.Call, name: str, words: tuple[str, ...]) -> str:
        """The operator that stands first, as a text."""
        first = self.expression(node.args[0]) if node.args else Const(None)
        if not isinstance(first, Const) or first.value not in words:
            self.refuse(node, "HV1211", f"`{name}` takes its operator first",
                        f"one of {', '.join(words)}, as a text")
        return first.value

    def _element(self, node: ast.Call, name: str, position: int) -> tuple[ast.Subscript, Array]:
        """The argument `h[b]` that names an element."""
        target = node.args[position] if len(node.args) > position else None
        if isinstance(target, ast.Subscript):
            array = self.expression(target.value)
            if isinstance(array, Array):
                return target, array
        self.refuse(target or node, "HV1211", f"`{name}` takes an element: `h[b]`")

    def _call_update(self, node: ast.Call) -> Expr:
        op = self._word(node, "update", UPDATES)
        target, array = self._element(node, "update", 1)
        if len(node.args) != 3:
            self.refuse(node, "HV1211", "`update` takes an operator, an element and a value")
        self.accumulate(node, target, array, op, self.expression(node.args[2]))
        return Const(None)

    def _call_atomic(self, node: ast.Call) -> Expr:
        op = self._word(node, "atomic", ATOMICS)
        target, array = self._element(node, "atomic", 1)
        if len(node.args) != 3:
            self.refuse(node, "HV1211", "`atomic` takes an operator, an element and a value")
        value = self.number(node, self.expression(node.args[2]))
        indices, offsets = self.place(target, array)
        return self._typed(self.emit(
            node, "atomic", [self.operand(node, value, array.type.element), array.operand, *indices],
            None, (ATOMICS.index(op),), offsets).results[0])

    def _call_compare_exchange(self, node: ast.Call) -> Expr:
        target, array = self._element(node, "compare_exchange", 0)
        if len(node.args) != 3:
            self.refuse(node, "HV1211", "`compare_exchange` takes an element, what is expected and a value")
        values = [self.operand(node, self.number(node, self.expression(a)), array.type.element)
                  for a in node.args[1:]]
        indices, offsets = self.place(target, array)
        return self._typed(self.emit(node, "compare_exchange", [*values, array.operand, *indices],
                                     None, None, offsets).results[0])

    @staticmethod
    def _typed(value: Value) -> Run:
        assert isinstance(value.type, (ScalarType, VectorType))
        return Run(value, value.type)

    def _call_barrier(self, node: ast.Call) -> Expr:
        self._arguments(node, "barrier", 0)
        self.emit(node, "barrier", [])
        return Const(None)

    def _call_print(self, node: ast.Call) -> Expr:
        texts: list[str] = []
        operands: list[Any] = []
        values = [(a, self.expression(a)) for a in node.args]
        first = values[0][1] if values else None
        if isinstance(first, Const) and isinstance(first.value, str) and "{}" in first.value:
            texts.append(first.value)
            values = values[1:]
        for place, value in values:
            if isinstance(value, Const) and isinstance(value.value, str):
                texts.append(value.value.replace("{}", "{ }"))
                continue
            if (texts and len(operands) >= texts[0].count("{}")) or not texts:
                texts.append("{}")
            operands.append(self.concrete(node, self.number(place, value)).operand)
        text = " ".join(texts)
        if text.count("{}") != len(operands):
            self.refuse(node, "HV1211", f"the text has {text.count('{}')} `{{}}` for "
                        f"{plural(len(operands), 'value')}", "write one `{}` for each value")
        self.emit(node, "print", operands, None, (text,), results=())
        return Const(None)

    def _call_set_extent(self, node: ast.Call) -> Expr:
        array, count = self._arguments(node, "set_extent", 2)
        if not isinstance(array, Array):
            self.refuse(node, "HV1211", "`set_extent` takes a buffer and a count")
        number = self.number(node.args[1], count)
        if not self.element_of(number)[0].is_integer or (isinstance(number, Run) and number.lanes):
            self.refuse(node.args[1], "HV1204", f"a count is an integer, and this is {type_text(count)}",
                        "write `int(...)`")
        self.emit(node, "set_extent", [array.operand, self.operand(
            node.args[1], number, ty.INDEX, True)])
        return Const(None)

    def _call_local(self, node: ast.Call) -> Expr:
        self._arguments(node, "local", 2, 17)
        type_ = self.compiler.buffer_type(self, node, "local")
        size = type_.element.size_bytes
        for dim in type_.shape:
            size *= max(dim.constant or 0, 0)
        if size > LIMITS["local_bytes"].value:
            self.refuse(node, "HV0809", f"a private array of {size} bytes; the limit is "
                        f"{LIMITS['local_bytes'].value} for all those of an instance",
                        "use a smaller array, or a buffer with a row for each instance")
        result = self.emit(node, "local", [], type_).results[0]
        return Array("local", result, type_, "local")

    def _call_splat(self, node: ast.Call) -> Expr:
        value, lanes = self._arguments(node, "splat", 2)
        one = self.concrete(node, self.number(node.args[0], value))
        if one.lanes:
            self.refuse(node.args[0], "HV1204", f"`splat` takes a number, and this is {type_text(value)}",
                        "take a lane of it: `v[0]`")
        if not isinstance(lanes, Const) or type(lanes.value) is not int \
                or not 2 <= lanes.value <= ty.MAX_LANES:
            self.refuse(node, "HV1211", f"`splat` takes a constant from 2 to {ty.MAX_LANES} lanes")
        return self.value(node, "splat", one.operand, argument=ty.vector(one.element, lanes.value))

    def _call_permute(self, node: ast.Call) -> Expr:
        vector, *lanes = self._arguments(node, "permute", 2, ty.MAX_LANES + 1)
        if not isinstance(vector, Run) or not vector.lanes or not all(
                isinstance(n, Const) and type(n.value) is int for n in lanes):
            self.refuse(node, "HV1211", "`permute` takes a vector and constant lanes")
        for place, lane in zip(node.args[1:], lanes, strict=True):
            if isinstance(lane, Const) and not 0 <= lane.value < vector.lanes:
                self.refuse(place, "HV1212", f"there is no lane {lane.value}",
                            f"they are 0 to {vector.lanes - 1}")
        return self.value(node, "permute", vector.operand, immediates=(
            tuple(n.value for n in lanes if isinstance(n, Const)),))

    def _call_fold_lanes(self, node: ast.Call) -> Expr:
        op = self._word(node, "fold_lanes", REDUCTIONS)
        vector = self.expression(node.args[1]) if len(node.args) == 2 else Const(None)
        if not isinstance(vector, Run) or not vector.lanes:
            self.refuse(node, "HV1211", "`fold_lanes` takes an operator and a vector")
        results = self.emit(node, "fold_lanes", [vector.operand], None,
                            (REDUCTIONS.index(op),)).results
        return self._one_or_all(list(map(self._typed, results)))

    @staticmethod
    def _one_or_all(values: list[Run]) -> Expr:
        """The value, or value and position: that is a Python number, as a counter is."""
        for position in values[1:]:
            position.weak = True
        return values[0] if len(values) == 1 else Items(list(values))

    def _call_bitcast(self, node: ast.Call) -> Expr:
        if len(node.args) != 2:
            self.refuse(node, "HV1211", "`bitcast` takes a type and a number")
        wanted, value = (self.expression(a) for a in node.args)
        type_ = scalar_of(wanted.object) if isinstance(wanted, Known) else None
        if type_ is None:
            self.refuse(node, "HV1211", "`bitcast` takes a type first", "`hvisa.bitcast(u32, x)`")
        number = self.concrete(node, self.number(node, value))
        return self.value(node, "bitcast", number.operand, argument=self._like(type_, number))

    def _call_group_reduce(self, node: ast.Call) -> Expr:
        op = self._word(node, "group_reduce", REDUCTIONS)
        value = self.concrete(node, self.number(node, self._second(node, "group_reduce")))
        results = self.emit(node, "group_reduce", [value.operand], None,
                            (REDUCTIONS.index(op),)).results
        return self._one_or_all(list(map(self._typed, results)))

    def _call_group_scan(self, node: ast.Call) -> Expr:
        row = ROWS["group_scan"]
        op = self._word(node, "group_scan", row.immediates[0].choices)
        value = self.concrete(node, self.number(node, self._second(node, "group_scan")))
        given = [self.expression(k.value) for k in node.keywords]  # of which there is `exclusive` alone
        exclusive = given[0] if given else Const(False)
        if not isinstance(exclusive, Const) or type(exclusive.value) is not bool:
            self.refuse(node.keywords[0], "HV1211", "`exclusive` is True or False")
        return self.value(node, "group_scan", value.operand, immediates=(
            row.immediates[0].choices.index(op), int(exclusive.value)))

    def _second(self, node: ast.Call, name: str) -> Expr:
        if len(node.args) != 2:
            self.refuse(node, "HV1211", f"`{name}` takes an operator and a number")
        return self.expression(node.args[1])

    # -- reduce --------------------------------------------------------------------------------

    def _reduce(self, node: ast.Call, name: str) -> Expr:
        """`sum(x[k] * y[k] for k in range(n))`: a `reduce`, in the order of semantics 11."""
        generator = node.args[0]
        assert isinstance(generator, ast.GeneratorExp)
        bounds: list[Any] = []
        counters: list[Value] = []
        outer, kept = self.region, dict(self.env)
        inner = Region()
        targets: set[str] = set()
        for part in generator.generators:
            for used in ast.walk(part.iter):
                if isinstance(used, ast.Name) and used.id in targets:
                    self.refuse(used, "HV1203", "one range of a generator can't depend on another",
                                "write `for` loops")
            targets |= {n.id for n in ast.walk(part.target) if isinstance(n, ast.Name)}
            low, high = self._range_bounds(part.iter)
            bounds += [low, high]
            if part.ifs:
                self.refuse(part.ifs[0], "HV1203", "a generator with `if` is not supported",
                            "yield a neutral element instead: `x if c else 0`")
            if not isinstance(part.target, ast.Name):
                self.refuse(part.target, "HV1203", "the variable of a generator is one name")
            counters.append(Value(self.unique(part.target.id), ty.INDEX))
            nonneg = getattr(low, "bits", 1 << 63) < 1 << 63
            self.env[part.target.id] = Run(counters[-1], ty.INDEX, weak=True, nonneg=nonneg)
        self.region = inner
        inner.parameters = counters
        element = self.truth(generator.elt) if name in ("any", "all") \
            else self.number(generator.elt, self.expression(generator.elt))
        typed = self.concrete(generator.elt, element)
        if typed.lanes:
            self.refuse(generator.elt, "HV1204", "the elements of a reduction are numbers, not vectors",
                        "join the lanes: `hvisa.fold_lanes(\"add\", v)`")
        if typed.type is ty.I1 and name in ("sum", "prod", "min", "max"):
            whole = self.convert(generator.elt, typed, ty.INDEX, explicit=True)
            typed = Run(whole.operand, ty.INDEX, typed.weak, nonneg=True)
        self.emit(generator.elt, "yield", [typed.operand], results=())
        self.region, self.env = outer, kept
        operands = list(bounds)
        if len(node.args) == 2:
            init = self.number(node, self.expression(node.args[1]))
            operands.append(self.operand(node, init, typed.type))
        instr = self.emit(node, "reduce", operands, typed.type,
                          (REDUCTIONS.index(REDUCING[name]),))
        instr.regions = (inner,)
        results = list(map(self._typed, instr.results))
        results[0].weak = typed.weak or name in ("any", "all")
        return self._one_or_all(results)

    def _range_bounds(self, node: ast.expr) -> list[Any]:
        """Lower and upper bound of `range(...)` in a generator."""
        if not isinstance(node, ast.Call) or not self.is_range(node) or not 1 <= len(node.args) <= 2:
            self.refuse(node, "HV1203", "a generator runs over `range(n)` or `range(a, b)`",
                        "for example `sum(x[k] for k in range(n))`")
        values = [self.expression(a) for a in node.args]
        if len(values) == 1:
            values.insert(0, Const(0))
        numbers = [self.number(node, v, "a bound") for v in values]
        for number in numbers:
            if not self.element_of(number)[0].is_integer or (isinstance(number, Run) and number.lanes):
                self.refuse(node, "HV1204", f"a bound is an integer, and this is {type_text(number)}",
                            "write `int(...)`, or `//` to divide")
        return [self.operand(node, n, ty.INDEX, isinstance(n, Run)) for n in numbers]

    def is_range(self, node: ast.Call) -> bool:
        found = self.expression(node.func)
        return isinstance(found, Known) and (found.object is range or (isinstance(
            found.object, Operation) and found.object.name == "static_range"))

