"""Rows that are encoded: `python3 test_encoding.py`."""

from __future__ import annotations

import unittest

from kurabe_encoding import Codec, known
from kurabe_job import Layout


class Encodings(unittest.TestCase):
    """Rows as maps of their columns."""

    TEXTS = ("no", "yes", "Off", "null", "~", "1e3", "012", "0x1F", "1_000", ".5", ".nan", "2026-11-23", "12:30:45", "<<",
             "=", "!!int 5", "- a", "a: b", "#", "", " a ", "a\nb", "\n", "\t", "'", '"', "{a: 1}", "|", "鍵", "😀", "\x85")

    def codec(self, encoding: str) -> Codec:
        """Of a text, a number and bytes."""
        columns = [{"name": "id", "type": "int64"}, {"name": "no", "type": "text", "len_bytes": 60},
                   {"name": "visits", "type": "int64"}, {"name": "blob", "type": "bytes", "len_bytes": 9}]
        return Codec(encoding, Layout({"fields": columns}, bytes(1 << 20)))

    def test_texts_that_look_like_something_else_come_back_as_texts(self) -> None:
        for encoding in set(known()) - {"raw"}:
            codec = self.codec(encoding)
            for text in self.TEXTS:
                row = (text, -(1 << 63), text.encode())
                self.assertEqual(codec.decode(codec.encode(row)), row, encoding)
            self.assertGreater(codec.spent_ns, 0)

    def test_what_is_no_row_is_given_as_it_is(self) -> None:
        codec = self.codec("json")
        self.assertEqual(codec.encode(("a", 5, b"\xff")), b'{"no":"a","visits":5,"blob":"/w=="}')
        for kept in (b"", b"5", b"[]", b"{}", b'{"no":1,"visits":5,"blob":""}', b'{"no":"a","visits":"5","blob":""}',
                     b'{"no":"a","visits":true,"blob":""}', b'{"no":"a","visits":5,"blob":"?"}',
                     b'{"no":"a","visits":5,"blob":"","more":1}', b"\xff"):
            self.assertEqual(codec.decode(kept), (kept,))
        self.assertIsNone(codec.decode(None))


if __name__ == "__main__":
    unittest.main()
