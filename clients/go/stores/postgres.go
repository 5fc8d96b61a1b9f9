package stores

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"kurabe/protocol"
)

// postgresSettings decide what is kept and what it costs.
var postgresSettings = []string{
	"autovacuum", "checkpoint_timeout", "commit_delay", "data_checksums", "effective_cache_size", "fsync",
	"full_page_writes", "huge_pages", "io_method", "jit", "max_connections", "max_wal_size", "random_page_cost",
	"shared_buffers", "synchronous_commit", "transaction_read_only", "wal_compression", "wal_level",
	"wal_sync_method", "wal_writer_delay",
}

var postgresTypes = map[string]string{"int64": "int8", "text": "text", "bytes": "bytea"}

const uniqueViolation = "23505"

// postgresStore is PostgreSQL.
type postgresStore struct {
	sqlStore
	config *pgx.ConnConfig
	kind   string
}

func openPostgres(job *protocol.Job, at *url.URL) (protocol.Store, error) {
	s := &postgresStore{sqlStore: newSQLStore(job, newTable(job, `"`, true)), kind: "TABLE"}
	if job.Candidate.Variant == "unlogged" {
		s.kind = "UNLOGGED TABLE"
	}
	// Other clients speak without TLS, which this library would try first.
	if query := at.Query(); !query.Has("sslmode") {
		query.Set("sslmode", "disable")
		at.RawQuery = query.Encode()
	}
	var err error
	if s.config, err = pgx.ParseConfig(at.String()); err != nil {
		return nil, errUnreadable
	}
	s.config.ConnectTimeout = callLimit(job)
	s.config.RuntimeParams["client_min_messages"] = "warning"
	if value, isGiven := job.Settings["synchronous_commit"]; isGiven {
		s.config.RuntimeParams["synchronous_commit"] = value
	}
	s.config.RuntimeParams["application_name"] = cmp.Or(s.config.RuntimeParams["application_name"], "kurabe")
	s.speak()
	return s, nil
}

// speak fills in what this kind of SQL has of its own.
func (s *postgresStore) speak() {
	s.connect, s.among, s.isDuplicate = s.connection, s.array, isUniqueViolation
	s.many = func(int) string { return s.scan + " WHERE " + s.key + " = ANY($1)" }
	// It is taken by the first statement of the transaction.
	s.snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1"
	// An insert of a key that is there changes no row, so that a transaction goes on.
	s.insert += " ON CONFLICT DO NOTHING"
	s.increment = "INSERT INTO " + s.counters + " AS c VALUES ($1, 1) ON CONFLICT (id) DO UPDATE SET count = c.count + 1"
}

func (s *postgresStore) Capabilities() map[string]any {
	return map[string]any{
		"operations": columnOperations(s.job), "transactions": true, "read_scopes": []string{"each", "snapshot"},
		"max_connections": 256, "processes": true, "passes": false, "max_value_bytes": 1<<30 - 1024,
	}
}

// connection is one whose statements end after a limit.
func (s *postgresStore) connection(limit time.Duration) (link, error) {
	config := s.config.Copy()
	config.RuntimeParams["statement_timeout"] = fmt.Sprint(max(1, min(limit.Milliseconds(), 1<<31-1)))
	conn, err := pgx.ConnectConfig(ctx, config)
	return pgxLink{conn}, err
}

func isUniqueViolation(err error) bool {
	var told *pgconn.PgError
	return errors.As(err, &told) && told.Code == uniqueViolation
}

func (s *postgresStore) Lost(err error) bool {
	var told *pgconn.PgError
	var scanned pgx.ScanArgError
	if errors.As(err, &told) {
		return told.Severity == "FATAL" || told.Severity == "PANIC"
	}
	return !errors.As(err, &scanned)
}

// array is the keys as one parameter.
func (s *postgresStore) array(keys []protocol.Key) []any {
	if s.hasTextKey() {
		return []any{named("", keys)}
	}
	numbers := make([]int64, len(keys))
	for at, key := range keys {
		numbers[at] = key.Arg.(int64)
	}
	return []any{numbers}
}

func (s *postgresStore) Calls() protocol.Calls {
	const version = "SELECT current_setting('server_version'), version()"
	// The table with its index, its long values and its maps.
	size := fmt.Sprintf("SELECT pg_total_relation_size('%s'::regclass)", s.name)
	return s.calls(protocol.Calls{
		"info":     func() (any, error) { return s.row(version, "version", "build") },
		"settings": s.settings,
		"create":   task(func() error { return s.run(append(s.drop(), s.create()...)...) }),
		"size":     figure("bytes", func() (int64, error) { return s.number(size) }),
	})
}

func (s *postgresStore) settings() (any, error) {
	texts := protocol.Texts{}
	return texts, s.with(func(l link) error {
		return addPairs(texts, l, "SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY($1) UNION ALL "+
			"SELECT 'relpersistence', relpersistence::text FROM pg_class WHERE oid = to_regclass($2)", postgresSettings, s.name)
	})
}

func (s *postgresStore) create() []string {
	return s.table.create(s.kind, "int8", "", func(at int) string {
		kind := postgresTypes[s.fields[at].Type] + " NOT NULL"
		if at == 0 && s.hasTextKey() {
			// Keys are in the order of their bytes, as in the other stores, whatever the database's own order is.
			kind += ` COLLATE "C"`
		}
		return kind
	})
}

// pgxLink is a connection of pgx's own interface.
type pgxLink struct{ conn *pgx.Conn }

func (l pgxLink) prepare(name, text string) error {
	_, err := l.conn.Prepare(ctx, name, text)
	return err
}

func (l pgxLink) exec(name string, args ...any) (int64, error) {
	tag, err := l.conn.Exec(ctx, name, args...)
	return tag.RowsAffected(), err
}

func (l pgxLink) query(next func() []any, name string, args ...any) error {
	rows, err := l.conn.Query(ctx, name, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	return scanAll(rows, next)
}

func (l pgxLink) run(text string) error {
	_, err := l.conn.Exec(ctx, text)
	return err
}

func (l pgxLink) close() error {
	// One that does not answer any more keeps nobody.
	limited, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return l.conn.Close(limited)
}
