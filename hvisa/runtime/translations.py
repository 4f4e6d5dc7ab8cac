"""Artifacts from the cache, or made. Two kinds of keys lead to one:

- the bytes of the file, which need no parsing: the way of a program that ran before;
- the node digest with the names that messages use: the way of a file whose entry did not change.

Both hold everything else that the code depends on: device, CPU, LLVM, and the state of this
package's own files.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hvisa import __version__
from hvisa.logs import log
from hvisa.runtime.cache import Cache, key
from hvisa.translators.artifact import Artifact
from hvisa.translators.llvm.host import cpu_fingerprint, llvm_fingerprint

if TYPE_CHECKING:
    from hvisa.graph.facts import Facts
    from hvisa.graph.model import Module

BUILT_IN = ("x86", "multicore")


@functools.cache
def process_cache() -> Cache:
    """The cache of this process."""
    return Cache()


@functools.cache
def build_fingerprint() -> str:
    """Differs where any file of this package differs: translations of an older state are not used."""
    digest = hashlib.sha256(__version__.encode())
    root = os.path.dirname(os.path.dirname(__file__))
    folders = [os.path.join(root, name) for name in ("spec", "graph", "assembler", "translators")]
    while folders:
        with os.scandir(folders.pop()) as found:
            for entry in sorted(found, key=lambda e: e.name):
                if entry.is_dir():
                    folders.append(entry.path)
                elif entry.name.endswith((".py", ".lark", ".toml")):
                    status = entry.stat()
                    digest.update(f"{entry.path[len(root):]} {status.st_size} "
                                  f"{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def index_key(file_digest: str) -> str:
    """The key of what is known of a file as a whole."""
    return key({"kind": "index", "file": file_digest, "hvisa": build_fingerprint()})


def find_artifact(file_digest: str, entry: str, device: str,
                  verified: Callable[[], tuple[Module, Facts | None]], isolate: bool) -> Artifact:
    """The artifact of an entry for a device. `verified` gives the module, which is asked for only
    if the file's own key misses; "" as `file_digest` says that there is no file."""
    cache = process_cache()
    common = _common_parts(device) | {"entry": entry}
    by_file = key({**common, "kind": "artifact", "file": file_digest}) if file_digest else ""
    data = cache.get(by_file) if by_file else None
    if data is not None:
        log("debug", "@%s for %s: from the cache", entry, device)
        return Artifact.from_bytes(data)
    module, facts = verified()
    by_node = key({**common, "kind": "artifact", "node": _node_key(module, entry)})
    data = cache.get(by_node)
    if data is not None:
        log("debug", "@%s for %s: from the cache, by its node digest", entry, device)
        artifact = Artifact.from_bytes(data)
        _replace_places(artifact, module)
    else:
        from hvisa.translators.registry import make_translator
        translator = make_translator(device, isolate=True) if isolate and device in BUILT_IN \
            else make_translator(device)
        artifact = translator.translate(module, facts, entry, translator.options())  # type: ignore
        _own_places(artifact, module)
        cache.put(by_node, artifact.to_bytes())
        log("info", "@%s for %s: translated, %d bytes", entry, device, len(artifact.code))
    if by_file:
        cache.put(by_file, artifact.to_bytes())
    return artifact


def _common_parts(device: str) -> dict[str, str]:
    version = ""
    if device not in BUILT_IN:  # those are part of the build
        from hvisa.translators.registry import make_translator
        version = make_translator(device).version
    return {"device": device, "cpu": cpu_fingerprint(), "llvm": llvm_fingerprint(),
            "hvisa": build_fingerprint(), "translator": version}


def _node_key(module: Module, entry: str) -> str:
    """The node digest, and a digest of the names that an artifact's metadata holds."""
    from hvisa.assembler.digests import node_digest
    from hvisa.translators.native import signature
    layout = signature(module.definitions[entry])
    del layout["place"]
    names = json.dumps([layout, _closure_names(module, entry)], sort_keys=True)
    return node_digest(module, entry) + hashlib.sha256(names.encode()).hexdigest()


def _closure_names(module: Module, entry: str) -> list[str]:
    from hvisa.graph.model import instructions
    found: dict[str, None] = {entry: None}
    for name in (queue := [entry]):
        body = module.definitions[name].body if name in module.definitions else None
        for instr in instructions(body) if body is not None else ():
            if instr.callee is not None and instr.callee not in found:
                found[instr.callee] = None
                queue.append(instr.callee)
    return list(found)


def _own_places(artifact: Artifact, module: Module) -> None:
    """Leave out the name of the module's own file: the same bytes may lie elsewhere tomorrow."""
    own = module.span.source.name if module.span and module.span.source else None
    spans = [d.span for d in module.definitions.values() if d.span and d.span.source]
    names = {own} | {s.source.name for s in spans if s.source}
    if len(names - {None}) != 1:
        return
    for site in artifact.metadata["sites"]:
        if site.get("file") in names:
            site["file"] = ""


def _replace_places(artifact: Artifact, module: Module) -> None:
    """Lines and columns of trap sites, and the signature, as they are in this module."""
    from hvisa.graph.model import instructions
    from hvisa.translators.native import accessed, signature
    artifact.metadata["signature"] = signature(module.definitions[artifact.entry])
    known: dict[str, list[Any]] = {}
    for site in artifact.metadata["sites"]:
        definition = module.definitions[site["definition"]]
        if site["definition"] not in known:
            known[site["definition"]] = [] if definition.body is None else list(
                instructions(definition.body))
        position = site["position"]
        instr = known[site["definition"]][position] if position >= 0 else None
        span = instr.span if instr is not None else definition.span
        if instr is not None and site["code"] == "HV0902":
            site |= accessed(instr)
        for name in ("file", "line", "column", "length"):
            site.pop(name, None)
        if span is not None and span.line:
            site |= {"file": span.source.name if span.source else "", "line": span.line,
                     "column": span.column, "length": span.length}
    _own_places(artifact, module)
