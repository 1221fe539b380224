import { Type } from '#typebox'
import { html } from '../../http/html.ts'
import { publicUrl, requiredText, text } from '../../http/fields.ts'
import { defineKind } from './kind.ts'

const fields = {
  headline: requiredText(200, 'Heading of the page.'),
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
  description?: string
  links?: { label: string; url: string }[]
}

/** A small page with a heading, a text and buttons. */
export const page = defineKind<Leaflet>({
  name: 'page',
  label: 'Page of links',
  redirects: false,
  fields: Type.Object(fields),
  check: () => [],
  urls: ({ links = [] }) => links.map((link, at) => ({ pointer: `/links/${at}/url`, url: link.url })),
  prepare:
    ({ payload }) =>
    () => ({ type: 'document', title: payload.headline, body: leafletPage(payload) }),
  form: [
    { name: 'headline', label: 'Heading', input: 'text', required: true },
    { name: 'description', label: 'Text', input: 'textarea' },
    { name: 'links', label: 'Buttons', input: 'links' },
  ],
})

function leafletPage({ headline, description, links = [] }: Leaflet) {
  return html`<main>
    <h1 dir="auto">${headline}</h1>
    ${description && html`<p class="text" dir="auto">${description}</p>`}
    ${links.map((link) => html`<p><a class="button wide" dir="auto" href="${link.url}" rel="noopener nofollow">${link.label}</a></p>`)}
  </main>`
}
