### The bulletin board: an HTTP service over one store.

# $address (text)
# $error (text) of the system
board-cannot-listen = cannot listen at { $address }: { $error }

# $error (text) of the system
board-no-event-loop = cannot make an event loop: { $error }

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

board-other-method = this path takes another method

board-no-row = there is no such row

board-row-exists = there is such a row already

board-no-call = there is no such call

board-unsupported = this store cannot do that

board-path-not-utf8 = the path is not UTF-8

board-counter-number = a counter is named by a number

# $most (number)
board-body-too-large = a body has at most { $most } bytes here

board-body-incomplete = the body is incomplete

board-body-late = the body did not arrive in time

board-other-host = the request is for another host than this one; give the name that it has with --host

board-one-host = a request has one 'Host' line

board-needs-host = a request has a 'Host' line

board-hosts-differ = the target and the 'Host' line name different hosts

board-other-site = the request comes from a page of another site

### Rows in a request

# $key (text)
# $highest (number)
board-key-range = '{ $key }' is a number from 0 to { $highest }; without it the row gets the next number

# $key (text)
board-not-a-key = '{ $key }' is no key of these rows

board-key-needed = these rows have keys of their own; give one

board-key-differs = the key in the body is not the one in the path

board-whole-numbers = 'latest' and 'before' take a whole number

# $most (number)
board-latest-range = 'latest' takes a number of rows from 0 to { $most }; before=ID goes on from there

board-nothing-before = these rows have keys of their own, so there are none before one

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

board-no-free-number = there is no free number for a row
