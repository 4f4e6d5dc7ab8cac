"""Types of everything: one forward pass over each body, shared by parser, decoder, builder,
verifier.

`complete` fills in what a front end left open (literals, result types, types of carried values) and
reports each type error once; what can't be typed gets type ERROR, on which nothing is reported
again. Running it on a complete module changes nothing, so the verifier runs it as a check.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, cast

from hvisa.diagnostics import Diagnostic, plural
from hvisa.graph import signatures
from hvisa.graph.carets import operand_span
from hvisa.graph.model import (
    ENTER,
    LEAVE,
    Constant,
    Definition,
    Function,
    GlobalRef,
    Instr,
    Literal,
    Module,
    Region,
    Value,
    walk,
)
from hvisa.spec import dimensions as dims, literals, operations, types as ty
from hvisa.spec.definitions import Form, InstrDef, TypeRuleError
from hvisa.spec.dimensions import Dim, DimError
from hvisa.spec.types import BufferType, ScalarType, Type, VectorType

# How to tell the type of a literal where it does not stand after the mnemonic.
_OPEN = {"yield": "write the type of the result: `%r: {} = if ...`",
         "delay": "write the type of the result: `%d: stream<{}> = delay ...`"}


def _open_help(instr: Instr, position: int, literal: Literal) -> str:
    """What to type where the type of a literal is open."""
    name = instr.row.mnemonic
    type_ = "i32" if re.fullmatch(r"-?(?:\d+|0[xX][0-9a-fA-F]+)", literal.text) else "f32"
    if name not in ("for", "while", "loop"):
        return _OPEN.get(name, f"write the type: `{name} {{}} ...`").format(type_)
    slot = position - 3 if name == "for" else position
    value = instr.regions[0].parameters[slot + 1 if name == "for" else slot]
    word = {"parent": "uniform ", "launch": "launch "}.get(
        operations.UNIFORMITY[instr.uniform[slot]], "") if slot < len(instr.uniform) else ""
    rest = ", ..." if slot < len(instr.operands) - (4 if name == "for" else 1) else ""
    more = "..., " if slot else ""
    return (f"write the type of the carried value: `{'carry' if name == 'for' else name} "
            f"({more}{word}%{value.name}: {type_} = {literal.text}{rest})`")


MAX_MATCH_ROUNDS = 16  # steps in a chain of equal dimensions that are followed


class Inference:
    """One run over a module. `errors` collects diagnostics in order."""

    def __init__(self, module: Module):
        self.module = module
        self.errors: list[Diagnostic] = []
        self.definition: Definition | None = None
        # What `match` said so far: by symbol, by other dimension, and in order with what each replaced.
        self.symbols: dict[str, Dim] = {}
        self.others: dict[Dim, Dim] = {}
        self.equal: list[tuple[str | Dim, Dim | None]] = []

    def report(self, code: str, message: str, instr: Instr, operand: int = -1, note: str = "",
               help: str = "") -> None:
        span = operand_span(instr, operand)
        if len(self.errors) < 1000:
            self.errors.append(Diagnostic(code, message, span, note=note, help=help))

    # -- equal dimensions ----------------------------------------------------------------------

    def assume(self, left: Dim, right: Dim) -> None:
        """Types after this may use that two dimensions are equal."""
        left, right = self.refine(left), self.refine(right)
        if left.symbol is None and right.symbol is not None:
            left, right = right, left
        symbol = left.symbol
        if left == right or symbol in set(right.symbols()):
            return
        if symbol is not None:
            self.equal.append((symbol, self.symbols.get(symbol)))
            self.symbols[symbol] = right
        else:
            self.equal.append((left, self.others.get(left)))
            self.others[left] = right

    def forget(self, known: int) -> None:
        """Drop all but the first `known` equalities."""
        while len(self.equal) > known:
            key, before = self.equal.pop()
            table: dict[Any, Dim] = self.symbols if isinstance(key, str) else self.others
            if before is None:
                del table[key]
            else:
                table[key] = before

    def refine(self, dim: Dim) -> Dim:
        """The dimension with everything that `match` said put in."""
        for _ in range(MAX_MATCH_ROUNDS):
            before = dim
            dim = dim.substitute(self.symbols)
            dim = self.others.get(dim, dim)
            if dim == before:
                break
        return dim

    def same(self, left: Dim, right: Dim) -> bool:
        """Whether two dimensions are equal by normal form, or by what `match` said."""
        return left == right or (bool(self.equal) and self.refine(left) == self.refine(right))

    def fits(self, wanted: Type, found: Type) -> bool:
        """`signatures.fits`, with what `match` said."""
        return signatures.fits(wanted, found) or (bool(self.equal) and signatures.fits(
            ty.map_dims(wanted, self.refine), ty.map_dims(found, self.refine)))

    # -- bodies --------------------------------------------------------------------------------

    def run(self, definition: Definition) -> None:
        self.definition = definition
        self.forget(0)
        if definition.body is None:
            return
        owners: list[Instr] = []
        known: list[int] = []  # equalities known before each open region
        for event, instr, region in walk(definition.body):
            try:
                if event == 0:
                    self._enter(instr, owners) if instr.regions else self._instruction(instr, owners)
                elif event == ENTER:
                    assert region is not None
                    known.append(len(self.equal))
                    if not owners or owners[-1] is not instr:
                        owners.append(instr)
                    self._parameters(instr, region)
                elif event == LEAVE:
                    self.forget(known.pop())
                    if region is instr.regions[-1]:
                        owners.pop()
                        self._leave(instr)
            except DimError as error:
                self.report("HV0602", str(error), instr,
                            help="write a shorter expression, or compute it in a node without grid")
                self._assign(instr, [ty.ERROR] * len(instr.results))

    def _instruction(self, instr: Instr, owners: list[Instr]) -> None:
        row = instr.row
        special = _SPECIAL.get(row.mnemonic)
        if special is not None:
            special(self, instr, owners)
            return
        operands = instr.operands
        types = [o.type for o in operands]
        if ty.ERROR in types or instr.type_argument is not None:
            types = self._resolve(instr, types)
        self._assign(instr, self._infer(instr, types))

    def _infer(self, instr: Instr, types: Sequence[Type]) -> tuple[Type, ...]:
        try:
            return instr.row.infer(types, instr.type_argument, instr.immediates)
        except TypeRuleError as error:
            found = instr.operands[error.operand] if 0 <= error.operand < len(types) else None
            shown = f"%{found.name}" if isinstance(found, Value) else "..."
            self.report(error.code, error.message, instr, error.operand, error.note,
                        error.help.replace("...", shown) if found else error.help)
            return (ty.ERROR,) * max(1, len(instr.results))

    def _assign(self, instr: Instr, types: Sequence[Type]) -> None:
        results = instr.results
        if len(results) != len(types):
            if results and not any(t is ty.ERROR for t in types):
                self.report("HV0221", f"`{instr.row.mnemonic}` gives "
                            f"{plural(len(types), 'result')}, {plural(len(results), 'name')} given",
                            instr)
            if not results:
                results += [Value(None, t) for t in types]
            return
        for value, found in zip(results, types, strict=True):
            if value.type is not ty.ERROR and value.type is not found and found is not ty.ERROR:
                self.report("HV0203", f"`%{value.name}` is written as {value.type}", instr,
                            note=f"`{instr.row.mnemonic}` gives {found}")
            value.type = found

    # -- operands ------------------------------------------------------------------------------

    def global_type(self, ref: GlobalRef, instr: Instr, position: int) -> Type:
        if ref.type is ty.ERROR:
            found = self.module.constants.get(ref.name)
            if found is None:
                self.report("HV0107", f"`@{ref.name}` is not a constant of this module", instr,
                            position, help="define it: `const @name: f32 = 1.0`")
            else:
                ref.type = found.type
        return ref.type

    def literal(self, instr: Instr, position: int, wanted: Type) -> Type:
        """Give the literal at `position` the scalar type `wanted`."""
        found = instr.operands[position]
        assert isinstance(found, Literal)
        if isinstance(found.type, ScalarType):
            wanted = found.type
        elif wanted is ty.ERROR and found.text in ("true", "false"):
            wanted = ty.I1
        if not isinstance(wanted, ScalarType):
            if isinstance(wanted, VectorType):
                self.report("HV0204", f"`{found.text}` stands where {wanted} is expected", instr,
                            position, help=f"spread it first: `%v = splat {wanted} {found.text}`")
            elif wanted is ty.ERROR and instr.row.mnemonic != "delay" and any(
                    isinstance(o, Value) and o.type is ty.ERROR for o in instr.operands):
                pass  # what is beside it has no type, and that is reported
            elif wanted is ty.ERROR:
                self.report("HV0204", f"the type of `{found.text}` is open", instr, position,
                            help=_open_help(instr, position, found))
            else:
                self.report("HV0203", f"`{found.text}` stands where {wanted} is expected", instr,
                            position)
            return ty.ERROR
        try:
            bits = literals.parse_literal(found.text, wanted)
        except literals.LiteralError as error:
            self.report("HV0204", str(error), instr, position, f"{wanted} is expected here")
            return ty.ERROR
        instr.operands[position] = Constant(wanted, bits)
        return wanted

    def settle(self, instr: Instr, position: int, wanted: Type) -> Type:
        """The type of one operand, which is made `wanted` if it is a literal."""
        found = instr.operands[position]
        if isinstance(found, Literal):
            return self.literal(instr, position, wanted)
        return self.global_type(found, instr, position) if isinstance(found, GlobalRef) else found.type

    def _resolve(self, instr: Instr, types: list[Type]) -> list[Type]:
        """Types of constants by name, then of literals from what stands beside them."""
        row, operands = instr.row, instr.operands
        for position, operand in enumerate(operands):
            if isinstance(operand, GlobalRef):
                types[position] = self.global_type(operand, instr, position)
        written = instr.type_argument if row.type_argument == "none" else None
        if any(isinstance(o, Literal) for o in operands):
            wanted = self._wanted(instr, types, written)
            for position, operand in enumerate(operands):
                if isinstance(operand, Literal):
                    types[position] = self.literal(
                        instr, position, wanted(position) if not isinstance(operand.type, ScalarType)
                        else operand.type)
        if written is not None:
            self._check_written(instr, types, written)
        return types

    def _check_written(self, instr: Instr, types: list[Type], written: Type) -> None:
        """A type written after a mnemonic that does not need one only fixes literals."""
        instr.type_argument = None
        for position, row in enumerate(instr.row.signature.operands):
            if row.pattern.word == "T" and position < len(types) and types[position] not in (
                    written, ty.ERROR):
                self.report("HV0203", f"operand types of `{instr.row.mnemonic}` differ", instr,
                            position, f"this is {types[position]}, `{instr.row.mnemonic} {written}` "
                            f"takes {written}", "" if not isinstance(written, ScalarType) else
                            f"convert it first: `%c = convert {written} ...`")
                types[position] = ty.ERROR
                return

    def _wanted(self, instr: Instr, types: list[Type], written: Type | None) -> Callable[[int], Type]:
        """What type each operand position expects, as far as the others tell."""
        row = instr.row
        patterns = row.signature.operands
        if row.form is Form.ACCESS:
            at = next((n for n, t in enumerate(types) if type(t) is BufferType), len(types))
            element = types[at].element if at < len(types) else ty.ERROR  # type: ignore[union-attr]
            return lambda n: element if n < at else ty.INDEX
        argument = instr.type_argument
        if row.mnemonic in ("splat", "pack"):
            known = argument.element if isinstance(argument, VectorType) else next(
                (t for t in types if t is not ty.ERROR), written or ty.ERROR)
            return lambda n: known
        variable = written or self._variable(row, types)

        def wanted(n: int) -> Type:
            if not patterns:
                return ty.ERROR
            word = patterns[min(n, len(patterns) - 1)].pattern
            if word.word in ("mask", "element") and variable is ty.ERROR:
                return ty.I1 if word.word == "mask" else ty.ERROR
            if word.word in ("any", "buffer"):
                return ty.ERROR
            return word.fill(variable, argument)
        return wanted

    @staticmethod
    def _variable(row: InstrDef, types: list[Type]) -> Type:
        for position, operand in enumerate(row.signature.operands):
            if operand.pattern.word in ("T", "vector") and position < len(types) \
                    and types[position] is not ty.ERROR:
                return types[position]
        return ty.ERROR

    # -- regions -------------------------------------------------------------------------------

    def _enter(self, instr: Instr, owners: list[Instr]) -> None:
        """Operands of a construct with regions."""
        name = instr.row.mnemonic
        if name == "if":
            types: list[Type] = [self.settle(instr, 0, ty.I1)]
        elif name == "for":
            types = self._bounds(instr)
        elif name == "reduce":
            element = instr.type_argument or ty.ERROR
            bounds = len(instr.operands) - len(instr.operands) % 2
            types = [self.settle(instr, n, ty.INDEX if n < bounds else element)
                     for n in range(len(instr.operands))]
        else:
            types = [self._carried(instr, n) for n in range(len(instr.operands))]
        if name in ("if", "for", "reduce"):
            self._infer(instr, types)

    def _bounds(self, instr: Instr) -> list[Type]:
        counter = instr.regions[0].parameters[0].type
        known = next((o.type for o in instr.operands[:3] if o.type is not ty.ERROR),
                     ty.INDEX if counter is ty.ERROR else counter)
        bounds = [self.settle(instr, n, known) for n in range(3)]
        return bounds + [self._carried(instr, n) for n in range(3, len(instr.operands))]

    def _carried(self, instr: Instr, position: int) -> Type:
        """An init: the carried value's written type, else its own."""
        parameters = instr.regions[0].parameters
        offset = {"for": 2, "while": 0, "loop": 0}[instr.row.mnemonic]
        slot = position - offset
        written = parameters[slot].type if 0 <= slot < len(parameters) else ty.ERROR
        return self.settle(instr, position, written)

    def _parameters(self, instr: Instr, region: Region) -> None:
        name = instr.row.mnemonic
        if name == "for":
            wanted = [instr.operands[0].type] + [o.type for o in instr.operands[3:]]
        elif name == "reduce":
            wanted = [ty.INDEX] * (len(instr.operands) // 2)
        else:
            wanted = [o.type for o in instr.operands]
        if name == "if" or region is not instr.regions[0]:
            return
        for value, found in zip(region.parameters, wanted, strict=False):
            if value.type is ty.ERROR:
                value.type = found
            elif found is not ty.ERROR and not self.fits(value.type, found):
                self.report("HV0203", f"`%{value.name}` is carried as {value.type}", instr,
                            note=f"its init is {found}",
                            help=f"carry it as {found}, or convert the init")

    def _leave(self, instr: Instr) -> None:
        """Results of a construct, from what its regions yield."""
        name = instr.row.mnemonic
        if name == "reduce":
            try:
                types = instr.row.infer([o.type for o in instr.operands], instr.type_argument,
                                        instr.immediates)
            except TypeRuleError:  # reported on entry
                types = (ty.ERROR,) * len(instr.results)
            self._assign(instr, types)
        elif name == "if":
            self._assign(instr, self._join_branches(instr))
        else:
            carried = instr.regions[0].parameters[1 if name == "for" else 0:]
            self._assign(instr, [v.type for v in carried])

    def _join_branches(self, instr: Instr) -> list[Type]:
        yields = [r.body[-1] for r in instr.regions if r.body]
        if len(yields) < 2 or any(y.row.mnemonic != "yield" for y in yields):
            return [v.type for v in instr.results]
        first, second = yields
        if len(first.operands) != len(second.operands):
            self.report("HV0403", f"the branches of `if` yield {len(first.operands)} and "
                        f"{plural(len(second.operands), 'value')}", instr,
                        help="both branches yield the same types")
            return [ty.ERROR] * len(instr.results)
        types: list[Type] = []
        for position in range(len(first.operands)):
            declared = instr.results[position].type if position < len(instr.results) else ty.ERROR
            known = next((o.type for o in (first.operands[position], second.operands[position])
                          if not isinstance(o, Literal) and o.type is not ty.ERROR), declared)
            if known is ty.ERROR and any(isinstance(y.operands[position], Value) for y in yields):
                types.append(known)  # one branch has no type, and that is reported
                continue
            pair = [self.settle(first, position, known)]
            if pair[0] is ty.ERROR and isinstance(first.operands[position], Literal):
                types.append(ty.ERROR)  # one message is enough
                continue
            pair.append(self.settle(second, position, known))
            if pair[0] is not pair[1] and ty.ERROR not in pair:
                self.report("HV0403", f"the branches of `if` yield {pair[0]} and {pair[1]}", second,
                            position, f"this is {pair[1]}, the first branch yields {pair[0]}")
            types.append(pair[0])
        return types

    def yields(self, instr: Instr, owners: list[Instr]) -> None:
        """Check a `yield` against what its construct, or the definition, wants."""
        owner = owners[-1] if owners else None
        if owner is not None and owner.row.mnemonic == "if":
            for position, operand in enumerate(instr.operands):
                if isinstance(operand, GlobalRef):
                    self.global_type(operand, instr, position)
            return
        wanted = self._yield_types(owner)
        if len(wanted) != len(instr.operands):
            what = f"`{owner.row.mnemonic}`" if owner else f"`@{cast(Definition, self.definition).name}`"
            self.report("HV0404", f"{what} wants {plural(len(wanted), 'value')}, "
                        f"{len(instr.operands)} given",
                        instr, help=f"end it with `yield` and values of type "
                        f"{', '.join(map(str, wanted))}" if wanted else "write `yield` alone")
            return
        for position, type_ in enumerate(wanted):
            if type_ is ty.ERROR and isinstance(instr.operands[position], Literal):
                continue  # the type of the carried value is open, and that is reported
            found = self.settle(instr, position, type_)
            if ty.ERROR not in (found, type_) and not self.fits(type_, found):
                self.report("HV0404", f"value {position} of `yield` has the wrong type", instr,
                            position, f"this is {found}, expected {type_}")

    def _yield_types(self, owner: Instr | None) -> list[Type]:
        if owner is None:
            return signatures.yielded(cast(Definition, self.definition))
        name = owner.row.mnemonic
        if name == "reduce":
            return [owner.type_argument or ty.ERROR]
        return [v.type for v in owner.regions[0].parameters[1 if name == "for" else 0:]]

    def check(self, instr: Instr, owners: list[Instr]) -> None:
        self._infer(instr, [self.settle(instr, n, ty.I1) for n in range(len(instr.operands))])

    # -- calls and graph constructs ------------------------------------------------------------

    def call(self, instr: Instr, owners: list[Instr]) -> None:
        callee = self.module.definitions.get(instr.callee or "")
        if not isinstance(callee, Function):
            self._no_callee(instr, callee, "func")
            return
        self._assign(instr, signatures.bind_call(self, instr, callee))

    def node(self, instr: Instr, owners: list[Instr]) -> None:
        callee = self.module.definitions.get(instr.callee or "")
        if callee is None or isinstance(callee, Function):
            self._no_callee(instr, callee, "leaf or graph")
            return
        self._assign(instr, signatures.bind_node(self, instr, callee))

    def _no_callee(self, instr: Instr, found: Definition | None, wanted: str) -> None:
        if found is not None:
            self.report("HV0108", f"`@{instr.callee}` is a {found.kind}, not a {wanted}", instr,
                        help="nodes are leaves and graphs; functions are called from leaves")
        elif instr.callee:
            self.report("HV0107", f"`@{instr.callee}` is not defined in this module", instr,
                        help=f"define it, or import it: `import \"module\" {wanted.split()[0]} "
                        f"@{instr.callee}(...)`")
        self._assign(instr, [ty.ERROR] * len(instr.results))

    def slice(self, instr: Instr, owners: list[Instr]) -> None:
        found = self.settle(instr, 0, ty.ERROR)
        if not isinstance(found, BufferType):
            if found is not ty.ERROR:
                self.report("HV0211", "`slice` needs a buffer", instr, 0, f"this is {found}")
            self._assign(instr, [ty.ERROR])
            return
        self._assign(instr, [signatures.boxed(self, instr, found, instr.detail, 0)])

    def split(self, instr: Instr, owners: list[Instr]) -> None:
        found = self.settle(instr, 0, ty.ERROR)
        axis = instr.immediates[0]
        if not isinstance(found, BufferType) or axis >= found.rank:
            if found is not ty.ERROR:
                self.report("HV0211", f"`split` needs a buffer with a dimension {axis}", instr, 0,
                            f"this is {found}")
            self._assign(instr, [ty.ERROR] * len(instr.results))
            return
        cuts = [dims.constant(0), *instr.detail, found.shape[axis]]
        parts = [ty.buffer(found.element, (*found.shape[:axis], high - low, *found.shape[axis + 1:]))
                 for low, high in pairwise(cuts)]
        self._assign(instr, parts)

    def delay(self, instr: Instr, owners: list[Instr]) -> None:
        written = instr.results[0].type if instr.results else ty.ERROR
        item = self.settle(instr, 0, written.item if isinstance(written, ty.StreamType) else ty.ERROR)
        self._assign(instr, [ty.stream(item) if item is not ty.ERROR else ty.ERROR])

    def match(self, instr: Instr, owners: list[Instr]) -> None:
        for value in instr.results:
            value.type = ty.INDEX
        self.assume(*instr.detail)

    def printed(self, instr: Instr, owners: list[Instr]) -> None:
        for position in range(len(instr.operands)):
            self.settle(instr, position, instr.type_argument or ty.ERROR)
        instr.type_argument = None


_SPECIAL: dict[str, Callable[[Inference, Instr, list[Instr]], None]] = {
    "yield": Inference.yields, "check": Inference.check, "call": Inference.call,
    "node": Inference.node, "slice": Inference.slice, "split": Inference.split,
    "delay": Inference.delay, "match": Inference.match, "print": Inference.printed}


def late_checks(module: Module) -> Iterator[Diagnostic]:
    """What only holds once every type is known: the streams that close cycles."""
    for definition in module.definitions.values():
        if definition.kind != "graph" or definition.body is None:
            continue
        for _, instr, _ in walk(definition.body):
            if instr.row.mnemonic != "delay" or not instr.results:
                continue
            wanted, following = instr.results[0].type, instr.operands[1].type
            if ty.ERROR not in (wanted, following) and wanted is not following:
                yield Diagnostic("HV0505", "`delay` and what follows carry different items",
                                 operand_span(instr, -1),
                                 note=f"the item is {wanted}, `next` is {following}",
                                 help="start from a value of the same type")


def complete(module: Module) -> list[Diagnostic]:
    """Type the whole module in place; the errors, in source order."""
    run = Inference(module)
    for definition in module.definitions.values():
        run.run(definition)
    return run.errors + list(late_checks(module))
