import { Type } from '#typebox'
import { requiredText } from '../../../src/http/fields.ts'
import { html } from '../../../src/http/html.ts'
import { defineKind } from '../../../src/links/kinds/kind.ts'

const of = (name: string, label: string, missing: string) => ({
  name,
  labels: { discount: label },
  hints: {},
  faults: { discount: { required: missing } },
  preview: {},
})

/** A kind that the service does not have, as whoever adds one writes it. */
export const coupon = defineKind<{ discount: string }>({
  name: 'coupon',
  texts: {
    en: of('Coupon', 'Discount of the coupon', 'Say what the coupon is worth.'),
    de: of('Gutschein', 'Rabatt des Gutscheins', 'Schreiben Sie, was der Gutschein wert ist.'),
  },
  redirects: false,
  takesUtm: false,
  fields: Type.Object({ discount: requiredText(40, 'What it is worth.') }),
  check: () => [],
  urls: () => [],
  stamp: undefined,
  prepare: ({ payload: { discount } }) => {
    const pageFor = ({ language: lang }: { language: 'en' | 'de' }) => ({
      title: discount,
      lang,
      body: html`<main>Worth ${discount}</main>`,
    })
    return () => ({ type: 'document', pageFor })
  },
  file: {
    extension: 'coupon',
    mediaType: 'text/x-coupon',
    write: ({ payload: { discount } }) => `coupon ${discount}`,
  },
  picture: ({ discount }) => ({ title: discount, text: '', initials: '%', accent: '#00653a' }),
  form: [{ name: 'discount', input: 'text', required: true }],
  reading: undefined,
  leadsTo: ({ discount }) => html`<p>a coupon worth ${discount}</p>`,
  preview: () => undefined,
  sample: { discount: '10 %' },
})
