// Package protocol is the protocol without its lines: what a store has to be, scripts and tapes, keys and values
// (docs/PROTOCOL.md, "A phase").
package protocol

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// Job is what is told of a job.
type Job struct {
	Candidate struct {
		// Store is for messages; Wire is the family whose protocol it speaks.
		Store   string `json:"store"`
		Wire    string `json:"wire"`
		Variant string `json:"variant"`
	} `json:"candidate"`
	Schema struct {
		Fields []Field `json:"fields"`
	} `json:"schema"`
	Rows      uint64            `json:"rows"`
	Namespace string            `json:"namespace"`
	Dir       string            `json:"dir"`
	URL       string            `json:"url"`
	Settings  map[string]string `json:"settings"`
	Pool      string            `json:"pool"`
	Limits    struct {
		CallNs      int64 `json:"call_ns"`
		OperationNs int64 `json:"operation_ns"`
	} `json:"limits"`
}

// HasInts tells whether there is a field that can be searched.
func (j *Job) HasInts() bool {
	return slices.ContainsFunc(j.Schema.Fields[1:], func(field Field) bool { return field.Type == "int64" })
}

// Phase is what is told of a phase.
type Phase struct {
	Name        string   `json:"phase"`
	Operations  []string `json:"operations"`
	CommitEvery uint32   `json:"commit_every"`
	ReadScope   string   `json:"read_scope"`
	OnLoss      string   `json:"on_loss"`
	Planned     bool     `json:"planned"`
	WarmupNs    *int64   `json:"warmup_ns"`
	DurationNs  *int64   `json:"duration_ns"`
	SearchField int      `json:"search_field"`
	Workers     []Told   `json:"workers"`
}

// Told is what is told of a worker.
type Told struct {
	Script string  `json:"script"`
	Tape   string  `json:"tape"`
	Warmup *uint64 `json:"warmup"`
	Count  *uint64 `json:"count"`
}

// Does tells whether the phase has an operation of one of these names.
func (p *Phase) Does(names ...string) bool {
	return slices.ContainsFunc(p.Operations, func(name string) bool { return slices.Contains(names, name) })
}

// Texts by name.
type Texts map[string]string

// Calls by name; what a store has no call for is unsupported.
type Calls map[string]func() (any, error)

// Store is a store as one job uses it.
type Store interface {
	// Capabilities are those of the hello.
	Capabilities() map[string]any
	Calls() Calls
	// Connect makes the connection of one worker, with all that the phase needs prepared.
	Connect(phase *Phase, values *Values) (Lane, error)
	// Open opens the store as a program that starts does, to read; its lane is closed before another is asked for.
	Open() (Lane, error)
	// Lost tells whether an error of an operation means that the connection is gone.
	Lost(err error) bool
}

// Lane is a connection, which belongs to one goroutine.
type Lane interface {
	Load(row *Row) error
	Insert(row *Row) (Outcome, error)
	Read(key Key) (Answer, error)
	Update(row *Row) (Outcome, error)
	Delete(key Key) (Outcome, error)
	Increment(counter uint32) error
	Commit() error
	Scan() ([]Answer, error)
	Latest(rows uint32) ([]Answer, error)
	Search(low, high uint32) ([]Answer, error)
	// MultiRead answers in the order of the keys.
	MultiRead(keys []Key) ([]Answer, error)
	Close() error
}

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
	Taken
)

// Entry is one operation of a script.
type Entry struct {
	Kind          Kind
	Row, Argument uint32
	// Rows of a multi-read or an open.
	Rows    []uint32
	Commits bool
}

// starts is where planned starts come from, when it is their time. A read that waited in the kernel would keep a
// processor from the goroutines that wait for their store; so the runtime waits.
var starts = sync.OnceValues(func() (*os.File, error) {
	const descriptor = 4
	err := syscall.SetNonblock(descriptor, true)
	return os.NewFile(descriptor, "starts"), err
})

// NextStart waits for the next planned start, in ns; it gives 0 if there is no further one. Any worker may take it:
// what would be read ahead would be begun too late.
func NextStart() int64 {
	var start [8]byte
	from, err := starts()
	if err != nil {
		return 0
	}
	if got, err := from.Read(start[:]); err != nil || got < len(start) {
		return 0
	}
	return int64(binary.LittleEndian.Uint64(start[:]))
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

// Flush writes out what was noted.
func (t *Tape) Flush() error { return t.to.Flush() }

// Close writes out what is left.
func (t *Tape) Close() error { return errors.Join(t.to.Flush(), t.file.Close()) }

const (
	offsets   = 1_048_573
	headBytes = 25
)

// Field is a field of the schema.
type Field struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	LenBytes int    `json:"len_bytes"`
	Indexed  bool   `json:"indexed"`
	Prefix   string `json:"prefix"`
	Digits   int    `json:"digits"`
	Distinct uint64 `json:"distinct"`
	Constant bool   `json:"constant"`
}

// Key is the key of a row.
type Key struct {
	// Arg is an int64 or a string, for drivers that take either.
	Arg any
	// Text is the key as a text, a number in digits.
	Text string
}

