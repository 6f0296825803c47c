"""Windows of standard input, on a pipe."""

import os

from lexalign.cli.options.standard_input import read_windows


def test_windows_are_full_while_there_is_more() -> None:
    read, write = os.pipe()
    os.write(write, b"1\n2\n3\r\n4\n5")
    os.close(write)
    assert [window for window in read_windows(read, 2) if window] == [["1", "2"], ["3", "4"], ["5"]]
    os.close(read)


def test_silence_ends_a_window() -> None:
    read, write = os.pipe()
    windows = read_windows(read, 100)
    os.write(write, b"1\n2\nhalf a")
    assert next(windows) == ["1", "2"]
    assert next(windows) == []
    os.write(write, b" line\n")
    assert next(windows) == ["half a line"]
    assert next(windows) == []
    os.write(write, b"\xc3")
    os.write(write, b"\xa4\n")
    os.close(write)
    assert next(windows) == ["ä"]
    os.close(read)


def test_silence_after_a_full_window_is_told() -> None:
    read, write = os.pipe()
    windows = read_windows(read, 2)
    os.write(write, b"1\n2\n")
    assert next(windows) == ["1", "2"]
    assert next(windows) == []
    os.close(write)
    assert list(windows) == []
    os.close(read)
