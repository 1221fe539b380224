import { escapeText, foldLine } from '../shared/content-lines.ts'
import { withoutMarks } from './phone-number.ts'
import { fullName } from './preview.ts'

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
  return lines.map(([name, value]) => (value ? `${foldLine(`${name}:${value}`)}\r\n` : '')).join('')
}
