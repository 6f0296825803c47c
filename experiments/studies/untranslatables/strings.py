"""Strings with untranslatables, by kind: each text with what must come out of its translation, unchanged.

`{}` marks where an untranslatable stands in a frame. Two hundred and more strings come of these.
"""

from itertools import cycle

UNTRANSLATABLES: dict[str, tuple[str, ...]] = {
    "placeholder": (
        "{0}", "{name}", "{user.name}", "{count:d}", "{0:.2f}", "{name!r}", "{}", "{{var}}",
        "{{ user.name }}",
        "${x}", "${user_name}", "%{count}", "%s", "%d", "%1$s", "%2$d", "%(name)s", "%5.2f", "%-10s", "%@",
        "%ld",
        "%%", "#URL1#", "#NAME#", "$HOME", "%APPDATA%", "__NAME__", "<%= name %>", "[[name]]", "@{value}",
        "{count, plural, one {# item} other {# items}}", "{price, number, currency}",
        "{gender, select, male {he} female {she} other {they}}", "{when, date, short}",
    ),
    "url": (
        "https://example.com", "https://example.com/help?id=3", "http://localhost:8080/v1/translate",
        "https://de.wikipedia.org/wiki/Köln_(Stadt)", "https://example.com/a/b.html#top", "www.example.org",
        "example.com", "docs.example.com/start", "ftp://files.example.net/pub", "https://example.com/{id}/edit",
        "https://user:pw@example.com:443/", "https://example.com/?q=a+b&lang=de", "git+ssh://git@example.com/x.git",
        "mailto:info@example.com",
    ),
    "email": (
        "support@example.com", "first.last@mail.example.co.uk", "user+tag@example.org",
        "a_b-c@sub.example.de",
    ),
    "path": (
        "C:\\Windows\\System32\\drivers", "C:\\Program Files\\App\\app.exe", "\\\\server\\share\\file.docx",
        "/usr/local/bin", "/etc/hosts", "~/.bashrc", "./run.sh", "../data/input.csv", "src/main/app.py",
        "report.pdf", "config.json", "*.xlsx", "setup.exe", "my-file_v2.tar.gz", "index.html", "/etc",
        "docs/guide/start.md", "archive.2024.zip",
    ),
    "version": (
        "2.14.0-rc1", "v2", "v1.2.3", "1.0.0", "10.15.7", "3.11.0b2", "2.0.0-beta.3", "192.168.0.1", "1.x",
        "4.5.1", "1.2.3+build5", "10.0.19041.1",
    ),
    "code": (
        "`git commit`", "``a`b``", "--dry-run", "--output=file", "user_name", "MAX_VALUE", "getUserName()",
        "print()", "os.path.join()", "setValue", "onClickHandler", "System.IO.File", "0xFF00",
        "550e8400-e29b-41d4-a716-446655440000", "KB4023057", "ISO-9001", "`x = {1, 2}`",
        "my_module.my_function",
    ),
    "mention": ("@anna", "@max_muster", "@org/package", "@user-name"),
    "hashtag": ("#news", "#1", "#Berlin2024", "#open-source"),
    "symbol": (
        "🎉", "👍🏽", "👩‍👩‍👧", "🇩🇪", "❤️", "→", "★★★", "✓", "©", "®", "™", "•", "1️⃣", "⚠️", "😀😀",
        "⌘", "▶", "≤", "\ue001",
    ),
    "tag": ("<br>", "<br/>", "&nbsp;", "&amp;", "<x id=\"1\"/>", "</b>", "<b>", "<!-- note -->"),
}  # fmt: skip
FRAMES = {
    "en": (
        "Please open {} before you begin.",
        "The user has sent {} to the office.",
        "We have looked at {}, and it works.",
        "This is what {} means for the report (see {}).",
        "Thank you for {}!",
        "{} was not found in the house.",
    ),
    "de": (
        "Bitte öffnen Sie {}, bevor Sie beginnen.",
        "Der Benutzer hat {} an das Büro geschickt.",
        "Wir haben uns {} angesehen, und es geht.",
        "Das bedeutet {} für den Bericht (siehe {}).",
        "Vielen Dank für {}!",
        "{} wurde im Haus nicht gefunden.",
    ),
}


def tricky_strings(language: str) -> list[tuple[str, list[str]]]:
    """Texts of a language, each with what is to be kept of it: every untranslatable in two frames."""
    found = []
    for kind, spans in UNTRANSLATABLES.items():
        frames = cycle(FRAMES[language])
        for span in spans:
            for _ in range(2):
                frame = next(frames)
                parts = frame.split("{}")
                # Tags that enclose nothing would be an error of the text, where they stand twice.
                second = span if kind != "tag" else "it"
                text = parts[0] + span + (second.join(parts[1:]) if len(parts) > 2 else parts[1])
                found.append((text, [span] * (2 if len(parts) > 2 and second == span else 1)))
    return found
