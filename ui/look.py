"""How the page looks and behaves in the browser: theme, style sheets, scripts.

Goes in: the files of static/. Comes out: the options of Gradio's launch and mount. Knows nothing
of papers; imports Gradio only inside its functions.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

STATIC = Path(__file__).parent / "static"
# In the order in which they are read: what comes first is used by what follows.
SHEETS = ("page.css", "chat.css", "papers.css")
# Read by the browser as it stands; the reason is in the file.
RAW_SHEET = "views.css"
SCRIPTS = (
    *("page.js", "evidence.js", "kept.js", "talks.js", "chosen.js"),
    *("chat.js", "library.js", "keys.js"),
)
DELIMITERS: list[dict[str, str | bool]] = [
    {"left": r"\(", "right": r"\)", "display": False},
    {"left": r"\[", "right": r"\]", "display": True},
]
SYSTEM_FONTS = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Liberation Sans", "sans-serif")
MONO_FONTS = ("ui-monospace", "SFMono-Regular", "Menlo", "Liberation Mono", "monospace")


def safe_markdown(gr: Any, elem_id: str) -> Any:
    """A component for the HTML of ui/markup.py: sanitised, with its formulas rendered."""
    return gr.Markdown(elem_id=elem_id, sanitize_html=True, latex_delimiters=DELIMITERS)


def page_options(index: str = "") -> dict[str, Any]:
    """The options of Gradio's launch and mount alike: look, script, and nothing that calls out.

    `index` is the folder that is asked: the browser keeps the conversations of each apart.
    """
    import gradio as gr  # here: takes a second, and only the page needs it

    # The second of the two colours is for the dark page.
    theme = gr.themes.Base(
        primary_hue="teal", neutral_hue="stone", font=SYSTEM_FONTS, font_mono=MONO_FONTS
    )
    place = sha256(str(Path(index).resolve()).encode()).hexdigest()[:16]  # tells nobody the path
    return {
        "theme": theme,
        "css": _joined(SHEETS),
        "head": f'<meta name="colloquy-index" content="{place}">'
        f"<style>{_joined((RAW_SHEET,))}</style><script>{_joined(SCRIPTS)}</script>",
        "footer_links": [],
        "run_history": False,
        "enable_monitoring": False,
        "ssr_mode": False,
        "pwa": False,
        "mcp_server": False,
        "show_error": True,
    }


def _joined(names: tuple[str, ...]) -> str:
    return "\n".join((STATIC / name).read_text(encoding="utf-8") for name in names)
