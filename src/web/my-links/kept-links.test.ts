import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { chooseCollection, keepCollection, MAX_KEPT_COLLECTIONS, type KeptCollection } from './kept-collections.ts'
import { forgetKept, mergeKept } from './kept-list.ts'
import {
  keepLinks,
  MAX_FILE,
  MAX_KEPT,
  readFile,
  readKept,
  readKeptCollections,
  searchKept,
  writeFile,
  writeKept,
  writeKeptCollections,
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
const collection = (n: number, change: Partial<KeptCollection> = {}): KeptCollection => ({
  token: `collection_${`${n}`.padStart(43, 'x')}`,
  name: `Name ${n}`,
  created_at: new Date(n * 1_000).toISOString(),
  ...change,
})
const file = (links: unknown, version: unknown = 1, more: object = {}) =>
  JSON.stringify({ format: 'quirl-links', version, links, ...more })

function memory(): KeptStorage {
  const values = new Map<string, string>()
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  }
}

test('what was exported can be imported, newest first, with the service that it is from', () => {
  const collections = [collection(1, { chosen: true }), collection(2, { name: null })]
  const text = writeFile({ links: [link(1), link(2, { title: null })], collections }, 'https://example.com')
  assert.deepEqual(readFile(text), {
    links: [link(2, { title: null }), link(1)],
    collections: [collection(2, { name: null }), collection(1, { chosen: true })],
    service: 'https://example.com',
  })
})

test('a file without collections, as older versions export it, has none', () => {
  assert.deepEqual(readFile(file([link(1)])), { links: [link(1)], collections: [], service: undefined })
  assert.doesNotMatch(writeFile({ links: [link(1)], collections: [] }, 'https://example.com'), /collections/)
})

test('fields that are unknown are left out, and a missing title is none', () => {
  const { title: _title, ...untitled } = link(1)
  const read = readFile(file([{ ...untitled, short_url: 'javascript:alert(1)', __proto__: { x: 1 } }]))
  assert.deepEqual(read, { links: [link(1, { title: null })], collections: [], service: undefined })
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
  const invalidCollections: [string, unknown, string][] = [
    ['the token of a link', collection(3, { token: 'x'.repeat(43) }), 'collection_token'],
    ['a token with a path', collection(3, { token: `collection_../${'x'.repeat(40)}` }), 'collection_token'],
    ['a long name', collection(3, { name: 'x'.repeat(101) }), 'name'],
    ['a name that is a number', { ...collection(3), name: 3 }, 'name'],
    ['a time that is none', collection(3, { created_at: '2026-99-01T00:00:00.000Z' }), 'collection_created_at'],
    ['a text', 'x', 'collection'],
  ]
  for (const [name, entry, field] of invalidCollections) {
    test(`that has ${name} for its second collection`, () => {
      const read = readFile(file([], 1, { collections: [collection(1), entry] }))
      assert.deepEqual(read, { fault: 'invalid_collection', entry: 2, field })
    })
  }
  const tooMany = { collections: Array(MAX_KEPT_COLLECTIONS + 1).fill(0) }
  const faults: [string, string, string][] = [
    ['with collections that are no list', file([], 1, { collections: {} }), 'not_links'],
    ['with too many collections', file([], 1, tooMany), 'too_many_collections'],
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
  const collections = Array.from({ length: MAX_KEPT_COLLECTIONS }, (_, n) => collection(n, { name: 'x'.repeat(100) }))
  const text = writeFile({ links, collections }, 'https://example.com')
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

test('storage keeps collections beside links', () => {
  const storage = memory()
  assert.equal(writeKept(storage, [link(1)]), true)
  assert.equal(writeKeptCollections(storage, [collection(1)]), true)
  assert.deepEqual([readKept(storage), readKeptCollections(storage)], [[link(1)], [collection(1)]])
  assert.equal(writeKeptCollections(storage, []), true)
  assert.equal(storage.getItem('quirl.collections'), null)
  assert.deepEqual(readKept(storage), [link(1)])
})

test('a collection that is kept takes its new name, and stays the chosen one', () => {
  const kept = [collection(2), collection(1, { chosen: true })]
  const renamed = collection(1, { name: 'New' })
  assert.deepEqual(keepCollection(kept, renamed), [collection(2), { ...renamed, chosen: true }])
  assert.deepEqual(chooseCollection(kept, collection(2).token), [collection(2, { chosen: true }), collection(1)])
  assert.deepEqual(chooseCollection(kept, ''), [collection(2), collection(1)])
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
  assert.deepEqual(forgetKept(links, new Set([link(2).token])), [link(1), link(3, { title: null })])
  assert.deepEqual(searchKept(links, ' TITLE 2 '), [link(2)])
  assert.deepEqual(searchKept(links, 'code-3'), [link(3, { title: null })])
  assert.deepEqual(searchKept(links, 'null'), [])
})

test('the example in the documentation is a valid file', () => {
  const page = readFileSync(new URL('../../../docs/my-links.md', import.meta.url), 'utf8')
  const read = readFile(/```json\n([^`]*)```/.exec(page)?.[1] ?? '')
  assert.deepEqual('links' in read && [read.links[0]?.code, read.collections[0]?.name], ['menu', 'Café'])
})
