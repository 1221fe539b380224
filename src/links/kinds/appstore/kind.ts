import { Type } from '#typebox'
import { publicUrl } from '../../../http/fields.ts'
import { html } from '../../../http/html.ts'
import { isRequired } from '../../../http/validate.ts'
import { destination } from '../../utm.ts'
import { defineKind } from '../kind.ts'
import { preview } from './preview.ts'
import { texts } from './texts.ts'

const fields = {
  ios: Type.Optional(publicUrl('The destination of visitors with an iPhone or iPad.')),
  android: Type.Optional(publicUrl('The destination of visitors with Android.')),
  fallback: Type.Optional(publicUrl('The destination of all other visitors; `target` when absent.')),
}

const names = ['ios', 'android', 'fallback'] as const

/** A redirect to the store of the visitor's platform. */
export const appstore = defineKind<{ [Name in keyof typeof fields]?: string }>({
  name: 'appstore',
  texts,
  redirects: true,
  takesUtm: true,
  fields: Type.Object(fields),
  check({ target, payload }) {
    const destination = payload.ios ?? payload.android ?? payload.fallback ?? target
    return destination === null
      ? [{ ...isRequired('/ios'), detail: 'is required when there is no other address (android, fallback, target)' }]
      : []
  },
  urls: (payload) => Object.entries(payload).map(([name, address]) => ({ pointer: `/${name}`, url: address })),
  stamp: undefined,
  prepare({ target, payload: { ios, android, fallback }, utm }) {
    const elsewhere = fallback ?? target ?? ios ?? android ?? ''
    const byPlatform = { ios: ios ?? elsewhere, android: android ?? elsewhere, other: elsewhere }
    const locations = {
      ios: destination(byPlatform.ios, utm),
      android: destination(byPlatform.android, utm),
      other: destination(byPlatform.other, utm),
    }
    return ({ platform }) => ({ type: 'redirect', location: locations[platform] })
  },
  file: undefined,
  picture: undefined,
  form: names.map((name) => ({ name, input: 'url', isHalf: name !== 'fallback' })),
  reading: undefined,
  leadsTo: (payload, language) =>
    html`<dl>
      ${names
        .filter((name) => payload[name] !== undefined)
        .map(
          (name) =>
            html`<dt>${texts[language].labels[name]}</dt>
              <dd>${payload[name]}</dd>`,
        )}
    </dl>`,
  preview,
  sample: {
    ios: 'https://apps.apple.com/app/id1',
    android: 'https://play.google.com/store/apps/details?id=app',
    fallback: 'https://example.com/app',
  },
})
