### The bulletin board: an HTTP service over one store.

# $address (text)
# $error (text) of the system
board-cannot-listen = cannot listen at { $address }: { $error }

# $error (text) of the system
board-no-event-loop = cannot start the event loop: { $error }

# $error (text) of the system
board-no-thread = cannot start a thread: { $error }

# $error (text) of the system
board-no-signals = cannot wait for signals: { $error }

# $error (text)
board-no-page = cannot make the page: { $error }

### The page

# The language of this text, as in the attribute lang.
board-page-language = en

board-page-post = Post

board-page-empty = Nothing has been posted yet.

# $bytes (count)
board-page-bytes =
    { $bytes ->
        [one] 1 byte
       *[other] { $bytes } bytes
    }

### Requests that are refused. Programs read them too, so they are English on every machine.

board-nothing-here = there is nothing here; the page is at '/', rows are at '/rows'

board-other-method = this path does not accept this method

board-no-row = there is no such row

board-row-exists = a row with this key exists already

board-no-call = there is no such call

board-unsupported = this store cannot do that

board-path-not-utf8 = the path is not UTF-8

board-counter-number = the name of a counter must be a number

# $most (number)
board-body-too-large = the body is too large: at most { $most } bytes

board-body-incomplete = the body is incomplete

board-body-late = the body did not arrive in time

board-other-host = the request is for another host; give the name of this one with --host

board-one-host = the request has several 'Host' lines; send one

board-needs-host = the request has no 'Host' line

board-hosts-differ = the target and the 'Host' line name different hosts

board-other-site = the request comes from a page of another site

### Rows in a request

# $key (text)
# $highest (number)
board-key-range = '{ $key }' takes a number from 0 to { $highest }; without it, the row gets the next number

# $key (text)
board-not-a-key = '{ $key }' is not a valid key for these rows

board-key-needed = these rows have keys of their own; give a key

board-key-differs = the key in the body differs from the key in the path

board-whole-numbers = 'latest' and 'before' take a whole number

# $most (number)
board-latest-range = 'latest' takes a number of rows from 0 to { $most }; before=ID continues from there

board-nothing-before = these rows have keys of their own and no order, so 'before' has no meaning

# $error (text)
board-not-json = the body is no JSON object: { $error }

# $column (text)
# $known (series)
board-no-column = there is no column '{ $column }'; there are { $known }

# $column (text)
board-column-missing = the column '{ $column }' is missing

# $column (text)
board-takes-number = '{ $column }' takes a whole number

# $column (text)
board-takes-text = '{ $column }' takes a text

# $column (text)
board-takes-bytes = '{ $column }' takes bytes, as another program of Kurabe sends them

# $column (text)
# $bytes (count)
# $most (count)
board-too-long = '{ $column }' has { $bytes } bytes; it takes at most { $most }

board-numbers-used = every number of a row was given

board-no-free-number = no number is free for a new row
