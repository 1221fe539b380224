import { Type } from '#typebox'
import { isRequired } from '../../http/validate.ts'
import { destination } from '../utm.ts'
import { defineKind } from './kind.ts'

/** A redirect to one address. */
export const url = defineKind<Record<string, never>>({
  name: 'url',
  label: 'Web address',
  redirects: true,
  fields: Type.Object({}),
  check: ({ target }) => (target === null ? [isRequired('/target')] : []),
  urls: () => [],
  prepare({ target, utm }) {
    const location = destination(target ?? '', utm)
    return () => ({ type: 'redirect', location })
  },
  form: [{ name: 'target', input: 'url', required: true }],
})
