"""Digests of a file, a module and a node (semantics 25): SHA-256, as 64 hexadecimal digits.

They differ in what they leave out. The file's is of every byte and is what gets signed; the
module's of its semantic sections; the node's of what the node computes, whatever it and its module
are called, and is the key of the translation cache.
"""

from __future__ import annotations

import hashlib
from collections import deque

from hvisa.assembler.encoder import semantic_bytes
from hvisa.diagnostics import fail
from hvisa.graph.model import Definition, GlobalConstant, GlobalRef, Module, instructions

# What is hashed changes with the format; the prefix keeps the digests of two schemes apart.
_MODULE, _NODE = b"hvisa module digest 1\0", b"hvisa node digest 1\0"


def file_digest(data: bytes) -> str:
    """The digest of all bytes of a file."""
    return hashlib.sha256(data).hexdigest()


def module_digest(module: Module) -> str:
    """The digest of what a module means, with the names that others can refer to. Private names,
    hints, places and other optional sections do not change it."""
    return hashlib.sha256(_MODULE + semantic_bytes(module)).hexdigest()


def node_digest(module: Module, name: str) -> str:
    """The digest of one definition and all that it uses: callees, constants, types, effect classes,
    the version of the mathematical library.

    Names do not count, except those of imports and externs, nor do hints, what is public, required
    features, the order of definitions or anything that the definition does not use. Raises
    HvisaError (HV0107) if the module has no such definition.
    """
    if name not in module.definitions:
        raise fail("HV0107", f"`@{name}` is not defined in this module", module.span)
    found = semantic_bytes(_closure(module, name), anonymous=True)
    return hashlib.sha256(_NODE + found).hexdigest()


def _closure(module: Module, name: str) -> Module:
    """The definition and what it uses, each in the order of its first use, as a module."""
    definitions: dict[str, Definition] = {}
    constants: dict[str, GlobalConstant] = {}
    waiting = deque([name])
    found = {name}
    while waiting:
        definition = module.definitions[waiting.popleft()]
        definitions[definition.name] = definition
        for instr in instructions(definition.body) if definition.body is not None else ():
            for operand in instr.operands:
                if isinstance(operand, GlobalRef) and operand.name in module.constants:
                    constants.setdefault(operand.name, module.constants[operand.name])
            callee = instr.callee
            if callee is not None and callee not in found and callee in module.definitions:
                found.add(callee)
                waiting.append(callee)
    closure = Module()
    closure.math_version = module.math_version
    closure.definitions, closure.constants = definitions, constants
    return closure
