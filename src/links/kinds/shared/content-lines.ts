// The lines of vCards (RFC 2426) and calendars (RFC 5545), which have one grammar.

/** The value of a text: backslashes, commas and semicolons are escaped, a line break of any form is `\n`. */
export function escapeText(value: string): string {
  return value.replace(/[\\,;]/g, '\\$&').replace(/\r\n|\r|\n/g, '\\n')
}

/** Folds a line (RFC 2426, 2.6; RFC 5545, 3.1): a line break and a space after at most 75 octets; no character is split. */
export function foldLine(line: string): string {
  let folded = ''
  let octets = 0
  for (const char of line) {
    const size = Buffer.byteLength(char)
    if (octets + size > 75) {
      folded += '\r\n '
      octets = 1
    }
    folded += char
    octets += size
  }
  return folded
}
