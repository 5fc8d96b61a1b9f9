"""MySQL and MariaDB through PyMySQL, which is Python all through: values are written into the text of each statement."""

from __future__ import annotations

import platform
from typing import Any

import pymysql
from pymysql.constants import CLIENT

from .mysql_tables import MysqlTables


class MysqlStore(MysqlTables):
    """One connection; PyMySQL tries nothing again and connects again only where it is told to."""

    errors = (pymysql.MySQLError, OSError)

    def libraries(self) -> dict[str, str]:
        return {"python": platform.python_version(), "pymysql": pymysql.__version__}

    def connect(self) -> Any:
        url, query = self.address()
        user, password = self.login()
        seconds = self.job.operation_s
        return pymysql.connect(
            host=url.hostname, port=url.port or 3306, unix_socket=query.get("socket"), user=user, password=password,
            database=url.path[1:] or None, charset="utf8mb4", autocommit=True, binary_prefix=True,
            # An update that changes nothing has met its row.
            client_flag=CLIENT.FOUND_ROWS, init_command=self.sql_mode(),
            connect_timeout=max(1, round(seconds)), read_timeout=seconds, write_timeout=seconds)


STORE = MysqlStore
