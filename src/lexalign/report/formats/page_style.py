"""Style sheet of the report's page, for light and dark screens, for phones and for print."""

STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --soft: #667085; --line: #e3e7ee; --paper: #fff;
  --card: #f7f8fa; --good: #0f7a4a; --good-wash: #d9f2e4; --bad: #b3372f; --bad-wash: #fbe3e0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #98a2b3; --line: #2b3340;
  --paper: #12161c; --card: #1a2029; --good: #6fd3a0; --good-wash: #173a2a; --bad: #f2938b;
  --bad-wash: #45211f; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 3rem 1.5rem; max-width: 60rem; color: var(--ink); background: var(--paper);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans Devanagari",
  "Noto Sans CJK JP", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
.soft, footer, i, .where { color: var(--soft); font-style: normal; font-size: .88rem; }
footer { margin-top: 3rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: .7rem;
  padding: 0; margin: 1.4rem 0 0; list-style: none; }
.tiles li { background: var(--card); border-radius: .5rem; padding: .8rem 1rem; }
.tiles b { display: block; font-size: 1.5rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.tiles b i { font-size: 1rem; font-weight: 400; } .tiles span { color: var(--soft); font-size: .88rem; }
.tiles .good b { color: var(--good); } .tiles .bad b { color: var(--bad); }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; padding: .45rem .9rem .45rem 0; vertical-align: top;
  border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 500; }
.number { white-space: nowrap; font-variant-numeric: tabular-nums; }
tr.good .number { color: var(--good); } tr.bad .number { color: var(--bad); font-weight: 600; }
article { border-top: 1px solid var(--line); padding: .9rem 0 1rem; }
article p { margin: .15rem 0; } .source { color: var(--soft); }
article ul { margin: .5rem 0 0; padding: 0; list-style: none; font-size: .92rem; }
article li { padding-left: .8rem; border-left: 3px solid var(--line); margin: .25rem 0; }
li.bad { border-color: var(--bad) !important; } li.good { border-color: var(--good) !important; }
mark { background: none; color: inherit; border-radius: .15rem; }
mark.good { background: var(--good-wash); } mark.bad { background: var(--bad-wash); }
small { font-size: .78rem; color: var(--soft); border: 1px solid var(--line); border-radius: .6rem;
  padding: .05rem .45rem; white-space: nowrap; }
p.note { margin: .3rem 0; } details { margin-top: 1rem; }
summary { cursor: pointer; color: var(--soft); }
@media (max-width: 40rem) {
  body { padding: 1.5rem 1rem; }
  thead { display: none; } tr { display: block; border-bottom: 1px solid var(--line); padding: .5rem 0; }
  td { display: block; position: relative; border: 0; padding: .1rem 0 .1rem 6.3rem; }
  td::before { content: attr(data-name); position: absolute; left: 0; color: var(--soft); }
  td.number::before { font-weight: 400; } }
@media print { details { display: block; } details > * { display: block; } }
"""
