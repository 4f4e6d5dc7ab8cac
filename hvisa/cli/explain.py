"""`hvisa explain`: an error code, or what becomes of an entry on each device."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Annotated

import typer

from hvisa.diagnostics import HvisaError, fail

if TYPE_CHECKING:
    from hvisa.program import Program
    from hvisa.translators.base import Translator


def explain(what: Annotated[str, typer.Argument(metavar="CODE|FILE", help="An error code such as "
                                                "HV0203, or a program.")],
            entry: Annotated[str, typer.Option("--entry", "-e", metavar="NAME", show_default=False,
                                               help="Entry of the program.")] = "",
            device: Annotated[str, typer.Option("--device", "-d", metavar="NAME", show_default=False,
                                                help="Only this device.")] = "",
            modules: Annotated[list[str], typer.Option("--module", "-m", metavar="NAME=PATH",
                                                       show_default=False, help="A module that the "
                                                       "program imports from; repeatable.")] = [],  # noqa: B006
            ir: Annotated[bool, typer.Option("--ir", help="Print the optimised LLVM IR.")] = False,
            asm: Annotated[bool, typer.Option("--asm", help="Print the machine code as text.")
                           ] = False) -> None:
    """Explain an error code, or how an entry is translated.

    Examples: `hvisa explain HV0203`, `hvisa explain saxpy.hvasm --asm`
    """
    if re.fullmatch(r"(?i:hv)\d{4}", what):
        _explain_code(what.upper())
        return
    from hvisa.cli.options import AnyExtern, pairs
    from hvisa.program import load
    # Host functions are not called here.
    program = load(what, externs=AnyExtern(), modules=pairs(modules, "--module"))
    name = program.entry(entry or None).name
    if ir or asm:
        if device == "reference":
            raise fail("HV1101", "`reference` interprets a program and has no code to show",
                       help="leave `-d` out, or give `-d x86`")
        from hvisa.translators.llvm.cpu import cpu_code
        texts = cpu_code(program.module, program.facts, name, threads=device != "x86")
        print(texts[1] if asm else texts[0])
        return
    _explain_entry(program, name, device)


def _explain_code(code: str) -> None:
    from hvisa.spec.errors import codes, explain as entry_of
    found = entry_of(code)
    if found is None:
        near = [c for c in codes() if c.startswith(code[:4])]
        raise fail("HV1001", f"there is no error code {code}",
                   help=f"codes of this family: {', '.join(near)}" if near else
                   "codes look like HV0203")
    print(f"{found.code}: {found.title}\n")
    print(textwrap.fill(found.meaning, 92))
    if found.help:
        print(f"\nhelp: {found.help}")
    if found.program:
        print("\nA program that causes it:\n\n" + textwrap.indent(found.program.rstrip(), "    "))


def _explain_entry(program: Program, name: str, device: str) -> None:
    from hvisa.runtime.devices import REFERENCE
    from hvisa.spec.operations import EFFECT_CLASSES
    from hvisa.translators.registry import make_translator, translator_names
    print(program.entry(name))
    print(f"effect class: {EFFECT_CLASSES[program.facts[name].effect]}")
    signature = program.entry(name).signature
    streams = any(p.kind == "stream" for p in signature.ports)
    for found in [device] if device else translator_names():
        if found == REFERENCE:
            print(f"\n{found}: the interpreter\n  nothing is translated: each instruction is "
                  "interpreted, for all instances at once")
            continue
        translator = make_translator(found)
        print(f"\n{found}: {translator.summary}")
        if streams:
            _explain_streams(program, name, translator)
        else:
            _explain_code_of(program, name, translator, "  ")


def _explain_streams(program: Program, name: str, translator: Translator) -> None:
    from hvisa.runtime.streams import nodes_of
    native, interpreted = nodes_of(program.module, name)
    print("  the runtime moves the items; each firing of a node is a launch of its own")
    for node in native:
        print(f"  @{node}:")
        _explain_code_of(program, node, translator, "    ")
    for node in interpreted:
        print(f"  @{node}: interpreted, for it takes or gives vectors or grids")


def _explain_code_of(program: Program, name: str, translator: Translator, margin: str) -> None:
    declined = translator.validate(program.module, program.facts, name)
    if declined:
        print(textwrap.indent(str(HvisaError(declined)), margin))
        return
    artifact = program.artifact(name, translator.name)
    nodes = artifact.metadata["nodes"]
    print(f"{margin}{len(artifact.code)} bytes of code, {len(artifact.metadata['sites'])} places that "
          f"may trap or print, {len(nodes)} uses of nodes")
    print(f"{margin}made by {artifact.metadata['translator']} for "
          f"{artifact.metadata['options']['cpu']}")
    for note in artifact.metadata["notes"]:
        print(f"{margin}note: {note}")
