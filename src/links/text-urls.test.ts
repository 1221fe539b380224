import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textUrlErrors, urlsInTexts } from './text-urls.ts'

const found = (text: string) =>
  urlsInTexts({ title: null, payload: { note: text }, rules: [] }, new Set()).map(({ url }) => url)

test('addresses in a text are found with and without a scheme, in any script, and without what a sentence puts around them', () => {
  for (const [text, ...urls] of [
    ['see https://bad.example/a?b=c#d', 'https://bad.example/a?b=c#d'],
    ['(bad.example/x).', 'http://bad.example/x'],
    ['HTTP://BAD.EXAMPLE', 'HTTP://BAD.EXAMPLE'],
    ['“bad.example”, www.bad.example!', 'http://bad.example', 'http://www.bad.example'],
    ['here:\nbad.example:8080/y\tund bäd.example.', 'http://bad.example:8080/y', 'http://bäd.example'],
    ['<a href="https://bad.example/z">', 'https://bad.example/z'],
    ['https://who@bad.example/', 'https://who@bad.example/'],
    ['bad.example./q', 'http://bad.example./q'],
    ['例え.テスト', 'http://例え.テスト'],
  ] as const) {
    assert.deepEqual(found(text), urls, text)
  }
})

test('addresses are found behind what is no space, as phones and mail programs find them, and before another script', () => {
  for (const text of [
    'see:https://bad.example/x',
    'Link=bad.example',
    '[menu](https://bad.example)',
    '1.https://bad.example',
    '→bad.example',
    '👉https://bad.example👈',
    '请访问https://bad.example/查看',
    '请看bad.example查看',
    'bad。example',
    'good.example,bad.example,other.example',
    'https://bad.example,other',
    'https://good.example/https://bad.example',
    '@bad.example',
    '//bad.example/x',
    'ｈttps://bad.example',
    '\u202ehttps://bad.example',
    '\u2066bad.example\u2069',
    '👉\u200dbad.example',
    'see:https://b%61d.example/',
  ]) {
    const hosts = found(text).map((url) => new URL(url).hostname)
    assert.ok(hosts.includes('bad.example'), `${text}: ${hosts.join()}`)
  }
  assert.deepEqual(found('see:bad.example:8080/y?z'), ['http://bad.example:8080/y?z'])
})

test('of a text as long as any, each name is looked at a bounded number of times', () => {
  for (const part of ['a.bb ', 'a.bb/', 'a.bb:', 'http://', 'https://a.bb,', '请a.bb', 'a@'])
    assert.ok(found(part.repeat(2000 / part.length)).length <= 2000 / part.length, part)
  assert.deepEqual(found(`a.${'\u0301'.repeat(1900)}bb`), [], 'the name of a host has a bound')
})

test('mail addresses, abbreviations and ends of sentences are none, and numbers name no host but themselves', () => {
  for (const text of ['shop@bad.example', 'from 9.30 to 18.00', 'z.B. today', 'Hello.', 'a . b', '...', 'v1.2.3', ''])
    assert.ok(
      found(text).every((url) => /^http:\/\/(v1\.2\.3|[\d.]+)$/.test(url)),
      text,
    )
})

test('each text of a link is looked at, also those in lists, and no field that is an address', () => {
  const payload = { heading: 'a.example', links: [{ label: 'b.example', url: 'https://c.example/' }] }
  const fields = new Set(['/links/0/url'])
  const rules = [
    { when: {}, then: { target: 'https://e.example/' } },
    { when: {}, then: { ended: 'now at f.example' } },
  ]
  assert.deepEqual(urlsInTexts({ title: 'd.example', payload, rules }, fields), [
    { pointer: '/title', url: 'http://d.example' },
    { pointer: '/heading', url: 'http://a.example' },
    { pointer: '/links/0/label', url: 'http://b.example' },
    { pointer: '/rules/1/then/ended', url: 'http://f.example' },
  ])
})

test('a field that is an address is no text, and is not looked into: a page has a hundred of 2 KB', () => {
  const unread = {
    get url(): string {
      throw new Error('it was read')
    },
  }
  const fields = new Set(['/links/0', '/avatar'])
  const payload = { links: [unread, { label: 'bad.example' }], avatar: 'good.example' }
  assert.deepEqual(urlsInTexts({ title: null, payload, rules: [] }, fields), [
    { pointer: '/links/1/label', url: 'http://bad.example' },
  ])
})

test('texts that name more addresses than are soon compared are refused, and those that people write are not', () => {
  const errors = (texts: string[]) =>
    textUrlErrors(urlsInTexts({ title: null, payload: { links: texts }, rules: [] }, new Set()))
  for (const part of ['t.co/', '→t.co/x', 'ก.t.co/', 'a.aa/😀']) {
    const [error] = errors(['menu', part.repeat(2000 / part.length)])
    assert.equal(error?.pointer, '/links/1', part)
    assert.match(error?.detail ?? '', /at most 65536 characters/)
  }
  assert.equal(errors(Array.from({ length: 100 }, () => 't.co/'.repeat(20))).length, 1)
  assert.deepEqual(
    errors(Array.from({ length: 200 }, (_, at) => `Pizza ${at} 8.50 / 11.50, www.pizza.example/${at}`)),
    [],
  )
  assert.deepEqual(errors([`https://archive.example/https://${'page.example/'.repeat(10)}`]), [])
})
