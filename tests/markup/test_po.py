"""PO: messages, plural forms, fuzzy and obsolete ones, and placeholders that must not be lost."""

import polib
import pytest

from lexalign.markup import DocumentOptions, WordForWord, read_document, translate_document

HEADER = """# Ein Kommentar
msgid ""
msgstr ""
"Project-Id-Version: x\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals={num_forms}; plural=(n != 1);\\n"

"""


def translated(
    messages: str, num_forms: int = 2, *, retranslate: bool = False, reverse: bool = False
) -> polib.POFile:
    content = (HEADER.format(num_forms=num_forms) + messages).encode()
    document = read_document(content, "po", DocumentOptions(target_language="en", retranslate=retranslate))
    return polib.pofile(translate_document(document, WordForWord(reverse=reverse)).decode())


def test_a_message_is_translated_and_all_around_it_kept() -> None:
    message = '#. Hinweis\n#: a.c:1\n#, c-format\nmsgctxt "Menü"\nmsgid "alte Datei"\nmsgstr ""\n'
    (entry,) = translated(message)
    assert entry.msgstr == "ALTE DATEI"
    assert (entry.comment, entry.occurrences, entry.flags, entry.msgctxt) == (
        "Hinweis",
        [("a.c", "1")],
        ["c-format"],
        "Menü",
    )


def test_what_is_translated_stays_unless_asked() -> None:
    message = 'msgid "a"\nmsgstr "x"\n'
    assert translated(message)[0].msgstr == "x"
    assert translated(message, retranslate=True)[0].msgstr == "A"


def test_fuzzy_messages_are_translated_anew() -> None:
    (entry,) = translated('#, fuzzy, c-format\n#| msgid "alt"\nmsgid "neu"\nmsgstr "old"\n')
    assert (entry.msgstr, entry.flags, entry.previous_msgid) == ("NEU", ["c-format"], None)


def test_obsolete_messages_stay() -> None:
    file = translated('msgid "a"\nmsgstr ""\n\n#~ msgid "alt"\n#~ msgstr ""\n')
    assert [(entry.msgid, entry.msgstr) for entry in file.obsolete_entries()] == [("alt", "")]


@pytest.mark.parametrize(
    ("num_forms", "forms"),
    [
        (1, ["%d DATEIEN"]),
        (2, ["%d DATEI", "%d DATEIEN"]),
        (3, ["%d DATEI", "%d DATEIEN", "%d DATEIEN"]),
    ],
)
def test_plural_forms(num_forms: int, forms: list[str]) -> None:
    message = 'msgid "%d Datei"\nmsgid_plural "%d Dateien"\nmsgstr[0] ""\n'
    (entry,) = translated(message, num_forms)
    assert [entry.msgstr_plural[form] for form in range(num_forms)] == forms


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Datei %s fehlt", "DATEI %s FEHLT"),
        ("%s", "%s"),
        ("%1$s von %2$d", "%1$s VON %2$d"),
        ("%(name)s ist da", "%(name)s IST DA"),
        ("Hallo {name}!", "HALLO {name}!"),
        ("{} und {0:d} und ${x} und {{y}}", "{} UND {0:d} UND ${x} UND {{y}}"),
        ("100% sicher", "100% SICHER"),
        ("50%% von %5.2f", "50%% VON %5.2f"),
        ("<b>fett</b> &amp; <br/>neu", "<b>FETT</b> &amp; <br/>NEU"),
        ("a < b > c", "A < B > C"),
        ("  Rand\\n", "  RAND\\n"),
        ("eins\\nzwei\\n", "EINS\\nZWEI\\n"),
        ("%s%s", "%s%s"),
        ("a %s %s b", "A %s %s B"),
    ],
)
def test_placeholders_are_kept(message: str, expected: str) -> None:
    assert translated(f'msgid "{message}"\nmsgstr ""\n')[0].msgstr == expected.replace("\\n", "\n")


def test_placeholders_go_with_their_words_and_touch_none() -> None:
    assert (
        translated('msgid "Die Datei %s fehlt"\nmsgstr ""\n', reverse=True)[0].msgstr == "FEHLT %s DATEI DIE"
    )


def test_the_language_is_named() -> None:
    assert translated("").metadata["Language"] == "en"


def test_line_ends_stay() -> None:
    content = (HEADER.format(num_forms=2) + 'msgid "a"\nmsgstr ""\n').replace("\n", "\r\n").encode()
    result = translate_document(read_document(content, "po", DocumentOptions()), WordForWord())
    assert result.count(b"\r\n") == result.count(b"\n") == content.count(b"\n")


def test_no_comment_is_added() -> None:
    content = (
        HEADER.format(num_forms=2).removeprefix("# Ein Kommentar\n") + 'msgid "1"\nmsgstr ""\n'
    ).encode()
    document = read_document(content, "po", DocumentOptions())
    assert translate_document(document, WordForWord()) == content.replace(
        b'"1"\nmsgstr ""', b'"1"\nmsgstr "1"'
    )
