"""What the programs say is read as they say it, what failed is no rate, and ratios have intervals."""

import importlib.machinery
import importlib.util
import math
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
PATH = str(pathlib.Path(__file__).with_name("agreement"))
LOADER = importlib.machinery.SourceFileLoader("agreement", PATH)
agreement = importlib.util.module_from_spec(importlib.util.spec_from_loader("agreement", LOADER))
# Its data classes look for their module by name.
sys.modules["agreement"] = agreement
LOADER.exec_module(agreement)

AB = """Complete requests:      40000
Failed requests:        0
Requests per second:    19876.54 [#/sec] (mean)
"""
WRK = """  2 threads and 100 connections
  123456 requests in 2.10s, 31.00MB read
Requests/sec:  58788.57
"""
SIEGE = """{\t"transactions":\t\t\t       20000,
\t"transaction_rate":\t\t    9876.54,
\t"failed_transactions":\t\t\t   0
}"""


def answer(failed: int = 0) -> dict:
    """What `kurabe show --json` prints, as far as it is read."""
    row = {
        "failed": failed,
        "metrics": [{"metric": "rate", "rounds": [{"round": 0, "value": 5000.0}]}],
        "used": {"client_cpu_per_operation_ns": 12_000.0},
    }
    return {"phases": [{"name": "kept", "rows": [row]}]}


class Said(unittest.TestCase):
    def test_each_program_is_read_as_it_speaks(self):
        self.assertEqual(agreement.of_ab(AB, 2.0), agreement.Asked(19876.54, 50.0))
        self.assertEqual(agreement.of_wrk(WRK, 1.23456), agreement.Asked(58788.57, 10.0))
        self.assertEqual(agreement.of_siege(SIEGE, 2.0), agreement.Asked(9876.54, 100.0))
        self.assertEqual(agreement.of_kurabe(answer()), {"kept": agreement.Asked(5000.0, 12.0)})

    def test_what_failed_is_no_rate(self):
        cases = [
            lambda: agreement.of_ab(AB.replace("Failed requests:        0", "Failed requests:        3"), 1.0),
            lambda: agreement.of_ab(AB + "Non-2xx responses:      40000\n", 1.0),
            lambda: agreement.of_wrk(WRK + "  Non-2xx or 3xx responses: 7\n", 1.0),
            lambda: agreement.of_wrk(WRK + "  Socket errors: connect 0, read 3, write 0, timeout 0\n", 1.0),
            lambda: agreement.of_siege(SIEGE.replace('":\t\t\t   0', '":\t\t\t   2'), 1.0),
            lambda: agreement.of_ab("", 1.0),
            lambda: agreement.of_kurabe(answer(failed=1)),
        ]
        for case in cases:
            with self.assertRaises(SystemExit):
                case()


class Ratios(unittest.TestCase):
    def test_the_interval_is_that_of_the_logarithms(self):
        mean, low, high = agreement.interval([2.0, 8.0])
        self.assertAlmostEqual(mean, 4.0)
        half = 12.706 * math.log(2) * math.sqrt(2) / math.sqrt(2)
        self.assertAlmostEqual(math.log(high / mean), half)
        self.assertAlmostEqual(low * high, mean * mean)
        self.assertEqual(agreement.interval([3.0])[1:], (0.0, math.inf))

    def test_a_row_says_whether_both_agree(self):
        def one(rate: float, other: float) -> dict:
            asked = {name: agreement.Asked(other, 20.0) for name in ("wrk -t1", "ab -k", "siege -b", "ab")}
            return asked | {name: agreement.Asked(rate, 10.0) for name in ("kept", "each")}

        def words(rounds: list[dict]) -> str:
            return agreement.rows("serve", "one post", rounds)[0]

        self.assertIn("| yes |", words([one(1000, 1000), one(1001, 1000), one(999, 1000)]))
        self.assertIn("| no |", words([one(2000, 1000), one(2001, 1000), one(1999, 1000)]))
        self.assertIn("| cannot tell |", words([one(500, 1000), one(1000, 1000), one(2500, 1000)]))
        self.assertIn("0.50 (0.50 to 0.50)", words([one(1000, 1000)] * 3))


if __name__ == "__main__":
    unittest.main()
