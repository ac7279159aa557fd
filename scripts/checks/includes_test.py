"""Tests of includes.py on small trees made up here: `python3 includes_test.py`."""

import unittest

import includes
from made_up import check_tree

TABLE = """Words before.

| folder | may include |
|---|---|
| `gmr` | `armci/base`, `gmr/kernels` |
| `gmr/kernels` | `armci/base` |
| `armci/base` | |

| other | table |
|---|---|
| `iov` | `gmr` |
"""
GOOD = {
    "armci/base/mpi.hpp": "#pragma once\n#include <mpi.h>\n",
    "gmr/region.hpp": '#include "armci/base/mpi.hpp"\n',
    "gmr/region.cpp": '#include "region.hpp"\n#include "gmr/kernels/copy.hpp"\n',
    "gmr/kernels/copy.hpp": "",
}


def check(table: str, files: dict[str, str]) -> list[str]:
    return check_tree(includes.check, {"CONTRIBUTING.md": table} | files)


class Includes(unittest.TestCase):
    def test_a_good_tree(self) -> None:
        self.assertEqual(check(TABLE, GOOD), [])

    def test_upwards(self) -> None:
        wrong = check(TABLE, GOOD | {"armci/base/mpi.cpp": '\n# include "gmr/region.hpp"\n'})
        self.assertEqual(wrong, ['armci/base/mpi.cpp:2: armci/base may not include gmr: "gmr/region.hpp"'])

    def test_the_longest_folder_is_taken(self) -> None:
        # As a file of gmr it might.
        wrong = check(TABLE, GOOD | {"gmr/kernels/sets/wide.cpp": '#include "gmr/region.hpp"\n'})
        self.assertEqual(wrong, ['gmr/kernels/sets/wide.cpp:1: gmr/kernels may not include gmr: "gmr/region.hpp"'])

    def test_a_folder_without_a_row(self) -> None:
        wrong = check(TABLE, GOOD | {"iov/segments.cpp": "", "gmr/rma.cpp": '#include "iov/segments.cpp"\n'})
        self.assertEqual(wrong, ['gmr/rma.cpp:1: "iov/segments.cpp" is of no folder in the table of CONTRIBUTING.md',
                                 "iov/segments.cpp:1: its folder has no row in the table of CONTRIBUTING.md"])

    def test_a_file_that_is_not_there(self) -> None:
        wrong = check(TABLE, GOOD | {"gmr/rma.cpp": '#include "gmr/gone.hpp"\n'})
        self.assertEqual(wrong, ['gmr/rma.cpp:1: "gmr/gone.hpp" is no file of the repository'])

    def test_a_cycle(self) -> None:
        wrong = check(TABLE.replace("| `armci/base` | |", "| `armci/base` | `gmr` |"), GOOD)
        self.assertEqual(len(wrong), 1)
        self.assertRegex(wrong[0], r"^CONTRIBUTING.md:[567]: a cycle: .*armci/base may include gmr")

    def test_rows_of_what_is_not_there(self) -> None:
        wrong = check(TABLE.replace("| `armci/base` | |", "| `armci/base` | `nowhere` |\n| `mutex` | |"), GOOD)
        self.assertEqual(wrong, ["CONTRIBUTING.md:7: armci/base may include nowhere, which has no row",
                                 "CONTRIBUTING.md:8: there is no folder mutex"])

    def test_no_table(self) -> None:
        self.assertEqual(check("No table.\n", GOOD), ["CONTRIBUTING.md:1: no table | folder | may include |"])


if __name__ == "__main__":
    unittest.main()
