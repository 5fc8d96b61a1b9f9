title = 同じ PostgreSQL を測ると、pgbench と Kurabe の速さは一致するか
