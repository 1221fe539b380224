import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fast-check.ts'
import { buildSet, openSet } from './compact-set.ts'
import { addEntry } from './list-entry.ts'
import { createScreening, type Screening } from './screen.ts'
import type { Ruling } from './store.ts'

const SALT = 'salt'
/** A host of the service. */
const OWN = 'q.own.example'

/** A screening with lists of these addresses, and rules of the operator. */
function screening(lists: string[][], verdicts: Record<string, Ruling['verdict']> = {}): Screening {
  const loaded = lists.map((addresses, at) => {
    const builder = buildSet()
    for (const address of addresses) addEntry(builder, SALT, address)
    return { name: `list ${at}`, set: openSet(builder.finish()) }
  })
  const rulings = new Map<string, Ruling>(
    Object.entries(verdicts).map(([expression, verdict]) => [
      expression,
      { expression, verdict, reason: '', isLegal: false, createdAt: 0 },
    ]),
  )
  return createScreening({ salt: SALT, lists: () => loaded, rulings: () => rulings, isOwnHost: (host) => host === OWN })
}

const expressionOf = ({ find }: Screening, url: string) => find(url)?.expression

test('a hit has the expression and the list', () => {
  const screen = screening([['good.example.com'], ['bad.example', 'https://files.example/x/y.exe?id=1', '192.0.2.7']])
  assert.deepEqual(screen.find('https://www.bad.example/a?b#c'), { expression: 'bad.example/', list: 'list 1' })
  assert.equal(expressionOf(screen, 'http://192.0.2.7:8080/x'), '192.0.2.7/')
  assert.equal(expressionOf(screen, 'https://files.example/x/y.exe?id=1'), 'files.example/x/y.exe?id=1')
  for (const url of [
    'https://files.example/x/y.exe',
    'https://files.example/',
    'https://example/',
    'https://x.192.0.2.7.example',
  ]) {
    assert.equal(screen.find(url), undefined, url)
  }
})

const label = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/)

test('a listed host blocks its subdomains and no sibling', () => {
  const names = fc.array(label, { minLength: 1, maxLength: 6 }).map((labels) => `${labels.join('.')}.example.com`)
  fc.assert(
    fc.property(names, label, label, (listed, sub, sibling) => {
      const screen = screening([[listed]])
      const [first = '', ...parents] = listed.split('.')
      fc.pre(sibling !== first)
      assert.equal(expressionOf(screen, `https://${listed}/x?y`), `${listed}/`)
      assert.equal(expressionOf(screen, `https://${sub}.${listed}/`), `${listed}/`)
      assert.equal(expressionOf(screen, `https://${sub}.${sub}.${listed}/`), `${listed}/`)
      assert.equal(expressionOf(screen, `https://${[sibling, ...parents].join('.')}/`), undefined)
      assert.equal(expressionOf(screen, `https://${parents.join('.')}/`), undefined)
      assert.equal(expressionOf(screen, `https://${sibling}${listed}/`), undefined)
    }),
  )
})

test('a listed path blocks only URLs below it, on its host and subdomains', () => {
  const segment = fc.stringMatching(/^[a-z0-9]{1,5}$/)
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 6 }), segment, segment, segment, (above, last, below, other) => {
      fc.pre(other !== last)
      const parent = `/${above.map((each) => `${each}/`).join('')}`
      const screen = screening([[`https://site.example${parent}${last}/`]])
      const expression = `site.example${parent}${last}/`
      assert.equal(expressionOf(screen, `https://site.example${parent}${last}/${below}?q`), expression)
      assert.equal(expressionOf(screen, `https://www.site.example${parent}${last}/`), expression)
      for (const elsewhere of [parent, `${parent}${last}x/`, `${parent}${other}`]) {
        fc.pre(!elsewhere.startsWith(`${parent}${last}/`))
        assert.equal(expressionOf(screen, `https://site.example${elsewhere}`), undefined, elsewhere)
      }
    }),
  )
})

