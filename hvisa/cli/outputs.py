"""Outputs of `hvisa run`: to files by their ending, or printed. A file appears whole or not at all."""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any, cast

import numpy as np

from hvisa.cli import video
from hvisa.diagnostics import fail
from hvisa.files import write_whole
from hvisa.runtime.layout import Signature

_MOST_PRINTED = 1_000_000
_KINDS = (".npy", ".npz", ".png", ".gif", video.ENDING)


class Outputs:
    """Takes what each launch made. `words` say where an output goes, by port."""

    def __init__(self, signature: Signature, words: Mapping[str, str], as_json: bool):
        self._names = [p.name for p in signature.returned]
        self._files = {n: _place(w) for n, w in words.items()}
        self._streams = {p.name for p in signature.returned if p.kind == "stream"}
        self._json = as_json
        self._made: dict[str, list[Any]] = {n: [] for n in words}
        self._printed: list[dict[str, Any]] = []
        for name in words:
            if name not in self._names:
                listed = ", ".join(f"`{n}`" for n in self._names) or "none"
                raise fail("HV1001", f"`@{signature.entry}` has no output `{name}`",
                           help=f"outputs are {listed}")

    def take(self, values: Sequence[Any]) -> None:
        """The written ports and results of one launch, in order."""
        rest: dict[str, Any] = {}
        for name, value in zip(self._names, values, strict=True):
            if name not in self._files:
                rest[name] = value
                continue
            # An array that the next launch updates in place is kept as it is now.
            if name in self._streams:
                self._made[name] += value
            else:
                self._made[name].append(np.array(value))
        self._printed.append(rest)
        if not self._json:
            head = f"frame {len(self._printed) - 1}: " if len(self._printed) > 1 else ""
            for name, value in rest.items():
                print(f"{head}{name} = {_shown(value)}")
        elif rest:
            self._printed[-1] = {n: _plain(n, v) for n, v in rest.items()}

    def close(self) -> None:
        """Write the files; print the JSON."""
        packed: dict[str, dict[str, Any]] = {}
        for name, (path, scaled) in self._files.items():
            frames = self._made[name]
            many = name in self._streams or len(frames) != 1
            if path.endswith(".npz"):
                packed.setdefault(path, {})[name] = _stacked(path, frames, many)
            else:
                write_output(path, scaled, frames, many)
        for path, arrays in packed.items():
            write_whole(path, _bytes(lambda file, a=arrays: np.savez(file, **a)))
        if self._json:
            rounds = self._printed
            print(json.dumps({"ok": True, "outputs": rounds[0] if len(rounds) == 1 else rounds,
                              "files": {n: p for n, (p, _) in self._files.items()}},
                             allow_nan=False))


def _shown(value: Any) -> str:
    if isinstance(value, list):
        items = [_shown(v) for v in cast("list[Any]", value)]
        return f"[{(', ' if not any(np.ndim(v) for v in value) else f',{chr(10)} ').join(items)}]"
    return np.array2string(value, separator=", ") if isinstance(value, np.ndarray) else str(value)


def _plain(name: str, value: Any) -> Any:
    size = sum(np.size(v) for v in value) if isinstance(value, list) else np.size(value)
    if size > _MOST_PRINTED:
        raise fail("HV1021", f"`{name}` has {size} elements, too many to print",
                   help=f"write it to a file: `--output {name}={name}.npy`")
    if isinstance(value, list):
        return [_plain(name, v) for v in value]
    array = np.asarray(value)
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        return _spelled(array.tolist())
    return array.tolist()


def _spelled(value: Any) -> Any:
    """JSON has no numbers for what is not finite: these become "nan", "inf" and "-inf"."""
    if isinstance(value, list):
        return [_spelled(v) for v in cast("list[Any]", value)]
    return value if isfinite(value) else str(value)


def _place(word: str) -> tuple[str, bool]:
    """Path, and whether floats from 0 to 1 are meant (`PATH:f32`)."""
    path, colon, suffix = word.rpartition(":")
    return (path, True) if colon and suffix in ("f16", "f32", "f64") else (word, False)


