package protocol

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
)

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
	fields = append([]Field(nil), fields...)
	if fields[0].Prefix == "" {
		fields[0].Prefix = "k"
	}
	if fields[0].Digits == 0 {
		fields[0].Digits = 10
	}
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
