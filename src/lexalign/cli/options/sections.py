"""Sections in which the help of a command shows its options; those of no section come first."""

from typing import Final

OPTIONS: Final = "Options"
TERMS: Final = "Terms"
RESULTS: Final = "Results and reports"
TEXT: Final = "What is kept and checked"
COLUMNS: Final = "Formats and columns"
DOCUMENT: Final = "Formats of documents"
MEMORY: Final = "Translation memories"
SEARCH: Final = "Search"
ALIGNMENT: Final = "Alignment"
SPEED: Final = "Speed and memory"
RAY: Final = "Ray clusters"
NETWORK: Final = "Who may connect"
LIMITS: Final = "Limits and timeouts"
LOG: Final = "Logs and traces"

ORDER: Final = (
    OPTIONS,
    TERMS,
    RESULTS,
    COLUMNS,
    DOCUMENT,
    MEMORY,
    TEXT,
    SEARCH,
    ALIGNMENT,
    SPEED,
    RAY,
    NETWORK,
    LIMITS,
    LOG,
)
