"""Tests of links.py on pages made up here: `python3 links_test.py`."""

import unittest

import links
from made_up import check_tree

FILES = {"gmr/rma.cpp": "", "gmr/kernels/copy.hpp": "", "docs/guide.md": "# The guide\n## Two `words`: a start\n",
         "build/made.md": "[gone](gone.md)\n"}


def check(page: str) -> list[str]:
    return check_tree(links.check, FILES | {"gmr/README.md": page})


class Links(unittest.TestCase):
    def test_what_is_there(self) -> None:
        self.assertEqual(check("""# Top
[a](../docs/guide.md), [b](rma.cpp "title"), [c](#top), [d](../docs/guide.md#two-words-a-start), [e](https://x.org/y.md)
`gmr/rma.cpp`, `gmr/rma`, `kernels/copy.hpp`, `gmr/k<anything>/`, `gmr/*.cpp --option`, `osc/rdma`, `/dev/shm`, `a / b`
```
[f](gone.md) `gmr/gone.hpp`
```
"""), [])

    def test_what_is_not(self) -> None:
        self.assertEqual(check("[a](gone.md)\n[b](../docs/guide.md#nowhere) and [c](#bottom)\n`gmr/gone.hpp` `x/y.cpp`\n"),
                         ["gmr/README.md:1: no file gone.md",
                          "gmr/README.md:2: no heading #nowhere in ../docs/guide.md",
                          "gmr/README.md:2: no heading #bottom in this page",
                          "gmr/README.md:3: `gmr/gone.hpp` does not exist",
                          "gmr/README.md:3: `x/y.cpp` does not exist"])


if __name__ == "__main__":
    unittest.main()
