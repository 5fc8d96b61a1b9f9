package stores

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"modernc.org/sqlite"

	"kurabe/protocol"
)

var (
	// pragmas in the order in which they must be set: the size of a page before the first table, WAL before the level
	// that is checked against it.
	pragmas      = []string{"page_size", "journal_mode", "synchronous", "cache_size", "mmap_size", "wal_autocheckpoint"}
	synchronous  = map[string]string{"0": "off", "1": "normal", "2": "full", "3": "extra"}
	pragmaValues = regexp.MustCompile(`^-?\w+$`)
	sqliteTypes  = map[string]string{"int64": "INTEGER", "text": "TEXT", "bytes": "BLOB"}
)

// constraintPrimaryKey is SQLite's extended code of a key that is there already.
const constraintPrimaryKey = 1555

// sqliteStore is a file; each worker has a handle of its own.
type sqliteStore struct {
	job      *protocol.Job
	dsn      string
	setup    []string
	textType string
	table    *table
}

func openSqlite(job *protocol.Job) (protocol.Store, error) {
	dir, err := folder(job)
	if err == nil {
		err = refuseUnknown(job, "it has "+strings.Join(pragmas, ", ")+", text_type", append([]string{"text_type"}, pragmas...)...)
	}
	if err != nil {
		return nil, err
	}
	s := &sqliteStore{job: job, table: newTable(job, `"`, false), textType: strings.ToUpper(job.Settings["text_type"])}
	if s.textType == "" {
		s.textType = "TEXT"
	}
	if !slices.Contains([]string{"TEXT", "STRING"}, s.textType) {
		return nil, fmt.Errorf("text_type cannot be '%s'; it is text or string", job.Settings["text_type"])
	}
	// A handle that finds the file locked waits in the library, with growing sleeps.
	s.setup = []string{fmt.Sprintf("PRAGMA busy_timeout = %d", max(1, operationLimit(job).Milliseconds()))}
	for _, name := range pragmas {
		value, isGiven := job.Settings[name]
		if !isGiven {
			continue
		}
		if !pragmaValues.MatchString(value) {
			return nil, fmt.Errorf("setting %s cannot be '%s': a word or a number is expected", name, value)
		}
		s.setup = append(s.setup, fmt.Sprintf("PRAGMA %s = %s", name, value))
	}
	path := filepath.Join(dir, "data.sqlite")
	s.dsn = (&url.URL{Scheme: "file", Path: path}).String()
	return s, nil
}

func (s *sqliteStore) Receipt() protocol.Receipt {
	return protocol.Receipt{
		Libraries: []string{"modernc.org/sqlite"},
		Columns:   true,
		Capabilities: map[string]any{
			"operations": columnOperations(s.job), "transactions": true, "processes": true,
			"read_scopes": []string{"each", "snapshot"}, "max_value_bytes": 1_000_000_000,
		},
	}
}

// handle is one with the pragmas of the job.
func (s *sqliteStore) handle() (*databaseLink, error) {
	connector, err := sqlite.NewConnector(s.dsn)
	if err != nil {
		return nil, err
	}
	return connected(connector, s.setup...)
}

func (s *sqliteStore) link() (link, error)   { return s.handle() }
func (s *sqliteStore) Lost(error) bool       { return false }
func (s *sqliteStore) isDeadlock(error) bool { return false }
func (s *sqliteStore) begin() string         { return "BEGIN IMMEDIATE" }

// snapshot is taken by the first read of a transaction.
func (s *sqliteStore) snapshot() string {
	return fmt.Sprintf("BEGIN; SELECT %s FROM %s LIMIT 1", s.table.key, s.table.name)
}

func (s *sqliteStore) isDuplicate(err error) bool {
	var told *sqlite.Error
	return errors.As(err, &told) && told.Code() == constraintPrimaryKey
}

