"""From LLVM IR text to an object that the loader takes, inside this process.

A process grows by some 75 KB with every optimisation and LLVM ends it on an internal error:
`hvisa.translators.llvm.builder` decides when a child process does this instead.

The object is position-independent, small-model and self-contained. IR has to be written so that
LLVM has no reason to call into a C library: functions carry the attribute `"no-builtins"` (or a
loop becomes `memset`), no `frem`, no 128-bit division, no `llvm.memcpy` and its kin of unknown
length, `llvm.fma` only where the CPU has it.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Generator
from typing import Any

from hvisa.diagnostics import fail
from hvisa.translators.elf import parse_object

DEFAULT_TRIPLE = "x86_64-unknown-linux-gnu"


def build_object(ir: str, *, cpu: str, features: str, opt_level: int = 3,
                 triple: str = DEFAULT_TRIPLE, name: str) -> bytes:
    """The relocatable ELF object of a module, optimised for `cpu` with `features` ("+avx2,-fma").

    `triple` and its data layout replace those in the text. `name`, of the node, appears in
    messages. Raises HV1106 if LLVM refuses the text, HV1107 if the object needs functions that
    nobody provides.
    """
    with _optimised(ir, cpu, features, opt_level, triple, name) as (module, machine):
        data: bytes = machine.emit_object(module)
    check_self_contained(data, name)
    return data


def show_code(ir: str, *, cpu: str, features: str, opt_level: int = 3,
              triple: str = DEFAULT_TRIPLE, name: str) -> tuple[str, str]:
    """The optimised IR and the assembly of what `build_object` makes of the same arguments."""
    with _optimised(ir, cpu, features, opt_level, triple, name) as (module, machine):
        return str(module), machine.emit_assembly(module)


@contextlib.contextmanager
def _optimised(ir: str, cpu: str, features: str, opt_level: int, triple: str,
               name: str) -> Generator[tuple[Any, Any], None, None]:
    """The optimised module and the target machine, for as long as the block runs."""
    llvm = _llvm()
    machine = _target(triple).create_target_machine(
        cpu=cpu, features=features, opt=opt_level, reloc="pic", codemodel="small")
    with machine, llvm.create_context() as context:
        try:
            module = llvm.parse_assembly(ir, context)
        except RuntimeError as error:
            raise _refused(name, error) from error
        with module:
            module.triple = triple
            module.data_layout = str(machine.target_data)
            try:
                module.verify()
            except RuntimeError as error:
                raise _refused(name, error) from error
            _optimise(module, machine, opt_level)
            yield module, machine


def check_self_contained(data: bytes, name: str) -> None:
    """Raises HV1107 if the object `data` uses a symbol that it does not define."""
    undefined = parse_object(data, name).undefined_symbols
    if undefined:
        listed = ", ".join(f"`{symbol}`" for symbol in undefined)
        raise fail("HV1107", f"the translation of `{name}` calls functions that are not part of "
                   f"it: {listed}",
                   help="this is a fault of the translator; report it with the program")


def _refused(name: str, error: RuntimeError) -> Exception:
    first_lines = " / ".join(str(error).strip().splitlines()[:3])
    return fail("HV1106", f"LLVM refused the code that was made for `{name}`: {first_lines}",
                help="this is a fault of the translator; report it with the program")


def _optimise(module: Any, machine: Any, opt_level: int) -> None:
    """Runs LLVM's standard pipeline. Nothing of it is kept: a second run of one pass manager
    aborts the process."""
    llvm = _llvm()
    with llvm.create_pipeline_tuning_options(opt_level) as options:
        options.loop_vectorization = opt_level >= 2
        options.slp_vectorization = opt_level >= 2
        with llvm.create_pass_builder(machine, options) as builder, \
                builder.getModulePassManager() as passes:
            passes.run(module, builder)


@functools.cache
def _llvm() -> Any:
    """llvmlite's binding, imported on first use (46 ms) and made ready for the host's kind."""
    from llvmlite import binding
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    binding.initialize_native_asmparser()  # the memory moves are inline assembly
    return binding


@functools.cache
def _target(triple: str) -> Any:
    try:
        return _llvm().Target.from_triple(triple)
    except RuntimeError as error:
        raise fail("HV1109", f"this LLVM can't translate for `{triple}`: {error}") from error
