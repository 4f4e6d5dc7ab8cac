"""The translation cache: content-addressed files, safe between processes without a lock.

An entry is one file, published by renaming, and proves itself by a checksum: a reader sees a whole
entry or none. Any defect is a miss. Translation goes on without a cache where none can be written.

Layout of a file: magic, key (32 bytes), length of the payload (64-bit, little-endian), payload,
SHA-256 of all that.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

MAGIC = b"hvcache\x01"
_KEY_BYTES = 32
_HEADER_BYTES = len(MAGIC) + _KEY_BYTES + 8
_TRAILER_BYTES = 32

DEFAULT_LIMIT_BYTES = 512 << 20
PRUNE_TO = 0.8
# A put in so many prunes. The key decides, so that processes that put a few entries each share
# the work without having to know of each other.
PUTS_PER_PRUNE = 256
TOUCH_S = 3600
# Only a killed process leaves a temporary file for so long.
STALE_S = 3600


class Entry(NamedTuple):
    """A stored entry; `used` is when it was put or last known to be read, in seconds (Unix)."""

    key: str
    size_bytes: int
    used: float


class Stats:
    """What happened to one `Cache`. `defects` are misses because of a damaged or foreign file."""

    __slots__ = ("defects", "hits", "misses", "pruned", "puts")

    def __init__(self) -> None:
        self.hits = self.misses = self.defects = self.puts = self.pruned = 0

    def __repr__(self) -> str:
        return "Stats(" + ", ".join(f"{n}={getattr(self, n)}" for n in self.__slots__) + ")"


def key(parts: Mapping[str, str]) -> str:
    """64 hexadecimal digits for named parts, in whatever order they come.

    Every part that can change the payload has to be among them.
    """
    digest = hashlib.sha256()
    for name in sorted(parts):
        for text in (name, parts[name]):
            coded = text.encode("utf-8", "surrogatepass")
            digest.update(len(coded).to_bytes(8, "little") + coded)
    return digest.hexdigest()


def default_directory() -> Path | None:
    """HVISA_CACHE_DIR, else hvisa in XDG_CACHE_HOME or ~/.cache; None if HVISA_CACHE is "off" or
    there is no home."""
    if _switched_off():
        return None
    chosen = os.environ.get("HVISA_CACHE_DIR")
    if chosen:
        return Path(chosen).absolute()
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):
        return Path(base, "hvisa")
    home = os.path.expanduser("~")
    return Path(home, ".cache", "hvisa") if os.path.isabs(home) else None


class Cache:
    """Payloads by key, in `directory` (default: `default_directory()`), of some `limit_bytes`.

    No method raises because of the state of the disk. The first thing that keeps the cache from
    working is logged once ("hvisa.cache"). Any number of threads and processes may share it.
    """

    def __init__(self, directory: Path | None = None, limit_bytes: int = DEFAULT_LIMIT_BYTES):
        self.directory = directory if directory is not None else default_directory()
        self.limit_bytes = limit_bytes
        self.stats = Stats()
        self._warned = False
        self._trusted = False
        if self.directory is None and not _switched_off():
            self._warn("there is no home directory; set HVISA_CACHE_DIR")

    def get(self, key: str) -> bytes | None:
        """The payload stored for a key, or None."""
        path = self._path(key)
        found = self._read(path, key) if path and self._trust() else None
        if found is None:
            self.stats.misses += 1
        else:
            self.stats.hits += 1
        return found

    def put(self, key: str, payload: bytes) -> None:
        """Stores a payload, for this process and others. Replaces what was there."""
        path = self._path(key)
        if path is None or not self._trust(create=True):
            return
        head = MAGIC + bytes.fromhex(key) + len(payload).to_bytes(8, "little")
        digest = hashlib.sha256(head)
        digest.update(payload)
        try:
            self._publish(path, (head, payload, digest.digest()))
        except OSError as error:
            self._warn("nothing can be stored: %s", error)
            return
        self.stats.puts += 1
        if int(key[-8:], 16) % PUTS_PER_PRUNE == 0:
            self.prune()

    def entries(self) -> list[Entry]:
        """What is stored, by key. Damaged files are listed too: contents are not read."""
        return sorted(Entry(file.name, status.st_size - _HEADER_BYTES - _TRAILER_BYTES,
                            status.st_mtime)
                      for file, status in self._files() if _is_key(file.name))

    def clear(self) -> int:
        """Removes all entries; how many there were. Temporary files of running puts are kept."""
        return sum(_remove(file.path) for file, _ in self._files() if _is_key(file.name))

    def prune(self) -> None:
        """If the limit is passed, removes the entries longest unused down to 80 % of it."""
        files: list[tuple[float, int, str]] = []
        for file, status in self._files():
            if _is_key(file.name):
                files.append((status.st_mtime, status.st_size, file.path))
            elif file.name.endswith(".tmp") and time.time() - status.st_mtime > STALE_S:
                _remove(file.path)
        total = sum(size for _, size, _ in files)
        if total <= self.limit_bytes:
            return
        for _, size, path in sorted(files):
            if total <= self.limit_bytes * PRUNE_TO:
                break
            self.stats.pruned += _remove(path)
            total -= size

    def _path(self, key: str) -> Path | None:
        if not _is_key(key):
            raise ValueError(f"not a cache key: {key!r}")
        return self.directory / key[:2] / key if self.directory else None

    def _read(self, path: Path, key: str) -> bytes | None:
        try:
            # Whatever somebody put there: a pipe must not block, a link must not be followed.
            handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
                             | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        except FileNotFoundError:
            return None
        except OSError:
            self.stats.defects += 1
            return None
        try:
            with open(handle, "rb", buffering=0) as file:
                status = os.fstat(handle)
                data = file.readall() if _is_ours(status) and stat.S_ISREG(status.st_mode) else b""
        except OSError:
            data, status = b"", None
        payload = _payload(data, key)
        if payload is None or status is None:
            self.stats.defects += 1
            _remove(path)
            return None
        if time.time() - status.st_mtime > TOUCH_S:
            with suppress(OSError):
                os.utime(path)
        return payload

    def _publish(self, path: Path, parts: tuple[bytes, ...]) -> None:
        """Writes a file under another name in the same folder, then gives it its own."""
        temporary = path.with_name(f".{path.name[:16]}-{os.urandom(8).hex()}.tmp")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        try:
            handle = os.open(temporary, flags, 0o600)
        except FileNotFoundError:
            # First entry of this folder, or all was removed while we run.
            self._trusted = False
            if not self._trust(create=True):
                return
            path.parent.mkdir(mode=0o700, exist_ok=True)
            handle = os.open(temporary, flags, 0o600)
        try:
            with open(handle, "wb") as file:
                file.writelines(parts)
            os.replace(temporary, path)
        except OSError:
            _remove(temporary)
            raise

    def _trust(self, create: bool = False) -> bool:
        """Whether the directory is there and nobody else can plant code in it."""
        if self._trusted or self.directory is None:
            return self._trusted
        try:
            if create:
                self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            status = os.stat(self.directory)
        except OSError as error:
            # A directory that nobody has put anything into yet is no reason to worry.
            if create or not isinstance(error, FileNotFoundError):
                self._warn("the directory can't be used: %s", error)
            return False
        if not stat.S_ISDIR(status.st_mode):
            self._warn("it is no directory")
        elif not _is_ours(status):
            self._warn("it belongs to another user, who could have put any code there")
        elif os.name == "posix" and status.st_mode & stat.S_IWOTH:
            self._warn("every user can write to it; try `chmod o-w`")
        else:
            self._trusted = True
        return self._trusted

    def _files(self) -> Iterator[tuple[os.DirEntry[str], os.stat_result]]:
        """The files in the cache's folders, as far as they are still there when looked at."""
        if self.directory is None or not self._trust():
            return
        for number in range(256):
            try:
                with os.scandir(self.directory / f"{number:02x}") as folder:
                    files = list(folder)
            except OSError:
                continue
            for file in files:
                with suppress(OSError):
                    yield file, file.stat(follow_symlinks=False)

    def _warn(self, reason: str, *details: object) -> None:
        if self._warned:
            return
        self._warned = True
        import logging
        logging.getLogger("hvisa.cache").warning(
            f"translations are not cached in %s: {reason}", self.directory or "~/.cache", *details)


