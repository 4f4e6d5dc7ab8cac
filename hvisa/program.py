"""`Program`: a loaded module and its entries, which are called like functions."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from hvisa.diagnostics import fail, plural
from hvisa.files import read_source, write_whole
from hvisa.loaded import Extern, Loaded, read_modules
from hvisa.runtime.markers import OPTIONS, UNUSUAL

if TYPE_CHECKING:
    from hvisa.graph.facts import Facts
    from hvisa.graph.model import Module
    from hvisa.runtime.launch import NativeLauncher
    from hvisa.runtime.layout import Signature
    from hvisa.translators.artifact import Artifact


def load(source: str | bytes | os.PathLike[str], *, device: str | None = None,
         externs: Mapping[str, Extern] | None = None, trusted: bool = True,
         print_sink: Callable[[str], None] | None = None,
         modules: Mapping[str, str | bytes | os.PathLike[str]] | None = None) -> Program:
    """A program from a file, from bytes (`.hvbc` or text) or from a text with line ends or braces.

    `device` is where its entries run (default: the best that takes them); `externs` are the host
    functions that it may call, by name; `trusted=False` keeps the translator of a stranger's
    program out of this process; `modules` are those that it and they import from, by name, each a
    path, bytes or a text. Raises HvisaError with every mistake in the program.
    """
    name, data = read_source(source)
    return Program(Loaded(name, data, device, {} if externs is None else externs, trusted, print_sink,
                          modules=read_modules(modules)))


class Program:
    """A module that can be run. Dropping it, and the entries taken from it, frees its code."""

    def __init__(self, loaded: Loaded):
        self._loaded = loaded

    @staticmethod
    def from_module(module: Module, *, device: str | None = None,
                    externs: Mapping[str, Extern] | None = None) -> Program:
        """A program from a module in memory. The module may not be changed afterwards."""
        sources = [d.span.source for d in module.definitions.values() if d.span and d.span.source]
        name = sources[0].name if sources else module.name or "<module>"
        return Program(Loaded(name, b"", device, {} if externs is None else externs, True, None, module,
                               sources[0] if sources else None))

    @property
    def entries(self) -> list[str]:
        """Names of the nodes that can be called, in the program's order."""
        return list(self._loaded.index["entries"])

    @property
    def roots(self) -> list[str]:
        """Entries that no other node uses."""
        return list(self._loaded.index["roots"])

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

    def artifacts(self, entry: str, device: str) -> list[Artifact]:
        """All that an entry needs: its own translation, or those of its nodes if it moves streams."""
        return [self.artifact(n, device) for n in self._loaded.translated_nodes(entry)]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the program as bytecode (`.hvbc`) or text (`.hvasm`). The file appears whole or not
        at all."""
        name = os.fspath(path)
        if name.endswith(".hvbc"):
            from hvisa.assembler.encoder import encode
            # The lines of a program in another language are its only trace of what was written.
            compiled = any(d.span and d.span.source and d.span.source.language != "hvasm"
                           for d in self._loaded.own_module().definitions.values())
            data = encode(self._loaded.own_module(), source_map=True if compiled else None)
        elif name.endswith(".hvasm"):
            data = self.text.encode()
        else:
            raise fail("HV1021", f"`{name}` does not tell what to write",
                       help="end it with .hvbc for bytecode or .hvasm for text")
        write_whole(name, data)

    def __repr__(self) -> str:
        return f"Program({self._loaded.name!r}, entries {', '.join(self.entries)})"


class Entry:
    """A node that is called like a function, with values for its ports by position or name.

    Gives None, the only value, or a named tuple of the written ports and then the results. An
    `inout` array is updated in place and given back.
    """

    __slots__ = ("_calls", "_fast", "_loaded", "name")

    def __init__(self, loaded: Loaded, name: str):
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
            copy: bool = False, timeout: float | None = None, device: str | None = None,
            trace_instance: Any = None) -> Any:
        """The same with the ports' values in a mapping. `trace_instance` follows one instance on
        `reference`, by its grid ids, `(1, 2)`, or a leaf's name and them, `("leaf", (1, 2))`: what it
        runs and computes goes to the program's `print_sink`."""
        values = self.values(arguments, out=out, copy=copy, timeout=timeout, device=device,
                             trace_instance=trace_instance)
        if len(values) < 2:
            return values[0] if values else None
        return self.signature.returned_type(*values)

    def values(self, arguments: Mapping[str, Any], *, out: Mapping[str, Any] | None = None,
               copy: bool = False, timeout: float | None = None, device: str | None = None,
               trace_instance: Any = None) -> list[Any]:
        """The same as a list, however many there are."""
        return self._launch(arguments, out, copy, timeout,
                            self._loaded.device if device is None else device, trace_instance)

    def run_reference(self, arguments: Mapping[str, Any], *,
                      print_sink: Callable[[str], None] | None = None,
                      timeout: float | None = None, **options: Any) -> list[Any]:
        """The same on `reference`; `options` are the interpreter's: `check_races`,
        `trace_instance`, `trace_sink`."""
        from hvisa.runtime.arguments import bind
        from hvisa.runtime.options import check_timeout
        from hvisa.runtime.reference import interpret
        check_timeout(timeout)
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
                timeout: float | None, device: str | None, trace_instance: Any) -> list[Any]:
        from hvisa.runtime.arguments import bind
        from hvisa.runtime.options import check_call, check_followed, read_instance
        check_call(out, copy, timeout, device)
        if trace_instance is not None:
            trace_instance = read_instance(trace_instance)
            check_followed(device)
        bound = bind(self.signature, arguments, out, copy)
        launcher = self._loaded.launcher(self.name, device) if trace_instance is None else None
        if launcher is None:
            from hvisa.runtime.reference import interpret
            return interpret(self._loaded.verified()[0], bound, externs=self._loaded.externs,
                             print_sink=self._loaded.print_sink, timeout=timeout,
                             trace_instance=trace_instance)
        values = launcher.launch(bound, timeout)
        self._calls += 1
        if self._calls == 2 and device == self._loaded.device and not launcher.moves_items:
            # Not worth its making for a program that runs once.
            from hvisa.runtime.fast_call import make_fast_call
            self._fast = make_fast_call(cast("NativeLauncher", launcher))
        return values

    def __repr__(self) -> str:
        ports = ", ".join(f"{p.direction} {p.name}: {p.text}" for p in self.signature.ports)
        return f"Entry(@{self.name}({ports}))"


def _by_name(entry: str, taken: Sequence[str], arguments: Sequence[Any],
             named: Mapping[str, Any]) -> dict[str, Any]:
    """Positional and named values together."""
    if len(arguments) > len(taken):
        raise fail("HV1001", f"`@{entry}` takes {plural(len(taken), 'value')}, {len(arguments)} given",
                   help=f"it takes {', '.join(f'`{n}`' for n in taken) or 'none'}")
    found = dict(zip(taken, arguments, strict=False))
    twice = [n for n in found if n in named]
    if twice:
        raise fail("HV1001", f"`@{entry}` gets `{twice[0]}` by position and by name",
                   help="leave one of them out")
    return {**found, **named}
