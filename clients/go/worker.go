package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"kurabe/protocol"
)

const (
	failuresInARow = 100
	// Or, where the store is restarted amid the phase, a worker gives up when nothing has succeeded for so long.
	patience = 10 * time.Second
)

// gone is set when nobody listens any more: workers stop between two operations.
var gone atomic.Bool

// began and beganNs are one moment on Go's monotonic clock, which is CLOCK_MONOTONIC, and on that clock itself, whose
// values Go does not tell: it reads them without a system call.
var began, beganNs = moment()

// moment reads both clocks, one between two readings of the other. A machine may stop the process between them, and all
// stamps would be wrong by that time: the closest of some tries counts.
func moment() (began time.Time, beganNs int64) {
	closest := time.Duration(math.MaxInt64)
	for try := 0; try < 20; try++ {
		var clock unix.Timespec
		before := time.Now()
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &clock); err != nil {
			panic(err)
		}
		if apart := time.Since(before); apart < closest {
			closest, began, beganNs = apart, before, clock.Nano()
		}
	}
	return began, beganNs
}

func now() int64 { return beganNs + int64(time.Since(began)) }

// worker is one connection in one phase, with its script and its tape.
type worker struct {
	store  protocol.Store
	values *protocol.Values
	phase  *protocol.Phase
	told   protocol.Told
	script *protocol.Script
	tape   *protocol.Tape
	lane   protocol.Lane
	words  func(error) string
	// lost is why the connection is gone, where it is: no driver makes another one in silence.
	// Unless it is made again, all that follows fails with this.
	lost error
}

func (w *worker) connect() (err error) {
	if w.script, err = protocol.OpenScript(w.told.Script); err != nil {
		return err
	}
	if w.tape, err = protocol.OpenTape(w.told.Tape); err != nil {
		return err
	}
	w.lane, err = w.reach()
	return err
}

// reach makes a connection. Where the operation is to open the store, none is left: the store can be opened.
func (w *worker) reach() (protocol.Lane, error) {
	open := w.phase.Does("open")
	connect := func() (protocol.Lane, error) { return w.store.Connect(w.phase, w.values) }
	if open {
		connect = w.store.Open
	}
	lane, err := connect()
	if err != nil {
		return nil, err
	}
	if open {
		return nil, lane.Close()
	}
	return lane, nil
}

func (w *worker) close() {
	if w.lane != nil {
		w.lane.Close()
	}
}

func (w *worker) warmUp() error {
	if w.phase.WarmupNs == nil && (w.told.Warmup == nil || *w.told.Warmup == 0) {
		return nil
	}
	return w.work(w.told.Warmup, w.phase.WarmupNs)
}

func (w *worker) measure() error {
	begin := now()
	w.tape.Begin(begin, begin, protocol.Begins, 0)
	if w.phase.Planned {
		// Starts come once this is read.
		if err := w.tape.Flush(); err != nil {
			return err
		}
	}
	err := w.work(w.told.Count, w.phase.DurationNs)
	return errors.Join(err, w.tape.Close(), w.script.Close())
}

// work goes on until the script ends, so many operations are done, or so long has passed.
func (w *worker) work(most *uint64, lastsNs *int64) error {
	begin := now()
	failed, failingSince, writesFail, due, uncommitted := 0, int64(0), false, false, false
	reconnects := w.phase.OnLoss == "reconnect"
	for done := uint64(0); (most == nil || done < *most) && !gone.Load(); done++ {
		if failed > 0 && reconnects {
			until := failingSince + int64(patience)
			if lastsNs != nil {
				until = min(until, begin+*lastsNs)
			}
			if !w.findAgain(failed, until) {
				break
			}
		} else if failed >= failuresInARow {
			break
		}
		if w.phase.Planned && !w.awaitStart() {
			break
		}
		entry, err := w.script.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		due = due || entry.Commits
		uncommitted = uncommitted || entry.Kind.Writes()
		one := w.prepare(entry)
		var outcome, failure = protocol.Done, protocol.Failed
		var answers []protocol.Answer
		start := now()
		if err = w.lost; err == nil {
			outcome, answers, err = w.do(one)
		}
		mustCommit := due && entry.Kind.Writes()
		if err == nil && mustCommit {
			failure = protocol.CommitFailed
			due, uncommitted = false, false
			err = w.lane.Commit()
		}
		end := now()
		if err == nil {
			// What is written between two commits that fail ends no row of failures.
			if mustCommit || reconnects || !writesFail {
				failed, writesFail = 0, false
			}
			w.note(one, start, end, outcome, answers)
		} else {
			if failed++; failed == 1 {
				failingSince = end
			}
			writesFail = writesFail || entry.Kind.Writes() && entry.Kind != protocol.Load
			w.fail(start, end, failure, err)
		}
		if lastsNs != nil && end-begin >= *lastsNs {
			break
		}
	}
	if uncommitted {
		w.commitRest()
	}
	return nil
}

