"""`Program`: a loaded module and its entries, which are called like functions."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hvisa.diagnostics import Diagnostic, HvisaError, Source, fail
from hvisa.logs import log
from hvisa.runtime.devices import REFERENCE, preferred_devices
from hvisa.runtime.externs import check_externs
from hvisa.runtime.markers import OPTIONS, UNUSUAL
from hvisa.runtime.translations import find_artifact, index_key, process_cache

if TYPE_CHECKING:
    from hvisa.graph.facts import Facts
    from hvisa.graph.model import Module
    from hvisa.runtime.launch import NativeLauncher
    from hvisa.runtime.layout import Signature
    from hvisa.translators.artifact import Artifact

Extern = Callable[..., Any]


def load(source: str | bytes | os.PathLike[str], *, device: str | None = None,
         externs: Mapping[str, Extern] | None = None, trusted: bool = True,
         print_sink: Callable[[str], None] | None = None) -> Program:
    """A program from a file, from bytes (`.hvbc` or text) or from a text with line ends or braces.

    `device` is where its entries run (default: the best that takes them); `externs` are the host
    functions that it may call, by name; `trusted=False` keeps the translator of a stranger's
    program out of this process. Raises HvisaError with every mistake in the program.
    """
    name, data = _read(source)
    return Program(_Loaded(name, data, device, externs or {}, trusted, print_sink))


def _read(source: str | bytes | os.PathLike[str]) -> tuple[str, bytes]:
    if isinstance(source, (bytes, bytearray, memoryview)):
        return "<bytes>", bytes(source)
    path = os.fspath(source)
    if isinstance(source, str) and ("\n" in path or "{" in path):
        return "<text>", path.encode("utf-8", "surrogatepass")
    return path, _read_file(path)


def _read_file(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise fail("HV1020", f"`{path}` can't be read: {error.strerror}",
                   help="give the path of a .hvasm or .hvbc file") from error


def read_text(path: str) -> str:
    """The text of a file. HV1020 if it can't be read or is no UTF-8 text."""
    return _decoded(_read_file(path), path)


def check_file(path: str) -> None:
    """Raises HvisaError with every mistake in a program, externs not asked for."""
    verified(path, _read_file(path))


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise fail("HV1020", f"`{name}` is neither bytecode nor UTF-8 text (byte {error.start})",
                   help="give a .hvasm or .hvbc file") from error


def verified(name: str, data: bytes) -> tuple[Module, Facts]:
    """The module that a file holds, and the verifier's facts."""
    from hvisa.graph.verifier import verify
    errors: list[Diagnostic] = []
    if is_bytecode(data):
        from hvisa.assembler.decoder import decode
        module = decode(data, name)
    else:
        from hvisa.assembler.parser import parse
        module = parse(_decoded(data, name), name, errors)
    return module, verify(module, extra=errors)


def is_bytecode(data: bytes) -> bool:
    """Whether these are the bytes of a `.hvbc` file; else they are text."""
    from hvisa.assembler.layout import MAGIC
    return data.startswith(MAGIC)


