"""One child process of a `Builder`, as its parent sees it: start, ask with a time limit, end."""

from __future__ import annotations

import importlib.util
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress

from hvisa.diagnostics import fail
from hvisa.translators.llvm.worker import LENGTH

# `-I -S`: neither the current folder nor the environment decides what the child imports, and the
# start is 30 ms shorter. It gets the two folders that it needs.
_BOOTSTRAP = ("import sys; sys.path += sys.argv[1:]; "
              "from hvisa.translators.llvm.worker import main; main()")
_CHUNK = 1 << 16
_LARGEST_ANSWER = 1 << 30


class ChildLost(Exception):
    """The child gave no answer. The text says what became of it."""

    def __init__(self, reason: str, timed_out: bool = False):
        super().__init__(reason)
        self.timed_out = timed_out


class Child:
    """A running child. Only one thread may use it at a time."""

    def __init__(self) -> None:
        if not hasattr(select, "poll"):
            raise fail("HV1109", f"translation in a child process is not supported on "
                       f"{sys.platform}")
        self.jobs_done = 0
        self.usable = True
        self._messages = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the child
        try:
            # Its own process group: Ctrl-C at the terminal is the parent's to handle.
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _BOOTSTRAP, *_import_folders()],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._messages,
                bufsize=0, process_group=0)
        except OSError as error:
            self._messages.close()
            raise fail("HV1106", f"the translator's process can't be started: {error}") from error
        assert self._process.stdin and self._process.stdout
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        os.set_blocking(self._stdin.fileno(), False)
        os.set_blocking(self._stdout.fileno(), False)

    def ask(self, request: bytes, timeout_s: float) -> tuple[int, bytes]:
        """The kind and body of the answer; `ChildLost` if none comes, and the child is ended."""
        # Anything that interrupts the exchange leaves half a message behind.
        self.usable = False
        try:
            answer = self._exchange(request, time.monotonic() + timeout_s)
        finally:
            if not self.usable:
                self._kill()
        self.jobs_done += 1
        return answer[LENGTH.size], answer[LENGTH.size + 1:]

    def close(self) -> None:
        """Ends the child, which is idle or already lost."""
        self.usable = False
        self._stdin.close()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._kill()
        self._stdout.close()
        self._messages.close()

    def forget(self) -> None:
        """In a forked process: lets go of a child that belongs to the parent."""
        self.usable = False
        for file in (self._stdin, self._stdout, self._messages):
            # Another thread of the parent may have been closing it.
            with suppress(OSError, ValueError):
                file.close()
        # Its exit status is the parent's to fetch.
        self._process.returncode = 0

    def _exchange(self, request: bytes, deadline: float) -> bytes:
        rest = memoryview(request)
        answer = bytearray()
        poll = select.poll()
        poll.register(self._stdout, select.POLLIN)
        poll.register(self._stdin, select.POLLOUT)
        while True:
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                raise ChildLost("it did not end in the time allowed", timed_out=True)
            for handle, _ in poll.poll(left_s * 1000):
                if handle == self._stdout.fileno():
                    self._receive(answer)
                    continue
                rest = rest[self._send(rest):]
                if not rest:
                    poll.unregister(handle)
            if _complete(answer):
                self.usable = True
                return bytes(answer)

    def _send(self, rest: memoryview) -> int:
        try:
            return os.write(self._stdin.fileno(), rest[:_CHUNK])
        except BrokenPipeError:
            raise self._lost() from None

    def _receive(self, answer: bytearray) -> None:
        part = os.read(self._stdout.fileno(), _CHUNK)
        if not part:
            raise self._lost()
        answer += part

    def _lost(self) -> ChildLost:
        """What became of a child whose pipes ended."""
        try:
            status = self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            return ChildLost("it stopped answering")
        how = f"it ended with status {status}"
        if status < 0:
            with suppress(ValueError):
                how = f"it was ended by {signal.Signals(-status).name}"
        self._messages.seek(0, os.SEEK_END)
        self._messages.seek(max(0, self._messages.tell() - 4000))
        lines = self._messages.read().decode("utf-8", "replace").strip().splitlines()
        said = [line for line in lines if line.startswith("LLVM ERROR")] or lines[-1:]
        return ChildLost(f"{how} ({said[0]})" if said else how)

    def _kill(self) -> None:
        self._process.kill()
        self._process.wait()


def _complete(answer: bytearray) -> bool:
    if len(answer) < LENGTH.size:
        return False
    (length,) = LENGTH.unpack_from(answer)
    if not 0 < length <= _LARGEST_ANSWER or len(answer) > LENGTH.size + length:
        raise ChildLost("its answer makes no sense")
    return len(answer) == LENGTH.size + length


def _import_folders() -> list[str]:
    """Where the child finds hvisa and llvmlite."""
    folders: list[str] = []
    for package in ("hvisa", "llvmlite"):
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            raise fail("HV1109", f"the package `{package}` is not installed",
                       help=f"pip install {package}")
        folders.append(os.path.dirname(os.path.dirname(os.path.abspath(spec.origin))))
    return folders
