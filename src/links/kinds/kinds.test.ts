import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { commonFields } from '../fields.ts'

import { findKind, kinds } from './index.ts'

test('no field of a kind has the name of a field that every link has', () => {
  const common = new Set(['kind', 'code', 'alias', 'active', 'design', 'payload', ...Object.keys(commonFields)])
  for (const { name, fields, stamp } of kinds) {
    const own = Object.keys(fields.properties)
    for (const field of own) assert.ok(!common.has(field), `${name}: ${field}`)
    if (stamp !== undefined) assert.ok(!own.includes(stamp.name) && !common.has(stamp.name), `${name}: ${stamp.name}`)
  }
})

test('exactly the kinds that redirect are marked as redirects', () => {
  for (const kind of kinds) {
    const visit = kind.prepare({ code: 'x', target: 'https://example.com/', payload: { ...kind.sample }, utm: {} })
    assert.equal(visit({ platform: 'ios' }).type === 'redirect', kind.redirects, kind.name)
  }
})

function vcard(payload: Record<string, unknown>): string {
  const text = findKind('vcard')?.file?.write({ code: 'x', target: null, payload, utm: {} })
  assert.ok(text)
  return text
}

/** Unfolds and unescapes as RFC 2426 says a reader does. */
function readVcard(text: string): Map<string, string> {
  const lines = text.replaceAll('\r\n ', '').split('\r\n').filter(Boolean)
  return new Map(
    lines.map((line) => {
      const at = line.indexOf(':')
      return [
        line.slice(0, at),
        line.slice(at + 1).replace(/\\([\\,;n])/g, (_, char: string) => (char === 'n' ? '\n' : char)),
      ]
    }),
  )
}

test('a vCard has the fields of the link, escaped as RFC 2426 requires', () => {
  const text = vcard({
    firstName: 'Ada; Countess',
    lastName: 'Lovelace, née Byron',
    org: 'A\\B',
    jobTitle: 'one\r\ntwo\nthree',
    phone: '+49 30 1',
    email: 'ada@example.com',
    website: 'https://example.com/?a,b;c',
  })
  assert.equal(
    text,
    [
      'BEGIN:VCARD',
      'VERSION:3.0',
      'N:Lovelace\\, née Byron;Ada\\; Countess;;;',
      'FN:Ada\\; Countess Lovelace\\, née Byron',
      'ORG:A\\\\B',
      'TITLE:one\\ntwo\\nthree',
      'TEL:+49 30 1',
      'EMAIL:ada@example.com',
      'URL:https://example.com/?a,b;c',
      'END:VCARD',
      '',
    ].join('\r\n'),
  )
})

test('a company alone is its own full name', () => {
  assert.equal(readVcard(vcard({ org: 'ACME' })).get('FN'), 'ACME')
  assert.equal(readVcard(vcard({ firstName: ' ', org: 'ACME' })).get('FN'), 'ACME')
})

test('for any input, no line is longer than 75 octets and every field reads back', () => {
  const field = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 200 })
    .map((text) => `x${text.toWellFormed().replace(/[\r\n\0]/g, '\n')}`)
  fc.assert(
    fc.property(field, field, (org, jobTitle) => {
      const text = vcard({ org, jobTitle })
      for (const line of text.split('\r\n')) {
        assert.ok(Buffer.byteLength(line) <= 75)
        assert.doesNotMatch(line, /[\r\n]/)
        assert.ok(line.isWellFormed())
      }
      const card = readVcard(text)
      assert.equal(card.get('ORG'), org)
      assert.equal(card.get('TITLE'), jobTitle)
      assert.equal(card.get('FN'), org)
    }),
  )
})
