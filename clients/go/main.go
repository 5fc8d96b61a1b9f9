// Kurabe's Go client: works on one job from stdin (docs/PROTOCOL.md). Each connection has a
// goroutine of its own, all of them in one process, as a service in Go has them.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"kurabe/protocol"
	"kurabe/stores"
)

const (
	version = 2
	// An operation that hangs keeps nobody who is not asked for any more.
	goodbye = 2 * time.Second
)

// line is what the harness says; one of its keys is there.
type line struct {
	Kurabe  *int            `json:"kurabe"`
	Job     json.RawMessage `json:"job"`
	Call    *string         `json:"call"`
	ID      uint64          `json:"id"`
	Prepare *protocol.Phase `json:"prepare"`
	Go      *string         `json:"go"`
	Skip    *string         `json:"skip"`
	Stop    bool            `json:"stop"`
}

type reply map[string]any

// session is the state of one job.
type session struct {
	out     *os.File
	driver  string
	job     protocol.Job
	store   protocol.Store
	values  *protocol.Values
	workers []*worker
}

func (s *session) say(told reply) {
	text, err := json.Marshal(told)
	if err == nil {
		_, err = s.out.Write(append(text, '\n'))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "kurabe-go: cannot speak:", err)
		os.Exit(1)
	}
}

// words is an error in one line, without what nobody else may know of the address.
func (s *session) words(err error) string {
	text := strings.Join(strings.Fields(err.Error()), " ")
	if parsed, err := url.Parse(s.job.URL); err == nil && parsed.User != nil {
		password, _ := parsed.User.Password()
		for _, secret := range []string{parsed.User.String(), password, parsed.User.Username()} {
			if secret != "" {
				// A short one may be a part of words that tell nothing of it.
				alone := regexp.MustCompile(`(^|\W)` + regexp.QuoteMeta(secret) + `($|\W)`)
				text = alone.ReplaceAllString(text, "${1}***${2}")
			}
		}
	}
	return text
}

func (s *session) begin(told *line) (err error) {
	if *told.Kurabe != version {
		return fmt.Errorf("version %d of the protocol is not spoken here, only %d", *told.Kurabe, version)
	}
	if err = json.Unmarshal(told.Job, &s.job); err != nil {
		return err
	}
	if len(s.job.Schema.Fields) < 2 {
		return errors.New("a schema needs a key and a field beside it")
	}
	pool, err := os.ReadFile(s.job.Pool)
	if err != nil {
		return err
	}
	adapter, err := stores.Find(&s.job, s.driver)
	if err != nil {
		return err
	}
	if s.store, err = adapter.Open(&s.job); err != nil {
		return err
	}
	s.values = protocol.NewValues(s.job.Schema.Fields, pool, adapter.Columns)
	capabilities := s.store.Capabilities()
	capabilities["keeps_columns"] = adapter.Columns
	capabilities["schedules"] = true
	libraries := protocol.Texts{"go": strings.TrimPrefix(runtime.Version(), "go")}
	if module := adapter.Library; module != "" {
		libraries[module] = stores.Version(module)
	}
	s.say(reply{"hello": reply{
		"client": "go", "version": "0.1.0", "libraries": libraries, "capabilities": capabilities,
	}})
	return nil
}

func (s *session) call(name string, id uint64) {
	call := s.store.Calls()[name]
	if call == nil {
		s.say(reply{"reply": id, "unsupported": true})
		return
	}
	answer, err := call()
	var denied stores.Denied
	if errors.As(err, &denied) {
		s.say(reply{"reply": id, "unsupported": true, "absent": []string{s.words(err)}})
	} else if err != nil {
		s.say(reply{"reply": id, "error": s.words(err)})
	} else {
		s.say(reply{"reply": id, "ok": answer})
	}
}

func (s *session) prepare(phase *protocol.Phase) error {
	s.leave()
	for _, told := range phase.Workers {
		one := &worker{store: s.store, values: s.values, phase: phase, told: told, words: s.words}
		s.workers = append(s.workers, one)
	}
	if err := s.together((*worker).connect); err != nil {
		return err
	}
	if err := s.together((*worker).warmUp); err != nil {
		return err
	}
	s.say(reply{"ready": phase.Name})
	return nil
}

func (s *session) measure(phase string) error {
	if err := s.together((*worker).measure); err != nil {
		return err
	}
	s.leave()
	s.say(reply{"result": phase})
	return nil
}

// together does the same for all workers, each in a goroutine of its own; the first error is told.
func (s *session) together(work func(*worker) error) error {
	failed := make([]error, len(s.workers))
	var all sync.WaitGroup
	for at, one := range s.workers {
		all.Go(func() { failed[at] = work(one) })
	}
	all.Wait()
	return cmp.Or(failed...)
}

// leave closes the connections of a phase.
func (s *session) leave() {
	for _, one := range s.workers {
		one.close()
	}
	s.workers = nil
}

func (s *session) hear(told *line) error {
	switch {
	case told.Kurabe != nil:
		return s.begin(told)
	case told.Call != nil:
		s.call(*told.Call, told.ID)
	case told.Prepare != nil:
		return s.prepare(told.Prepare)
	case told.Go != nil:
		return s.measure(*told.Go)
	case told.Skip != nil:
		s.leave()
	case told.Stop:
		s.leave()
		s.say(reply{"end": true})
		os.Exit(0)
	}
	return nil
}

// listen gives the lines of stdin. Its end without a stop means that nobody listens any more.
func listen() <-chan []byte {
	lines := make(chan []byte, 64)
	go func() {
		in := bufio.NewReader(os.Stdin)
		for {
			text, err := in.ReadBytes('\n')
			if len(text) > 1 {
				lines <- text
			}
			if err != nil {
				break
			}
			var told line
			if json.Unmarshal(text, &told) == nil && told.Stop {
				return
			}
		}
		gone.Store(true)
		time.AfterFunc(goodbye, func() { os.Exit(3) })
		close(lines)
	}()
	return lines
}

// lines is the descriptor of the profile's lines: what libraries print is for people.
const lines = 3

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: kurabe-go DRIVER, and lines of the protocol on stdin")
		os.Exit(2)
	}
	if os.Args[1] == "--probe" {
		return
	}
	s := &session{out: os.NewFile(lines, "lines"), driver: os.Args[1]}
	for text := range listen() {
		var told line
		err := json.Unmarshal(text, &told)
		if err == nil {
			err = s.hear(&told)
		}
		if err != nil {
			s.say(reply{"error": s.words(err)})
			if told.Kurabe != nil {
				os.Exit(2)
			}
			os.Exit(1)
		}
	}
	os.Exit(3)
}
