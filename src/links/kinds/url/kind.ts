import { Type } from '#typebox'
import { isRequired } from '../../../http/validate.ts'
import { destination } from '../../utm.ts'
import { defineKind } from '../kind.ts'
import { preview } from './preview.ts'
import { texts } from './texts.ts'

/** A redirect to one address. */
export const url = defineKind<Record<string, never>>({
  name: 'url',
  texts,
  redirects: true,
  takesUtm: true,
  fields: Type.Object({}),
  check: ({ target }) => (target === null ? [isRequired('/target')] : []),
  urls: () => [],
  stamp: undefined,
  prepare({ target, utm }) {
    const location = destination(target ?? '', utm)
    return () => ({ type: 'redirect', location })
  },
  file: undefined,
  picture: undefined,
  form: [{ name: 'target', input: 'url', required: true }],
  reading: undefined,
  leadsTo: 'target',
  preview,
  sample: { target: 'https://example.com/menu' },
})
