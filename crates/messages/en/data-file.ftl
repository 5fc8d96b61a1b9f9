### Data files: why one cannot be used, and what was found in it.

### The file

# $file (text)
# $error (text)
data-unreadable = cannot read the data file '{ $file }': { $error }

# $file (text)
# $what (message) a folder, a pipe
data-no-file = '{ $file }' is { $what }, not a data file; name a TSV, CSV or JSONL file

# $file (text)
data-changed = the data file '{ $file }' changed while Kurabe read it; wait until it is complete, or copy it first

# $file (text)
# $limit (number)
data-many-records = { $file } has more than { $limit } records; split it

# $file (text)
data-empty = { $file } has no rows: it is empty

# $file (text)
# $lines (count)
data-no-rows = { $lines ->
    [one] { $file } has no rows: its only line is no record with a key
   *[other] { $file } has no rows: none of its { $lines } lines is a record with a key
 }

### Its lines

# $file (text)
# $line (number)
# $limit (size)
data-long-line = { $file }: line { $line } is longer than { $limit }, or a quote in it is never closed

# $file (text)
# $line (number)
data-open-quote =
    { $file }: the quote that opens in line { $line } is never closed.
    Close it, write "" for a quote within a cell, or name another --format

# $file (text)
# $line (number)
data-half-character =
    { $file }: the UTF-16 has half a character after line { $line }; save the file once more, as UTF-8

# $file (text)
# $line (number)
data-mixed-ends =
    { $file }: lines end with a carriage return alone, but a line feed follows line { $line }.
    Save the file with one kind of line ends

# $file (text)
# $separator (text)
data-separator =
    { $file }: line 1 names '{ $separator }' as the separator of cells, but only ',' and ';' are possible.
    Save the file with one of them

# $file (text)
# $line (number)
data-header-twice =
    { $file }: line { $line } repeats the header, so two files seem to be joined; remove that line

# $file (text)
# $line (number)
# $cells (number)
# $width (number)
data-short-line =
    { $file }: line { $line } has { $cells } of { $width } cells.
    Complete or remove it, or leave such lines out with short_lines = "skip"

### Its encoding

# $file (text)
# $line (number)
# $advice (message)
data-not-utf8 = { $file }: line { $line } is not UTF-8; { $advice }

# $file (text)
# $line (number)
# $advice (message)
data-zero-byte = { $file }: line { $line } has a zero byte, which no text has; { $advice }

data-convert = convert the whole file first, as with iconv -t UTF-8

# $encoding (text)
# $iconv (text) its name for iconv
# $path (text) quoted for a shell
data-convert-from = it may be { $encoding }: convert it with iconv -f { $iconv } -t UTF-8 { $path } > NEW, and check the result

# $encoding (text)
# $iconv (text)
data-several-encodings = the lines before it are UTF-8, so the file mixes encodings; this line may be { $encoding } ({ $iconv })

data-binary = is this a binary file?

### Its columns

# $file (text)
# $format (text)
data-one-column =
    { $file } has only one column as { $format }, but a key and a value need two.
    Name the --format if it is another (tsv, csv, csv-semicolon, jsonl), or number the rows with --key row

# $file (text)
# $name (text)
# $hint (message)
data-no-column = { $file } has no column '{ $name }'; { $hint }

# $known (series)
data-columns = its columns are { $known }

# $width (count)
data-numbered = { $width ->
    [one] it has { $width } column, number 1
   *[other] it has { $width } columns, numbered from 1
 }

# $width (count)
data-no-header = { $width ->
    [one] it has no header, so its { $width } column has only a number, 1
   *[other] it has no header, so its { $width } columns have only numbers, from 1
 }

# $file (text)
# $name (text)
data-column-twice-asked = { $file }: column '{ $name }' is asked for twice; name each column once

# $file (text)
# $name (text)
data-column-twice-named = { $file }: column '{ $name }' is twice in the header; name it by its number

