"""Where the comments of a text stand, for `hvisa fmt`."""

from __future__ import annotations

import re

# What goes on in the next line: an open bracket or list here, or how that line starts.
_GOES_ON = re.compile(r"[,(\[]$")
_CONTINUES = re.compile(r"[)\]]|->|(?:grid|with)\s*\(|(?:exact|inexact|nondeterministic)\b")


class Comments:
    """The comments of a text by line, and which lines its statements take."""

    def __init__(self, text: str):
        self.own: dict[int, str] = {}  # by line; an empty text is a blank line
        self.trailing: dict[int, str] = {}
        self.code: list[str] = [""]  # the lines without comments and strings, from 1
        string = re.compile(r'"(?:[^"\\\n]|\\.)*"')
        for number, line in enumerate(text.split("\n"), 1):
            bare = string.sub(lambda m: '"' * len(m.group()), line)
            at = bare.find("//")
            code = bare if at < 0 else bare[:at]
            self.code.append(code.strip())
            if not code.strip():
                self.own[number] = line[at:].rstrip() if at >= 0 else ""
            elif at >= 0:
                self.trailing[number] = line[at:].rstrip()
        # Lines of module-level words, which have no place in the model.
        self.words: dict[str, list[int]] = {}
        for number, code in enumerate(self.code):
            for match in re.finditer(r"(?:^|;)\s*(module|feature|math|section)\b", code):
                self.words.setdefault(match[1], []).append(number)

    def line_of(self, word: str) -> int:
        """The line of the next module-level `word`."""
        lines = self.words.get(word)
        return lines.pop(0) if lines else 0

    def last(self, line: int) -> int:
        """The last line of the statement that starts in `line`."""
        while 0 < line < len(self.code):
            following = next((n for n in range(line + 1, len(self.code)) if self.code[n]), 0)
            if not following or not (_GOES_ON.search(self.code[line])
                                     or _CONTINUES.match(self.code[following])):
                break
            line = following
        return line

    def any_in(self, first: int, last: int) -> bool:
        """Whether a comment stands in the lines from `first` up to but without `last`."""
        return any(self.trailing.get(n) or self.own.get(n) for n in range(first, last))
