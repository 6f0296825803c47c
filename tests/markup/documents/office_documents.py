"""Office documents, made by python-docx and python-pptx, with what those cannot make set in as XML."""

# ruff: noqa: E501 (XML of office documents, line by line as they write it)

import io
import zipfile
from collections.abc import Callable

import docx
import pptx
from docx.document import Document as WordDocument
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from pptx.util import Inches, Pt

_NAMES = nsdecls("w", "r", "wp", "a") + (
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
    ' xmlns:v="urn:schemas-microsoft-com:vml"'
)
_TEXT_BOX = f"""<w:r {_NAMES}><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline distT="0" distB="0" distL="0" distR="0">
<wp:extent cx="2400000" cy="600000"/><wp:docPr id="7" name="Textfeld"/><a:graphic>
<a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:cNvSpPr txBox="1"/>
<wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="2400000" cy="600000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></wps:spPr>
<wps:txbx><w:txbxContent><w:p><w:r><w:t xml:space="preserve">Ein Hinweis im </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>Textfeld</w:t></w:r><w:r><w:t>.</w:t></w:r></w:p></w:txbxContent></wps:txbx>
<wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice>
<mc:Fallback><w:pict><v:rect style="width:180pt;height:40pt"><v:textbox><w:txbxContent><w:p><w:r><w:t xml:space="preserve">Ein Hinweis im </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>Textfeld</w:t></w:r><w:r><w:t>.</w:t></w:r></w:p></w:txbxContent></v:textbox></v:rect></w:pict></mc:Fallback>
</mc:AlternateContent></w:r>"""
_FIELD = f"""<w:p {_NAMES}><w:r><w:t xml:space="preserve">Mehr steht auf Seite </w:t></w:r><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> PAGE </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>1</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:t xml:space="preserve"> und im </w:t></w:r><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> HYPERLINK "https://example.com/hilfe" </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:rPr><w:u w:val="single"/></w:rPr><w:t>Handbuch der Firma</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:t>.</w:t></w:r></w:p>"""
_TRACKED = f"""<w:p {_NAMES}><w:r><w:t xml:space="preserve">Der Bericht ist </w:t></w:r><w:del w:id="1" w:author="Ida" w:date="2024-01-01T00:00:00Z"><w:r><w:delText>alt</w:delText></w:r></w:del><w:ins w:id="2" w:author="Ida" w:date="2024-01-01T00:00:00Z"><w:r><w:t>neu</w:t></w:r></w:ins><w:r><w:t>.</w:t></w:r></w:p>"""
_FOOTNOTES = f"""<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<w:footnotes {nsdecls("w")}><w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote><w:footnote w:type="continuationSeparator" w:id="0"><w:p><w:r><w:continuationSeparator/></w:r></w:p></w:footnote><w:footnote w:id="1"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t xml:space="preserve"> Die Zahlen sind </w:t></w:r><w:r><w:rPr><w:i/></w:rPr><w:t>gerundet</w:t></w:r><w:r><w:t>.</w:t></w:r></w:p></w:footnote></w:footnotes>"""
_FOOTNOTE_MARK = f'<w:r {nsdecls("w")}><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="1"/></w:r>'


def _paragraph(document: WordDocument, *runs: tuple[str, str], style: str | None = None) -> object:
    """A paragraph of runs: text, and any of b, i, u."""
    paragraph = document.add_paragraph(style=style)
    for text, marks in runs:
        run = paragraph.add_run(text)
        run.bold, run.italic, run.underline = "b" in marks, "i" in marks, "u" in marks
    return paragraph


def _saved(document: WordDocument, *, footnotes: bool = False) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return _with_footnotes(buffer.getvalue()) if footnotes else buffer.getvalue()


def _with_footnotes(content: bytes) -> bytes:
    """The package with a part of footnotes."""
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for info in old.infolist():
            part = old.read(info)
            if info.filename == "[Content_Types].xml":
                kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
                part = part.replace(
                    b"</Types>",
                    f'<Override PartName="/word/footnotes.xml" ContentType="{kind}"/></Types>'.encode(),
                )
            if info.filename == "word/_rels/document.xml.rels":
                kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
                part = part.replace(
                    b"</Relationships>",
                    f'<Relationship Id="rId99" Type="{kind}" Target="footnotes.xml"/></Relationships>'.encode(),
                )
            new.writestr(info, part)
        new.writestr("word/footnotes.xml", _FOOTNOTES)
    return buffer.getvalue()


