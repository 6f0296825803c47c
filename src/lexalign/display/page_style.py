"""Style sheet and script of the page of translations, for light and dark screens and for print."""

COLOURS = """--ink: #1c2430; --soft: #667085; --line: #e3e7ee; --paper: #fff;
  --link: 31, 95, 168; --good: #0f7a4a; --good-wash: #d9f2e4; --bad: #b3372f; --bad-wash: #fbe3e0;"""
DARK_COLOURS = """--ink: #e6e9ef; --soft: #98a2b3; --line: #2b3340;
  --paper: #12161c; --link: 125, 179, 240; --good: #6fd3a0; --good-wash: #173a2a; --bad: #f2938b;
  --bad-wash: #45211f;"""
ARTICLE_STYLE = """
article { border-top: 1px solid var(--line); padding: 1.2rem 0; overflow-x: auto; }
article p { margin: .2rem 0; } .source { color: var(--soft); }
[data-word] { border-radius: .2rem; cursor: default; }
[data-word].here { outline: 2px solid rgb(var(--link)); }
[data-word].there { background: rgba(var(--link), var(--strength)); color: var(--ink); }
.term { border-bottom: 2px solid var(--good); } .term.missed { border-color: var(--bad); }
.target .term.met { background: var(--good-wash); }
table { border-collapse: collapse; margin-top: .8rem; font-size: .85rem; }
th, td { text-align: left; padding: .25rem .8rem .25rem 0; vertical-align: top; }
th { color: var(--soft); font-weight: 500; } tbody tr { border-top: 1px solid var(--line); }
tr.met td:nth-child(3) { color: var(--good); } tr.missed td:nth-child(3) { color: var(--bad); }
"""
STYLE = f"""
:root {{ color-scheme: light dark; {COLOURS} }}
@media (prefers-color-scheme: dark) {{ :root {{ {DARK_COLOURS} }} }}
* {{ box-sizing: border-box; }}
body {{ margin: 0 auto; padding: 3rem 1.5rem; max-width: 56rem; color: var(--ink); background: var(--paper);
  font: 17px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans Devanagari",
  "Noto Sans CJK JP", sans-serif; }}
h1 {{ font-size: 1.6rem; margin: 0; }} .soft, footer {{ color: var(--soft); font-size: .9rem; }}
{ARTICLE_STYLE}"""

HOVER = """
function linkWords(article) {
  const side = (name, index) => article.querySelectorAll(`.${name} [data-word="${index}"]`);
  const clear = () => article.querySelectorAll(".here, .there").forEach(
    piece => piece.classList.remove("here", "there"));
  article.addEventListener("pointerover", event => {
    clear();
    const piece = event.target.closest("[data-word]");
    if (!piece) return;
    const [own, other] = piece.closest("p").className === "source"
      ? ["source", "target"] : ["target", "source"];
    side(own, piece.dataset.word).forEach(one => one.classList.add("here"));
    for (const link of piece.dataset.links.split(" ").filter(Boolean)) {
      const [index, probability] = link.split(":");
      for (const one of side(other, index)) {
        one.classList.add("there");
        one.style.setProperty("--strength", (0.15 + 0.6 * probability).toFixed(2));
      }
    }
  });
  article.addEventListener("pointerleave", clear);
}
"""
SCRIPT = HOVER + 'document.querySelectorAll("article").forEach(linkWords);\n'
