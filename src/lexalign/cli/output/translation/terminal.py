"""A translation on a terminal: its terms in colour, its word alignment, and a table of its terms."""

from io import StringIO
from typing import TYPE_CHECKING

from lexalign.cli.output.translation.lines import one_line
from lexalign.display.term_results import asked, form, outcome, percent
from lexalign.display.word_links import LinkedWords, linked_words

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from lexalign.translator import TermResult, Translation

_MET, _MISSED = "bold green", "bold red"


class TerminalView:
    """Renders translations as text; colours and tables are for terminals only."""

    def __init__(self, *, alignment: bool, table: bool, colours: bool, width: int) -> None:
        self._alignment, self._with_table, self._colours, self._width = alignment, table, colours, width

    def render(self, source: str, translation: "Translation") -> str:
        """The text without a line end after its last line."""
        file = StringIO()
        console = self._console(file)
        console.print(self._highlighted(translation), soft_wrap=True)
        if self._alignment and translation.links:
            for row in interlinear(source, translation, self._width):
                console.print(row, soft_wrap=True)
        if self._with_table and translation.terms:
            console.print(_table(source, translation))
        return file.getvalue().removesuffix("\n")

    def _console(self, file: StringIO) -> "Console":
        from rich.console import Console

        return Console(
            file=file,
            width=self._width,
            force_terminal=self._colours,
            color_system="standard" if self._colours else None,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
        )

    def _highlighted(self, translation: "Translation") -> "Text":
        from rich.text import Text

        text = Text(one_line(translation.text))
        for term in translation.terms:
            if term.target is not None:
                text.stylize(_MISSED if _is_missed(term) else _MET, *term.target)
        return text


def interlinear(source: str, translation: "Translation", width: int) -> list["Text"]:
    """Each word of the translation above the source words that it is aligned with, in rows of `width`."""
    linked = linked_words(source, translation)
    columns = [_column(source, translation.text, linked, index) for index in range(len(linked.target))]
    return [line for row in _rows(columns, width - 2) for line in _lines(row)]


def _column(source: str, target: str, linked: LinkedWords, index: int) -> tuple[str, str, str]:
    pairs = linked.sources_of(index)
    words = " ".join(source[slice(*linked.source[pair.source])] for pair in pairs)
    best = max((pair.probability for pair in pairs), default=None)
    return target[slice(*linked.target[index])], words or "–", percent(best)


def _rows(columns: list[tuple[str, str, str]], width: int) -> list[list[tuple[str, str, str]]]:
    rows: list[list[tuple[str, str, str]]] = [[]]
    used = 0
    for column in columns:
        size = _size(column) + 2
        if rows[-1] and used + size > width:
            rows.append([])
            used = 0
        rows[-1].append(column)
        used += size
    return [row for row in rows if row]


def _lines(row: list[tuple[str, str, str]]) -> list["Text"]:
    from rich.cells import set_cell_size
    from rich.text import Text

    styles = ("bold", "cyan", "dim")
    lines = []
    for level, style in enumerate(styles):
        cells = (set_cell_size(column[level], _size(column)) for column in row)
        lines.append(Text("  " + "  ".join(cells).rstrip(), style=style))
    return [*lines, Text("")]


def _size(column: tuple[str, str, str]) -> int:
    from rich.cells import cell_len

    return max(cell_len(cell) for cell in column)


def _table(source: str, translation: "Translation") -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim")
    for name in ("term", "asked for", "result", "form", "at", "aligned"):
        table.add_column(name, overflow="fold")
    for term in translation.terms:
        target = term.target
        table.add_row(
            Text("" if term.constraint.source is None else source[slice(*term.constraint.source)]),
            Text(asked(term)),
            Text(outcome(term), style=_MISSED if _is_missed(term) else _MET if term.met else "yellow"),
            Text(form(term, translation.text)),
            Text("" if target is None else f"{target[0]}–{target[1]}"),
            Text(percent(term.probability)),
        )
    return table


def _is_missed(term: "TermResult") -> bool:
    """An unmet preference is no failure."""
    return not term.met and term.constraint.kind != "prefer"
