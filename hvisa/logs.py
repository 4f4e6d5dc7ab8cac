"""The logger `hvisa`. `HVISA_LOG=debug` (or info, warning) shows its messages on stderr."""

from __future__ import annotations

import os
import sys


def log(level: str, message: str, *details: object) -> None:
    """Log a message ("debug", "info", "warning"). The logging module is imported only if somebody
    may want to hear it."""
    wanted = os.environ.get("HVISA_LOG", "")
    if level in ("debug", "info") and not wanted and "logging" not in sys.modules:
        return
    import logging
    logger = logging.getLogger("hvisa")
    if wanted and not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("hvisa: %(message)s"))
        logger.addHandler(handler)
        logger.setLevel(getattr(logging, wanted.upper(), logging.DEBUG))
    getattr(logger, level)(message, *details)
