package stores

import (
	"fmt"
	"strings"

	"kurabe/protocol"
)

// table is that of a job in a kind of SQL: one column a field, the key first; and the one of its counters.
type table struct {
	fields               []protocol.Field
	plain, name, key     string
	counters             string
	columns              []string
	quote                string
	numbered             bool
	scan, insert, remove string
}

// newTable is a table whose parameters stand as `?`, or as `$1`, `$2` where they are numbered.
func newTable(job *protocol.Job, quote string, numbered bool) *table {
	t := &table{fields: job.Schema.Fields, plain: job.Namespace, quote: quote, numbered: numbered}
	t.name, t.counters = quoted(job.Namespace, quote), quoted(job.Namespace+"_counters", quote)
	for _, field := range t.fields {
		t.columns = append(t.columns, quoted(field.Name, quote))
	}
	t.key = t.columns[0]
	t.scan = fmt.Sprintf("SELECT %s FROM %s", strings.Join(t.columns, ", "), t.name)
	t.insert = fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", t.name, strings.Join(t.columns, ", "), t.places(len(t.columns)))
	t.remove = fmt.Sprintf("DELETE FROM %s WHERE %s = %s", t.name, t.key, t.place(1))
	return t
}

// place of parameter number at, from 1.
func (t *table) place(at int) string {
	if t.numbered {
		return fmt.Sprintf("$%d", at)
	}
	return "?"
}

func (t *table) places(count int) string {
	all := make([]string, count)
	for at := range all {
		all[at] = t.place(at + 1)
	}
	return strings.Join(all, ", ")
}

func (t *table) read() string {
	return fmt.Sprintf("SELECT %s FROM %s WHERE %s = %s", strings.Join(t.columns[1:], ", "), t.name, t.key, t.place(1))
}

// update takes the key last.
func (t *table) update() string {
	sets := make([]string, len(t.columns)-1)
	for at, column := range t.columns[1:] {
		sets[at] = column + " = " + t.place(at+1)
	}
	return fmt.Sprintf("UPDATE %s SET %s WHERE %s = %s", t.name, strings.Join(sets, ", "), t.key, t.place(len(t.columns)))
}

func (t *table) latest() string {
	return fmt.Sprintf("%s ORDER BY %s DESC LIMIT %s", t.scan, t.key, t.place(1))
}

func (t *table) search(field int) string {
	return fmt.Sprintf("%s WHERE %s BETWEEN %s AND %s", t.scan, t.columns[field], t.place(1), t.place(2))
}

func (t *table) many(keys int) string {
	return fmt.Sprintf("%s WHERE %s IN (%s)", t.scan, t.key, t.places(keys))
}

func (t *table) count() string { return "SELECT count(*) FROM " + t.name }
func (t *table) sum() string   { return "SELECT COALESCE(SUM(count), 0) FROM " + t.counters }

// statement is one that is prepared.
type statement interface {
	// exec tells how many rows it met.
	exec(args ...any) (int64, error)
	// query scans each row into what next gives.
	query(next func() []any, args ...any) error
}

// link is a connection as a library has it.
type link interface {
	prepare(text string) (statement, error)
	run(text string) error
	close()
}

// dialect is a store by its table.
type dialect interface {
	protocol.Store
	link() (link, error)
	// texts are those of its own of `load`, `insert` and `increment`.
	texts() (load, insert, increment string)
	// many is the statement for so many keys and its parameters.
	many(keys []protocol.Key) (string, []any)
	begin() string
	snapshot() string
	isDuplicate(err error) bool
	isDeadlock(err error) bool
}

const deadlockRetries = 1000

// sqlLane is a connection of one worker.
type sqlLane struct {
	dialect  dialect
	table    *table
	textKey  bool
	link     link
	prepared map[string]statement
	together bool
	isOpen   bool
	// cause is the error that rolled writes of the transaction back; the next commit tells.
	cause error
}

// newSQLLane connects with the statements of the phase prepared.
func newSQLLane(d dialect, t *table, phase *protocol.Phase) (protocol.Lane, error) {
	l := &sqlLane{dialect: d, table: t, textKey: t.fields[0].Type == "text", together: phase.CommitEvery > 1}
	if phase.Does("open") {
		return l, nil
	}
	var err error
	if l.link, err = d.link(); err != nil {
		return nil, err
	}
	load, insert, increment := d.texts()
	l.prepared = map[string]statement{}
	texts := map[string]string{
		"load": load, "insert": insert, "read": t.read(), "update": t.update(), "delete": t.remove,
		"scan": t.scan, "latest": t.latest(), "increment": increment, "search": t.search(phase.SearchField),
	}
	for name, text := range texts {
		if phase.Does(name) {
			if l.prepared[name], err = l.link.prepare(text); err != nil {
				l.Close()
				return nil, err
			}
		}
	}
	if phase.ReadScope == "snapshot" {
		if err = l.link.run(d.snapshot()); err != nil {
			l.Close()
			return nil, err
		}
	}
	return l, nil
}

// write executes a statement, in a transaction where writes are committed together; how many rows it met.
func (l *sqlLane) write(name string, args ...any) (int64, error) {
	if l.together && !l.isOpen {
		if err := l.link.run(l.dialect.begin()); err != nil {
			return 0, err
		}
		l.isOpen = true
	}
	met, err := l.prepared[name].exec(args...)
	if err != nil && l.isOpen && !l.dialect.isDuplicate(err) {
		l.cause, l.isOpen = err, false
		// A connection that cannot even roll back fails in the next statement.
		_ = l.link.run("ROLLBACK")
	}
	return met, err
}

