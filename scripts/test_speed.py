"""The table of docs/SPEED.md: what is reached, what failed or was skipped, and where it goes."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

# The script has no ending, and must not leave compiled code beside it.
sys.dont_write_bytecode = True
PATH = str(pathlib.Path(__file__).with_name("speed"))
LOADER = importlib.machinery.SourceFileLoader("speed", PATH)
speed = importlib.util.module_from_spec(importlib.util.spec_from_loader("speed", LOADER))
LOADER.exec_module(speed)


def figure(value: float, aim: dict | None, unit: str = "times", pairs: int = 9) -> dict:
    """A figure of a bench."""
    return {
        "what": "reads", "against": "C program", "value": value, "unit": unit, "least": value - 0.5,
        "greatest": value + 0.5, "pairs": pairs, "aim": aim,
    }


def result(figures: list[dict], status: int = 0, skipped: str | None = None) -> dict:
    """What came of a bench."""
    return {"bench": "redis", "figures": figures, "status": status, "skipped": skipped}


class Table(unittest.TestCase):
    def test_a_median_on_the_good_side_of_its_aim_has_reached_it(self):
        cases = [
            (1.05, {"at_most": 1.05}, "| at most 1.05 | yes |"),
            (1.051, {"at_most": 1.05}, "| at most 1.05 | no |"),
            (1.0, {"at_least": 1.0}, "| at least 1 | yes |"),
            (0.999, {"at_least": 1.0}, "| at least 1 | no |"),
            (3.0, None, "| – | – |"),
        ]
        for value, aim, ending in cases:
            self.assertTrue(speed.row(figure(value, aim)).endswith(ending), (value, aim))

    def test_a_row_tells_median_unit_spread_and_pairs(self):
        self.assertEqual(
            speed.row(figure(70.25, {"at_most": 80.0}, "ns more", 27)),
            "| reads | C program | 70.2 ns more (69.8 to 70.8) | 27 | at most 80 | yes |",
        )
        self.assertIn("| 0 allocations more | 1 |", speed.row(figure(0.0, {"at_most": 0.0}, "allocations more", 1)))

    def test_a_bench_that_failed_or_was_skipped_has_a_row(self):
        whole = figure(1.0, None)
        self.assertEqual(speed.rows(result([])), ["| bench `redis` | | skipped: it measured nothing | | | no |"])
        skipped = result([], skipped="'redis-server' is not installed")
        self.assertEqual(
            speed.rows(skipped), ["| bench `redis` | | skipped: 'redis-server' is not installed | | | no |"]
        )
        failed = speed.rows(result([whole], status=101))
        self.assertEqual(failed, [speed.row(whole), "| bench `redis` | | failed, exit status 101 | | | no |"])
        self.assertEqual(
            [speed.is_whole(one) for one in (result([whole]), skipped, result([whole], status=101))],
            [True, False, False],
        )

    def test_the_table_replaces_what_stood_between_the_marks(self):
        new = speed.block([result([figure(1.0, None)])], "a machine", "2026-01-31")
        document = f"before\n{speed.START}\nold\n{speed.END}\nafter\n"
        written = speed.spliced(document, new)
        self.assertEqual(written, f"before\n{speed.START}\n{new}\n{speed.END}\nafter\n")
        self.assertTrue(new.startswith("`make bench`, 2026-01-31, on: a machine.\n\n| what |"), new)
        self.assertEqual(speed.spliced(written, new), written)

    def test_a_document_without_the_marks_is_refused(self):
        for document in ("nothing", speed.START, f"{speed.END}{speed.START}"):
            with self.assertRaises(SystemExit):
                speed.spliced(document, "new")

    def test_the_machine_has_a_file_system(self):
        self.assertEqual(speed.file_system("/proc/self"), "proc")


if __name__ == "__main__":
    unittest.main()
