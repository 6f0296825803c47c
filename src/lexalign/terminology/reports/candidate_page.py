"""Candidates as one self-contained HTML page: tick, correct, and save the glossary as a file.

The page needs no server: its script makes the CSV file in the browser. All text is escaped.
"""

from collections.abc import Sequence
from html import escape

from lexalign import __version__
from lexalign.glossary.entries import Entry, join_alternatives
from lexalign.terminology.extraction.candidates import TermCandidate, TermTranslation
from lexalign.terminology.extraction.entries import EntryOptions, to_entry

_STYLE = """
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { max-width: 75rem; margin: 0 auto; padding: 1.5rem; }
header { position: sticky; top: 0; left: 0; background: Canvas; padding: .6rem 0; display: flex; gap: 1rem; }
header p { margin: 0; flex: 1; }
table { border-collapse: collapse; width: 100%; min-width: 68rem; table-layout: fixed; }
th:nth-child(1) { width: 2rem; } th:nth-child(4) { width: 4rem; } th:nth-child(5) { width: 6.5rem; }
th:nth-child(6), th:nth-child(7) { width: 4rem; }
th:nth-child(3) { width: 22%; } th:nth-child(8) { width: 28%; }
th, td { text-align: left; padding: .3rem .5rem; border-bottom: 1px solid #8884; vertical-align: top; }
th, td { overflow-wrap: anywhere; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
input[type=text] { font: inherit; width: 100%; box-sizing: border-box; }
.conflict { color: #b45309; } .soft { opacity: .7; } summary { cursor: pointer; }
"""
_SCRIPT = """
const rows = () => [...document.querySelectorAll('tbody tr')];
const cell = text => /[",\\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
const count = () => {
  const chosen = rows().filter(row => row.querySelector('[type=checkbox]').checked).length;
  document.getElementById('chosen').textContent = chosen + ' of ' + rows().length + ' chosen';
};
let saved = true;
document.querySelector('tbody').addEventListener('change', () => { saved = false; count(); });
window.addEventListener('beforeunload', event => { if (!saved) event.preventDefault(); });
document.getElementById('filter').addEventListener('input', event => {
  const text = event.target.value.toLowerCase();
  for (const row of rows()) row.hidden = !row.dataset.search.includes(text);
});
document.getElementById('save').addEventListener('click', () => {
  const lines = ['source,target,policy'];
  for (const row of rows()) if (row.querySelector('[type=checkbox]').checked) {
    const policy = row.dataset.policy, target = row.querySelector('[type=text]').value.trim();
    lines.push([row.dataset.source, policy === 'keep' ? '' : target, policy].map(cell).join(','));
  }
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([lines.join('\\n') + '\\n'], {type: 'text/csv'}));
  link.download = 'terms.csv';
  link.click();
  saved = true;
});
count();
"""
_COLUMNS = ("", "term", "translation", "policy", "confidence", "times", "share", "forms and examples")


def render_page(
    candidates: Sequence[TermCandidate], options: EntryOptions, languages: tuple[str | None, str | None]
) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in _COLUMNS)
    rows = "\n".join(
        _row(number, one, options, to_entry(one, options, languages)) for number, one in enumerate(candidates)
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Candidate terms</title><style>{_STYLE}</style></head>\n<body><h1>Candidate terms</h1>"
        '<header><p id="chosen" aria-live="polite"></p>'
        '<label>Filter <input id="filter" type="search"></label>'
        '<button id="save" type="button">Save terms.csv</button></header>'
        f"<table><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table>"
        f"<footer><p>Made by lexalign {escape(__version__)}.</p></footer>"
        f"<script>{_SCRIPT}</script></body></html>\n"
    )


def _row(number: int, one: TermCandidate, options: EntryOptions, entry: Entry) -> str:
    checked = " checked" if options.accepts(one) else ""
    target = join_alternatives(entry.targets)
    search = escape(f"{one.source} {one.best.target}".lower(), quote=True)
    name = escape(one.source, quote=True)
    return (
        f'<tr data-source="{name}" data-policy="{one.policy}" data-search="{search}">'
        f'<td><input type="checkbox" id="c{number}" aria-label="Take {name}"{checked}></td>'
        f'<td><label for="c{number}">{escape(one.source)}</label></td>'
        f'<td><input type="text" aria-label="Translation of {name}" '
        f'value="{escape(target, quote=True)}"></td>'
        f"<td>{one.policy}</td>"
        f'<td class="number">{one.confidence:.2f}</td><td class="number">{one.count}</td>'
        f'<td class="number">{one.best.share:.0%}</td><td>{_details(one)}</td></tr>'
    )


def _details(one: TermCandidate) -> str:
    conflict = "; ".join(f"{two.target} ({two.count})" for two in one.conflicting)
    label = f'<span class="conflict">also {escape(conflict)}</span>' if conflict else "examples"
    shown = (one.best, *one.conflicting)
    forms = ", ".join(escape(form) for form in list(one.forms)[:6])
    return (
        f'<details><summary>{label}</summary><p class="soft">{forms}</p>'
        f"{''.join(_examples(two) for two in shown)}</details>"
    )


def _examples(one: TermTranslation) -> str:
    items = "".join(
        f'<li>{escape(source)}<br>{escape(target)} <span class="soft">{escape(place)}</span></li>'
        for place, source, target in one.examples
    )
    return f"<p><b>{escape(one.target)}</b> {one.count} times</p><ul>{items}</ul>"
