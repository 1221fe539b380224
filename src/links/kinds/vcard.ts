import { Type } from '#typebox'
import type { Page } from '../../http/document.ts'
import { html, type Html } from '../../http/html.ts'
import { publicUrl, text } from '../../http/fields.ts'
import { isRequired } from '../../http/validate.ts'
import type { Language } from '../../texts/language.ts'
import { visitorTexts } from '../../texts/visitor.ts'
import { signOfContact } from '../../lib/initials.ts'
import { avatarOf } from './avatar.ts'
import { DEFAULT_ACCENT, defineKind, type Picture, type Viewer } from './kind.ts'
import { phoneAddress } from './phone-number.ts'
import { reportFooter } from './report-footer.ts'
import { addressHead, descriptionOf } from './social.ts'
import { fullName, writeVcard, type Card } from './vcard-file.ts'

const fields = {
  firstName: Type.Optional(text(100, 'Given name.')),
  lastName: Type.Optional(text(100, 'Family name.')),
  org: Type.Optional(text(200, 'Company or organisation.')),
  jobTitle: Type.Optional(text(200, 'Position.')),
  phone: Type.Optional(text(50, 'Telephone number, as people dial or write it.')),
  email: Type.Optional(text(254, 'E-mail address.')),
  website: Type.Optional(publicUrl('Web site.')),
}

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
      : [
          {
            ...isRequired('/firstName'),
            detail: 'is required when there is no last name (lastName) and no company (org)',
          },
        ]
  },
  urls: ({ website }) => (website === undefined ? [] : [{ pointer: '/website', url: website }]),
  prepare: ({ code, payload, isProtected = false }) => {
    const dial = payload.phone === undefined ? undefined : phoneAddress(payload.phone)
    const contact = { code, card: payload, dial, isProtected }
    return () => ({ type: 'document', pageFor: (viewer) => contactPage(contact, viewer) })
  },
  file: { extension: 'vcf', mediaType: 'text/vcard', write: ({ payload }) => writeVcard(payload) },
  picture: pictureOf,
  form: [
    { name: 'firstName', input: 'text' },
    { name: 'lastName', input: 'text' },
    { name: 'org', input: 'text' },
    { name: 'jobTitle', input: 'text' },
    { name: 'phone', input: 'tel' },
    { name: 'email', input: 'email' },
    { name: 'website', input: 'url' },
  ],
})

function pictureOf(card: Card): Picture {
  const { org, jobTitle } = card
  const title = fullName(card)
  const text = [jobTitle, org !== title && org].filter(Boolean).join(', ')
  return { title, text, initials: signOfContact(card), accent: DEFAULT_ACCENT }
}

interface Contact {
  code: string
  card: Card
  /** The address that calls its number. */
  dial: string | undefined
  isProtected: boolean
}

function contactPage(contact: Contact, viewer: Viewer): Omit<Page, 'site'> {
  const { code, card, isProtected } = contact
  const { org, jobTitle } = card
  const texts = visitorTexts[viewer.language].card
  const name = fullName(card)
  const picture = pictureOf(card)
  const summary = [name, picture.text].filter(Boolean).join(', ')
  const url = `${viewer.origin}/${code}`
  return {
    title: name,
    ...(!isProtected && { description: descriptionOf(texts.contact(summary)) }),
    lang: viewer.language,
    isOwners: true,
    head: html`${!isProtected && addressHead(url, picture)}`,
    body: html`<main class="contact">
        ${avatarOf(signOfContact(card))}
        <h1 lang="" dir="auto">${name}</h1>
        ${jobTitle && html`<p lang="" dir="auto">${jobTitle}</p>`}
        ${org && org !== name && html`<p lang="" dir="auto">${org}</p>`} ${adviceIn(viewer.browser, texts)}
        ${save(contact, texts)} ${(card.phone ?? card.email ?? card.website) && waysToReach(contact, texts)}
      </main>
      ${reportFooter(code, viewer)}`,
  }
}

type CardTexts = (typeof visitorTexts)[Language]['card']

/** In the browsers of these apps, the button does nothing. */
const withoutFiles = new Set(['Facebook', 'Instagram', 'LinkedIn', 'Messenger', 'Threads', 'TikTok'])

function adviceIn(app: string | null, texts: CardTexts): Html | false {
  return (
    app !== null &&
    withoutFiles.has(app) &&
    html`<p class="note warning"><strong>${texts.inApp(app)}</strong> ${texts.leaveApp}</p>`
  )
}

function save({ code, isProtected }: Contact, texts: CardTexts): Html {
  // With a password, the address shows a form first, which must not be saved as the file.
  const download = !isProtected && html`download`
  return html`<p><a class="button wide" href="/${code}.vcf" ${download}>${texts.save}</a></p>`
}

/** What people came for, before the details. */
function waysToReach({ card: { phone, email, website }, dial }: Contact, texts: CardTexts): Html {
  return html`<p class="actions">
      ${dial && html`<a class="button plain" href="${dial}">${texts.call}</a>`}
      ${email && html`<a class="button plain" href="${mailAddress(email)}">${texts.write}</a>`}
      ${website && html`<a class="button plain" href="${website}" rel="noopener nofollow">${texts.visit}</a>`}
    </p>
    <dl>
      ${phone && detail(texts.phone, phone, dial)} ${email && detail(texts.email, email, mailAddress(email))}
      ${website && detail(texts.website, website, website)}
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
