"""What a model's answer took -> a line for a reader.

Goes in: a `Usage`. Comes out: text. Pure.
"""

from __future__ import annotations

from rag.types import Usage


def usage_line(usage: Usage) -> str:
    """Model, tokens, seconds to the first words and in all, and the cost where it is known."""
    parts = [usage.model]
    if usage.prompt_tokens is not None:
        parts.append(f"{usage.prompt_tokens:,} + {usage.completion_tokens or 0:,} tokens")
    if usage.first_seconds is not None:
        parts.append(f"first words after {usage.first_seconds:.1f} s")
    parts.append(f"{usage.total_seconds:.1f} s in all")
    if usage.cost is not None:
        parts.append(f"cost {usage.cost:.6f}".rstrip("0").rstrip("."))
    return " · ".join(parts)
