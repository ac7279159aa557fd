"""Tests of messages.py on a page and sources made up here: `python3 messages_test.py`."""

import unittest

import messages
from made_up import check_tree

FILES = {"gmr/rmw.cpp": 'reject("rank %d is not "\n    "there; it must be %d");\n', "tests/errors/rmw_test.cpp": '"rank 7 is not there; it must"',
         "iov/vector.cpp": '"no segment"', "tests/README.md": ""}


def check(page: str) -> list[str]:
    return check_tree(messages.check, FILES | {"docs/errors.md": page})


class Messages(unittest.TestCase):
    def test_what_is_said_and_seen(self) -> None:
        self.assertEqual(check("| message has | cause |\n|---|---|\n| `is not there`, `rank N ... it must` | `anything` |\n"), [])

    def test_what_is_not(self) -> None:
        self.assertEqual(check("| `no segment` | |\n\n| `rank is` | |\n"),
                         ["docs/errors.md:1: no text of a test has: no segment",
                          "docs/errors.md:3: no text of the library has: rank is",
                          "docs/errors.md:3: no text of a test has: rank is"])

    def test_what_the_page_leaves_out(self) -> None:
        page = "| `rank N is not` | |\n"
        said = 'fatal("ARMCI_Init", "MPI lost %d bytes; "\n    "start again", n);\nwarn("rank %d is not there");\nwarn("%s", text);\nreject("", "wrong");'
        found = check_tree(messages.check, FILES | {"docs/errors.md": page, "gmr/new.cpp": said})
        self.assertEqual(found, ["docs/errors.md: no phrase of: MPI lost %d bytes; start again"])


if __name__ == "__main__":
    unittest.main()
