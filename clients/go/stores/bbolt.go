package stores

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"kurabe/protocol"
)

var (
	rowsBucket     = []byte("rows")
	countersBucket = []byte("counters")
	buckets        = [][]byte{rowsBucket, countersBucket}
	errNotMade     = errors.New("the file has no buckets yet; 'create' makes them")
)

// bboltStore is a file of two buckets, rows and counters. bbolt lets a process open a file once at a time and one
// writer at a time in: a write waits for the commits of others inside its own time.
type bboltStore struct {
	path    string
	options bolt.Options
	textKey bool
	lock    sync.Mutex
	// What all connections share, where it is open.
	db *bolt.DB
}

func openBbolt(job *protocol.Job, _ *url.URL) (protocol.Store, error) {
	path, err := file(job, "data.bbolt")
	if err != nil {
		return nil, err
	}
	s := &bboltStore{path: path, textKey: job.Schema.Fields[0].Type == "text"}
	s.options = *bolt.DefaultOptions
	// The lock of the file is free: nobody else has the folder.
	s.options.Timeout = time.Duration(max(job.Limits.CallNs, int64(time.Second)))
	s.options.NoSync, s.options.NoFreelistSync = job.Settings["no_sync"] == "true", job.Settings["no_freelist_sync"] == "true"
	s.options.FreelistType = cmp.Or(bolt.FreelistType(job.Settings["freelist_type"]), bolt.FreelistArrayType)
	_, err = s.open()
	return s, err
}

func (s *bboltStore) Capabilities() map[string]any {
	return map[string]any{
		"operations": allOperations, "transactions": true, "read_scopes": []string{"each", "snapshot"},
		"max_value_bytes": bolt.MaxValueSize,
	}
}

// anew opens the file.
func (s *bboltStore) anew() (*bolt.DB, error) {
	options := s.options
	return bolt.Open(s.path, 0o600, &options)
}

// open gives what all share; opens it where it is not open.
func (s *bboltStore) open() (_ *bolt.DB, err error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.db == nil {
		s.db, err = s.anew()
	}
	return s.db, err
}

// Open opens the file alone: what all share is closed, and others wait.
func (s *bboltStore) Open() (protocol.Lane, error) {
	s.lock.Lock()
	var err error
	if s.db != nil {
		err, s.db = s.db.Close(), nil
	}
	l := &bboltLane{store: s, isAlone: true}
	if err == nil {
		l.db, err = s.anew()
	}
	if err != nil {
		s.lock.Unlock()
		return nil, err
	}
	return l, nil
}

func (s *bboltStore) Connect(phase *protocol.Phase, _ *protocol.Values) (protocol.Lane, error) {
	db, err := s.open()
	l := &bboltLane{store: s, db: db}
	if err == nil && phase.ReadScope == "snapshot" {
		l.snapshot, err = db.Begin(false)
	}
	return l, err
}

func (s *bboltStore) Lost(error) bool { return false }

func (s *bboltStore) view(work func(*bolt.Tx) error) error {
	db, err := s.open()
	if err != nil {
		return err
	}
	return db.View(work)
}

func (s *bboltStore) change(work func(*bolt.Tx) error) error {
	db, err := s.open()
	if err != nil {
		return err
	}
	return db.Update(work)
}

// number is a call that answers one by its name.
func (s *bboltStore) number(name string, ask func(*bolt.Tx) int64) func() (any, error) {
	return figure(name, func() (number int64, err error) {
		err = s.view(func(tx *bolt.Tx) error { number = ask(tx); return nil })
		return number, err
	})
}

func (s *bboltStore) Calls() protocol.Calls {
	return protocol.Calls{
		"ping":     task(func() error { return s.view(func(*bolt.Tx) error { return nil }) }),
		"info":     func() (any, error) { return protocol.Texts{"version": Version("go.etcd.io/bbolt")}, nil },
		"settings": s.settings,
		"create":   task(func() error { return s.change(create) }),
		"reset":    task(func() error { return s.change(remove) }),
		"count":    s.number("rows", count),
		"sum":      s.number("sum", sum),
		// That of all pages up to the last, free ones among them too.
		"size":  s.number("bytes", (*bolt.Tx).Size),
		"check": s.check,
	}
}

