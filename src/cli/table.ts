/** Aligns the columns of a table; the last one is not padded. */
export function formatTable(rows: string[][]): string {
  // As many arguments as rows may be more than a call can have.
  const widthOf = (column: number) => rows.reduce((width, row) => Math.max(width, (row[column] ?? '').length), 0)
  const widths = (rows[0] ?? []).map((_, column) => widthOf(column))
  return rows
    .map((row) =>
      row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join('  '),
    )
    .join('\n')
}

/** A time in UTC, to the minute. */
export function formatTime(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ')
}

/** Untrusted text on one line, without control characters, which a terminal would interpret. */
export function toSingleLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
}

/** A message of several lines that may quote untrusted text, without what a terminal would interpret. */
export function toLines(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, ' ')
}
