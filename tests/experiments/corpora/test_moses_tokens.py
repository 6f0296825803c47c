"""Text as the paper's models see it."""

import io

import pytest

from experiments.corpora.moses_tokens import main

pytest.importorskip("sacremoses")


@pytest.mark.parametrize(
    ("arguments", "line", "expected"),
    [
        (["de"], "Das ist's, Herr Präsident (28. März)!", "das ist ' s , herr präsident ( 28. märz ) !"),
        (["en"], 'We shouldn\'t cherry-pick & "quote".', 'we shouldn \'t cherry-pick & " quote " .'),
        (["de", "--words"], "Das stimmt nicht !", "das stimmt nicht !"),
    ],
)
def test_tokens_are_in_lower_case_and_nothing_is_escaped(
    arguments: list[str],
    line: str,
    expected: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{line}\n\n"))
    assert main(arguments) == 0
    assert capsys.readouterr().out == f"{expected}\n\n"
