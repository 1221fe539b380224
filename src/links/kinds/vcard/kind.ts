import { Type } from '#typebox'
import type { Page } from '../../../http/document.ts'
import { html, type Html } from '../../../http/html.ts'
import { publicUrl, text } from '../../../http/fields.ts'
import { isRequired } from '../../../http/validate.ts'
import type { Language } from '../../../texts/language.ts'
import { avatarOf } from '../shared/avatar.ts'
import { DEFAULT_ACCENT, defineKind, type Picture, type Viewer } from '../kind.ts'
import { phoneAddress } from './phone-number.ts'
import { reportFooter } from '../shared/report-footer.ts'
import { saveButton } from '../shared/save-button.ts'
import { addressHead, descriptionOf } from '../shared/social.ts'
import { writeVcard, type Card } from './file.ts'
import { fullName, preview, signOfContact } from './preview.ts'
import { texts } from './texts.ts'

const fields = {
  firstName: Type.Optional(text(100, 'Given name.')),
  lastName: Type.Optional(text(100, 'Family name.')),
  org: Type.Optional(text(200, 'Company or organisation.')),
  jobTitle: Type.Optional(text(200, 'Position.')),
  phone: Type.Optional(text(50, 'Telephone number, as people dial or write it.')),
  email: Type.Optional(text(254, 'E-mail address.')),
  website: Type.Optional(publicUrl('Web site.')),
}

const extension = 'vcf'

/** A contact: a page that shows it, and a vCard to save it. */
export const vcard = defineKind<Card>({
  name: 'vcard',
  texts,
  redirects: false,
  takesUtm: false,
  fields: Type.Object(fields),
  check({ payload }) {
    const named = [payload.firstName, payload.lastName, payload.org].some((name) => name?.trim())
    return named
      ? []
      : [
          {
            ...isRequired('/firstName'),
            detail: 'is required when there is no last name (lastName) and no company (org)',
          },
        ]
  },
  urls: ({ website }) => (website === undefined ? [] : [{ pointer: '/website', url: website }]),
  stamp: undefined,
  prepare: ({ code, payload, isProtected = false }) => {
    const dial = payload.phone === undefined ? undefined : phoneAddress(payload.phone)
    const contact = { code, extension, card: payload, dial, isProtected }
    return () => ({ type: 'document', pageFor: (viewer) => contactPage(contact, viewer) })
  },
  file: { extension, mediaType: 'text/vcard', write: ({ payload }) => writeVcard(payload) },
  picture: pictureOf,
  form: [
    { name: 'firstName', input: 'text', isHalf: true },
    { name: 'lastName', input: 'text', isHalf: true },
    { name: 'org', input: 'text', isHalf: true },
    { name: 'jobTitle', input: 'text', isHalf: true },
    { name: 'phone', input: 'tel', isHalf: true },
    { name: 'email', input: 'email', isHalf: true },
    { name: 'website', input: 'url' },
  ],
  reading: undefined,
  leadsTo: (card, language) => html`<p class="owner-target" dir="auto">${texts[language].leadsTo(fullName(card))}</p>`,
  preview,
  sample: {
    firstName: 'Ada',
    lastName: 'Lovelace',
    org: 'Analytical Engines',
    jobTitle: 'Programmer',
    phone: '+44 20 7946 0000',
    email: 'ada@example.com',
    website: 'https://example.com/ada',
  },
})

function pictureOf(card: Card): Picture {
  const { org, jobTitle } = card
  const title = fullName(card)
  const text = [jobTitle, org !== title && org].filter(Boolean).join(', ')
  return { title, text, initials: signOfContact(card), accent: DEFAULT_ACCENT }
}

interface Contact {
  code: string
  extension: string
  card: Card
  /** The address that calls its number. */
  dial: string | undefined
  isProtected: boolean
}

function contactPage(contact: Contact, viewer: Viewer): Omit<Page, 'site'> {
  const { code, card, isProtected } = contact
  const { org, jobTitle } = card
  const { page: wording } = texts[viewer.language]
  const name = fullName(card)
  const picture = pictureOf(card)
  const summary = [name, picture.text].filter(Boolean).join(', ')
  const url = `${viewer.origin}/${code}`
  return {
    title: name,
    ...(!isProtected && { description: descriptionOf(wording.contact(summary)) }),
    lang: viewer.language,
    isOwners: true,
    head: html`${!isProtected && addressHead(url, picture)}`,
    body: html`<main class="facts">
        ${avatarOf(signOfContact(card))}
        <h1 lang="" dir="auto">${name}</h1>
        ${jobTitle && html`<p lang="" dir="auto">${jobTitle}</p>`}
        ${org && org !== name && html`<p lang="" dir="auto">${org}</p>`} ${saveButton(contact, viewer, wording)}
        ${(card.phone ?? card.email ?? card.website) && waysToReach(contact, viewer.language)}
      </main>
      ${reportFooter(code, viewer)}`,
  }
}

/** What people came for, before the details. */
function waysToReach({ card: { phone, email, website }, dial }: Contact, language: Language): Html {
  const { labels, page: wording } = texts[language]
  return html`<p class="actions">
      ${dial && html`<a class="button plain" href="${dial}">${wording.call}</a>`}
      ${email && html`<a class="button plain" href="${mailAddress(email)}">${wording.write}</a>`}
      ${website && html`<a class="button plain" href="${website}" rel="noopener nofollow">${wording.visit}</a>`}
    </p>
    <dl>
      ${phone && detail(labels.phone, phone, dial)} ${email && detail(labels.email, email, mailAddress(email))}
      ${website && detail(labels.website, website, website)}
    </dl>`
}

function detail(label: string, value: string, address: string | undefined): Html {
  const link = address !== undefined && html`<a href="${address}" rel="noopener nofollow">${value}</a>`
  return html`<dt>${label}</dt>
    <dd lang="" dir="auto">${link || value}</dd>`
}

function mailAddress(email: string): string {
  return `mailto:${encodeURIComponent(email).replaceAll('%40', '@')}`
}
