"""Texts of a definition or of a request, as they may stand in a line of a terminal."""

from __future__ import annotations

import re

#: Control characters, line separators, and characters that change the direction of writing.
_CONTROLS = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]")


def one_line(text: str) -> str:
    """The text with U+FFFD for each character that could break the line or control a terminal."""
    return _CONTROLS.sub("\ufffd", text)
