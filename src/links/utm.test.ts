import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fast-check.ts'
import { destination } from './utm.ts'

const source = { utm_source: 'a' }

/** The stored target, the pairs, and the location that a visitor gets. */
const cases: [target: string, utm: Record<string, string>, location: string][] = [
  // Without pairs every ASCII byte stays, also where a parser would tidy up.
  ['https://example.com', {}, 'https://example.com'],
  ['https://example.com/', {}, 'https://example.com/'],
  ['HTTPS://Example.COM', {}, 'HTTPS://Example.COM'],
  ['https://example.com?', {}, 'https://example.com?'],
  ['https://example.com#', {}, 'https://example.com#'],
  ['https://example.com/?#', {}, 'https://example.com/?#'],
  ['https://example.com:443/', {}, 'https://example.com:443/'],
  ['https://example.com/a/../b/./c', {}, 'https://example.com/a/../b/./c'],
  ['https://example.com/%7euser/%7E', {}, 'https://example.com/%7euser/%7E'],
  ['https://example.com/%zz%', {}, 'https://example.com/%zz%'],
  ['https://example.com/a+b%20c', {}, 'https://example.com/a+b%20c'],
  ['https://example.com/?q=a+b%20c', {}, 'https://example.com/?q=a+b%20c'],
  ['https://example.com/?a=1&a=2&a', {}, 'https://example.com/?a=1&a=2&a'],
  ['https://example.com/?a[]=1&a[]=2', {}, 'https://example.com/?a[]=1&a[]=2'],
  ['https://example.com/?&&a=1&&', {}, 'https://example.com/?&&a=1&&'],
  ['https://example.com/?a=b=c=d', {}, 'https://example.com/?a=b=c=d'],
  ['https://example.com/?utm_source=x', {}, 'https://example.com/?utm_source=x'],
  ['https://example.com/"<>|^`{}', {}, 'https://example.com/"<>|^`{}'],
  ['https://example.com/?x=\\d', {}, 'https://example.com/?x=\\d'],
  ['https://example.com//double//slash', {}, 'https://example.com//double//slash'],
  ['https://example.com/;p=1?x;y', {}, 'https://example.com/;p=1?x;y'],
  ['https://1.1/', {}, 'https://1.1/'],
  // Only non-ASCII characters are encoded.
  ['https://example.com/ü', {}, 'https://example.com/%C3%BC'],
  ['https://example.com/%20ü%zz', {}, 'https://example.com/%20%C3%BC%zz'],
  ['https://example.com/?q=ü&r=%C3%BC', {}, 'https://example.com/?q=%C3%BC&r=%C3%BC'],
  ['https://example.com/#ä', {}, 'https://example.com/#%C3%A4'],
  ['https://example.com/👍', {}, 'https://example.com/%F0%9F%91%8D'],
  ['https://bücher.example/a', {}, 'https://xn--bcher-kva.example/a'],
  ['https://bücher.example:80/ü', {}, 'https://xn--bcher-kva.example:80/%C3%BC'],
  ['https://bücher.example', {}, 'https://xn--bcher-kva.example'],
  ['https://BÜCHER.example?ü', {}, 'https://xn--bcher-kva.example?%C3%BC'],
  ['https://Example.com/ü', {}, 'https://Example.com/%C3%BC'],
  // A new pair is appended; an empty path gains its slash.
  ['https://example.com', source, 'https://example.com/?utm_source=a'],
  ['https://example.com/', source, 'https://example.com/?utm_source=a'],
  ['https://example.com:8080', source, 'https://example.com:8080/?utm_source=a'],
  ['https://example.com?', source, 'https://example.com/?utm_source=a'],
  ['https://example.com/?', source, 'https://example.com/?utm_source=a'],
  ['https://example.com?b=1', source, 'https://example.com/?b=1&utm_source=a'],
  ['https://example.com/p?b=1', source, 'https://example.com/p?b=1&utm_source=a'],
  ['https://example.com/p?b=1&', source, 'https://example.com/p?b=1&utm_source=a'],
  ['https://example.com/p?&', source, 'https://example.com/p?&utm_source=a'],
  ['https://example.com/p?b', source, 'https://example.com/p?b&utm_source=a'],
  ['https://example.com/p?b=', source, 'https://example.com/p?b=&utm_source=a'],
  ['https://example.com/p?b=c?d', source, 'https://example.com/p?b=c?d&utm_source=a'],
  ['https://example.com/p?a+b=%20', source, 'https://example.com/p?a+b=%20&utm_source=a'],
  ['https://example.com/p/', source, 'https://example.com/p/?utm_source=a'],
  // The fragment stays where it is, whatever it holds.
  ['https://example.com#top', source, 'https://example.com/?utm_source=a#top'],
  ['https://example.com/#top', source, 'https://example.com/?utm_source=a#top'],
  ['https://example.com/#', source, 'https://example.com/?utm_source=a#'],
  ['https://example.com/?#', source, 'https://example.com/?utm_source=a#'],
  ['https://example.com/#/route?utm_source=z', source, 'https://example.com/?utm_source=a#/route?utm_source=z'],
  ['https://example.com/p?b=1#x#y', source, 'https://example.com/p?b=1&utm_source=a#x#y'],
  // The name of this key begins with a question mark.
  ['https://example.com/??utm%5Fsource=x', source, 'https://example.com/??utm%5Fsource=x&utm_source=a'],
  // The first key of the name is replaced in place, further ones are removed.
  ['https://example.com/?utm_source=old', source, 'https://example.com/?utm_source=a'],
  ['https://example.com?utm_source=old', source, 'https://example.com/?utm_source=a'],
  ['https://example.com/?utm_source', source, 'https://example.com/?utm_source=a'],
  ['https://example.com/?utm_source=', source, 'https://example.com/?utm_source=a'],
  ['https://example.com/?x=1&utm_source=old&y=2', source, 'https://example.com/?x=1&utm_source=a&y=2'],
  ['https://example.com/?utm_source=1&x=2&utm_source=3', source, 'https://example.com/?utm_source=a&x=2'],
  ['https://example.com/?utm_source=1&utm_source=2&utm_source=3', source, 'https://example.com/?utm_source=a'],
  ['https://example.com/?utm%5Fsource=old', source, 'https://example.com/?utm_source=a'],
  ['https://example.com/?UTM_SOURCE=old', source, 'https://example.com/?UTM_SOURCE=old&utm_source=a'],
  [
    'https://example.com/?xutm_source=1&utm_source2=2',
    source,
    'https://example.com/?xutm_source=1&utm_source2=2&utm_source=a',
  ],
  ['https://example.com/?x=utm_source=1', source, 'https://example.com/?x=utm_source=1&utm_source=a'],
  ['https://example.com/?&utm_source=1&&', source, 'https://example.com/?&utm_source=a&&'],
  // Several pairs keep their order; values are encoded so that any text arrives.
  ['https://example.com', { utm_source: 'a', utm_medium: 'b' }, 'https://example.com/?utm_source=a&utm_medium=b'],
  [
    'https://example.com/?utm_medium=x',
    { utm_source: 'a', utm_medium: 'b' },
    'https://example.com/?utm_medium=b&utm_source=a',
  ],
  [
    'https://example.com',
    { utm_source: 'a b&c=d#e?f+g%h/ü' },
    'https://example.com/?utm_source=a%20b%26c%3Dd%23e%3Ff%2Bg%25h%2F%C3%BC',
  ],
  ['https://example.com', { utm_source: '' }, 'https://example.com/?utm_source='],
  ['https://example.com/ü?ö#ä', source, 'https://example.com/%C3%BC?%C3%B6&utm_source=a#%C3%A4'],
  ['https://bücher.example', source, 'https://xn--bcher-kva.example/?utm_source=a'],
]

