package stores

import (
	"database/sql"
	"database/sql/driver"

	"kurabe/protocol"
)

// databaseLink is a connection of database/sql: a pool of one, so that it is the worker's own.
type databaseLink struct {
	pool *sql.DB
	conn *sql.Conn
}

// connected is a connection on which statements were run.
func connected(connector driver.Connector, statements ...string) (*databaseLink, error) {
	pool := sql.OpenDB(connector)
	pool.SetMaxOpenConns(1)
	conn, err := pool.Conn(ctx)
	if err != nil {
		pool.Close()
		return nil, err
	}
	l := &databaseLink{pool, conn}
	for _, text := range statements {
		if err := l.run(text); err != nil {
			l.close()
			return nil, err
		}
	}
	return l, nil
}

func (l *databaseLink) prepare(text string) (statement, error) {
	prepared, err := l.conn.PrepareContext(ctx, text)
	return databaseStatement{prepared}, err
}

func (l *databaseLink) run(text string) error {
	_, err := l.conn.ExecContext(ctx, text)
	return err
}

func (l *databaseLink) close() {
	l.conn.Close()
	l.pool.Close()
}

// texts gives the two columns of a query as names and values.
func (l *databaseLink) texts(texts protocol.Texts, name func(string) string, text string, args ...any) error {
	rows, err := l.conn.QueryContext(ctx, text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var key, value string
		if err := rows.Scan(&key, &value); err != nil {
			return err
		}
		texts[name(key)] = value
	}
	return rows.Err()
}

type databaseStatement struct{ prepared *sql.Stmt }

func (s databaseStatement) exec(args ...any) (int64, error) {
	result, err := s.prepared.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (s databaseStatement) query(next func() []any, args ...any) error {
	rows, err := s.prepared.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	return scanAll(rows, next)
}