func (s *sqliteStore) texts() (load, insert, increment string) {
	load = strings.Replace(s.table.insert, "INSERT", "INSERT OR REPLACE", 1)
	increment = fmt.Sprintf("INSERT INTO %s (id, count) VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET count = count + 1",
		s.table.counters)
	return load, s.table.insert, increment
}

func (s *sqliteStore) many(keys []protocol.Key) (string, []any) {
	return s.table.many(len(keys)), inPlaces(keys)
}

func (s *sqliteStore) Connect(phase *protocol.Phase, _ *protocol.Values) (protocol.Lane, error) {
	return newSQLLane(s, s.table, phase)
}

// ask gives the one row of a query.
func (s *sqliteStore) ask(text string, targets ...any) error {
	l, err := s.handle()
	if err != nil {
		return err
	}
	defer l.close()
	return l.conn.QueryRowContext(ctx, text).Scan(targets...)
}

func (s *sqliteStore) number(text string) (number int64, err error) {
	err = s.ask(text, &number)
	return number, err
}

func (s *sqliteStore) run(texts ...string) error {
	l, err := s.handle()
	if err != nil {
		return err
	}
	defer l.close()
	for _, text := range texts {
		if err := l.run(text); err != nil {
			return err
		}
	}
	return nil
}

func (s *sqliteStore) Calls() protocol.Calls {
	sum := "SELECT COALESCE(SUM(count), 0) FROM " + s.table.counters
	// Pages of the database, those that are still in the write-ahead log too, times their size.
	size := "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
	return protocol.Calls{
		"ping": func() (any, error) { return succeeded(s.run("SELECT 1")) },
		"info": func() (any, error) {
			var version, source string
			err := s.ask("SELECT sqlite_version(), sqlite_source_id()", &version, &source)
			return protocol.Texts{"version": version, "source": source}, err
		},
		"settings": s.settings,
		"create":   func() (any, error) { return succeeded(s.run(append(s.drop(), s.create()...)...)) },
		"reset":    func() (any, error) { return succeeded(s.run(s.drop()...)) },
		"count":    func() (any, error) { return counted(s.number(s.table.count())) },
		"sum":      func() (any, error) { return summed(s.number(sum)) },
		"size":     func() (any, error) { return sized(s.number(size)) },
		"check": func() (any, error) {
			var detail string
			err := s.ask("PRAGMA integrity_check(1)", &detail)
			return checked(detail == "ok", detail), err
		},
	}
}

// settings are those of a handle that is opened as those of the workers are: some belong to a handle.
func (s *sqliteStore) settings() (any, error) {
	texts := protocol.Texts{}
	for _, name := range pragmas {
		var value string
		if err := s.ask("PRAGMA "+name, &value); err != nil {
			return nil, err
		}
		if word := synchronous[value]; name == "synchronous" && word != "" {
			value = word
		}
		texts[name] = value
	}
	return texts, nil
}

func (s *sqliteStore) drop() []string {
	return []string{"DROP TABLE IF EXISTS " + s.table.name, "DROP TABLE IF EXISTS " + s.table.counters}
}

func (s *sqliteStore) create() []string {
	var columns, indexes []string
	for at, field := range s.table.fields {
		kind := sqliteTypes[field.Type]
		if field.Type == "text" && at > 0 {
			kind = s.textType
		}
		column := s.table.columns[at] + " " + kind
		if at == 0 {
			column += " PRIMARY KEY"
		} else if field.Indexed {
			index := quoted(s.table.plain+"_"+field.Name, `"`)
			indexes = append(indexes, fmt.Sprintf("CREATE INDEX %s ON %s (%s)", index, s.table.name, s.table.columns[at]))
		}
		columns = append(columns, column)
	}
	tables := []string{
		fmt.Sprintf("CREATE TABLE %s (%s)", s.table.name, strings.Join(columns, ", ")),
		fmt.Sprintf("CREATE TABLE %s (id INTEGER PRIMARY KEY, count INTEGER NOT NULL)", s.table.counters),
	}
	return append(tables, indexes...)
}