// awaitStart waits for the planned start of the next operation, and tells whether there is one.
func (w *worker) awaitStart() bool {
	free := now()
	start := protocol.NextStart()
	if start > 0 {
		w.tape.Begin(start, free, protocol.Taken, 0)
	}
	return start > 0
}

// findAgain makes the connection anew, with pauses that grow, and tells whether there is one before it is too late.
func (w *worker) findAgain(tries int, until int64) bool {
	for ; ; tries++ {
		time.Sleep(min(time.Millisecond<<min(tries, 7), 100*time.Millisecond))
		if now() >= until || gone.Load() {
			return false
		}
		w.close()
		if w.lane, w.lost = w.reach(); w.lost == nil {
			return true
		}
	}
}

func (w *worker) fail(start, end int64, outcome protocol.Outcome, err error) {
	if w.lost == nil && w.store.Lost(err) {
		w.lost = err
	}
	w.tape.Failed(start, end, outcome, w.words(err))
}

// prepared is an operation with its keys and values, which are made before the clock is read.
type prepared struct {
	protocol.Entry
	row  *protocol.Row
	key  protocol.Key
	keys []protocol.Key
}

func (w *worker) prepare(entry protocol.Entry) *prepared {
	one := &prepared{Entry: entry}
	switch entry.Kind {
	case protocol.Load, protocol.Insert, protocol.Update:
		one.row = w.values.Row(entry.Row, entry.Argument)
	case protocol.Read, protocol.Delete:
		one.key = w.values.Key(entry.Row)
	case protocol.MultiRead, protocol.Open:
		for _, row := range entry.Rows {
			one.keys = append(one.keys, w.values.Key(row))
		}
	}
	return one
}

func (w *worker) do(one *prepared) (outcome protocol.Outcome, answers []protocol.Answer, err error) {
	switch one.Kind {
	case protocol.Load:
		err = w.lane.Load(one.row)
	case protocol.Insert:
		outcome, err = w.lane.Insert(one.row)
	case protocol.Update:
		outcome, err = w.lane.Update(one.row)
	case protocol.Delete:
		outcome, err = w.lane.Delete(one.key)
	case protocol.Increment:
		err = w.lane.Increment(one.Row)
	case protocol.Read:
		answers = make([]protocol.Answer, 1)
		answers[0], err = w.lane.Read(one.key)
	case protocol.MultiRead:
		answers, err = w.lane.MultiRead(one.keys)
	case protocol.Open:
		answers, err = w.open(one.keys)
	case protocol.Scan:
		answers, err = w.lane.Scan()
	case protocol.Latest:
		answers, err = w.lane.Latest(one.Argument)
	case protocol.Search:
		answers, err = w.lane.Search(one.Row, one.Argument)
	default:
		err = fmt.Errorf("operation %d is not known to this client", one.Kind)
	}
	return outcome, answers, err
}

// open opens the store anew, reads the rows one after the other, and closes it.
func (w *worker) open(keys []protocol.Key) ([]protocol.Answer, error) {
	lane, err := w.store.Open()
	if err != nil {
		return nil, err
	}
	answers := make([]protocol.Answer, len(keys))
	for at := 0; err == nil && at < len(keys); at++ {
		answers[at], err = lane.Read(keys[at])
	}
	return answers, errors.Join(err, lane.Close())
}

// note writes what came on the tape; rows that were asked for stand under their own keys.
func (w *worker) note(one *prepared, start, end int64, outcome protocol.Outcome, answers []protocol.Answer) {
	w.tape.Begin(start, end, outcome, len(answers))
	for at := range answers {
		answer := &answers[at]
		switch {
		case one.Kind == protocol.Read:
			answer.Key = w.values.KeyCell(one.key)
		case one.keys != nil:
			answer.Key = w.values.KeyCell(one.keys[at])
		}
		w.tape.Row(w.values.Digests(answer))
	}
}

func (w *worker) commitRest() {
	start := now()
	err := w.lost
	if err == nil {
		err = w.lane.Commit()
	}
	if end := now(); err == nil {
		w.tape.Begin(start, end, protocol.RestCommitted, 0)
	} else {
		w.fail(start, end, protocol.RestNotCommitted, err)
	}
}