# $file (text)
# $columns (number)
data-many-columns =
    { $file }: { $columns } columns are asked for beside the key, but at most 99 are possible; name fewer with --value

### Its keys

# $file (text)
# $line (number)
# $bytes (number)
# $limit (number)
data-long-key =
    { $file }: the key in line { $line } has { $bytes } bytes, but keys have at most { $limit }; choose another --key

# $file (text)
# $column (text)
# $records (count)
# $distinct (count)
# $example (text)
# $first (number)
# $again (number)
data-duplicates =
    { $file }: column '{ $column }' is no key: { $records } records have { $distinct ->
        [one] 1 value
       *[other] { $distinct } different values
    }, and '{ $example }' in line { $first } comes again in line { $again }
    Name another --key, number the rows with --key row, or keep one of each with --duplicates first or last

### What was found

# $file (text)
# $records (count)
# $lines (count)
# $format (text)
data-found =
    { $file }: { $records ->
        [one] { $records } record
       *[other] { $records } records
    } in { $lines ->
        [one] { $lines } line
       *[other] { $lines } lines
    }, { $format }

# $file (text)
# $records (count)
# $lines (count)
# $format (text)
data-found-with-header =
    { $file }: { $records ->
        [one] { $records } record
       *[other] { $records } records
    } in { $lines ->
        [one] { $lines } line
       *[other] { $lines } lines
    }, { $format } with a header

# $file (text)
# $records (count)
# $lines (count)
# $format (text)
data-found-without-header =
    { $file }: { $records ->
        [one] { $records } record
       *[other] { $records } records
    } in { $lines ->
        [one] { $lines } line
       *[other] { $lines } lines
    }, { $format } without a header

# $count (count)
# $lines (message)
data-headings = { $count ->
    [one] { $count } heading skipped ({ $lines })
   *[other] { $count } headings skipped ({ $lines })
 }

# $count (count)
# $lines (message)
data-empty-lines = { $count ->
    [one] { $count } empty line ({ $lines })
   *[other] { $count } empty lines ({ $lines })
 }

# $count (count)
# $reason (message)
# $lines (message)
data-bad-lines = { $count ->
    [one] { $count } bad line skipped: { $reason } ({ $lines })
   *[other] { $count } bad lines skipped: { $reason } ({ $lines })
 }

# $count (count)
# $lines (series) their numbers
data-lines = { $count ->
    [one] line { $lines }
   *[other] lines { $lines }
 }

# $lines (series) the numbers of the first of them
data-lines-and-more = lines { $lines }, …

data-no-object = no JSON object

data-few-cells = too few cells

data-many-cells = too many cells

data-no-key = an empty key

# $keys (count)
# $kept (text) first or last
# $dropped (count)
# $lines (message)
data-duplicate-keys = { $keys ->
    [one] { $keys } key occurs more than once: the { $kept } record stays, { $dropped } left out ({ $lines })
   *[other] { $keys } keys occur more than once: the { $kept } record of each stays, { $dropped } left out ({ $lines })
 }

# $rows (count)
# $key (message)
# $values (clauses)
data-rows =
    { $rows ->
        [one] { $rows } row
       *[other] { $rows } rows
    }: key { $key }; { $values }

# $title (text) as the file has it
# $kind (text)
# $bytes (count)
data-column =
    { $title } ({ $kind }, at most { $bytes ->
        [one] { $bytes } byte
       *[other] { $bytes } bytes
    })

# $number (number)
# $kind (text)
# $bytes (count)
data-column-number =
    column { $number } ({ $kind }, at most { $bytes ->
        [one] { $bytes } byte
       *[other] { $bytes } bytes
    })

# $kind (text)
# $bytes (count)
data-row-number =
    number of the row ({ $kind }, at most { $bytes ->
        [one] { $bytes } byte
       *[other] { $bytes } bytes
    })
