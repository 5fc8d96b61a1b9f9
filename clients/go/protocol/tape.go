// Package protocol is the protocol without its lines: scripts and tapes, keys and values, and what a store has to be
// (docs/PROTOCOL.md, "A phase").
package protocol

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"os"
)

const (
	chunkBytes   = 1 << 16
	commitBit    = 256
	messageBytes = 500
)

// Kind is what an entry of a script asks for.
type Kind uint32

// The codes of kinds.
const (
	Load Kind = iota
	Insert
	Read
	Update
	Delete
	Scan
	Latest
	MultiRead
	Increment
	Search
	Open
)

// Writes tells whether a commit can be due behind it.
func (k Kind) Writes() bool {
	return k == Load || k == Insert || k == Update || k == Delete || k == Increment
}

// Outcome is what came of an operation, or what else happened.
type Outcome uint32

// The outcomes on a tape.
const (
	Done Outcome = iota
	Exists
	Missing
	Failed
	CommitFailed
	RestCommitted
	RestNotCommitted
	Begins
)

// Entry is one operation of a script.
type Entry struct {
	Kind          Kind
	Row, Argument uint32
	// Rows of a multi-read or an open.
	Rows    []uint32
	Commits bool
}

// Script has the operations of a worker, in their order.
type Script struct {
	file *os.File
	from *bufio.Reader
}

// OpenScript opens the script at path.
func OpenScript(path string) (*Script, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &Script{file, bufio.NewReaderSize(file, chunkBytes)}, nil
}

// Next gives the next entry; io.EOF at the end.
func (s *Script) Next() (Entry, error) {
	var numbers [12]byte
	if _, err := io.ReadFull(s.from, numbers[:]); err != nil {
		return Entry{}, err
	}
	code := binary.LittleEndian.Uint32(numbers[:])
	entry := Entry{
		Kind:     Kind(code % commitBit),
		Row:      binary.LittleEndian.Uint32(numbers[4:]),
		Argument: binary.LittleEndian.Uint32(numbers[8:]),
		Commits:  code >= commitBit,
	}
	if entry.Kind != MultiRead && entry.Kind != Open {
		return entry, nil
	}
	rows := make([]byte, 4*entry.Argument)
	if _, err := io.ReadFull(s.from, rows); err != nil {
		return Entry{}, errors.Join(errors.New("a script ends in the middle of an entry"), err)
	}
	entry.Rows = make([]uint32, entry.Argument)
	for at := range entry.Rows {
		entry.Rows[at] = binary.LittleEndian.Uint32(rows[4*at:])
	}
	return entry, nil
}

// Close closes the file.
func (s *Script) Close() error { return s.file.Close() }

// Tape takes the records of a worker. What goes wrong with the file is told by Close.
type Tape struct {
	file *os.File
	to   *bufio.Writer
}

// OpenTape opens the tape at path, empty.
func OpenTape(path string) (*Tape, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return nil, err
	}
	return &Tape{file, bufio.NewWriterSize(file, chunkBytes)}, nil
}

// Begin notes an operation; as many rows follow.
func (t *Tape) Begin(start, end int64, outcome Outcome, rows int) {
	var head [24]byte
	binary.LittleEndian.PutUint64(head[:], uint64(start))
	binary.LittleEndian.PutUint64(head[8:], uint64(end))
	binary.LittleEndian.PutUint32(head[16:], uint32(outcome))
	binary.LittleEndian.PutUint32(head[20:], uint32(rows))
	t.to.Write(head[:])
}

// Row notes a row of an answer by its digests; both are 0 where there is none.
func (t *Tape) Row(key, value uint32) {
	var row [8]byte
	binary.LittleEndian.PutUint32(row[:], key)
	binary.LittleEndian.PutUint32(row[4:], value)
	t.to.Write(row[:])
}

// Failed notes a failure.
func (t *Tape) Failed(start, end int64, outcome Outcome, message string) {
	message = message[:min(len(message), messageBytes)]
	t.Begin(start, end, outcome, len(message))
	t.to.WriteString(message)
}

// Close writes out what is left.
func (t *Tape) Close() error { return errors.Join(t.to.Flush(), t.file.Close()) }