// Row is a row to write.
type Row struct {
	Number uint32
	Key    Key
	// Fields after the key, each an int64, a string or bytes, where the store keeps columns.
	Fields []any
	// Raw encoding of the fields, where it does not.
	Raw []byte
}

// Cell is a field that came: a number, or the bytes of a text or of bytes.
type Cell struct {
	Int   int64
	Bytes []byte
}

// Answer is a row that came, or none.
type Answer struct {
	Found bool
	// Key that came, where the operation gives keys back.
	Key Cell
	// Cells of the fields after the key, where the store keeps columns.
	Cells []Cell
	// Raw value, where it does not.
	Raw []byte
}

// Values tells how the rows of one schema look.
type Values struct {
	Fields  []Field
	TextKey bool
	columns bool
	framed  bool
	pool    []byte
}

// NewValues is for a schema and its filler, which keys do without; columns tells whether the store keeps them.
func NewValues(fields []Field, pool []byte, columns bool) *Values {
	fields = slices.Clone(fields)
	fields[0].Prefix, fields[0].Digits = cmp.Or(fields[0].Prefix, "k"), cmp.Or(fields[0].Digits, 10)
	longest := 0
	for _, field := range fields[1:] {
		longest = max(longest, field.LenBytes)
	}
	endless := append([]byte(nil), pool...)
	for len(pool) > 0 && len(endless) < len(pool)+longest {
		endless = append(endless, pool...)
	}
	framed := len(fields) > 2 || fields[1].Type == "int64"
	return &Values{fields, fields[0].Type == "text", columns, framed, endless}
}

// Key of a row.
func (v *Values) Key(row uint32) Key {
	if !v.TextKey {
		return Key{int64(row), fmt.Sprint(row)}
	}
	text := fmt.Sprintf("%s%0*d", v.Fields[0].Prefix, v.Fields[0].Digits, row)
	return Key{text, text}
}

// Row is a row as it is to be written.
func (v *Values) Row(number, version uint32) *Row {
	row := &Row{Number: number, Key: v.Key(number)}
	for at, field := range v.Fields[1:] {
		switch {
		case field.Type == "int64" && v.columns:
			row.Fields = append(row.Fields, field.number(number, version, at+1))
		case field.Type == "int64":
			row.Raw = binary.LittleEndian.AppendUint64(row.Raw, uint64(field.number(number, version, at+1)))
		case v.columns && field.Type == "text":
			row.Fields = append(row.Fields, string(v.bytes(nil, field, number, version, at+1)))
		case v.columns:
			row.Fields = append(row.Fields, v.bytes([]byte{}, field, number, version, at+1))
		default:
			if v.framed {
				row.Raw = binary.LittleEndian.AppendUint32(row.Raw, uint32(field.LenBytes))
			}
			row.Raw = v.bytes(row.Raw, field, number, version, at+1)
		}
	}
	return row
}

func (f Field) number(row, version uint32, at int) int64 {
	value := (uint64(row)*31 + uint64(version)*17 + uint64(at)) % (1 << 31)
	if f.Distinct > 0 {
		value = 1 + value%f.Distinct
	}
	return int64(value)
}

// bytes appends the value of a text or bytes field.
func (v *Values) bytes(to []byte, field Field, row, version uint32, at int) []byte {
	length := field.LenBytes
	if field.Constant {
		return append(to, strings.Repeat("1234567890", length/10+1)[:length]...)
	}
	if length >= headBytes {
		to = fmt.Appendf(to, "%010d:%010d:%02d:", row, version, at)
		length -= headBytes
	}
	start := (uint64(row)*7919 + uint64(version)*104_729) % offsets
	return append(to, v.pool[start:start+uint64(length)]...)
}

// KeyCell is a key that was asked for, as one that came.
func (v *Values) KeyCell(key Key) Cell {
	if v.TextKey {
		return Cell{Bytes: []byte(key.Text)}
	}
	return Cell{Int: key.Arg.(int64)}
}

// Digests are those of the key and of the value in raw encoding; both are 0 where there is no row.
func (v *Values) Digests(answer *Answer) (key, value uint32) {
	if !answer.Found {
		return 0, 0
	}
	key = v.add(0, v.Fields[0], answer.Key, false)
	if !v.columns {
		return key, crc32.ChecksumIEEE(answer.Raw)
	}
	for at, cell := range answer.Cells {
		value = v.add(value, v.Fields[at+1], cell, v.framed)
	}
	return key, value
}

func (v *Values) add(digest uint32, field Field, cell Cell, framed bool) uint32 {
	var number [8]byte
	if field.Type == "int64" {
		binary.LittleEndian.PutUint64(number[:], uint64(cell.Int))
		return crc32.Update(digest, crc32.IEEETable, number[:])
	}
	if framed {
		binary.LittleEndian.PutUint32(number[:], uint32(len(cell.Bytes)))
		digest = crc32.Update(digest, crc32.IEEETable, number[:4])
	}
	return crc32.Update(digest, crc32.IEEETable, cell.Bytes)
}
