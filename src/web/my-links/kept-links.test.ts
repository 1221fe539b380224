import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import {
  forgetLinks,
  keepLinks,
  MAX_FILE,
  MAX_KEPT,
  mergeKept,
  readFile,
  readKept,
  searchKept,
  writeFile,
  writeKept,
  type KeptLink,
  type KeptStorage,
} from './kept-links.ts'

const link = (n: number, change: Partial<KeptLink> = {}): KeptLink => ({
  token: `${n}`.padStart(43, 'x'),
  code: `code-${n}`,
  title: `Title ${n}`,
  created_at: new Date(n * 1_000).toISOString(),
  ...change,
})
const file = (links: unknown, version: unknown = 1) => JSON.stringify({ format: 'quirl-links', version, links })

function memory(): KeptStorage {
  const values = new Map<string, string>()
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  }
}

test('what was exported can be imported, newest first, with the service that it is from', () => {
  const text = writeFile([link(1), link(2, { title: null })], 'https://example.com')
  assert.deepEqual(readFile(text), { links: [link(2, { title: null }), link(1)], service: 'https://example.com' })
})

test('fields that are unknown are left out, and a missing title is none', () => {
  const { title: _title, ...untitled } = link(1)
  const read = readFile(file([{ ...untitled, short_url: 'javascript:alert(1)', __proto__: { x: 1 } }]))
  assert.deepEqual(read, { links: [link(1, { title: null })], service: undefined })
})

describe('a file is refused', () => {
  const invalid: [string, unknown, string][] = [
    ['a token of another length', link(3, { token: 'x' }), 'token'],
    ['a token with a path', link(3, { token: `../${'x'.repeat(40)}` }), 'token'],
    ['a code with markup', link(3, { code: '<b>' }), 'code'],
    ['a long code', link(3, { code: 'x'.repeat(65) }), 'code'],
    ['a long title', link(3, { title: 'x'.repeat(201) }), 'title'],
    ['a title that is a number', { ...link(3), title: 3 }, 'title'],
    ['a time that is none', link(3, { created_at: '2026-99-01T00:00:00.000Z' }), 'created_at'],
    ['a time with a text', link(3, { created_at: 'yesterday' }), 'created_at'],
    ['a list', [1], 'link'],
    ['null', null, 'link'],
  ]
  for (const [name, entry, field] of invalid) {
    test(`that has ${name} for its second link`, () => {
      assert.deepEqual(readFile(file([link(1), entry])), { fault: 'invalid', entry: 2, field })
    })
  }
  const faults: [string, string, string][] = [
    ['that is no JSON', '{', 'not_json'],
    ['that is deep', '['.repeat(100_000), 'not_json'],
    ['that is empty', '', 'not_json'],
    ['of another format', '{"format":"bookmarks"}', 'not_links'],
    ['that is a list', '[]', 'not_links'],
    ['without links', file('x'), 'not_links'],
    ['without a version', file([], null), 'not_links'],
    ['of a newer version', file([], 2), 'newer'],
    ['with too many links', file(Array(MAX_KEPT + 1).fill(0)), 'too_many'],
    ['that is too large', ' '.repeat(MAX_FILE + 1), 'too_large'],
  ]
  for (const [name, text, fault] of faults) {
    test(name, () => {
      assert.deepEqual(readFile(text), { fault })
    })
  }
})

test('a full export is small enough to be imported', () => {
  const links = Array.from({ length: MAX_KEPT }, (_, n) =>
    link(n, { code: `${n}`.padStart(64, '-'), title: 'x'.repeat(200) }),
  )
  const text = writeFile(links, 'https://example.com')
  assert.ok(text.length <= MAX_FILE, `${text.length}`)
  assert.equal('links' in readFile(text), true)
})

test('storage keeps links, and holds nothing when none are kept', () => {
  const storage = memory()
  assert.equal(writeKept(storage, [link(1)]), true)
  assert.deepEqual(readKept(storage), [link(1)])
  assert.equal(writeKept(storage, []), true)
  assert.equal(storage.getItem('quirl.links'), null)
})

test('storage that is forbidden, full or holds something else keeps no links', () => {
  const refuse = () => {
    throw new Error('forbidden')
  }
  const forbidden = { getItem: refuse, setItem: refuse, removeItem: refuse }
  assert.deepEqual(readKept(forbidden), [])
  assert.equal(writeKept(forbidden, [link(1)]), false)
  const storage = memory()
  storage.setItem('quirl.links', '"hostile"')
  assert.deepEqual(readKept(storage), [])
})

test('a merge adds what is new and loses no key', () => {
  const other = link(1, { token: 'y'.repeat(43) })
  assert.deepEqual(new Set(mergeKept([link(1)], [other, link(1), link(2)])), new Set([link(1), other, link(2)]))
})

test('a valid key replaces another one of the same code', () => {
  const other = link(1, { token: 'y'.repeat(43), code: 'CODE-1' })
  assert.deepEqual(keepLinks([link(1), link(2)], [other]), [link(2), other])
})

test('links are forgotten by their keys, and found by title and code', () => {
  const links = [link(1), link(2), link(3, { title: null })]
  assert.deepEqual(forgetLinks(links, new Set([link(2).token])), [link(1), link(3, { title: null })])
  assert.deepEqual(searchKept(links, ' TITLE 2 '), [link(2)])
  assert.deepEqual(searchKept(links, 'code-3'), [link(3, { title: null })])
  assert.deepEqual(searchKept(links, 'null'), [])
})

test('the example in the documentation is a valid file', () => {
  const page = readFileSync(new URL('../../../docs/my-links.md', import.meta.url), 'utf8')
  const read = readFile(/```json\n([^`]*)```/.exec(page)?.[1] ?? '')
  assert.equal('links' in read && read.links[0]?.code, 'menu')
})