def _switched_off() -> bool:
    return os.environ.get("HVISA_CACHE", "").lower() == "off"


def _is_key(text: str) -> bool:
    return len(text) == 2 * _KEY_BYTES and not set(text) - set("0123456789abcdef")


def _is_ours(status: os.stat_result) -> bool:
    """Made by this user, or by root, who is trusted anyway. Windows' access lists are not read."""
    return os.name != "posix" or status.st_uid in (os.geteuid(), 0)


def _payload(data: bytes, key: str) -> bytes | None:
    """What a file's bytes hold for a key; None if anything about them is wrong."""
    head = MAGIC + bytes.fromhex(key)
    if len(data) < _HEADER_BYTES + _TRAILER_BYTES or not data.startswith(head):
        return None
    length = int.from_bytes(data[len(head):_HEADER_BYTES], "little")
    if length != len(data) - _HEADER_BYTES - _TRAILER_BYTES:
        return None
    view = memoryview(data)
    if hashlib.sha256(view[:-_TRAILER_BYTES]).digest() != data[-_TRAILER_BYTES:]:
        return None
    return bytes(view[_HEADER_BYTES:-_TRAILER_BYTES])


def _remove(path: Path | str) -> bool:
    """Whether the file was there and is gone."""
    try:
        os.unlink(path)
    except OSError:
        return False
    return True
