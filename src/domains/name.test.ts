import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainToUnicode } from 'node:url'
import { fc } from '../../test/support/fast-check.ts'
import { reservedEndings } from '../lib/private-name.ts'
import { readDomainName } from './name.ts'

const OWN = 'go.bakery.shop'
const read = (text: string) => readDomainName(text, OWN)
const accepted = (text: string) => {
  const result = read(text)
  if (typeof result === 'string') assert.fail(`${JSON.stringify(text)} ${result}`)
  return result
}
const refused = (text: string, why?: RegExp) => {
  const result = read(text)
  if (typeof result !== 'string') assert.fail(`${JSON.stringify(text)} must be refused`)
  if (why) assert.match(result, why, text)
}

const label = fc.stringMatching(/^[a-z](?:[a-z0-9-]{0,20}[a-z0-9])?$/).filter((text) => !/^..--/.test(text))
const ending = fc.constantFrom('com', 'de', 'co.uk', 'org', 'app')
const name = fc
  .tuple(fc.array(label, { minLength: 1, maxLength: 4 }), ending)
  .map(([labels, end]) => [...labels, end].join('.'))
  .filter((text) => typeof read(text) !== 'string')
const unicodeLabel = fc
  .array(fc.constantFrom('ü', 'ß', 'é', 'ж', 'д', '例', 'え', 'α', 'ا', 'ב', 'a', 'ø'), { minLength: 1, maxLength: 12 })
  .map((letters) => letters.join(''))

test('a name is normalised to lower case without a trailing dot', () => {
  fc.assert(
    fc.property(name, fc.boolean(), fc.boolean(), (text, upper, dot) => {
      const written = (upper ? text.toUpperCase() : text) + (dot ? '.' : '')
      assert.equal(accepted(written).name, text)
    }),
  )
})

test('parsing is idempotent, and names consist of letters, digits, hyphens and dots within the bounds', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        name,
        fc.tuple(unicodeLabel, ending).map((parts) => parts.join('.')),
        fc.string(),
      ),
      (text) => {
        const result = read(text)
        if (typeof result === 'string') return
        assert.match(result.name, /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/)
        assert.deepEqual(read(result.name), result)
        assert.ok(result.name === result.registrable || result.name.endsWith(`.${result.registrable}`))
        assert.equal(new URL(`https://${result.name}/`).hostname, result.name)
      },
    ),
  )
})

test('Unicode and punycode are the same name, with any kind of dot', () => {
  fc.assert(
    fc.property(unicodeLabel, ending, (text, end) => {
      const result = read(`${text}.${end}`)
      if (typeof result === 'string') return
      assert.deepEqual(read(domainToUnicode(result.name)), result)
      assert.deepEqual(read(`${text}。${end}`), result)
      assert.deepEqual(read(`${text}．${end}`.toUpperCase()), read(`${text}.${end}`.toUpperCase()))
    }),
  )
  assert.equal(accepted('Bücher.Example').name, 'xn--bcher-kva.example')
  assert.equal(accepted('QR.ＢÄＣＫＥＲ.de').name, 'qr.xn--bcker-gra.de')
  for (const bad of ['xn--a.example', 'xn--.com', 'xn--zzzzzz.com', 'xn--abc-.com', 'a\u200db.com']) refused(bad)
})

test('the bounds of DNS apply to the encoded form', () => {
  const of = (length: number) => `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(length - 196)}.com`
  accepted(`${'a'.repeat(63)}.example.com`)
  refused(`${'a'.repeat(64)}.example.com`, /63/)
  refused(`${'ü'.repeat(60)}.example.com`, /63/)
  assert.equal(accepted(of(253)).name.length, 253)
  refused(of(254), /253/)
  refused('a.'.repeat(5000) + 'com', /too long/)
})

test('single labels, empty labels and labels that are not of letters, digits and hyphens are refused', () => {
  for (const bad of ['', '.', 'com', 'localhost', 'single', 'single.']) refused(bad)
  for (const bad of ['a..com', '.a.com', 'a.com..', '..']) refused(bad)
  for (const bad of ['0.a', 'qr.example.c', 'QR.EXAMPLE.C.', 'ａ.ｂ']) refused(bad, /top-level domain/)
  for (const bad of [
    '_acme.example.com',
    '-a.com',
    'a-.com',
    'a.-b.com',
    '*.example.com',
    'a!.com',
    'a,b.com',
    "a'b.com",
  ]) {
    refused(bad)
  }
  fc.assert(
    fc.property(label, fc.constantFrom('_', '-', '*', '!', '"', '&', '(', '~'), ending, (text, char, end) => {
      refused(`${char}${text}.${end}`)
      refused(`${text}${char}.${end}`)
    }),
  )
})

test('a text that is more than a host name is refused', () => {
  for (const around of [
    'https://%',
    '%:443',
    '%/',
    '%/path',
    'user@%',
    ' %',
    '% ',
    '%?x',
    '%#x',
    '%\\x',
    '[%]',
    '%\u0000',
    '%%2e',
  ]) {
    refused(around.replace('%', 'qr.example.com'), /must only be a host name/)
  }
})

test('IP addresses are refused in every notation', () => {
  fc.assert(
    fc.property(fc.nat(0xffff_ffff), (address) => {
      const bytes = [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256)
      const dotted = bytes.join('.')
      const full = dotted.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))
      const hex = bytes.map((byte) => `0x${byte.toString(16)}`).join('.')
      const octal = bytes.map((byte) => `0${byte.toString(8)}`).join('.')
      for (const text of [dotted, `${dotted}.`, full, hex, octal, String(address), `0x${address.toString(16)}`])
        refused(text)
      for (const text of [`[::ffff:${dotted}]`, `::${dotted}`, `[::1]`, '2001:db8::1', `${dotted}.5`, `a.${dotted}`])
        refused(text)
    }),
  )
})

test('public suffixes are refused; names under them belong to one owner', () => {
  for (const suffix of ['co.uk', 'github.io', 'kawasaki.jp', 'xn--p1ai', 'рф', 'com.au', 'pages.dev']) refused(suffix)
  fc.assert(
    fc.property(label, label, fc.constantFrom('co.uk', 'github.io', 'com', 'pages.dev'), (sub, own, suffix) => {
      fc.pre(typeof read(`${own}.${suffix}`) !== 'string')
      assert.equal(accepted(`${own}.${suffix}`).registrable, `${own}.${suffix}`)
      assert.equal(accepted(`${sub}.${own}.${suffix}`).registrable, `${own}.${suffix}`)
    }),
  )
})

test('private endings are refused, in any case', () => {
  fc.assert(
    fc.property(label, fc.constantFrom(...reservedEndings), (text, end) => {
      refused(`${text}.${end}`, /private/)
      refused(`${text}.${end.toUpperCase()}.`, /private/)
    }),
  )
})

test("the service's own host and names under it are refused, but not similar names", () => {
  for (const own of [OWN, `${OWN}.`, 'GO.Bakery.Shop', 'ｇｏ.bakery.shop']) refused(own, /own host/)
  fc.assert(fc.property(label, (text) => refused(`${text}.${OWN}`, /under the service/)))
  for (const other of ['bakery.shop', 'shop.bakery.shop', `x${OWN}`, `${OWN}.example.com`]) accepted(other)
})
