"""Linking: imports are replaced by what they name in other modules.

An imported definition keeps its local name. Everything else that it needs comes with it under the
name `module.name`; a second import from the same module finds it there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hvisa.diagnostics import Diagnostic, HvisaError
from hvisa.graph.copying import copy_definition
from hvisa.graph.inference import complete
from hvisa.graph.model import Definition, Function, GlobalConstant, GlobalRef, Module, instructions
from hvisa.graph.numbering import number_module
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.dimensions import Dim
from hvisa.spec.families import FAMILIES
from hvisa.spec.operations import EFFECT_CLASSES


def shape_of(definition: Definition) -> tuple[object, ...]:
    """What a declaration and its definition must have in common, symbol names aside."""
    names: dict[str, Dim] = {}
    for value in [*definition.symbols.values(), *(p.value for p in definition.ports)]:
        if value.name is not None and value.type is ty.INDEX:
            names[value.name] = dims.symbol(f"s{len(names)}")
    ports = [(p.direction, p.mode, p.operator, p.strided, p.count, p.source is not None,
              str(ty.substitute(p.type, names))) for p in definition.ports]
    return (definition.kind, tuple(ports), tuple(str(ty.substitute(t, names)) for t in definition.results),
            tuple(str(d.substitute(names)) for d in definition.grid))


def module_help(name: str, given: Iterable[str]) -> str:
    """How to pass a module that is not at hand."""
    known = ", ".join(f"`{n}`" for n in sorted(given)) or "none"
    return (f"pass it: `hvisa.load(..., modules={{\"{name}\": path}})`, or `--module {name}=PATH` on "
            f"the command line; given: {known}")


class _Linker:
    def __init__(self, module: Module, libraries: Mapping[str, Module]):
        self.module = module
        self.libraries = libraries
        self.errors: list[Diagnostic] = []
        self.out = Module(module.name, module.span)
        self.out.features, self.out.math_version = list(module.features), module.math_version
        self.out.sections = list(module.sections)
        self.out.constants = dict(module.constants)
        # (module, name) -> name in the linked module
        self.names: dict[tuple[str, str], str] = {}
        self.taken = {*module.definitions, *module.constants}
        self.constants: dict[tuple[str, str], str] = {}
        self.work: list[tuple[str, str]] = []
        self.externs: dict[str, Definition] = {}

    def run(self) -> Module:
        for name, definition in self.module.definitions.items():
            source = definition.source_module
            if source is None:
                self.out.definitions[name] = definition
            elif self._matches(definition, source):
                self.names.setdefault((source, name), name)
                self._bring(source, name, name)
        while self.work:
            source, name = self.work.pop()
            self._bring(source, name, self.names[source, name])
        if self.errors:
            raise HvisaError(self.errors)
        errors = complete(self.out)
        if errors:
            raise HvisaError(errors)
        number_module(self.out)
        return self.out

    def _matches(self, declared: Definition, source: str) -> bool:
        """Whether the library has what the declaration says; reports if not."""
        library = self.libraries.get(source)
        if library is None:
            family = FAMILIES.get(source.partition(".")[0])
            self._error("HV0720", f"module \"{source}\" is not at hand", declared,
                        module_help(source, self.libraries) if family is None else "the library has "
                        + ", ".join(f"`{source.partition('.')[0]}.{t}`" for t in family.types))
            return False
        found = library.definitions.get(declared.name)
        if found is None or not found.public or found.body is None:
            public = [n for n, d in library.definitions.items() if d.public and d.body is not None]
            self._error("HV0721", f"module \"{source}\" has no public `@{declared.name}`", declared,
                        f"it has {', '.join(f'@{n}' for n in public[:8]) or 'nothing public'}")
            return False
        if shape_of(found) != shape_of(declared):
            self._error("HV0722", f"`@{declared.name}` is declared otherwise in module \"{source}\"",
                        declared, "copy the header from there: ports, directions, types and grid")
            return False
        if declared.effect < found.effect:  # what is declared weaker than it is, nobody is misled by
            said, word = EFFECT_CLASSES[declared.effect], EFFECT_CLASSES[found.effect]
            self._error("HV0722", f"`@{declared.name}` is {word} in module \"{source}\", the import says "
                        f"{said}", declared, f"write `{word}` at the end of the import")
            return False
        return True

    def _error(self, code: str, message: str, place: Definition, help: str) -> None:
        self.errors.append(Diagnostic(code, message, place.span, help=help))

    def _bring(self, source: str, name: str, local: str) -> None:
        """Copy one definition of a library; what it needs is named, and copied later."""
        library = self.libraries[source]
        definition = library.definitions[name]
        if definition.source_module is not None and self._matches(definition, definition.source_module):
            source, library = definition.source_module, self.libraries[definition.source_module]
            definition = library.definitions[name]
        rename: dict[str, str] = {}
        for instr in instructions(definition.body) if definition.body is not None else ():
            if instr.callee is not None:
                rename[instr.callee] = self._name(source, instr.callee)
            for operand in instr.operands:
                if isinstance(operand, GlobalRef):
                    rename[operand.name] = self._constant(source, library.constants[operand.name])
        copy = copy_definition(definition, local, rename)
        copy.source_module = None
        copy.public = False
        self.out.definitions[local] = copy

    def _name(self, source: str, name: str) -> str:
        key = (source, name)
        if key not in self.names:
            self.names[key] = self._local(source, name)
            if self.names[key] not in self.module.definitions:  # else a host function of the program's own
                self.work.append(key)
        return self.names[key]

    def _free(self, name: str) -> str:
        """A name that nothing has yet: the program may call its own things by any."""
        number, found = 1, name
        while found in self.taken:
            number, found = number + 1, f"{name}.{number}"
        self.taken.add(found)
        return found

    def _local(self, source: str, name: str) -> str:
        """The name in the linked module. A host function keeps its own, by which the host knows it,
        unless another one has it."""
        definition = self.libraries[source].definitions[name]
        if isinstance(definition, Function) and definition.external:
            other = self.externs.setdefault(name, self.module.definitions.get(name, definition))
            if isinstance(other, Function) and other.external and \
                    shape_of(other) == shape_of(definition):
                self.taken.add(name)
                return name
        return self._free(f"{source}.{name}")

    def _constant(self, source: str, constant: GlobalConstant) -> str:
        key = (source, constant.name)
        if key not in self.constants:
            name = self.constants[key] = self._free(f"{source}.{constant.name}")
            self.out.constants[name] = GlobalConstant(name, constant.type, constant.data, constant.span)
        return self.constants[key]


def link(module: Module, libraries: Mapping[str, Module]) -> Module:
    """A module without imports. Raises HV0720 (no such module), HV0721 (nothing public of that name),
    HV0722 (declared otherwise there); the result still has to be verified."""
    if all(d.source_module is None for d in module.definitions.values()):
        return module
    return _Linker(module, libraries).run()