func remove(tx *bolt.Tx) error {
	for _, name := range buckets {
		if err := tx.DeleteBucket(name); err != nil && !errors.Is(err, bolterrors.ErrBucketNotFound) {
			return err
		}
	}
	return nil
}

func create(tx *bolt.Tx) error {
	err := remove(tx)
	for _, name := range buckets {
		if err == nil {
			_, err = tx.CreateBucket(name)
		}
	}
	return err
}

// settings are those of the open database.
func (s *bboltStore) settings() (any, error) {
	db, err := s.open()
	if err != nil {
		return nil, err
	}
	return protocol.Texts{
		"no_sync":          fmt.Sprint(db.NoSync),
		"no_freelist_sync": fmt.Sprint(db.NoFreelistSync),
		"freelist_type":    string(db.FreelistType),
	}, nil
}

func count(tx *bolt.Tx) int64 {
	if bucket := tx.Bucket(rowsBucket); bucket != nil {
		return int64(bucket.Stats().KeyN)
	}
	return 0
}

func sum(tx *bolt.Tx) (sum int64) {
	if bucket := tx.Bucket(countersBucket); bucket != nil {
		_ = bucket.ForEach(func(_, value []byte) error { sum += counterOf(value); return nil })
	}
	return sum
}

func (s *bboltStore) check() (any, error) {
	detail := "ok"
	err := s.view(func(tx *bolt.Tx) error {
		for problem := range tx.Check() {
			if detail == "ok" {
				detail = problem.Error()
			}
		}
		return nil
	})
	return checked(detail == "ok", detail), err
}

// key as bytes whose order is that of the keys.
func (s *bboltStore) key(key protocol.Key) []byte {
	if s.textKey {
		return []byte(key.Text)
	}
	return binary.BigEndian.AppendUint64(nil, uint64(key.Arg.(int64)))
}

// answer copies a row: what bbolt gives is its own, as long as the transaction.
func (s *bboltStore) answer(key, value []byte) protocol.Answer {
	answer := protocol.Answer{Found: true, Raw: append([]byte(nil), value...)}
	if s.textKey {
		answer.Key.Bytes = append([]byte(nil), key...)
	} else if len(key) == 8 {
		answer.Key.Int = int64(binary.BigEndian.Uint64(key))
	}
	return answer
}

func counterOf(value []byte) int64 {
	if len(value) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(value))
}

// bboltLane is a goroutine's way into the file.
type bboltLane struct {
	plain
	store   *bboltStore
	db      *bolt.DB
	isAlone bool
	// snapshot is what all reads of the phase see, where they share one.
	snapshot *bolt.Tx
	// writing holds writes that wait for their commit; other writers wait for it too.
	writing *bolt.Tx
	writes  int
	// undone counts writes that an error undid since the last commit.
	undone int
}

// write does something in the open transaction; begins one where none is open.
func (l *bboltLane) write(bucket []byte, work func(*bolt.Bucket) error) (err error) {
	if l.writing == nil {
		if l.writing, err = l.db.Begin(true); err != nil {
			return err
		}
	}
	if found := l.writing.Bucket(bucket); found == nil {
		err = errNotMade
	} else if err = work(found); err == nil {
		l.writes++
		return nil
	}
	// What is left of the transaction cannot be trusted.
	l.undone += l.writes
	return errors.Join(err, l.end((*bolt.Tx).Rollback))
}

// end ends the open transaction, where there is one.
func (l *bboltLane) end(how func(*bolt.Tx) error) error {
	writing := l.writing
	l.writing, l.writes = nil, 0
	if writing == nil {
		return nil
	}
	return how(writing)
}

func (l *bboltLane) Commit() error {
	if undone := l.undone; undone > 0 {
		l.undone = 0
		err := fmt.Errorf("an earlier error undid %d writes of this transaction", undone)
		return errors.Join(err, l.end((*bolt.Tx).Rollback))
	}
	return l.end((*bolt.Tx).Commit)
}

