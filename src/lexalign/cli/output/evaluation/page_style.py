"""Style sheet of the page of an evaluation, for light and dark screens and for print."""

STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --soft: #667085; --line: #e3e7ee; --paper: #fff;
  --wash: #f6f8fb; --accent: #1f5fa8; --good: #0f7a4a; --good-wash: #d9f2e4; --bad: #b3372f;
  --bad-wash: #fbe3e0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #98a2b3; --line: #2b3340;
  --paper: #12161c; --wash: #1a202a; --accent: #7db3f0; --good: #6fd3a0; --good-wash: #173a2a;
  --bad: #f2938b; --bad-wash: #45211f; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 3rem 1.5rem 5rem; max-width: 72rem; color: var(--ink);
  background: var(--paper); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans",
  "Noto Sans Devanagari", "Noto Sans CJK JP", sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; letter-spacing: -.02em; margin: 0 0 .3rem; }
h2 { font-size: 1.15rem; margin: 3rem 0 .8rem; }
p { margin: .3rem 0 1rem; } .soft { color: var(--soft); }
.scroll { overflow-x: auto; }
table.scores { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
.scores th, .scores td { padding: .6rem .8rem; text-align: right; white-space: nowrap; }
.scores th:first-child, .scores td:first-child { text-align: left; padding-left: 0; }
.scores thead th { color: var(--soft); font-weight: 500; font-size: .85rem;
  border-bottom: 2px solid var(--ink); }
.scores tbody tr { border-bottom: 1px solid var(--line); }
.scores tbody th { font-weight: 600; }
.scores .value { font-size: 1.05rem; } .scores .best .value { font-weight: 700; color: var(--accent); }
.scores small { display: block; color: var(--soft); font-size: .75rem; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); gap: 1rem; }
figure { margin: 0; padding: .8rem 1rem; background: var(--wash); border-radius: .5rem; }
figcaption { font-weight: 600; font-size: .9rem; margin-bottom: .3rem; }
svg { display: block; width: 100%; max-width: 24rem; } svg text { fill: var(--ink); font-size: 11px; }
svg .axis { stroke: var(--soft); stroke-dasharray: 2 3; } svg .tick { fill: var(--soft); font-size: 10px; }
svg .bar { stroke: var(--soft); stroke-width: 2; } svg .dot { fill: var(--soft); }
svg .up .bar { stroke: var(--good); } svg .up .dot { fill: var(--good); }
svg .down .bar { stroke: var(--bad); } svg .down .dot { fill: var(--bad); }
article { border-top: 1px solid var(--line); padding: 1rem 0; }
article h3 { font-size: .8rem; font-weight: 500; color: var(--soft); margin: 0 0 .4rem; }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .25rem 1rem; margin: 0; }
dt { color: var(--soft); font-size: .85rem; padding-top: .1rem; overflow-wrap: anywhere; max-width: 12rem; }
dd { margin: 0; overflow-wrap: anywhere; }
mark { color: inherit; background: var(--good-wash); border-radius: .2rem; padding: 0 .15rem; }
mark.source { background: var(--wash); box-shadow: inset 0 -2px var(--accent); }
.missing { color: var(--bad); background: var(--bad-wash); border-radius: .2rem; padding: 0 .3rem;
  font-size: .85rem; margin-left: .4rem; white-space: nowrap; }
pre { background: var(--wash); border-radius: .5rem; padding: .8rem 1rem; overflow-x: auto;
  font-size: .8rem; }
footer { margin-top: 3rem; color: var(--soft); font-size: .85rem; }
"""
