import { withoutMarks } from './phone-number.ts'

/** What a vCard holds; its full name is computed. */
export interface Card {
  firstName?: string
  lastName?: string
  org?: string
  jobTitle?: string
  phone?: string
  email?: string
  website?: string
}

export function fullName({ firstName, lastName, org }: Card): string {
  return [firstName, lastName].filter((name) => name?.trim()).join(' ') || (org ?? '')
}

/** A vCard 3.0 (RFC 2426): CRLF line ends, text values escaped, lines folded at 75 octets of UTF-8. */
export function writeVcard(card: Card): string {
  const lines: [name: string, value: string | undefined][] = [
    ['BEGIN', 'VCARD'],
    ['VERSION', '3.0'],
    ['N', `${escapeText(card.lastName ?? '')};${escapeText(card.firstName ?? '')};;;`],
    ['FN', escapeText(fullName(card))],
    ['ORG', card.org && escapeText(card.org)],
    ['TITLE', card.jobTitle && escapeText(card.jobTitle)],
    ['TEL', card.phone && escapeText(withoutMarks(card.phone))],
    ['EMAIL', card.email && escapeText(card.email)],
    ['URL', card.website],
    ['END', 'VCARD'],
  ]
  return lines.map(([name, value]) => (value ? `${fold(`${name}:${value}`)}\r\n` : '')).join('')
}

function escapeText(value: string): string {
  return value.replace(/[\\,;]/g, '\\$&').replace(/\r\n|\r|\n/g, '\\n')
}

/** RFC 2426, 2.6: a line break and a space after at most 75 octets; no character is split. */
function fold(line: string): string {
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