class Program:
    """A module that can be run. Dropping it, and the entries taken from it, frees its code."""

    def __init__(self, loaded: _Loaded):
        self._loaded = loaded

    @staticmethod
    def from_module(module: Module, *, device: str | None = None,
                    externs: Mapping[str, Extern] | None = None) -> Program:
        """A program from a module in memory. The module may not be changed afterwards."""
        sources = [d.span.source for d in module.definitions.values() if d.span and d.span.source]
        name = sources[0].name if sources else module.name or "<module>"
        return Program(_Loaded(name, b"", device, externs or {}, True, None, module,
                               sources[0] if sources else None))

    @property
    def entries(self) -> list[str]:
        """Names of the nodes that can be called, in the program's order."""
        return list(self._loaded.index["entries"])

    def entry(self, name: str | None = None) -> Entry:
        """An entry by name; without one, the only public node that no other node uses. HV1009 if
        there is no such entry."""
        return Entry(self._loaded, self._loaded.entry_name(name))

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """The same as `entry()(...)`."""
        return self.entry()(*arguments, **named)

    @property
    def module(self) -> Module:
        """The module, parsed and verified. It may not be changed."""
        return self._loaded.verified()[0]

    @property
    def facts(self) -> Facts:
        """What the verifier found out."""
        return self._loaded.verified()[1]

    @property
    def text(self) -> str:
        """The program as text: as it was written, or printed from bytecode."""
        return self._loaded.text()

    def artifact(self, entry: str, device: str) -> Artifact:
        """The translation of an entry for a device: from the cache, or made now."""
        return self._loaded.artifact(entry, device)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the program as bytecode (`.hvbc`) or text (`.hvasm`). The file appears whole or not
        at all."""
        name = os.fspath(path)
        if name.endswith(".hvbc"):
            from hvisa.assembler.encoder import encode
            data = encode(self.module)
        elif name.endswith(".hvasm"):
            data = self.text.encode()
        else:
            raise fail("HV1021", f"`{name}` does not tell what to write",
                       help="end it with .hvbc for bytecode or .hvasm for text")
        write_whole(name, data)

    def __repr__(self) -> str:
        return f"Program({self._loaded.name!r}, entries {', '.join(self.entries)})"


def write_whole(path: str, data: bytes) -> None:
    """Write a file that appears whole or not at all. HV1022 if it can't be written."""
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError as error:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise fail("HV1022", f"`{path}` can't be written: {error.strerror}",
                   help="choose a folder that exists and that you may write to") from error


class Entry:
    """A node that is called like a function, with values for its ports by position or name.

    Gives None, the only value, or a named tuple of the written ports and then the results. An
    `inout` array is updated in place and given back.
    """

    __slots__ = ("_calls", "_fast", "_loaded", "name")

    def __init__(self, loaded: _Loaded, name: str):
        self.name = name
        self._loaded = loaded
        self._fast: Callable[..., Any] | None = None
        self._calls = 0

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Launch. Besides ports, `named` takes `out={name: array}`, `copy=True` (leave `inout`
        arrays as they are), `timeout=` seconds and `device=`; a port of such a name goes by
        position or through `run`."""
        # Both at once may give one port twice, which the general path explains.
        if self._fast is not None and not (arguments and named):
            found = self._fast(*arguments, **named)
            if found is not UNUSUAL:
                return found
        taken = [p.name for p in self.signature.taken]
        passed = _by_name(self.name, taken, arguments, named)
        options = {n: passed.pop(n) for n in OPTIONS if n in passed and n not in taken}
        return self.run(passed, **options)

    def run(self, arguments: Mapping[str, Any], *, out: Mapping[str, Any] | None = None,
            copy: bool = False, timeout: float | None = None, device: str | None = None) -> Any:
        """The same with the ports' values in a mapping."""
        values = self.values(arguments, out=out, copy=copy, timeout=timeout, device=device)
        if len(values) < 2:
            return values[0] if values else None
        return self.signature.returned_type(*values)

    def values(self, arguments: Mapping[str, Any], *, out: Mapping[str, Any] | None = None,
               copy: bool = False, timeout: float | None = None,
               device: str | None = None) -> list[Any]:
        """The same as a list, however many there are."""
        return self._launch(arguments, out, copy, timeout, device or self._loaded.device)

    def run_reference(self, arguments: Mapping[str, Any], *,
                      print_sink: Callable[[str], None] | None = None,
                      timeout: float | None = None, **options: Any) -> list[Any]:
        """The same on `reference`; `options` are the interpreter's: `check_races`,
        `trace_instance`."""
        from hvisa.runtime.arguments import bind
        from hvisa.runtime.reference import interpret
        bound = bind(self.signature, arguments, None, False)
        return interpret(self._loaded.verified()[0], bound, externs=self._loaded.externs,
                         print_sink=print_sink or self._loaded.print_sink, timeout=timeout, **options)

    @property
    def signature(self) -> Signature:
        """Ports and results, with types and shapes."""
        return self._loaded.signature(self.name)

    @property
    def device(self) -> str:
        """The device that a call without `device=` runs on."""
        return self._loaded.choose(self.name)

    def _launch(self, arguments: Mapping[str, Any], out: Mapping[str, Any] | None, copy: bool,
                timeout: float | None, device: str | None) -> list[Any]:
        from hvisa.runtime.arguments import bind
        bound = bind(self.signature, arguments, out, copy)
        launcher = self._loaded.launcher(self.name, device)
        if launcher is None:
            from hvisa.runtime.reference import interpret
            return interpret(self._loaded.verified()[0], bound, externs=self._loaded.externs,
                             print_sink=self._loaded.print_sink, timeout=timeout)
        values = launcher.launch(bound, timeout)
        self._calls += 1
        if self._calls == 2 and device == self._loaded.device:
            # Not worth its making for a program that runs once.
            from hvisa.runtime.fast_call import make_fast_call
            self._fast = make_fast_call(launcher)
        return values

    def __repr__(self) -> str:
        ports = ", ".join(f"{p.direction} {p.name}: {p.text}" for p in self.signature.ports)
        return f"Entry(@{self.name}({ports}))"


