package stores

import (
	"net/url"
	"os"
	"sync"

	"kurabe/protocol"
)

// echo is no store: it answers what is expected, and keeps what was written since the load in a map behind a lock. What is left
// is the language, the loop, values and tapes.
type echo struct {
	plain
	values *protocol.Values
	rows   uint32
	lock   sync.RWMutex
	// Values by row, nil where it was deleted.
	written map[uint32][]byte
	highest uint32
	sum     int64
}

func openEcho(job *protocol.Job, _ *url.URL) (protocol.Store, error) {
	pool, err := os.ReadFile(job.Pool)
	if err != nil {
		return nil, err
	}
	e := &echo{values: protocol.NewValues(job.Schema.Fields, pool, false), rows: uint32(job.Rows)}
	e.reset()
	return e, nil
}

func (e *echo) Capabilities() map[string]any {
	return map[string]any{
		"operations": []string{"load", "insert", "read", "update", "delete", "scan", "latest", "multi-read", "increment"},
		"key_types":  []string{"int64"}, "empty_values": false,
	}
}

func (e *echo) reset() {
	e.written, e.highest, e.sum = map[uint32][]byte{}, e.rows, 0
}

func (e *echo) Calls() protocol.Calls {
	reset := task(func() error { e.reset(); return nil })
	return protocol.Calls{
		"ping": task(func() error { return nil }), "create": reset, "reset": reset,
		"sum": figure("sum", func() (int64, error) { return e.sum, nil }),
	}
}

// Connect gives all workers the same.
func (e *echo) Connect(*protocol.Phase, *protocol.Values) (protocol.Lane, error) { return e, nil }
func (e *echo) Open() (protocol.Lane, error)                                     { return nil, errUnsupported }
func (e *echo) Lost(error) bool                                                  { return false }

// value of a row that is there. One that nobody wrote since the load is made anew.
func (e *echo) value(row uint32) []byte {
	e.lock.RLock()
	raw, isWritten := e.written[row]
	e.lock.RUnlock()
	if !isWritten && row < e.rows {
		return e.values.Row(row, 0).Raw
	}
	return raw
}

// write keeps a value where the row is there, or where it is not.
func (e *echo) write(row uint32, raw []byte, mustBeThere bool, otherwise protocol.Outcome) (protocol.Outcome, error) {
	e.lock.Lock()
	defer e.lock.Unlock()
	old, isWritten := e.written[row]
	isThere := old != nil || !isWritten && row < e.rows
	if isThere == mustBeThere {
		e.written[row] = raw
		e.highest = max(e.highest, row+1)
	}
	return done(isThere == mustBeThere, otherwise), nil
}

func rowOf(key protocol.Key) uint32 { return uint32(key.Arg.(int64)) }

func (e *echo) Load(*protocol.Row) error { return nil }

func (e *echo) Insert(row *protocol.Row) (protocol.Outcome, error) {
	return e.write(row.Number, row.Raw, false, protocol.Exists)
}

func (e *echo) Update(row *protocol.Row) (protocol.Outcome, error) {
	return e.write(row.Number, row.Raw, true, protocol.Missing)
}

func (e *echo) Delete(key protocol.Key) (protocol.Outcome, error) {
	return e.write(rowOf(key), nil, true, protocol.Missing)
}

func (e *echo) Increment(uint32) error {
	e.lock.Lock()
	defer e.lock.Unlock()
	e.sum++
	return nil
}

func (e *echo) answer(row uint32) protocol.Answer {
	raw := e.value(row)
	return protocol.Answer{Found: raw != nil, Key: protocol.Cell{Int: int64(row)}, Raw: raw}
}

func (e *echo) Read(key protocol.Key) (protocol.Answer, error) { return e.answer(rowOf(key)), nil }

func (e *echo) MultiRead(keys []protocol.Key) ([]protocol.Answer, error) {
	answers := make([]protocol.Answer, len(keys))
	for at, key := range keys {
		answers[at] = e.answer(rowOf(key))
	}
	return answers, nil
}

// Latest goes down from the newest row.
func (e *echo) Latest(most uint32) ([]protocol.Answer, error) {
	var answers []protocol.Answer
	for row := e.highest; row > 0 && uint32(len(answers)) < most; row-- {
		if answer := e.answer(row - 1); answer.Found {
			answers = append(answers, answer)
		}
	}
	return answers, nil
}

// Scan is in any order.
func (e *echo) Scan() ([]protocol.Answer, error) { return e.Latest(e.highest) }

// Close leaves what was written: it is there in the next phase.
func (e *echo) Close() error { return nil }
