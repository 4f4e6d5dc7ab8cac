"""What passes between a translator and the driver of its device."""

from __future__ import annotations

import json
from typing import Any


class Artifact:
    """Code for one entry with what is needed to launch it.

    `code` is opaque to everyone but the device's driver. `metadata` is plain JSON data: argument
    layout, trap sites, resources, cost, notes for `hvisa explain`.
    """

    __slots__ = ("code", "device", "entry", "metadata")

    def __init__(self, device: str, entry: str, code: bytes,
                 metadata: dict[str, Any] | None = None):
        self.device = device
        self.entry = entry
        self.code = code
        self.metadata: dict[str, Any] = metadata if metadata is not None else {}

    def to_bytes(self) -> bytes:
        head = json.dumps({"device": self.device, "entry": self.entry, "metadata": self.metadata},
                          sort_keys=True, separators=(",", ":")).encode()
        return len(head).to_bytes(8, "little") + head + self.code

    @staticmethod
    def from_bytes(data: bytes) -> Artifact:
        size = int.from_bytes(data[:8], "little")
        head = json.loads(data[8:8 + size])
        return Artifact(head["device"], head["entry"], data[8 + size:], head["metadata"])

    def __repr__(self) -> str:
        return f"Artifact(@{self.entry} for {self.device}, {len(self.code)} bytes)"
