"""What a program and its entries share: source, module, what is known of both, launchers."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import weakref
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from hvisa.diagnostics import Diagnostic, HvisaError, Source, fail
from hvisa.files import decoded, is_bytecode, read_program, read_source
from hvisa.logs import log
from hvisa.runtime.devices import REFERENCE, preferred_devices
from hvisa.runtime.options import check_device, check_externs
from hvisa.runtime.translations import find_artifact, index_key, process_cache

if TYPE_CHECKING:
    from hvisa.graph.facts import Facts
    from hvisa.graph.model import Module
    from hvisa.runtime.launch import NativeLauncher
    from hvisa.runtime.layout import Signature
    from hvisa.runtime.streams import StreamLauncher
    from hvisa.translators.artifact import Artifact

    Launcher = NativeLauncher | StreamLauncher

Extern = Callable[..., Any]


def check_file(path: str, modules: Mapping[str, Any] | None = None) -> None:
    """Raises HvisaError with every mistake in a program, externs not asked for."""
    verified(path, read_program(path), read_modules(modules))


def read_modules(modules: Any) -> dict[str, tuple[str, bytes]]:
    """Name of the source and bytes of each module that a program may import from."""
    found: dict[str, tuple[str, bytes]] = {}
    if modules is not None and not isinstance(modules, Mapping):
        raise fail("HV1002", f"`modules` takes a mapping, and it is a {type(modules).__name__}",
                   help="pass `modules={\"name\": path}`")
    for name, source in cast("Mapping[str, Any]", modules or {}).items():
        if not isinstance(source, (str, bytes, bytearray, memoryview, os.PathLike)):
            raise fail("HV1002", f"the module `{name}` is a {type(source).__name__}",
                       help="pass a path, bytes or a text")
        place, data = read_source(cast("str | bytes", source))
        found[str(name)] = (f"<module {name}>" if place[0] == "<" else place, data)
    return found


def verified(name: str, data: bytes,
             modules: Mapping[str, tuple[str, bytes]] | None = None) -> tuple[Module, Facts]:
    """The module that a file holds, linked with others if there are any, and the verifier's
    facts."""
    module, facts = _verified_alone(name, data)
    return linked(module, facts, {n: _verified_alone(*m)[0] for n, m in (modules or {}).items()})


def linked(module: Module, facts: Facts, given: Mapping[str, Module]) -> tuple[Module, Facts]:
    """The module with what it imports, of `given` modules and of the standard library."""
    if all(d.source_module is None for d in module.definitions.values()):
        return module, facts
    from hvisa.graph.linker import link
    from hvisa.graph.verifier import verify
    from hvisa.library.standard import standard_modules
    libraries = {**given, **standard_modules(module, given)}
    if not libraries:
        return module, facts
    whole = link(module, libraries)
    return whole, verify(whole)


def _verified_alone(name: str, data: bytes) -> tuple[Module, Facts]:
    from hvisa.graph.verifier import verify
    errors: list[Diagnostic] = []
    if is_bytecode(data):
        from hvisa.assembler.decoder import decode
        module = decode(data, name)
    else:
        from hvisa.assembler.parser import parse
        module = parse(decoded(data, name), name, errors)
    return module, verify(module, extra=errors)


class Loaded:
    """What a program and its entries share: the source, what is known of it, launchers by entry and
    device. It refers to neither, so that both are freed as soon as they are dropped."""

    def __init__(self, name: str, data: bytes, device: str | None, externs: Mapping[str, Extern],
                 trusted: bool, print_sink: Callable[[str], None] | None,
                 module: Module | None = None, source: Source | None = None,
                 modules: Mapping[str, tuple[str, bytes]] | None = None):
        check_device(device)
        self.name = name
        self.data = data
        self.device = device
        self.externs = externs
        self.trusted = trusted
        self.print_sink = print_sink or print
        self._lock = threading.RLock()
        self._module = module
        self._source = source
        self._verified: tuple[Module, Facts] | None = None
        self._launchers: dict[tuple[str, str], Launcher] = {}
        self._chosen: dict[str, str] = {}
        self._signatures: dict[str, Signature] = {}
        self._modules = modules or {}
        self.file_digest = self._digest() if module is None else ""
        self.index = self._find_index()
        check_externs(self.index["externs"], self.externs, f"`{name}`")

    def _digest(self) -> str:
        """Differs where the bytes do; of a program with others also where their names do, which
        messages use."""
        from hvisa.library.standard import library_stamp
        digest = hashlib.sha256(self.data)
        digest.update(library_stamp().encode())
        for name, (place, data) in sorted(self._modules.items()):
            names = json.dumps([self.name, name, place])
            digest.update(hashlib.sha256(names.encode("utf-8", "surrogatepass")).digest())
            digest.update(hashlib.sha256(data).digest())
        return digest.hexdigest()

    # -- the module ----------------------------------------------------------------------------

    def verified(self) -> tuple[Module, Facts]:
        """The module and the verifier's facts."""
        with self._lock:
            if self._verified is None:
                self._verified = self._verify()
            return self._verified

    def _verify(self) -> tuple[Module, Facts]:
        if self._module is None:
            return verified(self.name, self.data, self._modules)
        from hvisa.graph.verifier import verify
        return linked(self._module, verify(self._module), {})

    def own_module(self) -> Module:
        """The module as it was written: imports from the standard library stay imports. With modules
        that were given, they are part of it."""
        if self._module is not None:
            return self._module
        return self.verified()[0] if self._modules else _verified_alone(self.name, self.data)[0]

    def text(self) -> str:
        if self.data and not is_bytecode(self.data) and not self._modules:
            return decoded(self.data, self.name)
        from hvisa.assembler.printer import print_module
        return print_module(self.own_module())

    # -- what is known without the module ------------------------------------------------------

    def _find_index(self) -> dict[str, Any]:
        """Entries and externs; from the cache if this file was verified before."""
        cache = process_cache()
        stored = cache.get(index_key(self.file_digest)) if self.file_digest else None
        if stored is not None:
            found: dict[str, Any] = json.loads(stored)
            return found
        found = make_index(self.verified()[0])
        if self.file_digest:
            cache.put(index_key(self.file_digest), json.dumps(found).encode())
        return found

    def entry_name(self, name: str | None) -> str:
        entries: dict[str, Any] = self.index["entries"]
        listed = ", ".join(f"`{n}`" for n in entries) or "none"
        if name is None:
            if len(self.index["roots"]) == 1:
                return self.index["roots"][0]
            roots = ", ".join(f"`{n}`" for n in self.index["roots"])
            raise fail("HV1009", f"`{self.name}` has {len(self.index['roots'])} nodes that no other "
                       "node uses; which one is meant?",
                       help=f"they are {roots}; entries are {listed}" if roots else f"entries are {listed}")
        name = name.lstrip("@")
        if name in entries:
            return name
        import difflib
        near = difflib.get_close_matches(name, entries, 1)
        raise fail("HV1009", f"`{self.name}` has no entry `{name}`",
                   help=f"did you mean `{near[0]}`?" if near else f"entries are {listed}")

    def signature(self, name: str) -> Signature:
        found = self._signatures.get(name)
        if found is None:
            from hvisa.runtime.layout import Signature
            found = self._signatures[name] = Signature(self.index["entries"][name])
        return found

    # -- launchers -----------------------------------------------------------------------------

    def choose(self, name: str) -> str:
        """The device for calls that name none."""
        if self.device is None and name not in self._chosen:
            self.launcher(name, None)
        return self.device or self._chosen[name]

    def launcher(self, name: str, device: str | None) -> Launcher | None:
        """The launcher of an entry on a device; None for `reference`."""
        self._check_imports(name)
        device = self._chosen.get(name) if device is None else device
        if device is None:
            return self._first_that_takes(name)
        if device == REFERENCE:
            return None
        with self._lock:
            found = self._launchers.get((name, device))
            if found is None:
                found = self._launchers[name, device] = self._make_launcher(name, device)
            return found

    def _first_that_takes(self, name: str) -> Launcher | None:
        declined: HvisaError | None = None
        for device in preferred_devices():
            try:
                found = self.launcher(name, device)
            except HvisaError as error:
                if set(error.codes) != {"HV1103"}:
                    raise
                declined = error
                continue
            if declined is not None:
                log("warning", "@%s runs on `%s`: %s", name, device,
                    declined.diagnostics[0].message)
            self._chosen[name] = device
            return found
        raise AssertionError("`reference` takes every entry")

    def _check_imports(self, name: str) -> None:
        """HV0720 unless every import that an entry needs is resolved."""
        missing: dict[str, str] = self.index["imports"].get(name, {})
        if missing:
            from hvisa.graph.linker import module_help
            raise HvisaError([Diagnostic(
                "HV0720", f"`@{name}` needs `@{imported}` of module \"{module}\", which is not at hand",
                help=module_help(module, self._modules)) for imported, module in missing.items()])

    def artifact(self, name: str, device: str) -> Artifact:
        return find_artifact(self.file_digest, name, device, self.verified,
                             isolate=not self.trusted)

    def _moves_items(self, name: str) -> bool:
        return name in self.index["entries"] and any(
            p.kind == "stream" for p in self.signature(name).ports)

    def translated_nodes(self, name: str) -> list[str]:
        """What is translated for an entry: itself, or its nodes if it moves streams."""
        if not self._moves_items(name):
            return [name]
        from hvisa.runtime.streams import nodes_of
        return nodes_of(self.verified()[0], name)[0]

    def _make_launcher(self, name: str, device: str) -> Launcher:
        if self._moves_items(name):
            return self._stream_launcher(name, device)
        return self._native_launcher(name, device)

    def _stream_launcher(self, name: str, device: str) -> StreamLauncher:
        from hvisa.runtime.streams import StreamLauncher
        from hvisa.translators.registry import make_translator
        make_translator(device)  # an unknown device is an error now, not at the first item
        here = weakref.ref(self)

        def node(callee: str) -> NativeLauncher:
            loaded = here()
            assert loaded is not None
            found = loaded._launchers.get((callee, device))
            if found is None:
                found = loaded._launchers[callee, device] = loaded._native_launcher(callee, device)
            return cast("NativeLauncher", found)
        for callee in self.translated_nodes(name):
            node(callee)  # what is declined is known before the first item
        return StreamLauncher(self.verified()[0], name, node, externs=self.externs,
                              print_sink=self.print_sink)

    def _native_launcher(self, name: str, device: str) -> NativeLauncher:
        from hvisa.runtime.launch import NativeLauncher
        artifact = self.artifact(name, device)
        source = self._source
        known = {place: data for place, data in ((self.name, self.data), *self._modules.values())
                 if not is_bytecode(data)}
        own_name = self.name

        def sources(file: str) -> Source:
            if not file and source is not None:
                return source
            data = known.get(file or own_name)
            return Source(file or own_name, None if data is None else data.decode("utf-8", "replace"))
        return NativeLauncher(artifact, externs=self.externs, print_sink=self.print_sink,
                              sources=sources)