// read does something in the transaction that reads belong to now.
func (l *bboltLane) read(work func(*bolt.Bucket)) error {
	look := func(tx *bolt.Tx) error {
		rows := tx.Bucket(rowsBucket)
		if rows == nil {
			return errNotMade
		}
		work(rows)
		return nil
	}
	switch {
	case l.writing != nil:
		return look(l.writing)
	case l.snapshot != nil:
		return look(l.snapshot)
	}
	return l.db.View(look)
}

func (l *bboltLane) Load(row *protocol.Row) error {
	key := l.store.key(row.Key)
	return l.write(rowsBucket, func(rows *bolt.Bucket) error { return rows.Put(key, row.Raw) })
}

// alter puts a row, or deletes one where there is none to put, if its key is there, or if it is not: bbolt has no such
// write and does not tell of a deletion, so a look comes first.
func (l *bboltLane) alter(key protocol.Key, row *protocol.Row, mustExist bool, otherwise protocol.Outcome) (
	outcome protocol.Outcome, err error,
) {
	name := l.store.key(key)
	err = l.write(rowsBucket, func(rows *bolt.Bucket) error {
		if _, exists := find(rows, name); exists != mustExist {
			outcome = otherwise
			return nil
		}
		if row == nil {
			return rows.Delete(name)
		}
		return rows.Put(name, row.Raw)
	})
	return outcome, err
}

func (l *bboltLane) Insert(row *protocol.Row) (protocol.Outcome, error) {
	return l.alter(row.Key, row, false, protocol.Exists)
}
func (l *bboltLane) Update(row *protocol.Row) (protocol.Outcome, error) {
	return l.alter(row.Key, row, true, protocol.Missing)
}
func (l *bboltLane) Delete(key protocol.Key) (protocol.Outcome, error) {
	return l.alter(key, nil, true, protocol.Missing)
}

func (l *bboltLane) Increment(counter uint32) error {
	name := binary.BigEndian.AppendUint32(nil, counter)
	return l.write(countersBucket, func(counters *bolt.Bucket) error {
		count := counterOf(counters.Get(name)) + 1
		return counters.Put(name, binary.BigEndian.AppendUint64(nil, uint64(count)))
	})
}

func (l *bboltLane) get(rows *bolt.Bucket, key protocol.Key) protocol.Answer {
	if value, exists := find(rows, l.store.key(key)); exists {
		return protocol.Answer{Found: true, Raw: append([]byte(nil), value...)}
	}
	return protocol.Answer{}
}

// find does what Get does, which cannot tell an empty value of its own transaction from none.
func find(rows *bolt.Bucket, name []byte) (value []byte, exists bool) {
	found, value := rows.Cursor().Seek(name)
	return value, bytes.Equal(found, name) && found != nil
}

func (l *bboltLane) Read(key protocol.Key) (answer protocol.Answer, err error) {
	err = l.read(func(rows *bolt.Bucket) { answer = l.get(rows, key) })
	return answer, err
}

// MultiRead is a get for each key, all in one transaction.
func (l *bboltLane) MultiRead(keys []protocol.Key) ([]protocol.Answer, error) {
	answers := make([]protocol.Answer, len(keys))
	return answers, l.read(func(rows *bolt.Bucket) {
		for at, key := range keys {
			answers[at] = l.get(rows, key)
		}
	})
}

func (l *bboltLane) Scan() (answers []protocol.Answer, err error) {
	err = l.read(func(rows *bolt.Bucket) {
		cursor := rows.Cursor()
		for key, value := cursor.First(); key != nil; key, value = cursor.Next() {
			answers = append(answers, l.store.answer(key, value))
		}
	})
	return answers, err
}

func (l *bboltLane) Latest(rows uint32) (answers []protocol.Answer, err error) {
	err = l.read(func(bucket *bolt.Bucket) {
		cursor := bucket.Cursor()
		for key, value := cursor.Last(); key != nil && len(answers) < int(rows); key, value = cursor.Prev() {
			answers = append(answers, l.store.answer(key, value))
		}
	})
	return answers, err
}

func (l *bboltLane) Close() (err error) {
	err = l.end((*bolt.Tx).Rollback)
	if l.snapshot != nil {
		err = errors.Join(err, l.snapshot.Rollback())
	}
	if l.isAlone {
		defer l.store.lock.Unlock()
		err = errors.Join(err, l.db.Close())
	}
	return err
}
