"""A tree of files made up for a test of a check."""

import tempfile
from collections.abc import Callable
from pathlib import Path


def check_tree(check: Callable[[Path], list[str]], files: dict[str, str]) -> list[str]:
    """What `check` says of a folder with these files."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return check(Path(folder))
