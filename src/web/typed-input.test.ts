import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from '../http/html.ts'
import { Problem } from '../http/problem.ts'
import { renderFields } from './form.ts'
import { truncateInput } from './typed-input.ts'

const problem = new Problem('invalid_request', 'no', { errors: [{ pointer: '/links', detail: 'is wrong' }] })
const row = (label: string, url: string) => ({ label, url })

test('values that fit their fields are shown again as they were typed', () => {
  const links = Array.from({ length: 100 }, () => row('ü'.repeat(100), `https://example.com/${'ü'.repeat(2_028)}`))
  const typed = { values: { headline: '😀'.repeat(200), description: '😀'.repeat(2_000), links }, utm: { a: 'b' } }
  const shown = truncateInput({ ...typed, problem })
  assert.deepEqual({ values: shown.values, utm: shown.utm }, typed)
  assert.deepEqual(shown.problem.errors, problem.errors)
})

test('values that are far too long are cut, and an error names each', () => {
  const links = Array.from({ length: 490 }, () => row('<'.repeat(9_000), '"'.repeat(9_000)))
  const {
    values,
    utm,
    problem: { errors },
  } = truncateInput({
    values: { description: '<'.repeat(900_000), links },
    utm: { utm_source: '"'.repeat(900_000) },
    problem,
  })
  const pointers = errors.map(({ pointer }) => pointer)
  assert.deepEqual(pointers, ['/links', '/description', '/links', '/utm/utm_source'])
  const fields = [
    { name: 'description', input: 'textarea' as const },
    { name: 'links', input: 'links' as const },
  ]
  const page = html`${renderFields(fields, values, errors)}${utm['utm_source']}`.markup
  assert.ok(Buffer.byteLength(page) < 1024 * 1024, `${page.length} characters`)
  assert.match(page, /far too long, so only its first 4000 characters are shown/)
  assert.match(page, /far too many: only the first \d+ are shown/)
})