func (l *sqlLane) Commit() error {
	isOpen, cause := l.isOpen, l.cause
	l.isOpen, l.cause = false, nil
	if isOpen {
		if err := l.link.run("COMMIT"); err != nil {
			// Some keep the transaction then; one that is gone already is no matter.
			_ = l.link.run("ROLLBACK")
			return err
		}
	}
	if cause != nil {
		return fmt.Errorf("writes of this transaction were rolled back after: %w", cause)
	}
	return nil
}

func (l *sqlLane) Load(row *protocol.Row) error {
	_, err := l.write("load", append([]any{row.Key.Arg}, row.Fields...)...)
	return err
}

// Insert of a key that is there fails, or meets no row.
func (l *sqlLane) Insert(row *protocol.Row) (protocol.Outcome, error) {
	met, err := l.write("insert", append([]any{row.Key.Arg}, row.Fields...)...)
	if err != nil && l.dialect.isDuplicate(err) {
		return protocol.Exists, nil
	}
	return done(met > 0, protocol.Exists), err
}

func (l *sqlLane) Update(row *protocol.Row) (protocol.Outcome, error) {
	met, err := l.write("update", append(row.Fields, row.Key.Arg)...)
	return done(met > 0, protocol.Missing), err
}

func (l *sqlLane) Delete(key protocol.Key) (protocol.Outcome, error) {
	met, err := l.write("delete", key.Arg)
	return done(met > 0, protocol.Missing), err
}

// Increment is tried again after a deadlock: connections that make the same counters wait for each other, and nothing
// was written.
func (l *sqlLane) Increment(counter uint32) (err error) {
	for range deadlockRetries {
		if _, err = l.write("increment", int64(counter)); err == nil || l.together || !l.dialect.isDeadlock(err) {
			break
		}
	}
	return err
}

// cells are those of the columns from number first on, and where to scan them.
func (l *sqlLane) cells(first int) ([]protocol.Cell, []any) {
	cells, targets := make([]protocol.Cell, len(l.table.fields)-first), make([]any, len(l.table.fields)-first)
	for at := range cells {
		if l.table.fields[first+at].Type == "int64" {
			targets[at] = &cells[at].Int
		} else {
			targets[at] = &cells[at].Bytes
		}
	}
	return cells, targets
}

func (l *sqlLane) one(s statement, key protocol.Key) (answer protocol.Answer, err error) {
	err = s.query(func() []any {
		cells, targets := l.cells(1)
		answer = protocol.Answer{Found: true, Cells: cells}
		return targets
	}, key.Arg)
	return answer, err
}

func (l *sqlLane) all(s statement, args ...any) (answers []protocol.Answer, err error) {
	var cells [][]protocol.Cell
	err = s.query(func() []any {
		row, targets := l.cells(0)
		cells = append(cells, row)
		return targets
	}, args...)
	answers = make([]protocol.Answer, len(cells))
	for at, row := range cells {
		answers[at] = protocol.Answer{Found: true, Key: row[0], Cells: row[1:]}
	}
	return answers, err
}

func (l *sqlLane) Read(key protocol.Key) (protocol.Answer, error) {
	return l.one(l.prepared["read"], key)
}

// MultiRead prepares a statement for each number of keys that comes.
func (l *sqlLane) MultiRead(keys []protocol.Key) (answers []protocol.Answer, err error) {
	text, args := l.dialect.many(keys)
	s := l.prepared[text]
	if s == nil {
		if s, err = l.link.prepare(text); err != nil {
			return nil, err
		}
		l.prepared[text] = s
	}
	rows, err := l.all(s, args...)
	if err != nil {
		return nil, err
	}
	return inOrder(keys, rows, l.textKey), nil
}

// inOrder puts rows in the order of the keys that were asked for.
func inOrder(keys []protocol.Key, rows []protocol.Answer, textKey bool) []protocol.Answer {
	found := make(map[any]protocol.Answer, len(rows))
	for _, row := range rows {
		if textKey {
			found[string(row.Key.Bytes)] = row
		} else {
			found[row.Key.Int] = row
		}
	}
	answers := make([]protocol.Answer, len(keys))
	for at, key := range keys {
		answers[at] = found[key.Arg]
	}
	return answers
}

func (l *sqlLane) Scan() ([]protocol.Answer, error) { return l.all(l.prepared["scan"]) }

func (l *sqlLane) Latest(rows uint32) ([]protocol.Answer, error) {
	return l.all(l.prepared["latest"], int64(rows))
}

func (l *sqlLane) Search(low, high uint32) ([]protocol.Answer, error) {
	return l.all(l.prepared["search"], int64(low), int64(high))
}

func (l *sqlLane) Open(keys []protocol.Key) ([]protocol.Answer, error) {
	link, err := l.dialect.link()
	if err != nil {
		return nil, err
	}
	defer link.close()
	read, err := link.prepare(l.table.read())
	answers := make([]protocol.Answer, len(keys))
	for at := 0; err == nil && at < len(keys); at++ {
		answers[at], err = l.one(read, keys[at])
	}
	return answers, err
}

func (l *sqlLane) Close() {
	if l.link != nil {
		l.link.close()
	}
}

// inPlaces are keys as parameters.
func inPlaces(keys []protocol.Key) []any {
	args := make([]any, len(keys))
	for at, key := range keys {
		args[at] = key.Arg
	}
	return args
}

// scanned is what rows of any driver have.
type scanned interface {
	Next() bool
	Scan(into ...any) error
	Err() error
}

// scanAll takes every row into what next gives.
func scanAll(rows scanned, next func() []any) error {
	for rows.Next() {
		if err := rows.Scan(next()...); err != nil {
			return err
		}
	}
	return rows.Err()
}
