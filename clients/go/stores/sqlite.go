package stores

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"modernc.org/sqlite"

	"kurabe/protocol"
)

var (
	// pragmas in the order in which they must be set: the size of a page before the first table, WAL before the level
	// that is checked against it.
	pragmas     = []string{"page_size", "journal_mode", "synchronous", "cache_size", "mmap_size", "wal_autocheckpoint"}
	synchronous = map[string]string{"0": "off", "1": "normal", "2": "full", "3": "extra"}
	sqliteTypes = map[string]string{"int64": "INTEGER", "text": "TEXT", "bytes": "BLOB"}
)

// constraintPrimaryKey is SQLite's extended code of a key that is there already.
const constraintPrimaryKey = 1555

// sqliteStore is a file; each worker has a handle of its own.
type sqliteStore struct {
	sqlStore
	textType string
}

func openSqlite(job *protocol.Job, _ *url.URL) (protocol.Store, error) {
	path, err := file(job, "data.sqlite")
	if err != nil {
		return nil, err
	}
	textType := strings.ToUpper(cmp.Or(job.Settings["text_type"], "text"))
	s := &sqliteStore{newSQLStore(job, newTable(job, `"`, false)), textType}
	// A handle that finds the file locked waits in the library, with growing sleeps.
	setup := []string{fmt.Sprintf("PRAGMA busy_timeout = %d", max(1, operationLimit(job).Milliseconds()))}
	for _, name := range pragmas {
		if value, isGiven := job.Settings[name]; isGiven {
			setup = append(setup, fmt.Sprintf("PRAGMA %s = %s", name, value))
		}
	}
	address := url.URL{Scheme: "file", Path: path}
	s.connect = func(time.Duration) (link, error) {
		connector, err := sqlite.NewConnector(address.String())
		if err != nil {
			return nil, err
		}
		return connected(connector, setup...)
	}
	s.begin = "BEGIN IMMEDIATE"
	// It is taken by the first read of a transaction.
	s.snapshot = fmt.Sprintf("BEGIN; SELECT %s FROM %s LIMIT 1", s.key, s.name)
	s.load = strings.Replace(s.insert, "INSERT", "INSERT OR REPLACE", 1)
	s.increment = "INSERT INTO " + s.counters + " VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET count = count + 1"
	s.isDuplicate = func(err error) bool {
		var told *sqlite.Error
		return errors.As(err, &told) && told.Code() == constraintPrimaryKey
	}
	return s, nil
}

func (s *sqliteStore) Capabilities() map[string]any {
	return map[string]any{
		"operations": columnOperations(s.job), "transactions": true, "processes": true,
		"read_scopes": []string{"each", "snapshot"}, "max_value_bytes": 1_000_000_000,
	}
}

func (s *sqliteStore) Calls() protocol.Calls {
	// Pages of the database, those that are still in the write-ahead log too, times their size.
	const size = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
	const version = "SELECT sqlite_version(), sqlite_source_id()"
	return s.calls(protocol.Calls{
		"info":     func() (any, error) { return s.row(version, "version", "source") },
		"settings": s.settings,
		"create":   task(func() error { return s.run(append(s.drop(), s.create()...)...) }),
		"size":     figure("bytes", func() (int64, error) { return s.number(size) }),
		"check": func() (any, error) {
			row, err := s.row("PRAGMA integrity_check(1)", "detail")
			return checked(row["detail"] == "ok", row["detail"]), err
		},
	})
}

// settings are those of a handle that is opened as those of the workers are: some belong to a handle.
func (s *sqliteStore) settings() (any, error) {
	texts := protocol.Texts{}
	for _, name := range pragmas {
		row, err := s.row("PRAGMA "+name, name)
		if err != nil {
			return nil, err
		}
		texts[name] = row[name]
	}
	if word := synchronous[texts["synchronous"]]; word != "" {
		texts["synchronous"] = word
	}
	return texts, nil
}

func (s *sqliteStore) create() []string {
	return s.table.create("TABLE", "INTEGER", "", func(at int) string {
		kind := s.fields[at].Type
		if kind == "text" && at > 0 {
			return s.textType
		}
		return sqliteTypes[kind]
	})
}
