title = pgbench（PostgreSQL 自身の負荷ツール）
