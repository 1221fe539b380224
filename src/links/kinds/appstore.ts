import { Type } from '#typebox'
import { destination } from '../utm.ts'
import { publicUrl } from '../../http/fields.ts'
import { isRequired } from '../../http/validate.ts'
import { defineKind, type Texts } from './kind.ts'

const fields = {
  ios: Type.Optional(publicUrl('The destination of visitors with an iPhone or iPad.')),
  android: Type.Optional(publicUrl('The destination of visitors with Android.')),
  fallback: Type.Optional(publicUrl('The destination of all other visitors; `target` when absent.')),
}

/** A redirect to the store of the visitor's platform. */
export const appstore = defineKind<Texts<typeof fields>>({
  name: 'appstore',
  label: 'App',
  redirects: true,
  fields: Type.Object(fields),
  check({ target, payload }) {
    const destination = payload.ios ?? payload.android ?? payload.fallback ?? target
    return destination === null
      ? [{ ...isRequired('/ios'), detail: 'is required when there is no other address (android, fallback, target)' }]
      : []
  },
  urls: (payload) => Object.entries(payload).map(([name, address]) => ({ pointer: `/${name}`, url: address })),
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
  form: [
    { name: 'ios', input: 'url' },
    { name: 'android', input: 'url' },
    { name: 'fallback', input: 'url' },
  ],
})
