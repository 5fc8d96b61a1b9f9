"""MySQL and MariaDB through MySQL Connector/Python, the driver of MySQL's makers: values are written into the text of each
statement, as its cursors do where nothing is set. Wheels differ in whether they have a C part; it is never used."""

from __future__ import annotations

import platform
from typing import Any

import mysql.connector
from mysql.connector.constants import ClientFlag

from .mysql_tables import MysqlTables


class MysqlConnectorStore(MysqlTables):
    """One connection; the driver connects again only where it is told to."""

    errors = (mysql.connector.Error, OSError)

    def libraries(self) -> dict[str, str]:
        return {"python": platform.python_version(), "mysql-connector-python": mysql.connector.__version__}

    def quoted(self, name: str) -> str:
        """A name as it stands in a statement; `%s` alone is a place here."""
        return super().quoted(name).replace("%%", "%")

    def connect(self) -> Any:
        url, query = self.address()
        user, password = self.login()
        seconds = max(1, round(self.job.operation_s))
        where = {"unix_socket": query["socket"]} if "socket" in query else {"host": url.hostname, "port": url.port or 3306}
        return mysql.connector.connect(
            **where, user=user, password=password, database=url.path[1:] or None, charset="utf8mb4",
            collation="utf8mb4_bin", autocommit=True, use_pure=True, ssl_disabled=True,
            buffered=True,
            # An update that changes nothing has met its row.
            client_flags=[ClientFlag.FOUND_ROWS], init_command=self.sql_mode(),
            connection_timeout=seconds, read_timeout=seconds, write_timeout=seconds)


STORE = MysqlConnectorStore
