"""What a PDF may be and what reading it may take."""

from __future__ import annotations

BYTES = 20 << 20
PAGES = 40
MEMORY = 1 << 30
SECONDS = 20
OUTPUT = 8 << 20
