"""Frames of .mp4 files, through PyAV (`hvisa[video]`), which is imported on first use."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hvisa.diagnostics import fail

ENDING = ".mp4"
FRAMES_PER_SECOND = 25


class Video:
    """Pictures of a file, decoded one after the other as they are asked for."""

    def __init__(self, path: str):
        self.path = path
        self._coming: Iterator[Any] = iter(())
        self._next = 0
        self.count = sum(1 for _ in self._decoded())

    def frame(self, number: int, grey: bool) -> Any:
        """u8 [h, w] or [h, w, 3]; going back starts over."""
        if number < self._next or not self._next:
            self._coming, self._next = self._decoded(), 0
        picture = next(self._coming)
        while self._next < number:
            picture, self._next = next(self._coming), self._next + 1
        self._next = number + 1
        return picture.to_ndarray(format="gray" if grey else "rgb24")

    def _decoded(self) -> Iterator[Any]:
        av = _library(self.path)
        try:
            with av.open(self.path) as container:
                if not container.streams.video:
                    raise fail("HV1021", f"`{self.path}` holds no pictures", help="give a video")
                yield from container.decode(video=0)
        except av.FFmpegError as error:
            raise fail("HV1020", f"`{self.path}` can't be read: {error}",
                       help="check the path") from error


def encode_video(path: str, pictures: Sequence[Any]) -> bytes:
    """An .mp4 of u8 pictures [h, w] or [h, w, 3], all of one size with even sides."""
    av = _library(path)
    shapes = sorted({p.shape for p in pictures})
    if len(shapes) != 1 or shapes[0][0] % 2 or shapes[0][1] % 2 or shapes[0][2:] not in ((), (3,)):
        raise fail("HV1003", f"`{path}` takes pictures of one size with even sides, grey or RGB, and "
                   f"they are {', '.join(map(str, shapes)) or 'none'}", help="give a folder or a .gif")
    file = io.BytesIO()
    with av.open(file, "w", format="mp4") as container:
        stream = container.add_stream("libx264" if "libx264" in av.codecs_available else "mpeg4",
                                      rate=FRAMES_PER_SECOND)
        stream.height, stream.width = shapes[0][:2]
        stream.pix_fmt = "yuv420p"
        for picture in pictures:
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture),
                                               "gray" if picture.ndim == 2 else "rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return file.getvalue()


def _library(path: str) -> Any:
    try:
        import av
    except ImportError as error:
        raise fail("HV1021", f"`{path}` is a video, and PyAV is not installed",
                   help="pip install hvisa[video]") from error
    return av
