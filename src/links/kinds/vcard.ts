import { Type } from '#typebox'
import { html } from '../../http/html.ts'
import { publicUrl, text } from '../../http/fields.ts'
import { defineKind, type Texts } from './kind.ts'

const fields = {
  firstName: Type.Optional(text(100, 'Given name.')),
  lastName: Type.Optional(text(100, 'Family name.')),
  org: Type.Optional(text(200, 'Company or organisation.')),
  jobTitle: Type.Optional(text(200, 'Position.')),
  phone: Type.Optional(text(50, 'Telephone number, as people dial or write it.')),
  email: Type.Optional(text(254, 'E-mail address.')),
  website: Type.Optional(publicUrl('Web site.')),
}

type Card = Texts<typeof fields>

/** A contact: a page that shows it, and a vCard to save it. */
export const vcard = defineKind<Card>({
  name: 'vcard',
  label: 'Contact',
  redirects: false,
  fields: Type.Object(fields),
  check({ payload }) {
    const named = [payload.firstName, payload.lastName, payload.org].some((name) => name?.trim())
    return named
      ? []
      : [{ pointer: '/firstName', detail: 'is required when there is no last name (lastName) and no company (org)' }]
  },
  urls: ({ website }) => (website === undefined ? [] : [{ pointer: '/website', url: website }]),
  prepare:
    ({ code, payload, isProtected = false }) =>
    () => ({ type: 'document', title: fullName(payload), body: contactPage(code, payload, isProtected) }),
  file: { extension: 'vcf', mediaType: 'text/vcard', write: ({ payload }) => writeVcard(payload) },
  form: [
    { name: 'firstName', label: 'First name', input: 'text' },
    { name: 'lastName', label: 'Last name', input: 'text' },
    { name: 'org', label: 'Company', input: 'text' },
    { name: 'jobTitle', label: 'Position', input: 'text' },
    { name: 'phone', label: 'Phone', input: 'tel' },
    { name: 'email', label: 'E-mail', input: 'email' },
    { name: 'website', label: 'Web site', input: 'url' },
  ],
})

function fullName({ firstName, lastName, org }: Card): string {
  return [firstName, lastName].filter((name) => name?.trim()).join(' ') || (org ?? '')
}

function contactPage(code: string, card: Card, isProtected: boolean) {
  const { org, jobTitle, phone, email, website } = card
  const name = fullName(card)
  // With a password, the address shows a form first, which must not be saved as the file.
  const download = !isProtected && html`download`
  return html`<main>
    <h1 dir="auto">${name}</h1>
    ${jobTitle && html`<p>${jobTitle}</p>`} ${org && org !== name && html`<p>${org}</p>`}
    <dl>
      ${
        phone &&
        html`<dt>Phone</dt>
          <dd>${phoneLink(phone)}</dd>`
      }
      ${
        email &&
        html`<dt>E-mail</dt>
          <dd><a href="mailto:${encodeURIComponent(email).replaceAll('%40', '@')}">${email}</a></dd>`
      }
      ${
        website &&
        html`<dt>Web site</dt>
          <dd><a href="${website}" rel="noopener nofollow">${website}</a></dd>`
      }
    </dl>
    <p><a class="button" href="/${code}.vcf" ${download}>Save to contacts</a></p>
  </main>`
}

/** Links a number that can be dialled; with words in it, the link would dial another number. */
function phoneLink(phone: string) {
  const isDialable = /^[\d\s()+*#.,;/-]+$/.test(phone) && /\d/.test(phone)
  return isDialable ? html`<a href="tel:${phone.replace(/[^\d+*#,;]/g, '')}">${phone}</a>` : html`${phone}`
}

/** A vCard 3.0 (RFC 2426): CRLF line ends, text values escaped, lines folded at 75 octets of UTF-8. */
function writeVcard(card: Card): string {
  const lines: [name: string, value: string | undefined][] = [
    ['BEGIN', 'VCARD'],
    ['VERSION', '3.0'],
    ['N', `${escapeText(card.lastName ?? '')};${escapeText(card.firstName ?? '')};;;`],
    ['FN', escapeText(fullName(card))],
    ['ORG', card.org && escapeText(card.org)],
    ['TITLE', card.jobTitle && escapeText(card.jobTitle)],
    ['TEL', card.phone && escapeText(card.phone)],
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
