import { Type } from '#typebox'
import { destination } from '../utm.ts'
import { defineKind } from './kind.ts'

/** A redirect to one address. */
export const url = defineKind<Record<string, never>>({
  name: 'url',
  label: 'Web address',
  redirects: true,
  fields: Type.Object({}),
  check: ({ target }) => (target === null ? [{ pointer: '/target', detail: 'is required' }] : []),
  urls: () => [],
  prepare({ target, utm }) {
    const location = destination(target ?? '', utm)
    return () => ({ type: 'redirect', location })
  },
  form: [{ name: 'target', label: 'Destination', input: 'url', required: true }],
})
