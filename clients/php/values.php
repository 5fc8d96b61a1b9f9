<?php
// Keys and values, as docs/PROTOCOL.md has them.
declare(strict_types=1);
namespace Kurabe;

/** How the rows of one schema look. */
final class Values
{
    public readonly bool $textKey;
    private readonly string $keyFormat;
    private readonly bool $framed;
    /** Fields after the key, by their numbers. */
    private readonly array $parts;
    private readonly string $pool;

    public function __construct(array $schema, string $pool)
    {
        $fields = array_slice($schema['fields'], 1);
        $key = $schema['fields'][0];
        $this->textKey = $key['type'] === 'text';
        $this->keyFormat = str_replace('%', '%%', $key['prefix'] ?? 'k') . '%0' . ($key['digits'] ?? 10) . 'd';
        $this->framed = count($fields) > 1;
        $this->parts = array_combine(range(1, count($fields)), $fields);
        $longest = max(0, ...array_map(fn ($part) => $part['len_bytes'] ?? 0, $fields));
        // Filler begins anywhere and goes round.
        $this->pool = str_repeat($pool, 2 + intdiv($longest, strlen($pool)));
    }

    /** The key of a row. */
    public function key(int $row): int|string
    {
        return $this->textKey ? sprintf($this->keyFormat, $row) : $row;
    }

    /** What is written: fields, or their raw encoding. */
    public function written(int $row, int $version, bool $asFields): array|string
    {
        return $asFields ? $this->fields($row, $version) : $this->raw($this->fields($row, $version));
    }

    /** The fields after the key: numbers and texts. */
    private function fields(int $row, int $version): array
    {
        $start = ($row * 7919 + $version * 104_729) % 1_048_573;
        $fields = [];
        foreach ($this->parts as $number => $part) {
            if ($part['type'] === 'int64') {
                $value = ($row * 31 + $version * 17 + $number) % (1 << 31);
                $fields[] = isset($part['distinct']) ? 1 + $value % $part['distinct'] : $value;
                continue;
            }
            $len = $part['len_bytes'] ?? 0;
            $fields[] = match (true) {
                $part['constant'] ?? false => substr(str_repeat('1234567890', 1 + intdiv($len, 10)), 0, $len),
                $len < 25 => substr($this->pool, $start, $len),
                default => sprintf('%010d:%010d:%02d:', $row, $version, $number) . substr($this->pool, $start, $len - 25),
            };
        }
        return $fields;
    }

    /** The raw encoding of fields, written or read. */
    private function raw(array $fields): string
    {
        if (!$this->framed && $this->parts[1]['type'] !== 'int64') {
            return (string) $fields[0];
        }
        $raw = '';
        foreach ($this->parts as $number => $part) {
            $field = $fields[$number - 1];
            $raw .= $part['type'] === 'int64' ? pack('P', (int) $field) : pack('V', strlen((string) $field)) . $field;
        }
        return $raw;
    }

    /** The digest of a row that came: its key, and its fields or raw value. */
    public function digest(int|string $key, array|string|null $value): string
    {
        if ($value === null) {
            return "\0\0\0\0\0\0\0\0";
        }
        $keyBytes = $this->textKey ? (string) $key : pack('P', (int) $key);
        return pack('VV', crc32($keyBytes), crc32(is_array($value) ? $this->raw($value) : $value));
    }
}