test('a shared suffix is never blocked as a whole by lists, and its tenants do not affect each other', () => {
  const screen = screening([
    ['com', 'co.uk', 'github.io', 'https://github.io/', 'https://s3.amazonaws.com/', 'single', 'https://blogspot.com'],
    ['https://s3.amazonaws.com/bad-bucket/', 'https://alice.github.io/', 'https://github.io/shared/'],
  ])
  for (const url of [
    'https://example.com/',
    'https://example.co.uk/',
    'https://bob.github.io/',
    'https://github.io/',
    'https://s3.amazonaws.com/good-bucket/',
    'https://someone.blogspot.com/',
    'https://bob.github.io/shared/',
  ]) {
    assert.equal(screen.find(url), undefined, url)
  }
  assert.equal(expressionOf(screen, 'https://s3.amazonaws.com/bad-bucket/x'), 's3.amazonaws.com/bad-bucket/')
  assert.equal(expressionOf(screen, 'https://alice.github.io/x'), 'alice.github.io/')
  assert.equal(expressionOf(screen, 'https://www.alice.github.io/x'), 'alice.github.io/')
  assert.equal(expressionOf(screen, 'https://github.io/shared/x'), 'github.io/shared/')
})

test('rules take precedence over lists, and more specific rules over others', () => {
  const screen = screening([['bad.example', 'github.io']], {
    'good.bad.example/': 'allow',
    'good.bad.example/not/': 'block',
    'github.io/': 'block',
    'fine.github.io/': 'allow',
  })
  const expected: Record<string, string | undefined> = {
    'https://bad.example/': 'bad.example/',
    'https://good.bad.example/x': undefined,
    'https://good.bad.example/not/x': 'good.bad.example/not/',
    'https://anyone.github.io/': 'github.io/',
    'https://fine.github.io/': undefined,
  }
  for (const [url, expression] of Object.entries(expected)) assert.equal(expressionOf(screen, url), expression, url)
})

test('every URL of a link is screened, with and without its UTM parameters', () => {
  const screen = screening([['bad.example', 'https://shop.example/?utm_source=x']])
  const link = {
    kind: 'page',
    target: null,
    payload: {},
    title: null,
    campaign: null,
    utm: {},
    rules: [],
    placements: [],
  }
  const links = [{ label: 'a', url: 'https://example.com/' }]
  assert.equal(screen.findInLink({ ...link, payload: { headline: 'h', links } }), undefined)
  links.push({ label: 'b', url: 'https://bad.example/' })
  assert.equal(screen.findInLink({ ...link, payload: { headline: 'h', links } })?.expression, 'bad.example/')
  const shop = { ...link, target: 'https://shop.example' }
  assert.equal(screen.findInLink(shop), undefined)
  assert.equal(screen.findInLink({ ...shop, utm: { utm_source: 'x' } })?.expression, 'shop.example/?utm_source=x')
  const ruled = { ...link, rules: [{ when: {}, then: { ended: 'It is over.' } }, to('https://shop.example')] }
  assert.equal(screen.findInLink(ruled), undefined)
  assert.equal(screen.findInLink({ ...ruled, utm: { utm_source: 'x' } })?.expression, 'shop.example/?utm_source=x')
  assert.equal(screen.findInLink({ ...link, rules: [to('https://bad.example/')] })?.expression, 'bad.example/')
  const moved = { ...link, rules: [{ when: {}, then: { ended: 'now at bad.example' } }] }
  assert.equal(screen.findInLink(moved)?.expression, 'bad.example/')
})

const to = (target: string) => ({ when: {}, then: { target } })

test('what lists and rules say of a host of the service, of what is on it or of its parent, blocks no link, and is found for the operator', () => {
  const named = [`https://${OWN}/abc`, `http://${OWN}:8080/abc?x`, `https://${OWN.toUpperCase()}./`]
  for (const entry of [OWN, `https://${OWN}/abc`, 'own.example']) {
    const listed = screening([[], [entry]])
    for (const url of named) assert.equal(listed.find(url), undefined, url)
    assert.deepEqual(listed.listingOf(OWN), { host: OWN, list: 'list 1' })
  }
  const ruled = screening([], { [`${OWN}/`]: 'block' })
  for (const url of named) assert.equal(ruled.find(url), undefined, url)
  const listed = screening([[OWN, 'own.example']])
  for (const url of [`https://x.${OWN}/`, 'https://own.example/', `https://other.own.example/`])
    assert.notEqual(listed.find(url), undefined, url)
  assert.equal(screening([['other.own.example']]).listingOf(OWN), undefined)
})