def _by_name(entry: str, taken: Sequence[str], arguments: Sequence[Any],
             named: Mapping[str, Any]) -> dict[str, Any]:
    """Positional and named values together."""
    if len(arguments) > len(taken):
        raise fail("HV1001", f"`@{entry}` takes {len(taken)} values, {len(arguments)} given",
                   help=f"it takes {', '.join(f'`{n}`' for n in taken) or 'none'}")
    found = dict(zip(taken, arguments, strict=False))
    twice = [n for n in found if n in named]
    if twice:
        raise fail("HV1001", f"`@{entry}` gets `{twice[0]}` by position and by name",
                   help="leave one of them out")
    return {**found, **named}


class _Loaded:
    """What a program and its entries share: the source, what is known of it, launchers by entry and
    device. It refers to neither, so that both are freed as soon as they are dropped."""

    def __init__(self, name: str, data: bytes, device: str | None, externs: Mapping[str, Extern],
                 trusted: bool, print_sink: Callable[[str], None] | None,
                 module: Module | None = None, source: Source | None = None):
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
        self._launchers: dict[tuple[str, str], NativeLauncher | None] = {}
        self._chosen: dict[str, str] = {}
        self._signatures: dict[str, Signature] = {}
        self.file_digest = hashlib.sha256(data).hexdigest() if module is None else ""
        self.index = self._find_index()
        check_externs(self.index["externs"], self.externs, f"`{name}`")

    # -- the module ----------------------------------------------------------------------------

    def verified(self) -> tuple[Module, Facts]:
        """The module and the verifier's facts."""
        with self._lock:
            if self._verified is None:
                self._verified = self._verify()
            return self._verified

    def _verify(self) -> tuple[Module, Facts]:
        if self._module is None:
            return verified(self.name, self.data)
        from hvisa.graph.verifier import verify
        return self._module, verify(self._module)

    def text(self) -> str:
        if self.data and not is_bytecode(self.data):
            return _decoded(self.data, self.name)
        from hvisa.assembler.printer import print_module
        return print_module(self.verified()[0])

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
            raise fail("HV1009", f"`{self.name}` has {len(self.index['roots'])} nodes that no other "
                       "node uses; which one is meant?", help=f"entries are {listed}")
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

    def launcher(self, name: str, device: str | None) -> NativeLauncher | None:
        """The launcher of an entry on a device; None for `reference`."""
        device = device or self._chosen.get(name)
        if device is None:
            return self._first_that_takes(name)
        if device == REFERENCE:
            return None
        with self._lock:
            found = self._launchers.get((name, device))
            if found is None:
                found = self._launchers[name, device] = self._make_launcher(name, device)
            return found

    def _first_that_takes(self, name: str) -> NativeLauncher | None:
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

    def artifact(self, name: str, device: str) -> Artifact:
        return find_artifact(self.file_digest, name, device, self.verified,
                             isolate=not self.trusted)

    def _make_launcher(self, name: str, device: str) -> NativeLauncher:
        from hvisa.runtime.launch import NativeLauncher
        artifact = self.artifact(name, device)
        own_name, data, source = self.name, self.data, self._source

        def sources(file: str) -> Source:
            if file:
                return Source(file)
            if source is not None:
                return source
            return Source(own_name, None if is_bytecode(data) else data.decode("utf-8", "replace"))
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
    return {"entries": entries, "roots": [n for n in entries if n not in used], "externs": externs}
