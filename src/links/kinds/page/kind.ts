import { Type } from '#typebox'
import type { Page } from '../../../http/document.ts'
import { html } from '../../../http/html.ts'
import { publicUrl, requiredText, text } from '../../../http/fields.ts'
import { RULE } from '../../../http/validate.ts'
import { accentPath } from '../shared/accent.ts'
import { avatarOf } from '../shared/avatar.ts'
import { DEFAULT_ACCENT, defineKind, type Content, type Picture, type Viewer } from '../kind.ts'
import { reportFooter } from '../shared/report-footer.ts'
import { addressHead, descriptionOf } from '../shared/social.ts'
import { preview, signOfPage } from './preview.ts'
import { texts } from './texts.ts'

const fields = {
  headline: requiredText(200, 'Heading of the page.'),
  avatar: Type.Optional(
    text(16, 'Initials or an emoji at the top of the page; the initials of the heading by default.'),
  ),
  accent: Type.Optional(
    Type.String({
      pattern: '^#[0-9A-Fa-f]{6}$',
      [RULE]: 'must be a colour as #rrggbb',
      description: 'The colour of the buttons. Texts on it stay readable, whatever it is.',
      examples: ['#b4232a'],
    }),
  ),
  description: Type.Optional(text(2000, 'Text under the heading; line breaks are preserved.')),
  links: Type.Optional(
    Type.Array(
      Type.Object({
        label: requiredText(100, 'The label of the button.'),
        url: publicUrl('The destination of the button.'),
      }),
      { maxItems: 100, description: 'The buttons of the page, in order.' },
    ),
  ),
}

interface Leaflet {
  headline: string
  avatar?: string
  accent?: string
  description?: string
  links?: { label: string; url: string }[]
}

/** A small page with a heading, a text and buttons. */
export const page = defineKind<Leaflet>({
  name: 'page',
  texts,
  redirects: false,
  takesUtm: false,
  fields: Type.Object(fields),
  check: () => [],
  urls: ({ links = [] }) => links.map((link, at) => ({ pointer: `/links/${at}/url`, url: link.url })),
  stamp: undefined,
  prepare: (content) => () => ({ type: 'document', pageFor: (viewer) => leafletPage(content, viewer) }),
  file: undefined,
  picture: pictureOf,
  form: [
    { name: 'headline', input: 'text', required: true },
    { name: 'description', input: 'textarea' },
    { name: 'avatar', input: 'text', isHalf: true },
    { name: 'accent', input: 'color', isHalf: true },
    { name: 'links', input: 'links' },
  ],
  reading: undefined,
  leadsTo: ({ headline, links = [] }, language) =>
    html`<p class="owner-target" dir="auto">${texts[language].leadsTo(headline, links.length)}</p>`,
  preview,
  sample: {
    headline: 'Bakery',
    avatar: '🥐',
    accent: '#b4232a',
    description: 'Open daily.',
    links: [{ label: 'Menu', url: 'https://example.com/menu' }],
  },
})

function pictureOf(leaflet: Leaflet): Picture {
  const { headline: title, description: text = '', accent = DEFAULT_ACCENT } = leaflet
  return { title, text, initials: signOfPage(leaflet), accent }
}

function leafletPage({ code, payload, isProtected = false }: Content<Leaflet>, viewer: Viewer): Omit<Page, 'site'> {
  const { headline: title, accent, description, links = [] } = payload
  const url = `${viewer.origin}/${code}`
  const button = ({ label, url }: { label: string; url: string }) =>
    html`<li><a class="button" lang="" dir="auto" href="${url}" rel="noopener nofollow">${label}</a></li>`
  return {
    title,
    ...(!isProtected && { description: descriptionOf(description || title) }),
    lang: viewer.language,
    isOwners: true,
    head: html`${accent && html`<link rel="stylesheet" href="${accentPath(accent)}" />`}
    ${!isProtected && addressHead(url, pictureOf(payload))}`,
    body: html`<main class="leaflet">
        ${avatarOf(signOfPage(payload))}
        <h1 lang="" dir="auto">${title}</h1>
        ${description && html`<p class="text" lang="" dir="auto">${description}</p>`}
        ${
          links.length > 0 &&
          html`<ul>
            ${links.map(button)}
          </ul>`
        }
      </main>
      ${reportFooter(code, viewer)}`,
  }
}