def make_index(module: Module) -> dict[str, Any]:
    """Entries with their signatures, those that no node uses, and the externs that are needed."""
    from hvisa.graph.model import instructions
    from hvisa.translators.native import signature
    entries: dict[str, Any] = {}
    used: set[str] = set()
    for definition in module.definitions.values():
        if definition.body is None:
            continue
        used |= {i.callee for i in instructions(definition.body) if i.callee is not None}
        if definition.public and definition.kind in ("leaf", "graph"):
            entries[definition.name] = signature(definition)
    externs = [d.name for d in module.definitions.values() if getattr(d, "external", False)]
    return {"entries": entries, "roots": [n for n in entries if n not in used], "externs": externs,
            "imports": {n: found for n in entries if (found := _open_imports(module, n))}}


def _open_imports(module: Module, entry: str) -> dict[str, str]:
    """What an entry uses and no module at hand defines, with the module that does."""
    from hvisa.graph.model import instructions
    found: dict[str, str] = {}
    seen = [entry]
    for name in seen:
        definition = module.definitions[name]
        if definition.body is None and definition.source_module is not None:
            found[name] = definition.source_module
        for instr in instructions(definition.body) if definition.body is not None else ():
            if instr.callee in module.definitions and instr.callee not in seen:
                seen.append(instr.callee)
    return found