def _stacked(path: str, frames: Sequence[Any], many: bool) -> Any:
    """One array: the only frame, or all of them along a new first axis."""
    if not many:
        return frames[0]
    shapes = sorted({np.shape(f) for f in frames})
    if len(shapes) > 1:
        raise fail("HV1003", f"`{path}` holds items of one shape, and there are "
                   f"{list(shapes[0])} and {list(shapes[-1])}", help="give a folder")
    return np.stack(frames) if frames else np.empty(0)


def write_output(path: str, scaled: bool, frames: Sequence[Any], many: bool = False) -> None:
    """Write the versions of one output, by the ending of the path; without one, into a folder.
    With `many` they are stacked, even a single one."""
    ending = os.path.splitext(path)[1].lower()
    if not ending:
        _write_folder(path, scaled, frames)
    elif ending == ".npy":
        whole = _stacked(path, frames, many)
        write_whole(path, _bytes(lambda file: np.save(file, whole)))
    elif ending in (".gif", ".png") and not frames:
        raise fail("HV1021", f"`{path}` holds at least one image, and there are none",
                   help="give a folder or a .npy")
    elif ending == ".gif" or (ending == ".png" and len(frames) == 1):
        write_whole(path, _image(path, frames, scaled, ending[1:]))
    elif ending == video.ENDING:
        write_whole(path, video.encode_video(path, [_pixels(path, f, scaled).astype(np.uint8) * (
            255 if f.dtype == np.bool else 1) for f in frames]))
    elif ending == ".png":
        raise fail("HV1021", f"`{path}` holds one image, and there are {len(frames)}",
                   help="give a folder, a .gif or a .npy")
    else:
        raise fail("HV1021", f"`{path}` does not tell what to write",
                   help=f"outputs end in {', '.join(_KINDS)}, or name a folder")


def _bytes(save: Callable[[io.BytesIO], object]) -> bytes:
    file = io.BytesIO()
    save(file)
    return file.getvalue()


def _image(path: str, frames: Sequence[Any], scaled: bool, kind: str) -> bytes:
    from PIL import Image
    images = [Image.fromarray(_pixels(path, f, scaled)) for f in frames]
    file = io.BytesIO()
    more: dict[str, Any] = {"save_all": True, "append_images": images[1:]} if kind == "gif" else {}
    images[0].save(file, format=kind, **more)
    return file.getvalue()


def _pixels(path: str, array: Any, scaled: bool) -> Any:
    """u8 or black-and-white pixels; anything else is refused, not guessed."""
    if scaled and array.dtype.kind == "f":
        array = np.rint(np.clip(array, 0, 1) * 255).astype(np.uint8)
    if array.dtype not in (np.uint8, np.bool):
        help = f"write `{path}:f32` to scale 0..1 to 0..255" if array.dtype.kind == "f" else \
            "write a .npy instead"
        raise fail("HV1002", f"`{path}` takes u8 or i1, and the output is {array.dtype}", help=help)
    if not (array.ndim == 2 or (array.ndim == 3 and array.shape[2] in (3, 4))):
        raise fail("HV1003", f"`{path}` takes [h, w], [h, w, 3] or [h, w, 4], and the output has "
                   f"shape {list(array.shape)}", help="write a .npy instead")
    return array


def _write_folder(path: str, scaled: bool, frames: Sequence[Any]) -> None:
    """One file a frame: .png for images, else .npy. The folder appears whole."""
    if os.path.isdir(path) and os.listdir(path):
        raise fail("HV1022", f"the folder `{path}` is not empty", help="choose another one")
    temporary = f"{path.rstrip(os.sep)}.{os.getpid()}.tmp"
    try:
        os.makedirs(temporary)
        for number, frame in enumerate(frames):
            picture = scaled or (frame.dtype in (np.uint8, np.bool) and frame.ndim in (2, 3))
            write_output(os.path.join(temporary, f"{number:05}{'.png' if picture else '.npy'}"),
                         scaled, [frame])
        os.replace(temporary, path)
    except OSError as error:
        raise fail("HV1022", f"`{path}` can't be written: {error.strerror}",
                   help="choose another place") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