def report() -> bytes:
    document = docx.Document()
    document.add_heading("Bericht über das Jahr", level=1)
    _paragraph(
        document,
        ("Die Firma hat im letzten Jahr ", ""),
        ("mehr Strom", "b"),
        (" verbraucht als ", ""),
        ("je zuvor", "i"),
        (", und das ", ""),
        ("muss sich ändern", "bu"),
        (".", ""),
    )
    marked = document.add_paragraph("Alle Werte stammen aus der Messung im Keller.")
    marked._p.append(parse_xml(_FOOTNOTE_MARK))
    for text in ("Erster Punkt der Liste", "Zweiter Punkt der Liste"):
        document.add_paragraph(text, style="List Bullet")
    table = document.add_table(rows=2, cols=2, style="Table Grid")
    for cell, text in zip(
        (cell for row in table.rows for cell in row.cells),
        ("Monat", "Verbrauch", "Januar", "hoch"),
        strict=True,
    ):
        cell.text = text
    document.sections[0].header.paragraphs[0].text = "Vertraulicher Bericht"
    document.sections[0].footer.paragraphs[0].text = "Seite und Stand"
    return _saved(document, footnotes=True)


def letter() -> bytes:
    document = docx.Document()
    _paragraph(document, ("Sehr geehrte Frau Krause,", ""))
    _paragraph(
        document,
        ("wir dan", ""),
        ("ken Ihnen für ", ""),
        ("Ihre ", "b"),
        ("Anfrage", "b"),
        (" vom Montag.", ""),
    )
    broken = document.add_paragraph("Musterweg drei")
    broken.add_run().add_break()
    broken.add_run("Zweite Zeile der Anschrift\tmit einem Sprung")
    boxed = document.add_paragraph("Vor dem Feld steht Text ")
    boxed._p.append(parse_xml(_TEXT_BOX))
    boxed.add_run(" und danach auch.")
    return _saved(document)


def manual() -> bytes:
    document = docx.Document()
    document.add_heading("Anleitung", level=2)
    body = document.element.body
    for xml in (_FIELD, _TRACKED):
        body.insert(len(body) - 1, parse_xml(xml))
    _paragraph(
        document,
        ("Drücken Sie ", ""),
        ("Speichern", "b"),
        (" & warten Sie, bis 3 < 4 gilt.", ""),
        style="List Number",
    )
    outer = document.add_table(rows=1, cols=2)
    outer.cell(0, 0).text = "Außen links"
    inner = outer.cell(0, 1).add_table(rows=1, cols=1)
    inner.cell(0, 0).text = "Innen in der Zelle"
    return _saved(document)


def _presentation(*slides: Callable[[pptx.presentation.Presentation], None]) -> bytes:
    show = pptx.Presentation()
    for slide in slides:
        slide(show)
    buffer = io.BytesIO()
    show.save(buffer)
    return buffer.getvalue()


def _title_slide(show: pptx.presentation.Presentation) -> None:
    slide = show.slides.add_slide(show.slide_layouts[0])
    slide.shapes.title.text = "Unser neues Werk"
    slide.placeholders[1].text = "Ein Überblick für alle"
    slide.notes_slide.notes_text_frame.text = "Hier die Gäste begrüßen."


def _list_slide(show: pptx.presentation.Presentation) -> None:
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = "Was sich ändert"
    frame = slide.placeholders[1].text_frame
    frame.text = "Kürzere Wege"
    for text, level in (("Weniger Lärm", 1), ("Mehr Licht & Luft", 0)):
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = text, level
    mixed = frame.add_paragraph()
    for text, bold in (("Nur der ", False), ("rote Knopf", True), (" hält die Anlage an.", False)):
        run = mixed.add_run()
        run.text, run.font.bold, run.font.size = text, bold, Pt(20)


def _table_slide(show: pptx.presentation.Presentation) -> None:
    slide = show.slides.add_slide(show.slide_layouts[5])
    slide.shapes.title.text = "Kosten im Vergleich"
    table = slide.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(6), Inches(1)).table
    for index, text in enumerate(("Jahr", "Kosten", "Gestern", "zu hoch")):
        table.cell(index // 2, index % 2).text = text
    box = slide.shapes.add_textbox(Inches(1), Inches(4), Inches(5), Inches(1)).text_frame
    box.text = "Erste Zeile\vZweite Zeile"


def opening() -> bytes:
    return _presentation(_title_slide)


def plan() -> bytes:
    return _presentation(_title_slide, _list_slide)


def costs() -> bytes:
    return _presentation(_list_slide, _table_slide)


WORD: dict[str, Callable[[], bytes]] = {"report": report, "letter": letter, "manual": manual}
SLIDES: dict[str, Callable[[], bytes]] = {"opening": opening, "plan": plan, "costs": costs}
