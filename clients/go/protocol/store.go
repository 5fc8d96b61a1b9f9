package protocol

// Job is what is told of a job.
type Job struct {
	Candidate struct {
		Store   string `json:"store"`
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
	for _, field := range j.Schema.Fields[1:] {
		if field.Type == "int64" {
			return true
		}
	}
	return false
}

// Phase is what is told of a phase.
type Phase struct {
	Name        string   `json:"phase"`
	Operations  []string `json:"operations"`
	CommitEvery uint32   `json:"commit_every"`
	ReadScope   string   `json:"read_scope"`
	OnLoss      string   `json:"on_loss"`
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
	for _, operation := range p.Operations {
		for _, name := range names {
			if operation == name {
				return true
			}
		}
	}
	return false
}

// Texts by name.
type Texts map[string]string

// Calls by name; what a store has no call for is unsupported.
type Calls map[string]func() (any, error)

// Receipt is what a store says of itself.
type Receipt struct {
	// Libraries are the modules that drive it.
	Libraries []string
	// Columns tells whether it keeps columns.
	Columns      bool
	Capabilities map[string]any
}

// Store is a store as one job uses it.
type Store interface {
	Receipt() Receipt
	Calls() Calls
	// Connect makes the connection of one worker, with all that the phase needs prepared.
	Connect(phase *Phase, values *Values) (Lane, error)
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
	// Open opens the store anew, reads the rows one after the other, and closes it.
	Open(keys []Key) ([]Answer, error)
	Close()
}