test(`${cases.length} destinations arrive byte for byte as stored, with their UTM pairs`, () => {
  assert.ok(cases.length >= 60)
  for (const [target, utm, location] of cases) assert.equal(destination(target, utm), location, target)
})

test('for any query, a server reads each pair once, and everything else as before', () => {
  const part = fc.constantFrom('', 'a=1', 'b', 'utm_source=x', 'utm%5Fsource=y', 'c=%20+', 'utm_medium', 'd==', '%zz=1')
  const value = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => text.isWellFormed())
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), value, value, (parts, first, second) => {
      const utm = { utm_source: first, utm_medium: second }
      const before = new URLSearchParams(parts.join('&'))
      const after = new URL(destination(`https://example.com/p?${parts.join('&')}#f`, utm)).searchParams
      for (const [name, text] of Object.entries(utm)) {
        assert.deepEqual(after.getAll(name), [text])
        before.delete(name)
        after.delete(name)
      }
      assert.equal(after.toString(), before.toString())
    }),
  )
})

test('a location is always ASCII, as a header requires', () => {
  const text = fc.string({ unit: 'grapheme' }).filter((each) => each.isWellFormed() && !/[\s\p{Cc}\\#?]/u.test(each))
  fc.assert(
    fc.property(text, text, (path, query) => {
      assert.match(destination(`https://example.com/${path}?${query}`, source), /^\p{ASCII}*$/u)
    }),
  )
})

test('a question mark within a query belongs to the name behind it', () => {
  assert.equal(destination('https://example.com/?q&?%61=1', { a: 'x' }), 'https://example.com/?q&?%61=1&a=x')
})
