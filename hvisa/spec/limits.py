"""Published limits: counts and sizes held against every module, whatever its form (semantics 24, 28)."""

from __future__ import annotations

from hvisa.diagnostics import Diagnostic, Span


class Limit:
    """One limit. `code` is the error given beyond it."""

    __slots__ = ("code", "doc", "help", "name", "value")

    def __init__(self, name: str, value: int, code: str, doc: str,
                 help: str = "split it into several definitions"):
        self.name = name
        self.value = value
        self.code = code
        self.doc = doc
        self.help = help

    def diagnostic(self, found: int, span: Span | None) -> Diagnostic:
        return Diagnostic(self.code, f"{found} {self.doc}; the limit is {self.value}", span,
                          help=self.help)


LIMITS: dict[str, Limit] = {limit.name: limit for limit in (
    Limit("nesting", 256, "HV0801", "regions inside each other"),
    Limit("instructions", 1 << 20, "HV0802", "instructions in one definition"),
    Limit("nodes", 1 << 16, "HV0803", "nodes in one graph"),
    Limit("edges", 1 << 20, "HV0804", "edges in one graph"),
    Limit("definitions", 1 << 16, "HV0805", "definitions in one module",
          "split it into several modules"),
    Limit("ports", 1 << 12, "HV0806", "ports of one definition"),
    Limit("source_bytes", 1 << 28, "HV0807", "bytes of text or bytecode",
          "split it into several modules"),
    Limit("call_depth", 256, "HV0808", "definitions in a chain of calls",
          "let one definition do the work of several"),
    Limit("local_bytes", 1 << 16, "HV0809", "bytes of private arrays in one instance",
          "use `scratch` in the graph, or smaller arrays"),
    Limit("rank", 16, "HV0810", "dimensions of one buffer",
          "put several dimensions into one"),
    Limit("displacement", 1 << 31, "HV0003", "elements of displacement"),
    Limit("extent", 1 << 48, "HV1005", "elements along one dimension, or instances of a grid",
          "use smaller extents"),
    Limit("buffer_bytes", 1 << 62, "HV1005", "bytes of one buffer"),
)}
