"""Which value each name in a dimension expression stands for.

Dimensions name symbols; sibling regions may use a name twice, so names are resolved by walking each
body once, with the regions that are open.
"""

from __future__ import annotations

from hvisa.graph.model import ENTER, LEAVE, Definition, DimValue, Instr, Module, Value, walk


class Scopes:
    """For each DimValue operand in leaves and functions, the values of its symbols by name; a name
    that nothing defines is left out."""

    def __init__(self, module: Module):
        self._found: dict[int, dict[str, Value]] = {}
        for definition in module.definitions.values():
            if definition.kind != "graph" and definition.body is not None:
                self._resolve(definition)

    def names(self, operand: DimValue) -> dict[str, Value]:
        return self._found[id(operand)]

    def _resolve(self, definition: Definition) -> None:
        header = [*definition.symbols.values(), *(p.value for p in definition.ports),
                  *definition.ids]
        scope: list[dict[str, Value]] = [{v.name: v for v in header if v.name}]
        assert definition.body is not None
        for event, instr, region in walk(definition.body):
            if event == ENTER:
                assert region is not None
                if region is instr.regions[0]:
                    self._operands(instr, scope)
                held = region is not instr.regions[0] and instr.row.mnemonic == "while"
                # The body of `while` sees what its condition region defined.
                scope.append({} if not held else scope.pop())
                scope[-1].update({v.name: v for v in region.parameters if v.name})
            elif event == LEAVE:
                last = region is instr.regions[-1]
                if last or instr.row.mnemonic != "while":
                    scope.pop()
                if last:
                    self._define(instr, scope)
            elif not instr.regions:
                self._operands(instr, scope)
                self._define(instr, scope)

    def _operands(self, instr: Instr, scope: list[dict[str, Value]]) -> None:
        for operand in instr.operands:
            if not isinstance(operand, DimValue):
                continue
            names = set(operand.dim.symbols())
            known = {n: next((s[n] for s in reversed(scope) if n in s), None) for n in names}
            self._found[id(operand)] = {n: v for n, v in known.items() if v is not None}

    def _define(self, instr: Instr, scope: list[dict[str, Value]]) -> None:
        scope[-1].update({v.name: v for v in instr.results if v.name})
