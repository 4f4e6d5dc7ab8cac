"""What the CPU translators share: what they decline, their options, and the way to an artifact."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hvisa.diagnostics import Diagnostic, HvisaError
from hvisa.graph.model import Definition, Function, Instr, Module, instructions
from hvisa.spec import types as ty
from hvisa.translators.base import Artifact, Options
from hvisa.translators.llvm import control, graph, memory
from hvisa.translators.llvm.build import show_code
from hvisa.translators.llvm.builder import Builder
from hvisa.translators.llvm.entry import lower_entry
from hvisa.translators.llvm.host import HostCpu, host_cpu
from hvisa.translators.llvm.rows import LOWER
from hvisa.translators.native import dimension_data

if TYPE_CHECKING:
    from hvisa.graph.facts import Facts

# LLVM flushes subnormals where this is on (semantics 14).
_NEVER_USED = "avx512bf16"
_ROUNDING = frozenset({"floor", "ceil", "trunc", "round"})
_IN_BODIES = frozenset(LOWER) | frozenset(memory.SPECIAL) | frozenset(control.SPECIAL) | {
    "yield", "check"}
_IN_GRAPHS = frozenset(graph.CONSTRUCTS) | {"yield"}
_RUN_IT = "run it on the device `reference`"


def cpu_options(threads: bool) -> Options:
    """The options for this process's CPU. Imports LLVM."""
    host = host_cpu()
    return Options(threads=threads, cpu=host.name,
                   features=tuple(f for f in host.features if f[1:] != _NEVER_USED))


def closure(module: Module, entry: str) -> list[Definition]:
    """The entry and every definition that it needs, in the module's order."""
    found: set[str] = set()
    stack = [entry]
    while stack:
        name = stack.pop()
        definition = module.definitions.get(name)
        if definition is None or name in found:
            continue
        found.add(name)
        if definition.body is not None:
            stack += [i.callee for i in instructions(definition.body) if i.callee is not None]
    return [d for name, d in module.definitions.items() if name in found]


def cpu_declines(module: Module, entry: str, features: tuple[str, ...]) -> list[Diagnostic]:
    """Everything in the entry's closure that has no native code here (HV1103), in source order."""
    present = {f[1:] for f in features if f.startswith("+")}
    found = list(_entry_declines(module.definitions[entry]))
    for definition in closure(module, entry):
        found += _definition_declines(definition, present)
    return found


def cpu_translate(device: str, version: str, module: Module, facts: Facts | None, entry: str,
                  options: Options, isolate: bool) -> Artifact:
    """The artifact of an entry. Raises HV1103 with everything that is declined; `isolate` keeps
    LLVM out of this process."""
    declined = cpu_declines(module, entry, options.features)
    if declined:
        raise HvisaError(declined)
    ir, metadata = lower_entry(module, facts, entry, options)
    host = host_cpu()
    code = shared_builder().build(ir, cpu=options.cpu or host.name, features=_features(host, options),
                                  name=entry, opt_level=options.opt_level, isolate=isolate)
    metadata |= {"translator": f"{device} {version}", "options": options.key_parts(),
                 "extern_types": _extern_types(module, metadata["externs"]),
                 "grids": _grids(module, entry)}
    return Artifact(device, entry, code, metadata)


def cpu_code(module: Module, facts: Facts | None, entry: str, threads: bool) -> tuple[str, str]:
    """The optimised IR and the assembly of an entry, for reading."""
    options = cpu_options(threads)
    declined = cpu_declines(module, entry, options.features)
    if declined:
        raise HvisaError(declined)
    ir, _ = lower_entry(module, facts, entry, options)
    return show_code(ir, cpu=options.cpu, features=_features(host_cpu(), options), name=entry)


@functools.cache
def shared_builder() -> Builder:
    """The one that all CPU translators of this process use."""
    return Builder()


def _features(host: HostCpu, options: Options) -> str:
    """The features as LLVM takes them: what the options hold, all others of the host taken away."""
    wanted = set(options.features)
    words = [w if w in wanted or w[0] == "-" else f"-{w[1:]}"
             for w in host.feature_string.split(",") if w]
    return ",".join(words)


def _extern_types(module: Module, names: list[str]) -> dict[str, Any]:
    return {name: {"operands": [str(p.type) for p in module.definitions[name].ports],
                   "results": [str(t) for t in module.definitions[name].results]}
            for name in names}


def _grids(module: Module, entry: str) -> dict[str, list[Any]]:
    """The grid of each leaf, as data: what makes an instance number a grid index."""
    return {d.name: [dimension_data(g) for g in d.grid]
            for d in closure(module, entry) if d.kind == "leaf"}


# -- what is declined --------------------------------------------------------------------------------

def _decline(what: str, place: Instr | Definition, why: str, help: str = _RUN_IT) -> Diagnostic:
    return Diagnostic("HV1103", f"the CPU translators do not take {what}: {why}", place.span,
                      help=help)


def _entry_declines(definition: Definition) -> Iterator[Diagnostic]:
    for port in definition.ports:
        if isinstance(port.type, (ty.GridType, ty.StreamType)):
            yield _decline(f"the port `%{port.name}` of the entry `@{definition.name}`", definition,
                           f"a {port.type} comes from other nodes, not from the host")
    for number, type_ in enumerate(definition.results):
        if isinstance(type_, ty.StreamType):
            yield _decline(f"result {number} of the entry `@{definition.name}`", definition,
                           f"a {type_} goes to other nodes, not to the host")


def _definition_declines(definition: Definition, present: set[str]) -> Iterator[Diagnostic]:
    name = f"`@{definition.name}`"
    if definition.body is None:
        if isinstance(definition, Function) and definition.external:
            if any(isinstance(p.type, ty.BufferType) for p in definition.ports):
                yield _decline(f"the extern function {name}", definition,
                               "buffers can't be passed to the host yet")
        else:
            yield _decline(f"the import {name}", definition, "no module that defines it is linked",
                           f"load `{definition.source_module}` too")
        return
    for port in definition.ports:
        if port.count != 1:
            yield _decline(f"the port `%{port.name}` of {name}", definition,
                           f"{port.count} items a firing go through the stream runtime")
    for instr in instructions(definition.body):
        why = _instruction_declines(definition, instr, present)
        if why:
            yield _decline(f"`{instr.row.mnemonic}`", instr, why)


def _instruction_declines(definition: Definition, instr: Instr, present: set[str]) -> str:
    """Why an instruction is declined; empty if it is not."""
    mnemonic = instr.row.mnemonic
    element = ty.element_of(instr.operands[0].type) if instr.operands else None
    if mnemonic == "fma" and element is ty.F64 and "fma" not in present:
        return "on f64 it needs a CPU with the feature `fma`"
    if mnemonic in _ROUNDING and element is not None and element.is_float \
            and "sse4.1" not in present:
        return "it needs a CPU with the feature `sse4.1`"
    if instr.row.reserved:
        return "it has no translation in this version"
    if mnemonic == "delay":
        return "state that goes from item to item goes through the stream runtime"
    known = _IN_GRAPHS if definition.kind == "graph" else _IN_BODIES
    if mnemonic not in known and not instr.row.collective:
        return "it has no native code yet"
    return ""
